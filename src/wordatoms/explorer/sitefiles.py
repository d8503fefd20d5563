"""The files of the page: read once from the package, so that no address leads to any other file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wordatoms.explorer.packing import Packed, pack

SITE = Path(__file__).with_name("site")
START = "index.html"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
"""Files of other kinds are not part of the page."""


def read_site(folder: Path = SITE) -> Mapping[str, Packed]:
    """The files of the page by their addresses."""
    return {name: pack((folder / name).read_bytes(), KINDS[Path(name).suffix]) for name in site_names(folder)}


def site_names(folder: Path = SITE) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix in KINDS)
    return sorted(path.relative_to(folder).as_posix() for path in paths)
