"""A small model with senses by use: planted discourses, and a word whose two forms are used in three of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wordatoms as wa
from plantedtext import N_DISCOURSES, N_WORDS, WORDS, planted_text
from wordatoms.pipeline.atomize import AtomSettings
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.train import train
from wordatoms.run import Run
from wordatoms.senses import observing
from wordatoms.senses.uses import SenseUses

WORD, FORM = "tie", "ties"
SHARES = {WORD: (0.6, 0.3, 0.1), FORM: (0.5, 0.5, 0.0)}
"""Of the uses of each form, in the first three discourses."""
FUNCTION_WORDS = ("the", "of")
RARE_SHARE = 0.02
LEAST_LIFT, MOST_SIMILAR = 6.0, 0.65
"""With so few discourses nothing is much more frequent than by chance, and all are a little alike."""
N_USES = {WORD: 280, FORM: 140}


def ambiguous_text() -> str:
    """Lines of one discourse each, some with function words."""
    rng = np.random.default_rng(3)
    lines = [line.split() for line in planted_text(1).split("\n")]
    for line in lines:
        for word in FUNCTION_WORDS:
            if rng.random() < 0.3:
                line.insert(int(rng.integers(len(line))), word)
    for form, shares in SHARES.items():
        for number, share in enumerate(shares):
            own = [line for place, line in enumerate(lines) if place % N_DISCOURSES == number]
            for place in rng.choice(len(own), round(share * N_USES[form]), replace=False):
                own[place].insert(12, form)
    return "\n".join(map(" ".join, lines)) + "\n"


def discourse(word: str) -> int:
    """The discourse of a planted word; -1 for any other."""
    return WORDS.index(word) // N_WORDS if word in WORDS else -1


def words_of(number: int, n: int = 12, first: int = 0) -> str:
    """Some words of a discourse."""
    return " ".join(WORDS[number * N_WORDS + first : number * N_WORDS + first + n])


def observed_model(folder: Path) -> wa.SenseModel:
    """The model `folder/model` of the text `folder/text.txt`."""
    text = folder / "text.txt"
    text.write_text(ambiguous_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observing, "LEAST_LIFT", LEAST_LIFT)
        patch.setattr(observing, "MOST_SIMILAR", MOST_SIMILAR)
        train(
            [text],
            folder / "model",
            settings=CountSettings(min_count=2),
            parameters={"dim": 24},
            atom_settings=AtomSettings(n_atoms=40, n_restarts=2, n_iterations=8),
            run=Run(1),
        )
    return wa.load(folder / "model")


def with_rare_sense(model: wa.SenseModel) -> wa.SenseModel:
    """The same model, in which the second sense of `WORD` is not general but rare."""
    uses = model.uses
    assert uses is not None
    second = uses.of(model.row(WORD))[1]
    shares, general = uses.shares.copy(), uses.general.copy()
    shares[uses.starts[model.row(WORD)] + 1] = RARE_SHARE
    general[second.sense] = False
    return _with_uses(model, replace(uses, shares=shares, general=general))


def in_doubt(model: wa.SenseModel) -> wa.SenseModel:
    """The same model, which says "none of these" sooner: its few discourses are all a little alike."""
    assert model.uses is not None
    calibration = replace(model.uses.calibration, none_cosine=0.6)
    return _with_uses(model, replace(model.uses, calibration=calibration))


def _with_uses(model: wa.SenseModel, uses: SenseUses) -> wa.SenseModel:
    changed = wa.load(model.path)
    vars(changed.parts)["uses"] = uses
    return changed
