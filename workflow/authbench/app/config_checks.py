"""Check the settings of a configuration beyond its schema."""

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import util
from pathlib import Path

from authbench.build.chunk.retag import read_retags
from authbench.build.dedup.settings import choose_bands, dedup_problems
from authbench.build.filter.exclusions import review_problems
from authbench.build.filter.settings import filter_problems
from authbench.build.ingest.settings import ingest_problems
from authbench.build.release.takedown import read_takedown
from authbench.config.plugins import load_metric, plugin_problems
from authbench.config.registry import checks
from authbench.config.settings.config import Config
from authbench.config.settings.publish import FORMS
from authbench.config.settings.sample import Sample
from authbench.core.errors import InputError
from authbench.core.records import LANGUAGES, OTHER, is_language_code
from authbench.core.words import did_you_mean
from authbench.release.format.names import split_problem
from authbench.release.format.release import read_lock
from authbench.scoring.people.verdicts import read_verdicts
from authbench.suites.style.redundancy import read_clusters

SPLITS_TOGETHER = "all"  # Hugging Face's name for all splits together
_LENGTHS = ("short", "medium", "long", "extra_long")


def sample_problems(config: Config) -> Iterator[str]:
    yield from _sample_shares(config)
    yield from _documents_per_author(config["sample"])
    for pattern in config["sample"]["prefer_sources"]:
        yield from checks.unknown_genre("sample.prefer_sources", pattern, config["ingest"]["genres"])


def _sample_shares(config: Config) -> Iterator[str]:
    sample = config["sample"]
    others = config["ingest"]["other_languages"] == "keep"
    for section, stated in (("languages", sample["languages"]), ("lengths", sample["lengths"])):
        if stated is not None:
            yield from checks.unbalanced_shares(f"sample.{section}", stated)
    for section, of_languages in (("languages", sample["languages"]), ("genres", sample["genres"])):
        for language in of_languages or ():
            if language not in LANGUAGES and not (others and (language == OTHER or is_language_code(language))):
                yield f"sample.{section}: unknown language '{language}'{_meant(language, others)}"
    for language, shares in (sample["genres"] or {}).items():
        yield from checks.unbalanced_shares(f"sample.genres.{language}", shares)
        for pattern in shares:
            yield from checks.unknown_genre(f"sample.genres.{language}", pattern, config["ingest"]["genres"])
    for bucket in sample["lengths"] or ():
        if bucket not in _LENGTHS:
            yield f"sample.lengths: unknown bucket '{bucket}', expected {', '.join(_LENGTHS)}"


def _meant(language: str, others: bool) -> str:
    """Return the language to suggest instead of a language that no text has."""
    if not others and (language == OTHER or is_language_code(language)):
        return "; languages beside the ten need ingest.other_languages: keep"
    return did_you_mean(language, LANGUAGES)


def _documents_per_author(sample: Sample) -> Iterator[str]:
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


def safety_problems(config: Config) -> Iterator[str]:
    safety = config["safety"]
    for pattern in safety["exempt_genres"]:
        yield from checks.unknown_genre("safety.exempt_genres", pattern)
    yield from checks.unreadable_file("safety.wordlist.extra", safety["wordlist"]["extra"], _read_lists)
    detoxify = safety["detoxify"]
    yield from checks.missing_file("safety.detoxify.checkpoint", detoxify["checkpoint"])
    yield from checks.missing_folder("safety.detoxify.huggingface_config_path", detoxify["huggingface_config_path"])
    if "detoxify" in safety["scorers"] and util.find_spec("detoxify") is None:
        yield "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]', or take wordlist"


def _read_lists(path: str) -> object:
    from authbench.build.safety.wordlist import read_word_lists

    return read_word_lists(Path(path))


def split_problems(config: Config) -> Iterator[str]:
    split = config["split"]
    yield from checks.unbalanced_shares("split.splits", split["splits"])
    for name in ("train", "dev", "test"):
        others = [given for given in split["splits"] if given != name]
        if name not in split["splits"] and (close := get_close_matches(name, others, 1, 0.7)):
            yield f"split.splits: '{close[0]}' looks like '{name}'"
    for name in sorted(split["splits"]):
        if problem := "the name of all splits together" if name == SPLITS_TOGETHER else split_problem(name):
            yield f"split.splits: '{name}' is taken ({problem}); choose another name"
    if config["evaluate"]["models"] and config["evaluate"]["split"] not in split["splits"]:
        yield (
            f"evaluate.split: '{config['evaluate']['split']}' is no split; expected one of {', '.join(split['splits'])}"
        )
    try:
        choose_bands(min(split["leak_threshold"], config["dedup"]["threshold"]))
    except InputError as problem:
        yield f"split.leak_threshold: {problem}"
    yield from checks.unreadable_file("split.lock", split["lock"], read_lock)


def chunk_problems(config: Config) -> Iterator[str]:
    chunk = config["chunk"]
    shortest, longest = chunk["extra_long_tokens"]
    if not chunk["remainder_tokens"] <= chunk["min_tokens"] <= chunk["max_tokens"] < shortest <= longest:
        yield "chunk: expected remainder_tokens <= min_tokens <= max_tokens < extra_long_tokens in order"
    yield from checks.unreadable_file("chunk.retag", chunk["retag"], read_retags)


def _unreadable_files(config: Config) -> Iterator[str]:
    """Yield the problems of files of which nothing else is checked."""
    yield from checks.unreadable_file("release.takedown", config["release"]["takedown"], read_takedown)
    for path in config["people"]["verdicts"]:
        yield from checks.unreadable_file("people.verdicts", path, read_verdicts)
    yield from checks.unreadable_file(
        "style.clusters", config["style"]["clusters"], lambda path: read_clusters(Path(path))
    )


def _missing_plugins(config: Config) -> Iterator[str]:
    """Yield the names that are neither built in nor of an installed plug-in, and metrics that are not usable."""
    yield from plugin_problems("publish.forms", "exports", config["publish"]["forms"], FORMS)
    for name in config["evaluate"]["metrics"]:
        try:
            load_metric(name)
        except InputError as problem:
            yield f"evaluate.metrics: {problem}"


# Checks beyond a schema, stage by stage; each yields all problems with the settings of its stage.
CHECKS: tuple[Callable[[Config], Iterator[str]], ...] = (
    ingest_problems,
    chunk_problems,
    dedup_problems,
    filter_problems,
    sample_problems,
    safety_problems,
    split_problems,
    review_problems,
    _unreadable_files,
    _missing_plugins,
)
