"""Random paragraphs of a text: nested samples of growing size, without replacement.

A paragraph is a line that is not blank. The lines of the text are numbered, a seed puts the numbers in random order,
and a sample of n paragraphs is the first n of them; so each sample contains the smaller ones, and none depends on how
the text is cut into shards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import numpy as np

from wordatoms.errors import InputError
from wordatoms.text.corpus import Corpus, open_corpus
from wordatoms.text.shards import read_blocks


def count_paragraphs(corpus: Corpus) -> int:
    """The number of paragraphs of a text."""
    return sum(1 for _ in _paragraphs(corpus))


def draw_paragraphs(
    corpus: Corpus, sizes: Sequence[int], folder: Path, *, n_paragraphs: int, random_state: int = 0
) -> list[Corpus]:
    """Draw nested samples; part k holds what sample k has beyond sample k - 1.

    Parameters
    ----------
    corpus : Corpus
        The text, of `n_paragraphs` paragraphs.
    sizes : sequence of int
        Numbers of paragraphs of the samples, rising.
    folder : Path
        An empty folder for the paragraphs drawn, which takes as much space as they do.
    n_paragraphs : int
        The number of paragraphs of the text (`count_paragraphs`).
    random_state : int, default 0
        Seed of the order.

    Returns
    -------
    list of Corpus
        As many parts as sizes; the first k of them together are sample k.
    """
    if not sizes or sizes[0] < 1 or any(one >= other for one, other in pairwise(sizes)):
        raise InputError(f"the numbers of paragraphs are {list(sizes)}; pass rising numbers from 1.")
    if sizes[-1] > n_paragraphs:
        raise InputError(f"the text has {n_paragraphs:,} paragraphs; pass numbers up to that, not {sizes[-1]:,}.")
    place = np.random.default_rng(random_state).permutation(n_paragraphs)
    parts = np.searchsorted(sizes, place, side="right")
    paths = [folder / f"paragraphs-{part}.txt" for part in range(len(sizes))]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in paths]
        for part, line in zip(parts.tolist(), _paragraphs(corpus), strict=True):
            if part < len(files):
                files[part].write(line + b"\n")
    return [open_corpus([path], work=folder) for path in paths]


def _paragraphs(corpus: Corpus) -> Iterator[bytes]:
    for shard in corpus.shards:
        for block in read_blocks(shard):
            yield from (line for line in block.split(b"\n") if line.strip())
