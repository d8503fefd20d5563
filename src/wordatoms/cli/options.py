"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from wordatoms.run import Run

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class MemorySize(click.ParamType):  # type: ignore[type-arg]
    """Bytes, written as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip().upper())
        if not match:
            self.fail(f"'{value}' is not a size; write 500M or 2G.", param, ctx)
        return int(float(match[1]) * UNITS[match[2]])


class Assignment(click.ParamType):  # type: ignore[type-arg]
    """NAME=VALUE; a value that looks like a number becomes one."""

    name = "name=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        if not (name and equals and text):
            self.fail(f"'{value}' is not of the form NAME=VALUE.", param, ctx)
        return name.replace("-", "_"), _read_value(text)


class NumberOrAuto(click.ParamType):  # type: ignore[type-arg]
    """A number above 0, or auto."""

    name = "number|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        text = str(value).strip().lower()
        if text == "auto":
            return text
        if not _is_number(text):
            self.fail(f"'{value}' is neither a number above 0 nor auto.", param, ctx)
        return int(text)


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """Whole numbers above 0, written as 500,1000."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        if not all(map(_is_number, parts)):
            self.fail(f"'{value}' is not a list of numbers above 0; write 500,1000.", param, ctx)
        return tuple(map(int, parts))


class Decimals(click.ParamType):  # type: ignore[type-arg]
    """Non-negative numbers, written as 0.1,0.5."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(float(part) for part in str(value).split(","))
        except ValueError:
            numbers = ()
        if not numbers or not all(0 <= number < math.inf for number in numbers):
            self.fail(f"'{value}' is not a list of non-negative numbers; write 0.1,0.5.", param, ctx)
        return numbers


class NumberRange(click.ParamType):  # type: ignore[type-arg]
    """Two whole numbers, written as 3-7."""

    name = "low-high"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d+)-(\d+)", str(value).strip())
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            self.fail(f"'{value}' is not a range of numbers from 1 up; write 3-7.", param, ctx)
        return int(match[1]), int(match[2])


def _is_number(text: str) -> bool:
    """Whether a text is a whole number above 0, in ASCII digits."""
    return bool(re.fullmatch("[0-9]{1,18}", text.strip())) and int(text) > 0


def _read_value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _shipped() -> str:
    from wordatoms.storage.bundled import bundled_model

    return str(bundled_model())


model = click.option(
    "--model", metavar="MODEL", default=_shipped, show_default="the bundled English model", help="Model folder."
)
output = click.option("-o", "--output", metavar="MODEL", required=True, help="Folder for the new model.")
threads = click.option(
    "--threads",
    type=click.IntRange(1),
    help="Number of threads; does not change the result.  [default: all cores]",
)
memory = click.option(
    "--memory",
    type=MemorySize(),
    default="2G",
    show_default=True,
    help="Memory limit for passes over the text (per worker with --scheduler); larger data is moved to disk.",
)
engine = click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["local", "dask"]),
    help="Read the text with threads of this process or on a Dask cluster; the result is the same.  "
    "[default: local, or dask with --scheduler]",
)
scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Address of a Dask scheduler, such as tcp://host:8786.  [default: start a local cluster]",
)
engine_elsewhere = click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    expose_value=False,
    help="Ignored; this stage always runs locally.",
)
scheduler_elsewhere = click.option(
    "--scheduler", metavar="ADDRESS", expose_value=False, help="Ignored; this stage always runs locally."
)
seed = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet = click.option("--quiet", is_flag=True, help="Show no progress or messages.")
force = click.option("--force", is_flag=True, help="Recompute or overwrite existing results.")
contexts = click.option(
    "--contexts",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    required=True,
    help="File with one text per line; - for standard input.",
)
replace_invalid = click.option("--replace-invalid", is_flag=True, help="Replace invalid UTF-8 instead of failing.")
number = click.option(
    "-n", "--number", type=click.IntRange(1), default=10, show_default=True, help="Number of items to show."
)


def local_run(given: Mapping[str, Any]) -> Run:
    """The run described by `--threads`, `--memory`, `--quiet` and `--json`, if the command has them; local."""
    from wordatoms.progress import Display
    from wordatoms.run import DEFAULT_MEMORY, Run

    progress = Display(quiet=bool(given.get("quiet") or given.get("as_json")))
    return Run(given.get("threads"), given.get("memory") or DEFAULT_MEMORY, progress=progress)
