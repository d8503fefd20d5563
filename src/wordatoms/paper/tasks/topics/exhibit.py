"""The remark on topic models (Section 5): atoms beside the topics of LDA."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.tasks.topics.evaluate import (
    AS_MANY,
    N_PARAGRAPHS,
    TOPICS,
    compare_topics,
    long_paragraphs,
)
from wordatoms.paper.texts import evaluation_text
from wordatoms.text.shards import read_blocks

COLUMNS = ("lists", "coherence", "lower_quartile", "median", "upper_quartile", "diversity")


def _run(inputs: Inputs) -> Numbers:
    """Topics are learned from the first file of the text and judged in the last; a single file is halved."""
    if len(inputs.text_files) > 1:
        train, held_out = (list(_paragraphs(inputs, place)) for place in (0, -1))
    else:
        both = list(_paragraphs(inputs, 0, 2 * N_PARAGRAPHS))
        train, held_out = both[: len(both) // 2], both[len(both) // 2 :]
    found = compare_topics(inputs.model, train, held_out)
    return {**found.facts, "rows": found.rows, "named": None}


def _paragraphs(inputs: Inputs, place: int, limit: int = N_PARAGRAPHS) -> Iterator[list[str]]:
    with evaluation_text(inputs.model.folder, [inputs.text_files[place]], inputs.run) as corpus:
        lines = (line for shard in corpus.shards for block in read_blocks(shard) for line in block.decode().split("\n"))
        yield from islice(long_paragraphs(lines, limit), limit)


def _figures(numbers: Numbers) -> list[Figure]:
    topics, atoms = (numbers["rows"][name] for name in (TOPICS, AS_MANY))
    claim, named = "“reminiscent” of topics", numbers["named"] or {}
    shares = {kind: named[kind]["named"] / named[kind]["of"] for kind in named}
    is_coherent, is_named = atoms["coherence"] >= topics["coherence"], shares.get("atom", 0) >= shares.get("topic", 0)
    return [
        Figure(
            "coherence of atoms: mean NPMI of their ten nearest words",
            claim,
            by_paper=atoms["coherence"],
            baseline=topics["coherence"],
            baseline_is="topics of LDA",
            digits=3,
            is_headline=True,
            says="reproduced" if is_coherent else "failed replication",
        ),
        Figure(
            "atoms that a reader can name, share",
            claim,
            by_paper=shares.get("atom"),
            baseline=shares.get("topic"),
            baseline_is="topics of LDA",
            says="reproduced" if is_named else "failed replication",
            note=f"one reader, {named['atom']['of']} lists of each kind without their origin" if named else "",
        ),
        Figure(
            "different words shown, share",
            None,
            by_paper=atoms["diversity"],
            baseline=topics["diversity"],
            baseline_is="topics of LDA",
        ),
    ]


def _render(numbers: Numbers) -> list[Block]:
    rows = [
        Row((name, *(each[column] for column in COLUMNS)), "baseline" if name == TOPICS else "by-paper")
        for name, each in numbers["rows"].items()
    ]
    columns = [Column("ten words of"), Column("lists", 0)]
    columns += [Column(name.replace("_", " "), 3) for name in COLUMNS[1:]]
    caption = (
        f"LDA learned from {numbers['paragraphs']:,} paragraphs; coherence in {numbers['held_out_paragraphs']:,} "
        f"others, words among {numbers['vocabulary']:,}; a pair of words that never share a paragraph counts −1."
    )
    return [make_table(columns, rows, caption)]


def _why(_numbers: Numbers) -> str:
    return (
        "The paper gives no number. Topics gather frequent words of one subject, which share paragraphs; atoms gather "
        "words of one kind, which need not. LDA reads a part of the text, the atoms come from all of it."
    )


EXHIBITS = (
    Exhibit(
        "topics",
        "Atoms and topic models",
        "The paper remarks that atoms may be reminiscent of the results of topic models, and fairly fine-grained. Here "
        "atoms and the topics of LDA are shown by ten words each and compared: how coherent the words are in other "
        "paragraphs, how many differ, and how many lists a reader can name.",
        _run,
        _figures,
        _render,
        _why,
        needs=(needs.ATOMS, needs.LONG_TEXT),
        is_paper=False,
    ),
)
