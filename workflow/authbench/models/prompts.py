"""Read prompts, put texts into them, and read the answers."""

import re
from collections.abc import Mapping
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.shipped import shipped

_PLACE = re.compile(r"\{(query|candidate|candidates)\}")
_NUMBER = re.compile(r"[01]|0?\.[0-9]+|1\.0+")
_LIST = re.compile(r"\[ *[0-9]{1,9}( *, *[0-9]{1,9})* *\]")
_WORDS = {"yes": 1.0, "no": 0.0}


def own_prompt(name: str) -> Path | None:
    """Return the file of a prompt of resources/text/prompts; None if there is none of this name."""
    return {path.stem: path for path in shipped("text/prompts").glob("*.txt")}.get(name)


def read_prompt(prompt: str) -> str:
    """Return the text of a prompt, given by its name or file.

    Raises:
        InputError: it cannot be read, or has other places for texts than {query} and either {candidate} or
            {candidates}.
    """
    path = own_prompt(prompt) or Path(prompt)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read as text in UTF-8: {problem}") from None
    if sorted(_PLACE.findall(text)) not in (["candidate", "query"], ["candidates", "query"]):
        raise InputError(f"{path}: expected {{query}} once, and once either {{candidate}} or {{candidates}}.")
    return text


def ranks_lists(prompt: str) -> bool:
    """Return whether a prompt asks about all candidates of a query at once."""
    return "{candidates}" in prompt


def filled(prompt: str, texts: Mapping[str, str]) -> str:
    """Return the prompt with each text in its place; what looks like a place within a text is left as it is.

    >>> filled("{query} or {candidate}?", {"query": "{candidate}", "candidate": "b"})
    '{candidate} or b?'
    """
    return _PLACE.sub(lambda found: texts[found[1]], prompt)


def score_in(answer: str) -> float | None:
    """Return the number from 0 to 1, or 1 for yes and 0 for no, in the last line of an answer; None for other lines.

    >>> score_in("They share dashes.\\n0.8"), score_in("No."), score_in("80 %")
    (0.8, 0.0, None)
    """
    last = _last_line(answer)
    return float(last) if _NUMBER.fullmatch(last) else _WORDS.get(last.lower().removesuffix("."))


def scores_in(answer: str, candidates: int) -> list[float] | None:
    """Return a score for each candidate, from 1 for the first to 0 for the last of the list in an answer's last line.

    Returns:
        Scores of candidates 1, 2, ...; None if the line is no JSON list with each number once.

    >>> scores_in("[3, 1, 2]", 3), scores_in("[3, 1]", 3)
    ([0.5, 0.0, 1.0], None)
    """
    last = _last_line(answer)
    order = [int(number) for number in re.findall("[0-9]+", last)] if _LIST.fullmatch(last) else []
    if sorted(order) != list(range(1, candidates + 1)):
        return None
    return [1 - order.index(number) / max(candidates - 1, 1) for number in range(1, candidates + 1)]


def _last_line(answer: str) -> str:
    return answer.strip().rpartition("\n")[2].strip()
