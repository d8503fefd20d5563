"""Find the commands in the docs, and run them.

A line is run as it is written, in the current folder. `wordatoms` runs in this process, with smaller settings if the
usual ones take long; anything else in a line (a pipe, an output file) is done by the shell.
"""

from __future__ import annotations

import argparse
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import click
from click.testing import CliRunner

from docworld import ROOT
from wordatoms.cli import cli

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHIPPED = ROOT / "src" / "wordatoms" / "data" / "english" / "manifest.json"
INDENTED_COMMAND = re.compile(r" {4,}(wordatoms |python (benchmarks|docs)/|python3 -m venv )")
LEFT_OUT = {
    "python3 -m venv": "installs the program; .ci/run runs those of the README",
    "pip install": "pip may belong to another environment",
    "optimum-cli": "needs torch and a download",
}
"""Beginnings of lines that are not run, and why."""
ONLY_PARSED = {
    "reproduce --all": "makes every table and figure of the paper",
    "explore": "serves until Ctrl-C",
    **dict.fromkeys(
        (
            f"{command} --encoder"
            for command in (
                "cluster",
                "disambiguate",
                "induce",
                "similarity",
                "sentences",
                "observe",
            )
        ),
        "needs an encoder",
    ),
    "python benchmarks/encoder.py": "needs an encoder",
    "python benchmarks/encoder_tests.py": "needs an encoder and the test sets",
    "reproduce figure-1 bat --text": "learns the competitors from a text",
    "reproduce atoms": "codes all words of the English model four times",
    "reproduce meta-atoms": "runs 30 sparse codings",
    "reproduce candidates": "draws lineups for 700 senses",
    "reproduce topics": "learns topics from a large text",
    "lineup build": "reads all of WordNet, which takes half a minute",
    "train new.txt": "needs 50 MB of Wikipedia",
    "compare new old": "needs models of Wikipedia and the Encyclopaedia Britannica",
    "train /shared/corpus": "needs a cluster",
    "train s3://": "needs a bucket",
    "python benchmarks/atoms.py": "measures at full size",
    "python benchmarks/cluster.py": "measures at full size",
    "python benchmarks/coherence.py": "measures at full size",
    "python benchmarks/contamination.py": "needs the test sets and the whole text",
    "python benchmarks/context_weights.py": "measures at full size",
    "python benchmarks/contexts.py": "measures at full size",
    "python benchmarks/counting.py": "measures at full size",
    "python benchmarks/kill_commands.py": "takes seconds per kill",
    "python benchmarks/killing.py": "takes seconds per kill",
    "python benchmarks/ksvd.py": "measures at full size",
    "python benchmarks/ksvd_scale.py": "measures at full size",
    "python benchmarks/learners.py": "needs the vectors of sentences, and other packages",
    "python benchmarks/sentence_vectors.py": "needs an encoder",
    "python benchmarks/intrusion.py": "needs the atoms of several programs, and a reader",
    "python benchmarks/memory.py": "measures at full size",
    "python benchmarks/meta_atoms.py": "measures at full size",
    "python benchmarks/mixes.py": "measures at full size",
    "python benchmarks/name_atoms.py": "needs the names of the atoms that were read",
    "python benchmarks/overuse.py": "measures at full size",
    "python benchmarks/power_cut.py": "needs a disk image",
    "python benchmarks/spacy_pipeline.py": "measures at full size",
    "python benchmarks/soak.py": "takes an hour",
    "python benchmarks/startup.py": "builds a wheel",
    "python benchmarks/topic_models.py": "measures at full size",
    "python benchmarks/planted_trends.py": "measures at full size",
    "python benchmarks/topic_settings.py": "measures at full size",
    "python benchmarks/training.py": "measures at full size",
    "python benchmarks/uses.py": "measures at full size",
    "python tools/fuzz.py": "takes a minute per target",
}
"""Beginnings of commands whose options are checked but which are not run, and why."""
SMALLER = {
    "compare news.csv": "--min-count 2",
    "train": "--dim 20 --atoms 30 --restarts 2 --iterations 2",
    "embed": "--dim 20",
    "atomize": "--atoms 30 --restarts 2 --iterations 2",
    "phrases": "--min-count 1",
    "tune": "--pseudowords 20",
    "evaluate pseudowords": "--pairs 5 --runs 1 --epochs 1",
    "evaluate lineup": "--runs 1",
    "evaluate walk": "--words 300 --dim 5 --tokens 20000 --lengths 1 --pairs 10",
}
"""Options appended to a command to make it faster; the last occurrence of an option counts."""
FEWER_ATOMS = {"271 469 310 55 657 272": "2 4 3 0 5 1"}
"""Atom numbers of a large model, and the ones used instead with its small stand-in."""
ANSWERS = b"1 2\n" * 200
"""Standard input for commands that ask for answers."""


def command_lines(page: Path) -> Iterator[str]:
    """The commands of a page: all lines of shell blocks, and indented lines that begin with a command."""
    language = None
    for line in page.read_text("utf-8").splitlines():
        if line.lstrip().startswith("```"):
            language = None if language is not None else line.strip().removeprefix("```")
        elif (language == "sh" and line.strip()) or (language is None and INDENTED_COMMAND.match(line)):
            yield line.strip()


def inline_commands(page: Path) -> list[list[str]]:
    """The words of each command in running text."""
    prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [found.split() for found in re.findall(r"`wordatoms ([^`]+)`", prose)]


def is_whole(words: list[str]) -> bool:
    """Whether a command in running text has all its arguments and can be run."""
    name, command, words = find_command(words)
    if "…" in words or any(word.isupper() for word in words):
        return False
    try:
        command.make_context(name, [*words])
    except click.UsageError:
        return False
    return True


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def find_command(words: list[str]) -> tuple[str, click.Command, list[str]]:
    """The name of a command such as `evaluate walk`, the command, and the remaining words."""
    command: click.Command = cli
    names: list[str] = []
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        assert found, f"unknown command {' '.join([*names, words[0]])}"
        command, names, words = found, [*names, words[0]], words[1:]
    return " ".join(names), command, words


def needs_english_model(command: click.Command, words: list[str]) -> bool:
    takes_model = any("--model" in option.opts for option in command.params)
    return takes_model and "--model" not in words


class Reader:
    """Runs the commands of one page in order."""

    def __init__(self, *, has_english_model: bool = True) -> None:
        self.has_english_model = has_english_model
        self.made: set[Path] = set()
        self.waiting: list[str] = []
        """Commands that were not run because the English model is missing."""

    def type(self, line: str) -> None:
        (line, *_comment) = split_outside_quotes(line, "#")
        if not any(line.startswith(start) for start in LEFT_OUT):
            for pipeline in split_outside_quotes(line, "&&"):
                self._run_pipeline(pipeline)

    def _run_pipeline(self, pipeline: str) -> None:
        pipeline, *files = split_outside_quotes(pipeline, ">")
        flow = ANSWERS
        for stage in split_outside_quotes(pipeline, "|"):
            flow = self._run_stage(stage, flow)
        for file in files:
            Path(file).write_bytes(flow)

    def _run_stage(self, stage: str, stdin: bytes) -> bytes:
        program, *words = expand(shlex.split(stage))
        if program == "wordatoms":
            return self._run_wordatoms(words, stdin)
        if program == "python":
            return run_script(words)
        return subprocess.run(["bash", "-euc", stage], input=stdin, capture_output=True, check=True, timeout=60).stdout

    def _run_wordatoms(self, words: list[str], stdin: bytes) -> bytes:
        name, command, words = find_command(words)
        if needs_english_model(command, words) and not self.has_english_model:
            self.waiting.append(name)
            return b""
        if " ".join([name, *words]).startswith(tuple(ONLY_PARSED)):
            command.make_context(name, words)
            return b""
        if "-o" in words:
            self._make_room(Path(words[words.index("-o") + 1]))
        given = " ".join([name, *words, ""])
        options = (more for start, more in SMALLER.items() if given.startswith(f"{start} "))
        smaller = [] if "--from" in words else next(options, "").split()
        result = CliRunner().invoke(command, [*words, *smaller], input=stdin)
        assert result.exit_code == 0, f"{name}: {result.output[-2000:]}\n{result.exception!r}"
        return result.stdout_bytes

    def _make_room(self, path: Path) -> None:
        """Remove the stand-in for an output that the page makes itself."""
        if path in self.made:
            return
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        self.made.add(path)


def split_outside_quotes(line: str, sign: str) -> list[str]:
    """Split at a shell operator that has spaces around it."""
    return re.split(rf"\s+{re.escape(sign)}\s+(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", line)


def expand(words: list[str]) -> list[str]:
    """Expand glob patterns."""
    found = [sorted(map(str, Path().glob(word))) if set("*?[") & set(word) else [] for word in words]
    return [file for word, files in zip(words, found, strict=True) for file in files or [word]]


def run_script(words: list[str]) -> bytes:
    """Run a script of this repository; of benchmarks only the options are parsed."""
    script = words[0]
    path = str((ROOT / script).parent)
    with mock.patch.object(sys, "argv", words), mock.patch.object(sys, "path", [path, *sys.path]):
        if f"python {script}" not in ONLY_PARSED:
            runpy.run_path(script, run_name="__main__")
            return b""
        with mock.patch.object(argparse.ArgumentParser, "parse_args", parse_and_stop):
            try:
                runpy.run_path(script, run_name="__main__")
            except OptionsReadError:
                return b""
    raise AssertionError(f"{script} parses no options")


class OptionsReadError(Exception):
    """All options were parsed."""


def parse_and_stop(parser: argparse.ArgumentParser) -> None:
    _, unknown = parser.parse_known_args()
    assert not unknown, f"unknown options {unknown}"
    raise OptionsReadError
