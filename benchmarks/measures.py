"""How fast are the measurements of a text, beside the same in plain Python and regular expressions?

python benchmarks/measures.py [TEXTS]

Makes its own texts, in ten languages and of two lengths; measures them in both ways, in one process, one after the
other; compares every number; prints texts per CPU second, medians of three. Languages are left out: see language.py.
"""

import math
import random
import statistics
import sys
import time
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests/unit")]

from plain_measures import measure_plainly  # noqa: E402

from authbench.build.filter.measure import measure_numbers, without_placeholders  # noqa: E402

LETTERS = {
    "en": "etaoinshrdlucmfwypvbgk",
    "es": "eaosrnidlctumpbgvyqhfñáéíó",
    "fr": "esaitnrulodcpmévqfbghàèê",
    "de": "enisratdhulcgmobwfkzüväöß",
    "ru": "оеаинтсрвлкмдпуяыьгзбчй",
    "ar": "ابتثجحخدرزسشصضطعغفقكلمنهوي",
    "hi": "कखगचजटडतदनपबमयरलवसहािीुेो",
    "zh": "".join(map(chr, range(0x4E00, 0x5200))),
    "ja": "".join(map(chr, [*range(0x3042, 0x3090), *range(0x30A2, 0x30F0), *range(0x4E00, 0x4F00)])),
    "ko": "".join(map(chr, range(0xAC00, 0xB400))),
}
# What stands between words, and how often.
SPACED = ([" ", ", ", ". ", "! ", " «", "» ", " 12 ", "\n"], [30, 1, 1, 1, 1, 1, 1, 1])
UNSPACED = (["", "，", "。", "「", "」"], [6, 1, 1, 1, 1])
PLAIN = 1_000  # texts that the plain form measures; it would take minutes for all


def made_texts(number: int, length: int) -> pl.DataFrame:
    """`doc_key, lang, content` of made-up texts of about so many characters: words of common letters, punctuated."""
    random.seed(7)
    rows = []
    for row in range(number):
        lang = list(LETTERS)[row % len(LETTERS)]
        words = ["".join(random.choices(LETTERS[lang], k=random.randint(1, 9))) for _ in range(length // 5)]
        ends = random.choices(*(UNSPACED if lang in ("zh", "ja") else SPACED), k=len(words))
        rows.append((str(row), lang, "".join(part for pair in zip(words, ends, strict=True) for part in pair)[:length]))
    return pl.DataFrame(rows, schema=["doc_key", "lang", "content"], orient="row")


def rate(measure, texts: int) -> float:
    seconds = []
    for _ in range(3):
        started = time.process_time()
        measure()
        seconds.append(time.process_time() - started)
    return texts / statistics.median(seconds)


def agree(ours: float | None, plain: float | None) -> bool:
    return ours == plain or (ours is not None and plain is not None and math.isclose(ours, plain, rel_tol=1e-12))


def main(number: int) -> None:
    print("| characters | compiled, texts per CPU s | plain Python and regex | ratio | numbers that differ |")
    print("| --- | --- | --- | --- | --- |")
    for length in (150, 600):
        documents = made_texts(number, length)
        few = documents.head(PLAIN)
        measure_numbers(few)  # compiles, or loads what was compiled
        texts = without_placeholders(few["content"]).to_list()
        pairs = list(zip(texts, few["lang"], strict=True))
        plainly = [measure_plainly(text, lang) for text, lang in pairs]
        differ = sum(
            not agree(ours[name], value)
            for ours, plain in zip(measure_numbers(few).to_dicts(), plainly, strict=True)
            for name, value in plain.items()
        )
        fast = rate(lambda documents=documents: measure_numbers(documents), number)
        slow = rate(lambda pairs=pairs: [measure_plainly(text, lang) for text, lang in pairs], len(pairs))
        print(f"| {length} | {fast:,.0f} | {slow:,.0f} | {fast / slow:.0f} | {differ} of {sum(map(len, plainly)):,} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
