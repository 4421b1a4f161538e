"""The subcommand that builds a benchmark: Snakemake with the rules of the package, in any folder."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import chain, takewhile
from pathlib import Path
from typing import NoReturn

from authbench.app.cli.command import Command, unrecognized
from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.shipped import shipped
from authbench.core.words import did_you_mean
from authbench.reports.overview.options import BUILD

PROFILES = "profiles"
SETTINGS_FILES = (".yaml", ".yml", ".json")
_CORPUS = "For a corpus of your own: authbench build FILE_OR_FOLDER (docs/adding-a-source.md)."
_CORES = ("cores", "jobs", "executor")


def arguments(parser: argparse.ArgumentParser) -> None:
    from authbench.app.cli.new import options

    options(parser)
    parser.usage = "authbench build [TARGET ... | CORPUS] [any option of snakemake]"
    parser.description = (
        "Build a benchmark in this folder: `snakemake` with the rules of the package. A corpus (a file or a\n"
        "folder) is described first, as `authbench new source CORPUS --yes` does it. Without a target all is\n"
        "built, on all cores where neither --cores nor a profile says otherwise. --workflow-profile also takes\n"
        f"the name of a profile of the package: {', '.join(_shipped_profiles())}."
    )


def run(given: argparse.Namespace) -> int:
    """Replace the process by Snakemake, whose exit status becomes the command's."""
    command = snakemake_command(_described(given, Path()), Path())
    sys.stdout.flush()
    os.execve(command[0], command, {**os.environ, BUILD: "1"})


def snakemake_command(given: Sequence[str], folder: Path) -> list[str]:
    """Return the command of a run in a folder: Snakemake with the package's rules, a profile, and the given arguments.

    Targets are put first, as options of Snakemake with several values would consume them.

    Raises:
        InputError: a profile, file of settings or target does not exist.
    """
    words = _targets_first(given, folder)
    parsed = _parsed(words)
    for path in parsed.configfile or ():
        _expect_settings(folder / path)
    for target in parsed.targets:
        _expect_target(target, folder)
    profiles = [_profile("--profile", [name]) for name in parsed.profile or () if name != "none"]
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(shipped("project/workflow/Snakefile")), *words]
    if parsed.workflow_profile != "none":
        profile = _workflow_profile(parsed.workflow_profile or "default", folder)
        profiles.append(profile)
        command += ["--workflow-profile", str(profile)]
    stated = {key for profile in profiles for key in read_yaml(profile)}
    if not stated.intersection(_CORES) and all(getattr(parsed, option) is None for option in _CORES):
        command += ["--cores", "all"]
    return command


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of Snakemake, which prints two screens of usage for an option that it does not know.

    Raises:
        InputError: it cannot parse a word.
    """
    from snakemake.cli import get_argument_parser
    from snakemake.exceptions import CliException

    parser = get_argument_parser()

    def refuse(message: str) -> NoReturn:
        raise InputError(f"build: {printable(message.rstrip('.'))}. `snakemake --help` lists the options of a build.")

    parser.error = refuse
    parsed: argparse.Namespace
    try:
        parsed, unknown = parser.parse_known_args(words)
    except CliException as problem:
        refuse(str(problem))
    if unknown:
        raise InputError(f"build: {unrecognized(unknown, parser)}")
    return parsed


def _described(given: argparse.Namespace, folder: Path) -> list[str]:
    """Return the words with the recipe of a corpus in place of its path; the recipe is drafted where there is none.

    Raises:
        InputError: a corpus is given with a recipe, cannot be described, or its name is taken by another; or what is
            said of a corpus has none.
    """
    words = _targets_first(given.others, folder)
    parsed = _parsed(words)
    corpora = [target for target in parsed.targets if _is_corpus(target, folder)]
    said = [f"--{name}" for name in ("name", "column", "encoding") if getattr(given, name)]
    if not corpora:
        for target in parsed.targets:
            _expect_target(target, folder)
        if said:
            raise InputError(f"build: {said[0]} describes a corpus. Give its file or folder, too.")
        return words
    if parsed.configfile:
        raise InputError(f"build: {printable(corpora[0])} is a corpus. Expected it or --configfile, not both.")
    from authbench.app.cli import new
    from authbench.build.drafting.write import expect_described, name_of, recipe_path

    paths = [folder / target for target in corpora]
    name = given.name or name_of(paths)
    recipe = recipe_path(name)
    if recipe.is_file():
        if said := [one for one in said if one != "--name"]:
            raise InputError(f"build: {recipe} describes the corpus already. Change it, or leave out {said[0]}.")
        expect_described(name, paths)
    else:
        new.run(argparse.Namespace(**{**vars(given), "files": paths, "yes": True, "dry_run": False, "builds": True}))
    return [*(word for word in words if word not in corpora), "--configfile", str(recipe)]


def _is_corpus(target: str, folder: Path) -> bool:
    """Return whether a target is neither a rule nor a result, but a file or folder of texts."""
    path = folder / target
    return (
        target not in _rule_names()
        and path.exists()
        and not path.absolute().is_relative_to(folder.absolute() / "results")
    )


def _targets_first(given: Sequence[str], folder: Path) -> list[str]:
    """Return the words, with targets after the values of --config or --configfile moved to the front.

    >>> _targets_first(["--configfile", "mine.yaml", "release", "--config", "name=a", "pan"], Path())
    ['release', 'pan', '--configfile', 'mine.yaml', '--config', 'name=a']
    >>> _targets_first(["--cores", "2", "--", "release"], Path())
    ['release', '--cores', '2']
    """
    options = list(takewhile(lambda word: word != "--", given))
    targets, rest, option, values = list(given[len(options) + 1 :]), list[str](), "", 0
    for word in options:
        if word.startswith("-"):
            option, values = word, 0
        elif (option == "--configfile" and values and _is_target(word, folder)) or (
            option == "--config" and "=" not in word
        ):
            targets.append(word)
            continue
        else:
            values += 1
        rest.append(word)
    return [*targets, *rest]


def _is_target(word: str, folder: Path) -> bool:
    return Path(word).suffix not in SETTINGS_FILES and not (folder / word).is_file()


def _expect_settings(path: Path) -> None:
    """Raise InputError if a file cannot hold settings."""
    if path.suffix not in SETTINGS_FILES:
        raise InputError(
            f"--configfile {path}: expected settings in YAML or JSON ({', '.join(SETTINGS_FILES)}). {_CORPUS}"
        )
    if not path.is_file():
        raise InputError(f"--configfile {path}: there is no such file. Give the path from this folder.")
    read_yaml(path)


def _expect_target(target: str, folder: Path) -> None:
    """Raise InputError for a target that is neither a rule nor a possible file of results."""
    path, rules = folder / target, _rule_names()
    if target not in rules and not path.absolute().is_relative_to(folder.absolute() / "results"):
        there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError(
            f"build: {printable(target)!r} is neither a corpus that exists, nor a rule, nor a file of results"
            f"{did_you_mean(path.name, [*rules, *there])}"
        )


@cache
def _rule_names() -> frozenset[str]:
    files = [*shipped("project/workflow/rules").glob("*.smk"), shipped("project/workflow/Snakefile")]
    found = (
        re.findall(r"^(?:rule|checkpoint) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE) for file in files
    )
    return frozenset(chain.from_iterable(found))


def _profile(option: str, names: Sequence[str]) -> Path:
    """Return the file of the first profile that exists. Raises InputError if none does."""
    from snakemake.cli import get_profile_dir

    for name in names:
        if found := get_profile_dir(name):
            return Path(found[1])
    known, folder = ", ".join(_shipped_profiles()), shipped(f"project/{PROFILES}")
    raise InputError(f"{option} {names[0]}: there is no such profile. Profiles of the package: {known}, in {folder}/.")


def _workflow_profile(name: str, folder: Path) -> Path:
    """Return the file of a profile of the folder, else of the package."""
    bare = name.removeprefix(f"{PROFILES}/")
    package = [str(shipped(f"project/{PROFILES}/{bare}"))] if bare in _shipped_profiles() else []
    return _profile("--workflow-profile", [name, str(folder / name), str(folder / PROFILES / name), *package])


def _shipped_profiles() -> list[str]:
    return sorted(path.name for path in shipped(f"project/{PROFILES}").iterdir() if path.is_dir())


COMMANDS = {
    "build": Command(
        "build a benchmark from raw corpora, with any option of snakemake",
        arguments,
        run,
        True,
        "the run failed",
    )
}
