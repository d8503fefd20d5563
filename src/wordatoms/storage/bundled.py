"""The bundled English model, and where the bundled results are.

It is part of the package and is never written to, because an installation may be read-only and shared. Annotations
of its atoms are stored in the user's configuration folder instead.
"""

from __future__ import annotations

import os
from pathlib import Path

from wordatoms.errors import ModelError

ENGLISH = Path(__file__).parents[1] / "data" / "english"
ENGLISH_SENSES = ENGLISH.with_name("english-senses.tsv")
"""The list of known senses of English words (`wordatoms.senses.inventory`)."""
REPRODUCED = ENGLISH.with_name("reproduced")
"""The bundled results of the paper's tables and figures (`wordatoms.paper.report.bundled`)."""
HOME_VARIABLE = "WORDATOMS_HOME"
"""Environment variable that overrides the user's configuration folder."""


def bundled_model() -> Path:
    """Return the folder of the English model."""
    if not (ENGLISH / "manifest.json").is_file():
        raise ModelError("this installation has no bundled English model; pass the folder of another model.")
    return ENGLISH


def notes_folder(model: Path) -> Path:
    """Return the folder for annotations of a model's atoms: the model itself, unless it is the bundled one."""
    if model.resolve() != ENGLISH.resolve():
        return model
    if home := os.environ.get(HOME_VARIABLE):
        return Path(home) / ENGLISH.name
    from platformdirs import user_config_path

    return user_config_path("wordatoms", appauthor=False, roaming=True) / ENGLISH.name
