"""Synsets as weighted words, from which the testbed of the police lineup is built.

The *profile* of a synset has the words of its definition and lemmas, and of the lemmas and definitions of related
synsets (`SOURCES`); hypernyms count less the more synsets are below them, because general ones say little. Words of its
examples count less if nothing else supports them, and words one pointer further away only add to those already there.
Each word is weighted by its specificity, log(glosses / glosses that contain it), with nouns above verbs above
adjectives, and words that never occur in WordNet's tagged texts, which are less well known, below others.
Names, adverbs, function words, words typical of definitions (`JARGON`, and words of very many glosses) and rare words
are excluded.

Left out: which synsets are one sense, and which words a lineup shows (`wordatoms.paper.tasks.lineup.building`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from wordatoms.paper.wordnet import PARTS, Synset, WordNet, broken_database, read_database

Profile = dict[str, float]
Key = tuple[str, int]
"""A synset by part of speech (satellite adjectives count as adjectives) and offset."""


class Source(NamedTuple):
    """The weights of the lemmas and definitions of related synsets."""

    lemmas: float
    definitions: float


OWN = Source(2, 3)
EXAMPLES, EXAMPLES_ALONE = 1.5, 0.5
"""Weights of the words of a synset's examples, and of those that nothing else supports."""
SOURCES = {
    "@": Source(1.5, 0.7),
    "~": Source(1.5, 1.5),
    **dict.fromkeys(("#m", "#s", "#p", "%m", "%s", "%p"), Source(2, 0.7)),
    **dict.fromkeys(("=", "+", "*", ">", "$", "&", "^", "\\"), Source(1.5, 0.8)),
    ";c": Source(3, 0),
    "-c": Source(1, 0.5),
}
"""By pointer symbol."""
NEIGHBOURS = ("@", "&", "+")
NEIGHBOURS_WEIGHT = 0.4
"""Weight of the words related to the targets of these pointers."""
PART_WEIGHTS = {"n": 1.0, "v": 0.8, "a": 0.7, "r": 0.0}
"""By the part of speech with which a word is tagged most often."""
UNTAGGED_WEIGHT = 0.5
SPECIFICITY = 1.5
"""The exponent of log(glosses / glosses with a word)."""
MOST_GLOSSES = 1500
FEWEST_USES = 10
"""Minimum number of glosses with a word plus tagged occurrences."""

_JARGON = """
    able act action activity amount any area available bad basis become being body case cause certain character
    characteristic class common concerned condition consist contain course degree designed different difficult do
    done effect either end entity event example existence extent fact few first form formed general genus get give
    given go good group have having high important include individual instance intended involve kind known lack
    large last least less like long lot made main make manner many mean means more most much named nature new normal
    number object occur old one order other own part particular people person piece place point possible produce
    property provide purpose quality quantity range related relation result same second section sense set several
    short similar single situation small some somebody someone something sort special specific state style such
    system take taken term thing time together two type unit unusual use used useful using usual various very way
    well whole worth three four five six seven eight nine ten about another back better both come each hold keep kept
    larger later leave made may near next often others put see side smaller sure top toward while whose without year
    thus usually variety member serving held article item process holding making serve add need begin considered
    involved causing characterize require applied numerous artifact all assume believe find found going great located
    must participate perform resemble seem third thought true does
"""
JARGON = frozenset(_JARGON.split())
"""Uninformative words of definitions, including the numbers, which are adjectives in WordNet."""

_PLAIN = re.compile(r"(?<![\w'’-])[a-z]{3,}(?![\w'’-])")
"""Words without capitals (as in names), hyphens and apostrophes."""

_COUNT = re.compile(r"([^%\s]+)%([1-5])\S* ([0-9]+) ([0-9]+)\s*")
"""Word, kind of synset, number of the sense, and number of tagged occurrences."""
_KINDS = dict(zip("12345", "nvara", strict=True))


class Lexicon:
    """All synsets of WordNet, the glosses that contain each word, and the counts of tagged senses."""

    def __init__(self, wordnet: WordNet, vocabulary: Container[str] | None = None) -> None:
        """With a `vocabulary`, lists contain only its words."""
        self.wordnet, self.vocabulary = wordnet, vocabulary
        self.synsets: dict[Key, Synset] = {}
        self.files: dict[Key, int] = {}
        """The number of each synset's lexicographer file."""
        for pos, name in PARTS.items():
            path = wordnet.folder / f"data.{name}"
            for line in _read_text(path).split("\n"):
                if line[:1].isdigit():  # the licence is indented
                    offset, file = _parse_start(path, line)
                    self.synsets[pos, offset], self.files[pos, offset] = wordnet.synset(pos, offset), file
        self.base, self.profile = cache(self._find_base), cache(self._make_profile)
        self._direct, self._texts = cache(self._find_direct), cache(self._find_texts)
        self._spellings = cache(self._find_spellings)

    @cached_property
    def known(self) -> frozenset[str]:
        """Nouns, verbs and adjectives that are single plain words."""
        lemmas = (lemma for key, synset in self.synsets.items() if key[0] != "r" for lemma in synset.lemmas)
        return frozenset(lemma for lemma in lemmas if _PLAIN.fullmatch(lemma))

    @cached_property
    def gloss_words(self) -> dict[Key, frozenset[str]]:
        """The words of each synset's definition and examples."""
        return {
            key: frozenset(self.words(" ".join([synset.definition, *synset.examples])))
            for key, synset in self.synsets.items()
        }

    @cached_property
    def mentions(self) -> dict[str, list[Key]]:
        """For each word, the synsets whose glosses contain it."""
        found: dict[str, list[Key]] = defaultdict(list)
        for key, words in self.gloss_words.items():
            for word in words:
                found[word].append(key)
        return found

    @cached_property
    def tags(self) -> dict[tuple[str, str, int], int]:
        """How often a sense, given by word, part of speech and number, occurs in tagged texts."""
        found = {}
        path = self.wordnet.folder / "cntlist.rev"
        for line in _read_text(path).splitlines():
            match = _COUNT.fullmatch(line)
            if match is None:
                raise broken_database(path, f"at {line[:60]!r}")
            lemma, kind, number, count = match.groups()
            found[lemma, _KINDS[kind], int(number)] = int(count)
        return found

    @cached_property
    def tags_by_part(self) -> dict[str, Counter[str]]:
        """How often a word was tagged as each part of speech."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for (lemma, pos, _), count in self.tags.items():
            found[lemma][pos] += count
        return found

    # --- words

    def words(self, text: str) -> list[str]:
        """The nouns, verbs and adjectives of a text, plurals as singulars."""
        bases = (self.base(token) for token in _PLAIN.findall(text))
        return [word for word in bases if word]

    def _find_base(self, token: str) -> str:
        """The base form of a word; empty if it is not a noun, verb or adjective.

        A form may be that of a noun, else of a verb or an adjective; irregular base forms come before regular ones
        (*leaves*: *leaf*), those tagged more often before others (*crosses*: *cross*, not *crosse*). A word in -s that
        is tagged more often than its base form is a word of its own (*species*, *genus*).
        """
        if token in JARGON or (token in self.known and not token.endswith("s")):
            return token
        own = [token] if token in self.known else []
        for pos in "nva":
            if found := self._bases(token, pos):
                return max(found + own, key=lambda word: self._n_tags(word, pos))
        return next(iter(own), "")

    def _bases(self, token: str, pos: str) -> list[str]:
        found = self.wordnet.irregular_bases(token, pos) or self.wordnet.base_forms(token, pos)
        return [word for word in found if word in self.known]

    def is_form(self, one: str, other: str) -> bool:
        """Whether two words are the same, or forms of the same word."""
        return not self._spellings(one).isdisjoint(self._spellings(other))

    def _find_spellings(self, word: str) -> frozenset[str]:
        return frozenset((word, *self.wordnet.base_forms(word)))

    def _n_tags(self, word: str, pos: str | None = None) -> int:
        tags = self.tags_by_part.get(word, Counter())
        return tags[pos] if pos else tags.total()

    def n_uses(self, word: str) -> int:
        """Glosses with a word plus tagged occurrences; measures how well it is known."""
        return len(self.mentions.get(word, ())) + self._n_tags(word)

    @cached_property
    def telling(self) -> Profile:
        """The weight of each word that is not excluded."""
        found = {}
        for word, keys in self.mentions.items():
            if self.vocabulary is not None and word not in self.vocabulary:
                continue
            if word not in JARGON and self.n_uses(word) >= FEWEST_USES and len(keys) <= MOST_GLOSSES:
                found[word] = self._part_weight(word) * math.log(len(self.synsets) / len(keys)) ** SPECIFICITY
        return {word: weight for word, weight in found.items() if weight > 0}

    def _part_weight(self, word: str) -> float:
        tags = self.tags_by_part.get(word)
        return PART_WEIGHTS[max(PARTS, key=lambda pos: tags[pos])] if tags else UNTAGGED_WEIGHT

    # --- profiles

    def _make_profile(self, key: Key) -> Profile:
        """The words related to a synset, with weights."""
        synset = self.synsets[key]
        direct, examples, neighbours = self._direct(key), self._of_examples(synset), self._of_neighbours(synset)
        strength = {word: value + examples.get(word, 0.0) + neighbours.get(word, 0.0) for word, value in direct.items()}
        for word in examples.keys() - direct.keys():
            # a word of an example alone may be there by chance: the attic that somebody searched
            strength[word] = EXAMPLES + neighbours[word] if word in neighbours else EXAMPLES_ALONE
        return self.weighted(strength)

    def _find_direct(self, key: Key) -> Profile:
        """The strength of the words of a synset, and of those that it points to."""
        strength: Profile = {}
        self._add(strength, [key], OWN)
        for symbol, source in SOURCES.items():
            targets = pointed(self.synsets[key], {symbol})
            factor = self.narrowness(targets[0]) if symbol == "@" and targets else 1.0
            self._add(strength, targets, source, factor)
        return strength

    def _of_examples(self, synset: Synset) -> Profile:
        return dict.fromkeys(self._telling_words(" ".join(synset.examples)), EXAMPLES)

    def _of_neighbours(self, synset: Synset) -> Profile:
        """The strength of words one pointer further away."""
        strength: Profile = {}
        neighbours = pointed(synset, NEIGHBOURS)
        for key in neighbours:
            factor = NEIGHBOURS_WEIGHT * self.narrowness(key) / len(neighbours)
            for word, value in self._direct(key).items():
                strength[word] = strength.get(word, 0.0) + value * factor
        return strength

    def _add(self, strength: Profile, keys: Sequence[Key], source: Source, factor: float = 1.0) -> None:
        """Add the words of some synsets."""
        if keys:
            lemmas, definitions = zip(*(self._texts(self.synsets[key]) for key in keys), strict=True)
            add_shares(strength, lemmas, factor * source.lemmas)
            add_shares(strength, definitions, factor * source.definitions)

    def narrowness(self, key: Key) -> float:
        """How much a synset says: 1 if nothing is below it, 0 if everything is (*object* says next to nothing)."""
        return 1 - math.log(1 + self.n_below.get(key, 0)) / math.log(1 + len(self.synsets))

    @cached_property
    def n_below(self) -> dict[Key, int]:
        """The number of synsets below each, at any distance."""
        found: Counter[Key] = Counter()
        for key in self.synsets:
            layer, above = {key}, set[Key]()
            while layer := {up for each in layer for up in pointed(self.synsets[each], {"@", "@i"})} - above:
                above |= layer
            found.update(above)
        return found

    def _find_texts(self, synset: Synset) -> tuple[frozenset[str], frozenset[str]]:
        """The words of the lemmas and of the definition of a synset."""
        return self._telling_words(" ".join(synset.lemmas)), self._telling_words(synset.definition)

    def _telling_words(self, text: str) -> frozenset[str]:
        return frozenset(word for word in self.words(text) if word in self.telling)

    def weighted(self, strength: Profile) -> Profile:
        return {word: value * self.telling[word] for word, value in strength.items() if word in self.telling}


def add_shares(strength: Profile, texts: Sequence[frozenset[str]], weight: float, *, at_least: int = 1) -> None:
    """Add the words of n texts; a word gets the full `weight` if √n of them contain it, and proportionally less below.

    Words of fewer than `at_least` texts are left out.
    """
    n_texts = Counter(word for text in texts for word in text)
    for word, n in n_texts.items():
        if n >= at_least:
            strength[word] = strength.get(word, 0.0) + weight * min(1.0, n / math.sqrt(len(texts)))


def pointed(synset: Synset, symbols: Iterable[str]) -> list[Key]:
    """The targets of the pointers with some symbols."""
    wanted = set(symbols)
    chosen = (each for each in synset.all_pointers if each.symbol in wanted)
    return list(dict.fromkeys(("a" if each.pos == "s" else each.pos, each.offset) for each in chosen))


def cosine(one: Profile, other: Profile) -> float:
    # exact sums, because the order of words in a set differs between processes
    product = math.fsum(weight * other[word] for word, weight in one.items() if word in other)
    squares = (math.fsum(weight * weight for weight in profile.values()) for profile in (one, other))
    length = math.sqrt(math.prod(squares))
    return product / length if length else 0.0


def _parse_start(path: Path, line: str) -> tuple[int, int]:
    """The offset of a synset and the number of its lexicographer file."""
    try:
        return int(line[:8]), int(line[9:11])
    except ValueError:
        raise broken_database(path, f"at {line[:60]!r}") from None


def _read_text(path: Path) -> str:
    return read_database(path).decode("utf-8", errors="replace")
