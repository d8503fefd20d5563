"""The exhibits on the atoms, in the order of the report."""

from __future__ import annotations

from wordatoms.paper.tasks.atoms.atom_map import ATOM_MAP
from wordatoms.paper.tasks.atoms.meta_atoms import META_ATOMS
from wordatoms.paper.tasks.atoms.overview import ATOMS_EXHIBIT
from wordatoms.paper.tasks.atoms.table5 import TABLE_5
from wordatoms.paper.tasks.atoms.table6 import TABLE_6
from wordatoms.paper.tasks.atoms.tuning import TUNING

EXHIBITS = (TABLE_5, TABLE_6, ATOMS_EXHIBIT, META_ATOMS, ATOM_MAP, TUNING)
