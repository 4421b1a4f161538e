"""Render sheets: HTML pages on which a person judges entries by click, touch or key, and saves the verdicts.

All sheets share `templates/review.html.j2` and `templates/review.js`; another kind of sheet extends the template's
blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A verdict that a person may give.

    Attributes:
        key: keyboard key; not j, k, n, s, u.
        label: in the list of keys.
        verdict: a JSON object, the fields of the saved line.
        tone: `good` or `out`, how a judged entry is displayed.
        status: the text next to a judged entry.
        meaning: a longer explanation, or empty.
    """

    key: str
    label: str
    verdict: str
    tone: str
    status: str
    meaning: str = ""


@dataclass(frozen=True)
class Sheet:
    """The data of a sheet's script.

    Attributes:
        store: the browser's storage key for verdicts.
        ident: the field of a saved line that identifies the entry.
        file: the name of the saved file.
        choices: the verdicts.
    """

    store: str
    ident: str
    file: str
    choices: Sequence[Choice]
