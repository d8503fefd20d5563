"""`train` and its stages `count`, `embed`, `map` and `atomize`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordatoms.cli import options
from wordatoms.cli.output import remark, show_json
from wordatoms.cli.reports import report_lines
from wordatoms.embeddings.trainers import TRAINERS, find_trainer, trainer_names
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.engine.threads import Engine
    from wordatoms.storage.folder import ModelFolder

Command = Callable[..., Any]
WEIGHTINGS = ("auto", "uniform", "threshold", "log-count", "reliability")


def _with(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several decorators as one."""
    return lambda command: reduce(lambda inner, decorate: decorate(inner), reversed(decorators), command)


text_argument = click.argument("text", nargs=-1, required=True)
count_options = _with(
    click.option("--min-count", type=click.IntRange(1), default=5, show_default=True, help="Rarer words are left out."),
    click.option(
        "--max-words",
        type=click.IntRange(0),
        default=50_000,
        show_default=True,
        callback=lambda _context, _option, value: value or None,
        help="Keep the most frequent words only; 0 keeps all.",
    ),
    click.option(
        "--window",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="Words on each side that count.",
    ),
    click.option(
        "--weighting",
        type=click.Choice(["harmonic", "flat"]),
        default="harmonic",
        show_default=True,
        help="A neighbour counts 1/distance (harmonic) or 1 (flat).",
    ),
    click.option("--keep-case", is_flag=True, help="Do not lower-case."),
    click.option("--pretokenized", is_flag=True, help="The text is split already: cut it at white space only."),
    click.option(
        "--phrases",
        type=click.Path(exists=True, dir_okay=False),
        help="File of phrases, one per line, that become one word: new york → new_york.",
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
        help="Any other parameter of the method, such as learning_rate=0.02; may be repeated.",
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
        help="Of SIF: a word weighs a / (a + p(word)); inf is the plain mean.",
    ),
    click.option(
        "--weighting",
        type=click.Choice(WEIGHTINGS),
        default="auto",
        show_default=True,
        help="How words count in the fit by their number of contexts; auto: what does best on held-out words.",
    ),
    click.option("--include-target", is_flag=True, help="Keep the word itself in its contexts."),
    click.option("--remove-common", is_flag=True, help="Remove the common direction of all contexts before the fit."),
)
atom_options = _with(
    click.option(
        "--atoms",
        "n_atoms",
        type=options.NumberOrAuto(),
        help="Atoms of each run; auto chooses by how much two runs overlap.  [default: 2000, or a fifth of the words]",
    ),
    click.option(
        "--sizes",
        type=options.Numbers(),
        help="Numbers of atoms that auto chooses from, such as 500,1000.  [default: what suits the vocabulary]",
    ),
    click.option("--sparsity", type=click.IntRange(1), default=5, show_default=True, help="Most atoms of a word."),
    click.option(
        "--sparsity-range",
        type=options.NumberRange(),
        help="Instead of --sparsity: fewer atoms for rare words, more for frequent ones, such as 3-7.",
    ),
    click.option(
        "--restarts", "n_restarts", type=click.IntRange(1), default=5, show_default=True, help="Runs of k-SVD."
    ),
    click.option(
        "--iterations", "n_iterations", type=click.IntRange(1), default=25, show_default=True, help="Of each run."
    ),
    click.option("--nonnegative", is_flag=True, help="Allow no negative weights."),
    click.option(
        "--vectors",
        type=click.Choice(["word", "induced"]),
        default="word",
        show_default=True,
        help="Learn from the word vectors or from the induced ones (stage map).",
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

    From text to senses: counts its words and pairs, makes vectors, learns the map from contexts to vectors, and takes
    the vectors apart into atoms. TEXT is any number of files, folders, globs, or - for standard input; plain or
    compressed (gzip, bzip2, xz, zstd), one paragraph per line, or MediaWiki dumps; or addresses such as
    s3://bucket/texts. What is done already is not done again; an interrupted training goes on.
    """
    from wordatoms.pipeline.embed import chosen_parameters
    from wordatoms.pipeline.train import STEPS, is_stream
    from wordatoms.storage.folder import ModelFolder

    chosen_parameters(given["method"], _parameters(given))  # a mistake there should not wait for the counting
    streams = [source for source in text if is_stream(source)]
    trainer = find_trainer(given["method"])
    trainer.check_installed()
    if trainer.reads_text and streams:
        raise InputError(
            f"{trainer.title} reads the text more than once, and '{streams[0]}' is a stream; save it to a file."
        )
    with _opened_engine(given) as engine:
        stages = Stages(ModelFolder(output, create=True), given, STEPS, engine=engine)
        stages.count(text)
        stages.check_atoms()
        stages.embed(text)
        if streams:
            remark(f"{output}: no map from contexts to words, because '{streams[0]}' is a stream", quiet=given["quiet"])
        else:
            stages.map(text, {"seed": given["seed"]})
        stages.atomize()


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
    """Stage 1 of train: vocabulary and co-occurrences."""
    from wordatoms.storage.folder import ModelFolder

    with _opened_engine(given) as engine:
        Stages(ModelFolder(output, create=True), given, engine=engine).count(text)


@click.command()
@click.argument("model")
@embed_options
@click.option(
    "--text",
    multiple=True,
    help=f"Where the text is now, for {' and '.join(trainer_names(has='reads_text'))}; may be repeated.",
)
@click.option("-o", "--output", metavar="MODEL", help="Put the vectors into a new model that shares the counts.")
@options.engine_elsewhere
@options.scheduler_elsewhere
@options.threads
@options.force
@options.quiet
def embed(model: str, text: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Stage 2 of train: word vectors from the counts, on this machine."""
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    Stages(folder.share("count", output) if output else folder, given).embed(text)


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
    """Stage 3 of train: the map A from contexts to word vectors.

    One pass over the text averages the contexts of every word; a regression then finds the matrix A that takes these
    averages to the word vectors.
    """
    from wordatoms.storage.folder import ModelFolder

    names = ("window", "a", "weighting", "include_target", "remove_common", "seed")
    with _opened_engine(given) as engine:
        Stages(ModelFolder(model), given, engine=engine).map(text, {name: given[name] for name in names})


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
    """Stage 4 of train: atoms, and the senses of every word.

    Several runs of k-SVD from different seeds; atoms that come back are kept, near ones merged, meaningless ones
    dropped, and all words coded again. Reports how much the runs overlap.
    """
    from wordatoms.storage.folder import ModelFolder

    Stages(ModelFolder(model), given).atomize()


class Stages:
    """The stages on one folder with the options of a command; each says what it made."""

    def __init__(
        self,
        folder: ModelFolder,
        given: dict[str, Any],
        steps: tuple[str, ...] = (),
        *,
        engine: Engine | None = None,
    ) -> None:
        from wordatoms.progress import Display

        source = click.get_current_context().get_parameter_source("sparsity")
        if given.get("sparsity_range") and source is ParameterSource.COMMANDLINE:
            raise click.UsageError("--sparsity and --sparsity-range exclude each other.")
        self.folder, self.given, self.engine = folder, given, engine
        self.run = {"threads": given["threads"], "force": given["force"]}
        self.run["display"] = Display(steps, quiet=given["quiet"])

    def count(self, text: tuple[str, ...]) -> None:
        from wordatoms.counts.vocabulary import Vocabulary
        from wordatoms.pipeline.count import count
        from wordatoms.pipeline.sources import CountSettings

        names = set(CountSettings.__dataclass_fields__) - {"phrases"}
        phrases = _read_phrases(self.given["phrases"])
        settings = CountSettings(phrases=phrases, **{name: self.given[name] for name in names})
        made = count(text, self.folder, settings, memory=self.given["memory"], engine=self.engine, **self.run)
        self._tell("count", repr(Vocabulary.load(self.folder.path)), made=made)

    def check_atoms(self) -> None:
        """More atoms than words should not wait for the vectors."""
        from wordatoms.counts.vocabulary import Vocabulary

        n_atoms, n_words = self.given["n_atoms"], len(Vocabulary.load(self.folder.path))
        if isinstance(n_atoms, int) and n_atoms > n_words:
            raise InputError(f"{n_atoms:,} atoms were asked for but there are {n_words:,} words; pass fewer atoms.")

    def embed(self, text: tuple[str, ...]) -> None:
        from wordatoms.pipeline.embed import embed

        method, parameters = self.given["method"], _parameters(self.given)
        run = {**self.run, "random_state": self.given["seed"]}
        made = embed(self.folder, method, parameters=parameters, sources=text, **run)
        self._tell("embed", f"{method} vectors", made=made)

    def map(self, text: tuple[str, ...], settings: dict[str, Any]) -> None:
        from wordatoms.contexts.induced_map import InducedMap
        from wordatoms.pipeline.map import MapSettings, map_contexts

        run = {**self.run, "memory": self.given["memory"], "engine": self.engine}
        made = map_contexts(self.folder, MapSettings(**settings), sources=text, **run)
        self._tell("map", repr(InducedMap.load(self.folder.path)), made=made)

    def atomize(self) -> None:
        from wordatoms.pipeline.atomize import AtomSettings, atomize, read_atom_report

        names = set(AtomSettings.__dataclass_fields__) & set(self.given)
        settings = AtomSettings(**{name: self.given[name] for name in names})
        made = atomize(self.folder, settings, random_state=self.given["seed"], **self.run)
        report = read_atom_report(self.folder)
        self._tell("atomize", f"{report['n_atoms']:,} atoms", made=made)
        for line in report_lines(report) if made else []:
            remark(f"  {line}", quiet=self.given["quiet"])
        if self.given.get("as_json"):
            show_json(report)

    def _tell(self, stage: str, what: str, *, made: bool) -> None:
        record = self.folder.stages[stage]
        memory = f", peak memory {record['peak_memory'] / 1e6:,.0f} MB" if record.get("peak_memory") else ""
        how = f"made in {record['seconds']:,.1f} s{memory}" if made else "there already"
        remark(f"{self.folder.path}: {what}, {how}", quiet=self.given["quiet"])


@contextmanager
def _opened_engine(given: dict[str, Any]) -> Iterator[Engine]:
    """What the text is read on; a cluster is reached, or started, when it is first needed."""
    from wordatoms.engine.threads import local_engine

    name, scheduler = given.pop("engine_name"), given.pop("scheduler")
    if scheduler and name == "local":
        raise click.UsageError("--scheduler is the address of a Dask cluster; leave out --engine local.")
    if not scheduler and name != "dask":
        yield local_engine(given["threads"], given["memory"])
        return
    from wordatoms.engine.dask import DaskEngine

    with DaskEngine(scheduler, threads=given["threads"], memory=given["memory"]) as engine:
        yield engine


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
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
