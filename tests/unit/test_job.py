"""What a running stage tells a person."""

import re
import subprocess
import sys

import pytest

from authbench.core.runtime import job, progress


def run(body, folder):
    """Exit status, what the terminal shows, and what the log holds, of a stage with this body."""
    log = folder / "logs/stage.log"
    program = f"from authbench.core.runtime.job import log, log_to\nlog_to({str(log)!r})\n{body}"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True
    )
    return done.returncode, done.stderr, log.read_text(encoding="utf-8")


def test_wrong_input_is_told_in_its_own_words_without_a_traceback(tmp_path):
    body = "from authbench.core.errors import InputError\nraise InputError('a.csv has no column text')"
    status, terminal, log = run(body, tmp_path)
    assert status != 0
    for said in (terminal, log):
        assert "a.csv has no column text" in said
        assert "Traceback" not in said


def test_names_in_messages_cannot_act_on_a_terminal(tmp_path):
    body = (
        r"log.warning('file \x1b]0;owned\x07')"
        "\n"
        r"from authbench.core.errors import InputError; raise InputError('a\u202e.csv\nno column')"
    )
    _, terminal, log = run(body, tmp_path)
    for said in (terminal, log):
        assert "\x1b" not in said
        assert r"file \x1b]0;owned\x07" in said
        assert "a\\u202e.csv\nno column" in said


def test_a_job_reports_progress_in_its_log_and_seldom_on_the_terminal(tmp_path):
    body = (
        "import time\nfrom authbench.core.runtime import progress\n"
        "clock = iter(range(int(time.monotonic()), 10**9, 200))\n"
        "time.monotonic = lambda: next(clock)\nlist(progress.progress(range(9), 'letters'))\nlog.warning('end')"
    )
    _, terminal, log = run(body, tmp_path)
    assert log.count("letters: ") == 9 and 1 <= terminal.count("letters: ") <= 5 and "end" in terminal


def test_an_error_of_the_program_keeps_its_traceback(tmp_path):
    status, terminal, log = run("1 / 0", tmp_path)
    assert status != 0
    for said in (terminal, log):
        assert "Traceback" in said
        assert "ZeroDivisionError" in said


def test_a_full_disk_is_told_without_a_traceback_even_where_the_log_has_no_room(tmp_path):
    body = (
        "log.handlers[1].stream.close()\nlog.handlers[1].stream = open('/dev/full', 'w')\n"
        "import errno\nraise OSError(errno.ENOSPC, 'No space left on device')"
    )
    status, terminal, _ = run(body, tmp_path)
    assert status != 0
    assert "cannot be written" in terminal
    assert "Make room" in terminal
    assert "Traceback" not in terminal


def test_messages_go_to_the_log_and_warnings_to_the_terminal_too(tmp_path):
    status, terminal, log = run("log.info('quiet')\nlog.warning('loud')", tmp_path)
    assert status == 0
    assert "quiet" in log
    assert "loud" in log
    assert "quiet" not in terminal
    assert "loud" in terminal


def test_the_last_line_of_a_log_says_what_the_job_took(tmp_path):
    counting = "x = 0\\nwhile x < 2e7: x += 1"
    body = f"import subprocess, sys\ndata = bytearray(300 << 20)\nsubprocess.run([sys.executable, '-c', '{counting}'])"
    _, _, log = run(body, tmp_path)
    took = re.search(r"took ([\d.]+) CPU s, at most (\d+) MiB of memory$", log.splitlines()[-1])
    assert took
    assert float(took[1]) > 0.3
    assert 300 <= int(took[2]) < 900


def test_items_pass_in_order_and_long_work_shows(monkeypatch, caplog):
    clock = iter([0.0, 30.0, 45.0, 46.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(job.log, "propagate", True)
    monkeypatch.setattr(job.log, "handlers", [])
    parts = [["a"], ["b", "c"], ["d"]]
    assert list(progress.progress(iter(parts), "letters", 4, len)) == parts
    assert caplog.messages == ["letters: 1 of 4, 30 s, 2 min left", "letters: 3 of 4, 45 s, 15 s left"]


def test_short_work_is_silent(caplog, monkeypatch):
    monkeypatch.setattr(job.log, "propagate", True)
    assert list(progress.progress(range(3), "numbers")) == [0, 1, 2]
    assert caplog.text == ""


def test_a_job_that_leaves_pandas_out_makes_columns_without_it():
    program = (
        "import sys, warnings; warnings.simplefilter('error'); import pyarrow as pa\n"
        "from authbench.core.runtime.job import leave_out_pandas; leave_out_pandas()\n"
        "assert pa.array(['a', None]).to_pylist() == ['a', None] and 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, check=True)


def test_who_asks_for_pandas_gets_it_in_a_job_that_leaves_it_out():
    pytest.importorskip("pandas")
    program = (
        "import pyarrow as pa\n"
        "from authbench.core.runtime.job import leave_out_pandas; leave_out_pandas()\n"
        "assert pa.table({'a': [1, 2]}).to_pandas()['a'].tolist() == [1, 2]\n"
        "import pandas; assert pandas.Series([3]).tolist() == [3]\n"
    )
    subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, check=True)
