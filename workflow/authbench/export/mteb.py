"""The benchmark as a task of MTEB.

A folder in MTEB's own layout of retrieval tasks: the configurations `default` (the answers), `corpus` and `queries` in
Parquet, each with the splits of the release, so that a split's pool is its corpus; and `task.py`, the task
itself.
"""

from pathlib import Path

import polars as pl

from authbench.export.beir import in_words, judged, texts
from authbench.export.card import hub_header, write_card
from authbench.export.huggingface import configs, infos
from authbench.export.licences import licence_table
from authbench.export.parquet import write_table
from authbench.export.publication import Publication
from authbench.format.release import Release
from authbench.storage.atomic import write_text

_CORPUS = pl.Schema({"_id": pl.String, "title": pl.String, "text": pl.String})
_QUERIES = pl.Schema({"_id": pl.String, "text": pl.String})
_ANSWERS = pl.Schema({"query-id": pl.String, "corpus-id": pl.String, "score": pl.Int32})
_SCRIPTS = {
    "en": "eng-Latn",
    "zh": "zho-Hans",
    "hi": "hin-Deva",
    "es": "spa-Latn",
    "fr": "fra-Latn",
    "ar": "ara-Arab",
    "ru": "rus-Cyrl",
    "de": "deu-Latn",
    "ja": "jpn-Jpan",
    "ko": "kor-Hang",
}
_USAGE = """
In MTEB's layout of a retrieval task, with a task that reads it from here, offline:

```python
import mteb
from task import Authorship  # run Python in this folder, or put it on the path

model = mteb.get_model("sentence-transformers/all-MiniLM-L6-v2")
mteb.evaluate(model, Authorship())
```

A query keeps its id among the documents, and the task sets `ignore_identical_ids`. Documents that count neither way
cannot be said in this layout; {ignored}
"""
_TASK = '''"""The benchmark as a task of MTEB, read from this folder."""

from pathlib import Path

from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata


class Authorship(AbsTaskRetrieval):
    """Which texts of the pool are by the author of the query?"""

    ignore_identical_ids = True  # a query is a document of its own pool
    metadata = TaskMetadata(
        name={name!r},
        description="Retrieve the other texts by the author of a text.",
        type="Retrieval",
        category="t2t",
        modalities=["text"],
        dataset={{"path": str(Path(__file__).parent), "revision": {version!r}}},
        eval_splits={splits!r},
        eval_langs={languages!r},
        main_score="ndcg_at_5",
        reference={url!r},
        prompt={{"query": "Retrieve texts by the same author"}},
        annotations_creators="derived",
        sample_creation="found",
    )
'''


def write_mteb(folder: Path, release: Release, about: Publication) -> None:
    """Write the folder. Memory: a batch of texts, and of ids those of a split."""
    tables = []
    ignored = 0
    for split in release.splits:
        truth = release.truth(split)
        ignored += truth.filter(pl.col("ignored_ids").list.len() > 0).height
        corpus = (
            texts(batch, "candidate_id").select("_id", pl.lit("").alias("title"), "text")
            for batch in release.candidates(split)
        )
        queries = (texts(batch, "query_id") for batch in release.queries(split))
        tables += [
            write_table(folder, "default", split, _ANSWERS, [judged(truth, "positive_ids", 1)]),
            write_table(folder, "corpus", split, _CORPUS, corpus),
            write_table(folder, "queries", split, _QUERIES, queries),
        ]
    found = [_SCRIPTS[lang] for lang in sorted(set(release.present["lang"])) if lang in _SCRIPTS]
    task = _TASK.format(
        name=f"{release.name}-authorship",
        version=about.version,
        splits=[split for split in release.splits if split == "test"] or [release.splits[-1]],
        languages=found or ["und-Zyyy"],
        url=about.url,
    )
    write_text(folder / "task.py", task)
    write_text(folder / "licences.csv", licence_table(release).write_csv())
    header = hub_header(release, configs(tables), dataset_info=infos(tables))
    write_text(folder / "README.md", write_card(release, about, _USAGE.format(ignored=in_words(ignored)), header))
