"""Files made in the form of each of STEB's datasets, and the rows that its loaders read from them."""

import json
from pathlib import Path

from cases import read_cases


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# By dataset: its files, and the rows that the protocol steb has of the first task (see `rows_of`).
_PLAIN = read_cases(Path(__file__))
FORMATS = {
    **{name: (one["files"], [tuple(row) for row in one["rows"]]) for name, one in _PLAIN.items()},
    "endive": (  # a question counts where all five dialects have it; each benchmark has columns of its own
        {
            f"{dialect}/{part}.jsonl": jsonl(
                *[
                    {"label": True, "question": "?", name: source, f"Dialect ({inner})": f"{source} in {dialect}"}
                    for source in sources
                    if (source, dialect) != ("c", "JamE")
                ]
            )
            for dialect in ("AAVE", "ChcE", "CollSgE", "IndE", "JamE")
            for part, name, inner, sources in (
                ("svamp", "Context", "context", "z"),
                ("boolq", "SAE Passage", "SAE Passage", "cba"),
                ("folio", "Premises", "Premises", "f"),
                ("mbpp", "Original", "Original", "m"),
                ("wsc", "Original Paragraph", "Original Paragraph", "w"),
            )
        },
        [
            (f"{source} in {dialect}", dialect.lower())
            for source in "abfmzw"
            for dialect in ("AAVE", "ChcE", "CollSgE", "IndE", "JamE")
        ],
    ),
    "masc_text_genre": (  # the genre is the folder below written or spoken, whatever lies in it
        {
            "MASC-3.0.0/data/written/blog/a.txt": "x" * 100,
            "MASC-3.0.0/data/written/blog/b.txt": "y" * 199,
            "MASC-3.0.0/data/written/email/enron/a.txt": "z" * 75,
            "MASC-3.0.0/data/written/email/w3c/a.txt": "z" * 74,
        },
        [
            *[("xx", "blog")] * 50,
            ("\ny", "blog"),
            *[("yy", "blog")] * 99,
            *[("z", "email")] * 75,
            ("\n", "email"),
            *[("z", "email")] * 74,
        ],
    ),
}

# Of files that are not UTF-8.
ENCODINGS = {"CEECES1-metadata.txt": "cp1252"} | {
    f"{number}.{rest}.Arts.Leo.xml": "latin-1"
    for number, rest in ((100, "male.14"), (101, "female.25"), (102, "male.41"))
}
