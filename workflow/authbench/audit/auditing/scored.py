"""Open the split that models are scored on, of a release or of any other dataset with authors and texts."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import orjson
import polars as pl

from authbench.core.errors import InputError
from authbench.release.format.hub import STYLE_PREFIX, NotARelease
from authbench.release.format.release import Release
from authbench.release.format.verify import open_verified
from authbench.scoring.evaluation.split import Split, read_split


def open_split(
    place: Path | Release,
    name: str,
    seed: int | None,
    unverified: bool = False,
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Release | None, Split, int]:
    """Return a release, a split of it and the seed; None and a drawn split for a dataset that is not a release.

    Args:
        columns: names of a table's columns, by ours (`auditing.read.How`).

    Raises:
        InputError: the dataset cannot be read, has no such split, or is a release and `columns` are given.
    """
    try:
        release = place if isinstance(place, Release) else open_verified(place, unverified=unverified)
    except NotARelease:
        assert isinstance(place, Path)
        if str(place).startswith(STYLE_PREFIX):
            raise
        return None, _drawn(place, name, seed or 0, columns), seed or 0
    if columns:
        raise InputError(f"{place}: is a release, whose columns have fixed names. Leave out --column.")
    return release, read_split(release, name), release.seed if seed is None else seed


def _drawn(place: Path, name: str, seed: int, columns: Mapping[str, str]) -> Split:
    """Return the split that an audit scores; `unverified` says that it was drawn.

    The split of a dataset with a single split is read whatever its name.
    """
    from authbench.audit.auditing.dataset import POOL  # a second saved where a release is scored
    from authbench.audit.auditing.drawn import MOST, build_split, draw
    from authbench.audit.auditing.findings import identified
    from authbench.audit.auditing.read import How, name_of, read_dataset
    from authbench.core.tokens import load_tokenizer

    dataset = read_dataset([place], How(columns))
    splits = [split for split in dataset.splits if split != POOL]
    if name not in splits and len(splits) > 1:
        raise InputError(f"{place}: has no split {name}, but {', '.join(splits)}. Name one by --split.")
    name = name if name in splits else splits[0]
    dataset = replace(dataset, documents=identified(dataset.documents))
    units, asked, whole, complete = draw(dataset, name, MOST, seed)
    if not asked.height or units["author"].n_unique() < 2:
        lacking = "all texts are by one author" if asked.height else "no query has an answer"
        raise InputError(f"{place}: {lacking} in the split {name}, so there is nothing to score.")
    tokens = pl.Series("token_length", load_tokenizer().count(units["content"]), pl.Int32)
    split = build_split(dataset, name, units.with_columns(tokens), asked, complete, seed)[0]
    texts = split.documents.select("id", "author_id", "content").rows()
    answers = [split.asks.tolist(), split.positives.starts.tolist(), split.positives.rows.tolist()]
    return replace(
        split,
        checksum=hashlib.sha256(orjson.dumps([texts, answers])).hexdigest(),
        unverified=f"not a release: {asked.height:,} queries among {units.height:,} of {whole:,} texts, drawn by a "
        f"keyed hash (seed {seed}). {' '.join(dataset.notes)}",
        benchmark=name_of(place),
    )
