"""The states of a word in its text, against a twin that computes them with numpy, and encoders that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tinyencoder import POSITIONS, make_encoder
from wordatoms.encoder import encoder as module
from wordatoms.encoder.encoder import N_AROUND, Encoder, load_encoder
from wordatoms.errors import InputError, MissingExtraError, ModelError
from wordatoms.run import Run
from wordatoms.text.spans import Passage

WORDS = ("tie", "silk", "match", "game", "river", "the", "a", "in")
TEXT = "the silk tie in a game"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("encoder"), WORDS)


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Encoder:
    return load_encoder(folder, cache=False)


def passage(text: str, word: str) -> Passage:
    start = text.index(word)
    return Passage(text, start, start + len(word))


def twin(encoder: Encoder, pieces: list[str], inside: list[int]) -> Any:
    """The state of some subwords, from the weights of the graph."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(str(encoder.path / "model.onnx")).graph
    weights = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    ids = [encoder.tokenizer.token_to_id(piece) for piece in ["[CLS]", *pieces, "[SEP]"]]
    own = weights["vectors"][ids]
    first = own + weights["places"][: len(ids)]
    states = np.tanh(first @ weights["matrix"] + weights["share"] * own.mean(axis=0))
    return states[[place + 1 for place in inside]].mean(axis=0)


def test_state_of_a_word_equals_the_twin(encoder: Encoder) -> None:
    found = encoder.states([passage(TEXT, "tie")])
    assert found.shape == (1, 1, encoder.dim)
    np.testing.assert_allclose(found[0, 0], twin(encoder, TEXT.split(), [2]), atol=2e-3)


def test_subwords_of_a_word_are_averaged(encoder: Encoder) -> None:
    found = encoder.states([passage("the cat in a river", "cat")])[0, 0]
    pieces = ["the", "c", "##a", "##t", "in", "a", "river"]
    np.testing.assert_allclose(found, twin(encoder, pieces, [1, 2, 3]), atol=2e-3)


def test_all_layers_of_a_graph_are_given_in_their_order(tmp_path: Path, encoder: Encoder) -> None:
    layered = load_encoder(make_encoder(tmp_path, WORDS, layers=True), cache=False)
    found = layered.states([passage(TEXT, "tie")])
    assert found.shape == (1, 2, layered.dim)
    np.testing.assert_array_equal(found[:, 1], encoder.states([passage(TEXT, "tie")])[:, 0])


def test_states_do_not_depend_on_neighbours_or_threads(encoder: Encoder) -> None:
    texts = [f"{'river ' * n}silk tie {'game ' * (60 - n)}" for n in range(40)]
    passages = [passage(text, "tie") for text in texts]
    together = encoder.states(passages, run=Run(threads=3))
    alone = np.concatenate([encoder.states([each], run=Run(threads=1)) for each in reversed(passages)])[::-1]
    assert together.tobytes() == alone.tobytes()


@pytest.mark.parametrize("n_before", [0, 3, 70, 5000])
def test_the_word_is_found_in_a_text_of_any_length(encoder: Encoder, n_before: int) -> None:
    text = f"{'the ' * n_before}silk tie {'game ' * n_before}"
    pieces = encoder._pieces([module._shorten(passage(text, "tie"))])[0]
    assert encoder.tokenizer.id_to_token(pieces.ids[pieces.first]) == "tie"
    assert pieces.last == pieces.first + 1
    assert len(pieces.ids) <= 2 * N_AROUND + 2


def test_a_line_of_many_megabytes_is_read_around_the_word(encoder: Encoder) -> None:
    text = "x" * 20_000_000 + " silk tie in a game " + "y" * 20_000_000
    assert np.isfinite(encoder.states([passage(text, "tie")])).all()


def test_a_word_that_the_tokenizer_drops_is_read_at_the_next_place(encoder: Encoder) -> None:
    assert np.isfinite(encoder.states([Passage("the \u200b tie", 4, 5)])).all()
    with pytest.raises(InputError, match="finds nothing"):
        encoder.states([Passage("\u200b", 0, 1)])


def test_no_passages_have_no_states(encoder: Encoder) -> None:
    assert encoder.states([]).shape == (0, 1, encoder.dim)


def test_words_of_the_language_are_cut_into_few_pieces(encoder: Encoder) -> None:
    assert encoder.pieces_per_word(["tie", "silk"]) == 1
    assert encoder.pieces_per_word(["абв"]) == 10
    assert encoder.pieces_per_word([]) == 1


# --- folders that cannot be used


def test_a_folder_that_is_missing_or_incomplete(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a folder"):
        load_encoder(tmp_path / "none")
    with pytest.raises(ModelError, match=r"no model\.onnx and no tokenizer\.json; export"):
        load_encoder(tmp_path)
    folder = make_encoder(tmp_path / "half")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"half has no tokenizer\.json; export"):
        load_encoder(folder)


def test_the_graph_may_be_in_the_subfolder_of_repositories(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "onnx").mkdir()
    for name, target in (("model.onnx", "onnx/model.onnx"), ("tokenizer.json", "tokenizer.json")):
        (tmp_path / target).write_bytes((folder / name).read_bytes())
    text = passage(TEXT, "tie")
    expected = load_encoder(folder, cache=False).states([text])
    np.testing.assert_array_equal(load_encoder(tmp_path, cache=False).states([text]), expected)


@pytest.mark.parametrize("content", [b"", b"no graph", b"\x08\x07" * 500])
def test_a_graph_that_is_none(tmp_path: Path, content: bytes) -> None:
    folder = make_encoder(tmp_path)
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(ModelError, match="no graph that ONNX Runtime can load"):
        load_encoder(folder)


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"model": {"type": "Nothing"}}'])
def test_a_tokenizer_that_is_none(tmp_path: Path, content: bytes) -> None:
    folder = make_encoder(tmp_path)
    (folder / "tokenizer.json").write_bytes(content)
    with pytest.raises(ModelError, match="is no tokenizer"):
        load_encoder(folder)


def test_a_graph_that_gives_a_vector_of_the_whole_text(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path, output="sentence_embedding", flat=True)
    with pytest.raises(ModelError, match="gives sentence_embedding, but not the states of tokens"):
        load_encoder(folder)


def test_a_graph_that_gives_words_in_place_of_states(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="gives logits, but not the states"):
        load_encoder(make_encoder(tmp_path, output="logits"))


def test_a_graph_that_takes_something_else(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="takes input_ids, attention_mask, pixel_values, but an encoder takes"):
        load_encoder(make_encoder(tmp_path, extra_input="pixel_values"))


def test_a_tokenizer_with_more_subwords_than_the_graph_has_vectors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="do not fit together"):
        load_encoder(make_encoder(tmp_path, WORDS, n_vectors=50))


def test_a_graph_with_vectors_for_many_more_subwords_than_the_tokenizer_knows(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the graph has vectors for more than .* take both from the same model"):
        load_encoder(make_encoder(tmp_path / "other", WORDS, n_vectors=4000), cache=False)
    padded = load_encoder(make_encoder(tmp_path / "padded", WORDS, n_vectors=512), cache=False)
    assert padded.states([passage(TEXT, "tie")]).any()


def test_a_tokenizer_without_special_subwords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some graphs fail for a text of no subwords, which was tried for the number of dimensions."""
    folder = make_encoder(tmp_path / "bare", WORDS)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}))
    lengths: list[int] = []
    run = Encoder._run
    monkeypatch.setattr(Encoder, "_run", lambda self, ids: lengths.append(len(ids)) or run(self, ids))
    found = load_encoder(folder, cache=False)
    assert found.states([passage(TEXT, "tie")]).shape == (1, 1, found.dim)
    assert min(lengths) > 0


def test_fewer_positions_than_are_read_as_a_rule(tmp_path: Path) -> None:
    folder = make_encoder(tmp_path, WORDS)
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": 20}))
    encoder = load_encoder(folder, cache=False)
    pieces = encoder._pieces([passage("the " * 50 + "tie" + " the" * 50, "tie")])[0]
    assert len(pieces.ids) == 20
    (folder / "config.json").write_text("[")
    assert load_encoder(folder, cache=False).most_subwords <= POSITIONS


def test_a_graph_larger_than_the_memory_is_refused_before_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_free_memory", lambda: 1000)
    with pytest.raises(ModelError, match=r"needs about .* GB of memory, and 0\.0 GB are free; pass a smaller"):
        load_encoder(folder)


def test_without_the_extra_the_command_that_installs_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[encoder\]"):
        load_encoder(folder)


def test_states_that_are_not_finite(tmp_path: Path) -> None:
    encoder = load_encoder(make_encoder(tmp_path, WORDS, context=float("nan")), cache=False)
    with pytest.raises(ModelError, match="not finite"):
        encoder.states([passage(TEXT, "tie")])
