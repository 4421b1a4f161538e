"""Define the error that is shown to users without a traceback."""


class InputError(Exception):
    """Report an unusable input or setting; the message says what, where, what was expected and what to do."""
