"""Compute the rows of the stored results that depend on senses by use, after `tools/renew_senses.py`.

    python tools/renew_results.py WORK --data DATA

In Tables 7 and 8 and Figure 1, our methods by use are computed for the bundled model and replace those stored before;
all other rows, among them the competitors' and those of other vectors, do not depend on the senses and stay. The report
and the charts of the documentation are written anew. WORK keeps what was computed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from update_report import DOCS, draw_lineup, render

from wordatoms.paper.tasks.scws.methods import OURS
from wordatoms.paper.tasks.wsi.methods import BY_USE
from wordatoms.storage.bundled import REPRODUCED
from wordatoms.storage.files import write_json
from wordatoms.storage.untrusted import read_json

DEPENDS: dict[str, Callable[[str], bool]] = {
    "table-7": lambda name: name.startswith(BY_USE),
    "table-8": lambda name: name == OURS,
    "figure-1a": lambda name: "senses by use" in name or name == "gain",
    "figure-1b": lambda name: "senses by use" in name or name == "gain",
}
"""Which rows and numbers of an exhibit depend on the senses by use, by their names."""
NOTE = "the bundled model's senses by use, renewed; their rows computed on "


def replaced(stored: Any, computed: Any, depends: Callable[[str], bool]) -> Any:
    """Return stored numbers with those that depend on the senses taken from computed ones."""
    if not isinstance(stored, dict):
        return stored
    if lacking := [name for name in stored if depends(name) and isinstance(computed, dict) and name not in computed]:
        raise SystemExit(f"{lacking[0]!r} was not computed; compute the whole exhibit again by update_report.py.")
    return {
        name: computed[name] if depends(name) and name in computed else replaced(value, computed.get(name, {}), depends)
        for name, value in stored.items()
    }


def renew(name: str, folder: Path) -> None:
    """Renew one exhibit."""
    path = REPRODUCED / f"{name}.json"
    stored, computed = read_json(path), read_json(folder / "results" / f"{name}.json")
    stored["numbers"] = replaced(stored["numbers"], computed["numbers"], DEPENDS[name])
    others = [each for each in stored["made"].get("others", []) if not each.startswith(NOTE)]
    stored["made"]["others"] = [*others, f"{NOTE}{datetime.now(UTC):%Y-%m-%d}"]
    write_json(path, stored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder for what is computed")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    given = parser.parse_args()
    command = [sys.executable, "-m", "wordatoms", "reproduce", *DEPENDS, "--data", str(given.data)]
    subprocess.run([*command, "--no-competitors", "-o", str(given.work)], check=True)
    for name in DEPENDS:
        renew(name, given.work)
    render(DOCS / "report")
    draw_lineup(DOCS / "results" / "lineup.svg")


if __name__ == "__main__":
    main()
