"""The benchmark as PAN's verification task.

Of every split `<split>/pairs.jsonl` and `<split>/truth.jsonl`: pairs by one author, each text in at most one, and as
many pairs of the same texts by two authors who write in one language. Sets that also keep topics apart, as PAN's own,
are made by `authbench pan-pairs`.
"""

from pathlib import Path

import polars as pl

from authbench.export.card import write_card
from authbench.export.licences import licence_table
from authbench.export.publication import Publication
from authbench.format.pan import write_pairs, write_truth
from authbench.format.release import Release
from authbench.pan.pairs import as_table, different_authors, same_author
from authbench.pan.settings import PairSettings
from authbench.storage.atomic import write_text

_USAGE = """
PAN's verification task (2020 to 2023), a folder per split: `pairs.jsonl` (`id`, `fandoms`: the topics, or genres
where the corpus tells no topic, `pair`: the texts) and `truth.jsonl` (`id`, `same`, `authors`). Each text stands in
at most one pair by its author, and the pairs by two authors are made of the same texts, so that no text tells the
answer. Topics may: where they must not, make pairs with `authbench pan-pairs`. Answers are lines of `{"id",
"value"}`, 0.5 for none: `authbench pan-evaluate` scores them.
"""


def write_pan(folder: Path, release: Release, about: Publication) -> None:
    """Write the pairs of all splits. Memory: the texts of a split, and those of its pairs."""
    seed = int(release.manifest["config"]["seed"])
    topics = release.present.select("id", topic=pl.coalesce("topic", "genre"))
    for split in release.splits:
        pairs = _pairs_of(release, split, seed)
        for side in (1, 2):
            own = topics.rename({"id": f"doc{side}", "topic": f"topic{side}"})
            pairs = pairs.drop(f"topic{side}").join(own, on=f"doc{side}", how="left", maintain_order="left")
        write_pairs(pairs, folder / split / "pairs.jsonl")
        write_truth(pairs, folder / split / "truth.jsonl")
    write_text(folder / "licences.csv", licence_table(release).write_csv())
    write_text(folder / "README.md", write_card(release, about, _USAGE))


def _pairs_of(release: Release, split: str, seed: int) -> pl.DataFrame:
    """Return the pairs of a split (`pan.pairs.as_table`); a text is its own topic, so that any two may be a pair."""
    batches = [
        batch.select(id="candidate_id", author="author_id", topic="candidate_id", lang="lang", text="content")
        for batch in release.candidates(split)
    ]
    pool = pl.concat(batches).with_row_index("row")
    same = same_author(pool, PairSettings().per_author, seed)
    return as_table(pool, same, different_authors(pool, same, len(same), seed), seed)
