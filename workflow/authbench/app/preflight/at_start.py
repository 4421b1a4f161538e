"""Check the sources' first records at the start of a run.

Sources that were read to their end must have the minimum of authors and texts for a benchmark. All figures are upper
bounds: a shortage reported here remains, whatever later stages remove.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import polars as pl

from authbench.app.config import Setup, refused
from authbench.app.preflight.first_records import Asked, Author, FirstRecords, read_first
from authbench.build.filter.settings import of_task
from authbench.build.ingest.aliases import persons_file, read_aliases
from authbench.build.ingest.losses import Loss
from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.reasons import REASONS, reason_in_words
from authbench.config.registry.source_entry import Source
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.identity import author_key, key_mark
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.printable import printable
from authbench.core.runtime.code import code_hash, file_hash
from authbench.core.runtime.job import leave_out_pandas
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.raw_paths import listing_digest
from authbench.core.tokens import load_tokenizer
from authbench.core.words import plural

_NO_TEST = "work"  # texts with this author kind are neither queries nor positives


class Supply(NamedTuple):
    """What a release with queries lacks or may soon lack, as "setting: problem"; empty if complete."""

    problem: str = ""
    warning: str = ""


def supply(found: Mapping[str, FirstRecords], kinds: Mapping[str, str], config: Config) -> Supply:
    """Return what a release with queries lacks. All sources in `found` were fully read.

    `kinds` are the kinds of their authors.
    """
    entering: dict[str, list[Author]] = defaultdict(list)  # by pseudonym
    lost: Counter[str] = Counter()
    total = 0
    for tag, first in found.items():
        for (lang, name), author in first.authors.items():
            total += author.texts
            if reason := _refusal(author, lang, kinds[tag], config):
                lost[reason] += author.texts
            else:
                entering[name].append(author)
    splits, evaluate = config["split"]["splits"], config["evaluate"]
    by_author = config["split"]["unit"] == "author"
    if by_author and len(entering) < len(splits):
        needed = f"split.splits: {plural(len(splits), 'split')} need an author each, and the texts have"
        return Supply(f"{needed} {len(entering) or 'none'}: {_told(lost, total)}. Give more texts, or ask for less")
    asking = 0
    for parts in entering.values():
        if reason := _silence(parts, config):
            lost[reason] += sum(one.texts for one in parts)
        else:
            asking += 1
    asked = {evaluate["split"], evaluate["dev"]} - {None} if evaluate["models"] else {evaluate["split"]}
    if by_author and asking < len(asked):
        needed = f"release: {' and '.join(sorted(map(str, asked)))} need an author each whose texts can be queries"
        return Supply(
            f"{needed}, and there are {asking or 'none'}: {_told(lost, total)}. Give more texts, or ask for less"
        )
    if 2 * lost.total() > total:
        return Supply(warning=f"At most {plural(asking, 'author')} can have queries: {_told(lost, total)}.")
    return Supply()


def _refusal(author: Author, lang: str, kind: str, config: Config) -> str:
    """Return why an author's texts cannot enter a benchmark; empty if they can."""
    sample = config["sample"]
    fallback, least = sample["fallback_documents_per_author"], sample["min_documents_per_author"]
    key = "min_documents_per_author" if fallback is None else "fallback_documents_per_author"
    least = least if fallback is None else min(least, fallback)
    if kind not in config["authors"]["kinds"] and kind != _NO_TEST:
        return f"by authors of the kind {kind} (authors.kinds)"
    if sample["languages"] is not None and not sample["languages"].get(lang):
        return f"in {lang}, which has no share (sample.languages)"
    if not author.documents:
        return "too short (filter.min_tokens)"
    if author.documents < least:
        return f"by authors with fewer than {least} in a language and source (sample.{key})"
    if author.works < sample["min_origins"]:
        return f"by authors of fewer than {plural(sample['min_origins'], 'work')} (sample.min_origins)"
    return ""


def _silence(parts: list[Author], config: Config) -> str:
    """Return why none of an author's texts can be a query; empty if a text can."""
    release = config["release"]
    if sum(one.documents for one in parts) < release["min_documents_for_query"]:
        return f"by authors with fewer than {release['min_documents_for_query']} (release.min_documents_for_query)"
    if not any(one.asking for one in parts):
        return "by authors without a text of enough letters (release.min_letters_for_query)"
    if release["positives"] == "other_work" and sum(one.works for one in parts) < 2:
        return "by authors of one work (release.positives=other_work)"
    return ""


def _told(lost: Counter[str], total: int) -> str:
    where = ", ".join(f"{number} {reason}" for reason, number in lost.most_common())
    return f"of {plural(total, 'text')} in the sources, {where or 'all stay'}"


UNSURE = 0.8  # share of the longest uncut text: cleaning may lengthen a text by as much


def expect_usable(setup: Setup, raw_dir: Path, cache: Path, for_release: bool) -> list[str]:
    """Read the first records of every source, and return warnings on values that their mappings lose.

    Results for unchanged sources and settings are cached in the JSON file `cache`.

    Args:
        for_release: whether the run makes a release, which requires authors and texts.

    Raises:
        InputError: all problems that would stop the run later, or leave it without a source or field.
    """
    config = setup.config
    found = _read_all(setup, raw_dir, cache, exact=_needs_lengths(config))
    problems = [problem for tag, first in found.items() for problem in _problems(tag, first)]
    texts = Supply()
    if not problems and for_release and all(first.whole for first in found.values()):
        kinds = {tag: source.extraction.author.kind for tag, source in setup.sources.items()}
        texts = supply(found, kinds, config)
        if texts != Supply():  # a long text can become several documents
            texts = supply(_read_all(setup, raw_dir, cache, exact=True), kinds, config)
        problems += [texts.problem] if texts.problem else []
    if problems:
        raise refused(problems)
    warnings = [warning for tag, first in found.items() for warning in _warnings(tag, first)]
    return list(map(printable, [*warnings, texts.warning] if texts.warning else warnings))


def _read_all(setup: Setup, raw_dir: Path, cache: Path, exact: bool) -> dict[str, FirstRecords]:
    known: JsonObject = {}
    with suppress(InputError, FileNotFoundError):  # ignore a damaged cache
        known = read_json(cache)
    code = code_hash(Path(__file__))
    variable, persons = setup.config["ingest"]["author_key_env"], persons_file()
    key = author_key(variable)
    naming = Naming(key, read_aliases(persons), setup.config["normalize"]["own_name"] == "mask")
    leave_out_pandas()
    found, fresh = {}, {}
    for tag, source in setup.sources.items():
        files = setup.inventory[tag]
        stated = [code, source.entry, listing_digest(files), exact, file_hash(persons)]
        stated += [key_mark(key)]
        stated += [setup.config[section] for section in ("ingest", "chunk", "filter")]
        stated += [setup.config["normalize"]["own_name"], setup.config["release"]["min_letters_for_query"]]
        mark = hashlib.sha256(json.dumps(stated, sort_keys=True, default=str).encode()).hexdigest()[:16]
        if known.get(tag, {}).get("mark") == mark:
            found[tag] = _from_plain(known[tag]["found"])
        else:
            asked = _asked(setup.config, source, exact, naming)
            found[tag] = read_first(tag, source.extraction, raw_dir / source.files.folder, files, asked)
        fresh[tag] = {"mark": mark, "found": _plain(found[tag])}
    if fresh != known:
        write_json(cache, fresh)
    return found


def _asked(config: Config, source: Source, exact: bool, naming: Naming) -> Asked:
    chunk = config["chunk"]
    least = of_task(config["filter"]["min_tokens"], source.extraction.task)

    def pieces(texts: Sequence[str]) -> Sequence[int]:
        if not exact:
            return [1] * len(texts)
        tokens = load_tokenizer(config["backend"]).count(pl.Series(texts, dtype=pl.String)).tolist()
        most, per_piece = chunk["max_chunks_per_document"], max(1, chunk["remainder_tokens"])
        return [
            0 if number < UNSURE * least
            else 1 if number <= UNSURE * chunk["max_tokens"]
            else min(most, number // per_piece + 2)
            for number in tokens
        ]  # fmt: skip

    return Asked(
        config["ingest"],
        naming,
        0 if source.normalize.html else config["release"]["min_letters_for_query"],
        pieces,
    )


def _needs_lengths(config: Config) -> bool:
    """Return whether texts may be too short for the filters."""
    least = config["filter"]["min_tokens"]
    return max([least] if isinstance(least, int) else least.values()) > 1


def _problems(tag: str, first: FirstRecords) -> Iterator[str]:
    where = f"config/sources/{tag}.yaml"
    if first.problem:
        yield first.problem if tag in first.problem else f"{tag}: {first.problem}"
    elif first.whole and not first.kept:
        yield f"{where}: none of {plural(first.records, 'record')} becomes a text: {_reasons(first)}"
    for name, loss in first.losses.items():
        if loss.is_all and (first.whole or name == "date"):
            yield f"{where}: fields.{name}: {loss}. Correct the expression, or leave the field out"


def _warnings(tag: str, first: FirstRecords) -> Iterator[str]:
    of_first = "" if first.whole else "the first "
    gone = first.records - first.kept - _left_out(first)
    if first.records and 2 * gone > first.records:
        yield f"{tag}: {gone} of {of_first}{plural(first.records, 'record')} become no text: {_reasons(first)}."
    for name, loss in first.losses.items():
        if loss.is_large:
            yield f"{tag}: fields.{name}: {loss} ({of_first}{plural(first.records, 'record')})."


def _left_out(first: FirstRecords) -> int:
    """Return how many records the entry's rules (`drop`) exclude."""
    return sum(number for reason, number in first.dropped.items() if reason not in REASONS)


def _reasons(first: FirstRecords) -> str:
    told = []
    for reason, number in sorted(first.dropped.items(), key=lambda item: -item[1]):
        examples = ", ".join(first.examples.get(reason, ()))
        told.append(f"{number} {reason_in_words(reason)}" + (f", e.g. {examples}" if examples else ""))
    return "; ".join(told)


def _plain(first: FirstRecords) -> dict[str, object]:
    """Return a source's first records as JSON values."""
    authors = [[*where, *vars(author).values()] for where, author in first.authors.items()]
    return {**vars(first), "losses": {name: list(loss) for name, loss in first.losses.items()}, "authors": authors}


def _from_plain(plain: JsonMapping) -> FirstRecords:
    authors = {(lang, name): Author(*counts) for lang, name, *counts in plain["authors"]}
    losses = {name: Loss(*loss) for name, loss in plain["losses"].items()}
    return FirstRecords(**{**plain, "losses": losses, "authors": authors})
