"""Sentences that show the senses of *ring*: a table that is commented out in the paper's source (Section 5).

Sentences are copyrighted text: the report includes them only if `--source` names their origin and licence, which is
then printed below them.
"""

from __future__ import annotations

from pathlib import Path

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Remark, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import RING

WORD = "ring"
LIGHTEST = 0.02
"""Lighter senses, from rare forms of the word, are not shown."""


def _run(inputs: Inputs) -> Numbers:
    from wordatoms.senses.sentences import representative_sentences

    found = representative_sentences(
        inputs.model, WORD, inputs.text, n=1, method="code", lightest=LIGHTEST, run=inputs.run
    )
    return {
        "word": WORD,
        "source": inputs.source,
        "paper": list(RING),
        "senses": [
            {
                "atom": each.sense.atom,
                "label": each.sense.label,
                "weight": each.sense.weight,
                "n_sentences": each.n_sentences,
                "score": best.score,
                "text": best.text,
                "place": f"{Path(best.source).name}:{best.line}",
            }
            for each in found
            for best in each.sentences[:1]
        ],
    }


def _figures(numbers: Numbers) -> list[Figure]:
    n_paper = len(numbers["paper"])
    what = f"senses of “{numbers['word']}” with a sentence"
    found = len(numbers["senses"])
    return [Figure(what, n_paper, ours=found, digits=0, is_headline=True, is_counted=False, note="a matter of choice")]


def _render(numbers: Numbers) -> list[Block]:
    rows = [(each["label"], each["score"], each.get("text"), each["place"]) for each in numbers["senses"]]
    columns = [
        Column("sense", is_words=True),
        Column("score", 2),
        Column("sentence", is_words=True),
        Column("file:line"),
    ]
    are_shown = any(row[2] for row in rows)
    return [
        make_table(
            columns if are_shown else [columns[0], columns[1], columns[3]],
            rows if are_shown else [(label, score, place) for label, score, _, place in rows],
            "The score is the cosine between the sentence and the atom.",
        ),
        Remark(
            f"{'Sentences' if are_shown else 'Place of the sentences, which are not copied here'}: {numbers['source']}."
        ),
        Remark(f"The paper's seven are about {', '.join(numbers['paper'])}."),
    ]


def _without_sentences(numbers: Numbers) -> Numbers:
    """Place and score of each sentence, which is text of others."""
    senses = [{key: value for key, value in each.items() if key != "text"} for each in numbers["senses"]]
    return {**numbers, "senses": senses}


def _why(_numbers: Numbers) -> str:
    return (
        "The paper takes all atoms of the word and its forms and shows seven sentences it chose; here every sense "
        "has its best sentence, and the word itself does not count towards a sentence's score."
    )


SENTENCES = Exhibit(
    "sentences",
    "Sentences for the senses of “ring”",
    "For each sense of a word, the sentence of the text that shows it best. It comes from a part that is commented "
    "out in the paper's source.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS, needs.TEXT, needs.SOURCE, needs.knows(WORD)),
    is_paper=False,
    shareable=_without_sentences,
)
EXHIBITS = (SENTENCES,)
