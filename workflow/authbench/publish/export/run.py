"""Write a release in a known form, or as its public bundle."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from authbench.config.plugins import PlugIn, called, find_plugin, load_plugin, unusable
from authbench.config.registry.source_entry import Source
from authbench.config.settings.publish import Publish
from authbench.core.errors import InputError
from authbench.core.storage.atomic import atomic_folder, sha256_of_file, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.json_lines import write_json_lines
from authbench.core.storage.sha256sums import SUMS, sums_lines
from authbench.publish.export.beir import write_beir, write_runs, write_trec
from authbench.publish.export.bundle import write_public
from authbench.publish.export.card import write_card
from authbench.publish.export.citations import write_citations
from authbench.publish.export.data_protection import DATA, SHEET, data_protection, known_risk, read_risk, sheet
from authbench.publish.export.datacite import CFF, DATACITE, citation_cff, datacite
from authbench.publish.export.huggingface import write_huggingface
from authbench.publish.export.mteb import write_mteb
from authbench.publish.export.pan import write_pan
from authbench.publish.export.rocrate import CRATE, crate
from authbench.publish.export.steb import write_steb
from authbench.release.format.release import Release, open_complete_release
from authbench.reports.leaderboard.collect import expect_of_release, read_results

PUBLIC = "public"
_DOCUMENT = ("id", "author_id", "content", "genre", "lang", "source", "token_length")
_Form = Callable[[Path, Release, Publish], None]


def write_documents(folder: Path, release: Release, about: Publish) -> None:
    """Write all texts of a split as `<split>/documents.jsonl`, candidates first, in the processing plan's schema.

    Memory: a batch of texts.
    """
    for split in release.splits:
        (folder / split).mkdir(parents=True)
        rows = (row for batch in release.texts(split) for row in batch.select(_DOCUMENT).iter_rows(named=True))
        write_json_lines(folder / split / "documents.jsonl", rows)
    write_card(folder, release, about, "documents")


FORMS: dict[str, _Form] = {
    "huggingface": write_huggingface,
    "beir": write_beir,
    "mteb": write_mteb,
    "trec": write_trec,
    "pan": write_pan,
    "steb": write_steb,
    "documents": write_documents,
}


def export(
    release: Release,
    form: str,
    out: Path,
    about: Publish,
    with_tier_b: bool = False,
    runs: Path | None = None,
    scores: Path | None = None,
) -> None:
    """Write a release, or its public bundle, in a form as the folder `out`.

    The folder has SHA256SUMS only if the release is verified.

    Args:
        form: a name of FORMS or of a plug-in.
        out: the folder to write; it appears complete or not at all.
        runs: a folder of results whose rankings are added to TREC's qrels.
        scores: a folder of results for the risk of re-identification; without it, the sheet of a bundle gives the risk,
            if any.

    Raises:
        InputError: the form is unknown, its plug-in fails, `runs` is given for another form than trec or is of other
            texts, or as `expect_exportable`.
    """
    plugin = None if form in FORMS else find_plugin("exports", form, [PUBLIC, *FORMS])
    if runs is not None and form != "trec":
        raise InputError(f"--runs belongs to the form trec, not to {form}.")
    expect_exportable(release, with_tier_b)
    if runs is not None:
        for one in read_results(runs):
            expect_of_release([one], release)
    risk = read_risk(scores, release) if scores else known_risk(release.folder)
    with atomic_folder(out) as place:
        if plugin is None:
            FORMS[form](place, release, about)
        else:
            _write_plugged(plugin, place, release, about)
        if runs is not None:
            write_runs(place, runs)
        describe_folder(place, release, about, risk, plugin)


def _write_plugged(plugin: PlugIn, folder: Path, release: Release, about: Publish) -> None:
    """Write a release in the form of a plug-in. Raises InputError if it fails or writes no file."""
    expected = "a function (folder, release, about) that writes files into the folder"
    called(plugin, expected, load_plugin(plugin), folder, release, about)
    if not any(folder.iterdir()):
        raise unusable(plugin, "wrote no file", expected)


def export_public(
    release: Release, out: Path, about: Publish, sources: Mapping[str, Source], scores: Path | None = None
) -> None:
    """Write the public bundle of a release as the folder `out`, with SHA256SUMS if the release is verified.

    `scores` is as in `export`.

    Raises:
        InputError: it is a bundle already, `publish.sha256` freezes another release, or as
            `write_public` and `read_risk`.
    """
    if release.withheld:
        raise InputError(f"{release.folder} is a public bundle already, or a part of a release.")
    _expect_frozen(release, about)
    risk = read_risk(scores, release) if scores else None
    with atomic_folder(out) as place:
        write_public(place, release, about, sources)
        bundle = replace(open_complete_release(place), unverified=release.unverified)
        describe_folder(place, bundle, about, risk)


def remove_forms(folder: Path) -> None:
    """Remove the forms of an earlier bundle from a folder: they may hold texts that were taken down since."""
    for form in FORMS:
        shutil.rmtree(folder / form, ignore_errors=True)


def _expect_frozen(release: Release, about: Publish) -> None:
    """Raise InputError if the publisher states the checksum of another release."""
    if about["sha256"] is None:
        return
    sums = release.folder / SUMS
    found = sha256_of_file(sums) if sums.is_file() else "none"
    if found != about["sha256"]:
        raise InputError(
            f"{release.folder} is not the frozen release {about['version']}: the SHA-256 of its {SUMS} is {found}, and "
            f"publish.sha256 is {about['sha256']}. Build it with the version of AuthBench, the locked packages and the "
            "raw files of that release, or publish this one under a new version (authbench release notes)."
        )


def expect_exportable(release: Release, with_tier_b: bool = False) -> None:
    """Raise InputError if a release contains texts of tier B and `with_tier_b` is false."""
    if release.tier_b and not with_tier_b:
        raise InputError(
            f"{release.folder}: {release.tier_b} of its texts are of tier B, which nobody may pass on. Export its "
            "public bundle instead (authbench release export RELEASE_DIR --form public), or say --with-tier-b and "
            "keep what you get to yourself."
        )


def describe_folder(
    folder: Path,
    release: Release,
    about: Publish,
    risk: Mapping[str, object] | None,
    plugin: PlugIn | None = None,
) -> None:
    """Write these files and, if the release is verified, SHA256SUMS of all; each file is read once.

    Args:
        folder: a published form, complete except for these files.
        release: the release that it was made of; for a public bundle, the bundle itself.
        risk: the result of `data_protection.read_risk`.
    """
    write_citations(folder, release)
    write_plain_json(folder / DATACITE, datacite(release, about))
    write_text(folder / CFF, citation_cff(release, about))
    stated = data_protection(release, about, risk)
    write_plain_json(folder / DATA, stated)
    write_text(folder / SHEET, sheet(stated))
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    sums = {path: sha256_of_file(folder / path) for path in files if path not in (SUMS, CRATE)}
    write_plain_json(folder / CRATE, crate(folder, release, about, sums, plugin))
    if not release.unverified:
        write_text(folder / SUMS, sums_lines(sums | {CRATE: sha256_of_file(folder / CRATE)}))
