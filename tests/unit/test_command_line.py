"""What a user of the command line meets: help with examples, and what a misspelt word should have been."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from authbench.app.cli import COMMANDS, main
from authbench.config.registry.load import list_entries
from authbench.models.entries import MODELS

TOPICS = ("release:", "pan:", "raven:", "style:", "publish:", "sources:")


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


def test_a_command_like_no_other_is_answered_with_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xyzzy"]) == 2
    assert "no command 'xyzzy'; `authbench --help` lists all" in capsys.readouterr().err


def test_the_first_help_names_every_command_once_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25 and max(map(len, lines)) <= 100
    described = {name for name, command in COMMANDS.items() if command.group == "first"}
    assert described == {
        line.split()[0] for line in lines if any(line.endswith(f" {c.about}") for c in COMMANDS.values())
    }
    groups = {words[0][:-1]: words[1:] for line in lines if (words := line.split()) and words[0] in TOPICS}
    assert groups == {
        topic[:-1]: [name for name, command in COMMANDS.items() if command.group == topic[:-1]] for topic in TOPICS
    }
    assert described.isdisjoint(sum(groups.values(), [])) and len(described) + sum(map(len, groups.values())) == len(
        COMMANDS
    )


def test_an_unknown_model_is_answered_by_at_most_three(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for word, near in (("tfidff", 1), ("e5", 3), ("??", 3)):
        assert main(["evaluate", str(tmp_path), "--model", word, "--out", str(tmp_path / "out")]) == 2
        words = {word.strip(".") for word in re.findall(r"[\w.-]+", capsys.readouterr().err)}
        assert len(words & set(list_entries(MODELS))) == near


def test_a_misspelt_option_is_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "release", "--model", "tfidf", "--out", "scores", "--splt", "dev"])
    assert ended.value.code == 2
    assert "unrecognized argument '--splt', did you mean --split?" in capsys.readouterr().err


def test_without_a_command_the_shell_is_told_so() -> None:
    done = subprocess.run([sys.executable, "-m", "authbench"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "COMMAND" in done.stderr
