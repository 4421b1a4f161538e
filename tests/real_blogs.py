"""Texts of the Blog Authorship Corpus, by author and month, for tests of verification."""

import re

import polars as pl
from shared_folders import DATA

POST = re.compile(r"<date>(.*?)</date>\s*<post>(.*?)</post>", re.DOTALL)


def posts():
    """Yield each post: its file's name, author, month of the year, and text in a line."""
    for path in sorted((DATA / "blog_authorship_xml").rglob("*.xml")):
        for date, post in POST.findall(path.read_bytes().decode("utf-8", "replace")):
            if date.count(",") == 2:
                yield path.stem, path.name.split(".")[0], date.split(",")[1].lower(), " ".join(post.split())


def blogs_by_month(characters):
    """Return a text of so many characters for each blogger and month of the year that has as many (DOCUMENTS)."""
    months = {}
    for stem, author, month, text in posts():
        months.setdefault((stem, author, month), []).append(text)
    rows = [
        (f"{stem}-{month}", author, month, "en", text)
        for (stem, author, month), own in months.items()
        if len(text := " ".join(own)[:characters]) == characters
    ]
    return pl.DataFrame(rows, schema=["id", "author", "topic", "lang", "text"], orient="row")
