"""The senses inside a word vector, and the discourse atoms that connect them.

The package is a chain, one module per link: text → vocabulary → counts → embeddings → atoms → senses. Names are loaded
when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordatoms.atoms import Atoms
    from wordatoms.counts import Counts, count_pairs
    from wordatoms.embeddings import Embeddings, Neighbour
    from wordatoms.errors import WordatomsError
    from wordatoms.estimator import KSVD
    from wordatoms.pipeline import AtomSettings, CountSettings, train
    from wordatoms.senses import SenseModel, load
    from wordatoms.sparsecodes import SparseCodes, sparse_code
    from wordatoms.text import Corpus, open_corpus
    from wordatoms.tokens import Tokenizer
    from wordatoms.trainers import train_embeddings
    from wordatoms.vectorfiles import read_vectors, write_vectors
    from wordatoms.views import Sense
    from wordatoms.vocabulary import Vocabulary, build_vocabulary

_HOMES = {
    "AtomSettings": "pipeline",
    "Atoms": "atoms",
    "Corpus": "text",
    "CountSettings": "pipeline",
    "Counts": "counts",
    "Embeddings": "embeddings",
    "KSVD": "estimator",
    "Neighbour": "embeddings",
    "Sense": "views",
    "SenseModel": "senses",
    "SparseCodes": "sparsecodes",
    "Tokenizer": "tokens",
    "Vocabulary": "vocabulary",
    "WordatomsError": "errors",
    "build_vocabulary": "vocabulary",
    "count_pairs": "counts",
    "load": "senses",
    "open_corpus": "text",
    "read_vectors": "vectorfiles",
    "sparse_code": "sparsecodes",
    "train": "pipeline",
    "train_embeddings": "trainers",
    "write_vectors": "vectorfiles",
}

__all__ = [  # noqa: RUF022 (in the order of the chain)
    "Corpus",
    "open_corpus",
    "Tokenizer",
    "Vocabulary",
    "build_vocabulary",
    "Counts",
    "count_pairs",
    "train_embeddings",
    "Embeddings",
    "Neighbour",
    "read_vectors",
    "write_vectors",
    "SparseCodes",
    "sparse_code",
    "KSVD",
    "Atoms",
    "Sense",
    "SenseModel",
    "load",
    "CountSettings",
    "AtomSettings",
    "train",
    "WordatomsError",
]

__version__: str


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'wordatoms' has no attribute '{name}'")
    return getattr(import_module(f"wordatoms.{_HOMES[name]}"), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load

    try:
        return version("wordatoms")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
