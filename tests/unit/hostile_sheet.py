"""A sheet of texts that would spoil a page if they were taken for markup."""

import polars as pl
from defaults import section

from authbench.scoring.review.sheets import Beside, write_sheets

THRESHOLDS = {**section("filter"), "language": None, "script": {"default": 0.5, "fr": 0.3}}
HOSTILE = [
    "<script>document.title='broken in'</script><img src=x onerror=\"document.title='broken in'\">",
    "</div></article><h1>out</h1>{{ 7 * 7 }}",
    "harmless \u202egnp.exe \u2066\x00\x1b[31m text",
    "w" * 1_000_000,
    "\u0915\u094d\u200d\u0937 नमस्ते",
]


def sheet(folder, contents=HOSTILE):
    count = len(contents)
    texts = pl.DataFrame(
        {
            "doc_key": [f"s:{number}\"'><b>" for number in range(count)],
            "lang": ["hi"] * count,
            "primary": ["news"] * count,
            "genre": ["news"] * count,
            "source": ["<i>s</i>"] * count,
            "length_bucket": ["long"] * count,
            "token_length": [5] * count,
            "content": contents,
            "unique_words": [0.5] * count,
        }
    )
    keys = texts["doc_key"]
    beside = Beside(
        {keys[0]: contents[0] + " <b>&amp; \u202e"},
        {keys[0]: [("s:<u>", "near_duplicate", 0.91)]},
        {"s:<u>": "<script>alert(1)</script>"},
        {keys[0]: [("s:<u>2", 0.4, "<style>*{display:none}</style>")]},
    )
    folder.mkdir(exist_ok=True)
    write_sheets(folder, "demo", texts, THRESHOLDS, beside, per_cell=2)
    return folder / "hi.html"
