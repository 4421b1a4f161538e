"""What does the user want, and is it possible?

Everything is checked before anything runs, and one message lists every problem, named as the reader would look
for it. Defaults stand in config/config.yaml; a recipe or `--config` overrides keys of it.
"""

import difflib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from authbench.dedup.settings import weakness
from authbench.errors import InputError
from authbench.export.licences import wrong_with as wrong_with_licence
from authbench.models.entries import MODELS, ModelEntry, expect_distinct_names, expect_trainable, expect_vectors
from authbench.raven.checks import settings_problems as raven_problems
from authbench.raven.settings import RavenSettings
from authbench.records import LANGUAGES, OTHER, PRIMARY_GENRES, primary_genre
from authbench.registry.entries import Settings, did_you_mean, read_yaml, schema_problems
from authbench.registry.load import load_entry
from authbench.runtime.inventory import Digests, take_inventory
from authbench.shipped import shipped
from authbench.storage.json_files import read_json, write_json
from authbench.verifiers.entries import VERIFIERS, VerifierEntry
from authbench.vocabulary import find_vocabulary

# Mappings whose keys are data: a recipe that gives one replaces it, where other mappings are merged key by key.
VOCABULARIES = {
    ("sample", "languages"),
    ("sample", "lengths"),
    ("sample", "genres"),
    ("sample", "prefer_sources"),
    ("split", "splits"),
}


@dataclass(frozen=True)
class Setup:
    """What a run stands on: the settings, the sources that have files, the digests of those files, and the models and
    verifiers by the names that ask for them."""

    config: Settings
    sources: dict[str, Settings]
    inventory: dict[str, Digests]
    skipped: list[str]
    models: dict[str, ModelEntry]
    verifiers: dict[str, VerifierEntry]


def prepare(user: Mapping[str, Any], root: Path, need_files: bool = True) -> Setup:
    """Return the checked configuration (`user` over the defaults), its sources and their raw files.

    Args:
        user: settings that replace defaults.
        root: the working directory: relative paths and the user's own `config` are below it.
        need_files: whether missing raw files are a problem.

    Raises:
        InputError: a list of all problems of the settings, the sources' entries and the raw files.
    """
    config, problems = _load_config(user, root)
    sources, more = _load_sources(config, root)
    problems += more
    problems += _without_vocabulary()
    models, more = _find_models(config, root)
    problems += more
    verifiers, more = _find_verifiers(config, root)
    problems += more
    problems += raven_problems(RavenSettings.from_section(config["raven"]), root)
    raw_dir = root / config["raw_dir"]
    inventory = take_inventory(raw_dir, sources, root / f"results/{config['name']}/inventory.json")
    skipped = [tag for tag in sources if not inventory[tag]]
    if need_files and skipped and (config["missing_sources"] == "error" or len(skipped) == len(config["sources"])):
        problems += [_missing(tag, sources[tag], raw_dir) for tag in skipped]
        problems.append("missing_sources=skip builds without the sources that have no files")
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise InputError("\n".join([f"Nothing was run: {count} to mend", *(f"  {problem}" for problem in problems)]))
    present = {tag: source for tag, source in sources.items() if tag not in skipped}
    return Setup(config, present, {tag: inventory[tag] for tag in present}, skipped, models, verifiers)


def _load_config(user: Mapping[str, Any], root: Path) -> tuple[Settings, list[str]]:
    defaults = read_yaml(shipped("config/config.yaml"))
    config = _merge(defaults, user)
    if config["raw_dir"] == defaults["raw_dir"] and not (root / config["raw_dir"]).exists():
        config["raw_dir"] = str(shipped("demo/raw"))  # the demo works in any folder
    problems = []
    for section, problem in schema_problems(config, shipped("schemas/config.schema.yaml")):
        problems.append(problem)
        if section in defaults:
            config[section] = defaults[section]
    return config, problems + list(_contradictions(config))


def _without_vocabulary() -> list[str]:
    try:
        find_vocabulary()
    except InputError as problem:
        return [str(problem)]
    return []


def _load_sources(config: Settings, root: Path) -> tuple[dict[str, Settings], list[str]]:
    known = _entries("sources", root)
    sources: dict[str, Settings] = {}
    problems: list[str] = []
    for tag in config["sources"]:
        place = f"config/sources/{tag}.yaml"
        if tag not in known:
            problems.append(f"sources: there is no {place}{did_you_mean(tag, known)}")
            continue
        source = read_yaml(known[tag])
        found = list(schema_problems(source, shipped("schemas/source.schema.yaml")))
        problems += [f"{place}: {problem}" for _, problem in found]
        if not found:
            sources[tag] = source
            if wrong := wrong_with_licence(source["license"]["name"]):
                problems.append(f"{place}: license.name: {wrong}")
    for pattern, preferred in config["sample"]["prefer_sources"].items():
        for tag in sorted(set(preferred) - set(known)):
            problems.append(f"sample.prefer_sources.{pattern}: unknown source '{tag}'{did_you_mean(tag, known)}")
    if not problems:
        problems += list(_unmet_quotas(config, sources))
    return sources, problems


def _entries(kind: str, root: Path) -> dict[str, Path]:
    """Return the files of the entries of a kind by name: the user's own over those that are shipped."""
    folders = (shipped(f"config/{kind}"), root / "config" / kind)
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}


def _find_models(config: Settings, root: Path) -> tuple[dict[str, ModelEntry], list[str]]:
    """Return the models that are evaluated or trained, by what requests them, and what is wrong with the others."""
    models: dict[str, ModelEntry] = {}
    problems = []
    expected: dict[str, Callable[[ModelEntry], None]] = {
        "style.models": expect_vectors,
        "train.model": expect_trainable,
    }
    requested = [("evaluate.models", name) for name in config["evaluate"]["models"]]
    requested += [("style.models", name) for name in config["style"]["models"]]
    for place, name in [*requested, ("train.model", config["train"]["model"])]:
        try:
            models[name] = models.get(name) or load_entry(MODELS, name, root)
            if place in expected:
                expected[place](models[name])
        except InputError as problem:
            problems.append(f"{place}: {problem}")
    try:
        expect_distinct_names(models[name] for name in config["evaluate"]["models"] if name in models)
    except InputError as problem:
        problems.append(f"evaluate.models: {problem}")
    return models, problems


def _find_verifiers(config: Settings, root: Path) -> tuple[dict[str, VerifierEntry], list[str]]:
    """Return the verifiers that answer pairs, by what requests them, and what is wrong with the others."""
    verifiers, problems = {}, []
    for name in config["pan"]["verifiers"]:
        try:
            verifiers[name] = load_entry(VERIFIERS, name, root)
        except InputError as problem:
            problems.append(f"pan.verifiers: {problem}")
    return verifiers, problems


def _missing(tag: str, source: Settings, raw_dir: Path) -> str:
    folder = raw_dir / source.get("folder", tag)
    how = source.get("acquire", {}).get("how", "see the source's YAML")
    return f"{tag}: no file fits {', '.join(source['files'])} in {folder}/. To get it: {how}"


def record_setup(setup: Setup, path: Path) -> None:
    """Keep the whole setup as JSON: {config, sources, inventory, skipped}; an equal file is left as it is."""
    told = asdict(replace(setup, models={}, verifiers={}))
    del told["models"], told["verifiers"]
    with suppress(InputError, FileNotFoundError):
        if read_json(path) == told:
            return
    write_json(path, told)


def _merge(defaults: Any, user: Any, place: tuple[str, ...] = ()) -> Any:
    if place in VOCABULARIES or not (isinstance(defaults, Mapping) and isinstance(user, Mapping)):
        return user if isinstance(defaults, str) else _as_in_yaml(user)
    merged = dict(defaults)
    for key, value in user.items():
        merged[key] = _merge(defaults[key], value, (*place, str(key))) if key in defaults else value
    return merged


def _as_in_yaml(value: Any) -> Any:
    """A value as a file would give it: of `--config filter={symbols: 0.4}` Snakemake hands on the text "0.4"."""
    if isinstance(value, Mapping):
        return {key: _as_in_yaml(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_in_yaml(inner) for inner in value]
    plain = yaml.safe_load(value) if isinstance(value, str) and re.fullmatch(r"[-+.\w]+", value) else value
    return plain if isinstance(plain, int | float | None) else value


def _contradictions(config: Settings) -> Iterator[str]:
    """What a schema cannot say."""
    sample, split, chunk, filters = (config[part] for part in ("sample", "split", "chunk", "filter"))
    for place, shares in _share_tables(config):
        if abs(sum(shares.values()) - 100) > 1e-6:
            yield f"{place}: the shares add up to {sum(shares.values()):g}, expected 100"
    languages = [*LANGUAGES, *([OTHER] if config["ingest"]["other_languages"] == "keep" else [])]
    for language in sample["languages"]:
        if language not in languages:
            yield f"sample.languages: unknown language '{language}'{did_you_mean(language, languages)}"
    for language, patterns in sample["genres"].items():
        if language not in languages:
            yield f"sample.genres: unknown language '{language}'{did_you_mean(language, languages)}"
        for pattern in patterns:
            yield from _unknown_genre(f"sample.genres.{language}", pattern)
    for language in sorted(set(sample["languages"]) - set(sample["genres"])):
        yield f"sample.genres: no genre shares for '{language}', which has a share of the documents"
    for bucket in sample["lengths"]:
        if bucket not in ("short", "medium", "long", "extra_long"):
            yield f"sample.lengths: unknown bucket '{bucket}', expected short, medium, long, extra_long"
    for pattern in [*config["safety"]["exempt_genres"], *sample["prefer_sources"]]:
        yield from _unknown_genre("safety.exempt_genres, sample.prefer_sources", pattern)
    low, high = sample["min_documents_per_author"], sample["max_documents_per_author"]
    if not low <= high <= sample["reservoir"]:
        yield (
            "sample: expected min_documents_per_author <= max_documents_per_author <= reservoir, "
            f"found {low}, {high}, {sample['reservoir']}"
        )
    if sample["min_origins"] > high:
        yield f"sample.min_origins: expected at most {high} (max_documents_per_author), found {sample['min_origins']}"
    fallback = sample["fallback_documents_per_author"]
    if fallback is not None and fallback >= low:
        yield f"sample.fallback_documents_per_author: expected less than {low} (min_documents_per_author), or null"
    shortest, longest = chunk["extra_long_tokens"]
    if not chunk["remainder_tokens"] <= chunk["min_tokens"] <= chunk["max_tokens"] < shortest <= longest:
        yield "chunk: expected remainder_tokens <= min_tokens <= max_tokens < extra_long_tokens in order"
    if filters["min_tokens"] > filters["max_tokens"]:
        yield "filter: min_tokens is larger than max_tokens"
    if weak := weakness(*(config["dedup"][key] for key in ("threshold", "bands", "rows"))):
        yield weak
    for name in ("train", "dev", "test"):
        near = [split_name for split_name in split["splits"] if split_name != name]
        if name not in split["splits"] and (close := difflib.get_close_matches(name, near, 1, 0.7)):
            yield f"split.splits: '{close[0]}' looks like '{name}'"
    variable = config["ingest"]["author_key_env"]
    if variable and not os.environ.get(variable):
        yield f"ingest.author_key_env: the environment variable {variable} is not set"
    for place, path in (
        ("split.lock", split["lock"]),
        ("release.takedown", config["release"]["takedown"]),
        ("filter.exclude", config["filter"]["exclude"]),
        ("style.clusters", config["style"]["clusters"]),
        ("safety.wordlist.extra", config["safety"]["wordlist"]["extra"]),
        ("safety.detoxify.checkpoint", config["safety"]["detoxify"]["checkpoint"]),
        ("safety.detoxify.huggingface_config_path", config["safety"]["detoxify"]["huggingface_config_path"]),
    ):
        if path is not None and not Path(path).exists():
            yield f"{place}: there is no file {path}"
    if config["filter"]["exclude"] and Path(config["filter"]["exclude"]).is_file():
        from authbench.review.exclusions import read_exclusions

        try:
            read_exclusions(config["filter"]["exclude"])
        except InputError as problem:
            yield f"filter.exclude: {problem}"
    if "detoxify" in config["safety"]["scorers"]:
        from importlib.util import find_spec

        if find_spec("detoxify") is None:
            yield "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]', or take wordlist"


def _share_tables(config: Settings) -> Iterator[tuple[str, Mapping[str, float]]]:
    yield "sample.languages", config["sample"]["languages"]
    yield "sample.lengths", config["sample"]["lengths"]
    yield "split.splits", config["split"]["splits"]
    for language, shares in config["sample"]["genres"].items():
        yield f"sample.genres.{language}", shares


def _unknown_genre(place: str, pattern: str) -> Iterator[str]:
    if primary_genre(pattern) not in PRIMARY_GENRES and pattern != "*":
        yield f"{place}: unknown genre '{pattern}'{did_you_mean(primary_genre(pattern), PRIMARY_GENRES)}"


def _unmet_quotas(config: Settings, sources: Mapping[str, Settings]) -> Iterator[str]:
    """A quota for a language that no source of the recipe can give."""
    offered: set[str] = set()
    for source in sources.values():
        given = source_languages(source)
        if given is None:
            return
        offered |= given
    for language, share in config["sample"]["languages"].items():
        if share > 0 and language not in offered:
            yield f"sample.languages.{language}: {share} % is asked for, but no source of the recipe has this language"


def source_languages(source: Mapping[str, Any]) -> set[str] | None:
    """The languages a source's YAML can yield; None where the corpus' own field decides."""
    lang = source["fields"]["lang"]
    if isinstance(lang, Mapping) and "const" in lang:
        return {lang["const"]}
    if isinstance(lang, Mapping) and "map" in lang and "*" not in lang["map"]:
        return {str(value) for value in lang["map"].values()}
    return None
