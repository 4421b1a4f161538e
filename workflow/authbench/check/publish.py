"""Publish a draft as the release, once every claim it makes holds."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.check import check_release
from authbench.errors import InputError
from authbench.format.release import read_manifest
from authbench.storage.atomic import atomic_folder
from authbench.storage.sha256sums import SUMS


def publish(draft: str | Path, release: str | Path) -> dict[str, Any]:
    """Check the draft and put a copy of it in the release's place; return its `summary`, a line.

    SHA256SUMS stays behind: that of the release comes last, with the report.

    Raises:
        InputError: names every violation; the draft then stays where it is, to be looked at, and there is no release:
            the one before was of other inputs.
    """
    violations = check_release(draft)
    if violations:
        shutil.rmtree(release, ignore_errors=True)
        found = "\n".join(str(violation) for violation in violations)
        raise InputError(f"The release is not sound; its draft stays in {draft}/\n{found}")
    with atomic_folder(release) as folder:
        shutil.copytree(draft, folder, ignore=shutil.ignore_patterns(".*", SUMS), dirs_exist_ok=True)
    return {"violations": 0, "summary": _summary(read_manifest(Path(release)))}


def _summary(manifest: Mapping[str, Any]) -> str:
    """Return one line on what a release holds."""
    totals = manifest["totals"]
    sizes = ", ".join(f"{name} {manifest['counts'][name]['documents']:,}" for name in manifest["splits"])
    languages = f"{totals['languages']} language{'s' * (totals['languages'] != 1)}"
    return (
        f"{manifest['name']}: {totals['documents']:,} documents by {totals['authors']:,} authors in "
        f"{languages} ({sizes}), {totals['queries']:,} queries, 0 violations"
    )
