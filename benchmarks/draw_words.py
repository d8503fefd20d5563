"""Draw ambiguous words for a blind test, by rule and seed, without looking at any model's senses.

    python benchmarks/draw_words.py VOCABULARY [--wordnet DIR] [--each 20] [--seed 2026]

VOCABULARY is a `words.txt`: a word and its count per line, the most frequent first. A word is a candidate if

- it consists of the letters a to z and has at least three of them,
- it is no function word (see `FUNCTION_WORDS`),
- WordNet 3.0 lists it in at least three synsets over all parts of speech, and
- it has at least two senses that are tagged in a text, or at least two senses as a noun, or at least two as a verb.

Only synsets that spell the word without capitals count, so that "reading" does not gain a sense from the town. An equal
number of candidates is drawn from each frequency band of the vocabulary, and printed as TSV in order of frequency.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

BANDS = ((0, 2_000), (2_000, 8_000), (8_000, 25_000))  # rows of the vocabulary, counted from 0; the end is excluded
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # the digit after the % of a sense key
LISTED = (
    # Pronouns
    """i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves who whom whose which what whoever whatever whichever one
    oneself someone somebody something anyone anybody anything everyone everybody everything none nobody nothing"""
    # Determiners
    """ a an the this that these those some any no every each either neither both all half such same other another
    much many more most little less least few fewer several enough own"""
    # Prepositions and particles
    """ aboard about above across after against along alongside amid among around as at atop away back before behind
    below beneath beside besides between beyond by circa concerning despite down during except for from in inside into
    like near of off on onto opposite out outside over past per plus regarding round since than through throughout till
    to toward towards under underneath unlike until up upon versus via with within without worth"""
    # Auxiliaries
    """ be am is are was were been being have has had having do does did done doing will would shall should can cannot
    could may might must ought"""
    # Conjunctions and the adverbs that do their work
    """ and but or nor so yet if unless because although though while whereas whether when whenever where wherever why
    how then there here however therefore thus hence once not only also too very just even ever never"""
    # Numerals
    """ zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion
    dozen first second third fourth fifth sixth seventh eighth ninth tenth"""
)
FUNCTION_WORDS = frozenset(LISTED.split())


class Word(NamedTuple):
    row: int
    word: str
    count: int
    synsets: Counter[str]  # by part of speech
    tagged: int

    @property
    def is_ambiguous(self) -> bool:
        several = self.tagged >= 2 or self.synsets["n"] >= 2 or self.synsets["v"] >= 2
        return self.synsets.total() >= 3 and several


class WordNet:
    """The senses that WordNet gives to words written without capitals."""

    def __init__(self, folder: Path) -> None:
        self.synsets: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.tagged: Counter[str] = Counter()
        self.offsets: dict[tuple[str, str], list[str]] = {}
        spelled: set[tuple[str, str, str]] = set()
        for name, part in PARTS.items():
            for offset, lemma in self._lemmas(folder / f"data.{name}"):
                if lemma == lemma.lower():
                    spelled.add((part, offset, lemma))
                    self.synsets[lemma][part] += 1
            self._read_index(folder / f"index.{name}", part)
        self._count_tagged(folder / "cntlist.rev", spelled)

    @staticmethod
    def _lines(path: Path) -> Iterator[list[str]]:
        """The fields of each line; the lines of the licence start with a blank."""
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith(" "):
                    yield line.split()

    @classmethod
    def _lemmas(cls, path: Path) -> Iterator[tuple[str, str]]:
        """Each synset's offset with each of its words, without the marker that some adjectives have, as in `live(a)`.

        A word that stands twice in one synset, as lemmas with different markers do, is given once.
        """
        for fields in cls._lines(path):
            size = int(fields[3], 16)
            for lemma in sorted({re.sub(r"\(\w+\)$", "", field) for field in fields[4 : 4 + 2 * size : 2]}):
                yield fields[0], lemma

    def _read_index(self, path: Path, part: str) -> None:
        for fields in self._lines(path):
            senses = int(fields[2])
            self.offsets[fields[0], part] = fields[-senses:]

    def _count_tagged(self, path: Path, spelled: set[tuple[str, str, str]]) -> None:
        """Count the tagged senses of each word. The second field of a line is the sense's place in the index."""
        for key, number, _ in self._lines(path):
            lemma, _, sense = key.rpartition("%")
            part = TYPES[sense[0]]
            offsets = self.offsets.get((lemma, part), [])
            place = int(number) - 1
            if place < len(offsets) and (part, offsets[place], lemma) in spelled:
                self.tagged[lemma] += 1


def read_candidates(vocabulary: Path, wordnet: WordNet) -> Iterator[Word]:
    with vocabulary.open(encoding="utf-8") as lines:
        for row, line in enumerate(lines):
            word, count = line.split()[:2]
            if not re.fullmatch("[a-z]{3,}", word) or word in FUNCTION_WORDS or word not in wordnet.synsets:
                continue
            candidate = Word(row, word, int(count), wordnet.synsets[word], wordnet.tagged[word])
            if candidate.is_ambiguous:
                yield candidate


def draw(candidates: list[Word], each: int, seed: int) -> Iterator[tuple[str, Word]]:
    """Draw from each band in turn with one generator, so that the seed fixes all of them."""
    random = Random(seed)
    for start, end in BANDS:
        band = [word for word in candidates if start <= word.row < end]
        sys.stderr.write(f"rows {start} to {end}: {len(band)} candidates\n")
        for word in sorted(random.sample(band, each)):
            yield f"{start}-{end}", word


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--each", type=int, default=20, help="words per band")
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()

    candidates = list(read_candidates(arguments.vocabulary, WordNet(arguments.wordnet)))
    sys.stdout.write("band\trow\tword\tcount\tsynsets\ttagged\n")
    for band, word in draw(candidates, arguments.each, arguments.seed):
        fields = (band, word.row, word.word, word.count, word.synsets.total(), word.tagged)
        sys.stdout.write("\t".join(map(str, fields)) + "\n")


if __name__ == "__main__":
    main()
