"""Which forms are there, and how does a release take one?"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.export.beir import write_beir
from authbench.export.huggingface import write_huggingface
from authbench.export.mteb import write_mteb
from authbench.export.pan import write_pan
from authbench.export.public import write_public
from authbench.export.publication import Publication
from authbench.export.reading import Benchmark, open_release
from authbench.export.trec import write_runs, write_trec
from authbench.registry.entries import did_you_mean
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.sha256sums import SUMS, checksums

PUBLIC = "public"
Form = Callable[[Path, Benchmark, Publication], None]
FORMS: dict[str, Form] = {
    "huggingface": write_huggingface,
    "beir": write_beir,
    "mteb": write_mteb,
    "trec": write_trec,
    "pan": write_pan,
}


def export(
    release: Path, form: str, out: Path, about: Publication, with_tier_b: bool = False, runs: Path | None = None
) -> Benchmark:
    """Write a release, or its public bundle, in one of FORMS as the folder `out`, with SHA256SUMS.

    `runs` is a folder of results whose rankings go beside TREC's qrels. Raises InputError for a form that is not
    known, for `runs` with another form, and as `open_release` does.
    """
    if form not in FORMS:
        raise InputError(f"There is no form '{form}'{did_you_mean(form, [PUBLIC, *FORMS])}.")
    if runs is not None and form != "trec":
        raise InputError(f"--runs belongs to the form trec, not to {form}.")
    benchmark = open_release(release, with_tier_b)
    with atomic_folder(out) as folder:
        FORMS[form](folder, benchmark, about)
        if runs is not None:
            write_runs(folder, runs)
        write_text(folder / SUMS, checksums(folder))
    return benchmark


def export_public(release: Path, out: Path, about: Publication, pages: Mapping[str, Mapping[str, Any]]) -> Benchmark:
    """Write the public bundle of a release as the folder `out`, with SHA256SUMS."""
    benchmark = open_release(release, with_tier_b=True)
    if benchmark.withheld:
        raise InputError(f"{release} is a public bundle already.")
    with atomic_folder(out) as folder:
        write_public(folder, benchmark, about, pages)
        write_text(folder / SUMS, checksums(folder))
    return benchmark
