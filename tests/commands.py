"""The whole command line, from arguments to exit code: in this process, or in one of its own where that is tested."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from wordatoms import cli

Ended = subprocess.CompletedProcess[bytes]


def run(*arguments: str | Path, stdin: bytes = b"") -> Ended:
    """Run a command in this process, with files for its three streams."""
    words = ["wordatoms", *map(str, arguments)]
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
            for name, file in {"stdin": given, "stdout": out, "stderr": err}.items():
                mode = "r" if file is given else "w"
                stream = open(os.dup(file.fileno()), mode, encoding="utf-8")  # noqa: PTH123, SIM115
                patch.setattr(sys, name, stack.enter_context(stream))
            patch.setattr(sys, "argv", words)
            # click keeps the help option that it makes first; the other tests run commands by themselves, without -h
            patch.delitem(cli.cli.context_settings, "help_option_names")
            code = _exit_code()
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


def _exit_code() -> int:
    try:
        return cli._run()
    except SystemExit as ended:
        return int(ended.code or 0)


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
