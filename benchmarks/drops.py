"""Do the filters drop a style? Sample what they drop, for a person to read, and count the verdicts.

python benchmarks/drops.py sample RESULTS SHEET.csv    up to 30 drops of each reason and language, with their texts
python benchmarks/drops.py table [VERDICTS.csv]        the rate of wrong drops by reason (docs/measured/drops.csv)

RESULTS is `results/<name>` of a build whose texts of `chunk/` and `filter/` are kept. The same build gives the same
sample. In the sheet a person writes `right` or `wrong`, and why in a word; the table reads the columns VERDICTS, in
which no text stands: `doc` is the beginning of the SHA-256 of a document's key.
"""

import hashlib
import sys
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
VERDICTS = ROOT / "docs/measured/drops.csv"
COLUMNS = ("doc", "source", "lang", "reason", "verdict", "note")
PER_CELL = 30
SHOWN = 400  # characters of a text


def document_hash(doc_key: str) -> str:
    return hashlib.sha256(doc_key.encode()).hexdigest()[:16]


def sample(documents: pl.DataFrame, removed: pl.DataFrame) -> pl.DataFrame:
    """Return up to 30 dropped documents of each reason and language, those with the smallest hashes."""
    hashes = pl.col("doc_key").map_elements(document_hash, return_dtype=pl.String)
    texts = documents.select("doc_key", "lang", "content")
    drops = removed.join(texts, on="doc_key").with_columns(doc=hashes).sort("doc")
    chosen = drops.group_by("reason", "lang", maintain_order=True).head(PER_CELL).sort("reason", "lang", "doc")
    return chosen.select(
        "doc",
        "source",
        "lang",
        "reason",
        verdict=pl.lit(""),
        note=pl.lit(""),
        value="value",
        found="detail",
        text=pl.col("content").str.head(SHOWN),
    )


def rates(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Return drops that were read, wrong ones and their share, by reason."""
    return (
        verdicts.group_by("reason")
        .agg(read=pl.len(), wrong=(pl.col("verdict") == "wrong").sum())
        .with_columns(share=pl.col("wrong") / pl.col("read"))
        .sort("read", "reason", descending=[True, False])
    )


def main(arguments: list[str]) -> None:
    match arguments:
        case ["sample", results, sheet]:
            folder = Path(results)
            documents, removed = (
                pl.concat([pl.read_parquet(path) for path in sorted((folder / stage).glob("*-of-*.parquet"))])
                for stage in ("chunk", "filter")
            )
            sample(documents, removed).write_csv(sheet)
        case ["table", *path]:
            print("| reason | read | wrong | share |\n| --- | --- | --- | --- |")
            for reason, read, wrong, share in rates(pl.read_csv(path[0] if path else VERDICTS)).iter_rows():
                print(f"| `{reason}` | {read} | {wrong} | {share:.0%} |")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
