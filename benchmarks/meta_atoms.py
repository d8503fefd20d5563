"""How many meta-atoms: the overlap of runs of the second sparse coding, as `wordatoms atomize --atoms auto` uses it.

python benchmarks/meta_atoms.py [--model MODEL] [--runs 10] [--json FILE]
"""

from __future__ import annotations

import numpy as np

from common import make_parser, show
from wordatoms.atoms.ksvd import ksvd
from wordatoms.atoms.learning import KSVDRun, best_size, count_users, overlap_point
from wordatoms.atoms.meta_atoms import SPARSITY
from wordatoms.senses.model import SenseModel

SIZES = (25, 50, 100, 200, 400)


def main() -> None:
    parser = make_parser(__doc__, runs=10, threads=1)
    parser.add_argument("--model", help="a model with atoms (default: the bundled one)")
    given = parser.parse_args()
    atoms = np.asarray(SenseModel(given.model).atoms.vectors)
    curve = []
    for size in SIZES:
        settings = {"n_atoms": size, "sparsity": SPARSITY, "nonnegative": True, "threads": given.threads}
        results = [ksvd(atoms, random_state=seed, **settings) for seed in range(given.runs)]
        curve.append(overlap_point([KSVDRun(each.atoms, count_users(each.codes), each.error) for each in results]))
    show({"chosen": best_size(curve), "curve": [point._asdict() for point in curve]}, given.json)


if __name__ == "__main__":
    main()
