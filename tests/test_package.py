"""The shape of the package: what it exports, and that imports go down the chain only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import wordatoms

SOURCE = Path(wordatoms.__file__).parent
CHAIN = [
    ["errors"],
    ["kernels"],
    ["progress", "parallel"],
    ["storage"],
    ["text", "plots"],
    ["engine"],
    ["counts"],
    ["embeddings"],
    ["atoms", "contexts"],
    ["senses"],
    ["tuning"],
    ["pipeline"],
    ["paper"],
    ["explorer"],
    ["cli"],
]
LEVELS = {name: level for level, names in enumerate(CHAIN) for name in names}


def imported(path: Path) -> set[str]:
    """Modules of this package that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("wordatoms.")}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_the_chain(path: Path) -> None:
    module = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if module in ("__init__", "__main__"):
        return
    assert module in LEVELS, "say where the module stands in the chain"
    for other in imported(path):
        assert LEVELS[other] <= LEVELS[module], f"{module} imports {other}"


def test_exports_exist() -> None:
    for name in wordatoms.__all__:
        assert getattr(wordatoms, name) is not None
    assert set(dir(wordatoms)) == set(wordatoms.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = wordatoms.nonsense


def test_package_is_typed() -> None:
    assert (SOURCE / "py.typed").exists()
