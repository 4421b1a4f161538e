"""Halves of characters, which broken files hold: halves of surrogate pairs of UTF-16, as JSON escapes them."""


def whole_characters(text: str) -> str:
    """Return the text with halves of surrogate pairs, which broken JSON holds, made U+FFFD or joined."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def has_half(text: str) -> bool:
    """Return whether the text holds half of a surrogate pair without the other half beside it.

    >>> has_half("a\\ud83d"), has_half("\\ud83d\\ude00")
    (True, False)
    """
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        try:
            text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            return True
    return False
