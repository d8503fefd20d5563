"""A server under clients that do not behave: half-sent requests, slow bodies, noise."""

from __future__ import annotations

import json
import logging
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from explorerworld import world_models
from wordatoms.explorer.connections import RareRepeats

N_HALF_SENT = 3000
N_DESCRIPTORS = 1024
START = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
from wordatoms.explorer import connections
connections.REQUEST_SECONDS = {seconds}
from wordatoms.cli.explore import explore
explore()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world_models(tmp_path_factory.mktemp("models"))[0].path


@contextmanager
def serving(model: Path, log: Path, *, seconds: float = 60) -> Iterator[str]:
    start = START.format(limit=N_DESCRIPTORS, seconds=seconds)
    command = [sys.executable, "-c", start, "--no-browser", "--model", str(model)]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait(20)


def ask(address: str) -> float:
    """Ask a question on a new connection, and return the seconds that it took."""
    began = time.monotonic()
    with urlopen(f"{address}api/word?word=bank", timeout=20) as response:
        assert json.load(response)["senses"]
    return time.monotonic() - began


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = N_HALF_SENT + 500
    if before[1] not in (resource.RLIM_INFINITY,) and before[1] < wanted:
        pytest.skip(f"needs {wanted:,} file descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], wanted), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("many_descriptors")
def test_explorer_was_blocked_by_half_sent_requests(model: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(model, log) as address, ExitStack() as half_sent:
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        ask(address)
        slowest, began = 0.0, time.monotonic()
        for number in range(N_HALF_SENT):
            with suppress(ConnectionError):
                client = half_sent.enter_context(socket.create_connection((host, int(port)), timeout=20))
                client.sendall(b"GET /api/model HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            if number % 300 == 299:
                slowest = max(slowest, ask(address))
        slowest = max(slowest, *(ask(address) for _ in range(5)))
        assert slowest < 10
        assert time.monotonic() - began < 120
    assert log.stat().st_size < 20_000


def test_half_sent_request_was_kept_forever(model: Path, tmp_path: Path) -> None:
    with serving(model, tmp_path / "log", seconds=1) as address:
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as silent:
            with socket.create_connection((host, int(port)), timeout=30) as trickling:
                began = time.monotonic()
                with suppress(ConnectionError):
                    while time.monotonic() - began < 20:
                        trickling.sendall(b"G")
                        time.sleep(0.1)
                assert time.monotonic() - began < 15
            with suppress(ConnectionError):
                assert silent.recv(1) == b""
        ask(address)


def test_log_grew_with_every_bad_request(model: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(model, log) as address:
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        for _ in range(500):
            with suppress(ConnectionError), socket.create_connection((host, int(port)), timeout=20) as client:
                client.sendall(b"\x00\xff noise\r\n\r\n")
                client.recv(100)
        ask(address)
    assert log.read_text().count("Invalid HTTP request") in range(1, 11)


def test_repeated_messages_are_rare() -> None:
    filtering, record = RareRepeats(), logging.makeLogRecord({"msg": "again"})
    assert [number for number in range(1, 40) if filtering.filter(record)] == [1, 2, 4, 8, 16, 32]
