"""What the YAMLs of the document-shaped corpora promise, on small files written like theirs."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import polars as pl
import pytest
from defaults import section

from authbench.build.ingest.persons import canonical_name, keys_of
from authbench.build.ingest.source import ingest_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_extraction
from authbench.core.identity import author_id
from authbench.core.storage.raw_paths import match_files

SOURCES = Path(__file__).parents[2] / "config" / "sources"
COLOPHON = (
    "\n\n\n底本：「全集」出版社\n　　　1961（昭和36）年\n入力：人\n青空文庫作成ファイル：\n"
    "このファイルは、インターネットの図書館\n"
)
LEGEND = "-" * 55 + "\n【テキスト中に現れる記号について】\n\n《》：ルビ\n（例）名《な》\n" + "-" * 55 + "\n"
META = "######OpenITI#\n\n#META# 010.AuthorNAME\t:: أوس بن حجر\n#META# 020.BookTITLE :: ديوان\n\n#META#Header#End#\n\n"


def ingest(tmp_path, tag, files):
    """The records and the reasons of what was left out."""
    folder = tmp_path / tag
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = read_yaml(SOURCES / f"{tag}.yaml")
    found = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in match_files(folder, source["files"])
    }
    shard, removed = tmp_path / "records.parquet", tmp_path / "removed.parquet"
    ingest_source(tag, make_extraction(source), folder, found, [shard], removed, section("ingest"))
    return pl.read_parquet(shard).to_dicts(), pl.read_parquet(removed)["reason"].to_list()


def id_of_name(name, lang):
    """The id of an author by that full name, whatever the source."""
    canonical = canonical_name(name, lang)
    assert canonical is not None
    return keys_of(canonical, lang, None).author_id


def text(tmp_path, tag, name, content):
    (record,), _ = ingest(tmp_path, tag, {name: content})
    return str(record["content"])


def aozora(tmp_path, body, header="題\n人名\n\n" + LEGEND):
    return text(tmp_path, "aozora_txt_ja", "000001/1_ruby_2.txt", (header + "\n" + body + COLOPHON).encode("cp932"))


def openiti(tmp_path, body, name="0001AwsIbnHajar.Diwan.JK007502-ara1"):
    return text(tmp_path, "openiti_ar", name, META + body)


def ruslit(tmp_path, body, name="poems/Pushkin/К морю.txt"):
    return text(tmp_path, "ruslit_txt", name, body)


def tei(author, body="<p>x</p>"):
    header = f"<fileDesc><titleStmt><author>{author}</author></titleStmt></fileDesc>"
    return f"<TEI xml:lang='fr'><teiHeader>{header}</teiHeader><text><body>{body}</body></text></TEI>"


class TestEltec:
    @pytest.mark.parametrize(
        "author",
        [
            "Adam, Juliette (1836-1936)",
            "Adam, Juliette (1836–1936)",
            "Adam, Juliette (1836 - 1936).",
            "Adam,\n  Juliette (-) ",
            "Adam, Juliette [Madame Adam] (1836-1936)",
            "Adam, Juliette [pseud.]",
            "<persName><surname>Adam</surname><forename>Juliette</forename><name>AdamJ</name></persName><idno>6</idno>",
        ],
    )
    def test_all_forms_of_a_name_are_one_author(self, tmp_path, author):
        (record,), _ = ingest(tmp_path, "eltec_tei", {"fra/FRA00101_Adam.xml": tei(author)})
        assert record["author_id"] == id_of_name("Juliette Adam", "fr")

    def test_the_language_is_the_documents_or_else_the_folders(self, tmp_path):
        files = {"fra/A.xml": tei("Adam, J"), "deu/B.xml": tei("Beck, K").replace(" xml:lang='fr'", "")}
        records, _ = ingest(tmp_path, "eltec_tei", files)
        assert {record["lang"] for record in records} == {"fr", "de"}

    def test_no_file_name_reaches_a_key(self, tmp_path):
        (record,), _ = ingest(tmp_path, "eltec_tei", {"fra/FRA00101_Adam.xml": tei("Adam, J")})
        assert "Adam" not in record["doc_key"] + record["origin_id"]


class TestDlk:
    def poem(self, surname, verse):
        return tei(
            f"<persName><surname>{surname}</surname><forename/></persName>", f"<lg><head>T</head><l>{verse}</l></lg>"
        )

    def test_characters_escaped_twice_are_left_to_normalisation_as_entities(self, tmp_path):
        assert text(tmp_path, "dlk_poems_de", "a.xml", self.poem("Saar", "d&amp;#228;mpft")) == "d&#228;mpft"

    @pytest.mark.parametrize("name", ["N.A.", "N. N."])
    def test_anthologies_name_nobody(self, tmp_path, name):
        files = {"a.xml": self.poem(name, "x"), "b.xml": self.poem("Saar", "y")}
        assert ingest(tmp_path, "dlk_poems_de", files)[1] == ["placeholder_author"]

    def test_a_foreign_poet_in_german_is_a_translation(self, tmp_path):
        files = {"a.xml": self.poem("La Fontaine", "x"), "b.xml": self.poem("Saar", "y")}
        assert ingest(tmp_path, "dlk_poems_de", files)[1] == ["translation"]

    @pytest.mark.parametrize("stanzas", [["a b", "c d"], ["a b"], ["a", "a", "b"]])
    def test_a_poem_that_stands_twice_is_read_once(self, tmp_path, stanzas):
        twice = "".join(f"<lg><l>{one}</l></lg>" for one in stanzas * 2)
        body = tei("<persName><surname>Saar</surname><forename/></persName>", f"<lg><head>T</head>{twice}</lg>")
        assert text(tmp_path, "dlk_poems_de", "a.xml", body).split("\n\n") == stanzas

    def test_a_refrain_at_both_ends_stays(self, tmp_path):
        verses = "".join(f"<lg><l>{one}</l></lg>" for one in ("ach", "weh", "ach"))
        body = tei("<persName><surname>Saar</surname><forename/></persName>", f"<lg><head>T</head>{verses}</lg>")
        assert text(tmp_path, "dlk_poems_de", "a.xml", body).split("\n\n") == ["ach", "weh", "ach"]


class TestVolumesAndCycles:
    def works(self, tmp_path, tag, headers):
        """The works of poems with these elements before and after the author's."""
        files = {
            f"{number}.xml": tei("Saar, Anna", f"<lg><l>{number}</l></lg>")
            .replace("<author>", f"{before}<author>")
            .replace("</fileDesc>", f"{after}</fileDesc>")
            for number, (before, after) in enumerate(headers)
        }
        records, _ = ingest(tmp_path, tag, files)
        return [record["origin_id"] for record in sorted(records, key=lambda record: record["content"])]

    def test_the_poems_of_a_printed_volume_are_a_work_and_a_year_is_none(self, tmp_path):
        named = ["urn:nbn:de:kobv:b4-25129-1", "urn:nbn:de:kobv:b4-25129-1", "urn:nbn:de:kobv:b4-1", "N.A.", "N.A."]
        year = "<publicationStmt><date type='publication'>1848</date></publicationStmt>"
        headers = [("", f"{year}<sourceDesc><p corresp='{volume}'/></sourceDesc>") for volume in named]
        first, second, *others = self.works(tmp_path, "dlk_poems_de", headers)
        assert first == second
        assert len({first, *others}) == 4

    def test_numbered_sonnets_of_a_title_are_a_work(self, tmp_path):
        titles = ["Motivos del mar – I", "Motivos del mar – VII", "Motivos del mar", "En la playa", "En la playa"]
        first, second, *others = self.works(
            tmp_path, "disco_sonnets_es", [(f"<title>{title}</title>", "") for title in titles]
        )
        assert first == second
        assert len({first, *others}) == 4


class TestAozora:
    def test_header_legend_and_colophon_go(self, tmp_path):
        assert aozora(tmp_path, "　本文です。\n　二行目。") == "本文です。\n　二行目。"

    def test_a_text_without_a_legend_loses_only_its_header(self, tmp_path):
        assert aozora(tmp_path, "　本文です。", header="題\n人名\n") == "本文です。"

    def test_ruby_marks_and_notes_go_with_notes_inside_notes(self, tmp_path):
        body = "｜倭彦《やまとひこ》が［＃「が」に傍点］来た［＃「［＃改丁］」は底本では「［」］。"
        assert aozora(tmp_path, body) == "倭彦が来た。"

    def test_a_character_outside_the_encoding_leaves_a_place_holder(self, tmp_path):
        assert aozora(tmp_path, "三※［＃「木＋皮」、第3水準1-85-58］《まき》の木") == "三〓の木"

    def test_repetition_marks_written_with_slashes_become_characters(self, tmp_path):
        assert aozora(tmp_path, "ヒラ／＼と、はな／″＼し") == "ヒラ〳〵と、はな〴〵し"

    def test_the_note_on_where_a_text_appeared_goes(self, tmp_path):
        assert aozora(tmp_path, "本文。\n［＃地から１字上げ］（昭和二十五年八月、「書物」）") == "本文。"

    @pytest.mark.parametrize(
        ("header", "reason"),
        [
            ("日本国憲法\n日本国\n\n", "corporate_body"),
            ("試作\n――副社長某氏抱負を語る――\n某々\n\n", "not_own_words"),
            ("旅行\n某々\n某々補\n\n", "not_own_words"),
        ],
    )
    def test_what_is_no_persons_own_wording_is_left_out(self, tmp_path, header, reason):
        own = ("題\n国会太郎\n\n" + LEGEND + "本文。" + COLOPHON).encode("cp932")
        files = {
            "000001/1_ruby_1.txt": (header + LEGEND + "本文。" + COLOPHON).encode("cp932"),
            "000002/2_ruby_2.txt": own,
        }
        records, reasons = ingest(tmp_path, "aozora_txt_ja", files)
        assert (len(records), reasons) == (1, [reason])

    @pytest.mark.parametrize("last", ["矢崎源九郎訳", "The Creative CAT 訳", "某共訳"])
    def test_a_translators_line_in_the_header_is_a_translation(self, tmp_path, last):
        foreign = f"題\nTITLE\n外人　Name\n{last}\n\n本文{COLOPHON}".encode("cp932")
        own = f"翻訳の苦心\n幸徳秋水\n\n本文{COLOPHON}".encode("cp932")
        records, reasons = ingest(tmp_path, "aozora_txt_ja", {"000019/1.txt": foreign, "000261/2.txt": own})
        assert (len(records), reasons) == (1, ["translation"])

    def test_a_translators_licence_ends_the_text(self, tmp_path):
        end = "\n\n［＃本文終わり］\n翻訳の底本：X\n※この翻訳は「クリエイティブ・コモンズ」によって公開されています。\n"
        assert text(tmp_path, "aozora_txt_ja", "000001/1.txt", f"題\n人\n\n本文{end}".encode("cp932")) == "本文"

    def test_copies_of_a_work_share_their_origin(self, tmp_path):
        files = {
            f"000064/{name}.txt": f"題\n人\n\n{body}".encode("cp932")
            for name, body in [("667_ruby", "a"), ("667_txt", "b")]
        }
        records, _ = ingest(tmp_path, "aozora_txt_ja", files)
        assert len({record["origin_id"] for record in records}) == 1
        assert len({record["doc_key"] for record in records}) == 2


class TestOpeniti:
    def test_half_verses_are_lines_without_numbers_metres_and_marks(self, tmp_path):
        body = (
            "# البحر : طويل 1\n# % صبوت وهل تصبو % % ورأسك أشيب % 2\n"
            "# % وفاتتك بالرهن % المرامق ms20 زينب % % PageV01P001\n"
            "~~11\n# % أفاطم قبل % بيتك متعيني % PageV01P002 البحر :\n~~وافر تام 1\n# % لعمرك إنني % وأبا رياح % % 3\n"
        )
        first, second = openiti(tmp_path, body).split("\n\n")
        assert [" ".join(line.split()) for line in first.split("\n")] == [
            "صبوت وهل تصبو",
            "ورأسك أشيب",
            "وفاتتك بالرهن",
            "المرامق زينب",
            "أفاطم قبل",
            "بيتك متعيني",
        ]
        assert second.split("\n") == ["لعمرك إنني", "وأبا رياح"]

    @pytest.mark.parametrize("between", [" %~% ", " ... "])
    def test_the_ways_of_writing_half_verses_come_out_alike(self, tmp_path, between):
        assert openiti(tmp_path, f"# 68 - أمن أم أوفى دمنة{between}بحومانة الدراج فالمتثلم\n") == (
            "أمن أم أوفى دمنة\nبحومانة الدراج فالمتثلم"
        )

    def test_continued_lines_are_joined_and_page_marks_leave_nothing(self, tmp_path):
        body = "# حدثنا سليمان بن سيف عن\n~~حبيب ms12 قال PageV00P000\n"
        found = openiti(tmp_path, body, "0301X.Fawaid.Shamela1-ara1")
        assert " ".join(found.split()) == "حدثنا سليمان بن سيف عن حبيب قال"

    def test_headings_lose_their_marks_and_numbers_of_traditions_go(self, tmp_path):
        body = "# حدثنا أحمد\n### | AUTO باب الصلاة\n### | CHECK 66 - \n# حدثنا زيد 5 - حدثنا عمر (1) . [ص: 92]\n"
        found = openiti(tmp_path, body, "0301X.Fawaid.Shamela1-ara1")
        assert [line for line in found.splitlines() if line] == ["حدثنا أحمد", "باب الصلاة", "حدثنا زيد", "حدثنا عمر ."]

    def test_notes_under_a_rule_end_at_the_page_mark(self, tmp_path):
        body = "# قال رسول (1)\n# __________\n# (1) اللعق : لحسه PageV01P003 4\n~~- حدثنا محمد\n"
        assert "اللعق" not in openiti(tmp_path, body, "0301X.Juz.JK1-ara1")
        assert "حدثنا محمد" in openiti(tmp_path, body, "0301X.Juz.JK1-ara1")

    def test_editors_parts_and_title_pages_go(self, tmp_path):
        body = (
            "# كتاب الفوائد\n# تصنيف فلان\n# بسم الله الرحمن الرحيم\n# أما بعد\n"
            "### |EDITOR|\n# مقدمة\n# تحقيق\n### | باب\n# قال\n"
        )
        assert openiti(tmp_path, body, "0301X.Fawaid.JK1-ara1.completed").split() == ["أما", "بعد", "باب", "قال"]

    def test_the_author_is_the_first_part_and_versions_of_a_work_share_their_origin(self, tmp_path):
        names = [
            "0001AwsIbnHajar.Rasail.JK1-ara1",
            "0001AwsIbnHajar.Rasail.Sham2-ara2.mARkdown",
            "0001AwsIbnHajar.Diwan.JK3-ara1",
        ]
        files = {name: META + f"# {n} قال" for n, name in enumerate(names)}
        files["0001AwsIbnHajar.Diwan.JK1-ara1.yml"] = "00#VERS#URI"
        records, reasons = ingest(tmp_path, "openiti_ar", files)
        assert {record["author_id"] for record in records} == {id_of_name("0001AwsIbnHajar", "ar")}
        assert len({record["origin_id"] for record in records}) == 2
        assert sorted(record["genre"] for record in records) == ["literature", "literature", "poetry"]
        assert reasons == ["no_text"]

    def test_each_poem_of_a_diwan_is_a_work_and_one_work_in_all_versions(self, tmp_path):
        first, second = "صبوت وهل تصبو ورأسك أشيب", "حلت تماضر بعدنا رببا"
        one = (
            f"# البحر : طويل 1\n# % {first} % وفاتتك % 2\nPageV01P002\n~~البحر : كامل تام 1\n# % {second} % فالغمر %\n"
        )
        other = f"البحر : طويل ( {first}  %~%  وفاتتك\n\n# البحر : كامل تام\n# {second}  %~%  فالغمر\n"
        names = ["0001AwsIbnHajar.Diwan.JK1-ara1", "0001AwsIbnHajar.Diwan.Sham2-ara1"]
        records, reasons = ingest(tmp_path, "openiti_ar", dict(zip(names, (META + one, META + other), strict=True)))
        assert reasons == []
        origins = {
            record["origin_id"]: [
                kept["content"].split()[0] for kept in records if kept["origin_id"] == record["origin_id"]
            ]
            for record in records
        }
        assert sorted(origins.values()) == [["حلت", "حلت"], ["صبوت", "صبوت"]]

    def test_the_editors_page_before_a_diwans_poems_goes(self, tmp_path):
        body = '### | AUTO الشعر\nPageV01P015\n### || (1)\n# "من الرجز"\n# 1 - أنا أبو سعد %~% دخلت في سرباله\n'
        records, reasons = ingest(tmp_path, "openiti_ar", {"0060Suwayd.Diwan.Sham1-ara1": META + body})
        assert [record["content"] for record in records] == ["أنا أبو سعد\nدخلت في سرباله"]
        assert reasons == ["editors_text"]

    def test_a_collection_is_a_work_and_its_compilers_own_prose_is_not(self, tmp_path):
        names = ["0303Nasai.MinHadith.JK1-ara1", "0303Nasai.Fawaid.JK2-ara1", "0303Nasai.Risala.JK3-ara1"]
        files = {name: META + f"# حدثنا {n} قال" for n, name in enumerate(names)}
        records, _ = ingest(tmp_path, "openiti_ar", files)
        own = [record for record in records if record["author_id"] == id_of_name("0303Nasai", "ar")]
        assert [record["author_kind"] for record in own] == ["person"]
        works = [record for record in records if record["author_kind"] == "work"]
        assert len({record["author_id"] for record in works}) == len(works) == 2

    def test_chains_of_transmitters_are_marks_of_other_voices(self, tmp_path):
        chain = "# حدثنا محمد بن سيف عن حبيب عن أبي زيد\n"
        names = ["0301A.Kitab.JK1-ara1", "0301B.Kitab.JK2-ara1"]
        bodies = (META + chain, META + "# " + "كلام في البيان والسوق " * 60)
        records, _ = ingest(tmp_path, "openiti_ar", dict(zip(names, bodies, strict=True)))
        assert [record["voice_marks"] > 10 for record in sorted(records, key=lambda one: len(one["content"]))] == [
            True,
            False,
        ]


class TestRuslit:
    def test_author_and_title_above_a_poem_go_but_not_its_first_verse(self, tmp_path):
        assert ruslit(tmp_path, "Александр Пушкин\nК МОРЮ\nПрощай,\nстихия!") == "Прощай,\nстихия!"
        same = ruslit(tmp_path, "Александр Пушкин\n* * *\nПрощай,\nстихия!", "poems/Pushkin/Прощай.txt")
        assert same == "Прощай,\nстихия!"

    def test_author_and_title_in_one_line_go(self, tmp_path):
        body = "Валерий Брюсов. В башне\n\n  \n Нет сомнения, что снилось.\n"
        assert ruslit(tmp_path, body, "prose/Bryusov/В башне.txt") == "Нет сомнения, что снилось."

    @pytest.mark.parametrize(
        ("name", "reason"),
        [("poems/Lermontov/Из Гёте.txt", "translation"), ("prose/Tolstoy/Круг чтения.txt", "compilation")],
    )
    def test_others_words_under_a_classics_name_are_left_out(self, tmp_path, name, reason):
        files = {name: "раз", "poems/Lermontov/Из-под таинственной полумаски.txt": "два"}
        records, reasons = ingest(tmp_path, "ruslit_txt", files)
        assert ([record["content"] for record in records], reasons) == (["два"], [reason])

    def test_signatures_and_dates_at_the_end_go(self, tmp_path):
        body = "Милостивый государь!\nПрощайте.\nЛев Толстой\nЯсная Поляна, 30 января 1909 г.\n"
        assert ruslit(tmp_path, body, "publicism/Tolstoy/Письмо.txt") == "Милостивый государь!\nПрощайте."

    def test_a_word_like_the_authors_name_is_no_name(self, tmp_path):
        body = "Максим Горький\nОн горько плакал.\nИ горький дым."
        assert ruslit(tmp_path, body, "prose/Gorky/Дым.txt") == "Он горько плакал.\nИ горький дым."

    def test_prose_set_in_narrow_lines_is_joined_and_verses_are_not(self, tmp_path):
        wrapped = "\n       Нет сомнения, что все это мне снилось, снилось сегодня  ночью.\n"
        wrapped += "  Но все события стоят вне связи.\n"
        assert "ночью. Но все" in ruslit(tmp_path, "Сон\n" + wrapped, "prose/Bryusov/Сон.txt")
        assert ruslit(tmp_path, "  Я ломаю слоистые скалы\n  В час отлива") == "Я ломаю слоистые скалы\n  В час отлива"

    def test_genres_follow_the_folders_and_essays_count_as_literature(self, tmp_path):
        files = {"poems/Blok/a.txt": "а", "prose/Blok/b.txt": "б", "publicism/Blok/c.txt": "в"}
        records, _ = ingest(tmp_path, "ruslit_txt", files)
        assert sorted(record["genre"] for record in records) == ["literature", "literature", "poetry"]


class TestStihi:
    def test_a_file_is_as_many_poems_as_runs_of_blank_lines_part_and_the_account_is_hidden(self, tmp_path):
        records, _ = ingest(tmp_path, "stihi_users_ru", {"0vale0.txt": "\nраз\n\nдва\n\n\n\nтри\n09.03.2011г.\n\n\n\n"})
        assert sorted(record["content"] for record in records) == ["раз\n\nдва", "три"]
        assert {record["author_id"] for record in records} == {author_id("stihi.ru", "0vale0")}
        assert "vale" not in "".join(record["doc_key"] + record["origin_id"] for record in records)


class TestHindiNovels:
    def test_chapters_share_their_book_and_lose_repeated_names(self, tmp_path):
        body = "\ufeff\nदेस बिराना\nसूरज प्रकाश\nतो अब घर हो गया।\n--\n"
        files = {f"उपन्यास/सूरज प्रकाश/देस बिराना/देस बिराना_अध्याय  {n} .txt": body + str(n) for n in (1, 2)}
        records, _ = ingest(tmp_path, "hindi_novels_txt", files)
        assert {record["content"] for record in records} == {"तो अब घर हो गया।\n--\n1", "तो अब घर हो गया।\n--\n2"}
        assert len({record["origin_id"] for record in records}) == 1

    def test_the_second_folder_is_the_author_at_any_depth(self, tmp_path):
        names = ["उपन्यास/सूरज प्रकाश/देस बिराना .txt", "उपन्यास/सूरज प्रकाश/ब/span/ग.txt"]
        records, _ = ingest(tmp_path, "hindi_novels_txt", dict.fromkeys(names, "एक दिन"))
        assert {record["author_id"] for record in records} == {id_of_name("सूरज प्रकाश", "hi")}
        assert len({record["origin_id"] for record in records}) == 2

    def test_a_foreign_writer_in_hindi_is_a_translation(self, tmp_path):
        names = ["उपन्यास/जॉर्ज ऑर्वेल/एनिमल फार्म .txt", "उपन्यास/सूरज प्रकाश/देस बिराना .txt"]
        records, reasons = ingest(tmp_path, "hindi_novels_txt", dict.fromkeys(names, "एक दिन"))
        assert (len(records), reasons) == (1, ["translation"])


class TestBlogs:
    def blog(self, post):
        return f"<Blog>\n<date>01,May,2004</date>\n<post>\n{post}\n</post>\n</Blog>"

    def test_the_file_name_gives_author_and_genre_and_no_more(self, tmp_path):
        files = {"1000.male.20.Student.Leo.xml": self.blog("a"), "1001.female.33.Maritime.Leo.xml": self.blog("b")}
        records, _ = ingest(tmp_path, "blog_authorship_xml", files)
        assert {record["genre"] for record in records} == {"blog"}
        assert sorted(record["author_group"] for record in records) == ["other", "student"]
        assert {record["labels"] for record in records} == {"{}"}

    def test_both_forms_of_the_corpus_know_the_same_authors(self, tmp_path):
        (record,), _ = ingest(tmp_path, "blog_authorship_xml", {"1000.male.20.Arts.Leo.xml": self.blog("a")})
        assert record["author_id"] == author_id("blog_authorship", "1000")

    def test_empty_posts_are_counted(self, tmp_path):
        files = {"1000.male.20.Arts.Leo.xml": self.blog(""), "2000.male.20.Arts.Leo.xml": self.blog("x")}
        assert ingest(tmp_path, "blog_authorship_xml", files)[1] == ["empty_text"]

    def test_what_is_left_of_links_and_style_sheets_goes(self, tmp_path):
        post = 'See urlLink The Streets. p.MsoNormal, h1 {mso-style-parent:"";\n font-size:12.0pt;} {bang} fine'
        found = text(tmp_path, "blog_authorship_xml", "1000.male.20.Arts.Leo.xml", self.blog(post))
        assert found == "See The Streets.  {bang} fine"

    def test_the_zip_is_read_as_it_is_and_a_macs_hidden_members_are_no_blogs(self, tmp_path):
        archive = tmp_path / "made.zip"
        with zipfile.ZipFile(archive, "w") as whole:
            whole.writestr("blogs/1000.male.20.Arts.Leo.xml", self.blog("a"))
            whole.writestr("__MACOSX/blogs/._1000.male.20.Arts.Leo.xml", b"\x00\x05\x16\x07")
        records, reasons = ingest(tmp_path, "blog_authorship", {"data/blogs.zip": archive.read_bytes()})
        assert ([record["content"] for record in records], reasons) == (["a"], [])
