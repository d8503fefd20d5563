"""A Dask cluster of real processes on loopback: a scheduler, and workers that can be killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import wordatoms


class Cluster:
    """A scheduler and its workers, each a process of its own without anybody to start it again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self.workers: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self, port: int = 0) -> None:
        log = self.folder / "scheduler.log"
        with log.open("wb") as file:
            options = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
            self.scheduler = _start("dask_scheduler", options, self.folder, file)
        self.address = _wait_for_address(log)

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def start_workers(self, n: int, hidden: Path | None = None) -> None:
        """Start workers; those for which a folder is hidden see an empty one in its place."""
        for _ in range(n):
            with (self.folder / f"worker-{len(self.workers)}.log").open("wb") as file:
                options = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
                self.workers.append(_start("dask_worker", options, self.folder, file, hidden))

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def running_cluster(folder: Path, n_workers: int) -> Iterator[Cluster]:
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(folder)
    cluster.start_scheduler()
    try:
        cluster.start_workers(n_workers)
        yield cluster
    finally:
        cluster.stop()


def hiding(folder: Path) -> list[str]:
    """Words before a command that hide a folder from it, which needs root."""
    return ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs "$0" && exec "$@"', str(folder)]


def can_hide() -> bool:
    if shutil.which("unshare") is None:
        return False
    with TemporaryDirectory() as folder:
        return subprocess.run([*hiding(Path(folder)), "true"], capture_output=True, check=False).returncode == 0


def _start(
    module: str, options: list[str], folder: Path, log: object, hidden: Path | None = None
) -> subprocess.Popen[bytes]:
    source = str(Path(wordatoms.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    command = [*(hiding(hidden) if hidden else []), sys.executable, "-m", f"distributed.cli.{module}", *options]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)  # type: ignore[call-overload]


def _wait_for_address(log: Path, seconds: float = 60) -> str:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        for line in log.read_text().splitlines():
            if "Scheduler at:" in line:
                return line.rpartition(" ")[2].strip()
        time.sleep(0.05)
    raise TimeoutError(log.read_text())
