"""What do the numbers of a release look like?

Drawings for `figures/*.svg` and the report, written element by element so that the same numbers give the same
bytes anywhere. Each is 560 units wide, follows the reader's light or dark theme, and says in its title and
description what it shows.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import polars as pl

from authbench.funnel import STAGES
from authbench.records import PRIMARY_GENRES, primary_genre
from authbench.words import ALL, language_name, ordered

WIDTH = 560
LEFT = 152
ROW = 26
BAR = 16
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#a08c5b", "#8a929c")
GENRE_COLOURS = dict(zip(PRIMARY_GENRES, PALETTE, strict=False))
OTHER_COLOUR = PALETTE[-1]
RELEASED = "released"
STAGE_COLOURS = {
    RELEASED: "#0072b2",
    "ingest": "#6b7280",
    "normalize": "#a08c5b",
    "dedup_documents": "#8c6bb1",
    "chunk": "#009e73",
    "filter": "#d55e00",
    "dedup_chunks": "#cc79a7",
    "sample": "#c3cbd6",
    "split": "#e69f00",
    "release": "#111827",
}
STAGE_WORDS = {
    RELEASED: "released",
    "ingest": "not usable at ingestion",
    "normalize": "nothing left after cleaning",
    "dedup_documents": "copies of documents",
    "chunk": "chunks beyond the limit",
    "filter": "filtered",
    "dedup_chunks": "copies of chunks",
    "sample": "not selected",
    "split": "bridges between splits",
    "release": "taken down",
}
STYLE = (
    ".ab{--i:#1f2733;--m:#5d6875;--r:#d9dee5;--b:#eef1f5;font:13px system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Noto Sans',sans-serif;fill:var(--i)}.ab .m{fill:var(--m);font-size:12px}.ab .r{stroke:var(--r)}"
    ".ab .b{fill:var(--b)}.ab .n{font-variant-numeric:tabular-nums}"
    "@media(prefers-color-scheme:dark){.ab{--i:#e6e9ee;--m:#a3adba;--r:#3a424e;--b:#262d37}}"
)


def pictures(tables: Mapping[str, pl.DataFrame], funnel: pl.DataFrame) -> dict[str, str]:
    """Every figure by its name; `tables` as `statistics.tables` gives them, `funnel` as `funnel_table`."""
    return {
        "languages": languages(tables["languages"]),
        "genres": genres(tables["genres"]),
        "lengths": lengths(tables["token_lengths"]),
        "documents_per_author": documents_per_author(tables["documents_per_author"]),
        "funnel": funnel_picture(funnel),
    }


def languages(table: pl.DataFrame) -> str:
    """Documents per language, one bar each, divided by split."""
    rows = table.filter((pl.col("language") != ALL) & (pl.col("split") != ALL))
    splits = rows["split"].unique(maintain_order=True).to_list()
    colours = dict(zip(splits, cycle(len(splits)), strict=True))
    totals = rows.group_by("language").agg(pl.col("documents").sum()).sort(-pl.col("documents"), "language")
    most = max(totals["documents"], default=1)
    parts, y = legend(colours, {}, 0)
    for language, total in totals.iter_rows():
        counted = dict(rows.filter(pl.col("language") == language).select("split", "documents").iter_rows())
        end = LEFT + (WIDTH - LEFT - 64) * total / most
        parts.append(label(language_name(language), y))
        parts.append(stack([(f"{split}: {counted[split]:,}", counted[split], colours[split]) for split in splits], y,
                           LEFT, end))  # fmt: skip
        parts.append(text(end + 8, y + 13, f"{total:,}", "m n"))
        y += ROW
    return drawing("languages", "Documents per language", "One bar a language, divided by split.", y, parts)


def genres(table: pl.DataFrame) -> str:
    """The share of each primary genre within each language."""
    primary = pl.Series("genre", [primary_genre(genre) for genre in table["genre"]], dtype=pl.String)
    rows = table.with_columns(primary).group_by("language", "genre").agg(pl.col("documents").sum())
    present = [*PRIMARY_GENRES, *sorted(set(rows["genre"]) - set(PRIMARY_GENRES))]
    colours = {genre: GENRE_COLOURS.get(genre, OTHER_COLOUR) for genre in present if genre in set(rows["genre"])}
    parts, y = legend(colours, {genre: genre.replace("_", " ") for genre in colours}, 0)
    for language in ordered(rows["language"]):
        counted = dict(rows.filter(pl.col("language") == language).select("genre", "documents").iter_rows())
        total = sum(counted.values())
        pieces = [
            (f"{genre}: {counted[genre]:,} ({counted[genre] / total:.1%})", counted[genre], colour)
            for genre, colour in colours.items()
            if genre in counted
        ]
        parts += [label(language_name(language), y), stack(pieces, y, LEFT, WIDTH)]
        y += ROW
    return drawing("genres", "Genres within each language", "Shares of the documents of each language.", y, parts)


def lengths(table: pl.DataFrame) -> str:
    """Token lengths per language: a box from p25 to p75 with the median, whiskers from p10 to p90, log scale."""
    low, high = 1.0, 1.3 * max([10.0, *table["p90"]])

    def across(tokens: float) -> float:
        return LEFT + (WIDTH - LEFT - 14) * math.log10(max(tokens, low) / low) / math.log10(high / low)

    ticks = [10**power for power in range(math.floor(math.log10(high)) + 1)]
    bottom = 22 + ROW * table.height
    parts = [
        element("line", x1=across(tick), x2=across(tick), y1=18, y2=bottom, class_="r")
        + text(across(tick), 11, f"{tick:,}", "m n", "middle")
        for tick in ticks
    ]
    y = 22
    rows = {row["language"]: row for row in table.iter_rows(named=True)}
    for row in (rows[language] for language in ordered(table["language"])):
        middle = y + BAR / 2
        p10, p25, p50, p75, p90 = (across(row[name]) for name in ("p10", "p25", "p50", "p75", "p90"))
        told = ", ".join(f"{name} {row[name]:,.0f}" for name in ("p10", "p25", "p50", "p75", "p90"))
        parts.append(label(language_name(row["language"]), y))
        parts.append(
            "<g>"
            + element("title", escape_text(f"{language_name(row['language'])}: {told} tokens"))
            + element("line", x1=p10, x2=p90, y1=middle, y2=middle, stroke="#7b8794", stroke_width=1.5)
            + "".join(
                element("line", x1=x, x2=x, y1=y + 4, y2=y + BAR - 4, stroke="#7b8794", stroke_width=1.5)
                for x in (p10, p90)
            )
            + element("rect", x=p25, y=y, width=max(p75 - p25, 2), height=BAR, rx=2, fill=PALETTE[4])
            + element("line", x1=p50, x2=p50, y1=y, y2=y + BAR, stroke="#0b3c5d", stroke_width=2.5)
            + "</g>"
        )
        y += ROW
    what = "Tokens a document, logarithmic: box p25 to p75 with the median, whiskers p10 to p90."
    return drawing("lengths", "Length in tokens per language", what, bottom, parts)


def documents_per_author(table: pl.DataFrame, most: int = 12) -> str:
    """How many authors have how many documents; the last column gathers `most` and more."""
    counted: dict[int, int] = {}
    for documents, authors in table.filter(pl.col("language") == ALL).select("documents", "authors").iter_rows():
        counted[min(documents, most)] = counted.get(min(documents, most), 0) + authors
    highest, tall = max(counted.values(), default=1), 150
    columns = range(1, max([5, *counted]) + 1)
    step = min((WIDTH - 20) / len(columns), 72)
    start = (WIDTH - step * len(columns)) / 2
    parts = [element("line", x1=start, x2=WIDTH - start, y1=tall + 22, y2=tall + 22, class_="r")]
    for place, documents in enumerate(columns):
        authors = counted.get(documents, 0)
        height = tall * authors / highest
        x = start + place * step
        bar = element("rect", x=x + step * 0.15, y=tall + 22 - height, width=step * 0.7, height=height, rx=2,
                      fill=PALETTE[0])  # fmt: skip
        parts.append(bar if authors else "")
        parts.append(text(x + step / 2, tall + 16 - height, f"{authors:,}", "m n", "middle"))
        parts.append(text(x + step / 2, tall + 40, f"{documents}{'+' if documents == most else ''}", "n", "middle"))
    parts.append(text(WIDTH / 2, tall + 60, "documents an author has", "m", "middle"))
    what = "Column heights are numbers of authors."
    return drawing("documents_per_author", "Documents per author", what, tall + 66, parts)


def funnel_picture(funnel: pl.DataFrame) -> str:
    """Where the documents of each source went: shares released and dropped, by stage."""
    fates = {source: fate(funnel.filter(pl.col("source") == source)) for source in ordered(funnel["source"])}
    met = {stage for shares in fates.values() for stage, count in shares.items() if count}
    colours = {stage: STAGE_COLOURS.get(stage, OTHER_COLOUR) for stage in fate_order(met)}
    parts, y = legend(colours, STAGE_WORDS, 0)
    for source, shares in fates.items():
        total = sum(shares.values())
        pieces = [
            (f"{STAGE_WORDS.get(stage, stage)}: {shares[stage]:,} ({shares[stage] / total:.1%})", shares[stage], colour)
            for stage, colour in colours.items()
            if shares.get(stage)
        ]
        parts += [label(source, y), stack(pieces, y, LEFT, WIDTH - 64)]
        parts.append(text(WIDTH, y + 13, f"{shares.get(RELEASED, 0):,}", "m n", "end"))
        y += ROW
    what = "Of each source's documents and chunks the shares released and dropped, by stage; right, how many remain."
    return drawing("funnel", "Where the documents went", what, y, parts)


def fate(funnel: pl.DataFrame) -> dict[str, int]:
    """How many of a source's documents (and of the chunks gained) were released, and dropped at each stage.

    Released is what the last stage it reached kept.
    """
    counts = dict.fromkeys([RELEASED], 0)
    for stage, reason, documents in funnel.select("stage", "reason", "documents").iter_rows():
        if reason == "kept":
            counts[RELEASED] = documents
        elif reason not in ("in", "gained"):
            counts[stage] = counts.get(stage, 0) + documents
    return counts


def fate_order(stages: Iterable[str]) -> list[str]:
    """Released first, then the stages from the last to the first, then any other."""
    known = [RELEASED, *reversed(STAGES)]
    return sorted(stages, key=lambda stage: (known.index(stage) if stage in known else len(known), stage))


def cycle(count: int) -> list[str]:
    return [PALETTE[place % len(PALETTE)] for place in range(count)]


def legend(colours: Mapping[str, str], words: Mapping[str, str], y: int) -> tuple[list[str], int]:
    """Coloured squares with their words, in as many lines as they need, and where the next line begins."""
    parts, x = [], 0.0
    for name, colour in colours.items():
        word = shorten(words.get(name, name), 30)
        wide = 22 + 6.9 * cells(word) + 12
        if x and x + wide > WIDTH + 12:
            x, y = 0, y + 20
        parts.append(element("rect", x=x, y=y + 3, width=11, height=11, rx=2, fill=colour) + text(x + 17, y + 13, word))
        x += wide
    return parts, y + 30


def stack(pieces: Sequence[tuple[str, int, str]], y: float, start: float, end: float) -> str:
    """One bar from `start` to `end`, divided in the proportions of the pieces (words, count, colour)."""
    total = sum(count for _, count, _ in pieces)
    bar, at = element("rect", x=start, y=y, width=max(end - start, 0), height=BAR, class_="b"), start
    for words, count, colour in pieces:
        if count:
            wide = (end - start) * count / total
            told = element("title", escape_text(words))
            bar += element("rect", told, x=at, y=y, width=max(wide - 0.8, 0.8), height=BAR, fill=colour)
            at += wide
    return bar


def drawing(name: str, title: str, description: str, height: float, parts: Iterable[str]) -> str:
    inner = (
        element("title", escape_text(title), id=f"{name}-title")
        + element("desc", escape_text(description), id=f"{name}-desc")
        + f"<style>{STYLE}</style>"
        + "\n"
        + "\n".join(part for part in parts if part)
        + "\n"
    )
    return (
        element(
            "svg",
            inner,
            xmlns="http://www.w3.org/2000/svg",
            class_="ab",
            viewBox=f"-6 -6 {WIDTH + 12} {number(height + 12)}",
            role="img",
            aria_labelledby=f"{name}-title {name}-desc",
        )
        + "\n"
    )


def label(words: str, y: float) -> str:
    """A row's name, right-aligned before its bar; whole in the tooltip where it is cut."""
    short = shorten(words, 20)
    whole = element("title", escape_text(words)) if short != words else ""
    inner = whole + escape_text(short)
    return element("text", inner, x=LEFT - 10, y=y + 13, text_anchor="end", style="unicode-bidi:plaintext")


def text(x: float, y: float, words: str, style: str = "", anchor: str = "") -> str:
    more = {name: value for name, value in (("class_", style), ("text_anchor", anchor)) if value}
    return element("text", escape_text(words), x=x, y=y, **more)


def element(tag: str, inner: str = "", **attributes: str | float) -> str:
    """One SVG element. `inner` is markup; attributes are escaped, `class_` is `class`, `a_b` is `a-b`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(value if isinstance(value, str) else number(value))}"'
        for key, value in attributes.items()
    )
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"


def number(value: float) -> str:
    """At most two decimals, none where none are needed."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def escape_text(words: str) -> str:
    """Safe as XML text or attribute: marked-up characters escaped, characters XML forbids replaced."""
    return escape("".join(char if allowed(char) else "\ufffd" for char in words))


def allowed(char: str) -> bool:
    return char in "\t\n\r" or (unicodedata.category(char) not in ("Cc", "Cs") and char not in "\ufffe\uffff")


def cells(words: str) -> int:
    """How wide a text is in Latin letters: East Asian ones take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)


def shorten(words: str, most: int) -> str:
    """The text, or as much of it as fits into `most` cells with an ellipsis."""
    if cells(words) <= most:
        return words
    kept = ""
    for char in words:
        if cells(kept + char) > most - 1:
            break
        kept += char
    return kept + "…"
