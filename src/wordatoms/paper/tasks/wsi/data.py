"""SemEval-2010 task 14, word sense induction: its words with their instances, and its two scores (Section 6.1).

The folder holds the texts (`nouns/*.n.xml`, `verbs/*.v.xml`) and the senses (`all.key`). A text says in which sentence
the target stands, not which token it is. It is the one in a form of the word, of the right part of speech; where the
sentence has several, the task has as a rule a copy of the text for each of them, in their order, and so the second
copy is about the second one. Fewer than 1 instance in 100 stays open; the first form (or the last) is taken there.

The scores are as the task's own programs print them. F counts pairs of instances that are in one cluster, and there an
instance that is alone in its cluster makes a pair with itself. Of several weighted senses the heaviest counts.

Left out: the task's supervised evaluation, which the paper does not use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.paper.tasks.datasets import join_contractions, parse_number, read_fields, read_text, task_folder
from wordatoms.senses.clustering import paired_f_score, v_measure
from wordatoms.text.files import printable
from wordatoms.text.tokenizer import Tokenizer

PARTS = {"n": "nouns", "v": "verbs"}
"""Parts of speech and their folders."""
_UNIVERSAL_PARTS = {"n": "NOUN", "v": "VERB"}
_RARE_FORMS = {"lie": ("lain", "lah"), "figure": ("figger", "figgered")}
"""Forms in the texts, some of them dialect, that lemminflect does not know."""
_SENTENCE = "TargetSentence"
_PLAIN = Tokenizer()

Key = Mapping[str, Mapping[str, str]]
"""The sense, or cluster, of each instance of each word."""


class Instance(NamedTuple):
    """One text with a word to be told the sense of."""

    name: str
    """Such as "access.n.15"."""
    usage: Usage
    sense: str
    """What people decided."""


@dataclass(frozen=True)
class WsiWord:
    """A word and its instances, in the order of its file."""

    lemma: str
    pos: str
    """Its part of speech, n or v."""
    instances: tuple[Instance, ...]

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def name(self) -> str:
        return f"{self.lemma}.{self.pos}"

    @property
    def usages(self) -> list[Usage]:
        return [instance.usage for instance in self.instances]

    @property
    def senses(self) -> list[str]:
        return [instance.sense for instance in self.instances]


# --- reading


def read_semeval(data: Path, tokenizer: Tokenizer | None = None) -> tuple[WsiWord, ...]:
    """All words of the task, nouns first, from its folder or the folder that holds `semeval2010`."""
    folder = task_folder(data, "semeval2010")
    paths = word_files(folder)
    gold = read_key(folder / "all.key")
    if without := sorted(gold.keys() - {path.stem for path in paths}):
        raise InputError(f"{_shown(folder)} has no texts of {without[0]}, which all.key names; get the data set again.")
    return tuple(_read_word(path, gold.get(path.stem, {}), tokenizer or Tokenizer()) for path in paths)


def word_files(data: Path) -> list[Path]:
    """The files with the texts of each word, such as `nouns/access.n.xml`, nouns first."""
    folder = task_folder(data, "semeval2010")
    found = [path for pos, part in PARTS.items() for path in sorted((folder / part).glob(f"*.{pos}.xml"))]
    paths = [path for path in found if re.fullmatch(r"[^.]+\.[nv]\.xml", path.name)]
    if not paths:
        raise InputError(
            f"{_shown(folder)} holds no nouns/*.n.xml and verbs/*.v.xml; pass the folder of SemEval-2010 task 14."
        )
    return paths


def read_key(path: Path) -> dict[str, dict[str, str]]:
    """The senses in a .key file: lines `word instance sense`, with `sense/weight …` where there are several."""
    key: dict[str, dict[str, str]] = {}
    for number, fields in read_fields(path):
        where = f"{_shown(path)}:{number}"
        if len(fields) < 3 or not fields[1].startswith(f"{fields[0]}."):
            raise InputError(f"{where}: expected `word instance sense` but found {_start(' '.join(fields))}.")
        word, instance, *senses = fields
        if instance in key.setdefault(word, {}):
            raise InputError(f"{where}: {instance} stands on two lines; give each instance once.")
        key[word][instance] = _heaviest(senses, where)
    if not key:
        raise InputError(f"{_shown(path)} is empty; expected lines `word instance sense`.")
    return key


def _heaviest(senses: Sequence[str], where: str) -> str:
    """The sense with the largest weight, the first of several; one without a weight has 1."""
    weighted = [sense.rpartition("/") if "/" in sense else (sense, "/", "1") for sense in senses]
    weights = [parse_number(weight) for _, _, weight in weighted]
    for sense, weight in zip(senses, weights, strict=True):
        if weight is None:
            raise InputError(f"{where}: {_start(sense)} has no number for its weight; expected `sense/weight`.")
    best = max(range(len(senses)), key=lambda i: weights[i] or 0.0)
    return weighted[best][0]


def _read_word(path: Path, gold: Mapping[str, str], tokenizer: Tokenizer) -> WsiWord:
    lemma, pos, _ = path.name.split(".")
    forms, n_copies, instances = _forms(lemma, pos), Counter[tuple[str, ...]](), {}
    for name, parts in _read_texts(path):
        usage = _find_target(parts, forms, n_copies[parts], tokenizer)
        if name in instances or name not in gold:
            wrong = "stands there twice" if name in instances else "has no sense in all.key"
            raise InputError(f"{_shown(path)}: {name} {wrong}; get the data set again.")
        if usage is None:
            raise InputError(f"{_shown(path)}: no form of '{lemma}' stands in the target sentence of {name}.")
        n_copies[parts] += 1
        instances[name] = Instance(name, usage, gold[name])
    if without := sorted(gold.keys() - instances.keys()):
        raise InputError(f"{_shown(path)} has no text of {without[0]}, which all.key names; get the data set again.")
    return WsiWord(lemma, pos, tuple(instances.values()))


def _read_texts(path: Path) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The instances of a file: the name, and the text before, in and after the target sentence."""
    texts = list(_parse_xml(path))
    if not texts:
        raise InputError(f"{_shown(path)} holds no instances; get the data set again.")
    for element in texts:
        if [child.tag for child in element] != [_SENTENCE] or len(element[0]):
            raise InputError(f"{_shown(path)}: {_start(element.tag)} has not one <{_SENTENCE}>; get the file again.")
        yield element.tag, (element.text or "", element[0].text or "", element[0].tail or "")


def _parse_xml(path: Path) -> ElementTree.Element:
    text = read_text(path)
    if "<!" in text:  # such as entities, which may expand without end
        raise InputError(f"{_shown(path)} has declarations or comments, as no file of the task has; get it again.")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{_shown(path)} is not whole XML ({error}); get the file again.") from None


def _forms(lemma: str, pos: str) -> frozenset[str]:
    """The forms of a word as one part of speech, in lower case."""
    from lemminflect import getAllInflections

    inflections = getAllInflections(lemma, upos=_UNIVERSAL_PARTS[pos]).values()
    forms = {lemma, *_RARE_FORMS.get(lemma, ()), *(form for found in inflections for form in found)}
    return frozenset(form.lower() for form in forms)


def _find_target(parts: tuple[str, ...], forms: Collection[str], nth: int, tokenizer: Tokenizer) -> Usage | None:
    """The nth form of the word in the sentence in the middle, or the last; None where there is none.

    A token may be more than a word, by phrases or by a tokenizer that only splits.
    """
    before, sentence, after = (tokenizer.tokens(join_contractions(part)) for part in parts)
    places = [place for place, token in enumerate(sentence) if any(word in forms for word in _PLAIN.words(token))]
    if not places:
        return None
    return Usage((*before, *sentence, *after), len(before) + places[min(nth, len(places) - 1)])


def _shown(path: Path) -> str:
    return printable(str(path))


def _start(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


# --- scoring


class WordScore(NamedTuple):
    """How well a clustering of one word's instances agrees with its senses."""

    word: WsiWord
    f_score: float
    v_measure: float
    n_clusters: int


class WsiScore(NamedTuple):
    """Means over words, weighted by their instances; of the number of clusters, a plain mean."""

    f_score: float
    v_measure: float
    n_clusters: float

    @property
    def average(self) -> float:
        """√(F·V), the geometric mean: each score alone is won by one cluster, or by one for each instance."""
        return float(np.sqrt(self.f_score * self.v_measure))


def score_word(word: WsiWord, clusters: ArrayLike) -> WordScore:
    """Score one cluster label for each instance."""
    labels = np.asarray(clusters)
    if labels.shape != (len(word),):
        raise InputError(
            f"the clusters of {word.name} have the shape {labels.shape}; pass one label for each of its "
            f"{len(word)} instances."
        )
    return WordScore(
        word, paired_f_score(word.senses, labels), v_measure(word.senses, labels), len(set(labels.tolist()))
    )


def score_key(words: Iterable[WsiWord], key: Key) -> list[WordScore]:
    """Score the answers of a .key file."""
    scores = []
    for word in words:
        answers = key.get(word.name, {})
        if without := [instance.name for instance in word.instances if instance.name not in answers]:
            raise InputError(f"the key has no answer to {without[0]} ({len(without)} in all); answer every instance.")
        scores.append(score_word(word, [answers[instance.name] for instance in word.instances]))
    return scores


def mean_score(scores: Iterable[WordScore], pos: str | None = None) -> WsiScore | None:
    """Over all words, or those of a part of speech; None where there are none."""
    chosen = [score for score in scores if pos in (None, score.word.pos)]
    if not chosen:
        return None
    n_instances = [len(score.word) for score in chosen]
    return WsiScore(
        float(np.average([score.f_score for score in chosen], weights=n_instances)),
        float(np.average([score.v_measure for score in chosen], weights=n_instances)),
        float(np.mean([score.n_clusters for score in chosen])),
    )
