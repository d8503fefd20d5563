"""The command line in this process: quicker than one of its own, where that is not what is tested."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from wordatoms.cli import cli
from wordatoms.errors import WordatomsError


def invoke(name: str, *arguments: str | Path, stdin: bytes = b"", code: int = 0) -> Result:
    """A command by itself: click would keep what `wordatoms` as a whole makes of the help of its commands."""
    given = [*map(str, arguments)]
    command = cli.get_command(click.Context(cli), name)
    result = CliRunner().invoke(command, given, input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.stderr
    return result


def refused(name: str, *arguments: str | Path, stdin: bytes = b"") -> str:
    """The one sentence of an expected failure."""
    with pytest.raises(WordatomsError) as caught:
        invoke(name, *arguments, stdin=stdin)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence
