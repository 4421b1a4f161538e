"""Check the draft of a release."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from authbench.core.errors import InputError
from authbench.release.checking import check_release
from authbench.release.format.manifest import Manifest
from authbench.release.format.release import read_manifest


def check_draft(draft: Path, release: Path, settings: Mapping[str, object]) -> dict[str, object]:
    """Return the result of a check without violations, with a line on the contents of the draft (`summary`).

    Args:
        draft: the folder to check.
        release: the path of the finished release.
        settings: the settings that the user of this run has granted (`format.files.CHECKED_SECTIONS`).

    Raises:
        InputError: names every violation; the draft is kept for inspection, and there is no release: the previous
            release was made from other inputs.
    """
    if violations := check_release(draft, settings):
        shutil.rmtree(release, ignore_errors=True)
        found = "\n".join(str(violation) for violation in violations)
        raise InputError(f"The release is not sound; its draft stays in {draft}/\n{found}")
    return {"violations": 0, "summary": _summary(read_manifest(draft))}


def _summary(manifest: Manifest) -> str:
    """Return a line on the contents of a release."""
    totals = manifest["totals"]
    sizes = ", ".join(f"{name} {manifest['counts'][name]['documents']:,}" for name in manifest["splits"])
    languages = f"{totals['languages']} language{'s' * (totals['languages'] != 1)}"
    return (
        f"{manifest['name']}: {totals['documents']:,} documents by {totals['authors']:,} authors in "
        f"{languages} ({sizes}), {totals['queries']:,} queries, 0 violations"
    )
