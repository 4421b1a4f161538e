"""The section `reader` of an entry: a file format and its options."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from authbench.errors import InputError
from authbench.registry.plain import from_plain

Encoding = str | tuple[str, ...]


@dataclass(frozen=True)
class CsvReader:
    """Cells between delimiters; `header` names the columns of files that do not."""

    encoding: Encoding = "utf-8"
    delimiter: str = ","
    quoting: bool = True
    header: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Records with the same value of `by` become one: their `text` values joined with `join`."""

    by: str
    text: str
    join: str


@dataclass(frozen=True)
class JsonReader:
    """An array of records, an object of records or one record; `expand` names a field that holds records."""

    encoding: Encoding = "utf-8"
    records: str = "array"
    expand: str | None = None
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

    header: Mapping[str, str] = field(default_factory=dict)
    text: tuple[str, ...] = ("body",)
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class XmlReader:
    """Each element called `record`: the text of the elements at the paths `text`, fields by paths below it or the root.

    A path may end with `@name` for an attribute; `.@name` is one of the element itself.
    """

    record: str
    text: tuple[str, ...]
    leave_out: tuple[str, ...] = ()
    of_record: Mapping[str, str] = field(default_factory=dict)
    of_file: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextReader:
    """Plain text: a header up to a pattern with fields by patterns, and records that `split` sets apart."""

    encoding: Encoding = "utf-8"
    header_ends: str | None = None
    header: Mapping[str, str] = field(default_factory=dict)
    split: str | None = None


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


def make_reader(section: Mapping[str, object]) -> Reader:
    """Return the typed options of the section's `format`. Raises InputError for a format that is not known."""
    name = section["format"]
    if name not in FORMATS:
        raise InputError(f"reader.format: '{name}' is not known; known are {', '.join(FORMATS)}")
    return from_plain(FORMATS[name], section)
