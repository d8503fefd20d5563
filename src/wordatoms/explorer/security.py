"""Who may ask and what an answer may do: read-only, from the right host, with the headers that browsers respect.

A page on the internet can make a browser ask a server on this machine under a name of its own (DNS rebinding), so only
names that mean this machine are answered. Numeric addresses are safe from that, and are allowed where the server was
told to listen to the whole network.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordatoms.explorer.packing import JSON, to_json

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
READING = frozenset({"GET", "HEAD"})
LONGEST_QUERY = 32 << 10
"""In bytes: 2,000 letters of any script, escaped, and something beside them."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""The report is one file with its style and charts inside."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}


class Guard:
    """Stands before the app."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = (), *, any_address: bool = False) -> None:
        self.app, self.hosts, self.any_address = app, LOCAL_NAMES | {host.lower() for host in hosts}, any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(send, headers_for(scope["path"]))
        if not self._is_this_machine(_host_header(scope)):
            await _refuse(guarded, 400, "this server answers under its own name only; use the address it printed.")
        elif scope["method"] not in READING:
            await _refuse(guarded, 405, f"{scope['method']} is not allowed; this server is read-only: use GET.")
        elif len(scope["query_string"]) > LONGEST_QUERY:
            await _refuse(guarded, 414, f"the query has more than {LONGEST_QUERY:,} bytes; ask for less at once.")
        else:
            await self.app({**scope, "method": "GET"}, receive, guarded)

    def _is_this_machine(self, header: str | None) -> bool:
        host = host_name(header or "")
        return host in self.hosts or (self.any_address and _is_address(host))


def headers_for(path: str) -> dict[str, str]:
    is_report = path.startswith("/report/")
    return {
        **HEADERS,
        "Content-Security-Policy": REPORT_POLICY if is_report else PAGE_POLICY,
        "X-Frame-Options": "SAMEORIGIN" if is_report else "DENY",
    }


def guard_settings(host: str) -> dict[str, Any]:
    """What a guard has to know of the host that a server listens at."""
    if host in EVERYWHERE:
        return {"hosts": {socket.gethostname(), socket.getfqdn()}, "any_address": True}
    return {"hosts": {host.strip("[]")}, "any_address": False}


def host_name(header: str) -> str:
    """The host in a Host header, without its port, in small letters."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def _host_header(scope: MutableMapping[str, Any]) -> str | None:
    found = [value for name, value in scope["headers"] if name == b"host"]
    return found[0].decode("latin-1") if len(found) == 1 else None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _with_headers(send: Send, headers: dict[str, str]) -> Send:
    extra = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return send_more


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = to_json({"error": sentence})
    headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
