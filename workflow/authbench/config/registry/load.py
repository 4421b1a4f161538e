"""Load a registered entry by its name, or a user's entry by the path of its file.

The entry `name` of a kind is the file `config/<folder>/<name>.yaml`; a file in the working directory precedes the
shipped file.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Generic, TypeVar

from authbench.config.registry.entries import Settings, read_yaml, schema_problems
from authbench.config.registry.values import shown
from authbench.config.registry.yaml_lines import place_in
from authbench.core.errors import InputError
from authbench.core.shipped import config_folders
from authbench.core.words import did_you_mean

Entry = TypeVar("Entry")
NAME = re.compile(r"[^\W_][\w.-]*")
LONGEST_NAME = 100  # bytes; file names of results contain it


@dataclass(frozen=True)
class EntryKind(Generic[Entry]):
    """Describe a kind of entries, e.g. models.

    Attributes:
        noun: how messages call an entry.
        folder: where entries are, below config/.
        schema: makes the schema; called once.
        build: makes an entry of its name, its settings and its path; may raise InputError.
        problems: yields the problems of settings that fit the schema, as "key: problem".
    """

    noun: str
    folder: str
    schema: Callable[[], Settings]
    build: Callable[[str, Settings, Path], Entry]
    problems: Callable[[Settings], Iterable[str]] = lambda _: ()


def load_entry(kind: EntryKind[Entry], requested: str, base: Path = Path()) -> Entry:
    """Return the entry of this name, or the entry in this file if `requested` ends in .yaml or .yml.

    Args:
        base: the working directory; relative paths and the user's `config` are below it.

    Raises:
        InputError: the entry does not exist or does not fit its schema; the message lists all its problems.
    """
    path = _find(kind, requested, base)
    if not NAME.fullmatch(path.stem) or len(path.stem.encode()) > LONGEST_NAME:
        raise InputError(
            f"{shown(path.stem)} is no name for a {kind.noun}: expected at most {LONGEST_NAME} letters, digits, dots, "
            "hyphens and underscores, the first a letter or digit; rename the file"
        )
    where = _shown(path, base)
    try:
        entry = read_yaml(path)
    except InputError as problem:
        raise InputError(str(problem).replace(str(path), str(where))) from None
    problems = [problem for _, problem in schema_problems(entry, kind.schema)] or list(kind.problems(entry))
    if problems:
        raise InputError("\n".join(f"{where}{place_in(path, problem)}: {problem}" for problem in problems))
    return kind.build(path.stem, entry, path)


def load_entries(kind: EntryKind[Entry], requested: Collection[str], base: Path = Path()) -> dict[str, Entry]:
    """Return entries in the order of the requests. Raises InputError with the problems of all requests."""
    return dict(zip(requested, load_each(lambda name: load_entry(kind, name, base), requested), strict=True))


def load_each(load: Callable[[str], Entry], requested: Iterable[str]) -> list[Entry]:
    """Return what a function loads for each request. Raises InputError with the problems of all requests."""
    entries, problems = [], []
    for name in requested:
        try:
            entries.append(load(name))
        except InputError as problem:
            problems.append(str(problem))
    if problems:
        raise InputError("\n".join(problems))
    return entries


def entry_name(requested: str) -> str:
    """Return the name of an entry requested by name or by the path of its file.

    >>> entry_name("exorde"), entry_name("own/letters.yaml")
    ('exorde', 'letters')
    """
    return PurePath(requested).stem if is_path(requested) else requested


def is_path(requested: str) -> bool:
    """Return whether an entry is requested by the path of its file instead of its name."""
    return requested.endswith((".yaml", ".yml"))


def stated_kind(requested: str, base: Path = Path()) -> str | None:
    """Return the `kind` stated in the file of an entry; None for a name or a missing file."""
    if not is_path(requested) or not (base / requested).is_file():
        return None
    kind = read_yaml(base / requested).get("kind")
    return None if kind is None else str(kind)


def list_entries(kind: EntryKind[Entry], base: Path = Path()) -> dict[str, Path]:
    """Return the files of all named entries, sorted by name."""
    folders = config_folders(kind.folder, base)
    found = {path.stem: path for folder in reversed(folders) for path in folder.glob("*.yaml")}
    return {name: found[name] for name in sorted(found)}


def _find(kind: EntryKind[Entry], requested: str, base: Path) -> Path:
    if is_path(requested):
        if not (base / requested).is_file():
            raise InputError(f"there is no file {requested}, which should describe a {kind.noun}")
        return base / requested
    known = list_entries(kind, base)
    if requested not in known:
        raise InputError(
            f"there is no {kind.noun} '{requested}' (a file config/{kind.folder}/{requested}.yaml, or one of your own "
            f"given by its path){did_you_mean(requested, known)}"
        )
    return known[requested]


def _shown(path: Path, base: Path) -> Path:
    """Return the path as the user would write it: relative to the working directory if below it."""
    here = base.resolve()
    return path.relative_to(here) if path.is_relative_to(here) else path
