"""What a trained model answers: the senses of words, their atoms, and which sense is meant in a text.

Section 5 of the paper: every atom with a positive weight in the code of a word is one of its senses; other words whose
code has the same atom carry a linked sense. Inflected forms can be pooled, each weighted by its share of the
occurrences. In the semi-automatic mode a person picks the senses of a word from its closest atoms; picks, names and
hidden atoms are stored in the model folder. Section 6: the sense of a word in a context.

Parts of a model are loaded when a question needs them; neither numba nor scikit-learn is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.layout import Layout
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.contexts.usages import Usage, find_usages, target_forms
from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.embeddings.neighbours import Neighbours
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.senses.annotations import Notes, change_notes
from wordatoms.senses.clustering import closeness, cluster_vectors
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.results import (
    AtomMatch,
    AtomView,
    Candidate,
    Disambiguation,
    Link,
    Meaning,
    Sense,
    UsageClusters,
)
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:  # loaded with the first question about a context
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.contexts.reader import ReadingSettings
    from wordatoms.senses.disambiguation import Disambiguator
    from wordatoms.senses.posterior import Posterior

BATCH_TEXTS = 256
LEAST_PICKED = 1e-3
"""Weight of a picked sense whose fitted weight is not positive: a person says that it is possible."""


class SenseModel:
    """A trained model, ready for questions; `wordatoms.load` opens one.

    Parameters
    ----------
    path : Path or str, optional
        Model folder; by default the bundled English model.
    verify : bool, default False
        Compare all files with their checksums, instead of the small ones only.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> len(model.words)
    50000
    """

    def __init__(self, path: Path | str | None = None, *, verify: bool = False) -> None:
        self.parts = ModelParts(path, verify=verify)

    def __repr__(self) -> str:
        return f"SenseModel({str(self.path)!r}, {len(self.words):,} words, {len(self.atoms):,} atoms)"

    # --- parts

    @property
    def folder(self) -> ModelFolder:
        """The model folder with its manifest."""
        return self.parts.folder

    @property
    def path(self) -> Path:
        """Path of the model folder."""
        return self.parts.path

    @property
    def words(self) -> tuple[str, ...]:
        """The vocabulary; most frequent words first, unless the vectors were imported in another order."""
        return self.parts.words

    @property
    def embeddings(self) -> Embeddings:
        """The word vectors."""
        return self.parts.embeddings

    @property
    def learned_from(self) -> Embeddings:
        """The vectors that the atoms were learned from: the word vectors or the induced ones."""
        return self.parts.learned_from

    @property
    def neighbours(self) -> Neighbours | None:
        """Precomputed nearest words of all words, or None if the model has none."""
        return self.parts.neighbours

    @property
    def atoms(self) -> Atoms:
        """The atoms of discourse and the sparse codes of all words."""
        return self.parts.atoms

    @property
    def meta_atoms(self) -> MetaAtoms:
        """The meta-atoms, which group related atoms."""
        return self.parts.meta_atoms

    @property
    def layout(self) -> Layout:
        """A place in the plane for each atom, (n_atoms, 2)."""
        return self.parts.layout

    @property
    def notes(self) -> Notes:
        """Names, picks and hidden atoms that a person added; read from disk each time."""
        return self.parts.notes

    @property
    def notes_folder(self) -> Path:
        """Folder of the notes: the model folder, or a folder of the user's for the bundled model."""
        return self.parts.notes_folder

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that splits text into the words of this model."""
        return self.parts.tokenizer

    @property
    def induced_map(self) -> InducedMap:
        """The map A of Theorem 1, from contexts to word vectors."""
        return self.parts.induced_map

    @property
    def reading(self) -> ReadingSettings:
        """How contexts are read: as `wordatoms tune` chose, else the defaults."""
        return self.parts.reading

    @property
    def posterior(self) -> Posterior:
        """The posterior over the atoms of a word in a context."""
        return self.parts.posterior

    def make_posterior(self, settings: ReadingSettings) -> Posterior:
        """Return a posterior with other settings than those of the model.

        Parameters
        ----------
        settings : ReadingSettings
            How to read contexts.

        Returns
        -------
        Posterior
        """
        return self.parts.make_posterior(settings)

    # --- words

    def find_spelling(self, word: str) -> str | None:
        """Return a word as the model spells it: as given, in lower case, or as the tokenizer cuts it.

        Parameters
        ----------
        word : str
            A word as a person typed it.

        Returns
        -------
        str or None
            None if the model does not know the word.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().find_spelling("“Tie”,")
        'tie'
        """
        return self.parts.find_spelling(word)

    def row(self, word: str) -> int:
        """Return the row of a word in the vocabulary; see `find_spelling`.

        Parameters
        ----------
        word : str

        Returns
        -------
        int

        Raises
        ------
        UnknownWordError
            With the nearest spellings.
        """
        return self.parts.row(word)

    def forms(self, word: str) -> tuple[str, ...]:
        """Return a word and its inflected forms that the model knows.

        Parameters
        ----------
        word : str

        Returns
        -------
        tuple of str
            The word itself first.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().forms("tie")
        ('tie', 'tied', 'ties', 'tying')
        """
        return self.parts.forms(word)

    def near_words(self, word: str, n: int = 10) -> list[Neighbour]:
        """Return the words nearest to a word by cosine.

        Parameters
        ----------
        word : str
        n : int, default 10

        Returns
        -------
        list of Neighbour

        Examples
        --------
        >>> import wordatoms as wa
        >>> [near.word for near in wa.load().near_words("tie", 3)]
        ['win', 'draw', 'tied']
        """
        return self.parts.near_words(word, n)

    def _spelling(self, word: str) -> str:
        """Return the model's spelling of a word, which may itself be unknown if the model knows a form of it."""
        known = self.find_spelling(word)
        if known is None and any(form in self.parts.rows for form in self.forms(word.lower())):
            return word.lower()
        return known or self.words[self.row(word)]

    # --- senses

    def senses(self, word: str, *, forms: bool = False, n_nearest: int = 10, n_linked: int = 10) -> list[Sense]:
        """Return the senses of a word, heaviest first.

        If a person picked atoms for the word, these are its senses and forms add none.

        Parameters
        ----------
        word : str
        forms : bool, default False
            Pool the inflected forms of the word, each weighted by its share of the occurrences.
        n_nearest : int, default 10
            Nearest words of each atom.
        n_linked : int, default 10
            Other words with a sense in each atom.

        Returns
        -------
        list of Sense

        Raises
        ------
        UnknownWordError
            If the word is not in the vocabulary.

        Examples
        --------
        >>> import wordatoms as wa
        >>> for sense in wa.load().senses("tie")[:2]:
        ...     print(f"{sense.weight:.2f}  {sense.label}")
        0.51  draw, wembley, equaliser
        0.40  sleeved, trousers, wearing
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
        """Return the heaviest senses that inflected forms of a word have and the word itself has not.

        Parameters
        ----------
        word : str
        n : int, default 3
            Maximum number of senses.
        n_nearest, n_linked : int, default 10
            See `senses`.

        Returns
        -------
        list of Sense

        Examples
        --------
        >>> import wordatoms as wa
        >>> [sense.label for sense in wa.load().senses_of_forms("tie", 2)]
        ['relations, alliances, mutual', 'waist, gloves, boots']
        """
        own = {sense.atom for sense in self.senses(word, n_nearest=0, n_linked=0)}
        pooled = self.senses(word, forms=True, n_nearest=n_nearest, n_linked=n_linked)
        return [sense for sense in pooled if sense.atom not in own][:n]

    def sense_weights(self, word: str, *, forms: bool = True, notes: Notes | None = None) -> dict[int, float]:
        """Return the atoms of a word and their weights, all positive, heaviest first.

        Parameters
        ----------
        word : str
            May be unknown itself if `forms` is true and the model knows one of its forms.
        forms : bool, default True
            Pool the inflected forms.
        notes : Notes, optional
            Notes already read, to save reading them again.

        Returns
        -------
        dict of int to float

        Examples
        --------
        >>> import wordatoms as wa
        >>> list(wa.load().sense_weights("tie", forms=False))[:3]
        [1048, 90, 930]
        """
        word, notes = self._spelling(word) if forms else self.words[self.row(word)], notes or self.notes
        ranked = self._ranked(self._form_weights(word, notes, forms=forms), notes)
        return {atom: max(weight, LEAST_PICKED) for atom, weight in ranked.items()}

    def _form_weights(self, word: str, notes: Notes, *, forms: bool) -> dict[str, dict[int, float]]:
        """Return the positive code of each form, or the fitted weights of the atoms picked for the word."""
        rows = self.parts.rows
        if word in notes.picks:
            return {word: self._fitted_weights(word, notes.picks[word])}
        known = [form for form in (self.forms(word) if forms else [word]) if form in rows]
        return {form: self.atoms.codes.positive(rows[form]) for form in known}

    def _fitted_weights(self, word: str, atoms: tuple[int, ...]) -> dict[int, float]:
        """Return the weights with which the picked atoms approximate the word best."""
        vector = self.learned_from[word].astype(np.float64)
        vectors = self.atoms.vectors[list(atoms)].astype(np.float64)
        weights = np.linalg.lstsq(vectors.T, vector / (np.linalg.norm(vector) or 1.0), rcond=None)[0]
        return dict(zip(atoms, weights.tolist(), strict=True))

    def _ranked(self, weights: Mapping[str, Mapping[int, float]], notes: Notes) -> dict[int, float]:
        """Return the mean weight of each atom over all occurrences of the forms, heaviest first; no hidden atoms."""
        counts, rows = self.parts.word_list.counts, self.parts.rows
        occurrences = {form: 1 if counts is None else max(int(counts[rows[form]]), 1) for form in weights}
        total = sum(occurrences.values()) or 1
        pooled: dict[int, float] = {}
        for form, found in weights.items():
            for atom, weight in found.items():
                pooled[atom] = pooled.get(atom, 0.0) + weight * occurrences[form] / total
        shown = [atom for atom in pooled if atom not in notes.hidden]
        return {atom: pooled[atom] for atom in sorted(shown, key=lambda atom: (-pooled[atom], atom))}

    def candidates(self, word: str, n: int = 20, *, n_nearest: int = 10) -> list[Candidate]:
        """Return the atoms closest to a word, from which a person may pick its senses.

        Parameters
        ----------
        word : str
        n : int, default 20
            Maximum number of atoms; hidden ones are left out.
        n_nearest : int, default 10
            Nearest words of each atom.

        Returns
        -------
        list of Candidate

        Examples
        --------
        >>> import wordatoms as wa
        >>> [candidate.atom for candidate in wa.load().candidates("tie", 2)]
        [1048, 930]
        """
        row = self.row(word)
        word, notes, codes = self.words[row], self.notes, self.atoms.codes
        code = dict(zip(codes.atoms[row].tolist(), codes.weights[row].tolist(), strict=True))
        closest = self.atoms.closest(self.learned_from[word], n + len(notes.hidden))
        return [
            Candidate(
                atom,
                cosine,
                code.get(atom),
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                atom in notes.picks.get(word, ()),
                atom in notes.names,
            )
            for atom, cosine in closest
            if atom not in notes.hidden
        ][:n]

    # --- atoms

    def atom(self, atom: int, *, n: int = 10) -> AtomView:
        """Return one atom with its nearest words, the words it is a sense of, its neighbours and its meta-atoms.

        Parameters
        ----------
        atom : int
            Id of the atom.
        n : int, default 10
            Maximum length of each list.

        Returns
        -------
        AtomView

        Examples
        --------
        >>> import wordatoms as wa
        >>> [near.word for near in wa.load().atom(1048, n=3).nearest]
        ['draw', 'wembley', 'equaliser']
        """
        self.atoms.check_id(atom)
        notes = self.notes
        return AtomView(
            atom,
            self.label(atom, notes),
            self.nearest_words(atom, n),
            int(self.atoms.n_words[atom]),
            self.linked_words(atom, n),
            tuple((near, cosine, self.label(near, notes)) for near, cosine in self.atoms.neighbours(atom, n)),
            tuple((meta, weight, self.meta_atoms.labels[meta]) for meta, weight in self.meta_atoms.of_atom(atom)),
            atom in notes.hidden,
        )

    def search(self, text: str, *, notes: Notes | None = None) -> list[AtomMatch]:
        """Find atoms by the name a person gave, by a word that belongs to them, or by their label.

        Matches of names come first, then the senses of the word and the atoms it is near to, then labels, then, if the
        text as a whole is no word of the model, the atoms of each word in it. Hidden atoms are left out.

        Parameters
        ----------
        text : str
            A word, part of a name, or the beginning of words in a label; upper and lower case are the same.
        notes : Notes, optional
            Notes already read, to save reading them again.

        Returns
        -------
        list of AtomMatch

        Raises
        ------
        UnknownWordError
            If nothing matches.

        Examples
        --------
        >>> import wordatoms as wa
        >>> for match in wa.load().search("wembley")[:2]:
        ...     print(match.atom, match.why)
        1048 a sense of wembley (0.64)
        123 a sense of wembley (0.36)
        """
        notes, spelling = notes or self.notes, self.find_spelling(text)
        reasons = {atom: f"its name is {name}" for atom, name in sorted(notes.names.items()) if _has(name, text)}
        if spelling is not None:
            self._add_atoms_of(spelling, reasons)
        label_part = re.compile(rf"\b{re.escape(text)}" + (r"\b" if spelling else ""), re.IGNORECASE)
        for atom, label in enumerate(self.atoms.labels):
            if text.strip() and label_part.search(label):
                reasons.setdefault(atom, f"its label is {label}")
        for word in self.tokenizer.tokens(text) if spelling is None else ():
            if word in self.parts.rows:
                self._add_atoms_of(word, reasons)
        if not reasons and spelling is None:
            raise UnknownWordError(text, self.words)
        shown = [atom for atom in reasons if atom not in notes.hidden]
        return [AtomMatch(atom, self.label(atom, notes), reasons[atom]) for atom in shown]

    def _add_atoms_of(self, word: str, reasons: dict[int, str]) -> None:
        row = self.parts.rows[word]
        weights = self.atoms.codes.positive(row)
        for atom in self.atoms.containing(row):
            why = f"a sense of {word} ({weights[atom]:.2f})" if atom in weights else f"{word} is one of its near words"
            reasons.setdefault(atom, why)

    def label(self, atom: int, notes: Notes | None = None) -> str:
        """Return the name a person gave an atom, or its label made of nearest words.

        Parameters
        ----------
        atom : int
        notes : Notes, optional
            Notes already read, to save reading them again.

        Returns
        -------
        str

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().label(1048)
        'draw, wembley, equaliser'
        """
        self.atoms.check_id(atom)
        names = (notes or self.notes).names
        return names.get(atom, self.atoms.labels[atom])

    def nearest_words(self, atom: int, n: int = 10) -> tuple[Neighbour, ...]:
        """Return the words nearest to an atom; more than are stored with it takes a search over all words.

        Parameters
        ----------
        atom : int
        n : int, default 10

        Returns
        -------
        tuple of Neighbour

        Examples
        --------
        >>> import wordatoms as wa
        >>> [near.word for near in wa.load().nearest_words(90, 3)]
        ['sleeved', 'trousers', 'wearing']
        """
        self.atoms.check_id(atom)
        if n > self.atoms.nearest.shape[1]:
            return tuple(self.learned_from.nearest(self.atoms.vectors[atom], n))
        rows, cosines = self.atoms.nearest[atom, :n].tolist(), self.atoms.cosines[atom, :n].tolist()
        return tuple(Neighbour(self.words[row], cosine) for row, cosine in zip(rows, cosines, strict=True))

    def linked_words(self, atom: int, n: int = 10, *, leave_out: Iterable[str] = ()) -> tuple[Link, ...]:
        """Return the words that have a sense in an atom, heaviest first.

        Parameters
        ----------
        atom : int
        n : int, default 10
        leave_out : iterable of str, optional
            Words of the model to leave out.

        Returns
        -------
        tuple of Link

        Examples
        --------
        >>> import wordatoms as wa
        >>> [link.word for link in wa.load().linked_words(1048, 3)]
        ['draw', 'replay', 'goalless']
        """
        unwanted = {self.parts.rows[word] for word in leave_out}
        rows, weights = (part[: n + len(unwanted)].tolist() for part in self.atoms.carriers(atom))
        pairs = [(row, weight) for row, weight in zip(rows, weights, strict=True) if row not in unwanted]
        return tuple(Link(self.words[row], weight) for row, weight in pairs[:n])

    # --- words in contexts

    def disambiguate(self, word: str, text: str, *, n_nearest: int = 10, n_deciding: int = 5) -> list[Disambiguation]:
        """Tell which sense of a word is meant, for each occurrence of any of its forms in a text.

        Parameters
        ----------
        word : str
        text : str
        n_nearest : int, default 10
            Nearest words of each atom.
        n_deciding : int, default 5
            Maximum number of context words that decided.

        Returns
        -------
        list of Disambiguation
            At least one.

        Raises
        ------
        InputError
            If no form of the word is in the text.

        Examples
        --------
        >>> import wordatoms as wa
        >>> found = wa.load().disambiguate("tie", "She wore a silk tie with her shirt.")[0]
        >>> found.sense.label, round(found.sense.probability, 2), found.deciding[0].word
        ('sleeved, trousers, wearing', 0.9, 'silk')
        """
        if not text.strip():
            raise InputError(f"the text is empty; pass one with {word!r} in it.")
        found = next(self.disambiguate_each(word, [text], n_nearest=n_nearest, n_deciding=n_deciding))
        if not found:
            raise InputError(f"no form of {word!r} is in the text; pass a text with the word.")
        return found

    def disambiguate_each(
        self, word: str, texts: Iterable[str], *, n_nearest: int = 10, n_deciding: int = 5
    ) -> Iterator[list[Disambiguation]]:
        """Disambiguate a word in each of many texts; `texts` may be an endless stream.

        Parameters
        ----------
        word : str
        texts : iterable of str
        n_nearest : int, default 10
        n_deciding : int, default 5
            See `disambiguate`.

        Yields
        ------
        list of Disambiguation
            One list per text, empty for a text without the word.

        Examples
        --------
        >>> import wordatoms as wa
        >>> texts = ["a striped tie", "no such word", "the match ended in a tie"]
        >>> [len(found) for found in wa.load().disambiguate_each("tie", texts)]
        [1, 0, 1]
        """
        _refuse_one_string(texts)
        disambiguator, remaining = self._disambiguator(word, n_nearest), iter(texts)
        while batch := list(islice(remaining, BATCH_TEXTS)):
            yield from disambiguator.answer_texts(batch, n_deciding=n_deciding)

    def _disambiguator(self, word: str, n_nearest: int) -> Disambiguator:
        from wordatoms.senses.disambiguation import Disambiguator

        word, notes = self._spelling(word), self.notes
        weights = self.sense_weights(word)
        meanings = {
            atom: Meaning(atom, 0.0, self.label(atom, notes), self.nearest_words(atom, n_nearest)) for atom in weights
        }
        return Disambiguator(word, self.usage_forms(word), self.posterior, weights, meanings, self.tokenizer)

    def usage_forms(self, word: str) -> frozenset[str]:
        """Return the forms in which a word can occur in a text, as the tokenizer spells them.

        Parameters
        ----------
        word : str

        Returns
        -------
        frozenset of str
        """
        return target_forms(word, self.tokenizer)

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """Return the atoms of a word and its forms.

        Parameters
        ----------
        word : str

        Returns
        -------
        ndarray of shape (n_senses, dim)
        """
        weights = self.sense_weights(word)
        if not weights:
            raise InputError(f"{word!r} has no atom with a positive weight, so it has no senses here.")
        return np.asarray(self.atoms.vectors[list(weights)])

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """Return p(a|c,w), the probability of each sense of a word in each usage.

        Parameters
        ----------
        word : str
        usages : sequence of Usage

        Returns
        -------
        ndarray of shape (n_usages, n_senses)
            Senses in the order of `sense_vectors`.
        """
        return self.posterior.p_senses(self.sense_weights(word), self.context_vectors(word, usages))

    def context_vectors(
        self, word: str, usages: Sequence[Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of the contexts of a word; forms of the word itself are no part of them.

        Parameters
        ----------
        word : str
        usages : sequence of Usage
        posterior : Posterior, optional
            By default that of the model.

        Returns
        -------
        ndarray of shape (n_usages, dim)
        """
        reader = (posterior or self.posterior).reader
        tokens = self.tokenizer.tokens(word)
        own = self.usage_forms(word) if len(tokens) == 1 else tokens  # such as mother-in-law
        return reader.vectors(reader.windows(usages, own))

    def vectors_in_context(
        self, word: str, usages: Sequence[Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """Return the vector of a word in each usage; for an unknown word, the induced vector of its context.

        Parameters
        ----------
        word : str
        usages : sequence of Usage
        posterior : Posterior, optional
            By default that of the model.

        Returns
        -------
        ndarray of shape (n_usages, dim)
        """
        posterior = posterior or self.posterior
        contexts = self.context_vectors(word, usages, posterior)
        try:
            word = self._spelling(word)
        except UnknownWordError:
            return posterior.in_context(None, {}, contexts)
        rows = self.parts.rows
        # If only forms of the word are known, the most frequent one gives the vector.
        known = [word] if word in rows else [form for form in self.forms(word) if form in rows]
        vector = self.embeddings[min(known, key=rows.__getitem__)]
        return posterior.in_context(vector, self.sense_weights(word), contexts)

    def similarity(self, word1: str, word2: str, *, context1: str | None = None, context2: str | None = None) -> float:
        """Return the cosine of two words; with contexts, of the words as they are meant there.

        Parameters
        ----------
        word1, word2 : str
        context1, context2 : str, optional
            Texts with the words; the first occurrence counts.

        Returns
        -------
        float

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> round(model.similarity("bank", "river"), 2)
        0.28
        >>> round(model.similarity("bank", "river", context1="They walked along the muddy bank of the stream."), 2)
        0.45
        """
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
        """Cluster the occurrences of a word in texts by sense: word-sense induction.

        Parameters
        ----------
        word : str
        texts : sequence of str
        k : int or "auto", default "auto"
            Number of clusters.
        random_state : int, default 0
            Seed of the first centres.

        Returns
        -------
        UsageClusters

        Examples
        --------
        >>> import wordatoms as wa
        >>> texts = ["a silk tie and a shirt", "a striped tie with a jacket", "the match ended in a tie"]
        >>> wa.load().cluster("tie", texts, k=2).labels
        (0, 0, 1)
        """
        _refuse_one_string(texts)
        spelling, forms = self._spelling(word), self.usage_forms(word)
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

    # --- notes of a person

    def pick(self, word: str, atoms: Iterable[int]) -> None:
        """Keep these atoms as the senses of a word.

        Parameters
        ----------
        word : str
        atoms : iterable of int
            Ids of atoms; none at all restores the automatic senses.
        """
        word, chosen = self.words[self.row(word)], tuple(map(self.atoms.check_id, dict.fromkeys(atoms)))

        def change(notes: Notes) -> Notes:
            for atom in set(chosen) & notes.hidden:
                raise InputError(f"atom {atom} is hidden; unhide it first: wordatoms atoms {atom} --unhide")
            others = {key: value for key, value in notes.picks.items() if key != word}
            return replace(notes, picks={**others, word: chosen} if chosen else others)

        self._change_notes(change)

    def name(self, atom: int, name: str) -> None:
        """Give an atom a name.

        Parameters
        ----------
        atom : int
        name : str
            One line of at most 200 characters; an empty one restores the label.
        """
        self.atoms.check_id(atom)
        if "\n" in name or len(name) > 200:
            raise InputError("the name of an atom is one line of at most 200 characters; pass a shorter one.")

        def change(notes: Notes) -> Notes:
            others = {key: value for key, value in notes.names.items() if key != atom}
            return replace(notes, names={**others, atom: name} if name else others)

        self._change_notes(change)

    def hide(self, atom: int, *, hidden: bool = True) -> None:
        """Leave an atom out of all senses, or show it again.

        Parameters
        ----------
        atom : int
        hidden : bool, default True
        """
        self.atoms.check_id(atom)
        self._change_notes(lambda notes: replace(notes, hidden=notes.hidden - {atom} | ({atom} if hidden else set())))

    def _change_notes(self, change: Callable[[Notes], Notes]) -> None:
        change_notes(self.notes_folder, self.atoms.fingerprint, len(self.atoms), change)


def _has(name: str, text: str) -> bool:
    return text.lower() in name.lower()


def _refuse_one_string(texts: Iterable[str]) -> None:
    if isinstance(texts, str):
        raise InputError(f"the texts are one string, {texts[:40]!r}; pass a list of texts.")


def load(path: Path | str | None = None, *, verify: bool = False) -> SenseModel:
    """Open a model folder; without a path, the bundled English model.

    It is checked that all files are there, and that the small ones match their checksums.

    Parameters
    ----------
    path : Path or str, optional
        Model folder.
    verify : bool, default False
        Compare all files with their checksums.

    Returns
    -------
    SenseModel

    Raises
    ------
    ModelError
        If the folder holds no model, or a damaged one.

    Examples
    --------
    >>> import wordatoms as wa
    >>> len(wa.load().atoms)
    1958
    """
    return SenseModel(path, verify=verify)
