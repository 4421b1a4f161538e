"""The error that a user is shown without a traceback."""


class InputError(Exception):
    """An input or setting cannot be used; the message says what, where, what was expected and what to do."""
