"""How fast is the language found, beside langid itself, and is it always the same?

python benchmarks/language.py [FILE.parquet]

Takes texts from the column `content` of a table, or makes 12,000 in ten languages, and awkward ones: pieces of all
lengths, two languages in one, nothing but digits, marks and emoji. Identifies them in both ways, in one process, one
after the other: restricted to the ten languages of the recipes by langid's `set_languages`, to those and the frequent
intruders, and among all 97 (where langid itself takes the first 2,000 texts). Prints texts per CPU second and the
labels that differ. Loading the model is left out on both sides.
"""

import random
import statistics
import sys
import time
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "benchmarks"), str(ROOT / "tests/unit")]

from measures import made_texts  # noqa: E402

from authbench.build.filter.language import candidates, identified_languages, identify  # noqa: E402
from authbench.core.records import LANGUAGES  # noqa: E402

TEXTS = 12_000
AWKWARD = 3_000
WITH_ALL = 2_000  # texts that langid takes half a minute for, where nothing is restricted


def awkward(texts: list[str], number: int) -> list[str]:
    """Pieces of one text or two, and texts without letters."""
    random.seed(7)
    made = ["", " ", "123", "!!!", "\U0001f600" * 50, "\u200d\u0301", "ab" * 5_000]
    while len(made) < number:
        one, other = random.choices(texts, k=2)
        cut = random.randint(0, min(len(one), 40))
        made.append(one[:cut] + random.choice(["", " ", " 12 ", "\U0001f600", other[: random.randint(0, 40)]]))
    return made


def seconds(work, times: int) -> float:
    """CPU seconds, the median of so many runs."""
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return statistics.median(taken)


def main(path: str | None) -> None:
    texts = (pl.read_parquet(path, columns=["content"]) if path else made_texts(TEXTS, 600))["content"].to_list()
    texts = random.Random(7).sample(texts, min(TEXTS, len(texts)))
    odd = awkward(texts, AWKWARD)
    print("| among | ours, texts per CPU s | langid.classify | ratio | labels that differ, of texts and awkward ones |")
    print("| --- | --- | --- | --- | --- |")
    for name, languages, most in (
        ("ten languages", LANGUAGES, TEXTS),
        ("these and intruders", candidates(LANGUAGES), TEXTS),
        ("all 97", tuple(identified_languages()), WITH_ALL),
    ):
        for backend in ("kernels", "packages"):
            identify(texts[:4], languages, backend)  # compiles, or loads the model
        ours = seconds(lambda languages=languages: identify(texts, languages), 3) / len(texts)
        some = texts[:most]
        theirs = seconds(lambda some=some, among=languages: identify(some, among, "packages"), 1) / len(some)
        wrong, strange = (
            sum(map(str.__ne__, identify(given, languages)[0], identify(given, languages, "packages")[0]))
            for given in (some, odd)
        )
        told = f"{wrong} of {len(some):,}, {strange} of {len(odd):,}"
        print(f"| {name} | {1 / ours:,.0f} | {1 / theirs:,.0f} | {theirs / ours:.0f} | {told} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
