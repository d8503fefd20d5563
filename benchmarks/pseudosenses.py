"""Measure senses by use on pseudowords, and fit how strongly contexts speak for them.

    python benchmarks/pseudosenses.py HELD --train part-0*.txt --held-out held.txt [--ablation] [--json FILE]
    python benchmarks/pseudosenses.py HELD --train part-0*.txt --held-out held.txt --inventory english

HELD is a model of the text in --train with the stages map and atomize, which has not seen --held-out. A pseudoword
joins one to five unrelated words with equal shares of the uses, halving ones, or ones that fall to 1%. The words have
one sense in WordNet and the same part of speech, so each should be found as a sense, and as one: further senses of it
are noise. Senses are found in occurrences of these words in the training text, as `wordatoms observe` does; contexts
from the held-out text, cut to 1, 3, 6, 12 and 40 words, are then given the sense that is likeliest. In every second
pseudoword of three words or more, one word is left out when senses are looked for: its contexts should be answered by
"none of these".

With `--inventory`, the words are those for which a list of senses has one, and the senses are looked for by their cues;
then there is no ablation.

Half of the pseudowords choose the calibration by log loss, the other half gives the figures, with this calibration and
with the one that models come with (`as_shipped`). No test set is used.
`--ablation` measures the method without each of its parts as well, on the same pseudowords, calibrated anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from common import make_parser
from wordatoms.contexts.occurrences import Occurrences, sampled_occurrences
from wordatoms.contexts.reader import make_reader
from wordatoms.paper.wordnet import WordNet
from wordatoms.parallel import one_blas_thread
from wordatoms.run import Run
from wordatoms.senses import observing
from wordatoms.senses.clustering import cluster_vectors, paired_f_score, v_measure
from wordatoms.senses.inventory import Inventory, read_inventory
from wordatoms.senses.listed import ListReader, find_listed_senses
from wordatoms.senses.observing import (
    ANY_FORM,
    Background,
    ListedSenses,
    context_sums,
    find_senses,
    learn_background,
    near_views,
)
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.posterior import softmax, to_unit
from wordatoms.senses.uses import LISTED_CALIBRATION, Calibration
from wordatoms.text.corpus import open_corpus

LENGTHS = (1, 3, 6, 12, 40)
N_PARTS = (1, 2, 3, 4, 5)
FALLS = (1.0, 0.5, 0.3)
"""Each part has this share of the uses of the one before it."""
SPEECH = ("n", "n", "a")
"""The part of speech of the words of a pseudoword, in turn."""
ROWS = range(400, 25_000)
"""Rows of the vocabulary that words are drawn from."""
LEAST_PART = 0.01
MOST_COSINE = 0.25
N_TRAIN, N_TEST, FEWEST = 900, 12, 150
P_NONE = 0.1
"""Weight of the contexts of the word that was left out, among all contexts of a pseudoword."""
LEAST_EVIDENCE = 0.07
"""The loss hardly depends on smaller values, with which a single function word would say something."""
LEAST_SHOWN = 0.03
"""Senses with a smaller share of the contexts are not shown by default."""
ABLATIONS: dict[str, dict[str, Any]] = {
    "no candidates but the atoms of the code": {"LEAST_RATIO": np.inf},
    "senses that no use confirms are kept": {"LEAST_LIFT": 0.0, "NONE_COSINE": -1.0},
    "no merging": {"MOST_SIMILAR": np.inf},
    "merging by correlation above .3 alone": {"VIEWS": {}, "MOST_SIMILAR": 0.3},
    "v_s is the atom that names the sense": {},
    "contexts at length 1, fixed shares": {},
}
"""The method without each of its parts, by the values in `wordatoms.senses.observing` or, for the last two, here."""
ATOMS_ONLY, LENGTH_1 = [*ABLATIONS][-2:]


@dataclass(frozen=True, eq=False)
class Tried:
    """A pseudoword, its senses, and its held-out contexts."""

    shares: NDArray[np.float64]
    """Of the words."""
    left_out: int
    """The word whose sense is not known, or -1."""
    vectors: NDArray[np.float32]
    """Of the senses."""
    prior: NDArray[np.float64]
    owners: NDArray[np.intp]
    """The word that most contexts of each sense come from."""
    found: tuple[bool, ...]
    """Whether each word is the owner of a sense that has a quarter of its contexts or more."""
    n_shown: int
    """Senses that would be shown."""
    n_extra: int
    """Those beyond one for each word, among them senses of which no word has half of the contexts."""
    sums: dict[int, NDArray[np.float32]]
    """Held-out contexts by length, as sums over their words without the mean."""
    labels: NDArray[np.intp]
    weights: NDArray[np.float64]
    by_code: NDArray[np.float32]
    """The longest held-out contexts as their products with the atoms of the codes and whole, as models without uses
    compare them."""


class Bench:
    """Draws pseudowords and finds their senses."""

    without: str = ""
    """The part that is left out."""

    def __init__(
        self,
        parts: ModelParts,
        rows: dict[int, str],
        train: Occurrences,
        held_out: Occurrences,
        background: Background,
        inventory: Inventory | None = None,
    ) -> None:
        self.parts, self.train, self.held_out, self.background = parts, train, held_out, background
        self.reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
        self.lists = ListReader(inventory or Inventory(()), parts.words, parts.rows, self.reader, background.mean)
        self.rows = [
            row for row in rows if len(train.of(row).windows) >= FEWEST and len(held_out.of(row).windows) >= N_TEST
        ]
        self.speech = np.array([rows[row] for row in self.rows])
        self.units = to_unit(np.asarray(parts.embeddings.vectors)[self.rows])

    def draw_all(self, n: int, seed: int) -> list[Tried]:
        return list(self.draw(n, np.random.default_rng(seed)))

    def draw(self, n: int, rng: np.random.Generator) -> Iterator[Tried]:
        for number in range(n):
            n_parts = N_PARTS[number % len(N_PARTS)]
            chosen = self._unrelated(n_parts, SPEECH[number // len(N_PARTS) % len(SPEECH)], rng)
            shares = np.maximum(FALLS[number // len(N_PARTS) % len(FALLS)] ** np.arange(n_parts), LEAST_PART)
            leaves_out = n_parts >= 3 and number // (len(N_PARTS) * len(FALLS)) % 2 == 1
            yield self._try(chosen, shares / shares.sum(), int(rng.integers(1, n_parts)) if leaves_out else -1)

    def _unrelated(self, n_parts: int, speech: str, rng: np.random.Generator) -> list[int]:
        pool = np.flatnonzero(self.speech == speech)
        while True:
            places = rng.choice(pool, n_parts, replace=False)
            cosines = self.units[places] @ self.units[places].T
            if (cosines - np.eye(n_parts)).max() < MOST_COSINE:
                return [self.rows[place] for place in places]

    def _try(self, rows: list[int], shares: NDArray[np.float64], left_out: int) -> Tried:
        seen = [number for number in range(len(rows)) if number != left_out]
        sizes = {number: max(round(float(shares[number]) * N_TRAIN), 4) for number in seen}
        parts = [self.train.of(rows[number]).windows[: sizes[number]] for number in seen]
        labels = np.repeat(seen, list(map(len, parts)))
        windows = _without(np.concatenate(parts), rows)
        units = to_unit(self._sums(windows))
        atoms = {atom for number in seen for atom in self.parts.atoms.codes.positive(rows[number])}
        equal = np.full(len(units), 1 / len(units))
        if len(self.lists.inventory):
            forms = np.full(len(units), ANY_FORM)
            senses = find_listed_senses(units, forms, equal, self._listed(rows, seen), self.background)
        else:
            senses = find_senses(units, near_views(self.reader, windows), equal, atoms, self.background)
        if self.without == ATOMS_ONLY:
            named = np.where(senses.atoms[:, None] >= 0, self.background.atoms[senses.atoms], senses.vectors)
            senses = senses._replace(vectors=np.asarray(named, np.float32))
        chosen = senses.assign(units, ANY_FORM).argmax(axis=1)
        table = np.zeros((len(senses.vectors) + 1, len(rows)))
        np.add.at(table, (chosen, labels), 1)
        table = table[:-1]
        purity, owners = table.max(axis=1) / np.maximum(table.sum(axis=1), 1), table.argmax(axis=1)
        found = [
            bool(table[(owners == number) & (purity >= 0.5), number].sum() >= 0.25 * (labels == number).sum())
            for number in seen
        ]
        shown = (table.sum(axis=1) >= LEAST_SHOWN * len(labels)) & ~senses.is_general
        tests = [self.held_out.of(row).windows[:N_TEST] for row in rows]
        test_labels = np.repeat(np.arange(len(rows)), list(map(len, tests)))
        windows = _without(np.concatenate(tests), rows)
        p_words = shares.copy()
        if left_out >= 0:
            p_words = np.where(np.arange(len(rows)) == left_out, P_NONE, shares / (1 - shares[left_out]) * (1 - P_NONE))
        return Tried(
            shares,
            left_out,
            senses.vectors,
            senses.shares / senses.shares.sum(),
            owners,
            tuple(found),
            int(shown.sum()),
            int(shown.sum()) - len(set(owners[shown & (purity >= 0.5)].tolist())),
            {length: self._sums(_cut(windows, length)) for length in LENGTHS},
            test_labels,
            (p_words / np.bincount(test_labels))[test_labels],
            self._views_by_code(sorted(atoms), windows),
        )

    def _listed(self, rows: list[int], seen: list[int]) -> ListedSenses:
        """The listed senses of the words of a pseudoword that are not left out."""
        found = [self.lists((rows[number],)) for number in seen]
        cues = np.concatenate([each.cues for each in found if each])
        return ListedSenses(
            tuple(self.parts.words[rows[number]] for number in seen), cues, np.full(len(cues), ANY_FORM)
        )

    def _views_by_code(self, atoms: list[int], windows: NDArray[np.int32]) -> NDArray[np.float32]:
        units = to_unit(self.reader.vectors(windows))
        seen = units @ np.asarray(self.parts.atoms.vectors[atoms]).T / np.sqrt(max(len(atoms), 1))
        return np.concatenate([seen, self.parts.reading.rest * units], axis=1)

    def _sums(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        return context_sums(self.reader, windows, self.background.mean)


def _without(windows: NDArray[np.int32], rows: Sequence[int]) -> NDArray[np.int32]:
    return np.where(np.isin(windows, rows), -1, windows).astype(np.int32)


def _cut(windows: NDArray[np.int32], length: int) -> NDArray[np.int32]:
    """Keep the `length` words around the target."""
    middle, before = windows.shape[1] // 2, (length + 1) // 2
    cut = np.full_like(windows, -1)
    kept = slice(max(middle - before, 0), middle + length - before)
    cut[:, kept] = windows[:, kept]
    return cut


def p_senses(tried: Tried, length: int, fitted: Calibration, typical: float) -> NDArray[np.float64]:
    """Return the probability of each sense, and last that of none, (n, n_senses + 1); see `SenseUses.p_senses`."""
    sums = tried.sums[length]
    contexts = sums / np.sqrt((sums**2).sum(axis=1, keepdims=True) + (fitted.evidence * typical) ** 2)
    lengths = np.linalg.norm(contexts, axis=1, keepdims=True)
    prior = np.maximum(tried.prior, 1e-3) ** (1 - fitted.yielding * lengths)
    prior *= (1 - fitted.none_share) / prior.sum(axis=1, keepdims=True)
    logits = np.empty((len(contexts), len(tried.vectors) + 1))
    logits[:, :-1] = fitted.scale * contexts @ tried.vectors.T + np.log(prior)
    logits[:, -1:] = fitted.scale * fitted.none_cosine * lengths + np.log(fitted.none_share)
    return softmax(logits)


def p_words(tried: Tried, length: int, fitted: Calibration, typical: float) -> NDArray[np.float64]:
    """Return the probability of each word of a pseudoword, and last that of none of its senses, (n, n_words + 1)."""
    given = p_senses(tried, length, fitted, typical)
    found = np.zeros((len(given), len(tried.shares) + 1))
    np.add.at(found.T, np.append(tried.owners, len(tried.shares)), given.T)
    return found


def answers(items: Sequence[Tried], fitted: Calibration, typical: float) -> dict[int, dict[str, NDArray[Any]]]:
    """Return, by length, for all contexts: p of the right answer, p of the answer given, whether it is right, …"""
    found: dict[int, dict[str, list[Any]]] = {
        length: {"true": [], "top": [], "right": [], "none": [], "is_none": [], "weight": []} for length in LENGTHS
    }
    for tried, length in product(items, LENGTHS):
        p = p_words(tried, length, fitted, typical)
        target = np.where(tried.labels == tried.left_out, len(tried.shares), tried.labels)
        own = found[length]
        own["true"].append(p[np.arange(len(p)), target])
        own["top"].append(p.max(axis=1))
        own["right"].append(p.argmax(axis=1) == target)
        own["none"].append(p[:, -1])
        own["is_none"].append(tried.labels == tried.left_out)
        own["weight"].append(tried.weights / tried.weights.sum())
    return {length: {name: np.concatenate(parts) for name, parts in own.items()} for length, own in found.items()}


def log_loss(items: Sequence[Tried], fitted: Calibration, typical: float) -> float:
    found = answers(items, fitted, typical).values()
    return float(np.mean([np.average(-np.log(np.maximum(own["true"], 1e-6)), weights=own["weight"]) for own in found]))


def fit(items: Sequence[Tried], typical: float, *, fixed_length: bool) -> Calibration:
    """Find the numbers with the least log loss; with `fixed_length`, contexts count alike whatever they hold."""
    from scipy.optimize import minimize

    names = [each.name for each in fields(Calibration)]
    positive = np.array([name in ("scale", "evidence", "none_share") for name in names])

    def calibration(numbers: NDArray[np.float64]) -> Calibration:
        found = dict(zip(names, np.where(positive, np.exp(numbers), numbers).tolist(), strict=True))
        if fixed_length:
            return Calibration(**{**found, "evidence": 1e-9, "yielding": 0.0})
        return Calibration(**{**found, "evidence": max(found["evidence"], LEAST_EVIDENCE)})

    start = np.array([*asdict(Calibration()).values()])
    start = np.where(positive, np.log(np.maximum(start, 1e-9)), start)
    best = minimize(
        lambda numbers: log_loss(items, calibration(numbers), typical),
        start,
        method="Nelder-Mead",
        options={"maxfev": 300, "xatol": 0.01, "fatol": 1e-4},
    )
    return calibration(np.round(best.x, 3))


def figures(own: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Accuracy, expected calibration error, area under the curve for none, and the reliability diagram."""
    from sklearn.metrics import roc_auc_score

    bins = np.minimum((own["top"] * 10).astype(int), 9)
    weight = own["weight"] / own["weight"].sum()
    diagram = [
        (
            float(weight[bins == k].sum()),
            float(np.average(own["top"][bins == k], weights=weight[bins == k])),
            float(np.average(own["right"][bins == k], weights=weight[bins == k])),
        )
        for k in range(10)
        if (bins == k).any()
    ]
    return {
        "right": float(np.average(own["right"], weights=weight)),
        "right_equal_weights": float(own["right"].mean()),
        "calibration_error": float(sum(share * abs(p - right) for share, p, right in diagram)),
        "none_area": float(roc_auc_score(own["is_none"], own["none"], sample_weight=weight)),
        "none_area_equal_weights": float(roc_auc_score(own["is_none"], own["none"])),
        "wrong_above_0.9": float(weight[(own["top"] > 0.9) & ~own["right"]].sum()),
        "reliability": diagram,
    }


def inventory(items: Sequence[Tried]) -> dict[str, Any]:
    """How many words were found as senses, by their share of the uses, and how many senses mix words."""
    known = [tried.shares[np.arange(len(tried.shares)) != tried.left_out] for tried in items]
    pairs = [
        (share, ok)
        for tried, shares in zip(items, known, strict=True)
        for share, ok in zip(shares, tried.found, strict=True)
    ]
    bands = {"below 3%": (0, 0.03), "3% to 12%": (0.03, 0.12), "above 12%": (0.12, 2)}
    found = {name: [ok for share, ok in pairs if low <= share < high] for name, (low, high) in bands.items()}
    n_shown = sum(tried.n_shown for tried in items)
    return {
        "found": {name: (float(np.mean(each)), len(each)) for name, each in found.items()},
        "shown_per_word": n_shown / len(pairs),
        "extra": sum(tried.n_extra for tried in items) / n_shown,
    }


def pairs_and_clusters(items: Sequence[Tried], fitted: Calibration, typical: float) -> dict[str, Any]:
    """How well pairs of contexts are told apart, and contexts put together, by what they are compared by.

    For each way: the area under the ROC curve of cosines, same word against different ones; √(F·V) of as many clusters
    as there are words; the same with an automatic number. Contexts are drawn in proportion to the shares.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    areas: dict[str, list[float]] = {}
    clusters: dict[str, list[tuple[float, ...]]] = {}
    cosines, same = [], []
    for tried in items:
        if len(tried.shares) < 2 or tried.left_out >= 0:
            continue
        chosen = _in_proportion(tried)
        first, second = np.triu_indices(len(chosen), 1)
        labels = tried.labels[chosen]
        is_same = labels[first] == labels[second]
        for name, rows in _compared(tried, fitted, typical).items():
            units = to_unit(rows[chosen])
            products = (units @ units.T)[first, second]
            areas.setdefault(name, []).append(roc_auc_score(is_same, products))
            found = [cluster_vectors(rows[chosen], k, n_starts=4) for k in (len(tried.shares), "auto")]
            scores = [score(labels, each) for each in found for score in (paired_f_score, v_measure)]
            clusters.setdefault(name, []).append(tuple(scores))
            if name == "context and senses by use":
                cosines.append(products)
                same.append(is_same)
    line = LogisticRegression(C=1e6).fit(np.concatenate(cosines)[:, None], np.concatenate(same))
    means = {name: np.mean(scores, axis=0) for name, scores in clusters.items()}
    return {
        "ways": {
            name: {
                "area": float(np.mean(areas[name])),
                "clusters": float(np.sqrt(f * v)),
                "clusters_k_auto": float(np.sqrt(auto_f * auto_v)),
            }
            for name, (f, v, auto_f, auto_v) in means.items()
        },
        "same_sense": {"slope": float(line.coef_[0, 0]), "offset": float(line.intercept_[0])},
    }


def _in_proportion(tried: Tried) -> NDArray[np.intp]:
    """Contexts of each word in proportion to its share, two or more of each."""
    wanted = np.maximum(np.rint(tried.shares / tried.shares.max() * N_TEST), 2).astype(int)
    return np.concatenate([np.flatnonzero(tried.labels == number)[:n] for number, n in enumerate(wanted)])


def _compared(tried: Tried, fitted: Calibration, typical: float) -> dict[str, NDArray[np.float32]]:
    contexts = to_unit(tried.sums[LENGTHS[-1]])
    meant = to_unit(p_senses(tried, LENGTHS[-1], fitted, typical)[:, :-1] @ tried.vectors)
    return {
        "context": contexts,
        "atoms of the code": tried.by_code,
        "senses by use": meant,
        "context and senses by use": np.concatenate([contexts, meant], axis=1),
        "atoms of the code and senses by use": np.concatenate([to_unit(tried.by_code), meant], axis=1),
    }


def words_with_one_sense(words: Sequence[str], wordnet: WordNet) -> dict[int, str]:
    """Rows of nouns and adjectives with a single sense in WordNet, which are no forms of other words."""
    found = {}
    for row in ROWS:
        if row < len(words) and re.fullmatch("[a-z]{4,}", words[row]):
            synsets = wordnet.synsets(words[row])
            bases = [re.sub("(ies|es|s|ed|ing)$", end, words[row]) for end in ("", "y", "e")]
            is_form = any(base != words[row] and wordnet.synsets(base) for base in bases)
            if len(synsets) == 1 and not is_form and words[row] in synsets[0].lemmas:
                found[row] = synsets[0].pos.replace("s", "a")
    return found


def words_with_one_listed_sense(words: Sequence[str], inventory: Inventory, wordnet: WordNet) -> dict[int, str]:
    """Rows of words with a single sense in a list, and the part of speech of their first sense in WordNet."""
    found = {}
    for row in ROWS:
        listed = inventory.of(words[row]) if row < len(words) else ()
        synsets = wordnet.synsets(words[row]) if len(listed) == 1 else ()
        if synsets and len(listed[0].cues) > 4:
            found[row] = synsets[0].pos.replace("s", "a")
    return found


def measure(
    items: Sequence[Tried], typical: float, shipped: Calibration, *, fixed_length: bool = False
) -> dict[str, Any]:
    """Choose the calibration on half of the pseudowords; return it with the figures of the other half.

    They are given with the calibration that models come with as well.
    """
    block = len(N_PARTS) * len(FALLS)
    order = [n // (2 * block) % 2 for n in range(len(items))]
    choosing, checking = ([item for item, half in zip(items, order, strict=True) if half == k] for k in (0, 1))
    fitted = fit(choosing, typical, fixed_length=fixed_length)
    return {
        "calibration": asdict(fitted),
        "n_pseudowords": [len(choosing), len(checking)],
        "inventory": inventory(items),
        "pairs_and_clusters": pairs_and_clusters(checking, fitted, typical),
        "by_length": {length: figures(own) for length, own in answers(checking, fitted, typical).items()},
        "as_shipped": {length: figures(own) for length, own in answers(checking, shipped, typical).items()},
    }


def main() -> None:
    parser = make_parser(__doc__, pseudowords=300, seed=0, threads=2)
    parser.add_argument("model", type=Path)
    parser.add_argument("--train", type=Path, nargs="+", required=True)
    parser.add_argument("--held-out", type=Path, nargs="+", required=True)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--inventory", help="list of senses, such as english")
    parser.add_argument("--ablation", action="store_true", help="also measure without each part of the method")
    given = parser.parse_args()
    parts = ModelParts(given.model)
    counts = np.asarray(parts.embeddings.counts)
    listed = read_inventory(given.inventory) if given.inventory else Inventory(())
    if listed:
        rows = words_with_one_listed_sense(parts.words, listed, WordNet(given.wordnet))
    else:
        rows = words_with_one_sense(parts.words, WordNet(given.wordnet))
    shipped = LISTED_CALIBRATION if listed else Calibration()
    run = Run(threads=given.threads)
    with TemporaryDirectory() as folder, one_blas_thread():
        work = Path(folder)
        common: dict[str, Any] = {
            "window": parts.reading.window,
            "tokenizer": parts.tokenizer,
            "work": work,
            "run": run,
        }
        wanted = np.full(len(counts), 1 << 50)
        wanted[[*rows]] = counts[[*rows]]
        train = open_corpus(given.train, work=work, threads=given.threads)
        held = open_corpus(given.held_out, work=work, threads=given.threads)
        some = np.maximum(counts * 20, 1)  # a few of every word, for the random contexts
        with (
            sampled_occurrences(train, parts.words, wanted, n_most=900, **common) as of_train,
            sampled_occurrences(held, parts.words, some, n_most=600, **common) as of_any,
            sampled_occurrences(
                held, parts.words, np.where(wanted < 1 << 50, counts // 40 + 1, 1 << 50), n_most=40, **common
            ) as of_held,
        ):
            reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
            background = learn_background(reader, np.asarray(parts.atoms.vectors), of_any)
            bench = Bench(parts, rows, of_train, of_held, background, listed)
            items = bench.draw_all(given.pseudowords, given.seed)
            ablation = {}
            for name in ABLATIONS if given.ablation else ():
                bench.without = name
                with ExitStack() as stack:
                    for constant, value in ABLATIONS[name].items():
                        stack.enter_context(patch.object(observing, constant, value))
                    tried = bench.draw_all(given.pseudowords, given.seed)
                ablation[name] = measure(tried, background.typical_length, shipped, fixed_length=name == LENGTH_1)
    found = measure(items, background.typical_length, shipped)
    if given.ablation:
        found["ablation"] = ablation
    print(json.dumps(found, indent=2))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
