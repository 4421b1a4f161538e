"""Decide which documents are unusable, and for which reasons.

The rules are thresholds over the columns of `measure` (AuthBench paper, A.3; processing plan, section 11). There are
two presets: `robust` drops at most 2 % of clean text in any language and length, `paper` applies the paper's formulas
literally.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from authbench.errors import InputError
from authbench.filter.scripts import MIN_LANGUAGE_LETTERS, MIN_SCRIPT_LETTERS, MOSTLY, written_in
from authbench.plugins import filter_key, load_filter
from authbench.records import REMOVED
from authbench.settings.filter import Filter

STAGE = "filter"
PRESETS = ("robust", "paper")

# Below these numbers the robust rules are less strict: a share of a few characters is not informative, and a style must
# not be dropped. A spelled-out word, laughter and a drawn-out vowel are short; a held-down key, or a page read letter
# by letter, is long.
MIN_CHARACTERS = 20
MIN_WORDS = 10
MIN_REPEATED_WORDS = 20
MIN_RUNS = 200  # visible characters of a text that is dropped for runs of one character

MIXED = 0.9  # letters of the expected scripts over letters, at most, of a text in another language with Han

PAPER_SPACED_SYMBOLS = 0.4  # the most in the AuthBench authors' released texts from their public-domain sources
PUBLIC_DOMAIN = r"(?:^|_)pd(?:_|$)"  # tags of those sources
PAPER_UNSURE_SCRIPT = 0.1  # up to this much above the least share of the script, the language is tested, too


@dataclass(frozen=True)
class Rule:
    """A document is dropped for `reason` where `applies`; `value` is the measurement compared with `threshold`.

    No document is dropped if the measurement or the threshold is null.
    """

    reason: str
    value: pl.Expr
    threshold: pl.Expr
    applies: pl.Expr


def apply_filters(documents: pl.DataFrame, settings: Filter) -> pl.DataFrame:
    """Return the REMOVED rows of all dropped documents: a row for every reason, in the order of the rules.

    `documents` has `source, doc_key, lang, genre, task, token_length` and the columns of `measure.MEASURES`, and
    `posts_per_day` and `template_share` (see `activity`) if their thresholds are set, and the columns of
    plug-ins. `settings` is the section `filter` of the configuration; `min_tokens` and `max_tokens` may be a number for
    all task types, or a mapping from task type to number with an entry `default`, and `script` likewise by language.
    Raises InputError for an invalid setting.
    """
    numbered = documents.with_row_index("place")
    dropped = [
        numbered.filter(rule.applies.fill_null(False)).select(
            "place",
            "source",
            "doc_key",
            pl.lit(STAGE).alias("stage"),
            pl.lit(rule.reason).alias("reason"),
            rule.value.cast(pl.Float64).alias("value"),
            rule.threshold.cast(pl.Float64).alias("threshold"),
            _detail(rule.reason).alias("detail"),
        )
        for rule in rules(settings)
    ]
    kept = pl.DataFrame(schema={"place": pl.UInt32, **REMOVED})
    return pl.concat([kept, *dropped]).sort("place", maintain_order=True).select(REMOVED.names())


def beside(documents: pl.DataFrame, measures: pl.DataFrame) -> pl.DataFrame:
    """Return documents with their measurements, given in the same order. Raises InputError if the orders differ."""
    if not documents["doc_key"].equals(measures["doc_key"]):
        raise InputError("Measurements and documents do not belong together; delete filter/measures, to measure anew")
    return documents.hstack(measures.drop("doc_key"))


def dropped_by_language(documents: pl.DataFrame, removed: pl.DataFrame) -> dict[str, int]:
    """Return how many documents of each language are removed, each counted once, whatever the number of its reasons."""
    gone = documents.filter(pl.col("doc_key").is_in(removed["doc_key"].implode()))
    return dict(gone.group_by("lang").len().sort("lang").iter_rows())


def rules(settings: Filter) -> list[Rule]:
    """Return the preset's rules in the order of their reasons.

    Raises:
        InputError: the preset is unknown.
    """
    preset = settings["preset"]
    if preset not in PRESETS:
        raise InputError(f"filter.preset: {preset!r} is not known; choose one of {', '.join(PRESETS)}")
    chosen = _robust(settings) if preset == "robust" else _paper(settings)
    return [*_length(settings), *chosen, *_optional(settings), *_plugged(settings.get("plugins") or {})]


def _robust(settings: Filter) -> list[Rule]:
    enough_characters = pl.col("collapsed") >= MIN_CHARACTERS
    enough_words = pl.col("words") >= MIN_WORDS
    many_words = enough_characters & (pl.col("words") >= MIN_REPEATED_WORDS)
    return [
        *_script_and_language(settings),
        Rule("no_letters", pl.col("all_letters"), pl.lit(1), ~enough_characters & (pl.col("all_letters") < 1)),
        _above("too_many_symbols", "symbols", settings["symbols"], enough_characters),
        _below("too_few_letters", "alphabetic", settings["alphabetic"], enough_characters),
        _above("repeated_characters", "long_run_share", settings["repeated_run"], pl.col("visible") >= MIN_RUNS),
        _below("few_distinct_words", "unique_words", settings["unique_words"], many_words),
        _above("dominant_word", "dominant_word", settings["dominant_word"], many_words),
        _below("few_words_with_letters", "alphabetic_words", settings["alphabetic_words"], enough_words),
        _above("single_letters", "single_letter_words", settings["single_letter_words"], many_words),
        _from("single_letter_run", "single_letter_run", settings["single_letter_run"]),
    ]


def _script_and_language(settings: Filter) -> list[Rule]:
    """Return the rules on script and language.

    The script must be expected, unless langid identifies the stated language; a few letters may be Latin in any
    language (`wow`). For texts that are long enough, the language counts where the script does not determine it: in
    Latin script, and in Han with much of another script (Japanese as Chinese or Korean).
    """
    latin, han = map(written_in, ("Latin", "Han"))
    strange = pl.col("langid") != pl.col("lang")
    few = pl.col("letters") < MIN_SCRIPT_LETTERS
    foreign = (pl.col("script") == 0) & pl.col("lang").is_in(latin)
    least = _per_language(settings["script"])
    low = (pl.col("script") < least) & pl.when(few).then(foreign).otherwise(strange)
    mixed = pl.col("script").is_between(MOSTLY, MIXED) & pl.col("lang").is_in(han) & pl.col("langid").is_in(han)
    shared = pl.col("lang").is_in(latin) | mixed
    sure = (pl.col("letters") >= MIN_LANGUAGE_LETTERS) & (pl.col("langid_probability") >= _bound(settings["language"]))
    return [
        Rule("wrong_script", pl.col("script"), least, low),
        Rule("wrong_language", pl.col("langid_probability"), _bound(settings["language"]), shared & sure & strange),
    ]


def _paper(settings: Filter) -> list[Rule]:
    """Return the paper's rules; where they are ambiguous, they follow the texts that its authors released.

    White space counts as symbols, and runs of symbols count, only in their public-domain sources: the released Hindi
    and Arabic texts have up to .56 symbols with white space, as marks are symbols, and those sources at most .4. The
    language of a text with few letters is tested only if its script is in doubt.
    """
    book = pl.col("source").str.contains(PUBLIC_DOMAIN)
    symbols = pl.when(book).then("symbols_spaced_paper").otherwise("symbols_paper")
    asked = _bound(settings["symbols"])
    most = pl.when(book & asked.is_not_null()).then(pl.min_horizontal(asked, PAPER_SPACED_SYMBOLS)).otherwise(asked)
    scripted = pl.col("letters") >= MIN_SCRIPT_LETTERS
    script = _per_language(settings["script"])
    doubtful = pl.col("script") < script + PAPER_UNSURE_SCRIPT
    fallback = ~scripted & doubtful & (pl.col("langid") != pl.col("lang"))
    return [
        Rule("wrong_script", pl.col("script"), script, (pl.col("script") < script) & scripted),
        Rule("wrong_language", pl.col("langid_probability"), pl.lit(None), fallback),
        Rule("too_many_symbols", symbols, most, symbols > most),
        _below("too_few_letters", "alphabetic_paper", settings["alphabetic"]),
        _above("repeated_characters", "longest_run", settings["longest_run"]),
        _above("symbol_run", "symbol_run_paper", settings["symbol_run"], book),
        _below("few_distinct_words", "unique_tokens_ws", settings["unique_words"]),
        _above("dominant_word", "dominant_word", settings["dominant_word"]),
        _below("few_words_with_letters", "alphabetic_tokens_ws", settings["alphabetic_words"]),
        _above("single_letters", "single_letter_tokens_ws", settings["single_letter_words"]),
        _from("single_letter_run", "single_letter_token_run_ws", settings["single_letter_run"]),
    ]


def _length(settings: Filter) -> list[Rule]:
    tokens = pl.col("token_length")
    least = _per_task(settings["min_tokens"], "filter.min_tokens")
    most = _per_task(settings["max_tokens"], "filter.max_tokens")
    return [
        Rule("too_short", tokens, least, tokens < least),
        Rule("too_long", tokens, most, tokens > most),
    ]


def _per_task(bound: int | Mapping[str, int], key: str) -> pl.Expr:
    if isinstance(bound, int):
        return pl.lit(bound)
    if "default" not in bound:
        raise InputError(f"{key}: a mapping from task type to tokens needs an entry `default` for all other tasks")
    others = {task: tokens for task, tokens in bound.items() if task != "default"}
    return pl.col("task").replace_strict(others, default=bound["default"], return_dtype=pl.Int64)


def _per_language(threshold: float | Mapping[str, float] | None) -> pl.Expr:
    if not isinstance(threshold, Mapping):
        return _bound(threshold)
    if "default" not in threshold:
        raise InputError("filter.script: a mapping from language to share needs an entry `default` for all others")
    others = {lang: float(share) for lang, share in threshold.items() if lang != "default"}
    return pl.col("lang").replace_strict(others, default=threshold["default"], return_dtype=pl.Float64)


def _optional(settings: Filter) -> list[Rule]:
    """Return the rules on signs of bots and of quoted text; off where the threshold is null."""
    optional = (
        ("too_many_posts", "posts_per_day", settings.get("posts_per_day")),
        ("template_texts", "template_share", settings.get("template_share")),
        ("mostly_quoted", "quoted_share", settings.get("quoted_share")),
    )
    return [_above(reason, column, most) for reason, column, most in optional if most is not None]


def _plugged(thresholds: Mapping[str, float]) -> Iterator[Rule]:
    for name, threshold in sorted(thresholds.items()):
        one = load_filter(name)[1]
        yield (_above if one.drops == "above" else _below)(one.reason, filter_key(name), threshold)


def _above(reason: str, column: str, threshold: float | None, where: pl.Expr | bool = True) -> Rule:
    return Rule(reason, pl.col(column), _bound(threshold), (pl.col(column) > _bound(threshold)) & where)


def _below(reason: str, column: str, threshold: float | None, where: pl.Expr | bool = True) -> Rule:
    return Rule(reason, pl.col(column), _bound(threshold), (pl.col(column) < _bound(threshold)) & where)


def _from(reason: str, column: str, threshold: float | None) -> Rule:
    return Rule(reason, pl.col(column), _bound(threshold), pl.col(column) >= _bound(threshold))


def _bound(threshold: float | None) -> pl.Expr:
    return pl.lit(threshold, pl.Float64)


def _detail(reason: str) -> pl.Expr:
    return pl.col("langid") if reason in ("wrong_script", "wrong_language") else pl.lit(None, pl.String)
