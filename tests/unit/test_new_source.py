"""From files that somebody holds to an entry and a recipe that a build accepts; no author is named on the way."""

import csv
import gzip
import io
import json
import os
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from cases import cases, read_cases
from extras import needs
from workbooks import workbook

from authbench.app.cli import main
from authbench.app.config import prepare
from authbench.app.preflight.at_start import expect_usable
from authbench.build.drafting.sample import MOST_BYTES, MOST_RECORDS, read_sample
from authbench.build.drafting.write import recipe_path
from authbench.config.registry.sources import find_sources
from authbench.core.errors import InputError
from authbench.release.reading.xml_records import OF_TEI

AUTHORS = [f"{first} Quimby{last}" for first in ("Ada", "Zoë") for last in "abcdef"]
WORDS = "the rain fell on fields and we walked home along a road with our dog".split()  # noqa: SIM905


def letters():
    """Four letters of each author, in two sections, whose fields have names that no list has."""
    return [
        {
            "nr": str(4 * number + text),
            "writer": author,
            "when": f"{13 + text}.0{1 + number % 9}.2024",
            "section": ("traffic", "weather")[text % 2],
            "letter": f"{' '.join(WORDS[(number + text + place) % len(WORDS)] for place in range(60))}. "
            f"It is the café of {number} and {text}.",
        }
        for number, author in enumerate(AUTHORS)
        for text in range(4)
    ]


def as_csv(rows, delimiter=","):
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def in_cp1252(folder):
    (folder / "letters.csv").write_text(as_csv(letters(), ";"), encoding="cp1252", newline="")
    return ["letters.csv"]


def json_lines(folder):
    rows = [{"from": row["writer"], "body": row["letter"], "meta": {"sent": f"2024-02-{10 + n % 9}T08:00:00Z"}}
            for n, row in enumerate(letters())]  # fmt: skip
    (folder / "letters.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return ["letters.jsonl"]


def author_folders(folder):
    for row in letters():
        file = folder / "letters" / row["writer"].replace(" ", "_") / f"{row['nr']}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(row["letter"], encoding="utf-8")
    return ["letters"]


def author_title(folder):
    (folder / "letters").mkdir()
    for row in letters():
        (folder / f"letters/{row['writer']}_{row['nr']}.txt").write_text(row["letter"], encoding="utf-8")
    return ["letters"]


def in_parquet(folder):
    rows = [{"author_id": n // 4, "text": row["letter"], "language": "English", "genre": "news", "id": n}
            for n, row in enumerate(letters())]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), folder / "letters.parquet")
    return ["letters.parquet"]


def zipped(folder):
    with zipfile.ZipFile(folder / "letters.zip", "w") as archive:
        archive.writestr("inside/all.csv", as_csv(letters()))
    return ["letters.zip"]


def in_two_gzips(folder):
    (folder / "letters").mkdir()
    for part in range(2):
        (folder / f"letters/{part}.tsv.gz").write_bytes(gzip.compress(as_csv(letters()[part::2], "\t").encode()))
    (folder / "letters/readme.md").write_text("About.", encoding="utf-8")
    return ["letters"]


def exported(app):
    """Messages in the words of an app: the letters, one message by the app itself, and one that is not the sender's."""
    telegram = app == "telegram"
    made = []
    for n, row in enumerate(letters()):
        if telegram:
            text = row["letter"] if n % 2 else ["It ", {"type": "bold", "text": row["letter"]}]
            by = {"from": row["writer"], "from_id": f"user{n // 4}", "text": text}
        else:
            by = {"author": {"id": str(n // 4), "name": row["writer"], "isBot": False}, "content": row["letter"]}
        kind = "message" if telegram else ("Default", "Reply")[n % 2]
        made.append({"id": n, "type": kind, "date": f"2024-02-{10 + n % 9}T08:00:00", **by})
    of_app = {**made[0], "id": 90, "type": "service" if telegram else "GuildMemberJoin"}
    other = {"forwarded_from": "Quimby"} if telegram else {"author": {"id": "9", "name": "Quimbybot", "isBot": True}}
    made += [of_app, {**made[0], "id": 91, **other}]
    return made if telegram else [{**one, "timestamp": one["date"]} for one in made]


def telegram_chat(folder):
    chat = {"name": "Quimbys", "type": "private_group", "id": 7, "messages": exported("telegram")}
    (folder / "letters.json").write_text(json.dumps(chat), encoding="utf-8")
    return ["letters.json", "--name", "letters"]


def telegram_chats(folder):
    made = exported("telegram")
    chats = [{"name": "Quimbya", "type": "personal_chat", "id": n, "messages": made[n::2]} for n in range(2)]
    whole = {"personal_information": {"id": 1}, "contacts": {"list": [{"id": 2}]}, "chats": {"list": chats}}
    (folder / "letters.json").write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return ["letters.json", "--name", "letters"]


def discord_channel(folder):
    channel = {"guild": {"id": "1"}, "channel": {"id": "2", "name": "x"}, "messages": exported("discord")}
    (folder / "letters.json").write_text(json.dumps(channel), encoding="utf-8")
    return ["letters.json", "--name", "letters"]


def whatsapp_text(folder):
    lines = [f"{13 + n % 9}/02/24, 10:00 - {row['writer']}: {row['letter']}\nYours" for n, row in enumerate(letters())]
    of_app = ["12/02/24, 09:00 - Messages are end-to-end encrypted.", *lines, "22/02/24, 10:00 - Ada: <Media omitted>"]
    (folder / "letters.txt").write_text("\n".join(of_app), encoding="utf-8")
    return ["letters.txt", "--name", "letters"]


def whatsapp_zip(folder):
    lines = [f"[2/{13 + n % 9}/24, 1:00:00\u202fPM] ~\u202f{row['writer']}: {row['letter']}"
             for n, row in enumerate(letters())]  # fmt: skip
    of_app = ["[2/12/24, 1:00:00\u202fAM] Ada: \u200eMessages are encrypted.", *lines,
              "\u200e[2/22/24, 1:00:00\u202fPM] Ada: \u200eimage omitted"]  # fmt: skip
    with zipfile.ZipFile(folder / "letters.zip", "w") as archive:
        archive.writestr("_chat.txt", "\r\n".join(of_app))
        archive.writestr("1-PHOTO.jpg", b"\xff")
    return ["letters.zip", "--name", "letters"]


TEI = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><author>{writer}</author></titleStmt>"
    "</fileDesc></teiHeader><text><body><p>{letter}</p></body></text></TEI>"
)


def tei_files(folder):
    (folder / "letters").mkdir()
    for row in letters():
        (folder / f"letters/{row['nr']}.xml").write_text(TEI.format(**row), encoding="utf-8")
    return ["letters"]


def tei_corpus(folder):
    inner = "".join(TEI.format(**row) for row in letters())
    (folder / "letters.tei").write_text(f"<teiCorpus><teiHeader/>{inner}</teiCorpus>".replace(
        "<teiCorpus>", "<teiCorpus xmlns='http://www.tei-c.org/ns/1.0'>"), encoding="utf-8")  # fmt: skip
    return ["letters.tei"]


def xml_of_letters(folder):
    one = "<letter nr='{nr}' section='{section}'><by>{writer}</by><body><p>{letter}</p><p>Yours</p></body></letter>"
    inner = "".join(one.format(**row) for row in letters())
    (folder / "letters.xml").write_text(f"<all at='Bonn'><info/><letters>{inner}</letters></all>", encoding="utf-8")
    return ["letters.xml", "--column", "author=by"]


def xml_files(folder):
    (folder / "letters").mkdir()
    for n, row in enumerate(letters()):
        more = f" section='{row['section']}'" if n % 2 else ""
        text = f"<letter author='{row['writer']}'{more}><p>{row['letter']}</p><p>Yours</p></letter>"
        (folder / f"letters/{n}.xml").write_text(text, encoding="utf-8")
    return ["letters"]


def xml_of_rows(folder):
    rows = [f"  <row Id='{row['nr']}' Author='{row['writer']}' Body='{row['letter']}' />\n" for row in letters()]
    (folder / "letters.xml").write_text(f"<posts>\n{''.join(rows)}</posts>\n", encoding="utf-8")
    return ["letters.xml"]


def zip_of_tables(folder):
    with zipfile.ZipFile(folder / "letters.zip", "w") as archive:
        for part in range(2):
            archive.writestr(f"in/{part}.csv", as_csv(letters()[part::2]))
        archive.writestr("in/readme.txt", "About.")
    return ["letters.zip"]


def zip_of_texts(folder):
    with zipfile.ZipFile(folder / "letters.zip", "w") as archive:
        for row in letters():
            archive.writestr(f"letters/{row['writer']}/{row['nr']}.txt", row["letter"])
    return ["letters.zip"]


def in_workbook(folder):
    rows = [list(row.values()) for row in letters()]
    head = list(letters()[0])
    (folder / "letters.xlsx").write_bytes(workbook([head, *rows[:20]], [head, *rows[20:]], []))
    return ["letters.xlsx"]


FORMS = [
    in_cp1252, json_lines, author_folders, author_title, in_parquet, zipped, telegram_chat, telegram_chats,
    discord_channel, whatsapp_text, whatsapp_zip, tei_files, tei_corpus, xml_of_letters, xml_files, xml_of_rows,
    zip_of_tables, zip_of_texts, in_two_gzips, pytest.param(in_workbook, marks=needs("fastexcel", "sheets")),
]  # fmt: skip
ENTRIES = read_cases(Path(__file__))["ENTRIES"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*words):
    return main(["new", "source", *words])


def recipe():
    found = yaml.safe_load(Path("letters.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def left():
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


@pytest.mark.parametrize("write", FORMS)
def test_files_become_an_entry_and_a_recipe_that_a_build_accepts(write, here, capsys):
    expected = {"kind": "person", "dropped": {}} | ENTRIES[write.__name__]
    expected["reader"] = expected["reader"] | ({"header": OF_TEI} if expected["reader"]["format"] == "tei" else {})
    assert new(*write(here), "--yes") == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].endswith("authbench build --configfile letters.yaml") and said.err == ""
    written = [Path(name).read_text(encoding="utf-8") for name in ("letters.yaml", "config/sources/letters.yaml")]
    assert "Quimby" not in said.out + "".join(written)
    entry = yaml.safe_load(written[1])
    assert {key: entry[key] for key in ("files", "reader", "fields")} == {
        key: expected[key] for key in ("files", "reader", "fields")
    }
    assert entry["author"]["kind"] == expected["kind"]
    setup = prepare(recipe(), here)
    assert expect_usable(setup, here / "resources/raw", here / "preflight.json", for_release=True) == []
    found = json.loads((here / "preflight.json").read_text())["letters"]["found"]
    records = 48 + sum(expected["dropped"].values())
    kept = found["records"], found["kept"], found["whole"], found["dropped"]
    assert kept == (records, 48, True, expected["dropped"])
    assert len(found["authors"]) == len(AUTHORS) and not any(lost for _, lost, _ in found["losses"].values())


def test_what_the_corpus_cannot_give_is_said_before_the_build(here, capsys):
    rows = [{**row, "writer": AUTHORS[0]} for row in letters()]
    (here / "letters.csv").write_text(as_csv(rows), encoding="utf-8")
    assert main(["build", "letters.csv"]) == 2 and not recipe_path("letters").exists()
    assert new("letters.csv", "--yes", "--column", "topic=section") == 0
    told = capsys.readouterr()
    assert all("authors with two different texts or more: 1" in one for one in (told.err, told.out))
    with pytest.raises(InputError, match="3 splits need an author each, and the texts have 1: of 48 texts"):
        expect_usable(prepare(recipe(), here), here / "resources/raw", here / "preflight.json", for_release=True)


def test_the_files_are_links_below_the_folder_of_the_source(here):
    author_folders(here)
    before = left()
    assert new("letters", "--yes") == 0
    below = {path.removeprefix("letters/") for path in before}
    placed = {name: here / "resources/raw/letters" / name for name in below}
    assert all(file.is_symlink() and file.resolve() == here / "letters" / name for name, file in placed.items())
    assert {*before, *(f"resources/raw/letters/{name}" for name in below), *NEW} == set(left())


NEW = ("config/sources/letters.yaml", "letters.yaml")


@pytest.mark.parametrize(
    ("write", "name"), [(whatsapp_text, "Chat with J. Quimby.txt"), (whatsapp_zip, "A Quimby.zip")]
)
def test_no_name_of_a_file_says_who_takes_part_in_a_chat(write, name, here):
    made = here / write(here)[0]
    made.rename(here / name)
    assert new(name, "--yes") == 0
    assert {path.name for path in (here / "resources/raw/whatsapp").iterdir()} == {f"1{made.suffix}"}
    assert not any("Quimby" in path for path in left() if path != name)


def test_folders_of_authors_may_be_given_one_by_one(here):
    author_folders(here)
    assert new(*sorted(map(str, Path("letters").iterdir())), "--yes") == 0
    (source,) = find_sources(["letters"]).values()
    assert source.entry["path_fields"] and len(list((here / "resources/raw/letters").glob("*/*.txt"))) == 48


def test_two_files_of_one_name_are_refused(here, capsys):
    for folder in ("a", "b"):
        (here / folder).mkdir()
        in_cp1252(here / folder)
    assert new("a/letters.csv", "b/letters.csv", "--name", "letters", "--yes") == 2
    assert "letters.csv" in capsys.readouterr().err and not Path("config").exists()


def test_files_that_lie_where_a_build_expects_them_stay(here):
    (here / "resources/raw").mkdir(parents=True)
    author_title(here / "resources/raw")
    before = left()
    assert new("resources/raw/letters", "--yes") == 0
    assert set(left()) == {*before, *NEW} and not any(path.is_symlink() for path in here.rglob("*"))


def test_a_field_that_is_not_used_is_named(here, capsys):
    Path("notes.csv").write_text(as_csv([{**row, "mood": "calm"} for row in letters()]), encoding="utf-8")
    told = []
    for more in ([], ["--column", "topic=mood"]):
        assert main(["new", "source", "notes.csv", "--dry-run", *more]) == 0
        told.append("Not used: mood" in capsys.readouterr().out)
    assert told == [True, False] and not Path("notes.yaml").exists()


def test_a_dry_run_prints_both_files_and_writes_nothing(here, capsys):
    in_cp1252(here)
    assert new("letters.csv", "--dry-run") == 0
    printed = capsys.readouterr().out
    _, entry, made = printed.split("\n--- ")
    assert yaml.safe_load(entry.partition("\n")[2])["fields"] == ENTRIES["in_cp1252"]["fields"]
    assert yaml.safe_load(made.partition("\n")[2]) == {
        "name": "letters", "sources": ["letters"], "ingest": {"genres": ["letters"]},
    }  # fmt: skip
    assert left() == ["letters.csv"]


@pytest.mark.parametrize("taken", [*NEW, "resources/raw/letters/other.csv"])
def test_no_file_is_overwritten(taken, here, capsys):
    in_cp1252(here)
    (here / taken).parent.mkdir(parents=True, exist_ok=True)
    (here / taken).write_text("mine", encoding="utf-8")
    before = left()
    assert new("letters.csv", "--yes") == 2
    assert "--name" in capsys.readouterr().err
    assert left() == before and (here / taken).read_text(encoding="utf-8") == "mine"
    assert new("letters.csv", "--yes", "--name", "others") == 0
    assert list(find_sources(["others"])) == ["others"]


def test_a_name_of_a_known_source_is_refused(here, capsys):
    in_cp1252(here)
    for name in ("arxiv", "../up", "a b", "embeddings", "é"):
        assert new("letters.csv", "--yes", "--name", name) == 2
        assert "--name" in capsys.readouterr().err
    assert left() == ["letters.csv"]


def no_author(rows):
    return [{"by": row["writer"], "letter": row["letter"]} for row in rows]


def no_text(rows):
    return [{"writer": row["writer"], "one": row["letter"], "two": row["letter"]} for row in rows]


@pytest.mark.parametrize(
    ("change", "given", "option"),
    [
        (no_author, ["--yes"], "--column author="),
        (no_text, ["--yes"], "--column text="),
        (list, [], "--yes"),
    ],
)
def test_without_a_terminal_what_cannot_be_told_ends_the_command_with_the_option(change, given, option, here, capsys):
    (here / "letters.csv").write_text(as_csv(change(letters())), encoding="utf-8")
    assert new("letters.csv", *given) == 2
    said = capsys.readouterr()
    assert option in said.err and "Quimby" not in said.out + said.err
    assert left() == ["letters.csv"]


@pytest.mark.parametrize(("answers", "status"), [(["nobody", "by", ""], 0), (["by", "n"], 2), (["a", "b", "c"], 2)])
def test_at_a_terminal_it_is_asked(answers, status, here, monkeypatch):
    (here / "letters.csv").write_text(as_csv(no_author(letters())), encoding="utf-8")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    waiting = iter(answers)
    monkeypatch.setattr("builtins.input", lambda _: next(waiting))
    assert new("letters.csv") == status
    assert not list(waiting)
    if status:
        assert left() == ["letters.csv"]
    else:
        (source,) = find_sources(["letters"]).values()
        assert source.extraction.fields.author == "by"


def test_no_more_records_are_read_than_said(here, capsys):
    rows = [{"author": f"w{n % 50}", "text": "it rains " * 9, "id": str(n)} for n in range(3 * MOST_RECORDS)]
    (here / "letters.csv").write_text(as_csv(rows) + '"never closed', encoding="utf-8")
    assert new("letters.csv", "--dry-run") == 0
    assert f"the first {MOST_RECORDS:,} records of 1 file" in capsys.readouterr().out


def test_no_more_bytes_are_read_than_said(here, capsys):
    (here / "letters.csv").write_text("author,text\n" + "a," + "x" * (MOST_BYTES + 1), encoding="utf-8")
    assert new("letters.csv", "--dry-run") == 2
    assert "no whole record" in capsys.readouterr().err


def link_that_leads_out(folder):
    author_folders(folder)
    (folder / "secret.txt").write_text("Not of the corpus.", encoding="utf-8")
    (folder / "letters/Ada_Quimbya/more.txt").symlink_to(folder / "secret.txt")


def link_to_a_folder(folder):
    author_folders(folder)
    (folder / "letters/more").symlink_to(folder)


def with_a_pipe(folder):
    author_folders(folder)
    os.mkfifo(folder / "letters/pipe.txt")


def two_kinds(folder):
    (folder / "letters").mkdir()
    in_cp1252(folder / "letters")
    in_parquet(folder / "letters")


def two_forms(folder):
    (folder / "letters").mkdir()
    for delimiter, name in ((",", "a"), (";", "b")):
        (folder / f"letters/{name}.csv").write_text(as_csv(letters(), delimiter), encoding="utf-8")


def texts_of_nobody(folder):
    (folder / "letters").mkdir()
    for name in "ab":
        (folder / f"letters/{name}.txt").write_text("It rains.", encoding="utf-8")


def in_chinese(folder):
    (folder / "letters.csv").write_text("author,text\n王,今天下雨了我们回家\n" * 9, encoding="gb18030")


def without_names(folder):
    lines = as_csv(letters()).splitlines(keepends=True)[1:]
    (folder / "letters.csv").write_text("".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "words", "said"),
    [
        (without_names, "letters.csv", "line of names"),
        (lambda folder: (folder / "letters").mkdir(), "letters", "holds no file"),
        (link_that_leads_out, "letters", "link"),
        (link_to_a_folder, "letters", "link"),
        (with_a_pipe, "letters", "regular file"),
        (two_kinds, "letters", "CSV, Parquet"),
        (two_forms, "letters", "differ"),
        (texts_of_nobody, "letters", "author/title.txt"),
        (in_chinese, "letters.csv", "--encoding"),
        (author_title, "letters --column author=writer", "--column"),
    ],
)
def test_what_it_cannot_describe_is_refused_and_nothing_is_written(make, words, said, here, capsys):
    make(here)
    before = left()
    assert new(*words.split(), "--yes") == 2
    assert left() == before
    told = capsys.readouterr().err
    assert said in told and told.count("authbench:") == 1 and "Quimby" not in told


def test_an_encoding_is_taken_as_it_is_named(here, capsys):
    in_chinese(here)
    assert new("letters.csv", "--yes", "--encoding", "gb18030") == 0
    (source,) = find_sources(["letters"]).values()
    assert source.entry["reader"] == {"format": "csv", "encoding": "gb18030"}
    assert source.entry["fields"]["lang"] == {"const": "zh"}


@cases
def test_a_date_or_a_topic_is_proposed_where_it_is_sure(field, values, kept, here):
    rows = [{"author": row["writer"], "text": row["letter"], field: values[n % len(values)]}
            for n, row in enumerate(letters())]  # fmt: skip
    (here / "letters.csv").write_text(as_csv(rows), encoding="utf-8")
    assert new("letters.csv", "--yes") == 0
    (source,) = find_sources(["letters"]).values()
    assert (field in source.entry["fields"]) == kept


def test_a_topic_that_tells_the_author_is_not_proposed_and_never_shown(here, capsys):
    rows = [{"author": str(n // 4), "topic": row["writer"], "text": row["letter"]} for n, row in enumerate(letters())]
    (here / "letters.csv").write_text(as_csv(rows), encoding="utf-8")
    assert new("letters.csv", "--yes") == 0
    (source,) = find_sources(["letters"]).values()
    printed = capsys.readouterr().out
    assert "topic" not in source.entry["fields"] and "topic is not taken" in printed and "Quimby" not in printed


def test_an_example_shares_no_word_with_an_author(here, capsys):
    about = ["to Quimbyb", "weather"]
    rows = [{"author": row["writer"], "topic": about[n % 2], "text": row["letter"]} for n, row in enumerate(letters())]
    (here / "letters.csv").write_text(as_csv(rows), encoding="utf-8")
    assert new("letters.csv", "--dry-run") == 0
    printed = capsys.readouterr().out
    assert "e.g. weather" in printed and "Quimby" not in printed


@pytest.mark.parametrize("name", ["a: b # c", "{x}", "- y", "no", "1", 'he said "it"', "été", "a.b", "*x", "&y"])
def test_a_field_of_any_name_is_written_so_that_yaml_gives_it_back(name, here):
    rows = [{name: row["writer"], "text": row["letter"]} for row in letters()]
    (here / "letters.csv").write_text(as_csv(rows), encoding="utf-8")
    assert new("letters.csv", "--yes", "--column", f"author={name}") == 0
    (source,) = find_sources(["letters"]).values()
    assert source.extraction.fields.author == name
    setup = prepare(recipe(), here)
    assert expect_usable(setup, here / "resources/raw", here / "preflight.json", for_release=True) == []


def test_of_many_texts_some_are_read_and_belong_to_their_authors(here, monkeypatch):
    monkeypatch.setattr("authbench.build.drafting.sample.MOST_RECORDS", 20)
    for author in range(5):
        (here / f"notes/w{author}").mkdir(parents=True)
        for number in range(10):
            text = "" if number == 4 else f"it rains on day {number} of year {author} " * 9
            (here / f"notes/w{author}/{number}.txt").write_text(text, encoding="utf-8")
    sample = read_sample([here / "notes"], None)
    assert 0 < len(sample.columns["part"]) < len(sample.parts) == 50
    assert all(f"year {part.split('/')[-2][1:]} " in text for part, text in zip(
        sample.columns["part"], sample.columns["text"], strict=True))  # fmt: skip
    assert main(["new", "source", "notes", "--name", "own", "--yes", "--dry-run"]) == 0
