"""Pairs that every evaluation scores: their form, who is in them, and the statistics about them."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.overlap import Pairs
from authbench.checking.pools import Texts, check_matched, check_topical
from authbench.checking.relations import check_relations, vectors_of
from authbench.checking.rows import Rows
from authbench.checking.rules import Rules
from authbench.format.columns import PAIRS, POOLS, POSITIVES
from authbench.format.release import read_pairs
from authbench.format.splits import scored_splits
from authbench.records import primary_genre

_STATISTICS = "statistics/pools.csv"
_PLACEHOLDER, _LETTER, _SIGN_OF_A_WORD = r"\[[A-Z]+\]", r"\p{L}", r"[\p{Han}\p{Hiragana}\p{Katakana}]"
Counts = Counter[tuple[str, ...]]


def letters(content: str = "content") -> pl.Expr:
    """Return how many letters a text has; one in Han or Kana counts as two, those of placeholders as none."""
    own = pl.col(content).str.replace_all(_PLACEHOLDER, "")
    return own.str.count_matches(_LETTER) + own.str.count_matches(_SIGN_OF_A_WORD)


def check_pairs(release: Rows, rules: Rules, contained: Pairs) -> Iterator[Finding]:
    """Yield what is wrong with positives.parquet, pairs.parquet and statistics/pools.csv, where they exist.

    Negatives are worked out from the texts that may be in a pair: with letters enough, scored, by no `work`.
    `contained` are pairs of texts that contain much of each other, which are no negatives of each other's author.
    """
    counts: Counts = Counter()
    counted = False
    for split in release.splits:
        paths = [release.folder / split / table.file for table in (POSITIVES, PAIRS)]
        if not any(path.is_file() for path in paths) or release.provenance is None:
            continue
        vectors = vectors_of(release, split)
        yield from check_relations(release, split, vectors)
        if not paths[1].is_file():
            continue
        pairs = read_pairs(paths[1], PAIRS)
        if split not in scored_splits(release.splits):
            if pairs.height:
                yield Finding("pair_form", split, f"{split}/{PAIRS.file}: {split} is not scored")
            continue
        documents = _documents(release, rules, split)
        malformed = list(_check_form(pairs, documents, split))
        yield from malformed
        if not malformed:
            candidates = documents["candidate"].to_numpy().nonzero()[0]
            texts = Texts(
                documents[candidates],
                vectors[candidates],
                dict(documents.select("id", "tokens").iter_rows()),
                _other_work(release, split),
                _barred(release, split, documents, contained),
            )
            counted = True
            counts += _count(split, pairs, texts)
            yield from _check_members(pairs, texts)
            yield from check_matched(pairs, texts)
            yield from check_topical(pairs, texts)
    if counted:
        yield from _check_counts(release, counts)


def _documents(release: Rows, rules: Rules, split: str) -> pl.DataFrame:
    """Return what pools look at, of every document of a split in the order of `release.documents`."""
    provenance = release.provenance
    assert provenance is not None
    scored = pl.col("scored")
    named = provenance.select("id", may=scored & (pl.col("author_kind") != "work"))
    part = release.documents.filter(pl.col("split") == split).join(named, on="id", how="left", maintain_order="left")
    return part.select(
        "id", "author_id", "lang", "source", "candidate",
        pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"),
        pl.col("token_length").alias("tokens"),
        fits=pl.col("may").fill_null(True) & (letters() >= rules.min_letters_for_query),
    )  # fmt: skip


def _other_work(release: Rows, split: str) -> dict[str, list[str]]:
    """Return the positives of each query that are from another work than it."""
    assert release.provenance is not None
    origin = dict(release.provenance.select("id", "origin").iter_rows())
    truth = release.tables[split]["ground_truth"].select("query_id", "positive_ids")
    return {
        query: sorted(one for one in positives if origin.get(one) != origin.get(query))
        for query, positives in truth.iter_rows()
    }


def _barred(release: Rows, split: str, documents: pl.DataFrame, contained: Pairs) -> dict[str, set[str]]:
    """Return the ids that no negative of each author may have: those that a query ignores, and contained texts."""
    author = dict(documents.select("id", "author_id").iter_rows())
    barred: defaultdict[str, set[str]] = defaultdict(set)
    truth = release.tables[split]["ground_truth"].select("query_id", "ignored_ids")
    for query, ignored in truth.iter_rows():
        barred[author[query]].update(ignored or ())
    for one, other in contained:
        if one in author and other in author:
            barred[author[one]].add(other)
    return barred


def _check_form(pairs: pl.DataFrame, documents: pl.DataFrame, split: str) -> Iterator[Finding]:
    """Yield files whose rows are out of order, and groups that are not one positive of a query with its negatives."""
    place = f"{split}/{PAIRS.file}"
    if not set(pairs["pool"]) <= set(POOLS):
        yield Finding("pair_form", place, f"{place}: a pool that is none of {', '.join(POOLS)}")
        return
    order = pl.col("pool").replace_strict({pool: rank for rank, pool in enumerate(POOLS)}, return_dtype=pl.Int8)
    keys = pairs.select(order, "group", ~pl.col("same"), "candidate_id")
    if not keys.equals(keys.sort(keys.columns)):
        yield Finding("pair_form", place, f"{place} is not in its order")
    by_group = pairs.group_by("group", maintain_order=True).agg(
        wrong=(pl.col("pool").n_unique() > 1)
        | (pl.col("query_id").n_unique() > 1)
        | (pl.col("same").sum() != 1)
        | pl.col("candidate_id").is_duplicated().any()
    )
    for (group,) in by_group.filter("wrong").select("group").iter_rows():
        yield Finding("pair_form", f"{place} {group}", f"{place}: group {group}")
    repeated = pairs.filter("same").filter(pl.struct("pool", "query_id", "candidate_id").is_duplicated())
    for query, candidate in repeated.select("query_id", "candidate_id").unique(maintain_order=True).iter_rows():
        yield Finding("pair_form", query, f"{place}: {query} and {candidate} in two groups")
    candidates = documents.filter("candidate")["id"].implode()
    for column, known in (("query_id", documents["id"].implode()), ("candidate_id", candidates)):
        for (ident,) in pairs.filter(~pl.col(column).is_in(known)).select(pl.col(column).unique().sort()).iter_rows():
            yield Finding("pair_form", ident, f"{place}: no {column} of the split")


def _check_members(pairs: pl.DataFrame, texts: Texts) -> Iterator[Finding]:
    """Yield positives that answer nothing, negatives that may be by the same person, and texts of too few letters."""
    answers = {(query, one) for query, positives in texts.answers.items() for one in positives}
    author = dict(zip(texts.table["id"], texts.author, strict=True))
    by_query = {
        query: next((author[one] for one in own if one in author), None) for query, own in texts.answers.items()
    }
    stated = pairs.select("query_id", "candidate_id", "same").unique()
    for query, candidate, same in _doubtful(stated, texts, by_query).sort(pl.all()).iter_rows():
        if same:
            if (query, candidate) not in answers:
                yield Finding("pair_answer", query, f"{candidate} for {query}")
        elif query not in texts.answers:
            yield Finding("pair_answer", query, f"{query} is no query")
        elif author[candidate] == by_query[query] or candidate in texts.barred.get(by_query[query] or "", ()):
            yield Finding("pair_stranger", query, f"{candidate} for {query}")
        if not texts.fits[texts.row[candidate]]:
            yield Finding("unscored_pair", candidate, f"{candidate} for {query}")


def _doubtful(stated: pl.DataFrame, texts: Texts, by_query: Mapping[str, str | None]) -> pl.DataFrame:
    """Return the rows but those of texts that may be in a pair, and either answer, or are another's and not barred."""
    asked = pl.DataFrame(
        {"query_id": list(by_query), "asking": list(by_query.values())}, {"query_id": str, "asking": str}
    )
    known = texts.table.select("fits", candidate_id="id", author="author_id")
    answers = [(query, one) for query, positives in texts.answers.items() for one in positives]
    barred = [(author, one) for author, others in texts.barred.items() for one in others]
    joined = (
        stated.join(asked, on="query_id", how="left")
        .join(known, on="candidate_id", how="left")
        .join(_marked(answers, "query_id", "answer"), on=["query_id", "candidate_id"], how="left")
        .join(_marked(barred, "asking", "barred"), on=["asking", "candidate_id"], how="left")
    )
    other = (pl.col("author") != pl.col("asking")) & pl.col("barred").is_null()
    fine = pl.col("fits") & pl.when("same").then(pl.col("answer").is_not_null()).otherwise(other)
    return joined.filter(~fine.fill_null(False)).select(stated.columns)


def _marked(rows: Sequence[tuple[str, str]], key: str, mark: str) -> pl.DataFrame:
    """Return distinct pairs of `key` and candidate with a column that is true."""
    columns = {key: [one for one, _ in rows], "candidate_id": [other for _, other in rows]}
    return pl.DataFrame(columns, {key: str, "candidate_id": str}).unique().with_columns(pl.lit(True).alias(mark))


def _count(split: str, pairs: pl.DataFrame, texts: Texts) -> Counts:
    """Return how many groups there are (`kept`), and might be (`positives`), by pool, language and source."""
    place = {ident: (lang, source) for ident, lang, source in texts.table.select("id", "lang", "source").iter_rows()}
    counts: Counts = Counter()
    for pool, positive in pairs.filter("same").select("pool", "candidate_id").iter_rows():
        counts[split, pool, *place[positive], "kept"] += 1
    for positives in texts.answers.values():
        for one in positives:
            if one in place:
                counts.update((split, pool, *place[one], "positives") for pool in POOLS[:2])
    return counts


def _check_counts(release: Rows, counts: Counts) -> Iterator[Finding]:
    path = release.folder / _STATISTICS
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    stated: Counts = Counter()
    for number, row in enumerate(rows, start=2):
        try:
            place = (row["split"], row["pool"], row["lang"], row["source"])
            positives, kept, left = (int(row[name]) for name in ("positives", "kept", "left_out"))
        except (KeyError, TypeError, ValueError):
            yield Finding("statistics", _STATISTICS, f"{_STATISTICS}:{number} is not in its form")
            continue
        if positives != kept + left:
            yield Finding("statistics", _STATISTICS, f"{_STATISTICS}:{number}: {kept} and {left} of {positives}")
        stated.update({(*place, "positives"): positives, (*place, "kept"): kept})
    for key in sorted(stated.keys() | counts.keys()):
        if stated[key] != counts[key] and (key[1] != POOLS[2] or key[-1] == "kept"):
            yield Finding("statistics", _STATISTICS, f"{' '.join(key)}: says {stated[key]}, there are {counts[key]}")
