"""Hold a reader's choice of models and scores, and list models as papers do: group, size, repository."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from authbench.config.registry.load import list_entries, load_entry
from authbench.core.errors import InputError
from authbench.core.presentation.numbers import NOTHING
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.parameters import TransformerParameters
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.tables import Metric, metrics_of
from authbench.scoring.evaluation.scores import LEAST_AUTHORS

OVERALL = ("success@5", "recall@5", "ndcg@5", "mrr", "roc_auc", "eer")
SLICED = ("success@5", "eer")
BY_SCORE, BY_NAME = "score", "name"
IN_GROUP, IN_COLUMN = "group", "column"
DIGITS = 3


@dataclass(frozen=True)
class Choice:
    """Hold a reader's choice.

    Attributes:
        models: names, in any order; empty: all.
        metrics: keys of CHOICES: the columns of the overall table, and a table by slice for each; empty: the paper's.
        digits: decimals of scores.
        least: a slice with fewer query authors has counts and no scores.
        order: of models within a group, BY_SCORE (the first metric) or BY_NAME.
        marks: best and second best are marked IN_GROUP or IN_COLUMN.
    """

    models: Sequence[str] = ()
    metrics: Sequence[str] = ()
    digits: int = DIGITS
    least: int = LEAST_AUTHORS
    order: str = BY_SCORE
    marks: str = IN_GROUP

    def __post_init__(self) -> None:
        metrics_of(self.metrics)

    @property
    def overall(self) -> list[Metric]:
        return metrics_of(self.metrics or OVERALL)

    @property
    def sliced(self) -> list[Metric]:
        return metrics_of(self.metrics or SLICED)


DEFAULT = Choice()


GROUPS: Mapping[str, str] = {
    "instruct": "LLMs (instruction-tuned)",
    "base": "LLMs (base)",
    "embedding-instruct": "Embedding models (instruction-tuned)",
    "embedding": "Embedding models",
    "style": "Models of style",
    "masked": "Masked language models",
    "lexical": "Lexical baselines",
    "other": "Other models",
    "sanity": "Sanity rows",
}
_MILLION, _BILLION = 1e6, 1e9
_FOLDER = ("/", ".", "~")  # first characters of a checkpoint's path, which no name on Hugging Face begins with


def group_place(group: str) -> tuple[int, str]:
    """Return a sort key: groups in the paper's order, others after them."""
    return (list(GROUPS).index(group) if group in GROUPS else len(GROUPS), group)


def size_of(result: Result) -> int | None:
    """Return the number of parameters from the result, else from the registry's entry of that name."""
    if stated := result.scores["model"].get("size"):
        return int(stated)
    entry = _entry(result.name)
    return entry.size if entry else None


def size_in_words(parameters: int | None) -> str:
    """Return a number of parameters as shown in tables.

    >>> size_in_words(33_360_512), size_in_words(7_615_616_512), size_in_words(8_030_261_248), size_in_words(None)
    ('33M', '7.6B', '8B', 'n/a')
    """
    if parameters is None:
        return "n/a"
    if parameters < _BILLION:
        return f"{parameters / _MILLION:.0f}M"
    return f"{parameters / _BILLION:.1f}".removesuffix(".0") + "B"


@lru_cache(maxsize=256)
def _entry(name: str) -> ModelEntry | None:
    """Return the registry's entry of a name; None without a usable entry."""
    try:
        return load_entry(MODELS, name) if name in list_entries(MODELS, Path()) else None
    except InputError:
        return None


def models_table(results: Sequence[Result]) -> Table:
    """Return the models with their sizes and repositories (AuthBench paper, table 7)."""
    schema = dict.fromkeys(("group", "model"), pl.String) | {"parameters": pl.Int64}
    schema |= dict.fromkeys(("repository", "revision", "pooling", "prompts", "title"), pl.String)
    data = pl.DataFrame([_described(one) for one in results], schema=schema, orient="row")
    rows = [
        Row(
            [
                Cell(name),
                Cell(size_in_words(parameters), parameters),
                *(Cell(word or NOTHING) for word in (repository, revision, pooling, prompts)),
            ],
            GROUPS.get(group, group),
        )
        for group, name, parameters, repository, revision, pooling, prompts, _ in data.iter_rows()
    ]
    columns = [Column("model", words=True), Column("size")]
    columns += [Column(name, words=True) for name in ("repository", "revision", "pooling", "prompts")]
    note = "Size is the number of parameters, where it is stated; a revision is the commit that was loaded."
    return Table("models", "Models, their sizes and repositories", columns, rows, data, [note])


def _described(result: Result) -> tuple[str | int | None, ...]:
    model = result.scores["model"]
    parameters = model.get("parameters") or {}
    checkpoint = str(parameters.get("checkpoint") or "")
    entry = _entry(result.name)
    if not checkpoint and entry and isinstance(entry.parameters, TransformerParameters):
        checkpoint = entry.parameters.checkpoint
    commit = (result.scores.get("made_by") or {}).get("commit") or parameters.get("revision")
    prompts = " | ".join(repr(one) for key in ("query_prompt", "document_prompt") if (one := parameters.get(key)))
    return (
        result.group,
        result.name,
        size_of(result),
        "a local folder" if checkpoint.startswith(_FOLDER) else checkpoint or None,
        None if commit is None else str(commit)[:12],
        parameters.get("pooling"),
        prompts or None,
        str(model["title"]),
    )
