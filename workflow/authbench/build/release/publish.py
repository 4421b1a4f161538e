"""Publish a checked draft as the release."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from authbench.build.release.published import digests_of, expect_as_written
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.sha256sums import SUMS, read_sums


def publish(draft: Path, release: Path) -> dict[str, str]:
    """Copy the files of a draft to the release's folder; a later edit of either copy leaves the other unchanged.

    Return the SHA-256 of each file by its path.

    The draft's SHA256SUMS is not copied: the release gets its SHA256SUMS last, with the report. If the release is
    already of the same draft, its figures, report and SHA256SUMS are kept.

    Raises:
        InputError: the draft has changed since it was written.
    """
    sums = read_sums(draft)
    with atomic_folder(release) as folder:
        ignored = shutil.ignore_patterns(".*", SUMS)
        shutil.copytree(draft, folder, ignore=ignored, copy_function=shutil.copyfile, dirs_exist_ok=True)
        expect_as_written(draft, sums, digests_of(folder, sums))
        for name in _drawn(release, sums):
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(release / name, folder / name)
    return sums


def _drawn(release: Path, sums: Mapping[str, str]) -> list[str]:
    """Return the files of a finished release that were derived from it, if its other files match `sums`."""
    stated = read_sums(release) if (release / SUMS).is_file() else {}
    drawn = {name: digest for name, digest in stated.items() if name not in sums}
    same = stated == {**sums, **drawn} and digests_of(release, drawn) == drawn
    return [*drawn, SUMS] if same and drawn else []
