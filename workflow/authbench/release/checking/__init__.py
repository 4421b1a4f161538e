"""Check a release, made by AuthBench or in its format.

The files are compared with the texts, with the release's bookkeeping where it exists, and with its settings. Read in
this order: `claims`, `rows` and `form` (the form of files, tables and ids), `settings`, then a module per claim.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

from authbench.core.json_values import JsonObject
from authbench.core.letters import has_letters
from authbench.core.printable import printable
from authbench.core.tokens import load_encoding, load_tokenizer
from authbench.release.checking.claims import CLAIMS, Finding
from authbench.release.checking.form import check_fields, check_files, check_form, check_ids
from authbench.release.checking.labels import check_labels
from authbench.release.checking.lock import check_lock
from authbench.release.checking.manifest import check_manifest
from authbench.release.checking.measures import check_measured, check_measures
from authbench.release.checking.overlap import check_overlap
from authbench.release.checking.pairs import check_pairs
from authbench.release.checking.provenance import check_provenance
from authbench.release.checking.quotas import check_quotas, check_units
from authbench.release.checking.rows import Rows, join_rows, read_tables
from authbench.release.checking.settings import Rules, check_settings, make_rules
from authbench.release.checking.tables import check_funnel, check_noisy, check_statistics, losing_authors
from authbench.release.checking.texts import check_texts
from authbench.release.checking.truth import check_truth
from authbench.release.checking.withheld import authors_of_withheld, check_merged, check_withheld
from authbench.release.format.release import open_release

ENDING = frozenset({"schema", "id_form", "author_form", "repeated_id"})  # if broken, no other is checked
_SHOWN = 12
_WIDTH = 120
_TEXTS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Violation:
    """A broken claim: its name, the claim and details in words, and the ids (or files) that break it."""

    code: str
    message: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        more = len(self.ids) - _SHOWN
        shown = [printable(ident)[:_WIDTH] for ident in self.ids[:_SHOWN]]
        lines = [*shown, *([f"... and {more} more"] if more > 0 else [])]
        return "\n    ".join([f"{self.code} ({len(self.ids)}): {printable(self.message)}", *lines])

    def as_dict(self) -> JsonObject:
        return {"code": self.code, "message": self.message, "ids": list(self.ids), "count": len(self.ids)}


def check_release(folder: str | Path, expected: Mapping[str, object] | None = None) -> list[Violation]:
    """Return every claim that a release breaks, in the order of `claims.CLAIMS`; a sound release gives an empty list.

    If rows break the form, the check ends early: the later claims assume well-formed rows.

    Args:
        folder: the release.
        expected: settings as in config.yaml (`format.files.CHECKED_SECTIONS`) that the release may have; they take
            precedence over manifest.json, which takes precedence over the defaults.

    Raises:
        InputError: the folder, every split, a file of a split or the vocabulary of the tokenizer is missing, the JSON
            is broken (reported with its line), or the encoding is wrong.
    """
    folder = Path(folder)
    release = open_release(folder)
    findings = list(check_files(folder, release.manifest))
    if release.manifest.get("config"):
        findings += check_settings(release.manifest["config"], expected or {})
    tables, malformed = read_tables(release)
    malformed += check_form(release)
    if not malformed:
        rows = join_rows(release, tables)
        rules = make_rules(release.manifest, expected)
        losing = losing_authors(rows) if rules.taken_down else None
        findings += _check_rows(rows, replace(rules, losing=losing, withheld_of=authors_of_withheld(rows)))
    return list(group([*findings, *malformed]))


def _check_rows(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield the findings in well-formed rows; what needs no pairs of texts is checked while pairs are searched."""
    end = "\n" if rules.settings["normalize"].get("final_newline") else ""
    check_part = partial(check_texts, load_tokenizer(), load_encoding(), rules.masked, end)
    with ThreadPoolExecutor(1) as beside:
        others = beside.submit(list, _check_each(release, rules, check_part))
        pairs = yield from check_overlap(release, rules)
        asks = has_letters("content", rules.min_letters_for_query)
        release = replace(release, documents=release.documents.with_columns(asks=asks))
        yield from check_units(release, rules)
        yield from check_truth(release, rules, pairs)
        yield from check_pairs(release, rules, pairs)
        yield from others.result()


def _check_each(
    release: Rows, rules: Rules, check_part: Callable[[pl.DataFrame], Iterable[Finding]]
) -> Iterator[Finding]:
    """Yield the findings that need no pairs of texts; `check_part` checks some texts."""
    yield from check_ids(release, rules.settings["release"].get("ids") == "sorted")
    yield from check_fields(release.provenance, rules.settings["dedup"].get("unique") or {})
    if release.provenance is not None:
        yield from check_provenance(release, release.provenance, rules.fixed_buckets)
        yield from check_measures(release, release.provenance, rules.settings)
        yield from check_measured(release, release.provenance)
        yield from check_statistics(release, release.provenance)
    yield from check_lock(release)
    yield from check_merged(release)
    yield from check_withheld(release)
    yield from check_quotas(release, rules)
    yield from check_labels(release, rules.settings["authors"])
    yield from check_noisy(release)
    yield from check_funnel(release)
    yield from check_manifest(release, rules)
    for texts in release.documents.iter_slices(_TEXTS_AT_ONCE):
        yield from check_part(texts)


def group(findings: Iterable[Finding]) -> Iterator[Violation]:
    """Yield a violation for each claim with findings, in the order of `claims.CLAIMS`."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    for code, claim in CLAIMS.items():
        if found := by_code.get(code):
            notes = list(dict.fromkeys(finding.note for finding in found if finding.note))
            details = "; ".join(notes[:4]) + ("; ..." if len(notes) > 4 else "")
            ids = tuple(dict.fromkeys(finding.id for finding in found))
            yield Violation(code, f"{claim} ({details})" if details else claim, ids)
