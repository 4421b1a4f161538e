"""Is RAVEN's verdict right on corpora whose answer is known?

    PYTHONPATH=workflow python benchmarks/verdicts.py [--seeds 20] [--first 0] [--out docs/measured/verdicts.csv]

Three planted corpora for each seed: `plain`; `short`, whose isolated topics have texts of 30 instead of 100 words, so
that likeness is confounded with length; `few`, whose isolated topics have six instead of nine texts, so that it is
confounded with size. 70 topics, m = 24, four folds, five random subsets as by default. `topicfit` sees content words
alone and leans on topics; `stylometric` sees none and does not. Right is that verdict of each, on all corpora. A row
has `shared`, the share of random topics that HITS takes, too, how many texts of a topic and characters of a text
verifiers are given (null: all), and `because`, what withholds every verdict. Seeds that the file has are not run again:
remove it after a change of the method.
"""

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from authbench.config.registry.entries import default_settings
from authbench.config.settings.evaluate import Raven
from authbench.suites.raven.command import answer_all
from authbench.suites.raven.documents import Design, planted_documents
from authbench.suites.raven.subsets import MAIN
from authbench.suites.raven.verdict import LEANS, UNSHOWN, not_comparable, shared_topics, shortcut_test

ROOT = Path(__file__).parents[1]
SMALL = Design(single=22, large=4, many=12)
DESIGNS = {"plain": SMALL, "short": replace(SMALL, alone=30), "few": replace(SMALL, alone_texts=2)}
RIGHT = {"topicfit": LEANS, "stylometric": UNSHOWN}
LIMITS = {"most_texts": pl.Int64, "most_characters": pl.Int64}
SETTINGS: Raven = {
    **default_settings()["raven"],
    "encoders": ["tfidf"],
    "topics": 24,
    "folds": 4,
    "seeds": 5,
    "sizes": [],
    "group": False,
    "min_documents": 2,
    "documents_per_topic": None,
    "verifiers": [*RIGHT, "masked", "punctuation"],
    "folds_per_job": 4,
}


def judged(seed: int, design: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each verifier of RIGHT on the corpus of a seed."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        documents = out / "planted.parquet"
        pl.concat(planted_documents(seed, DESIGNS[design])).write_parquet(documents)
        asked: Raven = {**SETTINGS, "documents": str(documents)}
        found = answer_all(asked, seed, out)
        because = "; ".join(not_comparable(found))
        for row in shortcut_test(found).filter(pl.col("verifier").is_in(list(RIGHT))).to_dicts():
            yield {
                "design": design,
                "seed": seed,
                "verifier": row["verifier"],
                **{name: round(row[name], 4) for name in ("random", "hits")},
                **{name: float(f"{row[name]:.2g}") for name in ("p", "p_beyond")},
                "verdict": row["verdict"],
                "right": row["verdict"] == RIGHT[row["verifier"]],
                "shared": round(shared_topics(found), 3),
                **{name: found.facts[MAIN][name] for name in LIMITS},
                "because": because,
            }


def summary(rows: pl.DataFrame) -> str:
    """Return for each corpus and verifier how many seeds are judged right, and the verdicts, in Markdown."""
    lines = ["| corpus | verifier | right | verdicts |", "| --- | --- | ---: | --- |"]
    for (design, verifier), part in rows.group_by("design", "verifier", maintain_order=True):
        counts = part["verdict"].value_counts().sort("verdict").iter_rows()
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts)
        lines.append(f"| {design} | {verifier} | {part['right'].sum()} of {part.height} | {said} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--first", type=int, default=0, help="the first (default: 0)")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs/measured/verdicts.csv", help="rows to write, or to go on with"
    )
    asked = parser.parse_args()
    known = pl.read_csv(asked.out, schema_overrides=LIMITS) if asked.out.is_file() else pl.DataFrame()
    parts = [known] if known.height else []
    done = set(known.select("design", "seed").iter_rows()) if known.height else set()
    for seed in range(asked.first, asked.first + asked.seeds):
        for design in DESIGNS:
            if (design, seed) not in done:
                parts.append(pl.DataFrame(list(judged(seed, design)), schema_overrides=LIMITS))
                pl.concat(parts).sort("design", "seed", maintain_order=True).write_csv(asked.out)
    print(summary(pl.read_csv(asked.out)))


if __name__ == "__main__":
    main()
