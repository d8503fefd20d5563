"""A real browser on a real server: Debian's Chromium, driven by Playwright, with everything watched that goes wrong."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = (1280, 820), (390, 844)
PATIENCE = 15_000
"""Milliseconds that the page may take for one step on a busy machine."""


def why_no_browser() -> str | None:
    """What is missing, in words."""
    try:
        import fastapi  # noqa: F401
        import playwright  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed: pip install 'wordatoms[test]'"
    return None if find_browser() else "there is no Chromium here: apt-get install chromium"


def find_browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def serving(explorer: Any, *, token: str | None = None) -> Iterator[str]:
    """The address of a server on this explorer; with a token, for editing."""
    import uvicorn

    from wordatoms.explorer.app import make_app

    config = uvicorn.Config(
        make_app(explorer, token=token), port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(5)
        explorer.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Tests have enough to say."""


@contextmanager
def hosting(folder: Path) -> Iterator[str]:
    """The address of a folder of plain files, below the root, as on many a web server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    finally:
        server.shutdown()
        server.server_close()


class Visitor:
    """Somebody with the page open. What the browser complains of is kept in `complaints`."""

    def __init__(self, page: Any, base: str) -> None:
        self.page, self.base, self.complaints = page, base, list[str]()
        self.forgiven: tuple[str, ...] = ()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", self._miss)
        page.on("response", self._see)
        page.on("request", self._follow)

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.complaints.append(f"{message.type}: {message.text}")  # failed loads are seen as responses

    def _see(self, response: Any) -> None:
        if response.status >= 400 and not any(part in response.url for part in self.forgiven):
            self.complaints.append(f"{response.status}: {response.url}")

    def _miss(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # nobody waits any more: the page was left
            self.complaints.append(f"{request.failure}: {request.url}")

    def _follow(self, request: Any) -> None:
        if not request.url.startswith((self.base, "blob:", "data:")):
            self.complaints.append(f"goes elsewhere: {request.url}")

    def open(self, address: str = "#/") -> Visitor:
        """A view by its address, as if it were typed."""
        if self.page.url.startswith(self.base):
            self.page.goto("about:blank")  # another address of the same page would only be a change of view
        self.page.goto(self.base + address)
        return self

    def go(self, address: str) -> Visitor:
        """To another view, as a link would."""
        self.page.evaluate("address => { location.hash = address }", address)
        return self

    def sees(self, selector: str, n: int | None = None) -> Any:
        """Wait for something on the page; perhaps for exactly so many."""
        found = self.page.locator(selector)
        found.first.wait_for()
        if n is not None:
            self.page.wait_for_function("([s, n]) => document.querySelectorAll(s).length === n", arg=[selector, n])
        return found.first

    def reads(self, selector: str, text: str) -> None:
        """Wait for a text in the first of such elements: a view may still be on its way."""
        script = "([s, text]) => document.querySelector(s)?.innerText.includes(text)"
        self.page.wait_for_function(script, arg=[selector, text])

    def is_at(self, address: str) -> None:
        self.page.wait_for_function("address => location.hash === address", arg=address)

    def text(self, selector: str = "main") -> str:
        return str(self.sees(selector).inner_text())

    def download(self, button: Any) -> tuple[str, str]:
        """The name and the text of what a button saves."""
        with self.page.expect_download() as waiting:
            button.click()
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_text("utf-8")


CONTRAST = """() => {
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const parse = (colour) => {
    if (!known.has(colour)) known.set(colour, read(colour));
    return known.get(colour);
  };
  const read = (colour) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = probe.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, below) => top.slice(0, 3).map((value, k) => value * top[3] + below[k] * (1 - top[3]));
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const papers = new Map();
  const background = (element) => {
    if (!element) return [255, 255, 255];
    const own = () => over(parse(getComputedStyle(element).backgroundColor), background(element.parentElement));
    if (!papers.has(element)) papers.set(element, own());
    return papers.get(element);
  };
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest(":disabled, .unseen, noscript")) continue;
    const paper = background(element);
    const ink = over(parse(getComputedStyle(element).color), paper);
    const [dark, light] = [luminance(ink), luminance(paper)].sort((one, other) => one - other);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) poor.add(`${contrast.toFixed(2)} ${element.outerHTML.slice(0, 80)}`);
  }
  return [...poor];
}"""
"""Texts that stand out less than 4.5 to 1 from what is behind them."""

UNNAMED = """() => [...document.querySelectorAll("button, a, input, select, textarea, iframe, canvas")]
  .filter((element) => element.checkVisibility())
  .filter((element) => !(element.innerText?.trim() || element.ariaLabel || element.title || element.labels?.length))
  .map((element) => element.outerHTML.slice(0, 100))"""
"""Controls that a screen reader could not name."""

PAN = """async () => {
  const canvas = document.querySelector("canvas.chart");
  const { left, top, width, height } = canvas.getBoundingClientRect();
  canvas.setPointerCapture = () => {};
  let [x, y] = [left + width / 2, top + height / 2];
  const fire = (type) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y }));
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  fire("pointerdown");
  let last = await frame();
  for (let k = 0; k < 80; k++) {
    x += 6 * Math.cos(k / 9);
    y += 4 * Math.sin(k / 9);
    fire("pointermove");
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  fire("pointercancel");
  return times.sort((one, other) => one - other)[times.length >> 1];
}"""
"""Drags the map about, a step per frame; the median of the milliseconds between frames."""
