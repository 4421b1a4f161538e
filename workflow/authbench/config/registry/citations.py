"""Parse the citations of sources: entries in BibTeX, given in config entries."""

import re
from collections.abc import Mapping
from itertools import pairwise

from authbench.core.errors import InputError

_HEAD = re.compile(r"@([A-Za-z]+)\s*\{\s*([^\s,{}\"#%'()=]+)\s*,")
# LaTeX commands allowed in a citation: accents, letters, escaped signs, fonts, addresses; others could read files.
_ALLOWED = re.compile(
    r"['`^\"~=.,;:!/&%$#_{}cvuHkrbdtoOlLij-]|ss|ae|AE|oe|OE|aa|AA|th|TH|url|href|emph|textit|textbf|texttt|textsc"
)
_COMMAND = re.compile(r"\\([A-Za-z]+|.)", re.DOTALL)
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})
_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "&%$#_"} | dict.fromkeys("{}\\\n", ""))
_HOSTS = {
    "github": "https://github.com/{}",
    "huggingface": "https://huggingface.co/datasets/{}",
    "kaggle": "https://www.kaggle.com/datasets/{}",
}


def entries(text: str) -> dict[str, str]:
    """Return the entries of a text in BibTeX by their keys, each from its `@` to its last brace.

    Raises:
        ValueError: it holds anything but entries, a duplicate key, or unbalanced braces.

    >>> entries("@misc{one, title = {One}}")
    {'one': '@misc{one, title = {One}}'}
    """
    heads = list(_HEAD.finditer(text))
    starts = [match.start() for match in heads if _depth(text[: match.start()]) == 0]
    if not starts or text[: starts[0]].strip():
        raise ValueError("expected an entry such as @misc{key, title = {...}}")
    found: dict[str, str] = {}
    for start, end in pairwise([*starts, len(text)]):
        entry, head = text[start:end].strip(), _HEAD.match(text, start)
        assert head is not None
        kind, key = head[1].lower(), head[2]
        if kind in _NO_ENTRIES:
            raise ValueError(f"expected entries of works, not @{kind}")
        if _depth(entry) != 0 or not entry.endswith("}") or _depth(entry[:-1]) != 1 or _closes_early(entry):
            raise ValueError(f"the braces of {key} do not close at its end")
        if told := sorted(
            {command for command in _COMMAND.findall(entry) if command.strip() and not _ALLOWED.fullmatch(command)}
        ):
            raise ValueError(f"{key} has the command \\{told[0]}; expected text, accents and addresses")
        if key in found:
            raise ValueError(f"the key {key} stands twice")
        found[key] = entry
    return found


def _depth(text: str) -> int:
    return text.count("{") - text.count("}")


def _closes_early(entry: str) -> bool:
    depth = 0
    for place, sign in enumerate(entry):
        depth += (sign == "{") - (sign == "}")
        if sign == "}" and depth == 0:
            return place != len(entry) - 1
    return True


def field_of(entry: str, name: str) -> str:
    """Return the value of a field in braces without nested braces, such as a DOI; empty if there is none.

    >>> field_of("@misc{one, url = {https://example.org}, year = 2020}", "url")
    'https://example.org'
    """
    found = re.search(rf"[,\s]{name}\s*=\s*{{([^{{}}]*)}}", entry, re.IGNORECASE)
    return found[1].strip() if found else ""


def default_citation(tag: str, title: str, origin: str = "", where: str = "") -> str:
    """Return the citation of a source that gives none: its title and origin.

    >>> print(default_citation("letters", "Letters & notes", "local", "the paper's archive"))
    @misc{letters,
      title = {Letters \\& notes},
      howpublished = {the paper's archive}
    }
    """
    lines = [f"  title = {{{title.translate(_SPECIAL)}}}"]
    if where:
        lines.append(f"  howpublished = {{{where.translate(_SPECIAL)}}}")
    address = where if origin == "url" else _HOSTS[origin].format(where) if origin in _HOSTS else ""
    if re.fullmatch(r"https?://[^\s{},\\]+", address):
        lines.append(f"  url = {{{address}}}")
    return f"@misc{{{tag},\n" + ",\n".join(lines) + "\n}"


def parse_citation(text: str, tag: str) -> dict[str, str]:
    """Return the entries of a source's citation by their keys. Raises InputError if it is not BibTeX."""
    try:
        return entries(text)
    except ValueError as problem:
        raise InputError(f"{tag}: cite: {problem}.") from None


def citation_problem(text: str) -> str | None:
    """Return the problem of a citation."""
    try:
        entries(text)
    except ValueError as problem:
        return str(problem)
    return None


def keys_by_source(citations: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the keys of the works by which each source is cited."""
    return {tag: list(parse_citation(text, tag)) for tag, text in sorted(citations.items())}


def bibliography(citations: Mapping[str, str]) -> str:
    """Return the works by which sources are cited as a BibTeX file, each once, in the order of the sources.

    Raises:
        InputError: a citation is not BibTeX, or two sources use the same key for different works.
    """
    works: dict[str, str] = {}
    first: dict[str, str] = {}
    for tag, text in sorted(citations.items()):
        for key, entry in parse_citation(text, tag).items():
            if works.setdefault(key, entry) != entry:
                raise InputError(
                    f"{tag}: cite: the key {key} is that of another work of the source {first[key]}. Choose another."
                )
            first.setdefault(key, tag)
    return "\n\n".join(works.values()) + "\n" if works else ""
