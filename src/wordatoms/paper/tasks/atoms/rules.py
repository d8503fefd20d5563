"""Which atoms are dropped as meaningless (Section 5): our rule, that of the authors' program, and the paper's number.

The paper leaves out around 100 atoms that a large number of words use or that have no close words. The authors' program
drops the 25 atoms that most words use, and every atom without four words near it that hang together: from one of its
ten nearest words on, the word is added whose smallest |cosine| with the atom and the words so far is largest, as long
as that is above .45. Our rule is `wordatoms.atoms.learning.drop_overused` after `find_incoherent`.

Each rule is applied to the atoms of a model, and all words are coded again over what is left.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.learning import (
    Vectors,
    coherences,
    count_users,
    drop_overused,
    find_incoherent,
    least_coherence,
    most_users,
    relative_error,
)
from wordatoms.atoms.sparse_coding import SparseCodes, sparse_code
from wordatoms.embeddings.embeddings import Embeddings

AUTHORS = "the authors' program"
N_MOST_USED = 25
TIGHT = 0.45
N_STARTS, N_TOGETHER = 10, 4
"""Nearest words to start from, and words that must hang together."""
N_AROUND = 500
"""Words around an atom that are considered."""
N_LEFT_OUT = 100
"""Atoms that the paper leaves out, about."""


class Rule(NamedTuple):
    """What is left of the atoms of a model under a rule."""

    name: str
    atoms: Vectors
    codes: SparseCodes


def apply_rules(embeddings: Embeddings, atoms: Vectors, codes: SparseCodes, threads: int | None = None) -> list[Rule]:
    """All rules on the same atoms; the first drops nothing."""

    def code(kept: Vectors) -> SparseCodes:
        return sparse_code(embeddings.unit_vectors, kept, sparsity=min(codes.sparsity, len(kept)), threads=threads)

    coherent = atoms[~find_incoherent(embeddings, atoms, least_coherence(embeddings))]
    ours = drop_overused(embeddings, coherent, sparsity=codes.sparsity, threads=threads)
    by_use = np.argsort(-count_users(codes), kind="stable")
    less_used = np.delete(atoms, by_use[: min(N_MOST_USED, len(atoms) // 2)], axis=0)
    is_tight = np.array([hangs_together(embeddings, atom) for atom in less_used])
    authors = less_used[is_tight | ~is_tight.any()]  # as in their program, all are kept if none is tight
    n_loose = min(N_LEFT_OUT - N_MOST_USED, len(less_used) // 2)
    tighter = np.argsort(coherences(embeddings, less_used), kind="stable")[n_loose:]
    paper = less_used[np.sort(tighter)]
    return [
        Rule("none dropped", atoms, codes),
        Rule("our rule", ours.atoms, ours.codes),
        Rule(AUTHORS, authors, code(authors)),
        Rule(f"{N_LEFT_OUT} dropped: {N_MOST_USED} most used, the others least coherent", paper, code(paper)),
    ]


def hangs_together(embeddings: Embeddings, atom: NDArray[np.float32]) -> bool:
    """Whether four words near an atom have |cosines| above .45 with it and with each other, found greedily."""
    cosines = np.abs(embeddings.unit_vectors @ atom)
    around = np.flatnonzero(cosines > TIGHT)
    around = around[np.argsort(-cosines[around], kind="stable")[:N_AROUND]]
    if len(around) < N_TOGETHER:
        return False
    units = embeddings.unit_vectors[around]
    to_atom, among = cosines[around], np.abs(units @ units.T)
    return any(_grows(start, to_atom, among) for start in range(min(N_STARTS, len(around))))


def _grows(start: int, to_atom: NDArray[Any], among: NDArray[Any]) -> bool:
    weakest = np.minimum(to_atom, among[start])
    free = np.ones(len(weakest), bool)
    free[start] = False
    for _ in range(N_TOGETHER - 1):
        best = int(np.argmax(np.where(free, weakest, -1.0)))
        if not free[best] or weakest[best] <= TIGHT:
            return False
        free[best] = False
        weakest = np.minimum(weakest, among[best])
    return True


def describe_rule(embeddings: Embeddings, rule: Rule, n_before: int) -> dict[str, Any]:
    n_users = count_users(rule.codes)
    bound = most_users(n_users)
    return {
        "rule": rule.name,
        "dropped": n_before - len(rule.atoms),
        "left": len(rule.atoms),
        "most_users": int(n_users.max()),
        "bound": bound,
        "above_bound": int((n_users > bound).sum()),
        "error": relative_error(embeddings, rule.atoms, rule.codes),
        "positive": rule.codes.share_positive,
    }
