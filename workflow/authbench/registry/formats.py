"""Define formats of texts in config entries beyond a schema's means: `format: path` and the like."""

import codecs
from datetime import date

import regex
from jsonschema import FormatChecker

LONGEST_PATH, LONGEST_NAME = 1_000, 255  # bytes; Linux takes 4,096 and 255
# Codecs of Python that are not file encodings: escapes, and host names.
NO_ENCODINGS = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}


def _is_path(value: object) -> bool:
    """Return whether a text can be a path, by its length and its parts' lengths; other values pass."""
    if not isinstance(value, str):
        return True
    parts = [len(part.encode()) for part in value.split("/")]
    return max(parts) <= LONGEST_NAME and sum(parts) + len(parts) <= LONGEST_PATH


def _is_date(value: object) -> bool:
    return not isinstance(value, str) or bool(date.fromisoformat(value))


def _is_pattern(value: object) -> bool:
    """Return whether a text is a pattern of `regex`; `{{field}}` in it represents the value of a field."""
    return not isinstance(value, str) or bool(regex.compile(regex.sub(r"\{\{[^{}]+\}\}", "x", value)))


def _is_encoding(value: object) -> bool:
    """Return whether a text names an encoding of files."""
    if not isinstance(value, str):
        return True
    found = codecs.lookup(value)
    return bool(found._is_text_encoding) and found.name.replace("_", "-") not in NO_ENCODINGS


FORMATS = FormatChecker(formats=())
for name, check, raised in (
    ("path", _is_path, ()),
    ("date", _is_date, ValueError),
    ("regex", _is_pattern, regex.error),
    ("encoding", _is_encoding, LookupError),
):
    FORMATS.checks(name, raised)(check)
