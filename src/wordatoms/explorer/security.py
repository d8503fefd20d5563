"""Which requests are answered, which files are served, and the headers that restrict what a response may do.

A page on the internet can make a browser send requests to a server on this machine under its own host name (DNS
rebinding), so only host names of this machine are answered. Numeric addresses cannot be rebound; they are allowed if
the server listens to the whole network. Files come from a list made at the start, so no path leads to any other file.

The server is read-only unless it was started for editing. Then it listens to this machine alone, and a change needs the
secret token of this run, which is part of the address that the program prints, and has to come from the page itself:
other sites cannot know the token, cannot send its header, and have another origin.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordatoms.errors import InputError
from wordatoms.explorer.answers import to_json
from wordatoms.explorer.cache import JSON

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = frozenset({"0.0.0.0", "::", ""})
READ_METHODS = frozenset({"GET", "HEAD"})
EDIT_PATH = "/api/edit/"
TOKEN_HEADER = "x-wordatoms-token"
LONGEST_EDIT = 64 << 10
"""Bytes of a request that changes something."""
LONGEST_QUERY = 32 << 10
"""In bytes: 2,000 escaped characters of any script, and some room for other parameters."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""The report is a single file that contains its styles and charts."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}

SITE = Path(__file__).with_name("site")
START_PAGE = "index.html"
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": JSON,
}
"""Files with other endings are not served."""


def site_names(folder: Path = SITE) -> list[str]:
    """The files of the page, relative to its folder."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix in CONTENT_TYPES)
    return sorted(path.relative_to(folder).as_posix() for path in paths)


class Guard:
    """Middleware that rejects what the app should not see, and adds the security headers to every response."""

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str] = (), *, any_address: bool = False, token: str | None = None
    ) -> None:
        """`token`: what a change has to carry; None if nothing can be changed."""
        self.app, self.hosts, self.any_address = app, LOCAL_NAMES | {host.lower() for host in hosts}, any_address
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(send, headers_for(scope["path"]))
        is_edit = self.token is not None and scope["method"] == "POST" and scope["path"].startswith(EDIT_PATH)
        if not self._is_allowed_host(scope):
            await _reject(guarded, 400, "this server does not answer to this host name; use the address it printed.")
        elif scope["method"] not in READ_METHODS and not is_edit:
            reason = "this server is read-only, use GET" if self.token is None else "use GET, or POST for a change"
            await _reject(guarded, 405, f"{scope['method']} is not allowed here; {reason}.")
        elif len(scope["query_string"]) > LONGEST_QUERY:
            await _reject(guarded, 414, f"the query has more than {LONGEST_QUERY:,} bytes; send a shorter one.")
        elif is_edit and (refusal := self._refuse_edit(scope)):
            await _reject(guarded, *refusal)
        else:
            await self.app(scope if is_edit else {**scope, "method": "GET"}, receive, guarded)

    def _is_allowed_host(self, scope: Scope) -> bool:
        host = host_name(_header(scope, "host"))
        return host in self.hosts or (self.any_address and _is_address(host))

    def _refuse_edit(self, scope: Scope) -> tuple[int, str] | None:
        """Why a change is not made: the status and a sentence; None if it may be made."""
        if _header(scope, "origin") != f"{scope['scheme']}://{_header(scope, 'host')}":
            return 403, "changes are made from the page of this server only."
        if not hmac.compare_digest(_header(scope, TOKEN_HEADER).encode(), str(self.token).encode()):
            return 403, "this page may not change anything; open the address that the program printed."
        if _header(scope, "content-type").partition(";")[0].strip() != JSON:
            return 415, "changes are sent as JSON."
        length = _header(scope, "content-length")
        if not length:
            return 411, "a change says how long it is; send a Content-Length, and no parts."
        if not re.fullmatch(r"[0-9]{1,6}", length) or int(length) > LONGEST_EDIT:
            return 413, f"a change has a length of at most {LONGEST_EDIT:,} bytes; send a shorter one."
        return None


def _header(scope: Scope, name: str) -> str:
    """The value of a header; empty if there is none, or more than one."""
    values = [value for each, value in scope["headers"] if each == name.encode()]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def headers_for(path: str) -> dict[str, str]:
    is_report = path.startswith("/report/")
    return {
        **HEADERS,
        "Content-Security-Policy": REPORT_POLICY if is_report else PAGE_POLICY,
        "X-Frame-Options": "SAMEORIGIN" if is_report else "DENY",
    }


def is_local(host: str) -> bool:
    """Whether only programs on this machine can connect to a server that listens at this host."""
    return host.strip("[]").lower() in LOCAL_NAMES or bool(re.fullmatch(r"127(\.\d{1,3}){3}", host))


def guard_settings(host: str, token: str | None = None) -> dict[str, Any]:
    """The arguments of a guard for a server that listens at this host; `token`: what changes have to carry."""
    if token is not None:
        if not is_local(host):
            raise InputError(f"editing is possible on this machine only, not at {host}; omit the host.")
        return {"hosts": {host.strip("[]")}, "any_address": False, "token": token}
    if host in EVERYWHERE:
        return {"hosts": {socket.gethostname(), socket.getfqdn()}, "any_address": True}
    return {"hosts": {host.strip("[]")}, "any_address": False}


def host_name(header: str) -> str:
    """The host in a Host header, without its port, in lower case; empty if it is no host and port."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^][:@/?#\s]+))(?::[0-9]{1,5})?", header)
    return (found[1] or found[2]).lower() if found else ""


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


async def _reject(send: Send, status: int, sentence: str) -> None:
    body = to_json({"error": sentence})
    headers = [(b"content-type", JSON.encode()), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
