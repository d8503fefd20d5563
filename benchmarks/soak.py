"""A day of ordinary use in an hour: trainings, questions, exports and an explorer, killed at random, on a small disk.

    python benchmarks/soak.py --minutes 60 --seed 0 [-o docs/results/soak.json]

First everything is done once without disturbance: a model is trained on a small text, questions are asked, files are
exported, an explorer answers. Then the same things are done in random order until the time is over. About every second
command is stopped at a random moment (kill -9, Ctrl-C or SIGTERM), now and then the disk is full while it runs, and the
explorer is killed and started again about once a minute, while a client asks it several questions a second. A command
that was stopped or had no space is repeated until it ends by itself.

Checked: every command that ends by itself has code 0, or 1 with a sentence about a full disk; every finished model
verifies and has the bytes of the first one; every answer and every exported file has the bytes of the first; a command
stopped by Ctrl-C or SIGTERM leaves no temporary file; at the end no file is left over. Otherwise the exit code is 1.

The small disk is a tmpfs, which needs root; without it no disk is filled. Every command is a process forked from one
that has loaded the program.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from common import show
from killing import Wrong, compare, content

TRAIN = [
    "--min-count",
    "2",
    "--dim",
    "12",
    "--atoms",
    "20",
    "--restarts",
    "2",
    "--iterations",
    "4",
    "--threads",
    "1",
    "--quiet",
]
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
FULL = ("the disk is full", "free some space", "No space left on device")
TEMPORARY = (".part", ".unfinished", ".spill-")
P_STOPPED, P_FULL = 0.5, 0.15
EXPLORER_SECONDS = 60
"""Between two kills of the explorer."""
GOOD = "everything as without disturbance"
LONGEST = 600
"""Seconds after which a command counts as hanging."""
ADDRESSES = (
    *("/api/model", "/api/atoms", "/api/atom/3", "/api/lineup?seed=5", "/api/complete?q=b", "/"),
    *(f"/api/word?word={word}" for word in ("bao", "dao", "fio", "gao", "kuo", "mao")),
    *(f"/api/sentence?text={text}" for text in ("bao+dao+fio", "gao+kuo+mao+sao+tao")),
)


@dataclass(frozen=True)
class Job:
    """A command, and what it makes; names of files are relative to the disk."""

    kind: str
    arguments: tuple[str, ...]
    makes: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    """Options if it is repeated and the files may be there already."""


@dataclass
class Ended:
    code: int
    output: bytes
    errors: str
    stopped: bool


@dataclass
class Tally:
    finished: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)
    explorer_kills: int = 0
    durations: dict[str, float] = field(default_factory=dict)


class Day:
    """The disk, and what was found without disturbance."""

    def __init__(self, work: Path, disk: Path, rng: random.Random, *, is_small: bool) -> None:
        self.work, self.disk, self.rng, self.is_small = work, disk, rng, is_small
        self.text, self.documents = work / "text.txt", work / "documents.txt"
        self.tally = Tally()
        self.expected: dict[Job, Any] = {}
        self.served = work / "served"

    def jobs(self) -> list[Job]:
        served, vectors = str(self.served), str(self.work / "vectors.bin")
        train = ("train", str(self.text), "-o", "model", *TRAIN)
        questions = [
            *[("senses", word, "--model", served, "--json") for word in ("bao", "dao", "fio")],
            *[("nearest", word, "--model", served, "--json") for word in ("gao", "kuo")],
            ("disambiguate", "bao", "bao dao fio gao", "--model", served, "--json"),
            ("atoms", "3", "--model", served, "--json"),
            ("cluster", "bao", "--contexts", str(self.documents), "-k", "2", "--model", served, "--json"),
            ("info", served, "--verify", "--json"),
        ]
        exports = [("x.vec", "word2vec"), ("x.bin", "word2vec-binary"), ("x.txt", "glove")]
        return [
            *[Job("train", train, ("model",))] * 3,
            *[Job("question", question) for question in questions],
            *[
                Job("export", ("export", served, "-o", name, "--format", kind), (name,), ("--force",))
                for name, kind in exports
            ],
            Job("export", ("export", served, "-o", "x.npy", "--format", "npy"), ("x.npy", "x.words"), ("--force",)),
            Job("compact", ("export", served, "-o", "twin", "--format", "compact"), ("twin",)),
            Job("site", ("explore", "--model", served, "--export", "site", "--quiet"), ("site",)),
            Job("import", ("import", vectors, "-o", "imported", "--quiet"), ("imported",)),
            Job(
                "topics",
                ("topics", str(self.documents), "--lines", "--model", served, "-o", "table.csv", "--quiet"),
                ("table.csv",),
                ("--force",),
            ),
        ]

    # --- running commands

    def run(self, arguments: tuple[str, ...], *, stop_after: float | None = None) -> Ended:
        output, errors = self.work / "output", self.work / "errors"
        number = start(arguments, self.disk, output, errors)
        began, stopped = time.monotonic(), False
        while not (ended := os.waitpid(number, os.WNOHANG))[0]:
            seconds = time.monotonic() - began
            if stop_after is not None and not stopped and seconds >= stop_after:
                chosen = self.rng.choice(SIGNALS)
                os.kill(number, chosen)
                self.tally.signals[chosen.name] += 1
                stopped = True
            if seconds > LONGEST:
                os.kill(number, signal.SIGKILL)
                os.waitpid(number, 0)
                raise Wrong(f"{' '.join(arguments)} did not end within {LONGEST} seconds")
            time.sleep(0.005)
        code = os.waitstatus_to_exitcode(ended[1])
        return Ended(code, output.read_bytes(), errors.read_text("utf-8", "replace"), stopped)

    def first(self, job: Job) -> None:
        """Do a job without disturbance, and keep what it made."""
        began = time.monotonic()
        ended = self.run(job.arguments)
        if ended.code:
            raise Wrong(f"{' '.join(job.arguments)} ended with {ended.code}: {ended.errors}")
        self.tally.durations[job.kind] = time.monotonic() - began
        self.expected[job] = self.result(job, ended)
        self.clear(job)

    def disturbed(self, job: Job) -> None:
        """Do a job, stopped and without space now and then, until it ends by itself; compare what it made."""
        for attempt in range(20):
            arguments = job.arguments + (job.again if attempt else ())
            stops = attempt < 6 and self.rng.random() < P_STOPPED
            moment = 1.2 * self.rng.random() * self.tally.durations[job.kind] if stops else None
            with self.full_disk(is_full=attempt < 6 and self.rng.random() < P_FULL) as is_full:
                before = self.temporary()
                ended = self.run(arguments, stop_after=moment)
                self.judge(job, ended, before, is_full=is_full)
            if ended.code == 0:
                self.tally.finished[job.kind] += 1
                found = self.result(job, ended)
                if isinstance(found, dict):
                    compare(found, self.expected[job])
                elif found != self.expected[job]:
                    raise Wrong(f"{' '.join(job.arguments)} gave something else: {str(found)[:2000]}")
                self.clear(job)
                return
        raise Wrong(f"{' '.join(job.arguments)} was repeated 20 times and did not end")

    def judge(self, job: Job, ended: Ended, before: set[str], *, is_full: bool) -> None:
        """Check how a command ended, and what a stopped one left."""
        name = " ".join(job.arguments)
        if "Traceback" in ended.errors:
            raise Wrong(f"{name}: {ended.errors}")
        if ended.stopped and ended.code:
            self.tally.stopped[job.kind] += 1
        if is_full:
            self.tally.full[job.kind] += 1
        was_full = ended.code == 1 and is_full
        if was_full and not any(sentence in ended.errors for sentence in FULL):
            raise Wrong(f"{name} on a full disk: {ended.errors}")
        # a process that is stopped before it can handle a signal dies of it
        was_stopped = ended.stopped and ended.code in (130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
        if ended.code and not was_full and not was_stopped:
            raise Wrong(f"{name} ended with {ended.code}: {ended.errors}")
        if ended.code in (1, 130) and (left := self.temporary() - before):
            raise Wrong(f"{name} left {', '.join(sorted(left))}")

    def temporary(self) -> set[str]:
        """Temporary files; those that a kill -9 left are removed by the next command that works there."""
        return {str(path) for path in self.disk.rglob("*") if any(mark in path.name for mark in TEMPORARY)}

    def result(self, job: Job, ended: Ended) -> Any:
        """What a command made: its output, the bytes of its files, or a model that verifies."""
        if not job.makes:
            return ended.output
        paths = [self.disk / name for name in job.makes]
        if (paths[0] / "manifest.json").is_file():
            self.verify(paths[0])
            return content(paths[0])
        return {str(each.relative_to(self.disk)): digest(each) for path in paths for each in files_of(path)}

    def verify(self, path: Path) -> None:
        from wordatoms.storage.folder import ModelFolder

        faults = [file for file in ModelFolder(path).check_files(thorough=True) if file.fault]
        if faults:
            raise Wrong(f"{path}: {faults[0].name} {faults[0].fault}")

    def clear(self, job: Job) -> None:
        for name in job.makes:
            path = self.disk / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    # --- the disk

    @contextmanager
    def full_disk(self, *, is_full: bool) -> Iterator[bool]:
        """Leave only some kilobytes of the disk, while a command runs."""
        if not (is_full and self.is_small):
            yield False
            return
        filler = self.disk / "filler"
        free = max(shutil.disk_usage(self.disk).free - self.rng.choice([0, 1, 20, 100, 300, 1000]) * 4096, 0)
        with suppress(OSError), filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(free, 1))
        try:
            yield True
        finally:
            filler.unlink()

    def left_over(self) -> list[str]:
        return sorted(str(path.relative_to(self.disk)) for path in self.disk.rglob("*"))


def start(
    arguments: tuple[str, ...], folder: Path, output: Path, errors: Path, before: Callable[[], None] = lambda: None
) -> int:
    """Run `wordatoms` in a forked process, after calling `before` there, and return its process id."""
    from wordatoms.cli import main

    if number := os.fork():
        return number
    code = 99
    try:
        os.chdir(folder)
        for path, stream in ((output, sys.stdout), (errors, sys.stderr)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream.fileno())
        sys.argv = ["wordatoms", *arguments]
        before()
        main()
    except SystemExit as left:
        code = int(left.code or 0)
        with suppress(OSError, ValueError):
            sys.stdout.flush()
    except KeyboardInterrupt:  # before the command had begun
        code = 130
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- The explorer and its visitor


class Served:
    """An explorer that is killed and started again, and a visitor who compares its answers."""

    def __init__(self, day: Day) -> None:
        self.day, self.killed_at = day, time.monotonic()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.report = day.work / "visitor.json"
        self.number = self.open()
        self.expected = {address: self.wait_for(address) for address in ADDRESSES}
        if not all(answer.startswith("200 ") for answer in self.expected.values()):
            raise Wrong(f"the explorer refuses a question: {self.expected}")
        self.visitor = self.visit()

    def open(self) -> int:
        arguments = ("explore", "--no-browser", "--port", str(self.port), "--model", str(self.day.served))
        return start(arguments, self.day.work, self.day.work / "explorer.out", self.day.work / "explorer.err")

    def wait_for(self, address: str) -> str:
        for _ in range(600):
            with suppress(OSError, http.client.HTTPException):
                return self.ask(address)
            time.sleep(0.1)
        raise Wrong("the explorer does not answer")

    def ask(self, address: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", address)
            response = connection.getresponse()
            return f"{response.status} {hashlib.sha256(response.read()).hexdigest()}"
        finally:
            connection.close()

    def visit(self) -> int:
        """Ask questions in a process of its own until it is stopped; write what was counted."""
        if number := os.fork():
            return number
        rng, counts, wrong, written = random.Random(1), Counter[str](), "", 0.0
        try:
            while True:
                address = rng.choice(ADDRESSES)
                try:
                    answer = self.ask(address)
                    counts["answers"] += 1
                    if answer != self.expected[address]:
                        wrong = wrong or f"{address}: {answer}"
                except (OSError, http.client.HTTPException):
                    counts["no connection"] += 1
                if time.monotonic() - written > 2:
                    self.report.with_suffix(".new").write_text(json.dumps({**counts, "wrong": wrong}))
                    self.report.with_suffix(".new").replace(self.report)
                    written = time.monotonic()
                time.sleep(0.2)
        finally:
            os._exit(0)

    def kill_now_and_then(self) -> None:
        if time.monotonic() - self.killed_at > EXPLORER_SECONDS:
            self.kill()
            self.day.tally.explorer_kills += 1
            self.number, self.killed_at = self.open(), time.monotonic()
        elif os.waitpid(self.number, os.WNOHANG)[0]:
            raise Wrong(f"the explorer ended: {(self.day.work / 'explorer.err').read_text()}")

    def kill(self) -> None:
        os.kill(self.number, self.day.rng.choice(SIGNALS))
        os.waitpid(self.number, 0)

    def close(self) -> dict[str, Any]:
        time.sleep(3)
        for number in (self.visitor, self.number):
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
        found: dict[str, Any] = json.loads(self.report.read_text())
        if found["wrong"]:
            raise Wrong(f"the explorer gave another answer to {found['wrong']}")
        errors = (self.day.work / "explorer.err").read_text()
        if "Traceback" in errors:
            raise Wrong(f"the explorer: {errors}")
        return {"answers": found.get("answers", 0), "no_connection": found.get("no connection", 0)}


# --- The day


def write_texts(text: Path, documents: Path) -> None:
    """Lines about one of twenty things each."""
    rng = random.Random(0)
    words = [f"{first}{second}o" for first in "bdfgklmnprst" for second in "aeiouabcdefghijklmnopqrstuvwxyz"]
    things = [rng.sample(words, 30) for _ in range(20)]
    lines = [" ".join(rng.choices(rng.choice(things), k=12) + rng.choices(words, k=4)) for _ in range(1500)]
    text.write_text("\n".join(lines))
    documents.write_text("\n".join(f"bao {line}" for line in lines[:40]))


def prepare(day: Day) -> list[Job]:
    """Do everything once without disturbance."""
    from wordatoms.cli import cli

    write_texts(day.text, day.documents)
    # in this process, so that the forked ones need not load and compile anything
    cli.main(["train", str(day.text), "-o", str(day.served), *TRAIN], standalone_mode=False)
    shutil.rmtree(day.served)
    number = start(("train", str(day.text), "-o", str(day.served), *TRAIN), day.work, day.work / "o", day.work / "e")
    if os.waitpid(number, 0)[1]:
        raise Wrong((day.work / "e").read_text())
    vectors = str(day.work / "vectors.bin")
    cli.main(["export", str(day.served), "-o", vectors, "--format", "word2vec-binary"], standalone_mode=False)
    jobs = day.jobs()
    for job in dict.fromkeys(jobs):
        day.first(job)
    return jobs


def live(day: Day, minutes: float) -> dict[str, Any]:
    jobs = prepare(day)
    served = Served(day)
    end, began = time.monotonic() + 60 * minutes, time.monotonic()
    try:
        while time.monotonic() < end:
            day.disturbed(day.rng.choice(jobs))
            served.kill_now_and_then()
    finally:
        answers = served.close()
    day.verify(day.served)
    if left := day.left_over():
        raise Wrong(f"left over: {', '.join(left)}")
    tally = day.tally
    return {
        "minutes": round((time.monotonic() - began) / 60, 1),
        "small_disk": day.is_small,
        "finished": dict(sorted(tally.finished.items())),
        "stopped": dict(sorted(tally.stopped.items())),
        "signals": dict(sorted(tally.signals.items())),
        "on_a_full_disk": dict(sorted(tally.full.items())),
        "explorer_kills": tally.explorer_kills,
        "explorer": answers,
    }


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[bool]:
    """Mount a tmpfs on a folder, where that is allowed; yields whether it was."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    mounted = (
        shutil.which("mount") is not None and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--megabytes", type=int, default=24, help="size of the small disk")
    parser.add_argument("-o", "--output", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="soak-") as work, small_disk(Path(work, "disk"), given.megabytes) as is_small:
        day = Day(Path(work), Path(work, "disk"), random.Random(given.seed), is_small=is_small)
        try:
            result = {"verdict": GOOD, "seed": given.seed, **live(day, given.minutes)}
        except Wrong as wrong:
            result = {"verdict": str(wrong), "seed": given.seed, **vars(day.tally)}
    show(result, given.output)
    sys.exit(0 if result["verdict"] == GOOD else 1)


if __name__ == "__main__":
    main()
