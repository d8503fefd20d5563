"""The command line: thin commands over the library, one module each (`wordatoms.cli.root` lists them).

Results go to standard output, the rest to standard error. An expected failure is one sentence and exit code 1
(2 for wrong usage); Ctrl-C ends with 130; output piped into `head` ends quietly.

This module imports nothing slow, so that Ctrl-C is handled before the commands are loaded.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn


def main() -> NoReturn:
    """Entry point of the `wordatoms` command."""
    signal.signal(signal.SIGTERM, _stop)
    if sys.stdout is None:
        _open_closed_output()
    if os.name == "nt" and "PYTHONIOENCODING" not in os.environ:
        _write_utf8()
    try:
        code = _run()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late to stop anything
        sys.exit(code)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # An interrupt inside an exec (dataclasses call it at import) makes `python -m` die of SIGINT at exit, even if
        # it was caught; the next exec clears that.
        exec("pass")
        sys.unraisablehook = lambda _unraisable: None  # half-made objects complain when deleted
        if sys.stderr and sys.stderr.isatty():
            sys.stderr.write("\n")  # after the ^C
        _fail("interrupted; finished stages and checkpoints are kept; run the same command to resume.", 130)


def _run() -> int:
    """Run the command and return its exit code."""
    import click

    from wordatoms.cli.root import Interrupted, cli
    from wordatoms.errors import EXTRAS, WordatomsError, missing_extra

    try:
        ended = cli.main(standalone_mode=False, prog_name="wordatoms")  # an exit code if the command called ctx.exit
        if sys.stdout:  # it may have been closed
            sys.stdout.flush()
    except SystemExit:
        if "PacifyFlushWrapper" in type(sys.stdout).__name__:  # how click marks a closed pipe
            _leave_quietly()
        raise
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (Interrupted, click.Abort) as stopped:
        if isinstance(stopped.__cause__, EOFError):  # click takes any for an end of input; questions handle theirs
            raise stopped.__cause__ from None
        raise KeyboardInterrupt from None
    except SystemError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # a signal arrived inside a library written in C
            raise KeyboardInterrupt from None
        raise
    except BrokenPipeError:
        _leave_quietly()
    except WordatomsError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRAS:
            raise
        _fail(str(missing_extra(error.name)))
    except MemoryError:
        _fail("out of memory; pass a smaller --memory, --max-words or --dim.")
    except OSError as error:
        if error.errno == errno.EPIPE:
            _leave_quietly()
        _drop_output()  # it may be what could not be written
        _fail(_describe(error))
    return ended if isinstance(ended, int) else 0


def _stop(_signal: int, _frame: FrameType | None) -> None:
    """End on SIGTERM as on Ctrl-C, so that temporary files are cleaned up."""
    raise KeyboardInterrupt


def _open_closed_output() -> None:
    """Make writing to a closed standard output an error: Python would discard it, or a file get its number."""
    number = os.open(os.devnull, os.O_RDONLY)
    if number != 1:
        os.dup2(number, 1)
    sys.stdout = os.fdopen(1, "w", closefd=False)


def _write_utf8() -> None:
    """Write UTF-8 into files and pipes: Windows would take a code page that lacks most scripts."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")


def _fail(sentence: str, code: int = 1) -> NoReturn:
    if sys.stderr:  # it may have been closed
        sys.stderr.write(f"wordatoms: {sentence}\n")
    sys.exit(code)


def _leave_quietly() -> NoReturn:
    _drop_output()
    sys.exit(0)


def _drop_output() -> None:
    """Discard unwritten output, which Python would otherwise flush at exit and fail again."""
    if sys.stdout:  # it may have been closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _describe(error: OSError) -> str:
    full = "the disk is full; free some space or pass another folder. Finished stages are kept."
    advice = {
        errno.ENOSPC: full,
        errno.EDQUOT: full.replace("disk is full", "quota of the disk is used up"),
        errno.EACCES: "permission denied; check the rights of the file or folder.",
        errno.EBADF: "standard output is closed.",
        errno.EROFS: "the disk is read-only; pass another folder.",
    }
    reason = advice.get(error.errno or 0, f"{error.strerror or error}.")
    return f"{error.filename}: {reason}" if error.filename else reason


def __getattr__(name: str) -> Any:
    """Load the click command `cli` when it is first used."""
    if name != "cli":
        raise AttributeError(f"module 'wordatoms.cli' has no attribute '{name}'")
    from wordatoms.cli.root import cli

    return cli
