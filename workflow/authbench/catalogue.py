"""Make tables of the known sources: their terms and authors, how to get them, and which of their files are present."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from authbench.acquire.progress import in_bytes
from authbench.acquire.state import State
from authbench.format.findings import LabelRow
from authbench.labels.decision import in_words, read_decisions
from authbench.printable import inert_markdown
from authbench.records import LANGUAGES, OTHER
from authbench.registry.expressions import names
from authbench.registry.source_entry import Impurity, Source
from authbench.shipped import shipped

Measured = Mapping[str, Sequence[LabelRow]]  # rows of statistics/labels.csv, by source
WIDEST = 34  # characters of a licence in the terminal
HOSTS = {
    "huggingface": "https://huggingface.co/datasets/",
    "kaggle": "https://www.kaggle.com/datasets/",
    "github": "https://github.com/",
}
OPENING = """# Sources

Which corpora can a benchmark be built from, and what are their texts, authors and terms? This page lists the entries of
`config/sources/` (after a change: `authbench sources --markdown > docs/sources.md`). Put a corpus, in its distributed
format, into its folder under `raw_dir`; `authbench acquire SOURCE` [does](acquiring.md) what a line *get* says.

- Languages *as labelled*: the corpus names the language of each text.
- Author: [what a label identifies](adding-a-source.md#author-labels). A *work* names no writer and is never scored.
- Labels: whether the texts of a label are by one person: *clean*, *impure* (only in train) or *unmeasured* (scored, and
  named with the scores), measured on a build of the open corpora (`docs/measured/labels.csv`); -: no texts in it.
  *Clean by construction*: a label is one account, which several people may share.
- Text: spacing, quotes and numbering are *edited* or as *typed*. *Classic*: language models have read the works.
- Tier A: the text may be passed on. Tier B: share the provenance of a release, not the text.

In the sections, *labels* gives the [estimator](how-it-works.md#labels) and its findings on labels with three texts or
more; without this line labels are not measured. *A work* is each record unless that line defines it. `files` of an
entry has the patterns of the files that are read.
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
    """Return docs/sources.md: a table, then for each source its author label and how to get it."""
    rows = [
        ("tag", "title", "languages", "author", "labels", "text", "licence", "tier"),
        ("---",) * 8,
        *(
            (
                f"[`{tag}`](#{tag})",
                one.title,
                _languages(one),
                one.extraction.author.kind,
                _decisions(one, measured.get(tag, [])),
                f"{one.text}, classic" if one.fame == "classic" else one.text,
                one.license.name,
                one.license.tier,
            )
            for tag, one in sources.items()
        ),
    ]
    lines = [f"| {' | '.join(map(inert_markdown, row))} |" for row in rows]
    sections = [_section(source, measured.get(tag, [])) for tag, source in sources.items()]
    return "\n".join([OPENING, *lines, *sections]) + "\n"


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


def _decisions(source: Source, measured: Sequence[LabelRow]) -> str:
    if source.extraction.author.kind == "work":
        return "work"
    return ", ".join(dict.fromkeys(map(_decision, measured))) or "-"


def _labels(source: Source, measured: Sequence[LabelRow]) -> str:
    """Return the estimator of the labels of a source, with its results; empty without one."""
    rule = source.extraction.author.impurity
    if rule is None or source.extraction.author.kind == "work":
        return ""
    found = "; ".join(_found(row) for row in measured if row["labels"])
    return f"- labels: {_estimator(rule)}{f': {found}' if found else ''}\n"


def _estimator(rule: Impurity) -> str:
    limit = f", at most {rule.per_1000_words:g} per 1,000 words" if rule.estimator == "voices" else ""
    return f"`{rule.estimator}`{f', {rule.value:g} by {rule.reference}' if rule.estimator == 'stated' else limit}"


def _decision(row: LabelRow) -> str:
    return in_words(row["decision"], row["estimator"], row["impurity"])


def _found(row: LabelRow) -> str:
    value = "" if row["impurity"] is None else f", impurity {row['impurity']:.2f}{_interval(row['low'], row['high'])}"
    return f"{_decision(row)} in {row['labels']} labels{value}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"


def _work(source: Source) -> str:
    """Return the definition of one work, of which no text is scored against another; empty where it is each record."""
    origin = source.extraction.fields.origin
    if origin is None:
        return ""
    alternatives = origin["any"] if isinstance(origin, Mapping) and "any" in origin else [origin]
    agreeing = (", ".join(f"`{name}`" for name in sorted(names(one))) for one in alternatives)
    return f"- a work: records that agree in {'; else in '.join(agreeing)}\n"


def _section(source: Source, measured: Sequence[LabelRow]) -> str:
    get = source.acquire
    host = HOSTS.get(get.origin)
    where = ", ".join(links(host, get.where.split(", "))) if host else get.where
    folder = "" if source.files.folder == source.tag else f"\n- folder: `{source.files.folder}/`"
    return (
        f"\n### {source.tag}\n\n{source.about.strip()}\n\n{_labels(source, measured)}{_work(source)}"
        f"- {'get' if get.fetch else 'by hand'}: {where}. {get.how.strip()}{folder}"
    )
