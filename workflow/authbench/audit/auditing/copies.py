"""Find repeated texts: exact, disguised and near copies, and texts that contain others."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from authbench.audit.auditing.claims import Case
from authbench.audit.auditing.dataset import POOL, Dataset, split_rank
from authbench.build.dedup.similar_pairs import similar_pairs
from authbench.release.checking.boilerplate import without_boilerplate
from authbench.release.checking.overlap import contained_texts, fold, similar_texts
from authbench.release.checking.settings import make_rules

EXACT_UP_TO = 30_000  # texts that are compared pair by pair; for more, MinHash finds the pairs to compare
_FOLDED_CHARS = 12  # the fewest of a text that is compared in its folded form
_LABEL_CHARS = 40  # the fewest of nearly equal texts with two labels: shorter texts may be by two people


@dataclass(frozen=True)
class Copies:
    """Cases by claim, and pairs of ids (`old`, `new`, `claim`); a clean version leaves out the new document."""

    cases: Mapping[str, list[Case]]
    pairs: pl.DataFrame


NO_COPIES = Copies({}, pl.DataFrame(schema=dict.fromkeys(("old", "new", "claim"), pl.String)))


def find_copies(dataset: Dataset) -> Copies:
    """Return all copies in a dataset.

    With up to EXACT_UP_TO different texts, every pair is compared; with more, a pair is missed with a probability below
    0.000001. Of a text with more than ten similar texts, ten are named, which still reports every text of a crowd. The
    old document is the document in the earlier split (train, dev, test), then by date, then by place in the files.
    Texts of the same split that contain each other are not a case if the dataset marks them as ignored for each other.
    """
    ordered = _in_order(dataset)
    rules = make_rules({})
    plain = pl.col("content").str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    texts = ordered.with_columns(plain=plain).filter(pl.col("plain") != "")
    place = {ident: number for number, ident in enumerate(texts["id"])}
    split = dict(texts.select("id", "split").iter_rows())
    author = dict(texts.select("id", "author").iter_rows())
    claims = ("exact_copy", "disguised_copy", "near_copy", "similar_across_splits", "contained_text", "two_labels")
    cases: dict[str, list[Case]] = {claim: [] for claim in claims}
    gone: list[tuple[str, str, str]] = []

    def add(claim: str, ids: Iterable[str], note: str = "") -> None:
        old, *new = sorted(ids, key=place.__getitem__)
        splits = tuple(dict.fromkeys(split[ident] for ident in (old, *new)))
        cases[claim].append(Case((old, *new), note, splits, old))
        gone.extend((old, ident, claim) for ident in new)

    def under_two(ids: Iterable[str], note: str) -> None:
        known = sorted((ident for ident in ids if author[ident] is not None), key=place.__getitem__)
        if len({author[ident] for ident in known}) > 1:
            cases["two_labels"].append(Case(tuple(known), note, tuple(dict.fromkeys(split[one] for one in known))))

    for ids in _groups(texts, "plain"):
        add("exact_copy", ids, f"{len(ids)} times")
        under_two(ids, "equal")
    firsts = texts.unique("plain", keep="first", maintain_order=True)
    folded = firsts.with_columns(folded=fold(firsts["plain"]))
    long = set(firsts.filter(pl.col("plain").str.len_chars() >= _LABEL_CHARS)["id"])
    known: set[tuple[str, str]] = set()
    for ids in _groups(folded.filter(pl.col("folded").str.len_chars() > 0), "folded"):
        add("disguised_copy", ids)
        known.update(zip([ids[0]] * len(ids), ids, strict=True))
        if ids[0] in long:
            under_two(ids, "equal but for case, width, digits, blanks or lookalikes")
    once = folded.filter(pl.col("plain").str.len_chars() >= _FOLDED_CHARS).unique(
        "folded", keep="first", maintain_order=True
    )
    compared = once.select("id", "split", "lang", content="plain").with_columns(pl.col("lang").fill_null(""))
    compared = compared.with_columns(without_boilerplate(compared.select("lang", "content")).alias("content"))
    lengths = dict(once.select("id", pl.col("plain").str.len_chars()).iter_rows())
    for a, b, similarity in _similar(
        compared, rules.near, min(rules.leak, rules.near), rules.shingle_chars
    ).iter_rows():
        near = similarity >= rules.near
        if near or (split[a] != split[b] and POOL not in (split[a], split[b])):
            add("near_copy" if near else "similar_across_splits", (a, b), f"{similarity:.3f}")
            known.add((a, b))
            if near and min(lengths[a], lengths[b]) >= _LABEL_CHARS:
                under_two((a, b), f"similarity {similarity:.3f}")
    origins = once.select(pl.coalesce("origin", "id")).to_series()
    aside = set(dataset.ignored.select("query_id", "candidate_id").iter_rows())
    for a, b, share in contained_texts(compared["id"], compared["content"], origins, rules.containment).iter_rows():
        neither = split[a] == split[b] and ((a, b) in aside or (b, a) in aside)
        if not neither and (a, b) not in known and (b, a) not in known:
            add("contained_text", (a, b), f"{share:.3f}")
    return Copies(cases, pl.DataFrame(gone, dict.fromkeys(("old", "new", "claim"), pl.String), orient="row"))


def _in_order(dataset: Dataset) -> pl.DataFrame:
    """Return the documents, the oldest first: by split, date (unknown dates last) and place in the files."""
    rank = {name: place for place, name in enumerate(sorted(dataset.splits, key=split_rank))}
    day = pl.col("date").str.slice(0, 10)
    return (
        dataset.documents.with_row_index("at")
        .with_columns(rank=pl.col("split").replace_strict(rank, return_dtype=pl.Int64), day=day)
        .sort("rank", "day", "at", nulls_last=True)
        .drop("rank", "day", "at")
    )


def _groups(texts: pl.DataFrame, column: str) -> Iterator[list[str]]:
    """Yield the ids that share a value, in the order of the documents."""
    repeated = texts.filter(pl.col(column).is_duplicated())
    yield from repeated.group_by(column, maintain_order=True).agg("id")["id"].to_list()


def _similar(texts: pl.DataFrame, within: float, across: float, length: int) -> pl.DataFrame:
    """Return pairs (a, b, similarity) of texts, with the threshold `within` in a split and `across` between splits."""
    if texts.height <= EXACT_UP_TO:
        parts = texts["split"].rank("dense").cast(pl.Int64)
        return similar_texts(texts["id"], texts["content"], parts, within, across, length)
    several = texts["split"].n_unique() > 1
    return similar_pairs(texts["id"], texts["content"], across if several else within, length, near=within)
