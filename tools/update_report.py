"""Compute everything in the report that depends on the bundled model, bundle the results and render the report.

    python tools/update_report.py WORK --data DATA --with sn --with glove --with nnse --with cbow

WORK keeps the computed results, one folder for each part; a part whose inputs are unchanged is not computed again. DATA
holds the data sets and, in its subfolder corpus, the text from which the paper's competitors learn (or pass --text).
`--with` names models of other vectors, whose rows are computed in the same run.

Not computed: Tables 1, 2 and 3, which are about SN and GloVe vectors and do not depend on the bundled model. In Table 4
and among the remarks only the rows of the bundled model are computed; those of other vectors, which each need several
passes over the text, are kept from the results stored before, with their date (`--all-models` computes them, too).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from wordatoms.drawing.charts import write_charts
from wordatoms.errors import WordatomsError
from wordatoms.paper.report.bundled import bundle
from wordatoms.paper.report.runner import find_exhibits
from wordatoms.paper.tasks.lineup.exhibit import draw_by_chosen, draw_by_shown
from wordatoms.storage.bundled import REPRODUCED
from wordatoms.storage.untrusted import read_json

DOCS = Path(__file__).parents[1] / "docs"


class Part(NamedTuple):
    """Exhibits that are computed in one process."""

    name: str
    exhibits: tuple[str, ...]
    has_others: bool = True
    """Whether models of other vectors are passed."""


PARTS = (
    Part("lineup", ("figure-1",)),
    Part("similarity", ("table-8", "embeddings")),
    Part("induction", ("table-7",)),
    Part("theory", ("table-4", "remarks"), has_others=False),
    Part("atoms", ("table-5", "table-6", "meta-atoms", "sentences")),
)
"""The longest first, so that two processes end at about the same time."""


def command(part: Part, work: Path, given: argparse.Namespace) -> list[str]:
    """The command line that computes a part."""
    others = given.others if part.has_others or given.all_models else []
    options = [
        *(["--model", given.model] if given.model else []),
        *(word for other in others for word in ("--with", other)),
        *(["--data", given.data] if given.data else []),
        *(word for each in given.text for word in ("--text", each)),
        *(["--source", given.source] if given.source else []),
        *(["--no-competitors"] if given.no_competitors else []),
        *("--threads", "1"),
    ]
    return [sys.executable, "-m", "wordatoms", "reproduce", *part.exhibits, "-o", str(work / part.name), *options]


def compute(part: Part, work: Path, given: argparse.Namespace) -> float:
    """Run a part in a process of its own; return the seconds."""
    started = perf_counter()
    work.mkdir(parents=True, exist_ok=True)
    with (work / f"{part.name}.log").open("wb") as log:
        subprocess.run(command(part, work, given), check=True, stdout=log, stderr=log)
    return perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="folder for the computed results")
    parser.add_argument("--model", help="default: the bundled model")
    parser.add_argument("--with", dest="others", action="append", default=[], metavar="MODEL")
    parser.add_argument("--data", help="default: $WORDATOMS_DATA")
    parser.add_argument("--text", action="append", default=[], help="default: DATA/corpus")
    parser.add_argument("--source", default="", help="origin and licence of the text")
    parser.add_argument("--no-competitors", action="store_true")
    parser.add_argument("--all-models", action="store_true", help="compute the rows of other vectors everywhere")
    parser.add_argument("--part", action="append", choices=[part.name for part in PARTS], help="default: all")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time, one thread each")
    parser.add_argument("--no-docs", action="store_true", help="do not render docs/report and the plots")
    update(parser.parse_args())


def update(given: argparse.Namespace) -> None:
    chosen = [part for part in PARTS if not given.part or part.name in given.part]
    with ThreadPoolExecutor(given.jobs) as pool:
        taken = list(pool.map(lambda part: _computed(part, given), chosen))
    failed = [part.name for part, seconds in zip(chosen, taken, strict=True) if seconds is None]
    for part in chosen:
        if part.name not in failed:
            _bundle(part, given.work / part.name)
    if not (failed or given.no_docs):
        render(DOCS / "report")
        draw_lineup(DOCS / "results" / "lineup.svg")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}; see the logs in {given.work}.")


def _computed(part: Part, given: argparse.Namespace) -> float | None:
    try:
        seconds = compute(part, given.work, given)
    except subprocess.CalledProcessError:
        return None
    sys.stdout.write(f"{part.name}: {seconds:,.0f} s\n")
    return seconds


def _bundle(part: Part, report: Path) -> None:
    try:
        stored = bundle(report, find_exhibits(part.exhibits), keep_models=True)
    except WordatomsError as error:
        raise SystemExit(str(error)) from error
    sys.stdout.write(f"bundled: {', '.join(stored)}\n")


def render(folder: Path) -> None:
    """Render the report from the bundled results; exhibits that need nothing but the bundled model are computed."""
    asked = ["reproduce", "--all", "--bundled", "--quiet", "-o", str(folder)]
    subprocess.run([sys.executable, "-m", "wordatoms", *asked], check=True)


def draw_lineup(path: Path) -> None:
    """Draw both panels of Figure 1 from the bundled result."""
    numbers = read_json(REPRODUCED / "figure-1a.json")["numbers"]
    write_charts(path, [draw_by_chosen(numbers), draw_by_shown(numbers)])


if __name__ == "__main__":
    main()
