"""Fill Croissant's vocabulary for responsible AI (RAI 1.0) from the statements and contents of a release.

https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html. Numbers count the documents whose texts are here.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from authbench.export.citations import source_facts, sources_here
from authbench.export.freeze import contact
from authbench.format.manifest import Manifest
from authbench.format.release import Release
from authbench.records import primary_genre
from authbench.settings.publish import Publish
from authbench.words import language_name

_KINDS = {
    "person": "a person's name",
    "account": "an account",
    "outlet": "an outlet or byline",
    "masked": "a masked account name",
    "work": "a work, as no author is named",
}
_OF_USERS = ("account", "masked")
_DAY = r"^\d{4}-\d{2}-\d{2}$"


def documents_here(release: Release) -> pl.DataFrame:
    """Return the provenance of the documents whose texts are here, or of all documents if no text is."""
    return release.provenance.filter(pl.col("source").is_in(sources_here(release)))


def responsible(release: Release, about: Publish) -> dict[str, object]:
    """Return the properties of a data set by their names in Croissant."""
    here, manifest = documents_here(release), release.manifest
    config: Mapping[str, Any] = manifest.get("config") or {}
    sources = sources_here(release)
    languages = ", ".join(language_name(lang) for lang in sorted(here["lang"].unique()))
    titles = "; ".join(f"{tag}: {source_facts(release, tag)['title']}" for tag in sources)
    days = here["date"].drop_nulls()
    days = days.filter(days.str.contains(_DAY)).sort()
    kinds = _shares(here, "author_kind")
    scorers = [str(scorer.get("identity")) for scorer in manifest.get("scorers") or ()]
    users = sum(share for kind, share in kinds if kind in _OF_USERS)
    own_names = int(here["names_author"].sum() or 0)
    found: dict[str, Any] = {
        "dataCollection": (
            f"{here.height:,} texts by {here['author_id'].n_unique():,} authors, chosen from {len(sources)} existing "
            "corpora: de-duplicated, filtered, balanced over languages, genres and lengths by choosing whole authors, "
            "and split by author. No text was written for it. The time frame is that of texts that have a day; when "
            "the corpora were collected is for them to say."
        ),
        "dataCollectionType": ["Secondary Data analysis", *(["User-generated content data"] if users else [])],
        "dataCollectionMissingData": (
            f"{_percent(here['date'].null_count(), here.height)} of the texts have no date, "
            f"{_percent(here['topic'].null_count(), here.height)} no topic; absent values are null."
        ),
        "dataCollectionRawData": f"The files of {titles}. CITATIONS.bib cites them; licences.csv has their terms.",
        "dataImputationProtocol": "None: no value was imputed.",
        "dataManipulationProtocol": (
            "Unicode is composed (NFC); white space, markup and repeated boilerplate go; e-mail addresses, telephone "
            "numbers, handles and URLs become placeholders; long texts are cut into segments "
            f"({_percent(_cut(here), here.height)} of the texts are a segment that begins within its document)."
        ),
        "dataPreprocessingProtocol": [
            "Normalisation of texts (config.normalize).",
            "Segments of at most as many tokens as manifest.json states (config.chunk).",
            "Filters by language, script, symbols, repetition and length (config.filter), and by the scorers of "
            f"toxicity: {', '.join(scorers) or 'none'}.",
            "De-duplication within and across sources (config.dedup).",
            f"Splits {', '.join(release.splits)} that share no author, no work and no near copy.",
        ],
        "dataAnnotationProtocol": (
            "Nobody annotated. A label says who wrote a text as its corpus says it: "
            + ", ".join(f"{_KINDS.get(kind, kind)} ({share:.0%})" for kind, share in kinds)
            + "."
        ),
        "dataAnnotationPlatform": ["None: labels are those of the corpora."],
        "dataAnnotationAnalysis": [
            "Whether the texts of a label are by one person is estimated for each source "
            "(statistics/labels.csv of the release): clean, impure (then in train alone) or unmeasured."
        ],
        "annotationsPerItem": "One: the author label of the corpus.",
        "annotatorDemographics": ["No annotators; age, gender and origin of the writers are not released."],
        "machineAnnotationTools": [
            *(f"Toxicity: {one}" for one in scorers),
            "Language of a text, to check its corpus: langid",
        ],
        "dataBiases": _biases(here, manifest),
        "dataLimitations": [
            *manifest.get("warnings", ()),
            "Genre, source, topic and author go together, so that a model may score without seeing style; shortcuts "
            "that see no style are scored beside models.",
            "Not representative of those who speak a language or write on a platform.",
        ],
        "personalSensitiveInformation": [
            f"Languages ({languages}) and, where a corpus has them, dates and topics of texts. Age, gender and origin "
            "of writers are not released; what is known of the author's occupation or outlet is with "
            f"{_percent(here.height - here['author_group'].null_count(), here.height)} of the texts (author_group).",
            f"Author ids are pseudonyms, not anonymous; {_percent(own_names, here.height)} of the texts hold the name "
            "of their author. Names within texts stay, and style may tell who wrote: DATA_PROTECTION.md.",
            f"{users:.0%} of the texts are of accounts of people, who were not asked beyond the terms of the corpora.",
        ],
        "dataUseCases": [
            "Testing: ranking the texts of a split for each query, and verification of pairs, on test.",
            "Training and fine-tuning of models of authorship and style on train, development on dev.",
            "Not for finding out who wrote a text against the writer's will, for profiling or watching people, for "
            "writing in the manner of a person named, or as proof of authorship.",
        ],
        "dataSocialImpact": (
            "Models of authorship can show forgery, plagiarism and one writer behind many accounts; the same models "
            "can take pseudonymity from people whom it protects. DATA_PROTECTION.md says how well one does here."
        ),
        "dataReleaseMaintenancePlan": (
            f"Version {about['version']}, kept by {', '.join(about['creators'])}. Texts are taken down on request to "
            f"{contact(about)}; the next version leaves them out and keeps every other id, split and text. Of versions "
            "that differ in queries, candidates or answers the first number differs: scores are not comparable."
        ),
    }
    if days.len():
        found["dataCollectionTimeframe"] = [f"{days[0]}T00:00:00", f"{days[-1]}T00:00:00"]
    if config.get("ingest", {}).get("author_key_env"):
        found["personalSensitiveInformation"].append("Author ids are keyed: nobody computes one from a public name.")
    return {f"rai:{name}": value for name, value in found.items()}


def _biases(here: pl.DataFrame, manifest: Manifest) -> list[str]:
    genres = here.with_columns(pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"))
    of_languages = here.group_by("lang").agg(pl.col("source").n_unique())
    lone = of_languages.filter(pl.col("source") == 1)["lang"].sort()
    classics = [tag for tag, fame in (manifest.get("fame") or {}).items() if fame == "classic"]
    read = here.filter(pl.col("source").is_in(classics)).height
    named = ", ".join(f"{language_name(lang)} {share:.0%}" for lang, share in _shares(here, "lang"))
    found = [
        f"Texts by language: {named}.",
        "Texts by genre: "
        + ", ".join(f"{genre.replace('_', ' ')} {share:.0%}" for genre, share in _shares(genres, "primary"))
        + ".",
        "Those who publish and whom the corpora chose; platforms, periods and genres differ between languages.",
    ]
    if lone.len():
        found.append(f"All texts are of one source in: {', '.join(map(language_name, lone))}.")
    if read:
        part = _percent(read, here.height)
        found.append(f"{part} of the texts are published works that language models were trained on.")
    return found


def _shares(rows: pl.DataFrame, column: str) -> list[tuple[str, float]]:
    """Return the values of a column by their shares of the rows, the largest first."""
    counts = rows.group_by(column).len().sort("len", column, descending=[True, False])
    return [(str(value), number / max(rows.height, 1)) for value, number in counts.iter_rows()]


def _cut(here: pl.DataFrame) -> int:
    return here.filter(pl.col("chunk_start") > 0).height


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
