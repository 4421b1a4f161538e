"""What a user of the command line meets: help with examples, and what a misspelt word should have been."""

import re
import shlex
from dataclasses import replace

import pytest
from cases import cases

from authbench.app.cli import COMMANDS, main
from authbench.app.cli.command import FORMER, GROUPS
from authbench.app.cli.examples import examples
from authbench.config.registry.load import list_entries
from authbench.models.entries import MODELS

LEVELS = [("", 25), *((group, 18) for group in GROUPS)]  # and the lines of their help at most


def help_of(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_ends_with_examples_that_the_command_takes(command, capsys, monkeypatch):
    told = help_of(command, capsys)
    lines = [line.strip() for line in told.partition("examples:")[2].splitlines() if line.strip()]
    assert lines and all(line.startswith(f"authbench {command}") for line in lines)
    ran = []
    monkeypatch.setitem(COMMANDS, command, replace(COMMANDS[command], run=ran.append))
    for line in lines:
        main(shlex.split(line)[1:])
    assert len(ran) == len(lines)


@cases
def test_a_misspelt_command_is_corrected(word, meant, capsys):
    assert main([word, "somewhere"]) == 2
    assert capsys.readouterr().err == f"authbench: no command '{word}'; did you mean '{meant}'?\n"


def test_a_misspelt_command_of_a_group_is_corrected(capsys):
    assert main(["release", "exprt", "somewhere"]) == main(["raven", "xyzzy"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "authbench: no command 'release exprt'; did you mean 'release export'?"
    assert second == "authbench: no command 'raven xyzzy'; `authbench raven --help` lists all"


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_a_former_name_runs_the_command_and_says_the_present_one(former, name, capsys, monkeypatch):
    ran = []
    monkeypatch.setitem(COMMANDS, name, replace(COMMANDS[name], run=lambda parsed: bool(ran.append(parsed))))
    example = shlex.split(examples(name).splitlines()[-1])[1 + len(name.split()) :]
    assert main([*name.split(), *example]) == 0 and capsys.readouterr().err == ""
    assert main([former, *example]) == 0
    assert f"`{former}` is now `{name}`" in capsys.readouterr().err
    assert {k: v for k, v in vars(ran[0]).items() if k not in ("run", "parser")} == {
        k: v for k, v in vars(ran[1]).items() if k not in ("run", "parser")
    }


def test_a_command_like_no_other_is_answered_with_the_list(refused):
    assert "no command 'xyzzy'; `authbench --help` lists all" in refused(["xyzzy"])


@pytest.mark.parametrize(("group", "lines"), LEVELS)
def test_every_level_lists_its_commands_in_a_line_each_on_one_screen(group, lines, capsys):
    told = help_of(group, capsys)
    assert len(told.splitlines()) <= lines and max(map(len, told.splitlines())) <= 100
    below = {name.split()[-1]: command.about for name, command in COMMANDS.items() if name.rpartition(" ")[0] == group}
    listed = dict(re.findall(r"^  (\S+) +(.+)$", told, re.MULTILINE))
    assert listed == below | ({} if group else GROUPS)
    assert main(group.split()) == 2 and capsys.readouterr().err == told


def test_an_unknown_model_is_answered_by_at_most_three(capsys, tmp_path):
    for word, near in (("tfidff", 1), ("e5", 3), ("??", 3)):
        assert main(["evaluate", str(tmp_path), "--model", word, "--out", str(tmp_path / "out")]) == 2
        words = {word.strip(".") for word in re.findall(r"[\w.-]+", capsys.readouterr().err)}
        assert len(words & set(list_entries(MODELS))) == near


def test_a_misspelt_option_is_corrected(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["evaluate", "release", "--model", "tfidf", "--out", "scores", "--splt", "dev"])
    assert ended.value.code == 2
    assert "unrecognized argument '--splt', did you mean --split?" in capsys.readouterr().err


PAN = "pan evaluate --truth x --answers x"
EXPORT = "release export x --form public --out y"


@pytest.mark.parametrize(
    ("line", "useless", "why"),
    [
        (PAN, "--subset x", "--out"),
        (PAN, "--pairs x", "--out"),
        (PAN, "--beside x", "--out"),
        (f"{PAN} --out y", "--train x", "--pairs"),
        (f"{PAN} --out y", "--topics 3", "--pairs"),
        (f"{PAN} --out y", "--seed 3", "--pairs"),
        (PAN, "--published-2020", "--year 2020"),
        (f"{PAN} --year 2021", "--published-2020", "--year 2020"),
        (f"{PAN} --json", "--holm", "--json"),
        (f"{PAN} --json", "--compare f1", "--json"),
        ("audit x", "--brief", "--out"),
        ("explore x --out y", "--unverified", "--release"),
        ("plan --power x", "--documents 1", "--power"),
        ("plan --power x", "--detoxify", "--power"),
        ("plan --documents 1 --mean-chars 1 --cores 1", "--difference .1", "--power"),
        ("pan pairs x --setting matched --out y", "--test .3", "--setting matched"),
        ("sources list --markdown", "--raw x", "--markdown"),
        ("publish tables --release x --out y", "--marks column", "SCORES"),
        ("publish tables --release x --out y", "--metric mrr", "SCORES"),
        ("publish tables --release x --out y", "--model x", "SCORES"),
        ("release verify x", "--countersign x", "--raw"),
        ("release verify x", "--files x", "--raw"),
        (EXPORT, "--runs x", "--form public"),
        (EXPORT, "--with-tier-b", "--form public"),
        ("style run x --out y", "--protocol steb", "--model"),
        ("style run x --out y", "--missing error", "--model"),
    ],
)
def test_an_option_that_would_not_count_is_refused_with_the_reason(line, useless, why, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused(f"{line} {useless}".split())
    assert f"{useless.split()[0]} " in told and f" {why}" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("plan --power absent", "absent/leaderboard/power.json"),
        ("release verify absent", "absent.intoto.json"),
        ("case --questioned absent --known absent --population absent --out y", "absent"),
        ("check absent --config absent.yaml", "absent.yaml"),
        ("leaderboard absent --people people.json --out y", "people.json"),
        ("pan run --train absent --test pairs.jsonl --verifier naive --out y", "pairs.jsonl"),
    ],
)
def test_a_missing_file_is_told_with_what_is_expected(line, missing, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused(line.split()).startswith(f"authbench: {missing}: there is no such file. Expected ")


@pytest.mark.parametrize(
    "line", ["audit absent", "evaluate absent --model tfidf", "style run absent", "train absent --model x"]
)
def test_a_file_in_place_of_the_folder_of_results_is_told_before_anything_is_read(line, capsys, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as ended:
        main([*line.split(), "--out", str(tmp_path / "file")])
    assert ended.value.code == 2
    assert f"--out: {tmp_path / 'file'} " in capsys.readouterr().err


def test_clusters_are_read_before_anything_else(refused):
    assert "absent.json" in refused(["style", "run", "x", "--out", "y", "--model=tfidf", "--clusters=absent.json"])


def test_what_is_given_twice_counts_once_unless_it_is_an_amount(monkeypatch):
    ran = []
    for name in ("pan run", "plan"):
        monkeypatch.setitem(COMMANDS, name, replace(COMMANDS[name], run=ran.append))
    main(["pan", "run", "--train=x", "--test=x", "--out=x", *(f"--verifier={name}" for name in ("b", "a", "b"))])
    main(["plan", "--documents", "1e3", "1e3", "--mean-chars", "5", "5", "--cores=1"])
    assert (ran[0].verifier, ran[1].documents, ran[1].mean_chars) == (["b", "a"], [1e3, 1e3], [5, 5])


@pytest.mark.parametrize("line", ["audit x", "evaluate x --out y", "style run x --out y", "pan run --train x --test y"])
def test_a_seed_of_more_than_64_bits_is_refused(line, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*line.split(), "--seed", str(1 << 63)])
    assert "--seed: expected" in capsys.readouterr().err
