"""Read and apply exclusions: the verdicts of reviewers.

The review sheets export the file: JSON lines with `doc_key`, `reason` (null: the text is good) and `note`. Lists of
several people may be concatenated: a text is excluded if any of them excludes it, for the first reason given.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

import polars as pl

from authbench.config.languages import ALL
from authbench.config.registry.checks import same_names, unreadable_file
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.records import as_removed
from authbench.core.storage.exact_json import loads, read_lines

REASON = re.compile(r"[a-z][a-z_]{0,39}")
EXCLUSIONS = pl.Schema({"doc_key": pl.String, "reason": pl.String, "note": pl.String})
STAGE = "filter"


def read_exclusions(path: str | Path) -> pl.DataFrame:
    """Return the texts to exclude (EXCLUSIONS), each once.

    Raises:
        InputError: a line (its number is reported) is not a verdict.
    """
    rows: dict[str, tuple[str, str, str]] = {}
    for key, reason, note in _verdicts(path):
        if reason is not None:
            rows.setdefault(key, (key, reason, note))
    return pl.DataFrame(list(rows.values()), schema=EXCLUSIONS, orient="row")


def read_verdicts(path: str | Path) -> dict[str, str | None]:
    """Return by doc_key the reason for which a reader excludes a text; None if the text is good.

    If a text occurs twice, the first reason counts.

    Raises:
        InputError: a line (its number is reported) is not a verdict.
    """
    found: dict[str, str | None] = {}
    for key, reason, _ in _verdicts(path):
        found[key] = found.get(key) or reason
    return found


def _verdicts(path: str | Path) -> Iterator[tuple[str, str | None, str]]:
    """Yield key, reason and note of every line."""
    for place, line in read_lines(path):
        try:
            verdict = loads(line)
            key, reason, note = verdict["doc_key"], verdict["reason"], verdict.get("note") or ""
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{place}: {_EXPECTED} ({type(error).__name__}: {error})") from None
        if not isinstance(key, str) or not isinstance(note, str) or (reason is not None and not _is_reason(reason)):
            raise InputError(f"{place}: {_EXPECTED}, found other values")
        yield key, reason, note


def excluded(documents: pl.DataFrame, exclusions: pl.DataFrame) -> pl.DataFrame:
    """Return the REMOVED rows of the documents (`source`, `doc_key`) on the list, with reason `review_<reason>`."""
    listed = documents.select("source", "doc_key").join(exclusions, on="doc_key", maintain_order="left")
    note = pl.when(pl.col("note") != "").then("note")
    return as_removed(listed, STAGE, "review_" + pl.col("reason"), note)


_EXPECTED = 'expected {"doc_key": "…", "reason": "boilerplate" or null, "note": "…"}, as the review sheets export it'


def _is_reason(reason: object) -> bool:
    return isinstance(reason, str) and REASON.fullmatch(reason) is not None


def review_problems(config: Config) -> Iterator[str]:
    files = config["review"]["verdicts"]
    for path in files:
        yield from unreadable_file("review.verdicts", path, read_verdicts)
    yield from same_names("review.verdicts", "readers", [ALL, *(PurePath(path).stem for path in files)])
