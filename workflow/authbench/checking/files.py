"""Check that a release contains the files of SHA256SUMS and of the format, and no others."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from authbench.checking.claims import Finding
from authbench.errors import InputError
from authbench.format import files
from authbench.format.columns import CANDIDATES, PAIR_TABLES, QUERIES, SPLIT, SPLIT_TABLES
from authbench.format.manifest import Manifest, StatedSource
from authbench.format.names import walk
from authbench.registry.citations import bibliography
from authbench.storage.atomic import sha256_of_file
from authbench.storage.sha256sums import SUMS

_TEXTS = (CANDIDATES, QUERIES)
_DRAWN = frozenset({files.REPORT, *(f"figures/{name}.svg" for name in files.FIGURES)})
_BOOKKEEPING = frozenset({SUMS, files.PROVENANCE, files.LOCK, files.DEVIATION, *files.CSV_FILES})


def check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Yield changed, missing and extra files, and entries of the folder that are not plain files.

    Without SHA256SUMS no file is extra. A release that states its version of AuthBench must have all files of the
    format, except the figures and the report, which are drawn from it last.
    """
    present, strange = walk(folder)
    yield from (Finding("files", name, f"{name} is {what}") for name, what in sorted(strange.items()))
    if (folder / SUMS).is_file():
        yield from _check_sums(folder, present, strange)
    if manifest.get("authbench"):
        yield from _check_names(present, manifest)
    if manifest.get("sources") and files.CITATIONS in present:
        yield from _check_citations(folder / files.CITATIONS, manifest["sources"])


def _check_sums(folder: Path, present: frozenset[str], strange: Mapping[str, str]) -> Iterator[Finding]:
    listed: dict[str, str] = {}
    for number, line in enumerate((folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        found = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if not found or ".." in Path(found[2]).parts or Path(found[2]).is_absolute():
            yield Finding("checksum", f"{SUMS}:{number}", "a line that names no file of the release")
        elif found[2] in listed:
            yield Finding("checksum", f"{SUMS}:{number}", f"{found[2]} is listed twice")
        else:
            listed[found[2]] = found[1]
    for name in sorted((listed.keys() | present) - {SUMS} - strange.keys()):
        if name not in present:
            yield Finding("checksum", name, f"{name} is missing")
        elif name not in listed:
            yield Finding("checksum", name, f"{name} is extra")
        elif sha256_of_file(folder / name) != listed[name]:
            yield Finding("checksum", name, f"{name} has changed")


def _check_citations(path: Path, sources: Mapping[str, StatedSource]) -> Iterator[Finding]:
    try:
        stated = bibliography({tag: one["citation"] for tag, one in sources.items()})
    except InputError as problem:
        yield Finding("manifest", files.MANIFEST, f"sources: {problem}")
        return
    if path.read_text(encoding="utf-8", errors="replace") != stated:
        yield Finding("manifest", files.CITATIONS, f"{files.CITATIONS} has other citations than {files.MANIFEST}")


def _check_names(present: frozenset[str], manifest: Manifest) -> Iterator[Finding]:
    splits = manifest.get("splits")
    named = [name for name in splits if isinstance(name, str) and re.fullmatch(SPLIT, name)] if splits else []
    tables = [*SPLIT_TABLES.values(), *PAIR_TABLES.values()]
    needed = (
        _BOOKKEEPING
        | ({files.CITATIONS} if manifest.get("sources") else set())
        | {f"{split}/{table.file}" for split in named for table in tables}
    )
    needed |= {files.MERGED} if manifest.get("merged") else set()
    known = needed | _DRAWN | {files.MANIFEST, files.CITATIONS, *files.BUNDLE_FILES, *files.PART_FILES}
    if files.WITHHELD in present:
        copied = needed | _DRAWN | {files.MANIFEST, files.CITATIONS}
        copied -= {f"{split}/{table.file}" for split in named for table in _TEXTS}
        known |= {f"{files.COMPLETE}/{name}" for name in copied}
    yield from (Finding("files", name, f"{name} is missing") for name in sorted(needed - present))
    yield from (Finding("files", name, f"{name} is no file of a release") for name in sorted(present - known))
