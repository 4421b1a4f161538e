"""Read records of a non-TEI XML file: every element with a given name, at any depth.

A record's text consists of some elements below it, separated by blank lines; white space is folded. The file is parsed
as a whole; memory holds a file (at most `ingest.max_record_bytes`) and its tree.
"""

from collections.abc import Collection, Iterator
from xml.etree.ElementTree import Element

from authbench.identity import fold_space
from authbench.reading.rows import EVERYTHING, BadRow, Block, Row, Wanted, in_blocks
from authbench.reading.tei import BLANK_LINE, SEPARATORS, MalformedError, header_value, parse
from authbench.reading.units import Units
from authbench.registry.readers import XmlReader
from authbench.storage.raw_files import RawFile


def read(file: RawFile, options: XmlReader, wanted: Wanted = EVERYTHING, units: Units | None = None) -> Iterator[Block]:
    """Yield a record for each element named `record`: `text`, `part` (1, 2, ...), and the fields by path."""
    units = Units() if units is None else units
    units.unit = "elements"
    with file.open_binary() as stream:
        xml = stream.read(file.max_record_bytes + 1)
    try:
        if len(xml) > file.max_record_bytes:
            raise MalformedError("line 1", f"larger than {file.max_record_bytes} bytes")
        found = records(parse(xml), options)
    except MalformedError as error:
        units.found += 1
        units.bad += 1
        yield [error.bad_row]
        return
    except RecursionError:
        units.found += 1
        units.bad += 1
        yield [BadRow("line 1", "elements are nested too deeply")]
        return
    units.found += len(found)
    units.records += len(found)
    yield from in_blocks((row, len(row["text"])) for row in found)
    units.check(file.relative)


def records(root: Element, options: XmlReader) -> list[Row]:
    """Return the records of a document.

    >>> options = XmlReader(record="letter", text=("p",), leave_out=("c",), of_record={"id": ".@n"})
    >>> records(parse("<all><letter n='1'><p>I <c>am</c> was\\n there.</p><p>Ann</p></letter></all>"), options)
    [{'part': 1, 'text': 'I was there.\\n\\nAnn', 'id': '1'}]
    """
    leave_out = frozenset(options.leave_out)
    of_file: Row = {name: header_value(root, path) for name, path in options.of_file.items()}
    made = []
    for part, element in enumerate(root.iter(options.record), start=1):
        found = (one for path in options.text for one in element.iterfind(path))
        paragraphs = (fold_space("".join(_pieces(one, leave_out))) for one in found)
        text = SEPARATORS[BLANK_LINE].join(filter(None, paragraphs))
        own: Row = {name: header_value(element, path) for name, path in options.of_record.items()}
        made.append({"part": part, "text": text, **of_file, **own})
    return made


def _pieces(element: Element, leave_out: Collection[str]) -> Iterator[str]:
    """Yield the text of an element and its descendants, without excluded elements."""
    yield element.text or ""
    for child in element:
        if child.tag not in leave_out:
            yield from _pieces(child, leave_out)
        yield child.tail or ""
