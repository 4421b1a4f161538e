"""Each rule drops what is wrong, names it, and spares what is not."""

import polars as pl
import pytest
from cases import cases
from defaults import section
from shared_folders import published

from authbench.build.filter import decide as filters
from authbench.build.filter import measure
from authbench.config.filter_rules import BUILT_IN
from authbench.core import records
from authbench.core.errors import InputError
from authbench.core.shipped import shipped
from authbench.release.checking.settings import read_settings

LANGUAGES = list(records.LANGUAGES)
ROBUST = section("filter")
PAPER = {
    **ROBUST,
    "preset": "paper",
    "dominant_word": 0.5,
    "symbols": 0.5,
    "alphabetic": 0.4,
    "alphabetic_words": 0.5,
    "single_letter_words": 0.5,
    "single_letter_run": 8,
}
PRESETS = {"robust": ROBUST, "paper": PAPER}
SPANISH = "El río estaba frío y el viento se había dormido entre los juncos hasta la mañana."


def documents(*texts, lang="en", genre="blog/arts", tokens=50, task="authorship", **more):
    rows = pl.DataFrame(
        {
            "source": "made_up",
            "doc_key": [f"made_up:{number}" for number in range(len(texts))],
            "lang": lang,
            "genre": genre,
            "task": task,
            "token_length": tokens,
            "content": list(texts),
            **more,
        }
    )
    return rows.drop("content").join(measure.measure_texts(rows, LANGUAGES).drop("lang", strict=False), on="doc_key")


def reasons(text, settings=ROBUST, **more):
    return filters.apply_filters(documents(text, **more), settings)["reason"].to_list()


@cases
def test_a_text_is_dropped_for_what_is_wrong_with_it(text, lang, reason):
    assert reason in reasons(text, lang=lang)


@cases
def test_a_manner_of_writing_is_no_reason_to_drop_a_text(text, lang):
    assert reasons(text, lang=lang) == []


def test_a_language_is_judged_by_distinct_words_in_lower_case():
    assert measure.plain_form("aLtErNaTiNg hahahaha ha sooooo SO blahblahblah") == "alternating ha so blah"
    assert "wrong_language" in reasons(SPANISH.upper())


@cases
def test_clean_text_is_kept(text, lang):
    assert reasons(text, lang=lang) in ([], ["single_letters"] if text == "व न" else [])


def test_long_clean_text_is_not_dropped_because_words_come_back():
    text = " ".join(f"the w{number % 300} of a w{number % 211}" for number in range(600))
    assert "few_distinct_words" not in reasons(text)
    assert "few_distinct_words" in reasons(text, PAPER | {"unique_words": 0.3})


@cases
def test_a_text_is_dropped_for_these_reasons_and_no_other(text, settings, more, expected):
    assert reasons(text, ROBUST | settings, **more) == expected


@cases
def test_the_papers_preset_gives_a_reason_or_not(text, settings, more, reason, given):
    assert (reason in reasons(text, PAPER | settings, **more)) == given


def test_every_reason_that_applies_is_a_row_in_a_fixed_order_with_value_and_threshold():
    removed = filters.apply_filters(documents("So it is.", "no " * 22, tokens=3000), ROBUST)
    assert removed.schema == records.REMOVED
    assert removed.select("doc_key", "reason", "value", "threshold").rows() == [
        ("made_up:0", "too_long", 3000.0, 2000.0),
        ("made_up:1", "too_long", 3000.0, 2000.0),
        ("made_up:1", "few_distinct_words", pytest.approx(1 / 22), 0.2),
        ("made_up:1", "dominant_word", 1.0, 0.8),
    ]


def test_a_wrong_language_says_which_one_was_found():
    assert filters.apply_filters(documents(SPANISH), ROBUST)["detail"].to_list() == ["es"]


def test_the_order_of_documents_changes_nothing_but_the_order_of_rows():
    rows = documents("la " * 25, "So it is.", "s o u p " * 10)
    there, back = (filters.apply_filters(part, ROBUST).sort("doc_key", "reason") for part in (rows, rows.reverse()))
    assert there.equals(back)


@pytest.mark.parametrize("preset", PRESETS.values())
def test_a_threshold_of_null_switches_its_rule_off(preset):
    off = {rule.setting: None for rule in BUILT_IN if rule.setting and rule.column != "token_length"}
    for text in ("la " * 25, "s o u p " * 10, SPANISH, "Привет, как дела?", "???!!!???!!!???!!!???!!!a"):
        assert set(reasons(text, preset | off)) <= {"repeated_characters"}


@cases
def test_the_papers_preset_applies_its_formulas_as_worded(text, more, reason):
    settings = PAPER | ({"symbols": 0.35} if reason == "too_many_symbols" else {})
    assert reason in reasons(text, settings, **more)
    assert reason not in reasons(text, ROBUST, **more) or reason == "wrong_script"


def test_the_papers_recipes_keep_every_text_that_its_authors_released():
    folder = published("dev/candidates.jsonl").parent
    texts = pl.concat(
        pl.read_ndjson(folder / f"{name}.jsonl").select("source", "lang", "genre", "content", "token_length")
        for name in ("candidates", "queries")
    ).unique("content", keep="first", maintain_order=True)
    rows = texts.with_columns(doc_key=pl.int_range(pl.len()).cast(pl.String), task=pl.lit("authorship"))
    measured = measure.measure_texts(rows, sorted(rows["lang"].unique()))
    for recipe in ("authbench-300k", "authbench-428k"):
        stated = read_settings(shipped(f"config/recipes/{recipe}.yaml"))
        removed = filters.apply_filters(filters.beside(rows, measured), ROBUST | stated["filter"])
        assert removed.height == 0, removed


def test_an_unknown_preset_is_an_error_that_names_the_known():
    with pytest.raises(InputError, match="choose one of robust, paper"):
        reasons("So it is.", ROBUST | {"preset": "strict"})


def test_no_documents_lose_nothing():
    assert filters.apply_filters(documents("So it is.").clear(), ROBUST).equals(records.empty(records.REMOVED))


def test_measurements_of_other_documents_are_refused():
    keys = pl.DataFrame({"doc_key": ["s:1", "s:2"]})
    measures = keys.with_columns(words=pl.Series([3, 4]))
    assert filters.beside(keys, measures).equals(measures)
    with pytest.raises(InputError, match="do not belong together"):
        filters.beside(keys, measures.reverse())


@cases
def test_lengths_of_runs_are_settings(text, source, setting, reason):
    assert reason in reasons(text, PAPER, source=source)
    assert reason not in reasons(text, PAPER | setting, source=source)
    assert reason not in reasons(text, PAPER | dict.fromkeys(setting), source=source)


def test_a_dropped_document_counts_once_for_its_language():
    rows = documents("!!!! ????", "!!!! ????", "!!!! ????", SPANISH, lang=["en", "de", "de", "es"])
    removed = filters.apply_filters(rows, PAPER)
    assert removed["doc_key"].is_duplicated().any()
    assert filters.dropped_by_language(rows, removed) == {"de": 2, "en": 1}


@pytest.mark.parametrize("shares", [{"en": 0, "ru": 0.5}, {"ru": 0.5, "en": 0}, {"en": 0}, {"ru": 1, "ko": 0.5}, {}])
def test_a_share_of_letters_by_language_may_be_a_whole_number_in_any_order(shares):
    found = reasons("Привет, как дела?", ROBUST | {"script": {"default": 0.5} | shares})
    assert ("wrong_script" in found) == ("en" not in shares)


@cases
def test_a_rule_holds_from_its_bounds_on(preset, measured, column, kept, dropped, reason):
    clean = documents("We walked along the river until the evening, and none of the others would say a word about it.")
    for value, found in ((kept, []), (dropped, [reason])):
        row = clean.with_columns(**{name: pl.lit(one) for name, one in {**measured, column: value}.items()})
        assert filters.apply_filters(row, PRESETS[preset])["reason"].to_list() == found


def test_every_setting_is_the_threshold_of_a_rule():
    settings = {rule.setting for rule in BUILT_IN} - {""}
    assert settings == ROBUST.keys() - {"preset", "plugins", "exclude"}
