"""Make the gallery of audits again: every dataset that is at hand, and the page that lists them.

    PYTHONPATH=workflow:benchmarks python benchmarks/audits.py --data ../shared/data --published ../shared/published
    PYTHONPATH=workflow:benchmarks python benchmarks/audits.py   # the list alone, from the audits that are there

Each audit is that of `authbench audit`, with the arguments that the list shows, and quotes no text.
"""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from authbench.app.cli import main as authbench

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs/audits"
HEADING = """# Audits

What [`authbench audit`](../auditing.md) says of datasets at hand, each made by one command; `benchmarks/audits.py`
makes all of them again. None quotes a text; with `--brief`, `audit.json` has counts in place of ids. Beside each table
(`audit.md`) lies the page (`index.html`).

| dataset | command | leaks, labels, form: ids | best row that reads no style |
| --- | --- | --- | --- |
"""
REMARKS = """
In the published split the number in an id gives the author away, and so does nearness in the file. `metadata`, which
knows language, source, genre and length, has an EER of .044 there; the four models have .122 to .193 as published, and
.032 to .045 tuned. Registers, versions and levels are not authors: there a row above chance says that layout, length or
topic tells them apart.
"""
SCORES = (("success@5", "S@5"), ("auc_matched", "AUC matched"))
KINDS = ("leaks", "labels", "form")


@dataclass(frozen=True)
class Shown:
    """An audit of the gallery: its folder, its dataset in words, where that lies, and the arguments of the command.

    `under` is `data`, `published` or `demo`: paths in the arguments are below this folder.
    """

    name: str
    title: str
    under: str
    arguments: Sequence[str]


GALLERY = (
    Shown("published-dev", "The dev split of a published release of this benchmark's design", "published",
          ("dev", "--scores", "results")),
    Shown("demo", "Our demo", "demo", ("results/demo/release",)),
    Shown("pan20-truth", "PAN 2020, truth of 3,000 problems, with three systems' answers", "data",
          ("pan20_av_truth", "--scores", "pan20_av_truth/answers_araujo20-small.jsonl",
           "--scores", "pan20_av_truth/answers_boenninghoff20-large.jsonl",
           "--scores", "pan20_av_truth/answers_gagala20-small.jsonl")),
    Shown("style-STEL_register", "STEL, formal and simple", "data", ("style:STEL_register", "--data", ".")),
    Shown("style-OneStopEnglishCorpus", "OneStopEnglish, three reading levels", "data",
          ("style:OneStopEnglishCorpus", "--data", ".")),
    Shown("style-parallel_shakespeare", "Shakespeare and its modern wording", "data",
          ("style:parallel_shakespeare", "--data", ".")),
    Shown("style-bible_versions", "Seven English Bibles, verse by verse", "data",
          ("style:bible_versions", "--data", ".")),
)  # fmt: skip


def command(shown: Shown) -> list[str]:
    return ["audit", *shown.arguments, "--brief", "--out", str(OUT / shown.name)]


def line(shown: Shown) -> str:
    """Return a row of the list, from the audit that is there."""
    found: dict[str, Any] = json.loads((OUT / shown.name / "audit.json").read_text(encoding="utf-8"))
    broken = [f"{one['claim']} {one['count']:,}" for one in found["findings"] if one["kind"] in KINDS and one["count"]]
    written = " ".join(["authbench audit", *shown.arguments, "--brief --out audit"])
    cells = [f"[{shown.title}]({shown.name}/audit.md)", f"`{written}`", ", ".join(broken) or "none", best(found)]
    return f"| {' | '.join(cells)} |\n"


def best(found: dict[str, Any]) -> str:
    """Return the highest score of each kind by a shortcut on the test split, or the last, with what chance gives."""
    if not found["rows"]:
        return "not scored: no text" if found["dataset"]["documents"] == 0 else "not scored"
    splits = list(found["dataset"]["splits"])
    shown = "test" if "test" in splits else splits[-1]
    told = []
    for name, words in SCORES:
        rows = [
            (row["scores"][name]["value"], row["row"], row["scores"][name]["chance"])
            for row in found["rows"]
            if row["split"] == shown and row["shortcut"] and row["scores"].get(name, {}).get("value") is not None
        ]
        if rows:
            value, row, chance = max(rows)
            split = f"{shown} " if len(splits) > 1 else ""
            told.append(f"{split}{words} {value:.3f} by `{row}` (chance {chance:.3f})")
    return "; ".join(told) or "not scored"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "published", "demo"):
        parser.add_argument(f"--{name}", type=Path, help=f"folder of the datasets of `{name}`; without it they stay")
    parser.add_argument("--only", nargs="*", help="names of audits to make again")
    given = parser.parse_args()
    for shown in GALLERY:
        folder = getattr(given, shown.under)
        if folder and (given.only is None or shown.name in given.only):
            here = Path.cwd()
            os.chdir(folder)
            try:
                if status := authbench(command(shown)):
                    raise SystemExit(status)
            finally:
                os.chdir(here)
    rows = [line(shown) for shown in GALLERY if (OUT / shown.name / "audit.json").is_file()]
    (OUT / "README.md").write_text(HEADING + "".join(rows) + REMARKS, encoding="utf-8")


if __name__ == "__main__":
    main()
