"""Answers about the words and atoms of one model: senses, nearest words, the map, search.

Everything is read off the model (`wordatoms.senses.model`); what the page asks for at every key stroke comes from an
index (`wordatoms.explorer.lookup`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.layout import Layout, lay_out
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.explorer.answers import unknown_word
from wordatoms.explorer.cache import locked_cached_property
from wordatoms.explorer.lookup import LONGEST, N_SUGGESTED, NearestWords, PrefixIndex, SpellingIndex
from wordatoms.explorer.quotations import Quote
from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.senses.annotations import FILE as NOTES_FILE
from wordatoms.senses.annotations import Notes
from wordatoms.senses.by_use import PhraseAnswers, UseAnswers, UseDisambiguator
from wordatoms.senses.examples import find_word
from wordatoms.senses.model import SenseModel
from wordatoms.senses.reading import function_words
from wordatoms.senses.results import LIGHTEST, AtomMatch, AtomView, Sense
from wordatoms.senses.uses import NO_ATOM, WordUse

N_NEAREST = 12
"""Nearest words shown for a word and for each sense; twice as many for an atom."""
N_LINKED = 12
LONGEST_TEXT = 2000
"""Characters of the text of an item on its page."""
N_ATOM_WORDS = 40
N_NEIGHBOURS = 10
N_FOUND = 50
"""Maximum atoms in the result of a search."""
MOST_SENSES = 30
N_PARTS = 8
"""Maximum known words shown for a text that is no word itself."""
N_CACHED = 20_000
N_DISAMBIGUATORS = 5000

Method = Literal["uses", "code"]
"""Senses by use, or the paper's senses: the atoms in the code of a word."""
Asked = Literal["auto", "uses", "code"]
"""What a question may ask for; "auto" takes the uses where there are any."""


@dataclass(frozen=True)
class WordForm:
    """An inflected form, its count, the atoms in its code with their weights, its senses by use with their shares."""

    form: str
    count: int | None
    atoms: list[tuple[int, float]]
    uses: list[tuple[int, float]]


class SenseExample(NamedTuple):
    """A sentence that comes with the model: for a sense of the word, or for its atom with a word of the atom's own.

    `start` and `end` are the place of the word in UTF-16 code units.
    """

    text: str
    start: int
    end: int
    word: str
    of: Literal["sense", "atom"]


@dataclass(frozen=True)
class WordSense(Sense):
    """A sense with its heaviest meta-atom (id, label), an example and, once they are found, sentences of the corpus."""

    meta: tuple[int, str] | None = None
    example: SenseExample | None = None
    sentences: list[Quote] | None = None


@dataclass(frozen=True)
class WordPage:
    """A word: its forms, its senses, the nearest words, and the cosine of its vector with the sum of its atoms.

    `method` says what the senses are, `methods` what they could be. Senses by use come by falling share, the general
    use last. In a model of items, `text` is the beginning of the text of the item.
    """

    word: str
    method: Method
    methods: list[Method]
    count: int | None
    rank: int
    forms: list[WordForm]
    senses: list[WordSense]
    nearest: list[Neighbour]
    explained: float
    text: str | None = None


@dataclass(frozen=True)
class AtomPage(AtomView):
    """An atom, whether its label was given by a person, and its example with the place of the word."""

    named: bool = False
    quote: SenseExample | None = None


class AtomMap(NamedTuple):
    """All atoms (x, y, meta-atom or -1, number of words, label), the labels of the meta-atoms, the hidden atoms.

    `names` are the texts to write on the map: labels without numbers and function words, empty if nothing is left.
    `regions` are groups of meta-atoms, `region` is the group of each atom or -1; both are empty if the model has none.
    """

    atoms: list[tuple[float, float, int, int, str]]
    metas: list[str]
    hidden: list[int]
    names: list[str]
    regions: list[str]
    region: list[int]


class InducedAtom(NamedTuple):
    """An atom near to an induced vector."""

    atom: int
    similarity: float
    label: str


class InducedPage(NamedTuple):
    """A vector for a word that the model does not know, by the words and atoms that are near to it."""

    word: str
    n_contexts: int
    nearest: list[Neighbour]
    atoms: list[InducedAtom]


class WordAnswers:
    """Answers about the words and atoms of one model."""

    def __init__(self, model: SenseModel) -> None:
        self.model = model
        self.nearest_words = NearestWords(model.embeddings, model.neighbours)
        self._notes_path = model.notes_folder / NOTES_FILE
        self.forms: Callable[[str], tuple[str, ...]] = lru_cache(N_CACHED)(model.forms)
        self.own_forms: Callable[[str], frozenset[str]] = lru_cache(N_CACHED)(self._find_own_forms)
        self._read_notes: Callable[[int], Notes] = lru_cache(1)(lambda _stamp: model.notes)
        self._weights: Callable[[str, bool, int], dict[int, float]] = lru_cache(N_CACHED)(self._sense_weights)
        self._by_use: Callable[[str, int], UseDisambiguator | None] = lru_cache(N_DISAMBIGUATORS)(self._find_by_use)

    # --- computed once

    @locked_cached_property
    def prefixes(self) -> PrefixIndex:
        return PrefixIndex(self.model.words)

    @locked_cached_property
    def spellings(self) -> SpellingIndex:
        return SpellingIndex(self.model.words)

    @locked_cached_property
    def layout(self) -> Layout:
        """The map of the atoms; computed here, in some seconds, for a model that does not store it."""
        try:
            return self.model.layout
        except ModelError:
            return lay_out(self.model.atoms.vectors)

    @locked_cached_property
    def meta_atoms(self) -> MetaAtoms | None:
        try:
            return self.model.meta_atoms
        except ModelError:
            return None

    @property
    def stamp(self) -> int:
        """Changes whenever a person names or hides an atom; cached answers are then out of date."""
        try:
            return os.stat(self._notes_path).st_mtime_ns  # noqa: PTH116 (called for every word: twice as fast as pathlib)
        except OSError:
            return 0

    @property
    def notes(self) -> Notes:
        """The annotations of the model, read again when they have changed."""
        return self._read_notes(self.stamp)

    # --- words

    def spell(self, word: str) -> str:
        """A word as the model spells it; an unknown word raises an error with suggestions."""
        known = self.model.find_spelling(word)
        if known is None:
            raise unknown_word(word, len(self.model.words), self._similar(word), self.parts_of(word))
        return known

    def parts_of(self, text: str) -> list[str]:
        """The known words in a text of several words, such as new and york in New York."""
        tokens = self.model.tokenizer.tokens(text)
        known = [token for token in dict.fromkeys(tokens) if token in self.model.embeddings]
        return known[:N_PARTS] if len(tokens) > 1 else []

    def _similar(self, text: str) -> list[str]:
        """Known words spelled like a word, or like the unknown words of several."""
        tokens = self.model.tokenizer.tokens(text)
        if len(tokens) <= 1:
            return self._similar_to(text.lower())
        unknown = [token for token in dict.fromkeys(tokens) if token not in self.model.embeddings]
        return [each for token in unknown[:N_PARTS] for each in self._similar_to(token)]

    def _similar_to(self, word: str) -> list[str]:
        """First the words with two letters exchanged, of which a short word shares too few to be found otherwise."""
        exchanged = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(min(len(word), LONGEST) - 1))
        known = [each for each in exchanged if each in self.model.embeddings]
        return list(dict.fromkeys([*known, *self.spellings.suggest(word)]))[:N_SUGGESTED]

    def induce(self, word: str, text: str) -> InducedPage:
        """A vector for a word from pasted contexts, one on each line."""
        lines = [line for line in text.splitlines() if line.strip()]
        if not lines:
            raise InputError("the contexts are empty; paste sentences with the word, one on each line.")
        vector = self.model.induce(word, lines)
        atoms = self.model.atoms.closest(vector, N_NEIGHBOURS)
        notes = self.notes
        return InducedPage(
            word,
            len(lines),
            self.model.embeddings.nearest(vector, N_NEAREST),
            [InducedAtom(atom, cosine, self.model.label(atom, notes)) for atom, cosine in atoms],
        )

    def complete(self, prefix: str, n: int) -> list[str]:
        if " " in prefix:
            return [phrase for phrase in self.phrases if phrase.startswith(prefix.lower())][:n]
        return self.prefixes.complete(prefix, n) or self.prefixes.complete(prefix.lower(), n)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases that the model knows."""
        return () if self.model.parts.phrases is None else self.model.parts.phrases.phrases

    def find_phrase(self, text: str) -> str | None:
        """A phrase as the model spells it; None if the text is a word, or no phrase of the model."""
        number = self.model.parts.find_phrase(text)
        return None if number is None else self.phrases[number]

    def weights(self, word: str, *, forms: bool = True, stamp: int | None = None) -> Mapping[int, float]:
        """The atoms of a word that are worth showing, the heaviest first; for many words, pass the stamp."""
        return self._weights(word, forms, self.stamp if stamp is None else stamp)

    def _sense_weights(self, word: str, forms: bool, _stamp: int) -> dict[int, float]:
        found = self.model.sense_weights(word, forms=forms, notes=self.notes)
        heavy = {atom: weight for atom, weight in found.items() if weight >= LIGHTEST} or found
        return dict(list(heavy.items())[:MOST_SENSES])

    # --- senses by use

    def methods(self, word: str) -> list[Method]:
        """The kinds of senses that a word has; if a person picked its senses, they are atoms."""
        return ["code"] if self.model.uses is None or word in self.notes.picks else ["uses", "code"]

    def method(self, word: str, asked: Asked = "auto") -> Method:
        """The kind of senses to answer with."""
        methods = self.methods(word)
        return asked if asked != "auto" and asked in methods else methods[0]

    def uses(self, word: str) -> list[WordUse]:
        """The uses of a word without hidden atoms, the largest share first; none if its code is to answer."""
        if self.model.uses is None or self.method(word) == "code":
            return []
        return UseAnswers(self.model, self.model.uses).forms(word, pooled=False, notes=self.notes)[word]

    def by_use(self, word: str, *, stamp: int | None = None) -> UseDisambiguator | None:
        """What tells the senses of a word by use; None if it has none."""
        return self._by_use(word, self.stamp if stamp is None else stamp)

    def _find_by_use(self, word: str, _stamp: int) -> UseDisambiguator | None:
        if self.method(word) == "code":
            return None
        try:
            found = self.model.by_use(word, n_nearest=N_NEAREST)
        except InputError:  # the word was not observed
            return None
        # a set of the known forms: whether any other word has the same lemma takes long to look up
        return replace(found, forms=self.own_forms(word)) if found else None

    # --- pages

    def word(
        self,
        word: str,
        *,
        forms: bool = False,
        method: Asked = "auto",
        quotes: Mapping[int, list[Quote]] | None = None,
    ) -> WordPage:
        """A word or phrase; with `forms`, its senses are those of all its inflected forms."""
        if (phrase := self.find_phrase(word)) is not None:
            return self.phrase(phrase, method)
        word = self.spell(word)
        answered = self.method(word, method)
        return WordPage(
            word,
            answered,
            self.methods(word),
            self.count(word),
            self.model.row(word) + 1,
            [self._form(form) for form in self.forms(word)],
            [self._word_sense(sense, quotes) for sense in self.senses(word, answered, forms=forms)],
            self.nearest_words.of(word, N_NEAREST),
            self.explained(word),
            self.text(word),
        )

    def text(self, item: str) -> str | None:
        """The beginning of the text of an item; None in a model of words."""
        texts = self.model.texts
        return None if texts is None else texts[self.model.row(item)][:LONGEST_TEXT]

    def phrase(self, phrase: str, method: Asked = "auto", *, nearest: list[Neighbour] | None = None) -> WordPage:
        """A phrase that the model knows, such as new york; it has no forms.

        Its senses by use are numbered after those of all words.
        """
        uses = self.phrase_uses(phrase)
        methods: list[Method] = ["uses", "code"] if uses else ["code"]
        answered = method if method in methods else methods[0]
        by_code = self.model.senses(phrase, method="code", n_nearest=N_NEAREST, n_linked=N_LINKED)
        weights = {sense.atom: sense.weight for sense in by_code}
        senses: list[Sense] = list(by_code)
        if answered == "uses":
            found = self.model.senses(phrase, n_nearest=N_NEAREST, n_linked=N_LINKED)
            senses = [
                replace(sense, sense=self.n_word_senses + sense.sense)
                for sense in sorted(found, key=lambda sense: sense.is_general)[:MOST_SENSES]
                if sense.sense is not None
            ]
        shares = [(self.n_word_senses + use.sense, use.share) for use in uses]
        return WordPage(
            phrase,
            answered,
            methods,
            None,
            0,
            [WordForm(phrase, None, list(weights.items()), shares)],
            [self._word_sense(sense, None) for sense in senses],
            self.model.near_words(phrase, N_NEAREST) if nearest is None else nearest,
            self._cosine_of_sum(self.model.parts.vector(phrase), weights),
        )

    @property
    def n_word_senses(self) -> int:
        """The number of senses by use of all words."""
        return 0 if self.model.uses is None else len(self.model.uses)

    def phrase_uses(self, phrase: str) -> list[WordUse]:
        """The uses of a phrase, the largest share first; none if it was not observed."""
        answers = self.phrase_answers
        return answers.forms(phrase, pooled=False, notes=self.notes)[phrase] if answers else []

    @property
    def phrase_answers(self) -> PhraseAnswers | None:
        """What knows the senses by use of phrases, if the model has any."""
        phrases = self.model.parts.phrases
        if phrases is None or phrases.uses is None:
            return None
        return PhraseAnswers(self.model, phrases.uses, phrases)

    def senses(self, word: str, method: Method, *, forms: bool = False) -> list[Sense]:
        """The senses of a word in the order of its page, each with its weight in the code, if it has one."""
        weights = self.weights(word, forms=forms and method == "code")
        found = self.model.senses(word, forms=forms, method=method, n_nearest=N_NEAREST, n_linked=N_LINKED)
        if method == "code":
            return [replace(sense, weight=weights[sense.atom]) for sense in found if sense.atom in weights]
        ordered = sorted(found, key=lambda sense: sense.is_general)[:MOST_SENSES]
        return [replace(sense, weight=weights.get(sense.atom, 0.0)) for sense in ordered]

    def _word_sense(self, sense: Sense, quotes: Mapping[int, list[Quote]] | None) -> WordSense:
        metas = self.metas(sense.atom) if sense.atom != NO_ATOM else ()
        meta = next(((meta, label) for meta, _, label in metas), None)
        sentences = None if quotes is None else quotes.get(sense.atom if sense.sense is None else sense.sense, [])
        return WordSense(**vars(sense), meta=meta, example=self._example(sense), sentences=sentences)

    def _example(self, sense: Sense) -> SenseExample | None:
        written = None if sense.sense is None else self.written_example(sense.sense)
        return written or (None if sense.is_general else self.atom_example(sense.atom))

    def written_example(self, sense: int) -> SenseExample | None:
        """The sentence for a sense by use that comes with the model."""
        names, uses = self.model.parts.atom_names, self.model.uses
        if uses is None or names.uses != uses.fingerprint or sense not in names.senses:
            return None
        place = find_word(*names.senses[sense])
        return sense_example(names.senses[sense].sentence, *place, "sense") if place else None

    def atom_example(self, atom: int) -> SenseExample | None:
        """The sentence of an atom that comes with the model."""
        found = self.model.parts.atom_names.examples.get(atom)
        place = find_word(*found) if found else None
        return sense_example(found.sentence, *place, "atom") if found and place else None

    def _form(self, form: str) -> WordForm:
        return WordForm(form, self.count(form), self._code(form), [(use.sense, use.share) for use in self.uses(form)])

    def _find_own_forms(self, word: str) -> frozenset[str]:
        """A phrase such as new_york, which is several tokens, has no other forms."""
        tokens = self.model.tokenizer.tokens(word)
        return frozenset({word, *(self.model.usage_forms(word) if len(tokens) == 1 else ())})

    def _code(self, word: str) -> list[tuple[int, float]]:
        return list(self.model.atoms.codes.positive(self.model.row(word)).items())

    def find_nearest(self, word: str) -> list[Neighbour]:
        """The nearest words of a word; none if it is unknown."""
        spelling = self.model.find_spelling(word)
        return self.nearest_words.of(spelling, N_NEAREST) if spelling else []

    def count(self, word: str) -> int | None:
        counts = self.model.embeddings.counts
        return None if counts is None else int(counts[self.model.row(word)])

    def explained(self, word: str) -> float:
        """The cosine of a word's vector with the sum of its atoms."""
        codes, row = self.model.atoms.codes, self.model.row(word)
        numbers, weights = codes.atoms[row], codes.weights[row]
        code = dict(zip(numbers[numbers >= 0].tolist(), weights[numbers >= 0].tolist(), strict=True))
        return self._cosine_of_sum(self.model.learned_from[word], code)

    def _cosine_of_sum(self, vector: NDArray[np.float32], code: Mapping[int, float]) -> float:
        total = np.array([*code.values()], np.float32) @ self.model.atoms.vectors[[*code]] if code else 0 * vector
        length = float(np.linalg.norm(total) * np.linalg.norm(vector))
        return float(total @ vector) / length if length else 0.0

    # --- atoms

    def metas(self, atom: int) -> tuple[tuple[int, float, str], ...]:
        """The meta-atoms of an atom: id, weight, label; none if the model has no meta-atoms."""
        metas = self.meta_atoms
        return tuple((meta, weight, metas.labels[meta]) for meta, weight in metas.of_atom(atom)) if metas else ()

    def atom(self, atom: int) -> AtomPage:
        model, notes = self.model, self.notes
        return AtomPage(
            atom,
            model.label(atom, notes),
            model.nearest_words(atom, 2 * N_NEAREST),
            int(model.atoms.n_words[atom]),
            model.linked_words(atom, N_ATOM_WORDS),
            tuple((near, cos, model.label(near, notes)) for near, cos in model.atoms.neighbours(atom, N_NEIGHBOURS)),
            self.metas(atom),
            atom in notes.hidden,
            model.parts.atom_names.examples.get(atom),
            named_after=model.named_after(atom, notes),
            named=model.is_named(atom, notes),
            quote=self.atom_example(atom),
            texts=model.example_texts(atom, 2 * N_NEAREST),
        )

    def atoms(self) -> AtomMap:
        """The map of all atoms."""
        model, notes, metas = self.model, self.notes, self.meta_atoms
        homes = metas.codes.atoms[:, 0].tolist() if metas else [-1] * len(model.atoms)
        rows = zip(self.layout.tolist(), homes, model.atoms.n_words.tolist(), strict=True)
        labels = [model.label(atom, notes) for atom in range(len(model.atoms))]
        function = function_words(model)
        named, is_written = [model.is_named(atom, notes) for atom in range(len(labels))], model.parts.atom_names.names
        return AtomMap(
            [(x, y, home, n_words, label) for ((x, y), home, n_words), label in zip(rows, labels, strict=True)],
            list(metas.labels) if metas else [],
            sorted(notes.hidden),
            [
                map_name(label, function, is_name=is_name) if is_name or not is_written else ""
                for label, is_name in zip(labels, named, strict=True)
            ],
            [region.name for region in metas.regions] if metas else [],
            metas.atom_regions.tolist() if metas and metas.regions else [],
        )

    def search(self, text: str) -> list[AtomMatch]:
        """Atoms by name, word or label, each with the reason it was found; none if nothing matches."""
        try:
            return self.model.search(text, notes=self.notes)[:N_FOUND]
        except (UnknownWordError, InputError):
            return []


def sense_example(text: str, start: int, end: int, of: Literal["sense", "atom"]) -> SenseExample:
    offsets = utf16_offsets(text)
    return SenseExample(text, offsets[start], offsets[end], text[start:end], of)


def map_name(label: str, function: Collection[str], *, is_name: bool) -> str:
    """What the map calls an atom: its name, or the first word of its label that is no number and no function word."""
    if is_name and not label.replace(" ", "").isdigit():
        return label
    words = (word for word in label.split(", ") if any(map(str.isalpha, word)) and word not in function)
    return next(words, "")
