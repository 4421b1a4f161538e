"""A corpus in a language and a genre beside those of the paper: Portuguese e-mails, from raw file to leaderboard."""

import csv
import json
import random
from pathlib import Path

import polars as pl
import pytest
from cases import read_cases
from project import copy_project

from authbench.core.storage.json_files import read_json

DATA = read_cases(Path(__file__))
WORDS = DATA["WORDS"]
HABITS = ("pois é", "enfim", "olha", "bom", "aliás", "de fato", "veja bem", "ou seja", "na verdade", "sabe")
AUTHORS, MAILS = 40, 6
SOURCE = DATA["SOURCE"]
RECIPE = DATA["RECIPE"]


def mail(author, number):
    """Portuguese words by chance, with the habits of an author."""
    chance = random.Random(f"{author} {number}")
    words = [chance.choice(WORDS.split()) for _ in range(45 + 3 * (author % 9) + chance.randrange(9))]
    for place in range(7, len(words), 9):
        words[place] = HABITS[author % len(HABITS)] + (",", " ...", "!", " -")[author // len(HABITS) % 4]
    return " ".join(words).capitalize() + "."


def write_corpus(folder):
    (folder / "raw/emails").mkdir(parents=True)
    (folder / "emails.yaml").write_text(SOURCE, encoding="utf-8")
    with (folder / "raw/emails/mails.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["number", "sender", "language", "sent", "body"])
        for author in range(AUTHORS):
            for number in range(MAILS):
                day = f"20{10 + number:02}-0{1 + author % 9}-1{number}"
                rows.writerow([author * MAILS + number, f"pessoa{author}", "pt", day, mail(author, number)])
        rows.writerow([9001, "pessoa1", "português", "2011-01-01", mail(1, 99)])  # no code
        english = "Please find the report that you asked for attached and tell me what you think of it before Monday. "
        rows.writerow([9002, "pessoa2", "pt", "2011-01-01", english * 2])


@pytest.fixture(scope="module")
def emails(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("emails"))
    write_corpus(project.folder)
    project.build("all", "human_pairs", *project.recipe(RECIPE))
    return project


def test_portuguese_emails_are_released_under_their_code_and_genre_and_checked(emails):
    results = emails.folder / "results/emails"
    released = pl.read_parquet(results / "release/provenance.parquet")
    assert released.select("lang", "genre").unique().rows() == [("pt", "email/work")]
    assert released.height > 200 and set(released["split"]) == {"train", "dev", "test"}
    assert read_json(results / "check.json")["violations"] == 0
    removed = [json.loads(line) for line in (results / "dirty_docs.log").read_text(encoding="utf-8").splitlines()]
    assert "wrong_language" in [row["reason"] for row in removed if row["doc_key"] == "emails:9002"]
    report = (results / "release/report.html").read_text(encoding="utf-8")
    assert "Portuguese" in report
    assert " short" not in report and "of the" not in report.partition("Asked for and got")[2].partition("<h2")[0]


def test_models_are_scored_on_them_and_people_can_judge_them(emails):
    results = emails.folder / "results/emails"
    scores = json.loads((results / "evaluate/char-ngram/scores.json").read_text(encoding="utf-8"))
    assert list(scores["by_language"]) == ["pt"] and list(scores["by_primary_genre"]) == ["email"]
    assert scores["headline"]["auc_matched"]["value"] > 0.6
    assert "Portuguese" in (results / "leaderboard/index.html").read_text(encoding="utf-8")
    sheet = results / "human_pairs/pt.html"
    pairs = [line.split('data-key="')[1][:32] for line in sheet.read_text("utf-8").split("\n") if "<article" in line]
    assert len(pairs) >= 4
    verdicts = [json.dumps({"pair": pair, "same": True, "sure": 1, "note": ""}) for pair in pairs]
    (emails.folder / "mine.jsonl").write_text("\n".join(verdicts) + "\n", encoding="utf-8")
    jobs = emails.plan(*emails.recipe({**RECIPE, "people": {"verdicts": ["mine.jsonl"]}}))
    assert {job.rule for job in jobs} == {"score_people", "leaderboard", "all"}
    emails.build(*emails.recipe({**RECIPE, "people": {"verdicts": ["mine.jsonl"]}}))
    rows = {row["model"]: row for row in pl.read_csv(results / "leaderboard/people.csv").to_dicts()}
    assert rows["people"]["auc"] == 0.5 and rows["people"]["accuracy"] == 0.5  # the same said of all
    assert rows["char-ngram"]["auc"] > 0.5 and rows["char-ngram"]["pairs"] == len(pairs)
    assert "People and models on the same pairs" in (results / "leaderboard/index.html").read_text(encoding="utf-8")
