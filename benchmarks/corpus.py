"""A raw corpus of any size with author labels, to build a benchmark from: always the same one.

    python benchmarks/corpus.py OUT --documents 1000000 [--mean-chars 600] [--seed 7]

Ten languages and their genres in the shares of the demo, three sources of three formats (CSV, JSON lines in
zstd, Parquet). Words are those of the demo's grammars and blends of two of them, drawn with the frequencies of real
ones, so that two texts share as little as two real texts do (character 5-grams: Jaccard of 0.01 to 0.08). Lengths are
log-normal, over all four length buckets; the number of documents per author has a heavy tail. Among the texts are exact
copies (2 %), near copies of all degrees (3 %), mark-up, addresses, and short junk.

Writes OUT/raw/<source>/part-NNN.*, the sources' pages OUT/sources/<source>.yaml (to be copied into config/sources) and
OUT/config.yaml, which asks for a tenth of the documents. Memory: one block of documents per process (about 500 MB), and
16 bytes per document of the corpus.
"""

import argparse
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import regex
import yaml
import zstandard
from numpy.typing import NDArray

from authbench.app.config import demo_settings

ROOT = Path(__file__).resolve().parents[1]
BLOCK = 50_000  # documents made at a time
WORDS = 30_000  # of a language
EXACT, NEAR, JUNK, MESSY = 0.02, 0.03, 0.005, 0.05  # shares of the documents
SPREAD = 1.4  # standard deviation of the logarithm of a document's length
FAVOURED, FAVOURITES = 0.15, 60  # share of the words that an author draws from so many of their liking
TAIL = 1.2  # an author has k or more documents with probability k^-TAIL
SUBGENRES = ("entertainment", "people", "politics", "technology", "sports", "health")
# How long a text of as many tokens is, beside an English one.
CHARACTERS = {
    "en": 1.0, "es": 0.9, "fr": 0.9, "de": 0.85, "ru": 0.6, "ar": 0.4, "hi": 0.27, "zh": 0.2, "ja": 0.23, "ko": 0.23,
}  # fmt: skip
CASED = ("en", "es", "fr", "de", "ru")
UNSPACED = ("zh", "ja")
STOPS = {"zh": "。", "ja": "。", "hi": "।"}
COMMAS = {"zh": "，", "ja": "、", "ar": "،"}
MESS = ("<br />", "&amp;", "<b>!</b>", "info@example.org", "https://example.org/a?b=1", "@somebody", "+1 202 555 0123")
SHORT_JUNK = ("...", "12345", "👍👍👍", "?", "-----", "😂", "n/a", "$$$ 100 %")

# Which genres a source holds, and how its fields are called.
GENRES = {
    "bench_posts": ("social_media",),
    "bench_press": ("news", "ecommerce_reviews", "media_reviews"),
    "bench_works": ("blog", "literature", "poetry", "research_paper"),
}
READERS = {
    "bench_posts": ("*.parquet", {"format": "parquet"}),
    "bench_press": ("*.csv", {"format": "csv"}),
    "bench_works": ("*.jsonl", {"format": "jsonl"}),
}

I64 = NDArray[np.int64]


@dataclass(frozen=True)
class Vocabulary:
    """Forms of a language's words: plain, before a comma, first and last of a sentence, last of a paragraph; then mess
    and junk. `chance` is the cumulated probability of the plain ones, `length` their mean number of characters."""

    forms: pa.LargeStringArray
    chance: NDArray[np.float64]
    length: float


@dataclass(frozen=True)
class Plan:
    """Who wrote what: per author (lang, genre) as a kind, per document its author."""

    kinds: list[tuple[str, str, str]]  # source, language, genre
    kind_of: NDArray[np.int16]
    author_of: NDArray[np.int32]


def grammar_words(lang: str) -> list[str]:
    """The words of the demo's grammar, the frequent ones first; where words are not spaced, pairs of characters."""
    text = (ROOT / f"resources/demo/generator/grammar/{lang}.txt").read_text(encoding="utf-8")
    lines = [line.partition(":")[2] for line in text.splitlines() if line and not line.startswith("#")]
    phrases = regex.findall(r"[\p{L}\p{M}'’]+", regex.sub(r"<\w+>", "|", "|".join(lines)))
    parts = [pair for phrase in phrases for pair in re.findall("..?", phrase)] if lang in UNSPACED else phrases
    own = [part for part in parts if lang in CASED or not part.isascii()]
    return [word for word, _ in Counter(own).most_common()]


@cache
def vocabulary(lang: str) -> Vocabulary:
    chance = np.random.default_rng([len(lang), *lang.encode()])
    known = grammar_words(lang)
    words = dict.fromkeys(known)
    while len(words) < WORDS:
        for one, other in chance.integers(len(known), size=(WORDS, 2)).tolist():
            head, tail = known[one], known[other]
            blend = unicodedata.normalize("NFC", head[: (len(head) + 1) // 2 + 1] + tail[len(tail) // 2 :])
            words.setdefault(blend if len(blend) < 14 else blend[:13])
    return spelled(lang, list(words)[:WORDS])


def spelled(lang: str, plain: list[str]) -> Vocabulary:
    """The forms of these words, the frequent ones first."""
    weights = 1 / (np.arange(WORDS) + 4.0)
    gap = "" if lang in UNSPACED else " "
    stop, comma = STOPS.get(lang, "."), COMMAS.get(lang, ",")
    forms = [word + gap for word in plain]
    forms += [word + comma + gap for word in plain]
    forms += [(word.capitalize() if lang in CASED else word) + gap for word in plain]
    forms += [word + stop + gap for word in plain]
    forms += [word + stop + "\n\n" for word in plain]
    forms += [word + " " for word in MESS] + [word + " " for word in SHORT_JUNK]
    weights /= weights.sum()
    length = float(np.dot(weights, [len(word) + len(gap) for word in plain])) + 0.2
    return Vocabulary(pa.array(forms, pa.large_string()), np.cumsum(weights), length)


def texts(
    lang: str,
    documents: int,
    mean_chars: float,
    chance: np.random.Generator,
    authors: I64 | None = None,
    words: Vocabulary | None = None,
) -> pl.Series:
    """So many texts of a language, copies among them; each of the authors, if given, favours words."""
    words = words or vocabulary(lang)
    logs = chance.normal(np.log(mean_chars) - SPREAD**2 / 2, SPREAD, documents)
    sizes = np.maximum(1, np.rint(np.exp(logs) / words.length)).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    drawn = np.searchsorted(words.chance, chance.random(int(sizes.sum())))
    if authors is not None:
        favoured = chance.random(len(drawn)) < FAVOURED
        first = np.repeat(authors * 7919, sizes)[favoured]
        drawn[favoured] = (first + chance.integers(FAVOURITES, size=len(first))) % WORDS
    forms = punctuated(drawn, starts, chance)

    share = chance.random(documents)
    copied = share < EXACT + NEAR
    model = np.arange(documents)
    model[copied] = chance.choice(np.flatnonzero(~copied), int(copied.sum()))
    sizes = sizes[model]
    ends = np.cumsum(sizes)
    at = np.arange(int(ends[-1])) + np.repeat(starts[model] - (ends - sizes), sizes)
    edits = np.where((share >= EXACT) & copied, chance.random(documents) * 0.3, 0.0)
    edited = chance.random(len(at)) < np.repeat(edits, sizes)
    forms = np.where(edited, np.searchsorted(words.chance, chance.random(len(at))), forms[at])

    messy = np.repeat(chance.random(documents) < MESSY, sizes) & (chance.random(len(at)) < 0.02)
    forms[messy] = 5 * WORDS + chance.integers(len(MESS), size=int(messy.sum()))
    written = words.forms.take(pa.array(forms))
    offsets = np.frombuffer(written.buffers()[1], np.int64, len(forms) + 1)
    bounds = offsets[np.concatenate([[0], ends])]
    whole = pa.LargeStringArray.from_buffers(documents, pa.py_buffer(bounds), written.buffers()[2])
    junk = pl.Series(np.array(SHORT_JUNK)[chance.integers(len(SHORT_JUNK), size=documents)])
    texts = pl.Series(pl.from_arrow(whole)).str.strip_chars_end()
    return pl.select(pl.when(pl.Series(chance.random(documents) < JUNK)).then(junk).otherwise(texts)).to_series()


def punctuated(drawn: I64, starts: I64, chance: np.random.Generator) -> I64:
    """The forms of words that stand in sentences of about twelve words, those in paragraphs of about six."""
    count = len(drawn)
    share = chance.random(count)
    last = share < 1 / 12
    last[starts[1:] - 1] = True
    first = np.concatenate([[True], last[:-1]])
    form = np.zeros(count, np.int64)
    form[(share > 0.92) & ~first] = 1
    form[first] = 2
    form[last] = 3
    form[share < 1 / 72] = 4
    form[starts[1:] - 1] = 3
    return drawn + form * WORDS


def author_counts(documents: int, most: int, chance: np.random.Generator) -> I64:
    """How many documents each of as many authors has as it takes to write so many."""
    counts = np.minimum((1 - chance.random(documents)) ** (-1 / TAIL), most).astype(np.int64)
    return counts[: int(np.searchsorted(np.cumsum(counts), documents)) + 1]


def make_plan(documents: int, seed: int) -> Plan:
    """Authors with languages and genres in the shares of the demo, their documents in a shuffled order."""
    chance = np.random.default_rng([seed, documents])
    shares: dict[tuple[str, str, str], float] = {}
    sample = demo_settings()["sample"]
    for lang, of_all in sample["languages"].items():
        for pattern, of_lang in sample["genres"][lang].items():
            genre = pattern.removesuffix("/*")
            source = next(tag for tag, genres in GENRES.items() if genre.partition("/")[0] in genres)
            names = [f"{genre}/{name}" for name in SUBGENRES] if pattern.endswith("/*") else [genre]
            shares |= {(source, lang, name): of_all * of_lang / len(names) for name in names}
    weights = np.array(list(shares.values()))
    most = max(10, documents // 1000)
    counts = author_counts(documents, most, chance)
    authors = len(counts)
    author_of = np.repeat(np.arange(authors, dtype=np.int32), counts)[:documents]
    kind_of = chance.choice(len(weights), size=authors, p=weights / weights.sum()).astype(np.int16)
    return Plan(list(shares), kind_of, chance.permutation(author_of))


def make_block(number: int, plan: Plan, mean_chars: Mapping[str, float], seed: int) -> pl.DataFrame:
    """The documents of one block, as they are written: id, author, lang, genre, date, title, text and their source."""
    authors = plan.author_of[number * BLOCK : (number + 1) * BLOCK]
    kinds = plan.kind_of[authors]
    languages = np.array([lang for _, lang, _ in plan.kinds])[kinds]
    chance = np.random.default_rng([seed, number, 1])
    days = chance.integers(0, 1800, len(authors))
    frame = pl.DataFrame(
        {
            "id": np.arange(len(authors)) + number * BLOCK,
            "author": authors,
            "source": np.array([source for source, _, _ in plan.kinds])[kinds],
            "lang": languages,
            "genre": np.array([genre for _, _, genre in plan.kinds])[kinds],
            "date": (np.datetime64("2020-01-01") + days).astype("datetime64[D]"),
        }
    ).with_columns(author="user" + pl.col("author").cast(pl.String), date=pl.col("date").cast(pl.String))
    parts = []
    for lang in sorted(set(languages.tolist())):
        rows = np.flatnonzero(languages == lang)
        made = texts(lang, len(rows), mean_chars[lang], np.random.default_rng([seed, number, 2, *lang.encode()]))
        parts.append(pl.DataFrame({"row": rows, "text": made}))
    return frame.hstack(pl.concat(parts).sort("row").select("text"))


def write_block(number: int, out: Path, plan: Plan, mean_chars: Mapping[str, float], seed: int) -> int:
    """Write a block's documents into a file per source; give the characters of text."""
    block = make_block(number, plan, mean_chars, seed)
    for source, (pattern, _) in READERS.items():
        frame = block.filter(pl.col("source") == source).drop("source")
        path = out / f"raw/{source}" / pattern.replace("*", f"part-{number:04d}")
        if path.suffix == ".csv":
            frame.write_csv(path)
        elif path.suffix == ".parquet":
            frame.write_parquet(path, row_group_size=10_000)
        else:
            lines = frame.write_ndjson().encode()
            path.with_name(path.name + ".zst").write_bytes(zstandard.ZstdCompressor(level=1).compress(lines))
    return int(block["text"].str.len_chars().sum())


def page(source: str) -> dict[str, Any]:
    pattern, reader = READERS[source]
    return {
        "title": f"Made-up texts of the benchmarks ({reader['format']})",
        "about": "Made by benchmarks/corpus.py; an author is a number.",
        "license": {"name": "MIT", "tier": "A"},
        "acquire": {"from": "local", "where": "benchmarks/corpus.py", "how": "Run it."},
        "files": [pattern],
        "reader": reader,
        "fields": {"text": "text", "author": "author", "id": "id", "lang": "lang", "genre": "genre", "date": "date"},
        "author": {"kind": "account", "space": "bench"},
        "normalize": {"html": 1},
    }


def make_corpus(out: Path, documents: int, mean_chars: float = 600, seed: int = 7, processes: int = 2) -> int:
    """Write the whole corpus; give the characters of text in it."""
    plan = make_plan(documents, seed)
    sample = demo_settings()["sample"]
    english = mean_chars / sum(share / 100 * CHARACTERS[lang] for lang, share in sample["languages"].items())
    of_lang = {lang: english * factor for lang, factor in CHARACTERS.items()}
    for source in READERS:
        (out / "raw" / source).mkdir(parents=True, exist_ok=True)
        (out / "sources").mkdir(exist_ok=True)
        (out / f"sources/{source}.yaml").write_text(yaml.safe_dump(page(source), sort_keys=False), encoding="utf-8")
    asked = {"name": "bench", "raw_dir": str((out / "raw").resolve()), "sources": list(READERS)}
    shares = {key: sample[key] for key in ("languages", "lengths", "genres")}
    asked["sample"] = {"documents": documents // 10, **shares}
    (out / "config.yaml").write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
    blocks = range(-(-documents // BLOCK))
    with ProcessPoolExecutor(processes, mp_context=get_context("forkserver")) as pool:
        jobs = [pool.submit(write_block, number, out, plan, of_lang, seed) for number in blocks]
        return sum(job.result() for job in jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a raw corpus with author labels.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--mean-chars", type=float, default=600)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    characters = make_corpus(asked.out, asked.documents, asked.mean_chars, asked.seed)
    print(f"{asked.documents:,} documents, {characters:,} characters: {asked.out}")


if __name__ == "__main__":
    main()
