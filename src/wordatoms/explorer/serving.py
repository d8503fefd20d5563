"""Serving the explorer: a port, a server on it, and a browser when it answers."""

from __future__ import annotations

import contextlib
import errno
import gc
import re
import socket
import sys
import threading
from collections.abc import Callable

import uvicorn

from wordatoms.errors import InputError
from wordatoms.explorer.app import make_app
from wordatoms.explorer.security import EVERYWHERE, LOCAL_NAMES
from wordatoms.explorer.service import Explorer
from wordatoms.parallel import one_blas_thread

FIRST_PORT = 8765
N_TRIED = 50
"""Ports that are tried where none was asked for."""
SECONDS_TO_END = 2
SWITCH_SECONDS = 5e-4
"""A thread that computes makes way for the one that talks to browsers after so long; usually it is ten times that."""


def open_socket(host: str, port: int | None) -> socket.socket:
    """A socket at this port; without one, at the first free port from 8765 on."""
    for candidate in [port] if port is not None else range(FIRST_PORT, FIRST_PORT + N_TRIED):
        with contextlib.suppress(_PortTaken):
            return _bind(host, candidate)
    if port is not None:
        raise InputError(f"port {port} is taken by another program; pass another --port, or none.")
    raise InputError(f"the ports {FIRST_PORT} to {FIRST_PORT + N_TRIED - 1} are all taken; pass another --port.")


class _PortTaken(Exception):
    pass


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"'{host}' is no address of this machine ({error.strerror}); pass another --host.") from error
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(128)  # another program may hold the port without listening yet: this tells
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise _PortTaken from error
        raise InputError(f"cannot listen at {host}, port {port} ({error.strerror}); pass another one.") from error
    return opened


def host_of(opened: socket.socket, host: str) -> str:
    """A host as browsers know it: 0 is 0.0.0.0 and 127.1 is 127.0.0.1; names stay what they are."""
    try:
        socket.inet_aton(host)
    except OSError:
        return host
    return str(opened.getsockname()[0])


def is_local(host: str) -> bool:
    """Whether only programs of this machine can ask."""
    return host.strip("[]").lower() in LOCAL_NAMES or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


def address_of(opened: socket.socket, host: str) -> str:
    """What a person opens in a browser."""
    shown = "127.0.0.1" if host in EVERYWHERE else host.strip("[]")
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{opened.getsockname()[1]}/"


def _warm(explorer: Explorer) -> None:
    """Make what is slow, then keep it out of the search for garbage, which would look at all words again and again."""
    explorer.warm()
    gc.collect()
    gc.freeze()


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()


def serve(explorer: Explorer, opened: socket.socket, *, host: str, on_ready: Callable[[], None]) -> None:
    """Answer until Ctrl-C. What is slow is made meanwhile, so that the page is there at once."""
    config = uvicorn.Config(
        make_app(explorer, host=host),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody stands between, and what a header claims is not believed
        lifespan="off",
        timeout_graceful_shutdown=SECONDS_TO_END,
    )

    def ready() -> None:
        threading.Thread(target=_warm, args=[explorer], name="warming", daemon=True).start()
        on_ready()

    sys.setswitchinterval(SWITCH_SECONDS)
    # many answers side by side leave no core idle: threads inside each would only be in each other's way
    with one_blas_thread(), contextlib.suppress(KeyboardInterrupt):
        _Server(config, ready).run(sockets=[opened])
    explorer.close()
