"""Settings of all tests: Hypothesis, and what the workers of pytest-xdist share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from sharing import is_worker, shared_folder
from wordatoms.storage.locks import file_lock

settings.register_profile(
    "any machine",
    deadline=None,  # other programs may be running on the same processor
    derandomize=True,  # a failure is the same everywhere; tools/fuzz.py looks for new ones
)
settings.load_profile("any machine")


MOST_WORKERS = 4


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker per core; none where only single files are asked for, which are done before workers have started."""
    if all(Path(argument.partition("::")[0]).is_file() for argument in config.args):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_WORKERS)


@pytest.fixture(scope="session", autouse=True)
def compile_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let only one worker compile a kernel; the others wait and load it from numba's cache."""
    if not is_worker():
        yield
        return
    locks = shared_folder(tmp_path_factory)
    compile_kernel = Dispatcher.compile

    def compile_locked(self: Dispatcher, signature: object) -> object:
        function = self.py_func
        if not function.__module__.startswith("wordatoms."):  # numba's own, many of one name
            return compile_kernel(self, signature)
        # numba's own lock comes first: a thread of this process may hold it while it asks for the same kernel
        with global_compiler_lock, file_lock(locks / f"{function.__module__}.{function.__name__}.lock"):
            return compile_kernel(self, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", compile_locked)
        yield
