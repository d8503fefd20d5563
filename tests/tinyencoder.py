"""A tiny encoder with random weights, made by the tests: a graph for ONNX Runtime and a tokenizer.

The state of a subword is its own vector and its position's, and the mean over the text, through tanh; so the states of
a word in two texts are the more alike, the more words the texts share.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789'’.,;:!?-_/()"
DIM, POSITIONS = 24, 160


def make_encoder(
    folder: Path,
    words: Sequence[str] = (),
    *,
    layers: bool = False,
    output: str = "last_hidden_state",
    flat: bool = False,
    extra_input: str = "",
    n_vectors: int | None = None,
    context: float = 3.0,
    dim: int = DIM,
    seed: int = 0,
) -> Path:
    """Write an encoder that knows letters and some whole words; return its folder."""
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), *dict.fromkeys(words)]
    (folder / "tokenizer.json").write_text(_tokenizer(vocabulary), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": POSITIONS}))
    rng = np.random.default_rng(seed)
    size = len(vocabulary) if n_vectors is None else n_vectors
    weights = {
        "vectors": rng.normal(size=(size, dim)),
        "places": 0.1 * rng.normal(size=(POSITIONS, dim)),
        "matrix": rng.normal(size=(dim, dim)) / dim**0.5,
        "share": np.array(context),
    }
    onnx.save(_graph(onnx, weights, layers, output, flat, extra_input, dim), str(folder / "model.onnx"))
    return folder


def _graph(
    onnx: Any, weights: dict[str, Any], layers: bool, output: str, flat: bool, extra_input: str, dim: int
) -> Any:
    helper, kinds = onnx.helper, onnx.TensorProto
    node = helper.make_node
    nodes = [
        node("Gather", ["vectors", "input_ids"], ["own"]),
        node("Shape", ["input_ids"], ["shape"], start=1, end=2),
        node("Squeeze", ["shape"], ["n"]),
        node("Range", ["zero", "n", "one"], ["numbers"]),
        node("Gather", ["places", "numbers"], ["place"]),
        node("Add", ["own", "place"], ["first"]),
        node("ReduceMean", ["own"], ["mean"], axes=[1], keepdims=1),
        node("Mul", ["mean", "share"], ["around"]),
        node("MatMul", ["first", "matrix"], ["turned"]),
        node("Add", ["turned", "around"], ["sum"]),
        node("Tanh", ["sum"], ["second"]),
    ]
    shape, names = ["batch", "sequence", dim], {output: "second"}
    if layers:
        names = {"hidden_states.0": "first", "hidden_states.1": "second"}
    if flat:
        nodes.append(node("ReduceMean", ["second"], ["whole"], axes=[1], keepdims=0))
        names, shape = {output: "whole"}, ["batch", dim]
    nodes += [node("Identity", [source], [name]) for name, source in names.items()]
    values = [
        *(helper.make_tensor(name, kinds.FLOAT, np.shape(each), np.ravel(each)) for name, each in weights.items()),
        helper.make_tensor("zero", kinds.INT64, (), [0]),
        helper.make_tensor("one", kinds.INT64, (), [1]),
    ]
    inputs = ["input_ids", "attention_mask", *([extra_input] if extra_input else [])]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kinds.INT64, ["batch", "sequence"]) for name in inputs],
        [helper.make_tensor_value_info(name, kinds.FLOAT, shape) for name in names],
        values,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _tokenizer(vocabulary: Sequence[str]) -> str:
    tokenizers = pytest.importorskip("tokenizers")
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    ends = [("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])]
    made.post_processor = tokenizers.processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=ends)
    made.enable_padding(length=64)  # as repositories have it: it must not matter
    made.enable_truncation(16)
    return str(made.to_str())
