"""Read rows of CSV and TSV files.

Lines are parsed in batches of some thousands. Usually there are as many rows as lines, as in a columnar parser. A
record of several lines is checked separately, since an unmatched quotation mark may have swallowed rows
(authbench.release.reading.quotation). Every line belongs to the header, a record or a bad row, or is blank.
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec, module_from_spec
from itertools import groupby, takewhile
from typing import IO, Any

from authbench.config.registry.readers import CsvReader
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import CHUNK, RawFile
from authbench.release.reading.quotation import (
    NOVEL,
    SAMPLE,
    Layout,
    Row,
    TableLayout,
    Verdict,
    resumes_after_error,
    resumes_at,
)
from authbench.release.reading.rows import (
    BLOCK_ROWS,
    MOST_NAMES,
    UNMATCHED_QUOTE,
    BadRow,
    Block,
    Wanted,
    bounded_lines,
    check_header,
    counting,
)
from authbench.release.reading.units import Units

SAMPLE_LINES = 1000  # lines searched for sample rows
MOST_COLUMNS = 100_000
UNENDED = "unexpected end of data"  # the parser's message for a record left open at the end


@counting("lines")
def read(file: RawFile, options: CsvReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the rows, named by the header, or by `options.header` if the file has none.

    A row is bad if its number of cells differs from the header's, if it has a stray quotation mark or a NUL byte, or if
    it is too long. If a record swallowed rows, each of its lines before the first swallowed row is bad, and reading
    resumes there. Positions are lines of the file.
    """
    limit = file.max_record_bytes
    table: _Reading | None = None
    waiting: list[str | None] = []
    pieces = tried = 0
    with file.open_text(options.encoding) as text:
        for piece in bounded_lines(partial(_read_on, text), _cut, limit):
            units.found += len(piece)
            waiting += piece
            pieces += 1
            if pieces < 2 * tried and pieces * CHUNK < 2 * limit:
                continue  # an open record is retried with twice as many lines
            if table is None:
                table = _Reading(file, options, wanted, units, waiting)
            yield from table.rows(waiting, ended=False)
            waiting = waiting[table.taken :]
            pieces = tried = pieces if waiting else 0
    if table is None:
        table = _Reading(file, options, wanted, units, waiting)
    yield from table.rows(waiting, ended=True)


class _Reading:
    """The reading of a table in batches of lines.

    Attributes:
        taken: number of consumed lines of the last batch.
        line: the number in the file of the first unread line.
        doubtful: whether a record was broken off, so the next lines may belong to its text.
    """

    def __init__(
        self, file: RawFile, options: CsvReader, wanted: Wanted, units: Units, lines: Sequence[str | None]
    ) -> None:
        self.file, self.units, self.delimiter = file, units, options.delimiter
        self.module = parser_of(2 * file.max_record_bytes)  # a longer record is read to its end, up to here
        how = {"delimiter": options.delimiter, "quoting": csv.QUOTE_MINIMAL if options.quoting else csv.QUOTE_NONE}
        self.loose = partial(self.module.reader, **how)
        self.strict = partial(self.module.reader, strict=True, **how)
        self.taken, self.line, self.doubtful = 0, 1, False
        self.layout, self.learned_at = Layout([]), 0  # while rows are few, relearned at twice as many lines
        self.header, self.header_lines = options.header, 0
        if not options.header:
            self.header, self.header_lines = self._header(lines, wanted.columns)
        check_header(file.relative, self.header, wanted.needs)
        self.width = len(self.header)

    def rows(self, lines: list[str | None], ended: bool) -> Iterator[Block]:
        """Yield the rows of lines that start with a record or the header.

        If more lines follow, a record left open at the end is not consumed.
        """
        self.taken, self.header_lines = self.header_lines, 0
        self.units.header += self.taken
        self.line += self.taken
        for too_long, some in _runs(lines[self.taken :]):
            block: Block = []
            if too_long:
                for place in range(len(some)):
                    self._bad(block, place, 1, f"is longer than max_record_bytes ({self.file.max_record_bytes})")
                taken = len(some)
            else:
                taken = self._parse(some, ended or self.taken + len(some) < len(lines), block)
            self.line += taken
            self.taken += taken
            for start in range(0, len(block), BLOCK_ROWS):
                yield block[start : start + BLOCK_ROWS]

    def _parse(self, lines: list[str], ended: bool, block: Block) -> int:
        """Add the rows of lines, and return the number of consumed lines."""
        header, width = self.header, self.width
        has_nul = "\0" in "".join(lines)
        start = before = single = 0
        rows = self.strict(lines)
        while True:
            try:
                for cells in rows:
                    end = before + rows.line_num
                    if end == start + 1 and len(cells) == width and not (has_nul or self.doubtful):
                        block.append(dict(zip(header, cells, strict=True)))
                        single += 1
                        start = end
                        continue
                    start = self._judged(lines, start, end, cells, block, has_nul)
                    if start < end:
                        break
                else:
                    break
            except self.module.Error as error:
                if not ended and str(error) == UNENDED:
                    break
                end = before + rows.line_num
                reason = f"not CSV with {self.delimiter!r} between cells: {error}"
                start = self._broken(lines, start, end, reason, block)
            rest = iter(lines)
            rest.__setstate__(start)  # type: ignore[attr-defined]
            rows, before = self.strict(rest), start
        self.units.records += single
        self._measure(lines[:start])
        return start

    def _judged(self, lines: list[str], start: int, end: int, cells: Row, block: Block, has_nul: bool) -> int:
        """Add a record that is not a plain one-line row, and return where reading continues."""
        limit = self.file.max_record_bytes
        if not cells:
            self.units.blank += end - start
        elif len(cells) != self.width:
            wrong = f"has {len(cells)} cells, the header has {self.width}"
            if end > start + 1:
                return self._broken(lines, start, end, wrong, block)
            self._bad(block, start, 1, wrong)
        elif end > start + 1 and (swallowed := resumes_at(lines[start:end], self._table(lines, start, end))):
            self._unmatched(block, start, swallowed, end)
            return start + swallowed
        elif has_nul and any("\0" in cell for cell in cells):
            self._bad(block, start, end - start, "holds a NUL byte")
        elif end > start + 1 and sum(map(len, cells)) > limit:
            self._bad(block, start, end - start, f"is longer than max_record_bytes ({limit})")
        elif self.doubtful and self._is_other(lines, start, end, cells):
            reason = "looks like the rest of a text in which a quotation mark is not matched"
            self._bad(block, start, end - start, reason, UNMATCHED_QUOTE)
        else:
            self.doubtful = False
            block.append(dict(zip(self.header, cells, strict=True)))
            self.units.records += end - start
            size, longest = sum(map(len, cells)), self.units.longest
            if end - start > longest.lines or size > longest.characters:
                longest.meet(self._place(start), end - start, size)
        return end

    def _broken(self, lines: list[str], start: int, end: int, reason: str, block: Block) -> int:
        """Add the bad rows of lines that are not a record, and return where reading continues."""
        if end > start + 1 and (after := resumes_after_error(lines[start:end], self._table(lines, start, end))):
            self._unmatched(block, start, after, end)
            return start + after
        self._bad(block, start, end - start, reason)
        self.doubtful = True
        return end

    def _unmatched(self, block: Block, start: int, number: int, end: int) -> None:
        reason = f"a quotation mark is not matched: the text would run to line {self.line + end - 1}, over rows"
        for place in range(start, start + number):
            self._bad(block, place, 1, reason, UNMATCHED_QUOTE)

    def _bad(self, block: Block, place: int, number: int, reason: str, *kind: str) -> None:
        block.append(BadRow(f"line {self.line + place}", reason, *kind))
        self.units.bad += number

    def _place(self, place: int) -> str:
        return f"{self.file.relative} line {self.line + place}"

    def _measure(self, lines: list[str]) -> None:
        longest = max(map(len, lines), default=0)
        if longest > self.units.longest.characters:
            place = next(place for place, line in enumerate(lines) if len(line) == longest)
            self.units.longest.meet(self._place(place), 1, longest)

    def _table(self, lines: list[str], start: int, end: int) -> TableLayout:
        """Return the table's layout around the lines in question."""
        return TableLayout(
            self.width, self.delimiter, self._alone, lambda cells, but: self._verdict(lines, start, end, cells, but)
        )

    def _verdict(self, lines: list[str], start: int, end: int, cells: Row, but: int = -1) -> Verdict:
        """Return whether cells resemble the rows before the lines in question, or after them if there are few."""
        here = self.line + start
        if self.layout.size < SAMPLE and here >= 2 * self.learned_at:
            self.learned_at = here
            known = self._sample(lines[: min(start, SAMPLE_LINES)])
            if len(known) < NOVEL:
                known += self._sample(lines[end : end + SAMPLE_LINES])
            if len(known) > self.layout.size:
                self.layout = Layout(known[:SAMPLE])
        return self.layout.verdict(cells, but)

    def _is_other(self, lines: list[str], start: int, end: int, cells: Row) -> bool:
        """Return whether the rows' appearance is known and the cells differ from it."""
        return self._verdict(lines, start, end, cells) is Verdict.OTHER and self.layout.size >= NOVEL

    def _sample(self, lines: list[str]) -> list[Row]:
        """Return the first rows of lines whose first line begins a record."""
        rows, found = self.strict(lines), list[Row]()
        while len(found) < SAMPLE:
            try:
                cells = next(rows)
            except StopIteration:
                break
            except self.module.Error:
                continue
            if len(cells) == self.width:
                found.append(cells)
        return found

    def _alone(self, line: str) -> Row:
        """Return the cells of a single line, with an unclosed quotation mark allowed; none if it is not CSV."""
        try:
            return next(self.loose([line]), [])
        except self.module.Error:
            return []

    def _header(self, lines: Sequence[str | None], read: Collection[str] | None) -> tuple[tuple[str, ...], int]:
        """Return the column names, and the number of lines they take."""
        rows = self.strict(takewhile(lambda line: line is not None, lines))
        try:
            header = tuple(next(rows))
        except (StopIteration, self.module.Error) as error:
            reason = str(error) or ("the line is too long" if lines else "the file ends")
            raise InputError(f"{self.file.relative}: no header line could be read ({reason}).") from error
        if len(header) > MOST_COLUMNS:
            raise InputError(
                f"{self.file.relative}: the header names {len(header):,} columns. Expected at most {MOST_COLUMNS:,}; "
                "leave out columns that nobody reads."
            )
        first, *inner = map(str, lines[: rows.line_num])
        widths = [len(self._alone(line)) for line in (first.replace('"', ""), *inner)]
        if len(header) in widths[1:-1] or (inner and widths[0] == widths[-1] == len(header) > 1):
            raise InputError(
                f"{self.file.relative}: a quotation mark in the header is not matched: its text would run to line "
                f"{rows.line_num}. Correct the header, or say `quoting: false`."
            )
        repeated = [name for name, number in Counter(header).items() if number > 1 and (read is None or name in read)]
        if repeated:
            names = ", ".join(map(repr, sorted(repeated)[:MOST_NAMES]))
            raise InputError(f"{self.file.relative}: the header names {names} more than once.")
        return header, rows.line_num


@cache
def parser_of(field_chars: int) -> Any:
    """Return a private instance of the `_csv` module with this field size limit.

    `csv.field_size_limit` would change the limit of every reader in the process.
    """
    spec = find_spec("_csv")
    assert spec and spec.loader
    parser: Any = module_from_spec(spec)
    spec.loader.exec_module(parser)
    parser.field_size_limit(field_chars)
    return parser


def _runs(lines: list[str | None]) -> Iterator[tuple[bool, list[Any]]]:
    """Yield runs of lines that are too long (None) and of other lines, and which kind each is."""
    if None not in lines:
        yield False, lines
        return
    for too_long, run in groupby(lines, lambda line: line is None):
        yield too_long, list(run)


def _read_on(text: IO[str], size: int) -> str:
    """Return a piece of a stream, without splitting a two-character line end."""
    parts = [text.read(size)]
    while parts[-1].endswith("\r"):
        parts.append(text.read(1))
    return "".join(parts)


def _cut(piece: str) -> list[str]:
    """Return the lines of a piece; the last, which may be empty, continues in the next piece."""
    lines = list(io.StringIO(piece, newline=""))
    return lines if not lines[-1].endswith(("\n", "\r")) else [*lines, ""]
