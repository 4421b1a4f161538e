"""Check of a finished release before a build starts: an edited one is never taken for what the build made."""

from pathlib import Path

from authbench.format.files import MANIFEST
from authbench.release.published import RELEASE, expect_as_published
from authbench.runtime.inventory import take_inventory
from authbench.storage.raw_paths import FileSet
from authbench.storage.sha256sums import SUMS, read_sums


def expect_unaltered(results: Path) -> None:
    """Verify the release in a folder of results, if it is finished; a file is read again only if it looks touched.

    Without its manifest or SHA256SUMS a release is one that a run has yet to finish.

    Raises:
        InputError: a file has changed or is missing; says what to do.
    """
    folder = results / RELEASE
    if (folder / SUMS).is_file() and (folder / MANIFEST).is_file():
        files = {RELEASE: FileSet(RELEASE, ("**",))}
        found = take_inventory(results, files, results / "release_inventory.json")[RELEASE]
        expect_as_published(folder, read_sums(folder), found)
