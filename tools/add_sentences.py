"""Add example sentences to the senses by use of a model, and report in how many the model finds the sense.

    python tools/add_sentences.py MODEL SENTENCES [--report FILE]

SENTENCES is a TSV file: word, name of the sense (as in the list of senses), the word as it stands in the sentence, and
the sentence; or a report of this tool, which has them too. The senses of the word that have this name get the sentence
if the model reads it so: an example that the model itself misreads would mislead. All are counted in the report. Names
and examples of atoms stay as they are.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wordatoms.atoms.names import AtomExample
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.senses.examples import find_word
from wordatoms.senses.model import SenseModel
from wordatoms.storage.files import write_atomic

REPORTED = ("word", "name", "form", "known", "found", "answer", "p", "sentence")
"""The columns of a report."""


class Sentence(NamedTuple):
    word: str
    name: str
    form: str
    text: str


class Reading(NamedTuple):
    """How the model reads a sentence."""

    sentence: Sentence
    sense: int
    """Number of the sense that the sentence was written for; -1 if the model does not have it."""
    answer: str
    """Name of the likeliest sense, or the verdict that there is none."""
    probability: float
    is_right: bool


def read_sentences(path: Path) -> list[Sentence]:
    """Read the sentences; each must contain its word."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{path} cannot be read as sentences: {error}; pass a UTF-8 TSV file.") from None
    table = [fields for fields in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if fields]
    if table and tuple(table[0]) == REPORTED:
        table = [[*fields[:3], fields[-1]] for fields in table[1:]]
    if wrong := next((fields for fields in table if len(fields) != len(Sentence._fields)), None):
        raise SystemExit(f"{path} has a line of {len(wrong)} columns; expected {', '.join(Sentence._fields)}.")
    rows = [Sentence(*fields) for fields in table]
    lacking = [row for row in rows if not find_word(row.form, row.text)]
    if lacking:
        raise SystemExit(f"{path}: {len(lacking)} sentences lack their word, such as {lacking[0]}")
    return rows


def read_all(model: SenseModel, sentences: Sequence[Sentence]) -> Iterator[Reading]:
    """Read each sentence, the first occurrence of its word."""
    for sentence in sentences:
        try:
            senses = model.senses(sentence.word, forms=True, n_nearest=0, n_linked=0)
            found = model.disambiguate(sentence.word, sentence.text, n_deciding=0)
        except UnknownWordError:
            continue
        except InputError:  # what stands in the sentence is no form of the word to the model
            yield Reading(sentence, -1, "not a form of the word", 0.0, False)
            continue
        sense = next((each.sense for each in senses if each.sense is not None and each.label == sentence.name), -1)
        if not found:
            continue
        answer = found[0]
        is_right = answer.verdict == sentence.name
        yield Reading(sentence, -1 if sense is None else sense, answer.verdict, answer.sense.probability, is_right)


def attach(model: SenseModel, readings: Sequence[Reading]) -> None:
    """Write the sentences that are read as they were meant into the names of the model, one for each sense."""
    uses = model.uses
    assert uses is not None
    examples: dict[int, AtomExample] = {}
    for reading in sorted(readings, key=lambda each: -each.probability):
        if reading.is_right and reading.sense >= 0:
            examples.setdefault(reading.sense, AtomExample(reading.sentence.form, reading.sentence.text))
    replace(model.parts.atom_names, uses=uses.fingerprint, senses=examples).save(model.path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--report", type=Path, help="TSV file: how each sentence was read")
    given = parser.parse_args()
    sentences = read_sentences(given.sentences)
    try:
        model = SenseModel(given.model)
    except ModelError as error:
        raise SystemExit(str(error)) from None
    if model.uses is None:
        raise SystemExit(f"{given.model} has no senses by use; run: wordatoms observe {given.model}")
    readings = list(read_all(model, sentences))
    attach(model, readings)
    known = [each for each in readings if each.sense >= 0]
    right = sum(each.is_right for each in known)
    wrong = sum(not each.is_right and each.probability > 0.9 for each in known)
    print(f"{len(readings):,} sentences, {len(known):,} of them for senses that the model has; {right:,} read as meant")
    print(f"{right / max(len(known), 1):.1%} right, {wrong / max(len(known), 1):.1%} wrong with p above .9")
    if given.report:
        with write_atomic(given.report) as file:
            file.write(("\t".join(REPORTED) + "\n").encode())
            for each in readings:
                fields = (
                    *each.sentence[:3],
                    int(each.sense >= 0),
                    int(each.is_right),
                    each.answer,
                    f"{each.probability:.2f}",
                    each.sentence.text,
                )
                file.write(("\t".join(map(str, fields)) + "\n").encode())


if __name__ == "__main__":
    main()
