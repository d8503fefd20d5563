"""From a question to a response: computed on worker threads, packed once, and cached.

Python runs one thread at a time, and threads that compete for it slow each other down. So most answers are computed on
a single thread, one after the other. Work that takes long but mostly runs outside Python (searches over all vectors,
the map of the atoms) has its own threads, and no quick answer waits behind it.

Answers are compressed when they enter the cache. Starlette's `GZipMiddleware` would compress them at every request.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from wordatoms.explorer.answers import to_json

N_THINKING = 1
N_SEARCHING = 8
COMPRESSED_FROM = 8 << 10
"""Smaller bodies, in bytes, are sent as they are."""
COMPRESSION_LEVEL = 6
MOST_BYTES = 32 << 20
JSON = "application/json"

Result = TypeVar("Result")
Question = partial[Any]
"""The function that answers, and its arguments."""

if TYPE_CHECKING:
    locked_cached_property = cached_property
else:

    class locked_cached_property(cached_property):  # noqa: N801 (reads as a decorator)
        """`functools.cached_property` that is computed once, even if several threads ask for it at the same time."""

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            if instance is None:
                return self
            locks = instance.__dict__.setdefault("_property_locks", {})
            with locks.setdefault(self.attrname, threading.RLock()):
                return super().__get__(instance, owner)


class Packed(NamedTuple):
    """A response body, ready to be sent."""

    body: bytes
    compressed: bytes | None
    """The body compressed with gzip, if it is large."""
    content_type: str
    tag: str
    """Changes with the content."""


def pack(body: bytes, content_type: str) -> Packed:
    compressed = gzip.compress(body, COMPRESSION_LEVEL, mtime=0) if len(body) > COMPRESSED_FROM else None
    return Packed(body, compressed, content_type, f'"{hashlib.sha256(body).hexdigest()[:20]}"')


def pack_json(answer: Any) -> Packed:
    return pack(to_json(answer), JSON)


def respond(request: Request, packed: Packed) -> Response:
    """The response that suits the browser: compressed if it accepts that, empty if it has the same body already."""
    headers = {"ETag": packed.tag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == packed.tag:
        return Response(status_code=304, headers=headers)
    body, headers["Content-Type"] = packed.body, packed.content_type
    if packed.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = packed.compressed, "gzip"
    return Response(body, headers=headers)


class PackedCache:
    """The most recently used answers, bounded by their total size in bytes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: OrderedDict[Hashable, Packed] = OrderedDict()
        self._most_bytes, self._n_bytes = most_bytes, 0

    def get(self, key: Hashable) -> Packed | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Hashable, packed: Packed) -> None:
        if (before := self._kept.pop(key, None)) is not None:
            self._n_bytes -= _size(key, before)
        self._kept[key] = packed
        self._n_bytes += _size(key, packed)
        while self._n_bytes > self._most_bytes:
            self._n_bytes -= _size(*self._kept.popitem(last=False))


def _size(key: Hashable, packed: Packed) -> int:
    """The key counts too: a question may be longer than its answer."""
    return len(packed.body) + len(packed.compressed or b"") + len(repr(key))


class Dispatcher:
    """Runs questions on worker threads and caches their packed answers.

    A question is a function and its arguments; equal questions have equal answers while `stamp` stays the same.
    """

    def __init__(self, stamp: Callable[[], Hashable], check: Callable[[], object] = lambda: None) -> None:
        """`check` raises if there is no answer any more; it is called before each computation."""
        self._stamp, self._check = stamp, check
        self._cache = PackedCache()
        self._pending: dict[Hashable, asyncio.Task[Packed]] = {}
        self._thinking = ThreadPoolExecutor(N_THINKING, thread_name_prefix="thinking")
        self._searching = ThreadPoolExecutor(N_SEARCHING, thread_name_prefix="searching")

    async def quick(
        self, request: Request, question: Question, *, search: Callable[[], object] | None = None
    ) -> Response:
        """A cached answer that takes milliseconds; a `search` that it depends on runs first, on its own threads."""
        return await self._cached(request, question, partial(self._compute, self._thinking, question, search))

    async def slow(self, request: Request, question: Question) -> Response:
        """A cached answer that may take seconds the first time."""
        return await self._cached(request, question, partial(self._compute, self._searching, question))

    async def fresh(self, request: Request, make: Callable[[], Packed]) -> Response:
        """An answer that may differ each time and is not cached."""
        return respond(request, await self._on(self._searching, make))

    async def _cached(
        self, request: Request, question: Question, make: Callable[[], Coroutine[Any, Any, Packed]]
    ) -> Response:
        """Requests that arrive while an answer is being computed wait for that answer."""
        key = (question.func, question.args, *question.keywords.items(), self._stamp())
        packed = self._cache.get(key)
        if packed is None:
            task = self._pending.get(key)
            if task is None:
                task = self._pending[key] = asyncio.create_task(make())
                task.add_done_callback(lambda _done: self._pending.pop(key, None))
            packed = await asyncio.shield(task)  # one of the clients may disconnect
            self._cache.put(key, packed)
        return respond(request, packed)

    async def _compute(
        self, pool: ThreadPoolExecutor, question: Question, search: Callable[[], object] | None = None
    ) -> Packed:
        if search is not None:
            await self._on(self._searching, search)
        return await self._on(pool, lambda: pack_json(question()))

    async def _on(self, pool: ThreadPoolExecutor, make: Callable[[], Result]) -> Result:
        def checked() -> Result:
            self._check()
            return make()

        return await asyncio.get_running_loop().run_in_executor(pool, checked)
