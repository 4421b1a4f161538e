"""Describe the benchmark in Croissant 1.1, with its vocabulary for responsible AI (`responsible`).

Every Parquet file is a FileObject with its SHA-256 and a separate RecordSet; this form needs no archive around the
files.
"""

from collections.abc import Sequence

import polars as pl

from authbench.config.registry.licences import OWN
from authbench.config.settings.publish import Publish
from authbench.core.shipped import shipped
from authbench.core.storage.json_files import read_foreign_json
from authbench.publish.export.citations import own_citation, stated, terms_here
from authbench.publish.export.datacite import ABSTRACT, KEYWORDS
from authbench.publish.export.parquet import TYPES, ParquetTable, Shard
from authbench.publish.export.responsible import documents_here, responsible
from authbench.release.format.columns import PAIR_TABLES, PROVENANCE, SPLIT_TABLES
from authbench.release.format.release import Release

_MEANINGS: dict[str, str] = {
    column.name: column.meaning
    for table in (*SPLIT_TABLES.values(), *PAIR_TABLES.values(), PROVENANCE)
    for column in table.columns
}
_CONFORMS = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
_TYPES = {"string": "sc:Text", "bool": "sc:Boolean"}
_TYPES |= {"int32": "sc:Integer", "int64": "sc:Integer", "float32": "sc:Float", "float64": "sc:Float"}


def describe(release: Release, about: Publish, tables: Sequence[ParquetTable]) -> dict[str, object]:
    """Return the content of croissant.json for the Parquet files of a folder."""
    files = [(table, shard, _label(table, number)) for table in tables for number, shard in enumerate(table.shards)]
    content: dict[str, object] = {
        "@context": read_foreign_json(shipped("text/croissant_context.json")),
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS,
        "name": release.name,
        "description": ABSTRACT,
        "license": sorted({name if spdx.startswith(OWN) else address for spdx, name, address in terms_here(release)}),
        "version": about["version"],
        "isLiveDataset": False,
        "citeAs": own_citation(release.name, about),
        "creator": [{"@type": "sc:Organization", "name": name} for name in about["creators"]],
        "publisher": [{"@type": "sc:Organization", "name": about["publisher"] or about["creators"][0]}],
        "keywords": list(KEYWORDS),
        "inLanguage": sorted(set(documents_here(release)["lang"])),
        **responsible(release, about),
        "distribution": [_file_object(shard, name) for _, shard, name in files],
        "recordSet": [_record_set(table, name) for table, _, name in files],
    }
    return content | stated({"url": about["url"], "datePublished": about["date"]})


def _label(table: ParquetTable, number: int) -> str:
    return f"{table.config}_{table.split}" + (f"_{number:05d}" if len(table.shards) > 1 else "")


def _file_object(shard: Shard, name: str) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{name}.parquet",
        "name": f"{name}.parquet",
        "contentUrl": shard.path,
        "contentSize": f"{shard.size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": shard.sha256,
    }


def _record_set(table: ParquetTable, name: str) -> dict[str, object]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": _value_type(kind),
            **({"description": _MEANINGS[column]} if column in _MEANINGS else {}),
            **({"isArray": True, "arrayShape": "-1"} if isinstance(kind, pl.List) else {}),
            "source": {"fileObject": {"@id": f"{name}.parquet"}, "extract": {"column": column}},
        }
        for column, kind in table.schema.items()
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The table {table.config} of the split {table.split}: {table.rows:,} rows in all.",
        "field": fields,
    }


def _value_type(kind: object) -> str:
    """Return Schema.org's name of a column's type, or of the type of its lists' elements."""
    return _TYPES[TYPES[kind.inner if isinstance(kind, pl.List) else kind]]
