"""Files made in the form of each of STEB's datasets, and the rows that its loaders read from them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def jsonl(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def review(author: str, text: Any, asks: bool) -> dict[str, Any]:
    return {"text": text, "label": author, "is_query": asks}


STORY = {"output.sentences": ["One.", " ", " Two  of it. "], "persona": {"age": "25-34", "tod": "Empty"}}
KNOWN = {"EN01/known01.txt": "a", "EN01/known02.txt": "b", "EN01/unknown.txt": "c", "truth.txt": "EN01 Y\n"}
CHANGE = {
    "problem-1.txt": " One\x0cTwo\n\nThree\n", "truth-problem-1.json": '{"changes": [0, 1]}',
    "problem-2.txt": "One\nTwo\n", "truth-problem-2.json": '{"changes": [0, 1]}',
}  # fmt: skip
DETECT = json.dumps(
    [{"text": "h", "label": "human", "llm_type": "GPT"}, {"text": "m", "label": "llm", "llm_type": "GPT"}]
)
STEL_HEADER = "ID\tAnchor 1\tAnchor 2\tAlternative 1.1\tAlternative 1.2\tstyle type\n"
M4 = {
    "arxiv_chatGPT.jsonl": jsonl(*[{"human_text": "h", "machine_text": one, "model": "chatGPT"} for one in "ab"]),
    "arxiv_davinci.jsonl": jsonl({"human_text": "h", "machine_text": "c", "model": "davinci"}),
}
LEVELS = ("Adv-Txt/A-adv", "Int-Txt/Int-Txt/A-int", "Ele-Txt/A-ele")

# By dataset: its files, and the rows that the protocol steb has of the first task (see `rows_of`).
FORMATS: Mapping[str, tuple[Mapping[str, Any], Sequence[tuple[Any, ...]]]] = {
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
    "core": (
        {
            "train.tsv": 'NA NE HI\t1\tA "quote\n',
            "dev.tsv": "IN CM HA\t2\tB\n",
            "test.tsv": "OTHER\t3\tC\nXX OP\t4\tD\n",
        },
        [('A "quote', "NE"), ("B", "CM"), ("B", "HA")],
    ),
    "hate_speech": (
        {
            "sampled_test/2_1.txt": "Off!",
            "sampled_test/1_1.txt": "Fine.",
            "annotations_metadata.csv": "file_id,user_id,label\n1_1,7,noHate\n2_1,8,hate\n",
        },
        [("Fine.", "noHate"), ("Off!", "hate")],
    ),
    "hate_speech_and_offensive_language": (
        {"labeled_data.csv": ',count,class,tweet\n0,3,2,"one\ntwo"\n1,3,0,bad\n'},
        [("one\ntwo", "neither"), ("bad", "hate")],
    ),
    "sms_spam": (
        {"SMSSpamCollection": 'ham\tHi "you\nspam\tWin\nham\tHi "you\n'},
        [('Hi "you', "ham"), ("Win", "spam"), ('Hi "you', "ham")],
    ),
    "enron_spam": (
        {
            "train.jsonl": jsonl({"text": "t", "label_text": "ham"}),
            "test.jsonl": jsonl({"text": "u", "label_text": "spam"}),
        },
        [("u", "spam")],
    ),
    "telegram-spam-ham": (
        {"dataset.csv": "text_type,text\nham,a\nspam,b\nham,a\n"},
        [("a", "ham"), ("b", "spam"), ("a", "ham")],
    ),
    "gede_essay_detection": (
        {
            "gede_essays.json": json.dumps(
                [{"answer": "x", "text_author": "human"}, {"answer": "y", "text_author": "gpt"}]
            )
        },
        [("x", "human"), ("y", "gpt")],
    ),
    "machine_text_detection_DetectRL_arxiv": (
        {
            "DetectRL/arxiv/multi_domains_arxiv_test.json": DETECT,
            "DetectRL/arxiv/multi_domains_arxiv_train.json": DETECT,
        },
        [("h", "human"), ("m", "GPT")],
    ),
    "machine_text_detection_DetectRL_prompt_attacks": (
        {"DetectRL/prompt_attacks/prompt_attacks_llm_test.json": DETECT},
        [("h", "human"), ("m", "llm")],
    ),
    "machine_text_detection_M4_arxiv": (
        {f"M4/{name}": text for name, text in M4.items()},
        [("h", "human"), ("a", "chatGPT"), ("b", "chatGPT"), ("c", "davinci")],
    ),
    "machine_text_detection_M4_peerread": (
        {"M4/peerread_chatgpt.jsonl": jsonl({"human_text": ["h", "i"], "machine_text": ["m"], "model": "chatgpt"})},
        [("h", "human"), ("i", "human"), ("m", "chatgpt")],
    ),
    "machine_text_detection_MAGE_cmv": (
        {
            "MAGE/test.csv": "text,label,src\na,1,cmv_human\nb,0,cmv_machine_topical_flan_t5_base\nc,0,eli5_human\n",
            "MAGE/train.csv": "text,label,src\nz,1,cmv_human\n",
        },
        [("a", "human"), ("b", "flan_t5_base")],
    ),
    "machine_text_detection_PAN24_news": (
        {"human.jsonl": jsonl({"id": "1", "text": "h"}), "machines/gpt-4.jsonl": jsonl({"id": "2", "text": "m"})},
        [("h", "human"), ("m", "gpt-4")],
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
    "machine_text_detection_PAN25_collaborative": (
        {
            "dev.jsonl": jsonl({"text": "a", "label": 1, "label_text": "machine-polished"}),
            "train.jsonl": jsonl({"text": "b", "label": 1, "label_text": "machine-polished"}),
        },
        [("a", "machine-polished")],
    ),
    "machine_text_detection_M4_wikihow": (  # a machine's text counts once, for the first file that has it
        {
            "M4/wikihow_a.jsonl": jsonl({"human_text": "same", "machine_text": "same", "model": "A"}),
            "M4/wikihow_b.jsonl": jsonl({"human_text": "h", "machine_text": "same", "model": "B"}),
            "M4/wikihow_bloomz.jsonl": jsonl({"machine_text": "z", "model": "bloomz"}),
        },
        [("same", "human"), ("h", "human"), ("same", "A")],
    ),
    "machine_text_detection_DetectRL_paraphrase_attacks": (
        {
            "DetectRL/paraphrase_attacks/paraphrase_attacks_llm_test.json": json.dumps(
                [{"text": "x", "label": "other", "llm_type": "GPT"}]
            )
        },
        [],
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
    "corpus-of-diverse-styles": (
        {"development.csv": "text,paraphrase,label\nthou art,you are,bible\n"},
        [("thou art", "you are", "bible")],
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
    "ceeces": (
        {
            "CEECES1/CEECES1-metadata.txt": "LetterID\tWriter\tPeriod\r\n"
            "A_1\tJos\xe9\t1680-1699\r\nA_2\tTom\t\r\n\t\t\r\n",
            "CEECES1/CEECES 1 - XML files by collection/A.xml": "<teiCorpus><TEI xml:id='A_1'><teiHeader/><text>"
            "<p>Deer <hi>Sir</hi>,\n I am</p><p> </p><p>yours<note>sic</note></p></text></TEI>"
            "<TEI xml:id='A_2'><text><p>No period</p></text></TEI>"
            "<TEI xml:id='A_3'><text><p>-</p></text></TEI></teiCorpus>",
        },
        [("Deer Sir, I am\n\nyourssic", "1680-1699")],
    ),
    "fce_l1": (
        {
            "fce-released-dataset/dataset/0100_2000_6/doc1.xml": '<?xml version="1.0"?><learner><head>'
            "<candidate><personnel>"
            "<language>Spanish</language><age>16-20</age></personnel></candidate><text><answer1><coded_answer>"
            '<p>I <NS type="TV"><i>am</i><c>was</c></NS> there, <NS type="M"><c>and</c></NS> it\n rained.</p><p>Ann</p>'
            "</coded_answer></answer1><answer2><coded_answer><p>Two</p></coded_answer></answer2></text></head></learner>",
            "fce-released-dataset/prompts/p.xml": "<learner/>",
        },
        [("I am there, it rained.\n\nAnn", "Spanish"), ("Two", "Spanish")],
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
    "probing_amazon": (
        {
            "probing/amazon.jsonl": jsonl(
                {"text": "a", "n_word": 3, "label_n_word": 1, "label": [1, None], "split": ["train", None]}
            ),
            "reviews.json": jsonl({"reviewText": "r"}),
        },
        [("a",)],
    ),
    "STEL_register": (  # both pairs of a row stand together, by what the name says of them
        {
            "style_tasks/stel/dimensions/quad_formal.tsv": STEL_HEADER
            + 'QQ_i-1-f-1_f-2-i-2--1\tu 1 \t"You\n1"\tYou 2\tu 2\tformality\n'
            + "QQ_f-3-i-3_i-2-f-2--0\tYou 3\tu 3\tu 2\tYou 2\tFormality\n"
            + "QQ_s-t1-1-c-1_c-2-s-t1-2--0\tcat\tfeline\tsofa\tseat\tsimplicity\n",
        },
        [
            ("You\n1", "u 1", "formality"),
            ("You 2", "u 2", "formality"),
            ("You 3", "u 3", "formality"),
            ("cat", "feline", "simplicity"),
            ("seat", "sofa", "simplicity"),
        ],
    ),
    "STEL_feature": (
        {
            "style_tasks/stel/characteristics/quad_char.tsv": STEL_HEADER
            + "QQ_ction-0-wiki-0_wiki-73-ction-73--1\tIt's\tIt is\tI am\tI'm\tcontraction\n"
            + "QQ_emoji1-emote1_emote120-emoji120--1\ta \u263a\ta :)\tb :)\tb \u263a\temotives\n"
            + "QQ_sae-0-em-subj-pronoun-0_em-subj-pronoun-1-sae-1--1\ta\tb\tc\td\tem-subj-pronoun\n",
        },
        [
            ("It's", "It is", "contraction"),
            ("I'm", "I am", "contraction"),
            ("a :)", "a \u263a", "emotives"),
            ("b :)", "b \u263a", "emotives"),
        ],
    ),
    "fanfiction": (
        {"fanfiction.jsonl": jsonl(review("u", ["a", "b"], False), review("v", "c", True))},
        [("a", "u", "target"), ("b", "u", "target"), ("c", "v", "query")],
    ),
    "pastel_age": ({"PASTEL/train/1.json": json.dumps(STORY)}, [("One. Two  of it.", "25-34")]),
    "pastel_tod": ({"PASTEL/train/1.json": json.dumps(STORY)}, []),
    "graded_formality": (
        {"tweets.csv": "model,source,input,level1,level2,level3,level4\ngpt,tweet, a,b,c,d,e \ngpt,tweet,a,b, ,d,e\n"},
        [("a", "b", "c", "d", "e", "tweet")],
    ),
    "amazon": (
        {"amazon.jsonl": jsonl(review("u", ["a", "b"], True), {"text": "c", "label": "u"})},
        [("a", "u", "query"), ("b", "u", "query"), ("c", "u", "target")],
    ),
    "StylePTB": (
        {"fulldata.h16": "TFU\nit rains .\nit will rain .\nNSR\na\nb\nATP x\np\nq\n"},
        [("it rains .", "it will rain .", "TFU"), ("p", "q", "ATP")],
    ),
    "parallel_shakespeare": (
        {
            f"style_tasks/shakespeare_aligned/p_{one}.snt.aligned": "\n".join(f"{one} {line}" for line in range(12))
            for one in ("original", "modern")
        },
        [(f"original {one}", f"modern {one}", "all") for one in range(12)],
    ),
    "twitter_aave_sae": (
        {"aave_samples.txt": "a\nb\n\n", "sae_samples.txt": "x\ny\nz\n"},
        [("a", "x", "all"), ("b", "y", "all")],
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
    "eWAVE": (
        {
            "cldf/examples.csv": "ID,Language_ID,Primary_Text\n1,x, a\n2,x,a\n3,y,b\n4,z,c\n5,z,c\n6,x, \n",
            "cldf/languages.csv": "ID,Name\nx,Scottish English\ny,Irish English\n",
        },
        [("a", "x"), ("a", "x")],
    ),
    "pan13_authorship_verification_english_test": (
        {**KNOWN, "GR01/known01.txt": "x", "GR01/unknown.txt": "y", "truth.txt": "EN01 Y\nGR01 N\n"},
        [("a\n\nb", "c", "true")],
    ),
    "pan15_authorship_verification_english_test": (KNOWN, [("a", "c", "true")]),
    "pan20_authorship_verification_test": (
        {
            "pan20-authorship-verification-test.jsonl": jsonl({"id": "1", "pair": ["a", "b"]}),
            "pan20-truth.jsonl": jsonl({"id": "1", "same": False}),
        },
        [("a", "b", "false")],
    ),
    "pan18_style_change": (
        {
            "problem-1.txt": "abcdef",
            "problem-1.truth": '{"changes": true, "positions": [2, 4]}',
            "problem-2.txt": "one two three",
            "problem-2.truth": '{"changes": false, "positions": []}',
            "problem-3.txt": "word ",
            "problem-3.truth": '{"changes": false, "positions": []}',
        },
        [("ab", "cd", "false"), ("one two ", "three", "true")],
    ),
    "pan22_style_change_basic": (CHANGE, [(" One", "Two", "true"), ("Two", "Three", "false")]),
    **{
        f"pan{year}_style_change_{kind}": (CHANGE, [(" One", "Two", "true"), ("Two", "Three", "false")])
        for year, kinds in (
            (22, ("advanced", "sentence")),
            *((year, ("easy", "medium", "hard")) for year in (23, 24, 25, 26)),
        )
        for kind in kinds
    },
    "pan18_cross_domain_authorship_attribution_english": (
        {
            "problem1/candidate1/k.txt": "k",
            "problem1/candidate1/l.txt": "l",
            "problem1/unknown/u.txt": "u",
            "problem1/ground-truth.json": '{"ground_truth": [{"unknown-text": "u.txt", "true-author": "candidate1"}]}',
        },
        [("k\n\nl", "problem1/candidate1", "target"), ("u", "problem1/candidate1", "query")],
    ),
    "enron_authorship_corpus": (
        {
            "A[Y]/known - A - 1.txt": "a",
            "A[Y]/known - A - 2.txt": "b",
            "A[Y]/unknown - A - 3.txt": "c",
            "truth.txt": "A[Y] Y\n",
        },
        [("a\n\nb", "c", "true")],
    ),
}

# Of files that are not UTF-8.
ENCODINGS = {"CEECES1-metadata.txt": "cp1252"} | {
    f"{number}.{rest}.Arts.Leo.xml": "latin-1"
    for number, rest in ((100, "male.14"), (101, "female.25"), (102, "male.41"))
}
