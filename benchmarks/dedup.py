"""How fast is de-duplication, how much memory does it take, and does it find what was planted?

    PYTHONPATH=workflow python benchmarks/dedup.py 50000 200000

For each number of documents: texts in ten scripts are made (always the same ones), 4 % of them exact copies and
10 % near copies at all degrees of similarity, in a shuffled order; the greedy answer is worked out from the true
Jaccard of every pair within a family. Then a fresh process signs the shards one by one, finds the duplicates and
compares them with the answer. Prints a Markdown table; compile times are not in it (the kernels run once before).
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.dedup.arrays import I64
from authbench.dedup.duplicates import DedupSettings, find_duplicates, sign_texts

SHARDS = 8
SETTINGS = DedupSettings()
# First letter, number of letters, usual word length, characters per text, and what stands between words.
SCRIPTS = [
    ("a", 26, 5, 900, " "), ("а", 32, 6, 550, " "), ("ا", 28, 4, 350, " "), ("अ", 50, 3, 250, " "),
    ("一", 2600, 2, 180, ""), ("ぁ", 80, 3, 200, ""), ("가", 2000, 3, 200, " "), ("α", 25, 5, 700, " "),
    ("ა", 33, 6, 600, " "), ("ա", 38, 5, 600, " "),
]  # fmt: skip


def vocabulary(script: tuple[str, int, int, int, str], chance: random.Random) -> list[str]:
    first, letters, usual, _, _ = script
    alphabet = [chr(ord(first) + i) for i in range(letters)]
    return ["".join(chance.choices(alphabet, k=chance.randint(1, 2 * usual))) for _ in range(10_000)]


def edited(words: list[str], vocabulary: list[str], chance: random.Random) -> list[str]:
    """Replace from none to a quarter of the words, or add some at the end."""
    words = words[:]
    if chance.random() < 0.3:
        return words + chance.choices(vocabulary, k=int(len(words) * chance.random() * 0.5))
    for at in chance.sample(range(len(words)), k=int(len(words) * chance.random() * 0.25)):
        words[at] = chance.choice(vocabulary)
    return words


def families(documents: int, chance: random.Random) -> Iterator[list[str]]:
    """Texts and their copies, 14 % copies in all, until there are as many documents."""
    vocabularies = [vocabulary(script, chance) for script in SCRIPTS]
    made = 0
    while made < documents:
        _, _, usual, characters, between = script = SCRIPTS[made % len(SCRIPTS)]
        words_of = vocabularies[SCRIPTS.index(script)]
        count = max(5, int(characters * chance.lognormvariate(0, 0.6) / (usual + len(between))))
        words = chance.choices(words_of, k=count)
        family = [words]
        if chance.random() < 0.07:
            for _ in range(chance.choice((1, 1, 2, 3, 5))):
                family.append(words if chance.random() < 0.3 else edited(words, words_of, chance))
        family = family[: documents - made]
        made += len(family)
        yield [between.join(member) for member in family]


def shingles(text: str) -> Counter[str]:
    return Counter(text[i : i + 5] for i in range(len(text) - 4)) if len(text) >= 5 else Counter([text])


def similar(one: str, other: str) -> bool:
    a, b = shingles(one), shingles(other)
    return (a & b).total() / (a | b).total() >= SETTINGS.threshold


def make(folder: Path, documents: int) -> None:
    """Write the shards, and the keys that a greedy pass over each family removes."""
    chance = random.Random(7)
    keys = [f"d{i:08d}" for i in range(documents)]
    chance.shuffle(keys)
    rows, gone = [], []
    for family in families(documents, chance):
        members = sorted((keys[len(rows) + i], text) for i, text in enumerate(family))
        rows += [(keys[len(rows) + i], text) for i, text in enumerate(family)]
        accepted: list[str] = []
        for key, text in members:
            if any(similar(text, other) for other in accepted):
                gone.append(key)
            else:
                accepted.append(text)
    table = pl.DataFrame(rows, schema=["doc_key", "content"], orient="row")
    for shard in range(SHARDS):
        table.gather_every(SHARDS, shard).write_parquet(folder / f"{shard}.parquet")
    (folder / "gone.json").write_text(json.dumps(gone))


def fetch(shards: Sequence[Path], sizes: Sequence[int]) -> Callable[[I64], list[str]]:
    """Texts by their row in the shards taken one after another; one shard is in memory at a time."""
    starts = np.concatenate([[0], np.cumsum(sizes)])

    def texts(rows: I64) -> list[str]:
        given = np.empty(len(rows), object)
        for shard, start, end in zip(shards, starts[:-1], starts[1:], strict=True):
            here = np.flatnonzero((rows >= start) & (rows < end))
            given[here] = pl.read_parquet(shard, columns=["content"])["content"].gather(rows[here] - start).to_list()
        return list(given)

    return texts


def used() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(folder: Path) -> dict[str, Any]:
    warm = pl.Series(["a text to compile with", "a text to compile with!"])
    key = pl.DataFrame({"doc_key": ["a", "b"], "source": "s", "place": 0, "author_id": "x"})
    signed = pl.concat([key, sign_texts(warm, warm, SETTINGS)], how="horizontal")
    find_duplicates(signed, lambda rows: warm.gather(rows).to_list(), SETTINGS)

    shards = [folder / f"{shard}.parquet" for shard in range(SHARDS)]
    wall, cpu, frames, size = time.monotonic(), used(), [], 0
    for shard in shards:
        table = pl.read_parquet(shard)
        size += int(table["content"].str.len_bytes().sum())
        place = table.select("doc_key", source=pl.lit("s"), place=pl.lit(0, pl.UInt32), author_id="doc_key")
        frames.append(pl.concat([place, sign_texts(table["content"], table["content"], SETTINGS)], how="horizontal"))
    signing = time.monotonic() - wall
    documents = pl.concat(frames)
    removed, counts = find_duplicates(documents, fetch(shards, [frame.height for frame in frames]), SETTINGS)
    found, expected = set(removed["doc_key"]), set(json.loads((folder / "gone.json").read_text()))
    return {
        "documents": documents.height,
        "text MB": round(size / 1e6),
        "sign s": round(signing, 1),
        "all s": round(time.monotonic() - wall, 1),
        "CPU s": round(used() - cpu, 1),
        "documents/s": round(documents.height / (time.monotonic() - wall)),
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "compared": counts["pairs_compared"],
        "removed": len(found),
        "missed": len(expected - found),
        "extra": len(found - expected),
    }


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]))))
        return
    for line, documents in enumerate(map(int, sys.argv[1:] or ["50000", "200000"])):
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), documents)
            run = subprocess.run([sys.executable, __file__, "--measure", folder], check=True, stdout=subprocess.PIPE)
            row = json.loads(run.stdout)
            if line == 0:
                print(f"| {' | '.join(row)} |\n|{' ---: |' * len(row)}")
            print(f"| {' | '.join(f'{value:,}' for value in row.values())} |", flush=True)


if __name__ == "__main__":
    main()
