"""Write sets of pairs.

<out>/train-large/ train-small/ test/   pairs.jsonl and truth.jsonl, as PAN's
<out>/pairs.json                        settings and counts
"""

from pathlib import Path
from typing import Any

import polars as pl

from authbench.errors import InputError
from authbench.format.documents import DOCUMENTS, expect_unique_ids, read_documents
from authbench.format.pan import write_pairs, write_truth
from authbench.format.release import Release
from authbench.pan.pairs import both, build
from authbench.pan.released_pairs import build_released
from authbench.pan.settings import BY_TOPIC, PER_AUTHOR
from authbench.settings.evaluate import Pairs
from authbench.storage.atomic import atomic_folder
from authbench.storage.json_files import write_plain_json


def write_sets(place: Path | Release, out: Path, settings: Pairs, topic: str, seed: int) -> dict[str, Any]:
    """Build the sets from a release or a table, write them, and return the content of pairs.json.

    Raises:
        InputError: the setting uses a release's pairs, and this is a table.
    """
    documents = _documents(place, topic)
    if settings["setting"] in BY_TOPIC:
        sets = build(documents, settings, seed)
    elif isinstance(place, Release):
        sets = build_released(place, documents, settings, seed)
    else:
        raise InputError(
            f"{place}: the setting {settings['setting']} takes pairs of a release. Expected a release's folder."
        )
    metadata = {
        "settings": {**settings, "per_author": PER_AUTHOR, "topic": topic, "seed": seed},
        "documents": documents.height,
        "authors": documents["author"].n_unique(),
        "sets": {name: _counted(pairs) for name, pairs in sets.items()},
    }
    if isinstance(place, Release):
        metadata["release"] = place.verification
    with atomic_folder(out) as folder:
        for name, pairs in sets.items():
            write_pairs(pairs, folder / name / "pairs.jsonl")
            write_truth(pairs, folder / name / "truth.jsonl")
        write_plain_json(folder / "pairs.json", metadata)
    return metadata


def _documents(place: Path | Release, topic: str) -> pl.DataFrame:
    documents = pl.concat([pl.DataFrame(schema=DOCUMENTS), *read_documents(place, topic)])
    place = place.folder if isinstance(place, Release) else place
    if not documents.height:
        raise InputError(f"{place}: none of its documents has an author, a topic ({topic}) and a text.")
    distinct = documents.unique(maintain_order=True)
    expect_unique_ids(distinct["id"], place)
    return distinct


def _counted(pairs: pl.DataFrame) -> dict[str, int]:
    sides = both(pairs, "author", "topic", "doc")
    return {
        "pairs": pairs.height,
        "same": int(pairs["same"].sum()),
        "authors": sides["author"].n_unique(),
        "topics": sides["topic"].n_unique(),
        "texts": sides["doc"].n_unique(),
    }
