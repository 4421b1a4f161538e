"""How commands end: a status that says what happened, and one message on standard error without a traceback."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cases import read_cases

from authbench.app.cli import COMMANDS, _parsers, main
from authbench.app.cli.ending import CLOSED_PIPE, FAULT, INTERRUPTED, TRACEBACK, UNUSABLE, run_to_end
from authbench.core.errors import InputError

# A command on the input {}; `build` has tests of its own (test_build_command.py).
DATA = read_cases(Path(__file__))
ON_ONE_INPUT = DATA["ON_ONE_INPUT"]


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "directory").mkdir()
    (tmp_path / "empty.csv").touch()
    (tmp_path / "file.txt").write_text("A line.\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.csv")
    return tmp_path


@pytest.mark.parametrize(
    "given", ["missing", "missing.zip", "directory", "empty.csv", "file.txt", "file.txt/below", "pipe.csv", "/dev/zero"]
)
@pytest.mark.parametrize("command", [command for command, line in ON_ONE_INPUT.items() if line])
def test_every_command_refuses_what_is_no_input_in_one_message(command, given, hostile, capsys):
    line = ON_ONE_INPUT[command]
    assert line
    try:
        status = main(line.format(*[given] * line.count("{}"), out="out").split())
    except SystemExit as ended:
        status = ended.code
    said = capsys.readouterr().err
    assert status == UNUSABLE and "authbench" in said and "Traceback" not in said
    assert not any(path.is_file() for path in (hostile / "out").rglob("*"))


REPLACING = [name for name, parser in _parsers().items() if parser.get_default("replaces")]


@pytest.mark.parametrize("command", REPLACING)
def test_a_folder_with_an_input_is_not_replaced_by_the_result(command, hostile, monkeypatch):
    monkeypatch.setitem(COMMANDS, command, replace(COMMANDS[command], run=lambda _: pytest.fail("runs")))
    line = ON_ONE_INPUT[command].partition(" --out")[0]
    assert main([*line.format(*["directory/given"] * line.count("{}")).split(), "--out", "directory"]) == UNUSABLE


@pytest.mark.parametrize("cores", ["0", "-1", "many"])
def test_a_release_is_verified_on_a_core_at_least(cores, hostile):
    with pytest.raises(SystemExit) as ended:
        main(["release", "verify", "directory", "--cores", cores])
    assert ended.value.code == UNUSABLE


def test_every_command_is_tried():
    assert ON_ONE_INPUT.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_an_option_that_it_does_not_know(command, hostile, capsys):
    line = (ON_ONE_INPUT[command] or command).format(*["missing"] * 2, out="out")
    try:
        status = main([*line.split(), "--made-up"])
    except SystemExit as ended:
        status = ended.code
    assert status == UNUSABLE and "--made-up" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_says_what_the_statuses_mean(command, capsys):
    with pytest.raises(SystemExit):
        main([*command.split(), "--help"])
    told = [line.split() for line in capsys.readouterr().out.partition("exit status:")[2].splitlines()]
    stated = {words[0] for words in told if words and words[0].isdigit()}
    assert stated == {"0", "2", "70"} | ({"1"} if COMMANDS[command].negative else set())


def raising(error):
    def run():
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("x"), UNUSABLE),
        (FileNotFoundError(errno.ENOENT, "No such file", "x"), UNUSABLE),
        (ModuleNotFoundError("x", name="torch"), UNUSABLE),
        (ModuleNotFoundError("x", name="authbench.made_up"), FAULT),
        (ValueError("x"), FAULT),
        (MemoryError(), FAULT),
        (RecursionError(), FAULT),
        (SystemExit(0), FAULT),
        (SystemExit(1), FAULT),
        (SystemExit("x"), FAULT),
        (KeyboardInterrupt(), INTERRUPTED),
    ],
    ids=repr,
)
def test_an_exception_ends_a_command_with_its_status_and_one_line(error, status, capsys):
    assert run_to_end(raising(error)) == status
    said = capsys.readouterr().err
    assert said.startswith("authbench: ") and said.count("\n") == 1


def test_the_traceback_of_a_fault_is_shown_where_it_is_asked_for(capsys, monkeypatch):
    monkeypatch.setenv(TRACEBACK, "1")
    assert run_to_end(raising(ValueError("x"))) == FAULT
    assert "Traceback" in capsys.readouterr().err


def test_a_line_break_in_an_argument_does_not_break_the_message(capsys):
    assert run_to_end(raising(InputError("a\nb.csv: is empty.")), ["", "a\nb.csv"]) == UNUSABLE
    assert capsys.readouterr().err == "authbench: a\\nb.csv: is empty.\n"


def test_a_user_s_function_cannot_end_a_command_as_if_done(capsys):
    leave = os._exit
    assert run_to_end(lambda: os._exit(0)) == FAULT
    assert "SystemExit" in capsys.readouterr().err
    assert os._exit is leave


def test_a_child_process_may_end_itself():
    code = (
        "import os\nfrom authbench.app.cli.ending import run_to_end\n"
        "def run():\n    child = os.fork()\n    if not child: os._exit(7)\n"
        "    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\nraise SystemExit(run_to_end(run))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_a_reader_that_leaves_is_no_fault():
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys\nfrom authbench.app.cli import main\nsys.exit(main(['sources', 'list']))"
    done = subprocess.run([sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (CLOSED_PIPE, b"")
