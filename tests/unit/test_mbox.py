"""Messages of an mbox file: who wrote what and when; what cannot be read is named by line, and every message counts."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.app.cli import main
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.readers import MboxReader
from authbench.release.reading.rows import BadRow


def read(path, content, **more):
    return read_content(path, content, MboxReader(), **more)


def message(text, sender="Ann Bell <Ann@X.org>", charset="utf-8", **headers):
    made = EmailMessage()
    made["From"], made["Date"] = sender, "Sun, 17 May 2020 10:00:00 +0200"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(text, charset=charset)
    return b"From ann Sun May 17\n" + made.as_bytes().replace(b"\nFrom ", b"\n>From ") + b"\n"


def test_a_message_has_its_sender_day_subject_and_text(tmp_path):
    content = message("From here on\nit rained.\n\n>From there\n", Subject="Régen und  Meer", Message_ID="<1@x>")
    [row], units = read(tmp_path / "a.mbox", content)
    assert row.pop("text").startswith("From here on\nit rained.")
    assert row == {
        "from": "ann@x.org", "name": "Ann Bell", "subject": "Régen und Meer", "date": "2020-05-17", "id": "<1@x>",
    }  # fmt: skip
    assert units.counts() == {"unit": "messages", "found": 1, "header": 0, "records": 1, "bad": 0, "blank": 0}


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "koi8-r", "gb18030"])
def test_a_text_is_decoded_as_its_part_states(tmp_path, charset):
    text = {"koi8-r": "Дождь", "gb18030": "雨"}.get(charset, "Regentröpfchen")
    [row], _ = read(tmp_path / "a.mbox", message(text + "\n", charset=charset))
    assert row["text"].strip() == text


def test_the_first_plain_text_counts_and_no_attachment(tmp_path):
    made = EmailMessage()
    made["From"] = "b@x.org"
    made.set_content("<p>Rain</p>", subtype="html")
    made.add_attachment(b"not this", maintype="text", subtype="plain", filename="a.txt")
    html, _ = read(tmp_path / "a.mbox", b"From b\n" + made.as_bytes())
    assert html[0]["text"] is None and html[0]["date"] is None
    made = EmailMessage()
    made.set_content("Rain\n")
    made.add_alternative("<p>Rain</p>", subtype="html")
    [row], _ = read(tmp_path / "b.mbox", b"From b\n" + made.as_bytes())
    assert row["text"] == "Rain\n" and row["from"] is None


@pytest.mark.parametrize(
    "subject", ["=?u\u00fftf-8?q?R=C3=A9gen?=", "=?none?b?!?=", "=?utf-8?b?x?=", "=?utf-8?q?=C3?="]
)
def test_a_header_that_cannot_be_decoded_stays_as_it_is(tmp_path, subject):
    content = f"From a\nFrom: a@x.org\nSubject: {subject}\n\nRain.\n".encode()
    [row], _ = read(tmp_path / "a.mbox", content)
    assert row["text"] == "Rain." and row["subject"]


def test_a_line_begins_a_message_only_after_a_blank_line(tmp_path):
    content = b"From a\nSubject: s\n\nRain.\nFrom here on\nsnow.\n\nFrom b\nSubject: t\n\nIce.\n"
    found, units = read(tmp_path / "a.mbox", content)
    assert [row["text"].split() for row in found] == [["Rain.", "From", "here", "on", "snow."], ["Ice."]]
    assert units.found == units.records == 2


def test_what_cannot_be_read_is_a_bad_row_with_its_line(tmp_path):
    wrong = b"From b\nContent-Type: text/plain; charset=utf-8\n\n\xff\xfe\n"
    unknown = b"From b\nContent-Type: text/plain; charset=none-such\n\nx\n"
    content = b"Dear all\n\n" + message("Rain.\n") + b"\n" + wrong + b"\n" + unknown + b"\n" + message("y" * 500 + "\n")
    found, units = read(tmp_path / "a.mbox", content, limit=400)
    assert [type(row) is BadRow for row in found] == [True, False, True, True, True]
    assert found[0].position == "line 1" and "max_record_bytes" in found[-1].reason
    assert (units.found, units.records, units.bad) == (5, 1, 4)


@given(st.lists(st.sampled_from([b"From a\n", b"\n", b"From: a@x\n", b"text\n", b"x" * 300 + b"\n", b"Date: 1\n"])))
def test_every_message_is_a_record_or_a_bad_row(tmp_path_factory, parts):
    content = b"".join(parts) or b"\n"
    found, units = read(tmp_path_factory.mktemp("mbox") / "a.mbox", content, limit=200)
    assert units.found == units.records + units.bad == len(found)
    assert sum(type(row) is BadRow for row in found) == units.bad


def test_an_mbox_is_audited_and_described_by_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = [f"It rained on day {n} and we stayed at home with a book.\n\n-- \nAnn\n" for n in range(24)]
    (tmp_path / "post.mbox").write_bytes(
        b"\n".join(message(text, f"w{n % 4}@x.org", Message_ID=f"<{n}@host>") for n, text in enumerate(texts))
    )
    assert main(["new", "source", "post.mbox", "--yes"]) == 0
    entry = read_yaml(tmp_path / "config/sources/post.yaml")
    assert entry["reader"] == {"format": "mbox"} and entry["author"] == {"kind": "account"}
    assert entry["fields"]["author"] == "from" and entry["fields"]["text"] == "text" and entry["clean"]
    assert entry["fields"]["id"] == {"field": "id", "hash": True}
    assert "x.org" not in capsys.readouterr().out
    assert main(["audit", "post.mbox", "--out", "audit"]) == 0
