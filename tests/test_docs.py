"""Every command and example in the docs runs, every link resolves, and generated pages are up to date."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType, SimpleNamespace

import pytest

from docpages import (
    FEWER_ATOMS,
    LEFT_OUT,
    ONLY_PARSED,
    PAGES,
    SHIPPED,
    SMALLER,
    Reader,
    command_lines,
    find_command,
    inline_commands,
    is_whole,
    python_blocks,
)
from docworld import MODELS, ROOT, build_world
from sharing import made_once
from wordatoms import spacy as registers_the_component  # noqa: F401  (a source tree has no entry points)
from wordatoms.cli.root import SECTIONS
from wordatoms.tuning.choice import GRID

INDEX = ROOT / "docs" / "index.md"
GENERATED = {"make_commands": "commands.md", "make_reference": "python.md"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# Commands and examples


@pytest.fixture(scope="session")
def first_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "docs-world", build_world)


@pytest.fixture
def world(page: Path, first_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the world for one page, whose commands may change it."""
    copy_for_page(first_world, tmp_path, page.read_text("utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORDATOMS_DATA", str(first_world / "DATA"))
    monkeypatch.setenv("WNSEARCHDIR", str(first_world / "wordnet"))
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "home"))
    for name in GRID:
        monkeypatch.setitem(GRID, name, GRID[name][:1])
    monkeypatch.setitem(sys.modules, "sudachipy", segmenter())
    monkeypatch.setattr("difflib.get_close_matches", lambda *_, **__: [])  # slow with many unknown words
    return tmp_path


def segmenter() -> ModuleType:
    """Stand in for a segmenter of Japanese, which is no dependency: it cuts at white space."""
    module = ModuleType("sudachipy")
    word = namedtuple("word", "dictionary_form part_of_speech")
    noun = ("名詞",)
    tokenizer = SimpleNamespace(
        tokenize=lambda text: [word(lambda form=form: form, lambda: noun) for form in text.split()]
    )
    module.Dictionary = lambda: SimpleNamespace(tokenizer=lambda _mode: tokenizer)  # type: ignore[attr-defined]
    module.SplitMode = SimpleNamespace(B="B")  # type: ignore[attr-defined]
    return module


def copy_for_page(world: Path, copy: Path, text: str) -> None:
    """Copy the models that a page names, and link what is only read."""
    for folder in ("results", "reference"):
        (copy / "docs" / folder).mkdir(parents=True)
    for script in (ROOT / "docs").glob("*.py"):
        shutil.copy2(script, copy / "docs")
    for path in world.iterdir():
        if path.name not in {Path(model).parts[0] for model in MODELS}:
            (copy / path.name).symlink_to(path)
    for name in MODELS:
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            shutil.copytree(world / name, copy / name, copy_function=copy_or_link)


def copy_or_link(source: str, target: str) -> None:
    """Link arrays, which are replaced but never modified, and copy other files."""
    (os.link if source.endswith(".npy") else shutil.copy2)(source, target)


WITH_COMMANDS = [page for page in PAGES if [*command_lines(page)] or inline_commands(page) or python_blocks(page)]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name_of)
@pytest.mark.usefixtures("world")
def test_every_command_and_example_runs(page: Path) -> None:
    reader = Reader(has_english_model=SHIPPED.exists())
    inside = ["wordatoms " + " ".join(words) for words in inline_commands(page) if is_whole(words)]
    for line in [*command_lines(page), *inside]:
        reader.type(in_the_small_model(line))
    names: dict[str, object] = {}
    for example in python_blocks(page):
        if reader.has_english_model or "wa.load()" not in example:
            exec(example, names)
        else:
            reader.waiting.append("wa.load()")
    if reader.waiting:
        pytest.skip(f"the English model is missing: {len(reader.waiting)} commands were not run, all others passed")


def in_the_small_model(line: str) -> str:
    for large, small in FEWER_ATOMS.items():
        line = line.replace(large, small)
    return line


def test_every_exception_is_used() -> None:
    lines = [line for page in PAGES for line in command_lines(page)]
    for start in [*LEFT_OUT, *FEWER_ATOMS, *ONLY_PARSED, *SMALLER]:
        assert any(start in line for line in lines), f"no page has a command with {start}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_in_sentences_have_these_options(page: Path) -> None:
    for words in inline_commands(page):
        _, command, rest = find_command([word for word in words if word not in ("…", "...")])
        known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        for word in rest:
            assert not re.match("--?[a-z]", word) or word in known | {"--help", "--version"}, f"{words}: {word}"


# Pages


@pytest.mark.parametrize(("script", "page"), GENERATED.items())
def test_the_reference_is_up_to_date(script: str, page: str) -> None:
    # In a process of its own: click remembers the help option of a command as the first test asked for it.
    path = str(ROOT / "docs" / f"{script}.py")
    code = f"import runpy, sys; sys.stdout.write(runpy.run_path({path!r})['make_page']())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.decode()
    assert (ROOT / "docs" / "reference" / page).read_text("utf-8") == made, f"run: python docs/{script}.py"


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The links of a page within this repository: a file, and a heading in it if one is named."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not re.match(r"[a-z]+:", target):
            file, _, heading = target.partition("#")
            yield (page.parent / file).resolve() if file else page, heading


def headings(page: Path) -> set[str]:
    """The anchors of a page: its headings in lower case with hyphens, or the ids of an HTML page."""
    if page.suffix == ".html":
        return set(re.findall(r'id="([^"]+)"', page.read_text("utf-8")))
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_links_resolve(page: Path) -> None:
    for file, heading in links(page):
        assert file.exists(), f"{name_of(page)} links to {file}"
        assert not heading or heading in headings(file), f"{name_of(page)} links to #{heading} of {file.name}"


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = {INDEX}, [INDEX]
    while waiting:
        found = {file for file, _ in links(waiting.pop()) if file.suffix == ".md"} - reached
        reached |= found
        waiting += found
    assert {name_of(page) for page in PAGES} - {name_of(page) for page in reached} <= {"README.md"}


def test_every_command_has_its_functions_in_the_reference() -> None:
    commands: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "make_reference.py"))["COMMANDS"]
    assert set(commands) == {name for names in SECTIONS.values() for name in names.split()}
    for name in (name for names in commands.values() for name in names.split()):
        assert resolve_name(re.sub(r"^wa\b", "wordatoms", name)) is not None
