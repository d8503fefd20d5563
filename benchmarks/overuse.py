"""Compare rules for dropping meaningless atoms by pseudowords in text that the model has not seen.

    python benchmarks/overuse.py MODEL TEXT... [--pseudowords 400] [--json FILE]

Each rule (`wordatoms.paper.tasks.atoms.rules`) is applied to the atoms of the model; the words are coded again, and
pseudowords (two words written as one) are put together and told apart as in `wordatoms tune`, with the settings of the
model, on both halves of the pseudowords.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from common import make_parser, show
from wordatoms.atoms.atoms import describe_atoms
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.reader import load_reading
from wordatoms.contexts.windows import windows_of_words
from wordatoms.paper.tasks.atoms.rules import apply_rules, describe_rule
from wordatoms.pipeline.map import model_text
from wordatoms.run import DEFAULT_RUN
from wordatoms.senses.model import SenseModel
from wordatoms.tuning.choice import make_bench
from wordatoms.tuning.pseudowords import N_CONTEXTS, candidate_words, draw_pseudowords

MEASURES = ("put together", "told apart by senses", "similarity")


def main() -> None:
    parser = make_parser(__doc__, pseudowords=400, candidates=3000, threads=1)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", nargs="+")
    given = parser.parse_args()
    model = SenseModel(given.model)
    embeddings, atoms = model.embeddings, model.atoms
    settings = load_reading(model.folder)
    candidates = candidate_words(embeddings, given.candidates, random_state=0)
    with model_text(model.folder, given.text, DEFAULT_RUN) as corpus:
        windows = windows_of_words(
            corpus,
            embeddings.words,
            candidates,
            n_windows=N_CONTEXTS,
            window=settings.window,
            tokenizer=model.tokenizer,
            random_state=0,
            run=DEFAULT_RUN,
        )
    pseudowords = draw_pseudowords(
        embeddings,
        ContextAverages.load(model.path),
        model.induced_map,
        windows,
        n_pseudowords=given.pseudowords,
        n_contexts=N_CONTEXTS,
        random_state=0,
    )
    rows = []
    for rule in apply_rules(embeddings, np.asarray(atoms.vectors), atoms.codes, given.threads):
        described = describe_atoms(embeddings, rule.atoms, rule.codes)
        benches = [
            make_bench(embeddings, model.induced_map, described, half, windows, random_state=0)
            for half in pseudowords.halves()
        ]
        scores = {name: float(np.mean([bench.measure(name, settings) for bench in benches])) for name in MEASURES}
        rows.append({**describe_rule(embeddings, rule, len(atoms)), **scores})
    show({"model": given.model.name, "pseudowords": len(pseudowords), "rules": rows}, given.json)


if __name__ == "__main__":
    main()
