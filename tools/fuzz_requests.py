"""Send random requests to the explorer's API, and report every answer that is neither a result nor one sentence.

    python tools/fuzz_requests.py --requests 1000000 [--seed 0] [--model MODEL]

Requests are mutations of valid ones: addresses, parameters, hosts, methods and headers, with characters of all scripts,
control characters, broken escapes, numbers out of range, and script. They are handed to the app as a server would do
it, without the network. Reported are a status of 500 or more, an exception, a body that is not JSON where JSON is due,
an error without a sentence, a header that is missing, and an answer that takes more than five seconds. The exit code is
1 if there was any. Without a model, a small one is trained on a made-up text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote_from_bytes

SLOW_SECONDS = 5.0
N_SHOWN = 10
ADDRESSES = (
    *("model", "complete", "word", "sentences", "atoms", "atom/0", "atom/19", "search", "sentence", "meaning"),
    *("lineup", "lineup/answer", "compare"),
)
PARAMETERS = ("word", "q", "n", "model", "forms", "text", "token", "seed", "chosen", "x", "word[]", "")
VALUES = (
    *(
        "bao",
        "dao",
        "tie",
        "a",
        "",
        " ",
        "0",
        "1",
        "-1",
        "19",
        "20",
        "99999999999999999999",
        "1.5",
        "1e9",
        "nan",
        "true",
    ),
    *("1,2,3", "1,,2", "1," * 99, "../../etc/passwd", "..", ".", "%00", "\0", "\n", "\r\nX: y", "\ud800", "\U0010ffff"),
    *("<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "${7*7}", "{{7*7}}", "'; DROP TABLE words;--"),
    *("слово", "語", "e\u0301" * 50, "\u202e", "\ufeff", "I\u0307", "ß", "a" * 99, "b" * 2001, "bao dao fio " * 170),
)
HOSTS = ("localhost", "127.0.0.1:80", "[::1]:1", "evil.com", "localhost:1@evil.com", "[::1].evil.com", "", "\xff")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "G\xe9T")
NEEDED = {b"content-security-policy", b"x-content-type-options", b"referrer-policy"}


def draw(rng: random.Random) -> dict[str, Any]:
    """A random request as an ASGI scope."""
    address = rng.choice(ADDRESSES)
    path = (
        f"/api/{address}"
        if rng.random() < 0.9
        else rng.choice(["/", "/index.html", "//", "/api", "/report/index.html"])
    )
    if rng.random() < 0.1:
        path += rng.choice(VALUES)
    pairs = [
        (rng.choice(PARAMETERS), mutate(rng.choice(VALUES), rng)) for _ in range(rng.choice([0, 1, 1, 1, 2, 3, 6]))
    ]
    query = b"&".join(escape(name, rng) + b"=" + escape(value, rng) for name, value in pairs)
    host = "localhost" if rng.random() < 0.9 else rng.choice(HOSTS)
    headers = [(b"host", host.encode("latin-1"))]
    if rng.random() < 0.3:
        headers.append((b"accept-encoding", rng.choice([b"gzip", b"br", b"\xff", b""])))
    if rng.random() < 0.1:
        headers.append(
            (rng.choice([b"if-none-match", b"host", b"origin", b"x"]), rng.choice([b"*", b'"', b"\x00", b"a" * 999]))
        )
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET" if rng.random() < 0.95 else rng.choice(METHODS),
        "scheme": "http",
        "path": path.encode("utf-8", "replace").decode("utf-8", "replace"),
        "raw_path": path.encode("utf-8", "replace"),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


def mutate(value: str, rng: random.Random) -> str:
    if rng.random() < 0.5 or not value:
        return value
    place = rng.randrange(len(value))
    return value[:place] + chr(rng.choice([rng.randrange(128), rng.randrange(0xD800), 0x10FFFF])) + value[place:]


def escape(text: str, rng: random.Random) -> bytes:
    """Mostly a valid escape, sometimes raw or broken bytes."""
    encoded = text.encode("utf-8", "surrogatepass")
    kind = rng.random()
    if kind < 0.85:
        return quote_from_bytes(encoded).encode()
    return (
        encoded.replace(b"&", b"%")
        if kind < 0.95
        else encoded[:20] + rng.choice([b"%", b"%f", b"%zz", b"%ff%fe", b"+"])
    )


async def fault_of(app: Any, scope: dict[str, Any]) -> tuple[int, str]:
    """Send a request; return the status, and what is wrong with the answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    began = time.perf_counter()
    try:
        await app(scope, receive, send)
    except Exception as error:
        return 0, f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - began
    status, headers = int(sent[0]["status"]), dict(sent[0]["headers"])
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return status, check(status, headers, body, seconds, scope["method"])


def check(status: int, headers: dict[bytes, bytes], body: bytes, seconds: float, method: str) -> str:
    if status >= 500 or seconds > SLOW_SECONDS:
        return f"status {status} after {seconds:.1f} seconds: {body[:200]!r}"
    if not set(headers) >= NEEDED:
        return f"no {NEEDED - set(headers)}"
    is_json = headers.get(b"content-type", b"").startswith(b"application/json") and b"content-encoding" not in headers
    if not is_json or method == "HEAD" or not body:
        return "" if status < 400 or method == "HEAD" else f"status {status} without a sentence"
    try:
        answer = json.loads(body)
    except ValueError:
        return f"status {status} with {body[:100]!r}"
    has_sentence = isinstance(answer, dict) and isinstance(answer.get("error"), str) and answer["error"]
    return "" if status < 400 or has_sentence else f"status {status} without a sentence: {body[:100]!r}"


async def fuzz(app: Any, n_requests: int, minutes: float, seed: int) -> tuple[Counter[int], list[str]]:
    rng, statuses, faults = random.Random(seed), Counter[int](), []
    end = time.monotonic() + 60 * minutes
    for number in range(n_requests):
        if number % 1000 == 0 and time.monotonic() > end:
            break
        scope = draw(rng)
        status, fault = await fault_of(app, scope)
        statuses[status] += 1
        if fault:
            faults.append(
                f"{scope['method']} {scope['path']!r} {scope['query_string'][:200]!r} {scope['headers']}: {fault}"
            )
            if len(faults) >= N_SHOWN:
                break
    return statuses, faults


def make_model(folder: Path) -> Path:
    from wordatoms import Run, train
    from wordatoms.pipeline.atomize import AtomSettings
    from wordatoms.pipeline.sources import CountSettings

    rng = random.Random(0)
    words = [f"{first}{second}o" for first in "bdfgklmnprst" for second in "aeiouabcdefghijklmnopqrstuvwxyz"]
    things = [rng.sample(words, 30) for _ in range(20)]
    text = folder / "text.txt"
    text.write_text("\n".join(" ".join(rng.choices(rng.choice(things), k=16)) for _ in range(1000)))
    settings, atoms = CountSettings(min_count=2), AtomSettings(n_atoms=20, n_restarts=2, n_iterations=4)
    train([text], folder / "model", settings=settings, atom_settings=atoms, parameters={"dim": 12}, run=Run(threads=1))
    return folder / "model"


def main() -> None:
    from wordatoms import load
    from wordatoms.explorer.app import make_app
    from wordatoms.explorer.service import Explorer

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=60, help="stop after this time at the latest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="fuzz-requests-") as work:
        app = make_app(Explorer([load(given.model or make_model(Path(work)))]))
        app.state.explorer.warm()
        began = time.perf_counter()
        statuses, faults = asyncio.run(fuzz(app, given.requests, given.minutes, given.seed))
    for fault in faults:
        print(fault)
    seconds = time.perf_counter() - began
    shown = dict(sorted(statuses.items()))
    print(f"{statuses.total():,} requests in {seconds:,.0f} s, statuses {shown}, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
