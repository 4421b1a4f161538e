"""How long does `authbench check` take? On a made-up release of the wanted size.

    python benchmarks/check.py [--documents 30000] [--near 0.0]

Texts are sentences of made-up words with the frequencies of real ones; a share `--near` of the authors' second texts
are copies of their first with one word changed, as work for the comparison. Prints documents, megabytes and seconds
(loading of compiled code included) and what the check found.
"""

import argparse
import tempfile
import time
from collections import Counter
from itertools import accumulate
from pathlib import Path
from random import Random

import orjson

from authbench.core.identity import digest
from authbench.core.tokens import encode, load_encoding
from authbench.release.checking import check_release

LETTERS = "etaoinshrdlcumwfgypbvk"
FREQUENCIES = [
    12.7,
    9.1,
    8.2,
    7.5,
    7.0,
    6.7,
    6.3,
    6.1,
    6.0,
    4.3,
    4.0,
    2.8,
    2.8,
    2.4,
    2.4,
    2.2,
    2.0,
    2.0,
    1.9,
    1.5,
    1.0,
    0.8,
]
CHARS = [(15, 5, 40), (50, 40, 400), (20, 400, 2000), (15, 2000, 7000)]  # weight, from, to
LANGUAGES = {"en": 45, "es": 15, "de": 15, "fr": 15, "ru": 10}


def make_release(folder: Path, documents: int, near: float, seed: int = 1) -> int:
    """Write a release of authors with four documents, 80 % of them in train; give its bytes of text."""
    chance, encoding = Random(seed), load_encoding()
    words = ["".join(chance.choices(LETTERS, FREQUENCIES, k=chance.randint(2, 11))) for _ in range(40_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))
    files: dict[str, dict[str, list[object]]] = {
        split: {"candidates": [], "queries": [], "ground_truth": []} for split in ("train", "dev", "test")
    }
    size = 0
    for first in range(0, documents, 4):
        split = "train" if first % 40 < 32 else "dev" if first % 40 < 36 else "test"
        lang = chance.choices([*LANGUAGES], [*LANGUAGES.values()])[0]
        author = digest("author", str(first)) * 2
        texts: list[str] = []
        for place in range(4):
            _, low, high = chance.choices(CHARS, [weight for weight, _, _ in CHARS])[0]
            length = chance.randint(low, high)
            text = " ".join(chance.choices(words, cum_weights=weights, k=length // 6 + 1)) + f" {first + place}"
            if place == 1 and chance.random() < near:
                text = texts[0] + " again"
            texts.append(text)
        ids = [f"doc_{first + place:06d}" for place in range(4)]
        rows = [
            {"lang": lang, "genre": "news", "content": text, "source": "made_up"}
            | {"token_length": len(encode(encoding, text))}
            for text in texts
        ]
        pairs = zip(ids, rows, strict=True)
        files[split]["candidates"] += [{"candidate_id": ident, "author_id": author, **row} for ident, row in pairs]
        files[split]["queries"].append({"query_id": ids[0], **rows[0]})
        files[split]["ground_truth"].append({"query_id": ids[0], "positive_ids": ids[1:], "author_id": author})
        size += sum(len(text.encode()) for text in texts)
    for split, tables in files.items():
        (folder / split).mkdir(parents=True)
        for name, table in tables.items():
            (folder / split / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in table))
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=30_000)
    parser.add_argument("--near", type=float, default=0.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "release"
        size = make_release(folder, arguments.documents, arguments.near)
        start, cpu = time.perf_counter(), time.process_time()
        violations = check_release(folder)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    found = Counter({violation.code: len(violation.ids) for violation in violations})
    print(f"{arguments.documents} documents, {size / 1e6:.0f} MB: {wall:.1f} s, {cpu:.1f} CPU-s; found {dict(found)}")


if __name__ == "__main__":
    main()
