"""The exhibits on atoms: rules for dropping atoms, meta-atoms and what they are made of, Tables 5 and 6."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from planted import planted_atoms, planted_embeddings
from wordatoms.atoms.learning import count_users
from wordatoms.atoms.sparse_coding import SparseCodes, sparse_code
from wordatoms.paper.tasks.atoms.meta_atoms import FIELDS, groups_of, made_of_parts
from wordatoms.paper.tasks.atoms.rules import AUTHORS, N_TOGETHER, TIGHT, apply_rules, describe_rule, hangs_together
from wordatoms.paper.tasks.atoms.table5 import split_columns


def has_tight_words(units: np.ndarray, atom: np.ndarray) -> bool:
    """Whether any four words are close to the atom and to each other, tried one after the other."""
    near = [row for row in np.argsort(-(units @ atom))[:12] if abs(units[row] @ atom) > TIGHT]
    return any(
        all(abs(units[one] @ units[other]) > TIGHT for one, other in combinations(four, 2))
        for four in combinations(near, N_TOGETHER)
    )


@pytest.mark.parametrize("seed", range(8))
def test_words_that_hang_together_are_found(seed: int) -> None:
    embeddings, rng = planted_embeddings(), np.random.default_rng(seed)
    noise = rng.normal(size=embeddings.dim)
    for share in (0.0, 0.5, 1.0):
        atom = planted_atoms()[seed] * (1 - share) + share * noise / np.linalg.norm(noise)
        atom = (atom / np.linalg.norm(atom)).astype(np.float32)
        if hangs_together(embeddings, atom):
            assert has_tight_words(embeddings.unit_vectors, atom)
    assert hangs_together(embeddings, planted_atoms()[seed].astype(np.float32))


def test_each_rule_codes_the_words_over_what_it_leaves() -> None:
    embeddings, atoms = planted_embeddings(), planted_atoms().astype(np.float32)
    rng = np.random.default_rng(0)
    loose = rng.normal(size=(40, embeddings.dim)).astype(np.float32)
    atoms = np.concatenate([atoms, loose / np.linalg.norm(loose, axis=1, keepdims=True)])
    codes = sparse_code(embeddings.unit_vectors, atoms, sparsity=2)
    rules = apply_rules(embeddings, atoms, codes, threads=1)
    for rule in rules:
        assert rule.codes.n_atoms == len(rule.atoms)
        row = describe_rule(embeddings, rule, len(atoms))
        assert row["dropped"] + row["left"] == len(atoms)
        assert row["most_users"] == count_users(rule.codes).max()
    by_name = {rule.name: rule for rule in rules}
    assert len(by_name["none dropped"].atoms) == len(atoms)
    assert describe_rule(embeddings, by_name["our rule"], len(atoms))["above_bound"] == 0
    assert len(by_name[AUTHORS].atoms) <= len(atoms) - 25


def test_few_atoms_are_never_all_dropped() -> None:
    embeddings, atoms = planted_embeddings(), planted_atoms().astype(np.float32)[:3]
    codes = sparse_code(embeddings.unit_vectors, atoms, sparsity=2)
    assert all(len(rule.atoms) > 0 for rule in apply_rules(embeddings, atoms, codes, threads=1))


def test_an_atom_is_made_of_biology_and_chemistry_by_the_fields_of_its_meta_atoms() -> None:
    fields = {name: np.eye(4)[number] for number, name in enumerate(FIELDS)}
    meta_atoms = np.eye(4, dtype=np.float32)
    codes = SparseCodes(
        np.array([[0, 1], [1, 0], [0, 2], [0, -1], [1, 0]], np.int32),
        np.array([[0.7, 0.2], [0.7, 0.2], [0.7, 0.2], [0.7, 0.0], [0.7, -0.2]], np.float32),
        4,
    )
    groups = groups_of(codes)
    assert groups == [{0, 1}, {0, 1}, {0, 2}, {0}, {1}]
    assert made_of_parts(meta_atoms, groups, fields) == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("by_paper", "method", "columns"),
    [(None, "pmi", (None, {})), (None, "sn", ({}, None)), ({"a": 1}, "pmi", ({"a": 1}, {}))],
)
def test_atoms_of_sn_vectors_are_the_papers_protocol(
    by_paper: object, method: str, columns: tuple[object, ...]
) -> None:
    assert split_columns({"ours": {}, "by_paper": by_paper, "method": method}) == columns
