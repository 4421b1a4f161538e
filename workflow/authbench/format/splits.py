"""Select the splits to score, and the splits to fit on, which are never scored."""

from collections.abc import Sequence

_SCORED = ("dev", "test")


def scored_splits(splits: Sequence[str]) -> list[str]:
    """Return the splits that models are scored on: `dev` and `test`, or all if there is neither.

    >>> scored_splits(["train", "dev", "test"]), scored_splits(["one", "two"])
    (['dev', 'test'], ['one', 'two'])
    """
    return [name for name in splits if name in _SCORED] or list(splits)


def reference_splits(splits: Sequence[str], split: str) -> list[str]:
    """Return the splits to fit on when `split` is scored: the splits that are not scored, else itself.

    >>> reference_splits(["train", "dev", "test"], "test"), reference_splits(["test"], "test")
    (['train'], ['test'])
    """
    scored = scored_splits(splits)
    return [name for name in splits if name not in scored] or [split]
