"""The trainers: five ways from co-occurrences (or text) to word vectors, behind one function.

| method     | what it minimises                                             | works from |
|------------|---------------------------------------------------------------|------------|
| `sn`       | f(X)·(‖v_i + v_j‖² + C − log X)², the paper authors' own       | counts     |
| `glove`    | f(X)·(w_i·c_j + a_i + b_j − log X)²                            | counts     |
| `pmi`      | truncated SVD of the positive PMI matrix                      | counts     |
| `nnse`     | non-negative sparse factors of the PMI matrix                 | counts     |
| `skipgram` | word2vec's skip-gram with negative sampling, by gensim        | text       |
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError

METHODS = ("sn", "glove", "pmi", "nnse", "skipgram")
RUN_PARAMETERS = {"threads", "checkpoint", "callback", "start", "fixed", "fix_constant", "random_state"}
"""Parameters that say how to run, not what to make; they are not set by name and value."""


def find_trainer(method: str) -> Callable[..., Embeddings]:
    """The training function of a method."""
    if method not in METHODS:
        raise InputError(f"method is '{method}'; pass one of {', '.join(METHODS)}.")
    trainer: Callable[..., Embeddings] = getattr(
        import_module(f"wordatoms.embeddings.trainers.{method}"), f"train_{method}"
    )
    return trainer


def default_parameters(method: str) -> dict[str, Any]:
    """The parameters of a method that change its result, with their defaults."""
    parameters = inspect.signature(find_trainer(method)).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in RUN_PARAMETERS
    }


def train_embeddings(
    counts: Counts, method: str = "pmi", *, lines: Path | None = None, **parameters: Any
) -> Embeddings:
    """Train word vectors by any method; skip-gram needs `lines`, a file of tokenised text, as well."""
    trainer = find_trainer(method)
    if method != "skipgram":
        return trainer(counts, **parameters)
    if lines is None:
        raise InputError("skip-gram is trained on text, not on counts; pass the tokenised text as well.")
    return trainer(lines, counts.vocabulary, **parameters)
