"""What the benchmarks share: the best of several runs, and the result as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any


def best(function: Callable[[], object], repeat: int) -> float:
    """Seconds of the fastest of several runs: on a shared machine the others measure the neighbours."""
    seconds = []
    for _ in range(repeat):
        started = perf_counter()
        function()
        seconds.append(perf_counter() - started)
    return min(seconds)


def show(result: dict[str, Any], path: Path | None) -> None:
    """Print a result, and write it to a file where there is one."""
    text = json.dumps(result, indent=2) + "\n"
    if path:
        path.write_text(text)
    sys.stdout.write(text)
