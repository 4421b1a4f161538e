"""Count the documents of authors, works and quotas again, and compare the targets with the settings."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import cast

import polars as pl

from authbench.config.settings.sample import Sample
from authbench.core.errors import InputError
from authbench.core.storage.json_files import value_at
from authbench.release.checking.claims import Finding
from authbench.release.checking.provenance import bucket_of
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Rules
from authbench.release.format.deviation import AllDocuments, Deviation, DeviationRow
from authbench.release.format.files import MANIFEST
from authbench.release.format.release import read_deviation


def check_units(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield authors and origins across splits, and wrong numbers of documents (a takedown may leave fewer)."""
    documents = release.documents.filter(pl.col("author_id").is_not_null())
    if rules.unit == "author":
        yield from _across("author_in_splits", documents.select("author_id", "split"))
    provenance = release.provenance
    if provenance is not None:
        yield from _across("origin_in_splits", provenance.select("origin", "split").drop_nulls())
    sizes = documents.group_by("lang", "source", "author_id").len().sort("lang", "source", "author_id")
    for lang, source, author, count in sizes.iter_rows():
        if count < rules.min_documents and not rules.may_have_lost(author):
            yield Finding("too_few_documents", author, f"{count} of {lang} {source}, least {rules.min_documents}")
        if count > rules.max_documents:
            yield Finding("too_many_documents", author, f"{count} of {lang} {source}, most {rules.max_documents}")


def _across(code: str, table: pl.DataFrame) -> Iterator[Finding]:
    unit = table.columns[0]
    spread = table.unique().group_by(unit).agg(pl.col("split").sort()).filter(pl.col("split").list.len() > 1).sort(unit)
    for ident, splits in spread.iter_rows():
        yield Finding(code, ident, " and ".join(splits))


_OTHER_GENRES = "(no target)"
Place = tuple[str, ...]
Stated = AllDocuments | DeviationRow


def check_quotas(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield cells of sampling_deviation.json that disagree; only documents taken down may be missing.

    Raises:
        InputError: the file or the settings of the sample are malformed.
    """
    deviation = read_deviation(release.folder)
    if not deviation:
        return
    rows = _rows(deviation)
    yield from _check_taken(deviation, rows, release, rules)
    if "authbench" in release.manifest:
        if not isinstance(sample := value_at(release.manifest, ("config", "sample")), Mapping):
            yield Finding("quota", "config.sample", "manifest.json has no config.sample to compare targets with")
            return
        try:
            yield from _check_targets(deviation, rows, cast(Sample, sample))
        except (KeyError, TypeError, AttributeError, ValueError) as problem:
            raise InputError(f"{release.folder / MANIFEST}: config.sample is not in its form ({problem!r})") from None


def _rows(deviation: Deviation) -> dict[Place, Stated]:
    """Return the statements about all documents, each language, and each length and genre of a language."""
    rows: dict[Place, Stated] = {("documents",): deviation["documents"]}
    rows |= {("language", row["language"]): row for row in deviation["languages"]}
    return rows | {(row["dimension"], row["language"], row["key"]): row for row in deviation["cells"]}


def _check_taken(deviation: Deviation, rows: Mapping[Place, Stated], release: Rows, rules: Rules) -> Iterator[Finding]:
    there = _count(release, rules)
    dimensions = {key[0] for key in rows}
    for key in sorted(rows.keys() | {key for key in there if key[0] in dimensions}):
        stated = rows[key]["taken"] if key in rows else 0
        spare = stated - there[key]
        if spare < 0 or spare > rules.taken_down or (key == ("documents",) and spare != rules.taken_down):
            yield Finding("quota", " ".join(key), f"{' '.join(key)}: says {stated}, there are {there[key]}")
    if not rules.taken_down:
        sizes = release.documents.group_by("lang", "source", "author_id").len()["len"]
        fewer = int((sizes < rules.usual_documents).sum())
        if fewer != deviation["fallback_authors"]:
            yield Finding("quota", "fallback_authors", f"says {deviation['fallback_authors']}, there are {fewer}")


def _count(release: Rows, rules: Rules) -> Counter[Place]:
    """Return the number of documents in each place that a row may be about."""
    buckets: dict[str, str] = {}
    provenance = release.provenance
    if provenance is not None:
        buckets = dict(provenance.select("id", "length_bucket").iter_rows())
    there: Counter[Place] = Counter()
    for ident, lang, genre, tokens in release.documents.select("id", "lang", "genre", "token_length").iter_rows():
        bucket = (buckets.get(ident) or "?") if buckets else bucket_of(tokens)
        pattern = _pattern(genre, rules.genres.get(lang, {}))
        there.update([("documents",), ("language", lang), ("length", lang, bucket), ("genre", lang, pattern)])
    return there


def _pattern(genre: str, patterns: Mapping[str, float]) -> str:
    """Return the pattern that a genre counts for: the matching pattern with most characters before its wildcard."""
    fits = [one for one in patterns if fnmatchcase(genre, one) or one.removesuffix("/*") == genre]
    return max(fits, key=lambda one: (one.find("*") if "*" in one else len(one), "*" not in one), default=_OTHER_GENRES)


def _check_targets(deviation: Deviation, rows: Mapping[Place, Stated], sample: Sample) -> Iterator[Finding]:
    """Yield targets that do not follow from the settings and each other, and wrong differences."""
    if deviation["documents"]["target"] != sample["documents"]:
        yield Finding("quota", "documents", f"target {deviation['documents']['target']}, not {sample['documents']}")
    for key, row in rows.items():
        if "deficit" in row and row["deficit"] != (None if row["target"] is None else row["target"] - row["taken"]):
            yield Finding("quota", " ".join(key), f"{' '.join(key)}: deficit {row['deficit']}")
    languages = {key[1]: row for key, row in rows.items() if key[0] == "language"}
    for language, target in _language_targets(languages, deviation["documents"]["taken"], sample).items():
        stated = languages[language]["target"] if language in languages else 0
        if stated != target:
            yield Finding("quota", f"language {language}", f"language {language}: target {stated}, not {target}")
    yield from _check_shortfall(languages, sample)
    for language, row in languages.items():
        # Documents that splitting left out still count for the targets of lengths and genres.
        for dimension, shares in (("length", sample["lengths"]), ("genre", (sample["genres"] or {}).get(language))):
            cells = {key[2]: cell["target"] for key, cell in rows.items() if key[:2] == (dimension, language)}
            if not shares:
                for cell, stated in cells.items():
                    if stated is not None:
                        place = f"{dimension} {language} {cell}"
                        yield Finding("quota", place, f"{place}: target {stated}, not None")
                continue
            total = sum(target or 0 for target in cells.values())
            if total < row["taken"]:
                yield Finding(
                    "quota", f"{dimension} {language}", f"{dimension} {language}: targets are {total} together"
                )
            for cell, target in _whole(total, shares).items():
                if cells.get(cell, 0) != target:
                    place = f"{dimension} {language} {cell}"
                    yield Finding("quota", place, f"{place}: target {cells.get(cell, 0)}, not {target}")
    targeted = [row for row in deviation["cells"] if row["target"] is not None]
    reached = math.fsum(abs((row["target"] or 0) - row["taken"]) for row in targeted)
    if deviation["bound"]["reached"] != reached:
        yield Finding("quota", "bound", f"reached {deviation['bound']['reached']}, not {reached}")


def _language_targets(languages: Mapping[str, Stated], documents: int, sample: Sample) -> dict[str, int | None]:
    """Return the targets that follow from the settings; shares without a number apply to the documents selected.

    This number is the sum of the targets: at least the documents in the release, as splitting may have left some out.
    """
    if sample["languages"] is None:
        return dict.fromkeys(languages)
    stated = sum(row["target"] or 0 for row in languages.values())
    number = max(stated, documents) if sample["documents"] is None else sample["documents"]
    return {**_whole(number, sample["languages"])}


def _check_shortfall(languages: Mapping[str, Stated], sample: Sample) -> Iterator[Finding]:
    """Yield languages that took more of other languages' shortfall than `sample.shortfall` allows."""
    rule = sample.get("shortfall")
    if not isinstance(rule, Mapping) or sample["documents"] is None or sample["languages"] is None:
        return
    shares = sum(sample["languages"].values())
    for language, row in languages.items():
        own = sample["documents"] * sample["languages"].get(language, 0) / shares
        if row["taken"] > max(row["target"] or 0, rule["fill_up_to"] * own):
            yield Finding(
                "quota", f"language {language}", f"language {language}: {row['taken']} of a share of {own:.0f}"
            )


def _whole(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return the whole numbers nearest to the shares of a total; the rest goes where the remainder is largest."""
    shares = {key: share for key, share in shares.items() if share}
    exact = {key: total * share / sum(shares.values()) for key, share in shares.items()}
    whole = {key: math.floor(value) for key, value in exact.items()}
    for key in sorted(shares, key=lambda key: (whole[key] - exact[key], key))[: total - sum(whole.values())]:
        whole[key] += 1
    return whole
