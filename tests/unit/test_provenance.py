"""Claims about what made a score, and about the one cache of vectors."""

import hashlib
import json
import shutil

import numpy as np
import orjson
import polars as pl
import pytest
from scored_release import write_scored_release
from style_page import style_page
from tiny_checkpoint import settings

from authbench.app.cli import main
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.models import cache, provenance, transformer
from authbench.models import checkpoint as checkpoints
from authbench.models.cache import embed_new
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.model import VectorCache
from authbench.models.open import open_model
from authbench.models.provenance import made_by


@pytest.fixture(autouse=True)
def _own_user_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "user_cache", lambda: tmp_path / "user cache")
    monkeypatch.setattr(cache, "user_cache", lambda: tmp_path / "user cache")
    checkpoints.with_commit.cache_clear()


def texts(*contents):
    return pl.DataFrame({"content": contents})


def model_of(folder, kept, **changed):
    return open_model(ModelEntry("tiny", "t", "g", "transformer", settings(folder, **changed)), VectorCache(kept))


def change_weights(folder):
    """Train a checkpoint, so to speak, without changing the size of its file."""
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    save_file({name: value * 1.5 for name, value in weights.items()}, folder / "model.safetensors", {"format": "pt"})


def test_a_checkpoint_that_changes_in_its_folder_never_gets_its_old_vectors(checkpoint, tmp_path):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    asked = texts("abc de", "fgh")
    before, made = model_of(copy, tmp_path / "kept").embed(asked), made_by(settings(copy))
    change_weights(copy)
    after, then = model_of(copy, tmp_path / "kept").embed(asked), made_by(settings(copy))
    assert not np.allclose(before, after, atol=1e-3)
    fresh = model_of(copy, tmp_path / "new").embed(asked)
    assert np.array_equal(after, fresh)
    assert {name for name in made if made[name] != then[name]} == {"weights", "files"}


def test_a_copy_of_a_checkpoint_takes_the_vectors_of_the_first(checkpoint, tmp_path):
    for place in ("one", "two"):
        copy = shutil.copytree(checkpoint, tmp_path / place / "model")
        (copy / "README.md").write_text(place)
        model = model_of(copy, tmp_path / "kept")
        model.embed(texts("abc de"))
        assert model.embedded == (place == "one")


@pytest.mark.parametrize("what", ["torch", "transformers", "sentence-transformers", "device"])
def test_other_libraries_and_another_device_embed_anew(checkpoint, tmp_path, monkeypatch, what):
    model_of(checkpoint, tmp_path).embed(texts("abc de"))
    if what == "device":
        monkeypatch.setattr(provenance, "device", lambda: "mps")
        monkeypatch.setattr(provenance, "_device_name", lambda: None)
    else:
        genuine = provenance.version
        monkeypatch.setattr(provenance, "version", lambda name: "99" if name == what else genuine(name))
    model = model_of(checkpoint, tmp_path)
    model.embed(texts("abc de"))
    assert model.embedded == 1
    assert made_by(settings(checkpoint))[what] == {"device": "mps"}.get(what, "99")


def test_weights_are_read_once_for_as_long_as_their_file_stays(checkpoint, tmp_path, monkeypatch):
    copy = shutil.copytree(checkpoint, tmp_path / "copy")
    first = made_by(settings(copy))
    taken = []
    genuine = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda handle, name: taken.append(handle.name) or genuine(handle, name))
    assert made_by(settings(copy)) == first
    assert taken == []
    change_weights(copy)
    assert made_by(settings(copy))["weights"] != first["weights"]
    assert taken == [str(copy / "model.safetensors")]


def test_a_damaged_memory_of_digests_is_none(checkpoint, tmp_path):
    first = made_by(settings(checkpoint))
    (tmp_path / "user cache/digests.json").write_text("{")
    assert made_by(settings(checkpoint)) == first


COMMITS = "a" * 40, "b" * 40


@pytest.fixture
def hub(checkpoint, tmp_path, monkeypatch):
    """The cache of Hugging Face with two commits of a checkpoint, `main` at the first; and no network."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    kept = tmp_path / "hub/models--own--tiny"
    for commit in COMMITS:
        shutil.copytree(checkpoint, kept / "snapshots" / commit)
    change_weights(kept / "snapshots" / COMMITS[1])
    (kept / "refs").mkdir()
    (kept / "refs/main").write_text(COMMITS[0])
    return kept


def test_a_name_on_hugging_face_is_its_commit(hub, tmp_path):
    asked = texts("abc de")
    before = model_of("own/tiny", tmp_path / "kept").embed(asked)
    assert made_by(settings("own/tiny"))["commit"] == COMMITS[0]
    (hub / "refs/main").write_text(COMMITS[1])
    checkpoints.with_commit.cache_clear()  # as in a new process
    model = model_of("own/tiny", tmp_path / "kept")
    after = model.embed(asked)
    assert made_by(settings("own/tiny"))["commit"] == COMMITS[1]
    assert model.embedded == 1
    assert not np.allclose(before, after, atol=1e-3)
    pinned = model_of("own/tiny", tmp_path / "kept", revision=COMMITS[0])
    assert np.array_equal(pinned.embed(asked), before)
    assert pinned.embedded == 0


def test_a_name_that_is_nowhere_is_told(hub, tmp_path):
    with pytest.raises(InputError, match="own/other"):
        model_of("own/other", tmp_path / "kept").embed(texts("abc"))


def test_a_model_without_a_checkpoint_is_made_by_the_code_alone():
    made = made_by(load_entry(MODELS, "tfidf").parameters)
    assert {value for name, value in made.items() if name != "device"} == {None}


def test_of_a_large_cache_only_what_is_asked_for_is_read(tmp_path, monkeypatch):
    def encode(asked):
        return np.array([[float(len(text)), 1.0] for text in asked], np.float32)

    for part in range(5):
        embed_new([f"{'x' * part}{number}" for number in range(3)], tmp_path / "one", {}, encode, half=False)
    read = []
    genuine = cache.read_columns
    monkeypatch.setattr(cache, "read_columns", lambda paths, *rest: read.append(rest) or genuine(paths, *rest))
    assert embed_new(["xx1"], tmp_path / "one", {}, encode, half=False).tolist() == [[3.0, 1.0]]
    assert read == [(["vector"],)]


def test_a_text_is_embedded_once_by_all_suites(checkpoint, tmp_path, monkeypatch):
    """Evaluate, style, PAN and RAVEN in turn, over the same texts, none told of a cache."""
    monkeypatch.chdir(tmp_path)
    entry = {"kind": "transformer", "title": "Tiny", "group": "embedding", "trained_on": []}
    entry["parameters"] = {"checkpoint": str(checkpoint), "pooling": "mean", "max_tokens": 32}
    entry["parameters"]["long_texts"] = "chunk_and_pool"
    (tmp_path / "tiny.yaml").write_text(json.dumps(entry))
    (tmp_path / "by_tiny.yaml").write_text(
        json.dumps({"title": "By tiny", "kind": "model", "parameters": {"model": str(tmp_path / "tiny.yaml")}})
    )
    embedded = []
    genuine = transformer.embed
    monkeypatch.setattr(
        transformer, "embed", lambda model, asked, *rest: embedded.extend(asked) or genuine(model, asked, *rest)
    )
    release = write_scored_release(tmp_path / "release", 24, ("test",))
    rows = [orjson.loads(line) for line in (release / "test/candidates.jsonl").read_bytes().splitlines()]
    every = sorted({row["content"] for row in rows})
    assert main(["evaluate", str(release), "--model", "tiny.yaml", "--out", "scores"]) == 0
    assert sorted(embedded) == every
    embedded.clear()

    (tmp_path / "data/notes").mkdir(parents=True)
    notes = [{"text": row["content"], "label": row["author_id"]} for row in rows]
    (tmp_path / "data/notes/a.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in notes))
    dataset = style_page(fields={"text": "text", "label": "label"}, tasks={"clustering": {}})
    (tmp_path / "notes.yaml").write_text(json.dumps(dataset))
    assert main(["style", "run", "data", "--dataset", "notes.yaml", "--model", "tiny.yaml", "--out", "style"]) == 0
    assert embedded == []

    by_author = [
        [row["content"] for row in rows if row["author_id"] == author] for author in {r["author_id"] for r in rows}
    ]
    same = [(texts[0], texts[1], True) for texts in by_author]
    other = [(one[2], two[3], False) for one, two in zip(by_author, by_author[1:], strict=False)]
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        pairs = [{"id": f"p{n}", "fandoms": ["a", "b"], "pair": [a, b]} for n, (a, b, _) in enumerate(same + other)]
        truth = [{"id": f"p{n}", "same": alike, "authors": ["a", "b"]} for n, (*_, alike) in enumerate(same + other)]
        for name, table in (("pairs", pairs), ("truth", truth)):
            (tmp_path / split / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in table))
    assert main(["pan", "run", "--train", "train", "--test", "test", "--verifier", "by_tiny.yaml", "--out", "pan"]) == 0
    assert embedded == []

    table = [(row["author_id"], f"topic {n // 4 % 4}", row["content"]) for n, row in enumerate(rows)]
    pl.DataFrame(table, schema=["author", "topic", "text"], orient="row").write_csv(tmp_path / "table.csv")
    options = ["--topics", "4", "--folds", "2", "--seeds", "1", "--min-documents", "4", "--sizes"]
    models = ["--verifier", "by_tiny.yaml", "--encoder", "tiny.yaml"]
    assert main(["raven", "run", "table.csv", "--out", "raven", *models, *options]) == 0
    assert embedded == []
