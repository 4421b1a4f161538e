"""How many examples a property is tried with."""

import os

from hypothesis import settings

# How many times as many examples as are asked for: a search for what CI would find once in many changes.
TIMES = int(os.environ.get("EXAMPLES_TIMES", "1"))


def costly(examples):
    """Ask for this many examples where CI is set, and for a quarter on a desk, where they are drawn anew each time."""
    return settings(max_examples=examples if os.environ.get("CI") else -(-examples // 4), deadline=None)


def try_more(item, times=TIMES):
    """Let a property be tried with so many times its examples, drawn anew each time."""
    test = getattr(item, "obj", None)
    if times > 1 and getattr(test, "is_hypothesis_test", False) and not hasattr(test, "tried_more"):
        test.tried_more = times  # the cases of a parametrized property are one function
        asked = test._hypothesis_internal_use_settings
        more = settings(asked, max_examples=times * asked.max_examples, derandomize=False, deadline=None)
        test._hypothesis_internal_use_settings = more
