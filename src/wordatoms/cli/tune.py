"""`tune`: choose how contexts are read, on pseudowords in held-out text."""

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
@click.option("--from", "other", metavar="MODEL", help="Copy the settings of a tuned model.")
@click.option("--atoms", "n_atoms", type=options.Numbers(), help="Numbers of atoms to try, such as 1000,2000.")
@click.option("--sparsity", "sparsities", type=options.Numbers(), help="Sparsities to try, such as 3,5,8.")
@click.option("--a", type=options.Decimals(), help="Values of the SIF parameter a to try, such as 0.0003,0.001.")
@click.option("--window", type=options.Numbers(), help="Windows to try, in words on each side.")
@click.option(
    "--falloff", type=options.Decimals(), help="Exponents of the distance, by which words lose weight, to try."
)
@click.option("--noise", type=options.Decimals(), help="Noise levels of a single context to try.")
@click.option("--scale", type=options.Decimals(), help="Scales of the posterior to try.")
@click.option(
    "--pseudowords",
    "n_pseudowords",
    type=click.IntRange(1),
    default=400,
    show_default=True,
    help="Number of pseudowords; half for the choice, half for the reported scores.",
)
@options.seed
@options.threads
@options.force
@options.as_json
@options.quiet
def tune(model: str, other: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Choose how contexts are read, and store the settings in the model.

    In text that the model has not seen, pairs of unrelated words of similar frequency are merged into pseudowords.
    Settings are chosen by how well the two words can be told apart. No test set is used.
    """
    from wordatoms.pipeline.tune import adopt_tuning
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if bool(other) == bool(given["text"]):
        raise click.UsageError(
            "pass either --text with text that the model has not seen, or --from with a tuned model."
        )
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
    """Warn if the atoms have another number or sparsity, which may have been tuned and are not copied."""
    from wordatoms.pipeline.tune import settings_of_atoms

    ours, theirs = settings_of_atoms(folder), settings_of_atoms(other)
    if (ours.n_atoms, ours.sparsity) != (theirs.n_atoms, theirs.sparsity):
        remark(
            f"the atoms of {other.path} were learned with other settings; for the same here, first run: "
            f"wordatoms atomize {folder.path} --atoms {theirs.n_atoms} --sparsity {theirs.sparsity} --force",
            quiet=quiet,
        )


def _show_settings(chosen: Mapping[str, float | None]) -> None:
    """Print the settings unrounded; an infinite `a` is stored as None."""
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
    show_table(["on other pseudowords", *result.chosen], rows)
    if not held_out:
        remark(
            "the model was trained on this text, so the scores are too optimistic; tune on held-out text.", quiet=quiet
        )
