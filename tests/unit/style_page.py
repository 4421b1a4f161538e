"""The page of a made-up dataset of style."""

from typing import Any


def style_page(**more: Any) -> dict[str, Any]:
    page = {"title": "Notes", "about": "Made up.", "attribute": "register", "languages": ["en"], "licence": "none"}
    how = {"acquire": {"where": "here", "how": "Write them."}, "files": ["*.jsonl"], "reader": {"format": "jsonl"}}
    return {**page, **how, **more}
