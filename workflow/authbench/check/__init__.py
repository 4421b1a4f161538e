"""Check a release, ours or another's in this format.

Its files are compared with its texts, with its own bookkeeping where it has some, and with the settings it was made
with. Read in this order: `claims`, `rows` (the form of every row), `rules` (the settings), then one module per claim.
"""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from authbench.check.bookkeeping import check_checksums, check_manifest, check_provenance, check_quotas
from authbench.check.claims import CLAIMS, Finding
from authbench.check.overlap import check_overlap
from authbench.check.rows import Rows, join_rows, read_tables
from authbench.check.rules import Rules, make_rules
from authbench.check.texts import check_texts
from authbench.check.truth import check_truth
from authbench.check.units import check_units
from authbench.format.release import open_release
from authbench.tokens import load_encoding, load_tokenizer

_SHOWN = 12
_TEXTS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Violation:
    """A claim that a release breaks: its name, the claim and details in words, and the ids (or files) that break it."""

    code: str
    message: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        more = len(self.ids) - _SHOWN
        return f"{self.code} ({len(self.ids)}): {self.message}\n    " + "\n    ".join(
            [*self.ids[:_SHOWN], *([f"... and {more} more"] if more > 0 else [])]
        )

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ids": list(self.ids[:_SHOWN]), "count": len(self.ids)}


def check_release(folder: str | Path, expected: Mapping[str, Any] | None = None) -> list[Violation]:
    """Return every claim that a release breaks, in the order of `claims.CLAIMS`; none: it is sound.

    Rows that break the form end the check early, as the later claims are about well-formed rows.

    Args:
        folder: the release.
        expected: settings as in config.yaml (sections `dedup`, `sample`, `split`, `release`); they go before those in
            the release's manifest.json, and these before the defaults.

    Raises:
        InputError: no such folder, no split in it, a missing file of a split, broken JSON (with its line), wrong
            encoding, or no vocabulary to count with.
    """
    folder = Path(folder)
    release = open_release(folder)
    tables, findings = read_tables(release)
    findings += check_checksums(folder)
    if all(finding.code == "checksum" for finding in findings):
        findings += _check_rows(join_rows(release, tables), make_rules(release.manifest, expected))
    return list(_grouped(findings))


def _check_rows(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield the findings in rows that have the right form; tokens are counted beside the search for copies."""
    with ThreadPoolExecutor(1) as beside:
        counted = partial(check_texts, load_tokenizer(), load_encoding())
        texts = beside.map(counted, release.documents.iter_slices(_TEXTS_AT_ONCE))
        pairs = yield from check_overlap(release, rules)
        yield from check_units(release, rules)
        yield from check_truth(release, rules, pairs)
        yield from check_provenance(release, rules)
        yield from check_quotas(release, rules)
        yield from check_manifest(release)
        yield from chain.from_iterable(texts)


def _grouped(findings: Iterable[Finding]) -> Iterator[Violation]:
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    for code, claim in CLAIMS.items():
        if found := by_code.get(code):
            notes = list(dict.fromkeys(finding.note for finding in found if finding.note))
            details = "; ".join(notes[:4]) + ("; ..." if len(notes) > 4 else "")
            ids = tuple(dict.fromkeys(finding.id for finding in found))
            yield Violation(code, f"{claim} ({details})" if details else claim, ids)
