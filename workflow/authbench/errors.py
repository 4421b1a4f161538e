"""Define the error that is shown to users without a traceback, and how others are quoted in it."""


class InputError(Exception):
    """Report an unusable input or setting; the message says what, where, what was expected and what to do."""


def first_line(problem: BaseException) -> str:
    """Return the first line of an exception's message, at most 200 characters; its type if it has none."""
    return f"{(str(problem).strip().splitlines() or [type(problem).__name__])[0]:.200}"
