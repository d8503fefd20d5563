"""All results as tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from naive_posterior import world_embeddings, world_map, world_model
from wordatoms import to_arrow, to_frame
from wordatoms.contexts.reader import ReadingSettings
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, MissingExtraError
from wordatoms.senses.comparison import compare_senses
from wordatoms.senses.frames import Results
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import AtomView
from wordatoms.senses.sentences import representative_sentences
from wordatoms.senses.topics import document_topics
from wordatoms.tuning.choice import Trial, TuningResult

TEXTS = ["the bank gave a loan of cash", "a boat on the river near the bank"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_model(tmp_path_factory.mktemp("frames") / "model", world_embeddings(), induced_map=world_map())


def test_a_list_of_senses_is_a_list_and_a_table(model: SenseModel) -> None:
    senses = model.senses("bank")
    frame = senses.to_frame()
    assert senses == [*senses]
    assert frame["atom"].tolist() == [sense.atom for sense in senses]
    assert frame["weight"].tolist() == [sense.weight for sense in senses]
    assert frame["nearest"][0] == " ".join(near.word for near in senses[0].nearest)
    assert senses[0].to_frame().to_dict("records") == frame[:1].to_dict("records")
    assert len(Results().to_frame()) == 0


def test_disambiguations_have_a_row_for_each_sense(model: SenseModel) -> None:
    found = model.disambiguate("bank", TEXTS[0])
    frame = found.to_frame()
    assert frame["atom"].tolist() == [meaning.atom for meaning in found[0].meanings]
    assert frame["probability"].sum() == pytest.approx(1)
    assert set(frame["form"]) == {"bank"}


def test_clusters_have_a_row_for_each_usage(model: SenseModel) -> None:
    found = model.cluster("bank", [*TEXTS, "no such word", "bank and banks"], k=2)
    frame = found.to_frame()
    assert frame["text"].tolist() == [0, 1, 3, 3]
    assert frame["cluster"].tolist() == [*found.labels]
    assert frame["form"].tolist() == ["bank", "bank", "bank", "banks"]
    assert frame["probability"].tolist() == found.p_senses.max(axis=1).tolist()


def test_every_kind_of_result(model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("The boat lay near the bank of the river by the water and the shore.\n")
    tuning = TuningResult(ReadingSettings(), (Trial("window", 10.0, "told apart", 0.8),), {}, {}, {}, {})
    results: list[tuple[Any, str, int | None]] = [
        (model.candidates("bank", 2), "similarity", 2),
        (AtomView(0, "money", (Neighbour("cash", 0.9),), 3, (), ((1, 0.5, "river"),), (), False), "n_words", 1),
        (model.search("river"), "why", None),
        (model.near_words("bank", 3), "word", 3),
        (model.read(TEXTS[1]), "probability", 8),
        (compare_senses(model, model, "bank"), "label2", None),
        (representative_sentences(model, "bank", [tmp_path], shortest=2), "line", 1),
        (document_topics(model, TEXTS), "share", None),
        (tuning, "score", 1),
    ]
    for result, column, n_rows in results:
        frame = to_frame(result)
        assert column in frame.columns, result
        assert len(frame) == n_rows or (n_rows is None and len(frame)), result
        assert result.to_frame().equals(frame)


def test_comparison_with_a_sense_that_one_model_lacks(model: SenseModel) -> None:
    found = compare_senses(model, model, "bank", least_alike=1.5)  # no pairs
    frame = found.to_frame()
    assert len(frame) == sum(map(len, found.senses))
    assert frame["atom1"].notna().sum() == len(found.senses[0])


@pytest.mark.parametrize("wrong", ["text", 7, {"a": 1}, ["text"], [1, 2]])
def test_what_is_no_result(wrong: object) -> None:
    with pytest.raises(InputError, match="pass what a model answered"):
        to_frame(wrong)


def test_without_pandas(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r'pip install ".*\[pandas\]"'):
        model.senses("bank").to_frame()


def test_arrow_tables_have_the_rows_of_the_frame(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    for found in (model.senses("bank"), model.disambiguate("bank", TEXTS[0]), model.cluster("bank", TEXTS, k=2)):
        assert found.to_arrow().to_pylist() == found.to_frame().to_dict("records")
    assert Results().to_arrow().num_rows == 0
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"\[parquet\]"):
        to_arrow(model.senses("bank"))
