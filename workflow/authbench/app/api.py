"""Provide the package's four functions: `authbench.load`, `authbench.check`, `authbench.evaluate`, `authbench.audit`.

They do what the commands of the same names do, and raise `authbench.core.errors.InputError`, which says what is wrong
with an input and what to do.
"""

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, NoneType, UnionType
from typing import TypeAlias

import numpy as np

from authbench.audit.auditing.drawn import MOST
from authbench.audit.auditing.read import How, read_dataset
from authbench.audit.auditing.run import Audit, examine
from authbench.audit.auditing.scored import open_split
from authbench.config.registry.checks import expect_distinct_names
from authbench.config.registry.values import LARGEST, shown
from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_foreign_json
from authbench.models.cache import default_cache
from authbench.models.entries import ModelEntry
from authbench.models.function import AT_ONCE, called
from authbench.models.model import VectorCache
from authbench.models.requested import expect_no_control, load_model, load_models, usable_name
from authbench.release.checking import ENDING, Violation, check_release
from authbench.release.format.hub import release_of
from authbench.release.format.release import Release
from authbench.release.format.verify import open_verified
from authbench.reports.report.verify import check_drawings
from authbench.scoring.evaluation.joined import comparable_results, join
from authbench.scoring.evaluation.run import evaluate as _evaluate
from authbench.scoring.evaluation.run import expect_usable
from authbench.scoring.evaluation.split import Split, read_dev
from authbench.scoring.evaluation.verification import draw_negatives

Place: TypeAlias = str | Path
# Returns a vector per text, shape (texts, dimensions), as the `encode` of a sentence-transformers model does.
Encode: TypeAlias = Callable[[Sequence[str]], object]
_PATH = (str, os.PathLike)


def _expect(expected: str, kinds: type | tuple[type, ...] | UnionType, **given: object) -> None:
    """Raise InputError if one of these arguments, or one of the values in it, is of another kind."""
    for name, value in given.items():
        for one in value if isinstance(value, Collection) and not isinstance(value, str | Mapping) else [value]:
            if not isinstance(one, kinds):
                raise InputError(f"{name}: found {type(one).__name__}. Expected {expected}.")


def _expect_whole(name: str, value: object, least: int = -LARGEST - 1) -> None:
    if not isinstance(value, int) or not least <= value <= LARGEST:
        raise InputError(f"{name}: found {shown(value)}. Expected an integer from {least} to {LARGEST}.")


def load(release: Place, *, unverified: bool = False) -> Release:
    """Open a release, ours or another in this format; its texts are read on request, in batches.

    Examples:
        >>> release = load("release")
        >>> release.splits
        ('train', 'dev', 'test')
        >>> sum(batch.height for batch in release.candidates("test"))
        30
        >>> release.truth("test").columns
        ['query_id', 'positive_ids', 'author_id', 'ignored_ids']

    Args:
        release: its folder.
        unverified: whether to accept a release that contradicts its checksums or itself; `.unverified` says why.

    Raises:
        InputError: it cannot be read, or contradicts itself.
    """
    _expect("a path", _PATH, release=release)
    return open_verified(Path(release), unverified=unverified)


def check(release: Place, settings: Mapping[str, object] | None = None) -> list[Violation]:
    """Return every claim that a release violates, with the offending ids; empty if it is sound.

    Examples:
        >>> check("release")
        []

    Args:
        release: its folder.
        settings: sections of config.yaml that the release may have, e.g. `{"dedup": {...}}`; they go before those in
            its manifest.

    Raises:
        InputError: it cannot be read.
    """
    _expect("a path", _PATH, release=release)
    _expect("a mapping", Mapping | None, settings=settings)
    folder = release_of(Path(release))
    found = check_release(folder, settings)
    if not any(violation.code in ENDING for violation in found):
        found += check_drawings(folder)
    return found


def evaluate(
    release: Place | Release,
    models: str | Sequence[str] | Mapping[str, str | Encode],
    *,
    split: str = "test",
    out: Place | None = None,
    dev: str = "dev",
    seed: int | None = None,
    cache: Place | None = None,
    half: bool = False,
) -> dict[str, dict[str, object]]:
    """Score models on a split, and return the content of each model's scores.json by its name.

    Examples:
        >>> scores = evaluate("release", ["tfidf", "metadata"])
        >>> sorted(scores), scores["tfidf"]["benchmark"]["queries"]
        (['metadata', 'tfidf'], 30)
        >>> def lengths(texts):
        ...     return [[1.0, len(text), text.count(",")] for text in texts]
        >>> mine = evaluate("release", {"mine": lengths, "theirs": "tfidf"})
        >>> mine["theirs"]["headline"] == scores["tfidf"]["headline"]
        False
        >>> 0 <= mine["mine"]["headline"]["auc_matched"]["value"] <= 1
        True

    Args:
        release: a release (its folder, or what `load` gives) or any dataset that `audit` reads.
        models: what `--model` takes (a name of the registry, an entry, a folder, `owner/name`, `module:function`,
            `vectors=FILE`), one or several; or a mapping of names to these or to functions that embed texts.
        split: on which they are scored.
        out: folder for the results, as `authbench evaluate` writes them, for a leaderboard; None: not kept.
        dev: split on which the shortcut to beat is chosen.
        seed: of drawn negatives and intervals; None: the release's.
        cache: folder of vectors; None: the commands' folder.
        half: whether vectors are cached in 16 bits.

    Raises:
        InputError: the release or a model cannot be used.
    """
    _expect("a path or what load gives", (*_PATH, Release), release=release)
    _expect("a path", (*_PATH, NoneType), out=out, cache=cache)
    _expect("the name of a split", str, split=split, dev=dev)
    _expect_whole("seed", 0 if seed is None else seed)
    opened, scored, chance = open_split(release if isinstance(release, Release) else Path(release), split, seed)
    with ExitStack() as at_end:
        folder = Path(at_end.enter_context(TemporaryDirectory()) if out is None else out)
        entries = _entries(models, scored, folder)
        expect_usable(entries, scored)
        tuned = read_dev(opened, dev, scored) if opened and any(entry.shortcut for entry in entries) else None
        vectors = VectorCache(Path(cache) if cache is not None else default_cache(), half)
        negatives = draw_negatives(scored, chance)
        for entry in entries:
            _evaluate(entry, scored, chance, folder, vectors, tuned, negatives)
        join(comparable_results(folder, entries[-1].name))
        return {entry.name: read_foreign_json(folder / entry.name / "scores.json") for entry in entries}


def _entries(models: str | Sequence[str] | Mapping[str, str | Encode], split: Split, folder: Path) -> list[ModelEntry]:
    """Return the models; the vectors of functions are written to <folder>/vectors/<name>.npz."""
    if not models:
        raise InputError("There is nothing to evaluate: no model was given.")
    if not isinstance(models, Mapping):
        _expect("names of models, or a mapping", str, models=models)
        return load_models([models] if isinstance(models, str) else models)
    _expect("names", str, models=models.keys())
    expect_distinct_names("models", "models", models)
    for name, model in models.items():
        _expect("what --model takes, or a function", str | Callable, **{name: model})
        if not isinstance(model, str):
            expect_no_control(usable_name(name), f"a function called {name}")
    loaded = {name: load_model(model, name=name) for name, model in models.items() if isinstance(model, str)}
    for name, model in models.items():
        if not isinstance(model, str):
            loaded[name] = load_model(f"vectors={_written(name, model, split, folder)}", name=name)
    return [loaded[name] for name in models]


def _written(name: str, encode: Encode, split: Split, folder: Path) -> Path:
    """Write the vectors that a function gives for the texts of a split. Raises InputError if they do not fit."""
    texts, parts = split.documents["content"].to_list(), list[np.ndarray]()
    for first in range(0, len(texts), AT_ONCE):
        parts.append(called(encode, name, texts[first : first + AT_ONCE], parts[0].shape[1] if parts else None))
    path = folder / "vectors" / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, ids=np.array(split.documents["id"].to_list()), vectors=np.concatenate(parts))
    return path


def audit(
    source: Place | Sequence[Place],
    out: Place | None = None,
    *,
    scores: Sequence[Place] = (),
    clean: Place | None = None,
    columns: Mapping[str, str] | None = None,
    data: Place | None = None,
    texts: int = MOST,
    seed: int = 0,
) -> Audit:
    """Return the findings of an audit of any authorship dataset: leaks, noisy labels, and scores without style.

    Examples:
        >>> found = audit("release")
        >>> [finding.claim for finding in found.broken]
        []
        >>> sorted({row.split for row in found.rows})
        ['dev', 'test', 'train']

    Args:
        source: a file or folder of a known form, or several, such as the folders of splits.
        out: folder that gets index.html and audit.json; None: not written.
        scores: published scores, or answers to PAN's problems, to compare with the rows.
        clean: new folder for a version without the leaks.
        columns: names of a table's columns, by ours (`author`, `content`, ...).
        data: folder of the datasets that entries of config/style name.
        texts: maximum number of texts of a split on which the rows are scored.
        seed: of draws and intervals.

    Raises:
        InputError: the source cannot be read, or has no known form.
    """
    _expect("a path or several", _PATH, source=source, scores=scores)
    _expect("a path", (*_PATH, NoneType), out=out, clean=clean, data=data)
    _expect("a mapping", Mapping | None, columns=columns)
    _expect_whole("texts", texts, 1)
    _expect_whole("seed", seed)
    paths = [Path(one) for one in ([source] if isinstance(source, str | os.PathLike) else source)]
    dataset = read_dataset(paths, How(columns or {}, None if data is None else Path(data)))
    result = examine(dataset, paths, scores=scores, clean=clean, texts=texts, seed=seed)
    if out is not None:
        from authbench.audit.auditing.page import write_audit

        write_audit(result, Path(out))
    return result


class _CalledPackage(ModuleType):
    """The package `authbench.audit`: once it is imported, it hides the function of its name, whose call it takes."""

    __call__ = staticmethod(audit)


sys.modules["authbench.audit"].__class__ = _CalledPackage
