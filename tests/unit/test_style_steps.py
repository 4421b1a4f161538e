"""Does each derivation do to rows what its name says, whatever their order?"""

import json

import polars as pl
import pytest
from cases import cases
from style_page import style_page

from authbench.core.errors import InputError
from authbench.suites.style import rows
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import make_dataset
from authbench.suites.style.rows import missing_files, read_dataset, read_datasets
from authbench.suites.style.run import read_all
from authbench.suites.style.steps import STEPS, apply


def done(step, frame, argument):
    return apply([{step: argument}], pl.DataFrame(frame), {}, "here")


@cases
def test_a_step_makes_of_rows_what_it_says(steps, table, others, found):
    made = apply(steps, pl.DataFrame(table), {name: pl.DataFrame(rows) for name, rows in others.items()}, "here")
    assert made.to_dict(as_series=False) == found


def test_pairs_of_one_author_are_no_more_than_those_of_two_in_each_document():
    frame = pl.DataFrame(
        {"document": ["d"] * 5 + ["e"] * 2, "first": list("abcdefg"), "same": ["true"] * 4 + ["false"] + ["true"] * 2}
    )
    argument = {"document": "document", "same": "same"}
    found = done("balance_per_document", frame, argument)
    assert found.filter(document="d")["same"].sort().to_list() == ["false", "true"]
    assert found.filter(document="e").is_empty()
    again = done("balance_per_document", frame.reverse(), argument)
    assert sorted(again.rows()) == sorted(found.rows())


def test_a_subset_is_the_same_for_all_and_balanced():
    frame = pl.DataFrame({"same": ["true", "false"] * 50, "first": [str(number) for number in range(100)]})
    found = done("subset", frame, {"by": "same", "each": 10})
    assert found["same"].value_counts().sort("same")["count"].to_list() == [10, 10]
    assert set(done("subset", frame.reverse(), {"by": "same", "each": 10}).rows()) == set(found.rows())


def test_one_reference_of_several_is_drawn_by_the_row_alone():
    frame = pl.DataFrame({"complex": list("abcdefgh"), "simple": [["x", "y", "z"]] * 8})
    found = done("one_of_several", frame, {"of": "simple", "into": "one"})
    again = done("one_of_several", frame.reverse(), {"of": "simple", "into": "one"})
    assert dict(found.select("complex", "one").rows()) == dict(again.select("complex", "one").rows())
    assert found["one"].n_unique() > 1
    columns = done("one_of_several", {"a": ["x"], "b": ["x"]}, {"of": ["a", "b"], "into": "one"})
    assert columns["one"].to_list() == ["x"]


def test_pieces_are_cut_at_white_space_and_lose_nothing():
    text = " ".join(f"word{number}" for number in range(50))
    found = done("pieces", {"text": [text, None]}, {"text": "text", "characters": 40, "most": 100})["text"].to_list()
    assert all(len(piece) <= 40 for piece in found)
    assert " ".join(found) == text
    assert done("pieces", {"text": [text]}, {"text": "text", "characters": 40, "most": 2}).height == 2


def corpus():
    return pl.DataFrame(
        {"author": [str(number % 9) for number in range(40)] + ["alone"], "text": [f"t{n}" for n in range(41)]}
    )


def test_verification_pairs_are_by_one_author_or_by_two_and_nobody_twice():
    by = dict(corpus().select("text", "author").rows())
    found = done("verification_pairs", corpus(), {"author": "author", "text": "text", "pairs": 6})
    for kind in ("true", "false"):
        rows = found.filter(same=kind).rows()
        assert len(rows) == 6
        assert all((by[first] == by[second]) == (kind == "true") for first, second, _ in rows)
    firsts = [by[first] for first, _, same in found.rows() if same == "true"]
    assert len(set(firsts)) == len(firsts)
    again = done("verification_pairs", corpus().reverse(), {"author": "author", "text": "text", "pairs": 6})
    assert again.equals(found)


def test_a_text_that_an_author_wrote_twice_is_no_pair():
    twice = pl.DataFrame({"author": ["a", "a", "a", "b", "b", "c"], "text": ["x", "x", "y", "z", "z", "w"]})
    found = done("verification_pairs", twice, {"author": "author", "text": "text", "pairs": 9})
    assert [{first, second} for first, second, same in found.rows() if same == "true"] == [{"x", "y"}]


def test_half_of_an_authors_texts_ask_for_the_others():
    argument = {"author": "author", "text": "text", "documents": 4, "authors": 5}
    found = done("query_and_target", corpus(), argument)
    assert found["author"].n_unique() == 5 and "alone" not in found["author"]
    assert found.group_by("author", "role").len()["len"].unique().to_list() == [2]
    assert done("query_and_target", corpus().reverse(), argument).equals(found)


def test_a_step_that_does_not_fit_says_which_and_what_there_is():
    with pytest.raises(InputError, match="did you mean 'align'"):
        apply([{"aling": {}}], pl.DataFrame({"a": ["x"]}), {}, "page.yaml")
    with pytest.raises(InputError, match=r"steps\[0\] \(distinct\).*there are a"):
        apply([{"distinct": ["b"]}], pl.DataFrame({"a": ["x"]}), {}, "page.yaml")
    for step in (
        {"flatten": {"text": "b"}},
        {"join": {"table": "b", "by": ["a"]}},
        {"keep": {"label": "a", "matching": "("}},
        {"pieces": {"text": "a", "characters": "9", "most": 1}},
        {"subset": {"by": "a", "each": "b"}},
    ):
        with pytest.raises(InputError, match=r"steps\[0\] .*there are a"):
            apply([step], pl.DataFrame({"a": ["x"]}), {}, "page.yaml")


PAGE = style_page(fields={"text": "text", "label": "label"}, tasks={"all_to_all": {}})


def written(folder, rows):
    folder.mkdir(parents=True)
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_rows_are_read_and_their_digest_tells_them_apart(tmp_path):
    dataset = make_dataset("letters", PAGE)
    written(tmp_path / "letters", [{"text": "x", "label": 1}, {"text": None, "label": "b"}])
    first = read_dataset(dataset, tmp_path)
    assert first.frame.rows() == [("x", "1"), (None, "b")]
    written(tmp_path / "other/letters", [{"text": "y", "label": 1}])
    assert read_dataset(dataset, tmp_path / "other").digest != first.digest


def test_a_table_in_another_encoding_is_refused_and_not_read_in_part(tmp_path):
    dataset = make_dataset("letters", {**PAGE, "files": ["*.csv"], "reader": {"format": "csv"}})
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters/a.csv").write_text("text,label\n" + "x,a\n" * 200, encoding="utf-8")
    assert read_dataset(dataset, tmp_path).frame.height == 200
    (tmp_path / "letters/b.csv").write_text("text,label\n" + "é,b\n" * 200, encoding="latin-1")
    with pytest.raises(InputError, match=r"b\.csv"):
        read_dataset(dataset, tmp_path)


def test_a_table_that_two_datasets_take_is_read_once(tmp_path, monkeypatch):
    read, read_table = [], rows._read_table
    monkeypatch.setattr(rows, "_read_table", lambda one, *rest: read.append(one.name) or read_table(one, *rest))
    one, other, labels = (
        make_dataset(name, {**PAGE, "folder": "letters", **more})
        for name, more in (("one", {}), ("other", {}), ("labels", {"fields": {"text": "label", "label": "label"}}))
    )
    written(tmp_path / "letters", [{"text": "x", "label": "a"}, {"text": "y", "label": "b"}])
    found = read_datasets([one, labels, other], tmp_path)
    assert read == ["one", "labels"]
    for dataset in (one, labels, other):
        assert found[dataset.name].frame.equals(read_dataset(dataset, tmp_path).frame)
    assert found["one"].digest == found["other"].digest != found["labels"].digest


def test_rows_of_steb_are_read_where_its_protocol_is_requested(tmp_path):
    dataset = make_dataset("letters", {**PAGE, "paper": True})
    written(tmp_path / "letters", [{"text": "x", "label": "a"}])
    for protocols, there in ((["strict"], False), (["strict", "steb"], True)):
        found, _ = read_all([dataset], tmp_path, "skip", protocols)
        assert (found["letters"].steb is not None) == there


def test_a_dataset_without_files_is_named_with_how_to_get_it(tmp_path):
    dataset, there = make_dataset("letters", PAGE), make_dataset("there", PAGE)
    written(tmp_path / "there", [{"text": "x", "label": "a"}])
    assert "Write them." in missing_files(dataset, tmp_path)
    found, absent = read_all([dataset, there], tmp_path, "skip")
    assert (list(found), list(absent)) == (["there"], ["letters"])
    with pytest.raises(InputError, match="letters: no file fits"):
        read_all([dataset, there], tmp_path, "error")
    with pytest.raises(InputError, match="no files of what was asked for, 1 dataset\n  letters: no file fits"):
        read_all([dataset], tmp_path, "skip")


def test_every_page_fits_the_schema_and_knows_its_steps():
    for dataset in find_datasets(["all"]):
        steps = {name for step in dataset.steps for name in step}
        assert steps <= set(STEPS), dataset.name


def test_two_pages_of_one_name_are_refused(tmp_path):
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "letters.yaml").write_text(json.dumps(PAGE), encoding="utf-8")
    with pytest.raises(InputError, match="two datasets"):
        find_datasets([str(tmp_path / folder / "letters.yaml") for folder in ("one", "other")])


def test_a_page_that_is_wrong_is_told_with_the_nearest_name(tmp_path):
    with pytest.raises(InputError, match="did you mean 'STEL_feature'"):
        find_datasets(["STEL_features"])
    (tmp_path / "odd.yaml").write_text("title: Odd\nattribut: time\n", encoding="utf-8")
    with pytest.raises(InputError, match="did you mean 'attribute'"):
        find_datasets([str(tmp_path / "odd.yaml")])


@pytest.mark.parametrize("argument", [{"by": "same"}, {"by": "same", "each": 1, "most": 2}, ["same"]])
def test_an_argument_that_a_step_lacks_or_does_not_take_is_refused_with_the_step(argument):
    with pytest.raises(InputError) as refused:
        done("subset", {"same": ["true"]}, argument)
    assert "steps[0] (subset)" in str(refused.value)
