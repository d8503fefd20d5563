"""The language of a model: in its manifest, for its inflected forms, and no obstacle to older models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from invoking import invoke, refused
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import write_vectors
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.pipeline.sources import CountSettings, settings_of
from wordatoms.senses.parts import ModelParts
from wordatoms.storage.folder import ModelFolder

GERMAN = "wir gehen und er geht und sie ging\nwir gehen und er geht und sie ging\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(GERMAN)
    return path


def test_language_of_counted_text(text: Path, tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "model", create=True)
    count([text], folder, CountSettings(min_count=1, language="de-AT"))
    parts = ModelParts(folder.path)
    assert parts.language == "de"
    assert parts.forms("gehen") == ("gehen", "geht", "ging")
    assert settings_of(parts.folder.stages["count"]).language == "de"
    assert "language: de" in invoke("info", folder.path).stdout


def test_english_is_not_in_the_manifest_so_that_older_models_match(text: Path, tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "model", create=True)
    count([text], folder, CountSettings(min_count=1))
    assert "language" not in folder.stages["count"]["settings"]
    assert ModelParts(folder.path).language == "en"
    assert not count([text], folder, CountSettings(min_count=1, language="en"))
    with pytest.raises(ModelError, match="language"):
        count([text], folder, CountSettings(min_count=1, language="fr"))


def test_language_of_imported_vectors(tmp_path: Path) -> None:
    words = ("gehen", "geht", "tie", "ties")
    write_vectors(Embeddings(words, np.eye(4, dtype=np.float32)), tmp_path / "vectors.txt", format="word2vec")
    folder = ModelFolder(tmp_path / "model", create=True)
    import_vectors(tmp_path / "vectors.txt", folder, language="de")
    assert ModelParts(folder.path).forms("gehen") == ("gehen", "geht")
    invoke("import", tmp_path / "vectors.txt", "-o", tmp_path / "english")
    assert ModelParts(tmp_path / "english").forms("tie") == ("tie", "ties")


def test_language_without_forms_is_said_in_a_sentence(text: Path, tmp_path: Path) -> None:
    made = invoke("count", text, "-o", tmp_path / "model", "--min-count", "1", "--language", "xx")
    assert "no inflected forms are known for the language 'xx'; each word stands for itself" in made.stderr
    assert ModelParts(tmp_path / "model").forms("gehen") == ("gehen",)


def test_what_is_no_language(text: Path, tmp_path: Path) -> None:
    assert "the language is 'German'; pass a code" in refused(
        "count", text, "-o", tmp_path / "model", "--language", "German"
    )
    with pytest.raises(InputError, match=r"the language is '\.\./x'"):
        CountSettings(language="../x")
