"""Rebuild a release from its statement and the raw files, and compare.

The build runs in an empty folder with the settings and entries of the statement, by the installed package.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

from authbench.build.acquire.lock import lock_path, read_raw_lock
from authbench.build.release.statement import READER, versions_for
from authbench.config.registry.source_entry import make_source
from authbench.config.registry.sources import SOURCES
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.runtime.inventory import take_inventory
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.raw_paths import describe, listing_digest
from authbench.publish.attestation.statement import CODE, code_digest, dependency, raw_name, subjects
from authbench.release.format.names import walk
from authbench.release.format.release import read_manifest

_DATA = (".txt", ".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".gz", ".zst", ".ckpt", ".pt")
_OWN = ("results", "config", "config.json", "profiles", "workflow")  # of a build
_LINES = 30  # of a failed build's output, and names of raw files


# Takes a folder and the arguments of Snakemake, target and settings; returns its exit status and all its output.
Build = Callable[[Path, Sequence[str]], tuple[int, str]]


@dataclass(frozen=True)
class Outcome:
    """The result of verifying: the exit status (0 reproduced, 1 differs, 2 undecided), and reasons, a line each."""

    status: int
    reasons: tuple[str, ...] = ()


def differences(statement: Mapping[str, object], release: Path) -> list[str]:
    """Return where the files of a release differ from its statement."""
    stated, (present, strange) = subjects(statement), walk(release)
    here = {path: sha256_of_file(release / path) for path in present}
    return [
        *(f"{path} is {what}" for path, what in sorted(strange.items())),
        *(f"{path} is not in the statement" for path in sorted(set(here) - set(stated))),
        *(f"{path} is in the statement alone" for path in sorted(set(stated) - set(here))),
        *(f"{path} is another file" for path in sorted(set(here) & set(stated)) if here[path] != stated[path]),
    ]


def reproduce(
    statement: JsonMapping, raw_dir: Path, build: Build, files: Path | None = None, release: Path | None = None
) -> Outcome:
    """Rebuild the release of a statement, and compare it with the statement.

    Args:
        statement: which `statement.expect_statement` takes.
        files: a folder with the files that settings name (a word list, a takedown, a lock), under the same names; other
            files are ignored.
        release: the release, whose manifest tells whether it was built with another lock of raw files.
    """
    given = statement["predicate"]["buildDefinition"]["externalParameters"]
    if others := _other_raw_files(statement, raw_dir):
        return Outcome(2, tuple(others))
    with tempfile.TemporaryDirectory(prefix="authbench-verify-") as place:
        folder = Path(place)
        _write_inputs(folder, given, raw_dir, files)
        name = str(given["config"].get("name"))
        status, said = build(folder, [f"results/{name}/release/SHA256SUMS", "--configfile", "config.json"])
        if status:
            return Outcome(2, ("the build ended without a release:", *said.strip().splitlines()[-_LINES:]))
        made = folder / "results" / name / "release"
        found = differences(statement, made)
        if found and release and read_manifest(release).get("raw_lock") != read_manifest(made).get("raw_lock"):
            found.append(f"perhaps because it was built with another {lock_path(raw_dir).name}, or without one")
    if not found:
        return Outcome(0)
    return Outcome(1, (*found, *_other_environment(statement)))


def _other_raw_files(statement: JsonMapping, raw_dir: Path) -> list[str]:
    """Return the sources whose raw files differ from the statement, and which files differ if the lock lists them."""
    entries = statement["predicate"]["buildDefinition"]["externalParameters"]["sources"]
    sources = {tag: make_source(tag, entry) for tag, entry in entries.items()}
    with tempfile.TemporaryDirectory() as place:
        wanted = {tag: source.files for tag, source in sources.items()}
        inventory = take_inventory(raw_dir, wanted, Path(place) / "inventory.json")
    locked = read_raw_lock(lock_path(raw_dir))

    def which(tag: str) -> str:
        files = locked[tag].files if tag in locked else {}
        stated = {name: file.sha256 for name, file in files.items()}
        if listing_digest(stated) != dependency(statement, raw_name(tag)):
            return ""  # the lock is of others, too
        found = inventory[tag]
        apart = sorted(name for name in {*stated, *found} if stated.get(name) != found.get(name))
        return f": {', '.join(apart[:_LINES])}"

    return [
        f"the raw files of {tag} in {raw_dir} are not those of the statement{which(tag)}"
        if inventory[tag]
        else f"there are no raw files of {tag} in {raw_dir}"
        for tag in sources
        if describe(inventory[tag])["sha256"] != dependency(statement, raw_name(tag))
    ]


def _write_inputs(folder: Path, given: JsonMapping, raw_dir: Path, files: Path | None) -> None:
    skip = "skip" if given["skipped_sources"] else "error"
    config = {
        **given["config"],
        "raw_dir": str(raw_dir.absolute()),
        "missing_sources": skip,
        "evaluate": {"models": []},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if files is not None:
        _link_named(folder, given["config"], files)
    places = {
        Path(str(one)).stem: str(one) for one in config.get("sources") or () if str(one).endswith((".yaml", ".yml"))
    }
    for tag, entry in given["sources"].items():
        path = folder / places.get(tag, f"config/{SOURCES.folder}/{tag}.yaml")
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError(f"The entry of {tag} has a place outside of the folder of the build: {path}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(yaml.safe_dump(dict(entry), allow_unicode=True, sort_keys=False), encoding="utf-8")


def _link_named(folder: Path, config: object, files: Path) -> None:
    for name in sorted(set(_named(config))):
        source, target = files / name, folder / name
        if source.is_file() and source.resolve().is_relative_to(files.resolve()) and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source.resolve())


def _named(value: object) -> Iterator[str]:
    """Yield the texts in settings that may be the path of a file below a folder, except paths of code."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _named(inner)
    elif isinstance(value, str) and "\0" not in value:
        path = PurePosixPath(value)
        hidden = any(part.startswith(".") for part in path.parts)
        if path.suffix in _DATA and not (path.is_absolute() or hidden) and path.parts[0] not in _OWN:
            yield value


def _other_environment(statement: JsonMapping) -> list[str]:
    parts = statement["predicate"]
    notes = []
    if dependency(statement, CODE) != code_digest():
        notes.append("perhaps because the code of AuthBench is not that of the statement")
    stated = parts["runDetails"]["builder"]["version"]
    config = parts["buildDefinition"]["externalParameters"]["config"]
    readers = [name.removeprefix(READER) for name in stated if name.startswith(READER)]
    here = versions_for(config, readers) if "scorers" in config.get("safety", {}) else stated
    for name in sorted(name for name in {*stated, *here} if stated.get(name) != here.get(name)):
        notes.append(f"perhaps because {name} is {here.get(name)}, and was {stated.get(name)}")
    return notes
