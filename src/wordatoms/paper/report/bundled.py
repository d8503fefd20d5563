"""Results that come with the package, so that the report also shows exhibits whose data are not at hand.

Each is a file of plain JSON, `data/reproduced/NAME.json`, with the numbers of an exhibit, when and with what they were
computed. They hold numbers and single words, no text of others (`Exhibit.shareable`). `tools/bundle_results.py` makes
them from the folder of a report.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordatoms.embeddings.trainers import TRAINERS
from wordatoms.errors import InputError
from wordatoms.paper.exhibits.exhibit import Exhibit
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.report.outcome import Made, Outcome
from wordatoms.storage.bundled import REPRODUCED
from wordatoms.storage.files import write_json
from wordatoms.storage.untrusted import read_json

DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, StopIteration, ZeroDivisionError)
"""What reading and showing a result that is not ours, or no longer ours, may raise."""

_COMPUTED = ", its rows computed on "


def read_bundled(exhibit: Exhibit, folder: Path = REPRODUCED) -> Outcome | None:
    """The bundled result of an exhibit; None if there is none, or none that can be shown."""
    try:
        found = read_json(folder / f"{exhibit.name}.json")
        made = found["made"]
        outcome = Outcome(
            exhibit,
            "bundled",
            dict(found["numbers"]),
            float(found["seconds"]),
            False,
            str(found["computed"]),
            str(found["machine"]),
            made=Made(
                str(made["program"]),
                str(made["model"]),
                tuple(map(str, made["others"])),
                str(made["text"]),
                int(made["seed"]),
            ),
        )
        outcome.to_json()
        exhibit.render(dict(found["numbers"]))
    except DAMAGED:
        return None
    return outcome


def bundle(report: Path, exhibits: list[Exhibit], folder: Path = REPRODUCED, *, keep_models: bool = False) -> list[str]:
    """Store the computed results of a report, as `results.json` in its folder has them; return their names.

    With `keep_models`, the rows of models that the report does not have are kept from the result stored before, with
    the date of their computation (see `Exhibit.by_model` and `Exhibit.of_one_model`).
    """
    path = report / "results.json"
    try:
        found = read_json(path)
        entries = {each["name"]: each for each in found["exhibits"] if each["status"] == "done"}
        made = asdict(_made(found))
    except DAMAGED as error:
        raise InputError(f"{path} is not the results.json of a report ({error}); pass the folder of one.") from error
    chosen = [exhibit for exhibit in exhibits if exhibit.name in entries]
    folder.mkdir(parents=True, exist_ok=True)
    for exhibit in chosen:
        entry = entries[exhibit.name]
        result = {
            **{name: entry[name] for name in ("computed", "seconds", "machine")},
            "made": made,
            "numbers": exhibit.shareable(entry["numbers"]),
        }
        path = folder / f"{exhibit.name}.json"
        if keep_models and path.is_file():
            result = join_models(exhibit, result, read_json(path))
        write_json(path, result)
    return [exhibit.name for exhibit in chosen]


def join_models(exhibit: Exhibit, result: dict[str, Any], earlier: dict[str, Any]) -> dict[str, Any]:
    """A result with the rows of an earlier one for those methods of vectors that it lacks."""
    numbers, kept = dict(result["numbers"]), set[str]()
    for part, name in exhibit.by_model.items():
        rows, old = numbers[part], earlier["numbers"].get(part, {})
        missing = [method for method in TRAINERS if name.format(method) in old.keys() - rows.keys()]
        numbers[part] = {**rows, **{name.format(method): old[name.format(method)] for method in missing}}
        kept.update(missing)
    for part, method in exhibit.of_one_model.items():
        if numbers[part] is None and (old_part := earlier["numbers"].get(part)):
            numbers[part] = old_part
            kept.add(method)
    made, old_made = result["made"], earlier["made"]
    described = [
        each if _COMPUTED in each else f"{each}{_COMPUTED}{earlier['computed']}"
        for each in (old_made["model"], *old_made["others"])
        if any(f"({shown_method(method)}," in each for method in kept)
    ]
    return {**result, "numbers": numbers, "made": {**made, "others": [*made["others"], *described]}}


def describe_bundled(outcome: Outcome) -> str:
    """When and with what a bundled result was computed."""
    made = outcome.made
    assert made is not None
    others = f" Other models: {'; '.join(made.others)}." if made.others else ""
    text = f" Text: {made.text}." if made.text else ""
    return (
        f"Not computed here: computed on {outcome.computed} by {made.program} in {outcome.seconds or 0:,.0f} s on "
        f"{outcome.machine}, seed {made.seed}. Model: {made.model}.{text}{others}"
    )


def _made(report: dict[str, Any]) -> Made:
    inputs = report["inputs"]
    n_files = len(inputs["text"])
    text = f"{n_files} {'file' if n_files == 1 else 'files'}" if n_files else ""
    return Made(
        str(report["program"]),
        describe(inputs["model"]),
        tuple(describe(each) for each in inputs["others"]),
        ", ".join(filter(None, (text, inputs["source"]))),
        int(inputs["seed"]),
    )


def describe(model: dict[str, Any]) -> str:
    """A model in one line."""
    return f"{model['name']} ({describe_vectors(model)})"


def describe_vectors(model: dict[str, Any]) -> str:
    tokens = f", trained on {model['tokens'] / 1e6:,.1f}M tokens" if model["tokens"] else ""
    return f"{shown_method(model['method'])}, {model['words']:,} words, {model['dimensions']} dimensions{tokens}"
