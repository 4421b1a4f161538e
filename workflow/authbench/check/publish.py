"""When does a draft become the release? When every claim it makes has been checked."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.check import check_release
from authbench.errors import InputError
from authbench.tables import read_json, whole_folder


def publish(draft: str | Path, release: str | Path) -> dict[str, Any]:
    """Check the draft and put a copy of it in the release's place, whole; tell what it is in a line (`summary`).

    Raises InputError that names every violation; the draft then stays where it is, to be looked at.
    """
    violations = check_release(draft)
    if violations:
        told = "\n".join(str(violation) for violation in violations)
        raise InputError(f"The release is not sound; its draft stays in {draft}/\n{told}")
    with whole_folder(release) as folder:
        shutil.copytree(draft, folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
    return {"violations": 0, "summary": summary(read_json(Path(release) / "manifest.json"))}


def summary(manifest: Mapping[str, Any]) -> str:
    """One line on what a release holds."""
    counts = manifest["counts"]
    documents, queries = (sum(part[key] for part in counts.values()) for key in ("documents", "queries"))
    authors = sum(part["authors"] for part in counts.values())
    languages = len({language for part in counts.values() for language in part["languages"]})
    sizes = ", ".join(f"{name} {part['documents']:,}" for name, part in counts.items())
    return (
        f"{manifest['name']}: {documents:,} documents by {authors:,} authors in {languages} languages ({sizes}), "
        f"{queries:,} queries, 0 violations"
    )
