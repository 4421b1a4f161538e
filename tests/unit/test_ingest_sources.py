"""The tabular corpora: their YAMLs fit the schema and do with typical rows what is promised of them."""

from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from cases import cases, read_cases
from defaults import section
from linear_time import takes_linear_time

from authbench.build.ingest.compiled import compile_cleaning, compile_extraction
from authbench.build.ingest.documents import Refused, add_derived
from authbench.build.ingest.mapping import compile_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_extraction
from authbench.config.registry.sources import source_schema
from authbench.core.identity import author_id
from authbench.core.records import PRIMARY_GENRES
from authbench.release.checking.settings import read_settings
from authbench.release.reading.readers import READERS

ROOT = Path(__file__).parents[2]
TAGS = sorted(path.stem for path in (ROOT / "config/sources").glob("*.yaml"))
DATA = read_cases(Path(__file__))
THIRTEEN, TYPICAL = set(DATA["THIRTEEN"]), DATA["TYPICAL"]


def load(tag):
    return read_yaml(ROOT / f"config/sources/{tag}.yaml")


def document(tag, **changes):
    """What ingestion makes of a typical row of a corpus with these changes."""
    row = {"path": "x.csv"} | TYPICAL.get(tag, {}) | changes
    path = row.pop("path")
    mapped = compile_source(tag, make_extraction(load(tag)), section("ingest"))
    made = mapped.documents([{**row, **mapped.path_fields(path)}])
    return made.refused[0] if made.refused else SimpleNamespace(**made.records.to_pylist()[0])


def kept(tag, **row):
    made = document(tag, **row)
    assert isinstance(made, SimpleNamespace), made
    return made


@pytest.mark.parametrize("tag", TAGS)
def test_a_description_fits_the_schema_and_compiles(tag):
    jsonschema.Draft202012Validator(source_schema()).validate(load(tag))
    extraction = make_extraction(load(tag))
    assert type(extraction.reader) in READERS
    compile_source(tag, extraction, section("ingest"))


@cases
def test_a_person_whose_name_begins_like_a_bodys_stays(tag, label):
    kept(tag, author=label, creator=label, text="x")


def genres_of(expression):
    if "any" in expression:
        return set().union(*map(genres_of, expression["any"]))
    return {expression["const"]} if "const" in expression else set(expression["map"].values())


@pytest.mark.parametrize("tag", TAGS)
def test_genres_are_known_and_at_most_ten_and_the_rest(tag):
    genres = genres_of(load(tag)["fields"]["genre"])
    assert {name.partition("/")[0] for name in genres} <= set(PRIMARY_GENRES)
    assert len({name for name in genres if not name.endswith("/other")}) <= 10


CRAWLED_GENRES = {"qna/question", "literature/speech_essay", "literature/drama", "social_media/youtube_comment"}


def fine_genres(tag, rows):
    compiled = compile_extraction(tag, make_extraction(load(tag)), section("ingest"))
    add_derived(rows, compiled)
    return set(compiled.fields["fine_genre"](rows))


def test_the_recipes_of_the_papers_have_as_many_fine_genres_as_the_papers():
    found = fine_genres("exorde", [{"primary_theme": theme} for theme in DATA["THEMES"]])
    found |= fine_genres("blog_authorship", [{"job": job} for job in DATA["INDUSTRIES"]])
    assert {"social_media/investing", "blog/real_estate", "blog/communications_media", "blog/unknown"} <= found
    others = THIRTEEN - {"exorde", "blog_authorship", "xiaohongshu"}
    found |= {load(tag)["fields"]["genre"].get("const") for tag in others}
    found |= {"social_media/xiaohongshu"}
    assert (len(found), len(found | CRAWLED_GENRES)) == (62, 66)
    for recipe, fine in {"100k": False, "300k": True, "428k": True}.items():
        settings = read_settings(ROOT / f"config/recipes/authbench-{recipe}.yaml")
        assert settings["ingest"]["fine_genres"] is fine


@pytest.mark.parametrize("theme", ["", "1", "no/genre", "ein Wörtchen", "a" * 80])
def test_a_theme_that_is_no_name_of_a_genre_stays_joined(theme):
    assert fine_genres("exorde", [{"primary_theme": theme}]) == {None}


@cases
def test_an_exorde_author_is_name_and_account(url, account):
    made = kept("exorde", url=url)
    assert made.author_id == author_id("exorde", f"{TYPICAL['exorde']['author_hash']} {account}")
    assert not made.noisy and "some_one" not in made.doc_key and url not in made.doc_key


@cases
def test_the_outlet_is_cut_from_news(outlet, description, text):
    made = kept("babel_briefings", **{"source-name": outlet, "description": description})
    assert made.content == text
    assert made.doc_key == "babel_briefings:7091963"
    assert (made.genre, made.topic, made.date) == ("news", "sports", "2021-11-02")


@cases
def test_an_arxiv_author_is_the_only_one(parsed, authors, name, number):
    made = kept("arxiv", authors_parsed=parsed, authors=authors)
    assert (made.n_authors, made.work) == (number, number > 1)
    assert made.author_id == (author_id("arxiv/work", f"label {name}") if made.work else author_id("arxiv", name))


@cases
def test_xiaohongshu_rows_go_by_site_and_machine_made_ones_stay_out(changes, outcome):
    made = document("xiaohongshu", id="1", user_id="u1", content="好看", **changes)
    assert outcome == (made.genre if isinstance(made, SimpleNamespace) else made.reason)


@cases
def test_a_row_is_read_as_its_corpus_promises(tag, row, promised):
    made, promised = kept(tag, **row), dict(promised)
    if "author" in promised:
        space, label = promised.pop("author")
        assert made.author_id == author_id(space, label) and label not in made.doc_key
    assert {name: getattr(made, name) for name in promised} == promised


@cases
def test_a_text_that_is_nobody_s_own_is_left_out(tag, row, reason):
    made = document(tag, **row)
    assert isinstance(made, Refused) and made.reason == reason


@pytest.mark.parametrize(
    ("tag", "kind"),
    [("apcd_sample_ar", "work"), ("weibo_stock_posts", "work"), ("hindi_discourse", "work"), ("nsmc_raw_ko", "masked")],
)
def test_an_author_is_a_work_or_a_mask_where_nobody_is_told(tag, kind):
    assert load(tag)["author"]["kind"] == kind


@cases
def test_years_of_life_are_no_part_of_a_book_author(tag, label, name):
    row = {"complete_text": "Il était une fois.", "title": "T"}
    made, plain = (kept(tag, author=written, **row) for written in (label, name))
    assert made.author_id == plain.author_id


@cases
def test_the_fields_of_the_published_corpora_are_known(tag, row, lang):
    made = kept(tag, path="moviereviews_cleaned.txt", **row)
    assert made.lang == lang


@cases
def test_a_cycle_the_reviews_of_a_day_and_the_posts_of_a_campaign_are_a_work_of_their_author(tag, one, same, others):
    origins = [kept(tag, **one | changes).origin_id for changes in ({}, same, *others)]
    assert origins[0] == origins[1]
    assert len(set(origins)) == 1 + len(others)


@pytest.mark.parametrize("tag", TAGS)
def test_cleaning_takes_no_longer_for_hostile_text(tag):
    clean = compile_cleaning(make_extraction(load(tag)).clean, tag)
    row = dict.fromkeys(
        ("outlet", "person", "surname", "prose_title", "title", "book", "chapter", "user", "family"), "Ab"
    )

    def cleaning(before, unit, after):
        return lambda times: clean(before + unit * times + after, dict(row))

    for parts in DATA["HOSTILE"]:
        assert takes_linear_time(cleaning(*parts), 5000, soon=4), parts


def test_notes_behind_a_text_go_and_numbered_chapters_stay():
    notes = "Слово за словом.\n" * 30 + "1\nДруг (фр.)."
    assert "Друг" not in kept("ruslit_txt", path="prose/Chekhov/Анюта.txt", text=notes).content
    chapter = "Слово за словом.\n" * 30 + "1\nОн лёг (немного погодя).\n" + "Слово.\n" * 30
    assert "погодя" in kept("ruslit_txt", path="prose/Chekhov/Анюта.txt", text=chapter).content
