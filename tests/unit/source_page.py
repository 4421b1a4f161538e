"""The page of a made-up source of raw texts."""


def source_page(**more):
    page = {"title": "Letters", "about": "Made up.", "license": {"name": "CC0 1.0", "tier": "A"}}
    page |= {"acquire": {"from": "local", "where": "here", "how": "Write them."}, "author": {"kind": "account"}}
    return {**page, "files": ["**/*.csv"], "reader": {"format": "csv"}, **more}
