"""State how a release is made: the settings, sources and raw files of the run, and the versions of libraries.

The statement reaches the manifest as a parameter of the job that writes the release, not through a file that another
run may write.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from typing import TypedDict, cast

from authbench.config.plugins import identities, plugin_key, stated_filters
from authbench.config.registry.entries import default_settings
from authbench.config.registry.typed_schema import part_for
from authbench.config.settings.data import DataConfig
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.raw_paths import RawFiles
from authbench.release.format.findings import Findings
from authbench.release.format.manifest import RawLock

READER = "reader."  # before the name of a plug-in, in versions
LIBRARIES = ("datasketch", "gigatoken", "langid", "numba", "numpy", "polars", "pyarrow", "regex", "scipy", "tiktoken")
MODEL_LIBRARIES = ("detoxify", "torch", "transformers")
# Settings that releases state only where they differ from the default.
OMITTED = (
    ("ingest", "author_ids"),
    ("ingest", "unstated_genre"),
    ("normalize", "white_space"),
    ("normalize", "final_newline"),
    ("chunk", "retag"),
    ("filter", "exclude"),
    ("filter", "plugins"),
    ("dedup", "unique"),
    ("sample", "draw"),
    ("sample", "early_authors"),
    ("release", "ids"),
    ("release", "labels"),
)


class Statement(TypedDict):
    """Hold what a run states of how it makes a release; `config` holds the settings that affect the data."""

    config: DataConfig
    inputs: Mapping[str, RawFiles]
    raw_lock: RawLock
    skipped_sources: Sequence[str]
    readers: Sequence[str]


def make_statement(
    settings: DataConfig,
    inputs: Mapping[str, RawFiles],
    raw_lock: RawLock,
    skipped: Sequence[str],
    readers: Sequence[str] = (),
) -> Statement:
    """Return what a run knows of its settings and inputs before it starts, as plain values.

    Args:
        settings: of the run, complete. Those that do not affect the data, such as the folder of raw files and the
            number of shards, or do so by choosing others (`fidelity`), are left out.
        inputs: number and digest of the raw files of each source.
        raw_lock: the result of their check against the lock of raw files (`acquire.verify.LockCheck.as_stated`).
        skipped: the sources without raw files that are left out.
        readers: the plug-ins that read raw files.
    """
    config: JsonObject = part_for(DataConfig, settings)
    for section, key in OMITTED:
        if section in config and config[section].get(key) == default_settings()[section].get(key):  # type: ignore[literal-required]
            config[section] = {name: value for name, value in config[section].items() if name != key}
    return {
        "config": cast(DataConfig, config),
        "inputs": dict(sorted(inputs.items())),
        "raw_lock": raw_lock,
        "skipped_sources": list(skipped),
        "readers": list(readers),
    }


def add_statement(facts: Findings, statement: Statement) -> Findings:
    """Return the findings of the stages (`report.facts`) with the statement of the run and the versions of libraries.

    Raises:
        InputError: the stages read other raw files than the run states.
    """
    read, stated = facts["read"], statement["inputs"]
    if differing := sorted(tag for tag in read.keys() | stated.keys() if read.get(tag) != stated.get(tag)):
        raise InputError(
            f"The raw files of {', '.join(differing)} are no longer those that were ingested, so that no release is "
            "written. Leave them as they are while a run lasts, and run the same command again."
        )
    versions = versions_for(statement["config"], statement["readers"])
    filters = stated_filters(_plugins(statement["config"]))
    told = {**facts, **statement, "versions": versions, "filters": filters}
    return cast(Findings, {key: value for key, value in told.items() if key not in ("read", "readers")})


def versions_for(config: DataConfig, readers: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Python, libraries and plug-ins that determine the bytes of a release with these settings.

    Args:
        readers: the plug-ins that read raw files.

    Raises:
        InputError: a plug-in is not installed.
    """
    models = MODEL_LIBRARIES if "detoxify" in config["safety"]["scorers"] else ()
    plugins = identities("filters", _plugins(config))
    stated = {f"filter.{plugin_key(name)}": identity for name, identity in plugins.items()}
    stated |= {f"{READER}{name}": identity for name, identity in identities("readers", readers).items()}
    return {**library_versions(), **_versions(models), **stated}


def _plugins(config: DataConfig) -> Mapping[str, float]:
    """Return the thresholds of filters of plug-ins, which a statement omits if there are none."""
    found: Mapping[str, float] = config.get("filter", {}).get("plugins", {})
    return found


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that every release depends on."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python, **_versions(LIBRARIES)}


def _versions(names: Iterable[str]) -> dict[str, str]:
    return {name: metadata.version(name) for name in names}
