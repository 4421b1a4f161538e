"""Check the settings of sampling."""

from collections.abc import Iterator

from authbench.records import LANGUAGES, OTHER, is_language_code
from authbench.registry.checks import unbalanced_shares, unknown_genre
from authbench.registry.values import did_you_mean
from authbench.settings.config import Config
from authbench.settings.sample import Sample

LENGTHS = ("short", "medium", "long", "extra_long")


def sample_problems(config: Config) -> Iterator[str]:
    yield from _shares(config)
    yield from _numbers(config["sample"])
    for pattern in config["sample"]["prefer_sources"]:
        yield from unknown_genre("sample.prefer_sources", pattern, config["ingest"]["genres"])


def _shares(config: Config) -> Iterator[str]:
    sample = config["sample"]
    others = config["ingest"]["other_languages"] == "keep"
    for section, stated in (("languages", sample["languages"]), ("lengths", sample["lengths"])):
        if stated is not None:
            yield from unbalanced_shares(f"sample.{section}", stated)
    for section, of_languages in (("languages", sample["languages"]), ("genres", sample["genres"])):
        for language in of_languages or ():
            if language not in LANGUAGES and not (others and (language == OTHER or is_language_code(language))):
                yield f"sample.{section}: unknown language '{language}'{_meant(language, others)}"
    for language, shares in (sample["genres"] or {}).items():
        yield from unbalanced_shares(f"sample.genres.{language}", shares)
        for pattern in shares:
            yield from unknown_genre(f"sample.genres.{language}", pattern, config["ingest"]["genres"])
    for bucket in sample["lengths"] or ():
        if bucket not in LENGTHS:
            yield f"sample.lengths: unknown bucket '{bucket}', expected {', '.join(LENGTHS)}"


def _meant(language: str, others: bool) -> str:
    """Return the language to suggest instead of a language that no text has."""
    if not others and (language == OTHER or is_language_code(language)):
        return "; languages beside the ten need ingest.other_languages: keep"
    return did_you_mean(language, LANGUAGES)


def _numbers(sample: Sample) -> Iterator[str]:
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
