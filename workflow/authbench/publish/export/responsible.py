"""Fill Croissant's vocabulary for responsible AI (RAI 1.0) from the statements and contents of a release.

https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html. Numbers count the documents whose texts are here.
"""

import polars as pl

from authbench.config.languages import language_name
from authbench.config.registry.entries import read_yaml
from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.records import primary_genre
from authbench.core.shipped import shipped
from authbench.publish.export.citations import source_facts, sources_here
from authbench.publish.export.freeze import contact
from authbench.release.format.manifest import Manifest
from authbench.release.format.release import Release

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
    config: JsonMapping = manifest.get("config") or {}
    sources = sources_here(release)
    titles = "; ".join(f"{tag}: {source_facts(release, tag)['title']}" for tag in sources)
    days = here["date"].drop_nulls()
    days = days.filter(days.str.contains(_DAY)).sort()
    kinds = _shares(here, "author_kind")
    scorers = [str(scorer.get("identity")) for scorer in manifest.get("scorers") or ()]
    users = sum(share for kind, share in kinds if kind in _OF_USERS)
    words = {
        "texts": here.height,
        "authors": here["author_id"].n_unique(),
        "corpora": len(sources),
        "undated": _percent(here["date"].null_count(), here.height),
        "without_topic": _percent(here["topic"].null_count(), here.height),
        "titles": titles,
        "segments": _percent(here.filter(pl.col("chunk_start") > 0).height, here.height),
        "scorers": ", ".join(scorers) or "none",
        "splits": ", ".join(release.splits),
        "kinds": ", ".join(f"{_KINDS.get(kind, kind)} ({share:.0%})" for kind, share in kinds),
        "languages": ", ".join(language_name(lang) for lang in sorted(here["lang"].unique())),
        "with_group": _percent(here["author_group"].count(), here.height),
        "own_names": _percent(int(here["names_author"].sum() or 0), here.height),
        "users": users,
        "version": about["version"],
        "creators": ", ".join(about["creators"]),
        "contact": contact(about),
    }
    found: JsonObject = {
        name: [one.format_map(words) for one in said] if isinstance(said, list) else said.format_map(words)
        for name, said in read_yaml(shipped("text/responsible.yaml")).items()
    }
    found["dataCollectionType"] += ["User-generated content data"] if users else []
    found["machineAnnotationTools"][:0] = [f"Toxicity: {one}" for one in scorers]
    found["dataBiases"] = _biases(here, manifest)
    found["dataLimitations"][:0] = manifest.get("warnings", ())
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


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"
