"""Figure 1: the police lineup (Section 6.3)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordatoms.paper.tasks.base import Option, Task, TaskResult

if TYPE_CHECKING:
    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.lineup.data import Testbed
    from wordatoms.paper.tasks.lineup.methods import VectorMethod
    from wordatoms.senses.model import SenseModel


UNIT_LISTS = ", lists of length 1"
"""Ends the names of methods with lists as vectors of length 1."""


def run(
    inputs: Inputs,
    *,
    testbed_file: str | None = None,
    vectors: str | None = None,
    raw: bool = False,
    remove_common: bool = False,
    shown: int | None = None,
    chosen: int = 4,
    runs: int = 20,
    show: str | None = None,
) -> TaskResult:
    """Evaluate all methods on the same lineups; with `show`, only the model on one lineup."""
    from wordatoms.paper.tasks.lineup.data import load_testbed
    from wordatoms.paper.tasks.lineup.evaluate import PAPER_N, Setting, evaluate_lineup, show_lineup
    from wordatoms.paper.tasks.lineup.methods import atoms_method, context_method, unit_lists, uses_method

    testbed, models = load_testbed(testbed_file), _named_models(inputs)
    choices: dict[str, Any] = {"vectors": vectors, "unit": not raw, "remove_common": remove_common}
    if show:
        method = atoms_method(inputs.model, **choices)
        return show_lineup(testbed, method, show, n_shown=shown, n_chosen=chosen, random_state=inputs.seed)
    methods = {name: atoms_method(model, **choices) for name, model in models.items()}
    first = next(iter(methods))
    ours = f"{first}{UNIT_LISTS}"
    methods[ours] = unit_lists(methods[first])
    if "map" in inputs.model.folder.stages:
        methods[f"{first}, lists read as contexts"] = context_method(inputs.model, **choices)
    if inputs.model.uses is not None:
        ours = f"{first}, senses by use and atoms"  # what a model with uses knows, whatever it scores
        methods[f"{first}, senses by use"] = uses_method(inputs.model, **choices)
        methods[ours] = uses_method(inputs.model, with_atoms=True, **choices)
    competing = _competing_methods(inputs, testbed, unit=not raw, remove_common=remove_common)
    methods |= competing | {f"{name}{UNIT_LISTS}": unit_lists(method) for name, method in competing.items()}
    headline = Setting(shown or PAPER_N, chosen)
    return evaluate_lineup(testbed, methods, headline=headline, ours=ours, n_runs=runs, random_state=inputs.seed)


def _named_models(inputs: Inputs) -> dict[str, SenseModel]:
    """The models with atoms, by the name of their method."""
    from wordatoms.paper.baselines.learning import LEARNED, NNSE
    from wordatoms.paper.exhibits.published import shown_method

    if not inputs.names:
        with_atoms = {method: model for method, model in inputs.models.items() if "atomize" in model.folder.stages}
        return {f"atoms of {shown_method(method)}": model for method, model in with_atoms.items()}
    taken = [*(LEARNED if inputs.competitors else ()), *([NNSE] if inputs.nnse else ())]
    names = [Path(path).absolute().name for path in inputs.names]
    if len({*names, *taken}) < len(names) + len(taken):  # full paths if a name is taken or occurs twice
        names = [str(Path(path).resolve()) for path in inputs.names]
    return dict(zip(names, (inputs.model, *inputs.others), strict=True))


def _competing_methods(inputs: Inputs, testbed: Testbed, *, unit: bool, remove_common: bool) -> dict[str, VectorMethod]:
    """Competitors that use the word vectors of the model, with senses in the same space."""
    from wordatoms.paper.baselines.learning import competitors
    from wordatoms.paper.tasks.lineup.methods import inventory_method, lineup_sif

    words, sif = list(testbed), lineup_sif(inputs.model, vectors="word", unit=unit)
    found = competitors(inputs, words, space=sif.embeddings)
    return {
        name: inventory_method(inventory, sif, words, remove_common=remove_common) for name, inventory in found.items()
    }


def plot(result: TaskResult, _inputs: Inputs) -> list[LineChart]:
    """Both panels; no chart for a single lineup."""
    from wordatoms.paper.tasks.lineup.evaluate import LineupResult
    from wordatoms.paper.tasks.lineup.exhibit import draw_by_chosen, draw_by_shown, numbers_of

    if not isinstance(result, LineupResult):
        return []
    numbers = numbers_of(result)
    return [draw_by_chosen(numbers, result.headline.n), draw_by_shown(numbers, result.headline.t)]


TASKS = (
    Task(
        "lineup",
        "Figure 1: which of n lists of words are senses of this word?",
        run,
        ("model", "others", "competitors", "seed", "threads", "quiet"),
        (
            Option(
                "testbed_file",
                "Your own testbed.  [default: the bundled testbed]",
                Path,
                flags=("--testbed",),
            ),
            Option(
                "vectors",
                "Word vectors to use.  [default: those the atoms were learned from]",
                str,
                choices=("word", "induced"),
            ),
            Option("raw", "Keep the lengths of word vectors instead of scaling them to 1.", bool),
            Option("remove_common", "Remove the common direction of the model's map from the lists.", bool),
            Option("shown", "Senses in a lineup.  [default: 20; with --show: 6]", flags=("-n", "--shown"), least=2),
            Option("chosen", "Senses to choose.", flags=("-t", "--chosen"), least=1),
            Option("runs", "Runs with different lineups.", least=1),
            Option("show", "Show one lineup only.", str, metavar="WORD"),
        ),
        stages=("atomize",),
        plot=plot,
    ),
)
