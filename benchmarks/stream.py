"""What does a release of 30,000 texts take out of 30 GB that are never on this disk? SCALE: so many times both.

    python benchmarks/stream.py FOLDER [SCALE]

A server on loopback that speaks for the Hugging Face Hub makes Parquet files, sorted by language and author, from their
numbers when asked. `sources acquire --rows` streams ten rows per text, then `snakemake release` builds without tables.
"""

import io
import json
import resource
import sys
import threading
import time
from contextlib import suppress
from functools import lru_cache
from multiprocessing import Pipe, get_context
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import yaml
from build import ROOT, build_from_the_start, bytes_below, compared, copy_project, default_settings, merged, told_build
from corpus import CHARACTERS, WORDS, author_counts, demo_settings, page, spelled, texts, vocabulary
from machine import heading

sys.path.append(str(ROOT / "tests/unit"))
from loopback_hosts import COMMIT, Host, serving  # noqa: E402

NAME, BYTES, CHARS, PHRASE = "made/texts", 40_000_000, 800, 6
SAMPLE = {key: demo_settings()["sample"][key] for key in ("languages", "lengths", "genres")}


@lru_cache(1)
def phrases(lang):
    """A vocabulary of phrases: texts of them are made faster than of words."""
    words, chance = vocabulary(lang), np.random.default_rng(7)
    drawn = np.searchsorted(words.chance, chance.random((WORDS, PHRASE)))
    return spelled(lang, ["".join(some).strip() for some in np.array(words.forms[:WORDS].to_pylist())[drawn].tolist()])


def table(lang, documents, number):
    """A Parquet file of a language: authors with all their texts."""
    chance = np.random.default_rng([11, number])
    counts = author_counts(documents, 1000, chance)
    author = np.repeat(np.arange(len(counts)), counts)[:documents]
    genres = np.array([genre.replace("/*", "/people") for genre in SAMPLE["genres"][lang]])
    columns = {
        "id": np.arange(documents) + number * 10_000_000,
        "author": "user" + pl.Series(author + number * 10_000_000).cast(pl.String),
        "lang": pl.repeat(lang, documents, eager=True),
        "genre": genres[chance.integers(len(genres), size=len(counts))[author]],
        "text": texts(lang, documents, CHARS * CHARACTERS[lang], chance, author, phrases(lang)),
    }
    pl.DataFrame(columns).write_parquet(file := io.BytesIO(), row_group_size=10_000, compression="snappy")
    return file.getvalue()


@lru_cache(1)
def shard(number, of):
    """A file of the dataset, which is sorted by language."""
    lang = [lang for lang, share in SAMPLE["languages"].items() for _ in range(share)][number * 100 // of]
    body = table(lang, int(0.95 * BYTES * 10_000 / len(table(lang, 10_000, 0))), number)
    foot = int.from_bytes(body[-8:-4], "little") + 8
    return memoryview(body[:-foot] + bytes(BYTES - len(body)) + body[-foot:])  # nothing refers to the gap


def serve(line, of):
    """Serve so many files, and say at the end what was asked."""
    files = [{"rfilename": f"data/{number}.parquet", "size": BYTES, "blobId": f"{number}"} for number in range(of)]
    numbers = {f"/datasets/{NAME}/resolve/{COMMIT}/data/{number}.parquet": number for number in range(of)}
    told = json.dumps({"id": NAME, "sha": COMMIT, "private": False, "tags": [], "siblings": files}).encode()
    answers = SimpleNamespace(get=lambda path: shard(numbers[path], of) if path in numbers else told)
    with serving(Host(answers, etag=False)) as host:
        line.send(host.url)
        line.recv()
        asked = [one[2][6:].split("-") for one in host.seen if one[1] in numbers and one[2]]
        line.send((len(asked), sum(int(end) - int(start) + 1 for start, end in asked), time.process_time()))


def watch(folder, most):
    """Note the most bytes below a folder."""
    while True:
        with suppress(OSError):
            most[0] = max(most[0], bytes_below(folder))
        time.sleep(0.5)


def main():
    folder, scale = Path(sys.argv[1]), float((sys.argv[2:] or [1])[0])
    print(heading(), flush=True)
    project = copy_project(folder)
    entry = page("bench_posts") | {"acquire": {"from": "huggingface", "where": NAME, "how": "Run it.", "fetch": [{}]}}
    entry["fields"].pop("date")
    (folder / "config/sources/streamed.yaml").write_text(yaml.safe_dump(entry | {"files": ["**/*.parquet"]}))
    wanted = {"name": "streamed", "sources": ["streamed"], "raw_dir": "raw", "keep_tables": False}
    wanted["sample"] = {**SAMPLE, "documents": int(3e4 * scale)}
    own, most = bytes_below(folder), [0]
    threading.Thread(target=watch, args=(folder, most), daemon=True).start()
    here, there = Pipe()
    get_context("forkserver").Process(target=serve, args=(there, int(750 * scale)), daemon=True).start()
    env, rows = {"HF_ENDPOINT": here.recv(), "PYTHONPATH": "workflow"}, str(int(3e5 * scale))
    arguments = ("sources", "acquire", "streamed", "--raw", "raw", "--rows", rows)
    said, _ = project.start(*arguments, env=env, program=("-m", "authbench")).communicate()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{said[-300:]}{used.ru_utime + used.ru_stime:.1f} CPU s, {used.ru_maxrss / 1024:.0f} MiB")
    here.send("end")
    print("{} requests for {:,} bytes; the server's CPU s {:.1f}".format(*here.recv()))
    read, size = pl.read_parquet(folder / "raw/**/*.parquet"), bytes_below(folder / "raw")
    print(read.group_by("lang").agg(pl.len(), pl.col("author").n_unique()).sort("len").rows(), flush=True)
    given = read.height, (characters := read["text"].str.len_chars().sum()), size, size, characters / 1e6
    done = build_from_the_start(project, folder / "results/streamed", ["release", *project.recipe(wanted)], 2, given)
    kinds = [(read.height, characters / read.height)]
    print(told_build(done), compared(done, kinds, 2, merged(default_settings(), wanted)), sep="\n")
    print(f"{most[0] / 1e6:,.0f} MB on disk at most, {own / 1e6:,.0f} of them the project")


if __name__ == "__main__":
    main()
