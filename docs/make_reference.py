"""Write docs/reference/python.md from the code: the public names with their docstrings, and the files of a model.

python docs/make_reference.py

What a class inherits from other packages is left out, and so is whatever begins with an underscore.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wordatoms as wa
from wordatoms.contexts import reader as reading
from wordatoms.run import Run
from wordatoms.senses import annotations as notes
from wordatoms.storage import folder

PAGE = Path(__file__).parent / "reference" / "python.md"
SMALL_TEXT = Path(__file__).parents[1] / "tests" / "data" / "small.txt"
WIDTH = 90
FURTHER = {
    "atoms.ksvd": ["ksvd", "KSVDResult"],
    "senses.results": ["Candidate", "AtomView", "Disambiguation", "Meaning", "UsageClusters"],
    "senses.sentences": ["representative_sentences"],
    "senses.topics": ["document_topics"],
}
"""Names that the how-to pages use, by module."""


class Source:
    """Text that `inspect` shows as it is written in the code."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def show_annotation(annotation: Any) -> Any:
    text = getattr(annotation, "__forward_arg__", annotation)
    return Source(text) if isinstance(text, str) else annotation


def show_parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    """With its annotation as it is written, and no address in place of a default."""
    shown = parameter.replace(annotation=show_annotation(parameter.annotation))
    is_long = " at 0x" in repr(parameter.default) or "<factory>" in repr(parameter.default)
    return shown.replace(default=Source("…")) if is_long else shown


def signature(found: Any, *, width: int | None = None) -> str:
    """Of a function or a class, without `self`; one parameter per line if it is wider; empty for what has none."""
    try:
        whole = inspect.signature(found)
    except ValueError:
        return ""
    parameters = [show_parameter(one) for name, one in whole.parameters.items() if name not in ("self", "cls")]
    returned = inspect.Signature.empty if inspect.isclass(found) else show_annotation(whole.return_annotation)
    shown = whole.replace(parameters=parameters, return_annotation=returned)
    return broken(shown) if width and len(str(shown)) > width else str(shown)


def broken(shown: inspect.Signature) -> str:
    """A signature over several lines."""
    lines, is_positional = [], True
    for parameter in shown.parameters.values():
        if is_positional and parameter.kind is parameter.KEYWORD_ONLY:
            lines.append("*")
            is_positional = False
        lines.append(str(parameter))
    returned = str(shown.replace(parameters=[])).removeprefix("()")
    return "(\n" + "".join(f"    {line},\n" for line in lines) + f"){returned}"


def home_classes(found: type) -> list[type]:
    """The class and those it builds on, as far as they are of this package."""
    return [each for each in found.__mro__ if each.__module__.startswith("wordatoms")]


def fields(found: type) -> Iterator[str]:
    """A line for each field of a dataclass or named tuple, with the docstring that stands under it."""
    if not (dataclasses.is_dataclass(found) or hasattr(found, "_fields")):
        return
    body = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0].body  # type: ignore[attr-defined]
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.target).startswith("_"):
            is_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            remark = f": {first_lines(str(following.value.value))}" if is_docstring else ""  # type: ignore[union-attr]
            yield f"- `{ast.unparse(statement.target)}: {ast.unparse(statement.annotation)}`{remark}"


def members(found: type) -> Iterator[str]:
    """A line for each public method and property."""
    seen: set[str] = set()
    for each in home_classes(found):
        for name, member in vars(each).items():
            if name not in seen and not name.startswith("_") and (line := describe(name, getattr(each, name), member)):
                seen.add(name)
                yield line


def describe(name: str, found: Any, member: Any) -> str:
    """Its signature and the first lines of its docstring; empty for what is neither a method nor a property."""
    remark = first_lines(inspect.getdoc(member) or "")
    if isinstance(member, property | cached_property):
        return f"- `.{name}`" + (f": {remark}" if remark else "")
    if not inspect.isroutine(found):
        return ""
    return f"- `.{name}{signature(found)}`" + (f": {remark}" if remark else "")


def first_lines(docstring: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(inspect.cleandoc(docstring).split("\n\n")[0].split())


def entry(name: str, found: Any) -> str:
    parts = [f"### {name}", f"```\n{name}{signature(found, width=WIDTH)}\n```", docstring(found)]
    if inspect.isclass(found):
        parts.append("\n".join([*fields(found), *members(found)]))
    return "\n\n".join(part for part in parts if part) + "\n"


def docstring(found: Any) -> str:
    """As text; a list of parameters keeps its lines."""
    text = inspect.getdoc(found) or ""
    head, mark, parameters = text.partition("\nParameters\n----------\n")
    return f"{head.strip()}\n\n```\n{parameters.strip()}\n```" if mark else text


def stage_files() -> dict[str, list[str]]:
    """The files of each stage, as the manifest of a small model has them."""
    with TemporaryDirectory() as work:
        wa.train([SMALL_TEXT], work, settings=wa.CountSettings(min_count=2), parameters={"dim": 10}, run=Run(threads=1))
        stages = json.loads((Path(work) / "manifest.json").read_text("utf-8"))["stages"]
    found = {stage: sorted(record["files"]) for stage, record in stages.items()}
    return {**found, "tune": [reading.TUNING]}


def later_stages(stage: str) -> list[str]:
    return [later for later in folder.STAGES[stage] if later != "import"]


def folder_section() -> str:
    """What lies in the folder of a model, stage by stage."""
    rows = [
        f"| `{stage}` | {', '.join(f'`{file}`' for file in files)} | {', '.join(later_stages(stage)) or '–'} |"
        for stage, files in stage_files().items()
    ]
    head = inspect.cleandoc(folder.__doc__ or "").split("\n\n", 1)
    return "\n".join(
        [
            "## The model's folder",
            head[1],
            "",
            "| stage | files (vectors by `sn`; other methods keep another state) | stages to make again after it |",
            "|---|---|---|",
            *rows,
            "",
            f"`import` takes the place of `count` and `embed`. What a person adds (names, picks) is in `{notes.FILE}`.",
            "",
        ]
    )


def make_page() -> str:
    further = {f"wordatoms.{module}.{name}": (module, name) for module, names in FURTHER.items() for name in names}
    parts = [
        "# Python\n\nMade from the code. `import wordatoms as wa`; the names in the order of the chain.\n",
        "## Names of the package\n",
        *(entry(f"wa.{name}", getattr(wa, name)) for name in wa.__all__),
        "## Further names\n",
        *(entry(path, getattr(import_module(f"wordatoms.{module}"), name)) for path, (module, name) in further.items()),
        folder_section(),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(make_page(), "utf-8")
