"""The public bundle is a release of the texts that may be passed on, and a benchmark of its own."""

import csv
import json
import shutil

import polars as pl
import pytest
from published import ABOUT, lines, opened, seal
from restricted import restricted
from sound_release import CONFIG, documents, write_sound

from authbench.app.cli import main
from authbench.config.registry.load import load_entry
from authbench.config.registry.sources import find_sources
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.publish.export.run import export_public
from authbench.publish.rebuild.run import Unmatched, write_partial
from authbench.release.checking import check_release
from authbench.release.format.columns import GROUND_TRUTH
from authbench.release.format.release import open_complete_release
from authbench.reports.report.verify import check_drawings
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import read_split

TIER_B = "blog_authorship"
NAMES = {"en": "English", "de": "German"}


def bundle(folder, made=None, **settings):
    """Write a release and its public bundle; return both folders."""
    write_sound(folder / "release", made=made, **settings)
    export_public(opened(folder / "release"), folder / "public", ABOUT, find_sources(CONFIG["sources"]))
    return folder / "release", folder / "public"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return bundle(tmp_path_factory.mktemp("bundle"))


def broken(folder):
    return {violation.code for violation in check_release(folder)}


def mixed():
    """The documents, with a text of each test author of a source of tier A given to an author of tier B."""
    frame = documents()
    one, other = (
        frame.filter((pl.col("source") == tag) & (pl.col("lang") == "en") & (pl.col("split") == "test"))["author_id"][0]
        for tag in ("babel_briefings", TIER_B)
    )
    author = pl.when(pl.col("author_id") == one).then(pl.lit(other)).otherwise("author_id")
    return frame.with_columns(author_id=author)


def copied():
    """The documents, where a text of tier A says what one of tier B says."""
    frame = documents()
    said = frame.filter((pl.col("source") == TIER_B) & (pl.col("split") == "train"))
    first = frame.filter(pl.col("source") == "babel_briefings")["doc_key"][0]
    same = ("content", "token_length", "char_length", "length_bucket")
    return frame.with_columns(
        pl.when(pl.col("doc_key") == first).then(pl.lit(said[name][0])).otherwise(name).alias(name) for name in same
    )


CASES = {
    "plain": (documents, {}, set()),
    "queries apart from candidates": (documents, {"queries_in_candidates": False}, set()),
    "an author of both tiers": (mixed, {}, {"author_space"}),
    "an author of both tiers, queries apart": (mixed, {"queries_in_candidates": False}, {"author_space"}),
    "a text of both tiers": (copied, {}, set()),
    "one language": (lambda: documents().filter(pl.col("lang") == "de"), {}, {"quota"}),
    "no tier A": (lambda: documents().filter(pl.col("source") == TIER_B), {}, {"quota", "admitted"}),
    "an empty split": (
        lambda: documents().filter((pl.col("source") == TIER_B) | (pl.col("split") != "dev")),
        {},
        {"quota"},
    ),
    "an empty train split": (
        lambda: documents().filter((pl.col("source") == TIER_B) | (pl.col("split") != "train")),
        {},
        {"quota"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bundle_breaks_no_claim_that_its_release_keeps(tmp_path, case):
    made, settings, whole_breaks = CASES[case]
    _, public = bundle(tmp_path, made(), **settings)
    assert broken(public) <= whole_breaks
    if case in ("plain", "no tier A"):
        assert check_drawings(public) == []


def test_what_was_taken_down_stays_counted(tmp_path):
    frame = documents()
    gone = (
        frame.filter(pl.col("split") == "train").group_by("source", maintain_order=True).agg(pl.col("content").last())
    )
    taken = frozenset(sha256_of_text(content) for content in gone["content"])
    release, public = bundle(tmp_path, frame, takedown=taken)
    assert broken(release) == broken(public) == set()
    assert open_complete_release(public).manifest["takedown"]["documents"] == len(taken) == 3


def test_what_is_kept_and_what_is_withheld_is_the_release(made):
    release, public = map(open_complete_release, made)
    stated = public.manifest["withheld"]
    asked = [
        sum(batch.height for split in r.splits for batch in r.rows(split, GROUND_TRUTH)) for r in (release, public)
    ]
    assert stated["documents"] == release.provenance.height - public.provenance.height == public.absent.height > 20
    assert stated["reasons"] == {"tier_b": public.absent.height}
    assert stated["queries"] == asked[0] - asked[1] > 0
    funnel = pl.read_csv(public.folder / "funnel.csv").filter(pl.col("stage") == "release")
    rows = {row["reason"]: row["documents"] for row in funnel.filter(pl.col("source") == TIER_B).to_dicts()}
    assert rows == {"in": public.absent.height, "tier_b": public.absent.height, "kept": 0}
    for split in release.splits:
        texts = {row["candidate_id"]: row for row in lines(release.folder / split / "candidates.jsonl")}
        for row in lines(public.folder / split / "candidates.jsonl"):
            assert texts[row["candidate_id"]] == row


def test_no_text_becomes_a_query_that_was_none(tmp_path):
    _, public = bundle(tmp_path, mixed())
    whole, here = open_complete_release(tmp_path / "release"), open_complete_release(public)
    absent = set(here.absent["id"])
    for split in whole.splits:
        expected = {}
        for query, positives, _, ignored in whole.truth(split).iter_rows():
            left = sorted(set(positives) - absent)
            if query not in absent and left:
                expected[query] = left, sorted(set(ignored) - absent)
        found = {query: (answers, ignored) for query, answers, _, ignored in here.truth(split).iter_rows()}
        assert found == expected


# --- the card ---


def table_below(card, heading):
    """The cells of the table that begins with a heading."""
    rows = []
    for line in card[card.index(heading) :].splitlines():
        if line and not line.startswith("|"):
            break
        rows += [[cell.strip() for cell in line.strip("|").split("|")]] if line else []
    return rows[2:]


def test_every_number_of_a_card_is_counted_in_its_folder(made):
    folder = made[1]
    card = (folder / "README.md").read_text(encoding="utf-8")
    rows = [
        {**row, "split": split}
        for split in ("train", "dev", "test")
        for row in lines(folder / split / "candidates.jsonl")
    ]
    frame = pl.DataFrame(rows)

    def counted(part):
        return [str(part.height), str(part["author_id"].n_unique())] + [
            str(part.filter(pl.col("split") == split).height) for split in ("train", "dev", "test")
        ]

    card = card.replace("| genre |", "\x00| genre |")
    languages = {row[0]: row[1:] for row in table_below(card, "| language |")}
    assert languages == {NAMES[lang]: counted(frame.filter(pl.col("lang") == lang)) for lang in set(frame["lang"])}
    frame = frame.with_columns(primary=pl.col("genre").str.split("/").list.first().str.replace_all("_", " "))
    genres = {row[0]: row[1:] for row in table_below(card, "| genre |")}
    assert genres == {name: counted(frame.filter(pl.col("primary") == name)) for name in set(frame["primary"])}
    terms = {row[0]: (int(row[4]), row[5]) for row in table_below(card, "| source |")}
    complete = pl.read_parquet(folder / "complete/provenance.parquet")
    assert terms == {
        tag: (many, "no" if tag == TIER_B else "yes") for tag, many in complete.group_by("source").len().iter_rows()
    }
    assert f"**{frame.height} of the {complete.height} documents of the complete release are here.**" in card
    with (folder / "licences.csv").open(newline="") as file:
        stated = {row["source"]: (int(row["documents"]), int(row["authors"])) for row in csv.DictReader(file)}
    assert stated == {
        tag: (many, authors)
        for tag, many, authors in complete.group_by("source").agg(pl.len(), pl.col("author_id").n_unique()).iter_rows()
    }
    provenance = pl.read_parquet(folder / "provenance.parquet")
    share = 100 * provenance["names_author"].sum() / provenance.height
    assert f"{share:.1f} % of the texts hold the" in card
    years = provenance["date"].str.slice(0, 4)
    assert f"from {years.min()} to {years.max()} where dated" in card
    kinds = dict(provenance.group_by("author_kind").len().iter_rows())
    assert f"{kinds['account']} documents are labelled by an account" in card
    assert f"{kinds['outlet']} documents are labelled by an outlet or byline" in card
    manifest = json.loads((folder / "manifest.json").read_text())
    told = card[card.index("The build warns:") : card.index("## Intended uses")]
    assert [line[2:] for line in told.splitlines() if line.startswith("- ")] == [
        line.replace("<", "&lt;") for line in manifest["warnings"]
    ]


def test_the_warnings_of_a_bundle_are_of_its_texts(made):
    told = "\n".join(open_complete_release(made[1]).manifest["warnings"])
    public = open_complete_release(made[1])
    asked = public.truth("test").join(public.provenance, left_on="query_id", right_on="id")
    for lang, many in asked.group_by("lang").len().iter_rows():
        assert f"{NAMES[lang]} ({many})" in told
    assert "are tier B" not in told and f"{public.absent.height} of the" in told


# --- claims about what is withheld ---


def _manifest(edit):
    def forge(folder):
        path = folder / "manifest.json"
        value = json.loads(path.read_text())
        edit(value)
        path.write_text(json.dumps(value))

    return forge


def _table(name, edit):
    return lambda folder: edit(pl.read_parquet(folder / name)).write_parquet(folder / name)


FORGERIES = {
    "fewer are withheld": _manifest(lambda manifest: manifest["withheld"].update(documents=3)),
    "no query is lost": _manifest(lambda manifest: manifest["withheld"].update(queries=0)),
    "nobody is lost": _manifest(lambda manifest: manifest["withheld"].update(authors=0)),
    "another reason": _manifest(lambda manifest: manifest["withheld"].update(reasons={"copy_of_tier_b": 42})),
    "nothing is said": _manifest(lambda manifest: manifest.pop("withheld")),
    "a text of tier A is withheld": _table(
        "complete/provenance.parquet",
        lambda rows: rows.with_columns(tier=pl.when(pl.col("tier") == "B").then(pl.lit("A")).otherwise("tier")),
    ),
    "a text here is another there": _table(
        "complete/provenance.parquet",
        lambda rows: rows.with_columns(author_id=pl.col("author_id").reverse()),
    ),
    "the complete release is smaller": _table("complete/provenance.parquet", lambda rows: rows.tail(-9)),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_bundle_that_says_something_else_of_what_it_withholds_is_found(made, tmp_path, forgery):
    shutil.copytree(made[1], tmp_path / "public")
    FORGERIES[forgery](tmp_path / "public")
    seal(tmp_path / "public")
    assert "withheld" in broken(tmp_path / "public")


# --- a part: what was rebuilt where texts were not found ---


def part(made, folder):
    """Write the part of a release that lacks every seventh text of tier B."""
    release, public = made
    lost = opened(release).provenance.filter(pl.col("tier") == "B")[::7]
    unmatched = [Unmatched(ident, source, "gone") for ident, source in lost.select("id", "source").iter_rows()]
    assert len(unmatched) > 3
    folder.mkdir()
    write_partial(folder, opened(public), release, unmatched)
    return folder


def test_a_part_breaks_no_claim_and_says_what_it_lacks(made, tmp_path):
    folder = part(made, tmp_path / "part")
    assert check_release(folder) == []
    assert check_drawings(folder) == []
    found = opened(folder)
    assert found.tier_b and found.manifest["withheld"]["reasons"] == {"not_found": found.absent.height}
    assert any("were not found in the raw corpora" in warning for warning in found.manifest["warnings"])
    assert not any("are withheld, as their terms" in warning for warning in found.manifest["warnings"])


@pytest.mark.parametrize("reasons", [{"not_found": 1}, {"tier_b": 6}, {"not_found": 3, "tier_b": 3}])
def test_a_part_that_gives_another_reason_or_number_is_found(made, tmp_path, reasons):
    folder = part(made, tmp_path / "part")
    _manifest(lambda manifest: manifest["withheld"].update(reasons=reasons))(folder)
    seal(folder)
    assert "withheld" in broken(folder)


def test_scores_of_a_part_are_those_of_the_complete_release_on_the_same_documents(made, tmp_path):
    folder = part(made, tmp_path / "part")
    found = scores(folder, tmp_path / "scores")
    assert found.height > 3
    assert found.equals(scores(restricted(made[0], folder, tmp_path / "restricted"), tmp_path / "whole"))


# --- scores ---


def scores(folder, out, model="tfidf"):
    evaluate(load_entry(MODELS, model), read_split(opened(folder, unverified=True), "test"), 0, out, VectorCache(out))
    return pl.read_parquet(next(out.rglob("queries.parquet")))


def test_scores_are_those_of_the_complete_release_on_the_same_documents(made, tmp_path):
    alone = restricted(*made, tmp_path / "restricted")
    found = scores(made[1], tmp_path / "public")
    assert found.height > 3
    assert found.equals(scores(alone, tmp_path / "whole"))


def test_commands_take_a_bundle(made, tmp_path, printed):
    public, out = str(made[1]), str(tmp_path / "scores")
    assert "sound" in printed(["check", public])
    assert main(["evaluate", public, "--model", "random", "--out", out]) == 0
    assert main(["leaderboard", out, "--out", str(tmp_path / "board")]) == 0
    assert main(["release", "diff", public, public]) == 0


def test_an_empty_split_has_nothing_to_evaluate_and_models_learn_from_the_pool(tmp_path):
    frame = documents().filter((pl.col("source") == TIER_B) | (pl.col("split") != "train"))
    _, public = bundle(tmp_path, frame)
    release = opened(public)
    with pytest.raises(InputError, match="holds no row, so there is nothing to evaluate"):
        read_split(release, "train")
    split = read_split(release, "test")
    assert split.fitted_on == "candidates" and split.reference is None
    assert scores(public, tmp_path / "scores").height == len(split.asks)


def test_a_copy_is_withheld_with_its_reason(tmp_path):
    _, public = bundle(tmp_path, copied())
    release = opened(public)
    copies = release.absent.filter(pl.col("tier") == "A")
    assert copies.height == 1 and copies["source"][0] == "babel_briefings"
    assert release.manifest["withheld"]["reasons"]["copy_of_tier_b"] == 1
    funnel = pl.read_csv(public / "funnel.csv").filter(pl.col("reason") == "copy_of_tier_b")
    assert funnel.select("source", "documents").rows() == [("babel_briefings", 1)]
    assert set(json.loads((public / "tier_b.json").read_text())["sources"]) == {TIER_B, "babel_briefings"}
