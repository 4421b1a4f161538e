"""How fast is de-duplication, how much memory does it take, and does it find what was planted?

    python benchmarks/dedup.py 200000 2000000 [--folder FOLDER]
    python benchmarks/dedup.py --hostile

For each number of documents: texts in ten scripts are made (always the same ones), 4 % of them exact copies and
10 % near copies at all degrees of similarity, in a shuffled order; the greedy answer is worked out from the true
Jaccard of every pair within a family. Then the stage runs as in the pipeline, its jobs as processes of their own, two
at a time, on as many shards and parts as the pipeline would take. Prints a Markdown table: seconds are of the wall,
CPU of all processes from start to end; `peak MB` is the largest job, `two MB` the two largest that ran at a time;
`missed` and `extra` count removals against the answer, and each extra one is compared with its kept representative.
Corpora are kept in FOLDER and used again, if it is given: to work out the answer takes longer than all else.

`--hostile` takes input that is made to break it instead: a million equal texts, a million that share every band and
resemble none, a crowd of near copies, one shingle a million times, and single texts of 100 MB.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from authbench.build.dedup.settings import part_count  # noqa: E402
from authbench.config.registry.entries import default_settings  # noqa: E402
from authbench.core.runtime.inventory import SHARD_BYTES  # noqa: E402
from authbench.core.storage.parquet import GROUP_BYTES, read_columns, split_by_bytes, write_frames, write_parquet  # noqa: E402

SETTINGS = default_settings()["dedup"]
PROCESSES = 2
# First letter, number of letters, usual word length, characters per text, and what stands between words.
SCRIPTS = [
    ("a", 26, 5, 900, " "), ("а", 32, 6, 550, " "), ("ا", 28, 4, 350, " "), ("अ", 50, 3, 250, " "),
    ("一", 2600, 2, 180, ""), ("ぁ", 80, 3, 200, ""), ("가", 2000, 3, 200, " "), ("α", 25, 5, 700, " "),
    ("ა", 33, 6, 600, " "), ("ա", 38, 5, 600, " "),
]  # fmt: skip
Job = Callable[[], None]


# --- the corpus ---


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


def similarity(one: str, other: str) -> float:
    a, b = (Counter(text[i : i + 5] for i in range(len(text) - 4)) for text in (one, other))
    return (a & b).total() / (a | b).total()


def make(folder: Path, documents: int) -> None:
    """Write the shards as the stage before leaves them, and the keys that a greedy pass over each family removes."""
    chance = random.Random(7)
    keys = [f"d{i:08d}" for i in range(documents)]
    chance.shuffle(keys)
    waiting = iter(keys)
    rows: list[tuple[str, str]] = []
    gone: list[str] = []
    for family in families(documents, chance):
        members = [(next(waiting), text) for text in family]
        rows += members
        accepted: list[str] = []
        for key, text in sorted(members):
            if any(similarity(text, other) >= SETTINGS["threshold"] for other in accepted):
                gone.append(key)
            else:
                accepted.append(text)
    write_corpus(folder, pl.DataFrame(rows, schema=["doc_key", "content"], orient="row"), gone)


def write_corpus(folder: Path, texts: pl.DataFrame, gone: Sequence[str]) -> None:
    """Texts (`doc_key`, `content`) as shards `texts/<number>.parquet`, and what a perfect run would remove."""
    size = int(texts["content"].str.len_bytes().sum())
    shards = max(2, -(-size // SHARD_BYTES))
    table = texts.with_columns(source=pl.lit("made up"), author_id="doc_key", lang=pl.lit("en"))
    for shard in range(shards):
        part = table.gather_every(shards, shard)
        write_frames(
            folder / f"texts/{shard:03d}.parquet",
            split_by_bytes(part, "content", GROUP_BYTES) if part.height else [part],
        )
    (folder / "gone.json").write_text(json.dumps(list(gone)))
    (folder / "size.json").write_text(json.dumps(size))


def hostile() -> Iterator[tuple[str, pl.DataFrame, int]]:
    """Corpora that should break it: what they are, texts (`doc_key`, `content`), how many must go."""
    chance = random.Random(11)
    words = ["".join(chance.choices("abcdefghijklmnop", k=6)) for _ in range(5_000)]
    prose = [" ".join(chance.choices(words, k=20)) for _ in range(100)]
    yield "equal texts", numbered(["the same for all"] * 1_000_000), 999_999
    yield "a crowd of near copies", numbered([f"{' '.join(prose[:4])} {i}" for i in range(300_000)]), 299_999
    yield "one shingle a million times", numbered(["ha" * 500_000, "ha" * 550_000, "ha" * 100_000]), 1
    long = " ".join(chance.choices(words, k=14_300_000))
    yield "two texts of 100 MB", numbered([long, f"{long} with an end of its own"]), 1
    yield "a bucket of all", numbered([" ".join(chance.choices(words, k=12)) for _ in range(300_000)]), 0


def numbered(texts: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"content": texts}).select(
        pl.format("d{}", pl.int_range(pl.len()).cast(pl.String).str.zfill(8)).alias("doc_key"), "content"
    )


def forge(folder: Path) -> None:
    """Give all texts the bands and the sketch of the first, as if somebody had found texts of one signature."""
    for path in sorted((folder / "signatures").glob("*.parquet")):
        table = read_columns([path])
        forged = [name for name in table.columns if name.startswith(("band_", "sketch_"))]
        write_parquet(table.with_columns(pl.lit(7, pl.UInt64).alias(name) for name in forged), path)


# --- the stage ---


def run_job(name: str, arguments: Mapping[str, Any]) -> None:
    """One job of the stage, as the rule's adapter calls it."""
    if name == "sign":
        from authbench.build.dedup.jobs.sign import sign_shard as job
    elif name == "link":
        from authbench.build.dedup.jobs.link import link_part as job
    elif name == "compare":
        from authbench.build.dedup.jobs.compare import compare_part as job
    else:
        from authbench.build.dedup.jobs.decide import Compared, Decisions
        from authbench.build.dedup.jobs.decide import decide_all as job

        arguments = {
            **arguments,
            "compared": Compared(*arguments["compared"]),
            "decisions": Decisions(*arguments["decisions"]),
        }
    job(**arguments, settings=SETTINGS)


def stages(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The stage's rules in order, each with the arguments of its jobs."""
    texts = sorted(str(path) for path in (folder / "texts").glob("*.parquet"))
    parts = part_count(json.loads((folder / "size.json").read_text()) / 1e6, SETTINGS["bands"])
    signatures = [text.replace("/texts/", "/signatures/") for text in texts]
    links, pairs, counts = (
        [str(folder / f"{name}/{part}.{kind}") for part in range(parts)]
        for name, kind in (("links", "parquet"), ("pairs", "parquet"), ("pairs", "json"))
    )
    known = {"signatures": signatures, "order": ["made up"]}
    yield (
        "sign",
        [{"texts": text, "signatures": to} for text, to in zip(texts, signatures, strict=True)],
    )
    yield (
        "link",
        [{**known, "filtered": [], "links": links[part], "share": (part, parts)} for part in range(parts)],
    )
    yield (
        "compare",
        [
            {**known, "texts": texts, "links": links, "pairs": pairs[part], "counts": counts[part],
             "share": (part, parts)}
            for part in range(parts)
        ],
    )  # fmt: skip
    yield (
        "decide",
        [{**known, "filtered": [], "compared": (pairs, counts), "unit": "documents",
          "decisions": (str(folder / "removed.parquet"), str(folder / "counts.json"))}],
    )  # fmt: skip


def run_jobs(name: str, jobs: Sequence[Mapping[str, Any]]) -> tuple[float, list[float]]:
    """Run jobs as processes, PROCESSES at a time; give their CPU seconds together and the peak MB of each."""
    waiting, running, cpu, peaks = list(jobs), dict[int, subprocess.Popen[bytes]](), 0.0, []
    while waiting or running:
        while waiting and len(running) < PROCESSES:
            command = [sys.executable, __file__, "--job", name, json.dumps(waiting.pop(0))]
            job = subprocess.Popen(command, env={**os.environ, "AUTHBENCH_RUN": "1"}, stdout=subprocess.PIPE)
            running[job.pid] = job
        pid, status, usage = os.wait4(-1, 0)
        if status:
            raise SystemExit(f"{name} failed")
        cpu += usage.ru_utime + usage.ru_stime
        peaks.append(float(running.pop(pid).communicate()[0]))
    return cpu, peaks


def own_peak_mb() -> float:
    """The most memory that this process held; what the system tells its parent may be of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def run_stage(folder: Path, after_signing: Callable[[Path], None] | None = None) -> dict[str, float]:
    """Run the stage on a corpus of `write_corpus`; give the seconds of its rules, CPU seconds and peak MB."""
    took, cpu, peaks, together = dict[str, float](), 0.0, [0.0], [0.0]
    started = time.monotonic()
    for name, jobs in stages(folder):
        begun = time.monotonic()
        used, of_jobs = run_jobs(name, jobs)
        took[f"{name} s"] = round(time.monotonic() - begun, 1)
        cpu += used
        peaks += of_jobs
        together.append(sum(sorted(of_jobs)[-PROCESSES:]))
        if name == "sign" and after_signing:
            after_signing(folder)
    took["all s"], took["CPU s"] = round(time.monotonic() - started, 1), round(cpu, 1)
    return took | {"peak MB": round(max(peaks)), "two MB": round(max(together))}


def measure(folder: Path) -> dict[str, Any]:
    """Run the stage, and compare what it removes with what it should."""
    took = run_stage(folder)
    texts = pl.concat([pl.read_parquet(path) for path in sorted((folder / "texts").glob("*.parquet"))])
    removed = pl.read_parquet(folder / "removed.parquet")
    found, expected = set(removed["doc_key"]), set(json.loads((folder / "gone.json").read_text()))
    facts = json.loads((folder / "counts.json").read_text())["facts"]["dedup"]
    return {
        "documents": texts.height,
        "text MB": round(int(texts["content"].str.len_bytes().sum()) / 1e6),
        **took,
        "documents/s": round(texts.height / took["all s"]),
        "compared": facts["pairs_compared"],
        "removed": len(found),
        "missed": len(expected - found),
        "extra": len(found - expected),
        "extra, untrue": untrue(removed.filter(~pl.col("doc_key").is_in(expected)), texts),
    }


def untrue(removed: pl.DataFrame, texts: pl.DataFrame) -> int:
    """How many of the removed are not as similar to their kept representative as they must be."""
    kept = removed["detail"].str.strip_prefix("stand-in ")
    concerned = texts.filter(pl.col("doc_key").is_in([*removed["doc_key"], *kept]))
    content = {key: " ".join(text.split()) for key, text in concerned.select("doc_key", "content").iter_rows()}
    pairs = zip(removed["doc_key"], kept, strict=True)
    return sum(similarity(content[one], content[other]) < SETTINGS["threshold"] for one, other in pairs)


def table_row(row: Mapping[str, Any], head: bool) -> str:
    titles = f"| {' | '.join(row)} |\n|{' ---: |' * len(row)}\n" if head else ""
    return f"{titles}| {' | '.join(value if isinstance(value, str) else f'{value:,}' for value in row.values())} |"


def corpus_in(folder: Path, documents: int) -> Path:
    """A corpus of so many documents below the folder, made if it is not there."""
    corpus = folder / f"{documents}"
    if not (corpus / "size.json").exists():
        make(corpus, documents)
    return corpus


def main() -> None:
    if sys.argv[1:2] == ["--job"]:
        run_job(sys.argv[2], json.loads(sys.argv[3]))
        print(own_peak_mb())
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("documents", type=int, nargs="*", default=[50_000, 200_000])
    parser.add_argument("--folder", type=Path, help="where corpora are kept; a temporary folder if not given")
    parser.add_argument("--hostile", action="store_true")
    asked = parser.parse_args()
    compile_first()
    if asked.hostile:
        measure_hostile()
        return
    with tempfile.TemporaryDirectory() as temporary:
        for line, documents in enumerate(asked.documents):
            print(table_row(measure(corpus_in(asked.folder or Path(temporary), documents)), head=line == 0), flush=True)


def measure_hostile() -> None:
    for line, (what, texts, going) in enumerate(hostile()):
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(Path(folder), texts, [])
            took = run_stage(Path(folder), forge if what == "a bucket of all" else None)
            facts = json.loads((Path(folder) / "counts.json").read_text())["facts"]["dedup"]
            gone = pl.read_parquet(Path(folder) / "removed.parquet").height
            row = {"what": what, "documents": texts.height, **took, "compared": facts["pairs_compared"]}
            row |= {"curtailed": facts["comparisons_curtailed"], "removed": gone, "expected": going}
            print(table_row({key: str(value) for key, value in row.items()}, head=line == 0), flush=True)


def compile_first() -> None:
    """Compile the kernels, as the first build after an installation does once."""
    with tempfile.TemporaryDirectory() as folder:
        texts = pl.DataFrame({"doc_key": ["a", "b"], "content": ["a text to compile with", "a text to compile with!"]})
        write_corpus(Path(folder), texts, [])
        measure(Path(folder))


if __name__ == "__main__":
    main()
