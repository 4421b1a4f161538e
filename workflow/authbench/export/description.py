"""Describe a published folder in further files than its card: citations, DOI metadata, data protection, RO-Crate."""

from collections.abc import Mapping
from pathlib import Path

from authbench.export.citations import write_citations
from authbench.export.data_protection import DATA, SHEET, data_protection, sheet
from authbench.export.datacite import CFF, DATACITE, citation_cff, datacite
from authbench.export.rocrate import CRATE, crate
from authbench.format.release import Release
from authbench.settings.publish import Publish
from authbench.storage.atomic import sha256_of_file, write_text
from authbench.storage.json_files import write_plain_json
from authbench.storage.sha256sums import SUMS, sums_lines


def describe_folder(folder: Path, release: Release, about: Publish, risk: Mapping[str, object] | None) -> None:
    """Write these files and, if the release is verified, SHA256SUMS of all; each file is read once.

    Args:
        folder: a published form, complete except for these files.
        release: the release that it was made of; for a public bundle, the bundle itself.
        about: the publisher's statements.
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
    write_plain_json(folder / CRATE, crate(folder, release, about, sums))
    if not release.unverified:
        write_text(folder / SUMS, sums_lines(sums | {CRATE: sha256_of_file(folder / CRATE)}))
