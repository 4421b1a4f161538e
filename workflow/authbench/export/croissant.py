"""The benchmark in Croissant 1.0, with its vocabulary for responsible AI.

Every Parquet file is a FileObject with its SHA-256 and a RecordSet of its own, which is the form that needs no archive
around the files.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from authbench.export.licences import licence_table
from authbench.export.parquet import ParquetTable, Shard
from authbench.export.publication import Publication
from authbench.format.release import Release

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
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
_CONFORMS = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
_TYPES: dict[Any, str] = {
    pl.String: "sc:Text",
    pl.Boolean: "sc:Boolean",
    pl.Int32: "sc:Integer",
    pl.Int64: "sc:Integer",
    pl.Float32: "sc:Float",
    pl.Float64: "sc:Float",
}


def describe(release: Release, about: Publication, tables: Sequence[ParquetTable]) -> dict[str, Any]:
    """Return the content of croissant.json for the Parquet files of a folder."""
    files = [(table, shard, _label(table, number)) for table in tables for number, shard in enumerate(table.shards)]
    content: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS,
        "name": release.name,
        "description": (
            "Texts whose authors are known by pseudonyms, for authorship attribution and verification, in splits that "
            "share no author, no work and no near copy."
        ),
        "license": sorted(set(licence_table(release).filter("texts_here")["spdx"])),
        "version": about.version,
        "isLiveDataset": False,
        "citeAs": f"{release.name}, version {about.version}, made with AuthBench {release.manifest['authbench']}",
        "creator": [{"@type": "sc:Organization", "name": name} for name in about.creators],
        "keywords": ["authorship attribution", "authorship verification", "stylometry"],
        "inLanguage": sorted(set(release.present["lang"])),
        **_responsible(release, about),
        "distribution": [_file_object(shard, name) for _, shard, name in files],
        "recordSet": [_record_set(table, name) for table, _, name in files],
    }
    if about.url:
        content["url"] = about.url
    if about.date:
        content["datePublished"] = about.date
    return content


def _label(table: ParquetTable, number: int) -> str:
    """Return the name of a file's records: configuration and split, and where there are several files its number."""
    return f"{table.config}_{table.split}" + (f"_{number:05d}" if len(table.shards) > 1 else "")


def _file_object(shard: Shard, name: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{name}.parquet",
        "name": f"{name}.parquet",
        "contentUrl": shard.path,
        "contentSize": f"{shard.size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": shard.sha256,
    }


def _record_set(table: ParquetTable, name: str) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "dataType": _value_type(kind),
            **({"repeated": True} if isinstance(kind, pl.List) else {}),
            "source": {"fileObject": {"@id": f"{name}.parquet"}, "extract": {"column": column}},
        }
        for column, kind in table.schema.items()
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _value_type(kind: Any) -> str:
    """Return Schema.org's name of a column's type, or of what its lists hold."""
    return _TYPES[(kind.inner if isinstance(kind, pl.List) else kind).base_type()]


def _responsible(release: Release, about: Publication) -> dict[str, str]:
    """Return the fields on responsible AI, which conferences ask for."""
    sources = ", ".join(sorted(set(release.provenance["source"])))
    return {
        "rai:dataCollection": (
            f"Chosen from existing corpora ({sources}); de-duplicated, filtered, balanced over languages, genres and "
            "lengths, and split by author. No text was written and no label made for it."
        ),
        "rai:dataBiases": (
            "The corpora hold those who publish: platforms, periods and genres differ between languages, and genre, "
            "source and author go together."
        ),
        "rai:dataLimitations": "; ".join(release.manifest["warnings"]) or "The build warned of nothing.",
        "rai:personalSensitiveInformation": (
            "Author ids are pseudonyms, not anonymous. E-mail addresses, telephone numbers, handles and URLs in texts "
            "are placeholders; names in texts stay, and style may tell who wrote."
        ),
        "rai:dataUseCases": (
            "Comparing and training models of authorship and style. Not for finding out who wrote a text against the "
            "writer's will, for profiling people, or as proof of authorship."
        ),
        "rai:dataReleaseMaintenancePlan": (
            f"Texts are taken down on request to {about.contact}; the next version leaves them out and keeps every "
            "other id, split and text."
        ),
    }
