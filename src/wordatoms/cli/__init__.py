"""The command line: thin commands over the library, grouped as a user meets them.

Results go to standard output, the rest to standard error. An expected failure is one sentence and exit code 1
(2 for wrong usage); Ctrl-C ends with 130; output piped into `head` ends quietly.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

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
from wordatoms.errors import WordatomsError

SECTIONS: dict[str, list[click.Command]] = {
    "Ask a model": [explore, senses, atoms, disambiguate, nearest, similarity, induce, compare, info],
    "Work on text": [cluster, sentences, topics],
    "Make a model": [train, count, embed, map_, atomize, tune, import_, export_],
    "Check a model": [evaluate, lineup, reproduce],
}


class SectionedGroup(click.Group):
    """A group whose help lists the commands under headings."""

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


def main() -> NoReturn:
    """Entry point of the `wordatoms` command."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        ended = cli.main(standalone_mode=False, prog_name="wordatoms")  # the code of a command that ended by itself
        if sys.stdout:  # it may have been closed
            sys.stdout.flush()
    except SystemExit:
        if "PacifyFlushWrapper" in type(sys.stdout).__name__:  # click says so that nobody reads on
            _leave_quietly()
        raise
    except click.exceptions.Exit as left:
        sys.exit(left.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        sys.unraisablehook = lambda _unraisable: None  # what libraries had half made complains as it goes
        _fail("interrupted; finished stages and checkpoints of a model are kept, the same command goes on.", 130)
    except BrokenPipeError:
        _leave_quietly()
    except WordatomsError as error:
        _fail(str(error))
    except MemoryError:
        _fail("out of memory; pass a smaller --memory, --max-words or --dim.")
    except OSError as error:
        if error.errno == errno.EPIPE:
            _leave_quietly()
        _fail(_describe(error))
    sys.exit(ended if isinstance(ended, int) else 0)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    """End on SIGTERM as on Ctrl-C, so that temporary files are cleaned up."""
    raise KeyboardInterrupt


def _fail(sentence: str, code: int = 1) -> NoReturn:
    click.echo(f"wordatoms: {sentence}", err=True)
    sys.exit(code)


def _leave_quietly() -> NoReturn:
    # Python flushes standard output once more at exit, which would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _describe(error: OSError) -> str:
    advice = {
        errno.ENOSPC: "the disk is full; free some space or pass another folder. What was finished before is kept.",
        errno.EACCES: "permission denied; check the rights of the file or folder.",
        errno.EROFS: "the disk is read-only; pass another folder.",
    }
    reason = advice.get(error.errno or 0, f"{error.strerror or error}.")
    return f"{error.filename}: {reason}" if error.filename else reason
