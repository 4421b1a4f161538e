"""Locate a problem in a YAML file by line, and find how deep and large a YAML text is without building it.

Building a text of a few kB can exhaust the stack (`[[[[...`) or, through aliases of aliases, never end.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import yaml

from authbench.core.storage.yaml_loader import FAST_LOADER

MAX_DEPTH = 64
MAX_NODES = 1_000_000  # aliases count as the nodes they refer to
_MANY = 500
_NESTING = ("[", "{", "- ", "? ")


def shape_problem(text: str) -> str:
    """Return why a YAML text is not built; empty if it may be built.

    Raises:
        YAMLError: it is not YAML.
    """
    if "&" not in text and sum(map(text.count, _NESTING)) < _MANY:
        return ""  # neither aliases nor depth
    sizes = [0]  # of the open nodes, outermost first
    anchors: list[str | None] = [None]
    known: dict[str, int] = {}
    for event in yaml.parse(text, FAST_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            sizes.append(1)
            anchors.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            size, anchor = sizes.pop(), anchors.pop()
            sizes[-1] += size
            if anchor is not None:
                known[anchor] = size
        elif isinstance(event, yaml.ScalarEvent):
            sizes[-1] += 1
            if event.anchor is not None:
                known[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent) and event.anchor in anchors:
            return "a value that contains itself"
        elif isinstance(event, yaml.AliasEvent):
            sizes[-1] += known.get(event.anchor or "", 1)
        if len(sizes) > MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH} levels"
        if sizes[-1] > MAX_NODES:
            return f"of more than {MAX_NODES:,} values, aliases counted as what they stand for"
    return ""


# Messages of libyaml, and the user's mistake.
_SLIPS = (
    ("mapping values are not allowed", "a colon begins a value; quote a text with a colon, and write `key: value`"),
    ("found a tab character", "a tab cannot indent; use blanks"),
    ("cannot start any token", "a tab, @, ` or % begins no value; indent with blanks, and quote such a text"),
    ("expected ',' or ']'", "a list that [ opens is not closed by ]"),
    ("expected ',' or '}'", "a mapping that { opens is not closed by }"),
    ("unexpected end of stream", "a quotation mark, [ or { is not closed"),
    ("did not find expected key", "indented otherwise than the lines above"),
    ("did not find expected '-'", "indented otherwise than the lines above"),
    ("could not find expected ':'", "a key without `: ` and a value"),
    ("alphabetic or numeric", "* and & begin references; quote a text that begins with them"),
    ("undefined alias", "* begins a reference; quote a text that begins with it"),
    ("could not determine a constructor", "! begins a type; quote a text that begins with it"),
)


def syntax_problem(path: Path, error: Exception) -> str:
    """Return in a line where a file is not YAML, and what to write."""
    if not isinstance(error, yaml.MarkedYAMLError) or not error.problem:
        return f"{path} is not valid YAML: {error}"
    mark = error.problem_mark or error.context_mark
    place = f", line {mark.line + 1}" if mark else ""
    said = next((hint for words, hint in _SLIPS if words in error.problem), error.problem)
    begun = error.context_mark
    since = f" (begun in line {begun.line + 1})" if begun and mark and begun.line < mark.line else ""
    return f"{path}{place} is not valid YAML: {said}{since}"


def place_in(file: Path, problem: str) -> str:
    """Return ", line N" for a problem ("key.key: what") with a YAML file; empty if the file lacks the first key.

    The line belongs to the last key that the file has: `fields` if "fields.text: is required".
    """
    line = _line(file, problem.partition(":")[0].split("."))
    return f", line {line}" if line else ""


@lru_cache(maxsize=1)  # of many problems of one file
def _composed(text: str) -> yaml.Node | None:
    node: yaml.Node | None = yaml.compose(text, FAST_LOADER)
    return node


def _line(file: Path, keys: Sequence[str]) -> int:
    """Return the line of the last of these keys that a file has in this order; 0 if it lacks the first."""
    node, line = _composed(file.read_text(encoding="utf-8")), 0
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in node.value if pair[0].value == key), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value):
            node = node.value[int(key)]
            line = node.start_mark.line + 1
        else:
            break
    return line
