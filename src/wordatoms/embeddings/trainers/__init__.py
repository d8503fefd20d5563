"""The embedding methods (section 4 of the paper) and one function that runs any of them.

To add a method, write `trainers/NAME.py` with a function `train_NAME` and add a line to `_ALL`. The function takes the
counts, or the text and the vocabulary if it `reads_text`, and keyword-only parameters; those that change its result can
be set on the command line (`-p name=value`). This module imports nothing heavy: help texts are built from it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from wordatoms.errors import InputError, require_extra

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wordatoms.counts.cooccurrence import Counts
    from wordatoms.embeddings.embeddings import Embeddings

RUN_PARAMETERS = {"threads", "checkpoint", "callback", "start", "fixed", "fix_constant", "random_state"}
"""Parameters of trainers that are not options: they say how to run, or come from a model."""


class Trainer(NamedTuple):
    """An embedding method and what its users have to know about it."""

    name: str
    title: str
    """The name as people write it."""
    description: str
    """What the vectors are made from, in a few words for help texts."""
    has_epochs: bool = False
    """It makes several passes, given by the parameter `epochs`."""
    holds_words: bool = False
    """It can train some words while others are `fixed` at the vectors of `start`."""
    reads_text: bool = False
    """It is trained on a file of tokenised text instead of counts."""
    needs: tuple[str, str] | None = None
    """The package it imports, and the extra of wordatoms that installs it."""

    @property
    def train(self) -> Callable[..., Embeddings]:
        """The training function; its module is imported on first use."""
        function: Callable[..., Embeddings] = getattr(import_module(f"{__name__}.{self.name}"), f"train_{self.name}")
        return function

    def parameters(self) -> dict[str, Any]:
        """The parameters that change the result, with their defaults."""
        import inspect

        return {
            parameter.name: parameter.default
            for parameter in inspect.signature(self.train).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in RUN_PARAMETERS
        }

    def check_installed(self) -> None:
        """Raise `MissingExtraError` if the package that the method needs is not installed."""
        if self.needs:
            require_extra(*self.needs)


_ALL = (
    Trainer("sn", "SN", "squared norms, the method of the paper", has_epochs=True, holds_words=True),
    Trainer("glove", "GloVe", "inner products and biases", has_epochs=True, holds_words=True),
    Trainer("pmi", "PMI", "truncated SVD of the positive PMI matrix"),
    Trainer("nnse", "NNSE", "non-negative sparse factors of the PMI matrix"),
    Trainer("skipgram", "skip-gram", "word2vec", has_epochs=True, reads_text=True, needs=("gensim", "skipgram")),
    Trainer("cbow", "CBOW", "word2vec's other model", has_epochs=True, reads_text=True, needs=("gensim", "skipgram")),
)
TRAINERS = {trainer.name: trainer for trainer in _ALL}


def find_trainer(method: str) -> Trainer:
    """The trainer of a method; raises `InputError` for an unknown name."""
    if method not in TRAINERS:
        raise InputError(f"method is '{method}'; pass one of {', '.join(TRAINERS)}.")
    return TRAINERS[method]


def trainer_names(*, has: str) -> list[str]:
    """The names of the methods that have a property, such as "reads_text"."""
    return [trainer.name for trainer in _ALL if getattr(trainer, has)]


def train_embeddings(
    counts: Counts, method: str = "pmi", *, lines: Path | None = None, **parameters: Any
) -> Embeddings:
    """Train word vectors.

    Parameters
    ----------
    counts : Counts
        Co-occurrence counts; a method that reads text uses their vocabulary only.
    method : str, default "pmi"
        The embedding method, one of `wordatoms.embeddings.trainers.TRAINERS`.
    lines : Path, optional
        A file of tokenised text: words between single spaces, one paragraph per line. Required if the method reads
        text ("skipgram", "cbow").
    **parameters
        Parameters of the method, such as `dim=300`, `random_state=0` or `threads=4`.

    Returns
    -------
    Embeddings
        One vector per word of the vocabulary, in its order.

    Raises
    ------
    InputError
        If the method is unknown, or reads text and `lines` is missing.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> vocabulary = wa.Vocabulary(("tie", "suit", "match"), np.array([5, 3, 2]), 10)
    >>> indptr, indices, values = np.array([0, 2, 3, 3]), np.array([1, 2, 2], np.int32), np.array([6, 2, 1])
    >>> counts = wa.Counts(vocabulary, indptr, indices, values, window=10, weighting="flat", unit=1)
    >>> wa.train_embeddings(counts, "pmi", dim=2)
    Embeddings(3 words, 2 dimensions, method 'pmi')
    """
    trainer = find_trainer(method)
    if not trainer.reads_text:
        return trainer.train(counts, **parameters)
    if lines is None:
        raise InputError(f"{trainer.title} is trained on text, not on counts; pass the tokenised text as `lines`.")
    return trainer.train(lines, counts.vocabulary, **parameters)
