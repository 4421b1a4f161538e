"""Is the table of languages what filters and pages need, and is a bad one refused?"""

import pytest
from cases import cases

from authbench.build.filter.language import identified_languages
from authbench.build.filter.settings import filter_problems
from authbench.config.languages import FILE, language_name, languages_file, read_languages
from authbench.core.errors import InputError
from authbench.core.records import LANGUAGES
from authbench.core.shipped import shipped

SHIPPED = shipped(FILE)
FILTER = {"filter": {"min_tokens": 1, "max_tokens": 9, "plugins": {}, "exclude": None}}


def test_the_shipped_table_has_the_ten_languages_and_scripts_only_where_langid_knows_the_language():
    table = read_languages(SHIPPED)
    assert set(LANGUAGES) < set(table)
    assert {code for code, language in table.items() if language.scripts} <= identified_languages()
    assert table["pt"].scripts == ("Latin",) and table["ja"].scripts == ("Han", "Hiragana", "Katakana")


def test_languages_have_names_and_an_unknown_code_stands_for_itself():
    names = [language_name(code) for code in ("pt", "en", "other", "all", "xx")]
    assert names == ["Portuguese", "English", "Other languages", "All", "xx"]


@cases
def test_a_bad_entry_is_named(tmp_path, line, told):
    path = tmp_path / "languages.yaml"
    kept = [one for one in SHIPPED.read_text(encoding="utf-8").splitlines() if not one.startswith("pt:")]
    path.write_text("\n".join([*kept, line]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_languages(path)


def test_a_table_without_one_of_the_ten_is_refused(tmp_path):
    path = tmp_path / "languages.yaml"
    path.write_text("pt: {name: Portuguese}\n", encoding="utf-8")
    with pytest.raises(InputError, match="lacks en, zh, hi"):
        read_languages(path)


def test_a_table_of_one_s_own_takes_the_place_and_must_not_drop_what_langid_does_not_know(tmp_path, monkeypatch):
    assert languages_file(tmp_path) == SHIPPED
    own = tmp_path / FILE
    own.parent.mkdir()
    own.write_text(SHIPPED.read_text(encoding="utf-8") + "ast: {name: Asturian, scripts: [Latin]}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert languages_file() == own.resolve()
    (told,) = filter_problems(FILTER)
    assert "ast: has scripts, but langid does not know it" in told
