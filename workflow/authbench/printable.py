"""Escape strings of others before they are printed to a terminal, a log or a page of Markdown."""

from typing import Any


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with what a terminal would act on, or a reader not see, as Python escapes.

    Escaped are control characters (so escape sequences and line breaks), format characters such as those that turn the
    direction of writing or have no width, lone surrogates, and white space but the plain space.

    Args:
        text: any string: an id, a name, a path.
        keep: characters that stay as they are, e.g. the line breaks of a message.

    >>> printable("doc\x1b]0;owned\x07\u202e")
    'doc\\x1b]0;owned\\x07\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in keep else sign.encode("unicode_escape").decode() for sign in text
    )


def shown(value: Any) -> str:
    """Return numbers and words as they are, and of what may be a text only what it is."""
    parts = value if isinstance(value, list) else [value]
    if all(one is None or isinstance(one, int | float) or (isinstance(one, str) and len(one) < 20) for one in parts):
        return f"{value!a:.40}"
    return f"a list of {len(parts)}" if isinstance(value, list) else "a text" if isinstance(value, str) else "an object"


def inert_markdown(words: str) -> str:
    """Return a text that neither ends a cell or a line of Markdown nor begins an element of HTML."""
    return " ".join(words.replace("|", "\\|").replace("<", "&lt;").splitlines())
