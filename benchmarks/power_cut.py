"""Cut the power of a disk at random moments, and look at what is on it.

    python benchmarks/power_cut.py --cuts 60 --seed 0 [-o docs/results/power-cut.json]

The disk is an ext4 file system in a file, mounted as a loop device, that writes back by itself only every five minutes.
A cut is a copy of that file: it has what the file system has sent to the disk, and nothing that is only in memory. The
copy is mounted, which replays the journal as after a power cut. Every second cut comes just after a command has ended
with success, the others while it runs (it stands still while the copy is made).

Checked on every copy: everything that was finished before the cut has the bytes of an undisturbed run, and the command
that was cut off, repeated on the copy, ends in these bytes too. The removal of a lock or temporary file may be lost, as
the next command would remove it again. With `--no-fsync` the commands do not force their files
to disk, which shows that losses would be found. Otherwise the exit code is 1 if there was any. Needs root.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from common import show
from kill_commands import prepare_model
from killing import Wrong, compare, content
from soak import TRAIN, digest, files_of, start

MEGABYTES = 64
MOST_FOLDERS = 4
"""Finished results that are kept on the disk."""
GOOD = "nothing that was finished is lost"


def mounted(image: Path, folder: Path, *options: str) -> None:
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", ",".join(["loop", *options]), str(image), str(folder)], check=True)


@contextmanager
def copied_disk(image: Path, work: Path) -> Iterator[Path]:
    """The disk as it would be found after a power cut now."""
    copy, folder = work / "copy.img", work / "copy"
    shutil.copyfile(image, copy)
    mounted(copy, folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class PowerCuts:
    """A disk, what is finished on it, and the cuts so far."""

    def __init__(self, work: Path, rng: random.Random, *, syncs: bool) -> None:
        self.work, self.rng, self.syncs = work, rng, syncs
        self.image, self.disk = work / "disk.img", work / "disk"
        self.expected: dict[str, Any] = {}
        self.seconds: dict[str, float] = {}
        self.finished: dict[str, str] = {}
        self.cuts: Counter[str] = Counter()
        self.running: set[int] = set()

    def commands(self, name: str) -> dict[str, tuple[str, ...]]:
        model = str(self.work / "model")
        return {
            "train": ("train", str(self.work / "text.txt"), "-o", f"{name}/made", *TRAIN),
            "npy": ("export", model, "-o", f"{name}/made.npy", "--format", "npy", "--quiet"),
            "compact": ("export", model, "-o", f"{name}/made", "--format", "compact", "--quiet"),
            "import": ("import", str(self.work / "vectors.bin"), "-o", f"{name}/made", "--quiet"),
        }

    def prepare(self) -> None:
        prepare_model(self.work)
        (self.work / "first").mkdir()
        for kind in self.commands(""):
            folder = self.work / "first" / kind
            folder.mkdir()
            began = time.monotonic()
            self.wait(self.begin(kind, kind, self.work / "first"))
            self.seconds[kind] = time.monotonic() - began
            self.expected[kind] = made_in(folder)
        with self.image.open("wb") as file:
            file.truncate(MEGABYTES << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self.image)], check=True)
        mounted(self.image, self.disk, "commit=300")

    def begin(self, kind: str, name: str, folder: Path, *, again: bool = False) -> int:
        arguments = self.commands(name)[kind] + (("--force",) if again and kind == "npy" else ())
        before = (lambda: None) if self.syncs else forget_fsync
        number = start(arguments, folder, self.work / "output", self.work / "errors", before)
        self.running.add(number)
        return number

    def wait(self, number: int) -> None:
        code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        self.running.discard(number)
        if code:
            raise Wrong(f"a command ended with {code}: {(self.work / 'errors').read_text()}")

    def once(self) -> None:
        """Run a command, and cut the power while it runs or after it."""
        kind, name = self.rng.choice([*self.seconds]), f"f{sum(self.cuts.values())}"
        (self.disk / name).mkdir()
        subprocess.run(["sync", "-f", str(self.disk)], check=True)  # this folder was there before
        number = self.begin(kind, name, self.disk)
        if self.rng.random() < 0.5:
            time.sleep(self.rng.random() * self.seconds[kind])
            os.kill(number, signal.SIGSTOP)
            self.cut(kind, name, "while a command ran")
            os.kill(number, signal.SIGCONT)
            self.wait(number)
        else:
            self.wait(number)
            self.finished[name] = kind
            self.cut(kind, name, "after a command")
        self.finished[name] = kind
        while len(self.finished) > MOST_FOLDERS:
            shutil.rmtree(self.disk / (old := next(iter(self.finished))))
            del self.finished[old]

    def cut(self, kind: str, name: str, moment: str) -> None:
        self.cuts[moment] += 1
        with copied_disk(self.image, self.work) as found:
            for each, made in self.finished.items():
                self.check(found / each, made, f"cut {moment}, {made} that was finished")
            if name not in self.finished:
                self.wait(self.begin(kind, name, found, again=True))
                self.check(found / name, kind, f"cut {moment}, {kind} repeated after it")

    def check(self, folder: Path, kind: str, what: str) -> None:
        found = {name: value for name, value in made_in(folder).items() if not name.startswith((".work", ".made"))}
        try:
            compare(found, self.expected[kind])
        except (Wrong, OSError) as error:
            raise Wrong(f"{what}: {error}") from None

    def close(self) -> None:
        for number in self.running:  # they would keep the disk busy
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(number, signal.SIGKILL)
                os.waitpid(number, 0)
        subprocess.run(["umount", str(self.disk)], check=True)


def made_in(folder: Path) -> dict[str, Any]:
    """The content of what a command made: of a model without times, of files as they are."""
    if (folder / "made" / "manifest.json").is_file():
        return content(folder / "made")
    return {path.name: digest(path) for path in files_of(folder)}


def forget_fsync() -> None:
    os.fsync = lambda _number: None  # type: ignore[assignment]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-fsync", action="store_true", help="do not force files to disk, to see losses")
    parser.add_argument("-o", "--output", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    verdict = GOOD
    with TemporaryDirectory(prefix="power-", dir="/dev/shm") as work:
        cuts = PowerCuts(Path(work), random.Random(given.seed), syncs=not given.no_fsync)
        cuts.prepare()
        try:
            while sum(cuts.cuts.values()) < given.cuts:
                cuts.once()
        except Wrong as wrong:
            verdict = str(wrong)
        finally:
            cuts.close()
    show({"verdict": verdict, "seed": given.seed, "fsync": not given.no_fsync, "cuts": dict(cuts.cuts)}, given.output)
    sys.exit(0 if verdict == GOOD else 1)


if __name__ == "__main__":
    main()
