from authbench.config.plugins import RankMetric


def measure(ranks, candidates):  # by query: the ranks of its positives, from 1, and the number of candidates
    return [sum(n / rank for n, rank in enumerate(of_query, 1)) / len(of_query) for of_query in ranks]


AVERAGE_PRECISION = RankMetric(measure, "The precision at a positive's rank, averaged over the positives of a query.")
