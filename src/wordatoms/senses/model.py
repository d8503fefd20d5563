"""What a trained model answers: the senses of words, their atoms, and which sense is meant in a text.

Section 5 of the paper: every atom with a positive weight in the code of a word is one of its senses; other words whose
code has the same atom carry a linked sense. Inflected forms can be pooled, each weighted by its share of the
occurrences. In the semi-automatic mode a person picks the senses of a word from its closest atoms; picks, names and
hidden atoms are stored in the model folder. Section 6: the sense of a word in a context.

Parts of a model are loaded when a question needs them; neither numba nor scikit-learn is imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.layout import Layout
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.contexts.usages import Usage, find_usages
from wordatoms.embeddings.embeddings import Embeddings, Neighbour, cosines
from wordatoms.embeddings.neighbours import Neighbours
from wordatoms.errors import (
    InputError,
    ModelError,
    UnknownWordError,
    require_number,
    require_string,
    require_texts,
)
from wordatoms.senses.annotations import Notes, change_notes
from wordatoms.senses.clustering import closeness, cluster_vectors
from wordatoms.senses.frames import Results, Shown
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
    from wordatoms.atoms.sparse_coding import SparseCodes
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.contexts.reader import ReadingSettings
    from wordatoms.embeddings.items import ItemTexts
    from wordatoms.encoder.encoder import Encoder
    from wordatoms.run import Run
    from wordatoms.senses.by_use import PhraseAnswers, UseAnswers, UseDisambiguator
    from wordatoms.senses.disambiguation import Disambiguator
    from wordatoms.senses.examples import Example
    from wordatoms.senses.html import Html
    from wordatoms.senses.inducing import InducedSense
    from wordatoms.senses.posterior import Posterior
    from wordatoms.senses.reading import TextWord
    from wordatoms.senses.second_eye import SecondEye
    from wordatoms.senses.uses import SenseUses

BATCH_TEXTS = 256
N_SUGGESTED = 10
"""Atoms that the contexts of an unknown word suggest as its senses."""
LARGEST_SEED = 2**63 - 1
MOST_SHOWN = 1_000_000
"""Words and senses that one answer may be asked for."""
Method = Literal["auto", "uses", "code"]
ENCODER, NO_ENCODER = "encoder", "none"
"""Folder of an encoder in a model folder, and what is passed to leave it out."""
LONGEST_EXAMPLE = 1000
"""Characters of the text of an item that is shown with an atom."""
LEAST_PICKED = 1e-3
"""Weight of a picked sense whose fitted weight is not positive: a person says that it is possible."""


class SenseModel(Shown):
    """A trained model, ready for questions; `wordatoms.load` opens one.

    Parameters
    ----------
    path : Path or str, optional
        Model folder; by default the bundled English model.
    verify : bool, default False
        Compare all files with their checksums, instead of the small ones only.
    encoder : Path, str or Encoder, optional
        Folder of a transformer that reads along; see `load`.
    run : Run, optional
        Threads and progress of the encoder.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> len(model.words)
    60000
    """

    def __init__(
        self,
        path: Path | str | None = None,
        *,
        verify: bool = False,
        encoder: Path | str | Encoder | None = None,
        run: Run | None = None,
    ) -> None:
        self.parts = ModelParts(path, verify=verify)
        self._encoder, self._run = encoder, run
        if encoder is not None:
            _ = self.second_eye  # whoever names an encoder learns at once that it cannot be used

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
    def language(self) -> str:
        """Code of the language of the text, such as "en"; inflected forms are those of this language."""
        return self.parts.language

    @property
    def texts(self) -> ItemTexts | None:
        """The whole texts of the items, in the order of `words`, which are their names; None for a model of words."""
        return self.parts.texts

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

    @property
    def uses(self) -> SenseUses | None:
        """The senses by use of all words, or None if the text of the model was not observed."""
        return self.parts.uses

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

    @cached_property
    def second_eye(self) -> SecondEye | None:
        """The encoder that reads along: the one that was passed, or that in the model folder; None without any."""
        return _open_eye(self, self._encoder, self._run)

    def without_encoder(self) -> SenseModel:
        """Return the same model with no encoder that reads along.

        Returns
        -------
        SenseModel
        """
        alone = copy(self)
        alone.__dict__["second_eye"] = None
        return alone

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

    def near_words(self, word: str, n: int = 10) -> Results[Neighbour]:
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
        ['tied', 'tying', 'tight']
        """
        return Results(self.parts.near_words(word, n))

    def _spelling(self, word: str) -> str:
        """Return the model's spelling of a word, which may itself be unknown if the model knows a form of it."""
        known = self.find_spelling(word)
        if known is None and any(form in self.parts for form in self.forms(word.lower())):
            return word.lower()
        return known or self.parts.word(self.row(word))

    # --- senses

    def senses(
        self,
        word: str,
        *,
        forms: bool = False,
        method: Method = "auto",
        n_nearest: int = 10,
        n_linked: int = 10,
    ) -> Results[Sense]:
        """Return the senses of a word: those that its occurrences show, by falling share of the uses.

        A model whose text was not observed has the paper's senses, the atoms in the code of the word, heaviest first;
        so have phrases if theirs were not observed. If a person picked atoms for the word, these are its senses and
        forms add none.

        Parameters
        ----------
        word : str
            A word, or a phrase such as "new york" that the model knows.
        forms : bool, default False
            Pool the inflected forms of the word, each weighted by its share of the occurrences.
        method : {"auto", "uses", "code"}, default "auto"
            Senses by use or the paper's senses; "auto" takes the uses where the model has them.
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
            If the word is not in the vocabulary, and no phrase of the model.

        Examples
        --------
        >>> import wordatoms as wa
        >>> for sense in wa.load().senses("tie")[:2]:
        ...     print(f"{sense.share:.1f}  {sense.label}")
        0.3  fasten with rope or string
        0.2  necktie
        """
        _check_counts(n_nearest=n_nearest, n_linked=n_linked)
        notes = self.notes
        if (phrase := self.parts.find_phrase(word)) is not None and self.parts.phrases is not None:
            word = self.parts.phrases.phrases[phrase]
            if by_use := self._phrase_answers(word, method, notes):
                return Results(by_use.senses(word, forms=False, n_nearest=n_nearest, n_linked=n_linked))
            code = self.parts.phrases.codes.positive(phrase)
            weights: Mapping[str, Mapping[int, float]] = {word: code}
            ranked = {atom: weight for atom, weight in code.items() if atom not in notes.hidden}
        else:
            word = self.parts.word(self.row(word))
            if answers := self._answers_by_use(word, method, notes):
                return Results(answers.senses(word, forms=forms, n_nearest=n_nearest, n_linked=n_linked))
            weights = self._form_weights(word, notes, forms=forms)
            ranked = self._ranked(weights, notes)
        return Results(
            Sense(
                word,
                atom,
                weight,
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                self.linked_words(atom, n_linked, leave_out=weights),
                {form: found[atom] for form, found in weights.items() if atom in found},
                picked=word in notes.picks,
                named=self.is_named(atom, notes),
                atom_label=self.label(atom, notes),
            )
            for atom, weight in ranked.items()
        )

    def _answers_by_use(self, word: str, method: Method, notes: Notes) -> UseAnswers | None:
        """Return what answers by use, or None if the code of the word is to answer."""
        _check_method(method)
        uses = None if method == "code" else self.uses
        if uses is None and method == "uses":
            raise ModelError(f"{self.path} has no senses by use; run: wordatoms observe {self.path}")
        if uses is None or word in notes.picks:
            return None
        from wordatoms.senses.by_use import UseAnswers

        answers = UseAnswers(self, uses)
        if method == "auto" and not any(answers.forms(word, pooled=True, notes=notes).values()):
            return None  # the text shows too few uses of it, or a person hid the atoms of all its senses
        return answers

    def _phrase_answers(self, phrase: str, method: Method, notes: Notes) -> PhraseAnswers | None:
        """Return what answers about a known phrase by use, or None if its code is to answer."""
        _check_method(method)
        phrases = self.parts.phrases
        if method == "code" or phrases is None or phrases.uses is None or self.uses is None:
            return None
        from wordatoms.senses.by_use import PhraseAnswers

        answers = PhraseAnswers(self, phrases.uses, phrases)
        return answers if any(answers.forms(phrase, pooled=False, notes=notes).values()) else None

    def senses_of_forms(
        self, word: str, n: int = 3, *, method: Method = "auto", n_nearest: int = 10, n_linked: int = 10
    ) -> Results[Sense]:
        """Return the heaviest senses that inflected forms of a word have and the word itself has not.

        Parameters
        ----------
        word : str
        n : int, default 3
            Maximum number of senses.
        method : {"auto", "uses", "code"}, default "auto"
        n_nearest, n_linked : int, default 10
            See `senses`.

        Returns
        -------
        list of Sense

        Examples
        --------
        >>> import wordatoms as wa
        >>> [sense.label for sense in wa.load().senses_of_forms("spectacle", 2)]
        ['eyeglasses']
        """
        own = {(sense.sense, sense.atom) for sense in self.senses(word, method=method, n_nearest=0, n_linked=0)}
        pooled = self.senses(word, forms=True, method=method, n_nearest=n_nearest, n_linked=n_linked)
        return Results([sense for sense in pooled if (sense.sense, sense.atom) not in own][:n])

    def examples(self, word: str, n: int = 1, *, forms: bool = False) -> Results[Example]:
        """Return sentences that show the senses of a word by use.

        They come with the model, as in the bundled one for many ambiguous words; other senses are quoted from the files
        that the model was trained on, if these are still at their places.

        Parameters
        ----------
        word : str
        n : int, default 1
            Maximum number of examples for each sense.
        forms : bool, default False
            Include the senses and occurrences of inflected forms.

        Returns
        -------
        list of Example
            Sentences of the model first, each in the order of `senses`. Empty if the model has no senses by use, or
            neither sentences nor its text.

        Raises
        ------
        UnknownWordError
            If the word is not in the vocabulary.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().examples("cell")[1].text
        'The guard locked the prisoner in his cell for the night.'
        """
        if self.parts.find_phrase(word) is not None:
            return Results()
        word = self.parts.word(self.row(word))
        answers = self._answers_by_use(word, "auto", self.notes)
        if answers is None:
            return Results()
        from wordatoms.senses.examples import find_examples

        return Results(find_examples(answers, word, n=n, forms=forms))

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
        [259, 1776, 873]
        """
        word, notes = self._spelling(word) if forms else self.words[self.row(word)], notes or self.notes
        ranked = self._ranked(self._form_weights(word, notes, forms=forms), notes)
        return {atom: max(weight, LEAST_PICKED) for atom, weight in ranked.items()}

    def _form_weights(self, word: str, notes: Notes, *, forms: bool) -> dict[str, dict[int, float]]:
        """Return the positive code of each form, or the fitted weights of the atoms picked for the word."""
        if word in notes.picks:
            return {word: self._fitted_weights(word, notes.picks[word])}
        rows = {form: self.parts.find_row(form) for form in (self.forms(word) if forms else [word])}
        return {form: self.atoms.codes.positive(row) for form, row in rows.items() if row is not None}

    def _fitted_weights(self, word: str, atoms: tuple[int, ...]) -> dict[int, float]:
        """Return the weights with which the picked atoms approximate the word best."""
        vector = self.learned_from[word].astype(np.float64)
        vectors = self.atoms.vectors[list(atoms)].astype(np.float64)
        weights = np.linalg.lstsq(vectors.T, vector / (np.linalg.norm(vector) or 1.0), rcond=None)[0]
        return dict(zip(atoms, weights.tolist(), strict=True))

    def _ranked(self, weights: Mapping[str, Mapping[int, float]], notes: Notes) -> dict[int, float]:
        """Return the mean weight of each atom over all occurrences of the forms, heaviest first; no hidden atoms."""
        occurrences = {form: self.parts.n_occurrences(form) for form in weights}
        total = sum(occurrences.values()) or 1
        pooled: dict[int, float] = {}
        for form, found in weights.items():
            for atom, weight in found.items():
                pooled[atom] = pooled.get(atom, 0.0) + weight * occurrences[form] / total
        shown = [atom for atom in pooled if atom not in notes.hidden]
        return {atom: pooled[atom] for atom in sorted(shown, key=lambda atom: (-pooled[atom], atom))}

    def candidates(self, word: str, n: int = 20, *, n_nearest: int = 10) -> Results[Candidate]:
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
        [259, 110]
        """
        row = self.row(word)
        word, notes, codes = self.words[row], self.notes, self.atoms.codes
        code = dict(zip(codes.atoms[row].tolist(), codes.weights[row].tolist(), strict=True))
        closest = self.atoms.closest(self.learned_from[word], n + len(notes.hidden))
        found = (
            Candidate(
                atom,
                cosine,
                code.get(atom),
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                atom in notes.picks.get(word, ()),
                self.is_named(atom, notes),
            )
            for atom, cosine in closest
            if atom not in notes.hidden
        )
        return Results(islice(found, n))

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
        >>> [near.word for near in wa.load().atom(873, n=3).nearest]
        ['playoff', 'clinching', 'postseason']
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
            self.parts.atom_names.examples.get(atom),
            self.named_after(atom, notes),
            self.example_texts(atom, n),
        )

    def example_texts(self, atom: int, n: int = 10) -> tuple[str, ...]:
        """Return the texts of the items nearest to an atom, cut to 1,000 characters.

        Parameters
        ----------
        atom : int
        n : int, default 10

        Returns
        -------
        tuple of str
            In the order of `nearest_words`; none in a model of words.
        """
        if self.texts is None:
            return ()
        rows = [self.parts.rows[near.word] for near in self.nearest_words(atom, n)]
        return tuple(text[:LONGEST_EXAMPLE] for text in self.texts.of(rows))

    def search(self, text: str, *, notes: Notes | None = None) -> Results[AtomMatch]:
        """Find atoms by the name a person gave, by a word that belongs to them, or by their label.

        Matches of names come first, then the senses of the word and the atoms it is near to, then labels, then, if the
        text as a whole is no word of the model, the atoms of each word in it. In a model of items, atoms whose nearest
        items contain the text come last. Hidden atoms are left out.

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
        InputError
            If nothing matches in a model of items.

        Examples
        --------
        >>> import wordatoms as wa
        >>> for match in wa.load().search("wembley")[:2]:
        ...     print(match.atom, match.why)
        86 a sense of wembley (0.55)
        91 a sense of wembley (0.38)
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
        for atom, example in self._examples_with(text) if self.texts is not None and text.strip() else ():
            reasons.setdefault(atom, f"an example is {example}")
        if not reasons and spelling is None:
            if self.texts is not None:
                raise InputError(f"no label of an atom and none of its examples has {text[:60]!r}; try another word.")
            raise UnknownWordError(text, self.words)
        shown = [atom for atom in reasons if atom not in notes.hidden]
        return Results(AtomMatch(atom, self.label(atom, notes), reasons[atom]) for atom in shown)

    def _examples_with(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the atoms with an item among their nearest that contains a text, and the name of the first one."""
        assert self.texts is not None
        part = re.compile(rf"\b{re.escape(text.strip())}\b", re.IGNORECASE)
        rows = np.unique(self.atoms.nearest)
        found = {row for row, each in zip(rows.tolist(), self.texts.of(rows), strict=True) if part.search(each)}
        for atom, near in enumerate(self.atoms.nearest.tolist()):
            if (first := next((row for row in near if row in found), None)) is not None:
                yield atom, self.words[first]

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
        >>> wa.load().label(873)
        'American playoffs and seasons'
        """
        self.atoms.check_id(atom)
        names = (notes or self.notes).names
        return names.get(atom, self.atoms.labels[atom])

    def is_named(self, atom: int, notes: Notes | None = None) -> bool:
        """Tell whether a person named an atom: the user, who made the model, or who named its counterpart elsewhere.

        Parameters
        ----------
        atom : int
        notes : Notes, optional
            Notes already read, to save reading them again.

        Returns
        -------
        bool
        """
        return atom in (notes or self.notes).names or atom in self.parts.atom_names.names

    def named_after(self, atom: int, notes: Notes | None = None) -> str:
        """Return the model that the name of an atom was carried over from.

        Parameters
        ----------
        atom : int
        notes : Notes, optional
            Notes already read, to save reading them again.

        Returns
        -------
        str
            Empty for a name that was given to the atom itself, and for a label.
        """
        names = self.parts.atom_names
        is_carried = atom in names.names and atom not in (notes or self.notes).names
        return names.source if is_carried else ""

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
        >>> [near.word for near in wa.load().nearest_words(110, 3)]
        ['breeches', 'jacket', 'trousers']
        """
        self.atoms.check_id(atom)
        if n > self.atoms.nearest.shape[1]:
            return tuple(self.learned_from.nearest(self.atoms.vectors[atom], n))
        rows, near = self.atoms.nearest[atom, :n].tolist(), self.atoms.cosines[atom, :n].tolist()
        word = self.parts.word
        return tuple(Neighbour(word(row), cosine) for row, cosine in zip(rows, near, strict=True))

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
        >>> [link.word for link in wa.load().linked_words(873, 3)]
        ['clinched', 'playoff', 'clinching']
        """
        _check_counts(n=n)
        if n == 0:
            return ()
        unwanted = {row for word in leave_out if (row := self.parts.find_row(word)) is not None}
        rows, weights = (part[: n + len(unwanted)].tolist() for part in self.atoms.carriers(atom))
        pairs = [(row, weight) for row, weight in zip(rows, weights, strict=True) if row not in unwanted]
        return tuple(Link(self.parts.word(row), weight) for row, weight in pairs[:n])

    def code(
        self,
        vectors: ArrayLike,
        *,
        sparsity: int | None = None,
        nonnegative: bool | None = None,
        threads: int | None = None,
    ) -> SparseCodes:
        """Code further vectors over the atoms, as those of the model are coded.

        Parameters
        ----------
        vectors : array-like, shape (n_rows, dim)
            Vectors of the same kind as those of the model, which are scaled to length 1 first; may be memory-mapped. A
            vector of zeros gets an empty code.
        sparsity : int, optional
            Maximum number of atoms per row; by default that of the model.
        nonnegative : bool, optional
            Allow no negative weights; by default as in the model.
        threads : int, optional
            By default all cores; the result does not depend on it.

        Returns
        -------
        SparseCodes

        Raises
        ------
        InputError
            If the vectors are not finite, or of another dimension than the atoms.

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> codes = model.code(model.embeddings.lookup(["trousers", "violin"]))
        >>> [model.label(next(iter(codes.positive(row)))) for row in range(2)]
        ['clothing', 'orchestral instruments']
        """
        from wordatoms.senses.coding import Coding

        return Coding.of_model(self.parts, sparsity, nonnegative).code(vectors, threads=threads)

    # --- words in contexts

    def disambiguate(
        self, word: str, text: str | Usage, *, method: Method = "auto", n_nearest: int = 10, n_deciding: int = 5
    ) -> Results[Disambiguation]:
        """Tell which sense of a word is meant, for each occurrence of any of its forms in a text.

        A word or phrase that the model does not know has the senses that its contexts suggest.

        Parameters
        ----------
        word : str
        text : str or Usage
            A usage is the one place that counts.
        method : {"auto", "uses", "code"}, default "auto"
            Senses by use or the paper's senses; see `senses`.
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
        ('necktie', 0.88, 'silk')
        """
        if not isinstance(text, Usage):
            require_string(text, "the text", "pass one text as a string, or many to disambiguate_each")
            if not text.strip():
                raise InputError(f"the text is empty; pass one with {word!r} in it.")
        each = self.disambiguate_each(word, [text], method=method, n_nearest=n_nearest, n_deciding=n_deciding)
        found = next(each)
        if not found:
            self.check_findable(word)
            raise InputError(f"no form of {word!r} is in the text; pass a text with the word.")
        return found

    def disambiguate_each(
        self,
        word: str,
        texts: Iterable[str | Usage],
        *,
        method: Method = "auto",
        n_nearest: int = 10,
        n_deciding: int = 5,
    ) -> Iterator[Results[Disambiguation]]:
        """Disambiguate a word in each of many texts; `texts` may be an endless stream.

        Parameters
        ----------
        word : str
        texts : iterable of str or Usage
        method : {"auto", "uses", "code"}, default "auto"
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
        _check_counts(n_nearest=n_nearest, n_deciding=n_deciding)
        is_known, remaining = self.knows(word), require_texts(texts)
        of_phrase = None if is_known else self._phrase_disambiguator(word, method, n_nearest)
        disambiguator: Disambiguator | UseDisambiguator | None = of_phrase
        if is_known:
            disambiguator = self._known_disambiguator(word, method, n_nearest)
        while batch := list(islice(remaining, BATCH_TEXTS)):
            if not is_known and of_phrase is None and (usages := self.usages(word, batch)):
                disambiguator = self._disambiguator(word, self._suggested_weights(word, usages), n_nearest)
            answers = disambiguator.answer_texts(batch, n_deciding=n_deciding) if disambiguator else [[] for _ in batch]
            yield from map(Results, answers)

    def disambiguator(
        self, word: str, *, method: Method = "auto", n_nearest: int = 10
    ) -> Disambiguator | UseDisambiguator | None:
        """Return what tells the senses of one word in many usages, prepared once.

        Parameters
        ----------
        word : str
            A known word.
        method : {"auto", "uses", "code"}, default "auto"
            See `senses`.
        n_nearest : int, default 10
            Nearest words of each sense.

        Returns
        -------
        Disambiguator or UseDisambiguator or None
            None if the word has no senses.
        """
        found = self._known_disambiguator(word, method, n_nearest)
        return found if found.meanings else None

    def _phrase_disambiguator(self, word: str, method: Method, n_nearest: int) -> UseDisambiguator | None:
        """Return what tells the senses by use of a phrase; None if the text is no phrase that has some."""
        if not self.is_observed_phrase(word, method=method):
            return None
        number, phrases = self.parts.find_phrase(word), self.parts.phrases
        assert number is not None
        assert phrases is not None
        phrase = phrases.phrases[number]
        answers = self._phrase_answers(phrase, method, self.notes)
        return answers.disambiguator(phrase, self.usage_forms(word), n_nearest) if answers else None

    def is_observed_phrase(self, text: str, *, method: Method = "auto") -> bool:
        """Tell whether a text is a phrase with senses by use.

        Parameters
        ----------
        text : str
        method : {"auto", "uses", "code"}, default "auto"
            With "code", no phrase has any.

        Returns
        -------
        bool

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().is_observed_phrase("tie")
        False
        """
        number, phrases = self.parts.find_phrase(text), self.parts.phrases
        if number is None or phrases is None:
            return False
        return self._phrase_answers(phrases.phrases[number], method, self.notes) is not None

    def _known_disambiguator(self, word: str, method: Method, n_nearest: int) -> Disambiguator | UseDisambiguator:
        spelling = self._spelling(word)
        if answers := self._answers_by_use(spelling, method, self.notes):
            return answers.disambiguator(spelling, self.usage_forms(word), n_nearest)
        return self._disambiguator(word, self.sense_weights(word), n_nearest)

    def _disambiguator(self, word: str, weights: dict[int, float], n_nearest: int) -> Disambiguator:
        from wordatoms.senses.disambiguation import Disambiguator

        word, notes = self._spelling(word) if self.knows(word) else word, self.notes
        meanings = {
            atom: Meaning(atom, 0.0, self.label(atom, notes), self.nearest_words(atom, n_nearest)) for atom in weights
        }
        return Disambiguator(word, self.usage_forms(word), self.posterior, weights, meanings, self.tokenizer)

    def read(self, text: str, *, method: Method = "auto", n_nearest: int = 10) -> Results[TextWord]:
        """Find the likeliest sense of every word of a text.

        Parameters
        ----------
        text : str
        method : {"auto", "uses", "code"}, default "auto"
            See `senses`.
        n_nearest : int, default 10
            Nearest words of each sense.

        Returns
        -------
        list of TextWord
            One for each word; function words and unknown ones have no sense.

        Examples
        --------
        >>> import wordatoms as wa
        >>> for word in wa.load().read("She wore a silk tie."):
        ...     print(word.text, word.verdict or "–")
        She –
        wore have clothes on
        a –
        silk fine cloth
        tie necktie
        """
        from wordatoms.senses.reading import read_text

        return read_text(self, require_string(text, "the text"), method=method, n_nearest=n_nearest)

    def show(self, word: str, text: str | Usage | None = None) -> Html:
        """Return the card of a word for a notebook, or which of its senses is meant in a text.

        Parameters
        ----------
        word : str
        text : str or Usage, optional
            A text with the word; without one, all senses of the word are shown.

        Returns
        -------
        Html
            A string that notebooks show as HTML.

        Raises
        ------
        UnknownWordError
            If there is no text and the word is not in the vocabulary.
        InputError
            If no form of the word is in the text.

        Examples
        --------
        >>> import wordatoms as wa
        >>> "draw, equal score" in wa.load().show("tie", "The match ended in a tie.")
        True
        """
        from wordatoms.senses.html import show_usage, show_word

        return show_word(self, word) if text is None else show_usage(self, word, text)

    def induce(self, word: str, texts: Iterable[str | Usage], *, include_target: bool = False) -> NDArray[np.float32]:
        """Induce a vector for a new or rare word from its contexts (Section 4).

        Parameters
        ----------
        word : str
            A word or phrase, known or not.
        texts : iterable of str or Usage
            A text without the word counts as a context as a whole.
        include_target : bool, default False
            Count the word itself among the words of its contexts.

        Returns
        -------
        ndarray of shape (dim,)

        Raises
        ------
        InputError
            If no context has a known word.

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> vector = model.induce("covfefe", ["a cup of covfefe with milk and sugar", "they drank hot covfefe"])
        >>> model.embeddings.nearest(vector, 1)[0].word
        'drank'
        """
        from wordatoms.contexts.induced_map import find_contexts

        texts = require_texts(texts)
        learned = self.induced_map
        sif, inside = learned.sif(self.embeddings, self.tokenizer), include_target or learned.include_target
        return learned.induce(sif, find_contexts(word, texts, sif, window=learned.window, include_target=inside))

    def induce_senses(
        self,
        word: str,
        texts: Iterable[str | Usage],
        k: int | Literal["auto"] = "auto",
        *,
        n_nearest: int = 10,
        include_target: bool = False,
        random_state: int = 0,
    ) -> Results[InducedSense]:
        """Induce a vector for each sense of a new or rare word from the contexts that belong together.

        The contexts are clustered as by `cluster`, with an encoder if one reads along; texts without the word, and
        places without a known word around them, are left out.

        Parameters
        ----------
        word : str
            A word or phrase, known or not.
        texts : iterable of str or Usage
        k : int or "auto", default "auto"
            Number of senses.
        n_nearest : int, default 10
            Nearest words of each.
        include_target : bool, default False
            Count the word itself among the words of its contexts.
        random_state : int, default 0

        Returns
        -------
        list of InducedSense
            The sense with the most contexts first.

        Raises
        ------
        InputError
            If no text has the word with a known word around it.

        Examples
        --------
        >>> import wordatoms as wa
        >>> texts = ["a cup of blorp with milk", "hot blorp and sugar", "the blorp left the harbour"]
        >>> [sorted(each.texts) for each in wa.load().induce_senses("blorp", texts, k=2)]
        [[0, 1], [2]]
        """
        from wordatoms.senses.inducing import induce_senses

        return induce_senses(
            self, word, texts, k, n_nearest=n_nearest, include_target=include_target, random_state=random_state
        )

    def knows(self, word: str) -> bool:
        """Tell whether the model has senses for a word, by itself or by one of its inflected forms.

        Parameters
        ----------
        word : str

        Returns
        -------
        bool

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().knows("tie"), wa.load().knows("covfefe")
        (True, False)
        """
        try:
            return bool(self._spelling(word))
        except UnknownWordError:
            return False

    def check_findable(self, word: str) -> None:
        """Raise for an unknown word, which may be misspelt, if no text contains it.

        Parameters
        ----------
        word : str
        """
        if not self.knows(word) and len(self.tokenizer.tokens(word)) == 1:
            self.row(word)

    def _suggested_weights(self, word: str, usages: Sequence[Usage]) -> dict[int, float]:
        """Return the atoms that the contexts of an unknown word make likeliest, with equal weights."""
        contexts = self.context_vectors(word, usages)
        if not contexts.any():
            raise InputError(f"{word!r} is not known, and no word around it is; pass longer texts, or another word.")
        hidden = self.notes.hidden
        shown = dict.fromkeys((atom for atom in range(len(self.atoms)) if atom not in hidden), 1.0)
        means = self.posterior.p_senses(shown, contexts[contexts.any(axis=1)]).mean(axis=0)
        best = np.argsort(-means, kind="stable")[:N_SUGGESTED].tolist()
        atoms = [*shown]
        return {atoms[place]: 1.0 for place in best}

    def usages(self, word: str, texts: Iterable[str | Usage]) -> list[Usage]:
        """Find all occurrences of a word in texts, in any inflected form.

        Parameters
        ----------
        word : str
            A word or phrase, known or not.
        texts : iterable of str or Usage
            Usages are taken as they are.

        Returns
        -------
        list of Usage

        Examples
        --------
        >>> import wordatoms as wa
        >>> found = wa.load().usages("tie", ["He ties his tie.", "None here."])
        >>> [(usage.form, usage.position) for usage in found]
        [('ties', 1), ('tie', 3)]
        """
        return [usage for _, usage in self._numbered_usages(word, texts)]

    def _numbered_usages(self, word: str, texts: Iterable[str | Usage]) -> list[tuple[int, Usage]]:
        """Return all occurrences of a word, each with the number of its text."""
        forms, tokenizer = self.usage_forms(word), self.tokenizer
        return [
            (number, usage)
            for number, text in enumerate(require_texts(texts))
            for usage in find_usages(word, text, tokenizer, forms=forms)
        ]

    def _one_usage_each(self, word: str, texts: Iterable[str | Usage]) -> list[Usage]:
        """Return the first occurrence of a word in each text."""
        forms, found = self.usage_forms(word), []
        for number, text in enumerate(require_texts(texts)):
            usages = find_usages(word, text, self.tokenizer, forms=forms)
            if not usages:
                raise InputError(f"no form of {word!r} is in text {number}, {str(text)[:40]!r}; leave it out.")
            found.append(usages[0])
        return found

    def usage_forms(self, word: str) -> Collection[str]:
        """Return the forms in which a word can occur in a text: those the model knows, and all with the same lemma.

        Parameters
        ----------
        word : str

        Returns
        -------
        collection of str
            `in` tells whether a token is a form of the word, iteration gives the known forms; for a phrase, its words.

        Examples
        --------
        >>> import wordatoms as wa
        >>> "tied" in wa.load().usage_forms("tie")
        True
        """
        return self.parts.usage_forms(word)

    def sense_vectors(self, word: str, *, method: Method = "auto") -> NDArray[np.float32]:
        """Return the vectors of the senses of a word and its forms: v_s by use, or atoms.

        Parameters
        ----------
        word : str
        method : {"auto", "uses", "code"}, default "auto"
            Senses by use or the paper's senses; see `senses`.

        Returns
        -------
        ndarray of shape (n_senses, dim)
        """
        if found := self.by_use(word, method=method):
            return found.vectors
        weights = self.sense_weights(word)
        if not weights:
            raise InputError(f"{word!r} has no atom with a positive weight, so it has no senses here.")
        return np.asarray(self.atoms.vectors[list(weights)])

    def by_use(self, word: str, *, method: Method = "auto", n_nearest: int = 0) -> UseDisambiguator | None:
        """Return what reads contexts of a word by its senses by use, for many questions about the same word.

        Parameters
        ----------
        word : str
        method : {"auto", "uses", "code"}, default "auto"
            See `senses`.
        n_nearest : int, default 0
            Nearest words of each sense.

        Returns
        -------
        UseDisambiguator or None
            None if the code of the word is to answer, or if the model does not know the word.
        """
        if not self.knows(word):
            return None
        word = self._spelling(word)
        answers = self._answers_by_use(word, method, self.notes)
        return answers.disambiguator(word, self.usage_forms(word), n_nearest) if answers else None

    def p_senses(self, word: str, usages: Sequence[str | Usage], *, method: Method = "auto") -> NDArray[np.float64]:
        """Return the probability of each sense of a word in each usage.

        Parameters
        ----------
        word : str
        usages : sequence of str or Usage
            Texts, in which the first occurrence of the word counts, or usages.
        method : {"auto", "uses", "code"}, default "auto"
            Senses by use or the paper's senses, p(a|c,w); see `senses`.

        Returns
        -------
        ndarray of shape (n_usages, n_senses)
            Senses in the order of `sense_vectors`, for the code also of `sense_weights`. By use, a row sums to less
            than 1: the rest is the probability that none of the senses is meant.

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> p = model.p_senses("tie", ["a silk tie and a shirt", "the match ended in a tie"], method="code")
        >>> atoms = list(model.sense_weights("tie"))
        >>> [atoms[best] for best in p.argmax(axis=1)]
        [1683, 86]
        """
        if found := self.by_use(word, method=method):
            return found.read(self._one_usage_each(word, usages)).p_senses[:, :-1]
        return self.posterior.p_senses(self.sense_weights(word), self.context_vectors(word, usages))

    def context_vectors(
        self, word: str, usages: Sequence[str | Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of the contexts of a word; forms of the word itself are no part of them.

        Parameters
        ----------
        word : str
            A word or phrase, known or not.
        usages : sequence of str or Usage
            Texts, in which the first occurrence of the word counts, or usages.
        posterior : Posterior, optional
            By default that of the model.

        Returns
        -------
        ndarray of shape (n_usages, dim)
            Zeros if no word around is known.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.load().context_vectors("tie", ["a silk tie", wa.Usage.from_marked("the [tie] at home")]).shape
        (2, 300)
        """
        reader = (posterior or self.posterior).reader
        return reader.vectors(reader.windows(self._one_usage_each(word, usages), self.usage_forms(word)))

    def vectors_in_context(
        self, word: str, usages: Sequence[str | Usage], posterior: Posterior | None = None
    ) -> NDArray[np.float32]:
        """Return the vector of a word in each usage; for an unknown word, the induced vector of its context.

        Parameters
        ----------
        word : str
            A word or phrase, known or not.
        usages : sequence of str or Usage
            Texts, in which the first occurrence of the word counts, or usages.
        posterior : Posterior, optional
            Read contexts and senses of the code by it; by default senses by use are read, where the model has them.

        Returns
        -------
        ndarray of shape (n_usages, dim)

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> texts = ["a silk tie and a shirt", "the season ended in a tie", "a woollen tie under his jacket"]
        >>> silk, draw, wool = model.vectors_in_context("tie", texts)
        >>> float(silk @ wool) > float(silk @ draw)
        True
        """
        if posterior is None and (found := self.by_use(word)):
            return found.in_context(self._own_vector(word), self._one_usage_each(word, usages))
        posterior = posterior or self.posterior
        contexts = self.context_vectors(word, usages, posterior)
        if not self.knows(word):
            return posterior.in_context(None, {}, contexts)
        return posterior.in_context(self._own_vector(word), self.sense_weights(word), contexts)

    def _own_vector(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word; if only forms of it are known, that of the most frequent one."""
        word, rows = self._spelling(word), self.parts.rows
        known = [word] if word in rows else [form for form in self.forms(word) if form in rows]
        return self.embeddings[min(known, key=rows.__getitem__)]

    def similarity(
        self, word1: str, word2: str, *, context1: str | Usage | None = None, context2: str | Usage | None = None
    ) -> float:
        """Return the cosine of two words; with contexts, of the words as they are meant there.

        For two forms of one word in contexts it is the mean of that cosine and of the probability that they have the
        same sense, if the model has senses by use: their vectors alone are alike in any contexts. With an encoder it is
        the mean of this and of the cosine of their states.

        Parameters
        ----------
        word1, word2 : str
        context1, context2 : str or Usage, optional
            Texts with the words; the first occurrence counts. A word with a context may be unknown, or a phrase.

        Returns
        -------
        float

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> round(model.similarity("bank", "river"), 2)
        0.51
        >>> round(model.similarity("bank", "river", context1="They walked along the muddy bank of the stream."), 2)
        0.68
        """
        if context1 is None and context2 is None:
            return float(cosines(self.parts.vector(word1)[None], self.parts.vector(word2))[0])
        usages = [self._usage_in(word, text) for word, text in ((word1, context1), (word2, context2))]
        first, second = (
            self.vectors_in_context(word, [usage])[0] for word, usage in zip((word1, word2), usages, strict=True)
        )
        lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(second))
        cosine = float(first @ second) / (lengths or 1.0)
        found = self.by_use(word1)
        if found and context1 is not None and context2 is not None and word2 in self.usage_forms(word1):
            cosine = (cosine + found.p_same_sense(*usages)) / 2
        return (cosine + self.second_eye.similarity(*usages)) / 2 if self.second_eye else cosine

    def _usage_in(self, word: str, text: str | Usage | None) -> Usage:
        if text is None:
            self.row(word)  # without a context only a known word has a vector
            return Usage((word,), 0)
        if not isinstance(text, Usage) and not require_string(text, f"the context of {word!r}").strip():
            raise InputError(f"the context of {word!r} is empty; pass a text with the word, or none at all.")
        usages = find_usages(word, text, self.tokenizer, forms=self.usage_forms(word))
        if not usages:
            self.check_findable(word)
            raise InputError(f"no form of {word!r} is in its context; pass a context with the word.")
        return usages[0]

    def cluster(
        self, word: str, texts: Iterable[str | Usage], k: int | Literal["auto"] = "auto", *, random_state: int = 0
    ) -> UsageClusters:
        """Cluster the occurrences of a word in texts by sense: word-sense induction.

        By k-means; if an encoder reads along, by merging views of both (`wordatoms.senses.merging`).

        Parameters
        ----------
        word : str
            A word or phrase; if it is unknown, its contexts suggest the senses.
        texts : sequence of str or Usage
            Usages are taken as they are.
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
        require_number(random_state, "random_state", 0, LARGEST_SEED, whole=True)
        texts = list(require_texts(texts))
        found = self._numbered_usages(word, texts)
        if not found:
            self.check_findable(word)
            raise InputError(f"no form of {word!r} is in the {len(texts):,} texts; pass texts with the word.")
        usages = [usage for _, usage in found]
        views, (p_senses, meanings) = self.views(word, usages), self._read_senses(word, usages)
        if self.second_eye:
            from wordatoms.senses.merging import merge_clusters

            views = self.second_eye.joint_views(views, usages)
            labels = merge_clusters(views, k, random_state=random_state)
        else:
            labels = cluster_vectors(views, k, least_gain=self.reading.least_gain, random_state=random_state)
        return UsageClusters(
            self._spelling(word) if self.knows(word) else word,
            tuple(number for number, _ in found),
            tuple(usages),
            tuple(labels.tolist()),
            p_senses,
            meanings,
            tuple(closeness(views, labels).tolist()),
        )

    def views(
        self, word: str, usages: Sequence[str | Usage], *, method: Literal["code", "uses"] = "code"
    ) -> NDArray[np.float32]:
        """Return the vectors by which usages of a word are clustered or compared.

        Parameters
        ----------
        word : str
            A word or phrase; if it is unknown, its contexts suggest the senses.
        usages : sequence of str or Usage
            Texts, in which the first occurrence of the word counts, or usages.
        method : {"code", "uses"}, default "code"
            By code, the products of the context with the word's atoms and, with less weight, the context itself, as
            `cluster` takes them. By use, the context and the mean of the senses that it calls up, each at length 1.

        Returns
        -------
        ndarray of shape (n_usages, n)

        Examples
        --------
        >>> import wordatoms as wa
        >>> texts = ["a silk tie", "a goalless tie", "a woollen tie"]
        >>> silk, draw, wool = wa.load().views("tie", texts, method="uses")
        >>> float(silk @ wool) > float(silk @ draw)
        True
        """
        _check_method(method)
        found = self._one_usage_each(word, usages)
        if method == "uses" and (by_use := self.by_use(word, method=method)):
            return by_use.views(found)
        return self.posterior.views(self._weights_of(word, found), self.context_vectors(word, found))

    def _weights_of(self, word: str, usages: Sequence[Usage]) -> dict[int, float]:
        """Return the atoms of a word; of an unknown one, those that its contexts suggest."""
        return self.sense_weights(word) if self.knows(word) else self._suggested_weights(word, usages)

    def _read_senses(self, word: str, usages: Sequence[Usage]) -> tuple[NDArray[np.float64], tuple[Meaning, ...]]:
        """Return the probabilities of the senses of a word in usages, and the senses."""
        if by_use := self.by_use(word):
            return by_use.read(usages).p_senses[:, :-1], by_use.meanings
        weights, notes = self._weights_of(word, usages), self.notes
        meanings = tuple(Meaning(atom, 0.0, self.label(atom, notes), ()) for atom in weights)
        return self.posterior.p_senses(weights, self.context_vectors(word, usages)), meanings

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


def _check_counts(**counts: int) -> None:
    """Raise unless each number of things to show is a whole number."""
    for name, count in counts.items():
        require_number(count, name, 0, MOST_SHOWN, whole=True)


def _check_method(method: str) -> None:
    if method not in ("auto", "uses", "code"):
        raise InputError(f"method is {method!r}; pass 'auto', 'uses' or 'code'.")


def _open_eye(model: SenseModel, encoder: Path | str | Encoder | None, run: Run | None) -> SecondEye | None:
    """Return the encoder that was asked for, else the one in the model folder, if there is one."""
    inside = model.path / ENCODER
    if encoder == NO_ENCODER or (encoder is None and not inside.is_dir()):
        return None
    from wordatoms.encoder.encoder import Encoder, load_encoder
    from wordatoms.run import DEFAULT_RUN
    from wordatoms.senses.second_eye import SecondEye

    loaded = encoder if isinstance(encoder, Encoder) else load_encoder(inside if encoder is None else encoder)
    return SecondEye(model, loaded, run or DEFAULT_RUN)


def _has(name: str, text: str) -> bool:
    return text.lower() in name.lower()


def load(
    path: Path | str | None = None,
    *,
    verify: bool = False,
    encoder: Path | str | Encoder | None = None,
    run: Run | None = None,
) -> SenseModel:
    """Open a model folder; without a path, the bundled English model.

    It is checked that all files are there, and that the small ones match their checksums.

    Parameters
    ----------
    path : Path or str, optional
        Model folder.
    verify : bool, default False
        Compare all files with their checksums.
    encoder : Path, str or Encoder, optional
        Folder of a transformer with `model.onnx` and `tokenizer.json`, which reads along where words are clustered,
        disambiguated or compared in contexts. By default the folder `encoder` in the model folder, if there is one;
        "none" leaves it out.
    run : Run, optional
        Threads and progress of the encoder.

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
    1966
    """
    return SenseModel(path, verify=verify, encoder=encoder, run=run)
