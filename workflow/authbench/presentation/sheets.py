"""Sheets: HTML pages on which a person judges entry by entry, by click, touch or key, and saves the verdicts.

`templates/review.html.j2` and `templates/review.js` are what all sheets share; another kind of sheet extends the
template by its blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A verdict that a person may give.

    Attributes:
        key: to press; none of j, k, n, s, u.
        label: in the list of keys.
        verdict: a JSON object, the fields of the saved line.
        tone: `good` or `out`, how the entry is then shown.
        status: the words beside an entry so judged.
        meaning: a longer explanation; empty: none.
    """

    key: str
    label: str
    verdict: str
    tone: str
    status: str
    meaning: str = ""


@dataclass(frozen=True)
class Sheet:
    """What the script of a sheet knows.

    Attributes:
        store: the name under which the browser keeps verdicts.
        ident: the field of a saved line that names the entry.
        file: the name of the saved file.
        choices: the verdicts.
    """

    store: str
    ident: str
    file: str
    choices: Sequence[Choice]
