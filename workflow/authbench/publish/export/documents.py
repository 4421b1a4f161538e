"""Write every document of a split in one file, in the processing plan's schema (section 2), whatever texts are queries.

`<split>/documents.jsonl` has seven fields: `id`, `author_id`, `content`, `genre`, `lang`, `source`, `token_length`.
"""

from pathlib import Path

from authbench.config.settings.publish import Publish
from authbench.core.storage.json_lines import write_json_lines
from authbench.publish.export.card import write_card
from authbench.release.format.release import Release

FIELDS = ("id", "author_id", "content", "genre", "lang", "source", "token_length")


def write_documents(folder: Path, release: Release, about: Publish) -> None:
    """Write the documents of all splits: candidates, then the queries that are none. Memory: a batch of texts."""
    for split in release.splits:
        (folder / split).mkdir(parents=True)
        rows = (row for batch in release.texts(split) for row in batch.select(FIELDS).iter_rows(named=True))
        write_json_lines(folder / split / "documents.jsonl", rows)
    write_card(folder, release, about, "documents")
