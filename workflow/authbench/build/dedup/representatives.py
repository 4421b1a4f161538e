"""Choose which of the known copies are removed, and the kept representative of each."""

import polars as pl

from authbench.config.settings.dedup import Copies

EXACT, NEAR, CROSS = "exact_duplicate", "near_duplicate", "cross_author_duplicate"
REMOVED_COPY = pl.Schema(
    {"row": pl.Int64}
    | dict.fromkeys(("doc_key", "source", "reason", "kept"), pl.String)
    | {"similarity": pl.Float64, "same_author": pl.Boolean}
)


def choose_representatives(
    documents: pl.DataFrame, similar: pl.DataFrame, settings: Copies
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return every removed document with its kept representative, and counts by kind and author.

    An exact duplicate has the same text as an earlier document; a near duplicate is at least `threshold` similar to an
    earlier accepted document. A representative is always accepted itself: a copy of a removed text has that text's
    representative, and `similarity` is between the two. Among several it is the most similar, and among equally similar
    texts the earliest.

    With `drop_all`, an accepted document is removed too if a document of another author is that similar to it; `kept`
    then names the first such document. Both it and all documents that it represented are `cross_author_duplicate`.

    Args:
        documents: those with an exact or near copy: `row` (a number), `doc_key`, `source`, `place` (of the source in
            the recipe), `author_id` and `first` (the row of the first with the same text).
        similar: verified pairs of first copies (`earlier`, `later`: rows, `similarity`): with `keep_first` pairs whose
            earlier document is accepted, with `drop_all` all pairs.
        settings: the policy for copies of other authors.

    Returns:
        The removed documents in corpus order (REMOVED_COPY), and the counts.

    Raises:
        ValueError: a doc_key is repeated.
    """
    if documents["doc_key"].n_unique() < documents.height:
        raise ValueError("doc_key is not unique: documents with one key have no order")
    columns = ("row", "doc_key", "source", "place", "author_id", "first")
    copies = documents.select(columns).sort("place", "doc_key").with_row_index("rank")
    rank = copies.select("row", "rank")
    copies = copies.join(rank.rename({"row": "first", "rank": "text"}), on="first", maintain_order="left")
    alike = (
        similar.join(rank.rename({"row": "earlier", "rank": "one"}), on="earlier")
        .join(rank.rename({"row": "later", "rank": "other"}), on="later")
        .select("similarity", earlier="one", later="other")
    )
    drop_all = settings["cross_author_duplicates"] == "drop_all"
    pairs = _with_accepted(alike) if drop_all else alike
    removed = _removed(copies, pairs)
    disputed = _disputed(copies, pairs, alike)
    counts = {
        f"{reason}_{author}": removed.filter((pl.col("reason") == reason) & (pl.col("same_author") == same)).height
        for reason in (EXACT, NEAR)
        for author, same in (("same_author", True), ("other_author", False))
    } | {"texts_of_several_authors": disputed.height}
    if drop_all:
        theirs = pl.col("representative").is_in(disputed["representative"].implode())
        removed = removed.with_columns(reason=pl.when(theirs).then(pl.lit(CROSS)).otherwise(pl.col("reason")))
        removed = pl.concat([removed, disputed.select(removed.columns)])
    return removed.sort("rank").select(REMOVED_COPY.names()), counts


def _removed(copies: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the removed documents, each with the most similar accepted text, and the reason."""
    nearest = pairs.sort("later", "similarity", "earlier", descending=[False, True, False]).unique(
        "later", keep="first", maintain_order=True
    )
    return (
        copies.join(nearest.select("similarity", text="later", representative="earlier"), on="text", how="left")
        .filter((pl.col("rank") != pl.col("text")) | pl.col("representative").is_not_null())
        .with_columns(
            reason=pl.when(pl.col("rank") == pl.col("text")).then(pl.lit(NEAR)).otherwise(pl.lit(EXACT)),
            representative=pl.coalesce("representative", "text"),
            similarity=pl.col("similarity").fill_null(1.0),
        )
        .join(copies.select(representative="rank", kept="doc_key", kept_author="author_id"), on="representative")
        .with_columns(same_author=pl.col("author_id") == pl.col("kept_author"))
        .select("rank", "representative", *REMOVED_COPY)
    )


def _disputed(copies: pl.DataFrame, pairs: pl.DataFrame, alike: pl.DataFrame) -> pl.DataFrame:
    """Return the accepted documents similar to a document of another author, each with the first such document.

    `pairs` have an accepted earlier text; `alike` are all compared pairs.
    """
    accepted = copies.filter(pl.col("rank") == pl.col("text")).join(pairs, left_on="text", right_on="later", how="anti")
    themselves = accepted.select(similarity=pl.lit(1.0), earlier="text", later="text")
    backwards = alike.select("similarity", earlier="later", later="earlier")
    return (
        accepted.join(pl.concat([alike, backwards, themselves]), left_on="text", right_on="earlier")
        .join(copies.select(later="text", when="rank", kept="doc_key", other_author="author_id"), on="later")
        .filter(pl.col("author_id") != pl.col("other_author"))
        .sort("when")
        .unique("text", keep="first", maintain_order=True)
        .with_columns(reason=pl.lit(CROSS), same_author=pl.lit(False))
        .rename({"text": "representative"})
    )


def _with_accepted(alike: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs whose earlier text is accepted, that is, not similar to an earlier accepted text."""
    gone: set[int] = set()
    for earlier, later in alike.sort("later").select("earlier", "later").iter_rows():
        if earlier not in gone:
            gone.add(later)
    return alike.filter(~pl.col("earlier").is_in(sorted(gone)))
