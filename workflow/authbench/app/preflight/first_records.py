"""Read and map the first records of a source, and count their outcomes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from authbench.build.ingest.beside import TablesBeside, is_beside
from authbench.build.ingest.blocks import FILE_IS_TEXT, read_file
from authbench.build.ingest.documents import Documents
from authbench.build.ingest.fields import compile_expression
from authbench.build.ingest.losses import Loss, may_show, unchanged
from authbench.build.ingest.mapping import Mapped, Naming, compile_source
from authbench.build.ingest.tally import Tally
from authbench.config.registry.expressions import FILE_FIELDS, read_by
from authbench.config.registry.readers import ChatReader
from authbench.config.registry.source_entry import Extraction
from authbench.config.registry.values import shown
from authbench.config.settings.ingest import Ingest
from authbench.core.errors import InputError
from authbench.core.letters import Least, has_letters
from authbench.core.storage.raw_files import EnoughRead, RawFile
from authbench.release.reading.rows import UNREADABLE, BadRow, Row, missing, refuse_missing
from authbench.release.reading.units import Units

MOST_RECORDS = 1_000
MOST_BYTES = 4 << 20
MORE_FILES, MORE_RECORDS = 20, 20  # of a larger source: further files, and the records read from each
SHOWN = 3


@dataclass
class Author:
    """An author's texts in a language, among a source's first records.

    Attributes:
        texts: number of texts.
        works: number of distinct works.
        asking: number of texts with enough letters for a query.
        documents: maximum number of documents from these texts, without texts that are too short.
    """

    texts: int = 0
    works: int = 0
    asking: int = 0
    documents: int = 0


@dataclass
class FirstRecords:
    """The first records of a source.

    Attributes:
        whole: whether they are all records of the source.
        records: number of records read.
        kept: number of usable texts.
        dropped: number of other records by reason.
        examples: by reason for dropping, a few values of the corpus or places of records.
        losses: lost values by optional field of ours.
        authors: by language and pseudonym; empty unless all records were read.
        problem: why the source is unreadable; empty if it is readable.
    """

    whole: bool = False
    records: int = 0
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    losses: dict[str, Loss] = field(default_factory=dict)
    authors: dict[tuple[str, str], Author] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Asked:
    """The settings that determine the outcomes of a source's records.

    Attributes:
        pieces: returns the maximum number of documents for each text, 0 for a text that is too short.
        letters: minimum letters of a query text.
    """

    settings: Ingest
    naming: Naming
    letters: Least
    pieces: Callable[[Sequence[str]], Sequence[int]]


def read_first(tag: str, extraction: Extraction, folder: Path, files: Mapping[str, str], asked: Asked) -> FirstRecords:
    """Return the outcomes of a source's first records: at most 1,000 and 4 MiB, and some from further files.

    Args:
        files: SHA-256 by path below `folder`; not verified here.
    """
    found, tally = FirstRecords(), Tally(tag)
    try:
        mapped = compile_source(tag, extraction, asked.settings, asked.naming)
        rows, found.whole = _first_rows(tag, extraction, folder, files, mapped, asked.settings["max_record_bytes"])
        tally.rows = found.records = len(rows)
        read = read_by(extraction.fields.author, extraction.derive)
        named = extraction.path_fields or read & FILE_FIELDS or isinstance(extraction.reader, ChatReader)
        for path, row in rows:
            if isinstance(row, BadRow):
                tally.drop(row.kind, f"{'a file,' if named else path} {row.position}: {row.reason}")
        good = [row for _, row in rows if not isinstance(row, BadRow)]
        _map(tag, extraction, mapped, good, asked, found, tally)
        if tally.examples:
            found.examples[next(reason for reason in UNREADABLE if tally.dropped[reason])] = tally.examples
        if found.whole:
            tally.stop_if_bad(asked.settings["max_bad_rows"])
        elif good and not found.kept:
            wanted = mapped.needs
            for row in good:
                wanted = missing(wanted, row)
            refuse_missing(rows[0][0], wanted, dict.fromkeys(name for row in good for name in row))
    except InputError as problem:
        found.problem = str(problem)
    found.dropped = dict(sorted(tally.dropped.items()))
    return found


def _map(
    tag: str, extraction: Extraction, mapped: Mapped, rows: list[Row], asked: Asked, found: FirstRecords, tally: Tally
) -> None:
    """Make documents from rows, and count them and the reasons for other rows."""
    where = f"config/sources/{tag}.yaml"
    made = mapped.documents(rows)
    for one in made.refused:
        tally.drop(one.reason, "")
    found.kept = len(made.places)
    _add_values(where, extraction, rows, made, found)
    frame = pl.DataFrame(pl.from_arrow(made.records))
    found.losses = mapped.losses(rows, made.places, made.records)
    if not found.whole:
        return
    works: dict[tuple[str, str], set[str]] = {}
    asks = frame.select(has_letters("content", asked.letters)).to_series()
    pieces = asked.pieces(frame["content"].to_list())
    for lang, author, origin, work, letters, number in zip(
        frame["lang"], frame["author_id"], frame["origin_id"], frame["work"], asks, pieces, strict=True
    ):
        here = found.authors.setdefault((lang, author), Author())
        here.texts += 1
        here.documents += number
        here.asking += letters and not work and number > 0
        works.setdefault((lang, author), set()).add(origin)
        here.works = len(works[lang, author])


def _add_values(where: str, extraction: Extraction, rows: list[Row], made: Documents, found: FirstRecords) -> None:
    """Add the values of languages and genres for which texts are dropped."""
    for name, reason in (("lang", "other_language"), ("genre", "missing_field")):
        expression = getattr(extraction.fields, name)
        refused = [rows[one.place] for one in made.refused if one.reason == reason]
        if not refused or not may_show(expression, extraction):
            continue
        ours = compile_expression(expression, where)(refused)
        theirs = compile_expression(unchanged(expression, extraction.derive), where)(refused)
        values = Counter(shown(one or other) for one, other in zip(ours, theirs, strict=True) if one or other)
        found.examples[reason] = [value for value, _ in values.most_common(SHOWN)]


def _first_rows(
    tag: str, extraction: Extraction, folder: Path, files: Mapping[str, str], mapped: Mapped, limit: int
) -> tuple[list[tuple[str, Row | BadRow]], bool]:
    """Return the first rows of a source with their files' paths, and whether they are all rows."""
    tables = TablesBeside(extraction.beside, extraction.reader, folder, files, limit)
    names = [relative for relative in sorted(files) if not is_beside(relative, extraction.beside)]
    beside = set(files) - set(names)
    if sum((folder / name).stat().st_size for name in beside) > MOST_BYTES:
        return [], False
    if not names and files:
        raise InputError(f"{tag}: none of {', '.join(files)} holds records; fetch those that `files` names, too.")

    def rows_of(relative: str) -> Iterator[tuple[str, Row | BadRow]]:
        file = RawFile(folder / relative, relative, files[relative], max_record_bytes=limit, at_most=MOST_BYTES)
        for part in read_file(tag, file, 0, extraction, mapped, Units(), len(names) == 1):
            tables.add_fields(relative, part.rows)
            yield from ((part.path, row) for row in part.rows)

    found: list[tuple[str, Row | BadRow]] = []
    size = 0
    waiting = iter(names)
    for relative in waiting:
        try:
            for path, row in rows_of(relative):
                if len(found) >= MOST_RECORDS or size > MOST_BYTES:
                    raise EnoughRead
                found.append((path, row))
                size += 0 if isinstance(row, BadRow) else sum(len(one) for one in row.values() if isinstance(one, str))
        except EnoughRead:
            break
    else:
        return found, True
    rest = [] if isinstance(extraction.reader, FILE_IS_TEXT) else list(waiting)
    for relative in rest[:: max(1, -(-len(rest) // MORE_FILES))]:
        with suppress(EnoughRead):
            found += islice(rows_of(relative), MORE_RECORDS)
    return found, False
