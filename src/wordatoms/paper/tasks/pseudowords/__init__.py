"""Table 3: pseudowords against the sum that Theorem 2 predicts (Section 4.2, test 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordatoms.embeddings.trainers import trainer_names
from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.pseudowords.evaluate import PseudowordsResult

METHODS = (*trainer_names(has="holds_words"), *trainer_names(has="reads_text"))


def run(
    inputs: Inputs,
    *,
    method: str | None = None,
    pairs: Sequence[int] = (10, 1000),
    runs: int | None = None,
    largest: bool = False,
    spread: int = 0,
    min_count: int = 1,
    epochs: int | None = None,
) -> PseudowordsResult:
    """Merge pairs of words, train the vectors of the merged words, and compare them with Theorem 2."""
    from wordatoms.counts.cooccurrence import Counts
    from wordatoms.errors import InputError
    from wordatoms.paper.tasks.pseudowords.evaluate import evaluate_pseudowords, evaluate_retrained_pseudowords
    from wordatoms.paper.texts import training_parameters

    model, embeddings = inputs.model, inputs.model.embeddings
    if method not in (None, embeddings.method):
        raise InputError(f"{model.path} holds vectors by {embeddings.method}, not {method}; pass another model.")
    parameters = training_parameters(model.folder, embeddings.method) | ({"epochs": epochs} if epochs else {})
    common: dict[str, Any] = {"n_pairs": pairs, "min_count": min_count, "parameters": parameters}
    common["random_state"] = inputs.seed
    if embeddings.method in trainer_names(has="reads_text"):
        if largest:
            raise InputError("--largest leaves too few words to map the vectors by; pass --pairs.")
        with _written_text(inputs) as lines:
            return evaluate_retrained_pseudowords(embeddings, lines, n_runs=runs or 1, **common)
    counts = Counts.load(model.path)
    return evaluate_pseudowords(
        embeddings, counts, n_runs=runs or 5, largest=largest, n_spread=spread, threads=inputs.run.threads, **common
    )


@contextmanager
def _written_text(inputs: Inputs) -> Iterator[Path]:
    """Write the text of the model to a temporary file, as words separated by spaces."""
    from wordatoms.counts.vocabulary import Vocabulary, write_lines
    from wordatoms.pipeline.sources import counted_text, settings_of
    from wordatoms.storage.files import spill_folder

    folder = inputs.model.folder
    with folder.working(), spill_folder(folder.work) as spill:
        lines = spill / "lines.txt"
        with counted_text(folder, inputs.text, inputs.run) as corpus:
            tokenizer = settings_of(folder.stages["count"]).tokenizer
            write_lines(corpus, Vocabulary.load(folder.path), lines, tokenizer=tokenizer)
        yield lines


def plot(result: PseudowordsResult, _inputs: Inputs) -> list[LineChart]:
    from wordatoms.paper.tasks.pseudowords.exhibit import draw_coefficients

    return [draw_coefficients(result.method, result.more_rows())]


TASKS = (
    Task(
        "pseudowords",
        "Table 3: two words merged into one, its vector against the sum that Theorem 2 predicts.\n\n"
        "With vectors by SN or GloVe the words are merged in the counts, and the vectors of all others are kept. With "
        "vectors by skip-gram they are merged in the text, all words are trained again, and the result is mapped back.",
        run,
        ("model", "text", "seed", "threads"),
        (
            Option("method", "[default: that of the model]", str, choices=METHODS),
            Option("pairs", "Pairs of words to merge; may be repeated.", least=2, multiple=True),
            Option("runs", "Runs for each number of pairs.  [default: 5; skipgram: 1]", least=1),
            Option(
                "largest",
                "One more run, with 90% of the words merged, trained until the loss settles (not skipgram).",
                bool,
            ),
            Option("spread", "Fit coefficients to pairs of words of all frequencies as well (not skipgram).", least=0),
            Option("min_count", "Rarer words are not drawn.", least=1),
            Option("epochs", "Training epochs.  [default: as the model]", least=1),
        ),
        plot=plot,
    ),
)
