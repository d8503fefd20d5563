"""How a job is carried out: threads, memory, engine and progress, in one object that is handed down.

Nothing in a `Run` changes a result: any number of threads, any memory and any engine give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordatoms.parallel import resolve_threads
from wordatoms.progress import SILENT, Display

if TYPE_CHECKING:
    from wordatoms.engine.threads import Engine

DEFAULT_MEMORY = 2 << 30


@dataclass(frozen=True)
class Run:
    """Resources for a job, and where its progress is shown.

    Parameters
    ----------
    threads : int, optional
        Number of threads; all cores by default.
    memory : int, default 2 GiB
        Bytes for the tables and buffers of passes over text, of all threads together. Python with its libraries and
        about 150 bytes per word of the vocabulary come on top.
    engine : Engine, optional
        Where text is read: threads of this process by default, or a `wordatoms.engine.dask.DaskEngine`.
    progress : Display, default silent
        Progress bars.

    Examples
    --------
    >>> from wordatoms import Run
    >>> Run(threads=2).n_threads
    2
    """

    threads: int | None = None
    memory: int = DEFAULT_MEMORY
    engine: Engine | None = None
    progress: Display = SILENT

    @property
    def n_threads(self) -> int:
        """The number of threads, resolved to the cores of this machine where none was given."""
        return resolve_threads(self.threads)


DEFAULT_RUN = Run()
