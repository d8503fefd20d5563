"""Answers about a text: the likeliest sense of every word, and how its context decides the sense of one word.

Senses by use (`wordatoms.senses.by_use`) where the model has them, else the posterior of Section 6.1
(`wordatoms.senses.posterior`), for all words of the text at once. The forms of a word are no part of its own context.
The pull of a context word towards a sense is its share in log p of this sense against the other senses; function words
do not pull towards senses by use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage
from wordatoms.explorer.answers import BAD_REQUEST, ApiError
from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.explorer.words import Method, WordAnswers
from wordatoms.senses.by_use import UseDisambiguator
from wordatoms.senses.posterior import Weights, softmax
from wordatoms.senses.reading import CutText, function_words
from wordatoms.senses.results import LIGHTEST_SHARE, NONE_OF_THESE, NOT_ENOUGH_CONTEXT, Disambiguation, Meaning

if TYPE_CHECKING:
    from wordatoms.senses.second_eye import SecondEye

N_MEANINGS = 12
N_NEAREST = 8
LEAST_CHANCE = 1e-12


Verdict = Literal["sense", "none of these", "not enough context"]


class TokenSense(NamedTuple):
    """The likeliest sense of a word of the text.

    If the verdict is not "sense", it is also the label, and the probability is that of the verdict, or of the sense
    that is the most frequent one. The strength says how much the text tells about the word, from 0 to 1: the
    probability of the sense, less the more it is the usual one anyway.
    """

    atom: int
    label: str
    probability: float
    sense: int | None = None
    verdict: Verdict = "sense"
    strength: float = 0.0
    has_others: bool = True
    """Whether the word has other senses worth showing, so that one may ask which is meant."""


class TextToken(NamedTuple):
    """A word of the text, its place in UTF-16 code units, and its likeliest sense."""

    text: str
    start: int
    end: int
    word: str | None
    n_senses: int
    best: TokenSense | None


class TextPage(NamedTuple):
    """A text in Unicode normal form C, and its words."""

    text: str
    tokens: list[TextToken]


@dataclass(frozen=True)
class TokenMeaning(Meaning):
    """A sense in its context, and its probability without the context."""

    prior: float = 0.0


class ContextPull(NamedTuple):
    """A context word, and its pull towards each sense by use, or atom, in log p."""

    token: int
    word: str
    pulls: dict[int, float]


class EncoderSide(NamedTuple):
    """What an encoder that reads along says about the meanings of a page, in their order.

    `alone` is the probability of each by the encoder and the shares of the uses, `together` with our reading, too.
    """

    alone: list[float]
    together: list[float]
    none: float


class MeaningPage(NamedTuple):
    """One word of a text: its senses there, and the pulls of its context words.

    `none` has the probability that none of the senses is meant, and what it would be without the context; it is null
    for senses from the code.
    """

    word: str
    form: str
    token: int
    method: Method
    verdict: Verdict
    meanings: list[TokenMeaning]
    none: tuple[float, float] | None
    pulls: list[ContextPull]
    encoder: EncoderSide | None = None


class TextAnswers:
    """Answers about texts, by one model."""

    def __init__(self, words: WordAnswers, eye: SecondEye | None = None) -> None:
        self.words, self.model, self.eye = words, words.model, eye
        self._function_words = function_words(self.model)

    def learn(self, word: str) -> None:
        """Cache what is needed whenever a text contains this word."""
        if self.words.by_use(word) is None:
            self.words.weights(word)
        self.words.own_forms(word)

    def sentence(self, text: str) -> TextPage:
        """The words of a text, each with its likeliest sense."""
        cut = CutText.of(text, self.model)
        offsets = utf16_offsets(cut.text)
        stamp = self.words.stamp
        known = [word for word in cut.places if word in self.model.embeddings]
        by_use = {word: found for word in known if (found := self.words.by_use(word, stamp=stamp)) is not None}
        weights = {word: self.words.weights(word, stamp=stamp) for word in known if self.words.method(word) == "code"}
        best = {**self._likeliest(cut, weights), **self._likeliest_by_use(cut, by_use)}
        n_senses = {word: len(found.senses) for word, found in by_use.items()}
        n_senses |= {word: len(atoms) for word, atoms in weights.items()}
        tokens = [
            TextToken(
                cut.text[start:end],
                offsets[start],
                offsets[end],
                word if cut.rows[token] >= 0 else None,
                n_senses.get(word, 0),
                best.get(token),
            )
            for token, (start, end, word) in enumerate(cut.spans)
        ]
        return TextPage(cut.text, tokens)

    def _likeliest_by_use(self, cut: CutText, by_use: Mapping[str, UseDisambiguator]) -> dict[int, TokenSense]:
        found: dict[int, TokenSense] = {}
        for word, disambiguator in by_use.items():
            if word in self._function_words:
                continue
            places = cut.places[word]
            answers = disambiguator.answer_usages([Usage(cut.tokens, place) for place in places], n_deciding=0)
            usual = _usual(disambiguator, word)
            found.update((place, _token_sense(answer, usual)) for place, answer in zip(places, answers, strict=True))
        return found

    def _likeliest(self, cut: CutText, weights: Mapping[str, Weights]) -> dict[int, TokenSense]:
        """The likeliest sense of each word that has senses, except function words: *the* occurs in every discourse."""
        is_target = [weights.get(span.word) and span.word not in self._function_words for span in cut.spans]
        targets = [token for token, wanted in enumerate(is_target) if wanted]
        if not targets:
            return {}
        contexts = self._contexts(cut, targets)
        chances = self.model.posterior.p_senses_of_each([weights[cut.spans[token].word] for token in targets], contexts)
        notes, found = self.words.notes, {}
        for token, of_atoms in zip(targets, chances, strict=True):
            atom = max(of_atoms, key=of_atoms.__getitem__)
            own = weights[cut.spans[token].word]
            shares = {each: weight / sum(own.values()) for each, weight in own.items()}
            strength = of_atoms[atom] * (1 - shares[atom])
            found[token] = TokenSense(
                atom, self.model.label(atom, notes), of_atoms[atom], strength=strength, has_others=_has_others(shares)
            )
        return found

    def _contexts(self, cut: CutText, targets: Sequence[int]) -> NDArray[np.float32]:
        windows = np.array([cut.rows_at(self._around(cut, token)) for token in targets])
        return self.model.posterior.reader.vectors(windows)

    def _around(self, cut: CutText, token: int) -> NDArray[np.intp]:
        return cut.around(token, self.words.own_forms(cut.spans[token].word), self.model.reading.window)

    def meaning(self, text: str, token: int) -> MeaningPage:
        """The senses of one word of a text, and how each context word pulls towards them."""
        cut = CutText.of(text, self.model)
        if not token < len(cut.spans):
            sentence = f"the text has {len(cut.spans)} words, so there is no token {token}; tokens are counted from 0."
            raise ApiError(BAD_REQUEST, sentence)
        word = self.words.spell(cut.spans[token].word)
        if self.words.method(word) == "uses":
            return self._meaning_by_use(cut, token, word)
        weights, context = self.words.weights(word), self._contexts(cut, [token])
        chances = self.model.posterior.p_senses_of_each([weights], context)[0] if weights else {}
        shown = sorted(chances.items(), key=lambda pair: -pair[1])[:N_MEANINGS]
        return MeaningPage(
            word,
            cut.spans[token].word,
            token,
            "code",
            "sense",
            self._meanings(weights, shown),
            None,
            self._pulls(cut, token, context[0], weights, [atom for atom, _ in shown]),
        )

    def _meaning_by_use(self, cut: CutText, token: int, word: str) -> MeaningPage:
        form, disambiguator = cut.spans[token].word, self.words.by_use(word)
        if disambiguator is None:  # the text of the model shows too few uses of it
            return MeaningPage(word, form, token, "uses", "not enough context", [], None, [])
        usage = Usage(cut.tokens, token)
        answer = disambiguator.answer_usages([usage], n_deciding=0)[0]
        *priors, prior_of_none = disambiguator.without_context(form).tolist()
        prior_of = {use.sense: prior for use, prior in zip(disambiguator.senses, priors, strict=True)}
        meanings = [
            TokenMeaning(**{**vars(each), "nearest": each.nearest[:N_NEAREST]}, prior=prior_of[each.sense])
            for each in answer.meanings[:N_MEANINGS]
            if each.sense is not None
        ]
        return MeaningPage(
            word,
            form,
            token,
            "uses",
            _verdict(answer),
            meanings,
            (answer.p_none, prior_of_none),
            [] if answer.tells_nothing else self._pulls_by_use(cut, usage, disambiguator, meanings),
            None if answer.tells_nothing else self._encoder_side(usage, disambiguator, meanings),
        )

    def _encoder_side(
        self, usage: Usage, disambiguator: UseDisambiguator, meanings: Sequence[TokenMeaning]
    ) -> EncoderSide | None:
        """What the encoder says, if there is one and the word has examples."""
        if self.eye is None:
            return None
        read = replace(disambiguator, answers=replace(disambiguator.answers, model=self.eye.model))
        if read.prototypes is None:
            return None
        prior = np.log(np.maximum(read.without_context(usage.form)[:-1], LEAST_CHANCE))
        alone = softmax(prior + read.prototypes.evidence(self.eye.states([usage])))[0]
        *together, none = read.read([usage]).p_senses[0].tolist()
        places = {use.sense: place for place, use in enumerate(read.senses)}
        shown = [places[each.sense] for each in meanings if each.sense is not None]
        return EncoderSide([float(alone[place]) for place in shown], [together[place] for place in shown], none)

    def _pulls_by_use(
        self, cut: CutText, usage: Usage, disambiguator: UseDisambiguator, meanings: Sequence[TokenMeaning]
    ) -> list[ContextPull]:
        """The pull of each context word towards each sense; only against others is there any."""
        if len(disambiguator.senses) < 2:
            return []
        window = disambiguator.read([usage]).windows[0]
        places = cut.around(usage.position, self.words.own_forms(disambiguator.word), len(window) // 2)
        columns = {use.sense: place for place, use in enumerate(disambiguator.senses)}
        senses = [each.sense for each in meanings if each.sense is not None]
        pulls = disambiguator.pulls(window, [columns[sense] for sense in senses]).tolist()
        return [
            ContextPull(place, cut.spans[place].word, dict(zip(senses, of_word, strict=True)))
            for place, of_word in zip(places.tolist(), pulls, strict=True)
            if place >= 0 and cut.spans[place].word not in self._function_words
        ]

    def _meanings(self, weights: Weights, chances: Sequence[tuple[int, float]]) -> list[TokenMeaning]:
        model, notes, total = self.model, self.words.notes, sum(weights.values())
        return [
            TokenMeaning(
                atom,
                probability,
                model.label(atom, notes),
                model.nearest_words(atom, N_NEAREST),
                prior=weights[atom] / total,
            )
            for atom, probability in chances
        ]

    def _pulls(
        self, cut: CutText, token: int, context: NDArray[np.float32], weights: Weights, atoms: Sequence[int]
    ) -> list[ContextPull]:
        if not atoms:
            return []
        places = self._around(cut, token)
        pulls = self.model.posterior.pulls_of_each(cut.rows_at(places), context, weights, atoms).tolist()
        return [
            ContextPull(place, cut.spans[place].word, dict(zip(atoms, of_word, strict=True)))
            for place, of_word in zip(places.tolist(), pulls, strict=True)
            if place >= 0
        ]


def _usual(disambiguator: UseDisambiguator, form: str) -> dict[int | None, float]:
    """The probability of each sense of a form without any context."""
    *shares, _ = disambiguator.without_context(form).tolist()
    return {use.sense: share for use, share in zip(disambiguator.senses, shares, strict=True)}


def _has_others(shares: Mapping[Any, float]) -> bool:
    return sum(share >= LIGHTEST_SHARE for share in shares.values()) > 1


def _token_sense(answer: Disambiguation, usual: Mapping[int | None, float]) -> TokenSense:
    verdict, best, has_others = _verdict(answer), answer.sense, _has_others(usual)
    if verdict == "sense":
        strength = best.probability * (1 - usual[best.sense])
        return TokenSense(best.atom, best.label, best.probability, best.sense, verdict, strength, has_others)
    if verdict == NOT_ENOUGH_CONTEXT:
        return TokenSense(best.atom, verdict, best.probability, best.sense, verdict, has_others=has_others)
    return TokenSense(best.atom, verdict, answer.p_none, best.sense, verdict, answer.p_none, has_others)


def _verdict(answer: Disambiguation) -> Verdict:
    if answer.tells_nothing:
        return NOT_ENOUGH_CONTEXT
    return NONE_OF_THESE if answer.p_none > answer.sense.probability else "sense"
