"""Check an existing folder of results before a build of the same name starts."""

from collections.abc import Collection
from pathlib import Path

from authbench.build.release.published import RELEASE, expect_as_published
from authbench.core.errors import InputError
from authbench.core.runtime.inventory import take_inventory
from authbench.core.storage.raw_paths import FileSet
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.release.format.files import MANIFEST


def expect_unaltered(results: Path, cache: Path) -> None:
    """Verify the release in a folder of results, if it is finished; files that look untouched are not read again.

    A release without manifest or SHA256SUMS is unfinished.

    Args:
        cache: a JSON file of digests by path, size and times.

    Raises:
        InputError: a file has changed or is missing; the message says what to do.
    """
    folder = results / RELEASE
    if (folder / SUMS).is_file() and (folder / MANIFEST).is_file():
        files = {RELEASE: FileSet(RELEASE, ("**",))}
        found = take_inventory(results, files, cache)[RELEASE]
        expect_as_published(folder, read_sums(folder), found)


def expect_same_benchmark(results: Path, sources: Collection[str]) -> None:
    """Verify that a folder of results, if any, shares a source with the run.

    A recipe may gain and lose sources. With no source in common, the run builds another benchmark, which would replace
    the results of this name.

    Raises:
        InputError: the sources differ; the message says what to do.
    """
    built = sorted(path.name for path in (results / "ingest").glob("*") if path.is_dir())
    if built and not set(built) & set(sources):
        raise InputError(
            f"{results}/ was built from {', '.join(built)}; this run has other sources: {', '.join(sorted(sources))}. "
            f"Pass the recipe of {results.name} (--configfile), choose another name, or remove {results}/."
        )
