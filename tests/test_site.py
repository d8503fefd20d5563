"""The tool that builds the documentation site: its links, its contents and its checks; `.ci/run` builds the whole."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from docpages import PAGES
from docworld import ROOT


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "tools" / "build_site.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](b.md#c)", "[a](b.md#c)"),
        ("[a](../index.md)", "[a](../index.md)"),
        ("[a](../../README.md)", "[a](../index.md)"),
        ("[a](../../CONTRIBUTING.md)", "[a](../contributing.md)"),
        ("[a](https://b.org)", "[a](https://b.org)"),
        ("[a](#c)", "[a](#c)"),
        ("[`a`\nb](../results/walk.json)", '<a href="../results/walk.json">`a`\nb</a>'),
        ("[a](../report/index.html#b)", '<a href="../report/index.html#b">a</a>'),
        ("[a](../../src/wordatoms/errors.py)", "a"),
        ("![a](../images/b.png)", "![a](../images/b.png)"),
        ("```\n[a](../../README.md)\n```", "```\n[a](../../README.md)\n```"),
    ],
)
def test_links_lead_to_pages_of_the_site(tool: ModuleType, link: str, expected: str) -> None:
    files: set[str] = set()
    assert tool.rewrite_links(link, "how-to/x.md", ROOT / "docs" / "how-to" / "x.md", files) == expected
    assert files == {each for each in ("results/walk.json", "report/index.html") if each in expected}


def test_every_page_is_in_the_sidebar_once(tool: ModuleType) -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in PAGES if path.parent != ROOT}
    listed = re.findall(r"^(?![:`])(\S+)$", tool.contents({*pages, "live.md", *tool.FROM_ROOT.values()}), re.MULTILINE)
    assert sorted(listed) == sorted({*listed})
    assert {f"{each}.md" for each in listed} == {*pages, "live.md", *tool.FROM_ROOT.values()} - {"index.md"}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('<a href="other.html#here">', None),
        ('<a href="https://b.org/x">', None),
        ('<a href="missing.html">', "links to missing.html"),
        ('<a href="other.html#there">', "missing heading"),
        ('<script src="https://cdn.org/x.js"></script>', "loads https://cdn.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.org/x.css">', "loads //fonts.org/x.css"),
        ('<img src="picture.png">', None),
    ],
)
def test_pages_are_checked(tool: ModuleType, tmp_path: Path, content: str, fault: str | None) -> None:
    (tmp_path / "page.html").write_text(content)
    (tmp_path / "other.html").write_text('<h1 id="here">')
    if fault is None:
        tool.check_pages(tmp_path)
    else:
        with pytest.raises(SystemExit, match=re.escape(fault)):
            tool.check_pages(tmp_path)


def test_a_folder_of_something_else_is_not_replaced(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SystemExit, match="something else"):
        tool.build_site(tmp_path)
    assert (tmp_path / "thesis.txt").exists()
