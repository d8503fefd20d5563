"""Write docs/reference/commands.md from the help texts of the commands.

python docs/make_commands.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from wordatoms.cli import cli
from wordatoms.cli.root import CONTEXT

PAGE = Path(__file__).parent / "reference" / "commands.md"


def all_commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found
            yield from all_commands(found, f"{name} {child}")


def make_page() -> str:
    parts = ["# Commands\n\nGenerated from the help texts: this is what `--help` prints.\n"]
    for name, command in all_commands(cli, "wordatoms"):
        context = click.Context(command, info_name=name, terminal_width=100, **{**CONTEXT, "max_content_width": 100})
        parts.append(f"## {name}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(make_page(), "utf-8")
