"""Make tables of the known sources: their terms and authors, where they are, and which of their files are present."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from authbench.build.acquire.progress import in_bytes
from authbench.build.acquire.state import State
from authbench.build.labels.decision import in_words, read_decisions
from authbench.config.registry.source_entry import Acquire, Source
from authbench.core.printable import inert_markdown
from authbench.core.records import LANGUAGES, OTHER
from authbench.core.shipped import shipped
from authbench.release.format.findings import LabelRow

Measured = Mapping[str, Sequence[LabelRow]]  # rows of statistics/labels.csv, by source
WIDEST = 34  # characters of a licence in the terminal
HOSTS = {
    "huggingface": "https://huggingface.co/datasets/",
    "kaggle": "https://www.kaggle.com/datasets/",
    "github": "https://github.com/",
}
OPENING = """# Sources

Which corpora can a benchmark be built from, and what are their texts, authors and terms? The table lists the entries
of `config/sources/`. A tag leads to its entry, with title, meaning and faults of texts and labels (`about`), how to get
the corpus by hand (`acquire.how`), the definition of a work (`fields.origin`) and the measurement of labels
(`author.impurity`). [`authbench sources acquire SOURCE`](acquiring.md) fetches a corpus, except where *by hand* is
stated.

- Languages *as labelled*: the corpus names the language of each text.
- Author: [what a label identifies](adding-a-source.md#author-labels). A *work* names no writer and is never scored.
- Labels: *clean*, *impure* (only in train) or *unmeasured* (scored), with the number of labels with three texts or more
  and their [impurity](how-it-works.md#labels), measured on a build of the open corpora (`docs/measured/labels.csv`);
  -: no texts in it. *Clean by construction*: a label is an account, which several people may share.
- Text: spacing, quotes and numbering are *edited* or as *typed*. *Classic*: language models have read the works.
- Tier A: the text may be passed on. Tier B: share the provenance of a release, not the text.
"""


def as_text(sources: Mapping[str, Source], states: Mapping[str, State]) -> str:
    """Return the table for a terminal, with the files present of each; the title is left out, as the tag suffices."""
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


def as_markdown(sources: Mapping[str, Source], measured: Measured) -> str:
    """Return docs/sources.md: a table of the sources."""
    rows = [
        ("tag", "languages", "author", "labels", "text", "licence", "tier", "from"),
        ("---",) * 8,
        *(
            (
                f"[`{tag}`](../config/sources/{tag}.yaml)",
                _languages(one),
                one.extraction.author.kind,
                _labels(one, measured.get(tag, [])),
                f"{one.text}, classic" if one.fame == "classic" else one.text,
                one.license.name,
                one.license.tier,
                _origin(one.acquire),
            )
            for tag, one in sources.items()
        ),
    ]
    lines = [f"| {' | '.join(map(inert_markdown, row))} |" for row in rows]
    return "\n".join([OPENING, *lines]) + "\n"


def measured_labels(path: Path | None = None) -> Measured:
    """Return the labels of each source recorded in docs/measured/labels.csv; empty without the file."""
    path = path or shipped("config").parent / "docs" / "measured" / "labels.csv"
    if not path.is_file():
        return {}
    found: dict[str, list[LabelRow]] = {}
    for row in read_decisions(path):
        found.setdefault(row["source"], []).append(row)
    return found


def links(host: str, names: Iterable[str]) -> Iterable[str]:
    """Yield links to data sets or repositories; a name without an owner takes the owner of the preceding name."""
    owner = ""
    for name in names:
        owner = name.partition("/")[0] if "/" in name else owner
        full = name if "/" in name else f"{owner}/{name}"
        yield f"[{name}]({host}{full})"


def _languages(source: Source) -> str:
    found = source.languages
    return " ".join(lang for lang in (*LANGUAGES, OTHER) if lang in found) if found else "as labelled"


def _labels(source: Source, measured: Sequence[LabelRow]) -> str:
    """Return what was decided on the labels of a source; "-" if it had none."""
    if source.extraction.author.kind == "work":
        return "work"
    return "; ".join(map(_decision, measured)) or "-"


def _decision(row: LabelRow) -> str:
    said = in_words(row["decision"], row["estimator"], row["impurity"])
    if not row["labels"]:
        return said
    impurity = "" if row["impurity"] is None else f", {row['impurity']:.2f}"
    interval = "" if row["low"] is None or row["high"] is None else f" [{row['low']:.2f}, {row['high']:.2f}]"
    return f"{said}: {row['labels']}{impurity}{interval}"


def _origin(get: Acquire) -> str:
    host = HOSTS.get(get.origin)
    where = ", ".join(links(host, get.where.split(", "))) if host else get.where
    return where if get.fetch else f"{where} by hand"
