"""Change process-wide settings of other libraries during a call, and restore them."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def without_progress_bars() -> Iterator[None]:
    """Hide the progress bars of transformers, and of the Hub's client that it uses."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@contextmanager
def without_progress_bars_of_datasets() -> Iterator[None]:
    """Hide the progress bars of datasets."""
    import datasets

    hidden = datasets.are_progress_bars_disabled()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if not hidden:
            datasets.enable_progress_bars()


@contextmanager
def with_random_states_of_its_own() -> Iterator[None]:
    """Restore the random states of Python, NumPy and PyTorch, which a training seeds."""
    import torch

    python, numpy = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng():
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
