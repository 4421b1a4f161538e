"""How many examples a costly property is tried with."""

import os

from hypothesis import settings


def costly(examples: int) -> settings:
    """Ask for this many examples where CI is set, and for a quarter on a desk, where they are drawn anew each time."""
    return settings(max_examples=examples if os.environ.get("CI") else -(-examples // 4), deadline=None)
