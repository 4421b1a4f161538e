"""Check which settings two releases must share to be merged, and compute the merged settings.

Settings that affect a document's text, author, length or comparison must be equal: otherwise a text could become two
documents, or a person two authors. Settings that only select documents may differ: the manifest records each part's
settings, and the merged release states the looser value.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from authbench.checking.settings import loosest
from authbench.settings.data import DataConfig

Settings = Mapping[str, Any]
# The amount and origin of data, and settings that affect neither text nor author.
_FREE = frozenset(
    {
        *("name", "sources", "seed", "ingest.genres", "ingest.max_bad_rows", "ingest.max_record_bytes"),
        *("dedup.comparisons_per_document", "release.takedown", "release.queries_per_author", "split.lock"),
    }
)
_FREE_SECTIONS = ("split.splits.", "split.bridge.", "filter.", "safety.", "sample.")
_MUST_AGREE = frozenset({"filter.preset", "sample.length_bins"})  # exceptions there: measures and classes
_CHOOSING = ("filter", "safety", "sample", "release.queries_per_author")
_NO_TARGETS: Settings = {
    "documents": None,
    "languages": None,
    "lengths": None,
    "genres": None,
    "prefer_sources": {},
}


def differing(first: Settings, second: Settings) -> Iterator[str]:
    """Yield a line for each setting that must be equal but differs."""
    ours, theirs = dict(_flat(first)), dict(_flat(second))
    for key in sorted(ours.keys() | theirs.keys()):
        if _must_agree(key) and ours.get(key) != theirs.get(key):
            yield f"{key} is {ours.get(key)!r:.60} and {theirs.get(key)!r:.60}"
    if first["dedup"].get("unique"):
        yield "dedup.unique is set, and a merge does not compare the fields of texts"


def merged_config(name: str, first: DataConfig, second: DataConfig) -> DataConfig:
    """Return the settings of a merged release.

    They are the first's settings, with the sources of both and without sample targets. Selection settings take the
    looser value, so queries of both remain and all documents are within the limits.
    """
    genres = dict.fromkeys([*first["ingest"].get("genres", ()), *second["ingest"].get("genres", ())])
    loose = loosest(first, second, _CHOOSING)
    config = {
        **loose,
        "name": name,
        "sources": list(dict.fromkeys([*first["sources"], *second["sources"]])),
        "ingest": {**first["ingest"], "genres": list(genres)},
        "sample": {**loose["sample"], **_NO_TARGETS},
        "split": {**first["split"], "lock": first["split"].get("lock") or second["split"].get("lock")},
    }
    return cast(DataConfig, config)


def _must_agree(key: str) -> bool:
    """Return whether a setting must be equal in both releases."""
    if key in _MUST_AGREE:
        return True
    return not (key in _FREE or key.startswith(_FREE_SECTIONS))


def _flat(settings: Settings, place: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{place}{key}.")
        else:
            yield f"{place}{key}", value
