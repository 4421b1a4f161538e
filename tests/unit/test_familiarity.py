"""Does the loss of a language model tell the texts that it has read?"""

import json
import random
import string

import numpy as np
import polars as pl
import pytest
from extras import needs
from hypothesis import given
from hypothesis import strategies as st
from scored_release import evaluated, write_scored_release
from tiny_checkpoint import settings, write_checkpoint, write_language_model

from authbench.app.config import prepare
from authbench.core.errors import InputError
from authbench.models.entries import expect_language_model
from authbench.models.requested import load_model
from authbench.scoring.evaluation.familiarity import (
    CONTROLS,
    bits_of_sentences,
    judge_familiarity,
    measure_familiarity,
    shares,
)

KNOWN = 2


def drawn_text(seed):
    """Return sentences of random letters, which nobody predicts who has not read them."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices(string.ascii_lowercase, k=50)).capitalize() + "." for _ in range(5))


@pytest.fixture(scope="module")
def language_model(tmp_path_factory):
    """The folder of a small language model that has read the texts 0 to KNOWN many times."""
    folder = tmp_path_factory.mktemp("language_model")
    write_language_model(folder, [drawn_text(seed) for seed in range(KNOWN)])
    return folder


def documents(texts, **columns):
    return pl.DataFrame({"id": [f"{row:03}" for row in range(len(texts))], "content": texts, "lang": "en", **columns})


@needs("transformers", "models")
def test_texts_that_a_language_model_has_read_are_familiar_and_no_others(language_model):
    texts = [drawn_text(seed) for seed in range(KNOWN + CONTROLS)] + ["Short. Too short."]
    stated = ["classic"] * KNOWN + ["none"] * (CONTROLS + 1)
    found = measure_familiarity(documents(texts, fame=stated), load_model(str(language_model)))
    bits = found["bits"].to_numpy()
    assert bits[:KNOWN].max() < 0.1 * bits[KNOWN:-1].min()
    assert found["fame"][:KNOWN].to_list() == ["familiar"] * KNOWN
    assert (found["fame"][KNOWN:] == "familiar").sum() < 0.05 * CONTROLS
    assert found["bits"][-1] is None and found["fame"][-1] is None
    assert shares(found).rows()[0] == ("en", "classic", KNOWN, 1.0)


@needs("transformers", "models")
def test_no_text_is_measured_where_there_is_none(language_model):
    assert measure_familiarity(documents([]).cast({"content": pl.String}), load_model(str(language_model))).is_empty()


@needs("transformers", "models")
def test_the_bits_of_a_text_do_not_depend_on_the_others(language_model):
    model, texts = load_model(str(language_model)), [drawn_text(seed) * length for seed, length in enumerate((1, 3, 2))]
    together = measure_familiarity(documents(texts), model)["bits"]
    apart = [measure_familiarity(documents([text]), model)["bits"][0] for text in texts]
    assert together.to_numpy() == pytest.approx(np.array(apart), rel=1e-4)


@needs("transformers", "models")
def test_scores_have_a_slice_of_familiar_texts(language_model, tmp_path):
    release = write_scored_release(tmp_path / "release", authors=24)
    for path in (release / "test").glob("*.jsonl"):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            if "content" in row:
                ident = row.get("query_id", row.get("candidate_id"))
                row["content"] = drawn_text(0 if int(ident[-3:]) % 40 == 1 else ident)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--unverified", "--familiarity", str(language_model)]
    evaluated(release, tmp_path / "out", "random", options=options)
    scores = json.loads((tmp_path / "out/random/scores.json").read_text())
    assert scores["by_fame"].keys() == {"familiar", "unfamiliar"}
    assert scores["by_fame"]["familiar"]["queries"] < scores["by_fame"]["unfamiliar"]["queries"]


@needs("transformers", "models")
def test_a_checkpoint_without_the_weights_of_a_language_model_is_refused(tmp_path):
    write_checkpoint(tmp_path / "headless", "qwen3")
    with pytest.raises(InputError, match="lm_head"):
        bits_of_sentences(settings(tmp_path / "headless"), [drawn_text(1)])


@pytest.mark.parametrize("name", ["tfidf", "bert-base-uncased", "e5-large-v2"])
def test_a_model_that_predicts_no_text_is_refused_before_a_run(name, tmp_path):
    with pytest.raises(InputError, match=name):
        expect_language_model(load_model(name))
    with pytest.raises(InputError, match=f"evaluate.familiarity: {name}"):
        prepare({"evaluate": {"familiarity": name}}, tmp_path, need_files=False)


def test_a_language_model_of_the_registry_is_accepted():
    assert expect_language_model(load_model("gpt2-xl")).checkpoint == "openai-community/gpt2-xl"


BITS = st.one_of(st.none(), st.floats(0.1, 9))


@given(
    st.lists(st.tuples(st.sampled_from(["en", "hi"]), st.sampled_from(["classic", "none", None]), BITS), max_size=200),
    st.randoms(use_true_random=False),
)
def test_at_most_a_twentieth_of_the_controls_of_a_language_is_familiar(rows, chance):
    texts = pl.DataFrame(rows, {"lang": pl.String, "stated": pl.String, "bits": pl.Float64}, orient="row")
    found = judge_familiarity(texts)
    for lang in ("en", "hi"):
        of_language = found.filter(lang=lang).drop_nulls("bits")
        controls = of_language.filter(pl.col("stated").ne_missing("classic"))
        assert (controls["fame"] == "familiar").sum() <= 0.05 * controls.height
        assert of_language["fame"].null_count() == (of_language.height if controls.height < CONTROLS else 0)
    order = list(range(len(rows)))
    chance.shuffle(order)
    assert judge_familiarity(texts[order]).equals(found[order])
