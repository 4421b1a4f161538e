"""Rank the positives of each query with torch on a GPU.

Queries are processed in the blocks of `retrieval`. A score and 32 bits of the hash that breaks ties make a 64-bit key,
and a rank is the number of higher keys.
"""

from collections.abc import Mapping

import numpy as np

from authbench.core.arrays import I64, Tensor
from authbench.scoring.evaluation import retrieval
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.split import Split
from authbench.scoring.metrics.score_bins import BITS

BYTES_PER_SCORE = 40  # of a block: the score, its key, and temporaries of the key


def rank_on(
    device: str, queries: np.ndarray, candidates: np.ndarray, split: Split, negatives: Mapping[str, Lists]
) -> retrieval.Ranking:
    """Return the result of `retrieval.rank` for cosines, computed on a torch device.

    Args:
        queries: shape (queries, dimensions), L2-normalised float32 rows.
        candidates: shape (candidates, dimensions), likewise.
        negatives: by kind, rows of candidates by query.
    """
    import torch

    asking, count, positives = len(split.asks), split.candidates, split.positives
    pool = torch.from_numpy(np.ascontiguousarray(candidates)).to(device).T
    ties = torch.from_numpy(retrieval.tie_keys(split).view(np.int64)).to(device)
    of_queries, of_candidates = ties[torch.from_numpy(split.asks).to(device)], _mixed(ties[:count])
    in_pool = retrieval.pools(split)
    own_pool = {name: tuple(torch.from_numpy(codes).to(device) for codes in both) for name, both in in_pool.items()}
    ranks = {name: np.zeros(len(positives.rows), np.int32) for name in in_pool}
    scores = np.empty(len(positives.rows))
    against = {name: np.empty(len(pairs.rows)) for name, pairs in negatives.items()}
    answered, counts = torch.from_numpy(positives.lengths() > 0).to(device), np.zeros(1 << BITS, np.int64)
    shape = (asking, retrieval.NEAREST + 1)
    rows, best = np.full(shape, -1, np.int32), np.full(shape, -np.inf)
    for first, last in retrieval.query_blocks(asking, count * BYTES_PER_SCORE // 4):
        block = torch.from_numpy(np.ascontiguousarray(queries[first:last])).to(device) @ pool
        block += 0.0  # turns -0.0 into 0.0
        for pairs, values in ((positives, scores), *((negatives[name], against[name]) for name in negatives)):
            span, query, candidate = _of_block(pairs, first, last, device)
            values[span] = block[query, candidate].double().cpu().numpy()
        _, query, candidate = _of_block(split.excluded, first, last, device)
        block[query, candidate] = -torch.inf
        counts += _counted(block[answered[first:last]])
        keys = (_ordered(block) << 32) + _places_in_ties(of_queries[first:last], of_candidates)
        span, query, candidate = _of_block(positives, first, last, device)
        step = max(1, retrieval.BLOCK_BYTES // (BYTES_PER_SCORE * count))
        for start in range(0, len(query), step):
            q, c = query[start : start + step], candidate[start : start + step]
            higher = keys[q] > keys[q, c][:, None]
            for name, (of_query, of_candidate) in own_pool.items():
                same = of_candidate == of_query[first + q][:, None]
                found = torch.where(same[torch.arange(len(q)), c], 1 + (higher & same).sum(dim=1), 0)
                ranks[name][span.start + start : span.start + start + len(q)] = found.cpu().numpy()
        near = keys.topk(min(retrieval.NEAREST + 1, count), dim=1).indices
        value = block.gather(1, near)
        best[first:last, : near.shape[1]] = value.cpu().numpy()
        rows[first:last, : near.shape[1]] = torch.where(torch.isfinite(value), near, -1).cpu().numpy()
    others = retrieval.without_positives(counts, scores)
    return retrieval.Ranking(ranks, retrieval.pool_sizes(split, in_pool), scores, rows, best, against, others=others)


def _counted(block: Tensor) -> I64:
    """Return how many finite scores are in each bin of `metrics.score_bins`."""
    import torch

    bins = (_ordered(block[torch.isfinite(block)]) + (1 << 31)) >> (32 - BITS)
    counted: I64 = torch.bincount(bins, minlength=1 << BITS).cpu().numpy()
    return counted


def _of_block(pairs: Lists, first: int, last: int, device: str) -> tuple[slice, Tensor, Tensor]:
    """Return the slice of the pairs of queries [first, last), their queries within the block, and their rows."""
    import torch

    span, owners = pairs.between(first, last)
    candidate = pairs.rows[span].astype(np.int64)
    return span, torch.from_numpy(owners - first).to(device), torch.from_numpy(candidate).to(device)


def _mixed(keys: Tensor) -> Tensor:
    """Return `shingle_kernels.mix` of 64-bit keys as int64, whose right shifts copy the sign."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        keys = (keys ^ ((keys >> 33) & 0x7FFFFFFF)) * (factor - (1 << 64))
    return keys ^ ((keys >> 33) & 0x7FFFFFFF)


def _places_in_ties(query_keys: Tensor, mixed_candidate_keys: Tensor) -> Tensor:
    """Return 32 bits for each query and candidate, higher where the hash of both is lower."""
    return ~(_mixed(query_keys[:, None] ^ mixed_candidate_keys) >> 32) & 0xFFFFFFFF


def _ordered(scores: Tensor) -> Tensor:
    """Return int64 values of 32 bits in the order of the float32 scores."""
    import torch

    bits = scores.view(torch.int32).long()
    return torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
