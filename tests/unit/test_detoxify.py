"""How toxic does Detoxify find a text? With a tiny random model in the package's own checkpoint format."""

import hashlib
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases
from extras import needs
from killed_scoring import KILLS

from authbench.build.safety import BATCH, ScoreStore, make_scorers, score_texts
from authbench.build.safety.detoxify_scorer import DetoxifyScorer, load_detoxify, weights_mark
from authbench.core.errors import InputError

pytestmark = needs("detoxify", extra="toxicity")

WORDS = ["good", "bad", "day", "night", "fish", "bird"]
LABELS = ["toxic", "severe_toxic", "obscene"]
TEXTS = ["good day", "bad " * 30, "fish", "", "bird night bad " * 5, "unseen words", "good " * 12, "night"]


class Code:
    """Something that a checkpoint must not make us run."""

    def __reduce__(self):
        return (print, ("run",))


@pytest.fixture(scope="module", autouse=True)
def torch():
    return importlib.import_module("torch")


@pytest.fixture(scope="module")
def folder(torch, tmp_path_factory):
    """A checkpoint of three labels and a fourth output, beside the configuration and the tokenizer."""
    from transformers import BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("model")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]) + "\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True})
    )
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=5 + len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64, num_labels=4, initializer_range=0.8,
    )  # fmt: skip
    config.save_pretrained(folder)
    model = BertForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.bias, std=1.0)
    with torch.no_grad():
        model.classifier.bias[3] = 50.0
    save(folder / "tiny.ckpt", folder, model.state_dict())
    return folder


def save(path, folder, state_dict, **more):
    import torch

    arguments = {
        "model_type": str(folder),
        "model_name": "BertForSequenceClassification",
        "tokenizer_name": "BertTokenizer",
        "num_classes": 4,
    }
    config = {"arch": {"args": arguments}, "dataset": {"args": {"classes": LABELS}}}
    torch.save({"config": config, "state_dict": state_dict, **more}, path)


@pytest.fixture(scope="module")
def scorer(folder):
    return load_detoxify(checkpoint=folder / "tiny.ckpt", huggingface_config_path=folder, max_tokens=32)


def test_scores_are_the_highest_of_the_packages_own_labels(folder, scorer):
    from detoxify import Detoxify

    package = Detoxify(checkpoint=str(folder / "tiny.ckpt"), huggingface_config_path=str(folder))
    package.tokenizer.model_max_length = 32
    expected = [max(package.predict(text).values()) for text in TEXTS]
    assert scorer.score(TEXTS, ["en"] * len(TEXTS)) == pytest.approx(expected, abs=1e-5)
    assert len({round(score, 3) for score in expected}) > 3
    assert max(expected) < 0.9999  # the fourth output is no label


def test_scores_do_not_depend_on_the_batch(folder, scorer):
    alone = [scorer.score([text], ["en"])[0] for text in TEXTS]
    for size in (1, 3, 32):
        other = load_detoxify(checkpoint=folder / "tiny.ckpt", max_tokens=32, batch_size=size)
        assert other.score(TEXTS, ["en"] * len(TEXTS)) == pytest.approx(alone, abs=1.1e-5)
    assert scorer.score(TEXTS[::-1], ["en"] * len(TEXTS))[::-1] == pytest.approx(alone, abs=1.1e-5)
    assert scorer.score([], []) == []


def test_a_run_that_is_killed_ten_times_scores_at_most_a_batch_anew_each_time(folder, scorer, tmp_path):
    texts = [" ".join([WORDS[number % 6], WORDS[number // 6 % 6], *["fish"] * (number % 7), str(number)])
             for number in range(24 * BATCH)]  # fmt: skip
    (tmp_path / "texts").write_text("\n".join(texts))
    command = [sys.executable, str(Path(__file__).with_name("killed_scoring.py")), str(tmp_path)]
    subprocess.run([*command, str(folder / "tiny.ckpt"), str(tmp_path / "texts")], check=True, timeout=600)
    scored = (tmp_path / "said").stat().st_size
    assert len(texts) <= scored <= len(texts) + KILLS * BATCH
    kept = ScoreStore(tmp_path / "scores.parquet")
    some = texts[:: BATCH // 2]
    assert score_texts([Never(**vars(scorer))], texts, ["en"] * len(texts), kept)
    assert score_texts([scorer], some, ["en"] * len(some), kept) == score_texts([scorer], some, ["en"] * len(some))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["said", "scores.parquet", "texts"]


class Never(DetoxifyScorer):
    """A scorer that must not be asked."""

    def score(self, texts, langs):
        raise AssertionError(f"{len(texts)} texts have no score yet")


def test_only_the_first_max_tokens_are_read(folder, scorer):
    short = load_detoxify(checkpoint=folder / "tiny.ckpt", max_tokens=8)
    head = "good fish bird day night bad"
    assert short.score([head + " bad bad"], ["en"]) == short.score([head], ["en"])
    assert scorer.score([head + " bad bad"], ["en"]) != scorer.score([head], ["en"])
    assert scorer.score(["bad " * 500], ["en"])[0] <= 1.0


def test_the_identity_names_weights_versions_and_limit(torch, folder, scorer, tmp_path):
    assert hashlib.sha256((folder / "tiny.ckpt").read_bytes()).hexdigest() in scorer.identity
    assert f"torch {torch.__version__}" in scorer.identity and "tokens 32" in scorer.identity
    assert load_detoxify(checkpoint=folder / "tiny.ckpt", max_tokens=8).identity != scorer.identity
    weights = torch.load(folder / "tiny.ckpt", weights_only=True)["state_dict"]
    save(tmp_path / "other.ckpt", folder, {**weights, "classifier.bias": weights["classifier.bias"] + 1})
    other = load_detoxify(checkpoint=tmp_path / "other.ckpt", huggingface_config_path=folder, max_tokens=32)
    assert other.identity != scorer.identity


def test_other_weights_of_the_same_size_in_the_same_place_have_another_mark(torch, folder, tmp_path):
    weights = torch.load(folder / "tiny.ckpt", weights_only=True)["state_dict"]
    marks = set()
    for more in (0, 0, 1):
        first = next(iter(weights))
        save(tmp_path / "one.ckpt", folder, {**weights, first: weights[first] + more})
        marks.add(weights_mark(tmp_path / "one.ckpt"))
    assert len(marks) == 2


def test_the_settings_make_the_scorer_and_say_which_languages_it_was_made_for(folder):
    settings = {
        "model": "multilingual", "checkpoint": str(folder / "tiny.ckpt"), "huggingface_config_path": str(folder),
        "device": "cpu", "batch_size": 4, "max_tokens": 16,
    }  # fmt: skip
    both = make_scorers({"scorers": ["wordlist", "detoxify"], "detoxify": settings})
    assert both[1].languages == {"en", "es", "fr", "it", "pt", "ru", "tr"}
    assert 0 < both[1].score(["good"], ["en"])[0] < 1


def test_a_file_that_holds_more_than_weights_is_not_unpickled(folder, tmp_path, capsys):
    save(tmp_path / "code.ckpt", folder, {}, extra=Code())
    with pytest.raises(InputError, match="could run code"):
        load_detoxify(checkpoint=tmp_path / "code.ckpt", huggingface_config_path=folder)
    assert capsys.readouterr().out == ""


def test_a_file_that_holds_more_is_loaded_only_under_its_whole_sha256(torch, folder, tmp_path, capsys, monkeypatch):
    weights = torch.load(folder / "tiny.ckpt", weights_only=True)["state_dict"]
    path = tmp_path / "code.ckpt"
    save(path, folder, weights, extra=Code())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    # the first eight digits of a published file's SHA-256 can be had by trying
    monkeypatch.setattr("detoxify.detoxify.MODEL_URLS", {"original": f"https://example.org/one-{digest[:8]}.ckpt"})
    for declared in (None, "0" * 64, digest[:8]):
        with pytest.raises(InputError, match=rf"^[^\n]*{digest}[^\n]*$"):
            load_detoxify(checkpoint=path, huggingface_config_path=folder, max_tokens=32, sha256=declared)
        assert capsys.readouterr().out == ""
    load_detoxify(checkpoint=path, huggingface_config_path=folder, max_tokens=32, sha256=digest)
    assert capsys.readouterr().out == "run\n"


def test_a_checkpoint_that_lacks_a_weight_is_refused(torch, folder, tmp_path):
    weights = torch.load(folder / "tiny.ckpt", weights_only=True)["state_dict"]
    del weights["classifier.weight"]
    save(tmp_path / "part.ckpt", folder, weights)
    with pytest.raises(InputError, match="lacks 1 weights .* classifier.weight"):
        load_detoxify(checkpoint=tmp_path / "part.ckpt", huggingface_config_path=folder, max_tokens=32)


@cases
def test_an_unfit_setting_is_named(folder, change, named):
    settings = {"checkpoint": folder / "tiny.ckpt", "huggingface_config_path": folder, "max_tokens": 32}
    with pytest.raises(InputError, match=named):
        load_detoxify(**(settings | change))


def test_a_file_of_another_format_is_refused(torch, tmp_path):
    torch.save({"weights": torch.zeros(1)}, tmp_path / "a.ckpt")
    with pytest.raises(InputError, match="Detoxify's format"):
        load_detoxify(checkpoint=tmp_path / "a.ckpt")


def test_missing_weights_without_a_network_name_the_ways_out(torch, tmp_path, monkeypatch):
    def unreachable(*_, **__):
        raise OSError("no route")

    monkeypatch.setattr(torch.hub, "download_url_to_file", unreachable)
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    with pytest.raises(InputError, match=r"no route.*multilingual_debiased.*checkpoint.*wordlist"):
        load_detoxify()


def test_a_missing_package_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "detoxify", None)
    with pytest.raises(InputError, match=r"authbench\[toxicity\]"):
        load_detoxify()
