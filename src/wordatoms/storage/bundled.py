"""The English model that comes with the program.

It lies inside the package and is never written to, because an installation may be read-only and shared: what a person
adds to its atoms is kept in the user's own folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from wordatoms.errors import ModelError

ENGLISH = Path(__file__).parents[1] / "data" / "english"
HOME_VARIABLE = "WORDATOMS_HOME"
"""Where the user's own additions are kept, if not where the system usually keeps such things."""


def bundled_model() -> Path:
    """The folder of the English model."""
    if not (ENGLISH / "manifest.json").is_file():
        raise ModelError("this installation has no English model inside; pass the folder of a model of your own.")
    return ENGLISH


def notes_folder(model: Path) -> Path:
    """Where notes on the atoms of a model are kept: with the model, unless it came with the program."""
    return _home() / ENGLISH.name if model.resolve() == ENGLISH.resolve() else model


def _home() -> Path:
    given = os.environ.get(HOME_VARIABLE)
    if given:
        return Path(given)
    from platformdirs import user_config_path

    return user_config_path("wordatoms", appauthor=False, roaming=True)
