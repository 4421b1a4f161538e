"""Characters that broken files hold by halves."""


def whole_characters(text: str) -> str:
    """Return the text with halves of surrogate pairs, which broken JSON holds, made U+FFFD or joined."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
