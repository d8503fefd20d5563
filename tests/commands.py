"""The whole command line, from arguments to exit code: in this process, or in one of its own where that is tested."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from wordatoms import cli

Ended = subprocess.CompletedProcess[bytes]


def run(*arguments: str | Path, stdin: bytes = b"") -> Ended:
    """Run a command in this process, with files for its three streams."""
    words = ["wordatoms", *map(str, arguments)]
    with (
        TemporaryFile() as given,
        TemporaryFile() as out,
        TemporaryFile() as err,
        pytest.MonkeyPatch.context() as patch,
    ):
        given.write(stdin)
        given.seek(0)
        streams = {"stdin": given, "stdout": out, "stderr": err}
        for name, file in streams.items():
            patch.setattr(sys, name, io.TextIOWrapper(file, "utf-8", write_through=True))
        patch.setattr(sys, "argv", words)
        # click keeps the help option that it makes first; the other tests run commands by themselves, without -h
        patch.delitem(cli.cli.context_settings, "help_option_names")
        try:
            code = cli._run()
        except SystemExit as ended:
            code = ended.code
        return subprocess.CompletedProcess(words, code, *(_written(name) for name in ("stdout", "stderr")))


def _written(name: str) -> bytes:
    """What a stream has, which is closed no more by anybody else."""
    stream = getattr(sys, name)
    stream.flush()
    file = stream.detach()
    file.seek(0)
    return file.read()  # type: ignore[no-any-return]


def run_process(*arguments: str | Path, stdin: bytes = b"") -> Ended:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "wordatoms", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=300)


def fails(result: Ended, code: int = 1) -> str:
    """The one sentence of an expected failure."""
    message = result.stderr.decode()
    assert result.returncode == code, message
    assert "Traceback" not in message
    if code == 1:
        assert message.startswith("wordatoms: ")
        assert message.count("\n") == 1
    return message
