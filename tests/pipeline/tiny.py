"""A copy of the project with a corpus of a few dozen made-up texts, small enough to be built hundreds of times.

`letters` (English, CSV, two files) and `essays` (German, JSON lines) have seven authors each. No model is evaluated.
"""

import csv
import json
import sys
from pathlib import Path

from cases import read_cases
from project import ROOT, Project, copy_project

sys.path.append(str(ROOT / "resources/demo"))
from generator.language import Shelf, make_author  # noqa: E402

NAME = "tiny"
AUTHORS, TEXTS = 7, 4  # of each file
DATA = read_cases(Path(__file__))
LETTERS = DATA["LETTERS"]
ESSAYS = DATA["ESSAYS"]
RECIPE = {
    "name": NAME,
    "raw_dir": "raw",
    "sources": ["letters.yaml", "essays.yaml"],
    "shards": 2,
    "missing_sources": "skip",
    "sample": {"min_documents_per_author": 2, "fallback_documents_per_author": None},
    "split": {"splits": {"train": 20, "dev": 20, "test": 60}},
    "evaluate": {"models": []},
}


def rows(lang, part):
    """Yield the rows of a raw file: a part of the texts in a language."""
    shelf = Shelf()
    for number in range(AUTHORS):
        writer = make_author(f"tiny/{lang}/{part}/{number}", "", lang)
        for text in range(TEXTS):
            ident = f"{part}{number}{text}"
            body = shelf.write(writer, "medium", "s", str(text))
            yield {"number": ident, "writer": f"Writer {lang} {part} {number}", "body": body, "work": f"work {ident}"}


def csv_text(table):
    """Return rows as a CSV file."""
    import io

    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return file.getvalue()


def lines_text(table):
    """Return rows as JSON lines."""
    return "".join(f"{json.dumps(row)}\n" for row in table)


def raw_files(parts):
    """Return the raw files, by path, of so many parts of the corpus."""
    files = {f"raw/letters/part{part}.csv": csv_text(list(rows("en", part))) for part in range(parts)}
    return files | {f"raw/essays/part{part}.jsonl": lines_text(list(rows("de", part))) for part in range(parts)}


def make_tiny(folder):
    """Copy the project into a folder, with the corpus and its recipe."""
    copy_project(folder)
    for name, text in {"letters.yaml": LETTERS, "essays.yaml": ESSAYS, **raw_files(1)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Project(folder, NAME)
