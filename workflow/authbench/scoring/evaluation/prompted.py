"""Score the pairs that a release states by asking a language model.

A prompt with {candidate} is sent for each pair, a prompt with {candidates} for each query with all candidates of its
pools, in an order by hash. Each answer is written to the cache as soon as it comes, under the SHA-256 of endpoint and
request, so that no run pays for it again. A pair whose answer cannot be read has the score UNREADABLE.
"""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from authbench.build.acquire.transfer import patiently
from authbench.core.arrays import F64, I64
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash, sha256_of_text
from authbench.core.json_values import JsonObject
from authbench.core.storage.json_files import read_json, write_json
from authbench.models.chat import key_of, request_of, send
from authbench.models.entries import ModelEntry
from authbench.models.parameters import PromptParameters
from authbench.models.prompts import filled, ranks_lists, read_prompt, score_in, scores_in
from authbench.scoring.evaluation.split import Split

UNREADABLE = 0.5
_TOKENS = ("prompt_tokens", "completion_tokens")


def expect_askable(parameters: PromptParameters, split: Split) -> None:
    """Raise InputError if a model cannot be asked: no key, an unusable prompt, or no pairs in the release."""
    key_of(parameters)
    read_prompt(parameters.prompt)
    if not len(split.released.lists.rows):
        raise InputError(f"{parameters.model}: {split.name} has no pairs.parquet, whose pairs a prompt asks about.")


def prompted_scores(entry: ModelEntry, split: Split, folder: Path) -> tuple[ModelEntry, F64]:
    """Return the entry with the prompt's digest and the counts of answers, and the scores of `split.released.lists`.

    Args:
        entry: of kind `prompt`.
        folder: the cache of answers.

    Raises:
        InputError: the model cannot be asked, its endpoint refuses, or the limit of requests is reached.
    """
    parameters = entry.parameters
    assert isinstance(parameters, PromptParameters)
    expect_askable(parameters, split)
    prompt, key = read_prompt(parameters.prompt), key_of(parameters)
    scores = np.full(len(split.released.lists.rows), UNREADABLE)
    total = (split.released.lists.lengths() > 0).sum() if ranks_lists(prompt) else len(scores)
    answers: list[JsonObject] = []
    sent = unread = 0

    def ask() -> JsonObject:
        nonlocal sent
        if sent == parameters.max_requests:
            raise InputError(
                f"{entry.name}: {len(answers):,} of {total:,} questions are answered, and parameters.max_requests is "
                f"{sent:,}. Run the same command again to go on: no answer is paid for twice."
            )
        sent += 1
        return send(parameters.endpoint, body, key)

    for message, places in _questions(split, prompt, parameters.max_characters):
        body = request_of(parameters, message)
        digest = hashlib.sha256(parameters.endpoint.encode() + b"\0" + body).hexdigest()
        path = folder / digest[:2] / f"{digest}.json"
        if not path.is_file():
            write_json(path, patiently(ask, f"{entry.name}: {parameters.endpoint}"))
        answers.append(read_json(path))
        answer = answers[-1]["answer"]
        found = scores_in(answer, len(places)) if ranks_lists(prompt) else score_in(answer)
        unread += found is None
        if found is not None:
            scores[places] = found
    print(f"{entry.name}: {len(answers)} answers, {sent} requests, {unread} unreadable", file=sys.stderr)
    tokens = {name: _sum([answer[name] for answer in answers]) for name in _TOKENS}
    answered = {"questions": len(answers), "unreadable": unread, **tokens}
    known = replace(parameters, prompt_sha256=sha256_of_text(prompt), answered=answered)
    return replace(entry, parameters=known), scores


def _questions(split: Split, prompt: str, most: int) -> Iterator[tuple[str, I64]]:
    """Yield each message, with at most `most` characters of a text, and its places in `split.released.lists.rows`."""
    lists = split.released.lists
    texts = split.documents["content"].str.slice(0, most)
    for query, start in enumerate(lists.starts[:-1]):
        asked = texts[int(split.asks[query])]
        places = np.arange(start, lists.starts[query + 1])
        if not ranks_lists(prompt):
            for place in places:
                yield filled(prompt, {"query": asked, "candidate": texts[int(lists.rows[place])]}), place[None]
        elif len(places):
            own = {place: texts[int(lists.rows[place])] for place in places}
            order = sorted(places, key=lambda place: (keyed_hash(0, asked, own[place]), place))
            listed = "\n\n".join(f"Candidate {number}:\n\n{own[place]}" for number, place in enumerate(order, 1))
            yield filled(prompt, {"query": asked, "candidates": listed}), np.array(order)


def _sum(tokens: list[int | None]) -> int | None:
    known = [count for count in tokens if count is not None]
    return sum(known) if len(known) == len(tokens) else None
