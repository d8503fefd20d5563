"""Table 5: discourse atoms and their nearest words (Section 5).

The paper shows seven of its atoms. Each is matched with our atom that has the highest mean cosine with the paper's nine
words; the score is how many of the nine are among its fifty nearest words. The baseline does the same for nine random
words, because the best of many atoms fits any words to some degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import ATOMS
from wordatoms.senses.model import SenseModel

N_NEAREST = 50
N_SHOWN = 9
N_DRAWS = 100
AMONG = 20_000
"""Random words are drawn from this many of the most frequent words."""


def known_units(model: SenseModel, words: Sequence[str]) -> tuple[list[str], NDArray[np.float32]]:
    """The words that a model knows, and their unit vectors."""
    vectors = model.learned_from
    known = [word for word in words if word in vectors]
    rows = vectors.find_rows(known)
    return known, np.asarray(vectors.unit_vectors[rows]) if known else np.zeros((0, vectors.dim), np.float32)


def best_atom(model: SenseModel, words: Sequence[str], atoms: Sequence[int] | None = None) -> tuple[int, float] | None:
    """The atom (of `atoms`, or of all) with the highest mean cosine with the words; None if no word is known."""
    known, units = known_units(model, words)
    if not known or (atoms is not None and not len(atoms)):
        return None
    numbers = np.arange(len(model.atoms)) if atoms is None else np.asarray(atoms)
    cosines = np.asarray(model.atoms.vectors[numbers], np.float64) @ units.mean(axis=0, dtype=np.float64)
    place = int(cosines.argmax())
    return int(numbers[place]), float(cosines[place])


def nearest(model: SenseModel, atom: int, n: int) -> list[str]:
    return [near.word for near in model.nearest_words(atom, n)]


def _run(inputs: Inputs) -> Numbers:
    model = inputs.model
    return {
        "atoms": [_match(model, atom, words.split()) for atom, words in ATOMS.items()],
        "random": _random_overlap(model, inputs.seed),
        "n_nearest": N_NEAREST,
    }


def _match(model: SenseModel, paper_atom: int, words: list[str]) -> dict[str, Any]:
    found = best_atom(model, words)
    known = known_units(model, words)[0]
    near = nearest(model, found[0], N_NEAREST) if found else []
    return {
        "paper_atom": paper_atom,
        "paper_words": words,
        "known": known,
        "atom": found[0] if found else None,
        "cosine": found[1] if found else None,
        "words": near[:N_SHOWN],
        "found": [word for word in words if word in near],
    }


def _random_overlap(model: SenseModel, seed: int) -> float:
    """The share of nine random words among the nearest words of the atom that matches them best."""
    rng = np.random.default_rng(seed)
    words = model.words[:AMONG]
    shares = []
    for _ in range(N_DRAWS):
        drawn = [words[row] for row in rng.choice(len(words), min(N_SHOWN, len(words)), replace=False)]
        found = best_atom(model, drawn)
        near = set(nearest(model, found[0], N_NEAREST)) if found else set()
        shares.append(sum(word in near for word in drawn) / len(drawn))
    return fmean(shares)


def _figures(numbers: Numbers) -> list[Figure]:
    atoms = numbers["atoms"]
    n_known = sum(len(each["known"]) for each in atoms)
    share = sum(len(each["found"]) for each in atoms) / n_known if n_known else None
    return [
        Figure(
            f"the paper's words among the {numbers['n_nearest']} nearest of our atoms, share",
            None,
            share,
            numbers["random"],
            "nine random words",
            is_headline=True,
            says="atoms like the paper's" if (share or 0) > 2 * numbers["random"] else "no atoms like the paper's",
        )
    ]


def _render(numbers: Numbers) -> list[Block]:
    rows = []
    for each in numbers["atoms"]:
        rows.append(Row((f"paper, {each['paper_atom']}", " ".join(each["paper_words"]), None, None), "paper"))
        name = "none" if each["atom"] is None else f"ours, {each['atom']}"
        shared = f"{len(each['found'])} of {len(each['known'])}"
        rows.append(Row((name, " ".join(each["words"]), shared, each["cosine"]), "ours"))
    found = Column(f"the paper's words in our nearest {numbers['n_nearest']}")
    columns = [Column("atom"), Column("nearest nine words", is_words=True), found, Column("mean cosine", 2)]
    caption = "Each of the paper's atoms, followed by the atom of this model that is closest to its words."
    return [make_table(columns, rows, caption)]


def _why(numbers: Numbers) -> str:
    n_words = sum(len(each["paper_words"]) for each in numbers["atoms"])
    n_known = sum(len(each["known"]) for each in numbers["atoms"])
    return (
        f"Atoms depend on the text: {n_known} of the paper's {n_words} words are known here at all. Its seven atoms "
        "were selected for display; ours are those that match them best."
    )


TABLE_5 = Exhibit(
    "table-5",
    "Table 5: discourse atoms and their nearest words",
    "The nearest words of an atom show its content. The paper shows seven of about 2000; here each is matched "
    "with the atom of this model that is closest to the same words.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS,),
)
