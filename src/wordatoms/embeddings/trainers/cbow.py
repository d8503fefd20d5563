"""CBOW, the other architecture of word2vec: a word is predicted from the mean of the vectors around it.

Everything but the prediction is as in `wordatoms.embeddings.trainers.skipgram`; a word costs one prediction instead of
one for each neighbour, so training is several times faster.
"""

from __future__ import annotations

from pathlib import Path

from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.skipgram import train_word2vec
from wordatoms.progress import TrainingCallback
from wordatoms.storage.files import Checkpoint


def train_cbow(
    lines: Path,
    vocabulary: Vocabulary,
    *,
    dim: int = 300,
    epochs: int = 5,
    window: int = 5,
    negative: int = 5,
    sample: float = 1e-4,
    learning_rate: float = 0.05,
    workers: int = 1,
    random_state: int = 0,
    threads: int | None = None,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Train CBOW vectors on a file of tokenised text; parameters and state are those of `train_skipgram`.

    The reported loss is the mean negative-sampling loss of words drawn once from the text, each predicted from all of
    its neighbours.
    """
    return train_word2vec(is_skipgram=False, **locals())
