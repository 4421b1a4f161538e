"""Are the endings that normalisation cuts signatures? Sample them, for a person to read, and count the verdicts.

python benchmarks/endings.py sample RESULTS SHEET.csv    up to 30 endings of each language, with what stands before
python benchmarks/endings.py table [VERDICTS.csv]        the rate of wrong cuts by language (docs/measured/endings.csv)

RESULTS is `results/<name>` of a build whose texts of `normalize/` are kept. The same build gives the same sample. In
the sheet a person writes `right` (it names the author, or is a fixed line under the texts) or `wrong`, and why in a
word; the table reads the columns VERDICTS, in which no text stands: `ending` is the beginning of the SHA-256 of the
author's id and the ending.
"""

import hashlib
import sys
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
VERDICTS = ROOT / "docs/measured/endings.csv"
COLUMNS = ("ending", "source", "lang", "texts", "verdict", "note")
PER_LANGUAGE = 30
SHOWN = 60  # characters before an ending


def ending_hash(author_id: str, ending: str) -> str:
    return hashlib.sha256(f"{author_id}\x1f{ending}".encode()).hexdigest()[:16]


def endings(uncut: pl.DataFrame, cut: pl.DataFrame) -> pl.DataFrame:
    """Return the endings that authors lost (columns of COLUMNS, before, text), by language and hash."""
    both = uncut.select("doc_key", "source", "lang", "author_id", "content").join(
        cut.select("doc_key", left="content"), on="doc_key"
    )
    lost = both.filter(pl.col("content") != pl.col("left")).with_columns(
        text=pl.col("content").str.slice(pl.col("left").str.len_chars()).str.strip_chars()
    )
    found = (
        lost.sort("doc_key")
        .group_by("source", "lang", "author_id", "text", maintain_order=True)
        .agg(texts=pl.len(), before=pl.col("left").first().str.tail(SHOWN))
    )
    keys = pl.Series("ending", [ending_hash(*row) for row in found.select("author_id", "text").iter_rows()], pl.String)
    return found.with_columns(keys, verdict=pl.lit(""), note=pl.lit("")).sort("lang", "ending")


def sample(uncut: pl.DataFrame, cut: pl.DataFrame) -> pl.DataFrame:
    """Return up to 30 endings of each language, those with the smallest hashes."""
    found = endings(uncut, cut).group_by("lang", maintain_order=True).head(PER_LANGUAGE)
    return found.select(*COLUMNS, "before", "text")


def rates(verdicts: pl.DataFrame) -> pl.DataFrame:
    """Return endings that were read, wrong ones and their share, by language."""
    return (
        verdicts.group_by("lang")
        .agg(read=pl.len(), wrong=(pl.col("verdict") == "wrong").sum())
        .with_columns(share=pl.col("wrong") / pl.col("read"))
        .sort("read", "lang", descending=[True, False])
    )


def main(arguments: list[str]) -> None:
    match arguments:
        case ["sample", results, sheet]:
            folder = Path(results) / "normalize"
            uncut, cut = (
                pl.concat([pl.read_parquet(path) for path in sorted(place.glob("*-of-*.parquet"))])
                for place in (folder / "uncut", folder)
            )
            sample(uncut, cut).write_csv(sheet)
        case ["table", *path]:
            print("| language | read | wrong | share |\n| --- | --- | --- | --- |")
            for lang, read, wrong, share in rates(pl.read_csv(path[0] if path else VERDICTS)).iter_rows():
                print(f"| {lang} | {read} | {wrong} | {share:.0%} |")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
