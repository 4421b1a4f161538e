"""Make verification problems from a release's pairs (`pairs.parquet`), and write them as sets of pairs.

<out>/train-large/ train-small/ test/   pairs.jsonl and truth.jsonl, as PAN's
<out>/pairs.json                        settings and counts

A positive has matched negatives. The texts of a pair have the same language and genre and are from different works; in
the pool `topic_matched` they have similar topics, and negatives of `topic_adversarial` are the most topically similar.
The last split with pairs (`test`, if it has some) is the test set; the other splits are for training, so no test author
is in train.
"""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from authbench.config.settings.evaluate import Pairs
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hashes
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.json_files import write_plain_json
from authbench.release.format.documents import DOCUMENTS, expect_unique_ids, read_documents
from authbench.release.format.pan import write_pairs, write_truth
from authbench.release.format.release import Release
from authbench.suites.pan import pairs


def build_released(release: Release, documents: pl.DataFrame, settings: Pairs, seed: int) -> dict[str, pl.DataFrame]:
    """Return the sets LARGE, SMALL and TEST, as `pairs.build`, from the pool named by `settings.setting`.

    A text is in at most 1 same-author pair, as first or second text. Negatives belong to the kept positives; a second
    negative is used only after all positives have a negative. Random choices are hashes of ids and seed.

    Args:
        documents: of the release, as `documents.DOCUMENTS`.

    Raises:
        InputError: fewer than two splits have pairs of this pool, or a set would be empty.
    """
    stated = {split: release.pairs(split).filter(pl.col("pool") == settings["setting"]) for split in release.splits}
    having = [split for split, found in stated.items() if found.height]
    if len(having) < 2:
        raise InputError(
            f"{release.folder}: of its splits ({', '.join(release.splits)}) {', '.join(having) or 'none'} has pairs of "
            f"the pool {settings['setting']}. Expected two, to learn from and to test on; use another setting."
        )
    tested = "test" if "test" in having else having[-1]
    pool = documents.sort("id").with_row_index("row")
    sides: Mapping[str, list[str]] = {pairs.LARGE: [one for one in having if one != tested], pairs.TEST: [tested]}
    sets = {}
    for name, splits in sides.items():
        rows = pl.concat([stated[split].with_columns(split=pl.lit(split)) for split in splits])
        same, others = _drawn(_with_rows(rows, pool), settings, seed)
        if not same or not others:
            raise InputError(
                f"{release.folder}: the pool {settings['setting']} gives no pair by one author, or none by two, for "
                f"the {name} set, from {rows.height} rows of {', '.join(splits)}. Use another setting."
            )
        sets[name] = pairs.as_table(pool, same, others, seed)
    sets[pairs.SMALL] = pairs.small_within(sets[pairs.LARGE], settings, seed)
    broken = pairs.violations(sets, settings)
    if broken:
        raise InputError(f"{release.folder}: its pairs break rules: {'; '.join(broken)}. Fetch the release anew.")
    return sets


def _with_rows(stated: pl.DataFrame, pool: pl.DataFrame) -> pl.DataFrame:
    """Return the stated pairs within the pool, with their rows `one` and `other` and the query's `author`."""
    known = pool.select("id", "row", "author")
    return stated.join(known.rename({"id": "query_id", "row": "one"}), on="query_id").join(
        known.select(candidate_id="id", other="row"), on="candidate_id"
    )


def _drawn(rows: pl.DataFrame, settings: Pairs, seed: int) -> tuple[list[pairs.Pair], list[pairs.Pair]]:
    """Return same-author pairs, at most `per_author` each, and the requested share of different-author pairs."""
    ids = rows["query_id"] + "\x1f" + rows["candidate_id"]
    rows = rows.with_columns(rank=keyed_hashes(seed, "released pair", ids)).sort("rank", "query_id", "candidate_id")
    same: list[pairs.Pair] = []
    groups: list[tuple[str, int]] = []
    used: set[int] = set()
    made: dict[str, int] = {}
    for split, group, one, other, author in (
        rows.filter("same").select("split", "group", "one", "other", "author").iter_rows()
    ):
        if one not in used and other not in used and made.get(author, 0) < pairs.PER_AUTHOR:
            made[author] = made.get(author, 0) + 1
            used |= {one, other}
            same.append((one, other))
            groups.append((split, group))
    kept = pl.DataFrame(groups, schema={"split": pl.String, "group": rows.schema["group"]}, orient="row")
    negatives = (
        rows.filter(~pl.col("same"))
        .join(kept, on=["split", "group"], how="semi", maintain_order="left")
        .with_columns(turn=pl.int_range(pl.len()).over("split", "group"))
        .sort("turn", "rank", "query_id", "candidate_id")
    )
    found: dict[pairs.Pair, None] = {}
    for one, other in negatives.select("one", "other").iter_rows():
        if (other, one) not in found:
            found[one, other] = None
    others = list(found)[: round(len(same) * (1 - settings["same"]) / settings["same"])]
    return same[: round(len(others) * settings["same"] / (1 - settings["same"]))], others


def write_sets(place: Path | Release, out: Path, settings: Pairs, topic: str, seed: int) -> JsonObject:
    """Build the sets from a release or a table, write them, and return the content of pairs.json.

    Raises:
        InputError: the setting uses a release's pairs, and this is a table.
    """
    documents = _documents(place, topic)
    if settings["setting"] in pairs.BY_TOPIC:
        sets = pairs.build(documents, settings, seed)
    elif isinstance(place, Release):
        sets = build_released(place, documents, settings, seed)
    else:
        raise InputError(
            f"{place}: the setting {settings['setting']} takes pairs of a release. Expected a release's folder."
        )
    metadata = {
        "settings": {**settings, "per_author": pairs.PER_AUTHOR, "topic": topic, "seed": seed},
        "documents": documents.height,
        "authors": documents["author"].n_unique(),
        "sets": {name: _counted(found) for name, found in sets.items()},
    }
    if isinstance(place, Release):
        metadata["release"] = place.verification
    with atomic_folder(out) as folder:
        for name, found in sets.items():
            write_pairs(found, folder / name / "pairs.jsonl")
            write_truth(found, folder / name / "truth.jsonl")
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


def _counted(found: pl.DataFrame) -> dict[str, int]:
    sides = pairs.both(found, "author", "topic", "doc")
    return {
        "pairs": found.height,
        "same": int(found["same"].sum()),
        "authors": sides["author"].n_unique(),
        "topics": sides["topic"].n_unique(),
        "texts": sides["doc"].n_unique(),
    }
