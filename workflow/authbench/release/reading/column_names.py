"""Guess which column of a table is what, and how the paths of plain texts name their authors."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Literal

Layout = Literal["folder", "name"]  # author/title.txt or split/author/title.txt; Author_Title.txt


def layout_of(paths: Collection[PurePath]) -> Layout | None:
    """Return how paths below a folder name their authors; None if they do not.

    >>> layout_of([PurePath("Ann/a.txt"), PurePath("Bob/b.txt")]), layout_of([PurePath("Ann_a.txt")])
    ('folder', 'name')
    """
    depths = {len(path.parts) for path in paths}
    in_one = len({path.parent for path in paths}) == 1
    if not (depths in ({2}, {3}) or (in_one and all("_" in path.stem for path in paths))):
        return None
    return "name" if in_one else "folder"


# Names of columns elsewhere, in small letters; the first that a table has is used.
NAMES: Mapping[str, Sequence[str]] = {
    "author": ("author", "author_id", "authors", "user_id", "user", "username", "user_name", "userid", "writer", "poet",
               "blogger", "reviewer_id", "reviewerid", "reviewer", "reviewer_name", "author_name", "speaker",
               "screen_name", "nickname", "handle", "from", "sender", "autor", "auteur", "autore", "verfasser",
               "absender", "remitente", "mittente", "label", "name"),
    "content": ("content", "text", "body", "review", "review_body", "reviewtext", "comment", "post", "tweet",
                "abstract", "sentence", "document", "message", "poem", "texte", "texto", "testo", "inhalt", "nachricht",
                "mensaje", "messaggio"),
    "id": ("id", "doc_id", "document_id", "doc_key", "text_id", "post_id", "review_id", "comment_id", "_id"),
    "split": ("split", "partition", "set", "fold"),
    "lang": ("lang", "language", "language_code", "sprache", "langue", "idioma", "lingua"),
    "genre": ("genre", "domain", "category", "fandom", "subreddit"),
    "source": ("source", "corpus", "platform", "dataset"),
    "date": ("date", "created_at", "timestamp", "published", "created_utc", "datum", "fecha"),
    "origin": ("origin", "work", "work_id", "book", "title_id"),
    "item": ("item", "item_id", "product_id", "asin", "movie_id", "business_id"),
    "account": ("account", "account_id", "user_url", "profile_url"),
    "token_length": ("token_length",),
}  # fmt: skip
TOPICS: Mapping[str, Sequence[str]] = {
    "topic": ("topic", "section", "subject", "theme", "thread", "title", "thema", "tema", "betreff", "sujet", "asunto",
              *NAMES["genre"]),
}  # fmt: skip
_NONE: Mapping[str, str] = MappingProxyType({})


def guess_columns(
    columns: Sequence[str], given: Mapping[str, str] = _NONE, known: Mapping[str, Sequence[str]] = NAMES
) -> dict[str, str]:
    """Return a table's name for each of our columns that it has: the given name, else the first unused known name.

    >>> guess_columns(["From", "body", "when"]), guess_columns(["from", "by"], {"author": "by"})
    ({'author': 'From', 'content': 'body'}, {'author': 'by'})
    """
    lowered = {name.strip().lower(): name for name in columns}
    found: dict[str, str] = {}
    for ours, others in known.items():
        if ours in given:
            found[ours] = given[ours]
        elif free := [lowered[other] for other in others if lowered.get(other, "") not in ("", *found.values())]:
            found[ours] = free[0]
    return found
