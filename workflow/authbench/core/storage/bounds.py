"""Bound the memory that a file from outside may take, by its size or by what the user allows."""

import os

from authbench.core.errors import InputError

ALWAYS = 256 << 20  # bytes that every file may take
EXPANSION = 100  # bytes per stored byte that a larger file may take
VARIABLE = "AUTHBENCH_EXPANSION"  # environment variable: a number that replaces EXPANSION


def room(stored: int) -> int:
    """Return how many bytes the contents of a file of `stored` bytes may take.

    Raises:
        InputError: AUTHBENCH_EXPANSION is not a whole number.
    """
    given = os.environ.get(VARIABLE, str(EXPANSION))
    if not given.isdecimal() or len(given) > 9:
        raise InputError(f"{VARIABLE}: expected a whole number, the bytes that a byte of a file may take.")
    return max(ALWAYS, int(given) * stored)


def too_large(place: object, stored: int) -> InputError:
    """Return the error for a file that takes more than its room."""
    return InputError(
        f"{place}: its contents take more than {room(stored) >> 20:,} MiB of memory, for {stored:,} bytes of file, and "
        f"are not read further. Hand over a plain file; or, if this one can be trusted, set {VARIABLE} to more than "
        f"{EXPANSION}."
    )
