"""Connections of the explorer: their number and their time are bounded, and so is the log.

Uvicorn waits forever for the end of a request that was begun, so a client that begins many takes all file descriptors
of the process. Here a connection has some seconds to send its request, and where there are too many, the one that has
been waiting longest is closed in favour of a new one: whoever asks is answered, whoever only connects is not.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 1000
REQUEST_SECONDS = 10
"""For a whole request, and between two requests of a connection."""
RESPONSE_SECONDS = 120
"""For the answer to be computed and taken by the client."""
ACCEPTED_AT_ONCE = 64
"""Connections that are accepted before any of them can be counted."""
QUEUE = 1024
"""Connections that the operating system keeps until they are accepted."""


def most_connections() -> int:
    """How many connections may be open: at most half of the file descriptors that this process may have."""
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_CONNECTIONS if limit == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, max(limit // 2, 1))


class BoundedProtocol(H11Protocol):
    """A connection with deadlines, one of a bounded number."""

    def __init__(self, *arguments: Any, waiting: dict[BoundedProtocol, None], most: int, **options: Any) -> None:
        """`waiting`: all connections without a complete request, the oldest first; `most`: of these and all others."""
        super().__init__(*arguments, **options)
        self._waiting, self._most = waiting, most
        self._deadline: asyncio.TimerHandle | None = None
        self._was_busy: bool | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline()
        if len(self.connections) > self._most:
            oldest = next(iter(self._waiting))
            del self._waiting[oldest]  # it is lost only later, when others have connected
            oldest.connections.discard(oldest)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_deadline()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()

    def _set_deadline(self) -> None:
        """Start a new deadline where the connection begins to wait for a request, or to answer one."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        if is_busy == self._was_busy or self.transport.is_closing():
            return
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(RESPONSE_SECONDS if is_busy else REQUEST_SECONDS, self.transport.abort)
        self._was_busy = is_busy
        if is_busy:
            self._waiting.pop(self, None)
        else:
            self._waiting[self] = None


class RareRepeats(logging.Filter):
    """Passes a message the first, second, fourth, eighth … time, so that no client can fill a disk with it."""

    def __init__(self) -> None:
        super().__init__()
        self._n_times: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        message = str(record.msg)[:100]
        self._n_times[message] += 1
        return self._n_times[message].bit_count() == 1
