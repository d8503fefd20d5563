"""Tables of what is no answer of a model, as pandas and as Arrow tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import wordatoms as wa
from wordatoms.atoms.ksvd import ksvd
from wordatoms.documents.levels import TopicMap, TopicShares
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.tabular import Tabular

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


class Scores(TaskResult):
    def rows(self) -> list[dict[str, Any]]:
        return [{"method": "a", "score": 0.5}]

    def to_json(self) -> dict[str, Any]:
        return {}


VECTORS = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
LEARNED = ksvd(VECTORS, n_atoms=3, sparsity=2, n_iterations=2, keep_codes=True)
CODES = wa.sparse_code(VECTORS, LEARNED.atoms, sparsity=2)
ATOMS = wa.Atoms(LEARNED.atoms, CODES, np.zeros((3, 1), np.int32), np.ones((3, 1), np.float32), ("a", "b", "c"))
SHARES = TopicShares(
    ("first", "second"),
    TopicMap("atom", np.array([7, 9]), ("sea", "rope"), np.array([0, 1])),
    csr_matrix(np.array([[0.25, 0.75], [0.0, 1.0]])),
    np.array([4, 5]),
)


@pytest.mark.parametrize(
    ("found", "columns", "first"),
    [
        (wa.Vocabulary(("the", "tie"), np.array([6, 2]), 10), ["word", "count"], ["the", 6]),
        (CODES, ["row", "atom", "weight"], None),
        (LEARNED, ["error", "n_replaced", "seconds", "iteration"], None),
        (ATOMS, ["atom", "label", "n_words"], [0, "a", int(ATOMS.n_words[0])]),
        (SHARES, ["document", "topic", "name", "share"], ["first", 7, "sea", 0.25]),
        (Scores(), ["method", "score"], ["a", 0.5]),
    ],
)
def test_tables(found: Tabular, columns: list[str], first: list[Any] | None) -> None:
    table = found.to_arrow()
    assert table.column_names == columns
    assert wa.to_arrow(found).equals(table)
    assert len(found.to_frame()) == table.num_rows > 0
    if first:
        assert list(table.to_pylist()[0].values()) == first
