"""The section `reader` of an entry: a file format and its options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from authbench.errors import InputError
from authbench.registry.entries import read_yaml
from authbench.registry.plain import from_plain
from authbench.registry.typed_schema import schema_of
from authbench.settings.values import Keywords, Text

_Codec = Annotated[
    str,
    Keywords(minLength=1, format="encoding", expected="an encoding of files such as utf-8, cp1252 or gb18030"),
]
# Never guessed. Of several the first that decodes a file without error: all but the last must be able to fail.
Encoding = _Codec | Annotated[tuple[_Codec, ...], Keywords(minItems=2)]
_Pattern = Annotated[str, Keywords(minLength=1, format="regex", expected="a regular expression")]
_Texts = Annotated[tuple[Text, ...], Keywords(minItems=1)]


@dataclass(frozen=True)
class CsvReader:
    """Cells between delimiters; `header` names the columns of files that do not."""

    encoding: Encoding = "utf-8"
    delimiter: Annotated[str, Keywords(minLength=1, maxLength=1)] = ","
    quoting: bool = True
    header: Annotated[tuple[str, ...], Keywords(minItems=1)] = ()


@dataclass(frozen=True)
class Group:
    """Records with the same value of `by` become one: their `text` values joined with `join`."""

    by: Text
    text: Text
    join: str


@dataclass(frozen=True)
class JsonReader:
    """An array of records, an object of records or one record; `expand` names a field that holds records."""

    encoding: Encoding = "utf-8"
    records: Literal["array", "object", "file"] = "array"
    expand: Text | None = None
    group: Group | None = None


@dataclass(frozen=True)
class JsonLinesReader:
    """A JSON object on each line."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class ParquetReader:
    """The rows of a Parquet file."""


@dataclass(frozen=True)
class TeiReader:
    """One record: fields of the header by their paths, the running text of some parts without some elements."""

    header: Mapping[str, Text] = field(default_factory=dict)
    text: _Texts = ("body",)
    leave_out: tuple[Text, ...] = ()


@dataclass(frozen=True)
class XmlReader:
    """Each element called `record`: the text of the elements at the paths `text`, fields by paths below it or the root.

    A path may end with `@name` for an attribute; `.@name` is one of the element itself.
    """

    record: Text
    text: _Texts
    leave_out: tuple[Text, ...] = ()
    of_record: Mapping[str, Text] = field(default_factory=dict)
    of_file: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True)
class TextReader:
    """Plain text: a header up to a pattern with fields by patterns, and records that `split` sets apart."""

    encoding: Encoding = "utf-8"
    header_ends: _Pattern | None = None
    header: Mapping[str, _Pattern] = field(default_factory=dict)
    split: _Pattern | None = None


@dataclass(frozen=True)
class BlogXmlReader:
    """A file of the Blog Authorship Corpus."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class XmlRowsReader:
    """A line `<row ... />` for each record, whose attributes are the fields."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class GutenbergReader:
    """A plain text of Project Gutenberg, with its header and footer."""

    encoding: Encoding = "utf-8"


Reader = (
    CsvReader
    | JsonReader
    | JsonLinesReader
    | ParquetReader
    | TeiReader
    | XmlReader
    | TextReader
    | BlogXmlReader
    | XmlRowsReader
    | GutenbergReader
)
FORMATS: dict[str, type[Reader]] = {
    "csv": CsvReader,
    "json": JsonReader,
    "jsonl": JsonLinesReader,
    "parquet": ParquetReader,
    "tei": TeiReader,
    "xml": XmlReader,
    "text": TextReader,
    "blog_xml": BlogXmlReader,
    "xml_rows": XmlRowsReader,
    "gutenberg": GutenbergReader,
}


def with_readers(schema: Path) -> dict[str, Any]:
    """Return the schema of an entry that reads files, in which `$defs/reader` follows from the readers' types."""
    found = read_yaml(schema)
    found["$defs"]["reader"] = {
        "type": "object",
        "required": ["format"],
        "properties": {"format": {"enum": list(FORMATS)}},
        "allOf": [
            {"if": {"properties": {"format": {"const": name}}}, "then": _options_of(kind)}
            for name, kind in FORMATS.items()
        ],
    }
    return found


def _options_of(kind: type[Reader]) -> dict[str, Any]:
    schema = schema_of(kind)
    return {**schema, "properties": {"format": {}, **schema["properties"]}}


def make_reader(section: Mapping[str, object]) -> Reader:
    """Return the typed options of the section's `format`. Raises InputError for a format that is not known."""
    name = section["format"]
    if name not in FORMATS:
        raise InputError(f"reader.format: '{name}' is not known; known are {', '.join(FORMATS)}")
    return from_plain(FORMATS[name], section)
