"""Order equally frequent n-grams as in PAN's published figures."""

import numpy as np

from authbench.arrays import I64
from authbench.runtime.jit import compiled

SMALL = 16  # ranges of at most this many places are sorted by insertion


@compiled
def order_as_numpy_once_did(values: I64) -> I64:
    """Return the places of values in ascending order, equal values as `argsort` of numpy placed them before 1.25.

    PAN's figures date from then, and which of equally frequent n-grams a vocabulary keeps depends on it. Since then
    numpy's order of equal values depends on the processor. (Quicksort, median of three, insertion below SMALL.)
    """
    places = np.arange(len(values))
    starts, ends = np.empty(128, np.int64), np.empty(128, np.int64)
    held, left, right = 0, 0, len(values) - 1
    while True:
        while right - left > SMALL:
            middle = left + ((right - left) >> 1)
            if values[places[middle]] < values[places[left]]:
                places[middle], places[left] = places[left], places[middle]
            if values[places[right]] < values[places[middle]]:
                places[right], places[middle] = places[middle], places[right]
            if values[places[middle]] < values[places[left]]:
                places[middle], places[left] = places[left], places[middle]
            pivot = values[places[middle]]
            low, high = left, right - 1
            places[middle], places[high] = places[high], places[middle]
            while True:
                low += 1
                while values[places[low]] < pivot:
                    low += 1
                high -= 1
                while pivot < values[places[high]]:
                    high -= 1
                if low >= high:
                    break
                places[low], places[high] = places[high], places[low]
            places[low], places[right - 1] = places[right - 1], places[low]
            if low - left < right - low:
                starts[held], ends[held] = low + 1, right
                right = low - 1
            else:
                starts[held], ends[held] = left, low - 1
                left = low + 1
            held += 1
        for place in range(left + 1, right + 1):
            moved, at = places[place], place
            while at > left and values[moved] < values[places[at - 1]]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = moved
        if held == 0:
            return places
        held -= 1
        left, right = starts[held], ends[held]
