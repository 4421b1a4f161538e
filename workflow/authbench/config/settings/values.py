"""Type values that several settings share, with the JSON Schema keywords that bound them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args, get_type_hints


class Keywords(dict[str, object]):
    """Hold the JSON Schema keywords that `Annotated` adds to a type to bound its values."""

    def __hash__(self) -> int:  # type: ignore[override]  # members of a union are compared by it
        return hash(repr(self))


def choices(kind: type, name: str) -> tuple[str, ...]:
    """Return the words allowed for a setting."""
    return get_args(get_type_hints(kind)[name])


Count = Annotated[int, Keywords(minimum=1, maximum=2**31 - 1)]
Characters = Annotated[int, Keywords(minimum=1, maximum=1000)]
Share = Annotated[float, Keywords(minimum=0, maximum=1)]
Between = Annotated[float, Keywords(exclusiveMinimum=0, exclusiveMaximum=1)]
Threshold = Annotated[float, Keywords(minimum=0)]
PerCent = Annotated[float, Keywords(minimum=0, maximum=100)]
Percentages = Annotated[Mapping[str, PerCent], Keywords(minProperties=1)]

Backend = Literal["kernels", "packages"]
Language = Annotated[str, Keywords(pattern="^([a-z]{2,3}|other|default)$")]
DEFAULT = Keywords(required=["default"])  # of a table by language or task: all others

Path = Annotated[
    str,
    Keywords(minLength=1, format="path", expected="a path of at most 1,000 bytes, of which no name has more than 255"),
]
Files = Annotated[
    Sequence[Annotated[str, Keywords(minLength=1, format="path")]],
    Keywords(uniqueItems=True, expected="a list of paths of files, each once"),
]
Entry = Annotated[str, Keywords(minLength=1, format="path", expected="the name of an entry or the path of its file")]
Entries = Annotated[list[Entry], Keywords(minItems=1, uniqueItems=True)]
Text = Annotated[str, Keywords(minLength=1)]
Texts = Annotated[tuple[Text, ...], Keywords(minItems=1)]
Pattern = Annotated[str, Keywords(minLength=1, format="regex", expected="a regular expression")]
Sha256 = Annotated[str, Keywords(pattern="^[0-9a-f]{64}$(?!\\n)", expected="64 hexadecimal digits")]
SplitName = Annotated[
    str,
    Keywords(
        pattern="^[a-z][a-z0-9_]*$(?!\\n)",
        maxLength=40,
        expected="a split's name of at most 40 small letters (a-z), digits and underscores that begins with a letter",
    ),
]
PlugInName = Annotated[
    str,
    Keywords(
        pattern="^[a-z][a-z0-9_-]*$(?!\\n)",
        maxLength=100,
        expected="a name of at most 100 small letters (a-z), digits, hyphens and underscores",
    ),
]
_Field = Annotated[
    str, Keywords(pattern="^[a-z][a-z0-9_]*$", expected="a field such as topic, date, item, origin, or a label")
]
Task = Annotated[
    str,
    Keywords(
        pattern="^[a-z][a-z_]*$(?!\\n)",
        maxLength=100,
        expected="a word of small letters (a-z) and underscores",
    ),
]
FieldsByTask = Mapping[Task, Annotated[Sequence[_Field], Keywords(uniqueItems=True)]]
