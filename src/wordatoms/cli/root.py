"""The command `wordatoms` itself: its commands under headings, each loaded when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

SECTIONS = {
    "Ask a model": "explore senses atoms disambiguate read nearest similarity induce code compare info",
    "Work on text": "cluster sentences topics",
    "Make a model": "train count embed map atomize observe phrases tune import export",
    "Check a model": "evaluate lineup reproduce",
}
SHARED_MODULES = {
    **dict.fromkeys(("count", "embed", "map", "atomize", "observe", "phrases"), "train"),
    **dict.fromkeys(("import", "export"), "import_export"),
}
"""The modules of commands that are not in a module of their own name."""


class Interrupted(BaseException):
    """Ctrl-C; click would turn a KeyboardInterrupt into an empty line."""


class LazyGroup(click.Group):
    """A group that imports a command when it is needed, and lists the commands under headings."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return " ".join(SECTIONS.values()).split()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        module = import_module(f"wordatoms.cli.{SHARED_MODULES.get(name, name)}")
        return next(each for each in vars(module).values() if isinstance(each, click.Command) and each.name == name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        limit = formatter.width - 6 - max(map(len, self.list_commands(ctx)))
        for title, names in SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names.split()]
            with formatter.section(title):
                formatter.write_dl([(name, each.get_short_help_str(limit)) for name, each in commands if each])


CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110, "show_default": True}


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(package_name="wordatoms", prog_name="wordatoms")
def cli() -> None:
    """Find the senses inside a word vector, and the discourse atoms that connect them."""
