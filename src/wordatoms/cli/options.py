"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli.output import remark

if TYPE_CHECKING:
    from wordatoms.run import Run

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Parsed(click.ParamType):  # type: ignore[type-arg]
    """Values that `parse` makes of text; it raises a ValueError for a text that is not as `expected`."""

    def __init__(self, name: str, parse: Callable[[str], Any], expected: str) -> None:
        self.name, self.parse, self.expected = name, parse, expected

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value  # a default
        try:
            return self.parse(value)
        except ValueError:
            self.fail(f"'{value}' is not {self.expected}.", param, ctx)


def _match(pattern: str, text: str) -> re.Match[str]:
    match = re.fullmatch(pattern, text.strip())
    if not match:
        raise ValueError(text)
    return match


PERIODS = ("day", "week", "month", "quarter", "year", "decade")


def _parse_time(text: str) -> tuple[str, str]:
    """A column and the length of a period, `date:month`; a month if none is given."""
    column, colon, period = text.rpartition(":")
    if not colon:
        column, period = text, "month"
    if not column or period not in PERIODS:
        raise ValueError(text)
    return column, period


TIME = Parsed("column:period", _parse_time, f"of the form COLUMN:PERIOD, with {', '.join(PERIODS)}")


def _parse_size(text: str) -> int:
    match = _match(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", text.upper())
    return int(float(match[1]) * UNITS[match[2]])


def _parse_number(text: str) -> int:
    """A whole number above 0; digits of other scripts and superscripts are refused."""
    return int(_match("0*[1-9][0-9]{0,17}", text)[0])


def _parse_number_or_auto(text: str) -> int | str:
    return "auto" if text.strip().lower() == "auto" else _parse_number(text)


def _parse_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(_parse_number, text.split(",")))


def _parse_decimals(text: str) -> tuple[float, ...]:
    numbers = tuple(map(float, text.split(",")))
    if not all(0 <= number < math.inf for number in numbers):
        raise ValueError(text)
    return numbers


def _parse_range(text: str) -> tuple[int, int]:
    match = _match(r"(\d+)-(\d+)", text)
    if not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(text)
    return int(match[1]), int(match[2])


def _parse_assignment(text: str) -> tuple[str, Any]:
    """A name and a value, which is a number where it can be read as one."""
    match = _match("(?s)([^=]+)=(.+)", text)
    return match[1].replace("-", "_"), _parse_value(match[2])


def _parse_value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


SIZE = Parsed("size", _parse_size, "a size; write 500M or 2G")
NUMBER_OR_AUTO = Parsed("number|auto", _parse_number_or_auto, "a number above 0 or auto")
NUMBERS = Parsed("numbers", _parse_numbers, "a list of numbers above 0; write 500,1000")
DECIMALS = Parsed("numbers", _parse_decimals, "a list of numbers from 0 up; write 0.1,0.5")
RANGE = Parsed("low-high", _parse_range, "a range of numbers from 1 up; write 3-7")
ASSIGNMENT = Parsed("name=value", _parse_assignment, "of the form NAME=VALUE")


def _bundled() -> str:
    from wordatoms.storage.bundled import bundled_model

    return str(bundled_model())


model = click.option(
    "--model", metavar="MODEL", default=_bundled, show_default="the bundled English model", help="Model folder."
)
array = click.option(
    "--array",
    metavar="NAME",
    help="Tensor of a .safetensors file, or column of a .parquet file, with the vectors.  [default: the only one]",
)
output = click.option("-o", "--output", metavar="MODEL", required=True, help="Folder of the new model.")
threads = click.option(
    "--threads", type=click.IntRange(1), help="Threads to use; they do not change the result.  [default: all cores]"
)
memory = click.option(
    "--memory",
    type=SIZE,
    default="2G",
    help="Memory for the tables of passes over the text, per worker with --scheduler; the rest goes to disk. "
    "Python and 150 bytes per word of the vocabulary come on top.",
)
engine = click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["local", "dask"]),
    help="Read the text in threads of this process or in the workers of a Dask cluster; both give the same bytes.  "
    "[default: local, or dask with --scheduler]",
)
scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Address of a Dask cluster, such as tcp://host:8786.  [default: a process on this machine]",
)
_ignored = "Ignored; this stage always runs locally."
engine_elsewhere = click.option("--engine", type=click.Choice(["local", "dask"]), expose_value=False, help=_ignored)
scheduler_elsewhere = click.option("--scheduler", metavar="ADDRESS", expose_value=False, help=_ignored)
seed = click.option("--seed", type=click.IntRange(0), default=0, help="Random seed.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet = click.option("--quiet", is_flag=True, help="Print no progress and no remarks.")
force = click.option("--force", is_flag=True, help="Replace existing results.")
contexts = click.option(
    "--contexts",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    required=True,
    help="File with one text per line; - is standard input. A table needs --column.",
)
context_column = click.option(
    "--column",
    metavar="NAME",
    help="The file is a table (.csv, .tsv, .jsonl, .ndjson, .parquet) with a text in this column of each row.",
)
mark = click.option(
    "--mark",
    metavar="MARKS",
    help="The word stands between these marks, such as [] in 'He lit the [match] slowly'; other places do not count.",
)
column = click.option(
    "--column", metavar="NAME", help="The files are tables (.csv, .tsv, .jsonl, .ndjson, .parquet) with the text here."
)
text_column = click.option(
    "--column",
    metavar="NAME",
    help="The --text are tables with the text in this column.  [default: the column that was counted]",
)
row_names = click.option("--id", "names", metavar="NAME", help="Column of the tables with the names of the rows.")
replace_invalid = click.option("--replace-invalid", is_flag=True, help="Replace invalid UTF-8 instead of failing.")


def _check_language(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Check a language code, and tell if there are no inflected forms for it."""
    from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, check_language, has_forms

    code = check_language(value)
    if code != DEFAULT_LANGUAGE and not has_forms(code):
        remark(f"no inflected forms are known for the language '{code}'; each word stands for itself")
    return code


language = click.option(
    "--language",
    metavar="CODE",
    default="en",
    callback=_check_language,
    help="Language of the text, such as en or de, for inflected forms.",
)
encoder = click.option(
    "--encoder",
    metavar="DIR",
    envvar="WORDATOMS_ENCODER",
    help="Folder of a transformer (model.onnx and tokenizer.json) that reads along; none for no encoder.  "
    "[default: $WORDATOMS_ENCODER, or the folder encoder in the model folder]",
)
method = click.option(
    "--method",
    type=click.Choice(["auto", "uses", "code"]),
    default="auto",
    help="Senses by use, or from the code of the word, as in the paper; auto takes uses where the model has them.",
)
number = click.option("-n", "--number", type=click.IntRange(1), default=10, help="Items to show.")


def check_grouping(given: Mapping[str, Any]) -> None:
    """Raise for groups and dates without the column of a table with the text."""
    for name, option in (("by", "--by"), ("time", "--time")):
        if given[name] and not given["column"]:
            raise click.UsageError(f"{option} names a column of a table; say with --column where the text is.")
    if given["time_format"] and not given["time"]:
        raise click.UsageError("--time-format needs --time.")


def check_row_names(given: Mapping[str, Any]) -> None:
    """Raise for names of rows without the column of a table."""
    if given["names"] and not given["column"]:
        raise click.UsageError("--id names a column of a table; say with --column where the text is.")


def local_run(given: Mapping[str, Any]) -> Run:
    """Return what `--threads`, `--memory`, `--quiet` and `--json` ask for, as far as a command has them."""
    from wordatoms.progress import Display
    from wordatoms.run import DEFAULT_MEMORY, Run

    progress = Display(quiet=bool(given.get("quiet") or given.get("as_json")))
    return Run(given.get("threads"), given.get("memory", DEFAULT_MEMORY), progress=progress)
