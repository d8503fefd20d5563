"""From a question to a response: computed beside the event loop, once for all who ask the same, and remembered.

Python runs one thread at a time, and threads that all want to run hold each other up. So answers are put together on
few threads, one after the other; what takes long but hardly needs Python (searches over all vectors, the map of the
atoms) has threads of its own, and no quick answer waits behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from wordatoms.explorer.packing import Packed, PackedCache, pack_json

N_THINKING = 1
N_SEARCHING = 8

Question = partial[Any]
"""What is called for an answer, and with what: equal questions have equal answers, whatever their addresses."""
Result = TypeVar("Result")


class Asker:
    """Runs questions beside the event loop."""

    def __init__(self, stamp: Callable[[], Hashable]) -> None:
        self._stamp = stamp
        """Changes whenever answers may."""
        self._cache = PackedCache()
        self._pending: dict[Hashable, asyncio.Task[Packed]] = {}
        self._thinking = ThreadPoolExecutor(N_THINKING, thread_name_prefix="thinking")
        self._searching = ThreadPoolExecutor(N_SEARCHING, thread_name_prefix="searching")

    async def __call__(
        self, request: Request, question: Question, *, search: Callable[[], object] | None = None
    ) -> Response:
        """The answer to a question, remembered; `search` goes before it, beside other answers."""
        return await self._remembered(request, question, lambda: self._search_and_think(search, question))

    async def slowly(self, request: Request, question: Question) -> Response:
        """An answer that may take seconds when it is asked for the first time."""
        make = partial(self._on, self._searching, lambda: pack_json(question()))
        return await self._remembered(request, question, make)

    async def anew(self, request: Request, answer: Callable[[], Packed]) -> Response:
        """An answer that is another each time."""
        return respond(request, await self._on(self._searching, answer))

    async def _remembered(
        self, request: Request, question: Question, make: Callable[[], Coroutine[Any, Any, Packed]]
    ) -> Response:
        """Those who ask while an answer is made wait for the same one."""
        key = (question.func, question.args, *question.keywords.items(), self._stamp())
        packed = self._cache.get(key)
        if packed is None:
            task = self._pending.get(key)
            if task is None:
                task = self._pending[key] = asyncio.create_task(make())
                task.add_done_callback(lambda _done: self._pending.pop(key, None))
            packed = await asyncio.shield(task)  # one of them may hang up
            self._cache.put(key, packed)
        return respond(request, packed)

    async def _search_and_think(self, search: Callable[[], object] | None, question: Question) -> Packed:
        if search is not None:
            await self._on(self._searching, search)
        return await self._on(self._thinking, lambda: pack_json(question()))

    async def _on(self, pool: ThreadPoolExecutor, make: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(pool, make)


def respond(request: Request, packed: Packed) -> Response:
    """As the browser wants it: compressed, or not at all where it has the same already."""
    headers = {"ETag": packed.tag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == packed.tag:
        return Response(status_code=304, headers=headers)
    body, headers["Content-Type"] = packed.body, packed.kind
    if packed.squeezed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = packed.squeezed, "gzip"
    return Response(body, headers=headers)
