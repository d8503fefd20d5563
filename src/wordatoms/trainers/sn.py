"""SN, the paper's own embedding: squared norms of sums of vectors that explain the logarithms of co-occurrences.

    minimise  Σ f(X_ij)·(‖v_i + v_j‖² + C − log X_ij)²    over all pairs i ≤ j with X_ij > 0

with one vector for each word and one constant C.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from wordatoms.kernels import factor
from wordatoms.kernels.factor import Weighting
from wordatoms.store import Array
from wordatoms.trainers.blocks import Blocks, Floats, Sums


@dataclass(frozen=True, eq=False)
class SnFactors:
    vectors: Floats
    squares: Floats
    constant: NDArray[np.float64]
    hold: float = 0.25

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"vectors": self.vectors, "squares": self.squares, "constant": self.constant}

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> Sums:
        sums = self._step_oriented(blocks, left, right, rate)
        if left == right:
            return sums
        return tuple(a + b for a, b in zip(sums, self._step_oriented(blocks, right, left, rate)))

    def _step_oriented(self, blocks, left, right, rate):
        rate = np.float32(rate * sqrt(self.vectors.shape[1]))
        return factor.step_sn(
            blocks.side(left, self.vectors, self.squares),
            blocks.side(right, self.vectors, self.squares),
            blocks.segments(left, right),
            blocks.pairs,
            np.float32(self.constant),
            rate,
        )

    def end_round(self, sums: Sequence[Sums], progress: float) -> None:
        if progress >= self.hold:
            _, pulls, weights = np.sum(sums, axis=0)
            if weights:
                self.constant[...] -= pulls / weights
