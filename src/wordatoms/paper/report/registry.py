"""Every table and figure of the paper, then our additions: the order of the report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wordatoms.errors import InputError
from wordatoms.paper.exhibits.exhibit import Exhibit
from wordatoms.paper.tasks.atoms.atom_map import ATOM_MAP
from wordatoms.paper.tasks.atoms.meta_atoms import META_ATOMS
from wordatoms.paper.tasks.atoms.overview import ATOMS_EXHIBIT
from wordatoms.paper.tasks.atoms.sentences import SENTENCES
from wordatoms.paper.tasks.atoms.table5 import TABLE_5
from wordatoms.paper.tasks.atoms.table6 import TABLE_6
from wordatoms.paper.tasks.atoms.tuning import TUNING
from wordatoms.paper.tasks.centers.exhibit import TABLE_1
from wordatoms.paper.tasks.induced.exhibit import TABLE_2
from wordatoms.paper.tasks.lineup.exhibit import EXAMPLE_BAT, FIGURE_1A, FIGURE_1B
from wordatoms.paper.tasks.pseudowords.exhibit import TABLE_3
from wordatoms.paper.tasks.remarks.exhibit import REMARKS
from wordatoms.paper.tasks.scws.exhibit import TABLE_8
from wordatoms.paper.tasks.similarity.exhibit import EMBEDDINGS
from wordatoms.paper.tasks.walk.exhibit import WALK_EXHIBIT
from wordatoms.paper.tasks.wordnet.exhibit import TABLE_4
from wordatoms.paper.tasks.wsi.exhibit import TABLE_7

OF_PAPER = (
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    TABLE_8,
    EXAMPLE_BAT,
    FIGURE_1A,
    FIGURE_1B,
)
OUR_OWN = (WALK_EXHIBIT, REMARKS, ATOMS_EXHIBIT, META_ATOMS, ATOM_MAP, TUNING, EMBEDDINGS, SENTENCES)
EXHIBITS: dict[str, Exhibit] = {exhibit.name: exhibit for exhibit in (*OF_PAPER, *OUR_OWN)}


def find_exhibits(names: Sequence[str]) -> list[Exhibit]:
    """The exhibits of these names in the order of the report; `7` and `Table 7` are one, `figure-1` is two."""
    wanted = {found for name in names for found in _matching(name)}
    return [exhibit for name, exhibit in EXHIBITS.items() if name in wanted]


def _matching(name: str) -> list[str]:
    plain = _plain(name)
    plain = f"table{plain}" if plain.isdigit() else plain
    found = [known for known in EXHIBITS if _plain(known) == plain]
    found = found or [known for known in EXHIBITS if plain == "figure1" and known.startswith("figure-1")]
    if not found:
        raise InputError(f"there is no exhibit '{name}'; pass some of {', '.join(EXHIBITS)}, or --all.")
    return found


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())
