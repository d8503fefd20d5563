"""The stages of the chain on a model's folder: what `wordatoms train` does, one module per stage.

A stage is skipped where the manifest shows it done with the same settings, and goes on from its last checkpoint
where it was interrupted.
"""

from __future__ import annotations

from wordatoms.pipeline.atomizing import AtomSettings, atomize, read_atom_report
from wordatoms.pipeline.compacting import compact
from wordatoms.pipeline.counting import count
from wordatoms.pipeline.describing import folder_facts
from wordatoms.pipeline.embedding import chosen_parameters, embed, import_vectors
from wordatoms.pipeline.mapping import MapSettings, map_contexts
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.training import train
from wordatoms.pipeline.tuning import TuneSettings, adopt_tuning, is_held_out, settings_of_atoms, tune

__all__ = [
    "AtomSettings",
    "CountSettings",
    "MapSettings",
    "TuneSettings",
    "adopt_tuning",
    "atomize",
    "chosen_parameters",
    "compact",
    "count",
    "embed",
    "folder_facts",
    "import_vectors",
    "is_held_out",
    "map_contexts",
    "read_atom_report",
    "settings_of_atoms",
    "train",
    "tune",
]
