"""Extract surface features of texts for probing.

`surface` contains the measurements of the stylometric model except single punctuation marks, for any script. `lftk`
contains the 46 counts that STEB probes, for English texts. It needs LFTK and a spaCy pipeline; without them, `surface`
is used.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from authbench.core.arrays import F64
from authbench.models.cache import embed_new
from authbench.models.stylometric import measure
from authbench.suites.style import lftk
from authbench.suites.style.entries import LFTK, SURFACE


def measured_by(kind: str) -> str:
    """Return which extractor computes features of this kind here: SURFACE, or LFTK with versions."""
    return (lftk.installed() if kind == LFTK else None) or SURFACE


def extract(texts: Sequence[str], kind: str, cache: Path) -> tuple[list[str], F64]:
    """Return feature names and values, shape (texts, features).

    LFTK counts are cached under `cache` by text.
    """
    if measured_by(kind) != SURFACE:
        found = embed_new(texts, cache / "features/lftk", lftk.identity(), lftk.counts, half=False)
        return list(lftk.NAMES), found.astype(np.float64).round(lftk.DECIMALS)
    rows = [measure(text) for text in texts]
    names = [name for name in rows[0] if not name.startswith("mark ")] if rows else []
    return names, np.array([[row[name] for name in names] for row in rows])
