"""The first records of a source, before a run."""

import hashlib
from pathlib import Path

import pytest
from cases import read_cases
from defaults import section

from authbench.app.preflight.first_records import Asked, read_first
from authbench.build.ingest.mapping import Naming
from authbench.config.registry.source_entry import make_extraction

ENTRY = read_cases(Path(__file__))["ENTRY"]
OF_PATH = {"path_fields": r"^(?P<by>\w+)\.jsonl$"}
OF_FILE = {"fields": {**ENTRY["fields"], "author": "file_name"}}


@pytest.mark.parametrize(("entry", "shown"), [({}, True), (OF_PATH, False), (OF_FILE, False)])
def test_the_place_of_a_bad_row_has_no_path_that_may_tell_the_author(entry, shown, tmp_path):
    (tmp_path / "emily.jsonl").write_text('{"text": "It rains.", "by": "a"}\n{"text":\n', encoding="utf-8")
    files = {"emily.jsonl": hashlib.sha256((tmp_path / "emily.jsonl").read_bytes()).hexdigest()}
    asked = Asked({**section("ingest"), "max_bad_rows": 1.0}, Naming(), 1, lambda texts: [1] * len(texts))
    found = read_first("s", make_extraction({**ENTRY, **entry}), tmp_path, files, asked)
    (examples,) = found.examples.values()
    assert [("emily" in one, "line 2" in one) for one in examples] == [(shown, True)]
