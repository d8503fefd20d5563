"""The senses of a word, read off its atoms: what a trained model answers.

Section 5 of the paper: every atom with a positive weight in the code of a word is one of its senses; other words whose
code has the same atom carry a linked sense. Inflected forms may be pooled, each with its share of the occurrences. In
the semi-automatic mode a person looks at the closest atoms of a word and picks those that are senses; picks, names and
hidden atoms are kept in the model's folder and count from then on.

Parts of a model are loaded when a question needs them, and neither numba nor scikit-learn is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage, find_usages, target_forms
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.senses.annotations import Notes
from wordatoms.senses.atom_questions import AtomQuestions
from wordatoms.senses.clustering import closeness, cluster_vectors
from wordatoms.senses.results import Candidate, Disambiguation, Meaning, Sense, UsageClusters

if TYPE_CHECKING:  # loaded with the first question about a context
    from wordatoms.senses.disambiguation import Teller
    from wordatoms.senses.posterior import Posterior

BATCH_TEXTS = 256
LEAST_PICKED = 1e-3
"""A sense that a person picked is possible even where its fitted weight is negative."""


class SenseModel(AtomQuestions):
    """A model's folder, ready for questions; see `wordatoms.load`."""

    def __repr__(self) -> str:
        return f"SenseModel({str(self.path)!r}, {len(self.words):,} words, {len(self.atoms):,} atoms)"

    # --- senses

    def senses(self, word: str, *, forms: bool = False, n_nearest: int = 10, n_linked: int = 10) -> list[Sense]:
        """The senses of a word, the heaviest first.

        With `forms` those of its inflected forms too, each weighted by its share of the occurrences. Where a person
        picked atoms for the word, these are its senses, and forms add none.
        """
        word = self.words[self.row(word)]
        notes = self.notes
        weights = self._form_weights(word, notes, forms=forms)
        return [
            Sense(
                word,
                atom,
                weight,
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                self.linked_words(atom, n_linked, leave_out=weights),
                {form: found[atom] for form, found in weights.items() if atom in found},
                picked=word in notes.picks,
                named=atom in notes.names,
            )
            for atom, weight in self._ranked(weights, notes).items()
        ]

    def senses_of_forms(self, word: str, n: int = 3, *, n_nearest: int = 10, n_linked: int = 10) -> list[Sense]:
        """The heaviest senses that inflected forms of a word have and the word itself has not, at most `n`."""
        own = {sense.atom for sense in self.senses(word, n_nearest=0, n_linked=0)}
        pooled = self.senses(word, forms=True, n_nearest=n_nearest, n_linked=n_linked)
        return [sense for sense in pooled if sense.atom not in own][:n]

    def sense_weights(self, word: str, *, forms: bool = True, notes: Notes | None = None) -> dict[int, float]:
        """The atoms of a word and of its inflected forms with their weights, all positive, the heaviest first.

        With `forms` the word itself may be unknown, if only a form of it is not. Whoever has read the notes already may
        pass them.
        """
        word, notes = self._spelling(word, forms=forms), notes or self.notes
        ranked = self._ranked(self._form_weights(word, notes, forms=forms), notes)
        return {atom: max(weight, LEAST_PICKED) for atom, weight in ranked.items()}

    def _spelling(self, word: str, *, forms: bool) -> str:
        """The word as the model spells it; with `forms` it may be unknown, if only a form of it is not."""
        known = self.find_spelling(word)
        if known is None and forms and any(form in self._rows for form in self.forms(word.lower())):
            return word.lower()
        return self.words[self.row(known or word)]

    def _form_weights(self, word: str, notes: Notes, *, forms: bool) -> dict[str, dict[int, float]]:
        """The atoms of each form, or those that a person picked for the word."""
        if word in notes.picks:
            return {word: self._fitted_weights(word, notes.picks[word])}
        known = [form for form in (self.forms(word) if forms else [word]) if form in self._rows]
        return {form: self.atoms.codes.positive(self._rows[form]) for form in known}

    def _ranked(self, weights: Mapping[str, Mapping[int, float]], notes: Notes) -> dict[int, float]:
        """Atom by atom the weight over all forms, the heaviest first, without hidden ones."""
        pooled = self._pool(weights)
        left = sorted((atom for atom in pooled if atom not in notes.hidden), key=lambda atom: (-pooled[atom], atom))
        return {atom: pooled[atom] for atom in left}

    def candidates(self, word: str, n: int = 20, *, n_nearest: int = 10) -> list[Candidate]:
        """The atoms closest to a word, from which a person may pick its senses; hidden ones are left out."""
        word = self.words[self.row(word)]
        notes, weights = self.notes, self._code(word)
        return [
            Candidate(
                atom,
                cosine,
                weights.get(atom),
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                atom in notes.picks.get(word, ()),
                atom in notes.names,
            )
            for atom, cosine in self._closest(word, n + len(notes.hidden))
            if atom not in notes.hidden
        ][:n]

    def _code(self, word: str) -> dict[int, float]:
        """All atoms in the code of a word, whatever their sign."""
        codes, row = self.atoms.codes, self._rows[word]
        pairs = zip(codes.atoms[row].tolist(), codes.weights[row].tolist(), strict=True)
        return {atom: weight for atom, weight in pairs if atom >= 0}

    def _fitted_weights(self, word: str, atoms: tuple[int, ...]) -> dict[int, float]:
        """The weights with which the picked atoms come nearest to the word."""
        vector = self.learned_from[word].astype(np.float64)
        vectors = self.atoms.vectors[list(atoms)].astype(np.float64)
        weights = np.linalg.lstsq(vectors.T, vector / (np.linalg.norm(vector) or 1.0), rcond=None)[0]
        return dict(zip(atoms, weights.tolist(), strict=True))

    def _pool(self, weights: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
        counts = self._word_list.counts
        occurrences = {form: 1 if counts is None else max(int(counts[self._rows[form]]), 1) for form in weights}
        total = sum(occurrences.values()) or 1
        pooled: dict[int, float] = {}
        for form, found in weights.items():
            for atom, weight in found.items():
                pooled[atom] = pooled.get(atom, 0.0) + weight * occurrences[form] / total
        return pooled

    # --- words in contexts

    def disambiguate(self, word: str, text: str, *, n_nearest: int = 10, n_deciding: int = 5) -> list[Disambiguation]:
        """Which sense of a word is meant, for each of its occurrences in a text, in whichever form."""
        if not text.strip():
            raise InputError(f"the text is empty; pass one with {word!r} in it.")
        found = next(self.disambiguate_each(word, [text], n_nearest=n_nearest, n_deciding=n_deciding))
        if not found:
            raise InputError(f"no form of {word!r} is in the text; pass a text with the word.")
        return found

    def disambiguate_each(
        self, word: str, texts: Iterable[str], *, n_nearest: int = 10, n_deciding: int = 5
    ) -> Iterator[list[Disambiguation]]:
        """The same for each of many texts, without end if need be; an empty list for a text without the word."""
        _refuse_one_string(texts)
        teller, remaining = self._teller(word, n_nearest), iter(texts)
        while batch := list(islice(remaining, BATCH_TEXTS)):
            yield from teller.tell(batch, n_deciding=n_deciding)

    def _teller(self, word: str, n_nearest: int) -> Teller:
        from wordatoms.senses.disambiguation import Teller

        word, notes = self._spelling(word, forms=True), self.notes
        weights = self.sense_weights(word)
        meanings = {
            atom: Meaning(atom, 0.0, self.label(atom, notes), self.nearest_words(atom, n_nearest)) for atom in weights
        }
        return Teller(word, self.usage_forms(word), self.posterior, weights, meanings, self.tokenizer)

    def usage_forms(self, word: str) -> frozenset[str]:
        """The forms in which a word may stand in a text, as texts are cut into words here."""
        return target_forms(word, self.tokenizer)

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """The atoms of a word and its forms, (n_senses, dim)."""
        weights = self.sense_weights(word)
        if not weights:
            raise InputError(f"{word!r} has no atom with a positive weight, so it has no senses here.")
        return np.asarray(self.atoms.vectors[list(weights)])

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """p(a|c,w) in each usage, (n_usages, n_senses), in the order of `sense_vectors`."""
        return self.posterior.p_senses(self.sense_weights(word), self.context_vectors(word, usages))

    def context_vectors(
        self, word: str, usages: Sequence[Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """The vectors of the contexts of a word, (n_usages, dim), without the forms of the word in them."""
        reader = (posterior or self.posterior).reader
        tokens = self.tokenizer.tokens(word)
        own = self.usage_forms(word) if len(tokens) == 1 else tokens  # such as mother-in-law
        return reader.vectors(reader.windows(usages, own))

    def vectors_in_context(
        self, word: str, usages: Sequence[Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """The vector of a word in each usage, (n_usages, dim); an unknown word is what its contexts make of it."""
        posterior = posterior or self.posterior
        contexts = self.context_vectors(word, usages, posterior)
        try:
            word = self._spelling(word, forms=True)
        except UnknownWordError:
            return posterior.in_context(None, {}, contexts)
        return posterior.in_context(self._own_vector(word), self.sense_weights(word), contexts)

    def _own_vector(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, or where only forms of it are known, of the most frequent one."""
        known = [word] if word in self._rows else [form for form in self.forms(word) if form in self._rows]
        return self.embeddings[min(known, key=self._rows.__getitem__)]

    def similarity(self, word1: str, word2: str, *, context1: str | None = None, context2: str | None = None) -> float:
        """The cosine of two words; with contexts, of the words as they are meant there (at their first occurrence)."""
        if context1 is None and context2 is None:
            return self.embeddings.similarity(*(self.words[self.row(word)] for word in (word1, word2)))
        vectors = [self._in_text(word, text) for word, text in ((word1, context1), (word2, context2))]
        lengths = [float(np.linalg.norm(vector)) or 1.0 for vector in vectors]
        return float(vectors[0] @ vectors[1]) / (lengths[0] * lengths[1])

    def _in_text(self, word: str, text: str | None) -> NDArray[np.float32]:
        if text is None:
            self.row(word)  # without a context only a known word has a vector
            return np.asarray(self.vectors_in_context(word, [Usage((word,), 0)])[0])
        if not text.strip():
            raise InputError(f"the context of {word!r} is empty; pass a text with the word, or none at all.")
        usages = find_usages(word, text, self.tokenizer)
        if not usages:
            raise InputError(f"no form of {word!r} is in its context; pass a context with the word.")
        return np.asarray(self.vectors_in_context(word, usages[:1])[0])

    def cluster(
        self, word: str, texts: Sequence[str], k: int | Literal["auto"] = "auto", *, random_state: int = 0
    ) -> UsageClusters:
        """The contexts of a word in texts, put together by sense: word-sense induction on one's own text."""
        _refuse_one_string(texts)
        spelling, forms = self._spelling(word, forms=True), self.usage_forms(word)
        found = [
            (number, usage)
            for number, text in enumerate(texts)
            for usage in find_usages(word, text, self.tokenizer, forms=forms)
        ]
        if not found:
            raise InputError(f"no form of {word!r} is in the {len(texts):,} texts; pass texts with the word.")
        usages = [usage for _, usage in found]
        weights, contexts = self.sense_weights(word), self.context_vectors(word, usages)
        views, gain = self.posterior.views(weights, contexts), self.reading.least_gain
        labels = cluster_vectors(views, k, least_gain=gain, random_state=random_state)
        return UsageClusters(
            spelling,
            tuple(number for number, _ in found),
            tuple(usages),
            tuple(labels.tolist()),
            self.posterior.p_senses(weights, contexts),
            tuple(weights),
            tuple(closeness(views, labels).tolist()),
        )

    # --- what a person adds

    def pick(self, word: str, atoms: Iterable[int]) -> None:
        """Keep these atoms as the senses of a word; none at all takes the picks back."""
        word, chosen = self.words[self.row(word)], tuple(map(self.atoms.check_id, dict.fromkeys(atoms)))

        def change(notes: Notes) -> Notes:
            for atom in set(chosen) & notes.hidden:
                raise InputError(f"atom {atom} is hidden; unhide it first: wordatoms atoms {atom} --unhide")
            others = {key: value for key, value in notes.picks.items() if key != word}
            return replace(notes, picks={**others, word: chosen} if chosen else others)

        self._change(change)


def _refuse_one_string(texts: Iterable[str]) -> None:
    if isinstance(texts, str):
        raise InputError(f"the texts are one string, {texts[:40]!r}; pass a list of texts.")


def load(path: Path | str | None = None, *, verify: bool = False) -> SenseModel:
    """Open the folder of a model; without one, the English model that comes with the program.

    That all its files are there is checked at once, and the content of the small ones; with `verify` that of all.
    """
    return SenseModel(path, verify=verify)
