"""A transformer as a second pair of eyes: what an encoder sees in the usages of a word, beside our own reading.

The senses stay those of the model, with their names, atoms and examples; the encoder only helps to tell usages apart.

- **A view of a usage** is the state of the word at length 1, without the mean state of the word's usages, at length 1
  again. The states of a form differ from those of another form of the word; so the mean is that of the form, as far as
  there are usages of it. Length 1 comes first: an encoder that was trained for sentences gives states of very
  different lengths, which say how much a word counts in its sentence, not what it means.
- **Clusters** are made of this view and our own, each at length 1 (`wordatoms.senses.merging`).
- **A sense** that has examples has a prototype, the mean state of the word in them; what a usage has in common with it,
  more than with those of the other senses, is added to the evidence for the sense. Words with examples of fewer than
  two senses are read as without an encoder.
- **The similarity** of two words in context is the mean of ours and of the cosine of their states.

The numbers below were settled on pseudowords of held-out text and on WordNet's examples (`benchmarks/encoder.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage
from wordatoms.encoder.encoder import Encoder
from wordatoms.errors import InputError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.posterior import to_unit
from wordatoms.text.spans import Passage

if TYPE_CHECKING:
    from wordatoms.senses.by_use import UseAnswers
    from wordatoms.senses.model import SenseModel

FORM_OCCURRENCES = 20
"""The mean of a form counts as much as that of the whole word if the form has this many usages."""
N_EXAMPLES = 5
"""Maximum number of examples of a sense that make its prototype."""
PROTOTYPE_WEIGHT = 1.0
"""What a usage that equals the only example of a sense adds to log p; it grows with the root of their number."""
N_COMMON = 400
"""Frequent words whose states, each word by itself, give the mean state of an encoder."""
N_TELLING = 2000
MOST_PIECES = 2.0
"""An encoder whose tokenizer cuts the most frequent words into more subwords than this is of another language."""


@dataclass(frozen=True, eq=False)
class SecondEye:
    """An encoder that reads along with a model."""

    model: SenseModel
    encoder: Encoder
    run: Run = DEFAULT_RUN
    _prototypes: dict[tuple[int, ...], Prototypes | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        words = [word for word in self.model.words[:N_TELLING] if word.isalpha()]
        pieces = self.encoder.pieces_per_word(words)
        if pieces > MOST_PIECES:
            raise InputError(
                f"the tokenizer of {self.encoder.path} cuts the most frequent words of the model into {pieces:.1f} "
                f"subwords on average, more than {MOST_PIECES:.0f}; pass an encoder of the language "
                f"'{self.model.language}'."
            )

    def states(self, usages: Sequence[Usage]) -> NDArray[np.float32]:
        """Return the last state of each usage at length 1, (n, dim)."""
        return to_unit(self.encoder.states([usage.passage for usage in usages], run=self.run)[:, -1])

    def views(self, usages: Sequence[Usage]) -> NDArray[np.float32]:
        """Return the view of each usage of a word, (n, dim), at length 1."""
        return centred(self.states(usages), [usage.form.lower() for usage in usages])

    def joint_views(self, own: NDArray[np.float32], usages: Sequence[Usage]) -> NDArray[np.float32]:
        """Return our view of each usage with that of the encoder, each at length 1."""
        return np.concatenate([to_unit(own), self.views(usages)], axis=1)

    # --- senses

    def prototypes(self, answers: UseAnswers, word: str, senses: Sequence[int]) -> Prototypes | None:
        """Return the prototypes of the senses of a word, given by their numbers; None if fewer than two have one."""
        key = tuple(senses)
        if key not in self._prototypes:
            self._prototypes[key] = self._make_prototypes(answers, word, senses)
        return self._prototypes[key]

    def _make_prototypes(self, answers: UseAnswers, word: str, senses: Sequence[int]) -> Prototypes | None:
        from wordatoms.senses.examples import find_examples

        alone = replace(answers, alone=True)  # quotations are judged by our own reading
        found = [each for each in find_examples(alone, word, n=N_EXAMPLES, forms=True) if each.sense in senses]
        if len({each.sense for each in found}) < 2:
            return None
        states = self.encoder.states([Passage(each.text, each.start, each.end) for each in found], run=self.run)[:, -1]
        places = [senses.index(each.sense) for each in found]
        return Prototypes.of(to_unit(states), np.array(places), len(senses))

    # --- words

    @cached_property
    def mean_state(self) -> NDArray[np.float32]:
        """The mean state at length 1 of frequent words, each by itself, (dim,)."""
        words = [word for word in self.model.words[:N_TELLING] if word.isalpha()][-N_COMMON:]
        states = self.encoder.states([Passage(word, 0, len(word)) for word in words], run=self.run)
        return np.asarray(to_unit(states[:, -1]).mean(axis=0))

    def similarity(self, first: Usage, second: Usage) -> float:
        """Return the cosine of the states of two usages without the mean state."""
        one, other = to_unit(self.states([first, second]) - self.mean_state)
        return float(one @ other)


@dataclass(frozen=True, eq=False)
class Prototypes:
    """The senses of a word in the space of an encoder."""

    middle: NDArray[np.float32]
    """The mean of the prototypes, (dim,)."""
    vectors: NDArray[np.float32]
    """For each sense the direction from the middle to its prototype; zeros for a sense without examples, (n, dim)."""
    weight: float
    """What a usage in the direction of a sense adds to log p."""

    @classmethod
    def of(cls, states: NDArray[np.float32], senses: NDArray[np.intp], n_senses: int) -> Prototypes:
        """Return the prototypes of senses from states of examples, of which `senses` are the places."""
        shown = np.unique(senses)
        means = np.stack([states[senses == place].mean(axis=0) for place in shown])
        middle = means.mean(axis=0)
        vectors = np.zeros((n_senses, states.shape[1]), np.float32)
        vectors[shown] = to_unit(means - middle)
        return cls(middle, vectors, PROTOTYPE_WEIGHT * float(np.sqrt(len(states) / len(shown))))

    def evidence(self, states: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what states of length 1 say for each sense, in log p, (n, n_senses); 0 without examples."""
        return self.weight * (to_unit(states - self.middle) @ self.vectors.T).astype(np.float64)


def centred(states: NDArray[np.float32], forms: Sequence[str]) -> NDArray[np.float32]:
    """Return states without the mean of their form, which is drawn towards that of all, at length 1, (n, dim)."""
    mean = states.mean(axis=0) if len(states) else 0
    rest = np.empty_like(states)
    names = np.array(forms)
    for form in dict.fromkeys(forms):
        own = names == form
        n = np.count_nonzero(own)
        rest[own] = states[own] - (states[own].sum(axis=0) + FORM_OCCURRENCES * mean) / (n + FORM_OCCURRENCES)
    return to_unit(rest)
