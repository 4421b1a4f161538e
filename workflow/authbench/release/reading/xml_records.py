"""Read records of a non-TEI XML file: every element with a given name, at any depth.

A record's text consists of some elements below it, separated by blank lines; white space is folded. The file is parsed
as a whole; memory holds a file (at most `ingest.max_record_bytes`) and its tree.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from authbench.config.registry.readers import TeiReader, XmlReader, XmlRowsReader
from authbench.core.errors import InputError
from authbench.core.identity import fold_space
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import MOST_NAMES, BadRow, Block, Row, Wanted, counting, in_blocks
from authbench.release.reading.tei import BLANK_LINE, PROSE, SEPARATORS, MalformedError, header_value, parse, rows_of
from authbench.release.reading.units import Units

_HEAD = 1 << 10
_TABLE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<[\w.-]+>\s*<row\s[^>]*=")
OF_TEI = {
    "author": "fileDesc/titleStmt/author",
    "title": "fileDesc/titleStmt/title",
    "date": "profileDesc/creation/date@when",
    "sender": "profileDesc/correspDesc/correspAction[@type='sent']/persName",
}


@counting("elements")
def read(file: RawFile, options: XmlReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield a record for each element named `record`: `text`, `part` (1, 2, ...), and the fields by path."""
    found = rows_of(file, lambda root: [*records(root, options)])
    sized = ((row, 0 if isinstance(row, BadRow) else len(row["text"])) for row in found)
    yield from in_blocks(sized, units)


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


def options_of(file: RawFile) -> TeiReader | XmlReader | XmlRowsReader:
    """Return the options by which an XML file is read, guessed from its elements.

    Raises:
        InputError: the file is malformed or too large.
    """
    with file.open_binary() as stream:
        if _TABLE.match(stream.peek(_HEAD)):  # type: ignore[attr-defined]
            return XmlRowsReader()
        xml = stream.read(file.max_record_bytes + 1)
    if len(xml) > file.max_record_bytes:
        raise InputError(f"{file.relative}: is larger than {file.max_record_bytes} bytes. Cut it into files.")
    try:
        root = parse(xml)
        return TeiReader(OF_TEI) if root.tag in ("TEI", "teiCorpus") else _options_of(root)
    except MalformedError as error:
        raise InputError(f"{file.relative}, {error}. Mend the file, or take it out.") from None
    except RecursionError:
        raise InputError(f"{file.relative}: its elements are nested too deeply.") from None


def _options_of(root: Element) -> XmlReader:
    """Return options by which the longest values are the text, and all other values and attributes are fields.

    >>> made = _options_of(parse("<all at='Bonn'><letter by='Ann'><p>It rains.</p></letter><letter/></all>"))
    >>> made.record, made.text, made.of_record, made.of_file
    ('letter', ('p',), {'by': '.@by'}, {'at': '.@at'})
    """
    found = _repeated(root)
    lengths = Counter[str]()
    for element in found:
        for path, value in _values(element, "."):
            lengths[path] += len(value)
    text = max((path for path in lengths if "@" not in path), key=lengths.__getitem__, default=".")
    around = Counter[str]()
    if found != [root]:
        around.update(f".@{name}" for name in root.attrib)
        outside = (child for child in root if next(child.iter(found[0].tag), None) is None)
        around.update(path for child in outside for path, _ in _values(child, child.tag))
    for path in (text, "."):  # text outside the elements of a record has no name
        del lengths[path]
    return XmlReader(found[0].tag, (text,), of_record=_named(lengths), of_file=_named(around))


def _repeated(root: Element) -> list[Element]:
    """Return the outermost elements of which there are several below one other; the root if these are paragraphs."""
    node = root
    while len(node):
        [(tag, number)] = Counter(child.tag for child in node).most_common(1)
        if number > 1:
            several = [child for child in node if child.tag == tag]
            return several if tag not in PROSE and any(len(one) or one.attrib for one in several) else [root]
        node = max(node, key=lambda child: sum(1 for _ in child.iter()))
    return [root]


def _values(element: Element, path: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes and texts below an element by their paths."""
    yield from ((f"{path}@{name}", value) for name, value in element.attrib.items())
    if not len(element) or any(text.strip() for text in (element.text or "", *(one.tail or "" for one in element))):
        yield path, "".join(element.itertext())
        return
    for child in element:
        yield from _values(child, child.tag if path == "." else f"{path}/{child.tag}")


def _named(paths: Iterable[str]) -> dict[str, str]:
    """Return the paths by the last word of each, or by the whole path if that is taken."""
    named: dict[str, str] = {}
    for path in islice(paths, MOST_NAMES):
        element, _, attribute = path.partition("@")
        short = attribute if element == "." else f"{element}.{attribute}" if attribute else element.rpartition("/")[2]
        named[path.replace("/", ".") if short in ("text", "part", *named) else short] = path
    return named
