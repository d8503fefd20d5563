"""Compare atoms with the topics of latent Dirichlet allocation (LDA), as the paper's remark on topic models invites.

    python benchmarks/topic_models.py TRAIN.txt HELD_OUT.txt [--model MODEL] --json FILE --lists LISTS
    python benchmarks/topic_models.py --judged LISTS --json FILE

LDA (scikit-learn, online) is learned from paragraphs of TRAIN. Both kinds are shown by ten words of one vocabulary:
the words in at least 20 and at most a tenth of these paragraphs that the model knows, the most frequent ones first. A
topic shows its most probable words, an atom its nearest words. Measured for all atoms, and for as many atoms as there
are topics, drawn at random:

- coherence: the mean NPMI of all pairs of the ten words in paragraphs of HELD_OUT; a pair never seen together is -1;
- diversity: the share of different words among all words shown;
- names: `--lists` writes 20 lists of each kind in random order without their origin, as a table with an empty column
  `name`. Fill in a name where you can find one; `--judged` then adds the numbers to the JSON of the first run.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from common import make_parser, show
from wordatoms.senses.model import SenseModel
from wordatoms.text.tokenizer import Tokenizer

N_SHOWN = 10
FEWEST, MOST_SHARE = 20, 0.1
"""Limits for the number of paragraphs with a word of the vocabulary."""
SHORTEST = 30
"""Words in a paragraph."""
N_JUDGED = 20
"""Lists of each kind for the reader."""
Lists = list[list[str]]


def read_paragraphs(path: Path, limit: int | None = None) -> Iterator[list[str]]:
    tokenizer, n_read = Tokenizer(), 0
    with path.open(encoding="utf-8") as file:
        for line in file:
            tokens = tokenizer.tokens(line)
            if len(tokens) >= SHORTEST:
                yield tokens
                n_read += 1
                if n_read == limit:
                    return


def make_vocabulary(paragraphs: Sequence[Sequence[str]], known: set[str], size: int) -> list[str]:
    counts: dict[str, int] = {}
    for tokens in paragraphs:
        for word in set(tokens):
            counts[word] = counts.get(word, 0) + 1
    usable = [word for word, n in counts.items() if FEWEST <= n <= MOST_SHARE * len(paragraphs) and word in known]
    return sorted(usable, key=lambda word: (-counts[word], word))[:size]


def count_words(paragraphs: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> csr_array:
    numbers = {word: number for number, word in enumerate(vocabulary)}
    rows = [[numbers[word] for word in tokens if word in numbers] for tokens in paragraphs]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter((number for row in rows for number in row), np.int32, starts[-1])
    found = csr_array((np.ones(len(columns), np.int32), columns, starts), shape=(len(rows), len(vocabulary)))
    found.sum_duplicates()
    return found


def learn_topics(counts: csr_array, n_topics: int, n_passes: int) -> NDArray[np.float64]:
    from sklearn.decomposition import LatentDirichletAllocation

    lda = LatentDirichletAllocation(
        n_topics, learning_method="online", max_iter=n_passes, batch_size=1024, random_state=0, n_jobs=1
    )
    lda.fit(counts)
    return np.asarray(lda.components_)


def top_words(weights: NDArray[Any], vocabulary: Sequence[str]) -> Lists:
    places = np.argsort(-weights, axis=1, kind="stable")[:, :N_SHOWN]
    return [[vocabulary[place] for place in row] for row in places.tolist()]


def coherences(lists: Lists, counts: csr_array, vocabulary: Sequence[str]) -> NDArray[np.float64]:
    """The mean NPMI of the pairs of each list in paragraphs."""
    columns = (counts > 0).astype(np.int32).tocsc()
    numbers = {word: number for number, word in enumerate(vocabulary)}
    found = []
    for words in lists:
        own = columns[:, [numbers[word] for word in words]]
        together = (own.T @ own).toarray() / counts.shape[0]
        found.append(float(np.mean([npmi(together, one, other) for one, other in combinations(range(N_SHOWN), 2)])))
    return np.array(found)


def npmi(together: NDArray[np.float64], one: int, other: int) -> float:
    both = together[one, other]
    if not both:
        return -1.0
    if both == 1:
        return 1.0
    return float(np.log(both / (together[one, one] * together[other, other])) / -np.log(both))


def describe(lists: Lists, counts: csr_array, vocabulary: Sequence[str]) -> dict[str, float]:
    scores = coherences(lists, counts, vocabulary)
    shown = [word for words in lists for word in words]
    quartiles = np.quantile(scores, [0.25, 0.5, 0.75])
    return {
        "lists": len(lists),
        "coherence": float(scores.mean()),
        **dict(zip(("lower_quartile", "median", "upper_quartile"), map(float, quartiles), strict=True)),
        "diversity": len(set(shown)) / len(shown),
    }


def shuffled(topics: Lists, atoms: Lists) -> list[tuple[str, list[str]]]:
    """Lists of both kinds in random order, with their kind."""
    rng = np.random.default_rng(1)
    kinds = {"topic": topics, "atom": atoms}
    drawn = [
        (kind, lists[place])
        for kind, lists in kinds.items()
        for place in rng.choice(len(lists), min(N_JUDGED, len(lists)), replace=False)
    ]
    return [drawn[place] for place in rng.permutation(len(drawn))]


def write_lists(path: Path, drawn: Sequence[tuple[str, list[str]]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("list", "name"))
        writer.writerows((" ".join(words), "") for _, words in drawn)


def add_names(result: dict[str, Any], judged: Path) -> dict[str, Any]:
    """Add to an earlier result how many lists of each kind got a name."""
    kinds = {each["words"]: each["kind"] for each in result["lists"]}
    with judged.open(encoding="utf-8", newline="") as file:
        rows = [(kinds[row["list"]], bool(row["name"].strip())) for row in csv.DictReader(file, delimiter="\t")]
    names = {
        kind: f"{sum(named for each, named in rows if each == kind)} of {sum(each == kind for each, _ in rows)}"
        for kind in ("atom", "topic")
    }
    return {**result, "named by a reader": names}


def main() -> None:
    parser = make_parser(__doc__, topics=200, passes=3, paragraphs=40_000, words=10_000)
    parser.add_argument("train", type=Path, nargs="?")
    parser.add_argument("held_out", type=Path, nargs="?")
    parser.add_argument("--model", help="a model with atoms (default: the bundled one)")
    parser.add_argument("--lists", type=Path, help="write lists without their origin here")
    parser.add_argument("--judged", type=Path, help="such a table with names filled in")
    given = parser.parse_args()
    if given.judged:
        show(add_names(json.loads(given.json.read_text()), given.judged), given.json)
        return
    model = SenseModel(given.model)
    paragraphs = list(read_paragraphs(given.train, given.paragraphs))
    vocabulary = make_vocabulary(paragraphs, set(model.words), given.words)
    counts = count_words(paragraphs, vocabulary)
    started = perf_counter()
    topics = top_words(learn_topics(counts, given.topics, given.passes), vocabulary)
    seconds = perf_counter() - started
    units = model.learned_from.unit_vectors[model.learned_from.find_rows(vocabulary)]
    atoms = top_words(model.atoms.vectors @ units.T, vocabulary)
    chosen = np.random.default_rng(0).choice(len(atoms), min(len(topics), len(atoms)), replace=False)
    as_many = [atoms[place] for place in chosen]
    held_out = count_words(list(read_paragraphs(given.held_out, given.paragraphs)), vocabulary)
    drawn = shuffled(topics, as_many)
    if given.lists:
        write_lists(given.lists, drawn)
    result = {
        "paragraphs": len(paragraphs),
        "held_out_paragraphs": held_out.shape[0],
        "vocabulary": len(vocabulary),
        "seconds_of_lda": round(seconds, 1),
        "topics of LDA": describe(topics, held_out, vocabulary),
        "as many atoms, drawn at random": describe(as_many, held_out, vocabulary),
        "all atoms": describe(atoms, held_out, vocabulary),
        "lists": [{"kind": kind, "words": " ".join(words)} for kind, words in drawn],
    }
    show(result, given.json)


if __name__ == "__main__":
    main()
