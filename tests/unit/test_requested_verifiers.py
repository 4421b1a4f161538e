"""Claims about verifiers by the cosine of any model that a user names, in PAN and RAVEN."""

import json

import numpy as np
import polars as pl
import pytest

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.models.open import open_model
from authbench.models.requested import load_model
from authbench.scoring.verifiers import Bench, answer
from authbench.scoring.verifiers.requested import files_behind, load_verifier, load_verifiers
from authbench.suites.raven.encoders import load_encoder

TEXTS = [
    f"{word} {word} and some more words of the {word} kind, number {k}" for k in range(6) for word in ("sun", "moon")
]
PAIRS = pl.DataFrame(
    {"text1": TEXTS[:-2], "text2": TEXTS[2:]}
    | {"id": [f"p{k}" for k in range(10)], "same": [k % 2 == 0 for k in range(10)]}
).with_columns(text2=pl.when("same").then("text2").otherwise(pl.lit("something else, said quite otherwise")))


def write_vectors(folder):
    """Write the vectors of a model by the digests of the texts; return how a user names them."""
    texts = sorted({*PAIRS["text1"], *PAIRS["text2"]})
    documents = pl.DataFrame({"id": texts, "content": texts, "lang": "", "genre": "", "source": "", "token_length": 1})
    rows = open_model(load_model("function-counts", folder)).embed(documents)
    np.savez(folder / "given.npz", ids=np.array([sha256_of_text(text) for text in texts]), vectors=rows)
    return f"vectors={folder / 'given.npz'}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    body = "return np.array([[text.count('s'), text.count('m'), 1.0] for text in texts])"
    (tmp_path / "own_counts.py").write_text(f"import numpy as np\ndef encode(texts):\n    {body}\n")
    (tmp_path / "config/models").mkdir(parents=True)
    entry = "{title: counts, group: other, kind: function, parameters: {function: 'own_counts:encode'}}"
    (tmp_path / "config/models/function-counts.yaml").write_text(entry)
    return tmp_path


def test_vectors_answer_pairs_as_their_model_does(folder):
    answers = [
        answer(load_verifier(name), PAIRS, PAIRS, PAIRS, Bench(0, folder / "work"))
        for name in ("own_counts:encode", "function-counts", write_vectors(folder))
    ]
    assert answers[0].equals(answers[1])
    assert answers[0]["value"].to_numpy() == pytest.approx(answers[2]["value"].to_numpy(), abs=1e-6)
    assert answers[0]["value"].n_unique() > 1


def test_pan_run_takes_vectors_and_functions(folder):
    (folder / "pairs").mkdir()
    for file, row in (
        ("pairs", lambda one: {"id": one["id"], "pair": [one["text1"], one["text2"]], "fandoms": ["a", "b"]}),
        ("truth", lambda one: {"id": one["id"], "same": one["same"], "authors": ["x", "y"]}),
    ):
        lines = "".join(json.dumps(row(one)) + "\n" for one in PAIRS.iter_rows(named=True))
        (folder / f"pairs/{file}.jsonl").write_text(lines)
    data = ["--train", "pairs", "--test", "pairs", "--out", "answers"]
    given = write_vectors(folder)
    assert main(["pan", "run", *data, "--verifier", given, "--verifier", "own_counts:encode"]) == 0
    values = [
        [json.loads(line)["value"] for line in (folder / f"answers/{name}/answers.jsonl").read_text().splitlines()]
        for name in ("given", "own_counts.encode")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-6)


def test_vectors_that_lack_a_text_are_told(folder):
    verifier = load_verifier(write_vectors(folder))
    other = PAIRS.with_columns(text2=pl.lit("a text that nobody has embedded"))
    with pytest.raises(InputError, match=r"given.npz: has no vector of"):
        answer(verifier, PAIRS, PAIRS, other, Bench(0, folder / "work"))


def test_what_has_no_vectors_is_no_verifier_and_no_encoder(folder):
    (folder / "mine.run").write_text("")
    for load in (load_verifier, load_encoder):
        with pytest.raises(InputError, match="a run file, which gives no text a vector"):
            load("run=mine.run")
    with pytest.raises(InputError, match="reads a text's language or source"):
        load_verifier("metadata")
    with pytest.raises(InputError, match="there is no verifier 'naiv'.*did you mean 'naive'"):
        load_verifier("naiv")


def test_names_of_verifiers_come_before_names_of_models(folder):
    assert load_verifier("stylometric").parameters == load_verifier("stylometric").parameters
    assert load_verifier("naive").kind == "naive"
    assert load_verifier("function-counts").kind == "model"


def test_two_verifiers_of_one_name_are_refused(folder):
    (folder / "naive.yaml").write_text("{title: another, kind: naive}")
    with pytest.raises(InputError, match="two verifiers are called 'naive'"):
        load_verifiers(["naive", "naive.yaml"])


def test_the_files_behind_a_verifier_are_those_of_its_vectors_or_of_its_code(folder):
    given = write_vectors(folder)
    assert files_behind(load_verifier(given)) == ["given.npz"]
    assert files_behind(load_verifier("own_counts:encode")) == [str(folder.resolve() / "own_counts.py")]
    assert files_behind(load_verifier("naive")) == []


def test_vectors_by_id_give_topics_theirs(folder):
    encoder = load_encoder(write_vectors(folder))
    assert encoder.name == "given"
    assert encoder.files == ["given.npz"]
