"""Score the toxicity of texts.

Scorers give each text a number in [0, 1]; the highest counts (AuthBench paper, A.3). Scores are stored by scorer and
text: a run with a changed threshold, or a repeated run, scores no text twice.
"""

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import polars as pl

from authbench.config.settings.safety import Safety
from authbench.core.errors import InputError
from authbench.core.nfc import compose
from authbench.core.storage.parquet import read_columns, write_parquet

SCORERS = ("wordlist", "detoxify")
BATCH = 256  # texts scored at a time, before their scores are stored
SCORES = pl.Schema({"scorer": pl.String, "text": pl.Binary, "score": pl.Float64})


class Scorer(Protocol):
    """Give texts a toxicity in [0, 1]."""

    @property
    def identity(self) -> str:
        """Name, version, and digest of the list or the weights: equal identities give equal scores."""

    @property
    def languages(self) -> frozenset[str]:
        """The languages that it supports; it also scores texts in others, without guarantee."""

    def score(self, texts: Sequence[str], langs: Sequence[str]) -> list[float]:
        """Return the toxicity of each text, given its language."""


def make_scorers(settings: Safety) -> list[Scorer]:
    """Return the scorers that the `safety:` settings name, in that order.

    Raises InputError for an unknown name, an unusable word list, or missing package or weights of Detoxify.
    """
    scorers: list[Scorer] = []
    for name in settings.get("scorers", ["wordlist"]):
        if name == "wordlist":
            from authbench.build.safety.wordlist import load_wordlist

            scorers.append(load_wordlist((settings.get("wordlist") or {}).get("extra")))
        elif name == "detoxify":
            from authbench.build.safety.detoxify_scorer import load_detoxify

            scorers.append(load_detoxify(**(settings.get("detoxify") or {})))
        else:
            raise InputError(f"safety.scorers: unknown scorer {name!r}; known are {', '.join(SCORERS)}")
    return scorers


def text_digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class ScoreStore:
    """Store scores by scorer and text in a Parquet file, and later additions in a folder next to it.

    `put` writes a separate file, hence a killed process loses no stored scores. `save` rewrites the Parquet file,
    sorted, which makes equal scores equal bytes. A million scores take about 200 MB in memory.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.parts = self.path.with_name(f"{self.path.name}.parts")
        self._scores: dict[str, dict[bytes, float]] = {}
        for part in [self.path] * self.path.exists() + sorted(self.parts.glob("[0-9a-f]*.parquet")):
            for (scorer,), rows in read_columns([part], SCORES.names()).group_by("scorer"):
                self._scores.setdefault(str(scorer), {}).update(zip(rows["text"], rows["score"], strict=True))

    def get(self, scorer: str, texts: Sequence[bytes]) -> list[float | None]:
        """Return the scores that `scorer` (an identity) gave texts (by SHA-256); None for unseen texts."""
        known = self._scores.get(scorer, {})
        return [known.get(text) for text in texts]

    def put(self, scorer: str, texts: Sequence[bytes], scores: Sequence[float]) -> None:
        self._scores.setdefault(scorer, {}).update(zip(texts, scores, strict=True))
        self.parts.mkdir(parents=True, exist_ok=True)
        rows = pl.DataFrame({"scorer": [scorer] * len(texts), "text": list(texts), "score": list(scores)}, SCORES)
        name = hashlib.sha256(b"".join([scorer.encode(), *texts])).hexdigest()[:32]
        write_parquet(rows, self.parts / f"{name}.parquet")

    def save(self) -> None:
        parts = [
            pl.DataFrame({"scorer": [scorer] * len(known), "text": list(known), "score": list(known.values())}, SCORES)
            for scorer, known in self._scores.items()
        ]
        write_parquet(pl.concat([pl.DataFrame(schema=SCORES), *parts]).sort("scorer", "text"), self.path)
        shutil.rmtree(self.parts, ignore_errors=True)


def score_texts(
    scorers: Sequence[Scorer], texts: Sequence[str], langs: Sequence[str], store: ScoreStore | None = None
) -> list[tuple[float, str]]:
    """Return the highest score of each text and the identity of its scorer (the first in a tie).

    With a store, only unscored texts are scored, and stored after each BATCH; the caller saves the store. A text in two
    languages has two entries, as lists differ by language. Without scorers, every text scores 0, with the identity "".
    """
    best = [(0.0, "")] * len(texts)
    digests = [text_digest(f"{lang}\x1f{text}") for text, lang in zip(texts, langs, strict=True)]
    for scorer in scorers:
        given: list[float | None] = store.get(scorer.identity, digests) if store else [None] * len(texts)
        new = {digests[row]: row for row, score in enumerate(given) if score is None}
        waiting = sorted(new.items(), key=lambda item: len(texts[item[1]]))  # similar lengths make the fastest batches
        fresh: dict[bytes, float] = {}
        for start in range(0, len(waiting), BATCH):
            batch = dict(waiting[start : start + BATCH])
            scores = scorer.score([texts[row] for row in batch.values()], [langs[row] for row in batch.values()])
            fresh.update(zip(batch, scores, strict=True))
            if store:
                store.put(scorer.identity, list(batch), scores)
        for row, digest in enumerate(digests):
            known = given[row]
            score = fresh[digest] if known is None else known
            if score > best[row][0] or not best[row][1]:
                best[row] = (score, scorer.identity)
    return best


def fold(text: str) -> str:
    """Return text in the form that scorers compare: NFC, case-folded."""
    return compose(compose(text).casefold())
