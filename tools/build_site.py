"""Build the documentation site: `python tools/build_site.py` writes `site/`, ready for any host of static files.

The pages are those of `docs`, with the changelog and the guide for contributors; the report of the paper's tables and a
static export of the explorer are live pages of the site. Sphinx runs strictly: a warning is an error. At the end every
link between the pages is followed, and no page may load anything from another host.

    python tools/build_site.py [-o FOLDER] [--no-explorer] [--url https://…]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SETTINGS = ROOT / "tools" / "site"
ICON = ROOT / "src" / "wordatoms" / "explorer" / "site" / "icon.svg"
FROM_ROOT = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages that are not in `docs`, and their names on the site."""
SECTIONS = {
    "Tutorials": ["how-to/start", "how-to/explore", "how-to/notebooks", "how-to/train"],
    "How-to guides": ["how-to/*"],
    "Concepts": [
        f"concepts/{name}" for name in ["text", "counts", "embeddings", "contexts", "atoms", "senses", "meaning"]
    ],
    "Reference": ["reference/commands", "reference/python", "model-card", "architecture"],
    "Results": ["reproduce", "results/*"],
    "Project": ["comparison", "live", "changelog", "contributing"],
}
"""The pages of the site in their order; a star stands for all that are not listed by name."""
LIVE = """# Live pages

- [The explorer](explorer/index.html): words, atoms and the map of the English model, as static pages. Sentences need
  the program itself: `wordatoms explore`.
- [The report](report/index.html): every table and figure of the paper, with the paper's numbers beside ours.

![The start page of the explorer](images/explore-start.png)
"""
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
LOADED = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["']([^"']+)["'][^>]*>""")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "site")
    parser.add_argument("--no-explorer", action="store_true", help="leave out the live explorer, which takes a minute")
    parser.add_argument("--url", default="", help="address of the site, for links from search engines")
    arguments = parser.parse_args()
    build_site(arguments.output, with_explorer=not arguments.no_explorer, url=arguments.url)


def build_site(output: Path, *, with_explorer: bool = True, url: str = "") -> None:
    """Build the site into a folder, which is replaced."""
    if output.exists() and any(output.iterdir()) and not (output / "objects.inv").exists():
        raise SystemExit(f"{output} holds something else than a site; pass another folder.")
    with TemporaryDirectory() as work:
        source, made = Path(work, "source"), Path(work, "made")
        files = stage(source)
        command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-c", str(source)]
        subprocess.run([*command, "-D", f"html_baseurl={url}", str(source), str(made)], check=True)
        for path in ("objects.inv.tmp", ".doctrees", ".buildinfo"):
            shutil.rmtree(made / path, ignore_errors=True)
        for file in files:
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(DOCS / file, made / file)
        export_explorer(made / "explorer", live=with_explorer)
        check_pages(made)
        shutil.rmtree(output, ignore_errors=True)
        shutil.move(made, output)
    print(f"{output}: {sum(1 for _ in output.rglob('*.html'))} pages")


# --- pages


def stage(source: Path) -> set[str]:
    """Write the pages for Sphinx; return the other files of `docs` that they link to."""
    pages = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")}
    pages |= {name: ROOT / path for path, name in FROM_ROOT.items()}
    files = {"report/index.html", "report/results.json"}
    for name, path in pages.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        text = rewrite_links(path.read_text("utf-8"), name, path, files)
        (source / name).write_text(text + (contents({*pages, "live.md"}) if name == "index.md" else ""), "utf-8")
    (source / "live.md").write_text(re.sub(LINK, r'<a href="\2">\1</a>', LIVE), "utf-8")
    shutil.copytree(DOCS / "images", source / "images")
    for picture in (DOCS / "results").glob("*.svg"):
        shutil.copy(picture, source / "results")
    (source / "_static").mkdir()
    shutil.copy(SETTINGS / "site.css", source / "_static")
    shutil.copy(ICON, source / "_static" / "icon.svg")
    shutil.copy(SETTINGS / "conf.py", source)
    return files


def rewrite_links(text: str, name: str, path: Path, files: set[str]) -> str:
    """Lead the links of a page to pages of the site, or to the files beside them.

    Names of files that are not part of the site stay as plain text.
    """

    def lead(match: re.Match[str]) -> str:
        label, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        file, _, heading = target.partition("#")
        place = (path.parent / file).resolve()
        if place.suffix == ".md":
            found = FROM_ROOT.get(place.relative_to(ROOT).as_posix()) or page_name(place)
            return f"[{label}]({relative(found, name)}{'#' + heading if heading else ''})"
        if DOCS not in place.parents:
            return label
        found = place.relative_to(DOCS).as_posix()
        files.add(found)
        return f'<a href="{relative(found, name)}{"#" + heading if heading else ""}">{label}</a>'

    pieces = FENCED.split(text)
    return "".join(piece if piece.startswith("```") else LINK.sub(lead, piece) for piece in pieces)


def page_name(place: Path) -> str:
    return "index.md" if place == ROOT / "README.md" else place.relative_to(DOCS).as_posix()


def relative(target: str, page: str) -> str:
    return Path(os.path.relpath(target, Path(page).parent)).as_posix()


def contents(pages: set[str]) -> str:
    """Return the table of contents for the sidebar: every page in one section."""
    left = {name.removesuffix(".md") for name in pages} - {"index"}
    left -= {name for names in SECTIONS.values() for name in names}
    blocks = []
    for section, names in SECTIONS.items():
        listed: list[str] = []
        for name in names:
            folder = name.removesuffix("*")
            listed += sorted(each for each in left if each.startswith(folder)) if name.endswith("*") else [name]
        blocks.append("\n".join([f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n", *listed, "```\n"]))
    return "".join(blocks)


# --- live pages


def export_explorer(folder: Path, *, live: bool) -> None:
    """Export the explorer of the English model; without it, a page in its place says how to start it."""
    if live:
        command = [sys.executable, "-m", "wordatoms", "explore", "--export", str(folder), "--quiet"]
        subprocess.run(command, check=True)
        return
    folder.mkdir()
    page = "<!doctype html><title>Explorer</title><p>This copy of the site has no live explorer: wordatoms explore"
    (folder / "index.html").write_text(page, "utf-8")


# --- checks


def check_pages(site: Path) -> None:
    """Raise if a link between pages leads nowhere, or a page loads something from another host."""
    faults = [fault for page in sorted(site.rglob("*.html")) for fault in page_faults(page, site)]
    if faults:
        raise SystemExit("\n".join(faults[:20]))


def page_faults(page: Path, site: Path) -> Iterator[str]:
    text, name = page.read_text("utf-8"), page.relative_to(site)
    for address in LOADED.findall(text):
        if urlsplit(address).netloc:
            yield f"{name} loads {address}"
    if name.parts[0] in ("explorer", "report"):  # their own tests check them
        return
    for address in re.findall(r'<a\b[^>]*?\bhref="([^"]+)"', text):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path:
            continue
        target = (page.parent / unquote(parts.path)).resolve()
        if not target.exists():
            yield f"{name} links to {address}"
        elif parts.fragment and target.suffix == ".html" and f'id="{parts.fragment}"' not in target.read_text("utf-8"):
            yield f"{name} links to the missing heading {address}"


if __name__ == "__main__":
    main()
