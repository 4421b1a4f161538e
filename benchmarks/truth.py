"""What does a release measure: who wrote a text, or something else?

    PYTHONPATH=workflow python benchmarks/truth.py results/<name>/release results/<name>/evaluate [--out FILE.md]

Reads a release and the results of models on one of its splits (`evaluate/` of a build, or the folder that `authbench
evaluate` wrote) and prints each claim with its target, what was measured, and whether it is met. Nothing is measured
that the files do not hold; a claim that cannot be checked says why. What needs the whole build (possibly equal persons)
is read from the folder above the release, where there is one. `--documents` and `--scored` are targets of a size;
`--drops` names what people found of dropped texts (`benchmarks/drops.py`).
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.build.normalize.doubled import first_of_two, suspected
from authbench.config.registry.load import list_entries
from authbench.config.registry.sources import SOURCES, find_sources
from authbench.core.dates import middle_day
from authbench.reports.leaderboard.topic import rows_by_source
from authbench.scoring.evaluation.released import COUNTS, HEADLINES
from authbench.scoring.evaluation.scores import LEAST_AUTHORS as FEWEST_AUTHORS
from authbench.scoring.metrics.significance import holm

LEAST_AUTHORS = 10  # of a source that a claim is about
TIMED_AUTHORS = 100
LEVEL = 0.05
CHARACTERS = "char-ngram"
UNKNOWN = "not in these files"


@dataclass(frozen=True)
class Row:
    """A claim, what it should be, what is measured, and whether it is met (None: it cannot be told)."""

    claim: str
    target: str
    measured: str
    met: bool | None


@dataclass(frozen=True)
class Build:
    """A release and results of models on one split of it, by the models' names."""

    release: Path
    scores: Mapping[str, Mapping[str, Any]]
    queries: Mapping[str, pl.DataFrame]

    @property
    def split(self) -> str:
        return str(next(iter(self.scores.values()))["benchmark"]["split"])

    @property
    def manifest(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads((self.release / "manifest.json").read_text(encoding="utf-8"))
        return found

    def provenance(self) -> pl.DataFrame:
        return pl.read_parquet(self.release / "provenance.parquet")

    def mean(self, model: str, score: str, where: pl.Expr | None = None) -> tuple[float, int]:
        """Return the mean over authors of a score, each group of an author counting alike, and how many authors."""
        table = self.queries[model]
        if score not in table.columns:
            return math.nan, 0
        groups = COUNTS[score] or ""
        weight = pl.col(groups) if groups in table.columns else pl.lit(1.0)
        asked = (table if where is None else table.filter(where)).with_columns(weight=weight).drop_nulls(score)
        asked = asked.filter(pl.col("weight") > 0)
        value = (pl.col(score).cast(pl.Float64) * pl.col("weight")).sum() / pl.col("weight").sum()
        authors = asked.group_by("author_id").agg(value.alias("value"))["value"]
        return (math.nan if authors.is_empty() else math.fsum(authors) / len(authors)), len(authors)


def read_build(release: Path, results: Path) -> Build:
    found, queries = {}, {}
    for path in sorted(results.glob("*/scores.json")):
        scores = json.loads(path.read_text(encoding="utf-8"))
        found[scores["model"]["name"]] = scores
        queries[scores["model"]["name"]] = pl.read_parquet(path.with_name("queries.parquet"))
    if not found:
        raise SystemExit(f"{results}: no <model>/scores.json in it. Evaluate models on the release first.")
    return Build(release, found, queries)


def number(value: float, digits: int = 3) -> str:
    if math.isnan(value):
        return UNKNOWN
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def metadata_is_blind(build: Build) -> Iterator[Row]:
    if "metadata" not in build.scores:
        yield Row("`metadata`, auc_matched", ".50 ± .02", UNKNOWN, None)
        return
    value, authors = build.mean("metadata", "auc_matched")
    met = None if math.isnan(value) else abs(value - 0.5) <= 0.02
    yield Row("`metadata`, auc_matched, overall", ".50 ± .02", f"{number(value)} ({authors} authors)", met)
    sources = {}
    for source in build.queries["metadata"]["source"].unique().sort():
        of_source, many = build.mean("metadata", "auc_matched", pl.col("source") == source)
        if many >= LEAST_AUTHORS:
            sources[source] = of_source
    claim = f"`metadata`, auc_matched, in every source with ≥ {LEAST_AUTHORS} authors"
    if not sources:
        yield Row(claim, ".50 ± .04", "no source has so many", None)
        return
    worst = max(sources, key=lambda source: abs(sources[source] - 0.5))
    span = f"{number(min(sources.values()))}-{number(max(sources.values()))} in {len(sources)}; furthest: {worst}"
    yield Row(claim, ".50 ± .04", span, all(abs(value - 0.5) <= 0.04 for value in sources.values()))


def topics_are_blind(build: Build) -> Iterator[Row]:
    """Yield what each measure of topic tells in pairs matched in topic, of which the first defines the match."""
    for model, far in (("content-words", 0.02), ("topic-model", 0.03), ("content-characters", 0.03)):
        value, _ = build.mean(model, "auc_topic") if model in build.scores else (math.nan, 0)
        met = None if math.isnan(value) else abs(value - 0.5) <= far
        yield Row(f"`{model}`, auc_topic", f".50 ± {number(far, 2)}", number(value), met)
    if "content-words" in build.scores:
        rows = rows_by_source("content-words", build.queries["content-words"], 0)[1:]
        sure = [
            row["source"] for row, p in zip(rows, holm(np.array([row["p"] for row in rows])), strict=True) if p < LEVEL
        ]
        values = [row["value"] for row in rows] or [math.nan]
        told = f"{number(min(values))}-{number(max(values))} in {len(rows)}; others: {', '.join(sure) or 'none'}"
        claim = f"`content-words`, auc_topic, in every source with ≥ {FEWEST_AUTHORS} authors, after Holm"
        yield Row(claim, "includes .50", told, not sure if rows else None)
    for model in ("masked", CHARACTERS):
        claim = f"`{model}` above the best shortcut in auc_topic, after Holm"
        yield gain_row(build, model, "auc_topic", claim, 0.0)


def dates_are_blind(build: Build) -> Iterator[Row]:
    """Yield what dates tell in pairs matched in time, and how many of the pairs with two dates can be matched."""
    value, authors = build.mean("date", "auc_time") if "date" in build.scores else (math.nan, 0)
    met = None if math.isnan(value) else abs(value - 0.5) <= 0.03 and authors >= TIMED_AUTHORS
    claim = f"`date`, auc_time, over ≥ {TIMED_AUTHORS} authors"
    yield Row(claim, ".50 ± .03", f"{number(value)} ({authors} authors)", met)
    folder, claim = build.release / build.split, "dated positives that are matched in time"
    if not (folder / "pairs.parquet").is_file():
        yield Row(claim, "≥ 60 %", UNKNOWN, None)
        return
    dates = build.provenance().select("id", day=middle_day("date")).drop_nulls()["id"].implode()
    positives = read_lines(folder / "ground_truth.jsonl").select("query_id", "positive_ids").explode("positive_ids")
    dated = positives.filter(pl.col("query_id").is_in(dates), pl.col("positive_ids").is_in(dates)).height
    pairs = pl.read_parquet(folder / "pairs.parquet")
    kept = pairs.filter(pl.col("pool") == "time_matched", pl.col("same")).height
    met = kept >= 0.6 * dated if dated else None
    yield Row(claim, "≥ 60 %", f"{kept:,} of {dated:,}", met)


def format_of_editions(build: Build) -> Iterator[Row]:
    known = list_entries(SOURCES)
    tags = [tag for tag in used_sources(build) if tag in known]
    edited = [tag for tag, source in find_sources(tags).items() if source.text == "edited"] if tags else []
    claim = "`format`, auc_matched, in edited sources"
    if "format" not in build.scores or not edited:
        yield Row(claim, "≤ .60", "no edited source" if not edited else UNKNOWN, None)
        return
    value, authors = build.mean("format", "auc_matched", pl.col("source").is_in(edited))
    single = {}
    for source in edited:
        of_source, many = build.mean("format", "auc_matched", pl.col("source") == source)
        if many >= LEAST_AUTHORS:
            single[source] = of_source
    each = "; ".join(f"{source} {number(found)}" for source, found in sorted(single.items()))
    measured = f"{number(value)} over {authors} authors" + (f" ({each})" if each else "")
    yield Row(claim, "≤ .60", measured, None if math.isnan(value) else value <= 0.6)


def used_sources(build: Build) -> list[str]:
    return sorted(next(iter(build.queries.values()))["source"].unique())


def gain_row(build: Build, model: str, score: str, claim: str, least: float) -> Row:
    target = "excludes 0" + (f", ≥ +{number(least, 2)}" if least else "")
    gain = (build.scores.get(model, {}).get("headline", {}).get(score) or {}).get("gain")
    if not gain or "low" not in gain:
        return Row(claim, target, UNKNOWN, None)
    told = f"{gain['value']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}] over {gain['against']}, p {gain['p']:.4f}"
    return Row(claim, target, told, gain["low"] > 0 and gain["p"] < LEVEL and gain["value"] >= least)


def best_gains(build: Build) -> Iterator[Row]:
    for score in HEADLINES:
        values = {
            model: one["headline"][score]["value"]
            for model, one in build.scores.items()
            if (one.get("headline", {}).get(score) or {}).get("gain")
        }
        claim = f"gain of the best model, {score}"
        if not values:
            yield Row(claim, "excludes 0", UNKNOWN, None)
            continue
        best = max(sorted(values), key=lambda model: values[model])
        row = gain_row(build, best, score, claim, 0.05 if score == "auc_matched" else 0.0)
        yield Row(claim, row.target, f"{best} {number(values[best])}: {row.measured}", row.met)


def same_work(build: Build) -> Iterator[Row]:
    truth = read_lines(build.release / build.split / "ground_truth.jsonl")
    path = build.release / build.split / "positives.parquet"
    claim = "scored positives from the same work"
    if not path.is_file():
        yield Row(claim, "0", UNKNOWN, None)
        return
    pairs = truth.select("query_id", candidate_id="positive_ids").explode("candidate_id").drop_nulls()
    related = pairs.join(pl.read_parquet(path), on=["query_id", "candidate_id"], how="left")
    lacking, same = related["same_work"].null_count(), int(related["same_work"].sum())
    yield Row(claim, "0", f"{same} of {related.height}", same == 0 and lacking == 0)


def impure_sources(build: Build) -> Iterator[Row]:
    path = build.release / "statistics/labels.csv"
    if not path.is_file():
        yield Row("impure sources among queries", "0", UNKNOWN, None)
        return
    labels = pl.read_csv(path)
    limit = (build.manifest.get("config") or {}).get("authors", {}).get("max_impurity")
    impure = set(labels.filter(pl.col("low") > limit)["source"]) if limit is not None else set()
    found = sorted(impure & set(used_sources(build)))
    yield Row("impure sources among queries", "0", ", ".join(found) or "0", not found)
    clean = set(labels.filter(decision="clean")["source"])
    named = set(next(iter(build.scores.values()))["benchmark"].get("unmeasured_sources", []))
    silent = sorted(set(used_sources(build)) - clean - named)
    measured = f"{len(clean & set(used_sources(build)))} measured, {len(named)} named as unmeasured"
    told = measured + (f"; silent: {', '.join(silent)}" if silent else "")
    yield Row("every scored source measured, or named as unmeasured", "all", told, not silent)


def doubled_texts(build: Build) -> Iterator[Row]:
    found = count = 0
    for path in sorted(build.release.glob("*/candidates.jsonl")):
        texts = read_lines(path)["content"]
        count += len(texts)
        found += sum(first_of_two(text) is not None for text in texts.filter(suspected(texts)))
    yield Row("self-doubled texts", "0", f"{found} of {count}", found == 0)


def persons_in_two_splits(build: Build) -> Iterator[Row]:
    provenance = build.provenance()
    homes = provenance.group_by("author_id").agg(pl.col("split").n_unique().alias("splits"))
    twice = homes.filter(pl.col("splits") > 1).height
    told = f"{twice} of {homes.height} authors"
    path = build.release.parent / "split/possibly_one.parquet"
    if path.is_file():
        split = provenance.select("author_id", "split").unique()
        pairs = pl.read_parquet(path).filter("unit")
        both = pairs.join(split.rename({"author_id": "a", "split": "split_a"}), on="a").join(
            split.rename({"author_id": "b", "split": "split_b"}), on="b"
        )
        apart = both.filter(pl.col("split_a") != pl.col("split_b")).height
        twice += apart
        told += f"; {apart} of {both.height} pairs that are possibly one person"
    yield Row("known persons in two splits", "0", told, twice == 0)


def nearness_of_ids(build: Build) -> Iterator[Row]:
    """Yield whether the candidate with the nearest number is more often the author's than a drawn one is."""
    candidates = read_lines(build.release / build.split / "candidates.jsonl")
    truth = read_lines(build.release / build.split / "ground_truth.jsonl")
    number_of = pl.col("candidate_id").str.extract(r"(\d{1,15})$").cast(pl.Int64)
    ranked = candidates.select("candidate_id", "author_id", number=number_of).sort("number", "candidate_id")
    author = ranked["author_id"].to_list()
    place = {ident: at for at, ident in enumerate(ranked["candidate_id"])}
    numbers = ranked["number"].to_list()
    sizes = dict(ranked.group_by("author_id").len().iter_rows())
    hits = expected = variance = 0.0
    for query, own in truth.select("query_id", "author_id").iter_rows():
        if query not in place:
            continue
        at = place[query]
        near = [other for other in (at - 1, at + 1) if 0 <= other < len(author)]
        closest = min(abs(numbers[other] - numbers[at]) for other in near)
        nearest = [other for other in near if abs(numbers[other] - numbers[at]) == closest]
        hits += sum(author[other] == own for other in nearest) / len(nearest)
        chance = (sizes[own] - 1) / (len(author) - 1)
        expected += chance
        variance += chance * (1 - chance)
    asked = truth.height
    most = (expected + 3 * math.sqrt(variance)) / max(asked, 1)
    found, by_chance = hits / max(asked, 1), expected / max(asked, 1)
    told = f"{number(found)}, {number(by_chance, 4)} by chance"
    yield Row("nearness of ids, S@1", f"chance: ≤ {number(most)}", told, found <= most)


def power(build: Build) -> Iterator[Row]:
    found = next(iter(build.scores.values())).get("power") or {}
    for score, part, words, most in (
        ("auc_matched", "macro", "macro", 0.03),
        ("s@5_other_work", "difference", "mean over authors", 0.05),
    ):
        value = (found.get(score) or {}).get(part)
        claim = f"smallest provable difference, {score}, {words}"
        told = UNKNOWN if value is None else f"{number(value)} (Holm over {found['tests']} tests)"
        if value is not None and value > most:  # it falls with the square root of the number of authors
            told += f"; {(value / most) ** 2:.1f} times as many query authors would reach it"
        yield Row(claim, f"≤ {number(most, 2)}", told, None if value is None else value <= most)


def sizes(least: int | None, least_scored: int | None) -> Callable[[Build], Iterator[Row]]:
    def rows(build: Build) -> Iterator[Row]:
        provenance = build.provenance()
        scored = int(provenance["scored"].sum()) if "scored" in provenance.columns else provenance.height
        for claim, most, found in (
            ("documents released", least, provenance.height),
            ("of which may be scored", least_scored, scored),
        ):
            target = f"≥ {most:,}" if most is not None else "none given"
            yield Row(claim, target, f"{found:,}", None if most is None else found >= most)

    return rows


def wrong_drops(path: Path) -> Row:
    """Return the highest share of wrong drops of a reason, by the verdicts in a file (drops.COLUMNS)."""
    verdicts = pl.read_csv(path)
    rates = verdicts.group_by("reason").agg(read=pl.len(), wrong=(pl.col("verdict") == "wrong").sum())
    worst = rates.sort(pl.col("wrong") / pl.col("read"), "reason", descending=[True, False]).row(0, named=True)
    wrong = int(rates["wrong"].sum())
    told = f"{wrong} of {verdicts.height} read; most: `{worst['reason']}`, {worst['wrong']} of {worst['read']}"
    return Row("wrong drops, of every reason", "≤ 10 %", told, worst["wrong"] <= 0.1 * worst["read"])


def read_lines(path: Path) -> pl.DataFrame:
    return pl.read_ndjson(path, infer_schema_length=None)


def claims(documents: int | None, scored: int | None) -> Sequence[Callable[[Build], Iterator[Row]]]:
    return (
        metadata_is_blind,
        topics_are_blind,
        dates_are_blind,
        format_of_editions,
        best_gains,
        same_work,
        impure_sources,
        doubled_texts,
        persons_in_two_splits,
        nearness_of_ids,
        power,
        sizes(documents, scored),
    )


def table(build: Build, documents: int | None = None, scored: int | None = None) -> list[Row]:
    return [row for measure in claims(documents, scored) for row in measure(build)]


def as_markdown(rows: Sequence[Row]) -> str:
    words = {True: "met", False: "**missed**", None: "–"}
    lines = ["| claim | target | measured | |", "| --- | --- | --- | --- |"]
    lines += [f"| {row.claim} | {row.target} | {row.measured} | {words[row.met]} |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--out", type=Path, help="write a page to this file, not to the screen")
    parser.add_argument("--documents", type=int, help="the least documents that the release should hold")
    parser.add_argument("--scored", type=int, help="the least of them that may be scored")
    parser.add_argument("--drops", type=Path, help="verdicts on dropped texts, docs/measured/drops.csv")
    asked = parser.parse_args()
    build = read_build(asked.release, asked.scores)
    rows = table(build, asked.documents, asked.scored) + ([wrong_drops(asked.drops)] if asked.drops else [])
    text = as_markdown(rows)
    if asked.out is None:
        print(text, end="")
        return
    manifest, documents = build.manifest, build.provenance()
    config = manifest.get("config") or {}
    authors = next(iter(build.queries.values()))["author_id"].n_unique()
    head = (
        f"# What the release `{config.get('name', asked.release.name)}` measures\n\n"
        "Written by `benchmarks/truth.py RELEASE SCORES --out` from the files of a build; what a row sees is in\n"
        "[evaluation.md](../evaluation.md#sanity-rows).\n\n"
        f"{documents.height:,} documents by {documents['author_id'].n_unique():,} authors in "
        f"{documents['lang'].n_unique()} languages, seed {config.get('seed')}; split `{build.split}`: "
        f"{next(iter(build.queries.values())).height:,} queries by {authors} authors; models: "
        f"{', '.join(sorted(build.scores))}.\n\n"
    )
    asked.out.write_text(head + text, encoding="utf-8")


if __name__ == "__main__":
    main()
