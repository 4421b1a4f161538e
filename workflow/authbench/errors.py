"""What does a person read when the input is wrong?"""


class InputError(Exception):
    """Something the user gave cannot be used. The message says what, where, what was expected and what to do."""
