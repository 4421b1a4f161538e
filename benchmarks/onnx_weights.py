"""Tensors of a BERT model out of an ONNX file, of 32 bits or of 8, named as in a checkpoint.

An export keeps the names of biases and of what is looked up, not those of matrices: a matrix is known by the bias that
is added to its product. Tensors of 8 bits are `NAME_q`, multiplied by `NAME_scale`. The graph is read, never run;
`onnx` reads it and is no dependency of the project.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quantised import Sizes

from authbench.core.errors import InputError

_EMBEDDINGS = 5
_OF_A_LAYER = 16
_HEAD = 32  # width of an attention head of every MiniLM


@dataclass(frozen=True)
class Node:
    """One operation of a graph, and the names of what it reads and writes."""

    operation: str
    inputs: Sequence[str]
    outputs: Sequence[str]


def read_graph(data: bytes) -> tuple[list[Node], dict[str, NDArray[Any]]]:
    """Return the operations and the arrays of an ONNX file."""
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load_model_from_string(data).graph
    nodes = [Node(node.op_type, list(node.input), list(node.output)) for node in graph.node]
    return nodes, {tensor.name: to_array(tensor) for tensor in graph.initializer}


def as_bert(nodes: Sequence[Node], arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a BERT model. Raises InputError if they are not all there."""
    flat = scaled(arrays)
    found = {
        place: flat[name] for name in flat if (place := _place(name)).startswith(("embeddings.", "encoder."))
    } | _matrices(nodes, flat)
    found = {name: tensor for name, tensor in found.items() if tensor.dtype == np.float32}
    expected = _EMBEDDINGS + _OF_A_LAYER * layers_of(found)
    if len(found) != expected:
        raise InputError(f"The graph has {len(found)} tensors of a BERT model, expected {expected}.")
    return found


def scaled(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays, those of 8 bits multiplied by their scales and without `_q` in their names."""
    return {
        name.removesuffix("_q"): array.astype(np.float32) * arrays[scale]
        if (scale := name.removesuffix("_q") + "_scale") in arrays
        else array
        for name, array in arrays.items()
        if not (name.endswith("_scale") and name.removesuffix("_scale") + "_q" in arrays)
    }


def _matrices(nodes: Sequence[Node], flat: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Return the transposed matrices of products to which a named bias is added, by the name of that bias."""
    makers = {output: node for node in nodes for output in node.outputs}
    found = {}
    for node in nodes:
        biases = [name for name in node.inputs if name in flat and name.endswith(".bias")]
        products = [makers[name] for name in node.inputs if name in makers and makers[name].operation == "MatMul"]
        if node.operation == "Add" and len(biases) == len(products) == 1:
            matrix = _array_behind(products[0].inputs[1], makers, flat)
            found[_place(biases[0]).removesuffix(".bias") + ".weight"] = np.ascontiguousarray(flat[matrix].T)
    return found


def _array_behind(name: str, makers: Mapping[str, Node], flat: Mapping[str, NDArray[Any]]) -> str:
    """Return the array that a value is made of: itself, or the one that was put into 32 bits."""
    while name not in flat:
        if name.removesuffix("_q") in flat:
            return name.removesuffix("_q")
        name = makers[name].inputs[0]
    return name


def _place(name: str) -> str:
    """Return an array's name without what stands before `embeddings` or `encoder`."""
    starts = [at for part in ("embeddings.", "encoder.") if (at := name.find(part)) >= 0]
    return name[min(starts) :] if starts else name


def layers_of(tensors: Mapping[str, NDArray[np.float32]]) -> int:
    """Return the number of layers."""
    return len({name.split(".")[2] for name in tensors if name.startswith("encoder.layer.")})


def write_bert(data: bytes, tokenizer: Mapping[str, str], folder: Path) -> int:
    """Write such a file, with a tokenizer's files, as a folder that transformers read; return its number of weights."""
    from safetensors.numpy import save_file

    tensors = as_bert(*read_graph(data))
    words, width = tensors["embeddings.word_embeddings.weight"].shape
    sizes = Sizes(
        hidden=width,
        layers=layers_of(tensors),
        heads=width // _HEAD,
        inner=len(tensors["encoder.layer.0.intermediate.dense.bias"]),
        vocabulary=words,
        positions=len(tensors["embeddings.position_embeddings.weight"]),
        types=len(tensors["embeddings.token_type_embeddings.weight"]),
        epsilon=1e-12,
    )
    config = json.dumps(sizes.as_config() | {"pad_token_id": 0})
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"config.json": config, **tokenizer}.items():
        (folder / name).write_text(text, encoding="utf-8")
    save_file(tensors, folder / "model.safetensors")
    return sum(tensor.size for tensor in tensors.values())
