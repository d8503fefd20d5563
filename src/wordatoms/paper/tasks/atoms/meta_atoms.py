"""Meta-atoms: atoms of atoms, from a part of Section 5 that the paper left out.

It says that the atoms of jazz, rock, classical and country are near each other and share a meta-atom of music, and that
one about biochemistry is made of those of biology and chemistry. The exhibit shows
the meta-atoms of the heaviest atoms of these words, and compares the mean cosine within a meta-atom with that of any
two atoms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import MUSIC, SCIENCE
from wordatoms.senses.model import SenseModel

PAPER_N_META = 200
N_LARGEST = 8


def _run(inputs: Inputs) -> Numbers:
    model = inputs.model
    meta = model.meta_atoms
    within, between = _closeness(model)
    largest = sorted(meta.members, key=lambda each: (-len(meta.members[each]), each))[:N_LARGEST]
    return {
        "n_meta": len(meta),
        "n_atoms": len(model.atoms),
        "within": within,
        "between": between,
        "words": [_of_word(model, word) for word in (*MUSIC, *SCIENCE) if word in model.embeddings],
        "largest": [
            {
                "meta": each,
                "label": meta.labels[each],
                "size": len(meta.members[each]),
                "atoms": [model.label(atom) for atom in meta.members[each][:4]],
            }
            for each in largest
        ],
    }


def _of_word(model: SenseModel, word: str) -> dict[str, Any]:
    """The heaviest atom of a word, and the meta-atoms that it is made of."""
    senses = model.senses(word)
    if not senses:
        return {"word": word, "atom": None, "label": "", "meta": []}
    atom, meta = senses[0].atom, model.meta_atoms
    made_of = [{"meta": each, "weight": weight, "label": meta.labels[each]} for each, weight in meta.of_atom(atom)]
    return {"word": word, "atom": atom, "label": senses[0].label, "meta": made_of}


def _closeness(model: SenseModel) -> tuple[float | None, float]:
    """The mean cosine of two atoms of one meta-atom, and of any two."""
    vectors = np.asarray(model.atoms.vectors, np.float64)
    total = n_pairs = 0.0
    for members in model.meta_atoms.members.values():
        if len(members) > 1:
            total += float(np.square(vectors[members].sum(axis=0)).sum()) - len(members)
            n_pairs += len(members) * (len(members) - 1)
    n = len(vectors)
    between = (float(np.square(vectors.sum(axis=0)).sum()) - n) / max(n * (n - 1), 1)
    return total / n_pairs if n_pairs else None, between


def _figures(numbers: Numbers) -> list[Figure]:
    return [
        Figure("meta-atoms", PAPER_N_META, numbers["n_meta"], digits=0, within=50, says="a tenth of the atoms"),
        Figure(
            "mean cosine of two atoms of one meta-atom",
            None,
            numbers["within"],
            numbers["between"],
            "any two atoms",
            is_headline=True,
        ),
    ]


def _render(numbers: Numbers) -> list[Block]:
    largest = [(each["label"], each["size"], "; ".join(each["atoms"])) for each in numbers["largest"]]
    columns = [Column("meta-atom", is_words=True), Column("atoms", 0), Column("nearest of them", is_words=True)]
    return [*_named_words(numbers), make_table(columns, largest, "The largest meta-atoms.")]


def _named_words(numbers: Numbers) -> list[Block]:
    """The words that the paper names, if the model knows them."""
    rows = [
        (each["word"], each["label"], "; ".join(f"{part['label']} ({part['weight']:.2f})" for part in each["meta"]))
        for each in numbers["words"]
    ]
    made_of = Column("made of meta-atoms (weight)", is_words=True)
    columns = [Column("word"), Column("its heaviest atom", is_words=True), made_of]
    return [make_table(columns, rows, "The words that the paper names.")] if rows else []


def _why(_numbers: Numbers) -> str:
    return "The paper left this part out and gives no scores; weights are kept non-negative here."


META_ATOMS = Exhibit(
    "meta-atoms",
    "Meta-atoms: what groups the atoms",
    "A second sparse coding, with two of 200 meta-atoms for each atom, groups the atoms themselves. It comes from a "
    "part that is commented out in the paper's source.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS,),
    is_paper=False,
)
