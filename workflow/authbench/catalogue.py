"""Tables of the known sources: their terms, how to get them, and what is here of each."""

from collections.abc import Iterable, Mapping

from authbench.acquire.progress import in_bytes
from authbench.acquire.state import State
from authbench.records import LANGUAGES, OTHER
from authbench.registry.source_entry import Acquire, Source

WIDEST = 34  # characters of a licence in the terminal
HOSTS = {
    "huggingface": "https://huggingface.co/datasets/",
    "kaggle": "https://www.kaggle.com/datasets/",
    "github": "https://github.com/",
}
OPENING = """# Sources

Every corpus that has an entry in `config/sources/`. This file is generated from the entries: after a change, run
`authbench sources --markdown > docs/sources.md`. A corpus goes to its folder under `raw_dir`, in the format it is
distributed in; `authbench acquire SOURCE` fetches it where that can be done for you ([how](acquiring.md)). Tier A: its
text may be passed on. Tier B: share the provenance of a release, not the text. "As labelled": the corpus names the
language of each text.
"""


def as_text(sources: Mapping[str, Source], states: Mapping[str, State]) -> str:
    """Return the table for a terminal, with what is here of each; the title is left out, as the tag says it."""
    rows = [("source", "languages", "tier", "licence", "size", "state", "where")]
    for tag, source in sources.items():
        here, licence = states[tag], source.license.name
        short = licence if len(licence) <= WIDEST else f"{licence[: WIDEST - 1]}…"
        state = f"{here.word} ({here.detail})" if here.detail else here.word
        size = in_bytes(here.bytes) if here.files else "-"
        where = f"{source.acquire.origin}: {source.acquire.where}"
        rows.append((tag, _languages(source), source.license.tier, short, size, state, where))
    wide = [max(len(row[column]) for row in rows) for column in range(6)]
    return "".join("  ".join([*(f"{cell:{wide[i]}}" for i, cell in enumerate(row[:6])), row[6]]) + "\n" for row in rows)


def as_markdown(sources: Mapping[str, Source]) -> str:
    """Return docs/sources.md: a table, then for each source its author label and how to get it."""
    rows = [
        ("tag", "title", "languages", "licence", "tier"),
        ("---",) * 5,
        *(
            (f"[`{tag}`](#{tag})", one.title, _languages(one), one.license.name, one.license.tier)
            for tag, one in sources.items()
        ),
    ]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([OPENING, *lines, *map(_section, sources.values())]) + "\n"


def links(host: str, names: Iterable[str]) -> Iterable[str]:
    """Yield links to data sets or repositories; a name without an owner has that of the name before it."""
    owner = ""
    for name in names:
        owner = name.partition("/")[0] if "/" in name else owner
        full = name if "/" in name else f"{owner}/{name}"
        yield f"[{name}]({host}{full})"


def _languages(source: Source) -> str:
    found = source.languages
    return " ".join(lang for lang in (*LANGUAGES, OTHER) if lang in found) if found else "as labelled"


def _section(source: Source) -> str:
    get = source.acquire
    host = HOSTS.get(get.origin)
    where = ", ".join(links(host, get.where.split(", "))) if host else get.where
    return (
        f"\n### {source.tag}\n\n{source.title}. {source.about.strip()}\n\n"
        f"- author: {source.extraction.author.kind}\n- from: {where}\n"
        f"- how: {get.how.strip()}{_command(source.tag, get)}\n"
        f"- folder: `{source.files.folder}/`, files {', '.join(f'`{one}`' for one in source.files.patterns)}"
    )


def _command(tag: str, get: Acquire) -> str:
    return f" Or: `authbench acquire {tag}`" if get.fetch else ""
