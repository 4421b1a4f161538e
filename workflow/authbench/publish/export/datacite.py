"""Write the metadata of a DOI (DataCite's JSON of schema 4.5), and CITATION.cff for citations from a repository."""

import yaml

from authbench.config.registry.citations import field_of, parse_citation
from authbench.config.registry.licences import OWN
from authbench.config.settings.publish import Publish
from authbench.publish.export.citations import citations_of, licence_table, stated
from authbench.release.format.release import Release

DATACITE = "datacite.json"
CFF = "CITATION.cff"
ABSTRACT = (
    "Texts whose authors are known by pseudonyms, for authorship attribution and verification, in splits that share no "
    "author, no work and no near copy."
)
KEYWORDS = ("authorship attribution", "authorship verification", "stylometry")
_SPDX = "https://spdx.org/licenses/"


def datacite(release: Release, about: Publish) -> dict[str, object]:
    """Return the metadata in DataCite's JSON. Without a date it lacks `publicationYear`, which a DOI requires."""
    rights = licence_table(release).filter("texts_here").select("spdx", "licence").unique().sort("spdx", "licence")
    formats = [{"rights": licence} if spdx.startswith(OWN) else _rights(spdx) for spdx, licence in rights.iter_rows()]
    content: dict[str, object] = {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Benchmark"},
        "titles": [{"title": release.name}],
        "creators": [{"name": name} for name in about["creators"]],
        "publisher": {"name": about["publisher"] or about["creators"][0]},
        "subjects": [{"subject": word} for word in KEYWORDS],
        "descriptions": [{"description": ABSTRACT, "descriptionType": "Abstract"}],
        "rightsList": [one for place, one in enumerate(formats) if one not in formats[:place]],
        "sizes": [f"{release.provenance.height} documents", f"{release.provenance['author_id'].n_unique()} authors"],
        "version": about["version"],
        "relatedIdentifiers": _related(release),
    }
    if about["date"]:
        content |= {"publicationYear": about["date"][:4], "dates": [{"date": about["date"], "dateType": "Issued"}]}
    return content | stated({"doi": about["doi"], "url": about["url"]})


def _rights(spdx: str) -> dict[str, str]:
    return {
        "rights": spdx,
        "rightsUri": f"{_SPDX}{spdx}.html",
        "rightsIdentifier": spdx,
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": _SPDX,
    }


def _related(release: Release) -> list[dict[str, str]]:
    """Return the works that describe the corpora, if a citation has a DOI or an address."""
    found: dict[str, str] = {}
    for tag, text in citations_of(release).items():
        for entry in parse_citation(text, tag).values():
            doi, url = field_of(entry, "doi"), field_of(entry, "url")
            if doi or url:
                found[doi or url] = "DOI" if doi else "URL"
    return [
        {"relatedIdentifier": one, "relatedIdentifierType": kind, "relationType": "IsDerivedFrom"}
        for one, kind in sorted(found.items())
    ]


def citation_cff(release: Release, about: Publish) -> str:
    """Return the CITATION.cff of a published benchmark (Citation File Format 1.2.0)."""
    content: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "If you use this benchmark, please cite it, and every corpus in CITATIONS.bib that you use.",
        "type": "dataset",
        "title": release.name,
        "abstract": ABSTRACT,
        "authors": [{"name": name} for name in about["creators"]],
        "version": about["version"],
        "keywords": list(KEYWORDS),
    }
    content |= stated({"date-released": about["date"], "doi": about["doi"], "url": about["url"]})
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120))
