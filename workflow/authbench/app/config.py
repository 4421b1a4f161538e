"""Check the configuration, the sources and the raw files before a run starts.

A single message lists every problem, named in the reader's terms. Defaults are in config/config.yaml, and in
config/fidelity.yaml those that `fidelity` chooses; a recipe or `--config` overrides their keys. A run without sources
is the demo, whose recipe is then applied before these.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from authbench.app.config_checks import CHECKS
from authbench.build.ingest.settings import unknown_requirements, unusable_values
from authbench.build.raw_facts import RawFacts, read_facts, take_facts
from authbench.config.languages import languages
from authbench.config.registry import entries
from authbench.config.registry.checks import same_names
from authbench.config.registry.load import entry_name, is_path, list_entries, load_entry
from authbench.config.registry.source_entry import Source
from authbench.config.registry.sources import SOURCES
from authbench.config.registry.values import value_problems
from authbench.config.registry.yaml_lines import place_in
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable
from authbench.core.runtime.inventory import Digests, take_inventory
from authbench.core.shipped import shipped
from authbench.core.vocabulary import find_vocabulary
from authbench.core.words import did_you_mean, plural
from authbench.models.entries import ModelEntry, expect_language_model, expect_trainable, expect_vectors
from authbench.models.requested import load_model
from authbench.scoring.verifiers.requested import VerifierEntry, load_verifier
from authbench.suites.raven.checks import settings_problems as raven_problems
from authbench.suites.style.entries import ALL, DATASETS

FACTS = "raw.json"  # in `known_folder`
RUN_MARK = "AUTHBENCH_RUN_SETTINGS"  # environment variable that holds a mark of a run's settings
# Mappings whose keys are data: a recipe replaces them, while other mappings are merged key by key.
VOCABULARIES = {
    ("sample", "languages"),
    ("sample", "lengths"),
    ("sample", "genres"),
    ("sample", "prefer_sources"),
    ("split", "splits"),
}
DEMO = "config/recipes/demo.yaml"
_UNREAD = (".7z", ".rar", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")  # archives that no reader opens


@dataclass(frozen=True)
class Setup:
    """Hold the checked inputs of a run.

    Attributes:
        config: the settings, complete and checked.
        sources: the sources with raw files, by tag.
        inventory: the SHA-256 of their files; empty in a job that was told of them.
        raw: what a run knows of these files.
        skipped: the tags of the sources without files.
        models, verifiers: by the names that request them.
    """

    config: Config
    sources: dict[str, Source]
    inventory: dict[str, Digests]
    raw: RawFacts
    skipped: list[str]
    models: dict[str, ModelEntry]
    verifiers: dict[str, VerifierEntry]


def prepare(
    user: Mapping[str, object],
    root: Path,
    need_files: bool = True,
    recipes: Sequence[str | Path] = (),
    of_job: bool = False,
) -> Setup:
    """Return the checked configuration (`user` over the defaults), its sources and their raw files.

    Args:
        user: the settings, of these `recipes` and of the command line.
        root: the working directory.
        of_job: whether this is a job of a run, which has left there what it knows of its raw files.

    Raises:
        InputError: the list of all problems: of the settings, of the entries, and, if `need_files`, of missing files.
    """
    config, problems = _load_config(user, root)
    sources, more = _load_sources(config, root)
    problems += more
    problems += unknown_requirements(config, sources.values())
    problems += _without_vocabulary()
    models, more = _find_models(config, root)
    problems += more
    verifiers, more = _find_verifiers(config, root)
    problems += more
    problems += _unknown_datasets(config, root)
    problems += raven_problems(config["raven"], root)
    raw_dir, known = root / config["raw_dir"], known_folder(root, config)
    inventory: dict[str, Digests] = {}
    if of_job and (known / FACTS).exists():
        raw = read_facts(known / FACTS)
    else:
        inventory = take_inventory(raw_dir, {tag: one.files for tag, one in sources.items()}, known / "inventory.json")
        inventory = {tag: files for tag, files in inventory.items() if files}
        raw = take_facts(raw_dir, {tag: sources[tag] for tag in inventory}, inventory, config["shards"], known)
    skipped = [tag for tag in sources if tag not in raw.inputs]
    if need_files and skipped and (config["missing_sources"] == "error" or len(skipped) == len(config["sources"])):
        problems += [_missing(sources[tag], raw_dir) for tag in skipped]
        if config["missing_sources"] == "error":
            problems.append("missing_sources=skip builds without the sources that have no files")
    if need_files and config["acquire"]["unverified"] == "stop":
        problems += [f"acquire.unverified=stop: {message}" for message in raw.lock.messages()]
    if problems:
        raise refused([_placed(problem, [root / recipe for recipe in recipes]) for problem in problems])
    present = {tag: source for tag, source in sources.items() if tag in raw.inputs}
    return Setup(config, present, inventory, raw, skipped, models, verifiers)


def refused(problems: Sequence[str]) -> InputError:
    """Return the error that lists all problems which keep a run from starting."""
    lines = [f"Nothing was run: {plural(len(problems), 'problem')} to mend", *(f"  {problem}" for problem in problems)]
    return InputError(printable("\n".join(lines), keep="\n"))


def known_folder(root: Path, config: Config) -> Path:
    """Return the folder of what a run knows of its files before its first job, which later runs need not find again."""
    return root / ".snakemake/authbench" / config["name"]


def possible_languages(config: Config, sources: Mapping[str, Source]) -> list[str]:
    """Return the possible languages of sampled texts: those with a share, or else all that the sources may give."""
    if config["sample"]["languages"] is not None:
        return sorted(config["sample"]["languages"])
    if config["ingest"]["other_languages"] == "drop":
        return []
    offered = [source.languages for source in sources.values()]
    if None in offered:
        return sorted(code for code, language in languages().items() if language.scripts)
    return sorted(set[str]().union(*(named or () for named in offered)))


def expect_settings_of_run(setup: Setup, starts_run: bool) -> None:
    """Verify, in a cluster job that reads the configuration again, that it is unchanged since the run began.

    A run leaves a mark of its settings and sources in the environment, which its jobs inherit.

    Raises:
        InputError: the configuration has changed since the run began.
    """
    stated = [setup.config, {tag: source.entry for tag, source in setup.sources.items()}]
    mark = hashlib.sha256(json.dumps(stated, sort_keys=True, default=str).encode()).hexdigest()[:16]
    if starts_run:
        os.environ[RUN_MARK] = mark
    elif os.environ.get(RUN_MARK, mark) != mark:
        raise InputError(
            "The settings, or the config entry of a source, have changed since this run began, so that its release "
            "would state others than it was made with. Run the same command again: what they affect is made anew."
        )


def demo_settings(fidelity: object = None) -> entries.Settings:
    """Return all settings of the demo: its recipe over the defaults."""
    return cast(entries.Settings, _merge(_defaults(fidelity), entries.read_yaml(shipped(DEMO))))


def _defaults(fidelity: object) -> dict[str, object]:
    """Return the default settings, with those that `fidelity` chooses."""
    return cast(JsonObject, _merge(entries.default_settings(), entries.fidelity_settings(str(fidelity))))


def _load_config(user: Mapping[str, object], root: Path) -> tuple[Config, list[str]]:
    defaults = _defaults(user.get("fidelity"))
    if user.get("sources") is None:
        # A full copy of config.yaml states every default: only differences from the defaults count as requested.
        stated = _without(user, cast(dict[str, object], entries.default_settings())) if "sources" in user else user
        config, problems = _completed(stated, demo_settings(user.get("fidelity")), root)
        return config, [*_without_sources(stated), *problems]
    return _completed(user, defaults, root)


def _without_sources(user: Mapping[str, object]) -> Iterator[str]:
    """Yield the problem of settings that name a benchmark but no sources: they would make the demo under its name.

    RAVEN on documents named in the settings needs no sources.
    """
    demo, raven = demo_settings()["name"], user.get("raven")
    if str(name := user.get("name", demo)) != demo and not (isinstance(raven, Mapping) and raven.get("documents")):
        yield (
            f"name={name}: no sources are given. Pass the recipe of this benchmark, too (--configfile RECIPE.yaml; "
            f"for the demo's sources --configfile {DEMO}), or sources; without a name the demo is built"
        )


def _without(user: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that differ from the defaults."""
    rest: dict[str, object] = {}
    for key, value in user.items():
        default = defaults.get(key)
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            if inner := _without(value, default):
                rest[key] = inner
        elif key not in defaults or _as_in_yaml(value) != default:
            rest[key] = value
    return rest


def _completed(user: Mapping[str, object], defaults: entries.Settings, root: Path) -> tuple[Config, list[str]]:
    """Return the settings of a user over `defaults`, with their problems."""
    unusable = list(value_problems(user))
    sections = {section for section, _ in unusable}
    config = _merge(defaults, {key: value for key, value in user.items() if str(key) not in sections})
    problems = [problem for _, problem in unusable]
    if _as_in_yaml(user) != user:
        _read_numbers(config)
    for section, problem in entries.schema_problems(config, Config):
        if section not in sections:
            problems.append(problem)
        if section in defaults:
            config[section] = [] if section == "sources" else defaults[section]
    if config["raw_dir"] == demo_settings()["raw_dir"] and not (root / config["raw_dir"]).exists():
        config["raw_dir"] = str(shipped("demo/raw"))  # the demo works in any folder
    checked = cast(Config, config)  # values that do not fit the schema have been replaced by defaults
    return checked, problems + [problem for check in CHECKS for problem in check(checked)]


def _read_numbers(config: entries.Settings) -> None:
    """Replace invalid texts by their YAML values: the command line gives numbers as text if a word is also allowed."""
    for place in entries.refused_texts(config, Config):
        holder: Any = config
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = _as_in_yaml(holder[place[-1]])


def _without_vocabulary() -> list[str]:
    try:
        find_vocabulary()
    except InputError as problem:
        return [str(problem)]
    return []


def _load_sources(config: Config, root: Path) -> tuple[dict[str, Source], list[str]]:
    """Return the usable sources of the recipe by tag, and the problems of the others."""
    sources: dict[str, Source] = {}
    problems: list[str] = []
    requests = config["sources"]
    known = list_entries(SOURCES, root)
    problems += same_names("sources", "sources", map(entry_name, requests))
    for requested in requests:
        try:
            source = load_entry(SOURCES, requested, root)
            sources[source.tag] = source
            where = requested if is_path(requested) else f"config/sources/{requested}.yaml"
            file = root / requested if is_path(requested) else known[requested]
            problems += [f"{where}{place_in(file, problem)}: {problem}" for problem in unusable_values(config, source)]
        except InputError as problem:
            lines = str(problem).split("\n")
            problems += [line if line.startswith(("config/", requested)) else f"sources: {line}" for line in lines]
    for pattern, preferred in config["sample"]["prefer_sources"].items():
        for tag in sorted(set(preferred) - set(known) - set(sources)):
            problems.append(f"sample.prefer_sources.{pattern}: unknown source '{tag}'{did_you_mean(tag, known)}")
    return sources, problems or list(_unmet_quotas(config, sources))


def _find_models(config: Config, root: Path) -> tuple[dict[str, ModelEntry], list[str]]:
    """Return the models to evaluate or train, by the names that request them, and the problems of the others."""
    models: dict[str, ModelEntry] = {}
    problems = []
    expected: dict[str, Callable[[ModelEntry], object]] = {
        "style.models": expect_vectors,
        "train.models": expect_trainable,
        "evaluate.familiarity": expect_language_model,
    }
    requested = [("evaluate.models", name) for name in config["evaluate"]["models"]]
    requested += [("style.models", name) for name in config["style"]["models"]]
    requested += [("train.models", name) for name in config["train"]["models"]]
    if config["evaluate"]["familiarity"] is not None:
        requested.append(("evaluate.familiarity", config["evaluate"]["familiarity"]))
    for place, name in requested:
        try:
            models[name] = models.get(name) or load_model(name, root)
            if place in expected:
                expected[place](models[name])
        except InputError as problem:
            problems.append(f"{place}: {problem}")
    for section in ("evaluate", "style", "train"):
        found = [models[name].name if name in models else entry_name(name) for name in config[section]["models"]]
        problems += same_names(f"{section}.models", "models", found)
    return models, problems


def _find_verifiers(config: Config, root: Path) -> tuple[dict[str, VerifierEntry], list[str]]:
    """Return the verifiers that score pairs, by the names that request them, and the problems of the others."""
    verifiers: dict[str, VerifierEntry] = {}
    problems = []
    for name in config["pan"]["verifiers"]:
        try:
            verifiers[name] = load_verifier(name, root)
        except InputError as problem:
            problems.append(f"pan.verifiers: {problem}")
    found = [verifiers[name].name if name in verifiers else entry_name(name) for name in config["pan"]["verifiers"]]
    return verifiers, problems + list(same_names("pan.verifiers", "verifiers", found))


def _unknown_datasets(config: Config, root: Path) -> Iterator[str]:
    for name in config["style"]["datasets"]:
        try:
            if name != ALL:
                load_entry(DATASETS, name, root)
        except InputError as problem:
            yield f"style.datasets: {problem}"


def _placed(problem: str, recipes: Sequence[Path]) -> str:
    """Return a problem with the recipe, and the line, that has its keys: the last recipe if several have them."""
    for recipe in reversed(recipes):
        if place := place_in(recipe, problem):
            return f"{os.path.relpath(recipe)}{place}: {problem}"
    return problem


def _missing(source: Source, raw_dir: Path) -> str:
    patterns, folder = ", ".join(source.files.patterns), raw_dir / source.files.folder
    packed = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(_UNREAD) and path.is_file())
    if packed:
        return (
            f"{source.tag}: {packed[0]} is packed in a form that is not read ({len(packed)} such). Unpack it beside "
            f"itself (7z x, unrar x or tar xf), so that files fit {patterns}"
        )
    return f"{source.tag}: no file fits {patterns} in {folder}/. To get it: {source.acquire.how}"


def _merge(defaults: object, user: object, place: tuple[str, ...] = ()) -> Any:
    if place in VOCABULARIES or not (isinstance(defaults, Mapping) and isinstance(user, Mapping)):
        return user if isinstance(defaults, str) and user != "null" else _as_in_yaml(user)
    merged = dict(defaults)
    for key, value in user.items():
        merged[key] = _merge(defaults[key], value, (*place, str(key))) if key in defaults else value
    return merged


def _as_in_yaml(value: object) -> object:
    """Return a value as a file would give it: for `--config filter={symbols: 0.4}` Snakemake passes the text "0.4"."""
    if isinstance(value, Mapping):
        return {key: _as_in_yaml(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_in_yaml(inner) for inner in value]
    plain = value
    if isinstance(value, str) and re.fullmatch(r"[-+.\w]+", value):
        with suppress(ValueError):  # an invalid date is text
            plain = yaml.safe_load(value)
    return plain if isinstance(plain, int | float | None) else value


def _unmet_quotas(config: Config, sources: Mapping[str, Source]) -> Iterator[str]:
    """Yield every language that has a quota but no source in the recipe."""
    offered: set[str] = set()
    for source in sources.values():
        if source.languages is None:
            return
        offered |= source.languages
    for language, share in (config["sample"]["languages"] or {}).items():
        if share > 0 and language not in offered:
            yield f"sample.languages.{language}: {share} % is asked for, but no source of the recipe has this language"
