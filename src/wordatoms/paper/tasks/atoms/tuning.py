"""The settings with which contexts are read, and how pseudowords chose them. Not in the paper."""

from __future__ import annotations

from wordatoms.errors import ModelError
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Remark, Role, Row, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.storage.untrusted import read_json

CHOSEN, AS_PAPER, NO_ATOMS = "chosen", "as in the paper", "without atoms"


def _run(inputs: Inputs) -> Numbers:
    from wordatoms.contexts.reader import TUNING

    path = inputs.model.path / TUNING
    try:
        found = read_json(path)
        figures = {
            str(name): {str(key): float(value) for key, value in each.items()}
            for name, each in found["figures"].items()
        }
        settings = {str(name): value for name, value in found["settings"].items()}
        n_pseudowords, held_out = int(found["n_pseudowords"]), bool(found["held_out"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); tune the model again, with --force.") from error
    if not {CHOSEN, AS_PAPER, NO_ATOMS} <= set(figures):
        raise ModelError(f"{path} lacks figures that it should have; tune the model again, with --force.")
    return {"figures": figures, "settings": settings, "n_pseudowords": n_pseudowords, "held_out": held_out}


def _figures(numbers: Numbers) -> list[Figure]:
    figures = numbers["figures"]
    return [
        Figure(
            measure,
            None,
            by_paper=figures[AS_PAPER].get(measure),
            ours=value,
            baseline=figures[NO_ATOMS].get(measure),
            baseline_is="without atoms",
            digits=3,
            is_headline=measure == "put together",
        )
        for measure, value in figures[CHOSEN].items()
    ]


def _render(numbers: Numbers) -> list[Block]:
    measures = list(numbers["figures"][CHOSEN])
    roles: dict[str, Role] = {CHOSEN: "ours", AS_PAPER: "paper", NO_ATOMS: "baseline"}
    rows = [
        Row((name, *(each.get(measure) for measure in measures)), roles.get(name, ""))
        for name, each in numbers["figures"].items()
    ]
    settings = ", ".join(f"{name} {value}" for name, value in numbers["settings"].items())
    where = "text that the vectors had not seen" if numbers["held_out"] else "text that the vectors had seen"
    return [
        make_table([Column("contexts read"), *(Column(measure, 3) for measure in measures)], rows),
        Remark(f"Chosen with {numbers['n_pseudowords']} pseudowords in {where}: {settings}."),
    ]


def _why(_numbers: Numbers) -> str:
    return "The paper reports nothing of the kind and does not say how its own settings were chosen."


TUNING = Exhibit(
    "tuning",
    "How contexts are read, chosen by pseudowords",
    "Two words merged into one give any number of contexts with known senses. They chose the width of contexts and how "
    "strongly contexts count; what is measured was changed after test results had been seen (docs/results/tuning.md). "
    "“Put together” is √(F·V) of two clusters.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.TUNING,),
    is_paper=False,
)
