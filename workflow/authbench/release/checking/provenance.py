"""Check provenance.parquet: a row per document that agrees with it, without names or paths in any column."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import orjson
import polars as pl

from authbench.config.registry.load import list_entries
from authbench.config.registry.source_entry import PEOPLE, Source
from authbench.config.registry.sources import SOURCES, find_sources
from authbench.core.identity import author_id, sha256_of_text
from authbench.core.records import LANGUAGES
from authbench.core.storage.json_files import value_at
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.format.columns import LABELS, PROVENANCE
from authbench.release.format.manifest import Manifest

_BUCKETS = (("short", 1, 10), ("medium", 11, 100), ("long", 101, 500))
_WORDS_OF_A_NAME = 5


def check_provenance(release: Rows, provenance: pl.DataFrame, fixed_buckets: bool) -> Iterator[Finding]:
    """Yield documents without exactly one row, rows that disagree, and malformed values.

    Args:
        fixed_buckets: whether length buckets have the bounds of the format, the same for all languages.
    """
    yield from _check_values(provenance)
    yield from _check_ids(provenance, release.documents)
    yield from _check_labels(provenance, release.documents)
    yield from _check_buckets(provenance, fixed_buckets)
    entries = _entries({*provenance["source"].unique(), *release.manifest.get("licences", ())})
    by = value_at(release.manifest, ("config", "ingest", "author_ids"))
    spaces = {tag: one.extraction.author.identified_by(by).space_of(tag) for tag, one in entries.items()}
    yield from _check_names(provenance, spaces)
    yield from _check_licences(provenance, release.manifest, entries)


def _check_values(provenance: pl.DataFrame) -> Iterator[Finding]:
    for column in PROVENANCE.columns:
        if column.pattern and column.name in provenance.columns:
            name, form = column.name, re.compile(column.pattern)
            wrong = [value for value in provenance[name].drop_nulls().unique() if not form.fullmatch(value)]
            rows = provenance.filter(pl.col(name).is_in(wrong))
            for ident, value in zip(rows["id"], rows[name], strict=True):
                yield Finding("provenance_form", ident, f"{name} is {value!r:.60}")


def _check_ids(provenance: pl.DataFrame, documents: pl.DataFrame) -> Iterator[Finding]:
    ids, there = Counter(provenance["id"]), set(documents["id"])
    for ident in sorted(there - ids.keys()):
        yield Finding("provenance", ident, "a document without a row")
    for ident in sorted(ids.keys() - there):
        yield Finding("provenance", ident, "a row without a document")
    for ident, count in ids.items():
        if count > 1:
            yield Finding("provenance", ident, "several rows")


def _check_labels(provenance: pl.DataFrame, documents: pl.DataFrame) -> Iterator[Finding]:
    content = documents["content"]
    found = documents.drop("content").with_columns(
        char_length=content.str.len_chars().cast(pl.Int64),
        content_sha256=pl.Series([sha256_of_text(text) for text in content], dtype=pl.String),
    )
    stated = ("split", "author_id", "lang", "genre", "source", "token_length", "char_length", "content_sha256")
    both = found.join(provenance.select("id", *stated), on="id", suffix="_stated").sort("id")
    for column in stated:
        for ident in both.filter(pl.col(column).ne_missing(pl.col(f"{column}_stated")))["id"]:
            yield Finding("provenance", ident, f"{column} of {ident}")


def _check_buckets(provenance: pl.DataFrame, fixed: bool) -> Iterator[Finding]:
    """Yield documents in a wrong length bucket; buckets that are quantiles do not overlap within a language."""
    if fixed:
        for ident, tokens, stated in provenance.select("id", "token_length", "length_bucket").iter_rows():
            if stated != bucket_of(tokens):
                yield Finding("provenance", ident, f"length_bucket of {ident}")
        return
    order = {"short": 0, "medium": 1, "long": 2, "extra_long": 3}
    for _, part in provenance.sort("lang", "token_length", "id").group_by("lang", maintain_order=True):
        most = -1
        for _, same in part.group_by("token_length", maintain_order=True):
            ranks = [order.get(bucket, -1) for bucket in same["length_bucket"]]
            if len(set(ranks)) > 1 or ranks[0] < most:
                yield from (Finding("provenance", ident, f"length_bucket of {ident}") for ident in same["id"])
            most = max(most, *ranks)


def bucket_of(tokens: int) -> str:
    """Return the length bucket of the format."""
    return next((name for name, least, most in _BUCKETS if least <= tokens <= most), "extra_long")


def _check_names(provenance: pl.DataFrame, space_of: Mapping[str, str]) -> Iterator[Finding]:
    """Yield authors of several spaces, and documents whose topic or group contains words of the author's id.

    Only pseudonyms without a key can be computed again. A space of authors is a source, or, by source, `space_of` it.
    """
    spaces = sorted({*provenance["source"].unique(), *space_of.values()})
    languages = sorted({*LANGUAGES, *provenance["lang"].unique()})
    people = [f"{PEOPLE}/{lang}" for lang in languages] if PEOPLE in spaces else []
    sources = provenance.group_by("author_id").agg(pl.col("source").unique().sort()).sort("author_id")
    for author, own in sources.filter(pl.col("source").list.len() > 1).iter_rows():
        if len({space_of[tag] for tag in own if tag in space_of}) > 1:
            yield Finding("author_space", author, f"{author[:8]}...: {' and '.join(own)}")
    for column in ("author_group", "topic"):
        for words, authors in provenance.drop_nulls(column).group_by(column).agg("author_id").sort(column).iter_rows():
            named = {author_id(space, name) for space in spaces for name in _parts(words)}
            named |= {author_id(space, name) for space in people for name in _parts(words.casefold())}
            named.intersection_update(authors)
            for author in sorted(named):
                for ident in provenance.filter((pl.col(column) == words) & (pl.col("author_id") == author))["id"]:
                    yield Finding("raw_name", ident, f"{column} of {ident}")
    name, form = LABELS.name, re.compile(LABELS.pattern or "")
    if name in provenance.columns:
        for stated, authors in provenance.drop_nulls(name).group_by(name).agg("author_id").sort(name).iter_rows():
            words = list(orjson.loads(stated).values()) if form.fullmatch(stated) else []
            if {author_id(space, one) for space in spaces for one in words}.intersection(authors):
                for ident in provenance.filter(pl.col(name) == stated)["id"]:
                    yield Finding("raw_name", ident, f"{name} of {ident}")


def _parts(text: str) -> Iterable[str]:
    """Return all runs of a few words of a text."""
    words = text.split()[:40]
    runs = (
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + _WORDS_OF_A_NAME, len(words)) + 1)
    )
    return dict.fromkeys(chain([text], runs))


def _check_licences(provenance: pl.DataFrame, manifest: Manifest, entries: Mapping[str, Source]) -> Iterator[Finding]:
    """Yield documents whose licence or tier differs from the manifest, and sources opened against their entry."""
    if (stated := manifest.get("licences")) is None:
        return
    for source, licence, tier, ids in (
        provenance.group_by("source", "licence", "tier", maintain_order=True).agg("id").iter_rows()
    ):
        if stated.get(source) != {"name": licence, "tier": tier}:
            yield from (Finding("licence", ident, f"{source}: {licence}, {tier}") for ident in ids)
    for source, terms in stated.items():
        if source in entries and entries[source].license.tier == "B" and terms["tier"] != "B":
            yield Finding("licence", source, f"{source} is of tier B, as its entry says")


def _entries(tags: Iterable[str]) -> dict[str, Source]:
    """Return the entries, the user's or shipped, of the sources that have an entry."""
    known = list_entries(SOURCES).keys() & set(tags)
    return find_sources(sorted(known)) if known else {}
