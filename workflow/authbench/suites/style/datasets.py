"""Find the style datasets of a run, and compute digests of its inputs."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from authbench.config.registry.checks import expect_distinct_names
from authbench.config.registry.load import entry_name, list_entries, load_entries
from authbench.core.identity import sha256_of_json
from authbench.core.json_values import JsonMapping
from authbench.core.runtime.inventory import source_digest, take_inventory
from authbench.core.storage.raw_paths import FileSet
from authbench.suites.style import features
from authbench.suites.style.entries import ALL, DATASETS, Dataset

RELEASE = "release_retrieval"  # the dataset made from any release
DESCRIPTIVE = ("title", "about", "licence", "obtained")  # fields that neither scores nor their messages contain

# The tasks in the paper's column order, with the figure shown in its tables.
FIGURES = {
    "clustering": "v_measure",
    "all_to_all": "auroc",
    "predefined": "auroc",
    "order_alignment": "accuracy",
    "retrieval": "mrr",
    "probing": "accuracy",
}


def find_datasets(requested: Sequence[str], base: Path = Path()) -> list[Dataset]:
    """Return the datasets with these names or paths; ALL means all named datasets.

    Raises:
        InputError: a dataset is missing or does not fit the schema (the message lists all problems), or two share a
            name.
    """
    expect_distinct_names("--dataset", "datasets", (entry_name(name) for name in requested if name != ALL))
    named = [one for name in requested for one in (list_entries(DATASETS, base) if name == ALL else [name])]
    return list({found.name: found for found in load_entries(DATASETS, named, base).values()}.values())


def with_release(datasets: Iterable[Dataset], release: Path | None) -> list[Dataset]:
    """Return the datasets with RELEASE read from a release folder; RELEASE is added if missing."""
    if release is None:
        return list(datasets)
    [entry] = find_datasets([RELEASE])
    here = replace(entry, rows=replace(entry.rows, folder=str(release.absolute())))
    return [*(one for one in datasets if one.name != RELEASE), here]


def digests_of_run(settings: JsonMapping, release: Path | None, base: Path, memory: Path) -> dict[str, str]:
    """Return digests of the entries, the files and the feature extractors that the scores of a run depend on.

    Args:
        release: folder of the release that is also used as a dataset.
        memory: file that caches file digests by size and time (`authbench.core.runtime.inventory`).
    """
    datasets = with_release(find_datasets(settings["datasets"], base), release)
    files = {
        f"{one.name} {name}": FileSet(one.folder(table), table.files)
        for one in datasets
        for name, table in [
            *one.all_tables.items(),
            *((f"steb {name}", table) for name, table in (one.steb.all_tables if one.steb else {}).items()),
        ]
    }
    inventory = take_inventory(base / settings["data"], files, memory)
    return {
        "entries": digest_of_entries(datasets, leave_out=DESCRIPTIVE),
        "files": source_digest({name: source_digest(files) for name, files in inventory.items()}),
        "features": ", ".join(sorted({features.measured_by(one.probed_features) for one in datasets})),
    }


def digest_of_entries(datasets: Sequence[Dataset], leave_out: Sequence[str] = ()) -> str:
    """Return a digest of the datasets' fields, except those left out."""
    kept = [field.name for field in fields(Dataset) if field.name not in leave_out]
    plain = [[getattr(one, name) for name in kept] for one in datasets]
    return sha256_of_json(plain)[:16]
