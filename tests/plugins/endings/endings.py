import numpy as np


def encode(texts):
    return np.array([[1 + text.count(mark) for mark in ".!?"] for text in texts])


class SameEndings:
    """Answer that pairs are by one author whose marks differ by less than different authors' on average."""

    @staticmethod
    def fit(train, bench):  # polars frames with id, text1, text2, same, lang; bench.seed, bench.folder
        return distances(train)[~train["same"].to_numpy()].mean()

    @staticmethod
    def calibrate(fitted, held_out):
        return fitted

    @staticmethod
    def predict(fitted, pairs):  # numbers in [0, 1]: above 0.5 one author, exactly 0.5 no answer
        return np.clip(1 - distances(pairs) / (2 * fitted + 1e-9), 0, 1)


def distances(pairs):
    one, other = (encode(pairs[column]) for column in ("text1", "text2"))
    return np.abs(one - other).sum(axis=1)
