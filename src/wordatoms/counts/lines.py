"""A text written out again as the words of a vocabulary between spaces, a paragraph per line.

It is what trainers that read text, and not counts, start from.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import write_atomic
from wordatoms.text.corpus import Corpus, read_blocks
from wordatoms.text.tokenizer import Lexicon, Tokenizer


def write_lines(
    corpus: Corpus,
    vocabulary: Vocabulary,
    path: Path,
    *,
    tokenizer: Tokenizer | None = None,
    run: Run = DEFAULT_RUN,
) -> None:
    """Write the text in the order of its shards, words outside the vocabulary left out."""
    from wordatoms.kernels import tokens as kernel

    lexicon = Lexicon(vocabulary.words, tokenizer=tokenizer)
    encoded = [word.encode() for word in vocabulary.words]
    text = np.frombuffer(b"".join(encoded), np.uint8)
    starts = np.concatenate([[0], np.cumsum([len(word) for word in encoded])])
    with write_atomic(path) as file, run.progress.text_bar("text", n_bytes=corpus.n_bytes) as report:
        for shard in corpus.shards:
            for block in read_blocks(shard):
                ids = lexicon.encode(block)
                out = np.empty(kernel.lines_length(ids, len(vocabulary), starts), np.uint8)
                file.write(out[: kernel.write_lines(ids, len(vocabulary), text, starts, out)].data)
                report(len(block), len(ids))
