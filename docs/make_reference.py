"""Write docs/reference/python.md from the code: the public names with their docstrings, and the files of a model.

    python docs/make_reference.py

Names that begin with an underscore are left out, and so are members inherited from other packages.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wordatoms as wa
from wordatoms.atoms import names
from wordatoms.contexts import reader as reading
from wordatoms.run import Run
from wordatoms.senses import annotations as notes
from wordatoms.storage import folder

PAGE = Path(__file__).parent / "reference" / "python.md"
SMALL_TEXT = Path(__file__).parents[1] / "tests" / "data" / "small.txt"
WIDTH = 90
FURTHER = {
    "atoms.ksvd": ["ksvd", "KSVDResult"],
    "atoms.minibatch": ["minibatch_ksvd"],
    "senses.results": ["Candidate", "AtomView", "Disambiguation", "Meaning", "UsageClusters"],
    "senses.inducing": ["InducedSense"],
    "senses.differences": ["ModelComparison", "WordDifference"],
    "senses.reading": ["TextWord"],
    "senses.frames": ["Results"],
    "senses.html": ["Html"],
    "senses.naming": ["carry_names", "save_names"],
    "documents.groups": ["GroupComparison"],
    "documents.study": ["DocumentStudy"],
    "pipeline.count": ["count"],
    "pipeline.embed": ["embed"],
    "pipeline.map": ["map_contexts"],
    "pipeline.atomize": ["atomize"],
    "pipeline.observe": ["observe"],
    "pipeline.phrases": ["learn_phrases"],
    "pipeline.tune": ["tune", "adopt_tuning"],
    "pipeline.import_vectors": ["import_vectors"],
    "pipeline.compact": ["compact"],
    "paper.tasks.lineup.data": ["load_testbed", "draw_lineups"],
    "paper.tasks.lineup.building": ["build_testbed"],
    "paper.exhibits.inputs": ["open_inputs"],
    "paper.report.runner": ["run_exhibits"],
    "explorer.app": ["make_app"],
}
"""Names that the how-to pages use, by module."""
COMMANDS = {
    "explore": "wordatoms.explorer.app.make_app",
    "senses": "wa.SenseModel.senses wa.SenseModel.senses_of_forms wa.SenseModel.candidates wa.SenseModel.pick",
    "atoms": "wa.SenseModel.atom wa.SenseModel.search wa.SenseModel.meta_atoms wa.SenseModel.name wa.SenseModel.hide "
    "wordatoms.senses.naming.carry_names",
    "disambiguate": "wa.SenseModel.disambiguate wa.SenseModel.disambiguate_each",
    "read": "wa.SenseModel.read",
    "nearest": "wa.SenseModel.near_words",
    "similarity": "wa.SenseModel.similarity",
    "induce": "wa.SenseModel.induce",
    "compare": "wa.compare_senses wa.compare_models",
    "info": "wa.SenseModel.folder",
    "code": "wa.SenseModel.code",
    "cluster": "wa.SenseModel.cluster",
    "sentences": "wa.representative_sentences",
    "topics": "wa.document_topics wa.study_documents wa.compare_groups wa.compare_uses wa.AtomTopics",
    "train": "wa.train",
    "count": "wordatoms.pipeline.count.count",
    "embed": "wordatoms.pipeline.embed.embed",
    "map": "wordatoms.pipeline.map.map_contexts",
    "atomize": "wordatoms.pipeline.atomize.atomize",
    "observe": "wordatoms.pipeline.observe.observe",
    "phrases": "wordatoms.pipeline.phrases.learn_phrases wa.PhraseSettings",
    "tune": "wordatoms.pipeline.tune.tune wordatoms.pipeline.tune.adopt_tuning",
    "import": "wordatoms.pipeline.import_vectors.import_vectors",
    "export": "wa.write_vectors wordatoms.pipeline.compact.compact",
    "evaluate": "wordatoms.paper.tasks.registry.TASKS wordatoms.paper.exhibits.inputs.open_inputs",
    "lineup": (
        "wordatoms.paper.tasks.lineup.data.load_testbed wordatoms.paper.tasks.lineup.data.draw_lineups "
        "wordatoms.paper.tasks.lineup.building.build_testbed"
    ),
    "reproduce": "wordatoms.paper.report.runner.run_exhibits wordatoms.paper.exhibits.inputs.open_inputs",
}
"""What does in Python what each command does."""
PROPERTIES = (property, cached_property)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
"""The title of a section of a numpydoc docstring."""
LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


class Source:
    """Text that `inspect` prints unchanged in a signature."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def show_annotation(annotation: Any) -> Any:
    text = getattr(annotation, "__forward_arg__", annotation)
    return Source(text) if isinstance(text, str) else annotation


def show_parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter with its annotation as written in the code, and an ellipsis for a default without a readable repr."""
    shown = parameter.replace(annotation=show_annotation(parameter.annotation))
    is_long = " at 0x" in repr(parameter.default) or "<factory>" in repr(parameter.default)
    return shown.replace(default=Source("…")) if is_long else shown


def signature(found: Any, *, width: int | None = None) -> str:
    """The signature of a function or class without `self`, one parameter per line if it exceeds `width`; or ""."""
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
    """The class and its base classes within this package."""
    return [each for each in found.__mro__ if each.__module__.startswith("wordatoms")]


def fields(found: type) -> Iterator[str]:
    """A line for each field of a dataclass or named tuple that the docstring does not list, with its own docstring."""
    if not (dataclasses.is_dataclass(found) or hasattr(found, "_fields")):
        return
    listed = re.findall(r"^([\w, ]+?) : ", inspect.getdoc(found) or "", re.MULTILINE)
    hidden = {name.strip() for names in listed for name in names.split(",")}
    body = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0].body  # type: ignore[attr-defined]
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign):
            continue
        name = ast.unparse(statement.target)
        if not name.startswith("_") and name not in hidden:
            is_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            remark = f": {summary(str(following.value.value))}" if is_docstring else ""  # type: ignore[union-attr]
            yield f"- `{name}: {ast.unparse(statement.annotation)}`{remark}"


def members(found: type) -> dict[str, Any]:
    """The public methods and properties of a class."""
    names = {name: vars(each)[name] for each in reversed(home_classes(found)) for name in vars(each)}
    is_member = {
        name: isinstance(member, PROPERTIES) or inspect.isroutine(getattr(found, name, None))
        for name, member in names.items()
    }
    return {name: member for name, member in names.items() if is_member[name] and not name.startswith("_")}


def describe(found: type, name: str, member: Any) -> str:
    """A line with the signature and summary of a method or property."""
    shown = "" if isinstance(member, PROPERTIES) else signature(getattr(found, name))
    remark = summary(inspect.getdoc(member) or "")
    return f"- `.{name}{shown}`" + (f": {remark}" if remark else "")


def summary(docstring: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(inspect.cleandoc(docstring).split("\n\n")[0].split())


def entry(name: str, found: Any, *, level: int = 3) -> str:
    """A section on a public name; methods with documented parameters get subsections."""
    parts = [f"{'#' * level} {name}", f"```\n{name}{signature(found, width=WIDTH)}\n```", show_docstring(found)]
    if inspect.isclass(found):
        long = {each: member for each, member in members(found).items() if SECTION.search(inspect.getdoc(member) or "")}
        short = [describe(found, each, member) for each, member in members(found).items() if each not in long]
        parts.append("\n".join([*fields(found), *short]))
        parts += [show_member(f"{name}.{each}", getattr(found, each), member) for each, member in long.items()]
    return "\n\n".join(part.rstrip() for part in parts if part) + "\n"


def show_member(name: str, found: Any, member: Any) -> str:
    if isinstance(member, PROPERTIES):
        return f"#### {name}\n\n{show_docstring(member)}"
    return entry(name, found, level=4)


def show_docstring(found: Any) -> str:
    """A numpydoc docstring as Markdown: lists of parameters and results, examples as code."""
    head, *sections = SECTION.split(inspect.getdoc(found) or "")
    parts = [head.strip()]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        shown = f"```\n{body.strip()}\n```" if title == "Examples" else show_items(body) if title in LISTS else body
        parts.append(f"**{title}**\n\n{shown.strip()}")
    return "\n\n".join(parts)


def show_items(body: str) -> str:
    """The entries of a numpydoc list, each `name : type` with its description below."""
    found = re.findall(r"^(\S.*)((?:\n(?:[ \t].*|$))*)", body.strip(), re.MULTILINE)
    return "\n".join(f"- `{name}`" + (f": {' '.join(rest.split())}" if rest.strip() else "") for name, rest in found)


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
    """The files of a model folder, stage by stage."""
    rows = [
        f"| `{stage}` | {', '.join(f'`{file}`' for file in files)} | {', '.join(later_stages(stage)) or '–'} |"
        for stage, files in stage_files().items()
    ]
    head = inspect.cleandoc(folder.__doc__ or "").split("\n\n", 1)
    return "\n".join(
        [
            "## Model folder",
            head[1],
            "",
            "| stage | files (with the default method; others store different state) | stages it invalidates |",
            "|---|---|---|",
            *rows,
            "",
            f"`import` replaces `count` and `embed`. Annotations by the user (names, picks) are in `{notes.FILE}`; "
            f"names and example sentences that come with a model in `{names.FILE}`.",
            "",
        ]
    )


def command_section() -> str:
    """A table of the commands and the functions that do the same."""
    rows = [
        f"| `{name}` | {', '.join(f'`{one}`' for one in functions.split())} |" for name, functions in COMMANDS.items()
    ]
    return "\n".join(["## Commands in Python\n", "| command | in Python |", "|---|---|", *rows, ""])


def make_page() -> str:
    further = {f"wordatoms.{module}.{name}": (module, name) for module, names in FURTHER.items() for name in names}
    parts = [
        "# Python API\n\nGenerated from the code. `import wordatoms as wa`; names are in the order of the chain.\n",
        command_section(),
        "## Public names\n",
        *(entry(f"wa.{name}", getattr(wa, name)) for name in wa.__all__),
        "## Other modules\n",
        *(entry(path, getattr(import_module(f"wordatoms.{module}"), name)) for path, (module, name) in further.items()),
        folder_section(),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(make_page(), "utf-8")
