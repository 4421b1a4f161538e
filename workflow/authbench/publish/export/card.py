"""Write the card of a folder: what a user must know who finds the benchmark elsewhere.

It has a header that hubs read, a data statement (Bender and Friedman, 2018), counts per language, terms, intended and
excluded uses, and a contact for removal requests.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl
import yaml

from authbench.config.languages import language_name
from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonObject
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.pages import environment
from authbench.core.printable import inert_markdown
from authbench.core.records import LANGUAGES, primary_genre
from authbench.core.storage.atomic import write_text
from authbench.core.words import spaced
from authbench.publish.export import citations
from authbench.release.format.columns import CANDIDATES, QUERIES
from authbench.release.format.files import LICENCES, README
from authbench.release.format.release import Release

LICENSE = "LICENSE.md"
FRAMEWORK = "authbench"
# Scores that are tasks of the benchmark, by the id of the task: the configuration with the questions.
TASKS = {
    "auc_matched": "pairs",
    "auc_topic": "pairs",
    "auc_time": "pairs",
    "success_at_5_other_work": "positives",
    "ndcg_at_10": "ground_truth",
}
_POOLS = {"auc_matched": "matched", "auc_topic": "topic_matched", "auc_time": "time_matched"}  # that a task needs
_LICENSE_TEXT = """# Terms

Each text stays under the terms of the corpus that it is from; no other terms are added. A document's `source` says
which corpus that is. Identifiers are SPDX's, with a link to the text of the licence, or a LicenseRef where it has none.

| source | licence | identifier | texts here |
| --- | --- | --- | ---: |
{rows}
"""


def terms(identifiers: Sequence[str]) -> dict[str, object]:
    """Return the fields of a card that state terms, given the SPDX identifiers of the texts.

    The value is a licence or a list of licences; terms without an identifier of the hub are `other`, with a name and
    file.
    >>> terms(["CC-BY-NC-SA-4.0"]), terms(["CC-BY-4.0", "MIT"])
    ({'license': 'cc-by-nc-sa-4.0'}, {'license': ['cc-by-4.0', 'mit']})
    >>> terms(["LicenseRef-2", "MIT"])["license"]
    ['mit', 'other']
    """
    of_hub = set(citations.names_elsewhere()["hub_licences"])
    known = sorted({one.lower() for one in identifiers} & of_hub)
    others = [one for one in identifiers if one.lower() not in of_hub]
    named = [*known, *(["other"] if others or not known else [])]
    stated: dict[str, object] = {"license": named[0] if len(named) == 1 else named}
    if "other" in named:
        stated |= {"license_name": "per-source", "license_link": LICENSE}
    return stated


def license_file(release: Release) -> str:
    """Return LICENSE.md: the terms of every source with texts here, or of all sources if there are no texts."""
    rows = [
        f"| {row['source']} | {inert_markdown(row['licence'])} | {_linked(row['spdx'])} "
        f"| {row['documents'] if row['texts_here'] else 0:,} |"
        for row in citations.licences_here(release).to_dicts()
    ]
    return _LICENSE_TEXT.format(rows="\n".join(rows))


def _linked(identifier: str) -> str:
    if identifier.startswith("LicenseRef-") or " " in identifier:
        return f"`{identifier}`"
    return f"[`{identifier}`](https://spdx.org/licenses/{identifier}.html)"


def text_files(release: Release) -> set[str]:
    """Return the paths of the files that hold the texts of a release."""
    return {f"{split}/{table.file}" for split in release.splits for table in (CANDIDATES, QUERIES)}


def copy_files(source: Path, target: Path, paths: Iterable[str]) -> None:
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path)


def evaluated_split(release: Release) -> str:
    """Return the split that models are evaluated on: `test`, or the last."""
    return "test" if "test" in release.splits else release.splits[-1]


def eval_yaml(release: Release, configs: Sequence[str]) -> str:
    """Return eval.yaml: the tasks of the benchmark whose configuration has rows of its evaluated split."""
    split = evaluated_split(release)
    content = {
        "name": release.name,
        "description": "Authorship attribution and verification: which texts share an author, whatever their topic?",
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {"id": ident, "config": config, "split": split}
            for ident, config in TASKS.items()
            if config in configs and _POOLS.get(ident, config) in configs
        ],
    }
    return yaml.safe_dump(content, sort_keys=False, width=1000)


_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGER = "n>10M"


def write_card(
    folder: Path,
    release: Release,
    about: Publish,
    form: str,
    header: Mapping[str, object] | None = None,
    **told: object,
) -> None:
    """Write the card of a folder, README.md, and its table of terms, licences.csv.

    Args:
        form: of the folder, whose contents the card explains with the words of `told`.
        header: of the card, in YAML.
    """
    licences = citations.licence_table(release)
    templates = environment(markdown=True)
    templates.filters["count"] = lambda number: f"{number:,}"
    body = templates.get_template("card.md.j2").render(
        name=release.name,
        about=about,
        form=form,
        **told,
        manifest=release.manifest,
        withheld=release.withheld,
        unverified=release.unverified,
        tier_b=release.tier_b,
        absent=release.absent.height,
        documents=release.described.height,
        splits=list(release.splits),
        languages=_counted(release, pl.col("lang"), language_name),
        genres=_counted(release, pl.col("genre").map_elements(primary_genre, pl.String), spaced),
        kinds=_kinds(release),
        licences=licences.to_dicts(),
        cited=citations.citation_keys(release),
        citation=citations.own_citation(release.name, about).replace("```", "'''"),  # in a fence
        own_names=release.described["names_author"].mean() or 0.0,
        dated=_dates(release),
        classics=[tag for tag, fame in sorted(release.manifest.get("fame", {}).items()) if fame == "classic"],
    )
    front = yaml.safe_dump(dict(header), sort_keys=False, allow_unicode=True, width=1000) if header else ""
    write_text(folder / README, f"---\n{front}---\n\n{body}" if front else body)
    write_text(folder / LICENCES, as_csv(licences))


def hub_header(release: Release, configs: list[JsonObject], **more: object) -> dict[str, object]:
    """Return the YAML header of a card in the fields of the Hugging Face hub."""
    here = set(release.described["lang"].unique())
    found = [*(lang for lang in LANGUAGES if lang in here), *sorted(here - set(LANGUAGES))]
    licences = citations.licence_table(release).filter("texts_here")["spdx"].unique().sort().to_list()
    return {
        "pretty_name": release.name,
        **terms(licences),
        "language": [lang for lang in found if lang != "other"],
        "multilinguality": ["multilingual" if len(found) > 1 else "monolingual"],
        "size_categories": [_size_category(release.described.height)],
        "task_categories": ["text-retrieval", "text-classification"],
        "annotations_creators": ["found"],
        "language_creators": ["found"],
        "source_datasets": ["extended"],
        "tags": ["authorship", "authorship-attribution", "authorship-verification", "stylometry"],
        "configs": configs,
        **more,
    }


def _size_category(documents: int) -> str:
    """Return the hub's name for a number of rows.

    >>> _size_category(799), _size_category(300_000)
    ('n<1K', '100K<n<1M')
    """
    return next((name for limit, name in _SIZES if documents < limit), _LARGER)


def _counted(release: Release, part: pl.Expr, name: Callable[[str], str]) -> list[JsonObject]:
    """Return for every part its name, its documents in total and in each split, and its authors."""
    of_splits = [(pl.col("split") == split).sum().alias(f"in {split}") for split in release.splits]
    table = (
        release.described.with_columns(part.alias("part"))
        .group_by("part")
        .agg(pl.len().alias("documents"), pl.col("author_id").n_unique().alias("authors"), *of_splits)
        .sort("documents", "part", descending=[True, False])
    )
    return [{**row, "name": name(row["part"])} for row in table.to_dicts()]


def _kinds(release: Release) -> list[tuple[str, int]]:
    counts = release.described.group_by("author_kind").len().sort("len", "author_kind", descending=[True, False])
    return list(counts.iter_rows())


def _dates(release: Release) -> tuple[str, str] | None:
    """Return the first and the last year of the documents, if any has a date."""
    years = release.described["date"].drop_nulls().str.extract(r"^(\d{4})").drop_nulls()
    return (str(years.min()), str(years.max())) if len(years) else None
