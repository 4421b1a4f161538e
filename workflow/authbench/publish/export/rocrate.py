"""Describe a folder as an RO-Crate 1.1: every file with its size and SHA-256, and the run that made the release.

The crate follows the profile Process Run Crate 0.5 (https://w3id.org/ro/wfrun/process): the release is the result of an
action whose instrument is AuthBench and whose objects are the corpora.
"""

import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.config.plugins import PlugIn
from authbench.config.registry.citations import field_of, parse_citation
from authbench.config.registry.licences import OWN
from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonObject
from authbench.core.storage.sha256sums import SUMS
from authbench.publish.export.citations import citations_of, licence_table, source_facts, stated, terms_here
from authbench.publish.export.datacite import ABSTRACT, KEYWORDS
from authbench.release.format.release import Release

CRATE = "ro-crate-metadata.json"
_CONTEXT = "https://w3id.org/ro/crate/1.1/context"
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_SOFTWARE = "#authbench"
_BUILD = "#build"
_KINDS = {
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".bib": "application/x-bibtex",
    ".tsv": "text/tab-separated-values",
    ".cff": "application/yaml",
    ".lock": "application/json",
}


def crate(
    folder: Path, release: Release, about: Publish, sums: Mapping[str, str], plugin: PlugIn | None = None
) -> dict[str, object]:
    """Return the content of ro-crate-metadata.json.

    Args:
        folder: the published folder, complete except for this file and its checksums.
        sums: the SHA-256 of every file by its path.
    """
    corpora = [_corpus(release, tag, text) for tag, text in citations_of(release).items()]
    licences, terms = _licences(release)
    people = [
        {"@id": f"#creator-{number}", "@type": "Organization", "name": name}
        for number, name in enumerate(about["creators"], start=1)
    ]
    publisher = [{"@id": "#publisher", "@type": "Organization", "name": name} for name in [about["publisher"]] if name]
    exported = _export(plugin, people) if plugin else []
    files = sums if release.unverified else {**sums, SUMS: None}
    root: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": {"@id": _PROFILE},
        "name": release.name,
        "description": ABSTRACT,
        "version": about["version"],
        "license": licences,
        "keywords": ", ".join(KEYWORDS),
        "author": _references(people),
        "creator": _references(people),
        "publisher": _references([*publisher, *people][:1]),
        "isBasedOn": _references(corpora),
        "mentions": _references([{"@id": _BUILD}, *exported[:1]]),
        "hasPart": [{"@id": path} for path in sorted(files)],
    }
    root |= stated({"datePublished": about["date"], "url": about["url"]})
    if about["doi"]:
        root["identifier"] = f"https://doi.org/{about['doi']}"
    return {
        "@context": _CONTEXT,
        "@graph": [
            {
                "@id": CRATE,
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            root,
            {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
            {
                "@id": _SOFTWARE,
                "@type": "SoftwareApplication",
                "name": "AuthBench",
                "softwareVersion": release.manifest["authbench"],
            },
            {
                "@id": _BUILD,
                "@type": "CreateAction",
                "name": f"Build of {release.name}",
                "description": "The settings, versions and digests of raw files are in the release's manifest.json.",
                "agent": {"@id": people[0]["@id"]},
                "instrument": {"@id": _SOFTWARE},
                "object": _references(corpora),
                "result": {"@id": "./"},
            },
            *exported,
            *people,
            *publisher,
            *terms,
            *corpora,
            *(_file(folder, path, digest) for path, digest in files.items()),
        ],
    }


def _export(plugin: PlugIn, people: Sequence[Mapping[str, object]]) -> list[JsonObject]:
    software = {
        "@id": "#plug-in",
        "@type": "SoftwareApplication",
        "name": f"{plugin.name} of {plugin.package}",
        "softwareVersion": plugin.version,
        "sha256": plugin.code_sha256,
    }
    action = {
        "@id": "#export",
        "@type": "CreateAction",
        "name": f"Export in the form {plugin.name}",
        "agent": _references(people[:1]),
        "instrument": _references([software]),
        "result": {"@id": "./"},
    }
    return [action, software]


def _corpus(release: Release, tag: str, citation: str) -> dict[str, object]:
    entries = parse_citation(citation, tag)
    addresses = [
        f"https://doi.org/{doi}" if (doi := field_of(entry, "doi")) else field_of(entry, "url")
        for entry in entries.values()
    ]
    found = [one for one in addresses if one]
    corpus: dict[str, object] = {
        "@id": f"#source-{tag}",
        "@type": "CreativeWork",
        "name": source_facts(release, tag)["title"],
        "identifier": tag,
        "license": licence_table(release).filter(pl.col("source") == tag)["licence"][0],
    }
    return corpus | ({"url": found[0] if len(found) == 1 else found} if found else {})


def _licences(release: Release) -> tuple[object, list[JsonObject]]:
    names: dict[str, str] = {}
    for spdx, name, address in terms_here(release):
        names.setdefault(f"#{spdx}" if spdx.startswith(OWN) else address, name)
    found = [
        {"@id": ident, "@type": "CreativeWork", "name": name, "description": f"The terms of texts here: {name}."}
        for ident, name in names.items()
    ]
    return _references(found), found


def _references(entities: Sequence[Mapping[str, object]]) -> object:
    found = [{"@id": one["@id"]} for one in entities]
    return found[0] if len(found) == 1 else found


def _file(folder: Path, path: str, digest: str | None) -> dict[str, object]:
    suffix = Path(path).suffix
    kind = _KINDS.get(suffix) or mimetypes.guess_type(path, strict=False)[0] or "text/plain"
    entity: dict[str, object] = {"@id": path, "@type": "File", "name": path, "encodingFormat": kind}
    if digest is not None:
        entity |= {"contentSize": str((folder / path).stat().st_size), "sha256": digest}
    return entity
