"""Compiled inner loops from signatures to components of candidates, and from components to verified pairs."""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import F64, I32, I64, U64
from authbench.core.runtime.jit import compiled
from authbench.core.runtime.jit_bits import ones

u64 = np.uint64


# --- from signatures to components ---


@compiled
def _root_of(parent: I32, d: int) -> int:
    while parent[d] != d:
        parent[d] = parent[parent[d]]
        d = parent[d]
    return d


@compiled
def unite(parent: I32, one: I32, other: I32) -> None:
    """Join the components of `one[k]` and `other[k]`; a component's root is its smallest member.

    Args:
        parent: shape (documents,), the parent of each; changed in place.
        one: shape (pairs,), documents.
        other: shape (pairs,), documents.
    """
    for k in range(len(one)):
        x, y = _root_of(parent, one[k]), _root_of(parent, other[k])
        if x != y:
            parent[max(x, y)] = min(x, y)


@compiled
def find_roots(parent: I32) -> None:
    """Point every document at the root of its component.

    Args:
        parent: shape (documents,), the parent of each; changed in place.
    """
    for d in range(len(parent)):
        parent[d] = _root_of(parent, d)


@compiled
def _disagreement(one: U64, other: U64) -> int:
    """Return the number of bits in which two sketches differ."""
    return ones(one[0] ^ other[0]) + ones(one[1] ^ other[1])


@compiled
def unite_buckets(packed: U64, number_bits: int, sketches: U64, most_apart: int, widest: int, parent: I32) -> None:
    """Join the components of documents that share a bucket and whose sketches differ in at most `most_apart` bits.

    Args:
        packed: shape (n,), sorted, a hash above the `number_bits` of a document's number, from `shards.pack`.
        number_bits: the low bits that contain a document.
        sketches: shape (documents, 2), from `shingle_kernels.sketch`.
        most_apart: bits in which two sketches may differ.
        widest: a bucket of more documents is joined as a whole.
        parent: shape (documents,), pointers to earlier documents of the component; changed in place.
    """
    shift = u64(number_bits)
    mask = (u64(1) << shift) - u64(1)
    start = 0
    while start < len(packed):
        end = start + 1
        while end < len(packed) and packed[end] >> shift == packed[start] >> shift:
            end += 1
        for i in range(start + 1, end):
            x = int(np.int64(packed[i] & mask))
            for k in range(i - 1, i - 2 if end - start > widest else start - 1, -1):
                y = int(np.int64(packed[k] & mask))
                if end - start > widest or _disagreement(sketches[x], sketches[y]) <= most_apart:
                    root_x, root_y = _root_of(parent, x), _root_of(parent, y)
                    if root_x != root_y:
                        parent[max(root_x, root_y)] = min(root_x, root_y)
        start = end


# --- from components to verified pairs ---


@compiled
def _jaccard_from(a: U64, b: U64, threshold: float) -> float:
    """Return the Jaccard similarity of two sorted multisets, or 0 as soon as it cannot reach the threshold."""
    needed = threshold * (len(a) + len(b)) / (1.0 + threshold) - 1e-6  # shared elements at the threshold
    spare_a, spare_b = len(a) - needed, len(b) - needed  # elements that may lack a partner
    if spare_a < 0 or spare_b < 0:
        return 0.0
    i, j, count = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            count += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
            if i - count > spare_a:
                return 0.0
        else:
            j += 1
            if j - count > spare_b:
                return 0.0
    return count / (len(a) + len(b) - count)


class Signed(NamedTuple):
    """Sketches and shingles of documents.

    Attributes:
        sketches: shape (documents, 2), from `shingle_kernels.sketch`.
        hashes: shape (shingles,); `hashes[ends[d]:ends[d + 1]]` are the shingles of document d, sorted.
        ends: shape (documents + 1,).
    """

    sketches: U64
    hashes: U64
    ends: I64


@compiled
def compare_with_earlier(
    component: I32,
    signed: Signed,
    threshold: float,
    most_apart: int,
    most: int,
    only_accepted: bool,
    near: float,
    most_found: int,
) -> tuple[I32, I32, F64, int, int]:
    """Compare each document with the earlier documents of its component.

    Documents are sorted by component, and within it in corpus order. Pairs whose sketches differ in more than
    `most_apart` bits are skipped. With `only_accepted`, later documents are not compared with a document that is
    similar to an earlier document, so a crowd of copies costs a comparison each. Each document is compared with at most
    the `most` nearest earlier documents.

    The nearest `most_found` pairs of a document are returned. Of the others, only those are returned whose loss would
    change the result: pairs that join documents that no earlier pair joined, and pairs at `near` with a document that
    is not a copy (at `near`) itself.

    Args:
        component: shape (documents,).
        signed: sketches and shingles of the documents.
        threshold: the least Jaccard similarity of a pair.

    Returns:
        The earlier document, the later document and the similarity, each of shape (pairs,); the number of exact
            comparisons; the number of documents that were compared with fewer than there were.
    """
    sketches, hashes, ends = signed
    standing = np.empty(len(component), np.int32)
    first, last = 0, 0  # of `standing`, within the component
    earlier, later, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    found, compared, curtailed = 0, 0, 0
    joined, is_copy = np.arange(len(component)).astype(np.int32), np.zeros(len(component), np.bool_)
    for d in range(len(component)):
        if d > 0 and component[d] != component[d - 1]:
            first = last
        found_before = found
        curtailed += last - first > most
        for k in range(last - 1, max(first, last - most) - 1, -1):
            other = standing[k]
            if _disagreement(sketches[other], sketches[d]) > most_apart:
                continue
            compared += 1
            value = _jaccard_from(hashes[ends[other] : ends[other + 1]], hashes[ends[d] : ends[d + 1]], threshold)
            if value >= threshold:
                x, y = _root_of(joined, other), _root_of(joined, d)
                joined[max(x, y)] = min(x, y)
                of_kept = value >= near and not is_copy[other]
                is_copy[d] |= of_kept
                if found - found_before >= most_found and x == y and not of_kept:
                    continue
                if found == len(earlier):
                    earlier = np.concatenate((earlier, np.empty_like(earlier)))
                    later = np.concatenate((later, np.empty_like(later)))
                    similarity = np.concatenate((similarity, np.empty_like(similarity)))
                earlier[found], later[found], similarity[found] = other, d, value
                found += 1
        if not only_accepted or found == found_before:
            standing[last] = d
            last += 1
    return earlier[:found], later[:found], similarity[:found], compared, curtailed
