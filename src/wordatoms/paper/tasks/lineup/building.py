"""A police lineup made from WordNet 3.0 by rule (Section 6.3, where students made one by hand).

No embedding is looked at, so that none is flattered. The rule:

1. Each synset has a profile of weighted words, see `wordatoms.paper.tasks.lineup.profiles`.
2. Synsets of a word are one sense where WordNet derives one from the other or calls them similar, where they are in
   the same lexicographer file and near in the graph, or where their profiles are alike.
3. Glosses elsewhere in WordNet that have the word are given to the sense whose profile they fit, and their words added.
   A sense that was hardly met there or in WordNet's tagged texts is not in use, and left out.
4. Each sense gets the eight words that weigh most in it, above their weight in other senses: no two of one family, and
   none like the word itself.
5. Words qualify with two to six such senses, two of them concrete things. They are ranked by the weight of the weakest
   list, by how little the senses share, how many of them lie in different lexicographer files and how many are
   concrete; and drawn by chance among the best, so many with two senses, three and so on (`SENSES_PER_WORD`) that a
   word has 3.5 on average.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from wordatoms.contexts.inflection import inflected_forms
from wordatoms.errors import InputError
from wordatoms.paper.tasks.lineup.data import N_RELATED, LineupSense, Testbed
from wordatoms.paper.tasks.lineup.profiles import Key, Lexicon, Profile, add_shares, cosine, pointed
from wordatoms.paper.wordnet import PARTS, WordNet

SAME_SENSE = frozenset(("+", "$", "&", "^", "<", "\\"))
"""Pointers between synsets that people would call one sense."""
ALIKE = 0.25
"""Profiles with this cosine describe one sense."""
CLEAR = 1.5
"""A gloss must fit a sense so many times better than any other."""
MENTIONS = 3.0
"""What glosses elsewhere tell, as a definition does."""
FEWEST_USES, LEAST_SHARE = 2, 0.01
"""Glosses with a sense, and times that it was tagged, together; and their share of those of the word."""
CONCRETE = frozenset((5, 6, 8, 13, 14, 15, 17, 18, 20, 27))
"""Lexicographer files of nouns: animals, artefacts, bodies, foods, groups, places, natural objects, people, plants,
substances."""
MOST_SYNSETS = 20
FEWEST_TAGS = 2
"""Of a word."""
MOST_SENSES = 6
SENSES_PER_WORD = {2: 0.175, 3: 0.375, 4: 0.275, 5: 0.125, 6: 0.05}
"""The share of words with so many senses; 3.5 on average."""
POOL = 1.5
"""Words to draw from, for each word that is drawn."""


@dataclass(frozen=True)
class CoarseSense:
    """Synsets that people would call one sense of a word."""

    keys: tuple[Key, ...]
    profile: Profile
    """Without words like the word itself."""
    n_uses: int
    """How often it was met in tagged texts and in glosses elsewhere."""
    files: frozenset[int]


# 2. From synsets to senses


def group_synsets(lexicon: Lexicon, word: str) -> list[CoarseSense]:
    """All senses of a word, each of one or more synsets."""
    tags = _tagged_synsets(lexicon, word)
    forms = inflected_forms(word)
    profiles = {key: _without_forms(lexicon.profile(key), word, forms) for key in tags}

    def is_one_sense(one: Key, other: Key) -> bool:
        return is_near(lexicon, one, other) or cosine(profiles[one], profiles[other]) > ALIKE

    return [
        CoarseSense(
            tuple(keys),
            _pooled([profiles[key] for key in keys]),
            sum(tags[key] for key in keys),
            frozenset(lexicon.files[key] for key in keys),
        )
        for keys in connected([*tags], is_one_sense)
    ]


def _tagged_synsets(lexicon: Lexicon, word: str) -> dict[Key, int]:
    """The synsets of a word, names left out, and how often each was met."""
    found: dict[Key, int] = {}
    for pos in PARTS:
        for number, synset in enumerate(lexicon.wordnet.synsets(word, pos), 1):
            if word in synset.lemmas and not pointed(synset, {"@i"}):
                found[pos, synset.offset] = lexicon.tags.get((word, pos, number), 0)
    return found


def _without_forms(profile: Profile, word: str, forms: Sequence[str]) -> Profile:
    return {each: weight for each, weight in profile.items() if not is_akin(each, word) and each not in forms}


def is_near(lexicon: Lexicon, one: Key, other: Key) -> bool:
    """Whether WordNet itself puts two synsets together."""
    first, second = lexicon.synsets[one], lexicon.synsets[other]
    if other in pointed(first, SAME_SENSE) or one in pointed(second, SAME_SENSE):
        return True
    same_file = lexicon.files[one] == lexicon.files[other]
    return same_file and not _above(lexicon, one).isdisjoint(_above(lexicon, other))


def _above(lexicon: Lexicon, key: Key, steps: int = 2) -> set[Key]:
    """A synset and its hypernyms within some steps."""
    found = layer = {key}
    for _ in range(steps):
        layer = {up for each in layer for up in pointed(lexicon.synsets[each], {"@"})}
        found = found | layer
    return found


def connected(keys: Sequence[Key], is_linked: Callable[[Key, Key], bool]) -> list[list[Key]]:
    """The keys in groups: whoever is linked to one of a group belongs to it."""
    group_of = {key: number for number, key in enumerate(keys)}
    for one, other in combinations(keys, 2):
        if group_of[one] != group_of[other] and is_linked(one, other):
            old, new = group_of[other], group_of[one]
            group_of = {key: new if number == old else number for key, number in group_of.items()}
    return [[key for key in keys if group_of[key] == number] for number in sorted(set(group_of.values()))]


def _pooled(profiles: Sequence[Profile]) -> Profile:
    total: Profile = {}
    for profile in profiles:
        for word, weight in profile.items():
            total[word] = total.get(word, 0.0) + weight
    return total


# 3. Glosses elsewhere


def senses_in_use(lexicon: Lexicon, word: str) -> list[CoarseSense]:
    """The senses of a word that were met, the most frequent first; profiles with the words of glosses elsewhere."""
    senses = group_synsets(lexicon, word)
    glosses = _share_glosses(lexicon, word, senses)
    met = [_with_glosses(lexicon, word, sense, keys) for sense, keys in zip(senses, glosses, strict=True)]
    enough = max(FEWEST_USES, LEAST_SHARE * sum(sense.n_uses for sense in met))
    in_use = [sense for sense in met if sense.n_uses >= enough]
    return sorted(in_use, key=lambda sense: -sense.n_uses)[:MOST_SENSES]


def _share_glosses(lexicon: Lexicon, word: str, senses: Sequence[CoarseSense]) -> list[list[Key]]:
    """For each sense the glosses elsewhere that clearly fit it best."""
    found: list[list[Key]] = [[] for _ in senses]
    own = {key for sense in senses for key in sense.keys}
    for key in lexicon.mentions.get(word, ()):
        fits = [_fit(sense.profile, lexicon.gloss_words[key]) for sense in senses]
        second, best = sorted([0.0, *fits])[-2:]
        if key not in own and best > CLEAR * second:
            found[fits.index(best)].append(key)
    return found


def _fit(profile: Profile, words: Collection[str]) -> float:
    """The share of a profile that a gloss has; 0 where it is one word only."""
    weights = [profile[word] for word in words if word in profile]
    return math.fsum(weights) / math.fsum(profile.values()) if len(weights) > 1 else 0.0


def _with_glosses(lexicon: Lexicon, word: str, sense: CoarseSense, keys: Sequence[Key]) -> CoarseSense:
    strength: Profile = {}
    add_shares(strength, [lexicon.gloss_words[key] for key in keys], MENTIONS, at_least=2)
    added = _without_forms(lexicon.weighted(strength), word, inflected_forms(word))
    return replace(sense, profile=_pooled([sense.profile, added]), n_uses=sense.n_uses + len(keys))


# 4. Related words


class Item(NamedTuple):
    """A word that could be in the testbed."""

    word: str
    senses: tuple[LineupSense, ...]
    quality: float


def make_item(lexicon: Lexicon, word: str) -> Item | None:
    """A word with its senses and their related words; None where it has too few good senses."""
    senses = senses_in_use(lexicon, word)
    lists = {number: related_words(sense, senses) for number, sense in enumerate(senses)}
    full = {number: related for number, related in lists.items() if len(related) == N_RELATED}
    kept = [senses[number] for number in full]
    shown = tuple(_as_sense(sense, related) for sense, related in zip(kept, full.values(), strict=True))
    n_concrete = sum(not CONCRETE.isdisjoint(sense.files) for sense in kept)
    if n_concrete < 2:
        return None
    return Item(word, shown, _clarity(kept, [*full.values()]) * n_concrete / len(kept))


def _clarity(senses: Sequence[CoarseSense], lists: Sequence[Profile]) -> float:
    """How well senses can be told apart: by the weight of the weakest list, what they share, and their files."""
    weakest = min(fmean(related.values()) for related in lists)
    pairs = [*combinations(senses, 2)]
    shared = max(cosine(one.profile, other.profile) for one, other in pairs)
    apart = fmean(one.files.isdisjoint(other.files) for one, other in pairs)
    return weakest * (1 - shared) * (1 + apart) / 2


def _as_sense(sense: CoarseSense, related: Profile) -> LineupSense:
    return LineupSense(tuple(related), tuple(f"{pos}{offset:08d}" for pos, offset in sense.keys))


def related_words(sense: CoarseSense, senses: Sequence[CoarseSense]) -> Profile:
    """The words that tell a sense best, with what they weigh here above their weight in other senses."""
    others = [other.profile for other in senses if other is not sense]
    margins = {
        word: weight - max((other.get(word, 0.0) for other in others), default=0.0)
        for word, weight in sense.profile.items()
    }
    chosen: Profile = {}
    for word in sorted(margins, key=lambda word: (-margins[word], word)):
        if margins[word] <= 0 or len(chosen) == N_RELATED:
            break
        if not any(is_akin(word, other) for other in chosen):
            chosen[word] = margins[word]
    return chosen


def is_akin(one: str, other: str) -> bool:
    """Whether two words look like forms or derivatives of each other: bat and batting, compete and competition."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    stem = short[:-1] if len(short) > 3 and short[-1] in "ey" else short
    return stem in long or one[:5] == other[:5]


# 5. Words


def build_testbed(
    wordnet: WordNet, *, n_words: int = 200, vocabulary: Container[str] | None = None, random_state: int = 0
) -> Testbed:
    """A testbed of `n_words` words; another `random_state` draws other words.

    With a `vocabulary`, all words of the testbed are in it.
    """
    lexicon = Lexicon(wordnet, vocabulary)
    items = [item for word in candidates(lexicon) if (item := make_item(lexicon, word))]
    drawn = draw_items(items, n_words, random_state)
    return Testbed({item.word: item.senses for item in sorted(drawn)})


def candidates(lexicon: Lexicon) -> Iterator[str]:
    """Words that people know, with concrete things among their synsets, and not too many."""
    for word in sorted(lexicon.telling):
        if lexicon.tags_by_part.get(word, Counter()).total() >= FEWEST_TAGS:
            synsets = _tagged_synsets(lexicon, word)
            n_concrete = sum(lexicon.files[key] in CONCRETE for key in synsets)
            if n_concrete >= 2 and len(synsets) <= MOST_SYNSETS:
                yield word


def draw_items(items: Sequence[Item], n_words: int, random_state: int) -> list[Item]:
    """As many words with two senses, three and so on as wanted, by chance among the best."""
    rng = np.random.default_rng(random_state)
    drawn: list[Item] = []
    ends = [0, *(round(n_words * share) for share in accumulate(SENSES_PER_WORD.values()))]
    for n_senses, (start, end) in zip(SENSES_PER_WORD, pairwise(ends), strict=True):
        n = end - start
        best = sorted((item for item in items if len(item.senses) == n_senses), key=lambda item: -item.quality)
        pool = best[: round(POOL * n)]
        if len(pool) < n:
            raise InputError(
                f"{n} words with {n_senses} senses are needed, WordNet has {len(pool)} good ones; pass fewer words."
            )
        drawn += [pool[place] for place in rng.choice(len(pool), n, replace=False)]
    return drawn
