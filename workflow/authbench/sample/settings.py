"""Check the settings of sampling."""

from collections.abc import Iterator

from authbench.records import LANGUAGES, OTHER
from authbench.registry.checks import unbalanced_shares, unknown_genre
from authbench.registry.entries import Settings, did_you_mean

LENGTHS = ("short", "medium", "long", "extra_long")


def sample_problems(config: Settings) -> Iterator[str]:
    yield from _shares(config)
    yield from _numbers(config["sample"])
    for pattern in config["sample"]["prefer_sources"]:
        yield from unknown_genre("sample.prefer_sources", pattern)


def _shares(config: Settings) -> Iterator[str]:
    sample = config["sample"]
    languages = [*LANGUAGES, *([OTHER] if config["ingest"]["other_languages"] == "keep" else [])]
    for section in ("languages", "lengths"):
        yield from unbalanced_shares(f"sample.{section}", sample[section])
    for section in ("languages", "genres"):
        for language in sample[section]:
            if language not in languages:
                yield f"sample.{section}: unknown language '{language}'{did_you_mean(language, languages)}"
    for language, shares in sample["genres"].items():
        yield from unbalanced_shares(f"sample.genres.{language}", shares)
        for pattern in shares:
            yield from unknown_genre(f"sample.genres.{language}", pattern)
    for language in sorted(set(sample["languages"]) - set(sample["genres"])):
        yield f"sample.genres: no genre shares for '{language}', which has a share of the documents"
    for bucket in sample["lengths"]:
        if bucket not in LENGTHS:
            yield f"sample.lengths: unknown bucket '{bucket}', expected {', '.join(LENGTHS)}"


def _numbers(sample: Settings) -> Iterator[str]:
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
