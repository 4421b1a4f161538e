"""Check whether fully read sources have the minimum authors and texts for a benchmark.

All figures are upper bounds: a shortage reported here remains, whatever later stages remove.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from authbench.preflight.first_records import Author, FirstRecords
from authbench.settings.config import Config
from authbench.words import plural

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
    """Return why none of an author's texts can be a query; empty if one can."""
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
