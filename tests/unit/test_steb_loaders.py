"""Each format of STEB's datasets is read as its loader reads it, from files made in that format."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from authbench.errors import InputError
from authbench.format.pan import read_problems
from authbench.style.datasets import find_datasets
from authbench.style.entries import Dataset, LabelledTask, OrderTask, PairsTask, ProbingTask, RetrievalTask
from authbench.style.rows import Rows, read_dataset


def jsonl(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def review(author: str, text: Any, asks: bool) -> dict[str, Any]:
    return {"text": text, "label": author, "is_query": asks}


STORY = {"output.sentences": ["One.", " ", " Two  of it. "], "persona": {"age": "25-34", "tod": "Empty"}}
KNOWN = {"EN01/known01.txt": "a", "EN01/known02.txt": "b", "EN01/unknown.txt": "c", "truth.txt": "EN01 Y\n"}
CHANGE = {
    "problem-1.txt": "One\nTwo\n\nThree\n", "truth-problem-1.json": '{"changes": [0, 1]}',
    "problem-2.txt": "One\nTwo\n", "truth-problem-2.json": '{"changes": [0, 1]}',
}  # fmt: skip
DETECT = json.dumps(
    [{"text": "h", "label": "human", "llm_type": "GPT"}, {"text": "m", "label": "llm", "llm_type": "GPT"}]
)
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
        {"train.tsv": 'NA NE HI\t1\tA "quote\n', "dev.tsv": "IN CM HA\t2\tB\n", "test.tsv": "OTHER\t3\tC\n"},
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
        {"DetectRL/arxiv/arxiv_test.json": DETECT},
        [("h", "human"), ("m", "GPT")],
    ),
    "machine_text_detection_DetectRL_prompt_attacks": (
        {"DetectRL/prompt_attacks/a_test.json": DETECT},
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
        {"dev.jsonl": jsonl({"text": "a", "label": 1, "label_text": "machine-polished"})},
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
        {"DetectRL/paraphrase_attacks/a_test.json": json.dumps([{"text": "x", "label": "other", "llm_type": "GPT"}])},
        [],
    ),
    "endive": (
        {
            "aave/boolq.jsonl": jsonl({"Context": "std", "Dialect (context)": "aave one"}),
            "jame/gsm8k.jsonl": jsonl({"Original": "std", "Dialect (Original)": "jame one"}),
        },
        [("aave one", "aave"), ("jame one", "jame")],
    ),
    "corpus-of-diverse-styles": (
        {"train.jsonl": jsonl({"text": "thou art", "paraphrase": "you are", "label": "bible"})},
        [("thou art", "you are", "bible")],
    ),
    "stackexchange_politeness": (
        {"utterances.jsonl": jsonl(*[{"text": str(one), "meta": {"Binary": one}} for one in (2, 1, None, -1)])},
        [("1", "polite"), ("-1", "impolite")],
    ),
    "masc_text_genre": (
        {"blog/a.txt": "x" * 100, "blog/b.txt": "y" * 199, "jokes/a.txt": "z" * 150},
        [*[("xx", "blog")] * 50, ("\ny", "blog"), *[("yy", "blog")] * 99, *[("z", "jokes")] * 150],
    ),
    "fanfiction": (
        {"fanfiction.jsonl": jsonl(review("u", ["a", "b"], False), review("v", "c", True))},
        [("a", "u", "target"), ("b", "u", "target"), ("c", "v", "query")],
    ),
    "pastel_age": ({"PASTEL/train/1.json": json.dumps(STORY)}, [("One. Two  of it.", "25-34")]),
    "pastel_tod": ({"PASTEL/train/1.json": json.dumps(STORY)}, []),
    "graded_formality": (
        {"tweets.csv": "model,source,input,level1,level2,level3,level4\ngpt,tweet,a,b,c,d,e\n"},
        [("a", "b", "c", "d", "e", "tweet")],
    ),
    "amazon": (
        {"amazon.jsonl": jsonl(review("u", ["a", "b"], True), review("u", "c", False))},
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
        {f"{part}-0.parquet": {"original": [part], "simplifications": [["s"]]} for part in ("test", "validation")},
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
        {f"style_tasks/bible_versions/{one}/Ruth/Ruth1.txt": f"1 And {one}\n2 Same\n" for one in ("ASV", "KJV")},
        [("And ASV", "ASV"), ("And KJV", "KJV")],
    ),
    "wikipedia_politeness": (
        {"utterances.jsonl": jsonl(*[{"text": str(one), "meta": {"Binary": one}} for one in (1, 0, -1)])},
        [("1", "polite"), ("0", "neutral"), ("-1", "impolite")],
    ),
    "eWAVE": (
        {"cldf/examples.csv": "ID,Language_ID,Primary_Text\n1,x,a\n2,x,a\n3,y,b\n"},
        [("a", "x"), ("a", "x")],
    ),
    "pan13_authorship_verification_english_test": (KNOWN, [("a\n\nb", "c", "true")]),
    "pan15_authorship_verification_english_test": (KNOWN, [("a", "c", "true")]),
    "pan20_authorship_verification_test": (
        {
            "pan20-pairs.jsonl": jsonl({"id": "1", "pair": ["a", "b"]}),
            "pan20-truth.jsonl": jsonl({"id": "1", "same": False}),
        },
        [("a", "b", "false")],
    ),
    "pan18_style_change": (
        {"problem-1.txt": "abcdef", "problem-1.truth": '{"changes": true, "positions": [2, 4]}'},
        [("ab", "cd", "false")],
    ),
    "pan22_style_change_basic": (CHANGE, [("One", "Two", "true"), ("Two", "Three", "false")]),
    **{
        f"pan{year}_style_change_{kind}": (CHANGE, [("One", "Two", "true"), ("Two", "Three", "false")])
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
        [
            ("k", "problem1/candidate1", "target"),
            ("l", "problem1/candidate1", "target"),
            ("u", "problem1/candidate1", "query"),
        ],
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


# Tasks that STEB's configurations declare for datasets whose names fit; of the whole of the paper's table 15.
BOTH = ("clustering", "all_to_all")
TASKS = {
    r"(Synth)?STEL_\w+|StylePTB|graded_formality|OneStop\w+|ASSET|parallel_\w+|twitter_\w+": ("order_alignment",),
    r"corpus-of-diverse-styles": (*BOTH, "order_alignment"),
    r"\w+_politeness|core|x_genre|masc_text_genre|bible_versions|ceeces|blog_(age|gender)|fce_l1|pastel_\w+": BOTH,
    r"eWAVE|endive|hate_speech\w*|sms_spam|enron_spam|telegram-spam-ham": BOTH,
    r"gede_\w+|machine_text_detection_\w+": ("clustering",),
    r"pan(13|14|15|20|21)_authorship_verification_\w*test|pan\d+_style_change\w*|enron_authorship_corpus": (
        "predefined",
    ),
    r"pan18_cross_domain_\w+|amazon|fanfiction|stackexchange_retrieval": ("retrieval",),
    r"probing_\w+": ("probing",),
}


def test_every_dataset_of_theirs_has_the_tasks_of_its_configuration() -> None:
    theirs = {entry.name: entry.in_steb for entry in find_datasets(["all"]) if entry.in_steb}
    for name, entry in theirs.items():
        [tasks] = [tasks for pattern, tasks in TASKS.items() if re.fullmatch(pattern, name)]
        assert tuple(entry.tasks) == tasks, name
    assert len(theirs) == 113


def put(folder: Path, dataset: str, files: Mapping[str, Any]) -> Dataset:
    """Write files below the dataset's folder, or where their names say for those that share one."""
    [entry] = find_datasets([dataset])
    for name, content in files.items():
        shared = entry.rows.folder and name.startswith(entry.rows.folder)
        path = folder / name if shared else folder / dataset / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        else:
            pl.DataFrame(content).write_parquet(path)
    return entry


def rows_of(entry: Dataset, rows: Rows) -> list[tuple[Any, ...]]:
    """Return texts and labels of the last task in their protocol, so that an order is looked at where there is one."""
    assert entry.in_steb and rows.steb
    settings = list(entry.in_steb.tasks.values())[-1]
    frame = rows.steb.frame
    match settings:
        case LabelledTask(text, label):
            return frame.select(text, label).drop_nulls().rows()
        case PairsTask(first, second, same):
            return frame.select(first, second, same).drop_nulls().rows()
        case OrderTask(levels, style):
            return frame.select(*levels, pl.col(style) if style else pl.lit("all").alias("style")).rows()
        case RetrievalTask(text, author, role):
            return frame.select(text, author, role).drop_nulls().rows()
        case ProbingTask(text):
            return frame.select(text).rows()
    raise AssertionError(settings)


@pytest.mark.parametrize("dataset", FORMATS)
def test_a_file_of_each_format_is_read_as_their_loader_reads_it(dataset: str, tmp_path: Path) -> None:
    files, expected = FORMATS[dataset]
    entry = put(tmp_path, dataset, files)
    assert rows_of(entry, read_dataset(entry, tmp_path)) == list(expected)


def test_every_form_of_file_that_an_entry_reads_is_tried_or_made_here() -> None:
    met, untried = set(), {}
    for entry in find_datasets(["all"]):
        for entry_of in filter(None, (entry, entry.in_steb)):
            for table in entry_of.all_tables.values():
                form = repr(table.reader)
                if entry.tried or entry.name in FORMATS:
                    met.add(form)
                else:
                    untried.setdefault(form, entry.name)
    assert len(met) > 10 and {name for form, name in untried.items() if form not in met} == set()


def test_every_task_of_an_entry_finds_its_columns_in_both_protocols(tmp_path: Path) -> None:
    for dataset, (files, _) in FORMATS.items():
        entry = put(tmp_path, dataset, files)
        rows = read_dataset(entry, tmp_path)
        for one, frame in ((entry, rows.frame), (entry.in_steb, rows.steb and rows.steb.frame)):
            assert one is not None and frame is not None
            for settings in one.tasks.values():
                names = {
                    name
                    for name in (getattr(settings, field, None) for field in ("text", "label", "author", "role"))
                    if name
                }
                names |= set(getattr(settings, "levels", ()))
                assert names <= set(frame.columns), dataset


def test_a_table_that_cannot_be_read_shows_the_reader_s_own_message_and_line(tmp_path: Path) -> None:
    lines = ["text_type,text", *["ham"] * 60]
    entry = put(tmp_path, "telegram-spam-ham", {"dataset.csv": "\n".join(lines) + "\n"})
    with pytest.raises(InputError, match=r"60 of 60 rows .*The first: dataset\.csv, line 2: .+") as told:
        read_dataset(entry, tmp_path)
    assert "config/style/telegram-spam-ham.yaml" in str(told.value)


@pytest.mark.parametrize("year", [22, 23])
def test_pairs_across_discourse_types_are_read_in_pan_s_form(year: int, tmp_path: Path) -> None:
    """The form of PAN 2022 and 2023: discourse types where 2020 has fandoms, tags in the texts."""
    rows = [(str(one), f"<new>an essay {one}<nl>", f"an email {one}", one % 2 == 0) for one in range(4)]
    kinds = ["essay", "email"]
    pairs = jsonl(*[{"id": one, "discourse_types": kinds, "pair": list(texts)} for one, *texts, _ in rows])
    truth = jsonl(*[{"id": one, "same": same, "authors": ["en_1", "en_2"]} for one, *_, same in rows])
    name = f"pan{year}_authorship_verification"
    entry = put(tmp_path, name, {"pairs.jsonl": pairs, "truth.jsonl": truth})
    frame = read_dataset(entry, tmp_path).frame
    assert set(frame.select("first", "second", "same").rows()) == {
        (*texts, "true" if same else "false") for _, *texts, same in rows
    }
    problems = read_problems(tmp_path / name)
    assert problems["topic1"].to_list() == ["essay"] * 4 and problems["topic2"].to_list() == ["email"] * 4
    assert problems["same"].to_list() == [same for *_, same in rows]
