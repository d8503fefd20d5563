"""The command line in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(*arguments: str | Path, stdin: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "wordatoms", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=300, **options)  # type: ignore[call-overload,no-any-return]


def fails(result: subprocess.CompletedProcess[bytes], code: int = 1) -> str:
    """The one sentence of an expected failure."""
    message = result.stderr.decode()
    assert result.returncode == code, message
    assert "Traceback" not in message
    if code == 1:
        assert message.startswith("wordatoms: ")
        assert message.count("\n") == 1
    return message
