"""Settle how an encoder reads along (`wordatoms.senses.second_eye`), on pseudowords of held-out text and on WordNet.

    python benchmarks/encoder.py ENCODER TEXT… [--check TEXT…] [--page docs/results/encoder.md] [--json FILE]

ENCODER is a folder with model.onnx and tokenizer.json, TEXT held-out text with a paragraph on each line. A pseudoword
joins two to five words of one part of speech, with equal shares of its contexts or falling ones. A third of them join
unrelated words, a third related ones, a third close ones; a third each have 40, 80 and 140 contexts. What the encoder
sees in the place of the word is the same for all contexts of a pseudoword, so that it cannot see which word it was: all
its words beside each other ("joint"), or the mask of the tokenizer ("mask").

A pseudoword is no real word, and an encoder sees less in it than in a word that it knows. So a second measure has
words as they are: the examples of WordNet, whose senses are finer. It is the area under the ROC curve of the
similarities of two examples of a word, same synset against different ones. And words with a single synset show what is
torn apart that should not be.

Printed are clusters (√(F·V), the mean of k = 2 to 5, and k auto), the rule for k auto by how close the words are, with
`--check` also on pseudowords of other text; WordNet; senses in contexts of several lengths with prototypes of 1 and 5
examples: accuracy, log loss and calibration error (15 bins), with and without the encoder; and how near the vectors
that are induced from clusters are to those of the words. No test set is read. With --page the tables between the marks
in the page are replaced.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import wordatoms as wa
from common import make_parser, show, table_line, write_page
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.induced_map import find_contexts
from wordatoms.contexts.usages import Usage, find_usages
from wordatoms.encoder import encoder as encoder_module
from wordatoms.encoder.encoder import Encoder, Pieces, load_encoder
from wordatoms.paper.wordnet import WordNet
from wordatoms.run import Run
from wordatoms.senses import merging, second_eye
from wordatoms.senses.clustering import cluster_vectors, paired_f_score, v_measure
from wordatoms.senses.merging import merge_clusters
from wordatoms.senses.posterior import softmax, to_unit
from wordatoms.senses.second_eye import Prototypes, SecondEye, centred
from wordatoms.text.spans import Passage

SHARES = ((1, 1), (1, 0.5, 0.3), (1, 0.3), (1, 1, 1), (1, 0.6, 0.3, 0.2), (1, 0.5, 0.25, 0.12, 0.06))
LEAST_CONTEXTS, MOST_ROW = 60, 20_000
LEVELS = {"unrelated": (-1.0, 0.15), "related": (0.2, 0.5), "close": (0.4, 0.8)}
"""Cosines between the words of a pseudoword, without the mean of all words."""
SIZES = (40, 80, 140)
"""Contexts of a pseudoword."""
MIDDLE = 80
N_SINGLE = 24
SENTENCE_END = re.compile(r"[.!?][\"')]*\s+(?=[A-Z])")
MOST_SIDE = 400
"""Characters of a context on each side, at most the sentence of the word and one more."""
KS = (2, 3, 4, 5)
LENGTHS = (3, 8, 400)
"""Words on each side of thin contexts; the last are whole."""
N_SHOWN = (1, 5)
Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pseudo:
    """A pseudoword and its contexts."""

    words: tuple[str, ...]
    shares: Array
    usages: list[Usage]
    labels: Array
    level: str
    size: int


@dataclass(frozen=True, eq=False)
class Text:
    """Lines with the places of frequent words."""

    lines: Sequence[str]
    places: Mapping[str, Sequence[int]]

    @classmethod
    def read(cls, model: wa.SenseModel, paths: Sequence[Path], most: int) -> Text:
        found = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if len(line) > 200]
        chosen = np.random.default_rng(0).permutation(len(found))[:most]
        lines = [found[place] for place in sorted(chosen.tolist())]
        places: dict[str, list[int]] = defaultdict(list)
        eligible = {word for word in model.words[300:MOST_ROW] if word.isalpha() and len(word) > 2}
        for number, line in enumerate(lines):
            for word in eligible.intersection(model.tokenizer.tokens(line)):
                places[word].append(number)
        return cls(lines, {word: places[word] for word in sorted(places) if len(places[word]) >= LEAST_CONTEXTS})


def collect(model: wa.SenseModel, text: Text, n: int) -> list[Pseudo]:
    """So many pseudowords of each level and size."""
    speech = parts_of_speech(text.places)
    units = to_unit(model.embeddings.vectors - model.embeddings.vectors.mean(axis=0))
    return [
        pseudo
        for seed, (level, size) in enumerate(product(LEVELS, SIZES))
        for pseudo in _draw(model, text, speech, units, level, size, n, np.random.default_rng(seed))
    ]


def _draw(
    model: wa.SenseModel,
    text: Text,
    speech: Mapping[str, str],
    units: Array,
    level: str,
    size: int,
    n: int,
    rng: np.random.Generator,
) -> list[Pseudo]:
    least, most = LEVELS[level]
    made: list[Pseudo] = []
    free = list(rng.permutation([*speech]))
    while len(made) < n and free:
        shares = SHARES[len(made) % len(SHARES)]
        words = [free.pop()]
        for word in rng.permutation(free):
            cosines = [float(units[model.row(word)] @ units[model.row(other)]) for other in words]
            is_form = any(word in model.forms(other) for other in words)
            if speech[word] == speech[words[0]] and least < min(cosines) <= max(cosines) < most and not is_form:
                words.append(word)
            if len(words) == len(shares):
                made.append(make(model, tuple(words), np.array(shares), text, level, size, rng))
                free = [word for word in free if word not in words]
                break
    return made


def single_words(model: wa.SenseModel, text: Text) -> list[Pseudo]:
    """Words as they are that have one synset in WordNet."""
    wordnet, rng = WordNet(), np.random.default_rng(0)

    def n_synsets(word: str) -> int:
        return sum(
            len(wordnet.synsets(base, part)) for part in "nvar" for base in {word, *wordnet.base_forms(word, part)}
        )

    single = [word for word in text.places if n_synsets(word) == 1]
    words = rng.permutation(single)[:N_SINGLE].tolist()
    return [
        make(model, (word,), np.ones(1), text, "single", SIZES[number % len(SIZES)], rng)
        for number, word in enumerate(words)
    ]


def parts_of_speech(words: Iterable[str]) -> dict[str, str]:
    """Words that are nouns or verbs alone, by their senses in WordNet."""
    wordnet = WordNet()
    found = {}
    for word in words:
        parts = {
            part: sum(len(wordnet.synsets(base, part)) for base in {word, *wordnet.base_forms(word, part)})
            for part in "nvar"
        }
        best = max(parts, key=lambda part: parts[part])
        if best in "nv" and parts[best] >= 0.8 * sum(parts.values()) > 0:
            found[word] = best
    return found


def make(
    model: wa.SenseModel,
    words: tuple[str, ...],
    shares: Array,
    text: Text,
    level: str,
    size: int,
    rng: np.random.Generator,
) -> Pseudo:
    shares = shares / shares.sum()
    usages, labels = [], []
    for number, (word, share) in enumerate(zip(words, shares.tolist(), strict=True)):
        n = min(max(round(share * size), 2), len(text.places[word]))
        for line in rng.permutation(text.places[word])[:n].tolist():
            passage = next(u for u in find_usages(word, text.lines[line], model.tokenizer) if u.form == word).passage
            shown, start = near(passage)
            span = (start, start + passage.end - passage.start)
            usages.append(Usage.from_text(shown, span=span, tokenizer=model.tokenizer))
            labels.append(number)
    return Pseudo(words, shares, usages, np.array(labels), level, size)


def near(passage: Passage) -> tuple[str, int]:
    """The sentence of a word and the ones beside it, and where the word begins in them."""
    ends = [found.end() for found in SENTENCE_END.finditer(passage.text)]
    before, after = [end for end in ends if end <= passage.start], [end for end in ends if end >= passage.end]
    first = max(before[-2] if len(before) > 1 else 0, passage.start - MOST_SIDE)
    last = min(after[1] if len(after) > 1 else len(passage.text), passage.end + MOST_SIDE)
    return passage.text[first:last], passage.start - first


def disguise(usage: Usage, placeholder: str) -> Passage:
    """What the encoder sees: the placeholder in the place of the word."""
    text, start, end = usage.passage
    return Passage(text[:start] + placeholder + text[end:], start, start + len(placeholder))


def thin(usage: Usage, n: int, tokenizer: wa.Tokenizer) -> Usage:
    """The same usage with so many words on each side."""
    text, start, end = usage.passage
    before, after = text[:start].split(" ")[-n - 1 :], text[end:].split(" ")[: n + 1]
    head = " ".join(before)
    return Usage.from_text(
        head + text[start:end] + " ".join(after), span=(len(head), len(head) + end - start), tokenizer=tokenizer
    )


# --- clusters


def own_views(model: wa.SenseModel, pseudo: Pseudo) -> Array:
    """Our view of the contexts, by the atoms of the pseudoword's mean vector."""
    vector = pseudo.shares @ to_unit(np.stack([model.embeddings[word] for word in pseudo.words]))
    codes = sparse_code(to_unit(vector[None]), model.atoms.vectors, sparsity=model.atoms.codes.sparsity, threads=1)
    reader, forms = model.posterior.reader, {form for word in pseudo.words for form in model.forms(word)}
    return model.posterior.views(codes.positive(0), reader.vectors(reader.windows(pseudo.usages, forms)))


def average(views: Sequence[Array], pseudos: Sequence[Pseudo], cluster: Callable[[Array], Array]) -> float:
    scores = [
        (paired_f_score(each.labels, found), v_measure(each.labels, found))
        for each, view in zip(pseudos, views, strict=True)
        for found in [cluster(view)]
    ]
    return 100 * float(np.sqrt(np.prod(np.mean(scores, axis=0))))


def by_k(views: Sequence[Array], pseudos: Sequence[Pseudo], cluster: Callable[..., Array]) -> dict[str, float]:
    means = [average(views, pseudos, partial(cluster, k=k)) for k in KS]
    return {
        "k 2 to 5": round(float(np.mean(means)), 1),
        "auto": round(average(views, pseudos, partial(cluster, k="auto")), 1),
    }


def joint_states(eye: SecondEye, pseudo: Pseudo, placeholder: str = "") -> Array:
    """The states of a placeholder in the contexts of a pseudoword; by default all its words beside each other."""
    shown = placeholder or " ".join(sorted(pseudo.words))
    return eye.encoder.states([disguise(usage, shown) for usage in pseudo.usages], run=eye.run)[:, -1]


def clusters(model: wa.SenseModel, eye: SecondEye, pseudos: Sequence[Pseudo]) -> dict[str, dict[str, float]]:
    own = [to_unit(own_views(model, each)) for each in pseudos]
    mask = "[MASK]" if eye.encoder.tokenizer.token_to_id("[MASK]") is not None else "<mask>"
    states = [joint_states(eye, each) for each in pseudos]
    seen = [view(to_unit(each)) for each in states]
    joint = [np.concatenate(pair, axis=1) for pair in zip(own, seen, strict=True)]
    middle = [each for each in pseudos if each.size == MIDDLE]
    masked = [view(to_unit(joint_states(eye, each, mask))) for each in middle]
    found = {
        "ours, k-means": by_k(own, pseudos, cluster_vectors),
        "ours, merged": by_k(own, pseudos, merge_clusters),
        "encoder, joint": by_k(seen, pseudos, merge_clusters),
        "encoder, joint, lengths kept": by_k([view(each) for each in states], pseudos, merge_clusters),
        f"encoder, joint, {MIDDLE} contexts": by_k(
            [view for view, each in zip(seen, pseudos, strict=True) if each.size == MIDDLE], middle, merge_clusters
        ),
        f"encoder, mask, {MIDDLE} contexts": by_k(masked, middle, merge_clusters),
        "both, k-means": by_k(joint, pseudos, cluster_vectors),
        "both, merged": by_k(joint, pseudos, merge_clusters),
    }
    for weight in (0.5, 0.7, 1.4):
        weighted = [np.concatenate([a, weight * b], axis=1) for a, b in zip(own, seen, strict=True)]
        found[f"both, weight {weight}"] = by_k(weighted, pseudos, merge_clusters)
    for name, values in {"NEIGHBOUR_SHARE": (0, 0.3, 0.5, 0.9), "N_NEIGHBOURS": (5, 20)}.items():
        for value in values:
            with patch.object(merging, name, value):
                found[f"both, {name} {value}"] = by_k(joint, pseudos, merge_clusters)
    return found


def variants(model: wa.SenseModel, eye: SecondEye, pseudos: Sequence[Pseudo]) -> dict[str, dict[str, float]]:
    """Clusters of both views with other windows, fewer dimensions, and one subword in the place of their mean."""
    own = [to_unit(own_views(model, each)) for each in pseudos]
    shown = [
        [disguise(usage, " ".join(sorted(each.words))) for usage in each.usages] for each in pseudos
    ]  # a placeholder has several subwords
    as_it_is = [eye.encoder.states(passages, run=eye.run)[:, -1] for passages in shown]
    ways = {"as it is": as_it_is}
    plain = replace(eye.encoder, cache=None)
    for n in (16, 32):
        with patch.object(encoder_module, "N_AROUND", n):
            ways[f"{n} subwords on each side"] = [plain.states(each, run=eye.run)[:, -1] for each in shown]
    for name, place in (("first", 0), ("last", -1)):
        with patch.object(Encoder, "_pieces", _one_piece(Encoder._pieces, place)):
            ways[f"the {name} subword alone"] = [plain.states(each, run=eye.run)[:, -1] for each in shown]
    found = {}
    for name, states in ways.items():
        views = [view(to_unit(each)) for each in states]
        found[name] = by_k(_joined(own, views), pseudos, merge_clusters)
    views = [view(to_unit(each)) for each in as_it_is]
    for n in (16, 48):
        reduced = [to_unit(each @ np.linalg.svd(each, full_matrices=False)[2][:n].T) for each in views]
        found[f"{n} main dimensions of the usages of a word"] = by_k(_joined(own, reduced), pseudos, merge_clusters)
    return found


def _joined(own: Sequence[Array], views: Sequence[Array]) -> list[Array]:
    return [np.concatenate(pair, axis=1) for pair in zip(own, views, strict=True)]


def _one_piece(cut: Callable[..., list[Pieces]], place: int) -> Callable[..., list[Pieces]]:
    """Cut passages as `cut` does, with one subword of the word in the place of all."""

    def pieces(encoder: Encoder, passages: Sequence[Passage]) -> list[Pieces]:
        chosen = ((each, (each.first, each.last - 1)[place]) for each in cut(encoder, passages))
        return [each._replace(first=at, last=at + 1) for each, at in chosen]

    return pieces


RULES = [(cut, least) for cut in (0.85, 0.9, 0.95) for least in (0.0, 0.6, 0.65, 0.7, 0.75, 0.8)]


def rules(
    model: wa.SenseModel, eye: SecondEye, pseudos: Sequence[Pseudo], single: Sequence[Pseudo]
) -> dict[str, dict[str, float]]:
    """k auto with other values of CUT and LEAST_DISTANCE, by how close the words of a pseudoword are."""

    def joint(each: Pseudo) -> Array:
        seen = view(to_unit(joint_states(eye, each)))
        return np.concatenate([to_unit(own_views(model, each)), seen], axis=1)

    views = [(each, joint(each)) for each in pseudos]
    whole = [(each, eye.joint_views(model.views(each.words[0], each.usages), each.usages)) for each in single]
    found = {}
    for cut, least in RULES:
        with patch.object(merging, "CUT", cut), patch.object(merging, "LEAST_DISTANCE", least):
            labels = [(each, merge_clusters(rows, "auto")) for each, rows in views]
            row: dict[str, float] = {"all": _average(labels), "clusters": _mean_k(labels)}
            row |= {level: _average([pair for pair in labels if pair[0].level == level]) for level in LEVELS}
            if whole:
                labels = [(each, merge_clusters(rows, "auto")) for each, rows in whole]
                row["one sense, F"] = round(
                    100 * float(np.mean([paired_f_score(each.labels, found) for each, found in labels])), 1
                )
                row["one sense, clusters"] = _mean_k(labels)
            found[f"CUT {cut}, LEAST_DISTANCE {least}"] = row
    return found


def _average(labels: Sequence[tuple[Pseudo, Array]]) -> float:
    scores = [(paired_f_score(each.labels, found), v_measure(each.labels, found)) for each, found in labels]
    return round(100 * float(np.sqrt(np.prod(np.mean(scores, axis=0)))), 1)


def _mean_k(labels: Sequence[tuple[Pseudo, Array]]) -> float:
    return round(float(np.mean([found.max() + 1 for _, found in labels])), 1)


# --- induced vectors


def induced(model: wa.SenseModel, eye: SecondEye, pseudos: Sequence[Pseudo]) -> dict[str, dict[str, float]]:
    """How near the vectors induced from clusters are to those of a pseudoword's words, and how many words are found.

    Each word is compared with the nearest of the induced vectors; it is found if it is among its ten nearest words.
    """
    learned, units = model.induced_map, to_unit(model.embeddings.vectors)
    sif = learned.sif(model.embeddings, model.tokenizer)
    scores: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for each in pseudos:
        contexts = find_contexts(each.words[0], each.usages, sif, window=learned.window)
        own = to_unit(own_views(model, each))
        joint = np.concatenate([own, view(to_unit(joint_states(eye, each)))], axis=1)
        n = len(each.words)
        ways = {
            "all contexts": np.zeros(len(contexts), np.intp),
            "clusters of ours, k auto": cluster_vectors(own, "auto"),
            "clusters of both, k auto": merge_clusters(joint, "auto"),
            "clusters of ours, true k": cluster_vectors(own, n),
            "clusters of both, true k": merge_clusters(joint, n),
            "the words themselves": each.labels,
        }
        rows = [model.row(word) for word in each.words]
        for name, labels in ways.items():
            groups = [[contexts[place] for place in np.flatnonzero(labels == k)] for k in range(labels.max() + 1)]
            usable = [group for group in groups if any(group)]
            vectors = to_unit(np.stack([learned.induce(sif, group) for group in usable]))
            cosines = vectors @ units.T
            ranks = [int((cosines > cosines[:, row, None]).sum(axis=1).min()) for row in rows]
            scores[name] += [
                (float(cosines[:, row].max()), float(rank < 10), len(usable))
                for row, rank in zip(rows, ranks, strict=True)
            ]
    return {
        name: dict(zip(("cosine", "found", "vectors"), np.round(np.mean(each, axis=0), 3).tolist(), strict=True))
        for name, each in scores.items()
    }


def view(states: Array) -> Array:
    return centred(states, [""] * len(states))


# --- WordNet


def wordnet_examples(model: wa.SenseModel, most: int) -> Iterator[tuple[list[Usage], list[int]]]:
    """Examples of nouns and verbs with two synsets or more, and the synset of each."""
    wordnet = WordNet()
    lemmas = [(lemma, part) for part in "nv" for lemma in wordnet.lemmas(part) if lemma in model.parts.rows]
    n = 0
    for lemma, part in np.random.default_rng(0).permutation(lemmas).tolist():
        forms = model.usage_forms(lemma)
        usages, synsets = [], []
        for number, synset in enumerate(wordnet.synsets(lemma, part)):
            for text in synset.examples:
                found = find_usages(lemma, text, model.tokenizer, forms=forms)
                if len(text.split()) > 3 and len(found) == 1:
                    usages += found
                    synsets.append(number)
        if len(set(synsets)) > 1 and len(set(synsets)) < len(synsets):
            yield usages, synsets
            n += 1
        if n == most:
            return


def wordnet_areas(model: wa.SenseModel, eye: SecondEye, most: int) -> dict[str, float]:
    from sklearn.metrics import roc_auc_score

    areas: dict[str, list[float]] = defaultdict(list)
    for usages, synsets in wordnet_examples(model, most):
        states = eye.encoder.states([usage.passage for usage in usages])[:, -1]
        own, forms = to_unit(model.views(usages[0].form, usages)), [usage.form for usage in usages]
        views = {"ours": own, "encoder, lengths kept": view(states), "encoder, no mean": to_unit(states)}
        for occurrences in (5, 10, 20, 1000):
            with patch.object(second_eye, "FORM_OCCURRENCES", occurrences):
                views[f"encoder, form {occurrences}"] = centred(to_unit(states), forms)
        for weight in (0.5, 1, 1.5, 2):
            views[f"both, weight {weight}"] = np.concatenate([own, weight * views["encoder, form 20"]], axis=1)
        first, second = np.triu_indices(len(synsets), 1)
        same = np.array(synsets)[first] == np.array(synsets)[second]
        if same.any() and not same.all():
            for name, found in views.items():
                areas[name].append(roc_auc_score(same, (found @ found.T)[first, second]))
    return {name: round(float(np.mean(found)), 3) for name, found in areas.items()}


# --- senses in contexts


def own_chances(model: wa.SenseModel, pseudo: Pseudo, usages: Sequence[Usage]) -> Array:
    """The probability of each word of a pseudoword by our reading, from the senses of all its words."""
    readers = [model.by_use(word, method="uses") for word in pseudo.words]
    forms = {form for word in pseudo.words for form in model.forms(word)}
    first = readers[0]
    assert first is not None
    contexts = first.uses.evidence(first.reader, first.reader.windows(usages, forms))
    senses = {use.sense: use for each in readers if each for use in each.senses}
    shares = np.array(
        [
            [dict(zip((u.sense for u in each.senses), each.prior, strict=True)).get(sense, 0) for sense in senses]
            for each in readers
            if each
        ]
    )
    shares = shares / shares.sum(axis=1, keepdims=True) * pseudo.shares[:, None]
    p_senses = first.uses.p_senses([*senses.values()], contexts, np.tile(shares.sum(axis=0), (len(usages), 1)))[:, :-1]
    chances = p_senses @ (shares / np.maximum(shares.sum(axis=0), 1e-12)).T + 1e-6
    return chances / chances.sum(axis=1, keepdims=True)


def in_contexts(model: wa.SenseModel, eye: SecondEye, pseudos: Sequence[Pseudo]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    halves = {"chosen on": pseudos[::2], "checked on": pseudos[1::2]}
    rng = np.random.default_rng(0)
    drawn = {id(each): rng.permutation(len(each.labels)) for each in pseudos}
    for length, (half, chosen) in product(LENGTHS, halves.items()):
        items = [_readings(model, eye, each, drawn[id(each)], length) for each in chosen]
        for n_shown, weight in product(N_SHOWN, (0, 1, 2, 3, 4, 6)):
            scores = [score for item in items for score in _scores(item, n_shown, weight)]
            name = f"{length} words, {n_shown} examples, weight {weight}, {half}"
            found[name] = _summary(np.array(scores))
    return found


def _readings(model: wa.SenseModel, eye: SecondEye, pseudo: Pseudo, order: Array, length: int) -> dict[str, Any]:
    """Our probabilities, the encoder's states, and which contexts are examples, in a random order."""
    usages = [pseudo.usages[place] for place in order]
    short = [thin(usage, length, model.tokenizer) for usage in usages]
    whole, cut = (to_unit(joint_states(eye, replace(pseudo, usages=each))) for each in (usages, short))
    return {"labels": pseudo.labels[order], "own": own_chances(model, pseudo, short), "whole": whole, "cut": cut}


def _scores(item: Mapping[str, Any], n_shown: int, weight: float) -> Iterator[tuple[bool, float, float, bool]]:
    """For each context: is it right, its log loss, the chance of the answer, and is the sense a rare one?"""
    labels = item["labels"]
    shown = np.concatenate([np.flatnonzero(labels == label)[:n_shown] for label in np.unique(labels)])
    rest = np.setdiff1d(
        np.arange(len(labels)),
        np.concatenate([np.flatnonzero(labels == label)[: max(N_SHOWN)] for label in np.unique(labels)]),
    )
    made = Prototypes.of(item["whole"][shown], labels[shown], item["own"].shape[1])
    chances = softmax(np.log(item["own"][rest]) + replace(made, weight=weight).evidence(item["cut"][rest]))
    sizes = np.bincount(labels) / len(labels)
    for p, label in zip(chances, labels[rest], strict=True):
        yield bool(p.argmax() == label), -float(np.log(max(p[label], 1e-12))), float(p.max()), bool(sizes[label] < 0.2)


def _summary(scores: Array) -> dict[str, float]:
    right, loss, chance, rare = scores.T
    bins = np.minimum((chance * 15).astype(int), 14)
    gaps = [abs((right[bins == b]).mean() - chance[bins == b].mean()) * (bins == b).mean() for b in np.unique(bins)]
    return {
        "accuracy": round(float(right.mean()), 3),
        "rare senses": round(float(right[rare > 0].mean()), 3),
        "log loss": round(float(loss.mean()), 3),
        "calibration error": round(float(sum(gaps)), 3),
        "contexts of rare senses": int(rare.sum()),
    }


def tables(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """The lines between the marks of the page, by the name of the mark."""
    contexts = []
    for length, n_shown in product(LENGTHS, N_SHOWN):
        weight = {1: 1, 5: 2}[n_shown]
        own, both = (
            found["in contexts"][f"{length} words, {n_shown} examples, weight {each}, checked on"]
            for each in (0, weight)
        )
        cells = (
            f"{own[name]:.3f} → {both[name]:.3f}"
            for name in ("accuracy", "log loss", "calibration error", "rare senses")
        )
        contexts.append(table_line("all" if length == max(LENGTHS) else length, n_shown, *cells))
    n_rare = own["contexts of rare senses"]
    head = table_line(
        "words on each side", "examples", "accuracy: ours → with encoder", "log loss", "calibration error",
        f"accuracy for rare senses ({n_rare} contexts)",
    )  # fmt: skip
    groups = [
        table_line(name, *(f"{row[part]:.3f}" for part in ("cosine", "found")), f"{row['vectors']:.1f}")
        for name, row in found["induced"].items()
    ]
    views = [table_line(name, row["k 2 to 5"], row["auto"]) for name, row in found["clusters"].items()]
    areas = [table_line(name, f"{area:.3f}".lstrip("0")) for name, area in found["wordnet"].items()]
    other = found.get("k auto, other text", {})
    auto = [
        table_line(
            name.replace("LEAST_DISTANCE", "least distance").replace("CUT", "cut"),
            *(row[part] for part in ("all", *LEVELS, "clusters")),
            *(other.get(name, {}).get(part, "–") for part in ("all", "close")),
            f"{row['one sense, F']} ({row['one sense, clusters']})",
        )
        for name, row in found["k auto"].items()
    ]
    return {
        "views": [table_line("view of pseudowords", "mean of k = 2 to 5", "k auto"), "|---" * 3 + "|", *views],
        "variants": [
            table_line("both views, merged", "mean of k = 2 to 5", "k auto"),
            "|---" * 3 + "|",
            *(table_line(name, row["k 2 to 5"], row["auto"]) for name, row in found["variants"].items()),
        ],
        "areas": [table_line("view", "area"), "|---" * 2 + "|", *areas],
        "rules": [
            table_line(
                "rule", "AVG", *LEVELS, "clusters", "other text: AVG", "close", "words of one sense: F (clusters)"
            ),
            "|---" * 9 + "|",
            *auto,
        ],
        "contexts": [head, "|---" * 6 + "|", *contexts],
        "induced": [table_line("vectors from", "cosine", "found", "vectors"), "|---" * 4 + "|", *groups],
    }


def main() -> None:
    parser = make_parser(__doc__, pseudowords=6, lemmas=300, lines=60_000, threads=2)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("text", nargs="+", type=Path, help="held-out text, a paragraph on each line")
    parser.add_argument("--check", nargs="+", type=Path, default=[], help="other text, on which the rules are checked")
    parser.add_argument("--page", type=Path, help="page whose tables are replaced")
    given = parser.parse_args()
    model = wa.load(encoder="none")
    eye = SecondEye(model, load_encoder(given.encoder), Run(given.threads))
    text = Text.read(model, given.text, given.lines)
    pseudos = collect(model, text, given.pseudowords)
    middle = [each for each in pseudos if each.size == MIDDLE]
    found = {
        "encoder": given.encoder.name,
        "pseudowords": [" ".join(each.words) for each in pseudos],
        "clusters": clusters(model, eye, pseudos),
        "variants": variants(model, eye, middle),
        "k auto": rules(model, eye, pseudos, single_words(model, text)),
        "in contexts": in_contexts(model, eye, middle),
        "induced": induced(model, eye, middle),
        "wordnet": wordnet_areas(model, eye, given.lemmas),
    }
    if given.check:
        other = collect(model, Text.read(model, given.check, given.lines), given.pseudowords)
        found["k auto, other text"] = rules(model, eye, other, [])
    if given.page:
        write_page(given.page, tables(found))
    show(found, given.json)


if __name__ == "__main__":
    main()
