"""Write the parts of an MTEB task: its metadata, descriptive statistics and the file in Python.

Fields and their allowed values follow mteb.TaskMetadata, statistics follow
`AbsTaskRetrieval.calculate_descriptive_statistics`.
"""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl
import yaml
from markupsafe import Markup
from opencc import OpenCC

from authbench.config.registry.citations import bibliography
from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonObject
from authbench.core.presentation.pages import environment
from authbench.core.records import OTHER, primary_genre
from authbench.publish.export.citations import citations_of, names_elsewhere, own_citation
from authbench.release.format.release import Release

UNKNOWN = "Zyyy"  # no letters, or only letters that all scripts share
READ_CHARACTERS = 1_000  # of a text, from which its script is identified
KANA_SHARE = 5  # Han with more Kana than a fifth of them are Japanese: Chinese borrows a sign or two
LEAST_SHARE = 0.05  # of the texts of a language, from which a script is named as one of the language
_HAN = ((0x3400, 0x4DC0), (0x4E00, 0xA000))


def three_letters(lang: str) -> str:
    """Return the ISO 639-3 code of a language of a release.

    >>> three_letters("zh"), three_letters("haw"), three_letters("other")
    ('zho', 'haw', 'und')
    """
    known = dict(pair.split(":") for pair in names_elsewhere()["languages"].split())
    return "und" if lang == OTHER else known.get(lang, lang)


def scripts_of(texts: pl.DataFrame) -> pl.DataFrame:
    """Return `lang`, `script` (ISO 15924) and the number of `texts`, sorted.

    The script of a text is the script of most letters in its first READ_CHARACTERS characters. Han in Japanese, and Han
    with many Kana (KANA_SHARE), are `Jpan`. Other Han are `Hant` or `Hans` by the characters that only either script
    uses: characters that OpenCC's tables change and that the other's encoding (GB 2312, Big5) lacks; `Hani` if a text
    has no such characters, or as many of both.
    """
    letters: Mapping[str, str] = names_elsewhere()["scripts"]
    begin = pl.col("text").str.slice(0, READ_CHARACTERS)
    counts = texts.select("lang", begin).with_columns(
        pl.col("text").str.count_matches(pattern).cast(pl.Int32).alias(code) for code, pattern in letters.items()
    )
    most = pl.concat_list(list(letters))
    script = pl.lit(pl.Series(list(letters))).gather(most.list.arg_max())
    japanese = (pl.col("Kana") * KANA_SHARE > pl.col("Hani")) | (pl.col("lang") == "ja")
    found = counts.with_columns(script.alias("script"), most.list.max().alias("letters")).with_columns(
        pl.when(pl.col("letters") == 0)
        .then(pl.lit(UNKNOWN))
        .when(pl.col("script").is_in(["Hani", "Kana"]) & japanese)
        .then(pl.lit("Jpan"))
        .otherwise("script")
        .alias("script")
    )
    han = found["script"] == "Hani"
    if han.any():
        known = found.filter(han)["text"].map_elements(_variant, pl.String)
        found = pl.concat([found.filter(~han), found.filter(han).with_columns(known.alias("script"))])
    return found.group_by("lang", "script").agg(pl.len().alias("texts")).sort("lang", "script")


def named_scripts(counts: pl.DataFrame) -> dict[str, list[str]]:
    """Return the scripts of each language, the most frequent first, from `scripts_of` of all batches or their sum.

    Scripts need at least LEAST_SHARE of the texts whose script is known; a language without any gets `Zyyy`. `Hani` is
    left out if there is `Hans` or `Hant`: such a text can be read as either.
    """
    found = {}
    for (lang,), rows in counts.group_by("lang", maintain_order=True):
        of_lang = rows.group_by("script").agg(pl.col("texts").sum()).sort("texts", "script", descending=[True, False])
        known = of_lang.filter(pl.col("script") != UNKNOWN)
        if known["script"].is_in(["Hans", "Hant"]).any():
            known = known.filter(pl.col("script") != "Hani")
        common = known.filter(pl.col("texts") >= LEAST_SHARE * pl.col("texts").sum())
        found[str(lang)] = common["script"].to_list() or [UNKNOWN]
    return found


def _variant(text: str) -> str:
    traditional, simplified = _variants()
    left = sum(sign in traditional for sign in text) - sum(sign in simplified for sign in text)
    return "Hant" if left > 0 else "Hans" if left < 0 else "Hani"


@cache
def _variants() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters that only traditional, and only simplified Chinese uses."""
    signs = [chr(point) for span in _HAN for point in range(*span)]
    return _changed(signs, "t2s", "gb2312"), _changed(signs, "s2t", "big5")


def _changed(signs: Iterable[str], conversion: str, encoding: str) -> frozenset[str]:
    converter = OpenCC(conversion)
    return frozenset(sign for sign in signs if not sign.encode(encoding, "ignore") and converter.convert(sign) != sign)


DEFAULT = "default"  # MTEB's name of the subset of a task in one language
MAIN_SCORE = "ndcg_at_10"
_DESCRIPTION = "Retrieve the other texts by the author of a text from those in its language."
_ANY_YEAR = ("0001-01-01", "9999-12-31")


@dataclass(frozen=True)
class Task:
    """The specific values of a release's task: `languages` are MTEB's codes by subset."""

    name: str
    revision: str
    split: str
    languages: Mapping[str, Sequence[str]]


def task_name(release: Release, revision: str) -> str:
    """Return a name that differs from every other benchmark's, and from other versions or parts of this benchmark.

    MTEB's cache looks up results only by name, whatever the revision, if they include every split and subset.
    """
    words = re.findall(r"[A-Za-z0-9]+", release.name)
    return "".join(word[0].upper() + word[1:] for word in words) + f"Authorship.{revision[:8]}"


def task_file(task: Task, release: Release, about: Publish, documents: pl.DataFrame, licences: pl.DataFrame) -> str:
    """Return task.py, from the provenance of the task's texts and the table of terms (LICENCES)."""
    languages: Any = {subset: list(codes) for subset, codes in task.languages.items()}
    templates = environment(markdown=True)
    templates.filters["repr"] = lambda value: Markup(repr(value))  # noqa: S704  (Python, no markup)
    return templates.get_template("mteb_task.py.j2").render(
        name=task.name,
        description=_DESCRIPTION,
        revision=task.revision,
        splits=[task.split],
        languages=languages.get(DEFAULT, languages),
        main_score=MAIN_SCORE,
        reference=repr(about["url"]) if about["url"] else '(_FOLDER / "README.md").as_uri()',
        date=dates(documents["date"], about["date"]),
        domains=domains(documents["genre"]),
        license=licence(licences.filter("texts_here")["spdx"].unique().sort().to_list()),
        citation="\n".join(["", own_citation(release.name, about), "", bibliography(citations_of(release))]),
    )


def dates(column: pl.Series, published: str | None) -> tuple[str, str]:
    """Return the first and the last day of the dated texts; without dates, any day up to publication.

    >>> dates(pl.Series(["2020", "2019-05-17", "2020-02", None]), None)
    ('2019-05-17', '2020-12-31')
    """
    stated = column.drop_nulls().str.split("-").to_list()
    if not stated:
        return (_ANY_YEAR[0], published or _ANY_YEAR[1])
    first = min("-".join([*parts, "01", "01"][:3]) for parts in stated)
    return first, max(map(_last_day, stated))


def _last_day(parts: Sequence[str]) -> str:
    year, month = parts[0], parts[1] if len(parts) > 1 else "12"
    day = parts[2] if len(parts) > 2 else f"{calendar.monthrange(int(year), int(month))[1]:02d}"
    return f"{year}-{month}-{day}"


def domains(genres: pl.Series) -> list[str]:
    """Return MTEB's domains of genres: `Written` for all."""
    known = names_elsewhere()["mteb_domains"]
    found = {domain for genre in genres.unique() for domain in known.get(primary_genre(genre), [])}
    return sorted(found | {"Written"})


def licence(identifiers: Sequence[str]) -> str:
    """Return MTEB's name for the terms of the texts, given their SPDX identifiers.

    >>> licence(["CC-BY-4.0"]), licence(["CC-BY-4.0", "MIT"]), licence(["LicenseRef-other"]), licence(["Zlib"])
    ('cc-by-4.0', 'multiple', 'not specified', 'https://spdx.org/licenses/Zlib.html')
    """
    if len(identifiers) > 1:
        return "multiple"
    if not identifiers or identifiers[0].startswith("LicenseRef-"):
        return "not specified"
    if identifiers[0].lower() in names_elsewhere()["mteb_licences"]:
        return identifiers[0].lower()
    return f"https://spdx.org/licenses/{identifiers[0]}.html"


def eval_yaml(task: Task) -> str:
    """Return eval.yaml, which declares a benchmark to the Hub: the task as a whole, and each of its subsets."""
    whole = [{"id": task.name}]
    parts = [
        {"id": f"{task.name}_{subset}_{task.split}", "config": subset, "split": task.split} for subset in task.languages
    ]
    content = {
        "name": task.name,
        "description": _DESCRIPTION,
        "evaluation_framework": "mteb",
        "tasks": whole + parts,
    }
    return yaml.safe_dump(content, sort_keys=False)


def statistics(subsets: Mapping[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]]) -> JsonObject:
    """Return MTEB's descriptive statistics of a split.

    Args:
        subsets: for each subset, the provenance of its documents, the provenance of its queries, and its answers
            (`query-id`, `corpus-id`).
    """
    if DEFAULT in subsets:
        return _statistics(*subsets[DEFAULT])
    documents, queries, answers = (pl.concat(parts) for parts in zip(*subsets.values(), strict=True))
    parts = {subset: _statistics(*tables) for subset, tables in subsets.items()}
    return {**_statistics(documents, queries, answers), "hf_subset_descriptive_stats": parts}


def _statistics(documents: pl.DataFrame, queries: pl.DataFrame, answers: pl.DataFrame) -> JsonObject:
    of_documents, of_queries = _of_texts(documents), _of_texts(queries)
    numbers = answers.group_by("query-id").len()["len"]
    media = ("image", "audio", "video")
    return {
        "num_samples": documents.height + queries.height,
        "num_queries": queries.height,
        "num_documents": documents.height,
        "number_of_characters": of_documents["total_text_length"] + of_queries["total_text_length"],
        "documents_text_statistics": of_documents,
        **{f"documents_{medium}_statistics": None for medium in media},
        "queries_text_statistics": of_queries,
        **{f"queries_{medium}_statistics": None for medium in media},
        "relevant_docs_statistics": {
            "num_relevant_docs": answers.height,
            "min_relevant_docs_per_query": numbers.min(),
            "average_relevant_docs_per_query": answers.height / len(numbers),
            "max_relevant_docs_per_query": numbers.max(),
            "unique_relevant_docs": answers["corpus-id"].n_unique(),
            "num_missing_query_ids": 0,
            "num_missing_corpus_ids": 0,
            "queries_with_all_gold_black_or_white": 0,
        },
        "top_ranked_statistics": None,
    }


def _of_texts(provenance: pl.DataFrame) -> JsonObject:
    lengths = provenance["char_length"].cast(pl.Int64)
    return {
        "total_text_length": lengths.sum(),
        "min_text_length": lengths.min(),
        "average_text_length": lengths.sum() / len(lengths),
        "max_text_length": lengths.max(),
        "unique_texts": provenance["content_sha256"].n_unique(),
    }
