"""The registry of embedding methods says the same as the trainers themselves."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from wordatoms.embeddings.trainers import TRAINERS, Trainer, find_trainer, train_embeddings, trainer_names
from wordatoms.errors import InputError


@pytest.mark.parametrize("trainer", TRAINERS.values(), ids=TRAINERS)
def test_properties_agree_with_the_signature(trainer: Trainer) -> None:
    signature = inspect.signature(trainer.train).parameters
    assert trainer.has_epochs == ("epochs" in signature)
    assert trainer.holds_words == ("fixed" in signature) == ("start" in signature)
    assert trainer.reads_text == (next(iter(signature)) == "lines")
    assert {"random_state", "threads", "checkpoint", "callback"} <= signature.keys()
    assert "dim" in trainer.parameters()
    assert "threads" not in trainer.parameters()


def test_names_by_property() -> None:
    assert trainer_names(has="reads_text") == ["skipgram", "cbow"]
    assert trainer_names(has="holds_words") == ["sn", "glove"]


def test_unknown_method_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="method is 'lsa'; pass one of sn, glove, pmi, nnse, skipgram"):
        find_trainer("lsa")


def test_method_that_reads_text_asks_for_it() -> None:
    with pytest.raises(InputError, match="skip-gram is trained on text"):
        train_embeddings(None, "skipgram")  # type: ignore[arg-type]


def test_registry_imports_nothing_heavy() -> None:
    code = "import sys, wordatoms.embeddings.trainers; print({'numpy', 'numba', 'scipy'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
