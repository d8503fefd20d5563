"""Serving the explorer: a port, a server that listens at it, and a call when it answers."""

from __future__ import annotations

import contextlib
import errno
import gc
import logging
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import uvicorn

from wordatoms.errors import InputError
from wordatoms.explorer.app import make_app
from wordatoms.explorer.connections import ACCEPTED_AT_ONCE, QUEUE, BoundedProtocol, RareRepeats, most_connections
from wordatoms.explorer.security import EVERYWHERE
from wordatoms.explorer.service import Explorer
from wordatoms.parallel import one_blas_thread

FIRST_PORT = 8765
N_TRIED = 50
"""Ports that are tried if none is given."""
SHUTDOWN_SECONDS = 2
SWITCH_SECONDS = 5e-4
"""How soon a computing thread yields to the one that talks to browsers; a tenth of Python's default."""


def open_socket(host: str, port: int | None) -> socket.socket:
    """A listening socket at this port; without one, at the first free port from 8765."""
    for candidate in [port] if port is not None else range(FIRST_PORT, FIRST_PORT + N_TRIED):
        with contextlib.suppress(_PortTaken):
            return _bind(host, candidate)
    if port is not None:
        raise InputError(f"port {port} is in use by another program; pass another --port, or none.")
    raise InputError(f"the ports {FIRST_PORT} to {FIRST_PORT + N_TRIED - 1} are all in use; pass another --port.")


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
        opened.listen(128)  # fails if another program holds the port without listening yet
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise _PortTaken from error
        raise InputError(f"cannot listen at {host}, port {port} ({error.strerror}); pass another one.") from error
    return opened


def host_of(opened: socket.socket, host: str) -> str:
    """The host as browsers write it: 0 is 0.0.0.0 and 127.1 is 127.0.0.1; names are unchanged."""
    try:
        socket.inet_aton(host)
    except OSError:
        return host
    return str(opened.getsockname()[0])


def address_of(opened: socket.socket, host: str) -> str:
    """The address to open in a browser."""
    shown = "127.0.0.1" if host in EVERYWHERE else host.strip("[]")
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{opened.getsockname()[1]}/"


def _warm(explorer: Explorer) -> None:
    """Compute what is slow, then exempt it from garbage collection, which would traverse all words again and again."""
    explorer.warm()
    gc.collect()
    gc.freeze()


class _Server(uvicorn.Server):
    """A server that calls a function once it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)  # may be longer than what asyncio accepts at once, which it calls by the same name
        self._on_ready()


def serve(
    explorer: Explorer,
    opened: socket.socket,
    *,
    host: str,
    on_ready: Callable[[], None],
    token: str | None = None,
) -> None:
    """Answer requests until Ctrl-C; slow parts are computed in the background, so that the page opens at once."""
    config = uvicorn.Config(
        make_app(explorer, host=host, token=token),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # there is no proxy, so forwarded addresses are not trusted
        lifespan="off",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        http=cast(Any, partial(BoundedProtocol, waiting={}, most=most_connections())),
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
    )
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(RareRepeats())

    def ready() -> None:
        threading.Thread(target=_warm, args=[explorer], name="warming", daemon=True).start()
        on_ready()

    sys.setswitchinterval(SWITCH_SECONDS)
    # requests run in parallel already; BLAS threads inside each would only compete with each other
    with one_blas_thread(), contextlib.suppress(KeyboardInterrupt):
        _Server(config, ready).run(sockets=[opened])
    explorer.close()
