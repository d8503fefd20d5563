"""Table 6: the atoms of *tie* and *spring* (Section 5).

The paper shows five atoms of each word by their six nearest words. Each is matched with the atom of the same word here
that is closest to its words. The score is how many of the paper's thirty words are among the fifty nearest words of the
word's atoms; the baseline is the same number of nearest words of the word itself, without atoms.
"""

from __future__ import annotations

from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, Table, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import SENSES, SPARSITY
from wordatoms.paper.tasks.atoms.table5 import best_atom, known_units, nearest
from wordatoms.senses.model import SenseModel

N_NEAREST = 50
N_SHOWN = 6


def _run(inputs: Inputs) -> Numbers:
    found = {word: _of_word(inputs.model, word, senses) for word, senses in SENSES.items()}
    return {"words": found, "n_nearest": N_NEAREST}


def _of_word(model: SenseModel, word: str, senses: tuple[str, ...]) -> dict[str, Any]:
    ours = model.senses(word)[:SPARSITY]
    atoms = [sense.atom for sense in ours]
    near = [nearest(model, atom, N_NEAREST) for atom in atoms]
    around_atoms = {each for words in near for each in words}
    plain = {each.word for each in model.learned_from.nearest(word, max(len(around_atoms), 1))}
    theirs = known_units(model, [each for sense in senses for each in sense.split()])[0]
    return {
        "senses": [
            {"atom": sense.atom, "weight": sense.weight, "words": words[:N_SHOWN]}
            for sense, words in zip(ours, near, strict=True)
        ],
        "plain": [each.word for each in model.learned_from.nearest(word, 2 * N_SHOWN)],
        "matches": [_match(model, sense.split(), dict(zip(atoms, near, strict=True))) for sense in senses],
        "n_known": len(theirs),
        "n_found": sum(each in around_atoms for each in theirs),
        "n_found_plain": sum(each in plain for each in theirs),
    }


def _match(model: SenseModel, words: list[str], near: dict[int, list[str]]) -> dict[str, Any]:
    """One atom of the paper, and the closest of the word's atoms here."""
    found = best_atom(model, words, list(near))
    return {
        "paper_words": words,
        "atom": found[0] if found else None,
        "cosine": found[1] if found else None,
        "words": near[found[0]][:N_SHOWN] if found else [],
        "found": [word for word in words if found and word in near[found[0]]],
        "known": known_units(model, words)[0],
    }


def _figures(numbers: Numbers) -> list[Figure]:
    return [
        Figure(
            f"“{word}”: the paper's words around its atoms, share",
            None,
            each["n_found"] / each["n_known"],
            each["n_found_plain"] / each["n_known"],
            "as many nearest words of the word itself",
            is_headline=True,
            says=_says(each),
        )
        for word, each in numbers["words"].items()
        if each["n_known"]
    ]


def _says(of_word: Numbers) -> str:
    if of_word["n_found"] > of_word["n_found_plain"]:
        return "more than without atoms"
    return "as without atoms" if of_word["n_found"] == of_word["n_found_plain"] else "less than without atoms"


def _render(numbers: Numbers) -> list[Block]:
    return [
        table
        for word, each in numbers["words"].items()
        for table in (_matched(word, each, numbers["n_nearest"]), _as_it_is(word, each))
    ]


def _matched(word: str, of_word: Numbers, n_nearest: int) -> Table:
    rows = []
    for match in of_word["matches"]:
        rows.append(Row(("paper", " ".join(match["paper_words"]), None, None), "paper"))
        name = "ours, none" if match["atom"] is None else f"ours, {match['atom']}"
        shared = f"{len(match['found'])} of {len(match['known'])}"
        rows.append(Row((name, " ".join(match["words"]), shared, match["cosine"]), "ours"))
    found = Column(f"found in our nearest {n_nearest}")
    columns = [Column("atom"), Column("nearest six words", is_words=True), found, Column("mean cosine", 2)]
    caption = f"“{word}”: each of the paper's five atoms, followed by the closest of the atoms of “{word}” here."
    return make_table(columns, rows, caption)


def _as_it_is(word: str, of_word: Numbers) -> Table:
    rows = [Row((str(sense["atom"]), sense["weight"], " ".join(sense["words"])), "ours") for sense in of_word["senses"]]
    rows.append(Row(("no atoms", None, " ".join(of_word["plain"])), "baseline"))
    columns = [Column("atom"), Column("weight", 2), Column("nearest words", is_words=True)]
    return make_table(columns, rows, f"“{word}” as this model has it, the heaviest atom first.")


def _why(_numbers: Numbers) -> str:
    return (
        "Other text and other vectors give a word other atoms; the paper itself calls the last one or two of the five "
        "mistakes (opera for “tie”), which should not be reproduced."
    )


TABLE_6 = Exhibit(
    "table-6",
    "Table 6: the atoms of “tie” and “spring”",
    "A word's code has at most five atoms, and each with a positive weight is a sense. The paper shows those of two "
    "words.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS, needs.knows(*SENSES)),
)
