"""A checkpoint with code of its own reads the parts of a text as one episode, whatever else is in the batch."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tiny_checkpoint import settings, write_checkpoint

from authbench.core.errors import InputError
from authbench.models import transformer
from authbench.models.checkpoint import load_checkpoint
from authbench.models.entries import ModelEntry, expect_trainable
from authbench.models.model import VectorCache
from authbench.models.transformer import TransformerModel, embed

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


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from safetensors.torch import save_file

    folder = tmp_path_factory.mktemp("episodes")
    write_checkpoint(folder)
    (folder / "code.py").write_text(CODE, encoding="utf-8")
    config = {"model_type": "episodes", "architectures": ["EpisodeModel"]}
    config |= {"auto_map": {"AutoConfig": "code.EpisodeConfig", "AutoModel": "code.EpisodeModel"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(2)
    save_file({"letters.weight": torch.randn(64, 4)}, folder / "model.safetensors", {"format": "pt"})
    return folder


TEXTS = ["ab. cd. ef gh ij kl mn op. qr st.", "a.", "ab cd.", "ab. cd. ef gh ij kl mn op. qr st. uv wx.", "b."]


def episodes(checkpoint: Path, **changed: object) -> np.ndarray:
    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, **changed)
    return embed(load_checkpoint(asked), TEXTS, asked, "")


def test_the_parts_of_a_text_are_one_episode_of_one_forward_pass(checkpoint: Path) -> None:
    import torch

    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, long_texts="chunk_and_pool")
    found = embed(load_checkpoint(asked), TEXTS, asked, "")
    model = load_checkpoint(asked)
    parts, owners = transformer._tokenised(model, TEXTS, asked, "")
    own = [torch.tensor(part) for part, owner in zip(parts, owners, strict=True) if owner == 0]
    assert len(own) > 2 and all(len(part) <= 12 for part in own)
    sums = torch.stack([model.model.letters(part).sum(0) for part in own])
    weight = torch.tensor([float(len(part)) for part in own]).softmax(0)
    assert found.shape == (5, 4)
    assert found[0] == pytest.approx((weight[:, None] * sums).sum(0).detach().numpy(), abs=1e-4)
    assert np.abs(found[0] - sums.mean(0).detach().numpy()).max() > 1e-2  # no mean of the parts' vectors


def test_texts_keep_their_vectors_whatever_stands_beside_them(checkpoint: Path) -> None:
    together = episodes(checkpoint, long_texts="chunk_and_pool")
    asked = settings(checkpoint, pooling="episode", remote_code=True, max_tokens=12, long_texts="chunk_and_pool")
    for text, vector in zip(TEXTS, together, strict=True):
        assert embed(load_checkpoint(asked), [text], asked, "")[0] == pytest.approx(vector, abs=1e-5)


def test_truncated_texts_are_episodes_of_one(checkpoint: Path) -> None:
    cut, whole = episodes(checkpoint), episodes(checkpoint, long_texts="chunk_and_pool")
    assert cut[1] == pytest.approx(whole[1], abs=1e-6) and np.abs(cut[0] - whole[0]).max() > 1e-3


def test_vectors_as_given_have_the_lengths_of_the_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    asked = settings(checkpoint, pooling="episode", remote_code=True)
    entry = ModelEntry("tiny", "Tiny", "style", "transformer", asked)
    documents = pl.DataFrame({"content": TEXTS})
    for cache in (None, VectorCache(tmp_path)):
        model = TransformerModel(entry, cache)
        given, unit = model.embed_as_given(documents), model.embed(documents)
        lengths = np.linalg.norm(given, axis=1)
        assert lengths.std() > 0.1 and np.linalg.norm(unit, axis=1) == pytest.approx(1, abs=1e-5)
        assert given / lengths[:, None] == pytest.approx(unit, abs=1e-5)


def test_an_episode_cannot_be_tuned(checkpoint: Path) -> None:
    asked = settings(checkpoint, pooling="episode", remote_code=True)
    with pytest.raises(InputError, match="pooling: episode"):
        expect_trainable(ModelEntry("tiny", "Tiny", "style", "transformer", replace(asked)))
