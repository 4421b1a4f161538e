"""Which corpora are known, what are their terms, and how does one get them?"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from authbench.acquire.progress import in_bytes
from authbench.acquire.state import State
from authbench.config import source_languages
from authbench.errors import InputError
from authbench.records import LANGUAGES, OTHER
from authbench.registry.entries import did_you_mean, read_yaml
from authbench.shipped import shipped

WIDEST = 34  # characters of a licence in the terminal
SOURCES = shipped("config/sources")
HOSTS = {
    "huggingface": "https://huggingface.co/datasets/",
    "kaggle": "https://www.kaggle.com/datasets/",
    "github": "https://github.com/",
}
OPENING = """# Sources

Every corpus that has a page in `config/sources/`. This page is made from them: after a change there, run
`authbench sources --markdown > docs/sources.md`. A corpus goes to its folder under `raw_dir`, in the format it is
distributed in; `authbench acquire SOURCE` fetches it where that can be done for you ([how](acquiring.md)). Tier A: its
text may be passed on. Tier B: share the provenance of a release, not the text. "As labelled": the corpus names the
language of each text.
"""


def read_sources(folder: Path = SOURCES) -> dict[str, Mapping[str, Any]]:
    """The page of every source, by its tag."""
    return {path.stem: read_yaml(path) for path in sorted(folder.glob("*.yaml"))}


def find_sources(tags: Sequence[str], folder: Path = SOURCES) -> dict[str, Mapping[str, Any]]:
    """The pages of these sources, of all if none is named. Raises InputError for one that is not known."""
    known = read_sources(folder)
    for tag in tags:
        if tag not in known:
            raise InputError(f"there is no config/sources/{tag}.yaml{did_you_mean(tag, known)}")
    return {tag: known[tag] for tag in tags} or known


def languages(source: Mapping[str, Any]) -> str:
    """The languages that a source's page names, or that the corpus itself names them."""
    found = source_languages(source)
    return " ".join(lang for lang in (*LANGUAGES, OTHER) if lang in found) if found else "as labelled"


def table(sources: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """tag, title, languages, licence, tier, where: one row per source."""
    return [
        (tag, one["title"], languages(one), one["license"]["name"], one["license"]["tier"], place(one))
        for tag, one in sources.items()
    ]


def place(source: Mapping[str, Any]) -> str:
    return f"{source['acquire']['from']}: {source['acquire']['where']}"


def as_text(sources: Mapping[str, Mapping[str, Any]], states: Mapping[str, State]) -> str:
    """The table for a terminal, with what is here of each; the title is left out, as the tag says it."""
    rows = [("source", "languages", "tier", "licence", "size", "state", "where")]
    for tag, _, spoken, licence, tier, where in table(sources):
        here = states[tag]
        short = licence if len(licence) <= WIDEST else f"{licence[: WIDEST - 1]}…"
        state = f"{here.word} ({here.detail})" if here.detail else here.word
        rows.append((tag, spoken, tier, short, in_bytes(here.bytes) if here.files else "-", state, where))
    wide = [max(len(row[column]) for row in rows) for column in range(6)]
    return "".join("  ".join([*(f"{cell:{wide[i]}}" for i, cell in enumerate(row[:6])), row[6]]) + "\n" for row in rows)


def as_markdown(sources: Mapping[str, Mapping[str, Any]]) -> str:
    """The page docs/sources.md: a table, then of each source its author label and how to get it."""
    head = ("tag", "title", "languages", "licence", "tier")
    rows = [head, ("---",) * len(head), *((f"[`{row[0]}`](#{row[0]})", *row[1:5]) for row in table(sources))]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([OPENING, *lines, *map(entry, sources, sources.values())]) + "\n"


def entry(tag: str, source: Mapping[str, Any]) -> str:
    get = source["acquire"]
    host = HOSTS.get(get["from"])
    where = ", ".join(links(host, get["where"].split(", "))) if host else get["where"]
    kind = source["author"]["kind"]
    return (
        f"\n### {tag}\n\n{source['title']}. {source['about'].strip()}\n\n"
        f"- author: {kind}\n- from: {where}\n- how: {get['how'].strip()}{fetched(tag, get)}\n"
        f"- folder: `{source.get('folder', tag)}/`, files {', '.join(f'`{one}`' for one in source['files'])}"
    )


def fetched(tag: str, get: Mapping[str, Any]) -> str:
    return f" Or: `authbench acquire {tag}`" if "fetch" in get else ""


def links(host: str, names: Iterable[str]) -> Iterable[str]:
    """Links to datasets or repositories; a name without an owner has that of the name before it."""
    owner = ""
    for name in names:
        owner = name.partition("/")[0] if "/" in name else owner
        full = name if "/" in name else f"{owner}/{name}"
        yield f"[{name}]({host}{full})"
