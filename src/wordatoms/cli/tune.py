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

GRID = ("a", "window", "falloff", "noise", "scale")


@click.command()
@click.argument("model")
@click.option("--text", multiple=True, help="Text that the model was not trained on; may be repeated.")
@options.text_column
@click.option("--from", "other", metavar="MODEL", help="Copy the settings of a model that was tuned before.")
@click.option("--atoms", "n_atoms", type=options.NUMBERS, help="Numbers of atoms to try, such as 1000,2000.")
@click.option("--sparsity", "sparsities", type=options.NUMBERS, help="Maximum atoms per word to try, such as 3,5,8.")
@click.option("--a", type=options.DECIMALS, help="Values of the SIF parameter a to try, such as 0.0003,0.001,0.003.")
@click.option("--window", type=options.NUMBERS, help="Windows to try, in words on each side.")
@click.option("--falloff", type=options.DECIMALS, help="Powers of the distance to try, by which a word counts less.")
@click.option("--noise", type=options.DECIMALS, help="Noise levels of a single context to try.")
@click.option("--scale", type=options.DECIMALS, help="Scales of the posterior to try.")
@click.option(
    "--pseudowords",
    "n_pseudowords",
    type=click.IntRange(1),
    default=400,
    help="Number of pseudowords; one half chooses, the other half checks.",
)
@options.seed
@options.threads
@options.force
@options.as_json
@options.quiet
def tune(model: str, other: str | None, as_json: bool, quiet: bool, **given: Any) -> None:
    """Choose the settings for reading contexts.

    Pairs of unrelated words with similar frequency are merged into pseudowords, in text that the model has not seen;
    the settings that tell the two words apart best are saved in the model. No labelled data are needed.
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
        _compare_atoms(folder, ModelFolder(other))
        return
    result = _tune(folder, given, quiet=quiet or as_json)
    if result is None:
        remark(f"{folder.path}: already tuned; pass --force to tune it again", quiet=quiet)
    else:
        _show(folder, result, as_json=as_json)


def _tune(folder: ModelFolder, given: dict[str, Any], *, quiet: bool) -> TuningResult | None:
    from wordatoms.pipeline.tune import TuneSettings, tune

    settings = TuneSettings(
        grid={name: given[name] for name in GRID if given[name]},
        n_atoms=given["n_atoms"] or (),
        sparsities=given["sparsities"] or (),
        n_pseudowords=given["n_pseudowords"],
        seed=given["seed"],
    )

    def on_trial(trial: Trial) -> None:
        remark(f"{trial.setting} {trial.value:g}: {trial.measure} {trial.score:.4f}", quiet=quiet)

    run = options.local_run({**given, "quiet": quiet})
    choices = {"column": given["column"], "force": given["force"], "run": run}
    return tune(folder, given["text"], settings, **choices, on_trial=on_trial)


def _compare_atoms(folder: ModelFolder, other: ModelFolder) -> None:
    """Warn if the number of atoms and the sparsity, which may have been tuned as well, differ."""
    from wordatoms.pipeline.tune import settings_of_atoms

    ours, theirs = settings_of_atoms(folder), settings_of_atoms(other)
    if (ours.n_atoms, ours.sparsity) != (theirs.n_atoms, theirs.sparsity):
        remark(
            f"the atoms of {other.path} were learned with other settings; to use the same ones here, first run: "
            f"wordatoms atomize {folder.path} --atoms {theirs.n_atoms} --sparsity {theirs.sparsity} --force"
        )


def _show_settings(chosen: Mapping[str, float | None]) -> None:
    """Show all digits, as a setting may be as small as 0.0003; an infinite `a` is recorded as None."""
    rows = [[name, "inf" if value is None else f"{value:g}"] for name, value in chosen.items()]
    show_table(["setting", "value"], rows)


def _show(folder: ModelFolder, result: TuningResult, *, as_json: bool) -> None:
    from wordatoms.pipeline.tune import is_held_out

    held_out = is_held_out(folder, folder.stages["tune"]["inputs"])
    settings, figures = result.settings.record(), result.figures()
    if as_json:
        show_json({"settings": settings, "held_out": held_out, "figures": figures, "trials": result.trials})
        return
    _show_settings(settings)
    click.echo()
    rows = [[name, *each.values()] for name, each in figures.items()]
    show_table(["on other pseudowords", *result.chosen], rows)
    if not held_out:
        remark("the model was trained on this text, so the scores are too optimistic; tune on held-out text.")
