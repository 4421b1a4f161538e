"""Account for what a file holds in the units of its format: lines, elements, rows, posts, parts."""

from dataclasses import dataclass, field
from typing import Any

from authbench.funnel import Unaccounted


@dataclass
class _Longest:
    """The longest records of a source: the most lines, and the most characters, with the place of each."""

    lines: int = 0
    lines_at: str = ""
    characters: int = 0
    characters_at: str = ""

    def meet(self, at: str, lines: int, characters: int) -> None:
        """Count a record of so many lines and characters."""
        if lines > self.lines:
            self.lines, self.lines_at = lines, at
        if characters > self.characters:
            self.characters, self.characters_at = characters, at


@dataclass
class Units:
    """What became of every unit of some files. Readers count `found` apart from the records that they make.

    Attributes:
        unit: the unit of the format.
        found: units in the files.
        header: units that are a header.
        records: units that records are made of; a record of a CSV file may take several lines.
        bad: units of bad rows.
        blank: units that hold nothing.
        longest: the longest records, in formats of lines.
    """

    unit: str = ""
    found: int = 0
    header: int = 0
    records: int = 0
    bad: int = 0
    blank: int = 0
    longest: _Longest = field(default_factory=_Longest)

    def check(self, file: str) -> None:
        """Raise Unaccounted if a unit of the files up to this one became nothing, or two things."""
        if self.found != self.header + self.records + self.bad + self.blank:
            raise Unaccounted(
                f"{file}: {self.found} {self.unit}, of which header {self.header}, records {self.records}, "
                f"bad {self.bad}, blank {self.blank}"
            )

    def counts(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        kinds = ("unit", "found", "header", "records", "bad", "blank")
        counts: dict[str, Any] = {kind: getattr(self, kind) for kind in kinds}
        if self.longest.lines:
            counts["longest_record"] = vars(self.longest).copy()
        return counts

    def sentence(self) -> str:
        """Return the counts as a line of the log."""
        parts = [f"{self.found} {self.unit}: {self.records} of records, {self.header} of headers"]
        parts.append(f"{self.bad} bad, {self.blank} blank")
        if self.longest.lines:
            longest = self.longest
            parts.append(f"the longest record has {longest.lines} lines ({longest.lines_at})")
            parts.append(f"or {longest.characters} characters ({longest.characters_at})")
        return ", ".join(parts)
