"""Vectors of sentences, on which `benchmarks/learners.py` compares programs that learn dictionaries.

    python benchmarks/sentence_vectors.py ENCODER TEXT… --out FOLDER [--rows 100000] [--held-out 10000] [--seed 0]

ENCODER is a folder with model.onnx and tokenizer.json, such as docs/how-to/encoder.md describes. TEXT are files with a
paragraph on each line, plain or xz. Sentences of 40 to 200 characters that begin with a capital and end with a full
stop are drawn at random, each once; those of the last file are held out, so that no article is on both sides. The
vector of a sentence is the mean of the last states of its subwords, of unit length, at most 48 subwords. Sentences with
as many subwords are computed together, so that nothing is padded.

FOLDER gets rows.npy and held-out.npy (float32), rows.txt and held-out.txt, one sentence per line.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from common import make_parser
from wordatoms.text.sentence_splitter import split_sentences

MOST_SUBWORDS = 48
BATCH = 64
CHUNK = 10_000
"""Sentences that are computed before the next ones are cut into subwords."""
GOOD = re.compile(r"[A-Z][^|\[\]{}<>=*]{38,198}\.")


def read_sentences(path: Path) -> set[str]:
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return {s for line in lines for s in split_sentences(line) if GOOD.fullmatch(s)}


def draw(paths: Iterable[Path], n: int, rng: np.random.Generator) -> list[str]:
    """As many sentences from each file."""
    files = list(paths)
    drawn: set[str] = set()
    for k, path in enumerate(files):
        found = sorted(read_sentences(path) - drawn)
        wanted = n * (k + 1) // len(files) - len(drawn)
        drawn.update(found[i] for i in rng.choice(len(found), min(wanted, len(found)), replace=False))
    order = sorted(drawn)
    return [order[i] for i in rng.permutation(len(order))]


def batches(ids: list[list[int]]) -> Iterator[list[int]]:
    """Numbers of sentences with equally many subwords."""
    by_length = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    for _, same in groupby(by_length, key=lambda i: len(ids[i])):
        while batch := list(islice(same, BATCH)):
            yield batch


def write_vectors(out: Path, folder: Path, sentences: list[str], threads: int) -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_SUBWORDS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # other programs may need the core
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
    taken = {given.name for given in session.get_inputs()}
    file = None
    for start in range(0, len(sentences), CHUNK):
        ids = [encoding.ids for encoding in tokenizer.encode_batch(sentences[start : start + CHUNK])]
        for batch in batches(ids):
            tokens = np.array([ids[i] for i in batch], np.int64)
            inputs: dict[str, Any] = {
                "input_ids": tokens,
                "attention_mask": np.ones_like(tokens),
                "token_type_ids": np.zeros_like(tokens),
            }
            states = session.run(None, {name: value for name, value in inputs.items() if name in taken})[0]
            means = states.mean(axis=1, dtype=np.float32)
            if file is None:
                file = np.lib.format.open_memmap(out, "w+", np.float32, (len(sentences), means.shape[1]))
            file[start + np.array(batch)] = means / np.linalg.norm(means, axis=1, keepdims=True)


def main() -> None:
    parser = make_parser(__doc__, threads=2, rows=100_000, held_out=10_000, seed=0)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    options: argparse.Namespace = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    *learned, last = options.texts
    for name, paths, n in (("held-out", [last], options.held_out), ("rows", learned, options.rows)):
        sentences = draw(paths, n, rng)
        (options.out / f"{name}.txt").write_text("".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8")
        write_vectors(options.out / f"{name}.npy", options.encoder, sentences, options.threads)


if __name__ == "__main__":
    main()
