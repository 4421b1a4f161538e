"""Labels of one person are one author or move as one, whatever the source and the spelling."""

from itertools import permutations
from pathlib import Path

import polars as pl
import pytest
import yaml
from cases import cases, read_cases
from defaults import section
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.ingest.aliases import persons_file, read_aliases
from authbench.build.ingest.identities import make_identities
from authbench.build.ingest.persons import Life, canonical_name
from authbench.build.split.assign import split_documents
from authbench.build.split.leakage import Leaks
from authbench.build.split.persons import find_persons
from authbench.config.registry.source_entry import Author
from authbench.core.author_labels import folded
from authbench.core.errors import InputError
from authbench.core.records import RECORD
from authbench.core.shipped import shipped

BRIDGE = section("split.bridge")
ALIASES = read_cases(Path(__file__))["ALIASES"]


def aliases(folder, text=ALIASES):
    path = folder / "persons.yaml"
    path.write_text(text, encoding="utf-8")
    return read_aliases(path)


def whole(label, lang):
    name = canonical_name(folded(label), lang)
    return None if name is None else name.whole


def keys(label, lang, names="full", tag="s", known=None):
    """Return a row of a label as ingestion makes it."""
    identities = make_identities(tag, Author("person", names=names), None, known or {})
    author, found = identities.known(identities.person(label), "", lang, False)
    assert found is not None
    row = {name: getattr(found, name) for name in ("person_key", "near_key", "given_keys", "life_key")}
    return {"author_id": author, "lang": lang, "source": tag, **row}


def documents(labels, each=3):
    """Return documents of these labels, `each` of every one."""
    rows = [
        {
            **label,
            "doc_key": f"{label['source']}:{place}-{number}",
            "origin_id": f"{place}-{number}",
            "author_kind": "person",
            "genre": "poetry",
            "length_bucket": "long",
            "content": "a text",
        }
        for place, label in enumerate(labels)
        for number in range(each)
    ]
    return pl.DataFrame(rows, schema={name: RECORD.get(name, pl.String) for name in rows[0]})


def pairs(*labels, **how):
    """Return the pairs of labels, by their places, that are possibly one person, and whether they move as one."""
    place = {label["author_id"]: str(number) for number, label in enumerate(labels)}
    found = find_persons(
        documents(labels, how.pop("each", 3)), how.pop("bridge", BRIDGE), how.pop("unit", "author"), **how
    )
    assert all(a < b for a, b, _ in found.pairs.rows())
    return {(*sorted((place[a], place[b])), unit) for a, b, unit in found.pairs.rows()}


@cases
def test_ways_to_write_a_name_are_one_name(lang, labels):
    assert len({whole(label, lang) for label in labels}) == 1


@cases
def test_names_of_two_people_stay_two(lang, one, other):
    assert whole(one, lang) != whole(other, lang)


@cases
def test_years_of_birth_and_death_are_read_where_they_are_sure(label, life):
    name = canonical_name(folded(label), "de")
    assert name is not None and (name.whole, name.life) == ("gustav sack", Life(*life))


@pytest.mark.parametrize("label", ["000022", "(-1889)", "...", ", ,", "()"])
def test_what_has_no_letter_is_no_name(label):
    assert canonical_name(folded(label), "de") is None


def test_a_chinese_label_of_one_character_names_nobody():
    identities = make_identities("s", Author("person", names="full"), None, {})
    assert identities.person("王").refusal == "placeholder_author"


@given(st.text(max_size=40), st.sampled_from(["en", "de", "es", "ru", "zh", "ja", "ar", "hi"]))
def test_a_canonical_name_has_words_and_is_its_own(label, lang):
    name = canonical_name(folded(label), lang)
    assert name is None or (name.whole and name.whole == " ".join(name.whole.split()))


def test_equal_full_names_are_one_author_in_all_sources_and_ambiguous_ones_are_not():
    novelist, poet = keys("Sack, Gustav", "de", tag="novels"), keys("Gustav SACK", "de", tag="poems")
    assert novelist["author_id"] == poet["author_id"]
    one, other = (keys("Huang, Jing", "en", "ambiguous", tag) for tag in ("abstracts", "papers"))
    assert one["author_id"] != other["author_id"] and one["person_key"] == other["person_key"]
    assert pairs(one, other) == {("0", "1", True)}


def test_a_key_makes_other_pseudonyms():
    plain = make_identities("s", Author("person", names="full"), None, {}).keys("Sack, Gustav", "de")
    keyed = make_identities("s", Author("person", names="full"), b"secret", {}).keys("Sack, Gustav", "de")
    assert plain is not None and keyed is not None
    assert not set(map(str, plain)) & (set(map(str, keyed)) - {"None"})
    assert not any("sack" in str(value) or "gustav" in str(value) for value in (*plain, *keyed))


def test_a_number_as_a_label_keeps_its_id_and_has_the_keys_of_the_authors_name():
    card = make_identities("cards", Author("person", names="full"), None, {})
    author, found = card.known(card.person("000022"), "三島霜川", "ja", False)
    assert author == card.person("000022").author_id and found is not None
    assert found.person_key == keys("三島霜川", "ja")["person_key"]


def test_a_work_has_no_name():
    identities = make_identities("s", Author("person", names="full"), None, {})
    work = identities.person("Sack, Gustav")
    assert identities.known(work, "", "de", True) == (work.author_id, None)


def test_a_pen_name_is_its_bearer(tmp_path):
    known = aliases(tmp_path)
    for lang, one, other in (
        ("de", "Henschke, Alfred", "Klabund"),
        ("en", "Evans, Marian", "George Eliot"),
        ("zh", "李后主", "李煜"),
    ):
        assert keys(one, lang, known=known)["author_id"] == keys(other, lang, known=known)["author_id"]
    assert keys("Alfred Henschke", "en", known=known)["author_id"] != keys("Klabund", "en", known=known)["author_id"]
    ambiguous = [keys(name, "de", "ambiguous", known=known)["person_key"] for name in ("Alfred Henschke", "Klabund")]
    assert ambiguous[0] != ambiguous[1]


@cases
def test_aliases_that_contradict_each_other_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as problem:
        aliases(tmp_path, text)
    assert "persons.yaml" in str(problem.value)


def test_the_shipped_aliases_are_sound_and_know_the_spellings_of_the_shipped_corpora():
    known = read_aliases(persons_file())
    for lang, one, other in (
        ("ru", "Tolstoy", "Толстой Лев Николаевич"),
        ("de", "Günderode, Karoline von", "Karoline von Günderrode"),
        ("es", "Marqués de Santillana", "Iñigo López de Mendoza"),
        ("ja", "一葉女史", "樋口一葉"),
    ):
        assert keys(one, lang, known=known)["author_id"] == keys(other, lang, known=known)["author_id"]


def test_the_own_file_of_aliases_takes_the_place_of_the_shipped_one(tmp_path):
    assert persons_file(tmp_path) == shipped("config/persons.yaml")
    (tmp_path / "config").mkdir()
    (tmp_path / "config/persons.yaml").write_text(yaml.safe_dump({"de": {"Klabund": ["Alfred Henschke"]}}))
    assert persons_file(tmp_path) == tmp_path / "config/persons.yaml"


@cases
def test_spellings_and_initials_that_fit_are_possibly_one_person(lang, one, other):
    assert pairs(keys(one, lang), keys(other, lang)) == {("0", "1", True)}


@cases
def test_names_that_contradict_each_other_are_two_people(lang, one, other):
    assert pairs(keys(one, lang), keys(other, lang)) == set()


def test_a_name_in_two_languages_is_possibly_one_person():
    assert pairs(keys("Oscar Wilde", "en"), keys("Wilde, Oscar", "fr")) == {("0", "1", True)}


def test_initials_that_fit_two_full_names_join_nobody():
    initials, yi, yan = keys("Wang, Y.", "en"), keys("Wang, Yi", "en"), keys("Wang, Yan", "en")
    assert pairs(initials, yi, yan) == {("0", "1", False), ("0", "2", False)}
    assert pairs(initials, yi) == {("0", "1", True)}
    middle = keys("Wang, Y. A.", "en")
    assert pairs(middle, initials, yi, yan) == {
        ("0", "1", False), ("0", "2", False), ("0", "3", False), ("1", "2", False), ("1", "3", False)
    }  # fmt: skip


def test_labels_that_share_texts_move_as_one():
    one, other, far = keys("Anna Berg", "de"), keys("Eva Tal", "de"), keys("Ida Au", "de")
    ends = [one["author_id"], other["author_id"]]
    for a, b in (ends, ends[::-1]):
        shared = pl.DataFrame({"a": [a, a], "b": [b, "of nobody"]})
        assert pairs(one, other, far, shared=shared) == {("0", "1", True)}


def test_who_would_make_a_unit_too_large_is_ignored_only():
    names = [keys("Oscar Wilde", "en", "ambiguous", tag) for tag in "abcdefgh"]
    assert {unit for *_, unit in pairs(*names, each=2)} == {True}
    few = pairs(*names, each=2, bridge={"documents": 7, "language_share": 0.0})
    joined = [pair for pair in few if pair[2]]
    assert len(few) == 28 and len(joined) < 28
    sizes = [2 * (1 + sum(str(place) in pair[:2] for pair in joined)) for place in range(8)]
    assert max(sizes) == 6


def test_where_documents_are_the_unit_nobody_moves_with_another():
    assert pairs(keys("Wang, Y.", "en"), keys("Wang, Yi", "en"), unit="document") == {("0", "1", False)}


@given(st.permutations(range(9)))
def test_no_order_of_documents_matters(order):
    labels = ["Wang, Y.", "Wang, Yi", "Wang, Yan", "Li, Bo", "B. Li"]
    labels += ["Smith, J.", "Smith, John", "Smith, J. R.", "Ann Lee"]
    frame = documents([keys(label, "en") for label in labels])
    found = find_persons(frame, BRIDGE, "author")
    again = find_persons(frame.gather([3 * place + number for place in order for number in range(3)]), BRIDGE, "author")
    assert found.pairs.equals(again.pairs) and found.person_of == again.person_of


def test_a_label_of_two_names_is_joined_by_the_name_that_fits_one_person_in_any_order():
    names = ("Smith, J.", "Smith, John A.", "Smith, John", "Smith, James")
    two, full, john, james = (keys(name, "en") for name in names)
    frame = documents([two, {**full, "author_id": two["author_id"]}, john, james], 1)
    expected = {(*sorted((two["author_id"], other["author_id"])), other is john) for other in (john, james)}
    for order in permutations(range(4)):
        assert set(find_persons(frame[list(order)], BRIDGE, "author").pairs.rows()) == expected


def test_possibly_one_person_is_in_one_split_and_is_told_to_the_release():
    labels = [keys(f"Berg, Anna{letter}", "de") for letter in "abcdefghijklmnopqrstuvwxyz"]
    labels += [keys("Darío, Rubén", "es", tag="novels"), keys("Ruben Dario", "es", tag="poems")]
    initials = keys("Berg, A.", "de")
    frame = documents([*labels, initials])
    few = {"documents": 6, "language_share": 0.0}
    rules = section("split", splits={"train": 50, "dev": 25, "test": 25}, bridge=few)
    similar = pl.DataFrame(schema={"a": pl.String, "b": pl.String, "similarity": pl.Float64})
    leaks = Leaks(similar, pl.DataFrame(schema={"a": pl.String, "b": pl.String, "share": pl.Float64}), 0)
    for seed in range(8):
        outcome = split_documents(frame, leaks, rules, 3, 0.8, seed, {})
        of_author = dict(outcome.documents.select("author_id", "split").iter_rows())
        joined = outcome.possibly_one.filter("unit")
        assert joined.height == 1 and {of_author[name] for name in joined.row(0)[:2]} == {of_author[joined["a"][0]]}
        assert len({of_author[joined["a"][0]], of_author[joined["b"][0]]}) == 1
        assert outcome.possibly_one.filter(~pl.col("unit")).height == 26
        assert outcome.facts["possibly_one_joined"] == 2 and outcome.facts["possibly_one_ignored"] == 27


@pytest.mark.parametrize(
    "langs", [("ja", "en"), ("en", "ja"), ("en",), ("ja",), ("ko", "en", "ja"), ("en", "ja", "ko")]
)
def test_a_unit_may_hold_its_share_of_a_language_whatever_sizes_and_order_languages_have(langs):
    names = {"en": "Ann Lee", "ja": "豊田喜一郎", "ko": "김소월"}
    sizes = {"en": 8_000, "ja": 35, "ko": 1}  # a unit of 40, or of the 20 that any language may have
    parts = []
    for lang in langs:
        same = [keys(names[lang], lang, "ambiguous", tag) for tag in ("s", "t", "u")][: min(3, sizes[lang])]
        parts += [documents([label], 10 if sizes[lang] > 1 else 1) for label in same]
        parts.append(documents([keys(f"Zoë {lang}-Other", lang, tag="v")], max(1, sizes[lang] - 30)))
    joined = find_persons(pl.concat(parts), BRIDGE, "author").person_of
    of_lang = pl.concat(parts).filter(pl.col("author_id").is_in(list(joined)))["lang", "author_id"].unique()
    expected = {"en": 3, "ja": 2}
    found = {lang: of_lang.filter(lang=lang).height for lang in langs if of_lang.filter(lang=lang).height}
    assert found == {lang: expected[lang] for lang in langs if lang in expected}


@pytest.mark.parametrize(
    ("author", "counts"),
    [
        (Author("account"), True),
        (Author("account", min_characters=2), False),
        (Author("person", names="full"), False),
        (Author("person", names="full", min_characters=1), True),
    ],
)
def test_a_number_of_one_digit_is_an_account_unless_the_entry_says_otherwise(author, counts):
    who = make_identities("douban", author, None, {})
    assert [who.person(label).refusal is None for label in ("1", "2.0", "3e0")] == [counts] * 3
    assert who.person("7.0").author_id == who.person("7").author_id
    assert who.person("x").refusal == (None if author.min_characters == 1 else "placeholder_author")
