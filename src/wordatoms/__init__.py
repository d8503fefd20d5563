"""The senses inside a word vector, and the discourse atoms that connect them.

The package is a chain of rooms: text → counts → embeddings → atoms → senses. Names are loaded when they are first used,
so importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers and editors; `as` exports a name
    from wordatoms.atoms.atoms import Atoms as Atoms
    from wordatoms.atoms.estimator import KSVD as KSVD
    from wordatoms.atoms.sparse_coding import SparseCodes as SparseCodes
    from wordatoms.atoms.sparse_coding import sparse_code as sparse_code
    from wordatoms.contexts.usages import Usage as Usage
    from wordatoms.counts.cooccurrence import Counts as Counts
    from wordatoms.counts.cooccurrence import count_pairs as count_pairs
    from wordatoms.counts.vocabulary import Vocabulary as Vocabulary
    from wordatoms.counts.vocabulary import build_vocabulary as build_vocabulary
    from wordatoms.documents.estimator import AtomTopics as AtomTopics
    from wordatoms.documents.groups import compare_groups as compare_groups
    from wordatoms.documents.study import study_documents as study_documents
    from wordatoms.documents.word_uses import compare_uses as compare_uses
    from wordatoms.embeddings.embeddings import Embeddings as Embeddings
    from wordatoms.embeddings.embeddings import Neighbour as Neighbour
    from wordatoms.embeddings.trainers import train_embeddings as train_embeddings
    from wordatoms.embeddings.vector_files import read_vectors as read_vectors
    from wordatoms.embeddings.vector_files import write_vectors as write_vectors
    from wordatoms.errors import WordatomsError as WordatomsError
    from wordatoms.pipeline.atomize import AtomSettings as AtomSettings
    from wordatoms.pipeline.huggingface import from_pretrained as from_pretrained
    from wordatoms.pipeline.huggingface import save_pretrained as save_pretrained
    from wordatoms.pipeline.observe import ObserveSettings as ObserveSettings
    from wordatoms.pipeline.phrases import PhraseSettings as PhraseSettings
    from wordatoms.pipeline.sources import CountSettings as CountSettings
    from wordatoms.pipeline.train import train as train
    from wordatoms.run import Run as Run
    from wordatoms.senses.comparison import compare_senses as compare_senses
    from wordatoms.senses.differences import compare_models as compare_models
    from wordatoms.senses.frames import to_arrow as to_arrow
    from wordatoms.senses.frames import to_frame as to_frame
    from wordatoms.senses.html import to_html as to_html
    from wordatoms.senses.model import SenseModel as SenseModel
    from wordatoms.senses.model import load as load
    from wordatoms.senses.results import Sense as Sense
    from wordatoms.senses.sentences import representative_sentences as representative_sentences
    from wordatoms.senses.topics import document_topics as document_topics
    from wordatoms.text.corpus import Corpus as Corpus
    from wordatoms.text.corpus import open_corpus as open_corpus
    from wordatoms.text.tokenizer import Tokenizer as Tokenizer

_NAMES = {
    "text.corpus": "Corpus open_corpus",
    "text.tokenizer": "Tokenizer",
    "counts.vocabulary": "Vocabulary build_vocabulary",
    "counts.cooccurrence": "Counts count_pairs",
    "embeddings.trainers": "train_embeddings",
    "embeddings.embeddings": "Embeddings Neighbour",
    "embeddings.vector_files": "read_vectors write_vectors",
    "atoms.sparse_coding": "SparseCodes sparse_code",
    "atoms.estimator": "KSVD",
    "atoms.atoms": "Atoms",
    "senses.results": "Sense",
    "contexts.usages": "Usage",
    "senses.model": "SenseModel load",
    "senses.comparison": "compare_senses",
    "senses.differences": "compare_models",
    "senses.sentences": "representative_sentences",
    "senses.topics": "document_topics",
    "senses.frames": "to_frame to_arrow",
    "senses.html": "to_html",
    "documents.estimator": "AtomTopics",
    "documents.groups": "compare_groups",
    "documents.study": "study_documents",
    "documents.word_uses": "compare_uses",
    "pipeline.sources": "CountSettings",
    "pipeline.atomize": "AtomSettings",
    "pipeline.observe": "ObserveSettings",
    "pipeline.phrases": "PhraseSettings",
    "pipeline.train": "train",
    "pipeline.huggingface": "save_pretrained from_pretrained",
    "run": "Run",
    "errors": "WordatomsError",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
__all__ = [*_HOMES]
__version__: str


def __getattr__(name: str) -> object:
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module 'wordatoms' has no attribute '{name}'")
    try:
        return getattr(import_module(f"wordatoms.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        from wordatoms.errors import EXTRAS, missing_extra

        if (error.name or "").partition(".")[0] not in EXTRAS:
            raise
        raise missing_extra(error.name) from error


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to load

    try:
        return version("wordatoms")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted(__all__)
