"""Fetch only the first rows of each split of a dataset of tables on the Hugging Face Hub."""

import shutil
import tempfile
import time
from pathlib import Path

from authbench.audit.auditing.read_authbench import configurations, splits_below
from authbench.audit.auditing.read_pan import pan_files
from authbench.audit.auditing.read_retrieval import is_beir, is_mteb
from authbench.audit.auditing.read_table import splits_of_files
from authbench.build.acquire.huggingface import look
from authbench.build.acquire.offers import Piece
from authbench.build.acquire.rows import STREAMED, write_first_rows
from authbench.core.identity import digest
from authbench.core.runtime.caches import user_cache
from authbench.core.runtime.progress import progress
from authbench.core.storage.atomic import atomic_folder
from authbench.release.format.files import MANIFEST
from authbench.release.format.hub import answers, named
from authbench.release.reading.foreign import LOOSE, PATTERNS, kind_of

_CARD = "README.md"
_PATTERNS = (_CARD, f"**/{MANIFEST}", "**/*.zip", *PATTERNS)
_CARD_BYTES = 1 << 20


def first_rows(place: str, rows: int, config: str | None) -> Path | None:
    """Return a folder in the user's cache with the first rows of each split, and the dataset's card.

    Returns:
        None: the Hub does not answer; or a part is not enough, as of a release or a retrieval dataset; or a table is
        neither Parquet nor JSON lines.

    Raises:
        InputError: a file cannot be fetched, or the configuration is missing.
    """
    name, revision, stated = named(place)
    if not answers(name, {"repo_type": "dataset", "revision": revision}):
        return None
    with tempfile.TemporaryDirectory() as aside:
        listing = look(Piece(name, revision, _PATTERNS, ""), revision, Path(aside) / "parts", time.sleep)
        target = user_cache() / "rows" / digest(name, str(listing.revision), stated or config or "", str(rows))
        if target.is_dir():
            return target
        offers = {offer.path: offer for offer in listing.offers}
        tables = [path for path in offers if kind_of(Path(path)) not in {None, *LOOSE}]
        sketch = Path(aside) / "sketch"  # the dataset with empty files
        for path in offers:
            (sketch / path).parent.mkdir(parents=True, exist_ok=True)
            (sketch / path).touch()
        if not tables or not all(path.endswith(STREAMED) for path in tables) or _has_parts(sketch):
            return None
        if (card := offers.get(_CARD)) and card.stream:
            with card.stream() as opened:
                (sketch / _CARD).write_bytes(opened.read(_CARD_BYTES))
        splits = splits_of_files(sketch, [sketch / path for path in tables], stated or config)
        left = dict.fromkeys(splits.values(), rows)
        with atomic_folder(target) as folder:
            if card:
                shutil.copyfile(sketch / _CARD, folder / _CARD)
            for file, split in progress(splits.items(), f"{place}: files", len(splits)):
                offer = offers[file.relative_to(sketch).as_posix()]
                if not left[split] or not offer.stream:
                    continue
                (folder / offer.path).parent.mkdir(parents=True, exist_ok=True)
                with offer.stream() as opened:
                    left[split] -= write_first_rows(opened, file.name, folder / offer.path, left[split])
    return target


def _has_parts(folder: Path) -> bool:
    """Return whether a dataset consists of files that refer to each other, as their names tell."""
    forms = (splits_below, pan_files, is_beir, is_mteb, lambda path: configurations(path, "candidates"))
    return any(folder.rglob(MANIFEST)) or any(form(folder) for form in forms)
