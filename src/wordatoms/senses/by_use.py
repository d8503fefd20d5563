"""Answers by the uses of words: the senses that a word's occurrences show, and which of them is meant in a text.

Left out: how senses are found (`wordatoms.senses.observing`), and answers by the codes of words, the paper's senses
(`wordatoms.senses.model`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import ContextReader
from wordatoms.contexts.usages import Usage, find_usages
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError
from wordatoms.senses.annotations import Notes
from wordatoms.senses.disambiguation import UsagesRead, words_for
from wordatoms.senses.posterior import softmax, to_unit
from wordatoms.senses.results import Disambiguation, Meaning, Pull, Sense
from wordatoms.senses.uses import NO_ATOM, NO_CONTEXT, SenseUses, WordUse
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.phrases import Phrases
    from wordatoms.senses.second_eye import Prototypes, SecondEye

SAME_SLOPE, SAME_OFFSET = 5.9, -2.7
"""From the cosine of two `views` to the log odds that both have the same sense: fitted on pseudowords."""
SENSE_SHARE, CONTEXT_SHARE = 0.5, 0.15
"""Weights of the senses meant and of the context in the vector of a word in context, next to the word's own: chosen on
pseudowords with a list of senses, by how well cosines recover those of the hidden words, with contexts as often as they
occur and each sense alike. A model without uses takes the weights that `tune` chose."""
GENERAL_LABEL = "general use"
N_LABEL_WORDS = 3


@dataclass(frozen=True, eq=False)
class UseAnswers:
    """The senses of a model's words by their use."""

    model: SenseModel
    uses: SenseUses
    alone: bool = field(default=False, kw_only=True)
    """Read without the encoder of the model, if it has one."""

    @property
    def second_eye(self) -> SecondEye | None:
        """The encoder that reads along, if there is one."""
        return None if self.alone else self.model.second_eye

    def forms(self, word: str, *, pooled: bool, notes: Notes | None = None) -> dict[str, list[WordUse]]:
        """Return the uses of a word, or of each of its forms, without those of atoms that a person hid.

        `notes` are read unless they are passed.
        """
        hidden = (notes or self.model.notes).hidden
        rows = {form: self.model.parts.find_row(form) for form in (self.model.forms(word) if pooled else [word])}
        known = {form: self.uses.of(row) for form, row in rows.items() if row is not None}
        return {form: [use for use in uses if use.name or use.atom not in hidden] for form, uses in known.items()}

    def pool(self, found: Mapping[str, Sequence[WordUse]], word: str) -> dict[int, tuple[WordUse, float]]:
        """Return each sense with its share of all occurrences of the forms, largest first.

        A sense joins the word if the word's own occurrences confirm it, or those of two of its forms; a listed one, of
        one form.
        """
        occurrences = {form: self.model.parts.n_occurrences(form) for form in found}
        total = sum(occurrences.values()) or 1
        shares: dict[int, float] = {}
        seen: dict[int, list[str]] = {}
        first: dict[int, WordUse] = {}
        for form, uses in found.items():
            for use in uses:
                shares[use.sense] = shares.get(use.sense, 0.0) + use.share * occurrences[form] / total
                seen.setdefault(use.sense, []).append(form)
                first.setdefault(use.sense, use)
        joined = [
            sense
            for sense in shares
            if word in seen[sense] or len(seen[sense]) > 1 or word not in found or first[sense].name
        ]
        ranked = sorted(joined, key=lambda sense: (-shares[sense], sense))
        return {sense: (first[sense], shares[sense]) for sense in ranked}

    def code(self, word: str) -> dict[int, float]:
        """Return the atoms in the code of a word."""
        return self.model.atoms.codes.positive(self.model.row(word))

    def senses(self, word: str, *, forms: bool, n_nearest: int, n_linked: int) -> list[Sense]:
        """Return the senses of a known word, by falling share of the uses."""
        notes = self.model.notes
        found, code = self.forms(word, pooled=forms, notes=notes), self.code(word)
        pooled = self.pool(found, word)
        nearest = self.nearest_words([*pooled], n_nearest)
        return [
            Sense(
                word,
                use.atom,
                code.get(use.atom, 0.0),
                self._label(use, notes),
                nearest[use.sense],
                () if use.atom == NO_ATOM else self.model.linked_words(use.atom, n_linked, leave_out=found),
                {form: each.share for form, uses in found.items() for each in uses if each.sense == use.sense},
                named=bool(use.name) or (use.atom != NO_ATOM and self.model.is_named(use.atom, notes)),
                listed=bool(use.name),
                atom_label="" if use.atom == NO_ATOM else self.model.label(use.atom, notes),
                share=share,
                n_occurrences=sum(
                    each.n_occurrences for uses in found.values() for each in uses if each.sense == use.sense
                ),
                is_general=use.is_general,
                sense=use.sense,
            )
            for use, share in pooled.values()
        ]

    def _label(self, use: WordUse, notes: Notes) -> str:
        if use.name:
            return use.name
        if use.atom != NO_ATOM:
            return self.model.label(use.atom, notes)
        if use.is_general:
            return GENERAL_LABEL
        return ", ".join(map(self.model.parts.word, use.nearest[:N_LABEL_WORDS]))

    def nearest(self, sense: int, n: int) -> tuple[Neighbour, ...]:
        """Return the words nearest to a sense, given by its number."""
        return self.nearest_words([sense], n)[sense]

    def nearest_words(self, senses: Sequence[int], n: int) -> dict[int, tuple[Neighbour, ...]]:
        """Return the words nearest to each of some senses; the vectors of all these words are read at once."""
        rows = self.uses.nearest[senses, :n] if senses else np.zeros((0, 0), np.int32)
        if not rows.size:
            return dict.fromkeys(senses, ())
        vectors = np.split(self.model.parts.vectors_of(rows.ravel().tolist()), len(rows))
        near = zip(senses, rows.tolist(), vectors, self.uses.vectors(senses), strict=True)
        return {sense: self._neighbours(*each) for sense, *each in near}

    def _neighbours(
        self, rows: list[int], vectors: NDArray[np.float32], vector: NDArray[np.float32]
    ) -> tuple[Neighbour, ...]:
        cosines = vectors @ vector / np.maximum(np.linalg.norm(vectors, axis=1), 1e-12)
        word = self.model.parts.word
        return tuple(Neighbour(word(row), float(c)) for row, c in zip(rows, cosines, strict=True))

    # --- in contexts

    def disambiguator(self, word: str, forms: Container[str], n_nearest: int) -> UseDisambiguator:
        """Return what tells the sense of a word, given in the model's spelling."""
        notes, found = self.model.notes, self.forms(word, pooled=True)
        union = {use.sense: use for uses in found.values() for use in uses}
        if not union:
            raise InputError(f"{word!r} was not observed in the text of the model, so it has no senses by use.")
        pooled = {sense: share for sense, (_, share) in self.pool(found, word).items()}
        nearest = self.nearest_words([*union], n_nearest)
        meanings = tuple(
            Meaning(
                use.atom,
                0.0,
                self._label(use, notes),
                nearest[sense],
                pooled.get(sense, 0.0),
                sense,
            )
            for sense, use in union.items()
        )
        priors = {
            form: np.array([next((e.share for e in uses if e.sense == sense), 0.0) for sense in union])
            for form, uses in found.items()
            if uses
        }
        prior = np.array([pooled.get(sense, 0.0) for sense in union])
        reader, tokenizer = self.model.parts.uses_reader, self.model.tokenizer
        return UseDisambiguator(
            word, forms, self.uses, reader, tuple(union.values()), meanings, priors, prior, tokenizer, self
        )


@dataclass(frozen=True, eq=False)
class PhraseAnswers(UseAnswers):
    """The senses of a model's phrases by their use; a phrase has no other forms."""

    phrases: Phrases

    def forms(self, word: str, *, pooled: bool, notes: Notes | None = None) -> dict[str, list[WordUse]]:  # noqa: ARG002
        """Return the uses of a phrase as the model spells it, without those of atoms that a person hid."""
        hidden = (notes or self.model.notes).hidden
        uses = self.uses.of(len(self.model.words) + self.phrases.phrases.index(word))
        return {word: [use for use in uses if use.atom not in hidden]}

    def pool(self, found: Mapping[str, Sequence[WordUse]], word: str) -> dict[int, tuple[WordUse, float]]:
        """Return each sense with its share, largest first."""
        return {use.sense: (use, use.share) for use in found[word]}

    def code(self, word: str) -> dict[int, float]:
        """Return the atoms in the code of a phrase."""
        return self.phrases.codes.positive(self.phrases.phrases.index(word))


@dataclass(frozen=True, eq=False)
class UseDisambiguator:
    """Finds the sense of one word in its occurrences, or says that none of the known senses is meant."""

    word: str
    forms: Container[str]
    """Forms in which the word occurs; they are no part of its contexts."""
    uses: SenseUses
    reader: ContextReader
    senses: tuple[WordUse, ...]
    meanings: tuple[Meaning, ...]
    """Label and nearest words of each sense; the probabilities are filled in here."""
    priors: Mapping[str, NDArray[np.float64]]
    """The shares of the senses in each known form of the word."""
    prior: NDArray[np.float64]
    """The shares in all forms together, for forms that the model does not know."""
    tokenizer: Tokenizer
    answers: UseAnswers

    @cached_property
    def prototypes(self) -> Prototypes | None:
        """The senses in the space of an encoder that reads along, if there is one and the word has examples."""
        eye = self.answers.second_eye
        return eye.prototypes(self.answers, self.word, [use.sense for use in self.senses]) if eye else None

    def answer_texts(self, texts: Sequence[str | Usage], *, n_deciding: int = 5) -> list[list[Disambiguation]]:
        """Return, for each text, the answers for all occurrences of the word in it."""
        found = [find_usages(self.word, text, self.tokenizer, forms=self.forms) for text in texts]
        answers = iter(self.answer_usages([usage for usages in found for usage in usages], n_deciding=n_deciding))
        return [[next(answers) for _ in usages] for usages in found]

    @property
    def senses_read(self) -> tuple[Meaning, ...]:
        """The senses in the order in which `read` has their probabilities."""
        return self.meanings

    @property
    def vectors(self) -> NDArray[np.float32]:
        """v_s of each sense, (n_senses, dim)."""
        return self.uses.vectors([use.sense for use in self.senses])

    def read(self, usages: Sequence[Usage]) -> UsagesRead:
        """Return what the contexts of usages say; where they tell anything, an encoder that reads along has a say."""
        read, eye = self.read_alone(usages), self.answers.second_eye
        told = np.flatnonzero(~read.tells_nothing).tolist()
        if eye is None or self.prototypes is None or not told:
            return read
        evidence = self.prototypes.evidence(eye.states([usages[place] for place in told]))
        logits = np.log(np.maximum(read.p_senses, 1e-300))
        logits[told, :-1] += evidence
        return read._replace(p_senses=softmax(logits))

    def read_alone(self, usages: Sequence[Usage]) -> UsagesRead:
        """Return what the contexts of usages say without an encoder."""
        windows = self.reader.windows(usages, self.forms)
        contexts = self.uses.evidence(self.reader, windows)
        priors = [self.priors.get(usage.form, self.prior) for usage in usages]
        p_senses = self.uses.p_senses(self.senses, contexts, np.stack(priors)) if priors else np.zeros((0, 1))
        return UsagesRead(windows, contexts, p_senses, np.linalg.norm(contexts, axis=1) < NO_CONTEXT)

    def without_context(self, form: str) -> NDArray[np.float64]:
        """Return the probability of each sense in a form of the word, and last that of none, (n_senses + 1,)."""
        nothing = np.zeros((1, self.reader.embeddings.dim), np.float32)
        return np.asarray(self.uses.p_senses(self.senses, nothing, self.priors.get(form, self.prior)[None])[0])

    def views(self, usages: Sequence[Usage]) -> NDArray[np.float32]:
        """Return each context whole and as the mean of the senses it calls up, each at length 1, (n, 2 * dim)."""
        read = self.read_alone(usages)
        return np.concatenate([to_unit(read.contexts), to_unit(read.p_senses[:, :-1] @ self.vectors)], axis=1)

    def p_same_sense(self, first: Usage, second: Usage) -> float:
        """Return the probability that the word has the same sense in two usages."""
        views = to_unit(self.views([first, second]))
        return float(1 / (1 + np.exp(-(SAME_OFFSET + SAME_SLOPE * float(views[0] @ views[1])))))

    def in_context(self, vector: NDArray[np.float32], usages: Sequence[Usage]) -> NDArray[np.float32]:
        """Return the vector of the word in each usage, (n, dim): its own, the senses', the context's."""
        context, meant = np.split(self.views(usages), 2, axis=1)
        own = to_unit(vector[None])
        return np.asarray(own + SENSE_SHARE * meant + CONTEXT_SHARE * context, np.float32)

    def answer_usages(self, usages: Sequence[Usage], *, n_deciding: int = 5) -> list[Disambiguation]:
        """Return an answer for each usage."""
        if not usages:
            return []
        return [
            self._answer(usage, window, context, p, n_deciding)
            for usage, window, context, p in zip(usages, *self.read(usages)[:3], strict=True)
        ]

    def _answer(
        self,
        usage: Usage,
        window: NDArray[np.int32],
        context: NDArray[np.float32],
        p_senses: NDArray[np.float64],
        n_deciding: int,
    ) -> Disambiguation:
        known, p_none = p_senses[:-1], float(p_senses[-1])
        ranked = np.argsort(-known, kind="stable").tolist()
        tells_nothing = bool(np.linalg.norm(context) < NO_CONTEXT)
        return Disambiguation(
            self.word,
            usage.form,
            usage.position,
            tuple(replace(self.meanings[k], probability=float(known[k])) for k in ranked),
            () if tells_nothing or len(known) < 2 or not n_deciding else self._deciding(window, ranked[0])[:n_deciding],
            int((window >= 0).sum()),
            p_none,
            tells_nothing,
        )

    def _deciding(self, window: NDArray[np.int32], best: int) -> tuple[Pull, ...]:
        """Return the words that speak for a sense rather than the others, strongest first, each once."""
        return words_for(window, self.pulls(window, [best])[:, 0], self.reader.embeddings.words)

    def pulls(self, window: NDArray[np.int32], senses: Sequence[int]) -> NDArray[np.float32]:
        """Return how far each word of one window speaks for some senses rather than the others, in log p.

        `senses` are places in `self.senses`, at least two of which there are; (2 * window, n).
        """
        vectors = self.vectors
        directions = np.stack([vectors[place] - self._others(vectors, place) for place in senses])
        shares = self.reader.shares(window, directions) * max(int((window >= 0).sum()), 1)
        return np.asarray(shares * self.uses.strength(self.reader, window), np.float32)

    def _others(self, vectors: NDArray[np.float32], place: int) -> NDArray[np.float32]:
        """Return the mean of all senses but one, weighted by their shares, (dim,)."""
        shares = np.delete(self.prior, place)
        shares = shares / max(float(shares.sum()), 1e-12)
        return np.asarray(shares.astype(np.float32) @ np.delete(vectors, place, axis=0))
