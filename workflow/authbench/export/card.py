"""Write the card of a folder: what a user must know who finds the benchmark elsewhere.

It has a header that hubs read, a data statement (Bender and Friedman, 2018), counts per language, terms, intended and
excluded uses, and a contact for removal requests.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl
import yaml

from authbench.export.citations import citation_keys, own_citation
from authbench.export.hub import terms
from authbench.export.licences import licence_table
from authbench.format.release import Release
from authbench.presentation.pages import environment
from authbench.records import LANGUAGES, primary_genre
from authbench.settings.publish import Publish
from authbench.words import language_name

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGER = "n>10M"


def write_card(release: Release, about: Publish, usage: str, header: Mapping[str, object] | None = None) -> str:
    """Return the README.md of a folder: `usage` explains its contents and how to read it, `header` is its YAML."""
    licences = licence_table(release)
    templates = environment(markdown=True)
    templates.filters["count"] = lambda number: f"{number:,}"
    body = templates.get_template("card.md.j2").render(
        name=release.name,
        about=about,
        usage=usage.strip(),
        manifest=release.manifest,
        withheld=release.withheld,
        unverified=release.unverified,
        tier_b=release.tier_b,
        absent=release.absent.height,
        documents=release.described.height,
        splits=list(release.splits),
        languages=_languages(release),
        genres=_genres(release),
        kinds=_kinds(release),
        licences=licences.to_dicts(),
        cited=citation_keys(release),
        citation=own_citation(release.name, about).replace("```", "'''"),  # in a fence
        own_names=release.described["names_author"].mean() or 0.0,
        dated=_dates(release),
        classics=[tag for tag, fame in sorted(release.manifest.get("fame", {}).items()) if fame == "classic"],
    )
    front = yaml.safe_dump(dict(header), sort_keys=False, allow_unicode=True, width=1000) if header else ""
    return f"---\n{front}---\n\n{body}" if front else body


def hub_header(release: Release, configs: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return the YAML header of a card in the fields of the Hugging Face hub."""
    here = set(release.described["lang"].unique())
    found = [*(lang for lang in LANGUAGES if lang in here), *sorted(here - set(LANGUAGES))]
    licences = licence_table(release).filter("texts_here")["spdx"].unique().sort().to_list()
    return {
        "pretty_name": release.name,
        **terms(licences),
        "language": [lang for lang in found if lang != "other"],
        "multilinguality": ["multilingual" if len(found) > 1 else "monolingual"],
        "size_categories": [_size_category(release.described.height)],
        "task_categories": ["text-retrieval", "text-classification"],
        "annotations_creators": ["found"],
        "language_creators": ["found"],
        "source_datasets": ["extended"],
        "tags": ["authorship", "authorship-attribution", "authorship-verification", "stylometry"],
        "configs": configs,
        **more,
    }


def _size_category(documents: int) -> str:
    """Return the hub's name for a number of rows.

    >>> _size_category(799), _size_category(300_000)
    ('n<1K', '100K<n<1M')
    """
    return next((name for limit, name in _SIZES if documents < limit), _LARGER)


def _languages(release: Release) -> list[dict[str, Any]]:
    """Return for every language its name, its documents in total and in each split, and its authors."""
    return _counted(release, pl.col("lang"), language_name)


def _genres(release: Release) -> list[dict[str, Any]]:
    """Return the same for every primary genre."""
    return _counted(
        release, pl.col("genre").map_elements(primary_genre, pl.String), lambda genre: genre.replace("_", " ")
    )


def _counted(release: Release, part: pl.Expr, name: Any) -> list[dict[str, Any]]:
    of_splits = [(pl.col("split") == split).sum().alias(f"in {split}") for split in release.splits]
    table = (
        release.described.with_columns(part.alias("part"))
        .group_by("part")
        .agg(pl.len().alias("documents"), pl.col("author_id").n_unique().alias("authors"), *of_splits)
        .sort("documents", "part", descending=[True, False])
    )
    return [{**row, "name": name(row["part"])} for row in table.to_dicts()]


def _kinds(release: Release) -> list[tuple[str, int]]:
    """Return the kinds of author labels, each with its number of documents."""
    counts = release.described.group_by("author_kind").len().sort("len", "author_kind", descending=[True, False])
    return list(counts.iter_rows())


def _dates(release: Release) -> tuple[str, str] | None:
    """Return the first and the last year of the documents, if any has a date."""
    years = release.described["date"].drop_nulls().str.extract(r"^(\d{4})").drop_nulls()
    return (str(years.min()), str(years.max())) if len(years) else None
