"""Guess how the paths of plain texts, one text a file, name their authors."""

from collections.abc import Collection
from pathlib import PurePath
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
