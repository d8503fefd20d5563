"""The report on disk: `index.html` for people and `results.json` for programs, each whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wordatoms.errors import InputError
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.report.page import make_page
from wordatoms.paper.report.runner import Outcome, report_json
from wordatoms.storage.files import write_atomic, write_json

PAGE, EVERYTHING = "index.html", "results.json"


def prepare_folder(folder: Path) -> None:
    """Make the folder, or say why it cannot hold a report, before anything is computed."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; pass a folder for the report.")
    if (folder / "manifest.json").is_file():
        raise InputError(f"{folder} is the folder of a model; pass another for the report.")
    folder.mkdir(parents=True, exist_ok=True)


def write_report(folder: Path, outcomes: Sequence[Outcome], inputs: Inputs) -> Path:
    """Write page and numbers; the path of the page."""
    prepare_folder(folder)
    report = report_json(outcomes, inputs)
    write_json(folder / EVERYTHING, report)
    with write_atomic(folder / PAGE) as file:
        file.write(make_page(outcomes, inputs).encode())
    return folder / PAGE
