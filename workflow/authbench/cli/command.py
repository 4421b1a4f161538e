"""What is a subcommand, and which kinds of values do its arguments take?"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """A subcommand: what `--help` says, its arguments, and what it does (the exit status is returned)."""

    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def whole_number(text: str) -> int:
    """A number of things, at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return number


def amount(text: str) -> float:
    """A number of things, which may be written 1e8."""
    amount = float(text)
    if not 0 < amount < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return amount


def share(text: str) -> float:
    """A number between 0 and 1."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text}")
    return value


def raw_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--raw", type=Path, default=Path("resources/raw"), metavar="DIR", help="raw_dir (default: resources/raw)"
    )
