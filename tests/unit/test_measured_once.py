from collections import Counter

import numpy as np

from authbench.models.stylometric import measured_once


def measuring(most):
    """Return what measures lengths and letters, and how often it has looked at each text."""
    looked = Counter()

    def measure(text):
        looked[text] += 1
        return {"length": len(text), "vowels": sum(letter in "aeiou" for letter in text)}

    return measured_once(measure, most), looked


def test_a_text_is_measured_once_however_often_it_is_asked_for():
    kept, looked = measuring(10)
    first = kept(["one", "three", "one", "\ud800"])
    assert first.tolist() == [[3, 2], [5, 2], [3, 2], [1, 0]]
    assert kept(["three", "one"]).tolist() == [[5, 2], [3, 2]]
    assert set(looked.values()) == {1}


def test_no_more_measurements_are_kept_than_asked_for():
    kept, looked = measuring(1)
    for _ in range(3):
        assert kept(["one", "three"]).tolist() == [[3, 2], [5, 2]]
    assert looked == {"one": 1, "three": 3}


def test_what_a_caller_does_to_a_table_stays_in_it():
    kept, _ = measuring(10)
    kept(["one"])[:] = np.nan
    assert kept(["one"]).tolist() == [[3, 2]]
