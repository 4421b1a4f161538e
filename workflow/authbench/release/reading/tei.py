"""Read the records of a TEI file: a document, or each document of a `teiCorpus`.

A document is a record: the header fields requested by the source, and the running text of the parts it names. The
layout of the file is ignored, because TEI marks structure explicitly: white space is folded, a verse (`l`) is a line,
and stanzas, paragraphs and divisions are separated by a blank line.
"""

import re
from collections.abc import Callable, Collection, Iterator
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from authbench.config.registry.readers import TeiReader
from authbench.core.identity import fold_space
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Row, Wanted, count_rows, counting
from authbench.release.reading.units import Units

BLOCKS = frozenset(
    "ab argument body byline castList closer dateline div div1 div2 div3 div4 div5 div6 "  # noqa: SIM905
    "docAuthor docDate docEdition docImprint docTitle epigraph floatingText front back group head lg list opener p "
    "postscript salute signed sp table text titlePage titlePart trailer".split()
)
LINES = frozenset({"l", "item", "row", "castItem", "speaker"})
PROSE = frozenset({"p", "l", "ab", "head"})
INLINE_IN_PROSE = frozenset({"label", "q", "quote", "note", "stage"})  # lines elsewhere
ATTRIBUTE = re.compile(r"(.+?)(?:@([\w.-]+))?", re.DOTALL)
LINE, BLANK_LINE = 1, 2
SEPARATORS = ("", "\n", "\n\n")


class MalformedError(Exception):
    """Unreadable XML: its position (`line 3, column 8`) and the reason."""

    def __init__(self, position: str, reason: str) -> None:
        super().__init__(f"{position}: {reason}")
        self.bad_row = BadRow(position, reason)


@counting("documents")
def read(file: RawFile, options: TeiReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the records of a TEI file, with the field `text` and the header fields.

    Header fields are given by paths below `teiHeader` (`fileDesc/titleStmt/author`, `...@ident` for an attribute);
    `text` names the parts to read, `leave_out` elements whose content is not the author's running text.
    """

    def documents(root: Element) -> Block:
        return [record(one, options) for one in (root.findall("TEI") if root.tag == "teiCorpus" else [root])]

    rows = rows_of(file, documents)
    units.found += len(rows)
    count_rows(rows, units)
    yield rows


def rows_of(file: RawFile, read: Callable[[Element], Block]) -> Block:
    """Return what is read of a file's tree, or the bad row of a file too large, malformed or nested too deeply."""
    with file.open_binary() as stream:
        xml = stream.read(file.max_record_bytes + 1)
    if len(xml) > file.max_record_bytes:
        return [BadRow("line 1", f"larger than {file.max_record_bytes} bytes")]
    try:
        return read(parse(xml))
    except MalformedError as error:
        return [error.bad_row]
    except RecursionError:
        return [BadRow("line 1", "elements are nested too deeply")]


def record(root: Element, options: TeiReader) -> Row | BadRow:
    header, text = root.find("teiHeader"), root.find("text")
    if header is None or text is None:
        return BadRow("line 1", "no teiHeader or no text: not a TEI document")
    for tag in ("teiHeader", "text", "TEI"):
        if (number := len(root.findall(tag))) > 1 or (number and tag == "TEI"):
            return BadRow("line 1", f"holds several documents ({number} {tag}): a TEI file is one; cut it into files")
    fields: Row = {name: header_value(header, path) for name, path in options.header.items()}
    fields["lang"] = root.get("lang")
    leave_out = frozenset(options.leave_out)
    parts = (running_text(part, leave_out) for part in _outermost(text, frozenset(options.text)))
    fields["text"] = SEPARATORS[BLANK_LINE].join(filter(None, parts))
    return fields


def parse(xml: str | bytes) -> Element:
    """Return the tree of a document, with local names (`TEI`, `lang`). Entities are never declared, fetched or
    expanded.

    Raises MalformedError for XML that is not well-formed, that declares entities (they can name files and grow without
    bound) or that uses an entity not defined by XML.
    """
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def refuse(name: str, *_: object) -> None:
        raise MalformedError(
            place(parser.CurrentLineNumber, parser.CurrentColumnNumber), f"entity {name} is not XML's own"
        )

    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    parser.StartElementHandler = lambda tag, attributes: builder.start(
        _local_name(tag), {_local_name(name): value for name, value in attributes.items()}
    )
    parser.EndElementHandler = lambda tag: builder.end(_local_name(tag))
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise MalformedError(place(error.lineno, error.offset), f"not well-formed XML ({reason})") from error
    except (LookupError, ValueError) as error:
        raise MalformedError(
            place(1, 0), f"the XML declaration names an encoding that is not known ({error})"
        ) from error
    return builder.close()


def place(line: int, column: int) -> str:
    return f"line {line}, column {column + 1}"


def _local_name(name: str) -> str:
    """Return `author` of `http://www.tei-c.org/ns/1.0 author`."""
    return name.rpartition(" ")[2]


def _outermost(element: Element, tags: Collection[str]) -> Iterator[Element]:
    """Yield the elements with these tags, in order, without nested ones: a text within a text is read once."""
    for child in element:
        if child.tag in tags:
            yield child
        else:
            yield from _outermost(child, tags)


def header_value(header: Element, path: str) -> str | None:
    """Return the header's value at a path, white space folded; several are joined by `; `, none gives null."""
    elements, attribute = ATTRIBUTE.fullmatch(path).groups()  # type: ignore[union-attr]
    found = header.iterfind(elements)
    values = (fold_space(element.get(attribute, "")) if attribute else written(element) for element in found)
    return "; ".join(filter(None, values)) or None


def written(element: Element) -> str:
    """Return a header element's text; for a name in parts, `surname, forename link` without other parts and numbers.

    >>> written(parse("<author><surname>Saar</surname><forename>Ferdinand von</forename></author>"))
    'Saar, Ferdinand von'
    """
    person = element if element.find("persName") is None else element.find("persName")
    assert person is not None
    surname, forename, link = (
        fold_space(" ".join("".join(part.itertext()) for part in person.iterfind(tag)))
        for tag in ("surname", "forename", "nameLink")
    )
    if surname:
        return ", ".join(filter(None, (surname, " ".join(filter(None, (forename, link))))))
    return fold_space("".join(person.itertext()))


def running_text(part: Element, leave_out: Collection[str] = ()) -> str:
    """Return the text of an element and its descendants, as lines and paragraphs.

    >>> running_text(parse("<body><lg><l>Ein  Vers</l> <l>und\\n noch <w>einer</w></l></lg><p>Prosa.</p></body>"))
    'Ein Vers\\nund noch einer\\n\\nProsa.'
    """
    pieces: list[str] = []
    open_line: list[str] = []
    gap = 0

    def end_line(strength: int) -> None:
        nonlocal gap
        line = fold_space("".join(open_line))
        open_line.clear()
        if line:
            pieces.extend((SEPARATORS[gap] if pieces else "", line))
            gap = strength
        gap = max(gap, strength)

    def walk(element: Element, in_prose: bool) -> None:
        strength = _break_around(element.tag, in_prose)
        if strength:
            end_line(strength)
        if element.tag not in leave_out:
            open_line.append(element.text or "")
            if element.tag == "lb":
                open_line.append("" if element.get("break") == "no" else " ")
            for child in element:
                walk(child, in_prose or element.tag in PROSE)
                open_line.append(child.tail or "")
        if strength:
            end_line(strength)

    walk(part, in_prose=False)
    end_line(BLANK_LINE)
    return "".join(pieces)


def _break_around(tag: str, in_prose: bool) -> int:
    """Return the break around an element: 0 (inline), a line, or a blank line."""
    if tag in LINES:
        return LINE
    if tag in INLINE_IN_PROSE:
        return 0 if in_prose else LINE
    return BLANK_LINE if tag in BLOCKS else 0
