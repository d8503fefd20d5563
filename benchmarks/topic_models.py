"""Let a reader name atoms and topics of LDA without knowing which is which, and compare both.

    python benchmarks/topic_models.py TRAIN.txt HELD_OUT.txt [--model MODEL] --json FILE --lists LISTS
    python benchmarks/topic_models.py --judged LISTS --json FILE

The comparison is that of the report (`wordatoms reproduce topics`). `--lists` writes 20 lists of each kind in random
order without their origin, as a table with an empty column `name`. Fill in a name where you can find one; `--judged`
then adds the numbers to the JSON of the first run.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import make_parser, show
from wordatoms.paper.tasks.topics.evaluate import N_PARAGRAPHS, compare_topics, long_paragraphs
from wordatoms.senses.model import SenseModel


def read_paragraphs(path: Path, limit: int) -> list[list[str]]:
    with path.open(encoding="utf-8") as file:
        return list(long_paragraphs(file, limit))


def write_lists(path: Path, drawn: Sequence[tuple[str, list[str]]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("list", "name"))
        writer.writerows((" ".join(words), "") for _, words in drawn)


def add_names(result: dict[str, Any], judged: Path) -> dict[str, Any]:
    """Add to an earlier result how many lists of each kind got a name."""
    kinds = {each["words"]: each["kind"] for each in result["lists"]}
    with judged.open(encoding="utf-8", newline="") as file:
        rows = [(kinds[row["list"]], bool(row["name"].strip())) for row in csv.DictReader(file, delimiter="\t")]
    names = {
        kind: f"{sum(named for each, named in rows if each == kind)} of {sum(each == kind for each, _ in rows)}"
        for kind in ("atom", "topic")
    }
    return {**result, "named by a reader": names}


def main() -> None:
    parser = make_parser(__doc__, topics=200, passes=3, paragraphs=N_PARAGRAPHS, words=10_000)
    parser.add_argument("train", type=Path, nargs="?")
    parser.add_argument("held_out", type=Path, nargs="?")
    parser.add_argument("--model", help="a model with atoms (default: the bundled one)")
    parser.add_argument("--lists", type=Path, help="write lists without their origin here")
    parser.add_argument("--judged", type=Path, help="such a table with names filled in")
    given = parser.parse_args()
    if given.judged:
        show(add_names(json.loads(given.json.read_text()), given.judged), given.json)
        return
    model = SenseModel(given.model)
    train, held_out = (read_paragraphs(path, given.paragraphs) for path in (given.train, given.held_out))
    found = compare_topics(model, train, held_out, n_topics=given.topics, n_passes=given.passes, n_words=given.words)
    if given.lists:
        write_lists(given.lists, found.drawn)
    lists = [{"kind": kind, "words": " ".join(words)} for kind, words in found.drawn]
    show({**found.facts, **found.rows, "lists": lists}, given.json)


if __name__ == "__main__":
    main()
