"""The senses inside a word vector, and the discourse atoms that connect them.

The package is a chain, one module per link: text → vocabulary → counts → embeddings → atoms → senses. Names are loaded
when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordatoms.atoms.atoms import Atoms
    from wordatoms.atoms.estimator import KSVD
    from wordatoms.atoms.sparse_coding import SparseCodes, sparse_code
    from wordatoms.counts.cooccurrence import Counts, count_pairs
    from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
    from wordatoms.embeddings.embeddings import Embeddings, Neighbour
    from wordatoms.embeddings.trainers import train_embeddings
    from wordatoms.embeddings.vector_files import read_vectors, write_vectors
    from wordatoms.errors import WordatomsError
    from wordatoms.pipeline.atomize import AtomSettings
    from wordatoms.pipeline.sources import CountSettings
    from wordatoms.pipeline.train import train
    from wordatoms.run import Run
    from wordatoms.senses.model import SenseModel, load
    from wordatoms.senses.results import Sense
    from wordatoms.text.corpus import Corpus, open_corpus
    from wordatoms.text.tokenizer import Tokenizer

_HOMES = {
    "AtomSettings": "pipeline.atomize",
    "Atoms": "atoms.atoms",
    "Corpus": "text.corpus",
    "CountSettings": "pipeline.sources",
    "Counts": "counts.cooccurrence",
    "Embeddings": "embeddings.embeddings",
    "KSVD": "atoms.estimator",
    "Neighbour": "embeddings.embeddings",
    "Sense": "senses.results",
    "Run": "run",
    "SenseModel": "senses.model",
    "SparseCodes": "atoms.sparse_coding",
    "Tokenizer": "text.tokenizer",
    "Vocabulary": "counts.vocabulary",
    "WordatomsError": "errors",
    "build_vocabulary": "counts.vocabulary",
    "count_pairs": "counts.cooccurrence",
    "load": "senses.model",
    "open_corpus": "text.corpus",
    "read_vectors": "embeddings.vector_files",
    "sparse_code": "atoms.sparse_coding",
    "train": "pipeline.train",
    "train_embeddings": "embeddings.trainers",
    "write_vectors": "embeddings.vector_files",
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
    "Run",
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
