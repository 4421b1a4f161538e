"""The page of a made-up dataset of style."""


def style_page(**more):
    page = {"title": "Notes", "about": "Made up.", "attribute": "register", "languages": ["en"], "licence": "none"}
    how = {"acquire": {"where": "here", "how": "Write them."}, "files": ["*.jsonl"], "reader": {"format": "jsonl"}}
    return {**page, **how, **more}
