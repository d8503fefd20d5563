"""`tune`: how contexts are read, chosen by pseudowords in text that the model has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.output import remark, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.storage.folder import ModelFolder
    from wordatoms.tuning.choice import Trial, TuningResult


@click.command()
@click.argument("model")
@click.option("--text", multiple=True, help="Text that the model was not trained on; may be repeated.")
@click.option("--from", "other", metavar="MODEL", help="Take over the settings of a model that was tuned before.")
@click.option("--atoms", "n_atoms", type=options.Numbers(), help="Numbers of atoms to choose among, as 1000,2000.")
@click.option("--sparsity", "sparsities", type=options.Numbers(), help="Most atoms of a word, as 3,5,8.")
@click.option("--a", type=options.Decimals(), help="Values of SIF's a to choose among, as 0.0003,0.001,0.003.")
@click.option("--window", type=options.Numbers(), help="Windows to choose among, in words on each side.")
@click.option("--falloff", type=options.Decimals(), help="Powers of the distance by which a word counts less.")
@click.option("--noise", type=options.Decimals(), help="How noisy a single context is taken to be.")
@click.option("--scale", type=options.Decimals(), help="Scales of the posterior.")
@click.option(
    "--pseudowords",
    "n_pseudowords",
    type=click.IntRange(1),
    default=400,
    show_default=True,
    help="How many; one half chooses, the other half checks.",
)
@options.seed
@options.threads
@options.force
@options.as_json
@options.quiet
def tune(model: str, other: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Choose how contexts are read, and keep it in the model.

    Two unrelated words of similar frequency are written as one, in text that the model has not seen; settings are
    chosen by how well the two are told apart. No test set is looked at.
    """
    from wordatoms.pipeline.tune import adopt_tuning
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if bool(other) == bool(given["text"]):
        raise click.UsageError("pass either --text with text that the model has not seen, or --from with a model.")
    if other:
        chosen = adopt_tuning(folder, ModelFolder(other)).record()
        show_json({"settings": chosen}) if as_json else _show_settings(chosen)
        _compare_atoms(folder, ModelFolder(other), quiet=quiet)
        return
    result = _tune(folder, given, quiet=quiet or as_json)
    if result is None:
        remark(f"{folder.path}: tuned already; pass --force to tune it again", quiet=quiet)
        return
    _show(folder, result, as_json=as_json, quiet=quiet)


def _tune(folder: ModelFolder, given: dict[str, Any], *, quiet: bool) -> TuningResult | None:
    from wordatoms.pipeline.tune import TuneSettings, tune
    from wordatoms.progress import Display
    from wordatoms.run import Run

    grid = {name: given[name] for name in ("a", "window", "falloff", "noise", "scale") if given[name]}
    settings = TuneSettings(
        grid=grid,
        n_atoms=given["n_atoms"] or (),
        sparsities=given["sparsities"] or (),
        n_pseudowords=given["n_pseudowords"],
        seed=given["seed"],
    )

    def on_trial(trial: Trial) -> None:
        remark(f"{trial.setting} {trial.value:g}: {trial.measure} {trial.score:.4f}", quiet=quiet)

    return tune(
        folder,
        given["text"],
        settings,
        force=given["force"],
        run=Run(threads=given["threads"], progress=Display(quiet=quiet)),
        on_trial=on_trial,
    )


def _compare_atoms(folder: ModelFolder, other: ModelFolder, *, quiet: bool) -> None:
    """The number of atoms and the sparsity may have been tuned, too, and belong to the atoms."""
    from wordatoms.pipeline.tune import settings_of_atoms

    ours, theirs = settings_of_atoms(folder), settings_of_atoms(other)
    if (ours.n_atoms, ours.sparsity) != (theirs.n_atoms, theirs.sparsity):
        remark(
            f"the atoms of {other.path} were learned with other settings; for the same here, first run: "
            f"wordatoms atomize {folder.path} --atoms {theirs.n_atoms} --sparsity {theirs.sparsity} --force",
            quiet=quiet,
        )


def _show_settings(chosen: Mapping[str, float | None]) -> None:
    """In full, for a setting may be as small as 0.0003; an `a` without bound is kept as none."""
    rows = [[name, "inf" if value is None else f"{value:g}"] for name, value in chosen.items()]
    show_table(["setting", "value"], rows)


def _show(folder: ModelFolder, result: TuningResult, *, as_json: bool, quiet: bool) -> None:
    from wordatoms.pipeline.tune import is_held_out

    inputs = folder.stages["tune"]["inputs"]
    held_out = is_held_out(folder, inputs)
    if as_json:
        trials = [trial._asdict() for trial in result.trials]
        figures = result.figures()
        show_json({"settings": result.settings.record(), "held_out": held_out, "figures": figures, "trials": trials})
        return
    _show_settings(result.settings.record())
    click.echo()
    rows = [[name, *figures.values()] for name, figures in result.figures().items()]
    show_table(["on pseudowords that had no say", *result.chosen], rows)
    if not held_out:
        remark("the text was also trained on; tune on text that was held out to trust these figures.", quiet=quiet)
