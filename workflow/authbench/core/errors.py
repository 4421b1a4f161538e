"""Define the error that is shown to users without a traceback, and how others are quoted in it."""

import traceback
from importlib.resources import files
from pathlib import Path

_OWN = Path(str(files("authbench")))


class InputError(Exception):
    """Report an unusable input or setting; the message says what, where, what was expected and what to do."""


def first_line(problem: BaseException) -> str:
    """Return the first line of an exception's message, at most 200 characters; its type if it has none."""
    return f"{(str(problem).strip().splitlines() or [type(problem).__name__])[0]:.200}"


def raised(problem: BaseException) -> str:
    """Return an exception of a user's code, with its place there, in a line that begins with "raised"."""
    said = str(problem).splitlines()
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if not _is_foreign(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"raised {type(problem).__name__}{f': {said[0]:.200}' if said else ''}{where}"


def _is_foreign(file: str) -> bool:
    """Return whether a file is the library's or Python's, and no user's."""
    return (
        Path(file).is_relative_to(_OWN) or file.startswith("<") or Path(file).parent.name in ("importlib", "metadata")
    )
