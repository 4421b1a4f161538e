"""A checkpoint with code of its own reads the parts of a text as one episode, whatever else is in the batch."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from extras import needs
from tiny_checkpoint import settings, write_checkpoint

from authbench.core.errors import InputError
from authbench.models import transformer
from authbench.models.checkpoint import load_checkpoint
from authbench.models.entries import ModelEntry, expect_trainable
from authbench.models.model import VectorCache
from authbench.models.parameters import TransformerParameters
from authbench.models.requested import load_model
from authbench.models.transformer import TransformerModel, embed

pytestmark = needs("torch", "models")

# Like LUAR: (episodes, texts, tokens) in, (episodes, dimensions) out; the longest text of an episode counts most.
CODE = """
import torch
from transformers import PretrainedConfig, PreTrainedModel


class EpisodeConfig(PretrainedConfig):
    model_type = "episodes"


class EpisodeModel(PreTrainedModel):
    config_class = EpisodeConfig

    def __init__(self, config):
        super().__init__(config)
        self.letters = torch.nn.Embedding(64, 4)
        self.post_init()

    def forward(self, input_ids, attention_mask):
        weight = attention_mask.sum(-1, keepdim=True).float().softmax(dim=1)
        summed = (self.letters(input_ids) * attention_mask[..., None]).sum(2)
        return (weight * summed).sum(1)
"""


# Like LUAR's successor: (episodes, texts, dimensions) out; the other texts of an episode change each vector.
CODE_OF_MANY = CODE.replace("(weight * summed).sum(1)", "summed + (weight * summed).sum(1, keepdim=True)")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return written(tmp_path_factory.mktemp("episodes"), CODE)


@pytest.fixture(scope="module")
def checkpoint_of_many(tmp_path_factory):
    return written(tmp_path_factory.mktemp("many"), CODE_OF_MANY)


def written(folder, code):
    import torch
    from safetensors.torch import save_file

    write_checkpoint(folder)
    (folder / "code.py").write_text(code, encoding="utf-8")
    config = {"model_type": "episodes", "architectures": ["EpisodeModel"]}
    config |= {"auto_map": {"AutoConfig": "code.EpisodeConfig", "AutoModel": "code.EpisodeModel"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(2)
    save_file({"letters.weight": torch.randn(64, 4)}, folder / "model.safetensors", {"format": "pt"})
    return folder


TEXTS = ["ab. cd. ef gh ij kl mn op. qr st.", "a.", "ab cd.", "ab. cd. ef gh ij kl mn op. qr st. uv wx.", "b."]


def episodes(checkpoint, **changed):
    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, **changed)
    return embed(load_checkpoint(asked), TEXTS, asked, "")


def test_the_parts_of_a_text_are_one_episode_of_one_forward_pass(checkpoint):
    import torch

    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, long_texts="chunk_and_pool")
    found = embed(load_checkpoint(asked), TEXTS, asked, "")
    model = load_checkpoint(asked)
    parts, owners, _ = transformer._tokenised(model, TEXTS, asked, "")
    own = [torch.tensor(part) for part, owner in zip(parts, owners, strict=True) if owner == 0]
    assert len(own) > 2 and all(len(part) <= 12 for part in own)
    sums = torch.stack([model.model.letters(part).sum(0) for part in own])
    weight = torch.tensor([float(len(part)) for part in own]).softmax(0)
    assert found.shape == (5, 4)
    assert found[0] == pytest.approx((weight[:, None] * sums).sum(0).detach().numpy(), abs=1e-4)
    assert np.abs(found[0] - sums.mean(0).detach().numpy()).max() > 1e-2  # no mean of the parts' vectors


def test_texts_keep_their_vectors_whatever_stands_beside_them(checkpoint):
    together = episodes(checkpoint, long_texts="chunk_and_pool")
    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, long_texts="chunk_and_pool")
    for text, vector in zip(TEXTS, together, strict=True):
        assert embed(load_checkpoint(asked), [text], asked, "")[0] == pytest.approx(vector, abs=1e-5)


def test_truncated_texts_are_episodes_of_one(checkpoint):
    cut, whole = episodes(checkpoint), episodes(checkpoint, long_texts="chunk_and_pool")
    assert cut[1] == pytest.approx(whole[1], abs=1e-6) and np.abs(cut[0] - whole[0]).max() > 1e-3


def test_vectors_as_given_have_the_lengths_of_the_checkpoint(checkpoint, tmp_path):
    asked = settings(checkpoint, pooling="episode", remote_code=True)
    entry = ModelEntry("tiny", "Tiny", "style", "transformer", asked)
    documents = pl.DataFrame({"content": TEXTS})
    for cache in (None, VectorCache(tmp_path)):
        model = TransformerModel(entry, cache)
        given, unit = model.embed_as_given(documents), model.embed(documents)
        lengths = np.linalg.norm(given, axis=1)
        assert lengths.std() > 0.1 and np.linalg.norm(unit, axis=1) == pytest.approx(1, abs=1e-5)
        assert given / lengths[:, None] == pytest.approx(unit, abs=1e-5)


def test_an_episode_cannot_be_tuned(checkpoint):
    asked = settings(checkpoint, pooling="episode", remote_code=True)
    with pytest.raises(InputError, match="pooling: episode"):
        expect_trainable(ModelEntry("tiny", "Tiny", "style", "transformer", replace(asked)))


def test_a_vector_for_each_part_is_compared_by_best_match(checkpoint_of_many):
    """With the settings of luar-mud-mv, on random weights."""
    import torch

    shipped = load_model("luar-mud-mv").parameters
    assert isinstance(shipped, TransformerParameters)
    asked = replace(shipped, checkpoint=str(checkpoint_of_many), revision=None, dtype="float32", max_tokens=12)
    loaded = load_checkpoint(asked)
    parts, owners, _ = transformer._tokenised(loaded, TEXTS, asked, "")
    vectors = []
    for text in range(len(TEXTS)):
        own = [torch.tensor(part) for part, owner in zip(parts, owners, strict=True) if owner == text]
        sums = torch.stack([loaded.model.letters(part).sum(0) for part in own])
        weight = torch.tensor([float(len(part)) for part in own]).softmax(0)
        rows = (sums + (weight[:, None] * sums).sum(0)).detach().numpy()
        vectors.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert len({len(rows) for rows in vectors}) > 1
    best = [[(query @ rows.T).max(axis=1).mean() for rows in vectors] for query in vectors]
    assert np.abs(np.array(best) - np.array(best).T).max() > 1e-3
    documents, queries = pl.DataFrame({"content": TEXTS}), np.arange(len(TEXTS), dtype=np.int32)
    score = TransformerModel(ModelEntry("tiny", "Tiny", "style", "transformer", asked)).compare(documents, 5, queries)
    assert callable(score) and score(0, 5) == pytest.approx(np.array(best), abs=2e-3)
    single = embed(loaded, TEXTS, replace(asked, interaction="vector"), "")
    assert single == pytest.approx(np.array([rows.mean(axis=0) for rows in vectors]), abs=1e-5)


def test_one_vector_for_a_whole_text_has_no_best_match(checkpoint):
    asked = settings(checkpoint, pooling="episode", remote_code=True, interaction="late")
    with pytest.raises(InputError, match="one vector for a whole text"):
        transformer.embed_tokens(load_checkpoint(asked), TEXTS, asked, "", 99)
