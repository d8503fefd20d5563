"""The testbed of the police lineup, generated from WordNet 3.0 (Section 6.3, where students made one by hand).

No embedding is used, so that none has an advantage. The rules:

1. Each synset has a profile of weighted words, see `wordatoms.paper.tasks.lineup.profiles`.
2. Synsets of a word form one sense if WordNet derives one from the other or calls them similar, if they are in the same
   lexicographer file and close in the graph, or if their profiles are similar.
3. Other glosses of WordNet that contain the word are assigned to the sense whose profile they clearly fit (by the
   cosine), and their words are added to it. A sense that is rare there and in WordNet's tagged texts is left out.
4. Each sense gets the eight words with the largest margin between their weight in it and in other senses; no two of
   them are related in form, to each other or to the word itself.
5. A word qualifies if it has two to six such senses, at least two of them concrete things. Words are ranked by the
   weight of their weakest list, the overlap of their senses, the share of pairs of senses in different lexicographer
   files and the share of concrete senses. They are drawn at random from the best, with fixed shares of words with two,
   three, … senses (`SENSES_PER_WORD`), 3.5 on average. The paper's example *bat* is always one of them.

Inflected forms are those of WordNet's own lists and endings, so that WordNet alone decides the testbed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, pairwise
from statistics import fmean
from typing import NamedTuple

import numpy as np

from wordatoms.errors import InputError
from wordatoms.paper.tasks.lineup.data import N_RELATED, LineupSense, Testbed
from wordatoms.paper.tasks.lineup.profiles import Key, Lexicon, Profile, add_shares, cosine, pointed
from wordatoms.paper.wordnet import PARTS, WordNet

SAME_SENSE = frozenset(("+", "$", "&", "^", "<", "\\"))
"""Pointers between synsets that count as one sense."""
ALIKE = 0.25
"""Synsets whose profiles have a larger cosine are one sense."""
CLEAR = 1.5
"""Minimum ratio between the best and the second best fit of a gloss to the senses."""
LEAST_FIT = 0.1
"""Minimum fit of a gloss to a sense: the cosine of its words and the profile."""
MENTIONS = 3.0
"""Weight of the words of other glosses."""
FEWEST_USES, LEAST_SHARE = 2, 0.01
"""Minimum uses of a sense (other glosses plus tagged occurrences), and minimum share of the uses of the word."""
CONCRETE = frozenset((5, 6, 8, 13, 14, 15, 17, 18, 20, 27))
"""Lexicographer files of nouns: animals, artefacts, bodies, foods, groups, places, natural objects, people, plants,
substances."""
MOST_SYNSETS = 20
FEWEST_TAGS = 2
"""Limits for a word."""
MOST_SENSES = 6
SENSES_PER_WORD = {2: 0.175, 3: 0.375, 4: 0.275, 5: 0.125, 6: 0.05}
"""The share of words by number of senses; 3.5 senses on average."""
POOL = 1.5
"""Size of the pool of candidates, relative to the number of words drawn."""
EXAMPLES = frozenset(("bat",))
"""Words that are always in the testbed if they qualify, because the paper shows them."""


@dataclass(frozen=True)
class CoarseSense:
    """One or more synsets that count as one sense of a word."""

    keys: tuple[Key, ...]
    profile: Profile
    """Without forms and derivatives of the word."""
    n_uses: int
    """Occurrences in tagged texts and in other glosses."""
    files: frozenset[int]


# 2. From synsets to senses


def group_synsets(lexicon: Lexicon, word: str) -> list[CoarseSense]:
    """All senses of a word, each of one or more synsets."""
    tags = _tagged_synsets(lexicon, word)
    if not tags:
        return []
    profiles = {key: _without_forms(lexicon, lexicon.profile(key), word) for key in tags}

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
    """The synsets of a word without names, and how often each was tagged."""
    found: dict[Key, int] = {}
    for pos in PARTS:
        for number, synset in enumerate(lexicon.wordnet.synsets(word, pos), 1):
            if word in synset.lemmas and not pointed(synset, {"@i"}):
                found[pos, synset.offset] = lexicon.tags.get((word, pos, number), 0)
    return found


def _without_forms(lexicon: Lexicon, profile: Profile, word: str) -> Profile:
    return {
        each: weight for each, weight in profile.items() if not is_akin(each, word) and not lexicon.is_form(each, word)
    }


def is_near(lexicon: Lexicon, one: Key, other: Key) -> bool:
    """Whether two synsets are linked, or close in the same lexicographer file."""
    first, second = lexicon.synsets[one], lexicon.synsets[other]
    if other in pointed(first, SAME_SENSE) or one in pointed(second, SAME_SENSE):
        return True
    same_file = lexicon.files[one] == lexicon.files[other]
    return same_file and not _above(lexicon, one).isdisjoint(_above(lexicon, other))


def _above(lexicon: Lexicon, key: Key, steps: int = 2) -> set[Key]:
    """A synset and its hypernyms up to some steps above it."""
    found = layer = {key}
    for _ in range(steps):
        layer = {up for each in layer for up in pointed(lexicon.synsets[each], {"@"})}
        found = found | layer
    return found


def connected(keys: Sequence[Key], is_linked: Callable[[Key, Key], bool]) -> list[list[Key]]:
    """The connected components of the keys."""
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


# 3. Other glosses


def senses_in_use(lexicon: Lexicon, word: str) -> list[CoarseSense]:
    """The senses of a word in use, the most frequent first, with the words of other glosses in their profiles."""
    senses = group_synsets(lexicon, word)
    glosses = _share_glosses(lexicon, word, senses)
    met = [_with_glosses(lexicon, word, sense, keys) for sense, keys in zip(senses, glosses, strict=True)]
    enough = max(FEWEST_USES, LEAST_SHARE * sum(sense.n_uses for sense in met))
    in_use = [sense for sense in met if sense.n_uses >= enough]
    return sorted(in_use, key=lambda sense: -sense.n_uses)[:MOST_SENSES]


def _share_glosses(lexicon: Lexicon, word: str, senses: Sequence[CoarseSense]) -> list[list[Key]]:
    """For each sense, the other glosses that clearly fit it best."""
    found: list[list[Key]] = [[] for _ in senses]
    own = {key for sense in senses for key in sense.keys}
    for key in lexicon.mentions.get(word, ()):
        words = {each: lexicon.telling[each] for each in lexicon.gloss_words[key] if each in lexicon.telling}
        fits = [_fit(sense.profile, words) for sense in senses]
        second, best = sorted([0.0, *fits])[-2:]
        if key not in own and best > max(LEAST_FIT, CLEAR * second):
            found[fits.index(best)].append(key)
    return found


def _fit(profile: Profile, words: Profile) -> float:
    """The cosine of a profile and the words of a gloss; 0 if they have fewer than two in common."""
    return cosine(profile, words) if len(profile.keys() & words.keys()) > 1 else 0.0


def _with_glosses(lexicon: Lexicon, word: str, sense: CoarseSense, keys: Sequence[Key]) -> CoarseSense:
    strength: Profile = {}
    add_shares(strength, [lexicon.gloss_words[key] for key in keys], MENTIONS, at_least=2)
    added = _without_forms(lexicon, lexicon.weighted(strength), word)
    return replace(sense, profile=_pooled([sense.profile, added]), n_uses=sense.n_uses + len(keys))


# 4. Related words


class Item(NamedTuple):
    """A candidate for the testbed."""

    word: str
    senses: tuple[LineupSense, ...]
    quality: float


def make_item(lexicon: Lexicon, word: str) -> Item | None:
    """A word with its senses and their related words; None if it has too few concrete senses."""
    senses = senses_in_use(lexicon, word)
    lists = {number: related_words(sense, senses) for number, sense in enumerate(senses)}
    full = {number: related for number, related in lists.items() if len(related) == N_RELATED}
    kept = [senses[number] for number in full]
    shown = tuple(
        LineupSense(tuple(related), tuple(f"{pos}{offset:08d}" for pos, offset in sense.keys))
        for sense, related in zip(kept, full.values(), strict=True)
    )
    n_concrete = sum(not CONCRETE.isdisjoint(sense.files) for sense in kept)
    if n_concrete < 2:
        return None
    return Item(word, shown, _clarity(kept, [*full.values()]) * n_concrete / len(kept))


def _clarity(senses: Sequence[CoarseSense], lists: Sequence[Profile]) -> float:
    """How distinct the senses are: the weight of the weakest list, the largest overlap, and the files."""
    weakest = min(fmean(related.values()) for related in lists)
    pairs = [*combinations(senses, 2)]
    shared = max(cosine(one.profile, other.profile) for one, other in pairs)
    apart = fmean(one.files.isdisjoint(other.files) for one, other in pairs)
    return weakest * (1 - shared) * (1 + apart) / 2


def related_words(sense: CoarseSense, senses: Sequence[CoarseSense]) -> Profile:
    """The most distinctive words of a sense, with the margin over their weight in other senses."""
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
    """Whether two words look like forms or derivatives of each other, as *bat* and *batting*."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    stem = short[:-1] if len(short) > 3 and short[-1] in "ey" else short
    return stem in long or one[:5] == other[:5]


# 5. Words


def build_testbed(
    wordnet: WordNet, *, n_words: int = 200, vocabulary: Container[str] | None = None, random_state: int = 0
) -> Testbed:
    """Build a testbed of the police lineup from WordNet.

    Parameters
    ----------
    wordnet : WordNet
        `WordNet()` from `wordatoms.paper.wordnet`, or `WordNet(folder)`.
    n_words : int, default 200
        Words to draw.
    vocabulary : container of str, optional
        Use only these words.
    random_state : int, default 0
        Seed of the draw.

    Returns
    -------
    Testbed

    Examples
    --------
    >>> from wordatoms.paper.tasks.lineup.building import build_testbed
    >>> from wordatoms.paper.wordnet import WordNet
    >>> build_testbed(WordNet(), n_words=20)  # doctest: +SKIP
    """
    lexicon = Lexicon(wordnet, vocabulary)
    items = [item for word in candidates(lexicon) if (item := make_item(lexicon, word))]
    drawn = draw_items(items, n_words, random_state)
    return Testbed({item.word: item.senses for item in sorted(drawn)})


def candidates(lexicon: Lexicon) -> Iterator[str]:
    """Common words with at least two concrete synsets and at most `MOST_SYNSETS` synsets."""
    for word in sorted(lexicon.telling):
        if lexicon.tags_by_part.get(word, Counter()).total() >= FEWEST_TAGS:
            synsets = _tagged_synsets(lexicon, word)
            n_concrete = sum(lexicon.files[key] in CONCRETE for key in synsets)
            if n_concrete >= 2 and len(synsets) <= MOST_SYNSETS:
                yield word


def draw_items(items: Sequence[Item], n_words: int, random_state: int) -> list[Item]:
    """Draw words from the best, with the shares of `SENSES_PER_WORD`, and the paper's `EXAMPLES`."""
    rng = np.random.default_rng(random_state)
    drawn: list[Item] = []
    ends = [0, *(round(n_words * share) for share in accumulate(SENSES_PER_WORD.values()))]
    for n_senses, (start, end) in zip(SENSES_PER_WORD, pairwise(ends), strict=True):
        n = end - start
        best = sorted((item for item in items if len(item.senses) == n_senses), key=lambda item: -item.quality)
        pool = best[: round(POOL * n)]
        if len(pool) < n:
            raise InputError(
                f"{n} words with {n_senses} senses are needed, but only {len(pool)} qualify; pass fewer words."
            )
        chosen = [pool[place] for place in rng.choice(len(pool), n, replace=False)]
        examples = [item for item in best if item.word in EXAMPLES and item not in chosen]
        drawn += [*examples, *chosen][:n]
    return drawn
