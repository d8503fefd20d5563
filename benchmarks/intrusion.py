"""An intrusion test: can a reader tell the examples of an atom from those of another?

    python benchmarks/intrusion.py ask TEXTS --kept FOLDER --programs ours,spams_online,overcomplete_topk
                                       --out ITEMS.tsv --key KEY.tsv [--atoms 60] [--seed 0]
    python benchmarks/intrusion.py score KEY.tsv ANSWERS.tsv [--json FILE]

TEXTS has the text of each row on a line; FOLDER is what `benchmarks/learners.py --keep` wrote. For each of some atoms
of each program, drawn at random from those with at least 20 users, an item shows the four sentences with the largest
weights and an intruder: one of the ten strongest sentences of another atom, which does not use this one. Atoms
are turned so that their weights add up to a positive sum. The sentences of an item are shuffled, and so are the items
of all programs, so that a reader knows neither the program nor the atom.

ITEMS has a line per item, its number and five sentences A to E; ANSWERS a line with the number and the letter of the
sentence that does not belong. `score` prints the share of intruders found by program with its standard error; one in
five is chance.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from common import show
from wordatoms.atoms.sparse_coding import SparseCodes

FEWEST_USERS = 20
N_SHOWN = 4
N_TOP = 10
LETTERS = "ABCDE"


def read_codes(folder: Path, name: str) -> csc_matrix:
    """The weights of rows by atoms, with atoms turned to the side of most of their weight."""
    n_atoms = len(np.load(folder / f"{name}.npy", mmap_mode="r"))
    codes = csc_matrix(SparseCodes.load(folder, name, n_atoms=n_atoms).to_csr())
    signs = np.where(np.asarray(codes.sum(axis=0)).ravel() < 0, -1, 1)
    return csc_matrix(codes.multiply(signs[None, :]))


def strongest(codes: csc_matrix, atom: int) -> np.ndarray:
    start, stop = codes.indptr[atom], codes.indptr[atom + 1]
    order = np.argsort(-codes.data[start:stop], kind="stable")
    return codes.indices[start:stop][order[:N_TOP]]


def draw_items(texts: list[str], codes: csc_matrix, n_items: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    n_users = np.diff(codes.indptr)
    used = np.flatnonzero(n_users >= FEWEST_USERS)
    items = []
    for atom in rng.choice(used, min(n_items, len(used)), replace=False):
        start, stop = codes.indptr[atom], codes.indptr[atom + 1]
        users = set(codes.indices[start:stop].tolist())
        strangers: list[int] = []
        while not strangers:
            other = rng.choice(used[used != atom])
            strangers = [row for row in strongest(codes, other).tolist() if row not in users]
        shown = [*strongest(codes, atom)[:N_SHOWN].tolist(), int(rng.choice(strangers))]
        order = rng.permutation(len(shown))
        intruder = LETTERS[int(np.flatnonzero(order == N_SHOWN)[0])]
        items.append({"atom": int(atom), "intruder": intruder, "texts": [texts[shown[i]] for i in order]})
    return items


def ask(options: argparse.Namespace) -> None:
    texts = options.texts.read_text(encoding="utf-8").splitlines()
    rng = np.random.default_rng(options.seed)
    items = []
    for program in options.programs.split(","):
        found = draw_items(texts, read_codes(options.kept, program), options.atoms, rng)
        items += [{"program": program, **item} for item in found]
    shuffled = [items[i] for i in rng.permutation(len(items))]
    lines = ["\t".join(["item", *LETTERS])]
    lines += ["\t".join([str(n), *item["texts"]]) for n, item in enumerate(shuffled, 1)]
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    key = [f"{n}\t{item['program']}\t{item['atom']}\t{item['intruder']}" for n, item in enumerate(shuffled, 1)]
    options.key.write_text("item\tprogram\tatom\tintruder\n" + "\n".join(key) + "\n", encoding="utf-8")


def read_table(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(options: argparse.Namespace) -> None:
    answers = {row[0].strip(): row[1].strip().upper()[:1] for row in read_table(options.answers) if len(row) > 1}
    found: dict[str, list[bool]] = {}
    for number, program, _, intruder in read_table(options.key)[1:]:
        if number not in answers:
            sys.exit(f"{options.answers} has no answer to item {number}; give a letter for each item.")
        found.setdefault(program, []).append(answers[number] == intruder)
    result = {}
    for program, right in found.items():
        share = float(np.mean(right))
        error = float(np.sqrt(share * (1 - share) / len(right)))
        result[program] = {"items": len(right), "found": sum(right), "share": share, "standard_error": error}
    show(result, options.json)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    asking = commands.add_parser("ask", help="write items and key")
    asking.add_argument("texts", type=Path)
    asking.add_argument("--kept", type=Path, required=True)
    asking.add_argument("--programs", default="ours,spams_online,overcomplete_topk")
    asking.add_argument("--atoms", type=int, default=60, help="items per program (default 60)")
    asking.add_argument("--seed", type=int, default=0)
    asking.add_argument("--out", type=Path, required=True)
    asking.add_argument("--key", type=Path, required=True)
    asking.set_defaults(run=ask)
    scoring = commands.add_parser("score", help="count the intruders that a reader found")
    scoring.add_argument("key", type=Path)
    scoring.add_argument("answers", type=Path)
    scoring.add_argument("--json", type=Path)
    scoring.set_defaults(run=score)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
