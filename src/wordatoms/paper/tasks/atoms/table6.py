"""Table 6: the atoms of *tie* and *spring* (Section 5).

The paper shows five atoms of each word by their six nearest words. Each is matched with the atom of the same word here
that is closest to its words. The score is how many of the paper's thirty words are among the fifty nearest words of the
word's atoms; the baseline is the same number of nearest words of the word itself, without atoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Role, Row, Table, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import SENSES, SPARSITY, shown_method
from wordatoms.paper.tasks.atoms.table5 import PAPER_METHOD, best_atom, known_units, nearest, paper_model, split_columns
from wordatoms.senses.model import SenseModel

N_NEAREST = 50
N_SHOWN = 6


def _run(inputs: Inputs) -> Numbers:
    by_paper = paper_model(inputs)
    return {
        "ours": _of_model(inputs.model),
        "by_paper": _of_model(by_paper) if by_paper else None,
        "method": inputs.method,
        "n_nearest": N_NEAREST,
    }


def _of_model(model: SenseModel) -> Numbers:
    return {word: _of_word(model, word, senses) for word, senses in SENSES.items() if word in model.embeddings}


def _of_word(model: SenseModel, word: str, senses: tuple[str, ...]) -> dict[str, Any]:
    ours = model.senses(word, method="code")[:SPARSITY]
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
    by_paper, ours = (each or {} for each in split_columns(numbers))
    return [_figure(word, by_paper.get(word), ours.get(word)) for word in SENSES]


def _figure(word: str, by_paper: Numbers | None, ours: Numbers | None) -> Figure:
    plain = by_paper or ours
    return Figure(
        f"“{word}”: the paper's words around its atoms, share",
        None,
        by_paper=_share(by_paper, "n_found"),
        ours=_share(ours, "n_found"),
        baseline=_share(plain, "n_found_plain"),
        baseline_is="as many nearest words of the word itself" + (", SN vectors" if by_paper and ours else ""),
        is_headline=True,
        note=f"SN: {_note(by_paper)}; ours: {_note(ours)}" if by_paper and ours else _note(plain) if plain else "",
    )


def _share(of_word: Numbers | None, key: str) -> float | None:
    return of_word[key] / of_word["n_known"] if of_word and of_word["n_known"] else None


def _note(of_word: Numbers) -> str:
    if of_word["n_found"] > of_word["n_found_plain"]:
        return "more than without atoms"
    return "as without atoms" if of_word["n_found"] == of_word["n_found_plain"] else "less than without atoms"


def _render(numbers: Numbers) -> list[Block]:
    by_paper, ours = split_columns(numbers)
    method = shown_method(numbers["method"])
    shown: list[tuple[str, Role, Numbers]] = []
    if by_paper:
        shown.append(("SN", "by-paper", by_paper))
    if ours:
        shown.append((method, "ours", ours))
    blocks: list[Block] = []
    for word in SENSES:
        blocks.append(_matched(word, shown, numbers["n_nearest"]))
        blocks += [_as_it_is(word, vectors, role, model[word]) for vectors, role, model in shown if word in model]
    return blocks


def _matched(word: str, shown: Sequence[tuple[str, Role, Numbers]], n_nearest: int) -> Table:
    rows = []
    for place, senses in enumerate(SENSES[word]):
        rows.append(Row(("paper", senses, None, None), "paper"))
        for vectors, role, model in shown:
            if word in model:
                match = model[word]["matches"][place]
                name = f"{vectors}, none" if match["atom"] is None else f"{vectors}, {match['atom']}"
                shared = f"{len(match['found'])} of {len(match['known'])}"
                rows.append(Row((name, " ".join(match["words"]), shared, match["cosine"]), role))
    found = Column(f"found in the nearest {n_nearest}")
    columns = [Column("atom"), Column("nearest six words", is_words=True), found, Column("mean cosine", 2)]
    caption = f"“{word}”: each of the paper's five atoms, followed by the closest of the atoms of “{word}” here."
    return make_table(columns, rows, caption)


def _as_it_is(word: str, vectors: str, role: Role, of_word: Numbers) -> Table:
    rows = [Row((str(sense["atom"]), sense["weight"], " ".join(sense["words"])), role) for sense in of_word["senses"]]
    rows.append(Row(("no atoms", None, " ".join(of_word["plain"])), "baseline"))
    columns = [Column("atom"), Column("weight", 2), Column("nearest words", is_words=True)]
    return make_table(columns, rows, f"“{word}” in {vectors} vectors, the heaviest atom first.")


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
    helped_by=(needs.OTHERS,),
    of_one_model={"by_paper": PAPER_METHOD},
)
