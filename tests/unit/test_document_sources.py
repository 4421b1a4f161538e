"""What the YAMLs of the document-shaped corpora promise, on small files written like theirs."""

import hashlib
import zipfile
from pathlib import Path

import polars as pl
from cases import cases, read_cases
from defaults import section

from authbench.build.ingest.persons import canonical_name, keys_of
from authbench.build.ingest.source import ingest_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_extraction
from authbench.core.identity import author_id
from authbench.core.storage.raw_paths import match_files

SOURCES = Path(__file__).parents[2] / "config" / "sources"
SHARED = read_cases(Path(__file__))["SHARED"]


def ingest(tmp_path, tag, files):
    """The records of files, with what they share in place of its name, and the reasons of what was left out."""
    folder = tmp_path / tag
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for part, shared in SHARED.items() if isinstance(content, str) else ():
            content = content.replace(part, shared)
        encoding = "cp932" if tag == "aozora_txt_ja" else "utf-8"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
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


def tei(author, body="<p>x</p>"):
    header = f"<fileDesc><titleStmt><author>{author}</author></titleStmt></fileDesc>"
    return f"<TEI xml:lang='fr'><teiHeader>{header}</teiHeader><text><body>{body}</body></text></TEI>"


@cases
def test_a_text_is_what_its_author_wrote(tmp_path, tag, name, content, text):
    (record,), _ = ingest(tmp_path, tag, {name: content})
    assert record["content"] == text


@cases
def test_what_is_nobodys_own_text_is_left_out_with_its_reason_and_the_rest_stays(tmp_path, tag, files, kept, reason):
    records, reasons = ingest(tmp_path, tag, files)
    assert ([record["content"] for record in records], reasons) == ([kept], [reason])


@cases
def test_files_become_records_that_share_what_they_should(tmp_path, tag, files, expected):
    records, _ = ingest(tmp_path, tag, files)
    assert len({record["doc_key"] for record in records}) == len(records)
    for name, value in expected.items():
        if name == "works":
            assert len({record["origin_id"] for record in records}) == value
        elif name in ("author", "person"):
            ident = author_id(*value) if name == "author" else id_of_name(*value)
            assert {record["author_id"] for record in records} == {ident}
        elif name == "hidden":
            assert not any(value in record["doc_key"] + record["origin_id"] for record in records)
        else:
            assert sorted(record[name] for record in records) == value


@cases
def test_all_forms_of_a_name_are_one_author(tmp_path, author):
    (record,), _ = ingest(tmp_path, "eltec_tei", {"fra/FRA00101_Adam.xml": tei(author)})
    assert record["author_id"] == id_of_name("Juliette Adam", "fr")


def test_the_language_is_the_documents_or_else_the_folders(tmp_path):
    files = {"fra/A.xml": tei("Adam, J"), "deu/B.xml": tei("Beck, K").replace(" xml:lang='fr'", "")}
    records, _ = ingest(tmp_path, "eltec_tei", files)
    assert {record["lang"] for record in records} == {"fr", "de"}


def test_no_file_name_reaches_a_key(tmp_path):
    (record,), _ = ingest(tmp_path, "eltec_tei", {"fra/FRA00101_Adam.xml": tei("Adam, J")})
    assert "Adam" not in record["doc_key"] + record["origin_id"]


def works(tmp_path, tag, headers):
    """The works of poems with these elements before and after the author's."""
    files = {
        f"{number}.xml": tei("Saar, Anna", f"<lg><l>{number}</l></lg>")
        .replace("<author>", f"{before}<author>")
        .replace("</fileDesc>", f"{after}</fileDesc>")
        for number, (before, after) in enumerate(headers)
    }
    records, _ = ingest(tmp_path, tag, files)
    return [record["origin_id"] for record in sorted(records, key=lambda record: record["content"])]


def test_the_poems_of_a_printed_volume_are_a_work_and_a_year_is_none(tmp_path):
    named = ["urn:nbn:de:kobv:b4-25129-1", "urn:nbn:de:kobv:b4-25129-1", "urn:nbn:de:kobv:b4-1", "N.A.", "N.A."]
    year = "<publicationStmt><date type='publication'>1848</date></publicationStmt>"
    headers = [("", f"{year}<sourceDesc><p corresp='{volume}'/></sourceDesc>") for volume in named]
    first, second, *others = works(tmp_path, "dlk_poems_de", headers)
    assert first == second
    assert len({first, *others}) == 4


def test_numbered_sonnets_of_a_title_are_a_work(tmp_path):
    titles = ["Motivos del mar – I", "Motivos del mar – VII", "Motivos del mar", "En la playa", "En la playa"]
    first, second, *others = works(tmp_path, "disco_sonnets_es", [(f"<title>{title}</title>", "") for title in titles])
    assert first == second
    assert len({first, *others}) == 4


def test_the_author_is_the_first_part_and_versions_of_a_work_share_their_origin(tmp_path):
    names = [
        "0001AwsIbnHajar.Rasail.JK1-ara1",
        "0001AwsIbnHajar.Rasail.Sham2-ara2.mARkdown",
        "0001AwsIbnHajar.Diwan.JK3-ara1",
    ]
    files = {name: f"<meta># {n} قال" for n, name in enumerate(names)}
    files["0001AwsIbnHajar.Diwan.JK1-ara1.yml"] = "00#VERS#URI"
    records, reasons = ingest(tmp_path, "openiti_ar", files)
    assert {record["author_id"] for record in records} == {id_of_name("0001AwsIbnHajar", "ar")}
    assert len({record["origin_id"] for record in records}) == 2
    assert sorted(record["genre"] for record in records) == ["literature", "literature", "poetry"]
    assert reasons == ["no_text"]


def test_each_poem_of_a_diwan_is_a_work_and_one_work_in_all_versions(tmp_path):
    first, second = "صبوت وهل تصبو ورأسك أشيب", "حلت تماضر بعدنا رببا"
    one = f"# البحر : طويل 1\n# % {first} % وفاتتك % 2\nPageV01P002\n~~البحر : كامل تام 1\n# % {second} % فالغمر %\n"
    other = f"البحر : طويل ( {first}  %~%  وفاتتك\n\n# البحر : كامل تام\n# {second}  %~%  فالغمر\n"
    names = ["0001AwsIbnHajar.Diwan.JK1-ara1", "0001AwsIbnHajar.Diwan.Sham2-ara1"]
    records, reasons = ingest(tmp_path, "openiti_ar", dict(zip(names, (f"<meta>{one}", f"<meta>{other}"), strict=True)))
    assert reasons == []
    origins = {
        record["origin_id"]: [
            kept["content"].split()[0] for kept in records if kept["origin_id"] == record["origin_id"]
        ]
        for record in records
    }
    assert sorted(origins.values()) == [["حلت", "حلت"], ["صبوت", "صبوت"]]


def test_a_collection_is_a_work_and_its_compilers_own_prose_is_not(tmp_path):
    names = ["0303Nasai.MinHadith.JK1-ara1", "0303Nasai.Fawaid.JK2-ara1", "0303Nasai.Risala.JK3-ara1"]
    files = {name: f"<meta># حدثنا {n} قال" for n, name in enumerate(names)}
    records, _ = ingest(tmp_path, "openiti_ar", files)
    own = [record for record in records if record["author_id"] == id_of_name("0303Nasai", "ar")]
    assert [record["author_kind"] for record in own] == ["person"]
    works = [record for record in records if record["author_kind"] == "work"]
    assert len({record["author_id"] for record in works}) == len(works) == 2


def test_chains_of_transmitters_are_marks_of_other_voices(tmp_path):
    chain = "# حدثنا محمد بن سيف عن حبيب عن أبي زيد\n"
    names = ["0301A.Kitab.JK1-ara1", "0301B.Kitab.JK2-ara1"]
    bodies = (f"<meta>{chain}", "<meta># " + "كلام في البيان والسوق " * 60)
    records, _ = ingest(tmp_path, "openiti_ar", dict(zip(names, bodies, strict=True)))
    marks = [record["voice_marks"] > 10 for record in sorted(records, key=lambda one: len(one["content"]))]
    assert marks == [True, False]


def blog(post):
    return f"<Blog>\n<date>01,May,2004</date>\n<post>\n{post}\n</post>\n</Blog>"


def test_the_zip_is_read_as_it_is_and_a_macs_hidden_members_are_no_blogs(tmp_path):
    archive = tmp_path / "made.zip"
    with zipfile.ZipFile(archive, "w") as whole:
        whole.writestr("blogs/1000.male.20.Arts.Leo.xml", blog("a"))
        whole.writestr("__MACOSX/blogs/._1000.male.20.Arts.Leo.xml", b"\x00\x05\x16\x07")
    records, reasons = ingest(tmp_path, "blog_authorship", {"data/blogs.zip": archive.read_bytes()})
    assert ([record["content"] for record in records], reasons) == (["a"], [])
