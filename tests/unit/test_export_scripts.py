"""Scripts as they are measured in texts, and languages in the codes of hubs."""

import polars as pl
import pytest
from cases import cases

from authbench.config.languages import languages
from authbench.publish.export.mteb_task import named_scripts, scripts_of, three_letters


def counted(*texts):
    found = scripts_of(pl.DataFrame(texts, {"lang": pl.String, "text": pl.String}, orient="row"))
    return {(lang, script): number for lang, script, number in found.iter_rows()}


@cases
def test_the_script_of_a_text_is_that_of_its_letters(lang, text, script):
    assert counted((lang, text)) == {(lang, script): 1}


def test_a_language_names_the_scripts_of_a_twentieth_of_its_texts_the_most_frequent_first():
    rows = [("zh", "Hant", 161), ("zh", "Hans", 71), ("zh", "Hani", 200), ("zh", "Latn", 3), ("en", "Zyyy", 2)]
    counts = pl.DataFrame(rows, {"lang": pl.String, "script": pl.String, "texts": pl.UInt32}, orient="row")
    assert named_scripts(counts) == {"zh": ["Hant", "Hans"], "en": ["Zyyy"]}
    assert named_scripts(pl.concat([counts, counts])) == named_scripts(counts)


def test_every_language_of_the_table_has_a_code_of_three_letters_that_mteb_knows():
    mappings = pytest.importorskip("mteb.languages.iso_mappings", reason="needs the extra `publish`")
    for code, language in languages().items():
        name = language.name if code != "yue" else "Yue"  # Cantonese
        assert name.lower()[:4] in mappings.ISO_TO_LANGUAGE[three_letters(code)].lower()
    for script in ("Hans", "Hant", "Hani", "Jpan", "Hang", "Zyyy", "Ethi"):
        assert script in mappings.ISO_TO_SCRIPT
