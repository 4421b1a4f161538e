"""Texts of the Blog Authorship Corpus, by author and month, for tests of verification."""

import re

import polars as pl
from shared_folders import DATA

POST = re.compile(r"<date>(.*?)</date>\s*<post>(.*?)</post>", re.DOTALL)


def blogs_by_month(characters: int) -> pl.DataFrame:
    """Return a text of so many characters for each blogger and month of the year that has as many (DOCUMENTS)."""
    rows = []
    for path in sorted((DATA / "blog_authorship_xml").rglob("*.xml")):
        months: dict[str, list[str]] = {}
        for date, post in POST.findall(path.read_bytes().decode("utf-8", "replace")):
            if date.count(",") == 2:
                months.setdefault(date.split(",")[1].lower(), []).append(" ".join(post.split()))
        author = path.name.split(".")[0]
        for month, posts in months.items():
            text = " ".join(posts)[:characters]
            if len(text) == characters:
                rows.append((f"{path.stem}-{month}", author, month, "en", text))
    return pl.DataFrame(rows, schema=["id", "author", "topic", "lang", "text"], orient="row")
