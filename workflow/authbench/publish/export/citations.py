"""State the licences of a published benchmark, and cite it and the corpora of its texts."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import polars as pl

from authbench.config.registry.citations import bibliography, default_citation, keys_by_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.licences import spdx_identifier
from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonMapping
from authbench.core.shipped import shipped
from authbench.core.storage.atomic import write_text
from authbench.release.format.files import CITATIONS
from authbench.release.format.manifest import StatedSource
from authbench.release.format.release import Release

LICENCES = pl.Schema(
    dict.fromkeys(("source", "licence", "spdx", "tier"), pl.String)
    | dict.fromkeys(("documents", "authors"), pl.Int64)
    | {"texts_here": pl.Boolean}
)


@cache
def names_elsewhere() -> JsonMapping:
    """Return what others call what a release has (resources/text/publishing.yaml)."""
    return read_yaml(shipped("text/publishing.yaml"))


def licence_table(release: Release) -> pl.DataFrame:
    """Return the terms of every source (LICENCES), with its texts here and the texts that a public bundle withholds."""
    terms, rows = release.manifest["licences"], []
    for here, documents in ((True, release.described), (False, release.absent)):
        counts = documents.group_by("source", "licence", "tier").agg(pl.len(), pl.col("author_id").n_unique())
        for source, licence, tier, number, authors in counts.sort("source").iter_rows():
            name = terms[source]["name"] if source in terms else licence
            rows.append((source, name, spdx_identifier(name), tier, number, authors, here))
    return pl.DataFrame(rows, schema=LICENCES, orient="row").sort("source", "texts_here", descending=[False, True])


def licences_here(release: Release) -> pl.DataFrame:
    """Return the terms of every source whose texts are in a release or bundle; if it has no text, of all sources."""
    table = licence_table(release)
    return table.filter("texts_here") if table["texts_here"].any() else table


def terms_here(release: Release) -> Iterator[tuple[str, str, str]]:
    """Yield the identifier, the name and the address at SPDX of each licence of `licences_here`."""
    terms = licences_here(release).select("spdx", "licence").unique().sort("spdx", "licence")
    yield from ((spdx, name, f"https://spdx.org/licenses/{spdx}") for spdx, name in terms.iter_rows())


def sources_here(release: Release) -> list[str]:
    return sorted(set(licences_here(release)["source"]))


def stated(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values that are not empty."""
    return {name: value for name, value in values.items() if value}


def source_facts(release: Release, tag: str) -> StatedSource:
    """Return the manifest's statements about a source.

    Earlier releases have none: then the tag is the title, and the basis is empty.
    """
    stated = (release.manifest.get("sources") or {}).get(tag)
    return stated or {"title": tag, "citation": default_citation(tag, tag), "legal_basis": ""}


def citations_of(release: Release) -> dict[str, str]:
    """Return the citation of each source whose texts are here."""
    return {tag: source_facts(release, tag)["citation"] for tag in sources_here(release)}


def citation_keys(release: Release) -> dict[str, list[str]]:
    """Return by source, including withheld sources, the keys of its works in CITATIONS.bib."""
    tags = set(licence_table(release)["source"])
    return keys_by_source({tag: source_facts(release, tag)["citation"] for tag in tags})


def write_citations(folder: Path, release: Release) -> None:
    """Write CITATIONS.bib, unless the folder already has the release's file."""
    if not (folder / CITATIONS).exists():
        write_text(folder / CITATIONS, bibliography(citations_of(release)))


def own_citation(name: str, about: Publish) -> str:
    """Return the BibTeX entry of the benchmark itself."""
    key = "".join(sign for sign in f"{name}{about['version']}" if sign.isalnum() and sign.isascii()).lower()
    fields = {
        "title": name.replace("_", "\\_"),
        "author": " and ".join(f"{{{one}}}" for one in about["creators"]),
        "year": about["date"][:4] if about["date"] else None,
        "version": about["version"],
        "publisher": about["publisher"],
        "doi": about["doi"],
        "url": about["url"],
    }
    lines = [f"  {field} = {{{value}}}" for field, value in stated(fields).items()]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
