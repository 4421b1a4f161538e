"""Find how deep and how large a YAML text is, without building it.

Building a text of a few kB can exhaust the stack (`[[[[...`) or, through aliases of aliases, never end.
"""

import yaml

from authbench.storage.yaml_loader import FAST_LOADER

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
