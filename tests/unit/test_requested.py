"""Claims about the models that users name: folders, names of Hugging Face, functions and files of vectors."""

import json
import sys

import numpy as np
import polars as pl
import pytest
from cases import cases
from tiny_checkpoint import write_checkpoint

from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.models.checkpoint import load_checkpoint
from authbench.models.entries import ModelEntry
from authbench.models.model import VectorCache, unit
from authbench.models.open import open_model
from authbench.models.parameters import TransformerParameters
from authbench.models.requested import load_model, load_models

TEXTS = ["one night", "two days of rain and sun", "nothing at all to be said of it, and so on, and so on"]
DOCUMENTS = pl.DataFrame(
    {"id": ["a", "b", "c"], "content": TEXTS, "lang": "en", "genre": "g", "source": "s", "token_length": 4}
)
ENCODE = "import numpy as np\ndef encode(texts):\n    return np.array([[len(t), t.count('n')] for t in texts])\n"


def transformer(model):
    assert isinstance(model.parameters, TransformerParameters)
    return model.parameters


def write_sentence_transformer(folder, pooled="cls", include_prompt=True, **stated):
    """Write a tiny model as sentence-transformers does, and what it states of itself."""
    folder.mkdir(parents=True)
    write_checkpoint(folder)
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 16, "include_prompt": include_prompt} | {
        f"pooling_mode_{kind}": kind.startswith(pooled) for kind in ("cls_token", "mean_tokens")
    }
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 12, "do_lower_case": False}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps(stated))


def test_a_folder_of_sentence_transformers_gives_what_that_library_gives(tmp_path):
    pytest.importorskip("sentence_transformers")
    write_sentence_transformer(tmp_path / "mine", prompts={"query": "ask ", "passage": "tell "})
    model = load_model(str(tmp_path / "mine"))
    assert model.name == "mine"
    parameters = transformer(model)
    assert (parameters.max_tokens, parameters.query_prompt, parameters.document_prompt) == (12, "ask ", "tell ")
    compared = open_model(model).compare(DOCUMENTS, 3, np.array([0, 1, 2], np.int32))
    checkpoint = load_checkpoint(parameters)
    for rows, prompt in ((compared.queries, "ask "), (compared.candidates, "tell ")):
        assert np.allclose(rows, unit(checkpoint.encode(TEXTS, prompt=prompt)), atol=1e-5)
    said = "\n".join(model.assumed)
    assert "pooling: cls (1_Pooling/config.json)" in said
    assert "max_tokens: 12 (sentence_bert_config.json)" in said
    assert "prompt 'passage'" in said
    assert ModelEntry.from_dict(model.as_dict()) == model


@pytest.mark.parametrize("include_prompt", [True, False])
def test_a_prompt_is_read_with_the_text_and_pooled_as_the_folder_says(tmp_path, include_prompt):
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "mine"
    write_sentence_transformer(folder, "mean", include_prompt, prompts={"query": "ask x", "document": "ask x"})
    model = load_model(str(folder))
    rows = open_model(model).embed(DOCUMENTS)
    assert np.allclose(rows, unit(load_checkpoint(transformer(model)).encode(TEXTS, prompt="ask x")), atol=1e-5)


def test_a_folder_of_transformers_is_pooled_by_the_mean_and_says_that_this_is_assumed(tmp_path):
    pytest.importorskip("sentence_transformers")
    write_checkpoint(tmp_path)
    parameters = transformer(load_model(str(tmp_path)))
    assert (parameters.pooling, parameters.max_tokens) == ("mean", 64)
    assert "pooling: mean (assumed: there is no modules.json)" in load_model(str(tmp_path)).assumed


def test_the_default_prompt_is_taken_where_none_is_for_queries(tmp_path):
    pytest.importorskip("sentence_transformers")
    write_sentence_transformer(tmp_path / "mine", prompts={"style": "style: "}, default_prompt_name="style")
    parameters = transformer(load_model(str(tmp_path / "mine")))
    assert (parameters.query_prompt, parameters.document_prompt) == ("style: ", "style: ")


def test_a_name_of_hugging_face_is_read_from_its_cache_and_pinned(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    repository, commit = tmp_path / "models--me--mine", "0123456789" * 4
    (repository / "refs").mkdir(parents=True)
    (repository / "refs/main").write_text(commit)
    write_sentence_transformer(repository / "snapshots" / commit)
    model = load_model("me/mine")
    assert transformer(model).revision == commit
    assert (model.name, transformer(model).max_tokens) == ("me--mine", 12)
    vectors = open_model(model).embed(DOCUMENTS)
    folder = load_model(str(repository / "snapshots" / commit))
    assert np.array_equal(vectors, open_model(folder).embed(DOCUMENTS))
    assert (model.files, folder.files) == ([], [transformer(folder).checkpoint])


def test_a_name_that_cannot_be_fetched_is_one_line(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"me/mine is not in the cache .* cannot be reached") as said:
        load_model("me/mine")
    assert "\n" not in str(said.value)


def test_what_names_no_model_is_told_with_what_may_be_given(tmp_path):
    with pytest.raises(InputError, match=r"did you mean 'tfidf'.*a folder, owner/name .* module:function"):
        load_model("tfdif")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="neither modules.json nor config.json"):
        load_model(str(tmp_path / "empty"))
    (tmp_path / "empty/config.json").write_text("{")
    with pytest.raises(InputError, match=r"config.json: cannot be read as JSON"):
        load_model(str(tmp_path / "empty"))


def test_a_registered_name_comes_before_a_folder_of_that_name(tmp_path):
    (tmp_path / "tfidf").mkdir()
    assert load_model("tfidf", tmp_path).kind == "ngrams"
    with pytest.raises(InputError, match=r"\./tfidf: neither"):
        load_model("./tfidf", tmp_path)


def test_two_models_of_one_name_are_refused(tmp_path):
    np.savez(tmp_path / "tfidf.npz", ids=np.array(["a"]), vectors=np.ones((1, 2)))
    with pytest.raises(InputError, match="two models are called"):
        load_models(["tfidf", f"vectors={tmp_path / 'tfidf.npz'}"])


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty working directory, whose modules are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_a_function_embeds_texts_and_leaves_the_path_of_python_as_it_was(here):
    (here / "own_encoder.py").write_text("import sys\nfrom own_helper import rows as encode\nsys.path.append('x')\n")
    (here / "own_helper.py").write_text(ENCODE.replace("encode", "rows"))
    before = list(sys.path)
    model = load_model("own_encoder:encode")
    assert model.name == "own_encoder.encode"
    rows = open_model(model).embed(DOCUMENTS)
    assert np.allclose(rows, unit(np.array([[len(text), text.count("n")] for text in TEXTS], np.float32)))
    assert sys.path == before
    code = model.as_dict()["parameters"]["code_sha256"]
    (here / "own_helper.py").write_text(ENCODE.replace("encode", "rows").replace("'n'", "'o'"))
    changed = load_model("own_encoder:encode")
    assert changed.as_dict()["parameters"]["code_sha256"] != code
    assert np.allclose(
        open_model(changed).embed(DOCUMENTS),
        unit(np.array([[len(text), text.count("o")] for text in TEXTS], np.float32)),
    )


@cases
def test_a_function_that_returns_no_row_per_text_is_one_line(here, body, said):
    (here / "own_faulty.py").write_text(f"import numpy as np\ndef encode(texts):\n    {body}\n")
    with pytest.raises(InputError, match=f"own_faulty:encode {said}") as problem:
        open_model(load_model("own_faulty:encode")).embed(DOCUMENTS)
    assert "\n" not in str(problem.value)


def test_a_function_that_changes_its_dimensions_is_told(here, monkeypatch):
    monkeypatch.setattr("authbench.models.function.AT_ONCE", 2)
    (here / "own_wide.py").write_text("import numpy as np\ndef encode(texts):\n    return np.ones((len(texts),) * 2)\n")
    with pytest.raises(InputError, match="returned 1 dimensions after 2 for earlier texts"):
        open_model(load_model("own_wide:encode")).embed(DOCUMENTS)


@cases
def test_a_function_that_cannot_be_imported_is_one_line(here, text, requested, said):
    if text:
        (here / "own_module.py").write_text(text)
    if said is None:
        (here / "json.py").write_text(text or "")
        said = "a module called json is loaded already"
    with pytest.raises(InputError, match=said) as problem:
        open_model(load_model(requested))
    assert "\n" not in str(problem.value)


def test_vectors_of_a_function_are_cached_only_if_it_says_what_decides_them(here):
    body = "    calls.append(texts)\n    return np.ones((len(texts), 2))\n"
    calls = f"import numpy as np\ncalls = []\ndef encode(texts):\n{body}"
    for name, stated, expected in (("own_plain", "", 6), ("own_stated", "encode.identity = 'v1'\n", 3)):
        (here / f"{name}.py").write_text(calls + stated)
        for _ in range(2):
            open_model(load_model(f"{name}:encode"), VectorCache(here / "cache")).embed(DOCUMENTS)
        assert sum(map(len, sys.modules[name].calls)) == expected


IDS = np.array(["c", "a", "b"])
ROWS = np.array([[3, 0], [1, 1], [0, 2]], np.float32)


def write_vectors(path, ids=IDS, rows=ROWS):
    """Write vectors in the format that the name of the file says; return how a user names them."""
    listed = [str(one) for one in ids]
    if path.suffix == ".npz":
        np.savez(path, ids=ids, vectors=rows)
    elif path.suffix == ".parquet":
        pl.DataFrame({"id": listed, "vector": [list(map(float, row)) for row in rows]}).write_parquet(path)
    else:
        path.with_name(f"{path.name}.ids.txt").write_text("\n".join(listed) + "\n")
        if path.suffix == ".npy":
            np.save(path, rows)
        else:
            pytest.importorskip("safetensors")
            from safetensors.numpy import save_file

            save_file({"vectors": np.asarray(rows)}, path)
    return f"vectors={path}"


@pytest.mark.parametrize("file", ["v.npz", "v.parquet", "v.npy", "v.safetensors"])
def test_vectors_of_each_format_are_found_by_id(tmp_path, file):
    model = open_model(load_model(write_vectors(tmp_path / file)))
    assert np.array_equal(model.embed(DOCUMENTS), unit(ROWS[[1, 2, 0]]))
    assert model.entry.as_dict()["parameters"]["file_sha256"]


def test_vectors_are_found_by_the_digest_of_the_text_where_there_is_no_such_id(tmp_path):
    ids = np.array([sha256_of_text(text) for text in TEXTS])
    model = open_model(load_model(write_vectors(tmp_path / "v.npz", ids)))
    assert np.array_equal(model.embed(DOCUMENTS), unit(ROWS))


def test_vectors_of_length_one_stay_as_they_are(tmp_path):
    rows = unit(np.random.default_rng(1).standard_normal((3, 384)).astype(np.float32))
    model = open_model(load_model(write_vectors(tmp_path / "v.npz", rows=rows)))
    assert np.array_equal(model.embed(DOCUMENTS), rows[[1, 2, 0]])


@pytest.mark.parametrize(
    ("file", "ids", "rows", "said"),
    [
        ("v.npz", np.array(["a", "b", "a"]), ROWS, r"1 id \(a\) are there more than once"),
        ("v.npz", np.array(["a", "b"]), ROWS, "has 2 ids and 3 vectors"),
        ("v.npy", np.array(["a", "b"]), ROWS, "has 2 ids and 3 vectors"),
        ("v.npz", IDS, ROWS[:, 0], r"shape \(3,\)"),
        ("v.npz", IDS, np.where(ROWS == 3, np.nan, ROWS), r"1 id \(c\) have values that are not finite"),
        ("v.npz", np.array(["a", "b", "d"]), ROWS, r"has no vector of 1 id \(c\) of 3"),
        ("v.npz", IDS, ROWS.astype(str), "Expected numbers"),
        ("v.parquet", IDS, [[1.0, 2.0], [1.0], [3.0, 4.0]], r"1 id \(a\) have not 2 dimensions"),
    ],
)
def test_vectors_that_cannot_be_used_are_told_with_the_file_and_the_ids(tmp_path, file, ids, rows, said):
    with pytest.raises(InputError, match=said) as problem:
        open_model(load_model(write_vectors(tmp_path / file, ids, rows))).embed(DOCUMENTS)
    assert str(problem.value).startswith(str(tmp_path / file))


def test_files_that_are_no_vectors_are_told(tmp_path):
    for name in ("v.npz", "v.parquet", "v.npy"):
        (tmp_path / name).write_bytes(b"not this")
        (tmp_path / f"{name}.ids.txt").write_text("a\n")
        with pytest.raises(InputError, match="cannot be read as"):
            open_model(load_model(f"vectors={tmp_path / name}"))
    with pytest.raises(InputError, match="there is no such file"):
        load_model(f"vectors={tmp_path / 'none.npz'}")
    (tmp_path / "v.txt").write_text("")
    with pytest.raises(InputError, match=r"its name should end in \.npz"):
        open_model(load_model(f"vectors={tmp_path / 'v.txt'}"))
    np.save(tmp_path / "w.npy", ROWS)
    with pytest.raises(InputError, match=r"no file w\.npy\.ids\.txt beside it"):
        open_model(load_model(f"vectors={tmp_path / 'w.npy'}"))
    np.savez(tmp_path / "o.npz", ids=np.array(["a", None], object), vectors=ROWS)
    with pytest.raises(InputError, match="cannot be read as .npz"):
        open_model(load_model(f"vectors={tmp_path / 'o.npz'}"))


def test_entries_name_functions_and_files_too(here):
    (here / "own_entry.py").write_text(ENCODE)
    (here / "f.yaml").write_text(
        "{title: mine, group: style, kind: function, parameters: {function: 'own_entry:encode'}}"
    )
    assert open_model(load_model("f.yaml")).embed(DOCUMENTS).shape == (3, 2)
    write_vectors(here / "v.npz")
    (here / "v.yaml").write_text("{title: mine, group: style, kind: vectors, parameters: {file: v.npz}}")
    assert open_model(load_model("v.yaml")).embed(DOCUMENTS).shape == (3, 2)
    (here / "bad.yaml").write_text("{title: mine, group: style, kind: function, parameters: {function: own_entry}}")
    with pytest.raises(InputError, match="own_entry' is not module:function"):
        load_model("bad.yaml")
    (here / "gone.yaml").write_text("{title: mine, group: style, kind: run, parameters: {file: x.run}}")
    with pytest.raises(InputError, match="there is no file x.run"):
        load_model("gone.yaml")


def test_a_transformer_as_published_has_the_mean_no_prompt_and_its_own_length():
    own, published = load_model("e5-large-v2"), load_model("as-published=e5-large-v2")
    assert own.parameters.query_prompt == "query: "
    assert published.name == "e5-large-v2.as-published" and published.size == own.size
    recipe = published.parameters
    assert (recipe.pooling, recipe.query_prompt, recipe.document_prompt) == ("mean", "", "")
    assert (recipe.max_tokens, recipe.long_texts) == (0, "truncate")
    assert load_model("as-published=bge-large-en-v1.5").parameters.pooling == "mean"


def test_what_is_no_transformer_cannot_be_as_published():
    with pytest.raises(InputError, match="tfidf: a model of kind ngrams"):
        load_model("as-published=tfidf")
