"""What does chance say, in the demo? Keyed hashes of names, never order or clock."""

from collections.abc import Sequence
from typing import TypeVar

from authbench.core.identity import keyed_hash, uniform

SEED = 20260101
T = TypeVar("T")


class Chance:
    """A row of draws that depends on its name alone."""

    def __init__(self, *name: str) -> None:
        self.name = name
        self.draws = 0

    def share(self) -> float:
        self.draws += 1
        return uniform(SEED, *self.name, str(self.draws))

    def below(self, bound: int) -> int:
        self.draws += 1
        return keyed_hash(SEED, *self.name, str(self.draws)) % bound

    def of(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def digits(self, length: int) -> str:
        return str(10 ** (length - 1) + self.below(9 * 10 ** (length - 1)))
