"""Write the benchmark as a dataset of STEB's author retrieval per language.

The files equal those that STEB's `scripts/prepare_authbench.py` makes of a published AuthBench, at its paths below the
root of STEB: `raw_datasets/authbench_attribution_<lang>/authbench_attribution_<lang>.jsonl`, all queries before all
candidates, and `steb/steb_datasets/authbench_attribution_<lang>/config.json`. Only the split `test` of the release is
included, or the last if no split has that name.

STEB has no documents: all texts of an author on a side become a single vector, and any target of the author answers. If
a text of a query is also a candidate's, STEB does not remove it from its author's target.
"""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import polars as pl

from authbench.config.languages import language_name
from authbench.config.settings.publish import Publish
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.records import LENGTH_BUCKETS, length_bucket_expr, primary_genre
from authbench.core.storage.atomic import write_text
from authbench.core.words import plural
from authbench.publish.export.card import evaluated_split, write_card
from authbench.release.format.columns import GROUND_TRUTH, QUERIES
from authbench.release.format.release import Release
from authbench.release.format.tables import concat

_WARNING = (
    "**{authors} asked for by a text that is also part of the answer.** STEB does not remove it, which raises scores. "
    "Build the release with `release.queries_in_candidates: false` for scores that others can be compared with."
)
_APART = "No query's text is among its author's candidates."


def write_steb(folder: Path, release: Release, about: Publish) -> None:
    """Write the datasets of all languages and a card; warn if queries are also candidates.

    Memory: a batch of texts, and a digest of each query.
    """
    split = evaluated_split(release)
    counts = write_datasets(folder, release, split)
    within = sum(count["within"] for count in counts.values())
    authors = plural(within, "author is", "authors are")
    if within:
        logging.getLogger("authbench").warning(
            f"{authors} asked for by a text that is also part of the answer: STEB does not take a query out of its "
            "author's candidates. Set release.queries_in_candidates: false and build again for scores without them."
        )
    rows = [
        f"| {language_name(lang)} | "
        + " | ".join(f"{count[name]:,}" for name in ("queries", "candidates", "authors", "within"))
        + " |"
        for lang, count in sorted(counts.items())
    ]
    warning = _WARNING.format(authors=authors) if within else _APART
    write_card(folder, release, about, "steb", split=split, rows="\n".join(rows), warning=warning)


def write_datasets(folder: Path, release: Release, split: str) -> Mapping[str, Counter[str]]:
    """Write the files of each language, and return the counts of each language.

    Returns:
        By language its `queries`, `candidates` and `authors` of queries, and `within`, the authors with a text among
        both their queries and their candidates.

    Raises:
        InputError: a text has no tokens, for which STEB has no bucket of lengths.
    """
    truth = concat(release.rows(split, GROUND_TRUTH), GROUND_TRUTH).select("query_id", "author_id")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    genres: dict[str, set[str]] = defaultdict(set)
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)  # digests of texts by language and author
    with ExitStack() as stack:
        files: dict[str, IO[str]] = {}
        for batch, kind in _batches(release, split, truth):
            for row in batch.iter_rows(named=True):
                lang, author = row["lang"], (row["lang"], row["author_id"])
                if lang not in files:
                    place = folder / "raw_datasets" / _name(lang)
                    place.mkdir(parents=True)
                    file = (place / f"{_name(lang)}.jsonl").open("w", encoding="utf-8")
                    files[lang] = stack.enter_context(file)
                record = steb_record(row, is_query=kind == "queries")
                files[lang].write(json.dumps(record) + "\n")
                genres[lang].add(record["primary_genre"])
                counts[lang][kind] += 1
                if kind == "queries":
                    counts[lang]["authors"] += author not in asked
                    asked[author].add(sha256_of_text(row["content"]))
                elif author in asked and sha256_of_text(row["content"]) in asked[author]:
                    counts[lang]["within"] += 1
                    del asked[author]
    for lang, found in genres.items():
        place = folder / "steb" / "steb_datasets" / _name(lang) / "config.json"
        place.parent.mkdir(parents=True)
        write_text(place, json.dumps(_config(lang, sorted(found)), indent=2) + "\n")
    return counts


def _batches(release: Release, split: str, truth: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, str]]:
    """Yield the queries that have an author, in the order of their file, then the candidates."""
    bucket = length_bucket_expr(pl.when(pl.col("token_length") > 0).then("token_length")).alias("length_bucket")
    for batch in release.rows(split, QUERIES):
        asked = batch.join(truth, on="query_id", how="inner", maintain_order="left")
        yield asked.with_columns(bucket), "queries"
    for batch in release.candidates(split):
        yield batch.with_columns(bucket), "candidates"


def steb_record(row: JsonMapping, is_query: bool) -> JsonObject:
    """Return a text in the form of STEB's loader.

    Raises:
        InputError: the text has no tokens, for which STEB has no bucket.
    """
    if row["length_bucket"] not in LENGTH_BUCKETS:
        raise InputError(
            f"{row.get('query_id') or row.get('candidate_id')}: token_length is {row['token_length']}. Expected at "
            "least 1: STEB has no bucket of lengths for a text without tokens."
        )
    return {
        "text": row["content"],
        "label": row["author_id"],
        "is_query": is_query,
        "genre": row["genre"],
        "primary_genre": primary_genre(row["genre"]),
        "length_bucket": row["length_bucket"],
    }


def _name(lang: str) -> str:
    return f"authbench_attribution_{lang}"


def _config(lang: str, genres: list[str]) -> JsonObject:
    """Return STEB's config of a dataset, with a score for each length of queries and each genre as a pool."""
    lengths = {
        f"length_{bucket}": {"field": "length_bucket", "value": bucket, "sides": "query"} for bucket in LENGTH_BUCKETS
    }
    pools = {f"topic_pool_{genre}": {"field": "primary_genre", "value": genre, "sides": "both"} for genre in genres}
    return {
        "dataset_name": _name(lang),
        "type": "custom",
        "data_dir": _name(lang),
        "loader_module": "steb.loaders.retrieval",
        "loader_function": "default_retrieval_loader",
        "record_handler": {
            "text_getter": "text",
            "label_getter": "label",
            "custom_record_handler_function": "default_retrieval_record_handler",
        },
        "tasks": {"retrieval": {"submetrics": lengths | pools}},
    }
