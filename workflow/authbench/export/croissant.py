"""Describe the benchmark in Croissant 1.1, with its vocabulary for responsible AI (`responsible`).

Every Parquet file is a FileObject with its SHA-256 and a separate RecordSet; this form needs no archive around the
files.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from authbench.export.citations import licence_table, own_citation
from authbench.export.datacite import ABSTRACT, KEYWORDS
from authbench.export.parquet import ParquetTable, Shard
from authbench.export.responsible import documents_here, responsible
from authbench.format.columns import PAIR_TABLES, PROVENANCE, SPLIT_TABLES
from authbench.format.release import Release
from authbench.registry.licences import OWN
from authbench.settings.publish import Publish

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_MEANINGS: dict[str, str] = {
    column.name: column.meaning
    for table in (*SPLIT_TABLES.values(), *PAIR_TABLES.values(), PROVENANCE)
    for column in table.columns
}
_CONFORMS = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
_TYPES: dict[Any, str] = {
    pl.String: "sc:Text",
    pl.Boolean: "sc:Boolean",
    pl.Int32: "sc:Integer",
    pl.Int64: "sc:Integer",
    pl.Float32: "sc:Float",
    pl.Float64: "sc:Float",
}


def describe(release: Release, about: Publish, tables: Sequence[ParquetTable]) -> dict[str, object]:
    """Return the content of croissant.json for the Parquet files of a folder."""
    files = [(table, shard, _label(table, number)) for table in tables for number, shard in enumerate(table.shards)]
    content: dict[str, object] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS,
        "name": release.name,
        "description": ABSTRACT,
        "license": _licences(release),
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
    if about["url"]:
        content["url"] = about["url"]
    if about["date"]:
        content["datePublished"] = about["date"]
    return content


def _licences(release: Release) -> list[str]:
    """Return the addresses of the licences of the texts that are here, and in words the terms without an address."""
    table = licence_table(release)
    here = table.filter("texts_here")
    terms = (here if here.height else table).select("spdx", "licence").unique().sort("spdx", "licence")
    return sorted(
        {name if spdx.startswith(OWN) else f"https://spdx.org/licenses/{spdx}" for spdx, name in terms.iter_rows()}
    )


def _label(table: ParquetTable, number: int) -> str:
    """Return the name of a file's records: configuration and split, with a number if there are several files."""
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


def _value_type(kind: Any) -> str:
    """Return Schema.org's name of a column's type, or of the type of its lists' elements."""
    return _TYPES[(kind.inner if isinstance(kind, pl.List) else kind).base_type()]
