"""Repair half characters of broken files: UTF-16 surrogates without their other half, from JSON escapes."""


def whole_characters(text: str) -> str:
    """Return the text with surrogate halves from broken JSON joined, or replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def has_half(text: str) -> bool:
    """Return whether the text contains a surrogate without its other half.

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
