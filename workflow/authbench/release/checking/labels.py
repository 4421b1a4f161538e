"""Check statistics/labels.csv: the noise in each source's labels, and that noisy labels are not scored."""

from collections.abc import Iterator, Mapping

import polars as pl

from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.tables import read_csv

_PLACE = "statistics/labels.csv"
_ESTIMATORS = frozenset({"", "same_item", "account", "voices", "stated"})
_DECISIONS = frozenset({"clean", "impure", "unmeasured"})
_SCORED = ("dev", "test")


def check_labels(release: Rows, settings: Mapping[str, object]) -> Iterator[Finding]:
    """Yield malformed rows, decisions that do not follow from the interval, and scored documents of impure sources."""
    path = release.folder / _PLACE
    if not path.is_file():
        return
    limit = settings.get("max_impurity")
    stated_sources: set[str] = set()
    for number, row in enumerate(read_csv(path)[1], start=2):
        where = f"{_PLACE}:{number}"
        stated_sources.add(row["source"])
        impurity, low, high = (float(row[name]) if row[name] else None for name in ("impurity", "low", "high"))
        sizes = int(row["labels"]), int(row["texts"])
        if sizes[1] < 3 * sizes[0]:
            yield Finding("labels", where, f"{where}: {sizes[1]} texts of {sizes[0]} labels with three or more")
        if row["estimator"] not in _ESTIMATORS:
            yield Finding("labels", where, f"{where}: estimator {row['estimator']!r:.30}")
        values = [value for value in (low, impurity, high) if value is not None]
        if values != sorted(values) or not all(0 <= value <= 1 for value in values):
            yield Finding("labels", where, f"{where}: impurity {impurity}, interval {low} to {high}")
        yield from _check_decision(release, where, row, (low, high), limit)
    if "authbench" in release.manifest:
        for source in sorted(set(release.documents["source"]) - stated_sources):
            yield Finding("labels", source, f"{source} is not in {_PLACE}")


def _check_decision(
    release: Rows,
    where: str,
    row: Mapping[str, str],
    interval: tuple[float | None, float | None],
    limit: object,
) -> Iterator[Finding]:
    """Yield a decision that does not follow from an interval, and documents of an impure source outside train.

    A row without an interval means that no label or only single labels of the source were measured. The table does not
    say which, so such a source has no clean label.
    """
    if limit is None:
        if row["decision"]:
            yield Finding("labels", where, f"{where}: decides {row['decision']!r:.30}, the settings have no limit")
        return
    if row["decision"] not in _DECISIONS:
        yield Finding("labels", where, f"{where}: decides {row['decision']!r:.30}")
    low, high = interval
    if low is None or high is None:
        if row["decision"] == "clean":
            yield Finding("labels", where, f"{where}: decides 'clean' without an interval")
        return
    if not isinstance(limit, int | float):
        return
    follows = "clean" if high <= limit else "impure" if low > limit else "unmeasured"
    if row["decision"] != follows:
        yield Finding("labels", where, f"{where}: decides {row['decision']!r:.30}, {low} to {high} is {follows}")
    if follows == "impure":
        scored = release.documents.filter(pl.col("source") == row["source"], pl.col("split").is_in(_SCORED))
        for ident, split in scored.sort("id").select("id", "split").iter_rows():
            yield Finding("labels", ident, f"{ident} is in {split}, {row['source']} is impure")
