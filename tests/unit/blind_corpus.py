"""A corpus whose authors nothing but an edition, a heading and a length tells apart, as two sources.

All words, sentences and marks are drawn alike for everybody. An author's texts have a length and a sub-genre that
nobody else has, and marks in the form of a house. Of `editions` an editor's entry says so (`text: edited`), of
`letters` people's own typing stays. There are no dates, works, topics or items. Beside them stand five French authors,
whose texts are of other lengths each, so that none has a pool, and one English author of a single work.
"""

import re

import polars as pl

from authbench.build.normalize.table import normalize_records
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import Normalize
from authbench.core.identity import author_id, keyed_hash
from authbench.core.records import DOCUMENT, length_bucket_expr
from authbench.core.shipped import shipped
from authbench.core.tokens import load_tokenizer

FUNCTION = read_yaml(shipped("text/function_words.yaml"))
CONTENT = {
    "en": "harbour kettle meadow lantern violin thunder orchard saddle glacier puppet bridge window winter paper",
    "de": "Hafen Kessel Wiese Laterne Geige Donner Garten Sattel Gletscher Puppe Brücke Fenster Winter Papier Straße",
    "fr": "jardin rivière fenêtre maison hiver papier montagne lumière cheval bateau église forêt lettre musique pont",
}
TEXTS = 5
NUMBERS = (r"\1.", r"(\1)", r"\1:", r"[\1]")  # before a line
AUTHORS = (("editions", "en", 90), ("letters", "de", 45), ("letters", "fr", 5))


def plain(key, lang, words):
    """Sentences with marks, numbered lines of three, the same chances for everybody.

    < and > stand for quotation marks, = for a dash.
    """
    function = [str(word) for word in FUNCTION[lang] if str(word).isalpha()]
    parts = CONTENT[lang].split()
    content = [*parts, *(one + other.lower() for one in parts for other in parts)]  # more than are frequent
    about = [content[keyed_hash(11, key, "topic", str(place)) % len(content)] for place in range(12)]

    def chance(*place, below):
        return keyed_hash(11, key, *map(str, place)) % below

    sentences, done = [], 0
    while done < words:
        size = 5 + chance(done, "size", below=8)
        drawn = [
            about[chance(at, "content", below=len(about))]
            if chance(at, "kind", below=3) == 0
            else function[chance(at, "function", below=len(function))]
            for at in range(done, done + size)
        ]
        sign = chance(done, "sign", below=5)
        middle = size // 2
        if sign == 0:
            drawn[middle] = f"<{drawn[middle]}>"
        elif sign in (1, 2):
            drawn[middle] += ";,"[sign - 1]
        elif sign == 3:
            drawn.insert(middle, "=")
        end = ("!", "?", "...", ".", ".")[chance(done, "end", below=5)]
        text = " ".join(drawn)
        number = f"\n{len(sentences) // 3 + 1}. " if len(sentences) % 3 == 0 else ""
        sentences.append(number + text[0].upper() + text[1:] + end)
        done += size
    return " ".join(sentences).replace(" \n", "\n").strip()


def set_by(house, text):
    """The text as a publishing house sets it: one of 24 ways."""
    opening, closing = (("«", "»"), ("“", "”"), ("„", "“"), ('"', '"'))[house % 4]
    dash = ("—", "–", "--")[house // 4 % 3]
    space = ("", " ")[house // 12 % 2]
    text = re.sub(r"^(\d+)\.", NUMBERS[house // 6 % 4], text, flags=re.MULTILINE)
    text = text.replace("<", opening).replace(">", closing).replace("=", dash)
    text = text.replace("...", " . . ." if space else "…")
    for mark in ";!?":
        text = text.replace(mark, space + mark)
    return text


def documents(edition_marks, splits=("train", "dev", "test", "test", "test")):
    """The texts as the stages before a release leave them, with the setting `normalize.edition_marks`."""
    made = [one for tag, lang, authors in AUTHORS for one in rows(tag, lang, authors)]
    made += [row("editions", "en", 999, text, "one", part) for text, part in enumerate(monograph())]
    frame = pl.DataFrame(made, schema={**DOCUMENT, "split": pl.String, "toxicity": pl.Float64})
    rules = {"editions": Normalize(edited=True), "letters": Normalize()}
    normal, removed, *_ = normalize_records(
        frame, rules, {"quotes": "keep", "mask": [], "edition_marks": edition_marks}
    )
    assert removed.is_empty() and normal.height == frame.height
    lengths = pl.Series("token_length", load_tokenizer().count(normal["content"]), pl.Int32)
    chosen = [splits[keyed_hash(11, "split", author) % len(splits)] for author in normal["author_id"]]
    normal = normal.with_columns(lengths, pl.Series("split", chosen))
    # Who writes French or one work is tested.
    tested = (pl.col("lang") == "fr") | pl.col("origin_id").str.ends_with("one")
    normal = normal.with_columns(split=pl.when(tested).then(pl.lit("test")).otherwise("split"))
    return normal.with_columns(length_bucket_expr("token_length").alias("length_bucket"))


def rows(source, lang, authors):
    for author in range(authors):
        usual = 30 * (1.9 if lang == "fr" else 1.025) ** author  # words of each of the author's texts
        for text in range(TEXTS):
            key = f"{source} {lang} {author} {text}"
            words = round(usual * (0.95 + 0.1 * (keyed_hash(11, key) % 100) / 100))
            yield row(source, lang, author, text, str(text), set_by(author, plain(key, lang, words)))


def monograph():
    lines = set_by(0, plain("monograph", "en", 800)).split("\n")
    return ["\n".join(lines[at::TEXTS]) for at in range(TEXTS)]


def row(source, lang, author, text, work, content):
    name = f"{source}-{lang}-{author}"
    group = "abcdefghijklmnopqrstuvwxyz"
    return {
        "doc_key": f"{source}:{name}-{text}",
        "origin_id": f"{name}-{work}",
        "author_id": author_id(source, name),
        "author_kind": "account",
        "lang": lang,
        "genre": f"literature/{group[author % 26]}{group[author // 26 % 26]}",
        "source": source,
        "task": "authorship",
        "content": content,
        "names_author": False,
        "file": "f" * 64,
        "ordinal": (author * TEXTS + text) * 2,
        "char_length": len(content),
        "toxicity": 0.0,
    }
