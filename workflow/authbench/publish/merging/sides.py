"""Read the two releases of a merge, check whether they are compatible, and merge their settings.

Settings that affect a document's text, author, length or comparison must be equal: otherwise a text could become two
documents, or a person two authors. Settings that only select documents may differ: the manifest records each part's
settings, and the merged release states the looser value.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import polars as pl

from authbench.build.labels.decision import read_decisions
from authbench.config.registry.entries import problems_in_words
from authbench.config.registry.typed_schema import schema_of
from authbench.config.settings.data import DataConfig, Name
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.tokens import load_tokenizer
from authbench.release.checking.settings import loosest
from authbench.release.format import files
from authbench.release.format.columns import GROUND_TRUTH
from authbench.release.format.release import Lock, Release, read_lock
from authbench.release.format.tables import concat

Settings = JsonMapping
# The amount and origin of data, and settings that affect neither text nor author.
_FREE = frozenset(
    {
        *("name", "sources", "seed", "ingest.genres", "ingest.max_bad_rows", "ingest.max_record_bytes"),
        *("dedup.comparisons_per_document", "release.takedown", "release.queries_per_author", "split.lock"),
        "release.topic",  # pools are made from the merged texts
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


def expect_name(name: str) -> None:
    """Raise InputError if a release of the name could not be configured."""
    if problem := problems_in_words({"name": name}, _named):
        raise InputError(f"--{problem}.")


def _named() -> JsonObject:
    return {"properties": {"name": schema_of(Name)}}


def _must_agree(key: str) -> bool:
    if key in _MUST_AGREE:
        return True
    return not (key in _FREE or key.startswith(_FREE_SECTIONS))


def _flat(settings: Settings, place: str = "") -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{place}{key}.")
        else:
            yield f"{place}{key}", value


RECOUNTED = 200  # texts per release whose tokens are recounted first
_SHOWN = 4


@dataclass(frozen=True)
class Side:
    """A release to merge: its provenance with `content`, sorted by id, and the ground truth with `split`."""

    release: Release
    documents: pl.DataFrame
    truth: pl.DataFrame
    lock: Lock

    @property
    def config(self) -> DataConfig:
        return self.release.manifest["config"]

    @property
    def continues(self) -> bool:
        """Return whether its lock also contains documents of an earlier release."""
        return bool(self.config["split"].get("lock"))

    @cached_property
    def taken_down(self) -> frozenset[str]:
        """Return the key digests of taken-down documents; empty if the lock also contains earlier documents."""
        here = set(self.documents["id"])
        keys = (key for key, ident in self.lock["documents"].items() if ident not in here)
        return frozenset() if self.continues else frozenset(keys)

    @cached_property
    def key_of(self) -> Mapping[str, str]:
        """Return the digest of each document's key, by id."""
        return {ident: key for key, ident in self.lock["documents"].items()}


def read_side(release: Release) -> Side:
    """Read a release with all its texts.

    Raises:
        InputError: it is a public bundle, lacks metadata, or used another tokeniser.
    """
    if release.withheld:
        raise InputError(
            f"{release.folder} is a public bundle: what it withholds cannot be merged. Merge the complete releases "
            "(authbench release rebuild makes one), and export the bundle of the result."
        )
    needed = (files.LOCK, files.FUNNEL, files.DEVIATION, "statistics/labels.csv", "statistics/sources.csv")
    missing = [name for name in needed if not (release.folder / name).is_file()]
    if missing:
        raise InputError(f"{release.folder}: no {', '.join(missing)}. Expected a release that AuthBench built.")
    texts = pl.concat(batch.select("id", "content") for split in release.splits for batch in release.texts(split))
    documents = release.provenance.join(texts, on="id", how="inner", validate="1:1", maintain_order="left")
    if documents.height != release.provenance.height or documents.height != texts.height:
        raise InputError(f"{release.folder}: {files.PROVENANCE} does not list the documents that there are.")
    truth = pl.concat(
        concat(release.rows(split, GROUND_TRUTH), GROUND_TRUTH).with_columns(
            pl.col("ignored_ids").fill_null([]), split=pl.lit(split)
        )
        for split in release.splits
    )
    side = Side(release, documents, truth, read_lock(release.folder / files.LOCK))
    if unlocked := sorted(set(documents["id"]) - set(side.key_of)):
        raise InputError(f"{release.folder}: {files.LOCK} lacks {len(unlocked)} documents, such as {unlocked[0]}.")
    _expect_tokens(side)
    return side


def _expect_tokens(side: Side) -> None:
    """Raise InputError unless the first texts were counted in tokens of `cl100k_base`."""
    first = side.documents.head(RECOUNTED)
    counted = load_tokenizer().count(first["content"]).tolist()
    for ident, stated, found in zip(first["id"], first["token_length"], counted, strict=True):
        if stated != found:
            raise InputError(
                f"{side.release.folder}: {ident} has the token_length {stated} and {found} tokens of cl100k_base: it "
                "was counted by another tokeniser, so that lengths would mean two things. Build it anew."
            )


def expect_fitting(first: Side, second: Side) -> None:
    """Raise InputError if two releases are incompatible; the message states the differences and what to do."""
    problems = list(_problems(first, second))
    if problems:
        shown = [*problems[:_SHOWN], *([f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else [])]
        raise InputError(
            f"{first.release.folder} and {second.release.folder} cannot be merged:\n"
            + "".join(f"  - {problem}\n" for problem in shown)
            + "Build one of them anew with the settings, sources and version of the other."
        )


def _problems(first: Side, second: Side) -> Iterator[str]:
    one, other = first.release.manifest, second.release.manifest
    if one["authbench"] != other["authbench"]:
        yield f"built by AuthBench {one['authbench']} and {other['authbench']}"
    if set(first.release.splits) != set(second.release.splits):
        yield f"the splits are {', '.join(first.release.splits)} and {', '.join(second.release.splits)}"
    yield from differing(first.config, second.config)
    yield from _two_persons(first, second)
    if first.config["sample"].get("length_bins") != "fixed":
        yield "sample.length_bins: bounds of lengths that each release drew for itself; expected `fixed`"
    if bool(one.get("scorers")) != bool(other.get("scorers")):
        yield "toxicity was judged in one of them alone (safety.scorers)"
    if set(first.documents.columns) != set(second.documents.columns):
        names = sorted(set(first.documents.columns) ^ set(second.documents.columns))
        yield f"only one has the column {', '.join(names)} in {files.PROVENANCE}"
    for tag in sorted(one["licences"].keys() & other["licences"].keys()):
        if one["licences"][tag] != other["licences"][tag]:
            yield f"the licence of {tag} is {one['licences'][tag]} and {other['licences'][tag]}"
    decisions = [_decisions(side) for side in (first, second)]
    for tag in sorted(decisions[0].keys() & decisions[1].keys()):
        if decisions[0][tag] != decisions[1][tag]:
            yield f"labels of {tag} are {decisions[0][tag]} and {decisions[1][tag]} (statistics/labels.csv)"


def _two_persons(first: Side, second: Side) -> Iterator[str]:
    """Yield evidence that a document has two authors: different labels, or another pseudonym key."""
    ours = dict(first.documents.select("id", "author_id").iter_rows())
    theirs = dict(second.documents.select("id", "author_id").iter_rows())
    both = [
        (ident, mine)
        for ident, key in second.key_of.items()
        if ident in theirs and (mine := first.lock["documents"].get(key)) in ours
    ]
    other = sorted((mine, ident) for ident, mine in both if ours[mine] != theirs[ident])
    if other:
        every = len(other) == len(both)
        keyed = " (are the pseudonyms keyed, ingest.author_key_env, with another key?)" if every else ""
        yield (
            f"{len(other)} of {len(both)} documents that both have are by two persons, such as {other[0][0]} of the "
            f"first, {other[0][1]} of the second{keyed}"
        )


def _decisions(side: Side) -> dict[str, str]:
    """Return the label decision of each source that has documents and a single decision."""
    here = set(side.documents["source"])
    rows = read_decisions(side.release.folder / "statistics" / "labels.csv")
    rows = [row for row in rows if row["source"] in here and row["labels"]]
    times = Counter(row["source"] for row in rows)
    return {row["source"]: row["decision"] for row in rows if times[row["source"]] == 1 and row["decision"] is not None}
