"""Write the benchmark as a dataset of Hugging Face.

The folder contains texts only as Parquet, as a card cannot describe several formats: the configurations `candidates`
(default), `queries`, `ground_truth` and `provenance`, each with the splits of the release; `positives` and `pairs` with
the splits that have some; the pairs of each pool with their texts; `triplets` of train. It also contains
`croissant.json`, LICENSE.md, `eval.yaml`, and in `release/` every file of the release except texts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from authbench.config.settings.publish import Publish
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.publish.export import card
from authbench.publish.export.croissant import describe
from authbench.publish.export.examples import MOST_GROUPS, PAIRS_OF_TEXTS, TRIPLETS, text_pairs, triplets
from authbench.publish.export.parquet import TYPES, ParquetTable, write_table
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, PAIRS, POOLS, POSITIVES, QUERIES
from authbench.release.format.files import PROVENANCE
from authbench.release.format.hub import INNER
from authbench.release.format.names import files_of_format
from authbench.release.format.release import Release


def write_huggingface(folder: Path, release: Release, about: Publish) -> None:
    """Write the dataset folder. Memory: provenance, ids, pairs, the texts of a pool's pairs and of all triplets."""
    written = [
        write_table(folder, config, split, schema, frames)
        for split in release.splits
        for config, (schema, frames) in release_tables(release, split).items()
    ]
    written += list(_examples(folder, release))
    _copy_release(folder / INNER, release)
    write_plain_json(folder / "croissant.json", describe(release, about, written))
    write_text(folder / card.LICENSE, card.license_file(release))
    asked = [table.config for table in written if table.rows and table.split == card.evaluated_split(release)]
    write_text(folder / "eval.yaml", card.eval_yaml(release, asked))
    header = card.hub_header(release, configs(written), dataset_info=infos(written))
    card.write_card(folder, release, about, "huggingface", header, most=MOST_GROUPS)


def release_tables(release: Release, split: str) -> Mapping[str, tuple[pl.Schema, Iterator[pl.DataFrame]]]:
    """Return every table of a split by its name: the schema and the batches of rows.

    Empty tables of pairs are left out: not every split is scored, and not every release has such files. Tables are read
    when they are used, singly.
    """
    provenance = pl.read_parquet_schema(release.folder / PROVENANCE)
    return {
        CANDIDATES.name: (CANDIDATES.schema, release.candidates(split)),
        QUERIES.name: (QUERIES.schema, release.queries(split)),
        GROUND_TRUTH.name: (GROUND_TRUTH.schema, _once(partial(release.truth, split))),
        "provenance": (
            pl.Schema(provenance),
            _once(lambda: release.read_provenance().filter(pl.col("split") == split)),
        ),
        **{
            table.name: (table.schema, _once(partial(read, split)))
            for table, read in ((POSITIVES, release.positives), (PAIRS, release.pairs))
            if read(split).height
        },
    }


def _once(read: Callable[[], pl.DataFrame]) -> Iterator[pl.DataFrame]:
    yield read()


def _copy_release(folder: Path, release: Release) -> None:
    """Copy every file of the release except texts, which makes the release restorable from the folder (format.hub)."""
    listed = (
        [*read_sums(release.folder), SUMS] if (release.folder / SUMS).is_file() else files_of_format(release.folder)
    )
    card.copy_files(release.folder, folder, sorted(set(listed) - card.text_files(release)))


def _examples(folder: Path, release: Release) -> Iterator[ParquetTable]:
    for split in release.splits:
        pairs = release.pairs(split)
        for pool in POOLS:
            of_pool = pairs.filter(pl.col("pool") == pool)
            if of_pool.height:
                yield write_table(folder, pool, split, PAIRS_OF_TEXTS, text_pairs(release, split, pool, of_pool))
    drawn = triplets(release)
    first = next(drawn, None)
    if first is not None:
        yield write_table(folder, "triplets", "train", TRIPLETS, chain([first], drawn))


def _of_config(tables: Sequence[ParquetTable]) -> dict[str, list[ParquetTable]]:
    found: dict[str, list[ParquetTable]] = {}
    for table in tables:
        found.setdefault(table.config, []).append(table)
    return found


def configs(tables: Sequence[ParquetTable]) -> list[dict[str, object]]:
    """Return the files of each configuration and split in the form of a card; the first is the default."""
    return [
        {
            "config_name": name,
            "data_files": [{"split": one.split, "path": f"data/{name}/{one.split}-*"} for one in parts],
            **({"default": True} if place == 0 else {}),
        }
        for place, (name, parts) in enumerate(_of_config(tables).items())
    ]


def infos(tables: Sequence[ParquetTable]) -> list[dict[str, object]]:
    """Return the columns and sizes of each configuration in the form of a card."""
    return [
        {
            "config_name": name,
            "features": [{"name": column, **_feature(kind)} for column, kind in parts[0].schema.items()],
            "splits": [{"name": one.split, "num_bytes": one.bytes, "num_examples": one.rows} for one in parts],
            "download_size": sum(shard.size for one in parts for shard in one.shards),
            "dataset_size": sum(one.bytes for one in parts),
        }
        for name, parts in _of_config(tables).items()
    ]


def _feature(kind: object) -> dict[str, object]:
    return {"list": TYPES[kind.inner]} if isinstance(kind, pl.List) else {"dtype": TYPES[kind]}
