"""Write the pages of the explorer, which load no files and, without a release, quote no text.

index.html          errors by slice, and the queries in a table that can be filtered and sorted
queries-<n>.html    PER_PAGE queries: metadata, true answers, each model's nearest candidates, and their texts
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from authbench.config.languages import language_name
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.numbers import NOTHING, decimals
from authbench.core.presentation.pages import environment
from authbench.core.presentation.tables import BEST, Cell, Column, Row, Table
from authbench.core.printable import cut_short, printable
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.words import count, listing, percent, plural, spaced
from authbench.release.format.release import Release
from authbench.reports.explorer.ranked import FACETS, Explored, explore
from authbench.reports.leaderboard.collect import collect, expect_of_release
from authbench.reports.leaderboard.tables import slice_order
from authbench.scoring.evaluation.retrieval import NEAREST
from authbench.scoring.evaluation.scores import LEAST_AUTHORS
from authbench.scoring.evaluation.slices import SLICES
from authbench.scoring.review.difference import Part, shown

QUERIES = 1_000  # shown of a split
PER_PAGE = 20
TEXT = 600  # characters shown of a text
_OF_TEXT = ("lang", "source", "genre")
Texts = Mapping[str, JsonMapping]


def write_explorer(places: Sequence[Path], out: Path, release: Release | None = None) -> list[str]:
    """Write the pages on models evaluated on the same split; return the findings.

    Args:
        out: the folder, which is replaced.
        release: what was evaluated, whose texts are shown; None: no texts.

    Raises:
        InputError: results cannot be used, are not comparable, or are not of this release.
    """
    with TemporaryDirectory() as unpacked:
        results = collect(places, Path(unpacked))
        if release:
            expect_of_release(results, release)
        found = explore(results, QUERIES)
    benchmark = {"name": ""} | results[0].scores["benchmark"]
    texts = _texts(release, str(benchmark["split"]), found) if release else {}
    unverified = printable(results[0].unverified or (release.unverified if release else ""))
    shared = {"benchmark": benchmark, "models": found.models, "with_texts": release is not None, "most": TEXT}
    pages, lines = environment(), findings(found)
    last, views = (found.queries.height - 1) // PER_PAGE, _views(found, texts)
    with atomic_folder(out) as folder:
        for number in range(last + 1):
            near = [("Previous", number - 1)] * (number > 0) + [("Next", number + 1)] * (number < last)
            links = [(words, _file(other)) for words, other in near]
            page = pages.get_template("explorer_queries.html.j2").render(
                **shared, views=list(islice(views, PER_PAGE)), links=links
            )
            write_text(folder / _file(number), page)
        index = pages.get_template("explorer.html.j2").render(
            **shared,
            findings=lines,
            slices=_slices_table(found),
            queries=_listing(found),
            unverified=unverified,
            scripts=["sort.js", "filter.js"],
        )
        write_text(folder / "index.html", index)
    return lines


def findings(found: Explored) -> list[str]:
    """Return a sentence per model on its errors, fewest first, and sentences on all models."""
    lines = []
    for model, wrong, queries in found.slices.filter(facet="all").select("model", "wrong", "queries").rows():
        worst = _worst(found.slices, model)
        more = f"; its errors are most frequent in {listing(worst)}" if worst else ""
        of = f"{percent(1 - wrong)} of {plural(queries, 'query', 'queries')}"
        lines.append(f"{model} ranks a true answer first for {of}{more}.")
    if len(lines) > 1:
        wrong = found.outcomes.group_by("id").agg(pl.col("wrong").all())["wrong"].sum()
        lines.append(f"All models err on {plural(int(wrong), 'query', 'queries')}.")
    if found.left_out:
        lines.append(f"Left out, as they rank no candidates: {listing(found.left_out)}.")
    return lines


def _worst(slices: pl.DataFrame, model: str) -> list[str]:
    """Return for each facet the slice with the largest share of errors, among those with enough authors."""
    rows = slices.filter(pl.col("authors") >= LEAST_AUTHORS, model=model).sort(
        "wrong", "slice", descending=[True, False]
    )
    found = []
    for facet, words in FACETS.items():
        some = rows.filter(facet=facet)
        if some.height > 1:
            words = "" if facet == "lang" else f"the {words} "
            found.append(f"{words}{_label(facet, some['slice'][0])} ({percent(some['wrong'][0])})")
    return found


def _label(facet: str, value: str | None) -> str:
    if value is None:
        return NOTHING
    return cut_short(language_name(value) if facet == "lang" else value if facet == "source" else spaced(value))


def _slices_table(found: Explored) -> Table:
    columns = [Column("Slice", words=True), Column("Queries")]
    columns += [Column(model, more_is_better=False) for model in found.models]
    wide = found.slices.pivot("model", index=["facet", "slice", "queries", "authors"], values="wrong")
    rows = [
        Row(
            [
                Cell(_label(facet, part)),
                Cell(count(queries), queries),
                *(Cell(decimals(share), share, grey=authors < LEAST_AUTHORS) for share in shares),
            ],
            words,
        )
        for facet, words in FACETS.items()
        for _, part, queries, authors, *shares in sorted(
            wide.filter(facet=facet).rows(), key=lambda row: slice_order(row[1])
        )
    ]
    note = f"The share of queries whose nearest candidate is wrong. Grey: fewer than {LEAST_AUTHORS} query authors."
    return Table("slices", "By language, genre and length", columns, rows, found.slices, [note])


def _listing(found: Explored) -> Table:
    """Return the queries for the index: the link, labels, and the rank of the first right candidate by model."""
    first = {(row["query"], row["model"]): row for row in found.margins.iter_rows(named=True)}
    columns = [Column("Query", words=True)]
    columns += [Column(words.capitalize(), words=True, filtered="") for words in FACETS.values()]
    columns += [Column(model, more_is_better=False, filtered="") for model in found.models]
    rows = [
        Row(
            [
                Cell(cut_short(row["id"]), link=f"{_file(number // PER_PAGE)}#q{number}"),
                *(Cell(_label(facet, row.get(facet))) for facet in FACETS),
                *(replace(_ranked(first.get((row["id"], model), {})), interval="") for model in found.models),
            ]
        )
        for number, row in enumerate(found.queries.iter_rows(named=True))
    ]
    of = found.outcomes["id"].n_unique()
    note = f"{count(len(rows))} of {count(of)} queries with an answer"
    note += ", drawn by a keyed hash of their ids" if len(rows) < of else ""
    note += ". By model: the rank of the first true answer; 1 is right."
    return Table("queries", "Queries", columns, rows, found.margins, [note])


def _file(page: int) -> str:
    return f"queries-{page + 1:03}.html"


def _views(found: Explored, texts: Texts) -> Iterator[JsonObject]:
    candidates, first = (
        {str(query): part for (query,), part in table.group_by("query", maintain_order=True)}
        for table in (found.rows, found.margins)
    )
    for number, row in enumerate(found.queries.iter_rows(named=True)):
        query = row["id"]
        own = candidates.get(query, found.rows.clear())
        others = own.unique("candidate", maintain_order=True).select("candidate", "right").rows()
        known = [
            text | {"anchor": f"q{number}-{at}"}
            for at, (one, right) in enumerate(others)
            if (text := _text(one, texts, "right" if right else "wrong"))
        ]
        links = {one["candidate"]: f"#{one['anchor']}" for one in known}
        tables = [table(number, own, found.models, links) for table in (_nearest_table, _answers_table)]
        yield {
            "number": number,
            "id": cut_short(query),
            "facts": _facts(row),
            "tables": [_margins_table(number, first.get(query, found.margins.clear()), found.models), *tables],
            "text": _text(query, texts, "query"),
            "candidates": known,
        }


def _facts(row: JsonMapping) -> list[tuple[str, str]]:
    known = [facet for facet in SLICES.values() if row.get(facet) is not None]
    return [(spaced(facet).replace("lang", "language"), _label(facet, row[facet])) for facet in known]


def _margins_table(number: int, first: pl.DataFrame, models: Sequence[str]) -> Table:
    columns = [Column("Model", words=True), Column("First right"), Column("Its score"), Column("Best wrong score")]
    of_model = {row["model"]: row for row in first.iter_rows(named=True)}
    rows = []
    for model in models:
        row = of_model.get(model, {})
        scores = [Cell(decimals(row.get(name)), row.get(name)) for name in ("score", "wrong_score")]
        margin = Cell(decimals(row.get("margin"), signed=True), row.get("margin"))
        rows.append(Row([Cell(model), replace(_ranked(row), interval=""), *scores, margin]))
    return Table(f"margins-{number}", "By how much", [*columns, Column("Margin")], rows, first)


def _nearest_table(number: int, own: pl.DataFrame, models: Sequence[str], links: Mapping[str, str]) -> Table:
    """Return the ten nearest candidates of each model, with their scores; a true answer is marked.

    Args:
        links: to the texts at hand, by candidate.
    """
    of_place = {(row["rank"], row["model"]): row for row in own.iter_rows(named=True) if row["rank"] is not None}
    places = range(1, 1 + max((rank for rank, _ in of_place if rank <= NEAREST), default=0))
    rows = [
        Row([Cell(str(rank), rank), *(_near(of_place.get((rank, model)), links) for model in models)])
        for rank in places
    ]
    columns = [Column("Rank", more_is_better=False), *(Column(model) for model in models)]
    return Table(f"nearest-{number}", "Nearest candidates", columns, rows, own)


def _near(row: JsonMapping | None, links: Mapping[str, str]) -> Cell:
    if row is None:
        return Cell(NOTHING)
    mark, link = " ✓" if row["right"] else "", links.get(row["candidate"], "")
    name, place = f"{cut_short(row['candidate'])}{mark}", BEST if mark else 0
    return Cell(name, place=place, interval=decimals(row["score"]), link=link)


def _answers_table(number: int, own: pl.DataFrame, models: Sequence[str], links: Mapping[str, str]) -> Table:
    answers = own.filter("right")
    cells = {(row["candidate"], row["model"]): row for row in answers.iter_rows(named=True)}
    rows = [
        Row(
            [Cell(cut_short(one), link=links.get(one, "")), *(_ranked(cells.get((one, model), {})) for model in models)]
        )
        for one in answers["candidate"].unique(maintain_order=True)
    ]
    notes = [f"{count(more)} more are not shown." for more in own["more"].head(1) if more]
    columns = [Column("Answer", words=True), *(Column(model, more_is_better=False) for model in models)]
    return Table(f"answers-{number}", "True answers", columns, rows, answers, notes)


def _ranked(row: JsonMapping) -> Cell:
    rank, score = row.get("rank"), row.get("score")
    interval = "" if score is None else decimals(score)
    return Cell(NOTHING if rank is None else count(rank), rank, BEST if rank == 1 else 0, interval=interval)


def _texts(release: Release, split: str, found: Explored) -> Texts:
    """Return the beginnings of the texts of queries and candidates, by id."""
    wanted = pl.concat([found.queries["id"], found.rows["candidate"]]).unique()
    parts = [
        batch.filter(pl.col("id").is_in(wanted.implode())).select(
            "id",
            *_OF_TEXT,
            content=pl.col("content").str.head(TEXT),
            characters=pl.col("content").str.len_chars(),
        )
        for batch in release.texts(split)
    ]
    return {row["id"]: row for row in pl.concat(parts).iter_rows(named=True)}


def _text(ident: str, texts: Texts, what: str) -> JsonObject | None:
    """Return a text for a page, with invisible characters as marks; None if it is not at hand."""
    if ident not in texts:
        return None
    row = texts[ident]
    parts: list[Part] = shown(row["content"])
    if (more := row["characters"] - TEXT) > 0:
        parts.append(("mark", f"and {count(more)} more characters"))
    about = " · ".join(_label(name, row[name]) for name in _OF_TEXT)
    return {
        "candidate": ident,
        "id": cut_short(ident),
        "what": what,
        "about": about,
        "lang": row["lang"],
        "parts": parts,
    }
