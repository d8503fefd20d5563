"""The map A as Section 4.1 fits it: to windows that contain the word, in random paragraphs, all words weighted alike.

The maps of models differ from it (`wordatoms.contexts.induced_map`): they leave the word out of its windows, because it
is no evidence for itself. Tables 1 and 4 use this one for the paper's protocol. Words with few contexts are left out.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from wordatoms.contexts.averages import ContextAverages, context_sums
from wordatoms.contexts.induced_map import InducedMap, learn_map
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.windows import sample_windows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.sn import complete_vectors
from wordatoms.paper.tasks.induced.paragraphs import count_paragraphs, draw_paragraphs
from wordatoms.paper.texts import evaluation_text
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs

N_PARAGRAPHS = 250_000
"""The smallest column of Table 2, which costs a fifth of reading the whole text."""
WINDOW = 10


def paper_map(inputs: Inputs, *, a: float = DEFAULT_A, complete: bool = False) -> InducedMap:
    """The paper's map for the vectors of a model, learned once; `complete` vectors have the direction of frequency."""
    model = inputs.model
    embeddings = complete_vectors(model.embeddings) if complete else model.embeddings

    def learn() -> InducedMap:
        with evaluation_text(model.folder, inputs.text, inputs.run) as corpus:
            return learn_paper_map(
                embeddings, corpus, a=a, tokenizer=model.tokenizer, random_state=inputs.seed, run=inputs.run
            )

    return inputs.once(f"the paper's map of {model.path}, a = {a}, complete = {complete}", learn)


def learn_paper_map(
    embeddings: Embeddings,
    corpus: Corpus,
    *,
    a: float = DEFAULT_A,
    n_paragraphs: int = N_PARAGRAPHS,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> InducedMap:
    """Fit A to the windows of `n_paragraphs` random paragraphs, or of all if there are fewer."""
    sif = SIF(embeddings, p_words(embeddings), a, tokenizer=tokenizer or Tokenizer())
    n_all = count_paragraphs(corpus)
    with TemporaryDirectory(prefix="wordatoms-") as folder:
        sizes = [min(n_paragraphs, n_all)]
        (part,) = draw_paragraphs(corpus, sizes, Path(folder), n_paragraphs=n_all, random_state=random_state)
        windows = sample_windows(
            part, embeddings.words, window=WINDOW, tokenizer=tokenizer, random_state=random_state, run=run
        )
        vectors = sif.weighted_vectors()
        sums = context_sums(
            part, embeddings.words, vectors, window=WINDOW, outside=False, inside=True, tokenizer=tokenizer, run=run
        )
    averages = ContextAverages(sums.averages(include_target=True), sums.n_contexts, WINDOW, include_target=True)
    return learn_map(averages, sif, windows, weighting="threshold", random_state=random_state)
