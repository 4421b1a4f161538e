"""Publish a checked draft as the release."""

import os
import shutil
from pathlib import Path

from authbench.storage.atomic import atomic_folder
from authbench.storage.sha256sums import SUMS, read_sums


def publish(draft: Path, release: Path) -> dict[str, str]:
    """Put the files of a draft in the release's place; return the SHA-256 of each, by its path.

    Files are linked, so that draft and release take the room of one; where a file system has no links they are copied.
    SHA256SUMS stays behind: that of the release comes last, with the report.
    """
    with atomic_folder(release) as folder:
        ignored = shutil.ignore_patterns(".*", SUMS)
        shutil.copytree(draft, folder, ignore=ignored, copy_function=_link_or_copy, dirs_exist_ok=True)
    return read_sums(draft)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
