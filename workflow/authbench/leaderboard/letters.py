"""Assign letters to a column of scores: two models share a letter unless they differ significantly."""

from collections.abc import Collection, Sequence
from string import ascii_lowercase

MOST = len(ascii_lowercase)


def letters(models: Sequence[str], differing: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return the compact letter display of models by insertion and absorption (Piepho 2004).

    Args:
        models: best first; the best gets `a`.
        differing: pairs that differ significantly, in either order.

    Returns:
        Letters by model; none if more than MOST would be needed.

    >>> letters(["one", "two", "three"], [("one", "three")])
    {'one': 'a', 'two': 'ab', 'three': 'b'}
    """
    groups = [frozenset(models)] if models else []
    for one, other in differing:
        divided: list[frozenset[str]] = []
        for group in groups:
            divided += [group - {one}, group - {other}] if {one, other} <= group else [group]
        distinct = sorted(set(divided), key=lambda group: (-len(group), sorted(group)))
        groups = []
        for group in distinct:
            if not any(group < larger for larger in groups):
                groups.append(group)
        if len(groups) > MOST:
            return {}
    place = {model: at for at, model in enumerate(models)}
    ordered = sorted(groups, key=lambda group: sorted(place[model] for model in group))
    return {
        model: "".join(letter for letter, group in zip(ascii_lowercase, ordered, strict=False) if model in group)
        for model in models
    }
