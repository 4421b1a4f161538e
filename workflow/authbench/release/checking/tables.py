"""Count statistics/*.csv and funnel.csv again from the documents."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from authbench.core.errors import InputError
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.format.columns import STATISTICS
from authbench.release.format.files import FUNNEL

_ALL = "all"
_OF_DOCUMENTS = tuple(name for name in STATISTICS if name not in ("labels", "pools"))
_POINTS = (10, 25, 50, 75, 90)
Key = tuple[str, ...]
Values = tuple[str, ...]


def check_statistics(release: Rows, provenance: pl.DataFrame) -> Iterator[Finding]:
    """Yield rows of the statistics that the documents contradict; each existing table is checked."""
    author = pl.col("author_id").rank("dense")
    documents = (
        release.documents.select("id", "split", "lang", "genre", "source", author, "token_length", "query")
        .join(provenance.select("id", "length_bucket"), on="id", how="left")
        .drop("id")
    )
    for name, (keys, rows) in _expected(documents.iter_rows(), release.splits).items():
        path = release.folder / "statistics" / f"{name}.csv"
        if path.is_file():
            yield from _compare(f"statistics/{name}.csv", keys, rows, read_csv(path)[1])


def _expected(documents: Iterable[tuple[Any, ...]], splits: Sequence[str]) -> dict[str, tuple[Key, dict[Key, Values]]]:
    """Return for each table the names of its keys, and its values (as CSV has them) by key.

    `documents` are split, lang, genre, source, author, token_length, query, length_bucket.
    """
    texts: dict[str, Counter[Key]] = {name: Counter() for name in _OF_DOCUMENTS}
    authors: dict[tuple[str, Key], set[object]] = defaultdict(set)
    queries, each = Counter[Key](), dict[str, Counter[object]]()
    lengths: dict[str, list[int]] = defaultdict(list)
    for split, lang, genre, source, author, tokens, query, bucket in documents:
        for language in (lang, _ALL):
            lengths[language].append(tokens)
            each.setdefault(language, Counter())[author] += 1
            parts = [("languages", (language, part)) for part in (split, _ALL)]
            queries.update(key for _, key in parts if query)
            for name, key in (*parts, ("genres", (language, genre)), ("lengths", (language, str(bucket)))):
                texts[name][key] += 1
                authors[name, key].add(author)
        texts["sources"][source, lang] += 1
        authors["sources", (source, lang)].add(author)
    for language in lengths:
        for split in splits:
            texts["languages"].setdefault((language, split), 0)

    def counts(name: str, key: Key) -> Values:
        return str(texts[name][key]), str(len(authors[name, key]))

    def share(name: str, key: Key) -> str:
        return str(round(texts[name][key] / len(lengths[key[0]]), 4))

    many = Counter((lang, str(number)) for lang, of_author in each.items() for number in of_author.values())
    return {
        "languages": (("language", "split"), {
            key: (*counts("languages", key), str(queries[key])) for key in texts["languages"]
        }),
        "genres": (("language", "genre"), {
            key: (*counts("genres", key), share("genres", key)) for key in texts["genres"]
        }),
        "lengths": (("language", "length_bucket"), {
            key: (*counts("lengths", key), share("lengths", key)) for key in texts["lengths"]
        }),
        "documents_per_author": (("language", "documents"), {key: (str(number),) for key, number in many.items()}),
        "token_lengths": (("language",), {
            (lang,): (str(len(tokens)), *_quantiles(tokens)) for lang, tokens in lengths.items()
        }),
        "sources": (("source", "language"), {key: counts("sources", key) for key in texts["sources"]}),
    }  # fmt: skip


def _quantiles(lengths: Sequence[int]) -> Iterator[str]:
    """Yield quantiles, interpolated linearly between the two nearest values."""
    ordered = sorted(lengths)
    for point in _POINTS:
        place = Fraction(point * (len(ordered) - 1), 100)
        below = ordered[int(place)]
        above = ordered[min(int(place) + 1, len(ordered) - 1)]
        yield str(round(float(below + (above - below) * (place - int(place))), 2))


def _compare(
    place: str, keys: Key, expected: Mapping[Key, Values], rows: Iterable[Mapping[str, str]]
) -> Iterator[Finding]:
    stated: dict[Key, Values] = {}
    for number, row in enumerate(rows, start=2):
        key = tuple(row[name] for name in keys)
        if key in stated:
            yield Finding("statistics", place, f"{place}:{number}: a row twice")
        stated[key] = tuple(value for name, value in row.items() if name not in keys)
    for key in [*expected, *(key for key in stated if key not in expected)]:
        there, wanted = stated.get(key, ()), expected.get(key)
        if wanted is None or not _same(there[: len(wanted)], wanted) or len(there) < len(wanted):
            yield Finding("statistics", place, f"{place}: {' '.join(key)}")


def _same(one: Values, other: Values) -> bool:
    """Return whether values are equal, where the last digit of numbers may differ by rounding."""
    return one == other or all(
        a == b or ("." in f"{a}{b}" and abs(float(a) - float(b)) <= 0.011) for a, b in zip(one, other, strict=False)
    )


def check_noisy(release: Rows) -> Iterator[Finding]:
    """Yield disagreements between the statistics, the warnings and the masked names on which sources are noisy."""
    path = release.folder / "statistics" / "sources.csv"
    warnings = release.manifest.get("warnings")
    if not path.is_file() or release.provenance is None or not isinstance(warnings, list):
        return
    noisy = {row["source"]: row["noisy"] == "true" for row in read_csv(path)[1]}
    masked = release.provenance.filter(pl.col("author_kind") == "masked")["source"].unique().to_list()
    for source in masked:
        if not noisy.get(source):
            yield Finding("statistics", "statistics/sources.csv", f"{source} has masked names and is not noisy")
    many = sum(noisy.values())
    stated = [
        line
        for line in map(str, warnings)
        if f"come from {many} source{'s' * (many != 1)} with noisy author labels" in line
    ]
    if bool(many) != any("with noisy author labels" in str(line) for line in warnings) or (many and not stated):
        yield Finding("statistics", "statistics/sources.csv", f"{many} noisy sources, the manifest warns of others")


def check_funnel(release: Rows) -> Iterator[Finding]:
    """Yield sources whose documents in funnel.csv do not add up, between stages and to the release."""
    path = release.folder / FUNNEL
    if not path.is_file():
        return
    stages: dict[str, dict[str, Counter[str]]] = {}
    for number, row in enumerate(read_csv(path)[1], start=2):
        of_stage = stages.setdefault(row["source"], {}).setdefault(row["stage"], Counter())
        if row["reason"] in of_stage:
            yield Finding("funnel", f"{FUNNEL}:{number}", "a reason twice")
        of_stage[row["reason"]] = int(row["documents"])
    released = Counter(release.documents["source"])
    taken = 0
    for source, funnel in stages.items():
        carried = None
        for stage, found in funnel.items():
            dropped = found.total() - found["in"] - found["gained"] - found["kept"]
            if found["in"] + found["gained"] != dropped + found["kept"]:
                yield Finding("funnel", source, f"{source}, {stage}: in and gained are not dropped and kept")
            if carried is not None and found["in"] != carried:
                yield Finding("funnel", source, f"{source}, {stage}: {found['in']} came in, {carried} were kept before")
            if found["gained"] and stage != "chunk":
                yield Finding("funnel", source, f"{source}, {stage}: only chunking makes documents")
            carried = found["kept"]
            taken += found["taken_down"]
        if carried != released[source]:
            yield Finding("funnel", source, f"{source}: {carried} are left, {released[source]} are released")
    yield from (
        Finding("funnel", source, f"{source} is not there") for source in sorted(released.keys() - stages.keys())
    )
    stated = (release.manifest.get("takedown") or {}).get("documents", 0)
    if taken != stated:
        yield Finding("takedown", FUNNEL, f"{taken} documents taken down, the manifest says {stated!r:.20}")


def losing_authors(release: Rows) -> frozenset[str] | None:
    """Return the authors whose documents may have been taken down: the authors of sources with takedowns in funnel.csv.

    Without a funnel return None: any author.
    """
    path = release.folder / FUNNEL
    if not path.is_file():
        return None
    sources = [row["source"] for row in read_csv(path)[1] if row["reason"] == "taken_down"]
    return frozenset(release.documents.filter(pl.col("source").is_in(sources))["author_id"].drop_nulls())


def read_csv(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Return the header of a CSV file, and its rows by column.

    Raises:
        InputError: the file is not CSV in UTF-8, or a row has another number of fields than the header.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
        return header, [dict(zip(header, row, strict=True)) for row in rows]
    except (UnicodeDecodeError, csv.Error, ValueError) as problem:
        raise InputError(f"{path}: cannot be read as CSV: {problem}") from None
