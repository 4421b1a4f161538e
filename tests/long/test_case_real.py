"""Ratios of cases of real blogs, half of them by one writer, hold as far as the page says."""

import numpy as np
import polars as pl
from real_blogs import posts
from shared_folders import needs_corpora

from authbench.audit.case.page import in_words
from authbench.audit.case.population import TEXTS, Case, draw
from authbench.audit.case.ratios import weigh
from authbench.config.registry.load import load_entry
from authbench.core.identity import keyed_hash
from authbench.scoring.metrics.forensic import best_ratios, cllr
from authbench.scoring.verifiers.requested import VERIFIERS

CASES, QUESTIONED, KNOWN = 50, 1_000, 2_000


@needs_corpora
def test_fifty_cases_of_real_blogs_cost_no_more_than_the_page_says():
    blogs = {}
    for _, author, _, text in posts():
        blogs.setdefault(author, []).append(text)
    cases = {}
    for author in sorted(blogs, key=lambda name: keyed_hash(1, "case", name)):
        asked = next((text for text in blogs[author] if len(text) >= QUESTIONED), "")
        known = "\n\n".join(text for text in blogs[author] if text != asked)[:KNOWN]
        if asked and len(known) == KNOWN and len(cases) < CASES:
            cases[author] = (known, asked[:QUESTIONED])
    rows = [
        (f"{author}-{number}", author, "en", "blog", text)
        for author, own in blogs.items()
        for number, text in enumerate(own)
        if author not in cases
    ]
    drawn = draw(pl.DataFrame(rows, TEXTS, orient="row"), Case("q" * QUESTIONED, "k" * KNOWN, "en"), 0)
    truth = np.arange(CASES) % 2 == 0
    texts = list(cases.values())
    known_texts = [texts[at if same else (at + 1) % CASES][0] for at, same in enumerate(truth)]
    asked_for = pl.DataFrame(
        {"id": list(map(str, range(CASES))), "text1": known_texts, "text2": [asked for _, asked in texts], "lang": "en"}
    )
    for name in ("lambdag", "naive"):
        validation, found, _ = weigh(load_entry(VERIFIERS, name), drawn, asked_for, 0)
        ratios = np.array([one.value for one in found]) * np.log(10)
        assert cllr(truth, ratios) < 1
        excess = _excess(validation, np.random.default_rng(0))
        assert _above_least(truth, ratios) <= excess or in_words(validation, found[0]) == "not calibrated"


def _above_least(truth, ratios):
    return cllr(truth, ratios) - cllr(truth, best_ratios(truth, ratios))


def _excess(validation, chance):
    """Return what so few cases cost at most above their minimum, by drawing as many of the validation's pairs."""
    same, ratios = validation.pairs["same"].to_numpy(), validation.pairs["log10_lr"].to_numpy() * np.log(10)
    sides = np.flatnonzero(same), np.flatnonzero(~same)
    drawn = [np.concatenate([chance.choice(side, CASES // 2) for side in sides]) for _ in range(1_000)]
    return float(np.quantile([_above_least(same[places], ratios[places]) for places in drawn], 0.975))
