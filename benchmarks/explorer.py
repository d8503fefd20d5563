"""Response times of `wordatoms explore` on loopback: the first page after a cold start, then eight clients at once.

    python benchmarks/explorer.py [--model MODEL] [--with MODEL] [--seconds 5] [--clients 8] [--repeat 3] [--json …]

The server runs in its own process. Each address is tested alone (harder than a mix, which has cheap requests in
between), then all together in the proportions of a typical visit. Words, sentences and atoms are requested in turn from
lists of thousands, so that most answers are computed rather than cached; `remembered` requests the same few repeatedly.
The load comes from wrk if it is installed, otherwise from processes of this program. The target is a 95th percentile
below 50 ms. Not measured: the network, and the work of the browser.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from common import make_parser, show
from wordatoms import load

AIM_MS = 50.0
N_PATHS = 12_000
N_WORDS = 20_000
"""Words are drawn from this many of the most frequent words."""
START = "from wordatoms.cli.explore import explore; explore()"
LUA = """
local counter = 0
function setup(thread) thread:set("offset", counter * STEP); counter = counter + 1 end
function init(args)
  paths = {}
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
  place = offset
end
function request() place = place + 1; return wrk.format("GET", paths[(place - 1) % #paths + 1]) end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('RESULT {"requests": %d, "seconds": %f', summary.requests, summary.duration / 1e6))
  io.write(string.format(', "failed": %d', e.connect + e.read + e.write + e.timeout))
  for _, p in pairs({50, 95, 99}) do io.write(string.format(', "p%d_ms": %.2f', p, latency:percentile(p) / 1e3)) end
  io.write(string.format(', "slowest_ms": %.2f}\\n', latency.max / 1e3))
end
"""


# The server


class Served(NamedTuple):
    """A running server."""

    address: str
    process: int
    start_seconds: float

    def cpu_seconds(self) -> float:
        """Processor seconds since the start; 0 if the system does not report them."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_until_idle(self, seconds: float = 60) -> None:
        """Wait until the server has finished preparing answers ahead of requests."""
        ends = perf_counter() + seconds
        while perf_counter() < ends:
            before = self.cpu_seconds()
            sleep(1)
            if self.cpu_seconds() - before < 0.05:
                return


@contextmanager
def served(arguments: Sequence[str]) -> Iterator[Served]:
    started = perf_counter()
    command = [sys.executable, "-c", START, "--no-browser", "--quiet", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit("the server did not start; see its message above.")
        yield Served(address, process.pid, perf_counter() - started)
    finally:
        process.terminate()
        process.wait(20)


def get(address: str, path: str) -> tuple[bytes, float]:
    """A response and its time in milliseconds, over a new connection."""
    parts, started = urlsplit(address), perf_counter()
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        raise SystemExit(f"{path}: {response.status} {body[:200]!r}")
    return body, (perf_counter() - started) * 1e3


def first_page(address: str) -> dict[str, float]:
    """Times of what a browser fetches for its first view, one request after the other, right after the start."""
    started = perf_counter()
    page, _ = get(address, "/")
    files = re.findall(r'(?:src|href)="([^"#:]+\.(?:js|css|svg))"', page.decode())
    for path in dict.fromkeys(files):
        get(address, f"/{path}")
    facts_ms = get(address, "/api/model")[1]
    shown = (perf_counter() - started) * 1e3
    word_ms = get(address, "/api/word?word=tie")[1]
    return {"page_ms": shown, "model_ms": facts_ms, "first_word_ms": word_ms, "page_and_word_ms": shown + word_ms}


# Requests


def questions(address: str, vocabulary: Sequence[str], rng: random.Random, compare: str | None) -> dict[str, list[str]]:
    """Thousands of paths for each address; words in sentences have frequencies as in text (Zipf's law)."""
    words = rng.sample(vocabulary, min(N_PATHS, len(vocabulary)))
    facts = json.loads(get(address, "/api/model")[0])
    shares = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    sentences = [" ".join(rng.choices(vocabulary, shares, k=rng.randint(8, 25))) for _ in range(N_PATHS)]
    seeds = rng.sample(range(1 << 31), N_PATHS)
    found = {
        "model": ["/api/model"],
        "complete": [f"/api/complete?q={quote(word[: rng.randint(1, 4)])}" for word in words],
        "word": [f"/api/word?word={quote(word)}" for word in words],
        "word, forms": [f"/api/word?word={quote(word)}&forms=true" for word in words],
        "unknown word": [f"/api/word?word={quote(word[:2] + 'zq' + word[2:])}" for word in words],
        "atom": [f"/api/atom/{rng.randrange(facts['atoms'])}" for _ in range(N_PATHS)],
        "atoms": ["/api/atoms"],
        "search": [f"/api/search?q={quote(word)}" for word in words],
        "sentence": [f"/api/sentence?text={quote(text)}" for text in sentences],
        "meaning": [f"/api/meaning?token={rng.randrange(8)}&text={quote(text)}" for text in sentences],
        "lineup": [f"/api/lineup?seed={seed}" for seed in seeds],
        "lineup answer": [f"/api/lineup/answer?seed={seed}&chosen=1,5,9" for seed in seeds],
        "remembered": [f"/api/word?word={quote(word)}" for word in words[:20]],
    }
    if compare:
        found["compare"] = [f"/api/compare?word={quote(word)}" for word in words]
    return {name: paths for name, paths in found.items() if paths}


SESSION = {
    "complete": 30,
    "word": 25,
    "atom": 12,
    "search": 4,
    "sentence": 6,
    "meaning": 10,
    "lineup": 3,
    "lineup answer": 3,
    "atoms": 2,
    "model": 2,
    "unknown word": 3,
}
"""Requests to each address out of a hundred."""


def visit(asked: dict[str, list[str]], rng: random.Random) -> list[str]:
    kinds = rng.choices([*SESSION], weights=[*SESSION.values()], k=N_PATHS)
    return [rng.choice(asked[kind]) for kind in kinds]


# Load


Load = Callable[[str, Sequence[str], float, int], dict[str, float]]


def wrk_load(address: str, paths: Sequence[str], seconds: float, n_clients: int) -> dict[str, float]:
    with TemporaryDirectory() as folder:
        script, listed = Path(folder) / "load.lua", Path(folder) / "paths.txt"
        script.write_text(LUA.replace("STEP", str(len(paths) // 2)))
        listed.write_text("\n".join(paths))
        options = ["-t2", f"-c{n_clients}", f"-d{max(1, round(seconds))}s", "-s", str(script)]
        command = ["wrk", *options, address, "--", str(listed)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(output.partition("RESULT ")[2]))


def own_load(address: str, paths: Sequence[str], seconds: float, n_clients: int) -> dict[str, float]:
    parts = [(address, paths[k::n_clients] or paths, seconds) for k in range(n_clients)]
    started = perf_counter()
    with get_context("spawn").Pool(n_clients) as pool:
        found = pool.starmap(ask_in_turn, parts)
    times = sorted(ms for milliseconds, _ in found for ms in milliseconds)
    at = {f"p{p}_ms": round(times[min(len(times) * p // 100, len(times) - 1)], 2) for p in (50, 95, 99)}
    failed = sum(n for _, n in found)
    whole = min(seconds, perf_counter() - started)
    return {"requests": len(times), "seconds": whole, "failed": failed, **at, "slowest_ms": round(times[-1], 2)}


def ask_in_turn(address: str, paths: Sequence[str], seconds: float) -> tuple[list[float], int]:
    """The times in milliseconds of all responses over one connection, and the number of server errors."""
    parts, ends = urlsplit(address), perf_counter() + seconds
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    times, n_failed, place = [], 0, 0
    while (started := perf_counter()) < ends:
        connection.request("GET", paths[place % len(paths)])
        response = connection.getresponse()
        response.read()
        times.append((perf_counter() - started) * 1e3)
        n_failed += response.status >= 500
        place += 1
    return times, n_failed


def measure(send: Load, server: Served, paths: Sequence[str], options: argparse.Namespace) -> dict[str, Any]:
    """The best of several runs, each with different paths."""
    step = len(paths) // (2 * options.repeat)  # wrk's second thread begins in the middle
    turns = [[*paths[k * step :], *paths[: k * step]] for k in range(options.repeat)]
    runs = [measure_once(send, server, turn, options) for turn in turns]
    return min(runs, key=lambda run: float(run["p95_ms"]))


def measure_once(send: Load, server: Served, paths: Sequence[str], options: argparse.Namespace) -> dict[str, Any]:
    """One run, with processor time per response, which other programs on the machine hardly affect."""
    before = server.cpu_seconds()
    found = send(server.address, paths, options.seconds, options.clients)
    cpu_ms = (server.cpu_seconds() - before) / max(found["requests"], 1) * 1e3
    return {
        **found,
        "requests_per_second": round(found["requests"] / found["seconds"], 1),
        "server_cpu_ms": round(cpu_ms, 2),
        "busy": os.getloadavg()[0],
        "within_aim": found["p95_ms"] < AIM_MS,
    }


def main() -> None:
    parser = make_parser(__doc__, repeat=1, clients=8)
    parser.add_argument("--model")
    parser.add_argument("--with", dest="other", help="a second model, to measure comparisons")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--own-client", action="store_true", help="do not use wrk")
    parser.add_argument("--only", nargs="*", help="addresses to measure")
    options = parser.parse_args()
    has_wrk = shutil.which("wrk") is not None and not options.own_client
    send: Load = wrk_load if has_wrk else own_load
    rng = random.Random(0)
    arguments = [
        *(["--model", options.model] if options.model else []),
        *(["--with", options.other] if options.other else []),
    ]
    with served(arguments) as server:
        start = {"start_seconds": server.start_seconds, **first_page(server.address)}
        server.wait_until_idle()
        asked = questions(server.address, load(options.model).words[:N_WORDS], rng, options.other)
        asked["visit"] = visit(asked, rng)
        chosen = [name for name in asked if not options.only or name in options.only]
        results = {name: measure(send, server, asked[name], options) for name in chosen}
    show(
        {
            "load": "wrk" if has_wrk else "own clients",
            "clients": options.clients,
            "runs": options.repeat,
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "start": {name: round(value, 3) for name, value in start.items()},
            "addresses": results,
        },
        options.json,
    )


if __name__ == "__main__":
    main()
