"""Compare mixes of text, and embedding methods, for the English model.

    python benchmarks/mixes.py equal TEXT -o WORK --data DIR --json docs/results/mixes.json
    python benchmarks/mixes.py methods TEXT -o WORK --data DIR --json docs/results/mixes.json
    python benchmarks/mixes.py full TEXT -o WORK --data DIR --json docs/results/mixes.json
    python benchmarks/mixes.py full-methods TEXT -o WORK --data DIR --json docs/results/mixes.json

TEXT is the folder that `tools/gather_english_text.py` writes. `equal` trains mixes of the same size, `methods` trains
methods on half as much text of all sources in proportion, `full` trains mixes of all the text there is, and
`full-methods` methods on all of it. A mix takes a share of the lines of each source, spread over all of it.

Models are judged in the held-out text of every source, by the same pairs of words for all models of a table. The words
of a pair have similar frequencies in the source and are otherwise drawn at random from the words that all models know.

- told apart: the share of contexts of the two words, without the words, that are nearer to the vector of the right one
- clusters: √(F·V) of two clusters of the contexts of both, seen through the atoms of the pseudoword (`tune` measures
  the same)

Both read contexts with default settings. The sets of word similarity and analogies are shown beside them and do not
choose. `atoms of names` is the share of the atoms half of whose ten nearest words are numbers, names, or in no
dictionary. Models in WORK are used again. Results are added to --json; the table is printed as Markdown, and then how
much better than one of the models each other one tells apart, with the standard error over the pairs.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import describe_machine
from wordatoms.atoms.atoms import Atoms
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.inflection import is_common
from wordatoms.contexts.reader import ReadingSettings, make_reader
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.contexts.windows import windows_of_words
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.embeddings.embeddings import Embeddings, load_words
from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy
from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import embed
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.senses.posterior import to_unit
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import open_corpus
from wordatoms.tuning.choice import Bench
from wordatoms.tuning.pseudowords import MOST_FREQUENT_SHARE, Pseudoword, PseudowordSet

Mix = Mapping[str, float]
Scores = dict[str, Any]

BASE, FULL_BASE = "all in proportion", "all, as they are"
"""The mixes by which methods are compared."""
BOOKS = ("gutenberg", "classics", "novels")
SOURCES = ("wikipedia", "simple", "britannica", *BOOKS)
EQUAL: dict[str, Mix] = {
    "Wikipedia": {"wikipedia": 1},
    "Wikipedia and Simple": {"wikipedia": 0.6, "simple": 0.4},
    BASE: {},
    "Wikipedias, a third of books": {
        "wikipedia": 0.45,
        "simple": 0.1,
        "britannica": 0.12,
        "gutenberg": 0.25,
        "classics": 0.08,
    },
    "books": {"gutenberg": 0.77, "classics": 0.19, "novels": 0.04},
}
"""Shares of the text of one size; none are those of all text."""
FULL: dict[str, Mix] = {
    "Wikipedia": {"wikipedia": 1},
    FULL_BASE: dict.fromkeys(SOURCES, 1),
    "all, books a third": {source: 1 / 3 if source in BOOKS else 1 for source in SOURCES},
}
"""Shares of each source."""
BASES = {"equal": BASE, "full": FULL_BASE, "methods": "pmi", "full-methods": "pmi"}
"""What the other models of each table are compared with by default."""
SIDE_BY_SIDE = (("pmi", "skipgram"), ("pmi", "glove"))

N_PAIRS, N_CONTEXTS = 100, 20
LEAST_LETTERS = 3
BLOCK_WORDS = 10
"""Pairs are drawn within so many words of neighbouring frequency."""
N_NEAREST = 10
HEALTH = {"WS353": "EN-WS-353-ALL", "MEN": "EN-MEN-TR-3k", "SimLex": "EN-SIMLEX-999", "RG65": "EN-RG-65"}


MAX_WORDS, N_ATOMS, DIM = 25_000, 800, 200
"""Smaller than the English model, with one run of k-SVD and a less exact SVD: enough to compare, in an hour."""
PMI = {"oversampling": 2.0, "dim": DIM}
WIDER = {f"pmi, {dim} dimensions": {**PMI, "method": "pmi", "dim": dim} for dim in (300, 400, 600)}
METHODS: dict[str, dict[str, Any]] = {
    "pmi": PMI,
    **WIDER,
    "glove": {"epochs": 15, "dim": DIM},
    "sn": {"epochs": 15, "dim": DIM},
    "skipgram": {"dim": DIM},
}
"""Methods, by their parameters beside the defaults."""
FULL_METHODS: dict[str, dict[str, Any]] = {
    "pmi": PMI,
    **{name: WIDER[name] for name in ("pmi, 300 dimensions", "pmi, 400 dimensions")},
    "glove": METHODS["glove"],
    "skipgram": {"epochs": 1, "dim": DIM},
}
"""On all text; a pass of skip-gram takes twenty minutes."""


# --- mixes


def files_of(text: Path, source: str) -> list[Path]:
    found = sorted(text.glob(f"{source}-*.txt"))
    if not found:
        raise SystemExit(f"{text} has no files {source}-*.txt; make it by tools/gather_english_text.py.")
    return found


def n_bytes(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def write_mix(text: Path, shares: Mix, folder: Path) -> list[Path]:
    """Return the files of a mix: those of a source as they are, or every so many of their lines."""
    files: list[Path] = []
    for source, share in shares.items():
        if share > 1:
            raise SystemExit(f"{text} has too little of {source} for this mix; pass a smaller --megabytes.")
        files += (
            files_of(text, source)
            if share == 1
            else [_sampled(files_of(text, source), share, folder / f"{source}.txt")]
        )
    return files


def _sampled(paths: Sequence[Path], share: float, path: Path) -> Path:
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_suffix(".making")
    number = 0
    with making.open("wb") as out:
        for each in paths:
            with each.open("rb") as lines:
                for line in lines:
                    number += 1
                    if int(number * share) > int((number - 1) * share):
                        out.write(line)
    making.rename(path)
    return path


def equal_shares(text: Path, mix: Mix, megabytes: int) -> Mix:
    """Return the shares of the sources with which a mix has a size."""
    size = megabytes * 1_000_000
    if not mix:
        return dict.fromkeys(SOURCES, size / sum(n_bytes(files_of(text, source)) for source in SOURCES))
    return {source: share * size / n_bytes(files_of(text, source)) for source, share in mix.items()}


# --- models


def train(path: Path, files: Sequence[Path], embedding: Callable[[ModelFolder], None], run: Run) -> ModelFolder:
    started, took = process_time(), path.with_name(f"{path.name}.seconds")
    folder = ModelFolder(path, create=True)
    count(files, folder, CountSettings(max_words=MAX_WORDS), run=run)
    embedding(folder)
    map_contexts(folder, MapSettings(), sources=files, run=run)
    atomize(folder, AtomSettings(n_atoms=N_ATOMS, n_restarts=1), run=run)
    if not took.exists():
        took.write_text(str(round(process_time() - started)))
    sys.stderr.write(f"{path.name}: {took.read_text()} s\n")
    return folder


def seconds(folder: ModelFolder) -> int:
    """Return the processor time that training took, of all threads together."""
    return int(folder.path.with_name(f"{folder.path.name}.seconds").read_text())


def trained(method: str, run: Run, **parameters: Any) -> Callable[[ModelFolder], None]:
    """Return what trains the vectors of a model by a method."""

    def make_vectors(folder: ModelFolder) -> None:
        embed(folder, method, parameters=parameters, run=run)

    return make_vectors


def side_by_side(first: Path, second: Path) -> Callable[[ModelFolder], None]:
    """Return what makes vectors of those of two models, each with a mean length of 1, one behind the other."""

    def make_vectors(folder: ModelFolder) -> None:
        parts = [Embeddings.load(path) for path in (first, second)]
        scaled = [each.vectors / np.linalg.norm(each.vectors, axis=1).mean() for each in parts]
        joined = Embeddings(
            parts[0].words, np.concatenate(scaled, axis=1), parts[0].counts, method="joined", n_tokens=parts[0].n_tokens
        )
        assert parts[0].words == parts[1].words

        def make(forget: Callable[[], None]) -> list[str]:
            with folder.staging() as staged:
                joined.save(staged)
                (staged / "words.txt").unlink()
                return folder.install(staged, forget)

        settings = {"method": "joined", "of": [first.name, second.name]}
        with folder.working():
            if not folder.is_done("embed", settings, force=False):
                folder.build("embed", settings, make)

    return make_vectors


# --- the judge


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Pairs of words in the held-out text of one source, and the contexts of both words."""

    pairs: NDArray[np.int64]
    """Rows of `words` of the judge, (n, 2)."""
    windows: NDArray[np.int32]
    """Of the first word, then of the second, without the words in the middle, (n, 2 * N_CONTEXTS, 2 * window)."""


@dataclass(frozen=True, eq=False)
class Judge:
    """The pairs of words and contexts that judge all models of a table."""

    words: list[str]
    held_out: dict[str, HeldOut]

    @classmethod
    def draw(cls, text: Path, vocabularies: Sequence[Sequence[str]], run: Run) -> Judge:
        known = set(vocabularies[0]).intersection(*vocabularies[1:])
        words = sorted(set().union(*vocabularies))
        usable = {word for word in known if len(word) >= LEAST_LETTERS and word.isalpha() and is_common(word)}
        return cls(words, {name: _draw(text / "held" / f"{name}.txt", words, usable, run) for name in SOURCES})

    def save(self, path: Path) -> None:
        arrays = {f"{name}-{part}": getattr(each, part) for name, each in self.held_out.items() for part in PARTS}
        np.savez_compressed(path, words=np.array(self.words), **arrays)

    @classmethod
    def load(cls, path: Path) -> Judge:
        with np.load(path, allow_pickle=False) as file:
            held_out = {name: HeldOut(*(file[f"{name}-{part}"] for part in PARTS)) for name in SOURCES}
            return cls(file["words"].tolist(), held_out)

    def judge(self, path: Path) -> dict[str, Scores]:
        """Return the scores of a model in the held-out text of each source, and of all of them."""
        embeddings, induced_map = Embeddings.load(path), InducedMap.load(path)
        averages, atoms = ContextAverages.load(path), Atoms.load(path)
        own = {word: row for row, word in enumerate(embeddings.words)}
        to_own = np.array([*(own.get(word, -1) for word in self.words), -1], np.int32)  # the last one for -1
        reader = make_reader(embeddings, induced_map, ReadingSettings())
        scores: dict[str, Scores] = {}
        for source, held_out in self.held_out.items():
            pairs, windows = to_own[held_out.pairs], to_own[held_out.windows]
            both = [*zip(pairs, windows, strict=True)]
            told = [_told_apart(reader.vectors(each), embeddings.vectors[pair]) for pair, each in both]
            made = [
                Pseudoword((int(pair[0]), int(pair[1])), each, _joint_vector(averages, induced_map, pair))
                for pair, each in both
            ]
            bench = Bench(embeddings, induced_map, atoms, PseudowordSet(tuple(made)), ())
            clusters = bench.measure("put together", ReadingSettings())
            by_pair = [round(each, 3) for each in told]
            scores[source] = {"told apart": float(np.mean(told)), "clusters": clusters, "by pair": by_pair}
        means = {name: float(np.mean([each[name] for each in scores.values()])) for name in MEASURES}
        return {**scores, "mean": means}


PARTS = ("pairs", "windows")
MEASURES = ("told apart", "clusters")


def _draw(path: Path, words: list[str], usable: set[str], run: Run) -> HeldOut:
    """Pair words of neighbouring frequency in a text at random."""
    corpus, window = open_corpus([path], work=path.parent), ReadingSettings().window
    counted = build_vocabulary(corpus, min_count=N_CONTEXTS, max_words=None, run=run)
    most = MOST_FREQUENT_SHARE * counted.n_tokens
    ranked = [
        word for word, n in zip(counted.words, counted.counts.tolist(), strict=True) if word in usable and n <= most
    ]
    rng, rows = np.random.default_rng(0), {word: row for row, word in enumerate(words)}
    blocks = [rng.permutation(ranked[start : start + BLOCK_WORDS]) for start in range(0, len(ranked), BLOCK_WORDS)]
    drawn = [
        (rows[first], rows[second]) for block in blocks for first, second in zip(block[::2], block[1::2], strict=False)
    ]
    pairs = np.array([drawn[number] for number in sorted(rng.permutation(len(drawn)).tolist()[: 2 * N_PAIRS])])
    found = windows_of_words(corpus, words, np.unique(pairs), n_windows=N_CONTEXTS, window=window, run=run)
    full = np.array([min(len(found.of(row)) for row in pair) == N_CONTEXTS for pair in pairs.tolist()])
    pairs = pairs[full][:N_PAIRS]  # the same context counts once, so that some words have too few
    around = [without_targets(np.concatenate([found.of(row) for row in pair])) for pair in pairs.tolist()]
    windows = [np.where(np.isin(each, pair), -1, each) for each, pair in zip(around, pairs, strict=True)]
    return HeldOut(pairs, np.stack(windows).astype(np.int32))


def _told_apart(contexts: NDArray[np.float32], vectors: NDArray[np.float32]) -> float:
    nearer = np.argmax(contexts @ to_unit(vectors).T, axis=1)
    return float(np.mean(nearer == np.repeat([0, 1], len(contexts) // 2)))


def _joint_vector(averages: ContextAverages, induced_map: InducedMap, pair: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the induced vector of two words as one: A times the mean over the contexts of both."""
    numbers = averages.n_contexts[pair].astype(np.float64)
    return induced_map.apply(numbers @ averages.averages[pair] / max(numbers.sum(), 1))


def health(path: Path, data: Path) -> dict[str, float]:
    embeddings = Embeddings.load(path)
    similarity = evaluate_similarity(embeddings, data).to_json()["scores"]
    found = {name: similarity[file]["spearman"] for name, file in HEALTH.items()}
    return {**found, "analogies": evaluate_analogy(embeddings, data).to_json()["scores"]["total"]["accuracy"]}


def atoms_of_names(path: Path) -> list[int]:
    """Return the atoms half of whose nearest words are numbers, names, or in no dictionary."""
    atoms, words = Atoms.load(path), load_words(path).words
    nearest = np.asarray(atoms.nearest)[:, :N_NEAREST]
    plain = {row: words[row].isalpha() and is_common(words[row]) for row in np.unique(nearest).tolist()}
    return [atom for atom, near in enumerate(nearest.tolist()) if sum(plain[row] for row in near) <= N_NEAREST // 2]


# --- the tables


def evaluate(folder: ModelFolder, judge: Judge, data: Path) -> Scores:
    """Return the scores of a model, which are kept beside it."""
    kept = folder.path.with_name(f"{folder.path.name}.json")
    if not kept.exists():
        n_atoms = len(Atoms.load(folder.path))
        scores = {
            "held out": judge.judge(folder.path),
            "health": health(folder.path, data),
            "atoms": n_atoms,
            "atoms of names": len(atoms_of_names(folder.path)) / n_atoms,
            "tokens": Embeddings.load(folder.path).n_tokens,
            "processor seconds": seconds(folder),
        }
        kept.write_text(json.dumps(scores))
    found: Scores = json.loads(kept.read_text())
    return found


def write_table(results: Mapping[str, Scores]) -> None:
    """Print a row for each model: told apart / clusters for every source, then the sets that do not choose."""
    header = ["", "tokens", *SOURCES, "mean", *HEALTH, "analogies", "atoms of names", "processor s"]
    rows = [header, ["---"] * len(header)]
    for name, found in results.items():
        held_out = [f"{each['told apart']:.3f} / {each['clusters']:.3f}" for each in found["held out"].values()]
        sets = ["–" if score is None else f"{score:.3f}" for score in found["health"].values()]
        rows.append(
            [
                name,
                f"{found['tokens'] / 1e6:.0f}M",
                *held_out,
                *sets,
                f"{found['atoms of names']:.2f}",
                str(found["processor seconds"]),
            ]
        )
    sys.stdout.write("".join(f"| {' | '.join(row)} |\n" for row in rows))


def write_differences(results: Mapping[str, Scores], base: str) -> None:
    """Print how much better each model tells apart than one of them, in each source and over all."""
    sys.stdout.write(
        f"\n| better than {base} by | {' | '.join((*SOURCES, 'mean'))} |\n{'| --- ' * (len(SOURCES) + 2)}|\n"
    )
    for name in results:
        if name != base:
            by_source = np.array([_difference(results[name], results[base], source) for source in SOURCES])
            mean, error = by_source[:, 0].mean(), np.sqrt((by_source[:, 1] ** 2).sum()) / len(SOURCES)
            cells = [f"{each:+.3f} ± {its_error:.3f}" for each, its_error in (*by_source.tolist(), (mean, error))]
            sys.stdout.write(f"| {' | '.join((name, *cells))} |\n")


def _difference(first: Scores, second: Scores, source: str) -> tuple[float, float]:
    """Return the mean difference over the pairs of words in the text of a source, and its standard error."""
    by_pair = np.subtract(*(each["held out"][source]["by pair"] for each in (first, second)))
    return float(by_pair.mean()), float(by_pair.std(ddof=1) / np.sqrt(len(by_pair)))


def train_mixes(
    table: str, text: Path, work: Path, megabytes: int, run: Run, only: Sequence[str] = ()
) -> dict[str, ModelFolder]:
    mixes = FULL if table == "full" else {name: equal_shares(text, mix, megabytes) for name, mix in EQUAL.items()}
    return {
        name: train(work / table / name, write_mix(text, mix, work / "text" / name), trained("pmi", run, **PMI), run)
        for name, mix in mixes.items()
        if name in (only or mixes)
    }


def train_methods(
    given: Mapping[str, Mapping[str, Any]], files: Sequence[Path], work: Path, run: Run, only: Sequence[str] = ()
) -> dict[str, ModelFolder]:
    """Train methods on the same counts, and models of two of them side by side."""

    def from_counts(name: str, embedding: Callable[[ModelFolder], None]) -> ModelFolder:
        if not (work / name).exists():
            counted = ModelFolder(work / "counts", create=True)
            count(files, counted, CountSettings(max_words=MAX_WORDS), run=run)
            counted.share("count", work / name)
        return train(work / name, files, embedding, run)

    models: dict[str, ModelFolder] = {}
    for name, chosen in given.items():
        if name in (only or given):
            parameters = dict(chosen)
            models[name] = from_counts(name, trained(parameters.pop("method", name), run, **parameters))
    for first, second in SIDE_BY_SIDE:
        if not only or f"{first} and {second}" in only:
            name = f"{first} and {second}"
            models[name] = from_counts(name, side_by_side(work / first, work / second))
    return models


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("equal", "methods", "full", "full-methods"))
    parser.add_argument("text", type=Path)
    parser.add_argument("-o", "--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--megabytes", type=int, default=80, help="text of the mixes of equal size (default 80)")
    parser.add_argument(
        "--only", nargs="+", default=[], help="train these models of the table, and judge them if words are drawn"
    )
    parser.add_argument("--base", help="the model of the table that the others are compared with")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    run = Run(given.threads)
    if given.table == "methods":
        mix = equal_shares(given.text, EQUAL[BASE], given.megabytes // 2)
        files = write_mix(given.text, mix, given.work / "text" / "methods")
        models = train_methods(METHODS, files, given.work / "methods", run, given.only)
    elif given.table == "full-methods":
        files = write_mix(given.text, FULL[FULL_BASE], given.work)
        models = train_methods(FULL_METHODS, files, given.work / "full-methods", run, given.only)
    else:
        models = train_mixes(given.table, given.text, given.work, given.megabytes, run, given.only)
    pairs = given.work / given.table / "judge.npz"
    if given.only and given.table in ("equal", "full") and not pairs.exists():
        return  # words that the models of all mixes know
    if not pairs.exists():
        Judge.draw(given.text, [load_words(folder.path).words for folder in models.values()], run).save(pairs)
    judge = Judge.load(pairs)
    results = {name: evaluate(folder, judge, given.data) for name, folder in models.items()}
    write_table(results)
    if (base := given.base or BASES[given.table]) in results:
        write_differences(results, base)
    if given.json:
        stored = json.loads(given.json.read_text()) if given.json.exists() else {}
        of_table = {**stored.get(given.table, {}), **results} if given.only else results
        stored = {**stored, "machine": describe_machine(), given.table: of_table}
        given.json.write_text(json.dumps(stored, separators=(",", ":")).replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
