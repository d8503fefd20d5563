"""GloVe (Pennington, Socher and Manning 2014), a baseline of the paper.

    minimise  Σ f(X_ij)·(⟨w_i, c_j⟩ + a_i + b_j − log X_ij)²    over all i, j with X_ij > 0

with a word vector w and a context vector c for each word, a bias for each of them, and f = min(1, (X / x_max)^alpha).
The vectors of the result are the sums w + c.

A pair i < j of the counts stands for (i, j) and (j, i), so it trains w_i with c_j and w_j with c_i. AdaGrad keeps one
accumulator for a vector and its bias instead of one for each number, as in `wordatoms.trainers.sn`, where the reason
is given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts import Counts
from wordatoms.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.kernels import factor
from wordatoms.kernels.factor import Weighting
from wordatoms.store import Array
from wordatoms.trainers.blocks import Blocks, Floats, Sums


@dataclass(frozen=True, eq=False)
class GloveFactors:
    """Two sets of vectors with biases, in training."""

    word: Floats
    context: Floats
    word_bias: Floats
    context_bias: Floats
    word_squares: Floats
    context_squares: Floats

    @property
    def arrays(self) -> Mapping[str, Array]:
        return vars(self)

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> Sums:
        words = (self.word, self.word_squares, self.word_bias)
        contexts = (self.context, self.context_squares, self.context_bias)
        return (
            self._step(blocks, left, right, words, contexts, rate)
            + self._step(blocks, left, right, contexts, words, rate),
        )

    def _step(self, blocks, left, right, left_set, right_set, rate):
        rate = np.float32(rate * sqrt(self.word.shape[1]))
        return (
            factor.step_glove(
                blocks.side(left, *left_set[:2]),
                blocks.side(right, *right_set[:2]),
                left_set[2][blocks.rows(left)],
                right_set[2][blocks.rows(right)],
                blocks.segments(left, right),
                blocks.pairs,
                rate,
            )
            / 2
        )

    def end_round(self, sums: Sequence[Sums], progress: float) -> None:
        """GloVe's blocks share nothing."""
