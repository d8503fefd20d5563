"""How many atoms of the English model are about characters in fiction, names of persons, or numbers and dates?

    python benchmarks/name_atoms.py docs/results/name-atoms.json

The file lists such atoms, sorted out by reading the names of all atoms. Prints for each kind its share of the atoms and
of the occurrences of all words whose senses by use they name; and by how much a rule agrees that needs no reader: half
of the ten nearest words of an atom are numbers, names, or in no dictionary (`benchmarks/mixes.py` uses it).
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

import wordatoms as wa
from mixes import atoms_of_names


def main() -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("listed", type=Path)
    listed: dict[str, list[int]] = json.loads(parser.parse_args().listed.read_text())
    model = wa.load()
    uses, counts = model.uses, model.parts.word_list.counts
    assert uses is not None
    assert counts is not None
    named = np.asarray(uses.atoms)[np.asarray(uses.senses)]
    occurrences = np.asarray(uses.shares) * counts[np.repeat(np.arange(len(counts)), np.diff(uses.starts))]
    for kind, atoms in listed.items():
        share = occurrences[np.isin(named, atoms)].sum() / occurrences.sum()
        sys.stdout.write(
            f"{kind}: {len(atoms)} atoms, {len(atoms) / len(model.atoms):.1%}; {share:.1%} of occurrences\n"
        )
    by_rule, by_hand = set(atoms_of_names(model.path)), {atom for atoms in listed.values() for atom in atoms}
    sys.stdout.write(
        f"by the rule: {len(by_rule)} atoms, {len(by_rule) / len(model.atoms):.1%}; "
        f"among them {len(by_rule & by_hand)} of the {len(by_hand)} listed\n"
    )


if __name__ == "__main__":
    main()
