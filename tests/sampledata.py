"""Small data sets of our own, in the layouts of the published ones: SCWS, SemEval-2010 and the lineup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from wordatoms.paper.tasks.lineup.data import LineupSense, Testbed

SMALL = Path(__file__).parent / "data" / "small.txt"
"""A page of text."""
Text = tuple[str, str, str]
"""Before, in and after the target sentence; the target is marked, which it is not in the file."""

# SCWS

CONTEXTS = {
    "bank": "They do n't rob the <b> Bank </b> , they 'll own the bank .",
    "money": "<b>Money</b> talks",
    "mother-in-law": "his <b> mother-in-law </b> left",
}
PAIRS = [
    ("bank", "money", 8.0),
    ("bank", "bank", 2.0),
    ("Bank", "bank", 9.5),
    ("money", "mother-in-law", 1.5),
    ("bank", "mother-in-law", 1.0),
    ("money", "money", 10.0),
]


def scws_line(number: int, word1: str, word2: str, rating: float) -> str:
    contexts = [CONTEXTS[word.lower()] for word in (word1, word2)]
    return "\t".join([str(number), word1, "n", word2, "n", *contexts, str(rating), *["5.0"] * 10])


def write_scws(folder: Path) -> Path:
    """Write all pairs to `folder/ratings.txt`."""
    folder.mkdir(parents=True)
    (folder / "ratings.txt").write_text("\n".join(scws_line(n, *pair) for n, pair in enumerate(PAIRS, 1)))
    return folder


# SemEval-2010 task 14

USAGES = {
    "nouns/bank.n": [
        ("", "The <b>bank</b> lent money to the shop .", "It was paid back ."),
        ("", "They sat on the river <b>bank</b> .", ""),
        ("", "Two <b>banks</b> asked for the loan .", ""),
    ],
    "nouns/zebra.n": [("", "A <b>zebra</b> by the river .", ""), ("", "The <b>zebra</b> was old .", "")],
    "verbs/tie.v": [("", "They <b>tied</b> the boat .", ""), ("", "To <b>tie</b> a knot .", "")],
}
USAGE_KEY = """\
bank.n bank.n.1 bank.n.1
bank.n bank.n.2 bank.n.2
bank.n bank.n.3 bank.n.1
zebra.n zebra.n.1 zebra.n.1
zebra.n zebra.n.2 zebra.n.1
tie.v tie.v.1 tie.v.1
tie.v tie.v.2 tie.v.1
"""


def semeval_xml(word: str, texts: list[Text]) -> str:
    instances = [
        f"<{word}.{i}>{before}<TargetSentence>{re.sub('</?b>', '', sentence)} </TargetSentence>{after}</{word}.{i}>"
        for i, (before, sentence, after) in enumerate(texts, 1)
    ]
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{word}.test>{"".join(instances)}</{word}.test>'


def write_semeval(folder: Path, texts: Mapping[str, list[Text]], key: str) -> Path:
    """Write the texts of each word and the key of all."""
    folder.mkdir(parents=True)
    (folder / "all.key").write_text(key)
    for name, instances in texts.items():
        path = folder / f"{name}.xml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(semeval_xml(path.stem, instances))
    return folder


# The lineup

SENSES = {
    "bank": ("money shop rate interest loan year low asked", "river water grass boats bridge sat tall watched"),
    "spring": ("flowers birds winter sun garden bloom open wall", "steel clock wheel broke old man stopped find"),
    "bat": ("cave night insects hunt dark lake slept day", "ball hit team game crowd heads far new"),
}


def small_testbed() -> Testbed:
    return Testbed({word: tuple(LineupSense(tuple(each.split())) for each in lists) for word, lists in SENSES.items()})
