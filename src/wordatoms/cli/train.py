"""`train` and its stages `count`, `embed`, `map` and `atomize`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordatoms.cli import options
from wordatoms.cli.output import remark, show_json
from wordatoms.cli.reports import report_lines
from wordatoms.embeddings.trainers import TRAINERS, trainer_names
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.pipeline.atomize import AtomSettings
    from wordatoms.pipeline.sources import CountSettings
    from wordatoms.pipeline.train import StageDone
    from wordatoms.run import Run
    from wordatoms.storage.folder import ModelFolder

Command = Callable[..., Any]
WEIGHTINGS = ("auto", "uniform", "threshold", "log-count", "reliability")


def _with(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several decorators as one."""
    return lambda command: reduce(lambda inner, decorate: decorate(inner), reversed(decorators), command)


text_argument = click.argument("text", nargs=-1, required=True)
count_options = _with(
    click.option("--min-count", type=click.IntRange(1), default=5, show_default=True, help="Leave out rarer words."),
    click.option(
        "--max-words",
        type=click.IntRange(0),
        default=50_000,
        show_default=True,
        callback=lambda _context, _option, value: value or None,
        help="Maximum number of words, by frequency; 0 for no limit.",
    ),
    click.option(
        "--window",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="Co-occurrence window: words on each side.",
    ),
    click.option(
        "--weighting",
        type=click.Choice(["harmonic", "flat"]),
        default="harmonic",
        show_default=True,
        help="Weight of a neighbour: 1/distance (harmonic) or 1 (flat).",
    ),
    click.option("--keep-case", is_flag=True, help="Do not convert the text to lower case."),
    click.option("--pretokenized", is_flag=True, help="Split the text at white space only."),
    click.option(
        "--phrases",
        type=click.Path(exists=True, dir_okay=False),
        help="File with one phrase per line; each becomes a single word, such as new york → new_york.",
    ),
    options.replace_invalid,
)
embed_options = _with(
    click.option(
        "--method",
        type=click.Choice(list(TRAINERS)),
        default="pmi",
        show_default=True,
        help=f"Embedding method: {'; '.join(f'{one.name} ({one.description})' for one in TRAINERS.values())}.",
    ),
    click.option("--dim", type=click.IntRange(1), default=300, show_default=True, help="Dimensions of the vectors."),
    click.option(
        "--epochs", type=click.IntRange(1), help=f"Training epochs ({', '.join(trainer_names(has='has_epochs'))})."
    ),
    click.option(
        "-p",
        "--parameter",
        "parameters",
        type=options.Assignment(),
        multiple=True,
        help="Another parameter of the method, such as learning_rate=0.02; may be repeated.",
    ),
    options.seed,
)
map_options = _with(
    click.option(
        "--window", type=click.IntRange(1, 1000), default=10, show_default=True, help="Words on each side of a context."
    ),
    click.option(
        "--a",
        type=click.FloatRange(0, min_open=True),
        default=1e-3,
        show_default=True,
        help="SIF parameter: the weight of a word is a / (a + p(word)); inf for the plain mean.",
    ),
    click.option(
        "--weighting",
        type=click.Choice(WEIGHTINGS),
        default="auto",
        show_default=True,
        help="Weight of words in the fit by their number of contexts; auto selects the best on held-out words.",
    ),
    click.option("--include-target", is_flag=True, help="Include the word itself in its contexts."),
    click.option("--remove-common", is_flag=True, help="Remove the common direction of all contexts before the fit."),
)
atom_options = _with(
    click.option(
        "--atoms",
        "n_atoms",
        type=options.NumberOrAuto(),
        help="Atoms per run; auto chooses by the overlap of two runs.  [default: 2000, or a fifth of the words]",
    ),
    click.option(
        "--sizes",
        type=options.Numbers(),
        help="Numbers of atoms for auto to choose from, such as 500,1000.  [default: depends on the vocabulary]",
    ),
    click.option("--sparsity", type=click.IntRange(1), default=5, show_default=True, help="Maximum atoms per word."),
    click.option(
        "--sparsity-range",
        type=options.NumberRange(),
        help="Replaces --sparsity: fewer atoms for rare words and more for frequent ones, such as 3-7.",
    ),
    click.option(
        "--restarts", "n_restarts", type=click.IntRange(1), default=5, show_default=True, help="Number of k-SVD runs."
    ),
    click.option(
        "--iterations",
        "n_iterations",
        type=click.IntRange(1),
        default=25,
        show_default=True,
        help="k-SVD iterations per run.",
    ),
    click.option("--nonnegative", is_flag=True, help="Do not allow negative weights."),
    click.option(
        "--vectors",
        type=click.Choice(["word", "induced"]),
        default="word",
        show_default=True,
        help="Learn atoms from word vectors or from induced vectors (stage map).",
    ),
)


@click.command()
@text_argument
@options.output
@count_options
@embed_options
@atom_options
@options.memory
@options.engine
@options.scheduler
@options.threads
@options.force
@options.quiet
def train(text: tuple[str, ...], output: str, **given: Any) -> None:
    """Train a model on text.

    Counts words and pairs, trains word vectors, learns the map from contexts to vectors, and splits the vectors into
    atoms. TEXT is any number of files, folders, globs, or - for standard input; plain or compressed (gzip, bzip2, xz,
    zstd), one paragraph per line, or MediaWiki dumps; or addresses such as s3://bucket/texts. Finished stages are
    skipped; an interrupted run resumes.
    """
    from wordatoms.pipeline.train import check_training, streams_of, train

    parameters, atom_settings = _parameters(given), _atom_settings(given)
    check_training(text, given["method"], parameters)  # before a cluster is started
    for stream in streams_of(text):
        remark(f"{output}: no map from contexts to words, because '{stream}' is a stream", quiet=given["quiet"])
    with _opened_run(given) as run:
        train(
            text,
            output,
            method=given["method"],
            settings=_count_settings(given),
            parameters=parameters,
            atom_settings=atom_settings,
            random_state=given["seed"],
            force=given["force"],
            run=run,
            on_stage=lambda done: _show_stage(done, given),
        )


@click.command()
@text_argument
@options.output
@count_options
@options.memory
@options.engine
@options.scheduler
@options.threads
@options.force
@options.quiet
def count(text: tuple[str, ...], output: str, **given: Any) -> None:
    """Stage 1 of train: count words and co-occurrences."""
    from wordatoms.pipeline.count import count
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(output, create=True)
    with _opened_run(given) as run:
        made = count(text, folder, _count_settings(given), force=given["force"], run=run)
    _show_made(folder, "count", made, given)


@click.command()
@click.argument("model")
@embed_options
@click.option(
    "--text",
    multiple=True,
    help=f"Current location of the text, for {' and '.join(trainer_names(has='reads_text'))}; may be repeated.",
)
@click.option("-o", "--output", metavar="MODEL", help="Write the vectors to a new model that shares the counts.")
@options.engine_elsewhere
@options.scheduler_elsewhere
@options.threads
@options.force
@options.quiet
def embed(model: str, text: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Stage 2 of train: train word vectors on the counts."""
    from wordatoms.pipeline.embed import embed
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    folder = folder.share("count", output) if output else folder
    choices = {"parameters": _parameters(given), "sources": text, "random_state": given["seed"]}
    made = embed(folder, given["method"], **choices, force=given["force"], run=options.local_run(given))
    _show_made(folder, "embed", made, given)


@click.command("map")
@click.argument("model")
@click.option("--text", multiple=True, help="Text to read; may be repeated.  [default: the text that was counted]")
@map_options
@options.seed
@options.memory
@options.engine
@options.scheduler
@options.threads
@options.force
@options.quiet
def map_(model: str, text: tuple[str, ...], **given: Any) -> None:
    """Stage 3 of train: learn the map A from contexts to word vectors.

    One pass over the text averages the contexts of every word; a regression then finds the matrix A that maps these
    averages to the word vectors.
    """
    from wordatoms.pipeline.map import MapSettings, map_contexts
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    settings = MapSettings(**{name: given[name] for name in MapSettings.__dataclass_fields__})
    with _opened_run(given) as run:
        made = map_contexts(folder, settings, sources=text, force=given["force"], run=run)
    _show_made(folder, "map", made, given)


@click.command()
@click.argument("model")
@atom_options
@options.seed
@options.engine_elsewhere
@options.scheduler_elsewhere
@options.threads
@options.force
@options.quiet
@options.as_json
def atomize(model: str, **given: Any) -> None:
    """Stage 4 of train: learn the atoms and the senses of all words.

    k-SVD runs several times from different seeds. Atoms that recur are kept, close ones are merged, meaningless ones
    are dropped, and all words are coded again. Reports the overlap of the runs.
    """
    from wordatoms.pipeline.atomize import atomize
    from wordatoms.storage.folder import ModelFolder

    folder, settings = ModelFolder(model), _atom_settings(given)
    made = atomize(folder, settings, random_state=given["seed"], force=given["force"], run=options.local_run(given))
    _show_made(folder, "atomize", made, given)


def _show_made(folder: ModelFolder, stage: str, made: bool, given: Mapping[str, Any]) -> None:
    from wordatoms.pipeline.train import StageDone

    _show_stage(StageDone(folder, stage, made), given)


def _show_stage(done: StageDone, given: Mapping[str, Any]) -> None:
    """Say what a stage has made."""
    memory = f", peak memory {done.peak_memory / 1e6:,.0f} MB" if done.peak_memory else ""
    how = f"made in {done.seconds:,.1f} s{memory}" if done.made else "there already"
    remark(f"{done.folder.path}: {done.summary}, {how}", quiet=given["quiet"])
    if done.stage == "atomize":
        _show_atom_report(done, given)


def _show_atom_report(done: StageDone, given: Mapping[str, Any]) -> None:
    from wordatoms.pipeline.atomize import read_atom_report

    report = read_atom_report(done.folder)
    for line in report_lines(report) if done.made else []:
        remark(f"  {line}", quiet=given["quiet"])
    if given.get("as_json"):
        show_json(report)


@contextmanager
def _opened_run(given: dict[str, Any]) -> Iterator[Run]:
    """The resources that the options ask for; a cluster is reached, or started, when it is first needed."""
    name, scheduler = given.pop("engine_name"), given.pop("scheduler")
    if scheduler and name == "local":
        raise click.UsageError("--scheduler is the address of a Dask cluster; leave out --engine local.")
    run = options.local_run(given)
    if not scheduler and name != "dask":
        yield run
        return
    from wordatoms.engine.dask import DaskEngine

    with DaskEngine(scheduler, threads=run.threads, memory=run.memory) as engine:
        yield replace(run, engine=engine)


def _count_settings(given: Mapping[str, Any]) -> CountSettings:
    from wordatoms.pipeline.sources import CountSettings

    names = set(CountSettings.__dataclass_fields__) - {"phrases"}
    return CountSettings(phrases=_read_phrases(given["phrases"]), **{name: given[name] for name in names})


def _atom_settings(given: Mapping[str, Any]) -> AtomSettings:
    from wordatoms.pipeline.atomize import AtomSettings

    source = click.get_current_context().get_parameter_source("sparsity")
    if given["sparsity_range"] and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--sparsity and --sparsity-range exclude each other.")
    names = set(AtomSettings.__dataclass_fields__) & set(given)
    return AtomSettings(**{name: given[name] for name in names})


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {"dim": given["dim"], **({"epochs": given["epochs"]} if given["epochs"] else {})}
    return {**parameters, **dict(given["parameters"])}


def _read_phrases(path: str | None) -> tuple[str, ...]:
    if path is None:
        return ()
    try:
        lines = Path(path).read_bytes().decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text at byte {error.start:,}; pass a file with a phrase per line."
        ) from None
    return tuple(sorted({line.strip() for line in lines if line.strip()}))
