"""Kill commands that write files with SIGKILL just before every change of a file or folder, then repeat them.

    python benchmarks/kill_commands.py [observe compact npy …] [--every 1] [--most 10] [-o result.json]

A run is killed before its first change in the working folder (a file opened for writing, renamed or removed, a folder
made or removed), the next before its second, and so on until one ends by itself. `--every 5` tries only every fifth
change, `--most 10` at most ten of each command, evenly spaced; both try the last change. After every kill the command
is repeated. It must end with code 0 and have made the bytes of an undisturbed run, and nothing else may remain; a model
that a kill left must verify. Otherwise the exit code is 1. Changes are seen by an audit hook of Python. Kills in the
midst of writing are the matter of `killing.py` and `soak.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

from common import show
from killing import Wrong, compare, content, run_in_this_process
from soak import TRAIN, digest, files_of, start, write_texts

CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate")
GOOD = "the same bytes after every kill"


@dataclass(frozen=True)
class Command:
    """A command line, and the options of its repetition, when files may be there already."""

    arguments: tuple[str, ...]
    makes: tuple[str, ...]
    again: tuple[str, ...] = ()
    from_model: bool = False
    """It works on a copy of the model, instead of making something new."""
    refuses: str = ""
    """What it says if it is repeated after everything was done."""
    passing: tuple[str, ...] = ()
    """Keys of JSON files that differ from run to run."""


def commands(work: Path) -> dict[str, Command]:
    model, documents, vectors = work / "model", work / "documents.txt", work / "vectors.bin"
    export = {
        name: Command(("export", str(model), "-o", "x", "--format", name), ("x",), ("--force",))
        for name in ("glove", "word2vec", "word2vec-binary", "fasttext")
    }
    npy = ("export", str(model), "-o", "x.npy", "--format", "npy")
    topics = ("topics", str(documents), "--lines", "--model", str(model), "-o", "table.csv", "--quiet")
    lineup = ("lineup", "build", "--words", "8", "-o", "testbed.tsv", "--quiet")
    report = ("reproduce", "table-7", "figure-1a", "--bundled", "--model", str(model), "-o", "report", "--quiet")
    return {
        **export,
        "npy": Command(npy, ("x.npy", "x.words"), ("--force",)),
        "compact": Command(("export", str(model), "-o", "twin", "--format", "compact"), ("twin",)),
        "site": Command(("explore", "--model", str(model), "--export", "site", "--quiet"), ("site",)),
        "import": Command(("import", str(vectors), "-o", "imported", "--quiet"), ("imported",)),
        "topics": Command(topics, ("table.csv",), ("--force",)),
        "lineup": Command(lineup, ("testbed.tsv",), refuses="exists already"),
        "reproduce": Command(report, ("report",), passing=("seconds", "when", "made")),
        "observe": Command(("observe", "copy", "--force", "--threads", "1", "--quiet"), ("copy",), from_model=True),
    }


class Trial:
    """One command in an empty folder, killed and repeated."""

    def __init__(self, work: Path, command: Command) -> None:
        self.work, self.command, self.disk = work, command, work / "disk"
        self.n_kills = 0

    def every(self, step: int, most: int | None) -> None:
        self.prepare()
        expected = self.finish(self.command.arguments, lambda: count_changes(self.disk, self.work / "changes"))
        n_changes = int((self.work / "changes").read_text() or 0)
        if most:
            step = max(step, math.ceil(n_changes / most))
        n = 1 + max(n_changes - 1, 0) % step  # so that the last change is among those tried
        while True:
            self.prepare()
            code = self.run(self.command.arguments, partial(kill_before, n, self.disk))
            if code == 0:
                compare(self.made(), expected)
                return
            if code != -signal.SIGKILL:
                raise Wrong(f"change {n}: the command ended with {code}: {self.errors}")
            self.n_kills += 1
            self.verify()
            found = self.finish((*self.command.arguments, *self.command.again))
            try:
                compare(found, expected)
            except Wrong as wrong:
                raise Wrong(f"killed before change {n}: {wrong}") from None
            n += step

    def prepare(self) -> None:
        shutil.rmtree(self.disk, ignore_errors=True)
        self.disk.mkdir()
        if self.command.from_model:
            shutil.copytree(self.work / "model", self.disk / "copy")

    def run(self, arguments: tuple[str, ...], before: Callable[[], None] = lambda: None) -> int:
        number = start(arguments, self.disk, self.work / "output", self.work / "errors", before)
        return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])

    @property
    def errors(self) -> str:
        return (self.work / "errors").read_text()

    def finish(self, arguments: tuple[str, ...], before: Callable[[], None] = lambda: None) -> dict[str, Any]:
        code = self.run(arguments, before)
        if code and not (self.command.refuses and self.command.refuses in self.errors):
            raise Wrong(f"the repeated command ended with {code}: {self.errors}")
        return self.made()

    def made(self) -> dict[str, Any]:
        """The content of all files in the folder, among them those that should not be there."""
        found: dict[str, Any] = {}
        for path in sorted(self.disk.iterdir()):
            if (path / "manifest.json").is_file():
                found |= {f"{path.name}/{name}": value for name, value in content(path).items()}
            else:
                found |= {str(each.relative_to(self.disk)): self.value(each) for each in files_of(path)}
        return found

    def value(self, path: Path) -> object:
        if path.suffix == ".json" and self.command.passing:
            return without(json.loads(path.read_bytes()), self.command.passing)
        return digest(path)

    def verify(self) -> None:
        from wordatoms.storage.folder import ModelFolder

        for path in self.disk.glob("*/manifest.json"):
            faults = [file for file in ModelFolder(path.parent).check_files(thorough=True) if file.fault]
            if faults:
                raise Wrong(f"{path.parent}: {faults[0].name} {faults[0].fault}")


def without(value: Any, names: tuple[str, ...]) -> Any:
    """A JSON value without some keys."""
    if isinstance(value, dict):
        return {key: without(each, names) for key, each in value.items() if key not in names}
    return [without(each, names) for each in value] if isinstance(value, list) else value


def kill_before(number: int, folder: Path) -> None:
    """Let this process die just before its change of this number below a folder."""

    def kill(seen: int) -> None:
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    watch_changes(folder, kill)


def count_changes(folder: Path, output: Path) -> None:
    """Keep the number of changes of this process below a folder in a file."""
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    watch_changes(folder, lambda seen: os.pwrite(file, str(seen).encode(), 0))


def watch_changes(folder: Path, act: Callable[[int], object]) -> None:
    """Call a function with 1, 2, … just before each change of this process below a folder."""
    root, seen = str(folder.resolve()), 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (opens or event in CHANGES) and isinstance(arguments[0], str | bytes | os.PathLike):
            path = str(Path(os.fsdecode(arguments[0])).absolute())
            if path.startswith(root):
                seen += 1
                act(seen)

    sys.addaudithook(watch)


def prepare_model(work: Path) -> None:
    from wordatoms.cli import cli

    write_texts(work / "text.txt", work / "documents.txt")
    run_in_this_process([str(work / "text.txt"), *TRAIN], work / "model")
    export = ["export", str(work / "model"), "-o", str(work / "vectors.bin"), "--format", "word2vec-binary", "--quiet"]
    cli.main(export, standalone_mode=False)


def measure(names: list[str], step: int, most: int | None, work: Path) -> dict[str, Any]:
    prepare_model(work)
    known, kills, verdict = commands(work), {}, GOOD
    if "lineup" in known and not names and not Path("/usr/share/wordnet").is_dir():
        del known["lineup"]  # it reads WordNet
    for name in names or known:
        trial = Trial(work, known[name])
        try:
            trial.every(step, most)
        except Wrong as wrong:
            verdict = f"{name}: {wrong}"
        kills[name] = trial.n_kills
        print(f"{name}: {trial.n_kills} kills", file=sys.stderr, flush=True)
        if verdict != GOOD:
            break
    return {"verdict": verdict, "every": step, "most": most, "kills": kills, "total": sum(kills.values())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", help=f"of {', '.join(commands(Path()))}; all by default")
    parser.add_argument("--every", type=int, default=1, help="kill before every n-th change only")
    parser.add_argument("--most", type=int, help="kill each command at most this many times")
    parser.add_argument("-o", "--output", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    with TemporaryDirectory(prefix="kills-") as work:
        result = measure(given.commands, given.every, given.most, Path(work))
    show(result, given.output)
    sys.exit(0 if result["verdict"] == GOOD else 1)


if __name__ == "__main__":
    main()
