"""Public names have docstrings in numpydoc, which name every parameter, and whose examples print what they say."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import runpy
import textwrap
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordatoms as wa

FURTHER: dict[str, list[str]] = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "make_reference.py"))["FURTHER"]
PUBLIC = {
    **{f"wa.{name}": getattr(wa, name) for name in wa.__all__},
    **{
        f"{module}.{name}": getattr(import_module(f"wordatoms.{module}"), name)
        for module, names in FURTHER.items()
        for name in names
    },
}
WITHOUT_PARAMETERS = (BaseException,)
"""Classes that are never made by hand."""


def methods(found: Any) -> Iterator[tuple[str, Any]]:
    """The public methods of a class that are written in this package."""
    for each in inspect.getmro(found) if inspect.isclass(found) else ():
        if each.__module__.startswith("wordatoms."):
            for name, member in vars(each).items():
                member = getattr(member, "__func__", member)
                if not name.startswith("_") and inspect.isfunction(member) and each is home(found, name):
                    yield name, member


def home(found: type, name: str) -> type:
    """The class from which a name comes."""
    return next(each for each in inspect.getmro(found) if name in vars(each))


METHODS = {f"{name}.{method}": member for name, found in PUBLIC.items() for method, member in methods(found)}


def sections(found: Any) -> dict[str, str]:
    """The text under each underlined heading of a docstring; before the first heading, under an empty name."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(found) or "", flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def documented(text: str) -> set[str]:
    """Names before a colon at the left margin: `a, b : int`."""
    lines = re.findall(r"^\*{0,2}(\w[\w, *]*?)(?: ?:.*)?$", text, flags=re.MULTILINE)
    return {name.strip(" *") for line in lines for name in line.split(",")}


def described_fields(found: Any) -> set[str]:
    """Fields of a class with a docstring under them."""
    if not inspect.isclass(found):
        return set()
    body = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0].body  # type: ignore[attr-defined]
    return {
        ast.unparse(field.target)
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }


def parameters(found: Any) -> set[str]:
    if inspect.isclass(found) and issubclass(found, WITHOUT_PARAMETERS):
        return set()
    return {name for name in inspect.signature(found).parameters if name not in ("self", "cls") and name[0] != "_"}


def returns_something(found: Any) -> bool:
    return inspect.isfunction(found) and inspect.signature(found).return_annotation not in ("None", "Self", None)


def faults(found: Any, *, with_examples: bool) -> list[str]:
    """What a docstring leaves out."""
    parts = sections(found)
    named = documented(parts.get("Parameters", "") + parts.get("Attributes", "")) | described_fields(found)
    left_out = [f"the parameter {name}" for name in sorted(parameters(found) - named)]
    if not parts[""].strip():
        left_out.append("a summary")
    if returns_something(found) and not {"Returns", "Yields"} & {*parts}:
        left_out.append("Returns")
    if with_examples and "Examples" not in parts:
        left_out.append("Examples")
    return left_out


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_says_everything(name: str) -> None:
    assert faults(PUBLIC[name], with_examples=True) == []


@pytest.mark.parametrize("name", METHODS)
def test_the_docstring_of_a_method_says_everything(name: str) -> None:
    assert faults(METHODS[name], with_examples=False) == []


@pytest.mark.parametrize("name", [*PUBLIC, *METHODS])
def test_examples_print_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = {**PUBLIC, **METHODS}[name]
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for example in doctest.DocTestFinder(recurse=False).find(found, name, globs={"wa": wa, "np": np}):
        reports: list[str] = []
        doctest.DocTestRunner(optionflags=flags).run(example, out=reports.append)
        assert not reports, "".join(reports)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_property_has_a_docstring(name: str) -> None:
    found = PUBLIC[name]
    for each in inspect.getmro(found) if inspect.isclass(found) else ():
        if each.__module__.startswith("wordatoms."):
            bare = [key for key, value in vars(each).items() if isinstance(value, property | cached_property)]
            assert not [key for key in bare if key[0] != "_" and not inspect.getdoc(vars(each)[key])]
