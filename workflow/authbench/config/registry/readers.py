"""Define the section `reader` of an entry: a file format and its options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from authbench.config.registry.expressions import expression_schema
from authbench.config.registry.typed_schema import from_plain, if_is, schema_of, schema_of_fields
from authbench.config.settings.values import Keywords, Pattern, Text, Texts
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject

_Codec = Annotated[
    str,
    Keywords(minLength=1, format="encoding", expected="an encoding of files such as utf-8, cp1252 or gb18030"),
]
# Never guessed. Of several, the first that decodes a file without error is used; all but the last must be able to fail.
Encoding = _Codec | Annotated[tuple[_Codec, ...], Keywords(minItems=2)]


@dataclass(frozen=True)
class Options:
    """Hold the options of a file format."""


Reader = Annotated[Options, Keywords({"$ref": "#/$defs/reader"})]


@dataclass(frozen=True)
class CsvReader(Options):
    """Read cells between delimiters; `header` names the columns of files without a header."""

    encoding: Encoding = "utf-8"
    delimiter: Annotated[str, Keywords(minLength=1, maxLength=1)] = ","
    quoting: bool = True
    header: Annotated[tuple[str, ...], Keywords(minItems=1)] = ()


@dataclass(frozen=True)
class Group:
    """Merge records with the same value of `by`: their `text` values are joined with `join`."""

    by: Text
    text: Text
    join: str


@dataclass(frozen=True)
class JsonReader(Options):
    """Read an array of records, an object of records or one record; `expand` names a field that holds records."""

    encoding: Encoding = "utf-8"
    records: Literal["array", "object", "file"] = "array"
    expand: Text | None = None
    group: Group | None = None


@dataclass(frozen=True)
class JsonLinesReader(Options):
    """Read a JSON object from each line."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class ParquetReader(Options):
    """Read the rows of a Parquet file."""


@dataclass(frozen=True)
class TeiReader(Options):
    """Read one record: fields of the header by their paths, the running text of some parts without some elements."""

    header: Mapping[str, Text] = field(default_factory=dict)
    text: Texts = ("body",)
    leave_out: tuple[Text, ...] = ()


@dataclass(frozen=True)
class XmlReader(Options):
    """Read each element called `record`: text at the paths `text`, fields by paths below it or the root.

    A path may end with `@name` for an attribute; `.@name` is an attribute of the element itself.
    """

    record: Text
    text: Texts
    leave_out: tuple[Text, ...] = ()
    of_record: Mapping[str, Text] = field(default_factory=dict)
    of_file: Mapping[str, Text] = field(default_factory=dict)


@dataclass(frozen=True)
class TextReader(Options):
    """Read plain text: a header up to a pattern with fields by patterns, and records separated by `split`."""

    encoding: Encoding = "utf-8"
    header_ends: Pattern | None = None
    header: Mapping[str, Pattern] = field(default_factory=dict)
    split: Pattern | None = None


@dataclass(frozen=True)
class BlogXmlReader(Options):
    """Read a file of the Blog Authorship Corpus."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class XmlRowsReader(Options):
    """Read a line `<row ... />` per record, whose attributes are the fields."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class GutenbergReader(Options):
    """Read a plain text of Project Gutenberg, with its header and footer."""

    encoding: Encoding = "utf-8"


@dataclass(frozen=True)
class MboxReader(Options):
    """Read the messages of an mbox file."""


App = Literal["telegram", "whatsapp", "discord"]


@dataclass(frozen=True)
class ChatReader(Options):
    """Read the messages of chats that an app has exported."""

    app: App


@dataclass(frozen=True)
class SheetReader(Options):
    """Read the rows of a workbook: of each sheet, below its first row, which names the columns."""


@dataclass(frozen=True)
class PluginReader(Options):
    """Read the records that the reader `name` of an installed package yields; it takes the `options`."""

    name: Text
    options: Mapping[str, object] = field(default_factory=dict)


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
    "mbox": MboxReader,
    "chat": ChatReader,
    "sheet": SheetReader,
    "plugin": PluginReader,
}


def entry_schema(*kinds: type) -> JsonObject:
    """Return the schema of an entry that reads files, whose keys are the fields of dataclasses."""
    reader = {
        "type": "object",
        "required": ["format"],
        "properties": {"format": {"enum": list(FORMATS)}},
        "allOf": [if_is("format", name, _options_of(kind)) for name, kind in FORMATS.items()],
    }
    return schema_of_fields(*kinds) | {"$defs": {"reader": reader, "expression": expression_schema()}}


def _options_of(kind: type[Reader]) -> JsonObject:
    schema = schema_of(kind)
    return {**schema, "properties": {"format": {}, **schema["properties"]}}


def make_reader(section: Mapping[str, object]) -> Reader:
    """Return the typed options of the section's `format`. Raises InputError for an unknown format."""
    name = section["format"]
    if name not in FORMATS:
        raise InputError(f"reader.format: '{name}' is not known; known are {', '.join(FORMATS)}")
    return from_plain(FORMATS[name], section)


def plugins_of(*sections: Mapping[str, object]) -> list[str]:
    """Return the names of the plug-ins that read files, by the sections `reader` of entries."""
    return sorted({str(section["name"]) for section in sections if FORMATS.get(str(section["format"])) is PluginReader})
