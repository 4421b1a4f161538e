"""The tabular corpora: their YAMLs fit the schema and do with typical rows what is promised of them."""

import json
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
THIRTEEN = set(DATA["THIRTEEN"])


def load(tag):
    return read_yaml(ROOT / f"config/sources/{tag}.yaml")


def document(tag, path="x.csv", **row):
    mapped = compile_source(tag, make_extraction(load(tag)), section("ingest"))
    made = mapped.documents([{**row, **mapped.path_fields(path)}])
    return made.refused[0] if made.refused else SimpleNamespace(**made.records.to_pylist()[0])


def refusal(tag, path="x.csv", **row):
    made = document(tag, path, **row)
    assert isinstance(made, Refused), made
    return made.reason


def kept(tag, path="x.csv", **row):
    made = document(tag, path, **row)
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


@pytest.mark.parametrize("tag", ["apcd_sample_ar", "weibo_stock_posts", "hindi_discourse"])
def test_verses_templates_and_stories_without_an_author_are_works(tag):
    assert load(tag)["author"]["kind"] == "work"


def genres_of(expression):
    if "any" in expression:
        return set().union(*map(genres_of, expression["any"]))
    return {expression["const"]} if "const" in expression else set(expression["map"].values())


@pytest.mark.parametrize("tag", TAGS)
def test_genres_are_known_and_at_most_ten_and_the_rest(tag):
    genres = genres_of(load(tag)["fields"]["genre"])
    assert {name.partition("/")[0] for name in genres} <= set(PRIMARY_GENRES)
    assert len({name for name in genres if not name.endswith("/other")}) <= 10


POST = DATA["POST"]


def post(url, **changes):
    return {**POST, "url": url, **changes}


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
    made = kept("exorde", **post(url))
    assert made.author_id == author_id("exorde", f"{POST['author_hash']} {account}")
    assert not made.noisy and "some_one" not in made.doc_key and url not in made.doc_key


@pytest.mark.parametrize("url", ["https://www.reddit.com/r/news/comments/1/x", "https://forum.example/topic/5"])
def test_an_exorde_author_without_account_is_name_and_site_and_noisy(url):
    made = kept("exorde", **post(url))
    site = "reddit.com" if "reddit" in url else "forum.example"
    assert made.author_id == author_id("exorde", f"{POST['author_hash']} {site}")
    assert made.noisy


@cases
def test_an_exorde_post_that_names_no_one_does_not_enter(changes, reason):
    assert refusal("exorde", **{**post("https://x.com/me/status/1"), **changes}) == reason


def test_exorde_themes_become_genres():
    url = "https://x.com/me/status/1"
    assert kept("exorde", **post(url)).genre == "social_media/people"
    assert kept("exorde", **post(url, primary_theme="Law")).genre == "social_media/other"
    assert kept("exorde", **post(url, language="zh-cn")).lang == "zh"


ARTICLE = DATA["ARTICLE"]


@cases
def test_the_outlet_is_cut_from_news(outlet, description, text):
    made = kept("babel_briefings", **{**ARTICLE, "source-name": outlet, "description": description})
    assert made.content == text
    assert made.doc_key == "babel_briefings:7091963"
    assert (made.genre, made.topic, made.date) == ("news", "sports", "2021-11-02")


PAPER = DATA["PAPER"]


@cases
def test_an_arxiv_author_is_the_only_one(parsed, authors, name, number):
    made = kept("arxiv", **{**PAPER, "authors_parsed": parsed, "authors": authors})
    assert (made.n_authors, made.work) == (number, number > 1)
    assert made.author_id == (author_id("arxiv/work", f"label {name}") if made.work else author_id("arxiv", name))


@cases
def test_an_arxiv_paper_without_one_first_author_does_not_enter(changes, reason):
    assert refusal("arxiv", **{**PAPER, **changes}) == reason


def test_an_arxiv_abstract_keeps_its_metadata():
    made = kept("arxiv", **PAPER)
    assert (made.topic, made.date, made.n_authors, made.noisy, made.work) == ("hep-ph", "2007-04-02", 2, True, True)
    assert json.loads(made.labels) == {"title": "Photons at LHC"}


def test_first_authors_of_paper_lists_are_spelled_as_names():
    row = {"id": "1", "abstract": "We.", "title": "T", "author": "Tala.Talaei  Khoei;B"}
    made = kept("paperlists_abstracts", "rss2019.json", **row)
    assert made.author_id == author_id("paperlists_abstracts/work", "label Tala Talaei Khoei")
    assert (made.doc_key, made.topic, made.date, made.n_authors) == ("paperlists_abstracts:rss2019-1", "rss", "2019", 2)


def test_only_the_own_words_of_a_weibo_repost_stay():
    row = {"id": 0, "publish_time": "2018-12-23 11:46"}
    text = "转发理由:千古！//@别人:别人的话\n原始用户: 贾怀胤\n转发内容: 别人的话"
    made = kept("weibo_single_user_gbk", "1211441627.csv", **row, weibo_content=text)
    assert made.content == "千古！"
    assert made.author_id == author_id("weibo_single_user_gbk", "1211441627")
    assert "1211441627" not in made.doc_key
    bare = "转发理由:转发微博\n原始用户: 贾怀胤\n转发内容: 别人的话"
    assert refusal("weibo_single_user_gbk", "1211441627.csv", **row, weibo_content=bare) == "empty_text"


def test_the_account_under_a_shared_video_is_cut():
    row = {"id": "a", "user": "先锋晓晓", "url": "https://weibo.cn/comment/a?uid=6311567689&rl=1"}
    content = "(600064)南京高科 先锋晓晓的秒拍视频 \u200b\u200b"
    made = kept("weibo_stock_posts", **row, content=content, posted_at="2018年10月09日 11:04")
    assert (made.content, made.date, made.names_author) == ("(600064)南京高科", "2018-10-09", False)


def test_xiaohongshu_accounts_are_one_space_over_all_layouts():
    comment = kept("xiaohongshu_crawls", comment_id="c", note_id="n", user_id="u1", comment_content="好")
    note = kept("xiaohongshu_crawls", note_id="n", author_id="u1", content="好", publish_date="2025-03-22")
    bar = kept("xiaohongshu_crawls", note_id="m", user_id="u1", content="好", timestamp="1683452764000")
    assert comment.author_id == note.author_id == bar.author_id == author_id("xiaohongshu", "u1")
    assert [made.doc_key for made in (comment, note, bar)] == [f"xiaohongshu_crawls:{name}" for name in "cnm"]
    assert (note.date, bar.date) == ("2025-03-22", "2023-05-07")


@cases
def test_xiaohongshu_rows_go_by_site_and_machine_made_ones_stay_out(changes, outcome):
    made = document("xiaohongshu", id="1", user_id="u1", content="好看", **changes)
    assert outcome == (made.genre if isinstance(made, SimpleNamespace) else made.reason)


@cases
def test_years_of_life_are_no_part_of_a_book_author(label, name):
    made, plain = (
        kept("french_pd_books", "a.parquet", author=written, complete_text="Il était une fois.", title="T")
        for written in (label, name)
    )
    assert made.author_id == plain.author_id


def test_the_title_page_does_not_name_the_author():
    text = (
        "LES MISÉRABLES\nPAR VICTOR HUGO\nPARIS\n\nEn 1815, M. Myriel était évêque; Hugo n'y était pas, dit-on, "
        + "x" * 80
    )
    made = kept("french_pd_books", author="Hugo, Victor (1802-1885)", text=text)
    assert made.content == text.replace("PAR VICTOR HUGO\n", "")
    assert not made.names_author


@cases
def test_the_fields_of_the_published_corpora_are_known(tag, row, lang):
    made = kept(tag, "moviereviews_cleaned.txt", **row)
    assert made.lang == lang


@cases
def test_a_text_that_is_no_persons_own_is_left_out(tag, row, reason):
    assert refusal(tag, **row) == reason


def test_editors_variants_leave_a_poem():
    lines = ["闌風長雨（一作「東風細雨」）秋紛紛", "餌懸春[蜥蜴]，{愍心=月}"]
    assert kept("chinese_poetry", author="杜甫", paragraphs=lines).content == "闌風長雨秋紛紛\n餌懸春蜥蜴，□"


@cases
def test_a_cycle_the_reviews_of_a_day_and_the_posts_of_a_campaign_are_a_work_of_their_author(tag, one, same, others):
    origins = [kept(tag, **one | changes).origin_id for changes in ({}, same, *others)]
    assert origins[0] == origins[1]
    assert len(set(origins)) == 1 + len(others)


def test_a_mask_is_an_author_of_its_own_kind():
    row = {"author": "nana****", "review": "굿", "review_id": "1", "movie_id": "2", "date": "15.06.30"}
    made = kept("nsmc_raw_ko", **row)
    assert (load("nsmc_raw_ko")["author"]["kind"], made.date, made.noisy) == ("masked", "2015-06-30", True)


def weibo(text):
    return kept("weibo_users_gbk", name="甲乙", text=text, id="1").content


def test_under_a_shared_video_the_account_goes_and_the_sentence_before_it_stays():
    assert weibo("祝大家节日快乐！[心]六小龄童3fcv7的秒拍视频") == "祝大家节日快乐！[心]"
    assert weibo("今天看演出。 一手video的微博视频") == "今天看演出。"


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


def test_a_family_name_that_is_also_a_word_takes_no_line_of_the_text():
    page = "EL LIBRO\nJUAN SOL\npor Juan Sol\nHoy hace sol.\nSale el sol."
    assert kept("spanish_pd_books", text=page, creator="Sol, Juan").content == "EL LIBRO\nHoy hace sol.\nSale el sol."


def test_numbered_parts_of_a_poem_are_no_notes():
    poem = "1\nНочь, улица\nФонарь, аптека\n2\nБессмысленный\nи тусклый свет"
    assert kept("ruslit_txt", "poems/Blok/Цикл.txt", text=poem).content == poem
    notes = "Слово за словом.\n" * 30 + "1\nДруг (фр.)."
    assert "Друг" not in kept("ruslit_txt", "prose/Chekhov/Анюта.txt", text=notes).content
    chapter = "Слово за словом.\n" * 30 + "1\nОн лёг (немного погодя).\n" + "Слово.\n" * 30
    assert "погодя" in kept("ruslit_txt", "prose/Chekhov/Анюта.txt", text=chapter).content


CRAWLED = {"raw_id": "x:1", "text": "Why does it rain?", "lang": "en", "creation_date": "2024-05-01T10:00:00"}


def test_an_account_of_stack_exchange_is_one_of_its_site():
    asked = {**CRAWLED, "author": "22656", "genre": "qna/question"}
    one = kept("stackexchange", **asked, source_site="stackoverflow.com")
    other = kept("stackexchange", **asked, source_site="ru.stackoverflow.com")
    assert one.author_id != other.author_id and one.genre == "qna/question" and one.date == "2024-05-01"
    assert kept("stackexchange", **{**asked, "genre": "qna/else"}, source_site="a.com").genre == "qna/post"


@pytest.mark.parametrize("name", ["Dickens, Charles, 1812-1870", "Dickens, Charles", "Dickens, Charles, 1812?-1870?"])
def test_a_writer_of_gutenberg_is_the_same_with_and_without_years(name):
    book = {**CRAWLED, "genre": "literature/drama", "title": "A tale"}
    named = kept("project_gutenberg", **book, author=name)
    assert named.author_id == kept("project_gutenberg", **book, author="Dickens, Charles").author_id
    assert named.genre == "literature/drama"


def test_markers_of_gutenberg_are_cut_with_what_is_outside():
    text = (
        "Header *** START OF THE PROJECT GUTENBERG EBOOK A TALE *** It was so. *** END OF THE PROJECT GUTENBERG EBOOK"
    )
    book = {
        **CRAWLED,
        "text": text + " A TALE *** Licence",
        "genre": "literature",
        "title": "A tale",
        "author": "Poe, E.",
    }
    assert kept("project_gutenberg", **book).content.strip() == "It was so."


def test_comments_of_youtube_and_pages_of_wikisource_are_read_as_crawled():
    comment = kept("ytcomments", **CRAWLED, author="UC123", genre="social_media/youtube_comment")
    assert comment.genre == "social_media/youtube_comment" and comment.author_id == author_id("youtube", "UC123")
    page = kept("wikisource", **CRAWLED, author="Emily Dickinson", genre="poetry", title="A page")
    assert page.genre == "poetry" and page.lang == "en"


def test_posts_of_a_dump_become_questions_and_answers_without_code_and_quotations():
    post = {"Id": "7", "PostTypeId": "1", "OwnerUserId": "8", "CreationDate": "2024-05-01T10:00:00.1", "Tags": "|rain|"}
    body = "<p>Why <code>x = 1</code> so?</p><pre><code>x\n\ny</code></pre>"
    body += "<blockquote><p>He said.</p></blockquote><p>I ask.</p>"
    path = "es.stackoverflow.com/Posts.xml"
    one = kept("stackexchange_dump", path, **post, Title="Rain", Body=body)
    assert (one.lang, one.genre, one.date, one.topic) == ("es", "qna/question", "2024-05-01", "rain")
    assert "x" not in one.content and "He said" not in one.content
    assert "Rain" in one.content and "I ask" in one.content
    answer = kept("stackexchange_dump", path, **{**post, "Id": "9", "PostTypeId": "2"}, ParentId="7", Body="<p>So.</p>")
    assert answer.author_id == one.author_id and answer.origin_id == one.origin_id and answer.genre == "qna/answer"
    other = kept("stackexchange_dump", "ru.stackoverflow.com/Posts.xml.gz", **post, Body=body)
    assert other.author_id != one.author_id and other.lang == "ru"
    assert kept("stackexchange_dump", "english.stackexchange.com/Posts.xml", **post, Body=body).lang == "en"
    crawled = {"raw_id": "x", "text": "Why?", "lang": "es", "creation_date": "2024-05-01", "genre": "qna/question"}
    crawl = kept("stackexchange", **crawled, author="8", source_site="es.stackoverflow.com")
    assert crawl.author_id == one.author_id


@cases
def test_posts_that_nobody_signs_alone_stay_out(changes, reason):
    post = {"Id": "7", "PostTypeId": "1", "OwnerUserId": "8", "Title": "Rain", "Body": "<p>Why?</p>"} | changes
    assert refusal("stackexchange_dump", "a.stackexchange.com/Posts.xml", **post) == reason


def test_notes_and_comments_of_xiaohongshu_are_read_in_the_layouts_of_their_crawlers():
    who = {"user_id": "9000000001", "nickname": "Ann"}
    note = kept("xiaohongshu", **who, note_id="1", title="T", desc="买了 Ann 的书", time="1692327949000")
    assert (note.content, note.date, note.names_author) == ("买了 Ann 的书", "2023-08-18", True)
    comment = kept("xiaohongshu", **who, comment_id="2", content="好看", create_time="2023-08-19 11:05:49")
    assert (comment.content, comment.date) == ("好看", "2023-08-19")
    assert comment.author_id == note.author_id


def test_books_of_gutenberg_become_documents_of_their_only_author():
    row = {"text": "Edgar Poe\n\nIt was so.", "title": "Poems", "language": "English"}
    one = kept("project_gutenberg_txt", "12-0.txt", **row, author="Edgar Poe")
    assert (one.lang, one.genre, one.content.strip()) == ("en", "poetry", "It was so.")
    two = kept("project_gutenberg_txt", "13.txt", **row, author="Edgar Poe and Ann Bee")
    assert (one.work, two.n_authors, two.work) == (False, 2, True)
    assert refusal("project_gutenberg_txt", "14.txt", **row, author="Homer", translator="A. Pope") == "translation"
    assert refusal("project_gutenberg_txt", "15.txt", **row, author="Various") == "no_one_author"
