"""Raw folders of a recipe's sources, each in its distribution's format, at the recipe's size: always the same ones.

    python benchmarks/raw_folders.py OUT --recipe config/recipes/authbench-100k.yaml [--share 0.1] [--per-document 5]

Rows are those of the demo (resources/demo/generator), texts those of benchmarks/corpus.py with words that an author
favours. Languages and genres have the recipe's shares; where a recipe names no genres, those of the demo. Per document
that the recipe asks for there are `--per-document` raw ones: authors of one document and of hundreds, exact and near
copies within a file, texts that many files hold, rows without text or label, lines that no reader takes, several
encodings. Sources without authors (news without a byline) and spellings of one name are among them.

Writes OUT/<source>/… only; `--config raw_dir=OUT` reads it. Memory: one file of some 12 million characters per process.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from corpus import CHARACTERS, ROOT, author_counts, texts, vocabulary

from authbench.app.config import demo_settings
from authbench.release.checking.settings import read_settings

sys.path.append(str(ROOT / "resources/demo"))
from generator import sources as demo  # noqa: E402
from generator.chance import Chance  # noqa: E402
from generator.files import write_csv, write_json, write_json_lines, write_parquet, write_zip  # noqa: E402

PER_DOCUMENT = 5.0  # raw documents for each that a recipe asks for
PART = 12e6  # characters of a file, about
SHARED = 5  # texts of a language that each of its parts holds
HIDDEN = {"babel_briefings": 0.3, "exorde": 0.1}  # documents without a label
# Genre of the recipe -> sources that have it, with languages (none: all), characters of an English text on average,
# and how many released documents one raw document may give.
GENRES: Mapping[str, Mapping[str, tuple[str, float, float]]] = {
    "social_media/xiaohongshu": {"xiaohongshu": ("zh", 800, 1)},
    "social_media/*": {"exorde": ("", 700, 1), "ytcomments": ("", 400, 1)},
    "blog/*": {"blog_authorship": ("en", 1200, 1)},
    "ecommerce_reviews": {"amazon_multi": ("", 500, 1)},
    "media_reviews/douban": {"douban": ("zh", 600, 1)},
    "research_paper": {"arxiv": ("en", 1000, 1)},
    "news": {"babel_briefings": ("", 400, 1)},
    "poetry": {"arabic_poetry": ("ar", 1200, 1)},
    "qna": {"stackexchange": ("en es ru ja", 700, 1)},
    "literature": {
        "hindi_discourse": ("hi", 10_000, 4),
        "spanish_pd_books": ("es", 20_000, 4),
        "french_pd_books": ("fr", 20_000, 4),
        "russian_pd": ("ru", 20_000, 4),
        "german_pd": ("de", 20_000, 4),
        "project_gutenberg": ("", 10_000, 4),
        "wikisource": ("", 4_000, 2),
    },
}


@dataclass(frozen=True)
class Part:
    """One file: so many documents of a source in a language, of so many characters; the part's number among them."""

    source: str
    lang: str
    number: int
    documents: int
    mean_chars: float


@dataclass(frozen=True)
class Text:
    """A document with its number and that of its author, within a source and language, and a row of draws."""

    number: int
    author: int
    text: str
    hidden: bool
    chance: Chance


def parts_of(recipe: Mapping[str, Any], share: float, per_document: float) -> Iterator[Part]:
    """Yield the files that a recipe of a size needs."""
    stated = {key: value for key, value in recipe["sample"].items() if value is not None}
    sample = demo_settings()["sample"] | stated
    wanted = sample["documents"] * share * per_document
    for lang, of_all in sample["languages"].items():
        genres = sample["genres"][lang] | ({"qna": 10} if "stackexchange" in recipe["sources"] else {})
        for genre, of_lang in genres.items():
            able = {
                source: (chars, yields)
                for source, (langs, chars, yields) in GENRES[genre].items()
                if source in recipe["sources"] and lang in (langs.split() or [lang])
            }
            for source, (chars, yields) in able.items():
                documents = round(wanted * of_all / 100 * of_lang / 100 / len(able) / yields) + 20
                mean = chars * CHARACTERS[lang]
                files = int(-(-documents * mean // PART))
                for number in range(files):
                    yield Part(source, lang, number, -(-documents // files), mean)


def documents_of(part: Part) -> list[Text]:
    """Return the documents of a file, those of an author together."""
    name = [part.number, *part.source.encode(), 0, *part.lang.encode()]
    chance = np.random.default_rng(name)
    counts = author_counts(part.documents, 200, chance)
    authors = np.repeat(np.arange(len(counts)), counts)[: part.documents] + part.number * part.documents
    made = texts(part.lang, part.documents, part.mean_chars, chance, authors).to_list()
    shared = texts(part.lang, SHARED, 600, np.random.default_rng([*part.lang.encode()])).to_list()
    for place, text in zip(chance.integers(part.documents, size=SHARED), shared, strict=True):
        made[place] = text
    hidden = chance.random(part.documents) < HIDDEN.get(part.source, 0)
    first = part.number * part.documents
    return [
        Text(first + at, author, text, gone, Chance(part.source, part.lang, str(first + at)))
        for at, (author, text, gone) in enumerate(zip(authors.tolist(), made, hidden.tolist(), strict=True))
    ]


def names(lang: str, number: int) -> tuple[str, str]:
    """Return given and family name of a person, which no other number below 30,000 has."""
    given = demo.grammar(lang)["given"]
    return given[number % len(given)], vocabulary(lang).forms[number % 30_000].as_py().strip().capitalize()


def heading(lang: str, one: Text) -> str:
    """Return a person as catalogues spell them, one name in several ways."""
    given, family = names(lang, one.author)
    born = 1800 + one.author % 60
    return (f"{family}, {given} ({born}-{born + 60})", f"{family}, {given}", f"{family}, {given}, {born}-{born + 60}")[
        one.chance.below(3)
    ]


def exorde(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = []
    for one in written:
        url = demo.post_url(part.lang, one.author, one.chance)
        display = None if one.hidden else f"{part.lang} {one.author}"
        rows.append(demo.exorde_row(one.text, part.lang, display, f"{url}?{one.number}", one.chance))
    write_parquet(folder / "week1.parquet", rows)


def babel_briefings(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = []
    for one in written:
        label = None if one.hidden else f"author#{100_000 + one.author}"
        text = None if one.number % 500 == 7 else f"{one.text}… [+{one.chance.digits(4)} chars]"
        outlet, number = demo.outlet_of(part.lang, one.author % 300), len(rows) + part.number * 10**6
        rows.append(demo.babel_row(number, text, part.lang, label, outlet, one.text[:60], one.chance))
        rows[-1]["ID"] = f"{part.lang}{number}"
    write_json(folder / "babel.json", rows)


def amazon_multi(folder: Path, part: Part, written: Sequence[Text]) -> None:
    categories = tuple(demo.AMAZON.values())
    rows = []
    for one in written:
        reviewer, review = f"reviewer_{part.lang}_{one.author:07d}", f"{part.lang}_{one.number:07d}"
        category = one.chance.of(categories)
        row = demo.amazon_row(part.lang, reviewer, one.text, one.text[:30], category, one.chance, review)
        rows.append({"": one.number, **row})
    write_csv(folder / "train.csv", rows, list(rows[0]), {9: ",,"})


def blog_authorship(folder: Path, part: Part, written: Sequence[Text]) -> None:
    members = {}
    for author, posts in groupby(written, key=lambda one: one.author):
        chance = Chance("blog", str(author))
        kind = f"{chance.of(('male', 'female'))}.{13 + chance.below(35)}.{chance.of(demo.JOBS)}.{chance.of(demo.SIGNS)}"
        days = [
            (
                f"{1 + one.chance.below(28):02d},{one.chance.of(demo.MONTHS)},2004",
                demo.planted_works.blog_dirt(one.text, one.number, 0),
            )
            for one in posts
        ]
        codec = "cp1252" if author % 9 == 3 else "utf-8"
        members[f"blogs/{1_000_000 + author}.{kind}.xml"] = demo.blog_file(days).encode(codec, "ignore")
    write_zip(folder / "blogs.zip", members)


def arxiv(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = []
    for one in written:
        others = [names("en", one.chance.below(30_000)) for _ in range(one.chance.below(4))]
        people = [[family, given, ""] for given, family in (names("en", one.author), *others)]
        category = one.chance.of(demo.ARXIV_CATEGORIES)
        row = demo.arxiv_row(one.number % 15_000, people, one.text[:50], demo.wrapped(one.text), category, one.chance)
        rows.append(row | {"id": f"{row['id'][:4]}.{one.number:07d}"})
    write_json_lines(folder / "arxiv.json", rows, {5: '{"id": "0704.0001", "abstract": "cut'})


def xiaohongshu(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = []
    for one in written:
        site, user = ("weibo" if one.author % 3 == 2 else "xiaohongshu"), str(10**9 + one.author)
        machine = int(one.number % 50 == 0)
        rows.append(demo.xiaohongshu_row(f"n{one.number}", site, user, one.text, one.chance, machine))
    write_csv(folder / "posts.csv", rows, demo.XHS_COLUMNS, newline="\r\n")


def douban(folder: Path, part: Part, written: Sequence[Text]) -> None:
    kind = tuple(demo.DOUBAN)[part.number % 3]
    rows = [demo.douban_row(kind, str(one.number), f"user_{one.author}", one.text, one.chance) for one in written]
    write_csv(folder / demo.DOUBAN[kind], rows, list(rows[0]), delimiter="\t", quote_all=True)


def hindi_discourse(folder: Path, part: Part, written: Sequence[Text]) -> None:
    lines = [
        (one.number, line) for one in written for line in one.text.replace("।", "।\n").splitlines() if line.strip()
    ]
    records = {
        str(key): {"Story_no": story, "Sentence": line, "Discourse Mode": "Narrative"}
        for key, (story, line) in enumerate(lines)
    }
    write_json(folder / "discourse_dataset.json", records)


def books(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = []
    for one in written:
        text = "\n\n".join(demo.wrapped(piece, 64).strip() for piece in one.text.split("\n\n"))
        title = f"{one.text[:30]} {one.number}"
        creator = None if one.number % 97 == 5 else heading(part.lang, one)
        rows.append(demo.book_row(part.source, f"{part.lang}{one.number}", creator, title, text, one.chance))
    write_parquet(folder / demo.BOOKS[part.source][1], rows)


def arabic_poetry(folder: Path, part: Part, written: Sequence[Text]) -> None:
    rows = [demo.poem_row(one.text, " ".join(names("ar", one.author)), one.chance) for one in written]
    write_csv(folder / "arabic_poetry.csv", rows, list(rows[0]))


def crawled(folder: Path, part: Part, written: Sequence[Text]) -> None:
    """Write JSON lines of a crawler: posts of accounts, or works of persons."""
    person = part.source in ("project_gutenberg", "wikisource")
    genres = ("literature", "poetry") if person else ("qna/question", "qna/answer", "qna/comment")
    rows = []
    for one in written:
        row = {
            "raw_id": f"{part.lang}{one.number}", "text": one.text, "lang": part.lang,
            "author": heading(part.lang, one) if person else f"u{part.lang}{one.author}",
            "genre": one.chance.of(genres), "title": f"{one.text[:30]} {one.number}",
            "source_site": one.chance.of(("superuser", "cooking", "gardening")),
            "creation_date": demo.stamp(one.chance, 2021), "published_at": demo.stamp(one.chance, 2022),
        }  # fmt: skip
        rows.append(row)
    write_json_lines(folder / "crawled.jsonl", rows, {5: '{"raw_id": "cut'} if len(rows) > 200 else {})


WRITERS = {
    write.__name__: write
    for write in (exorde, babel_briefings, amazon_multi, blog_authorship, arxiv, xiaohongshu, douban, hindi_discourse)
} | {"arabic_poetry": arabic_poetry, **dict.fromkeys(demo.BOOKS, books)}


def write_part(out: Path, part: Part) -> tuple[str, int, int]:
    """Write one file; return its source, documents and characters."""
    written = documents_of(part)
    folder = out / part.source / f"{part.lang}-{part.number:04d}"
    WRITERS.get(part.source, crawled)(folder, part, written)
    return part.source, len(written), sum(len(one.text) for one in written)


def make_folders(
    out: Path, recipe: Mapping[str, Any], share: float, per_document: float, processes: int = 2
) -> tuple[int, int]:
    """Write the raw folders, the largest files first, and print and return what they hold."""
    parts = sorted(parts_of(recipe, share, per_document), key=lambda part: -part.documents * part.mean_chars)
    held: dict[str, list[int]] = {}
    with ProcessPoolExecutor(processes, mp_context=get_context("forkserver")) as pool:
        for source, documents, characters in pool.map(write_part, [out] * len(parts), parts):
            sums = held.setdefault(source, [0, 0, 0])
            sums[:] = [sums[0] + 1, sums[1] + documents, sums[2] + characters]
    for source, (files, documents, characters) in sorted(held.items()):
        print(f"{source:18} {files:5} files {documents:9,} documents {characters / 1e6:9,.1f} M characters")
    documents, characters = (sum(sums[place] for sums in held.values()) for place in (1, 2))
    print(f"all: {documents:,} documents, {characters:,} characters", flush=True)
    return documents, characters


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the raw folders of a recipe.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--recipe", type=Path, default=ROOT / "config/recipes/authbench-100k.yaml")
    parser.add_argument("--share", type=float, default=1.0, help="of the documents that the recipe asks for")
    parser.add_argument("--per-document", type=float, default=PER_DOCUMENT, help="raw documents for each of them")
    asked = parser.parse_args()
    recipe = read_settings(asked.recipe)
    make_folders(asked.out, recipe, asked.share, asked.per_document)


if __name__ == "__main__":
    main()
