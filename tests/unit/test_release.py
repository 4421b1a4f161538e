import hashlib
import json
import re
import subprocess
from pathlib import Path

import orjson
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from published import seal
from small_corpus import FACTS, SETTINGS, SOURCES, SPLIT, author, corpus, document, frame, release
from sound_release import documents as sound_documents
from sound_release import write_sound

from authbench.build.filter.measure import measure_texts
from authbench.build.release import relations as relations_room
from authbench.build.release.contents import make_contents
from authbench.build.release.manifest import make_manifest
from authbench.build.release.numbering import make_lock, number_documents
from authbench.build.release.queries import QUERIES, choose_queries
from authbench.build.release.tables import make_provenance
from authbench.build.release.takedown import read_takedown
from authbench.build.release.write import write_release
from authbench.core import records
from authbench.core.errors import InputError
from authbench.core.identity import author_id
from authbench.core.presentation import charts
from authbench.core.records import LANGUAGES, REMOVED
from authbench.release.checking import check_release
from authbench.release.format.release import read_lock
from authbench.reports.report.write import write_report


def measured(made):
    return measure_texts(made.documents, LANGUAGES)


def written(documents, folder, **other):
    made = release(documents, **other)
    write_report(folder, SOURCES, write_release(folder, made, measured(made), SOURCES, FACTS))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def lines(data):
    return [orjson.loads(line) for line in data.splitlines()]


@pytest.mark.usefixtures("drawn_anew")
def test_two_runs_and_any_order_of_rows_give_the_same_bytes(tmp_path):
    first = written(corpus(), tmp_path / "a")
    again = written(corpus(), tmp_path / "b")
    shuffled = written(corpus().sample(fraction=1, shuffle=True, seed=3), tmp_path / "c")
    assert len(first) > 20
    assert first == again == shuffled


@pytest.mark.usefixtures("drawn_anew")
def test_the_page_and_the_folder_of_figures_show_charts_that_are_drawn_once(tmp_path, monkeypatch):
    drawn, draw = [], charts._drawn
    monkeypatch.setattr(charts, "_drawn", lambda chart: drawn.append(chart.name) or draw(chart))
    files = written(corpus(), tmp_path)
    figures = {Path(name).stem: text for name, text in files.items() if name.startswith("figures/")}
    assert sorted(drawn) == sorted(figures) and len(drawn) == 5
    shown = re.findall(rb"<svg\b.*?</svg>", files["report.html"], re.DOTALL)
    assert shown and set(shown) <= {figure.strip() for figure in figures.values()}


def test_measurements_and_licences_join_the_provenance_whatever_their_order():
    documents = release(corpus()).documents
    measures = documents.select("doc_key", symbols=pl.col("ordinal") / 100).sample(fraction=1, shuffle=True, seed=1)
    table = make_provenance(documents, measures, SOURCES)
    assert table["id"].to_list() == sorted(table["id"])
    assert (table["symbols"] * 100).round().to_list() == table["ordinal"].to_list()
    assert set(table["tier"]) == {"A"} and "doc_key" not in table.columns and "content" not in table.columns


@pytest.mark.parametrize("key", [None, b"a secret"])
def test_neither_a_name_nor_a_path_is_a_topic_and_dates_have_the_form_of_their_column(key):
    topics = ["sports", "writer 0", "/home/writer 0/a.txt", "a@b.org", "cs.LG", None]
    dates = ["2020-05-17", "2020", "May 2020", "2020-05-17T10:00", None, "17.5.2020"]
    rows = [
        document(n, 0, topic=topic, date=date, author_id=author_id("news", "writer 0", key))
        for n, (topic, date) in enumerate(zip(topics, dates, strict=True))
    ]
    table = make_provenance(release(frame(*rows)).documents, None, SOURCES, key=key).sort("ordinal")
    assert table["topic"].to_list() == ["sports", None, None, None, "cs.LG", None]
    assert table["date"].to_list() == ["2020-05-17", "2020", None, None, None, None]


def test_the_files_have_the_fields_of_the_plan_in_its_order(tmp_path):
    files = written(corpus(), tmp_path)
    candidate, query, truth = (
        lines(files[f"train/{name}.jsonl"])[0] for name in ("candidates", "queries", "ground_truth")
    )
    assert list(candidate) == ["candidate_id", "author_id", "lang", "genre", "content", "source", "token_length"]
    assert list(query) == ["query_id", "lang", "genre", "content", "source", "token_length"]
    assert list(truth) == ["query_id", "positive_ids", "author_id"]
    assert all(data.endswith(b"}\n") for name, data in files.items() if name.endswith(".jsonl"))


def test_sha256sum_accepts_the_checksums(tmp_path):
    files = written(corpus(), tmp_path)
    named = [line.split("  ", 1)[1] for line in files["SHA256SUMS"].decode().splitlines()]
    assert named == sorted(set(files) - {"SHA256SUMS"})
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=tmp_path, check=True)


def test_the_manifest_names_no_place_and_no_machine(tmp_path):
    told = json.loads(written(corpus(), tmp_path)["manifest.json"])
    assert told["config"].keys() == {"name", "seed", "split", "release", "safety"}
    assert told["config"]["safety"] == {"wordlist": {"extra": "w.yaml"}}
    assert told["counts"]["test"] == {
        "documents": 10,
        "authors": 2,
        "queries": 2,
        "languages": {"en": 10},
        "genres": {"news": 10},
        "lengths": {"short": 10},
    }
    assert str(tmp_path) not in json.dumps(told)


def test_a_bound_that_was_not_found_is_null(tmp_path):
    deviation = {**FACTS["deviation"], "bound": {"least_deviation": float("nan"), "reached": 3.0}}
    made = release(corpus())
    write_release(tmp_path, made, measured(made), SOURCES, {**FACTS, "deviation": deviation})
    told = orjson.loads((tmp_path / "sampling_deviation.json").read_bytes())
    assert told["bound"] == {"least_deviation": None, "reached": 3.0}


def test_the_split_names_of_documents_are_those_of_the_settings():
    with pytest.raises(InputError, match="validation"):
        release(frame(document(1, 1, "validation")))
    with pytest.raises(InputError, match="cannot name a folder"):
        make_contents(corpus(), SETTINGS, {"splits": {"../up": 100}}, 7)


def test_what_is_written_reads_back_as_what_was_made(tmp_path):
    made = release(corpus())
    write_release(tmp_path, made, measured(made), SOURCES, FACTS)
    rows = [
        {"ignored_ids": [], **json.loads(line), "split": split}
        for split in made.splits
        for line in (tmp_path / split / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    documents = pl.read_parquet(tmp_path / "provenance.parquet")
    assert pl.DataFrame(rows, schema=QUERIES).sort("query_id").equals(made.queries)
    assert documents["origin"].equals(made.documents["origin"])


# --- numbers and locks ---


def test_numbers_and_lines_tell_no_author():
    documents = number_documents(frame(*(document(n, n // 5) for n in range(400))), 7)
    assert documents["id"].to_list() == [f"doc_{n:06d}" for n in range(400)]
    writers = documents["author_id"]
    beside = int((writers == writers.shift()).sum())
    assert beside <= 12  # of 400; four follow each text of its author by chance, 320 did in the order of authors
    assert documents["doc_key"].to_list() != number_documents(documents.drop("id"), 8)["doc_key"].to_list()


def test_numbers_in_sorted_order_follow_language_source_and_author():
    documents = number_documents(frame(*(document(n, n % 5) for n in range(40))), 7, order="sorted")
    keys = list(documents.select("lang", "source", "author_id", "doc_key").iter_rows())
    assert keys == sorted(keys) and documents["id"].is_sorted()


def test_with_a_lock_new_numbers_tell_no_author_either():
    old = number_documents(frame(*(document(n, n // 5) for n in range(50))), 7)
    new = number_documents(frame(*(document(n, n // 5) for n in range(450))), 7, make_lock(old))
    fresh = new.filter(pl.col("id") >= "doc_000050")["author_id"]
    assert len(fresh) == 400 and int((fresh == fresh.shift()).sum()) <= 12


def test_two_documents_of_one_key_are_refused():
    with pytest.raises(InputError, match="news:1"):
        number_documents(frame(document(1, 1), document(1, 2)), 7)


@given(st.sets(st.integers(0, 60), max_size=30), st.sets(st.integers(0, 60), max_size=30))
@settings(max_examples=60, deadline=None)
def test_with_a_lock_known_documents_keep_their_numbers_and_no_number_is_used_twice(a, b):
    old = number_documents(frame(*(document(n, n % 7) for n in sorted(a))), 7)
    lock = make_lock(old)
    new = number_documents(frame(*(document(n, n % 7) for n in sorted(b))), 7, lock)
    before = dict(zip(old["doc_key"], old["id"], strict=True))
    after = dict(zip(new["doc_key"], new["id"], strict=True))
    assert all(after[key] == before[key] for key in before.keys() & after.keys())
    fresh = sorted(after[key] for key in after.keys() - before.keys())
    assert fresh == [f"doc_{n:06d}" for n in range(len(a), len(a) + len(fresh))]
    assert len(make_lock(new, lock)["documents"]) == len(a | b)


def test_a_lock_holds_authors_splits_and_hashes_of_keys_sorted():
    lock = make_lock(number_documents(corpus(), 7))
    assert lock["authors"][author(2)] == "dev"
    assert lock["documents"][hashlib.sha256(b"news:0").hexdigest()].startswith("doc_")
    assert list(lock["documents"]) == sorted(lock["documents"])


def test_what_is_no_lock_is_refused_by_name(tmp_path):
    (tmp_path / "x.lock").write_text('{"authors": {}}')
    with pytest.raises(InputError, match=r"x\.lock"):
        read_lock(tmp_path / "x.lock")
    with pytest.raises(InputError, match="seven"):
        number_documents(corpus(), 7, {"documents": {"a": "seven"}})


# --- takedown ---


def test_a_takedown_leaves_gaps_and_everything_else_as_it_was(tmp_path):
    whole = release(corpus())
    queried = set(whole.queries["query_id"])
    spare = whole.documents.filter((pl.col("author_id") == author(0)) & ~pl.col("id").is_in(sorted(queried)))[0]
    less = release(corpus(), takedown=frozenset({author(3), spare["content_sha256"][0]}))
    gone = set(whole.documents["id"]) - set(less.documents["id"])
    assert gone == set(whole.documents.filter(pl.col("author_id") == author(3))["id"]) | {spare["id"][0]}
    assert less.documents.equals(whole.documents.filter(~pl.col("id").is_in(sorted(gone))))
    assert set(less.queries["query_id"]) == queried - gone
    assert less.takedown == {"entries": 2, "entries_without_a_document": 0, "documents": 6, "queries": 1}
    assert less.removed.schema == REMOVED and set(less.removed["reason"]) == {"taken_down"}
    assert author(3) not in less.lock["authors"] and less.lock["documents"] == whole.lock["documents"]
    assert author(3).encode() not in b"".join(written(corpus(), tmp_path, takedown=frozenset({author(3)})).values())


def test_a_query_without_a_positive_left_is_no_query():
    whole = release(corpus())
    query, positives = whole.queries.row(0, named=True)["query_id"], whole.queries.row(0, named=True)["positive_ids"]
    contents = whole.documents.filter(pl.col("id").is_in(positives))["content_sha256"]
    less = release(corpus(), takedown=frozenset(contents))
    assert query in set(less.documents["id"]) and query not in set(less.queries["query_id"])


def test_a_disjoint_query_that_a_takedown_ends_is_a_candidate_that_other_queries_know():
    works = ["x", "x", "y"]  # one query of each work; once y's only other text is gone, x's texts answer y's
    documents = frame(*(document(n, 0, "test", origin_id=work) for n, work in enumerate([*works, "y"])))
    form = {"queries_in_candidates": False, "queries_per_author": "all", "positives": "other_work"}
    for text in documents["content"]:
        gone = frozenset({hashlib.sha256(text.encode()).hexdigest()})
        made = release(documents, takedown=gone, **form)
        asked = set(made.queries["query_id"])
        assert asked
        for row in made.queries.iter_rows(named=True):
            assert {*row["positive_ids"], *row["ignored_ids"]} == set(made.documents["id"]) - asked


def test_an_entry_that_matches_nothing_is_counted():
    assert release(corpus(), takedown=frozenset({"0" * 64})).takedown["entries_without_a_document"] == 1


def test_a_takedown_list_is_read_line_by_line_and_refuses_what_is_no_hash(tmp_path):
    path = tmp_path / "takedown.txt"
    path.write_text(f"# asked in May\n{'A' * 64}  # by letter\n\n")
    assert read_takedown(path) == {"a" * 64}
    path.write_text("somebody\n")
    with pytest.raises(InputError, match="line 1") as told:
        read_takedown(path)
    assert "somebody" not in str(told.value), "lists of authors are no messages"


def campaign():
    """Four texts of own words by each of four writers, and one with a campaign's title and a word."""
    words = ["harbour", "lantern", "anchor", "sorrow", "meadow", "thistle", "copper", "violin"]
    rows = []
    for number in range(20):
        writer, place = number % 4, number // 4
        own = " ".join(words[(number * step + writer) % 8] for step in (1, 3, 5)) + f" {number}"
        content = f"#Save our library#\n{words[writer]}" if place == 4 else own
        rows.append(document(number, writer, "test", content=content, token_length=20))
    return rows


@pytest.mark.parametrize(("letters", "asks"), [(4, False), (1, True), ({"default": 1, "en": 4}, False)])
def test_a_text_that_is_mostly_a_title_of_others_is_scored_only_where_any_text_is(letters, asks):
    made = release(frame(*campaign()), positives="other_work", queries_per_author="all", min_letters_for_query=letters)
    titled = set(made.documents.filter(pl.col("content").str.starts_with("#"))["id"])
    answers = set(made.queries["positive_ids"].explode())
    paired = set(made.pairs["candidate_id"])
    assert len(titled) == 4
    assert made.queries.height == (20 if asks else 16)
    for named in (set(made.queries["query_id"]), answers, paired):
        assert (titled <= named) if asks else not (titled & named)


def test_a_title_of_one_author_is_the_authors_own():
    rows = [row | {"author_id": author(0)} for row in campaign()]
    made = release(frame(*rows), positives="other_work", queries_per_author="all")
    assert made.queries.height == 20


def test_answers_are_from_another_collection_and_an_author_of_one_asks_nothing():
    rows = [
        document(number, writer, "test", origin_id=f"{writer}/{volume}", date=f"{1800 + volume}", token_length=20)
        for number, (writer, volume) in enumerate((w, v) for w in range(6) for v in range(2 if w else 1) for _ in "abc")
    ]
    made = release(frame(*rows), positives="other_work", queries_per_author="all")
    volume = dict(made.documents.select("id", "origin_id").iter_rows())
    assert made.queries.height == 30 and author(0) not in made.queries["author_id"]
    for query, answers, ignored in made.queries.select("query_id", "positive_ids", "ignored_ids").iter_rows():
        assert len(answers) == 3 and volume[query] not in {volume[one] for one in answers}
        assert len(ignored) == 2 and {volume[query]} == {volume[one] for one in ignored}


def test_the_least_letters_of_a_query_may_differ_by_language():
    rows = [
        document(number, number % 2, "test", lang=("de", "en")[number % 2], content=f"number {number:04}")
        for number in range(8)
    ]
    made = release(frame(*rows), queries_per_author="all", min_letters_for_query={"default": 6, "de": 7})
    asked = made.documents.join(made.queries.select(id="query_id"), on="id")
    assert set(asked["lang"]) == {"en"} and asked.height == 4


# --- queries ---

TEXTS = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 2), st.sampled_from(["train", "test"]), st.sampled_from(["person", "work"])
    ),
    max_size=25,
)


def of_texts(texts):
    places = enumerate(texts)
    return frame(
        *(document(n, a, part, author_kind=kind, origin_id=f"work{work}") for n, (a, work, part, kind) in places)
    )


ANY_SETTINGS = st.fixed_dictionaries(
    {
        "queries_per_author": st.sampled_from([1, 2, "all"]),
        "min_documents_for_query": st.integers(2, 3),
        "min_letters_for_query": st.sampled_from([1, 4, 6]),
        "queries_in_candidates": st.booleans(),
        "positives": st.sampled_from(["any", "other_work"]),
    }
)


@given(TEXTS, ANY_SETTINGS, st.sets(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=5))
@settings(max_examples=150, deadline=None)
def test_ground_truth_is_sound_under_every_setting(texts, chosen, pairs):
    rows = of_texts(texts)
    contained = pl.DataFrame(
        [(f"news:{a}", f"news:{b}") for a, b in sorted(pairs) if a != b],
        schema={"a": pl.String, "b": pl.String},
        orient="row",
    )
    numbered = number_documents(rows.with_columns(origin=pl.col("origin_id")), 7)
    queries = choose_queries(numbered, chosen, 7, contained)
    by_id = {row["id"]: row for row in numbered.iter_rows(named=True)}
    queried = set(queries["query_id"])
    pool = set(by_id) if chosen["queries_in_candidates"] else set(by_id) - queried
    joined = {frozenset(pair) for pair in contained.iter_rows()}
    assert queries["query_id"].to_list() == sorted(queried)
    for row in queries.iter_rows(named=True):
        query = by_id[row["query_id"]]
        positives, ignored = set(row["positive_ids"]), set(row["ignored_ids"])
        assert positives and not positives & ignored and row["query_id"] not in positives | ignored
        assert positives | ignored <= pool
        assert query["author_kind"] != "work"
        same = {i for i in pool if by_id[i]["author_id"] == query["author_id"] and by_id[i]["split"] == query["split"]}
        assert positives <= same - {row["query_id"]} <= positives | ignored
        for i in positives:
            assert by_id[i]["author_kind"] != "work"
            assert frozenset((by_id[i]["doc_key"], query["doc_key"])) not in joined
            assert chosen["positives"] == "any" or by_id[i]["origin_id"] != query["origin_id"]
    for (split, writer), asked in queries.group_by("split", "author_id"):
        named = [
            d for d in by_id.values() if (d["split"], d["author_id"]) == (split, writer) and d["author_kind"] != "work"
        ]
        assert len(named) >= chosen["min_documents_for_query"]
        assert chosen["queries_per_author"] == "all" or asked.height <= chosen["queries_per_author"]


@given(TEXTS)
@settings(max_examples=40, deadline=None)
def test_by_default_every_author_with_three_texts_has_one_query(texts):
    rows = frame(*(document(n, a, split) for n, (a, _, split, _) in enumerate(texts)))
    queries = choose_queries(number_documents(rows.with_columns(origin=pl.col("origin_id")), 7), SETTINGS, 7)
    able = rows.group_by("split", "author_id").len().filter(pl.col("len") >= 3)
    assert sorted(queries.select("split", "author_id").rows()) == sorted(able.select("split", "author_id").rows())


@given(
    TEXTS,
    ANY_SETTINGS,
    st.sets(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=5),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=2),
    st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_queries_and_relations_are_the_same_however_many_are_worked_out_at_once(texts, chosen, pairs, people, at_once):
    rows = of_texts(texts)
    contained, possibly_one = (
        pl.DataFrame(
            {"a": [name(a) for a, _ in some], "b": [name(b) for _, b in some]}, {"a": pl.String, "b": pl.String}
        )
        for some, name in ((pairs, lambda n: f"news:{n}"), (people, author))
    )

    def made():
        found = make_contents(rows, chosen, SPLIT, 7, containment=contained, possibly_one=possibly_one)
        return [found.queries, found.positives, found.pairs]

    with pytest.MonkeyPatch.context() as patch:
        whole = made()
        patch.setattr(records, "_ROWS_AT_ONCE", at_once)
        patch.setattr(relations_room, "_PAIRS_AT_ONCE", at_once)
        for one, other in zip(made(), whole, strict=True):
            assert_frame_equal(one, other)


def test_queries_depend_on_the_seed_and_on_no_lock():
    numbered = number_documents(corpus().with_columns(origin=pl.col("origin_id")), 7)
    lock = {"documents": {hashlib.sha256(b"news:38").hexdigest(): "doc_000500"}}
    locked = number_documents(corpus().with_columns(origin=pl.col("origin_id")), 7, lock)

    def keys(documents, seed):
        asked = choose_queries(documents, SETTINGS, seed)["query_id"].to_list()
        return set(documents.filter(pl.col("id").is_in(asked))["doc_key"])

    assert keys(numbered, 1) == keys(locked, 1) != keys(numbered, 2)


def test_in_the_disjoint_form_queries_leave_the_candidates(tmp_path):
    files = written(corpus(), tmp_path, queries_in_candidates=False, queries_per_author="all")
    candidates = {row["candidate_id"] for row in lines(files["train/candidates.jsonl"])}
    truth = lines(files["train/ground_truth.jsonl"])
    assert len(truth) == 16 and len(candidates) == 4
    assert all(len(row["positive_ids"]) == 1 and row["query_id"] not in candidates for row in truth)


def test_ignored_ids_are_a_field_of_all_lines_or_of_none(tmp_path):
    contained = pl.DataFrame({"a": ["news:0"], "b": ["news:1"]})
    files = written(corpus(), tmp_path, queries_per_author="all", containment=contained)
    truth = [row for split in SPLIT["splits"] for row in lines(files[f"{split}/ground_truth.jsonl"])]
    assert all("ignored_ids" in row for row in truth) and sum(len(row["ignored_ids"]) for row in truth) == 2


def test_an_unknown_number_of_queries_is_refused():
    with pytest.raises(InputError, match="queries_per_author"):
        release(corpus(), queries_per_author=0)


def test_an_empty_release_is_written_whole(tmp_path):
    files = written(frame(), tmp_path)
    assert files["train/candidates.jsonl"] == b""
    assert make_manifest(release(frame()), SOURCES, {**FACTS, "warnings": []})["totals"]["documents"] == 0


@pytest.mark.parametrize("key", [None, b"a secret"])
def test_labels_that_are_asked_for_are_published_unless_they_show_the_author(key):
    documents = release(corpus()).documents
    tag = documents["source"][0]
    stated = ['{"mood":"calm","title":"A: tale"}', '{"mood":"/etc/x"}', '{"mood":"Ann"}', '{"title":"B"}']
    made = documents.head(4).with_columns(
        labels=pl.Series(stated), source=pl.lit(tag), author_id=pl.lit(author_id(tag, "Ann", key))
    )
    published = make_provenance(made, None, SOURCES, ["mood"], key=key)["labels"].to_list()
    assert published == ['{"mood":"calm"}', None, None, None]
    assert "labels" not in make_provenance(made, None, SOURCES).columns


def test_a_published_label_that_is_the_author_s_own_is_found(tmp_path):
    made = sound_documents()
    first = made.row(0, named=True)
    labels = pl.when(pl.col("doc_key") == first["doc_key"]).then(pl.lit('{"mood":"calm"}')).otherwise(pl.lit("{}"))
    write_sound(tmp_path / "release", made=made.with_columns(labels=labels), labels=["mood"])
    assert check_release(tmp_path / "release") == []
    path = tmp_path / "release/provenance.parquet"
    table = pl.read_parquet(path)
    row = table.drop_nulls("labels").row(0, named=True)
    shown = pl.when(pl.col("id") == row["id"]).then(pl.lit('{"mood":"Jane Roe"}')).otherwise("labels")
    table.with_columns(labels=shown).write_parquet(path)
    seal(tmp_path / "release")
    assert {violation.code for violation in check_release(tmp_path / "release")} == {"raw_name"}
