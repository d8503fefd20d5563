"""Table 5: discourse atoms and their nearest words (Section 5).

The paper shows seven of its atoms. Each is matched with our atom that has the highest mean cosine with the paper's nine
words; the score is how many of the nine are among its fifty nearest words. The baseline does the same for nine random
words, because the best of many atoms fits any words to some degree. The paper's atoms are of SN vectors: a model of
them (`--with`) is shown apart from ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Role, Row, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import ATOMS, shown_method
from wordatoms.senses.model import SenseModel

PAPER_METHOD = "sn"
"""The paper's vectors."""
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


def paper_model(inputs: Inputs) -> SenseModel | None:
    """The model with atoms of SN vectors, the paper's; None if there is none besides the first model."""
    model = inputs.models.get(PAPER_METHOD)
    return model if model is not None and model is not inputs.model and "atomize" in model.folder.stages else None


def _run(inputs: Inputs) -> Numbers:
    by_paper = paper_model(inputs)
    return {
        "ours": _of_model(inputs.model, inputs.seed),
        "by_paper": _of_model(by_paper, inputs.seed) if by_paper else None,
        "method": inputs.method,
        "n_nearest": N_NEAREST,
    }


def _of_model(model: SenseModel, seed: int) -> Numbers:
    return {
        "atoms": [_match(model, atom, words.split()) for atom, words in ATOMS.items()],
        "random": _random_overlap(model, seed),
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


def _share(numbers: Numbers | None) -> float | None:
    """The share of the paper's words that are found."""
    if numbers is None:
        return None
    n_known = sum(len(each["known"]) for each in numbers["atoms"])
    return sum(len(each["found"]) for each in numbers["atoms"]) / n_known if n_known else None


def split_columns(numbers: Numbers) -> tuple[Numbers | None, Numbers | None]:
    """What the paper's protocol gives, atoms of SN vectors, and what our model gives; the model itself may be SN."""
    if numbers["by_paper"] is None and numbers["method"] == PAPER_METHOD:
        return numbers["ours"], None
    return numbers["by_paper"], numbers["ours"]


def _figures(numbers: Numbers) -> list[Figure]:
    by_paper, ours = split_columns(numbers)
    random = (by_paper or ours or {})["random"]
    shares = [share for share in (_share(by_paper), _share(ours)) if share is not None]
    return [
        Figure(
            f"the paper's words among the {numbers['n_nearest']} nearest of the atoms here, share",
            None,
            by_paper=_share(by_paper),
            ours=_share(ours),
            baseline=random,
            baseline_is="nine random words",
            is_headline=True,
            note="atoms like the paper's" if min(shares, default=0) > 2 * random else "no atoms like the paper's",
        )
    ]


def _render(numbers: Numbers) -> list[Block]:
    by_paper, ours = split_columns(numbers)
    rows = []
    for place, (paper_atom, words) in enumerate(ATOMS.items()):
        rows.append(Row((f"paper, {paper_atom}", words, None, None), "paper"))
        if by_paper:
            rows.append(_row(by_paper["atoms"][place], "SN", "by-paper"))
        if ours:
            rows.append(_row(ours["atoms"][place], shown_method(numbers["method"]), "ours"))
    found = Column(f"the paper's words in the nearest {numbers['n_nearest']}")
    columns = [Column("atom"), Column("nearest nine words", is_words=True), found, Column("mean cosine", 2)]
    caption = "Each of the paper's atoms, followed by the atoms here that are closest to its words."
    return [make_table(columns, rows, caption)]


def _row(match: Numbers, vectors: str, role: Role) -> Row:
    name = f"{vectors}, none" if match["atom"] is None else f"{vectors}, {match['atom']}"
    shared = f"{len(match['found'])} of {len(match['known'])}"
    return Row((name, " ".join(match["words"]), shared, match["cosine"]), role)


def _why(numbers: Numbers) -> str:
    n_words = sum(len(words.split()) for words in ATOMS.values())
    n_known = sum(len(each["known"]) for each in numbers["ours"]["atoms"])
    return (
        f"Atoms depend on the text: {n_known} of the paper's {n_words} words are known here at all. Its seven atoms "
        "were selected for display; ours are those that match them best. The paper's are atoms of SN vectors."
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
    helped_by=(needs.OTHERS,),
    of_one_model={"by_paper": PAPER_METHOD},
)
