"""Tensors of a BERT model are told by the biases that are added to their products, and put into 32 bits."""

import sys
from pathlib import Path

import numpy as np
import pytest

from authbench.core.errors import InputError

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from onnx_weights import Node, as_bert, layers_of, scaled

LAYER = "inner.encoder.layer.0."
DENSE = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")


def _model():
    rng = np.random.default_rng(7)

    def drawn(*shape):
        return rng.normal(size=shape).astype(np.float32)

    arrays = {
        f"inner.embeddings.{name}.weight": drawn(3, 2)
        for name in ("word_embeddings", "position_embeddings", "token_type_embeddings")
    }
    nodes = []
    for norm in ("embeddings.", "encoder.layer.0.attention.output.", "encoder.layer.0.output."):
        arrays |= {f"inner.{norm}LayerNorm.{part}": drawn(2) for part in ("weight", "bias")}
    for number, name in enumerate((*DENSE, "intermediate.dense", "output.dense")):
        arrays |= {f"{LAYER}{name}.bias": drawn(2), f"val_{number}": drawn(2, 2)}
        nodes.append(Node("MatMul", ["x", f"val_{number}"], [f"product_{number}"]))
        nodes.append(Node("Add", [f"product_{number}", f"{LAYER}{name}.bias"], [f"sum_{number}"]))
    return nodes, arrays


def test_matrices_are_named_after_their_biases_and_transposed():
    nodes, arrays = _model()
    tensors = as_bert(nodes, arrays)
    assert len(tensors) == 5 + 16
    assert np.array_equal(tensors["encoder.layer.0.attention.self.key.weight"], arrays["val_1"].T)
    assert np.array_equal(tensors["embeddings.LayerNorm.bias"], arrays["inner.embeddings.LayerNorm.bias"])


def test_numbers_of_8_bits_are_multiplied_by_their_scales_wherever_the_graph_does_so():
    nodes, arrays = _model()
    scale = np.array([[0.5, 0.25]], np.float32)
    arrays |= {"val_1_q": np.array([[2, -4], [6, 127]], np.int8), "val_1_scale": scale}
    del arrays["val_1"]
    nodes = [
        Node("DequantizeLinear", ["val_1_q", "val_1_scale"], ["as_float"]),
        *(
            Node(node.operation, ["as_float" if name == "val_1" else name for name in node.inputs], node.outputs)
            for node in nodes
        ),
    ]
    key = as_bert(nodes, arrays)["encoder.layer.0.attention.self.key.weight"]
    assert key.tolist() == [[1.0, 3.0], [-1.0, 31.75]]
    assert set(scaled(arrays)) == set(_model()[1])


def test_a_graph_without_one_of_the_matrices_is_refused():
    nodes, arrays = _model()
    with pytest.raises(InputError, match="has 20 tensors of a BERT model, expected 21"):
        as_bert(nodes[2:], arrays)


def test_layers_are_counted_by_their_numbers():
    tensors = as_bert(*_model())
    others = {name.replace("layer.0.", "layer.10."): tensor for name, tensor in tensors.items()}
    assert (layers_of(tensors), layers_of(tensors | others)) == (1, 2)
