"""The command `wordatoms`, with all commands under headings."""

from __future__ import annotations

from typing import Any

import click

from wordatoms.cli.compare import compare
from wordatoms.cli.contexts import induce
from wordatoms.cli.evaluate import evaluate
from wordatoms.cli.explore import explore
from wordatoms.cli.lineup import lineup
from wordatoms.cli.reproduce import reproduce
from wordatoms.cli.senses import atoms, senses
from wordatoms.cli.sentences import sentences
from wordatoms.cli.topics import topics
from wordatoms.cli.train import atomize, count, embed, map_, train
from wordatoms.cli.tune import tune
from wordatoms.cli.usages import cluster, disambiguate
from wordatoms.cli.vectors import export_, import_, info, nearest, similarity

SECTIONS: dict[str, list[click.Command]] = {
    "Ask a model": [explore, senses, atoms, disambiguate, nearest, similarity, induce, compare, info],
    "Work on text": [cluster, sentences, topics],
    "Make a model": [train, count, embed, map_, atomize, tune, import_, export_],
    "Check a model": [evaluate, lineup, reproduce],
}


class Interrupted(BaseException):
    """Ctrl-C; click would turn KeyboardInterrupt into an empty line."""


class SectionedGroup(click.Group):
    """A group whose help lists the commands under headings."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        limit = formatter.width - 6 - max(map(len, self.commands))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(str(command.name), command.get_short_help_str(limit)) for command in commands])


@click.group(cls=SectionedGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="wordatoms", prog_name="wordatoms")
def cli() -> None:
    """The senses inside a word vector, and the discourse atoms that connect them."""


for _commands in SECTIONS.values():
    for _command in _commands:
        cli.add_command(_command)
