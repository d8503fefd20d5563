"""`evaluate`: measure a model on a task. Every task of `wordatoms.paper.tasks` becomes a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import remark, show_json, show_table
from wordatoms.paper.tasks.registry import TASKS

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.base import Option, Task, TaskResult
    from wordatoms.run import Run
    from wordatoms.senses.model import SenseModel

Decorator = Callable[[Any], Any]
SHARED: dict[str, tuple[Decorator, ...]] = {
    "model": (options.model,),
    "encoder": (options.encoder,),
    "others": (
        click.option(
            "--with", "others", multiple=True, metavar="MODEL", help="Another model to compare with; may be repeated."
        ),
    ),
    "data": (
        click.option(
            "--data",
            envvar="WORDATOMS_DATA",
            type=click.Path(),
            required=True,
            help="Folder with the data sets.  [default: $WORDATOMS_DATA]",
        ),
    ),
    "text": (
        click.option(
            "--text", multiple=True, help="Text to read; may be repeated.  [default: the text that was counted]"
        ),
    ),
    "competitors": (
        click.option(
            "--competitors", is_flag=True, help="Add the paper's competitors, which read the text of the model once."
        ),
        click.option(
            "--text",
            multiple=True,
            help="Text that the competitors read; may be repeated.  [default: the text that was counted]",
        ),
        click.option("--nnse", metavar="MODEL", help="A model of NNSE vectors, as a further competitor."),
    ),
    "wordnet": (
        click.option("--wordnet", type=click.Path(), help="Folder of WordNet.  [default: its usual location]"),
    ),
    "seed": (options.seed,),
    "memory": (options.memory,),
    "threads": (options.threads,),
    "quiet": (options.quiet,),
}
"""The options for each field of `Inputs` that a task may take."""
LAST = ("seed", "memory", "threads", "quiet")
"""Those that the help lists after the task's own."""
PLOT = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw the figure into an .svg file; a figure of two panels becomes NAME-a.svg and NAME-b.svg.",
)


@click.group()
def evaluate() -> None:
    """Measure a model on a task."""


def _make_option(task: Task, option: Option) -> Decorator:
    """An option of a task for click."""
    default = task.default(option)
    names = [option.name, *(option.flags or [f"--{option.name.replace('_', '-')}"])]
    if option.kind is bool:
        return click.option(*names, is_flag=True, help=option.help)
    return click.option(
        *names,
        type=_type(option),
        default=default,
        show_default=default is not None,
        multiple=option.multiple,
        metavar=option.metavar,
        help=option.help,
    )


def _type(option: Option) -> Any:
    if option.choices:
        return click.Choice(option.choices)
    if option.kind is Path:
        return click.Path(dir_okay=False)
    if option.above is not None:
        return click.FloatRange(option.above, min_open=True)
    if option.kind is int:
        return click.IntRange(option.least, option.most)  # type: ignore[arg-type]
    return option.kind


def _make_command(task: Task) -> click.Command:
    def command(as_json: bool, plot: str | None = None, **given: Any) -> None:
        _evaluate(task, given, as_json=as_json, plot=Path(plot) if plot else None)

    before = [decorator for name in task.takes if name not in LAST for decorator in SHARED[name]]
    own = [_make_option(task, option) for option in task.options]
    after = [decorator for name in LAST if name in task.takes for decorator in SHARED[name]]
    for decorator in reversed([*before, *own, *([PLOT] if task.plot else []), options.as_json, *after]):
        command = decorator(command)
    return click.command(task.name, help=task.help)(command)


for _task in TASKS.values():
    evaluate.add_command(_make_command(_task))


def _evaluate(task: Task, given: dict[str, Any], *, as_json: bool, plot: Path | None) -> None:
    if plot:
        from wordatoms.drawing.charts import check_plot, write_charts

        check_plot(plot)
    inputs = _open_inputs(task, given, as_json=as_json)
    result = task.run(inputs, **{option.name: given[option.name] for option in task.options})
    show_result(result, as_json=as_json)
    if plot and task.plot:
        write_charts(plot, task.plot(result, inputs))


def _open_inputs(task: Task, given: dict[str, Any], *, as_json: bool) -> Inputs:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.senses.model import SenseModel

    if "competitors" in task.takes and given["text"] and not given["competitors"]:
        raise click.UsageError("--text is the text that competitors learn from; pass --competitors as well.")
    run = options.local_run({**given, "as_json": as_json})
    names = (given["model"], *given.get("others", ())) if task.stages else ()
    if len({Path(name).resolve() for name in names}) < len(names):
        raise click.UsageError("a model is given twice.")
    models: list[Any] = [_open_model(given, task.stages, run), *map(SenseModel, names[1:])] if names else [None]
    return Inputs(
        models[0],
        tuple(models[1:]),
        data=Path(given["data"]) if "data" in given else None,
        wordnet=Path(given["wordnet"]) if given.get("wordnet") else None,
        nnse=SenseModel(given["nnse"]) if given.get("nnse") else None,
        names=names,
        text=given.get("text", ()),
        competitors=given.get("competitors", False),
        seed=given.get("seed", 0),
        run=run,
    )


def _open_model(given: dict[str, Any], stages: tuple[str, ...], run: Run) -> SenseModel:
    """A model that has these stages, or an error that says how to make them."""
    from wordatoms.senses.model import SenseModel

    path = given["model"]
    model = load_model(path, given.get("encoder"), run) if "atomize" in stages else SenseModel(path)
    _ = model.embeddings
    if "map" in stages:
        model.folder.require("map", f"run: wordatoms map {path}")
    return model


def show_result(result: TaskResult, *, as_json: bool) -> None:
    """Print the tables or everything as JSON, and what the paper says on standard error."""
    context = click.get_current_context(silent=True)
    quiet = context is not None and bool(context.params.get("quiet"))
    if as_json:
        show_json(result.to_json())
    else:
        show_table(*result.table())
        if result.verdict:
            remark(result.verdict, quiet=quiet)
        more = result.more_rows()
        if more:
            click.echo()
            show_table(list(more[0]), [list(row.values()) for row in more])
    if result.note:
        remark(result.note, quiet=quiet)
