"""Find personal data in texts of a release that claims to mask them.

Only plain forms are searched. The masks replace each of them in any position, so a finding is never a form that may be
something else. Time is linear in the length of a text: polars' engine, which has no backtracking, finds signs, and a
bounded number of characters around each is read.
"""

import re
from collections.abc import Callable, Collection, Iterator

import polars as pl

_START = r"(?:^|[\s(])"
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_MOST_LOCAL, _MOST_HOST, _MOST_LABEL = 64, 120, 63
_AT = re.compile("[A-Za-z0-9]@(?=[A-Za-z0-9])")
_HOST = re.compile(rf"[A-Za-z0-9.-]{{1,{_MOST_HOST}}}")
_LINK = re.compile(r"(?<![^\s(])(?:https?://|www\.)[a-z0-9]{1,40}")
_HANDLE = re.compile(r"(?<![^\s(])@[A-Za-z][A-Za-z0-9_]{2,29}(?=[,;!?)\n]|\Z| [^{])")
_PHONE = re.compile(
    r"(?<![^\s(])(?:\+[1-9][0-9]{0,2}(?: [0-9]{2,4}){3}|[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4})(?=[;!?\n]|\Z| [a-z])"
)


def find_personal_data(contents: pl.Series, kinds: Collection[str]) -> list[tuple[int, str]]:
    """Return the row of each text with personal data of these kinds, the kind, and the beginning of the data."""
    found = []
    for kind, (sign, find) in _FINDERS.items():
        if kind in kinds:
            places = contents.str.contains(sign).arg_true()
            for place, text in zip(places, contents.gather(places), strict=True):
                if data := next(find(text), None):
                    found.append((place, f"{kind} {data[:3]}..."))
    return found


def _addresses(text: str) -> Iterator[str]:
    """Yield e-mail addresses: up to 64 characters before the sign, two to five labels after it, the last of letters."""
    for sign in _AT.finditer(text):
        at = start = sign.end() - 1
        while start and text[start - 1] in _LOCAL and at - start <= _MOST_LOCAL:
            start -= 1
        local, host = text[start:at], _HOST.match(text, at + 1)
        labels = host[0].rstrip(".-").split(".") if host else []
        if (
            len(local) <= _MOST_LOCAL
            and local[0].isalnum()
            and 2 <= len(labels) <= 5
            and all(0 < len(label) <= _MOST_LABEL and label[0] != "-" for label in labels)
            and labels[-1].isalpha()
            and 2 <= len(labels[-1]) <= 24
        ):
            yield f"{local}@{host[0] if host else ''}"


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    return lambda text: (match[0] for match in pattern.finditer(text))


_FINDERS: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "email": (_AT.pattern.replace("(?=", "(?:"), _addresses),
    "url": (rf"{_START}(?:https?://|www\.)[a-z0-9]", _matches(_LINK)),
    "phone": (rf"{_START}(?:\+[1-9][0-9]{{0,2}} [0-9]|[2-9][0-9]{{2}}-[2-9])", _matches(_PHONE)),
    "handle": (rf"{_START}@[A-Za-z]", _matches(_HANDLE)),
}
