"""From files to shards: every record is kept or removed with a reason, in any order of files and number of shards."""

import copy
import csv
import hashlib
import io
import json
import zipfile
from pathlib import Path

import polars as pl
import pytest
from cases import cases, read_cases
from defaults import section
from ingested_files import Ingested
from source_page import source_page

from authbench.build.ingest.source import ingest_source
from authbench.build.ingest.tally import expect_some
from authbench.config.registry.source_entry import make_extraction
from authbench.core.errors import InputError
from authbench.core.identity import author_id
from authbench.core.records import INGESTED, REMOVED

OF_A_REVIEW = {"text": "text", "author": "user", "id": "id", "lang": "lang", "topic": "kind"}
SOURCE = source_page(fields={**OF_A_REVIEW, "genre": {"const": "ecommerce_reviews"}})
AUTHOR_IDS = ("person", "source")
FIELDS = ("id", "user", "lang", "kind", "text")


def source(**changes):
    changed = copy.deepcopy(SOURCE)
    for name, change in changes.items():
        changed[name] = {**changed[name], **change} if isinstance(change, dict) and name in changed else change
    return changed


def table(*rows):
    text = io.StringIO()
    csv.writer(text).writerows([FIELDS, *rows])
    return text.getvalue()


ROWS = read_cases(Path(__file__))["ROWS"]


def test_author_ids_by_source_hash_the_label_with_the_tag_where_full_names_are_one_author_elsewhere(tmp_path):
    entry = source(author={"kind": "person", "names": "full", "space": "site"})
    rows = [("1", "Sack, Gustav", "de", "toy", "Ein Spielzeug."), ("2", "Gustav SACK", "en", "toy", "A toy.")]
    person, by_source = (Ingested(tmp_path, {"a.csv": table(*rows)}, entry, author_ids=by).records for by in AUTHOR_IDS)
    expected = [hashlib.sha256(f"demo:{row[1]}".encode()).hexdigest() for row in rows]
    assert by_source["author_id"].to_list() == expected != person["author_id"].to_list()
    assert by_source["person_key"].to_list() == person["person_key"].to_list()  # possibly one person: one split


SEVERAL = ("Lee, Ann; Ray, Bob", "Ann Lee & Bob Ray", "Ann Lee and Bob Ray", "Ann Lee et al.", "夏目、森")
ONE = ("Lee, Ann", "Ortega y Gasset", "Karl von und zu Stein", "Andr&eacute; Gide", "Anderson Sand", "Rolland-Manuel")


@pytest.mark.parametrize("names", ["full", "ambiguous", None])
def test_an_abstract_signed_by_several_is_a_work_that_is_never_scored(names, tmp_path):
    rows = [(str(at), label, "en", "toy", f"An abstract {at}.") for at, label in enumerate((*SEVERAL, *ONE))]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, source(author={"kind": "person", "names": names})).records
    kinds = dict(made.select("content", "author_kind").iter_rows())
    assert [kinds[row[-1]] for row in rows] == ["work"] * len(SEVERAL) + ["person"] * len(ONE)
    works = made.filter(author_kind="work")
    assert works["person_key"].null_count() == works.height == works["author_id"].n_unique()


def test_the_first_of_several_authors_is_not_scored_unless_the_recipe_says_so(tmp_path):
    rows = [(str(at), "Lee, Ann", "en", many, f"An abstract {at}.") for at, many in enumerate(("1", "2", "", "9", "2"))]
    entry = source(author={"kind": "person"}, fields={"n_authors": "kind", "genre": {"const": "research_paper"}})
    made, paper = (Ingested(tmp_path, {"a.csv": table(*rows)}, entry, co_authored=how) for how in ("work", "label"))
    assert made.records["author_kind"].to_list() == ["person", "work", "person", "work", "work"]
    assert made.records["author_id"].n_unique() == 2
    assert paper.records["author_kind"].to_list() == ["person"] * 5 and paper.records["author_id"].n_unique() == 1


def test_signs_between_names_mean_nothing_in_accounts(tmp_path):
    rows = [(str(at), label, "en", "toy", f"A toy {at}.") for at, label in enumerate(SEVERAL)]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, source(author={"kind": "account"})).records
    assert made["author_kind"].to_list() == ["account"] * len(SEVERAL)


def test_a_file_that_changed_since_it_was_listed_stops_its_source_and_nothing_is_kept(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/a.csv").write_text(table(*ROWS, ("8", "dee", "en", "toy", "Added.")))
    listed = {"a.csv": hashlib.sha256(table(*ROWS).encode()).hexdigest()}
    shards, removed = [tmp_path / "out/1.parquet"], tmp_path / "out/removed.parquet"
    with pytest.raises(InputError, match=r"demo: .*a\.csv is not the file that this run was planned with"):
        ingest_source("demo", make_extraction(SOURCE), tmp_path / "raw", listed, shards, removed, section("ingest"))
    assert not list((tmp_path / "out").iterdir())


def test_a_record_has_every_field_of_the_schema(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS)}, SOURCE)
    assert made.records.schema == INGESTED and made.removed.schema == REMOVED
    digest = hashlib.sha256((tmp_path / "raw/a.csv").read_bytes()).hexdigest()
    first = made.records.row(0, named=True)
    origin = first.pop("origin_id")
    assert first.pop("shard") in (1, 2)
    assert len(origin) == 32
    assert first == {
        "doc_key": "demo:1",
        "author_id": author_id("demo", "ann"),
        "author_kind": "account",
        "lang": "en",
        "genre": "ecommerce_reviews",
        "source": "demo",
        "task": "authorship",
        "topic": "toy",
        "date": None,
        "n_authors": None,
        "labels": "{}",
        "content": "A fine toy.",
        "names_author": False,
        "file": digest,
        "ordinal": 0,
        **dict.fromkeys(("person_key", "near_key", "given_keys", "life_key", "label_kind")),
        **dict.fromkeys(("item", "account", "author_group", "voice_marks")),
    }
    assert made.records["names_author"].to_list() == [False, False, True]


def test_items_and_accounts_are_stored_as_hashes_and_groups_of_authors_as_words(tmp_path):
    entry = source(fields={"item": "kind", "account": "user", "author_group": {"field": "text", "match": "^A  ?fine"}})
    made = Ingested(tmp_path, {"a.csv": table(*ROWS, ("8", "ann", "en", "book", "A  fine one."))}, entry).records
    assert made["author_group"].to_list() == ["a fine", None, None, "a fine"]
    items = made["item"].to_list()
    assert items[0] == items[1] and items[2] == items[3] != items[0]
    assert made["account"].n_unique() == made["author_id"].n_unique()
    hashes = [*items, *made["account"]]
    assert all(len(one) == 32 and set(one) <= set("0123456789abcdef") for one in hashes)
    assert not set(made["account"].str.slice(0, 8)) & set(made["author_id"].str.slice(0, 8))


def test_marks_of_other_voices_are_counted_per_thousand_words_of_the_raw_text(tmp_path):
    impurity = {"estimator": "voices", "patterns": [r"\bsaid \w+", r"\(ed\.\)"]}
    entry = source(author={"impurity": impurity}, clean=[{"replace": r"\(ed\.\)"}])
    made = Ingested(tmp_path, {"a.csv": table(*ROWS, ("8", "ann", "en", "toy", "Toys (ed.), said he."))}, entry).records
    assert made.filter(doc_key="demo:8")["content"].to_list() == ["Toys , said he."]
    assert made["voice_marks"].to_list() == [0, 0, pytest.approx(1000 / 3), pytest.approx(2000 / 4)]


def test_what_does_not_enter_has_a_reason_and_a_place(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS)}, SOURCE)
    assert made.removed.select("doc_key", "reason", "detail").rows() == [
        ("demo:4", "other_language", "a.csv record 3"),
        (None, "no_author", "a.csv record 4"),
        (None, "placeholder_author", "a.csv record 5"),
        ("demo:7", "empty_text", "a.csv record 6"),
    ]
    assert made.result["facts"]["languages"] == {"de": 1, "en": 2}
    assert made.result["facts"]["authors"] == 2
    assert made.result["facts"]["names_author"] == pytest.approx(1 / 3)


def test_a_sub_genre_of_the_author_is_a_group_of_authors_unless_the_papers_genres_are_asked_for(tmp_path):
    genre = {"field": "kind", "map": {"toy": "blog/arts", "*": "blog"}}
    entry = source(fields={"genre": genre}, genre_of="author")
    ours, papers = (Ingested(tmp_path, {"a.csv": table(*ROWS)}, entry, author_genres=asked) for asked in (False, True))
    assert ours.records.select("genre", "author_group").rows() == [("blog", "arts"), ("blog", "arts"), ("blog", None)]
    assert papers.records.select("genre", "author_group").rows() == [("blog/arts", None)] * 2 + [("blog", None)]
    of_texts = Ingested(tmp_path, {"a.csv": table(*ROWS)}, source(fields={"genre": genre}))
    assert of_texts.records["genre"].to_list() == ["blog/arts", "blog/arts", "blog"]


def test_sub_genres_are_the_corpus_s_own_where_asked_for_and_stated(tmp_path):
    genre = {"field": "kind", "map": {"toy": "blog/other", "*": "blog"}}
    fine = {"field": "kind", "map": {"toy": "blog/toys"}}
    entry = source(fields={"genre": genre, "fine_genre": fine})
    joined, split = (Ingested(tmp_path, {"a.csv": table(*ROWS)}, entry, fine_genres=asked) for asked in (False, True))
    assert joined.records["genre"].to_list() == ["blog/other", "blog/other", "blog"]
    assert split.records["genre"].to_list() == ["blog/toys", "blog/toys", "blog"]


def test_a_sub_genre_that_a_corpus_does_not_state_may_be_general(tmp_path):
    entry = source(fields={"genre": {"field": "kind", "map": {"toy": "blog/unknown", "*": "blog/unknowns"}}})
    general = Ingested(tmp_path, {"a.csv": table(*ROWS)}, entry, unstated_genre="general").records
    assert general["genre"].to_list() == ["blog/general", "blog/general", "blog/unknowns"]


def test_a_text_without_a_field_that_its_task_requires_is_dropped_and_named(tmp_path):
    topic = {"field": "kind", "map": {"toy": "toys"}}
    entry = source(fields={"topic": topic, "labels": {"kind": "kind"}})
    asked = {"authorship": ["topic", "kind"], "essay": ["date"]}
    free, held = (Ingested(tmp_path, {"a.csv": table(*ROWS)}, entry, required=one) for one in ({}, asked))
    assert (free.records.height, held.records.height) == (3, 2)
    gone = held.removed.filter(pl.col("reason") == "missing_field")
    assert gone.height == 1
    assert gone["doc_key"].to_list() == free.records.filter(pl.col("topic").is_null())["doc_key"].to_list()
    of_essays = Ingested(tmp_path, {"a.csv": table(*ROWS)}, {**entry, "task": "essay"}, required=asked)
    assert of_essays.records.height == 0


def test_the_own_name_is_masked_where_setting_and_entry_say_so_and_keys_stay(tmp_path):
    nameless, files = source(), {"a.csv": table(*ROWS)}
    del nameless["fields"]["id"]
    masked, kept = (Ingested(tmp_path, files, nameless, own_name=own) for own in ("mask", "keep"))
    hero = Ingested(tmp_path, files, {**nameless, "author": {"kind": "account", "own_name": "keep"}}, own_name="mask")
    assert "Dull, said [NAME]." in masked.records["content"] and not masked.records["names_author"].any()
    assert "Dull, said bob." in kept.records["content"] and hero.records.equals(kept.records)
    assert masked.records["doc_key"].equals(kept.records["doc_key"])
    assert (masked.result["unnamed_texts"], kept.result["unnamed_texts"]) == (1, 0)


def test_other_languages_can_be_kept(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS)}, SOURCE, other_languages="keep")
    assert made.records.filter(doc_key="demo:4")["lang"].to_list() == ["pt"]


@pytest.mark.parametrize("label", ["pt-BR", "Portuguese", "por tuguês", "p"])
def test_a_language_that_is_no_code_is_kept_as_other(tmp_path, label):
    rows = [(ident, who, label if ident == "4" else lang, *rest) for ident, who, lang, *rest in ROWS]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE, other_languages="keep")
    assert made.records.filter(doc_key="demo:4")["lang"].to_list() == ["other"]


def test_genres_of_the_user_s_own_are_admitted(tmp_path):
    mapping = source(fields={"genre": {"const": "email/work"}})
    made = Ingested(tmp_path, {"a.csv": table(*ROWS)}, mapping, genres=("email",))
    assert set(made.records["genre"]) == {"email/work"}
    with pytest.raises(InputError, match=r"'email/work' is no genre; .*`ingest\.genres`"):
        Ingested(tmp_path, {"a.csv": table(*ROWS)}, mapping)


@cases
def test_a_value_in_place_of_a_field_is_answered_with_a_constant(tmp_path, fields, proposed):
    with pytest.raises(InputError, match="fields are missing") as told:
        Ingested(tmp_path, {"a.csv": table(*ROWS)}, source(fields=fields))
    assert ("const" in str(told.value)) == (proposed is not None)
    assert (proposed or "") in str(told.value)


def test_shards_and_order_of_files_do_not_show(tmp_path):
    many = [(str(n % 90), f"user{n % 7}", "en", "toy", f"Text {n % 90}") for n in range(120)]
    nameless = source()
    del nameless["fields"]["id"]
    for mapping in (SOURCE, nameless):
        files = {"b/one.csv": table(*many[:50]), "a/two.csv": table(*many[50:]), "three.csv": table(*ROWS)}
        one = Ingested(tmp_path, files, mapping, shards=1)
        four = Ingested(tmp_path, files, mapping, shards=4, backwards=True)
        shared = Ingested(tmp_path, files, mapping, shards=4, shards_of_file=3)
        assert one.records.drop("shard").equals(four.records.drop("shard"))
        assert [shard.equals(alike) for shard, alike in zip(four.shards, shared.shards, strict=True)] == [True] * 4
        assert len(list(shared.out.glob("*.parquet"))) == 3  # two of records, and the removed
        assert [shard.equals(shard.sort("doc_key")) for shard in four.shards] == [True] * 4
        assert min(shard.height for shard in four.shards) > 0
        order = ["reason", "detail"]
        assert one.removed.sort(order).equals(four.removed.sort(order))
        assert one.result == four.result == shared.result


def test_of_equal_rows_with_one_id_the_first_stays_and_of_different_ones_none(tmp_path):
    rows = [
        ("1", "ann", "en", "toy", "Same."),
        ("1", "ann", "en", "toy", "Same. "),
        ("2", "ann", "en", "toy", "One."),
        ("2", "ann", "en", "toy", "Other."),
        ("3", "ann", "en", "toy", "Text."),
        ("3", "bob", "en", "toy", "Text."),
    ]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE)
    assert made.records["ordinal"].to_list() == [0]
    assert sorted(made.removed.select("doc_key", "reason", "detail").rows()) == [
        ("demo:1", "repeated_id", "a.csv record 1"),
        ("demo:2", "conflicting_id", "a.csv record 2"),
        ("demo:2", "conflicting_id", "a.csv record 3"),
        ("demo:3", "conflicting_id", "a.csv record 4"),
        ("demo:3", "conflicting_id", "a.csv record 5"),
    ]


def test_without_raw_ids_copies_are_numbered(tmp_path):
    nameless = source()
    del nameless["fields"]["id"]
    rows = [("", "ann", "en", "toy", text) for text in ("Same.", "Other.", "Same.", "Same.")]
    keys = Ingested(tmp_path, {"a.csv": table(*rows)}, nameless).records["doc_key"].to_list()
    same = next(key for key in keys if f"{key}-2" in keys)
    assert len(keys) == 4 and f"{same}-3" in keys


def test_a_raw_id_is_never_the_key_of_a_chunk(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(("1#chunk_0", "ann", "en", "", "a"))}, SOURCE)
    assert "#chunk_" not in made.records["doc_key"].item()


def test_an_id_of_white_space_is_none(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table((" ", "ann", "en", "", "a"), (" ", "ann", "en", "", "b"))}, SOURCE)
    assert made.records.height == 2


def test_ids_that_hold_the_author_are_hidden(tmp_path):
    rows = [("annette/17", "annette", "en", "toy", "A."), ("18", "annette", "en", "toy", "B.")]
    mapping = source(fields={"origin": {"compose": "{user} {kind}"}})
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, mapping)
    hidden = [key for key in made.records["doc_key"] if key != "demo:18"]
    assert len(hidden) == 1 and len(hidden[0]) == len("demo:") + 32
    everything = made.records.drop("content").write_ndjson() + made.removed.write_ndjson()
    assert "annette" not in everything
    assert made.records["origin_id"].n_unique() == 1


def test_hashed_ids_depend_on_the_key_too(tmp_path):
    mapping = source(fields={"id": {"field": "id", "hash": True}})
    plain, keyed = (Ingested(tmp_path, {"a.csv": table(*ROWS[:2])}, mapping, author_key=key) for key in (None, b"k"))
    assert not set(plain.records["doc_key"]) & set(keyed.records["doc_key"])


def test_line_breaks_of_all_kinds_are_one_kind(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(("1", "ann", "en", "toy", "a\r\nb\rc\nd"))}, SOURCE)
    assert made.records["content"].to_list() == ["a\nb\nc\nd"]


def test_a_key_changes_every_pseudonym(tmp_path):
    rows = [("ann1", "ann", "en", "toy", "A."), ("2", "ann", "en", "toy", "B.")]
    plain = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE).records
    keyed = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE, author_key=b"secret").records
    assert keyed["author_id"].unique().to_list() == [author_id("demo", "ann", b"secret")]
    for column in ("author_id", "origin_id"):
        assert not set(plain[column]) & set(keyed[column])
    assert len(set(plain["doc_key"]) & set(keyed["doc_key"])) == 1


def test_sources_can_share_an_author_space(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS[:1])}, source(author={"space": "shop"}))
    assert made.records["author_id"].to_list() == [author_id("shop", "ann")]


def test_bad_rows_are_counted_with_file_position_and_reason(tmp_path):
    good = [(str(n), "ann", "en", "toy", f"Text {n}") for n in range(200)]
    made = Ingested(tmp_path, {"a.csv": table(*good) + "short\r\n"}, SOURCE)
    assert made.reasons() == {"bad_row": 1}
    assert made.removed["detail"].to_list() == ["a.csv line 202: has 1 cells, the header has 5"]
    assert made.result["facts"]["bad_rows"] == 1


def test_too_many_bad_rows_stop_with_the_counts(tmp_path):
    good = [(str(n), "ann", "en", "toy", f"Text {n}") for n in range(50)]
    with pytest.raises(InputError, match=r"demo: 1 of 51 rows cannot be read, more than .*\(1\.00%\).*a\.csv line 52"):
        Ingested(tmp_path, {"a.csv": table(*good) + "short\r\n"}, SOURCE)
    assert Ingested(tmp_path, {}, SOURCE, max_bad_rows=0.05).reasons() == {"bad_row": 1}


def test_bad_rows_are_judged_over_all_files(tmp_path):
    good = [(str(n), "ann", "en", "toy", f"Text {n}") for n in range(200)]
    Ingested(tmp_path, {"a.csv": table(*ROWS) + "short\r\n", "b.csv": table(*good[10:])}, SOURCE)


def test_a_file_that_yields_nothing_stops_the_source(tmp_path):
    with pytest.raises(InputError, match=r"demo: a\.csv yields no records"):
        Ingested(tmp_path / "alone", {"a.csv": table()}, SOURCE)
    with pytest.raises(InputError, match=r"demo: 1 of .* rows cannot be read, .* b\.csv whole file: no records"):
        Ingested(tmp_path / "of two", {"a.csv": table(*ROWS), "b.csv": table()}, SOURCE)
    with pytest.raises(InputError, match=r"demo: no file below .* matches \*\*/\*\.tsv"):
        Ingested(tmp_path / "none", {}, source(files=["**/*.tsv"]))


def test_one_of_many_files_that_holds_nothing_is_counted(tmp_path):
    good = [(str(n), "ann", "en", "toy", f"Text {n}") for n in range(200)]
    assert Ingested(tmp_path, {"a.csv": table(*good), "b.csv": table()}, SOURCE).reasons() == {"bad_row": 1}


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [(b"", "is empty; fetch it again"), ("Ж".encode("cp1251"), "is not utf-8: byte 0xc6 at offset 0, line 1")],
)
def test_one_of_many_texts_that_cannot_be_read_is_counted_and_more_stop(tmp_path, spoilt, reason):
    mapping = source(
        reader={"format": "text", "encoding": "utf-8"},
        files=["*.txt"],
        fields={
            "id": "file_name",
            "text": "text",
            "author": "file_name",
            "lang": {"const": "en"},
            "genre": {"const": "news"},
            "topic": "part",
        },
    )
    texts = {f"author {n}.txt": f"Text {n}" for n in range(200)}
    made = Ingested(tmp_path / "one", {**texts, "spoilt.txt": spoilt}, mapping)
    assert made.reasons() == {"bad_row": 1}
    assert reason in made.removed["detail"].item()
    few = {name: texts[name] for name in list(texts)[:9]}
    with pytest.raises(InputError, match=r"1 of 10 rows cannot be read.*spoilt\.txt"):
        Ingested(tmp_path / "few", {**few, "spoilt.txt": spoilt}, mapping)


def test_files_that_cannot_be_read_are_units_too(tmp_path):
    mapping = source(
        reader={"format": "tei", "header": {"user": "author"}},
        files=["*.xml"],
        fields={"id": "file_name", "author": "user", "topic": "file_name", "lang": {"const": "en"}},
    )
    poem = "<TEI><teiHeader><author>Ann</author></teiHeader><text><body><p>A poem.</p></body></text></TEI>"
    made = Ingested(tmp_path, {"a.xml": "", "b.xml": poem, "c.xml": "<TEI>", "d.xml": poem}, mapping, max_bad_rows=0.5)
    counts = made.result["units"]
    assert counts == {"unit": "documents", "found": 4, "header": 0, "records": 2, "bad": 2, "blank": 0}


def test_rows_that_an_unmatched_quote_hid_enter_with_their_own_authors(tmp_path):
    rows = [(str(n), f"user{n}", "en", "toy", f"Text {n} of many") for n in range(846)]
    broken = table(*rows).replace("Text 200 of", '"Text 200 of').replace("Text 700 of many", 'Text 700 of many"')
    made = Ingested(tmp_path, {"a.csv": broken}, SOURCE)
    assert made.reasons() == {"unmatched_quote": 1} and made.result["facts"]["bad_rows"] == 1
    assert made.records.height == made.records["author_id"].n_unique() == 845
    assert made.result["units"]["found"] == 847 and made.result["units"]["longest_record"]["lines"] == 1


def test_a_member_of_bad_rows_alone_does_not_stop_a_zip_file(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("a.jsonl", json.dumps(dict(zip(FIELDS, ROWS[0], strict=True))))
        members.writestr("b.jsonl", "{broken")
        members.writestr("c.jsonl", json.dumps(dict(zip(FIELDS, ROWS[1], strict=True))))
    mapping = source(reader={"format": "jsonl"}, files=["**/*.jsonl", "**/*.zip"])
    made = Ingested(tmp_path, {"all.zip": archive.getvalue()}, mapping, max_bad_rows=0.5)
    assert made.records["ordinal"].to_list() == [0, 2]
    assert made.removed["detail"].str.starts_with("all.zip/b.jsonl line 1: invalid JSON").all()


def test_what_a_killed_run_left_is_cleared(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS)}, SOURCE)
    (made.out / ".demo-killed").mkdir()
    again = Ingested(tmp_path, {}, SOURCE, out=made.out)
    assert again.records.equals(made.records)
    assert sorted(path.name for path in made.out.iterdir()) == ["0.parquet", "1.parquet", "removed.parquet"]


def test_an_unknown_genre_names_the_key(tmp_path):
    mapping = source(fields={"genre": "kind"})
    with pytest.raises(InputError, match=r"config/sources/demo\.yaml: fields\.genre: 'toy' is no genre"):
        Ingested(tmp_path, {"a.csv": table(*ROWS)}, mapping)


def test_a_text_beyond_the_limit_is_a_bad_row(tmp_path):
    rows = [("1", "ann", "en", "toy", "né" * 400), *ROWS]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE, max_record_bytes=1000, max_bad_rows=0.5)
    assert made.reasons()["bad_row"] == 1


def test_rows_are_dropped_where_a_rule_has_a_value(tmp_path):
    mapping = source(drop=[{"when": {"field": "kind", "match": "^book$"}, "reason": "machine_made"}])
    assert Ingested(tmp_path, {"a.csv": table(*ROWS)}, mapping).reasons() == {"machine_made": 5}


def test_half_a_surrogate_pair_costs_a_text_that_character_and_a_label_or_id_its_row(tmp_path):
    row = {"id": "1", "text": "whole", "user": "ann", "lang": "en", "kind": "toy"}
    broken = [
        {"id": "2", "text": "cut \ud83d", "kind": "\ude00"},
        *({"id": str(n), "user": user} for n, user in enumerate(["\ud83d", "\ud83e", "x\ude00"], 3)),
        *({"id": raw} for raw in ["\ud83d1", "\ud83e1"]),
    ]
    mapping = source(reader={"format": "jsonl"}, files=["*.jsonl"])
    lines = "\n".join(json.dumps(row | changes) for changes in [{}, *broken])
    made = Ingested(tmp_path, {"a.jsonl": lines}, mapping)
    assert made.records.select("content", "topic").rows() == [("whole", "toy"), ("cut \ufffd", "\ufffd")]
    assert made.reasons() == {"half_character": 5} and made.result["mended_texts"] == 1


def test_labels_that_differ_in_nothing_a_reader_sees_are_one_author(tmp_path):
    labels = ["Ann Lee", "Ann\u200b Lee", "\u202eAnn Lee", "\ufeffAnn Lee", "A\u00adnn\ufe0f Lee", "Ann\x07 Lee"]
    rows = [(str(n), label, "en", "toy", f"Text {n}") for n, label in enumerate([*labels, "\u200b\u3164"])]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, SOURCE)
    assert made.records["author_id"].unique().to_list() == [author_id("demo", "Ann Lee")]
    assert made.reasons() == {"no_author": 1}


def test_the_author_can_be_in_the_path(tmp_path):
    mapping = source(path_fields=r"^(?P<folder>[^/]+)/", fields={"author": "folder", "topic": "file_name"})
    made = Ingested(tmp_path, {"ann/a.csv": table(*ROWS[:1])}, mapping)
    assert made.records.select("author_id", "topic").rows() == [(author_id("demo", "ann"), "a.csv")]
    with pytest.raises(InputError, match=r"path_fields .* does not fit the file a\.csv"):
        Ingested(tmp_path, {"a.csv": table(*ROWS)}, mapping)


def test_a_source_none_of_whose_rows_enter_has_empty_shards(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(ROWS[4], ROWS[5])}, SOURCE)
    assert not made.records.height and made.reasons() == {"no_author": 1, "placeholder_author": 1}


def test_a_number_of_authors_that_is_none_is_left_out(tmp_path):
    rows = [
        (str(place), "ann", "en", many, "A text.") for place, many in enumerate(["2", "²", "9" * 5000, "3000000000"])
    ]
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, source(fields={"n_authors": "kind", "topic": "lang"}))
    assert made.records["n_authors"].to_list() == [2, None, None, None]


def test_thousands_of_equal_rows_are_numbered_or_one(tmp_path):
    content = "id,user,lang,kind,text\n" + "7,ann,en,toy,The same.\n" * 20_000 + ",ann,en,toy,The same.\n" * 20_000
    made = Ingested(tmp_path, {"a.csv": content}, SOURCE)
    assert made.records.height == 20_001
    assert made.reasons() == {"repeated_id": 19_999}


def test_values_of_which_nothing_is_made_are_counted_where_they_are_most(tmp_path):
    days = [("12.03.2024", 2), ("March", 10), ("", 3)]
    rows = [(str(n), "ann", "en", day, f"Text {n}.") for n, day in enumerate(day for day, k in days for _ in range(k))]
    entry = source(fields={"date": {"any": [{"field": "kind", "date": "%d.%m.%Y"}, {"const": None}]}})
    made = Ingested(tmp_path, {"a.csv": table(*rows)}, entry).result
    assert made["facts"]["lost"] == {"date": (12, 10)}
    expect_some("demo", made)
    few = Ingested(tmp_path / "few", {"a.csv": table(*rows[:5])}, entry).result
    assert few["facts"]["lost"] == {"date": (5, 3)}
    none = Ingested(tmp_path / "none", {"a.csv": table(*rows[2:])}, entry).result
    expect_some("demo", Ingested(tmp_path / "three", {"a.csv": table(*rows[2:5])}, entry).result)
    with pytest.raises(InputError, match=r"demo\.yaml: fields\.date: nothing is made of 10 of 10 values"):
        expect_some("demo", none)


def test_a_source_of_which_nothing_is_left_stops_the_run_with_the_reasons(tmp_path):
    made = Ingested(tmp_path, {"a.csv": table(*ROWS[4:])}, SOURCE).result
    with pytest.raises(InputError, match=r"none of 3 records becomes a text: .*1 without text \(fields\.text, clean\)"):
        expect_some("demo", made)
