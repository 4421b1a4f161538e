"""Files made in the form of each of STEB's datasets, and the rows that its loaders read from them."""

import json
from pathlib import Path

from cases import read_cases


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


KNOWN = {"EN01/known01.txt": "a", "EN01/known02.txt": "b", "EN01/unknown.txt": "c", "truth.txt": "EN01 Y\n"}
CHANGE = {
    "problem-1.txt": " One\x0cTwo\n\nThree\n", "truth-problem-1.json": '{"changes": [0, 1]}',
    "problem-2.txt": "One\nTwo\n", "truth-problem-2.json": '{"changes": [0, 1]}',
}  # fmt: skip
M4 = {
    "arxiv_chatGPT.jsonl": jsonl(*[{"human_text": "h", "machine_text": one, "model": "chatGPT"} for one in "ab"]),
    "arxiv_davinci.jsonl": jsonl({"human_text": "h", "machine_text": "c", "model": "davinci"}),
}
LEVELS = ("Adv-Txt/A-adv", "Int-Txt/Int-Txt/A-int", "Ele-Txt/A-ele")

# By dataset: its files, and the rows that the protocol steb has of the first task (see `rows_of`).
_PLAIN = read_cases(Path(__file__))
FORMATS = {
    **{name: (one["files"], [tuple(row) for row in one["rows"]]) for name, one in _PLAIN.items()},
    "x_genre": (
        {
            f"{part}.jsonl": jsonl(
                {"text": part, "labels": "News", "dataset": "CORE", "language": "en"},
                {"text": part, "labels": "News", "dataset": "GINCO", "language": "sl"},
            )
            for part in ("dev", "test", "train")
        },
        [("train", "News"), ("test", "News"), ("dev", "News")],
    ),
    "machine_text_detection_M4_arxiv": (
        {f"M4/{name}": text for name, text in M4.items()},
        [("h", "human"), ("a", "chatGPT"), ("b", "chatGPT"), ("c", "davinci")],
    ),
    "machine_text_detection_PAN25_26_essays": (
        {
            "PAN25_26/val.jsonl": jsonl(
                *[
                    {"text": one, "genre": genre, "model": "human"}
                    for one, genre in (("a", "essays"), ("b", "news"), ("c", "essays"))
                ]
            )
        },
        [("a", "human"), ("c", "human")],
    ),
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
    "stackexchange_politeness": (
        {"utterances.jsonl": jsonl(*[{"text": str(one), "meta": {"Binary": one}} for one in (2, 1, None, -1)])},
        [("1", "polite"), ("-1", "impolite")],
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
    **{
        name: (
            {
                f"blog_authorship_xml/{number}.{gender}.{age}.Arts.Leo.xml": "<Blog>\n"
                "<date>1,May,2004</date>\n<post>\n\n\t "
                f"{number} one &amp; \xa0\n{number} two\n</post>\n</Blog>\n"
                for number, gender, age in ((100, "male", 14), (101, "female", 25), (102, "male", 41))
            },
            [(f"{number} {text}", labels[number]) for number in (101, 102, 100) for text in ("one &amp;", "two")],
        )
        for name, labels in {
            "blog_age": {100: "10s", 101: "20s", 102: "30s"},
            "blog_gender": {100: "male", 101: "female", 102: "male"},
        }.items()
    },
    "parallel_shakespeare": (
        {
            f"style_tasks/shakespeare_aligned/p_{one}.snt.aligned": "\n".join(f"{one} {line}" for line in range(12))
            for one in ("original", "modern")
        },
        [(f"original {one}", f"modern {one}", "all") for one in range(12)],
    ),
    **{
        name: (
            {
                f"SynthSTEL/{part}-0.parquet": {
                    "feature": ["Formal / Informal ", "complex / simple", "Articles / no articles"],
                    "positive": [f" {part}\n", "p", "q"],
                    "negative": ["n", "n", " m"],
                }
                for part in ("test", "train")
            },
            expected,
        )
        for name, expected in {
            "SynthSTEL_register": [
                row
                for part in ("train", "test")
                for row in ((part, "n", "formal / informal"), ("p", "n", "complex / simple"))
            ],
            "SynthSTEL_feature": [("q", "m", "articles / no articles")] * 2,
        }.items()
    },
    "ASSET": (
        {
            f"{part}-0.parquet": {"original": [f" {part}"], "simplifications": [["s "]]}
            for part in ("test", "validation")
        },
        [("s", "validation", "all"), ("s", "test", "all")],
    ),
    "OneStopEnglishCorpus": (
        {
            f"style_tasks/onestopenglish/{name}.txt": "\ufeff" + text
            for name, text in zip(
                LEVELS, ("A one\nA two\nA three", "I one\n\nI three", "E one\nE two\nE three"), strict=True
            )
        },
        [("A one", "I one", "E one", "all"), ("A three", "I three", "E three", "all")],
    ),
    "bible_versions": (
        {f"style_tasks/bible_versions/{one}/Ruth/Ruth1.txt": f"1 And {one}\n2 Same\n" for one in ("ASV", "KJV", "NLT")},
        [("And ASV", "ASV"), ("And KJV", "KJV")],
    ),
    "wikipedia_politeness": (
        {"utterances.jsonl": jsonl(*[{"text": str(one), "meta": {"Binary": one}} for one in (1, 0, -1)])},
        [("1", "polite"), ("0", "neutral"), ("-1", "impolite")],
    ),
    "pan13_authorship_verification_english_test": (
        {**KNOWN, "GR01/known01.txt": "x", "GR01/unknown.txt": "y", "truth.txt": "EN01 Y\nGR01 N\n"},
        [("a\n\nb", "c", "true")],
    ),
    "pan15_authorship_verification_english_test": (KNOWN, [("a", "c", "true")]),
    "pan22_style_change_basic": (CHANGE, [(" One", "Two", "true"), ("Two", "Three", "false")]),
    **{
        f"pan{year}_style_change_{kind}": (CHANGE, [(" One", "Two", "true"), ("Two", "Three", "false")])
        for year, kinds in (
            (22, ("advanced", "sentence")),
            *((year, ("easy", "medium", "hard")) for year in (23, 24, 25, 26)),
        )
        for kind in kinds
    },
}

# Of files that are not UTF-8.
ENCODINGS = {"CEECES1-metadata.txt": "cp1252"} | {
    f"{number}.{rest}.Arts.Leo.xml": "latin-1"
    for number, rest in ((100, "male.14"), (101, "female.25"), (102, "male.41"))
}
