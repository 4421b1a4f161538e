"""What a user may choose of authors and documents: a key, a list of what is to go, an earlier release to go on from."""

import json
from pathlib import Path

import polars as pl
import pytest
from project import Project, rules_of

LEFT_OUT = "arabic_poetry"


def author_ids(project: Project) -> dict[str, set[str]]:
    return {
        folder.name: set(pl.read_parquet(sorted(folder.glob("*-of-*.parquet")))["author_id"])
        for folder in sorted((project.results / "ingest").iterdir())
    }


def test_a_key_changes_every_author_id_and_nothing_else_of_them(demo: Project, another: Project) -> None:
    with_key = another.recipe({"ingest": {"author_key_env": "A_TEST_KEY"}})
    another.build("--until", "ingest_source", *with_key, env={"A_TEST_KEY": "a secret of the test"})
    plain, keyed = author_ids(demo), author_ids(another)
    assert len(plain) == 13
    for source, authors in plain.items():
        assert len(authors) == len(keyed[source])
        assert not authors & keyed[source]
    said = "".join(path.read_text("utf-8") for path in another.results.rglob("*.json"))
    assert "a secret of the test" not in said
    kept = another.plan("--until", "ingest_source", *with_key, env={"A_TEST_KEY": "a secret of the test"})
    other = another.plan("--until", "ingest_source", *with_key, env={"A_TEST_KEY": "another secret"})
    assert kept == []
    assert len(other) == 13


@pytest.fixture(scope="module")
def taken_down(demo: Project) -> tuple[str, str]:
    """An author id and the SHA-256 of a text by someone else, both released."""
    released = pl.read_parquet(demo.release / "provenance.parquet").filter(pl.col("source") == "exorde")
    author = released["author_id"][0]
    return author, released.filter(pl.col("author_id") != author)["content_sha256"][0]


@pytest.fixture(scope="module")
def later(demo: Project, taken_down: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The demo built once more: one source has no files, an author and a text are taken down, ids as they were."""
    folder = tmp_path_factory.mktemp("later")
    project = demo.copy(folder)
    (project.folder / "resources/demo/raw" / LEFT_OUT).rename(folder / "set aside")
    takedown, lock = folder / "takedown.txt", folder / "earlier.lock"
    takedown.write_text("# asked to go\n" + "\n".join(taken_down) + "\n", encoding="utf-8")
    lock.write_bytes((demo.release / "release.lock").read_bytes())
    settings = {"missing_sources": "skip", "split": {"lock": str(lock)}, "release": {"takedown": str(takedown)}}
    project.build("release", *project.recipe(settings))
    return project


def test_a_skipped_source_is_named_in_manifest_and_report_and_has_no_documents(later: Project) -> None:
    manifest = json.loads((later.release / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["skipped_sources"] == [LEFT_OUT]
    assert LEFT_OUT in (later.release / "report.html").read_text(encoding="utf-8")
    assert LEFT_OUT not in pl.read_parquet(later.release / "provenance.parquet")["source"].to_list()


def test_what_was_released_before_keeps_its_id_and_authors_keep_their_split(demo: Project, later: Project) -> None:
    before, after = (pl.read_parquet(project.release / "provenance.parquet") for project in (demo, later))
    place = ["source", "file", "ordinal", "chunk_start"]
    both = before.join(after, on=place, suffix="_later", nulls_equal=True)
    assert both.height > 200
    assert both["id"].to_list() == both["id_later"].to_list()
    splits = dict(before.select("author_id", "split").iter_rows())
    old = after.filter(pl.col("author_id").is_in(list(splits)))
    assert [splits[author] for author in old["author_id"]] == old["split"].to_list()


def test_no_number_is_given_twice(demo: Project, later: Project) -> None:
    before, after = (
        json.loads((project.release / "release.lock").read_text(encoding="utf-8"))["documents"]
        for project in (demo, later)
    )
    assert before.items() <= after.items()
    assert len(set(after.values())) == len(after)


def test_what_is_taken_down_leaves_a_gap(demo: Project, later: Project, taken_down: tuple[str, str]) -> None:
    author, text = taken_down
    before = pl.read_parquet(demo.release / "provenance.parquet")
    gone = before.filter((pl.col("author_id") == author) | (pl.col("content_sha256") == text))["id"].to_list()
    assert len(gone) >= 3
    for path in later.release.rglob("*.jsonl"):
        said = path.read_text(encoding="utf-8")
        assert author not in said
        assert not [ident for ident in gone if f'"{ident}"' in said]
    removed = pl.read_parquet(later.results / "report/taken_down.parquet")
    assert set(removed["reason"]) == {"taken_down"}
    assert (later.results / "dirty_docs.log").read_text(encoding="utf-8").count('"taken_down"') == removed.height


def test_a_takedown_reruns_the_release_alone(bench: Project, tmp_path: Path) -> None:
    takedown = tmp_path / "takedown.txt"
    takedown.write_text("0" * 64 + "\n", encoding="utf-8")
    jobs = bench.plan("release", *bench.recipe({"release": {"takedown": str(takedown)}}))
    # The report tells every setting, so that the facts for it are collected anew.
    assert rules_of(jobs) == {
        "count_survivors",
        "write_release",
        "check_release",
        "render_report",
        "list_removed",
        "release",
    }
