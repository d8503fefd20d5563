"""The architecture page agrees with the code: its table lists the layers, and every name and path on it exists."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "wordatoms"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
NAMES = sorted(set(re.findall(r"`([^`\n]+)`", re.sub(r"^    .*$", "", PAGE, flags=re.MULTILINE))))
NOT_CODE = re.compile(r"--?\w|wordatoms \w|pytest |python |ruff|lint-imports|pyproject|\[tool|.* -> |results/\S+\.json")
"""Beginnings of quoted text that is not a name: commands, options and files of the user."""


def layers() -> list[str]:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    return [name for layer in contract["layers"] for name in layer.split(" | ")]


def rows() -> dict[str, list[str]]:
    """The packages of the table, each with its main names."""
    cells = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): re.findall(r"`([^`]+)`", row[-1]) if len(row) > 2 else [] for row in cells}


@cache
def definitions(place: Path) -> dict[str, set[str]]:
    """The names defined in a module or in all modules of a package, with the members of classes and their bases."""
    trees = [ast.parse(file.read_text("utf-8")) for file in ([place] if place.is_file() else place.rglob("*.py"))]
    found: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for node in (node for tree in trees for node in tree.body):
        for name in names_of(node):
            found.setdefault(name, set())
        if isinstance(node, ast.ClassDef):
            found[node.name] |= members_of(node)
            bases[node.name] = [ast.unparse(base) for base in node.bases]
    for name in bases:
        for base in bases[name]:
            found[name] |= found.get(base, set())
    return found


def names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def members_of(node: ast.ClassDef) -> set[str]:
    own = {name for statement in node.body for name in names_of(statement)}
    return own | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute) and is_set(each)}


def is_set(attribute: ast.Attribute) -> bool:
    return isinstance(attribute.ctx, ast.Store) and ast.unparse(attribute.value) == "self"


def is_path(name: str) -> bool:
    return any((root / each).exists() for root in (PACKAGE, PACKAGE / "paper", ROOT) for each in (name, f"{name}.py"))


def is_defined(name: str, place: Path = PACKAGE) -> bool:
    """Whether a name such as `ksvd`, `SenseModel.senses` or `wordatoms.atoms.ksvd` exists."""
    if name.startswith("wordatoms."):
        path = PACKAGE.joinpath(*name.split(".")[1:])
        return (
            path.is_dir() or path.with_suffix(".py").is_file() or is_defined(path.name, path.parent.with_suffix(".py"))
        )
    first, _, member = name.partition(".")
    known = definitions(place)
    return first in known and (not member or member in known[first])


def test_the_table_lists_the_layers_of_the_import_contract_in_their_order() -> None:
    assert list(rows()) == layers()


@pytest.mark.parametrize("package", rows())
def test_main_names_are_defined_in_their_package(package: str) -> None:
    place = PACKAGE / package if (PACKAGE / package).is_dir() else PACKAGE / f"{package}.py"
    assert [name for name in rows()[package] if not is_defined(name, place)] == []


def test_every_name_and_path_on_the_page_exists() -> None:
    names = [name for name in NAMES if not NOT_CODE.match(name) and name != "wordatoms"]
    assert [name for name in names if not (is_path(name) or is_defined(name))] == []
