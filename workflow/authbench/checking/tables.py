"""Count statistics/*.csv and funnel.csv again from the documents."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.rows import Rows
from authbench.errors import InputError
from authbench.format.columns import STATISTICS
from authbench.format.files import FUNNEL

_ALL = "all"
_OF_DOCUMENTS = tuple(name for name in STATISTICS if name not in ("labels", "pools"))
_POINTS = (10, 25, 50, 75, 90)
Key = tuple[str, ...]
Values = tuple[str, ...]


def check_statistics(release: Rows) -> Iterator[Finding]:
    """Yield rows of the statistics that the documents contradict; each existing table is checked."""
    provenance = release.provenance
    if provenance is None:
        return
    buckets = dict(provenance.select("id", "length_bucket").iter_rows())
    documents = [
        (*row, str(buckets.get(row[0])))
        for row in release.documents.select(
            "id", "split", "lang", "genre", "source", "author_id", "token_length", "query"
        ).iter_rows()
    ]
    expected = _expected(documents, release.splits)
    for name in expected:
        path = release.folder / "statistics" / f"{name}.csv"
        if path.is_file():
            place = f"statistics/{name}.csv"
            keys, rows = expected[name]
            yield from _compare(place, keys, rows, read_csv(path)[1])


def _expected(documents: Sequence[tuple[str, ...]], splits: Sequence[str]) -> dict[str, tuple[Key, dict[Key, Values]]]:
    """Return for each table the names of its keys, and its values (as CSV has them) by key."""
    groups: dict[str, defaultdict[Key, list[tuple[str, ...]]]] = {name: defaultdict(list) for name in _OF_DOCUMENTS}
    for row in documents:
        _, split, lang, genre, source, _, _, _, bucket = row
        for language in (lang, _ALL):
            groups["genres"][language, genre].append(row)
            groups["lengths"][language, bucket].append(row)
            groups["token_lengths"][(language,)].append(row)
            for part in (split, _ALL):
                groups["languages"][language, part].append(row)
        groups["sources"][source, lang].append(row)
    for language in {row[2] for row in documents} | ({_ALL} if documents else set()):
        for split in splits:
            groups["languages"].setdefault((language, split), [])
    totals = {key[0]: len(rows) for key, rows in groups["token_lengths"].items()}

    def counts(rows: Sequence[tuple[str, ...]]) -> Values:
        return str(len(rows)), str(len({row[5] for row in rows}))

    def share(key: Key, rows: Sequence[tuple[str, ...]]) -> str:
        return str(round(len(rows) / totals[key[0]], 4))

    each: Counter[Key] = Counter()
    for (language,), rows in groups["token_lengths"].items():
        each.update((language, str(many)) for many in Counter(row[5] for row in rows).values())
    return {
        "languages": (("language", "split"), {
            key: (*counts(rows), str(sum(bool(row[7]) for row in rows))) for key, rows in groups["languages"].items()
        }),
        "genres": (("language", "genre"), {
            key: (*counts(rows), share(key, rows)) for key, rows in groups["genres"].items()
        }),
        "lengths": (("language", "length_bucket"), {
            key: (*counts(rows), share(key, rows)) for key, rows in groups["lengths"].items()
        }),
        "documents_per_author": (("language", "documents"), {key: (str(many),) for key, many in each.items()}),
        "token_lengths": (("language",), {
            key: (str(len(rows)), *_quantiles([int(row[6]) for row in rows]))
            for key, rows in groups["token_lengths"].items()
        }),
        "sources": (("source", "language"), {key: counts(rows) for key, rows in groups["sources"].items()}),
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
        a == b or ("." in f"{a}{b}" and _number(a) is not None and abs((_number(a) or 0) - float(b)) <= 0.011)
        for a, b in zip(one, other, strict=False)
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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
