"""Map each type of reader options to its reader (see `rows` for the definition of a reader)."""

from authbench.config.registry import readers
from authbench.release.reading import (
    blog_xml,
    chats,
    gutenberg,
    json_lines,
    json_records,
    mbox,
    plain_text,
    plugged,
    sheets,
    table_csv,
    table_parquet,
    tei,
    xml_records,
    xml_rows,
)
from authbench.release.reading.rows import ReadFile

READERS: dict[type[readers.Reader], ReadFile] = {
    readers.CsvReader: table_csv.read,
    readers.JsonReader: json_records.read,
    readers.JsonLinesReader: json_lines.read,
    readers.ParquetReader: table_parquet.read,
    readers.TeiReader: tei.read,
    readers.XmlReader: xml_records.read,
    readers.TextReader: plain_text.read,
    readers.BlogXmlReader: blog_xml.read,
    readers.XmlRowsReader: xml_rows.read,
    readers.GutenbergReader: gutenberg.read,
    readers.MboxReader: mbox.read,
    readers.ChatReader: chats.read,
    readers.SheetReader: sheets.read,
    readers.PluginReader: plugged.read,
}
