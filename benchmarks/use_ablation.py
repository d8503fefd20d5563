"""What each part of senses by use brings on the tests of the paper and on our own sentences.

    python benchmarks/use_ablation.py MODEL --text CORPUS/*.txt --data DATA --sentences SENTENCES [--seeds 0 1 2]

The senses of the words of SCWS, of SemEval-2010, of the lineup and of our own sentences, with their forms, are found
anew as `wordatoms observe` finds them, with one part of the method left out at a time; MODEL needs the stages map and
atomize. With several seeds, the whole method is measured with another sample of occurrences for each: the spread that
chance alone makes. Nothing is chosen here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from common import make_parser, show
from wordatoms.contexts.occurrences import Occurrences, sampled_occurrences
from wordatoms.contexts.reader import make_reader
from wordatoms.paper.tasks.lineup.data import load_testbed
from wordatoms.paper.tasks.lineup.evaluate import Setting, evaluate_lineup
from wordatoms.paper.tasks.lineup.methods import atoms_method, uses_method
from wordatoms.paper.tasks.scws import methods as scws
from wordatoms.paper.tasks.scws.evaluate import evaluate_scws, read_scws
from wordatoms.paper.tasks.wsi import methods as wsi
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi, method_name
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.pipeline.observe import collect_uses
from wordatoms.run import Run
from wordatoms.senses import listed, observing
from wordatoms.senses.families import FamilySenses, MemberUses, Observer, word_families
from wordatoms.senses.inventory import Inventory, read_inventory
from wordatoms.senses.listed import UNLISTED_SIMILAR, ListReader
from wordatoms.senses.model import SenseModel
from wordatoms.senses.observing import Background, learn_background
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.uses import SenseUses
from wordatoms.text.corpus import open_corpus

sys.path.append(str(Path(__file__).parents[1] / "tools"))
from add_sentences import Sentence, read_all, read_sentences

N_OCCURRENCES = 500
WHOLE, NO_LIST, BY_CODE = "the whole method", "without the list", "by code, without uses"
ATOMS_ONLY, LENGTH_1 = "v_s is the atom that names the sense", "contexts at length 1, fixed shares"
CONSTANTS: dict[str, dict[str, float]] = {
    "senses are their cues, whatever the contexts say": {"ANCHOR": 1e6},
    "cues are only where the search begins": {"ANCHOR": 1e-6},
    "senses that are listed twice are not joined": {"LISTED_MOST_SIMILAR": np.inf},
    "senses that no use confirms are kept": {
        "LEAST_LISTED_LIFT": 0.0,
        "LEAST_LISTED_SHARE": 0.0,
        "LEAST_LISTED_OCCURRENCES": 0,
    },
}
"""Parts of the method that a constant of `wordatoms.senses.listed` or `observing` switches off."""
VARIANTS = (WHOLE, *CONSTANTS, ATOMS_ONLY, LENGTH_1, NO_LIST, BY_CODE)
WSI_KS = (3, "auto")


@dataclass(frozen=True)
class Tests:
    """The tests, read once."""

    scws: tuple[Any, ...]
    semeval: tuple[Any, ...]
    lineup: Any
    sentences: Sequence[Sentence]

    @property
    def words(self) -> set[str]:
        pairs = {word.lower() for pair in self.scws for word in (pair.word1, pair.word2)}
        return pairs | {each.lemma for each in self.semeval} | {*self.lineup} | {each.word for each in self.sentences}

    def score(self, model: SenseModel) -> dict[str, Any]:
        by_use = model.uses is not None
        return {**self._scws(model), **self._semeval(model, by_use=by_use), **self._lineup(model, by_use=by_use)} | (
            self._sentences(model) if by_use else {}
        )

    def _scws(self, model: SenseModel) -> dict[str, float]:
        (method,) = (each for each in scws.our_methods(model) if each.name == scws.OURS)
        row = evaluate_scws(self.scws, [method]).scores[0].row
        return {"scws": row["spearman_all_pairs"], "scws, same word": row["same_word"]}

    def _semeval(self, model: SenseModel, *, by_use: bool) -> dict[str, float]:
        kind = wsi.BY_USE if by_use else wsi.OURS
        wanted = {method_name(kind, k): f"semeval, k {k}" for k in WSI_KS}
        methods = [each for each in wsi.our_methods(model) if each.name in wanted]
        found = evaluate_wsi(self.semeval, methods, random_ks=())
        return {wanted[each.method.name]: each.row["AVG"] for each in found.scores if each.method.name in wanted}

    def _lineup(self, model: SenseModel, *, by_use: bool) -> dict[str, float]:
        method = uses_method(model) if by_use else atoms_method(model)
        headline = Setting(20, 4)
        found = evaluate_lineup(self.lineup, {"ours": method}, headline=headline).figures["ours"][headline]
        return {"lineup, precision": found.precision, "lineup, recall": found.recall}

    def _sentences(self, model: SenseModel) -> dict[str, float]:
        readings = list(read_all(model, self.sentences))
        known = [each for each in readings if each.sense >= 0]
        return {
            "sentences right": float(np.mean([each.is_right for each in readings])),
            "… of those whose sense it has": float(np.mean([each.is_right for each in known] or [0])),
        }


class Bench:
    """Finds the senses of the words of the tests, with parts of the method left out."""

    def __init__(self, parts: ModelParts, occurrences: Occurrences, background: Background, words: set[str]) -> None:
        self.parts, self.occurrences, self.background = parts, occurrences, background
        self.reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
        self.families = word_families(parts.words, parts.forms)
        rows = {parts.rows[word] for word in words if word in parts.rows}
        self.wanted = [number for number, family in enumerate(self.families) if not rows.isdisjoint(family)]

    def uses(self, inventory: Inventory, run: Run) -> SenseUses:
        lists = ListReader(inventory, self.parts.words, self.parts.rows, self.reader, self.background.mean)
        observer = Observer(
            self.reader,
            self.occurrences,
            self.background,
            lambda row: self.parts.atoms.codes.positive(row),
            lists,
            UNLISTED_SIMILAR if len(inventory) else None,
        )
        with one_blas_thread():
            observed = run_threads(lambda number: observer.observe(self.families[number]), self.wanted, run.n_threads)
        found = dict(zip(self.wanted, observed, strict=True))
        senses = [
            found.get(number) or _unseen(family, self.parts.embeddings.dim)
            for number, family in enumerate(self.families)
        ]
        return collect_uses(senses, self.families, self.reader, self.background, run)


def _unseen(family: Sequence[int], dim: int) -> FamilySenses:
    """A family without senses, of words that no test asks for."""
    nothing = [np.zeros(0, kind) for kind in (np.int32, np.float32, np.int32)]
    members = (MemberUses(row, *nothing, 0, np.zeros((0, 2, 2), np.int64)) for row in family)
    return FamilySenses(np.zeros((0, dim), np.float32), nothing[0], np.zeros(0, np.bool_), (), tuple(members))


def with_uses(path: Path, uses: SenseUses | None) -> SenseModel:
    """The model of a folder with other senses by use than it has, or without any."""
    model = SenseModel(path)
    model.parts.__dict__["uses"] = uses  # in place of what the cached property would load
    return model


def variants(bench: Bench, inventory: Inventory, run: Run) -> Iterator[tuple[str, Callable[[], SenseUses | None]]]:
    """Yield each variant with the function that finds its senses."""
    for name in VARIANTS:
        yield name, lambda name=name: _variant(name, bench, inventory, run)


def _variant(name: str, bench: Bench, inventory: Inventory, run: Run) -> SenseUses | None:
    if name == BY_CODE:
        return None
    with _constants(CONSTANTS.get(name, {})):
        uses = bench.uses(Inventory(()) if name == NO_LIST else inventory, run)
    if name == LENGTH_1:
        return replace(uses, calibration=replace(uses.calibration, evidence=1e-9, yielding=0.0))
    if name == ATOMS_ONLY:
        atoms = np.asarray(bench.parts.atoms.vectors, np.float32)
        return replace(uses, stored=np.where(uses.atoms[:, None] >= 0, atoms[uses.atoms], uses.vectors()))
    return uses


@contextmanager
def _constants(values: Mapping[str, float]) -> Iterator[None]:
    with ExitStack() as stack:
        for name, value in values.items():
            for module in (listed, observing):
                if hasattr(module, name):
                    stack.enter_context(patch.object(module, name, value))
        yield


def measure(given: Any) -> dict[str, Any]:
    parts, run = ModelParts(given.model), Run(threads=given.threads)
    tests = Tests(
        read_scws(given.data, parts.tokenizer),
        read_semeval(given.data, parts.tokenizer),
        load_testbed(None),
        read_sentences(given.sentences) if given.sentences else [],
    )
    found: dict[str, Any] = {"variants": {}, "seeds": {}}
    for seed in given.seeds:
        with sampled(parts, tests.words, given.text, seed, run) as bench:
            inventory = read_inventory(given.inventory)
            for name, find in variants(bench, inventory, run):
                if seed == given.seeds[0] or name == WHOLE:
                    scores = tests.score(with_uses(given.model, find()))
                    found["seeds" if name == WHOLE else "variants"][seed if name == WHOLE else name] = scores
                    print(seed, name, scores, file=sys.stderr, flush=True)
    return found


@contextmanager
def sampled(parts: ModelParts, words: set[str], text: Sequence[Path], seed: int, run: Run) -> Iterator[Bench]:
    """Sample occurrences of words and their forms, and random contexts."""
    counts = np.asarray(parts.embeddings.counts)
    families = word_families(parts.words, parts.forms)
    rows = {parts.rows[word] for word in words if word in parts.rows}
    wanted = np.full(len(counts), 1 << 50)  # so large a count means: hardly any occurrence of the word
    for family in families:
        if not rows.isdisjoint(family):
            wanted[list(family)] = counts[list(family)]
    with TemporaryDirectory() as folder:
        work = Path(folder)
        common = {"window": parts.reading.window, "tokenizer": parts.tokenizer, "work": work, "run": run}
        some = open_corpus(text[:: max(1, len(text) // 4)], work=work, threads=run.n_threads)
        everything = open_corpus(text, work=work, threads=run.n_threads)
        with (
            sampled_occurrences(some, parts.words, counts * 4, n_most=100, random_state=seed, **common) as of_any,
            sampled_occurrences(
                everything, parts.words, wanted, n_most=N_OCCURRENCES, random_state=seed, **common
            ) as occurrences,
        ):
            reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
            atoms = np.asarray(parts.atoms.vectors, np.float32)
            with one_blas_thread():
                background = learn_background(reader, atoms, of_any, random_state=seed)
            yield Bench(parts, occurrences, background, words)


def main() -> None:
    parser = make_parser(__doc__, threads=2)
    parser.add_argument("model", type=Path)
    parser.add_argument("--text", type=Path, nargs="+", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--inventory", default="english", help="list of senses (default english)")
    parser.add_argument("--sentences", type=Path, help="TSV of our own sentences, as tools/add_sentences.py reads it")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    given = parser.parse_args()
    show(measure(given), given.json)


if __name__ == "__main__":
    main()
