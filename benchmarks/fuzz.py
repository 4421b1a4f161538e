"""Readers of foreign files under a fuzzer that is guided by coverage (atheris, the extra `fuzz`).

    python benchmarks/fuzz.py --minutes 60 [--only vectors.npz] [--corpus FOLDER]

An input is the number of a reader and the bytes of its file. A reader may take a file or raise InputError; any other
exception, more than MOST_MIB of memory and more than MOST_SECONDS for one input are faults. Each kind of fault (its
type and its last line in AuthBench) is told once, with an input that shows it. Exit status 1: a fault was found.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MOST_MIB, MOST_SECONDS = 1500, 20  # with what is imported, and the fuzzer's own
LONGEST = 1 << 16
HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / folder) for folder in ("workflow", "tests", "tests/unit")]

Target = tuple[str, Callable[[Path], object], bytes]  # the name of its file, what reads it, a sound file


def targets() -> dict[str, Target]:
    """Return the readers by name."""
    import numpy as np
    import polars as pl
    from mutated_files import CONTAINERS, KINDS, TEXTS, parquet, seed_of, table

    from authbench.audit.auditing.published import read_scores
    from authbench.audit.auditing.read import read_dataset
    from authbench.build.release.takedown import read_takedown
    from authbench.config.registry.source_entry import make_extraction
    from authbench.core.storage.raw_files import RawFile
    from authbench.models.vector_file import read_vectors
    from authbench.publish.attestation.statement import read_envelope
    from authbench.release.format import pan
    from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, PAIRS, POSITIVES, QUERIES
    from authbench.release.format.release import read_lock, read_manifest
    from authbench.release.format.tables import read_pairs, read_table
    from authbench.release.reading.readers import READERS
    from authbench.scoring.submissions.archive import unpacked
    from authbench.scoring.train.records import read_curves

    def of_source(reader: dict[str, Any], fields: Any) -> Callable[[Path], object]:
        entry = {"files": ["**/*"], "reader": reader, "fields": {"genre": {"const": "blog"}, **fields}}
        options = make_extraction(entry | {"author": {"kind": "account"}}).reader

        def read(path: Path) -> None:
            for file in RawFile(path, path.name, "", max_record_bytes=LONGEST).members(["**/*"]):
                for _ in READERS[type(options)](file, options):
                    pass

        return read

    def opened(path: Path) -> None:
        with unpacked(path):
            pass

    def lines(*rows: object) -> bytes:
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def dataset(path: Path) -> None:
        read_dataset([path])

    def rows(one: Any) -> Callable[[Path], object]:
        return lambda path: list(read_table(path, one))

    def pairs(one: Any) -> Callable[[Path], object]:
        return lambda path: read_pairs(path, one)

    def stored(write: Callable[[Any], object]) -> bytes:
        file = io.BytesIO()
        write(file)
        return file.getvalue()

    text = {"lang": "en", "genre": "blog", "content": "It rains.", "source": "s", "token_length": 3}
    vectors = np.eye(3, dtype=np.float32)
    ids = np.array(["a", "b", "c"])
    read_as = {"csv": "a.csv", "json lines": "a.jsonl", "json array": "a.json", "parquet": "a.parquet", "tsv": "a.tsv"}
    audited = {name: seed_of(name).replace(b"user", b"author") for name in read_as}
    found: dict[str, Target] = {
        f"source: {name}": (kind["file"], of_source(kind["reader"], kind["fields"]), seed_of(name))
        for name, kind in KINDS.items()
    }
    found |= {
        f"source: csv{suffix}": (f"a.csv{suffix}", found["source: csv"][1], pack(seed_of("csv")))
        for suffix, pack in CONTAINERS.items()
        if suffix
    }
    found |= {f"audit: {name}": (path, dataset, audited[name]) for name, path in read_as.items()}
    found |= {
        "audit: episodes": ("a_queries.jsonl", dataset, lines({"syms": list(TEXTS), "author_id": 1})),
        "audit: zip": ("a.zip", dataset, CONTAINERS[".zip"](audited["csv"])),
        "audit: scores": ("s.csv", lambda path: read_scores([path]), b"model,success@1\nrandom,0.5\n"),
        "audit: scores in JSON": ("s.json", lambda path: read_scores([path]), b'{"random": {"success@1": 0.5}}'),
        "vectors.npz": ("v.npz", read_vectors, stored(lambda file: np.savez(file, ids=ids, vectors=vectors))),
        "vectors.npz, packed": (
            "v.npz",
            read_vectors,
            stored(lambda file: np.savez_compressed(file, ids=ids, vectors=vectors)),
        ),
        "vectors.npy": ("v.npy", read_vectors, stored(lambda file: np.save(file, vectors))),
        "vectors.parquet": (
            "v.parquet",
            read_vectors,
            stored(pl.DataFrame({"id": ids, "vector": vectors.tolist()}).write_parquet),
        ),
        "pan: pairs": (
            "pairs.jsonl",
            pan.read_pairs,
            lines({"id": "a", "fandoms": ["x", "y"], "pair": ["It rains.", "Fog."]}),
        ),
        "pan: truth": ("truth.jsonl", pan.read_truth, lines({"id": "a", "same": True, "authors": ["x", "x"]})),
        "pan: answers": ("answers.jsonl", pan.read_answers, lines({"id": "a", "value": 0.5})),
        "release: manifest": (
            "manifest.json",
            lambda path: read_manifest(path.parent),
            b'{"name": "a", "splits": ["test"]}',
        ),
        "release: candidates": ("a.jsonl", rows(CANDIDATES), lines({"candidate_id": "a", "author_id": "b", **text})),
        "release: queries": ("a.jsonl", rows(QUERIES), lines({"query_id": "a", **text})),
        "release: truth": (
            "a.jsonl",
            rows(GROUND_TRUTH),
            lines({"query_id": "a", "positive_ids": ["b"], "author_id": "b"}),
        ),
        "release: pairs": ("pairs.parquet", pairs(PAIRS), stored(PAIRS.schema.to_frame().write_parquet)),
        "release: positives": (
            "positives.parquet",
            pairs(POSITIVES),
            stored(POSITIVES.schema.to_frame().write_parquet),
        ),
        "release: lock": ("release.lock", read_lock, b'{"authors": {}, "ids": {}}'),
        "release: takedown": ("takedown.txt", read_takedown, b"0" * 64 + b"\n"),
        "statement": (
            "said.json",
            read_envelope,
            b'{"payload": "e30=", "payloadType": "application/vnd.in-toto+json", "signatures": []}',
        ),
        "submission": (
            "packed.zip",
            opened,
            stored(lambda file: zipfile.ZipFile(file, "w").writestr("submission.json", "{}")),
        ),
        "training curves": ("curves.csv", read_curves, b"model,seed,step,value\nm,0,1,0.5\n"),
        "table": ("t.csv", dataset, table(",").encode()),
        "parquet of one column": ("t.parquet", dataset, parquet()),
    }
    return found


def fuzz(folder: Path, corpus: Path, seconds: int, only: str, seed: int) -> None:
    """Run the fuzzer in this process, which it ends; faults go to a folder."""
    import atheris

    with atheris.instrument_imports(include=["authbench"]):
        known = {name: one for name, one in targets().items() if only in name}
        from authbench.core.errors import InputError
    named = list(known)
    place = folder / "input"
    place.mkdir(exist_ok=True)
    (place / "v.ids.txt").write_text("a\nb\nc\n")
    for number, (_, _, sound) in enumerate(known.values()):
        (corpus / f"sound-{number}").write_bytes(bytes([number]) + sound)

    def one(data: bytes) -> None:
        if len(data) < 2:
            return
        number = data[0] % len(named)
        name, read, _ = known[named[number]]
        path = place / name
        path.write_bytes(data[1:])
        try:
            read(path)
        except InputError:
            pass
        except BaseException as problem:
            _tell(folder, named[number], data, problem)
        finally:
            path.unlink(missing_ok=True)

    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={MOST_SECONDS}", f"-seed={seed}"]
    options += [f"-rss_limit_mb={MOST_MIB}", f"-artifact_prefix={folder}/stopped-", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


def _tell(folder: Path, name: str, data: bytes, problem: BaseException) -> None:
    frames = [one for one in traceback.extract_tb(problem.__traceback__) if "authbench/" in one.filename]
    where = f"{frames[-1].filename.rpartition('authbench/')[2]}:{frames[-1].lineno}" if frames else "?"
    said = f"{name}: {type(problem).__name__} at {where}: {str(problem)[:120]!a}"
    mark = hashlib.sha256(f"{type(problem).__name__} {where}".encode()).hexdigest()[:8]
    if not (folder / f"fault-{mark}.txt").exists():
        (folder / f"fault-{mark}.txt").write_text(f"{said}\n")
        (folder / f"fault-{mark}.bin").write_bytes(data)


def run(minutes: float, only: str, corpus: Path | None, seed: int) -> int:
    """Run the fuzzer in processes of its own, as one that hangs or takes too much memory ends; print what was found."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        kept = corpus or folder / "corpus"
        kept.mkdir(parents=True, exist_ok=True)
        began, inputs, faults = time.monotonic(), 0, dict[str, str]()
        environment = os.environ | {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
        while (left := round(60 * minutes - (time.monotonic() - began))) > 0:
            words = ["--child", str(folder), "--minutes", str(left / 60), "--seed", str(seed), "--only", only]
            done = subprocess.run(
                [sys.executable, str(HERE), *words, "--corpus", str(kept)],
                env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            said = done.stderr.decode("utf-8", "replace")
            counts = re.findall(r"^(?:#|stat::number_of_executed_units: )(\d+)", said, re.MULTILINE)
            inputs += int(counts[-1]) if counts else 0
            stopped = re.findall(r"ERROR: libFuzzer: (.*)", said)
            for what in stopped:
                faults[f"stopped: {what}"] = _first_input(folder)
            if not counts and not stopped:
                print(said[-3000:], file=sys.stderr)
                return 2
            seed += 1
        faults |= {path.read_text().strip(): path.stem for path in sorted(folder.glob("fault-*.txt"))}
        print(
            json.dumps({"seconds": round(time.monotonic() - began), "inputs": inputs, "faults": list(faults)}, indent=1)
        )
        for path in [*folder.glob("fault-*.bin"), *folder.glob("stopped-*")]:
            shutil.copy(path, tempfile.gettempdir())
            print(f"{tempfile.gettempdir()}/{path.name}", file=sys.stderr)
        return 1 if faults else 0


def _first_input(folder: Path) -> str:
    return next((path.name for path in sorted(folder.glob("stopped-*"))), "")


def shown(path: Path) -> Iterator[str]:
    """Yield what a reader says of an input that was kept."""
    known = list(targets().items())
    data = path.read_bytes()
    name, (file, read, _) = known[data[0] % len(known)]
    with tempfile.TemporaryDirectory() as folder:
        (place := Path(folder, file)).write_bytes(data[1:])
        Path(folder, "v.ids.txt").write_text("a\nb\nc\n")
        try:
            read(place)
            yield f"{name}: read"
        except Exception:
            yield f"{name}:\n{traceback.format_exc()}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--only", default="", metavar="WORDS", help="readers whose names hold these words")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="inputs to begin with; what is found is added")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=Path, metavar="FILE", help="tell what a reader makes of a kept input")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.show:
        print("\n".join(shown(given.show)))
    elif given.child:
        fuzz(given.child, given.corpus, round(60 * given.minutes), given.only, given.seed)
    else:
        sys.exit(run(given.minutes, given.only, given.corpus, given.seed))
