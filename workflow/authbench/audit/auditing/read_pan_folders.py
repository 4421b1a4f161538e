"""Read verification datasets of PAN 2013, 2014 and 2015: `truth.txt` and a folder for each problem.

A folder contains the texts known to be by an author (`known*.txt`) and the questioned text (`unknown*.txt`); a line of
`truth.txt` is `EN001 Y` or `EN001 N`. The known texts are joined into a single text, with blank lines between them.
"""

import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import Dataset
from authbench.audit.auditing.read_pan import Tables, dataset_of_pairs
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile
from authbench.core.storage.raw_paths import expect_inside
from authbench.release.reading.plain_text import whole_text
from authbench.release.reading.rows import BadRow

FORM = "PAN problem folders"
TRUTH = "truth.txt"
_KNOWN, _UNKNOWN = "known*.txt", "unknown*.txt"
_ENCODINGS = ("utf-8", "cp1252")
_LINE = re.compile(r"\s*(\S+)\s+([YN])\s*")
_NOTE = "The known texts of a problem are joined, and count as one text."


def problem_folders(path: Path) -> dict[str, Path]:
    """Return the truths by split, from every folder below the path that also contains folders of problems."""
    found = {}
    for truth in sorted(path.rglob(TRUTH)):
        if any(True for _ in truth.parent.glob(f"*/{_UNKNOWN}")):
            place = truth.parent.relative_to(path)
            found["/".join(place.parts) or path.resolve().name] = truth
    return found


def read_pan_folders(path: Path, truths: dict[str, Path]) -> Dataset:
    """Read the problems of every truth.

    Raises:
        InputError: a line of a truth is malformed, or a problem lacks its folder or texts of either kind.
    """
    tables: Tables = {}
    for split, truth in truths.items():
        rows = [(ident, *_texts(truth.parent / ident), same) for ident, same, _ in _lines(truth)]
        lacking = {file.parent.name for file in truth.parent.glob(f"*/{_UNKNOWN}")} - {row[0] for row in rows}
        if lacking:
            raise InputError(f"{truth}: has no line for {len(lacking)} of the problems, such as {min(lacking)!a:.60}.")
        nothing = dict.fromkeys(("topic1", "topic2", "lang", "author1", "author2"), pl.lit(None, pl.String))
        frame = pl.DataFrame(rows, ["id", "text1", "text2", "same"], orient="row").with_columns(**nothing)
        tables[split] = (frame.drop("same", "author1", "author2"), frame.select("id", "same", "author1", "author2"))
    places = {f"{split}/truth": [truth] for split, truth in truths.items()}
    return dataset_of_pairs(path, FORM, tables, places, [_NOTE])


def write_without(truth: Path, target: Path, gone: Collection[str]) -> None:
    """Write a truth without some problems, and the unchanged folders of the others.

    Raises:
        InputError: a text of theirs is a link out of the dataset.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = [(ident, line) for ident, _, line in _lines(truth) if ident not in gone]
    target.write_text("".join(f"{line}\n" for _, line in kept), encoding="utf-8")
    for ident, _ in kept:
        for file in (truth.parent / ident).rglob("*"):
            expect_inside(file, truth.parent)
        shutil.copytree(truth.parent / ident, target.parent / ident)


def _lines(truth: Path) -> Iterator[tuple[str, bool, str]]:
    seen = set[str]()
    for number, line in enumerate(_text(truth).splitlines(), 1):
        if line.strip():
            if (found := _LINE.fullmatch(line)) is None or Path(found[1]).name in ("", "..") or "/" in found[1]:
                raise InputError(f"{truth}, line {number}: {line!r:.60} is no truth. Expected such as EN001 Y.")
            if found[1] in seen:
                raise InputError(f"{truth}, line {number}: {found[1]!a:.60} comes twice. Expected each problem once.")
            seen.add(found[1])
            yield found[1], found[2] == "Y", line.strip()


def _texts(folder: Path) -> tuple[str, str]:
    if not folder.is_dir():
        raise InputError(f"{folder}: {TRUTH} names this problem, and there is no such folder. Fetch the set anew.")
    known, asked = sorted(folder.glob(_KNOWN)), sorted(folder.glob(_UNKNOWN))
    if not known or len(asked) != 1:
        raise InputError(
            f"{folder}: holds {len(known)} files {_KNOWN} and {len(asked)} {_UNKNOWN}. Expected known texts and one "
            "unknown."
        )
    return "\n\n".join(map(_text, known)), _text(asked[0])


def _text(file: Path) -> str:
    """Return the text of a file in UTF-8, else in Windows-1252, as some texts of PAN are."""
    text = whole_text(RawFile(file, str(file), ""), _ENCODINGS)
    if isinstance(text, BadRow) or not text.strip():
        raise InputError(f"{file}: {text.reason if isinstance(text, BadRow) else 'holds no text'}. Fetch the set anew.")
    return text
