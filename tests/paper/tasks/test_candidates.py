"""The recall of 20 candidate atoms: what an atom shows, against a loop, and planted senses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from naive_lineup import list_vector
from planted import planted_model, planted_testbed
from wordatoms.paper.tasks.lineup.candidates import CLOSEST, CODE, OF_OTHERS, find_senses, shown_senses
from wordatoms.paper.tasks.lineup.methods import lineup_sif
from wordatoms.senses.model import load


def test_atoms_show_the_senses_that_they_rank_first(tmp_path: Path) -> None:
    model, testbed = load(planted_model(tmp_path / "model").path), planted_testbed()
    is_first = shown_senses(model, testbed)(np.random.default_rng(3))
    sif = lineup_sif(model)
    units = {word: vector.astype(float) for word, vector in sif.embeddings.items()}
    weights = dict(zip(units, sif.weights.astype(float).tolist(), strict=True))
    lists = [list_vector(sense.related, units, weights) for sense in testbed.senses]
    atoms, rng = model.atoms.vectors.astype(float), np.random.default_rng(3)
    for sense, owner in enumerate(testbed.owners.tolist()):
        usable = [
            other
            for other, of in enumerate(testbed.owners.tolist())
            if of != owner and not testbed.barred[owner, other]
        ]
        drawn = rng.choice(usable, min(19, len(usable)), replace=False)
        for number, atom in enumerate(atoms):
            scores = {each: (atom - atoms.mean(axis=0)) @ lists[each] for each in (sense, *drawn.tolist())}
            assert is_first[number, sense] == (max(scores, key=scores.__getitem__) == sense)


def test_planted_senses_are_found_and_other_words_find_fewer(tmp_path: Path) -> None:
    model = load(planted_model(tmp_path / "model").path)
    found = find_senses(model, planted_testbed(), 0)
    rows = {row["atoms"]: row for row in found["rows"]}
    assert rows[CODE]["found"] > 0.9
    assert rows[CLOSEST]["found"] >= rows[CODE]["found"] > rows[f"{CODE}, {OF_OTHERS}"]["found"]
    assert rows[CODE]["found_of_missing"] in (0, None)
    assert found == find_senses(model, planted_testbed(), 0)
