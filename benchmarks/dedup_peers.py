"""How does de-duplication compare with datatrove's MinHash pipeline, on the same documents and the same machine?

    python benchmarks/dedup_peers.py [--documents 200000] [--repeat 3] [--folder FOLDER]

Makes a corpus (benchmarks/dedup.py) and installs datatrove into an environment of its own, both in FOLDER (a temporary
folder, if none is given), and runs both in turn, each with two processes. datatrove runs its four stages on character
5-grams (of words it would compare something else) in its own 14 bands of 8; it verifies nothing, and keeps one document
of each connected component. Ours reads Parquet, as the stage before leaves it, datatrove JSON lines. CPU seconds are
those of all processes; the peak is that of datatrove's processes together, looked at ten times a second, and of our two
largest jobs of a rule, as if each were at its largest at the same time.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import polars as pl
from dedup import PROCESSES, compile_first, corpus_in, run_stage

PEER = "datatrove[processing,io]==0.10.1"
SUBREAPER = 36  # prctl: processes that lose their parent become ours, so that their time is counted
TASKS = 8
PIPELINE = """
import sys
from pathlib import Path
import numpy as np
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import minhash
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

minhash.load_word_tokenizer = lambda language: None  # of words, which are not asked for here

class CharacterSignature(MinhashDedupSignature):
    def get_shingles(self, text):
        n = self.config.n_grams
        grams = [text[i : i + n] for i in range(max(1, len(text) - n + 1))]
        return np.fromiter(map(self._hash_func, grams), dtype=np.uint64).reshape((-1, 1))

def run(stage, tasks):
    logs = str(work / "logs" / type(stage[-1]).__name__)
    LocalPipelineExecutor(pipeline=stage, tasks=tasks, workers=workers, logging_dir=logs).run()

if __name__ == "__main__":
    texts, work, tasks, workers = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    config = MinhashConfig()
    run([JsonlReader(texts), CharacterSignature(str(work / "signatures"), config=config)], tasks)
    run([MinhashDedupBuckets(str(work / "signatures"), str(work / "buckets"), config=config)], config.num_buckets)
    run([MinhashDedupCluster(str(work / "buckets"), str(work / "removed"), config=config)], 1)
    kept = JsonlWriter(str(work / "kept"), compression=None)
    run([JsonlReader(texts), MinhashDedupFilter(str(work / "removed")), kept], tasks)
"""


def measured(command: list[str]) -> dict[str, float]:
    """Run a command: seconds of the wall, CPU seconds of all its processes, and their peak memory together in MB."""
    peak, ended = [0.0], threading.Event()
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=watch, args=(process.pid, peak, ended))
    watcher.start()
    drained = threading.Thread(target=lambda: errors.append(process.stderr.read() if process.stderr else ""))
    errors: list[str] = []
    drained.start()
    cpu, failed = 0.0, False
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        cpu += usage.ru_utime + usage.ru_stime
        failed |= pid == process.pid and status != 0
    wall = time.monotonic() - started
    ended.set()
    watcher.join()
    drained.join()
    if failed:
        raise SystemExit(f"{command} failed:\n{errors[0][-3000:]}")
    return {"wall s": wall, "CPU s": cpu, "peak MB": peak[0]}


def watch(pid: int, peak: list[float], ended: threading.Event) -> None:
    while not ended.wait(0.1):
        peak[0] = max(peak[0], sum(map(proportional_mb, tree(pid))))


def tree(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    try:
        children = [
            child for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()
        ]
    except OSError:
        return []
    return [pid, *(below for child in children for below in tree(int(child)))]


def proportional_mb(pid: int) -> float:
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")) / 1024


def install(folder: Path) -> str:
    """The Python of an environment with the peer."""
    python = folder / "environment/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return str(python)


def run_peer(python: str, corpus: Path, work: Path) -> tuple[dict[str, float], set[str]]:
    """Run datatrove; give what it took and the documents that it removed."""
    pipeline = work / "pipeline.py"
    pipeline.write_text(PIPELINE)
    took = measured([python, str(pipeline), str(corpus / "jsonl"), str(work), str(TASKS), str(PROCESSES)])
    kept = pl.concat([pl.read_ndjson(path).select("id") for path in (work / "kept").glob("*.jsonl")])["id"]
    everything = pl.concat([pl.read_ndjson(path).select("id") for path in (corpus / "jsonl").glob("*.jsonl")])["id"]
    return took, set(everything) - set(kept)


def run_ours(corpus: Path) -> tuple[dict[str, float], set[str]]:
    """Run the jobs of the stage, two at a time; their peak is the sum of the two largest, each at its largest."""
    took = run_stage(corpus)
    took = {"wall s": took["all s"], "CPU s": took["CPU s"], "peak MB": took["two MB"]}
    return took, set(pl.read_parquet(corpus / "removed.parquet")["doc_key"])


def write_json_lines(corpus: Path) -> None:
    texts = pl.concat([pl.read_parquet(path) for path in sorted((corpus / "texts").glob("*.parquet"))])
    (corpus / "jsonl").mkdir(exist_ok=True)
    for task in range(TASKS):
        part = texts.gather_every(TASKS, task).select(id="doc_key", text="content")
        part.write_ndjson(corpus / f"jsonl/{task:05d}.jsonl")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        python = install(folder)
        corpus = corpus_in(folder, asked.documents)
        write_json_lines(corpus)
        expected = set(json.loads((corpus / "gone.json").read_text()))
        compile_first()
        columns = ["run", "wall s", "CPU s", "peak MB", "removed", "missed", "extra"]
        print(f"| {' | '.join(columns)} |\n| --- |{' ---: |' * (len(columns) - 1)}")
        taken: dict[str, list[dict[str, float]]] = {"ours": [], PEER: []}
        for turn in range(asked.repeat):
            for name, of_name in taken.items():
                work = Path(temporary) / f"work-{turn}"
                work.mkdir(exist_ok=True)
                took, gone = run_ours(corpus) if name == "ours" else run_peer(python, corpus, work)
                of_name.append(took)
                figures = [f"{took['wall s']:.1f}", f"{took['CPU s']:.1f}", f"{took['peak MB']:,.0f}"]
                figures += [f"{number:,}" for number in (len(gone), len(expected - gone), len(gone - expected))]
                print(f"| {name} | {' | '.join(figures)} |", flush=True)
        ours, theirs = (
            {key: median(took[key] for took in of_name) for key in of_name[0]} for of_name in taken.values()
        )
        ratios = [f"1/{theirs[key] / ours[key]:.1f}" for key in ("wall s", "CPU s")]
        print(f"| ours to {PEER}, medians | {' | '.join(ratios)} | 1/{theirs['peak MB'] / ours['peak MB']:.2f} | | | |")


if __name__ == "__main__":
    main()
