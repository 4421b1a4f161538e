"""Toxicity of texts, and the scorers that measure it.

Scorers give each text a number in [0, 1]; the highest counts (AuthBench paper, A.3). Scores are kept by scorer and
text, so that a changed threshold, or a repeated run, scores nothing twice.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from authbench.errors import InputError
from authbench.nfc import compose
from authbench.storage.parquet import read_columns, write_parquet

SCORERS = ("wordlist", "detoxify")
SCORES = pl.Schema({"scorer": pl.String, "text": pl.Binary, "score": pl.Float64})


class Scorer(Protocol):
    """Gives texts a toxicity in [0, 1]."""

    @property
    def identity(self) -> str:
        """Name, version, and digest of the list or the weights: equal identities give equal scores."""

    @property
    def languages(self) -> frozenset[str]:
        """The languages it was made for; it scores texts of others too, for what that is worth."""

    def score(self, texts: Sequence[str], langs: Sequence[str]) -> list[float]:
        """Return the toxicity of each text, given its language."""


def make_scorers(settings: Mapping[str, Any]) -> list[Scorer]:
    """Return the scorers that the `safety:` settings name, in that order.

    Raises InputError for an unknown name, an unusable word list, or a Detoxify that lacks its package or weights.
    """
    scorers: list[Scorer] = []
    for name in settings.get("scorers", ["wordlist"]):
        if name == "wordlist":
            from authbench.safety.wordlist import load_wordlist

            scorers.append(load_wordlist((settings.get("wordlist") or {}).get("extra")))
        elif name == "detoxify":
            from authbench.safety.detoxify_scorer import load_detoxify

            scorers.append(load_detoxify(**(settings.get("detoxify") or {})))
        else:
            raise InputError(f"safety.scorers: unknown scorer {name!r}; known are {', '.join(SCORERS)}")
    return scorers


def text_digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class ScoreStore:
    """Scores by scorer and text, in one Parquet file.

    `put` keeps them in memory, `save` writes the file whole, sorted, so that equal scores are equal bytes.
    A million scores take about 200 MB in memory.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._scores: dict[str, dict[bytes, float]] = {}
        if self.path.exists():
            frame = read_columns([self.path], SCORES.names())
            for (scorer,), rows in frame.group_by("scorer"):
                self._scores[str(scorer)] = dict(zip(rows["text"], rows["score"], strict=True))

    def get(self, scorer: str, texts: Sequence[bytes]) -> list[float | None]:
        """Return the scores that `scorer` (an identity) gave texts (by SHA-256); None for one that it has not seen."""
        known = self._scores.get(scorer, {})
        return [known.get(text) for text in texts]

    def put(self, scorer: str, texts: Sequence[bytes], scores: Sequence[float]) -> None:
        self._scores.setdefault(scorer, {}).update(zip(texts, scores, strict=True))

    def save(self) -> None:
        parts = [
            pl.DataFrame({"scorer": [scorer] * len(known), "text": list(known), "score": list(known.values())}, SCORES)
            for scorer, known in self._scores.items()
        ]
        write_parquet(pl.concat([pl.DataFrame(schema=SCORES), *parts]).sort("scorer", "text"), self.path)


def score_texts(
    scorers: Sequence[Scorer], texts: Sequence[str], langs: Sequence[str], store: ScoreStore | None = None
) -> list[tuple[float, str]]:
    """Return the highest score of each text and the identity of the scorer that gave it (the first of equals).

    With a store, only what a scorer has not scored before is scored, and put there; the caller saves it. A text in two
    languages is two entries, as lists differ by language. No scorer: every text scores 0, by nobody ("").
    """
    best = [(0.0, "")] * len(texts)
    digests = [text_digest(f"{lang}\x1f{text}") for text, lang in zip(texts, langs, strict=True)]
    for scorer in scorers:
        given: list[float | None] = store.get(scorer.identity, digests) if store else [None] * len(texts)
        new = {digests[row]: row for row, score in enumerate(given) if score is None}
        scores = scorer.score([texts[row] for row in new.values()], [langs[row] for row in new.values()]) if new else []
        fresh = dict(zip(new, scores, strict=True))
        if store and new:
            store.put(scorer.identity, list(fresh), list(fresh.values()))
        for row, digest in enumerate(digests):
            known = given[row]
            score = fresh[digest] if known is None else known
            if score > best[row][0] or not best[row][1]:
                best[row] = (score, scorer.identity)
    return best


def fold(text: str) -> str:
    """Return text as scorers compare it: NFC, case-folded."""
    return compose(compose(text).casefold())
