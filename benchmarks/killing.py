"""Kill `wordatoms train` with SIGKILL at random moments, restart it, and compare the result with an uninterrupted run.

    python benchmarks/killing.py TEXT --kills 200 --seed 0
    python benchmarks/killing.py TEXT --kills 50 --method sn --options="--dim 50 --min-count 2"

The options are passed to `wordatoms train`. Half of the kills come after a random time, half right after a file in the
folder was created, removed or renamed, when something may be half done. Some runs are killed once, others repeatedly
before they may finish. After every kill, all files named in the manifest must be complete. In the end all files must
have the same bytes as those of the uninterrupted run (except times and memory in the manifest), and no other file may
remain. Otherwise the exit code is 1.

Each run is a process forked from one that has already loaded the program, which saves a second per run.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork

from common import show

STAGES = ("count", "embed", "map", "atomize", "observe")
PASSING = ("seconds", "made", "peak_memory")
LONGEST_CHAIN = 6
POLL = 0.0005
LONGEST_RUN = 600
"""Seconds after which a run counts as hanging."""


class Wrong(Exception):
    """A check failed."""


@dataclass(frozen=True)
class Moment:
    """When to kill: after some seconds, or after some number of changes in the folder."""

    seconds: float | None = None
    n_changes: int | None = None


@dataclass
class Ended:
    """How a run ended."""

    code: int | None
    """None if it was killed."""
    seconds: float
    n_changes: int


@dataclass
class Tally:
    """Counts of the kills, by stage and by kind."""

    n_kills: int = 0
    n_runs: int = 0
    n_models: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    aimed: Counter[str] = field(default_factory=Counter)


def start(arguments: list[str], log: Path) -> int:
    """Run `wordatoms` in a forked process and return its process id."""
    from wordatoms.cli import main

    if number := os.fork():
        return number
    try:
        with log.open("w") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
            os.dup2(file.fileno(), sys.stdout.fileno())
            sys.argv = ["wordatoms", *arguments]
            main()
    except SystemExit as left:
        os._exit(int(left.code or 0))
    finally:
        os._exit(99)


def run(arguments: list[str], folder: Path, moment: Moment | None = None) -> Ended:
    """Run `wordatoms train`, and kill it at the given moment."""
    began, n_changes, before = time.perf_counter(), 0, names_in(folder)
    number = start(["train", *arguments, "-o", str(folder)], folder.with_suffix(".log"))
    while True:
        ended, status = os.waitpid(number, os.WNOHANG)
        seconds = time.perf_counter() - began
        if ended:
            return Ended(os.waitstatus_to_exitcode(status), seconds, n_changes)
        now = names_in(folder)
        n_changes, before = n_changes + (now != before), now
        if seconds > LONGEST_RUN:
            os.kill(number, signal.SIGKILL)
            raise Wrong(f"a run did not end within {LONGEST_RUN} seconds")
        if moment and (
            (moment.seconds is not None and seconds >= moment.seconds)
            or (moment.n_changes is not None and n_changes >= moment.n_changes)
        ):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
            return Ended(None, seconds, n_changes)
        time.sleep(POLL)


def names_in(folder: Path) -> frozenset[str]:
    return frozenset(_names(str(folder)))


def _names(folder: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            yield entry.path
            if entry.is_dir():
                yield from _names(entry.path)


def content(folder: Path) -> dict[str, Any]:
    """Everything that must be equal: the bytes of every file, including hidden ones, and the manifest without times."""
    from wordatoms.storage.folder import read_manifest

    files: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        files[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    manifest = read_manifest(folder)
    for record in manifest["stages"].values():
        for name in PASSING:
            record.pop(name, None)
    return {**files, "manifest.json": manifest}


def check_killed(folder: Path, reference: dict[str, Any]) -> str:
    """The stage that a kill hit; checks that files named in the manifest equal those of the uninterrupted run."""
    from wordatoms.storage.folder import ModelFolder

    if not (folder / "manifest.json").exists():
        return STAGES[0] if folder.exists() else "start"
    model = ModelFolder(folder)
    for file in model.check_files(thorough=True):
        if file.fault or (folder / file.name).read_bytes() != reference[file.name]:
            raise Wrong(f"after a kill, {file.name} of the stage {file.stage}: {file.fault or 'different content'}")
    return next((stage for stage in STAGES if stage not in model.stages), "end")


def kill_and_finish(
    arguments: list[str], folder: Path, reference: dict[str, Any], moments: Iterator[Moment], tally: Tally
) -> None:
    """Kill a training at several moments in turn, then let it finish."""
    tally.n_models += 1
    for moment in moments:
        tally.n_runs += 1
        ended = run(arguments, folder, moment)
        if ended.code is None:
            stage = check_killed(folder, reference)
            tally.n_kills += 1
            tally.stages[stage] += 1
            tally.aimed["after a change" if moment.n_changes is not None else "after a time"] += 1
        elif ended.code:
            raise Wrong(f"a run ended with {ended.code}: {folder.with_suffix('.log').read_text()}")
        else:
            break
    tally.n_runs += 1
    ended = run(arguments, folder)
    if ended.code:
        raise Wrong(f"the last run ended with {ended.code}: {folder.with_suffix('.log').read_text()}")
    compare(content(folder), reference)


def compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    states = {
        "missing": sorted(set(expected) - set(found)),
        "left over": sorted(set(found) - set(expected)),
        "different": [name for name in found if name in expected and found[name] != expected[name]],
    }
    for state, names in states.items():
        if names:
            raise Wrong(f"at the end, {state}: {', '.join(names)}")


def draw_moments(rng: random.Random, whole: Ended) -> Iterator[Moment]:
    """One kill, or several in a row, at random moments of the remaining training."""
    n_kills = 1 if rng.random() < 0.5 else rng.randint(2, LONGEST_CHAIN)
    for _ in range(n_kills):
        share = rng.random() if n_kills == 1 else rng.random() / 2
        if rng.random() < 0.5:
            yield Moment(seconds=share * whole.seconds)
        else:
            yield Moment(n_changes=1 + int(share * whole.n_changes))


def measure(arguments: list[str], n_kills: int, seed: int, work: Path) -> dict[str, Any]:
    """Kill trainings until there were `n_kills` kills, and return the counts."""
    run_in_this_process(arguments, work / "first")
    whole = run(arguments, work / "whole")
    reference = content(work / "whole")
    compare(content(work / "first"), reference)
    rng, tally, verdict = random.Random(seed), Tally(), "the same bytes after every kill"
    began = time.perf_counter()
    try:
        while tally.n_kills < n_kills:
            folder = work / f"killed-{tally.n_models}"
            kill_and_finish(arguments, folder, reference, draw_moments(rng, whole), tally)
            remove(folder)
    except Wrong as wrong:
        verdict = f"seed {seed}, model {tally.n_models}: {wrong}"
    return {
        "verdict": verdict,
        "kills": tally.n_kills,
        "runs": tally.n_runs,
        "models": tally.n_models,
        "stages": {name: tally.stages[name] for name in ("start", *STAGES, "end")},
        "moments": dict(sorted(tally.aimed.items())),
        "seconds_in_one_go": round(whole.seconds, 2),
        "changes_in_one_go": whole.n_changes,
        "seconds": round(time.perf_counter() - began, 1),
    }


def run_in_this_process(arguments: list[str], folder: Path) -> None:
    """Train once in this process, so that forked processes need not load and compile anything."""
    from wordatoms.cli import cli

    cli.main(["train", *arguments, "-o", str(folder)], standalone_mode=False)


def remove(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.with_suffix(".log").unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="+", help="text to train on")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", default="pmi")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="also write the result to this file")
    parser.add_argument("--options", default="", help="more options for wordatoms train")
    given = parser.parse_args()
    run_options = ["--method", given.method, "--threads", str(given.threads), "--quiet"]
    arguments = [*map(os.path.abspath, given.text), *run_options, *shlex.split(given.options)]
    with TemporaryDirectory(prefix="killing-") as work:
        result = measure(arguments, given.kills, given.seed, Path(work))
    show({"method": given.method, "seed": given.seed, **result}, given.output)
    sys.exit(0 if result["verdict"].startswith("the same") else 1)


if __name__ == "__main__":
    main()
