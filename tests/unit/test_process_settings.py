"""Library calls leave the settings of the process as they are; every other test is held to it by a fixture."""

import csv
import os
import subprocess
import sys
from itertools import zip_longest

import tiktoken
from process_settings import changes, process_settings

from authbench.config.registry.readers import CsvReader
from authbench.core.storage.raw_files import RawFile
from authbench.core.tokens import NAME, encode, load_encoding
from authbench.core.vocabulary import FILE_NAME, find_vocabulary
from authbench.release.reading import table_csv

WITHOUT_NUMBA = """
import sys
import warnings

sys.modules["numba"] = None
warnings.simplefilter("error")

import numpy as np

before = np.geterr()
from authbench.core.runtime.jit import compiled

assert np.geterr() == before, np.geterr()
print(compiled(lambda: np.uint64(2**63) * np.uint64(2))())
assert np.geterr() == before, np.geterr()
"""


def test_a_table_of_short_records_leaves_the_limit_of_other_csv_readers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,text\n1,a\n", encoding="utf-8")
    before = csv.field_size_limit()
    assert list(table_csv.read(RawFile(path, path.name, "0" * 64, max_record_bytes=50), CsvReader())) == [
        [{"id": "1", "text": "a"}]
    ]
    assert csv.field_size_limit() == before


def test_each_table_has_its_own_limit_while_another_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f'id,text\n1,"{"a" * 90}"\n2,b\n', encoding="utf-8")
    strict, lenient = (
        table_csv.read(RawFile(path, path.name, "0" * 64, max_record_bytes=limit), CsvReader()) for limit in (40, 4_000)
    )
    found = [row for blocks in zip_longest(strict, lenient, fillvalue=[]) for block in blocks for row in block]
    texts = [row["text"] for row in found if isinstance(row, dict)]
    assert sorted(texts) == ["a" * 90, "b", "b"]


def test_the_vocabulary_is_loaded_with_the_pattern_of_tiktoken_and_no_variable_set(monkeypatch, tmp_path):
    before = process_settings()
    ours = load_encoding.__wrapped__()
    assert changes(before, process_settings()) == {}
    (tmp_path / FILE_NAME).symlink_to(find_vocabulary().resolve())
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    theirs = tiktoken.get_encoding(NAME)
    assert ours._pat_str == theirs._pat_str
    assert ours._mergeable_ranks == theirs._mergeable_ranks
    text = "<|endoftext|> don't 12345\n\n  été"
    assert encode(ours, text).tolist() == theirs.encode_ordinary(text)


def test_without_numba_hashes_wrap_around_silently_and_numpy_reports_other_overflows_as_before():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
