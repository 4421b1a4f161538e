"""Write the entry and the recipe of a corpus, and put its files where a build expects them."""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

import regex
import yaml

from authbench.build.drafting.propose import Proposal
from authbench.build.drafting.sample import Sample, files_of
from authbench.config.registry.entries import default_settings, schema_problems
from authbench.config.registry.load import list_entries
from authbench.config.registry.readers import FORMATS, ChatReader, MboxReader, Reader
from authbench.config.registry.sources import SOURCES
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.records import LANGUAGES
from authbench.core.storage.atomic import write_text
from authbench.core.storage.raw_files import RawFile
from authbench.core.storage.raw_paths import COMPRESSED
from authbench.release.reading.chats import LEFT_OUT, app_of
from authbench.release.reading.foreign import JSON, PATTERNS, TEXT, ZIP, kind_of

RAW = Path("resources/raw")
_WIDE = 10_000  # columns of a line of YAML: values stay on their line


def entry_path(name: str) -> Path:
    return Path("config/sources") / f"{name}.yaml"


def recipe_path(name: str) -> Path:
    return Path(f"{name}.yaml")


def name_of(paths: list[Path]) -> str:
    """Return a name for the corpus in files or folders: their name, or the name of the folder that holds them.

    The app's name stands for a chat's file, whose own name tells who takes part.

    >>> name_of([Path("My Letters (2024).csv.gz")]), name_of([Path("in/a.csv"), Path("in/b.csv")])
    ('my_letters_2024', 'in')
    """
    if len(paths) == 1 and kind_of(paths[0]) in (JSON, TEXT, ZIP) and paths[0].is_file():
        members = RawFile(paths[0], str(paths[0]), "").members(PATTERNS)
        if members and (app := app_of(members[0])):
            return app
    path = paths[0].absolute() if len(paths) == 1 else Path(os.path.commonpath([one.absolute() for one in paths]))
    stem = path.name if path.is_dir() or len(paths) > 1 else path.name.split(".")[0]
    return regex.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:40] or "own"


def genre_of(name: str) -> str:
    """Return a new genre for a corpus.

    >>> genre_of("letters_2024"), genre_of("2024")
    ('letters', 'own')
    """
    return regex.sub(r"[^a-z]+", "_", name.lower()).strip("_")[:40] or "own"


def expect_free(name: str) -> None:
    """Raise InputError if the name is unusable, or a file of it exists already."""
    for section, problem in schema_problems({**default_settings(), "name": name}, Config):
        if section == "name":
            raise InputError(f"--{problem}")
    if name in list_entries(SOURCES):
        raise InputError(f"There is a source {name} already. Give another name: --name NAME.")
    for path in (entry_path(name), recipe_path(name)):
        if os.path.lexists(path):
            raise InputError(f"{path} exists already. Give another name: --name NAME.")


def entry_text(name: str, sample: Sample, proposal: Proposal) -> str:
    """Return the entry of a source, with comments.

    Raises:
        InputError: a field has a name that an entry cannot hold.
    """
    head: dict[str, object] = {
        "title": name,
        "about": "Not described yet.",
        "license": {"name": "not stated", "tier": "B"},
        "acquire": {"from": "local", "where": "own files", "how": "Put the files into this folder."},
        "files": list(sample.patterns),
        "reader": _reader(sample.reader),
    }
    if proposal.path_fields:
        head["path_fields"] = proposal.path_fields
    tail: dict[str, object] = {"author": {"kind": proposal.kind}}
    if isinstance(sample.reader, MboxReader):
        tail["clean"] = [{"replace": pattern} for pattern in _NOT_BY_THE_SENDER]
    if isinstance(sample.reader, ChatReader):
        if sample.reader.app != "whatsapp":  # whose labels are the names
            tail["author"] = {"kind": proposal.kind, "name": "name"}
        tail["drop"] = [{"when": {"field": "left_out", "match": f"^{one}$"}, "reason": one} for one in LEFT_OUT]
    entry = {**head, "fields": {key: value for key, (value, _) in proposal.found.items()}, **tail}
    if problems := [problem for _, problem in schema_problems(entry, SOURCES.schema)] or list(SOURCES.problems(entry)):
        raise InputError("\n".join(f"{entry_path(name)}: {problem}" for problem in problems))
    lines = [
        "# Drafted from a sample by `authbench new source`: check every line (docs/adding-a-source.md).",
        *(_line(key, value) for key, value in head.items()),
        "fields:",
        *(f"  {_line(key, value, why)}" for key, (value, why) in proposal.found.items()),
        *(_line(key, value) for key, value in tail.items()),
    ]
    return "\n".join(lines) + "\n"


_NOT_BY_THE_SENDER = (
    r"(?m)^>.*\n?",  # quoted
    r"(?m)^.*\b(wrote|a écrit|escribió|schrieb|написал\w*)\s*:\s*$\n?",
    r"(?s)(^|\n)-- ?\n.*$",  # a signature
)
_COMMENTS = {
    "drop": "messages whose text is not their sender's",
    "clean": "quoted lines and signatures are removed",
    "title": "shown in the report",
    "about": "what the author label means, and its faults; the report repeats it",
    "license": "tier B: texts stay private; A: they may be passed on",
    "author": "person, account, outlet, masked or work",
}


def recipe_text(name: str, proposal: Proposal) -> str:
    """Return the recipe of a benchmark from this source only, with comments."""
    ingest: dict[str, object] = {}
    genre, lang = proposal.found["genre"][0], proposal.found["lang"][0]
    if isinstance(genre, Mapping):
        ingest["genres"] = [genre["const"]]
    if isinstance(lang, Mapping) and "const" in lang and lang["const"] not in LANGUAGES:
        ingest["other_languages"] = "keep"
    lines = [
        f"# authbench build --configfile {recipe_path(name)}; config/config.yaml has all settings.",
        _line("name", name),
        _line("sources", [name]),
    ]
    if ingest:
        lines.append(_line("ingest", ingest, "a genre of one's own; see fields.genre" if "genres" in ingest else ""))
    return "\n".join(lines) + "\n"


def _reader(reader: Reader) -> dict[str, object]:
    """Return the section of an entry for a reader: its format, and the options that are not the defaults."""
    name = next(name for name, kind in FORMATS.items() if isinstance(reader, kind))
    section: dict[str, object] = {"format": name}
    for field in dataclasses.fields(reader):
        value = getattr(reader, field.name)
        usual = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if value != usual:
            section[field.name] = list(value) if isinstance(value, tuple) else value
    return section


def _line(key: str, value: object, comment: str = "") -> str:
    written = yaml.safe_dump({key: value}, default_flow_style=True, allow_unicode=True, width=_WIDE, sort_keys=False)
    inner = written.strip()[1:-1]
    said = comment or _COMMENTS.get(key, "")
    return f"{inner}  # {said}" if said else inner


def expect_described(name: str, paths: list[Path]) -> None:
    """Raise InputError if the files linked below the folder of the source are not the data in these paths."""
    linked = {path.resolve() for path in (RAW / name).rglob("*") if path.is_file()}
    kinds = {kind_of(path) for path in linked}
    if linked != {path.resolve() for path in files_of(paths).values() if kind_of(path) in kinds}:
        raise InputError(
            f"{recipe_path(name)} describes other files than {printable(str(paths[0]))}. Describe these under another "
            "name, authbench new source ... --name NAME, or remove it with its entry and its folder."
        )


def put(name: str, sample: Sample, entry: str, recipe: str) -> None:
    """Link the files below the folder of the source, and write the entry and the recipe.

    Files of chats, whose names tell who takes part, are linked as numbers.

    Raises:
        InputError: the folder exists already and does not hold just these files.
    """
    folder = RAW / name
    if any(file.absolute() != (folder / below).absolute() for below, file in sample.files.items()):
        if os.path.lexists(folder):
            raise InputError(f"{folder} exists already. Give another name: --name NAME.")
        for number, (below, file) in enumerate(sample.files.items(), 1):
            ending = regex.search(r"(\.\w+)?\.\w+$" if file.suffix.lower() in COMPRESSED else r"\.\w+$", below)
            is_chat = isinstance(sample.reader, ChatReader) and ending
            place = folder / (f"{number}{ending[0]}" if is_chat else below)  # type: ignore[index]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(file.resolve())
    entry_path(name).parent.mkdir(parents=True, exist_ok=True)
    for path, text in ((entry_path(name), entry), (recipe_path(name), recipe)):
        write_text(path, text)
