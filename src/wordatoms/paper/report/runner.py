"""Choosing and running exhibits, and everything that the report says as JSON.

An exhibit whose data are missing shows the result that is bundled with the package, if there is one
(`wordatoms.paper.report.bundled`); one that fails does not stop the others. A finished result is
written atomically to `results/NAME.json` in the folder of the report. It carries a key, a digest of everything that
decides its numbers: the sources of the package, the models, the data files, the seed and the options. A result with the
same key is reused. Rendering (`wordatoms.paper.report.page`) never computes: it shows numbers that are plain JSON.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from errno import ENOSPC, EPIPE
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from wordatoms import __version__
from wordatoms.errors import InputError, WordatomsError
from wordatoms.paper.exhibits.digests import file_digests, model_digest, sources_digest
from wordatoms.paper.exhibits.exhibit import Exhibit
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.report.bundled import DAMAGED, read_bundled
from wordatoms.paper.report.outcome import Outcome
from wordatoms.paper.report.tally import count_figures
from wordatoms.paper.tasks.registry import FOLDERS
from wordatoms.pipeline.info import folder_facts
from wordatoms.progress import Display
from wordatoms.senses.model import SenseModel
from wordatoms.storage.bundled import ENGLISH, REPRODUCED
from wordatoms.storage.files import write_json
from wordatoms.storage.untrusted import read_json

# --- all exhibits

_FOUND: list[Exhibit] = [
    exhibit for folder in FOLDERS for exhibit in import_module(f"wordatoms.paper.tasks.{folder}.exhibit").EXHIBITS
]
EXHIBITS: dict[str, Exhibit] = {each.name: each for each in sorted(_FOUND, key=lambda each: not each.is_paper)}
"""The exhibits of all tasks in the order of the report: those of the paper, then our additions."""


def find_exhibits(names: Sequence[str]) -> list[Exhibit]:
    """The exhibits with these names in the order of the report; `7` means `table-7`, `figure-1` both panels."""
    wanted = {found for name in names for found in _matching(name)}
    return [exhibit for name, exhibit in EXHIBITS.items() if name in wanted]


def _matching(name: str) -> list[str]:
    plain = _plain(name)
    plain = f"table{plain}" if plain.isdigit() else plain
    found = [known for known in EXHIBITS if _plain(known) == plain]
    found = found or [known for known in EXHIBITS if plain == "figure1" and known.startswith("figure-1")]
    if not found:
        raise InputError(f"there is no exhibit '{name}'; pass some of {', '.join(EXHIBITS)}, or --all.")
    return found


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


# --- running

RESULTS = "results"
OnStart = Callable[[int, int, Exhibit], None]
OnEnd = Callable[[Outcome], None]


def run_exhibits(
    exhibits: Sequence[Exhibit],
    inputs: Inputs,
    *,
    folder: Path | None = None,
    force: bool = False,
    bundled: Path | None = None,
    prefer_bundled: bool = False,
    on_start: OnStart | None = None,
    on_end: OnEnd | None = None,
) -> Iterator[Outcome]:
    """Compute tables and figures of the paper, one by one.

    Parameters
    ----------
    exhibits : sequence of Exhibit
        Such as `find_exhibits(["table-7"])`; all are in `EXHIBITS`.
    inputs : Inputs
        Model, data and text; see `wordatoms.paper.exhibits.inputs.open_inputs`.
    folder : Path, optional
        Store results there, and reuse those that are still valid.
    force : bool, default False
        Compute everything again.
    bundled : Path, optional
        Folder of results that are shown where data are missing; by default those in the package.
    prefer_bundled : bool, default False
        Show these results wherever there are any.
    on_start : callable, optional
        Called before each exhibit with its number, how many there are, and the exhibit.
    on_end : callable, optional
        Called after each exhibit with its `Outcome`.

    Yields
    ------
    Outcome

    Examples
    --------
    >>> from wordatoms.paper.exhibits.inputs import open_inputs
    >>> from wordatoms.paper.report.runner import find_exhibits, run_exhibits
    >>> list(run_exhibits(find_exhibits(["table-7"]), open_inputs(data="data")))  # doctest: +SKIP
    """
    for number, exhibit in enumerate(exhibits, 1):
        if on_start:
            on_start(number, len(exhibits), exhibit)
        prefix = f"[{number}/{len(exhibits)}] {exhibit.title}: "
        run = replace(inputs.run, progress=Display(quiet=inputs.run.progress.quiet, prefix=prefix))
        kept = read_bundled(exhibit, bundled or REPRODUCED)
        outcome = kept if kept and prefer_bundled else _run(exhibit, replace(inputs, run=run), folder, force=force)
        if kept and outcome.status == "missing":
            outcome = replace(kept, missing=outcome.missing)
        if on_end:
            on_end(outcome)
        yield outcome


def _run(exhibit: Exhibit, inputs: Inputs, folder: Path | None, *, force: bool) -> Outcome:
    """Run one exhibit; expected errors become an outcome."""
    started = perf_counter()
    try:
        missing = tuple((need.name, need.how) for need in exhibit.missing(inputs))
        if missing:
            return Outcome(exhibit, "missing", missing=missing)
        lacking = tuple((need.name, need.how) for need in exhibit.lacking(inputs))
        key = make_key(exhibit, inputs)
        kept = None if force or folder is None else _read_result(folder, exhibit, key)
        if kept:
            return replace(kept, lacking=lacking)
        numbers = plain(exhibit.run(inputs))
        exhibit.figures(numbers)  # numbers that cannot be shown are an error
    except (WordatomsError, OSError) as error:
        if isinstance(error, OSError) and error.errno in (ENOSPC, EPIPE):
            raise  # the next exhibit would fail, too
        return Outcome(exhibit, "failed", seconds=round(perf_counter() - started, 2), says=str(error))
    seconds, today = round(perf_counter() - started, 2), datetime.now(UTC).date().isoformat()
    outcome = Outcome(exhibit, "done", numbers, seconds, False, today, describe_machine(), lacking=lacking)
    if folder is not None:
        _write_result(folder, outcome, key)
    return outcome


# --- results on disk


def _write_result(folder: Path, outcome: Outcome, key: str) -> None:
    (folder / RESULTS).mkdir(parents=True, exist_ok=True)
    kept = {name: getattr(outcome, name) for name in ("seconds", "computed", "machine", "numbers")}
    write_json(folder / RESULTS / f"{outcome.exhibit.name}.json", {"key": key, **kept})


def _read_result(folder: Path, exhibit: Exhibit, key: str) -> Outcome | None:
    """The stored result if it has this key; None if there is none or it is damaged."""
    try:
        found = read_json(folder / RESULTS / f"{exhibit.name}.json")
        if found["key"] != key:
            return None
        outcome = Outcome(
            exhibit,
            "done",
            dict(found["numbers"]),
            float(found["seconds"]),
            True,
            str(found["computed"]),
            str(found["machine"]),
        )
        outcome.to_json()
    except DAMAGED:
        return None
    return outcome


def make_key(exhibit: Exhibit, inputs: Inputs) -> str:
    """A digest of everything that decides the numbers of an exhibit."""
    used = [*exhibit.needs, *(need for need in exhibit.helped_by if need.is_met(inputs))]
    facts = {
        "exhibit": exhibit.name,
        "sources": sources_digest(exhibit.run.__module__),
        "model": model_digest(inputs.model) if exhibit.reads_model else None,
        "used": {need.name: list(need.facts(inputs)) for need in used},
        "seed": inputs.seed,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


# --- plain numbers


def plain(value: Any) -> Any:
    """The value after a round trip through JSON; numbers that are not finite become None."""
    return json.loads(json.dumps(_finite(value), allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@lru_cache(maxsize=1)
def describe_machine() -> str:
    """Processor, cores, system and version of Python."""
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


# --- the report as JSON


def describe_model(model: SenseModel) -> dict[str, Any]:
    """Name, vectors, words, atoms, text and settings of a model; no paths, which may be private."""
    stages, embeddings = model.folder.stages, model.embeddings
    facts: dict[str, Any] = {
        "name": "the English model that comes with wordatoms" if model.path == ENGLISH else model.path.resolve().name,
        "method": embeddings.method,
        "words": len(embeddings),
        "dimensions": embeddings.dim,
        "tokens": folder_facts(model.folder).get("tokens") or embeddings.n_tokens,
        "atoms": len(model.atoms) if "atomize" in stages else None,
        "stages": list(stages),
    }
    if "atomize" in stages:
        settings = stages["atomize"]["settings"]
        facts["atoms_settings"] = {name: settings.get(name) for name in ("n_restarts", "sparsity", "vectors", "seed")}
    if "map" in stages:
        settings = stages["map"]["settings"]
        facts["map_settings"] = {name: settings.get(name) for name in ("window", "a", "include_target", "weighting")}
    return facts


def report_json(outcomes: Sequence[Outcome], inputs: Inputs) -> dict[str, Any]:
    """The whole report, as `results.json` holds it."""
    return {
        "program": f"wordatoms {__version__}",
        "tally": count_figures(outcomes).to_json(),
        "inputs": {
            "model": {**describe_model(inputs.model), "digest": model_digest(inputs.model)},
            "others": [{**describe_model(model), "digest": model_digest(model)} for model in inputs.others],
            "text": [
                {"file": path.name, "sha256": digest}
                for path, digest in zip(inputs.text_files, file_digests(inputs.text_files), strict=True)
            ],
            "source": inputs.source or None,
            "seed": inputs.seed,
            "competitors": inputs.competitors,
        },
        "exhibits": [outcome.to_json() for outcome in outcomes],
    }
