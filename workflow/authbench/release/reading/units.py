"""Account for a file's content in units of its format: lines, elements, rows, posts, parts."""

from dataclasses import dataclass, field

from authbench.core.funnel import Unaccounted
from authbench.core.json_values import JsonObject


@dataclass
class _Longest:
    """The longest records of a source: the most lines, and the most characters, each with its position."""

    lines: int = 0
    lines_at: str = ""
    characters: int = 0
    characters_at: str = ""

    def meet(self, at: str, lines: int, characters: int) -> None:
        """Count a record with this number of lines and characters."""
        if lines > self.lines:
            self.lines, self.lines_at = lines, at
        if characters > self.characters:
            self.characters, self.characters_at = characters, at


@dataclass
class Units:
    """The outcome of every unit of some files. Readers count `found` independently of the records they make.

    Attributes:
        unit: the unit of the format.
        found: units in the files.
        header: units in headers.
        records: units in records; a record of a CSV file may take several lines.
        bad: units in bad rows.
        blank: empty units.
        longest: the longest records, in line-based formats.
    """

    unit: str = ""
    found: int = 0
    header: int = 0
    records: int = 0
    bad: int = 0
    blank: int = 0
    longest: _Longest = field(default_factory=_Longest)

    def check(self, file: str) -> None:
        """Raise Unaccounted if a unit of the files up to this file has no outcome, or two."""
        if self.found != self.header + self.records + self.bad + self.blank:
            raise Unaccounted(
                f"{file}: {self.found} {self.unit}, of which header {self.header}, records {self.records}, "
                f"bad {self.bad}, blank {self.blank}"
            )

    def counts(self) -> JsonObject:
        """Return the counts as plain values."""
        kinds = ("unit", "found", "header", "records", "bad", "blank")
        counts: dict[str, object] = {kind: getattr(self, kind) for kind in kinds}
        if self.longest.lines:
            counts["longest_record"] = vars(self.longest).copy()
        return counts

    def sentence(self) -> str:
        """Return the counts as a log line."""
        parts = [f"{self.found} {self.unit}: {self.records} of records, {self.header} of headers"]
        parts.append(f"{self.bad} bad, {self.blank} blank")
        if self.longest.lines:
            longest = self.longest
            parts.append(f"the longest record has {longest.lines} lines ({longest.lines_at})")
            parts.append(f"or {longest.characters} characters ({longest.characters_at})")
        return ", ".join(parts)
