"""Write the documents of a RAVEN run to a file.

They come from the planted corpus, a release, PAN's pair files, or a user's table (format.documents), with a single
batch in memory.

Generate a synthetic corpus with a known answer, to demonstrate and test the method.

Topics belong to families that share words; most families have a single topic, a few have many. A random subset of
topics thus contains many similar topics, and a HITS subset hardly any. Every author writes on a single topic, with
preferences for function words and punctuation that are independent of the topic. A verifier that recognises topics by
their words must therefore lose if topics are dissimilar, and a verifier that uses function words must not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from authbench.build.release.published import DATA, open_published
from authbench.core.errors import InputError
from authbench.core.function_words import read_function_words
from authbench.core.identity import digest, keyed_hash, keyed_hashes
from authbench.core.json_values import JsonObject
from authbench.core.runtime.inventory import source_digest, take_inventory
from authbench.core.storage import parquet
from authbench.core.storage.json_files import write_json
from authbench.core.storage.json_lines import read_objects
from authbench.core.storage.raw_paths import FileSet
from authbench.core.storage.sha256sums import SUMS
from authbench.release.format.columns import CANDIDATES
from authbench.release.format.documents import NEEDED, SUFFIXES, complete_documents, expect_unique_ids, read_frames
from authbench.release.format.files import MANIFEST
from authbench.release.format.verify import open_verified

DOCUMENTS = pl.Schema(
    {"id": pl.String, "author": pl.String, "topic": pl.String, "lang": pl.String, "content": pl.String}
)
WORDS = 100  # of a text
CONTENT = 0.5  # share of topic words
OWN = 0.1  # share of topic words unique to the topic
FAMILY_WORDS, TOPIC_WORDS = 200, 8
LEAN = 0.25  # concentration of an author's function words: lower means greater differences between authors
FUNCTION_WORDS = 80  # from the English list
MARKS = (".", ";", "!", "?", "...", " -", ":")


@dataclass(frozen=True)
class Design:
    """Numbers of families with a single and with `many` topics, of authors per topic, texts per author, and words."""

    single: int = 85
    large: int = 10
    many: int = 25
    authors: int = 3
    texts: int = 3
    alone: int = WORDS  # words per text on a topic without relatives: fewer confound similarity with length
    alone_texts: int = 3  # texts per author on such a topic: fewer confound similarity with size


def planted_documents(seed: int, design: Design = Design()) -> Iterator[pl.DataFrame]:
    """Return the corpus as `documents.DOCUMENTS`, a frame per topic; topics are named `family-<f>-topic-<t>`."""
    for family in range(design.single + design.large):
        for topic in range(1 if family < design.single else design.many):
            sizes = (design.alone_texts, design.alone) if family < design.single else (design.texts, WORDS)
            yield _planted_topic(seed, f"family-{family:02}", f"topic-{topic:02}", design.authors, *sizes)


def _planted_topic(seed: int, family: str, topic: str, authors: int, texts: int, words: int) -> pl.DataFrame:
    name = f"{family}-{topic}"
    rows = []
    shared, own = _made_up(seed, FAMILY_WORDS, family), _made_up(seed, TOPIC_WORDS, name)
    for number in range(authors):
        author = f"{name}-author-{number}"
        chance = _generator(seed, author)
        habits = chance.dirichlet(np.full(len(function_words()), LEAN))
        marks = chance.dirichlet(np.full(len(MARKS), LEAN))
        for text in range(texts):
            written = _written(chance, words, shared, own, habits, marks)
            rows.append((f"{author}-{text}", author, name, "en", written))
    return pl.DataFrame(rows, schema=DOCUMENTS, orient="row")


def _written(
    chance: np.random.Generator, count: int, shared: list[str], own: list[str], habits: np.ndarray, marks: np.ndarray
) -> str:
    """Return a text of `count` words in sentences of about twelve."""
    content = chance.random(count) < CONTENT
    words = np.where(
        content,
        np.where(chance.random(count) < OWN, chance.choice(own, count), chance.choice(shared, count)),
        chance.choice(function_words(), count, p=habits),
    )
    ends = np.where(chance.random(count) < 1 / 12, chance.choice(MARKS, count, p=marks), "")
    return " ".join(word + end for word, end in zip(words, ends, strict=True)) + "."


@cache
def function_words() -> list[str]:
    return [word for word in read_function_words()["en"] if word.isalpha()][:FUNCTION_WORDS]


@cache
def _made_up(seed: int, count: int, whose: str) -> list[str]:
    """Return meaningless words of three or four syllables."""
    chance = _generator(seed, "words", whose)
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwz" for vowel in "aeiou"]
    drawn = chance.integers(len(syllables), size=(count, 4))
    lengths = chance.integers(3, 5, size=count)
    return ["".join(syllables[at] for at in row[:length]) for row, length in zip(drawn, lengths, strict=True)]


def _generator(seed: int, *whose: str) -> np.random.Generator:
    return np.random.default_rng(keyed_hash(seed, "planted", *whose))


PLANTED, RELEASE = "planted", "release"  # places of documents
VERIFICATION = "release.json"
KEYS = ("id", "author", "topic")
_SIDES = {"text": "content", "topic": "topic", "author": "author", "lang": "lang"}
_LANGUAGE_OF_PAN = "en"


def write_documents(place: str, path: Path, seed: int, built: bool = False, unverified: bool = False) -> str:
    """Write the documents of `place` to `path` as DOCUMENTS; each text of an author on a topic occurs once.

    VERIFICATION, next to it, records whether the release is verified; it is empty for other places.

    Args:
        built: whether `place` is a release that the build has just made and checked.

    Returns:
        A line with the number of documents.

    Raises:
        InputError: no file is readable, or no record has an author, a topic and a text.
    """
    counts = {"read": 0, "kept": 0}
    frames, verification = _open(place, seed, built, unverified)

    def distinct() -> Iterator[pl.DataFrame]:
        known: set[str] = set()
        for frame in frames:
            counts["read"] += frame.height
            frame = complete_documents(frame)
            new = []
            for row in frame.select(NEEDED).iter_rows():
                mark = digest(*row)
                new.append(mark not in known)
                known.add(mark)
            frame = frame.filter(pl.Series(new, dtype=pl.Boolean)).rename({"text": "content"})
            counts["kept"] += frame.height
            if frame.height:
                yield frame

    parquet.write_batches(path, DOCUMENTS, parquet.join_small(distinct()))
    try:
        if not counts["kept"]:
            raise InputError(
                f"{place}: none of {counts['read']:,} documents has an author, a topic and a text. Expected all three "
                "of each document."
            )
        expect_unique_ids(parquet.read_columns([path], ["id"])["id"], place)
    except InputError:
        path.unlink()
        raise
    write_json(path.with_name(VERIFICATION), verification)
    return f"{counts['kept']:,} documents, {counts['read'] - counts['kept']:,} left out (copies, or incomplete)"


def _open(place: str, seed: int, built: bool, unverified: bool) -> tuple[Iterator[pl.DataFrame], Mapping[str, object]]:
    """Return frames with some of the columns of documents, and whether a release is verified (empty for others).

    The place is PLANTED, the folder of PAN's files, a release, or the path of a table.
    """
    path = Path(place)
    if place == PLANTED:
        return (frame.rename({"content": "text"}) for frame in planted_documents(seed)), {}
    if path.is_dir() and list(path.glob("*truth.jsonl")):
        return _of_pan(path), {}
    if path.is_dir() and list(path.glob(f"*/{CANDIDATES.file}")):
        release = open_published(path.with_name(DATA), path) if built else open_verified(path, unverified=unverified)
        return read_frames(release), release.verification
    if path.is_file() and path.suffix in SUFFIXES:
        return read_frames(path), {}
    raise InputError(
        f"{place}: cannot be read as documents. Expected {PLANTED}, a release, a folder with pairs.jsonl and "
        f"truth.jsonl of PAN, or a table ({', '.join(SUFFIXES)}) with {', '.join(NEEDED)}."
    )


def place_digest(place: str, memory: Path) -> str:
    """Return a digest of the files of a place; `memory` caches digests by size and time."""
    path = Path(place)
    if place in (PLANTED, RELEASE) or not path.exists():
        return place
    files = [path.name] if path.is_file() else ["*.jsonl", "*/*.jsonl", "provenance.parquet", MANIFEST, SUMS]
    folder = path.parent if path.is_file() else path
    return source_digest(
        take_inventory(folder.parent, {folder.name: FileSet(folder.name, tuple(files))}, memory)[folder.name]
    )


def with_enough(keys: pl.DataFrame, least: int, most: int | None, seed: int) -> pl.DataFrame:
    """Return the documents of topics with at least `least`, at most `most` per topic, drawn by hash. Keeps `row`.

    Raises:
        InputError: no topic has `least` documents.
    """
    chosen = keys.filter(pl.len().over("topic") >= least)
    if most is not None:
        chosen = (
            chosen.with_columns(keyed_hashes(seed, "documents of a topic", chosen["id"]).alias("rank"))
            .filter(pl.struct("rank", "id").rank("ordinal").over("topic") <= most)
            .drop("rank")
        )
    if not chosen.height:
        raise InputError(
            f"raven: none of {keys['topic'].n_unique()} topics has {least} documents. Lower raven.min_documents, or "
            "give more documents."
        )
    return chosen


def read_keys(path: Path) -> pl.DataFrame:
    """Return id, author and topic of every document, and its index in the file (`row`)."""
    return parquet.read_columns([path], KEYS).with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))


def read_contents(path: Path, keys: pl.DataFrame, columns: Sequence[str] = ("id", "content")) -> pl.DataFrame:
    """Return columns of the documents with these keys (with `row`, ascending)."""
    rows = keys["row"].sort().to_numpy()
    return pl.concat(
        [
            pl.DataFrame(schema={name: DOCUMENTS[name] for name in columns}),
            *parquet.read_numbered_rows(path, rows, columns),
        ]
    )


def _of_pan(folder: Path) -> Iterator[pl.DataFrame]:
    """Yield both texts of every pair in PAN 2020's or 2021's files, with their true author and fandom.

    The files are `pairs.jsonl` and `truth.jsonl`, or any `<name>.jsonl` with `<name>-truth.jsonl`. Memory: the truth
    and a batch of pairs.
    """
    schema = dict.fromkeys((*NEEDED, "lang"), pl.String)
    for truth in sorted(folder.glob("*truth.jsonl")):
        pairs = folder / (truth.name.removesuffix("-truth.jsonl") + ".jsonl")
        pairs = folder / "pairs.jsonl" if truth.name == "truth.jsonl" else pairs
        if not pairs.is_file():
            raise InputError(f"{pairs}: there is no such file, and {truth} tells of its pairs. Put both there.")
        authors = {row["id"]: row["authors"] for row in _rows(truth, ("id", "authors"))}
        batch: list[tuple[str, str, str, str]] = []
        size = 0
        for row in _rows(pairs, ("id", "fandoms", "pair")):
            if row["id"] not in authors:
                raise InputError(f"{pairs}: {truth.name} does not tell of the pair {row['id']}. Fetch both anew.")
            langs = [row.get("lang") or _LANGUAGE_OF_PAN] * 2
            batch += zip(authors[row["id"]], row["fandoms"], row["pair"], langs, strict=True)
            size += sum(map(len, row["pair"]))
            if size > parquet.GROUP_BYTES:
                yield pl.DataFrame(batch, schema, orient="row")
                batch, size = [], 0
        yield pl.DataFrame(batch, schema, orient="row")


def _rows(path: Path, needed: Sequence[str]) -> Iterator[JsonObject]:
    """Yield the objects of a JSON lines file. Raises InputError if an object lacks a field."""
    for number, row in read_objects(path):
        if any(row.get(field) is None for field in needed):
            raise InputError(f"{path}, line {number}: expected an object with {', '.join(needed)}.")
        yield row


def read_texts(
    documents: Path, ids: pl.Series, cut: int | None, columns: Sequence[str] = tuple(DOCUMENTS)
) -> pl.DataFrame:
    """Return columns of the documents with these ids, which may repeat; texts are truncated to `cut` characters."""
    keys = read_keys(documents).filter(pl.col("id").is_in(ids.unique().implode()))
    return read_contents(documents, keys, columns).with_columns(pl.col("content").str.head(cut) if cut else "content")


def with_texts(pairs: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return pairs as verifiers take them: `id`, `text1`, `text2`, `same`, topics and authors likewise, and `lang`.

    Texts are shared, not copied. `lang` is null if the texts' languages differ.
    """
    place = pl.DataFrame({"id": texts["id"]}).with_row_index("place")
    columns = {"id": pairs["id"], "same": pairs["same"]}
    for number, side in enumerate(("first", "second"), start=1):
        own = pairs.select(id=side).join(place, on="id", how="left", maintain_order="left")["place"]
        columns |= {f"{name}{number}": texts[column].gather(own) for name, column in _SIDES.items()}
    found = pl.DataFrame(columns).with_columns(lang=pl.when(pl.col("lang1") == pl.col("lang2")).then("lang1"))
    return found.select("id", "text1", "text2", "same", "topic1", "topic2", "author1", "author2", "lang")
