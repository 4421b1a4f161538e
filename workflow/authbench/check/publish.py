"""When does a draft become the release? When every claim it makes has been checked."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.check import check_release
from authbench.check.reading import read_json
from authbench.errors import InputError
from authbench.storage.atomic import atomic_folder
from authbench.storage.sha256sums import SUMS


def publish(draft: str | Path, release: str | Path) -> dict[str, Any]:
    """Check the draft and put a copy of it in the release's place; return a line on what it is (`summary`).

    SHA256SUMS stays behind: that of the release comes last, with the report.

    Raises InputError that names every violation; the draft then stays where it is, to be looked at, and there is no
    release: the one before was of other inputs.
    """
    violations = check_release(draft)
    if violations:
        shutil.rmtree(release, ignore_errors=True)
        told = "\n".join(str(violation) for violation in violations)
        raise InputError(f"The release is not sound; its draft stays in {draft}/\n{told}")
    with atomic_folder(release) as folder:
        shutil.copytree(draft, folder, ignore=shutil.ignore_patterns(".*", SUMS), dirs_exist_ok=True)
    return {"violations": 0, "summary": summary(read_json(Path(release) / "manifest.json"))}


def summary(manifest: Mapping[str, Any]) -> str:
    """One line on what a release holds."""
    totals = manifest["totals"]
    sizes = ", ".join(f"{name} {manifest['counts'][name]['documents']:,}" for name in manifest["splits"])
    languages = f"{totals['languages']} language{'s' * (totals['languages'] != 1)}"
    return (
        f"{manifest['name']}: {totals['documents']:,} documents by {totals['authors']:,} authors in "
        f"{languages} ({sizes}), {totals['queries']:,} queries, 0 violations"
    )
