"""Run the stages that select, compare and pair on languages of 0, 1, 20 and 4,001 texts; print a digest of each result.

python group_sizes.py ORDER    # ORDER seeds the order of the texts
"""

import hashlib
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from small_corpus import document, frame

from authbench.build.filter.decide import apply_filters, beside
from authbench.build.filter.measure import measure_texts
from authbench.build.release.contents import make_contents
from authbench.build.release.statistics import tables
from authbench.build.safety import ScoreStore
from authbench.build.sample import stage
from authbench.build.sample.reservoir import count_lengths, fill_reservoir
from authbench.build.split.assign import split_documents
from authbench.build.split.leakage import find_leaks
from authbench.config.registry.entries import default_settings
from authbench.core.letters import mostly_shared
from authbench.release.checking import overlap

SIZES = {"de": 20, "en": 4_001, "fr": 1, "ko": 0}
SEED = 7
_EACH = 6  # texts of an author


def texts(order):
    """Return texts of random words, of authors with at most 6 each; some are copies of others, or contain them."""
    rows = []
    for place, (lang, size) in enumerate(SIZES.items()):
        chance = random.Random(lang)
        words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(2, 9))) for _ in range(2_000)]
        for number in range(size):
            content = " ".join(chance.choices(words, k=chance.choice([8, 60, 400])))
            if number % 50 == 49:
                content = rows[-_EACH]["content"] + " again"
            elif number % 50 == 9:
                content = f"{rows[-_EACH]['content']} {content}"
            rows.append(
                document(
                    len(rows),
                    10_000 * place + number // _EACH,
                    lang=lang,
                    content=content,
                    token_length=len(content.split()),
                    char_length=len(content),
                    length_bucket="long",
                    date=f"20{number % 20:02}",
                )
            )
    random.Random(order).shuffle(rows)
    return frame(*rows).drop("split", "toxicity")


def results(rows):
    """Yield the tables that each stage makes of the texts, sorted where a stage keeps the order of its rows."""
    config = default_settings()
    measured = beside(rows.drop("content"), measure_texts(rows, [*SIZES]).drop("lang", strict=False))
    yield "filter", apply_filters(measured, config["filter"]).sort("doc_key", "reason")
    borrowed = rows.select("doc_key", shared=mostly_shared(rows))
    yield "borrowed", borrowed.sort("doc_key")

    def fetch(places, columns):
        yield rows[places["row"]].select(columns).with_columns(at=pl.int_range(pl.len()))

    numbered = rows.with_row_index("row")
    wanted = {**config["sample"], "documents": 1_000, "languages": dict.fromkeys(SIZES, 1), "shortfall": "fill"}
    reservoir, tallies = fill_reservoir(numbered, SEED, wanted["reservoir"], wanted["min_origins"])
    safety = {**config["safety"], "scorers": []}
    settings = stage.Settings(wanted, config["authors"], safety, config["split"]["splits"], SEED)
    pool = stage.pool_of([reservoir], [tallies], count_lengths(rows), settings)
    with TemporaryDirectory() as folder:
        store = ScoreStore(Path(folder) / "scores.parquet")
        outcome = stage.sample(pool, fetch, [], store, settings, stage.known_scores([]))
    yield "sample", outcome.selected
    dedup, split = config["dedup"], config["split"]
    leaks = find_leaks(rows, split["leak_threshold"], dedup["threshold"], dedup["shingle_chars"], split["containment"])
    yield "similar", leaks.similar
    yield "contained", leaks.contained
    assigned = split_documents(rows, leaks, split, 1, dedup["threshold"], SEED, None)
    yield "split", assigned.documents
    yield "left_out", assigned.removed
    release = {**config["release"], "queries_per_author": 1}
    made = make_contents(assigned.documents.with_columns(toxicity=pl.lit(0.0)), release, split, SEED)
    for name in ("documents", "queries", "positives", "pairs", "pools"):
        yield name, getattr(made, name)
    for name, table in tables(made.documents, made.queries, made.splits).items():
        yield f"statistics/{name}", table
    ordered = rows.sort("doc_key")
    part, length = pl.repeat(0, rows.height, eager=True), dedup["shingle_chars"]
    yield "checked/similar", overlap.similar_texts(ordered["doc_key"], ordered["content"], part, 0.8, 0.8, length)
    contained = overlap.contained_texts(
        ordered["doc_key"], ordered["content"], ordered["origin_id"], split["containment"]
    )
    yield "checked/contained", contained


def digests(rows):
    """Return a digest of each table."""
    return {name: hashlib.sha256(table.write_ndjson().encode()).hexdigest() for name, table in results(rows)}


if __name__ == "__main__":
    print(digests(texts(int(sys.argv[1]))))
