"""Publish a checked draft as the release."""

import shutil
from pathlib import Path

from authbench.errors import InputError
from authbench.release.published import differences, digests_of
from authbench.storage.atomic import atomic_folder
from authbench.storage.sha256sums import SUMS, read_sums


def publish(draft: Path, release: Path) -> dict[str, str]:
    """Copy the files of a draft to the release's place, so that an edit of one leaves the other as it is.

    Returns the SHA-256 of each, by its path.

    SHA256SUMS stays behind: that of the release comes last, with the report.

    Raises:
        InputError: the draft is no longer as it was written.
    """
    with atomic_folder(release) as folder:
        ignored = shutil.ignore_patterns(".*", SUMS)
        shutil.copytree(draft, folder, ignore=ignored, copy_function=shutil.copyfile, dirs_exist_ok=True)
        sums = read_sums(draft)
        if problems := differences(sums, digests_of(folder, sums)):
            raise InputError(
                f"{draft} is not as it was written: {problems}. Delete the folder and run the same command again."
            )
    return sums
