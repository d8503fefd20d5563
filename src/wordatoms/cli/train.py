"""`train` and its stages `count`, `embed`, `map`, `atomize` and `observe`; `phrases`, which may follow them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordatoms.cli import options
from wordatoms.cli.output import advise_on_atoms, describe_atoms, remark, show_json
from wordatoms.embeddings.trainers import TRAINERS, trainer_names
from wordatoms.errors import InputError
from wordatoms.progress import format_time

if TYPE_CHECKING:
    from wordatoms.pipeline.atomize import AtomSettings
    from wordatoms.pipeline.sources import CountSettings
    from wordatoms.pipeline.train import StageDone
    from wordatoms.run import Run
    from wordatoms.senses.inventory import Inventory
    from wordatoms.senses.model import SenseModel
    from wordatoms.storage.folder import ModelFolder

Command = Callable[..., Any]
LARGEST_PHRASES = 1 << 26
"""Bytes of a file of phrases."""
WEIGHTINGS = ("auto", "uniform", "threshold", "log-count", "reliability")


def _with(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several decorators into one."""
    return lambda command: reduce(lambda inner, decorate: decorate(inner), reversed(decorators), command)


def _number(*names: str, default: int | None = None, least: int = 1, **kwargs: Any) -> Callable[[Command], Command]:
    """Make an option for a whole number."""
    return click.option(*names, type=click.IntRange(least), default=default, **kwargs)


def _choice(name: str, choices: Iterable[str], default: str, help: str) -> Callable[[Command], Command]:
    """Make an option for one of several words."""
    return click.option(name, type=click.Choice([*choices]), default=default, help=help)


text_argument = click.argument("text", nargs=-1, required=True)
count_options = _with(
    options.column,
    _number("--min-count", default=5, help="Drop rarer words."),
    _number(
        "--max-words",
        default=50_000,
        least=0,
        callback=lambda _context, _option, value: value or None,
        help="Keep only the most frequent words; 0 keeps all.",
    ),
    _number("--window", default=10, help="Words on each side that count as neighbours."),
    _choice("--weighting", ["harmonic", "flat"], "harmonic", "A neighbour counts 1/distance (harmonic) or 1 (flat)."),
    click.option("--keep-case", is_flag=True, help="Do not convert to lower case."),
    click.option("--pretokenized", is_flag=True, help="The text is already tokenized: split it at white space only."),
    click.option(
        "--phrases",
        type=click.Path(exists=True, dir_okay=False),
        help="File of phrases, one per line, that become one word: new york → new_york.",
    ),
    options.replace_invalid,
    options.language,
)
embed_options = _with(
    _choice(
        "--method",
        TRAINERS,
        "pmi",
        f"Embedding method: {'; '.join(f'{one.name} ({one.description})' for one in TRAINERS.values())}.",
    ),
    _number("--dim", default=300, help="Dimensions of the vectors."),
    _number("--epochs", help=f"Training epochs ({', '.join(trainer_names(has='has_epochs'))})."),
    click.option(
        "-p",
        "--parameter",
        "parameters",
        type=options.ASSIGNMENT,
        multiple=True,
        help="Any other parameter of the method, such as learning_rate=0.02; may be repeated.",
    ),
    options.seed,
)
map_options = _with(
    click.option("--window", type=click.IntRange(1, 1000), default=10, help="Words on each side of a context."),
    click.option(
        "--a",
        type=click.FloatRange(0, min_open=True),
        default=1e-3,
        help="SIF parameter: a word weighs a / (a + p(word)); inf gives the plain mean.",
    ),
    _choice(
        "--weighting",
        WEIGHTINGS,
        "auto",
        "How the number of contexts of a word weighs in the fit; auto takes what does best on held-out words.",
    ),
    click.option("--include-target", is_flag=True, help="Count the word itself among the words of its contexts."),
    click.option("--remove-common", is_flag=True, help="Remove the common direction of all contexts before the fit."),
)
inventory_option = click.option(
    "--inventory",
    metavar="FILE",
    help="Known senses to look for, one per line: word, name and cue words, separated by tabs; 'english' is the list "
    "that comes with the package.",
)
atom_options = _with(
    click.option(
        "--atoms",
        "n_atoms",
        type=options.NUMBER_OR_AUTO,
        help="Atoms per run, and at most in the end; auto chooses by how much two runs overlap.  [default: 2000, or a "
        "fifth of the words; fewer if less than half of them come back in a second run]",
    ),
    click.option(
        "--sizes",
        type=options.NUMBERS,
        help="Numbers of atoms that auto tries, such as 500,1000.  [default: depends on the vocabulary]",
    ),
    _number("--sparsity", default=5, help="Maximum atoms per word."),
    click.option(
        "--sparsity-range",
        type=options.RANGE,
        help="Instead of --sparsity: fewer atoms for rare words, more for frequent ones, such as 3-7.",
    ),
    _number("--restarts", "n_restarts", default=5, help="k-SVD runs from different seeds."),
    _number("--iterations", "n_iterations", default=25, help="k-SVD iterations per run."),
    click.option("--nonnegative", is_flag=True, help="Allow no negative coefficients."),
    _choice(
        "--vectors", ["word", "induced"], "word", "Learn from the word vectors, or from the induced ones (stage map)."
    ),
)
run_options = _with(options.threads, options.force, options.quiet)
reading_options = _with(options.memory, options.engine, options.scheduler, run_options)
local_options = _with(options.engine_elsewhere, options.scheduler_elsewhere, run_options)


@click.command()
@text_argument
@options.output
@count_options
@embed_options
@atom_options
@inventory_option
@reading_options
def train(text: tuple[str, ...], output: str, inventory: str | None, **given: Any) -> None:
    """Train a model on text.

    Counts words and pairs, learns word vectors, the map from contexts to words, and the
    atoms, and finds the senses of all words by their use. TEXT is any number of
    files, folders, globs, addresses such as s3://bucket/texts, or - for standard input. Files have one paragraph per
    line, or are tables (with --column), MediaWiki dumps or output of WikiExtractor, plain or compressed (gzip, bzip2,
    xz, zstd). Finished stages are skipped; an interrupted run resumes.
    """
    from wordatoms.pipeline.train import check_training, streams_of, train

    parameters, atom_settings, listed = _parameters(given), _atom_settings(given), _read_inventory(inventory)
    check_training(text, given["method"], parameters)  # before a cluster is started
    for stream in streams_of(text):
        remark(f"{output}: no map from contexts to words and no senses by use, because '{stream}' is a stream")
    with _opened_run(given) as run:
        made = train(
            text,
            output,
            method=given["method"],
            settings=_count_settings(given),
            parameters=parameters,
            atom_settings=atom_settings,
            inventory=listed,
            random_state=given["seed"],
            force=given["force"],
            run=run,
            on_stage=lambda done: _show_stage(done, given),
        )
    _show_end(made)


@click.command()
@text_argument
@options.output
@count_options
@reading_options
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
    help=f"Where the text is now, if it has moved ({', '.join(trainer_names(has='reads_text'))}); may be repeated.",
)
@click.option("-o", "--output", metavar="MODEL", help="Write to a new model that shares the counts.")
@local_options
def embed(model: str, text: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Stage 2 of train: learn word vectors from the counts."""
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
@options.text_column
@map_options
@options.seed
@reading_options
def map_(model: str, text: tuple[str, ...], **given: Any) -> None:
    """Stage 3 of train: learn the map A from contexts to words.

    Averages the contexts of every word in one pass over the text, then finds the matrix A that maps these averages to
    the word vectors by regression.
    """
    from wordatoms.pipeline.map import MapSettings, map_contexts
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    settings = MapSettings(**{name: given[name] for name in MapSettings.__dataclass_fields__})
    with _opened_run(given) as run:
        made = map_contexts(folder, settings, sources=text, column=given["column"], force=given["force"], run=run)
    _show_made(folder, "map", made, given)


@click.command()
@click.argument("model")
@atom_options
@options.seed
@local_options
@options.as_json
def atomize(model: str, **given: Any) -> None:
    """Stage 4 of train: learn atoms and the senses of each word.

    Runs k-SVD from several seeds, keeps the atoms that more than one run finds, merges similar ones, drops incoherent
    ones, and codes all words again. Reports how much the runs overlap.
    """
    from wordatoms.pipeline.atomize import atomize
    from wordatoms.storage.folder import ModelFolder

    folder, settings = ModelFolder(model), _atom_settings(given)
    made = atomize(folder, settings, random_state=given["seed"], force=given["force"], run=options.local_run(given))
    _show_made(folder, "atomize", made, given)


@click.command()
@click.argument("model")
@click.option("--text", multiple=True, help="Text to read; may be repeated.  [default: the text that was counted]")
@options.text_column
@_number(
    "--occurrences",
    "n_occurrences",
    help="Maximum occurrences read per word.  [default: 500, or 100 with --encoder]",
)
@inventory_option
@click.option(
    "--encoder",
    metavar="DIR",
    help="Show atoms of the states that a transformer in this folder (model.onnx and tokenizer.json) gives to some "
    "words in --text, and write nothing.",
)
@click.option(
    "--words",
    metavar="WORD,…|FILE|N",
    help="With --encoder: words with commas between them, a file with one per line, or how many of the most ambiguous "
    "words.  [default: 40]",
)
@_number("--contextual-atoms", "n_states_atoms", help="With --encoder: number of atoms.  [default: occurrences / 20]")
@click.option(
    "--keep-words", is_flag=True, help="With --encoder: keep in the states what all occurrences of a form share."
)
@options.seed
@options.as_json
@reading_options
def observe(model: str, text: tuple[str, ...], inventory: str | None, n_occurrences: int | None, **given: Any) -> None:
    """Stage 5 of train: find the senses of all words by their use.

    Reads a random sample of the occurrences of every word in one pass over the text, and finds which senses their
    contexts show: how large a share of the uses each has, and its vector. The vector of a word hides rare senses; its
    uses do not. Atoms of a word that no use confirms are dropped. With --inventory, the listed words have the senses
    that the list names, as far as the text confirms them.

    With --encoder, shows instead what atoms the states of a transformer have: each with its words, its best examples,
    and the discourse atoms that the senses of its occurrences have. `explore --contextual` shows what --json prints.
    """
    _check_observed(inventory, given)
    if given["encoder"] is not None:
        from wordatoms.cli.contextual import show_contextual_atoms

        show_contextual_atoms(model, text, n_occurrences, given)
        return
    from wordatoms.pipeline.observe import ObserveSettings, observe
    from wordatoms.storage.folder import ModelFolder

    folder, listed = ModelFolder(model), _read_inventory(inventory)
    given["n_occurrences"] = n_occurrences or ObserveSettings().n_occurrences
    settings = ObserveSettings(**{name: given[name] for name in ObserveSettings.__dataclass_fields__})
    with _opened_run(given) as run:
        made = observe(
            folder, settings, sources=text, column=given["column"], inventory=listed, force=given["force"], run=run
        )
    _show_made(folder, "observe", made, given)


def _check_observed(inventory: str | None, given: Mapping[str, Any]) -> None:
    """Raise for options that have no effect with --encoder, or without it."""
    if given["encoder"] is None:
        names = {"--words": "words", "--contextual-atoms": "n_states_atoms", "--keep-words": "keep_words"}
        names["--json"] = "as_json"
        where = "need"
    else:
        names, where = (
            {"--engine": "engine_name", "--scheduler": "scheduler", "--force": "force"},
            "cannot be used with",
        )
        if inventory is not None:
            raise click.UsageError("--inventory cannot be used with --encoder.")
    if wrong := [option for option, name in names.items() if given.get(name)]:
        raise click.UsageError(f"{' and '.join(wrong)} {where} --encoder.")


def _read_inventory(source: str | None) -> Inventory | None:
    from wordatoms.senses.inventory import read_inventory

    return None if source is None else read_inventory(source)


@click.command()
@click.argument("model")
@click.option("--text", multiple=True, help="Text to read; may be repeated.  [default: the text that was counted]")
@click.option(
    "--file",
    "given_phrases",
    type=click.Path(exists=True, dir_okay=False),
    help="File of phrases, one per line.  [default: those that are found in the text]",
)
@_number("--number", "n_phrases", default=2000, help="Maximum phrases to find, the most frequent.")
@_number("--min-count", default=100, help="Ignore phrases that occur less often.")
@inventory_option
@options.seed
@reading_options
def phrases(model: str, text: tuple[str, ...], given_phrases: str | None, inventory: str | None, **given: Any) -> None:
    """Learn vectors of phrases such as "new york" from their contexts.

    Finds pairs of words that stand together much more often than by chance (this needs gensim), or takes those of a
    file. `senses`, `nearest` and `similarity` then know them. The words of a phrase keep their own vectors, unlike with
    train --phrases, which makes one word of them. Phrases that --inventory lists have the senses that it names, as far
    as the text shows them; this needs a model whose words were observed.
    """
    from wordatoms.pipeline.phrases import PhraseSettings, learn_phrases
    from wordatoms.storage.folder import ModelFolder

    folder, known_senses = ModelFolder(model), _read_inventory(inventory)
    names = set(PhraseSettings.__dataclass_fields__) - {"given"}
    listed = _read_phrases(given_phrases)
    if given_phrases and not listed:
        raise InputError(
            f"{given_phrases} has no phrases; write one per line, or omit --file to find them in the text."
        )
    settings = PhraseSettings(listed, **{name: given[name] for name in names})
    with _opened_run(given) as run:
        made = learn_phrases(folder, settings, sources=text, inventory=known_senses, force=given["force"], run=run)
    _show_made(folder, "phrases", made, given)


def _show_made(folder: ModelFolder, stage: str, made: bool, given: Mapping[str, Any]) -> None:
    """Print what a stage that was run by itself has made, and the command for the next one."""
    from wordatoms.pipeline.train import StageDone

    _show_stage(StageDone(folder, stage, made), given)
    following = {"count": "embed", "embed": "map", "map": "atomize", "atomize": "observe"}.get(stage)
    if stage == "atomize" and not {"count", "map"} <= folder.stages.keys():
        following = None  # there is no text to observe
    question = f"wordatoms {'atoms' if folder.has_items else 'senses WORD'} --model {shlex.quote(str(folder.path))}"
    remark(f"next: wordatoms {following} {shlex.quote(str(folder.path))}" if following else f"next: {question}")


def _show_end(model: SenseModel) -> None:
    """Print what a training has made, and what to do with it."""
    path = shlex.quote(str(model.path))
    seconds = sum(float(record["seconds"]) for record in model.folder.stages.values())
    senses = f", {len(model.uses):,} senses by use" if model.uses else ""
    remark(
        f"{model.path} is ready: {len(model.words):,} words, {len(model.atoms):,} atoms{senses}, "
        f"made in {format_time(seconds)}"
    )
    remark(f"next: wordatoms senses WORD --model {path}")
    remark(f"      wordatoms explore --model {path}")
    if model.language == "en" and not model.parts.atom_names.names:
        remark(f"      wordatoms atoms --model {path} --names-from english    # names for atoms that English shares")


def _show_stage(done: StageDone, given: Mapping[str, Any]) -> None:
    """Print what a stage has made."""
    memory = f", peak memory {done.peak_memory / 1e6:,.0f} MB" if done.peak_memory else ""
    how = f"made in {done.seconds:,.1f} s{memory}" if done.made else "exists already"
    remark(f"{done.folder.path}: {done.summary}, {how}")
    if done.stage == "atomize":
        from wordatoms.pipeline.atomize import read_atom_report

        report = read_atom_report(done.folder)
        described = describe_atoms(report, has_items=done.folder.has_items)
        for line in [*described, *advise_on_atoms(report, str(done.folder.path))] if done.made else []:
            remark(f"  {line}")
        if given.get("as_json"):
            show_json(report)


@contextmanager
def _opened_run(given: dict[str, Any]) -> Iterator[Run]:
    """Yield the resources that the options ask for; a cluster is contacted or started only if they name one."""
    name, scheduler = given.pop("engine_name"), given.pop("scheduler")
    if scheduler and name == "local":
        raise click.UsageError("--scheduler is the address of a Dask cluster; drop --engine local.")
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
        raise click.UsageError("--sparsity and --sparsity-range are mutually exclusive.")
    names = set(AtomSettings.__dataclass_fields__) & set(given)
    return AtomSettings(**{name: given[name] for name in names})


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {"dim": given["dim"], **({"epochs": given["epochs"]} if given["epochs"] else {})}
    return {**parameters, **dict(given["parameters"])}


def _read_phrases(path: str | None) -> tuple[str, ...]:
    if path is None:
        return ()
    from wordatoms.text.files import read_whole

    try:
        lines = read_whole(path, LARGEST_PHRASES).decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text (byte {error.start:,}); pass a file with one phrase per line."
        ) from None
    return tuple(sorted({line.strip() for line in lines if line.strip()}))
