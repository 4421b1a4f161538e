"""Find everything an audit reports, except copies (`copies`) and the scores of rows (`rows`)."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import numpy as np
import polars as pl
from scipy.special import bdtrc

from authbench.audit.auditing.claims import Case
from authbench.audit.auditing.dataset import LABELS, POOL, Dataset
from authbench.build.filter.decide import apply_filters
from authbench.build.filter.measure import MEASURES, measure_texts
from authbench.build.labels.decision import decide
from authbench.build.labels.estimators import Estimate, account, same_item, two_accounts
from authbench.build.labels.shared import labels_that_share_texts
from authbench.build.normalize.doubled import first_of_two, suspected
from authbench.config.settings.filter import Filter
from authbench.core.author_labels import known_labels
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable
from authbench.core.records import LANGUAGES
from authbench.core.tokens import Tokenizer
from authbench.release.checking.form import neighbours
from authbench.release.checking.settings import defaults
from authbench.release.checking.texts import abnormal, find_personal_data

LONGEST = 500_000  # characters of a text whose shingles are compared; for longer texts, lines are
IDS = "ids_tell"  # the claim that ids, and the order of lines, reveal nothing about authors
MAX_IMPURITY = 0.2  # of a label, as `authors.max_impurity`
_REASONS = {"wrong_language": "language", "wrong_script": "script"}  # reasons of the filters, and our claims
# Signs of personal data. They are wider than what masks replace: an audit names what a reader should check.
_PERSONAL = {
    "email": r"[\w.+-]@[\w-]+\.\w",
    "link": r"(?i)https?://\S|\bwww\.\w",
    "handle": r"(?:^|[^\w@/.])@\w\w",
}
_TEXTS_AT_ONCE = 5_000
_SPELLINGS, _WIDEST = 4, 40  # shown in a note on a label, and characters of each
_SURE = 1e-6  # probability that so many authors have only one answer by chance

Cases = dict[str, list[Case]]


@dataclass(frozen=True)
class Noise:
    """The noise of a source's labels: the estimator, the number of texts, and the estimate."""

    source: str
    estimator: str
    texts: int
    estimate: Estimate

    def as_dict(self) -> JsonObject:
        found = self.estimate
        decision = decide(found.low, found.high, MAX_IMPURITY)
        return {"source": self.source, "estimator": self.estimator, "texts": self.texts, **asdict(found)} | {
            "decision": decision
        }


def find_in_texts(dataset: Dataset, tokenizer: Tokenizer | None) -> Cases:
    """Return what is wrong with single texts. Memory: a batch, and the cases.

    Args:
        tokenizer: counts tokens, if the dataset states their number; None: they are not counted.
    """
    cases: Cases = {
        claim: [] for claim in ("self_doubled", "language", "script", "no_letters", "not_normal", "personal_data")
    }
    counted = tokenizer is not None and dataset.documents["token_length"].null_count() < dataset.documents.height
    if counted:
        cases["token_length"] = []
    languages = list(LANGUAGES)
    for batch in dataset.documents.iter_slices(_TEXTS_AT_ONCE):
        ids, contents = batch["id"], batch["content"]
        for place, note in abnormal(contents):
            cases["not_normal"].append(Case((ids[place],), note))
        seen = {kind: list(contents.str.contains(sign).arg_true()) for kind, sign in _PERSONAL.items()}
        seen["telephone"] = sorted({place for place, _ in find_personal_data(contents, ("phone",))})
        for kind, here in seen.items():
            cases["personal_data"] += [Case((ids[place],), kind) for place in here]
        for place in suspected(contents).arg_true():
            if share := _doubled(contents[place]):
                cases["self_doubled"].append(Case((ids[place],), f"the first {share:.0%} are all of it"))
        for claim, ident, note in _languages(batch, languages):
            cases[claim].append(Case((ident,), note))
        if counted and tokenizer is not None:
            said = batch["token_length"].to_numpy()
            found = tokenizer.count(contents)
            differs = (said != found) & batch["token_length"].is_not_null().to_numpy()
            for place in np.flatnonzero(differs).tolist():
                cases["token_length"].append(Case((ids[place],), f"says {said[place]:.0f}, has {found[place]}"))
    return cases


def _doubled(text: str) -> float:
    """Return the share of a text after which all of it is repeated; 0 if it is not repeated."""
    if len(text) <= LONGEST:
        first = first_of_two(text)
        return 0.0 if first is None else len(first) / len(text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    half = len(lines) // 2
    one, other = Counter(lines[:half]), Counter(lines[half:])
    return 0.5 if (one & other).total() >= 0.9 * (one | other).total() else 0.0


def _languages(batch: pl.DataFrame, languages: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield claim, id and note of texts that are not in their stated language, by the rules of the filters."""
    known = batch.with_columns(
        pl.col("lang").fill_null(""), pl.col("genre").fill_null(""), pl.col("source").fill_null("")
    )
    measured = measure_texts(known.select("lang", "content", doc_key="id"), languages)
    for ident in measured.filter(pl.col("all_letters") < 1)["doc_key"]:
        yield "no_letters", ident, ""
    joined = known.select("source", "lang", "genre", "token_length", doc_key="id").hstack(
        measured.select(name for name in MEASURES if name != "doc_key")
    )
    joined = joined.with_columns(pl.col("token_length").fill_null(0), task=pl.lit(None, pl.String)).filter(
        pl.col("lang").is_in(languages)
    )
    removed = apply_filters(joined, _only_language())
    guessed = dict(measured.select("doc_key", "langid").iter_rows())
    lang = dict(known.select("id", "lang").iter_rows())
    for ident, reason in removed.select("doc_key", "reason").iter_rows():
        if reason in _REASONS:
            other = guessed.get(ident)
            yield (
                _REASONS[reason],
                ident,
                f"{lang[ident]}, looks like {other}" if other and other != lang[ident] else lang[ident],
            )


def _only_language() -> Filter:
    """Return the filter's settings with every rule disabled except language and script."""
    settings: Filter = defaults()["filter"]
    kept = {"preset": settings["preset"], "script": settings["script"], "language": settings["language"]}
    return cast(Filter, {**dict.fromkeys(settings), **kept, "min_tokens": 0, "max_tokens": 1 << 40, "plugins": {}})


def identified(documents: pl.DataFrame) -> pl.DataFrame:
    """Return documents with langid's guess where no language is stated (frame as dataset.DOCUMENTS)."""
    if not documents["lang"].null_count():
        return documents
    from authbench.build.filter.language import identify

    parts = []
    for batch in documents.iter_slices(_TEXTS_AT_ONCE):
        unknown = batch["lang"].is_null()
        if unknown.any():
            labels, _ = identify(batch["content"].str.slice(0, 2_000), LANGUAGES)
            batch = batch.with_columns(pl.coalesce("lang", pl.Series(labels, dtype=pl.String)).alias("lang"))
        parts.append(batch)
    return pl.concat(parts)


def find_in_labels(dataset: Dataset, stated_languages: bool, copies: pl.DataFrame) -> tuple[Cases, list[Noise]]:
    """Return what is wrong with authors and their labels, and the noise of labels by source.

    Args:
        copies: pairs of documents (`old`, `new`) of equal or nearly equal text.
    """
    documents = dataset.documents
    named = documents.filter(pl.col("author").is_not_null())
    unnamed = documents.filter(pl.col("author").is_null()).select("id", pl.col("spelling").struct.field("author"))
    cases: Cases = {
        "no_author": [Case((ident,), f"says {_shown(label)}" if label else "") for ident, label in unnamed.iter_rows()]
    }
    if dataset.form.startswith(("BEIR", "MTEB")):
        cases.pop("no_author")
    if len([split for split in dataset.splits if split != POOL]) > 1:
        cases["author_in_splits"] = _across(named, "author")
        if documents["origin"].null_count() < documents.height:
            cases["work_in_splits"] = _across(documents.drop_nulls("origin"), "origin")
    if stated_languages:
        several = named.group_by("author").agg(pl.col("lang").drop_nulls().unique().sort()).sort("author")
        cases["several_languages"] = [
            Case((author,), " ".join(langs)) for author, langs in several.iter_rows() if len(langs) > 1
        ]
    single = (
        named.filter(pl.col("candidate") | pl.col("query")).group_by("split", "author").len().sort("split", "author")
    )
    cases["single_text"] = [Case((author,), split) for split, author, count in single.iter_rows() if count == 1]
    cases["one_person"] = _one_person(named, copies)
    impure, noise = _noise(named)
    if impure is not None:
        cases["impure_label"] = impure
    return cases, noise


def _across(documents: pl.DataFrame, unit: str) -> list[Case]:
    spread = (
        documents.filter(pl.col("split") != POOL)
        .group_by(unit)
        .agg(pl.col("split").unique().sort(), texts=pl.len())
        .filter(pl.col("split").list.len() > 1)
        .sort(unit)
    )
    return [Case((ident,), f"{texts} texts", tuple(splits)) for ident, splits, texts in spread.iter_rows()]


def _one_person(named: pl.DataFrame, copies: pl.DataFrame) -> list[Case]:
    texts = named.select(
        "source", doc_key="id", author_id="author", letters=pl.col("content").str.count_matches(r"\p{L}")
    ).with_columns(pl.col("source").fill_null(""))
    stand_ins = copies.select(doc_key="new", stand_in="old").unique("doc_key", keep="first", maintain_order=True)
    shared = labels_that_share_texts(stand_ins, texts)
    return [Case((a, b)) for a, b in shared.iter_rows()]


def _noise(named: pl.DataFrame) -> tuple[list[Case] | None, list[Noise]]:
    """Return labels of two accounts (None: no field identifies accounts), and the noise of labels by source.

    `account` is exact; `same_item`, from reviewed items and days, is an upper bound.
    """
    found: list[Noise] = []
    impure: list[Case] | None = None
    for source in named["source"].fill_null("").unique().sort():
        own = named.filter(pl.col("source").fill_null("") == source)
        accounts = own.drop_nulls("account")
        items = own.with_columns(day=pl.col("date").str.slice(0, 10)).drop_nulls(["item", "day"])
        if accounts.height:
            shares = two_accounts(accounts.group_by(label="author", account="account").agg(texts=pl.len()))
            impure = (impure or []) + [
                Case((label,), f"{share:.0%} of its pairs are by two accounts")
                for label, share in shares.iter_rows()
                if share > MAX_IMPURITY
            ]
            found.append(Noise(source, "account", accounts.height, account(shares["measure"])))
        elif items.height:
            cells = items.group_by(label="author", item="item", day="day").agg(texts=pl.len())
            found.append(Noise(source, "same_item", items.height, same_item(cells)))
        else:
            found.append(Noise(source, "none: no account, no item with a date", own.height, Estimate()))
    return impure, found


def find_in_answers(dataset: Dataset) -> Cases:
    documents = dataset.documents
    cases: Cases = {"repeated_id": [Case((ident,)) for ident in dataset.repeated]}
    if not dataset.form.startswith(("BEIR", "MTEB")):
        cases["label_variants"] = list(_variants(dataset))
    if documents.height and (dataset.answers is not None or dataset.problems.height):
        cases["unasked_truth"] = [Case((ident,)) for ident in dataset.unasked]
    if documents.height:
        cases["unreadable_rows"] = [Case((place,)) for place in dataset.unreadable]
    if dataset.answers is not None:
        cases |= _answers(dataset, dataset.answers)
    if dataset.problems.height:
        cases |= _problems(dataset.problems)
    numbered = documents.filter(pl.col("author").is_not_null())
    if numbered.height and dataset.has_order:
        cases[IDS] = list(_ids_tell(numbered))
    return cases


def _variants(dataset: Dataset) -> Iterator[Case]:
    """Yield the labels of authors, works, items and accounts that have several spellings."""
    asked = dataset.problems
    for name in LABELS:
        parts = [dataset.documents.select(pl.col("spelling").struct.field(name).alias("spelling"), label=name)]
        if name == "author":
            sides = [asked[side].alias("spelling") for side in ("author_one", "author_other")]
            parts += [side.to_frame().with_columns(label=known_labels(side)) for side in sides]
        every = pl.concat(parts).drop_nulls().unique()
        several = every.group_by("label").agg(pl.col("spelling").sort()).filter(pl.col("spelling").list.len() > 1)
        of = "" if name == "author" else f"{name}: "
        for label, spellings in several.sort("label").iter_rows():
            more = f" and {len(spellings) - _SPELLINGS} more" if len(spellings) > _SPELLINGS else ""
            yield Case((label,), of + ", ".join(map(_shown, spellings[:_SPELLINGS])) + more)


def _shown(label: str) -> str:
    """Return a label in quotation marks, with invisible and confusable characters as escapes."""
    plain = unicodedata.is_normalized("NFC", label)
    return f"'{printable(label)[:_WIDEST]}'" if plain else f"{label!a:.{_WIDEST}}"


def _answers(dataset: Dataset, answers: pl.DataFrame) -> Cases:
    documents = dataset.documents
    candidates = documents.filter("candidate")
    author = documents.select("id", "author")
    stated = pl.concat([answers, dataset.ignored])
    unknown = stated.join(candidates, left_on="candidate_id", right_on="id", how="anti").unique(maintain_order=True)
    both = answers.join(author, left_on="query_id", right_on="id").join(
        author, left_on="candidate_id", right_on="id", suffix="_of_candidate"
    )
    wrong = both.filter(
        (pl.col("author") != pl.col("author_of_candidate")) & (pl.col("query_id") != pl.col("candidate_id"))
    )
    queries = documents.filter("query")
    true = answers.filter(pl.col("query_id") != pl.col("candidate_id")).join(
        candidates, left_on="candidate_id", right_on="id", how="semi"
    )
    without = queries.join(true, left_on="id", right_on="query_id", how="anti")
    expected = (
        queries.select("split", "author", query_id="id")
        .drop_nulls()
        .join(candidates.select("split", "author", candidate_id="id"), on=("split", "author"))
        .filter(pl.col("query_id") != pl.col("candidate_id"))
        .select("split", "query_id", "candidate_id")
    )
    missing = expected.join(stated.select("query_id", "candidate_id"), on=("query_id", "candidate_id"), how="anti")
    pairs = ("query_id", "candidate_id")
    return {
        "unknown_answer": [Case((answer,), f"of {query}") for query, answer in unknown.select(pairs).iter_rows()],
        "answer_by_another": [Case(row) for row in wrong.select(pairs).iter_rows()],
        "missing_answer": [Case(row) for row in missing.sort(pairs).select(pairs).iter_rows()],
        "query_without_answer": [Case((ident,)) for ident in without["id"]],
    }


def _problems(problems: pl.DataFrame) -> Cases:
    folded = [known_labels(problems[side]) for side in ("author_one", "author_other")]
    named = problems.with_columns(folded).drop_nulls(["author_one", "author_other"])
    wrong = named.filter((pl.col("author_one") == pl.col("author_other")) != pl.col("same"))
    low, high = pl.min_horizontal("one", "other"), pl.max_horizontal("one", "other")
    asked = problems.drop_nulls(["one", "other"]).with_columns(low=low, high=high)
    twice = asked.filter(pl.struct("split", "low", "high").is_duplicated())
    repeated = twice.group_by("split", "low", "high", maintain_order=True).agg("problem")["problem"].to_list()
    return {
        "wrong_truth": [Case((ident,)) for ident in wrong["problem"]],
        "repeated_pair": [Case(tuple(ids)) for ids in repeated],
        "one_class": _one_class(named),
    }


def _one_class(problems: pl.DataFrame) -> list[Case]:
    """Return authors of three or more problems with equal answers, if more than chance explains."""
    sides = pl.concat(
        [problems.select("problem", "same", author=side) for side in ("author_one", "author_other")]
    ).unique(["problem", "author"], maintain_order=True)  # fmt: skip
    counted = sides.group_by("author").agg(texts=pl.len(), yes=pl.col("same").sum()).filter(pl.col("texts") >= 3)
    if not counted.height:
        return []
    share = float(sides["same"].mean())  # type: ignore[arg-type]
    chance = (share ** pl.col("texts")) + ((1 - share) ** pl.col("texts"))
    expected = float(counted.select(chance.alias("p"))["p"].sum())
    one_sided = counted.filter((pl.col("yes") == 0) | (pl.col("yes") == pl.col("texts"))).sort("author")
    if bdtrc(max(one_sided.height - 1, 0), counted.height, min(1.0, expected / counted.height)) > _SURE:
        return []
    return [
        Case((author,), f"{texts} problems, {'all' if yes else 'none'} by one author")
        for author, texts, yes in one_sided.iter_rows()
    ]


def _ids_tell(documents: pl.DataFrame) -> Iterator[Case]:
    """Yield neighbours by the same author in the order of ids' numbers or of lines, if more than chance explains."""
    number = pl.col("id").str.extract(r"(\d{1,15})$").cast(pl.Int64)
    for split in documents["split"].unique().sort():
        own = documents.filter(pl.col("split") == split).with_columns(number=number)
        orders: Mapping[str, pl.DataFrame] = {
            "ids": own.drop_nulls("number").sort("number", maintain_order=True)
            if own["number"].null_count() < own.height / 2
            else own.clear(),
            "lines": own.sort("place", "row", maintain_order=True),
        }
        for name, ordered in orders.items():
            once = ordered.unique("unit", keep="first", maintain_order=True)
            found, most = neighbours(once["author"].to_list())
            if found > most:
                same = (once["author"] == once["author"].shift(-1)).fill_null(False)
                touched = (same | same.shift(1, fill_value=False)).to_numpy()
                note = f"{found} neighbours in the order of {name} share their author, by chance at most {most}"
                yield Case(tuple(once.filter(pl.Series(touched))["id"]), note, (split,))
                break
