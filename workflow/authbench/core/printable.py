"""Escape foreign strings before they are printed to a terminal, a log or a page of Markdown."""


def printable(text: str, keep: str = "") -> str:
    r"""Return the text with invisible characters, and characters that a terminal interprets, as Python escapes.

    Escaped are control characters (including escape sequences and line breaks), format characters such as direction
    marks or zero-width characters, lone surrogates, and white space other than the plain space.

    Args:
        text: any string: an id, a name, a path.
        keep: characters that are not escaped, e.g. the line breaks of a message.

    >>> printable("doc\x1b]0;owned\x07\u202e")
    'doc\\x1b]0;owned\\x07\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign in keep else sign.encode("unicode_escape").decode() for sign in text
    )


def cut_short(text: str, most: int = 60) -> str:
    """Return the text as `printable`, with an ellipsis in place of what exceeds `most` characters."""
    plain = printable(text[: most + 1])
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def shown(value: object) -> str:
    """Return numbers, lists of numbers and a word unchanged, and only the type of other values, which may be text."""
    if isinstance(value, str):
        return f"{value!a:.40}" if len(value) < 20 else "a text"
    parts = value if isinstance(value, list) else [value]
    if all(one is None or isinstance(one, int | float) for one in parts):
        return f"{value!a:.40}"
    return f"a list of {len(parts)}" if isinstance(value, list) else "an object"


def inert_markdown(words: str) -> str:
    """Return a text that neither ends a cell or a line of Markdown nor begins an HTML element."""
    return " ".join(words.replace("|", "\\|").replace("<", "&lt;").splitlines())
