"""Make the tables of a release's corpora: descriptions, terms, and a comparison of the release with others."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.config.languages import ordered
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import list_entries
from authbench.config.registry.source_entry import Source
from authbench.config.registry.sources import SOURCES, find_sources
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.numbers import NOTHING
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.shipped import shipped
from authbench.core.words import count, spaced
from authbench.release.format.release import Release
from authbench.reports.tables.documents import Contents

LARGE = 100_000  # documents from which a resource is called large
_MANY = 4  # maximum number of languages listed individually
_PROPERTIES = (
    "multilingual", "multi_genre", "length_control", "large_scale", "standard_splits", "attribution", "verification",
)  # fmt: skip
_PASSED_ON = {"A": "texts", "B": "identifiers and provenance; texts are made again from the source"}
_YES, _NO = "yes", "no"


def known_sources(tags: Sequence[str], base: Path = Path()) -> dict[str, Source]:
    """Return the registry's entries for these tags; user entries come first."""
    listed = set(list_entries(SOURCES, base))
    return find_sources([tag for tag in tags if tag in listed], base) if listed & set(tags) else {}


def sources_table(contents: Contents, sources: Mapping[str, Source], read: Mapping[str, int]) -> Table:
    """Return the known entries (`sources`) and the records read in ingestion, if the release states them, by tag."""
    rows = []
    for tag, part in _by_source(contents.documents):
        source = sources.get(tag)
        languages = ordered(part["lang"])
        named = ", ".join(languages) if len(languages) <= _MANY else f"{len(languages)} languages"
        genres = ", ".join(spaced(genre) for genre in sorted(set(part["primary"])))
        kind, reference = (source.extraction.author.kind, _reference_of(source)) if source else (NOTHING, NOTHING)
        title = source.title if source else NOTHING
        rows.append((tag, title, named, genres, read.get(tag), kind, reference))
    names = ("source", "title", "languages", "primary_genres", "records_read", "author_labels", "reference")
    schema = pl.Schema((name, pl.Int64() if name == "records_read" else pl.String()) for name in names)
    data = pl.DataFrame(rows, schema=schema, orient="row")
    columns = [Column(spaced(name), words=name != "records_read") for name in data.columns]
    note = "Records read are those of the raw files, before anything is filtered."
    notes = [note] if read else ["How many records were read is not stated."]
    return Table("sources", "Sources", columns, _rows(data), data, notes)


def licences_table(contents: Contents, sources: Mapping[str, Source]) -> Table:
    rows = []
    for tag, part in _by_source(contents.documents):
        source = sources.get(tag)
        tier = contents.tiers.get(tag) or (source.license.tier if source else None)
        licence = contents.licences.get(tag) or (source.license.name if source else None)
        rows.append((tag, licence or "not stated", tier or NOTHING, _PASSED_ON.get(tier or "", NOTHING), part.height))
    schema = {"source": pl.String, "licence": pl.String, "tier": pl.String, "passed_on": pl.String}
    data = pl.DataFrame(rows, schema={**schema, "documents": pl.Int64}, orient="row")
    columns = [Column(spaced(name), words=name != "documents") for name in data.columns]
    note = "Tier A: texts may be passed on under the licence; tier B: only where the source is had."
    return Table("licences", "Licences and tiers of the sources", columns, _rows(data), data, [note])


def _reference_of(source: Source) -> str:
    """Return the citation keys of a source's entry, or else its origin."""
    cited = source.entry.get("cite")
    keys = [cited] if isinstance(cited, Mapping | str) else list(cited or ())
    named = [str(one.get("key", "")) if isinstance(one, Mapping) else _bibtex_key(str(one)) for one in keys]
    return ", ".join(filter(None, named)) or source.acquire.where


def _bibtex_key(entry: str) -> str:
    """Return the key of a BibTeX entry; any other text is returned unchanged.

    >>> _bibtex_key("@article{schler2006, title = {Effects of age}}")
    'schler2006'
    """
    start = entry.strip()
    return start.partition("{")[2].partition(",")[0].strip() if start.startswith("@") else start


def resources_table(release: Release, contents: Contents) -> Table:
    """Return the features of other resources for authorship, and the measured features of this release."""
    entries: JsonMapping = read_yaml(shipped("text/related_benchmarks.yaml"))
    known = [
        (resource, str(one["year"]), {name: name in one["has"] for name in _PROPERTIES})
        for resource, one in entries.items()
    ]
    name = str(release.manifest.get("name") or release.folder.name)
    rows = [*known, (f"{name} (this release)", "", _measured(release, contents))]
    schema = {"resource": pl.String, "year": pl.String, **dict.fromkeys(_PROPERTIES, pl.String)}
    values = [(name, year, *(_YES if has[one] else _NO for one in _PROPERTIES)) for name, year, has in rows]
    data = pl.DataFrame(values, schema=schema, orient="row")
    columns = [Column(spaced(name), words=True) for name in data.columns]
    notes = [
        "Of others, what the AuthBench paper says. Of this release, measured: more than one language; more than one "
        f"primary genre; stated targets for lengths; {count(LARGE)} documents or more; more than one split; queries; "
        "pairs, stated or drawn by the evaluation."
    ]
    return Table("resources", "Resources for authorship", columns, _rows(data), data, notes)


def _measured(release: Release, contents: Contents) -> dict[str, bool]:
    documents, splits = contents.documents, contents.splits
    return {
        "multilingual": documents["lang"].n_unique() > 1,
        "multi_genre": documents["primary"].n_unique() > 1,
        "length_control": bool(release.setting("sample.lengths")),
        "large_scale": documents.height >= LARGE,
        "standard_splits": splits.height > 1,
        "attribution": bool(splits["queries"].sum()),
        "verification": bool(splits["positives"].sum()),
    }


def _by_source(documents: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    parts = [(str(tag), part) for (tag,), part in documents.group_by("source")]
    return sorted(parts, key=lambda one: (-one[1].height, one[0]))


def _rows(data: pl.DataFrame) -> list[Row]:
    return [Row([_cell(value) for value in row]) for row in data.iter_rows()]


def _cell(value: str | int | None) -> Cell:
    if isinstance(value, int):
        return Cell(count(value), float(value))
    return Cell(NOTHING if value is None else value)
