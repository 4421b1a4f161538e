"""Audit a dataset: read it, test its claims, score the sanity rows, and write the result."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypedDict

import polars as pl

from authbench.audit.auditing.claims import CLAIMS, Finding
from authbench.audit.auditing.clean import Cleaned, expect_cleanable, write_clean
from authbench.audit.auditing.copies import NO_COPIES, find_copies
from authbench.audit.auditing.dataset import Dataset
from authbench.audit.auditing.drawn import MOST
from authbench.audit.auditing.findings import Noise, find_in_answers, find_in_labels, find_in_texts, identified
from authbench.audit.auditing.published import Published, answers_auc, beside, read_scores
from authbench.audit.auditing.read import Say, name_of
from authbench.audit.auditing.rows import Measured, measure
from authbench.audit.auditing.standing import Difference, differences
from authbench.core.tokens import load_tokenizer
from authbench.core.version import VERSION


class AuditedDataset(TypedDict):
    """A description of a dataset: its form, sizes, texts by language, and assumptions (`notes`)."""

    name: str
    form: str
    documents: int
    authors: int
    problems: int
    splits: Mapping[str, Mapping[str, int]]  # documents, authors and queries of each
    languages: Mapping[str, int]
    languages_stated: bool
    notes: Sequence[str]


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Attributes:
        dataset: form, sizes and assumptions.
        findings: a finding per examined claim, with every id; without cases if the claim holds.
        rows: the measurements of each split.
        noise: of labels, by source.
        published: given scores, with the rows.
        differences: which differences of published scores exceed chance.
        cleaned: the removals of a version without the leaks; None: not requested.
    """

    dataset: AuditedDataset
    findings: Sequence[Finding]
    rows: Sequence[Measured]
    noise: Sequence[Noise] = ()
    published: Sequence[Published] = ()
    differences: Sequence[Difference] = ()
    cleaned: Cleaned | None = field(default=None)

    @property
    def broken(self) -> list[Finding]:
        """Return the findings with cases."""
        return [finding for finding in self.findings if finding.cases]

    def as_dict(self, brief: bool = False) -> dict[str, object]:
        """Return everything as plain values; `brief`: findings with counts, without ids and cases."""
        left_out = {"ids", "cases"} if brief else set()
        findings = [finding.as_dict() for finding in self.findings]
        plain: dict[str, object] = {
            "authbench": VERSION,
            "dataset": dict(self.dataset),
            "findings": [{key: value for key, value in one.items() if key not in left_out} for one in findings],
            "label_noise": [one.as_dict() for one in self.noise],
            "rows": [{"split": part.split, **row} for part in self.rows for row in part.rows],
            "splits": [
                {key: value for key, value in asdict(replace(part, tables={})).items() if key not in ("rows", "tables")}
                for part in self.rows
            ],
            "published": [dict(one) for one in self.published],
            "differences": [dict(one) for one in self.differences],
        }
        return plain if self.cleaned is None else plain | {"cleaned": self.cleaned.as_dict()}


def examine(
    dataset: Dataset,
    paths: Sequence[Path],
    *,
    scores: Sequence[Path | str] = (),
    clean: Path | str | None = None,
    texts: int = MOST,
    seed: int = 0,
    say: Say | None = None,
) -> Audit:
    """Audit a dataset that was read from these paths.

    Memory: all texts, once or twice over, and 16 bytes per character if over 30,000 texts are compared.

    Args:
        scores: published scores, or answers to PAN's problems, to compare with the rows.
        clean: folder that gets a version without the leaks, and diff.jsonl.
        texts: most texts of a split that the rows are scored on.
        seed: of draws, intervals and tests.
        say: gets a line before each step.
    """
    tell: Say = say or (lambda _: None)
    given = [*read_scores(files := [Path(one) for one in scores]), *answers_auc(files, dataset.problems)]
    if clean is not None:
        expect_cleanable(dataset, Path(clean))
    stated = not dataset.documents["lang"].null_count() and dataset.documents.height > 0
    dataset = replace(dataset, documents=identified(dataset.documents))
    tokenizer = load_tokenizer()
    copies, cases, noise = NO_COPIES, find_in_answers(dataset), list[Noise]()
    if dataset.documents.height:
        tell(f"looking for copies among {dataset.documents.height:,} texts")
        with ThreadPoolExecutor(1) as aside:  # the loops of both run without Python's lock
            looked_at = aside.submit(find_in_texts, dataset, tokenizer)
            copies = find_copies(dataset)
            tell("looking at texts and labels")
            labels, noise = find_in_labels(dataset, stated, copies.pairs)
            in_texts = looked_at.result()
        if not stated:
            in_texts = {claim: found for claim, found in in_texts.items() if claim not in ("language", "script")}
        cases = {**copies.cases, **labels, **in_texts, **cases}
    tell("scoring rows that read no style")
    measured = list(measure(dataset, tokenizer, texts, seed))
    cleaned = None
    if clean is not None:
        tell("writing a version without the leaks")
        cleaned = write_clean(dataset, copies, Path(clean))
    about, standing = _about(dataset, paths, stated), differences(given, measured, seed)
    findings = [Finding(claim, tuple(cases[claim])) for claim in CLAIMS if claim in cases]
    return Audit(about, findings, measured, noise, beside(given, measured), standing, cleaned)


def _about(dataset: Dataset, paths: Sequence[Path], stated: bool) -> AuditedDataset:
    documents = dataset.documents
    sizes = (
        documents.group_by("split")
        .agg(documents=pl.len(), authors=pl.col("author").drop_nulls().n_unique(), queries=pl.col("query").sum())
        .sort("split")
    )
    splits = {row.pop("split"): row for row in sizes.to_dicts()}
    languages = documents.group_by("lang").len().sort("len", "lang", descending=[True, False])
    return {
        "name": ", ".join(map(name_of, paths)),
        "form": dataset.form,
        "documents": documents.height,
        "authors": documents["author"].drop_nulls().n_unique(),
        "problems": dataset.problems.height,
        "splits": splits,
        "languages": dict(languages.iter_rows()),
        "languages_stated": stated,
        "notes": list(dataset.notes),
    }
