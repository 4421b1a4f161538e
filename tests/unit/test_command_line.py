"""What a user of the command line meets: help with examples, and what a misspelt word should have been."""

import shlex
import subprocess
import sys

import pytest

from authbench.cli import COMMANDS, main


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_ends_with_examples_that_the_command_takes(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = help_of(command, capsys)
    lines = [line.strip() for line in told.partition("examples:")[2].splitlines() if line.strip()]
    assert lines and all(line.startswith(f"authbench {command}") for line in lines)
    ran = []
    monkeypatch.setitem(
        COMMANDS, command, COMMANDS[command].__class__(**{**vars(COMMANDS[command]), "run": ran.append})
    )
    for line in lines:
        main(shlex.split(line)[1:])
    assert len(ran) == len(lines)


@pytest.mark.parametrize(
    ("word", "meant"), [("evalute", "evaluate"), ("leader-board", "leaderboard"), ("chek", "check")]
)
def test_a_misspelt_command_is_corrected(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word, "somewhere"]) == 2
    assert capsys.readouterr().err == f"authbench: no command '{word}'; did you mean '{meant}'?\n"


def test_a_command_like_no_other_is_answered_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xyzzy"]) == 2
    assert "no command 'xyzzy'; known: " in capsys.readouterr().err


def test_a_misspelt_option_is_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "release", "--model", "tfidf", "--out", "scores", "--splt", "dev"])
    assert ended.value.code == 2
    assert "unrecognized argument '--splt', did you mean --split?" in capsys.readouterr().err


def test_without_a_command_the_shell_is_told_so() -> None:
    done = subprocess.run([sys.executable, "-m", "authbench"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "COMMAND" in done.stderr
