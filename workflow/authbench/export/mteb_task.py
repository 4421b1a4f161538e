"""Write the parts of an MTEB task: its metadata, descriptive statistics and the file in Python.

Fields and their allowed values follow mteb.TaskMetadata, statistics follow
`AbsTaskRetrieval.calculate_descriptive_statistics`.
"""

import calendar
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import yaml

from authbench.export.citations import citations_of, own_citation
from authbench.format.release import Release
from authbench.records import primary_genre
from authbench.registry.citations import bibliography
from authbench.settings.publish import Publish

DEFAULT = "default"  # MTEB's name of the subset of a task in one language
MAIN_SCORE = "ndcg_at_10"
_DESCRIPTION = "Retrieve the other texts by the author of a text from those in its language."
_DOMAINS = {
    "social_media": ["Social"],
    "news": ["News"],
    "ecommerce_reviews": ["Reviews", "E-commerce"],
    "blog": ["Blog"],
    "research_paper": ["Academic"],
    "media_reviews": ["Reviews", "Entertainment"],
    "literature": ["Fiction"],
    "poetry": ["Poetry"],
}
_LICENCES = frozenset(  # of mteb.types.Licenses, those with an SPDX identifier
    ("mit", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-3.0", "cc-by-nc-4.0")
    + ("cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0", "cc0-1.0", "apache-2.0", "gpl-3.0", "lgpl-3.0")
    + ("mpl-2.0", "afl-3.0", "cdla-sharing-1.0", "eupl-1.2")
)
_ANY_YEAR = ("0001-01-01", "9999-12-31")
_TASK = '''"""The benchmark as a task of MTEB, read from this folder."""

from pathlib import Path

from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

_FOLDER = Path(__file__).resolve().parent


class _Metadata(TaskMetadata):
    """Metadata whose descriptive statistics lie in this folder."""

    @property
    def descriptive_stat_path(self) -> Path:
        return _FOLDER / "descriptive_stats" / "Retrieval" / f"{{self.name}}.json"


class Authorship(AbsTaskRetrieval):
    """Find the texts of the pool that are by the author of the query."""

    ignore_identical_ids = True  # a query may be a document of its own pool
    metadata = _Metadata(
        name={name!r},
        description={description!r},
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        dataset={{"path": str(_FOLDER), "revision": {revision!r}}},
        eval_splits={splits!r},
        eval_langs={languages!r},
        main_score={main_score!r},
        reference={reference},
        date={date!r},
        domains={domains!r},
        task_subtypes=[],
        license={license!r},
        annotations_creators="derived",
        dialect=[],
        sample_creation="found",
        prompt={{"query": "Given a text, retrieve texts by the same author"}},
        bibtex_citation={citation!r},
    )
'''


@dataclass(frozen=True)
class Task:
    """The specific values of a release's task: `languages` are MTEB's codes by subset."""

    name: str
    revision: str
    split: str
    languages: Mapping[str, Sequence[str]]


def task_name(release: Release, revision: str) -> str:
    """Return a name that differs from every other benchmark's, and from other versions or parts of this benchmark.

    MTEB's cache looks up results only by name, whatever the revision, if they include every split and subset.
    """
    words = re.findall(r"[A-Za-z0-9]+", release.name)
    return "".join(word[0].upper() + word[1:] for word in words) + f"Authorship.{revision[:8]}"


def task_file(task: Task, release: Release, about: Publish, documents: pl.DataFrame, licences: pl.DataFrame) -> str:
    """Return task.py, from the provenance of the task's texts and the table of terms (LICENCES)."""
    languages: Any = {subset: list(codes) for subset, codes in task.languages.items()}
    return _TASK.format(
        name=task.name,
        description=_DESCRIPTION,
        revision=task.revision,
        splits=[task.split],
        languages=languages.get(DEFAULT, languages),
        main_score=MAIN_SCORE,
        reference=repr(about["url"]) if about["url"] else '(_FOLDER / "README.md").as_uri()',
        date=dates(documents["date"], about["date"]),
        domains=domains(documents["genre"]),
        license=licence(licences.filter("texts_here")["spdx"].unique().sort().to_list()),
        citation="\n".join(["", own_citation(release.name, about), "", bibliography(citations_of(release))]),
    )


def dates(column: pl.Series, published: str | None) -> tuple[str, str]:
    """Return the first and the last day of the dated texts; without dates, any day up to publication.

    >>> dates(pl.Series(["2020", "2019-05-17", "2020-02", None]), None)
    ('2019-05-17', '2020-12-31')
    """
    stated = column.drop_nulls().str.split("-").to_list()
    if not stated:
        return (_ANY_YEAR[0], published or _ANY_YEAR[1])
    first = min("-".join([*parts, "01", "01"][:3]) for parts in stated)
    return first, max(map(_last_day, stated))


def _last_day(parts: Sequence[str]) -> str:
    year, month = parts[0], parts[1] if len(parts) > 1 else "12"
    day = parts[2] if len(parts) > 2 else f"{calendar.monthrange(int(year), int(month))[1]:02d}"
    return f"{year}-{month}-{day}"


def domains(genres: pl.Series) -> list[str]:
    """Return MTEB's domains of genres: `Written` for all."""
    found = {domain for genre in genres.unique() for domain in _DOMAINS.get(primary_genre(genre), [])}
    return sorted(found | {"Written"})


def licence(identifiers: Sequence[str]) -> str:
    """Return MTEB's name for the terms of the texts, given their SPDX identifiers.

    >>> licence(["CC-BY-4.0"]), licence(["CC-BY-4.0", "MIT"]), licence(["LicenseRef-other"]), licence(["Zlib"])
    ('cc-by-4.0', 'multiple', 'not specified', 'https://spdx.org/licenses/Zlib.html')
    """
    if len(identifiers) > 1:
        return "multiple"
    if not identifiers or identifiers[0].startswith("LicenseRef-"):
        return "not specified"
    if identifiers[0].lower() in _LICENCES:
        return identifiers[0].lower()
    return f"https://spdx.org/licenses/{identifiers[0]}.html"


def eval_yaml(task: Task) -> str:
    """Return eval.yaml, which declares a benchmark to the Hub: the task as a whole, and each of its subsets."""
    whole = [{"id": task.name}]
    parts = [
        {"id": f"{task.name}_{subset}_{task.split}", "config": subset, "split": task.split} for subset in task.languages
    ]
    content = {
        "name": task.name,
        "description": _DESCRIPTION,
        "evaluation_framework": "mteb",
        "tasks": whole + parts,
    }
    return yaml.safe_dump(content, sort_keys=False)


def statistics(subsets: Mapping[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]]) -> dict[str, Any]:
    """Return MTEB's descriptive statistics of a split.

    Args:
        subsets: for each subset, the provenance of its documents, the provenance of its queries, and its answers
            (`query-id`, `corpus-id`).
    """
    if DEFAULT in subsets:
        return _statistics(*subsets[DEFAULT])
    documents, queries, answers = (pl.concat(parts) for parts in zip(*subsets.values(), strict=True))
    parts = {subset: _statistics(*tables) for subset, tables in subsets.items()}
    return {**_statistics(documents, queries, answers), "hf_subset_descriptive_stats": parts}


def _statistics(documents: pl.DataFrame, queries: pl.DataFrame, answers: pl.DataFrame) -> dict[str, Any]:
    of_documents, of_queries = _of_texts(documents), _of_texts(queries)
    numbers = answers.group_by("query-id").len()["len"]
    media = ("image", "audio", "video")
    return {
        "num_samples": documents.height + queries.height,
        "num_queries": queries.height,
        "num_documents": documents.height,
        "number_of_characters": of_documents["total_text_length"] + of_queries["total_text_length"],
        "documents_text_statistics": of_documents,
        **{f"documents_{medium}_statistics": None for medium in media},
        "queries_text_statistics": of_queries,
        **{f"queries_{medium}_statistics": None for medium in media},
        "relevant_docs_statistics": {
            "num_relevant_docs": answers.height,
            "min_relevant_docs_per_query": numbers.min(),
            "average_relevant_docs_per_query": answers.height / len(numbers),
            "max_relevant_docs_per_query": numbers.max(),
            "unique_relevant_docs": answers["corpus-id"].n_unique(),
            "num_missing_query_ids": 0,
            "num_missing_corpus_ids": 0,
            "queries_with_all_gold_black_or_white": 0,
        },
        "top_ranked_statistics": None,
    }


def _of_texts(provenance: pl.DataFrame) -> dict[str, Any]:
    lengths = provenance["char_length"].cast(pl.Int64)
    return {
        "total_text_length": lengths.sum(),
        "min_text_length": lengths.min(),
        "average_text_length": lengths.sum() / len(lengths),
        "max_text_length": lengths.max(),
        "unique_texts": provenance["content_sha256"].n_unique(),
    }
