"""Time a fresh process: loading the bundled model, and one question on the command line; measure the wheel.

    python benchmarks/startup.py [--repeat 9] [--json docs/results/startup.json]

Each time is the best of several processes; processor time, which other programs on the machine change less, is shown
beside wall time. Files are in the cache of the operating system and modules are compiled, as after an installation.
Loading is `wordatoms.load()` with all words, vectors, atoms, uses and the map, after the imports. No question can be
faster than `import numpy`, whose time is shown first. The wheel is built from this folder; its size is in megabytes of
1,000,000 bytes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from common import describe_machine, make_parser, show

LOADING = """
import numpy, wordatoms.senses.model, wordatoms.contexts.induced_map, wordatoms.senses.uses
from time import perf_counter, process_time
import wordatoms as wa
started, worked = perf_counter(), process_time()
model = wa.load()
model.words; model.embeddings; model.atoms; model.induced_map; model.uses
print(perf_counter() - started, process_time() - worked)
"""
QUESTIONS = {
    "senses tie": ["senses", "tie"],
    "senses tie --json": ["senses", "tie", "--json"],
    "--version": ["--version"],
}
ROOT = Path(__file__).parents[1]


def loading(repeat: int) -> dict[str, float]:
    runs = [
        subprocess.run([sys.executable, "-c", LOADING], capture_output=True, check=True).stdout.split()
        for _ in range(repeat)
    ]
    wall, processor = (min(float(run[place]) for run in runs) for place in (0, 1))
    return {"seconds": round(wall, 3), "processor seconds": round(processor, 3)}


def process(command: list[str], repeat: int) -> dict[str, float]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    walls, processors = [], []
    for _ in range(repeat):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
        subprocess.run(command, capture_output=True, check=True, env=environment)
        walls.append(perf_counter() - started)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"seconds": round(min(walls), 3), "processor seconds": round(min(processors), 3)}


def wheel_megabytes() -> float:
    with TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run(build, check=True)
        return round(next(Path(folder).glob("*.whl")).stat().st_size / 1e6, 1)


def main() -> None:
    given = make_parser(__doc__, repeat=9).parse_args()
    program = str(Path(sys.executable).with_name("wordatoms"))
    result = {
        "machine": describe_machine(),
        "import numpy": process([sys.executable, "-c", "import numpy"], given.repeat),
        "load": loading(given.repeat),
        **{f"wordatoms {name}": process([program, *asked], given.repeat) for name, asked in QUESTIONS.items()},
        "wheel, MB": wheel_megabytes(),
    }
    show(result, given.json)


if __name__ == "__main__":
    main()
