"""The component for spaCy, in real pipelines: against the model itself, in batches, and saved in every way."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordatoms as wa
from docworld import ROOT
from observedworld import FUNCTION_WORDS, WORD, observed_model, words_of
from sharing import made_once
from wordatoms.errors import InputError, ModelError

spacy = pytest.importorskip("spacy")
from spacy.tokens import Doc, DocBin, Token  # noqa: E402

from wordatoms.spacy import ATTRIBUTES, SETTINGS, SenseComponent  # noqa: E402


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "spacy-world", observed_model) / "model"


def pipeline(trained: Path, **config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("wordatoms", config={"model": str(trained), **config})
    return nlp


TEXTS = [
    f"{words_of(0, 6)} {WORD} {words_of(0, 6, 20)}.",
    f"The {words_of(1, 8)}, {WORD}; of",
    "",
    "unheard-of!",
    f"{WORD} {WORD}",
    words_of(2, 12),
]


@pytest.mark.parametrize("method", ["auto", "code"])
def test_tokens_get_what_the_model_answers(trained: Path, method: Any) -> None:
    nlp, model = pipeline(trained, method=method), wa.load(trained)
    for text in TEXTS:
        expected = {word.start: word for word in model.read(text, method=method) if word.sense}
        doc = nlp(text)
        assert {token.idx for token in doc if token._.senses} == set(expected)
        for token in doc:
            if token._.senses:
                word = expected[token.idx]
                assert word.sense is not None
                assert token._.senses[0][:3] == pytest.approx(
                    (word.sense.label, word.sense.probability, word.sense.atom)
                )
                assert token._.p_none == pytest.approx(word.p_none)
                assert (token._.sense is not None) == (word.verdict == word.sense.label)
                assert sum(sense.probability for sense in token._.senses) + token._.p_none == pytest.approx(1, abs=1e-5)
                assert token._.context_vector.shape == (model.embeddings.dim,)
            else:
                assert (token._.sense, token._.p_none, token._.context_vector) == (None, 0.0, None)


def test_the_context_decides(trained: Path) -> None:
    nlp = pipeline(trained)
    first, second = (nlp(f"{words_of(n, 6)} {WORD} {words_of(n, 6, 20)}")[6]._ for n in (0, 1))
    assert first.sense.label != second.sense.label
    assert float(first.context_vector @ second.context_vector) < 0.7
    assert not nlp(FUNCTION_WORDS[0])[0]._.senses


@pytest.mark.parametrize("batch_size", [1, 3, 256])
def test_batches_do_not_change_the_answers(trained: Path, batch_size: int) -> None:
    nlp = pipeline(trained)

    def stream() -> Iterator[str]:
        yield from TEXTS * 2

    for text, doc in zip(TEXTS * 2, nlp.pipe(stream(), batch_size=batch_size), strict=True):
        alone = nlp(text)
        assert doc.text == text
        for token, other in zip(doc, alone, strict=True):
            assert [sense[:1] + sense[2:] for sense in token._.senses] == [
                each[:1] + each[2:] for each in other._.senses
            ]
            assert token._.p_none == pytest.approx(other._.p_none, abs=1e-6)
            if token._.senses:
                np.testing.assert_allclose(token._.context_vector, other._.context_vector, atol=1e-5)


def test_tokens_of_the_pipeline_are_read_whatever_made_them(trained: Path) -> None:
    nlp = pipeline(trained)
    words = [*words_of(0, 6).split(), WORD, "two words", " ", "…", *words_of(0, 6, 20).split()]
    doc = nlp.get_pipe("wordatoms")(Doc(nlp.vocab, words))
    assert doc[6]._.sense
    assert not any(token._.senses for token in doc[7:10])
    assert len(nlp.get_pipe("wordatoms")(Doc(nlp.vocab))) == 0


def same_senses(first: Any, second: Any) -> bool:
    return [token._.senses for token in first] == [token._.senses for token in second] and all(
        np.array_equal(a._.context_vector, b._.context_vector) for a, b in zip(first, second, strict=True) if a._.senses
    )


def test_documents_can_be_stored(trained: Path) -> None:
    nlp = pipeline(trained)
    doc = nlp(TEXTS[0])
    assert same_senses(Doc(nlp.vocab).from_bytes(doc.to_bytes()), doc)
    (stored,) = DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)
    assert same_senses(stored, doc)


def test_a_pipeline_is_saved_with_its_model(trained: Path, tmp_path: Path) -> None:
    nlp = pipeline(trained, method="code")
    nlp.to_disk(tmp_path / "pipeline")
    for loaded in (spacy.load(tmp_path / "pipeline"), pipeline(trained).from_bytes(nlp.to_bytes())):
        component = loaded.get_pipe("wordatoms")
        assert component.method == "code"
        assert component.sense_model.path != nlp.get_pipe("wordatoms").sense_model.path
        assert same_senses(loaded(TEXTS[0]), nlp(TEXTS[0]))


def test_a_saved_pipeline_works_where_its_model_is_gone(trained: Path, tmp_path: Path) -> None:
    trained.parent.joinpath("model").rename(trained.parent / "moved")
    try:
        nlp = pipeline(trained.parent / "moved")
        nlp.to_disk(tmp_path / "pipeline")
        expected = nlp(TEXTS[0])
    finally:
        trained.parent.joinpath("moved").rename(trained)
    assert same_senses(spacy.load(tmp_path / "pipeline")(TEXTS[0]), expected)


def test_another_model_is_refused(trained: Path, tmp_path: Path) -> None:
    component = pipeline(trained).get_pipe("wordatoms")
    component.to_disk(tmp_path / "saved", exclude=["model"])
    assert not (tmp_path / "saved" / "model").exists()
    (tmp_path / "saved" / SETTINGS).write_text('{"method": "auto", "atoms": "others"}')
    with pytest.raises(ModelError, match="another model"):
        component.from_disk(tmp_path / "saved")


@pytest.mark.parametrize("content", ["", "[]", '{"method": "all", "atoms": ""}', '{"method": "auto", "atoms": 3}'])
def test_broken_settings_are_refused(trained: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / SETTINGS).write_text(content)
    with pytest.raises(ModelError, match="no settings"):
        pipeline(trained).get_pipe("wordatoms").from_disk(tmp_path)


def test_bytes_cannot_write_elsewhere(trained: Path) -> None:
    from srsly import msgpack_dumps

    component = pipeline(trained).get_pipe("wordatoms")
    for name in ("../evil", "/tmp/evil", "model/../../evil", "model/deep/evil", ""):
        with pytest.raises(ModelError, match="no file of this component"):
            component.from_bytes(msgpack_dumps({name: b"x"}))


def test_the_bundled_model_is_only_for_english() -> None:
    with pytest.raises(InputError, match="the pipeline is 'de'"):
        spacy.blank("de").add_pipe("wordatoms")


def test_attributes_of_others_are_not_replaced(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = wa.load(trained)
    SenseComponent(model=model)
    monkeypatch.setitem(ATTRIBUTES, "senses", lambda token: token)
    with pytest.raises(InputError, match="attribute 'senses'"):
        SenseComponent(model=model)
    assert Token.has_extension("senses")


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    nlp = pipeline(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="nowhere is not a model folder"):
        nlp("a text")


def test_the_component_is_declared_for_spacy() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["spacy_factories"] == {"wordatoms": "wordatoms.spacy:make_component"}


@pytest.mark.skipif(
    "wordatoms" not in entry_points(group="spacy_factories").names, reason="this installation has no entry points"
)
def test_spacy_finds_the_component_by_its_name_alone(trained: Path) -> None:
    code = f"import spacy; nlp = spacy.blank('en'); nlp.add_pipe('wordatoms', config={{'model': {str(trained)!r}}})"
    code += "; nlp('a text')"
    subprocess.run([sys.executable, "-c", code], check=True)
