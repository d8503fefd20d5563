"""Sentences per minute through a blank English spaCy pipeline with the component `wordatoms`.

Prints the first pass over the sentences, in which every word is prepared, and a second one; by the clock, and by the
time of the processor, which other programs on the machine change less.

    python benchmarks/spacy_pipeline.py corpus/part-00.txt.xz [--sentences 10000]
"""

from __future__ import annotations

import argparse
import json
import lzma
from itertools import chain, islice
from pathlib import Path
from time import perf_counter, process_time

import spacy

import wordatoms.spacy  # noqa: F401  (a source tree that is not installed has no entry points)
from wordatoms.text.sentence_splitter import split_sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, help="a text with a paragraph on each line, compressed by xz")
    parser.add_argument("--sentences", type=int, default=10_000)
    arguments = parser.parse_args()
    with lzma.open(arguments.text, "rt", encoding="utf-8") as lines:
        sentences = [*islice(chain.from_iterable(map(split_sentences, lines)), arguments.sentences)]
    nlp = spacy.blank("en")
    nlp.add_pipe("wordatoms")
    n_words = sum(len(doc) for doc in map(nlp.make_doc, sentences))
    print(json.dumps({"sentences": len(sentences), "tokens": n_words}))
    for name in ("first pass", "second pass"):
        clock, processor = perf_counter(), process_time()
        n_senses = sum(bool(token._.senses) for doc in nlp.pipe(sentences, batch_size=256) for token in doc)
        seconds = {"clock": perf_counter() - clock, "processor": process_time() - processor}
        found = {kind: round(60 * len(sentences) / each) for kind, each in seconds.items()}
        print(json.dumps({"pass": name, "tokens with senses": n_senses, "sentences per minute": found}))


if __name__ == "__main__":
    main()
