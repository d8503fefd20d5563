"""Shared by the benchmarks: command-line options, timing, peak memory, and the result as JSON."""

from __future__ import annotations

import argparse
import json
import platform
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

HELPS = {
    "threads": "number of threads",
    "repeat": "runs, of which the best counts",
    "memory": "memory limit in MB",
    "dim": "dimensions of the vectors",
    "rows": "number of vectors",
    "atoms": "number of atoms",
    "quality_rows": "vectors for the comparison of errors",
    "quality_atoms": "atoms for the comparison of errors",
    "batch_rows": "vectors for the comparison with mini-batches",
    "batch_atoms": "atoms for the comparison with mini-batches",
    "sparsity": "atoms per vector",
    "first": "learn from the first rows alone; 0 for all",
    "limit": "processor seconds after which a program is stopped",
    "slow_rows": "vectors for scikit-learn",
    "reference_epochs": "epochs of the C programs' algorithm",
    "pseudowords": "pseudowords for --tune",
    "timed": "usages that are timed",
    "texts": "maximum number of texts to disambiguate",
}


def make_parser(doc: str | None, **numbers: int) -> argparse.ArgumentParser:
    """A parser with the docstring of a benchmark, `--json`, and an option for each number with its default."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in numbers.items():
        help_text = f"{HELPS.get(name, name.replace('_', ' '))} (default {default})"
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default, help=help_text)
    parser.add_argument("--json", type=Path, help="also write the result to this file")
    return parser


def best(function: Callable[[], object], repeat: int, clock: Callable[[], float] = perf_counter) -> float:
    """The shortest time of several runs, in seconds; on a shared machine the longer ones measure other programs.

    `clock=process_time` measures processor time of all threads instead of wall time.
    """
    seconds = []
    for _ in range(repeat):
        started = clock()
        function()
        seconds.append(clock() - started)
    return min(seconds)


def describe_machine() -> str:
    return f"{platform.processor() or platform.machine()}, {platform.system()}"


def git_commit() -> str:
    """The commit that was measured, with "dirty" if files were changed."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def peak_memory_mb() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show(result: dict[str, Any], path: Path | None) -> None:
    """Print a result as JSON and, if a path is given, write it there."""
    text = json.dumps(result, indent=2) + "\n"
    if path:
        path.write_text(text)
    sys.stdout.write(text)


def table_line(*cells: object) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(map(str, cells))} |"


def write_page(page: Path, made: Mapping[str, Sequence[str]]) -> None:
    """Replace the lines between `<!-- NAME -->` and `<!-- end -->` in a page."""
    text = page.read_text(encoding="utf-8")
    for name, lines in made.items():
        mark = re.compile(f"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, n = mark.subn(lambda found, lines=lines: found[1] + "\n".join(lines) + "\n" + found[2], text)
        if n != 1:
            raise SystemExit(f"{page} has {n} parts between <!-- {name} --> and <!-- end -->; there must be one.")
    page.write_text(text, encoding="utf-8")
