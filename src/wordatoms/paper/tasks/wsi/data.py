"""SemEval-2010 task 14, word sense induction: its words with their instances, and its two scores (Section 6.1).

The folder contains the texts (`nouns/*.n.xml`, `verbs/*.v.xml`) and the senses (`all.key`). A text marks the sentence
of the target, but not the token: the target is a form of the word with the right part of speech. If the sentence has
several, the task usually has one copy of the text for each, in order, so the second copy refers to the second form.
This leaves fewer than 1 instance in 100 ambiguous; the first form (or the last) is used there.

The scores equal those printed by the task's own programs. F counts pairs of instances in the same cluster, where an
instance that is alone in its cluster forms a pair with itself. Of several weighted senses, the heaviest counts.

Left out: the task's supervised evaluation, which the paper does not use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike

from wordatoms.contexts.inflection import TargetForms
from wordatoms.contexts.usages import TextTokens, Usage
from wordatoms.errors import InputError
from wordatoms.paper.tasks.datasets import join_contractions, parse_number, read_fields, read_text, task_folder
from wordatoms.senses.clustering import paired_f_score, v_measure
from wordatoms.text.files import printable
from wordatoms.text.tokenizer import Tokenizer

PARTS = {"n": "nouns", "v": "verbs"}
"""The folder of each part of speech."""
_RARE_FORMS = {
    "lie": ("lah",),
    "figure": ("figger", "figgered"),
    "signal": ("signalling",),
    "swear": ("swore", "swearing"),
}
"""Forms in the texts, some of them dialect, that the dictionary lacks or takes for those of another word."""
_SENTENCE = "TargetSentence"
_PLAIN = Tokenizer()


class Instance(NamedTuple):
    """One text with the target word and its sense."""

    name: str
    """Such as `access.n.15`."""
    usage: Usage
    sense: str
    """The sense that the annotators chose."""


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
    """Read all words of the task, nouns first, from its folder or the folder that contains `semeval2010`."""
    folder = task_folder(data, "semeval2010")
    paths = word_files(folder)
    gold = read_key(folder / "all.key")
    if without := sorted(gold.keys() - {path.stem for path in paths}):
        raise InputError(
            f"{_shown(folder)} has no texts of {without[0]}, which is in all.key; download the data set again."
        )
    return tuple(_read_word(path, gold.get(path.stem, {}), tokenizer or Tokenizer()) for path in paths)


def word_files(data: Path) -> list[Path]:
    """The files with the texts of each word, such as `nouns/access.n.xml`, nouns first."""
    folder = task_folder(data, "semeval2010")
    found = [path for pos, part in PARTS.items() for path in sorted((folder / part).glob(f"*.{pos}.xml"))]
    paths = [path for path in found if re.fullmatch(r"[^.]+\.[nv]\.xml", path.name)]
    if not paths:
        raise InputError(
            f"{_shown(folder)} contains no nouns/*.n.xml and verbs/*.v.xml; pass the folder of SemEval-2010 task 14."
        )
    return paths


def read_key(path: Path) -> dict[str, dict[str, str]]:
    """Read the senses in a .key file: lines `word instance sense`, or `word instance sense/weight …` for several."""
    key: dict[str, dict[str, str]] = {}
    for number, fields in read_fields(path):
        where = f"{_shown(path)}:{number}"
        if len(fields) < 3 or not fields[1].startswith(f"{fields[0]}."):
            raise InputError(f"{where}: expected `word instance sense` but found {_start(' '.join(fields))}.")
        word, instance, *senses = fields
        if instance in key.setdefault(word, {}):
            raise InputError(f"{where}: {instance} occurs twice; list each instance once.")
        key[word][instance] = _heaviest(senses, where)
    if not key:
        raise InputError(f"{_shown(path)} is empty; expected lines `word instance sense`.")
    return key


def _heaviest(senses: Sequence[str], where: str) -> str:
    """The first sense with the largest weight; the default weight is 1."""
    weighted = [sense.rpartition("/") if "/" in sense else (sense, "/", "1") for sense in senses]
    weights = [parse_number(weight) for _, _, weight in weighted]
    for sense, weight in zip(senses, weights, strict=True):
        if weight is None:
            raise InputError(f"{where}: {_start(sense)} has a weight that is not a number; expected `sense/weight`.")
    best = max(range(len(senses)), key=lambda i: weights[i] or 0.0)
    return weighted[best][0]


def _read_word(path: Path, gold: Mapping[str, str], tokenizer: Tokenizer) -> WsiWord:
    lemma, pos, _ = path.name.split(".")
    forms, n_copies, instances = _forms(lemma), Counter[tuple[str, ...]](), {}
    for name, parts in _read_texts(path):
        usage = _find_target(parts, forms, n_copies[parts], tokenizer)
        if name in instances or name not in gold:
            wrong = "occurs twice" if name in instances else "has no sense in all.key"
            raise InputError(f"{_shown(path)}: {name} {wrong}; download the data set again.")
        if usage is None:
            raise InputError(f"{_shown(path)}: the target sentence of {name} has no form of '{lemma}'.")
        n_copies[parts] += 1
        instances[name] = Instance(name, usage, gold[name])
    if without := sorted(gold.keys() - instances.keys()):
        raise InputError(
            f"{_shown(path)} has no text of {without[0]}, which is in all.key; download the data set again."
        )
    return WsiWord(lemma, pos, tuple(instances.values()))


def _read_texts(path: Path) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The name of each instance of a file, and its text before, in and after the target sentence."""
    texts = list(_parse_xml(path))
    if not texts:
        raise InputError(f"{_shown(path)} contains no instances; download the data set again.")
    for element in texts:
        if [child.tag for child in element] != [_SENTENCE] or len(element[0]):
            raise InputError(
                f"{_shown(path)}: {_start(element.tag)} needs exactly one <{_SENTENCE}>; download the file again."
            )
        yield element.tag, (element.text or "", element[0].text or "", element[0].tail or "")


def _parse_xml(path: Path) -> ElementTree.Element:
    text = read_text(path)
    if "<!" in text:  # entities could expand without bound
        raise InputError(f"{_shown(path)} has declarations or comments, unlike the published files; download it again.")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{_shown(path)} is not valid XML ({error}); download the file again.") from None


def _forms(lemma: str) -> TargetForms:
    """The forms of a word, in lower case."""
    return TargetForms(lemma, frozenset([lemma, *_RARE_FORMS.get(lemma, ())]), base=lemma)


def _find_target(parts: tuple[str, ...], forms: Container[str], nth: int, tokenizer: Tokenizer) -> Usage | None:
    """The nth form of the word in the target sentence, or the last one; None if there is none.

    A token may contain several words, in phrases or with a tokenizer that splits at spaces only.
    """
    parts = tuple(map(join_contractions, parts))
    before, sentence, after = map(tokenizer.tokens, parts)
    places = [place for place, token in enumerate(sentence) if any(word in forms for word in _PLAIN.words(token))]
    if not places:
        return None
    text = TextTokens(" ".join(parts), tokenizer, (*before, *sentence, *after))
    return Usage(text, len(before) + places[min(nth, len(places) - 1)])


def _shown(path: Path) -> str:
    return printable(str(path))


def _start(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


# --- scoring


class WordScore(NamedTuple):
    """The agreement between a clustering of one word's instances and their senses."""

    word: WsiWord
    f_score: float
    v_measure: float
    n_clusters: int


class WsiScore(NamedTuple):
    """Means over words, weighted by number of instances; `n_clusters` is a plain mean."""

    f_score: float
    v_measure: float
    n_clusters: float

    @property
    def average(self) -> float:
        """The geometric mean √(F·V); F alone favours a single cluster, V alone one cluster per instance."""
        return float(np.sqrt(self.f_score * self.v_measure))


def score_word(word: WsiWord, clusters: ArrayLike) -> WordScore:
    """Score one cluster label for each instance."""
    labels = np.asarray(clusters)
    if labels.shape != (len(word),):
        raise InputError(
            f"the clusters of {word.name} have shape {labels.shape}; pass one label for each of its "
            f"{len(word)} instances."
        )
    return WordScore(
        word, paired_f_score(word.senses, labels), v_measure(word.senses, labels), len(set(labels.tolist()))
    )


def mean_score(scores: Iterable[WordScore], pos: str | None = None) -> WsiScore | None:
    """The mean over all words, or over those of a part of speech; None if there are none."""
    chosen = [score for score in scores if pos in (None, score.word.pos)]
    if not chosen:
        return None
    n_instances = [len(score.word) for score in chosen]
    return WsiScore(
        float(np.average([score.f_score for score in chosen], weights=n_instances)),
        float(np.average([score.v_measure for score in chosen], weights=n_instances)),
        float(np.mean([score.n_clusters for score in chosen])),
    )
