"""Fields of a table beside a file reach its rows: accounts and names of users their posts in a dump."""

import gzip
from pathlib import Path
from xml.sax.saxutils import quoteattr

import polars as pl
import pytest
import yaml
from ingested_files import Ingested

from authbench.build.ingest.beside import TablesBeside
from authbench.build.normalize.table import normalize_records
from authbench.config.registry.readers import JsonLinesReader
from authbench.config.registry.source_entry import Beside, make_normalize
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.publish.rebuild.texts import single_breaks, texts_of_source
from authbench.release.reading.rows import BadRow

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text(encoding="utf-8"))
ENTRY = yaml.safe_load(
    (Path(__file__).parents[2] / "config/sources/stackexchange_dump.yaml").read_text(encoding="utf-8")
)
RU, ES = "ru.stackoverflow.com", "es.stackoverflow.com"


def dump(kind, *rows):
    lines = (f"  <row {' '.join(f'{key}={quoteattr(value)}' for key, value in row.items())} />" for row in rows)
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', f"<{kind}>", *lines, f"</{kind}>", ""])


def posts(**owners):
    """A question by each owner, whose title is the keyword."""
    return dump(
        "posts",
        *(
            {
                "Id": str(number),
                "PostTypeId": "1",
                "CreationDate": "2024-05-01T10:00:00",
                "Tags": "|x|",
                "Title": title,
                "Body": f"<p>Text {title}. Thanks, Annika Berg</p>",
                **by,
            }
            for number, (title, by) in enumerate(owners.items(), 1)
        ),
    )


def users(*rows):
    return dump(
        "users",
        {"Id": "-1", "DisplayName": "Community", "AccountId": "-1"},
        *(
            {"Id": str(number), "DisplayName": name} | ({} if account is None else {"AccountId": str(account)})
            for number, account, name in rows
        ),
    )


def authors(records):
    titles = records["content"].str.extract(r"<p>(\w+)</p>")
    return dict(zip(titles, records["author_id"], strict=True))


TWO_SITES = {
    f"{ES}/Posts.xml": posts(
        one={"OwnerUserId": "8"},
        two={"OwnerUserId": "9"},
        gone={"OwnerDisplayName": "user77"},
        none={"OwnerUserId": "70"},
    ),
    f"{RU}/Posts.xml": posts(three={"OwnerUserId": "5"}, four={"OwnerUserId": "8"}, last={"OwnerUserId": "77"}),
}
USERS = {
    f"{ES}/Users.xml": users((9, 300, "Bo"), (8, 100, "Annika Berg")),
    f"{RU}/Users.xml": users((5, 100, "Annika renamed"), (8, 200, "Cy")),
}


def test_with_users_an_author_is_the_account_on_all_sites_and_without_one_the_user_of_a_site(tmp_path):
    alone = authors(Ingested(tmp_path / "a", TWO_SITES, ENTRY).records)
    assert len(set(alone.values())) == 7
    joined = authors(Ingested(tmp_path / "b", TWO_SITES | USERS, ENTRY).records)
    assert joined["one"] == joined["three"] and len(set(joined.values())) == 6
    assert {title for title, one in joined.items() if alone[title] == one} == {"gone", "none", "last"}


def test_the_posts_of_a_deleted_account_are_by_the_user_that_it_was(tmp_path):
    site = {f"{ES}/Posts.xml": posts(before={"OwnerUserId": "77"}, after={"OwnerDisplayName": "user77"})}
    found = authors(Ingested(tmp_path, site, ENTRY).records)
    assert found["before"] == found["after"]


def test_names_of_users_are_masked_in_their_posts_and_leave_nothing_behind(tmp_path):
    made = Ingested(tmp_path, TWO_SITES | USERS, ENTRY, own_name="mask")
    texts = {text.partition("</p>")[0].removeprefix("<p>"): text for text in made.records["content"]}
    assert "Thanks, [NAME]" in texts["one"] and "Annika Berg" in texts["two"]
    rest = made.records.drop("content").write_json().encode()
    assert not any(name in rest for name in (b"Annika", b"Bo", b"Cy", b"user77"))
    assert made.removed.height == 0


def test_users_are_no_records_may_be_packed_and_shards_and_order_do_not_show(tmp_path):
    packed = {f"{name}.gz": gzip.compress(text.encode()) for name, text in USERS.items()}
    one = Ingested(tmp_path / "a", TWO_SITES | USERS, ENTRY, shards=1)
    other = Ingested(tmp_path / "b", TWO_SITES | packed, ENTRY, shards=3, backwards=True)
    assert one.records.height == 7
    assert one.records.drop("shard").equals(other.records.drop("shard"))


def test_texts_whose_authors_names_are_masked_are_found_again_with_the_users(tmp_path):
    made = Ingested(tmp_path / "one", TWO_SITES | USERS, ENTRY, own_name="mask")
    masked = made.records.filter(pl.col("content").str.contains("[NAME]", literal=True))
    place = dict.fromkeys(("chunk_start", "chunk_end"), pl.lit(None, pl.Int64))
    rules = {"demo": make_normalize(ENTRY)}
    content = single_breaks(normalize_records(masked, rules, CONFIG["normalize"])[0]["content"].item())
    assert "Thanks, [NAME]" in content
    wanted = masked.with_row_index("row").with_columns(content_sha256=pl.lit(sha256_of_text(content)), **place)
    (tmp_path / "raw").mkdir()
    (tmp_path / "one/raw").rename(tmp_path / "raw/stackexchange_dump")
    settings = {"normalize": CONFIG["normalize"], "ingest": CONFIG["ingest"]}
    found = list(texts_of_source("stackexchange_dump", ENTRY, tmp_path / "raw", wanted, settings))
    assert [text for one in found for text in one.texts.values()] == [content]
    for users_of_site in (tmp_path / "raw").rglob("Users.xml"):
        users_of_site.unlink()
    found = list(texts_of_source("stackexchange_dump", ENTRY, tmp_path / "raw", wanted, settings))
    assert not any(one.texts for one in found) and any("something else" in str(one.missing) for one in found)
    for posts_of_site in (tmp_path / "raw").rglob("Posts.xml"):
        posts_of_site.write_text(posts(one={"OwnerUserId": "1"}).replace("Text", "Other"))
    (tmp_path / f"raw/stackexchange_dump/{ES}/Users.xml").write_text(USERS[f"{ES}/Users.xml"])
    found = list(texts_of_source("stackexchange_dump", ENTRY, tmp_path / "raw", wanted, settings))
    assert any("no file in" in str(one.missing) for one in found)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (users((8, 100, "Annika"), (8, 300, "Bo")), f"{ES}/Users.xml: two rows have the Id 8"),
        (
            users((8, 100, "Annika")).removesuffix("</users>\n"),
            f"{ES}/Users.xml, line 4: the file ends without </users>",
        ),
        (dump("users", {"Number": "8"}), f"{ES}/Users.xml: no row has the field 'Id'"),
    ],
)
def test_users_that_cannot_be_told_apart_or_are_cut_off_stop_the_source(tmp_path, table, words):
    with pytest.raises(InputError, match=words):
        Ingested(tmp_path, TWO_SITES | {f"{ES}/Users.xml": table}, ENTRY)


def test_a_broken_user_costs_nobody_else(tmp_path):
    table = users((8, 100, "Annika"), (9, 100, "Bo")).replace('Id="8"', 'Id="8" <')
    found = authors(
        Ingested(
            tmp_path, TWO_SITES | {f"{ES}/Users.xml": table} | {f"{RU}/Users.xml": USERS[f"{RU}/Users.xml"]}, ENTRY
        ).records
    )
    assert found["two"] == found["three"] != found["one"]


def test_users_without_their_posts_are_no_source(tmp_path):
    with pytest.raises(InputError, match="none of .*Users.xml holds records"):
        Ingested(tmp_path, USERS, ENTRY)


def test_any_format_may_have_a_table_beside_its_files(tmp_path):
    (tmp_path / "people.jsonl").write_text('{"n": 3, "born": "1900"}\n{"n": 1}\n', encoding="utf-8")
    tables = TablesBeside(
        Beside("people.jsonl", "n", "who", {"born": "born"}), JsonLinesReader(), tmp_path, {"people.jsonl": "0" * 64}
    )
    block = [{"who": 3}, {"who": "1"}, {"who": 2}, {"who": None}, {}, BadRow("line 6", "?")]
    tables.add_fields("texts.jsonl", block)
    assert block[:5] == [{"who": 3, "born": "1900"}, {"who": "1"}, {"who": 2}, {"who": None}, {}]
    tables.add_fields("elsewhere/texts.jsonl", other := [{"who": 3}])
    assert other == [{"who": 3}]
