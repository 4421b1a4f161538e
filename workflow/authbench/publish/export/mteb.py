"""Write the benchmark as a task of MTEB.

The folder has MTEB's layout of retrieval tasks, with a subset per language: the configurations `<lang>-corpus`,
`<lang>-queries` and `<lang>-qrels` in Parquet (`corpus`, `queries` and `default` if there is a single language), each
with the splits of the release; `task.py`, the task with all metadata that MTEB requires; its descriptive statistics;
and `eval.yaml`.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from authbench.config.languages import language_name
from authbench.config.settings.publish import Publish
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.words import listing, plural
from authbench.publish.export import mteb_task
from authbench.publish.export.beir import in_words, judged
from authbench.publish.export.card import LICENSE, evaluated_split, hub_header, license_file, write_card
from authbench.publish.export.citations import licence_table
from authbench.publish.export.huggingface import configs, infos
from authbench.publish.export.parquet import ParquetTable, TableWriter, write_table
from authbench.release.format.release import Release

LEAST_CHARACTERS = 4  # MTEB's tests refuse shorter texts
_SCHEMAS = {
    "corpus": pl.Schema({"_id": pl.String, "title": pl.String, "text": pl.String}),
    "queries": pl.Schema({"_id": pl.String, "text": pl.String}),
}
_ANSWERS = pl.Schema({"query-id": pl.String, "corpus-id": pl.String, "score": pl.Int32})
_OF_PROVENANCE = ("id", "lang", "genre", "date", "char_length", "content_sha256")


@dataclass(frozen=True)
class _Selection:
    """The part of a release for MTEB: `split` is the evaluated split, `known` has _OF_PROVENANCE of the texts."""

    release: Release
    split: str
    known: pl.DataFrame

    @cached_property
    def subsets(self) -> dict[str, str]:
        """Return the languages with queries in `split`, and MTEB's name of each as a subset."""
        langs = self.answers[self.split]["lang"].unique().sort().to_list()
        return dict(zip(langs, langs if len(langs) > 1 else [mteb_task.DEFAULT], strict=False))

    @cached_property
    def truths(self) -> dict[str, pl.DataFrame]:
        return {split: self.release.truth(split) for split in self.release.splits}

    @cached_property
    def answers(self) -> dict[str, pl.DataFrame]:
        """Return the qrels of each split (_ANSWERS), with the language (`lang`) that query and answer share."""
        lang = self.known.select("id", "lang")
        own = ["corpus-id", "lang"]
        return {
            split: judged(truth, "positive_ids", 1)
            .join(lang, left_on="query-id", right_on="id", maintain_order="left")
            .join(lang, left_on=own, right_on=["id", "lang"], how="semi", maintain_order="left")
            for split, truth in self.truths.items()
        }

    def config(self, lang: str, part: str) -> str:
        """Return the name of a configuration; `part` is corpus, queries or qrels."""
        if self.subsets[lang] != mteb_task.DEFAULT:
            return f"{lang}-{part}"
        return mteb_task.DEFAULT if part == "qrels" else part


@dataclass(frozen=True)
class _Written:
    """The tables of a split, and by language the ids of its corpus and its queries and the texts in each script."""

    tables: list[ParquetTable]
    corpus: pl.DataFrame
    queries: pl.DataFrame
    scripts: pl.DataFrame


def write_mteb(folder: Path, release: Release, about: Publish) -> None:
    """Write the folder. Memory: a batch of texts, and all ids and provenance."""
    split = evaluated_split(release)
    known = release.provenance.select(_OF_PROVENANCE).filter(pl.col("char_length") >= LEAST_CHARACTERS)
    chosen = _Selection(release, split, known)
    written = {name: _write_split(folder, chosen, name) for name in release.splits}
    tables = [table for one in written.values() for table in one.tables]
    if chosen.subsets:
        _write_task(folder, chosen, about, tables, written[split])
    write_text(folder / LICENSE, license_file(release))
    ignored = sum(truth.filter(pl.col("ignored_ids").list.len() > 0).height for truth in chosen.truths.values())
    header = hub_header(release, configs(tables), dataset_info=infos(tables))
    told = {"ignored": in_words(ignored), "split": split, "left_out": _left_out(chosen)}
    scripts = _table(written[split].scripts) if chosen.subsets else ""
    write_card(folder, release, about, "mteb", header, **told, scripts=scripts)


def _write_split(folder: Path, chosen: _Selection, split: str) -> _Written:
    """Write corpus, queries and qrels of each subset with queries in a split, and skip other subsets."""
    answers = chosen.answers[split].filter(pl.col("lang").is_in(list(chosen.subsets)))
    langs = answers["lang"].unique().sort().to_list()
    asked = answers.select(pl.col("query-id").alias("query_id")).unique()
    tables = []
    for (lang,), rows in answers.sort("lang", maintain_order=True).group_by("lang", maintain_order=True):
        tables.append(write_table(folder, chosen.config(str(lang), "qrels"), split, _ANSWERS, [rows.drop("lang")]))
    corpus, documents, scripts = _write_part(
        folder, chosen, split, langs, "corpus", "candidate_id", chosen.release.candidates(split)
    )
    asking = (
        batch.join(asked, on="query_id", how="semi", maintain_order="left") for batch in chosen.release.queries(split)
    )
    queries, ids, _ = _write_part(folder, chosen, split, langs, "queries", "query_id", asking)
    return _Written([*tables, *corpus, *queries], documents, ids, scripts)


def _write_part(
    folder: Path,
    chosen: _Selection,
    split: str,
    langs: Sequence[str],
    part: str,
    ident: str,
    batches: Iterable[pl.DataFrame],
) -> tuple[list[ParquetTable], pl.DataFrame, pl.DataFrame]:
    """Write the corpus or the queries of all subsets in batches.

    Returns:
        The tables, the ids by language, and for a corpus how many texts of each language are in each script.
    """
    schema = _SCHEMAS[part]
    writers = {lang: TableWriter(folder, chosen.config(lang, part), split, schema) for lang in langs}
    ids = [pl.DataFrame(schema={"_id": pl.String, "lang": pl.String})]
    scripts = [pl.DataFrame(schema={"lang": pl.String, "script": pl.String, "texts": pl.UInt32})]
    known = chosen.known.select("id")
    for batch in batches:
        here = batch.join(known, left_on=ident, right_on="id", how="semi", maintain_order="left")
        rows = here.filter(pl.col("lang").is_in(list(langs))).select(
            "lang", title=pl.lit(""), text="content", _id=ident
        )
        for (lang,), own in rows.group_by("lang", maintain_order=True):
            writers[str(lang)].add(own.select(schema.names()))
        ids.append(rows.select("_id", "lang"))
        if part == "corpus":
            scripts.append(mteb_task.scripts_of(rows.select("lang", "text")))
    return [writer.close() for writer in writers.values()], pl.concat(ids), pl.concat(scripts)


def _write_task(
    folder: Path, chosen: _Selection, about: Publish, tables: Sequence[ParquetTable], evaluated: _Written
) -> None:
    release, known = chosen.release, chosen.known
    revision = _revision(tables)
    scripts = mteb_task.named_scripts(evaluated.scripts)
    languages = {
        subset: [f"{mteb_task.three_letters(lang)}-{script}" for script in scripts[lang]]
        for lang, subset in chosen.subsets.items()
    }
    task = mteb_task.Task(mteb_task.task_name(release, revision), revision, chosen.split, languages)
    documents, queries = (
        known.join(ids, left_on="id", right_on="_id", how="semi") for ids in (evaluated.corpus, evaluated.queries)
    )
    answers = chosen.answers[chosen.split]
    of_subsets = {}
    for lang, subset in chosen.subsets.items():
        one = pl.col("lang") == lang
        of_subsets[subset] = documents.filter(one), queries.filter(one), answers.filter(one)
    write_text(folder / "task.py", mteb_task.task_file(task, release, about, documents, licence_table(release)))
    write_text(folder / "eval.yaml", mteb_task.eval_yaml(task))
    place = folder / "descriptive_stats" / "Retrieval"
    place.mkdir(parents=True)
    write_plain_json(place / f"{task.name}.json", {chosen.split: mteb_task.statistics(of_subsets)})


def _revision(tables: Sequence[ParquetTable]) -> str:
    lines = sorted(f"{shard.path} {shard.sha256}" for table in tables for shard in table.shards)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:40]


def _left_out(chosen: _Selection) -> str:
    """Return a sentence on the documents that the release has and the MTEB task lacks."""
    release, subsets = chosen.release, list(chosen.subsets)
    short = release.provenance.filter(pl.col("char_length") < LEAST_CHARACTERS).height
    asked = sum(truth.height for truth in chosen.truths.values())
    given = pl.concat([chosen.answers[split].filter(pl.col("lang").is_in(subsets)) for split in release.splits])
    others = sorted(set(release.provenance["lang"]) - set(subsets))
    unanswered = asked - given["query-id"].n_unique()
    reasons = [
        *(
            [f"{plural(short, 'text')} of fewer than {LEAST_CHARACTERS} characters, which MTEB refuses"]
            if short
            else []
        ),
        *([f"{plural(unanswered, 'query', 'queries')} that no text of its language answers"] if unanswered else []),
        *([f"all texts in {listing(map(language_name, others))}, without queries"] if others else []),
    ]
    return f"Left out: {listing(reasons)}." if reasons else "Nothing else is left out."


def _table(scripts: pl.DataFrame) -> str:
    """Return the texts of each language in each script as a table."""
    rows = scripts.group_by("lang", "script").agg(pl.col("texts").sum()).sort("lang", "script")
    lines = [f"| {language_name(lang)} | {script} | {number:,} |" for lang, script, number in rows.iter_rows()]
    return "\n".join(["| language | script | texts |", "| --- | --- | ---: |", *lines])
