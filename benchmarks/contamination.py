"""How much of SCWS and SemEval-2010 occurs verbatim in a training text, and that text without it.

    python benchmarks/contamination.py TEXT… --data DATA [-o CLEAN] [--json contamination.json]
    python benchmarks/contamination.py --data DATA --models FULL CLEAN

Tokens are lower-case runs of letters or digits; apostrophes separate them, and the names of brackets (-LRB-) are
dropped, because the test sets are split as treebanks are. A context *occurs* in the text if 20 consecutive tokens of it
stand in one paragraph of the text; it occurs *around the word* if these are the 20 in whose middle the tested word is.
With -o, every file is written to a folder without the paragraphs that share 20 tokens with a context of SCWS, to train
a model on. With --models, models are compared on SCWS by their vectors and maps alone, contexts read with the settings
of the first: the cosine of the words, and our similarity in context without atoms (`evaluate scws` compares models
that have atoms).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common import make_parser, show
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import ReadingSettings, load_reading, make_reader
from wordatoms.contexts.usages import Usage, target_forms
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.tasks.datasets import find_rows
from wordatoms.paper.tasks.scws.evaluate import Method, ScwsPair, evaluate_scws, read_scws
from wordatoms.paper.tasks.scws.methods import cosine_method, cosine_of
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.senses.posterior import to_unit
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import open_corpus
from wordatoms.text.shards import read_blocks
from wordatoms.text.tokenizer import Lexicon, Tokenizer

SCWS, SEMEVAL = "SCWS", "SemEval-2010"
BRACKETS = frozenset(("lrb", "rrb", "lsb", "rsb", "lcb", "rcb"))
APOSTROPHES = ("'", "’")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""An odd number; runs of tokens are compared by the value of a polynomial in it, modulo 2 ** 64."""


@dataclass
class TestSet:
    """The contexts of a test set as runs of tokens, and which of these the text has shown so far."""

    name: str
    contexts: list[NDArray[np.uint64]]
    """The runs of each context, by their values."""
    middles: list[int]
    """The run of each context with the tested word in its middle."""
    runs: NDArray[np.uint64] = field(init=False)
    found: NDArray[np.bool_] = field(init=False)
    n_paragraphs: int = 0

    def __post_init__(self) -> None:
        self.runs = np.unique(np.concatenate(self.contexts))
        self.found = np.zeros(len(self.runs), bool)

    def mark(self, values: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Say which runs of a text are among those of the contexts, and remember these."""
        places = np.minimum(np.searchsorted(self.runs, values), len(self.runs) - 1)
        is_known: NDArray[np.bool_] = self.runs[places] == values
        self.found[places[is_known]] = True
        return is_known

    def summary(self) -> dict[str, Any]:
        shown = [self.found[np.searchsorted(self.runs, runs)] for runs in self.contexts]
        occur = sum(bool(each.any()) for each in shown)
        around = sum(
            bool(each[min(middle, len(each) - 1)])
            for each, middle in zip(shown, self.middles, strict=True)
            if len(each)
        )
        return {
            "contexts": len(self.contexts),
            "occur": occur,
            "share_occur": round(occur / len(self.contexts), 4),
            "occur_around_the_word": around,
            "share_around_the_word": round(around / len(self.contexts), 4),
            "paragraphs": self.n_paragraphs,
        }


def read_sets(data: Path, lexicon: Lexicon, n: int) -> list[TestSet]:
    tokenizer = Tokenizer()
    pairs = read_scws(data, tokenizer)
    usages = {
        SCWS: [usage for pair in pairs for usage in (pair.usage1, pair.usage2)],
        SEMEVAL: [usage for word in read_semeval(data, tokenizer) for usage in word.usages],
    }
    return [
        TestSet(
            name,
            [run_values(encode(usage.tokens, lexicon), n)[0] for usage in found],
            [max(len(encode(usage.tokens[: usage.position], lexicon)) - n // 2, 0) for usage in found],
        )
        for name, found in usages.items()
    ]


def encode(tokens: Iterable[str], lexicon: Lexicon) -> NDArray[np.int32]:
    """The numbers of the tokens of a context, new words added."""
    text = split_apostrophes(" ".join(token for token in tokens if token not in BRACKETS).encode())
    return lexicon.encode(text, grow=True)[:-1].copy()


def split_apostrophes(text: bytes) -> bytes:
    for sign in APOSTROPHES:
        text = text.replace(sign.encode(), b" ")
    return text


def run_values(ids: NDArray[np.int32], n: int) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The values of all runs of n known tokens in one paragraph, and where each begins."""
    n_runs = len(ids) - n + 1
    if n_runs < 1:
        return np.zeros(0, np.uint64), np.zeros(0, np.intp)
    numbers = (ids.astype(np.int64) + 3).astype(np.uint64)
    values = np.zeros(n_runs, np.uint64)
    for place in range(n):
        values = values * FACTOR + numbers[place : place + n_runs]
    breaks = np.concatenate([[0], np.cumsum(ids < 0)])
    starts = np.flatnonzero(breaks[n:] == breaks[:-n])
    return values[starts], starts


def read_text(sources: Sequence[str], work: Path) -> Iterator[tuple[str, bytes]]:
    """The text in blocks of whole lines, each with the name of its file."""
    for shard in open_corpus(sources, work=work).shards:
        for block in read_blocks(shard):
            yield Path(shard.name).name, block


def matched_lines(block: bytes, lexicon: Lexicon, sets: Sequence[TestSet], n: int) -> dict[str, NDArray[np.intp]]:
    """The lines of a block that share a run with each set."""
    ids = lexicon.encode(split_apostrophes(block))
    values, starts = run_values(ids, n)
    line_of = np.cumsum(ids == -1)
    found = {each.name: np.unique(line_of[starts[each.mark(values)]]) for each in sets}
    for each in sets:
        each.n_paragraphs += len(found[each.name])
    return found


def without_lines(block: bytes, dropped: NDArray[np.intp]) -> bytes:
    lines = block.split(b"\n")
    for line in dropped:
        lines[line] = b""
    return b"\n".join(lines)


def compare_models(models: Sequence[Path], data: Path) -> dict[str, Any]:
    """Spearman's correlation over all pairs of SCWS for each model."""
    settings, pairs = load_reading(ModelFolder(models[0])), read_scws(data)
    return {model.name: compare_words(model, pairs, settings) for model in models}


def compare_words(model: Path, pairs: Sequence[ScwsPair], settings: ReadingSettings) -> dict[str, Any]:
    embeddings = Embeddings.load(model)
    reader = make_reader(embeddings, InducedMap.load(model), settings)

    def in_context(word: str, usage: Usage) -> NDArray[np.float32]:
        """The word's own vector and its context's; the context's alone if the word is unknown."""
        around = to_unit(reader.vectors(reader.windows([usage], target_forms(word.lower(), Tokenizer()))))[0]
        row = find_rows(embeddings, [word])[0]
        own = to_unit(embeddings.vectors[row][None])[0] if row >= 0 else np.zeros_like(around)
        return np.asarray(own + settings.context_share * around if row >= 0 else around)

    methods = [cosine_method("cosine", embeddings), Method("ours without atoms", "ours", cosine_of(in_context))]
    return {each.method.name: each.row["spearman_all_pairs"] for each in evaluate_scws(pairs, methods).scores[:2]}


def main() -> None:
    parser: argparse.ArgumentParser = make_parser(__doc__, tokens=20)
    parser.add_argument("text", nargs="*")
    parser.add_argument("--models", nargs="+", type=Path, default=[], help="models to compare on SCWS")
    parser.add_argument("--data", type=Path, required=True, help="folder with scws and semeval2010")
    parser.add_argument("-o", "--output", type=Path, help="folder for the text without the contexts of SCWS")
    given = parser.parse_args()
    if given.models:
        show(compare_models(given.models, given.data), given.json)
        return
    lexicon = Lexicon()
    sets = read_sets(given.data, lexicon, given.tokens)
    if given.output:
        given.output.mkdir(parents=True)
    n_lines = 0
    with TemporaryDirectory() as work:
        for name, block in read_text(given.text, Path(work)):
            found = matched_lines(block, lexicon, sets, given.tokens)
            n_lines += block.count(b"\n")
            if given.output:
                with (given.output / name).open("ab") as file:
                    file.write(without_lines(block, found[SCWS]))
    summaries = {each.name: each.summary() for each in sets}
    show({"tokens": given.tokens, "paragraphs": n_lines, "sets": summaries}, given.json)


if __name__ == "__main__":
    main()
