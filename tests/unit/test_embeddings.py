"""Claims about transformers, long texts and the vectors that are kept."""

import shutil

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from shared_folders import oracle
from small_split import a_split
from tiny_checkpoint import settings

from authbench.core.errors import InputError
from authbench.models import cache, transformer
from authbench.models.cache import embed_new
from authbench.models.checkpoint import checkpoint_path, load_checkpoint
from authbench.models.entries import ModelEntry
from authbench.models.model import expect_finite, unit
from authbench.models.open import open_model
from authbench.models.transformer import means, most_tokens, pack

TEXTS = [f"text number {k} " + "word " * (k % 7) for k in range(25)]


def vector_of(text):
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0]


class Counting:
    """An encoder that remembers what it was asked."""

    def __init__(self, fail_after=None):
        self.asked, self.fail_after = [], fail_after

    def __call__(self, texts):
        if self.fail_after is not None and len(self.asked) >= self.fail_after:
            raise KeyboardInterrupt
        self.asked += texts
        return np.array([vector_of(text) for text in texts], np.float32)


def test_the_oracle_of_chunk_and_pool_holds():
    reference = oracle("chunk_and_pool")
    for case in reference["cases"]:
        parts = pack(case["sentence_tokens"], case["limit"])
        assert [[list(piece) for piece in part] for part in parts] == case["chunks"]
        assert [sum(past - first for _, first, past in part) for part in parts] == case["chunk_tokens"]
        vectors = np.array(case["chunk_embeddings"])
        if not len(vectors):
            continue
        mean = means(vectors, [0] * len(vectors), 1)
        assert mean[0] == pytest.approx(case["mean_pool"], abs=1e-6)
        assert unit(mean)[0] == pytest.approx(case["mean_pool_then_l2"], abs=1e-6)


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 12))
def test_parts_hold_every_token_once_in_order_and_keep_to_the_limit(sentences, limit):
    parts = pack(sentences, limit)
    held = [(sentence, token) for part in parts for sentence, first, past in part for token in range(first, past)]
    assert held == [(sentence, token) for sentence, tokens in enumerate(sentences) for token in range(tokens)]
    assert all(0 < sum(past - first for _, first, past in part) <= limit for part in parts)


def test_only_new_texts_are_embedded_and_equal_texts_once(tmp_path):
    first = Counting()
    embed_new([*TEXTS[:10], *TEXTS[:10]], tmp_path / "one", {}, first, half=False)
    assert sorted(first.asked) == sorted(TEXTS[:10])
    second = Counting()
    found = embed_new(TEXTS, tmp_path / "one", {}, second, half=False)
    assert sorted(second.asked) == sorted(TEXTS[10:])
    assert found.tolist() == [vector_of(text) for text in TEXTS]


def test_what_was_embedded_before_a_kill_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "AT_ONCE", 5)
    with pytest.raises(KeyboardInterrupt):
        embed_new(TEXTS, tmp_path / "one", {}, Counting(fail_after=10), half=False)
    again = Counting()
    found = embed_new(TEXTS, tmp_path / "one", {}, again, half=False)
    assert len(again.asked) == len(TEXTS) - 10
    assert found.tolist() == [vector_of(text) for text in TEXTS]


def test_vectors_of_other_settings_are_never_taken(tmp_path):
    embed_new(TEXTS, tmp_path / "one", {"prompt": "query: "}, Counting(), half=False)
    others = Counting()
    embed_new(TEXTS, tmp_path / "one", {"prompt": ""}, others, half=False)
    assert sorted(others.asked) == sorted(TEXTS)


def test_vectors_in_sixteen_bits_are_given_as_they_are_kept(tmp_path):
    fresh = embed_new(
        TEXTS, tmp_path / "one", {}, lambda texts: np.array([[1 / 3]] * len(texts), np.float32), half=True
    )
    kept = embed_new(TEXTS, tmp_path / "one", {}, Counting(), half=True)
    assert (fresh == kept).all()
    assert fresh[0, 0] == np.float16(1 / 3)


@pytest.mark.parametrize("made", [np.asarray, csr_matrix])
def test_a_text_whose_vector_is_not_of_numbers_is_named(made):
    rows = np.array([[0, 1], [0, 0], [np.inf, 0], [1, 0], [np.nan, np.nan]], np.float32)
    ids = pl.Series(["a", "b", "c", "d", "e"])
    with pytest.raises(InputError, match=r"2 of 5 texts.*\(c, e\)"):
        expect_finite(made(rows), ids, "model")
    stored = made(np.nan_to_num(rows))
    stored[0, 1] = 0  # a CSR matrix goes on storing it
    expect_finite(stored, ids, "model")


def test_vectors_that_are_not_numbers_are_not_kept(tmp_path):
    with pytest.raises(InputError, match="not numbers"):
        embed_new(TEXTS, tmp_path / "one", {}, lambda texts: np.full((len(texts), 2), np.nan, np.float32), half=False)
    assert not list(tmp_path.rglob("*.parquet"))


def model_of(parameters):
    return open_model(ModelEntry("tiny", "tiny", "embedding", "transformer", parameters))


def embed(texts, parameters, prompt=""):
    """Return vectors as the checkpoint gives them."""
    return transformer.embed(load_checkpoint(parameters), texts, parameters, prompt)


WORDS = ["abc de", "fgh ij klm no. pq rst", "uv", "the quick brown fox. jumps over. the lazy dog. " * 3]


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_pooling_takes_what_it_says_of_the_last_hidden_states(checkpoint, pooling):
    import torch
    from transformers import AutoModel, AutoTokenizer

    found = embed(WORDS[:3], settings(checkpoint, pooling=pooling), "")
    tokenizer, model = AutoTokenizer.from_pretrained(checkpoint), AutoModel.from_pretrained(checkpoint).eval()
    for text, vector in zip(WORDS, found, strict=False):
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        wanted = {"mean": states.mean(axis=0), "cls": states[0], "last": states[-1]}[pooling]
        assert vector == pytest.approx(wanted, abs=1e-5)


def test_labels_of_a_classifier_are_vectors_of_their_probabilities(checkpoint, tmp_path):
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(2)
    model = BertForSequenceClassification(BertConfig.from_pretrained(checkpoint, num_labels=5)).eval()
    model.save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.save_pretrained(tmp_path)
    found = embed(WORDS, settings(tmp_path, pooling="labels", long_texts="chunk_and_pool"), "")
    assert found.shape == (len(WORDS), 5)
    for text, vector in zip(WORDS[:3], found, strict=False):
        with torch.inference_mode():
            wanted = model(**tokenizer(text, return_tensors="pt")).logits[0].sigmoid().numpy()
        assert vector == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("long_texts", ["truncate", "chunk_and_pool"])
def test_what_else_is_in_a_batch_does_not_show(checkpoint, long_texts):
    chosen = settings(checkpoint, long_texts=long_texts)
    together = embed(WORDS, chosen, "")
    alone = np.concatenate([embed([text], chosen, "") for text in WORDS])
    assert together == pytest.approx(alone, abs=1e-5)


def test_a_long_text_is_cut_or_pooled_as_asked(checkpoint, capsys):
    transformer.say_once.cache_clear()
    [cut], [pooled] = (
        embed(WORDS[3:], settings(checkpoint, long_texts=mode), "") for mode in ("truncate", "chunk_and_pool")
    )
    [start] = embed(["the quick brown fox. jumps over."], settings(checkpoint), "")
    assert cut == pytest.approx(start, abs=0.2)
    assert not np.allclose(cut, pooled, atol=1e-4)
    assert "1 of 1 texts are cut at" in capsys.readouterr().err


def test_late_interaction_is_the_mean_of_best_matches_and_refuses_what_it_cannot_hold(checkpoint, monkeypatch):
    chosen = settings(checkpoint, interaction="late")
    split = a_split(
        ["d1", "d2", "d3"], ["d1"], {"d1": ["d2"]}, content=dict(zip(["d1", "d2", "d3"], WORDS, strict=False))
    )
    found = model_of(chosen).compare(split.documents, split.candidates, split.asks)(0, 1)
    vectors = transformer.embed_tokens(load_checkpoint(chosen), WORDS[:3], chosen, "", 1_000)
    tokens = [rows.astype(float) for rows in vectors]
    wanted = [(tokens[0] @ other.T).max(axis=1).mean() for other in tokens]
    assert found[0] == pytest.approx(wanted, abs=1e-3)
    monkeypatch.setattr(transformer, "MOST_TOKENS", 3)
    with pytest.raises(InputError, match="too many for late interaction"):
        model_of(chosen).compare(split.documents, split.candidates, split.asks)


def test_a_batch_that_does_not_fit_is_halved(checkpoint, monkeypatch, capsys):
    import torch

    together, forward = embed(WORDS * 3, settings(checkpoint)), transformer._forward

    def small(model, batch, prompted):
        if len(batch) > 2:
            raise torch.OutOfMemoryError
        return forward(model, batch, prompted)

    monkeypatch.setattr(transformer, "_forward", small)
    assert embed(WORDS * 3, settings(checkpoint)) == pytest.approx(together, abs=1e-5)
    assert "going on with batches of" in capsys.readouterr().err


def test_a_prompt_changes_the_vector_and_what_names_its_folder(checkpoint):
    chosen = settings(checkpoint)
    asking = settings(checkpoint, document_prompt="query")
    assert not np.allclose(embed(WORDS[:1], chosen, "query"), embed(WORDS[:1], chosen), atol=1e-4)
    assert model_of(asking).identity() != model_of(chosen).identity()
    assert model_of(settings(checkpoint, pooling="cls")).identity() != model_of(chosen).identity()


def test_other_weights_under_the_same_path_have_another_identity(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    before = model_of(settings(copy)).identity()["weights"]
    weights = bytearray((copy / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (copy / "model.safetensors").write_bytes(weights)
    assert model_of(settings(copy)).identity()["weights"] != before


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_a_checkpoint_without_safetensors_or_config_is_told(checkpoint, tmp_path, file):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    (copy / file).unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        embed(WORDS, settings(copy), "")


def test_a_package_that_is_not_there_is_told():
    with pytest.raises(InputError, match="no_such_module, which is not installed"):
        checkpoint_path("package:no_such_module/model")


def test_a_checkpoints_own_length_is_the_least_that_tokenizer_and_config_state(checkpoint):
    own = settings(checkpoint, max_tokens=0)
    loaded = load_checkpoint(own)
    assert most_tokens(loaded, own) == 64
    given = settings(checkpoint, max_tokens=64)
    texts = ["a b c. " * 60]
    assert (embed(texts, own, "") == embed(texts, given, "")).all()
    assert (embed(texts, own, "") != embed(texts, settings(checkpoint, max_tokens=32), "")).any()
    loaded.tokenizer.model_max_length, before = int(1e30), loaded.tokenizer.model_max_length
    try:
        assert most_tokens(loaded, own) == 64
    finally:
        loaded.tokenizer.model_max_length = before
