"""Speed and memory of querying a trained model, compared with lower bounds from the same run.

    python benchmarks/uses.py MODEL TEXT… [--tune TEXT] [--word bank] [--texts 5000] [--json uses.json]

Each use runs in its own process, on one thread. Times are processor time, because other programs may share the
machine, and the best of several runs counts; peak memory is that of the process and includes memory-mapped model files.
The floors are the unavoidable work: reading and tokenizing the same text, or gathering the vectors of the same words.
Commands are timed with their start-up, and the packages they import are listed. Tuning runs once, on a copy of the
model. Training is not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import describe_machine, make_parser
from wordatoms.run import Run

WORDS_AROUND = 20
"""Words on each side of the target in a text to disambiguate."""
N_DOCUMENTS = 5000
N_CLUSTERED = (100, 1000)
QUESTION = ("tie", "he wore a tie with his shirt")
HEAVY = ("numba", "scipy", "sklearn", "pandas", "matplotlib", "gensim", "simplemma", "threadpoolctl")
"""Packages that a query should avoid importing; it must not import the first three."""
PROBE = f"""
import atexit, json, re, sys
def tell():
    heavy = [name for name in {HEAVY!r} if name in sys.modules]
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)
    sys.stderr.write("\\n" + json.dumps({{"imports": heavy, "peak_memory_mb": int(peak) / 1024}}))
atexit.register(tell)
from wordatoms.cli import main
main()
"""


@dataclass(frozen=True)
class Measured:
    """The measurements of one use."""

    use: str
    n: int
    unit: str
    cpu_seconds: float
    floors: dict[str, float]
    """Processor seconds of each kind of unavoidable work."""
    peak_memory_mb: float
    more: dict[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        ratios = {name: self.cpu_seconds / seconds for name, seconds in self.floors.items()}
        return {**asdict(self), "per_cpu_second": self.n / self.cpu_seconds, "over_floor": ratios}


# Uses; each is called in a new process


def measure_disambiguation(model: Path, texts: Path, word: str, repeat: int) -> list[Measured]:
    from contexts import best_cpu
    from wordatoms import load
    from wordatoms.contexts.usages import find_usages

    opened, lines = load(model), texts.read_text().splitlines()
    forms, vectors = opened.usage_forms(word), opened.embeddings.vectors
    usages = [usage for line in lines for usage in find_usages(word, line, opened.tokenizer, forms=forms)]
    windows = opened.posterior.reader.windows(usages, forms)
    known = windows[windows >= 0]

    def tokenize() -> object:
        return [opened.tokenizer.tokens(line) for line in texts.read_text().splitlines()]

    seconds = best_cpu(lambda: list(opened.disambiguate_each(word, lines)), repeat)
    floors = {
        "read and tokenise": best_cpu(tokenize, repeat),
        "gather the vectors": best_cpu(lambda: vectors[known], repeat),
    }
    return [Measured("disambiguate_each", len(lines), "texts", seconds, floors, peak_memory(), {"usages": len(usages)})]


def measure_clusters(model: Path, texts: Path, word: str, repeat: int) -> list[Measured]:
    from contexts import best_cpu
    from wordatoms import load

    opened, lines = load(model), texts.read_text().splitlines()
    opened.disambiguate(word, lines[0])  # loads the parts

    def measured(some: list[str]) -> Measured:
        usages = opened.cluster(word, some).usages
        seconds = best_cpu(lambda: opened.cluster(word, some), repeat)
        floors = {"read contexts": best_cpu(lambda: opened.context_vectors(word, usages), repeat)}
        return Measured("cluster", len(usages), "usages", seconds, floors, peak_memory())

    return [measured(lines[:n]) for n in N_CLUSTERED]


def measure_sentences(model: Path, text: Path, word: str, repeat: int) -> list[Measured]:
    from contexts import best_cpu
    from wordatoms import load
    from wordatoms.senses.sentences import representative_sentences

    opened = load(model)
    floor, n_tokens = encoding_floor(text, opened, repeat)
    seconds = best_cpu(lambda: representative_sentences(opened, word, [text], run=Run(threads=1)), repeat)
    return [Measured("sentences", n_tokens, "tokens", seconds, {"read and encode": floor}, peak_memory())]


def measure_topics(model: Path, text: Path, _word: str, repeat: int) -> list[Measured]:
    from contexts import best_cpu
    from wordatoms import load
    from wordatoms.senses.topics import document_topics

    opened = load(model)
    with text.open() as lines, TemporaryDirectory() as work:
        documents = [line for line in islice(lines, N_DOCUMENTS) if line.strip()]
        path = Path(work, "documents.txt")
        path.write_text("".join(documents))
        floor, _ = encoding_floor(path, opened, repeat)
    topics = document_topics(opened, documents, run=Run(threads=1))
    n_words, floors = int(topics.n_words.sum()), {"read and encode": floor}
    seconds = best_cpu(lambda: document_topics(opened, documents, run=Run(threads=1)), repeat)
    return [
        Measured("topics", len(documents), "documents", seconds, floors, peak_memory()),
        Measured("topics", n_words, "words", seconds, floors, peak_memory()),
    ]


def measure_lineup(model: Path, _text: Path, _word: str, repeat: int) -> list[Measured]:
    from contexts import best_cpu
    from wordatoms import load
    from wordatoms.paper.tasks.lineup.data import load_testbed
    from wordatoms.paper.tasks.lineup.evaluate import evaluate_lineup
    from wordatoms.paper.tasks.lineup.methods import atoms_method

    testbed, method = load_testbed(), atoms_method(load(model))
    method.score_all(testbed)  # loads the parts
    seconds = best_cpu(lambda: evaluate_lineup(testbed, {"atoms": method}, n_runs=5), repeat)
    floors = {"score all senses": best_cpu(lambda: method.score_all(testbed), repeat)}
    more = {"note": "each run at all n and t of Figure 1, three baselines included"}
    return [Measured("evaluate lineup", 5 * len(testbed), "lineups", seconds, floors, peak_memory(), more)]


def encoding_floor(path: Path, opened: Any, repeat: int) -> tuple[float, int]:
    """Seconds to read and encode a file, and its number of tokens."""
    from contexts import best_cpu, encode
    from wordatoms.text.corpus import open_corpus

    with TemporaryDirectory() as work:
        corpus = open_corpus([path], work=Path(work), threads=1)
        n_tokens = len(encode(corpus, opened.embeddings))  # compiles
        return best_cpu(lambda: encode(corpus, opened.embeddings), repeat), n_tokens


def peak_memory() -> float:
    """Peak memory of this process in MB; `getrusage` would include the memory inherited from its parent."""
    return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0]) / 1024


# Commands


def measure_commands(model: Path, texts: Path, word: str, repeat: int) -> list[Measured]:
    chosen = ("--model", str(model))
    bare, _ = run([sys.executable, "-c", "pass"], repeat)
    floors = {"python -c pass": bare}
    senses = measure_command("wordatoms senses", ["senses", QUESTION[0], *chosen], 1, "question", floors, repeat)
    one = measure_command("wordatoms disambiguate", ["disambiguate", *QUESTION, *chosen], 1, "question", floors, repeat)
    name, arguments = "wordatoms disambiguate --file -", ["disambiguate", word, "--file", "-", *chosen]
    n_texts, floors = len(texts.read_text().splitlines()), {"one question": one.cpu_seconds}
    return [senses, one, measure_command(name, arguments, n_texts, "texts", floors, 1, texts)]


def measure_command(
    name: str,
    arguments: Sequence[str],
    n: int,
    unit: str,
    floors: dict[str, float],
    repeat: int,
    stdin: Path | None = None,
) -> Measured:
    seconds, told = run([sys.executable, "-c", PROBE, *arguments], repeat, stdin)
    probed = json.loads(told.splitlines()[-1])
    return Measured(name, n, unit, seconds, floors, probed["peak_memory_mb"], {"imports": probed["imports"]})


def run(command: Sequence[str], repeat: int, stdin: Path | None = None) -> tuple[float, str]:
    """Processor seconds of the fastest of several runs of a command, and its standard error."""
    seconds = []
    for _ in range(repeat):
        before = children_seconds()
        with Path(stdin or os.devnull).open() as lines:
            done = subprocess.run(command, stdin=lines, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{command[3:]} failed: {done.stderr}")
        seconds.append(children_seconds() - before)
    return min(seconds), done.stderr


def children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_tuning(model: Path, text: Path, n: int) -> Measured:
    """One run on a copy of the model, in which arrays are hard links because tuning only reads them."""
    with TemporaryDirectory() as work:
        copy = Path(work, "model")
        shutil.copytree(model, copy, copy_function=link_array)
        arguments = ["tune", str(copy), "--text", str(text), "--pseudowords", str(n), "--threads", "1", "--force"]
        return measure_command("wordatoms tune", arguments, n, "pseudowords", {}, 1)


def link_array(source: str, target: str) -> None:
    """Hard-link an array, or copy it if that fails; a symbolic link could let a write reach the original."""
    try:
        if source.endswith(".npy"):
            Path(target).hardlink_to(source)
            return
    except OSError:  # on another disk
        pass
    shutil.copy2(source, target)


# Texts, and everything together


def cut_texts(paths: Sequence[Path], word: str, n: int) -> Iterator[str]:
    """The first n pieces of paragraphs around a word."""
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    return islice((piece for path in paths for piece in _pieces(path, pattern)), n)


def _pieces(path: Path, pattern: re.Pattern[str]) -> Iterator[str]:
    with path.open() as lines:
        for line in filter(pattern.search, lines):
            words = line.split()
            for place in (number for number, each in enumerate(words) if pattern.search(each)):
                yield " ".join(words[max(0, place - WORDS_AROUND) : place + WORDS_AROUND + 1])


def alone(function: Callable[..., list[Measured]], *arguments: Any) -> list[Measured]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def measure(options: argparse.Namespace) -> Iterator[Measured]:
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    with TemporaryDirectory() as work:
        texts = Path(work, "texts.txt")
        texts.write_text("\n".join(cut_texts(options.text, options.word, options.texts)))
        yield from measure_commands(options.model, texts, options.word, options.repeat)
        for function in (measure_disambiguation, measure_clusters):
            yield from alone(function, options.model, texts, options.word, options.repeat)
    for function in (measure_sentences, measure_topics, measure_lineup):
        yield from alone(function, options.model, options.text[0], options.word, options.repeat)
    if options.tune:
        yield measure_tuning(options.model, options.tune, options.pseudowords)


def print_rows(found: Iterable[Measured]) -> Iterator[Measured]:
    """Print a table row by row and pass the rows on."""
    print(f"{'use':32}{'n':>10} {'unit':12}{'cpu s':>8}{'per cpu s':>13}{'MB':>7}  times the floor")
    for each in found:
        row = each.record()
        ratios = ", ".join(f"{ratio:.1f} × {name}" for name, ratio in row["over_floor"].items())
        start = f"{each.use:32}{each.n:>10,} {each.unit:12}{each.cpu_seconds:8.2f}"
        print(f"{start}{row['per_cpu_second']:13,.1f}{each.peak_memory_mb:7.0f}  {ratios}", flush=True)
        yield each


def main() -> None:
    parser = make_parser(__doc__, repeat=3, pseudowords=100, texts=5000)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", nargs="+", type=Path, help="plain text; sentences and topics read the first file")
    parser.add_argument("--tune", type=Path, help="also tune a copy of the model on this text")
    parser.add_argument("--word", default="bank", help="the word to disambiguate and cluster")
    options = parser.parse_args()
    uses = [each.record() for each in print_rows(measure(options))]
    if options.json:
        result = {"machine": describe_machine(), "threads": 1, "model": options.model.name, "uses": uses}
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
