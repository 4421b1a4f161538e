"""What is planted in the demo, and what must become of it?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .chance import Chance
from .language import grams, similarity


@dataclass(frozen=True)
class Case:
    """A planted document or row.

    `becomes`: `kept`, `removed` or `bad_row`; of a removed one `stage` and `reason`. `find` holds the raw fields that
    find it (texts by their beginning; a list: any of these), `rows` how many rows that are, `goes` how many of them go
    where one of two copies stays.
    """

    name: str
    source: str
    becomes: str
    find: dict[str, Any]
    stage: str | None = None
    reason: str | None = None
    note: str | None = None
    rows: int = 1
    goes: int | None = None

    def as_dict(self) -> dict[str, Any]:
        values = {
            "case": self.name,
            "source": self.source,
            "find": self.find,
            "becomes": self.becomes,
            "rows": self.rows,
            "goes": self.goes,
            "stage": self.stage,
            "reason": self.reason,
            "note": self.note,
        }
        return {name: value for name, value in values.items() if value is not None}


@dataclass
class Ledger:
    """All cases, in the order in which they are planted."""

    cases: list[Case] = field(default_factory=list)

    def note(
        self,
        name: str,
        source: str,
        becomes: str,
        find: dict[str, Any],
        stage: str | None = None,
        reason: str | None = None,
        note: str | None = None,
        rows: int = 1,
        goes: int | None = None,
    ) -> None:
        self.cases.append(Case(name, source, becomes, find, stage, reason, note, rows, goes))


def weaken(text: str, low: float, high: float, other: Sequence[str]) -> str:
    """The text with words from its end replaced until its similarity (5-grams, multiset Jaccard) is in [low, high]."""
    words, mine = text.split(" "), grams(text)
    chance = Chance("weaken", text[:40])
    for attempt in range(40):
        changed = list(words)
        places = sorted(range(len(words)), key=lambda at: Chance("place", text[:40], str(attempt), str(at)).share())
        for at in places:
            changed[at] = chance.of(other)
            j = similarity_of(mine, " ".join(changed))
            if low <= j <= high:
                return " ".join(changed)
            if j < low:
                break
    raise ValueError(f"no version of {text[:40]!r} is between {low} and {high}")


def similarity_of(mine: Counter[str], text: str) -> float:
    return similarity(mine, grams(text))
