"""Build the bundled English model from text; the same text and seed give the same bytes.

    python tools/make_english_model.py CORPUS -o WORK              # about 23 minutes of one core and 3 GB for 92M words
    python tools/make_english_model.py CORPUS -o WORK --install    # and install it into src/wordatoms/data/english

CORPUS is a folder of text files, read in the order of their names. The last one is held out for tuning:

1. Train a model on all files but the last, and tune its settings on pseudowords in the last file.
2. Train a model on all files with the same recipe, and adopt these settings.
3. Write the compact version of it, with the licence; this is the bundled model.

An interrupted run resumes. What was seen of the tests before the recipe was settled: docs/results/tuning.md.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordatoms.errors import WordatomsError
from wordatoms.pipeline.atomize import AtomSettings
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.train import train
from wordatoms.pipeline.tune import adopt_tuning, tune
from wordatoms.progress import Display
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.folder import ModelFolder

LICENCE = Path(__file__).with_name("ENGLISH-LICENCE.txt")


@dataclass(frozen=True)
class Recipe:
    """Everything except the text that determines the model; chosen by tuning, see docs/model-card.md."""

    method: str = "pmi"
    dim: int = 300
    max_words: int = 50_000
    n_atoms: int = 2500
    """Atoms of each k-SVD run; about 2000 remain after the runs are merged."""
    seed: int = 0

    def train(self, sources: Sequence[Path], folder: Path, run: Run) -> ModelFolder:
        settings: dict[str, Any] = {
            "settings": CountSettings(max_words=self.max_words),
            "parameters": {"dim": self.dim},
            "atom_settings": AtomSettings(n_atoms=self.n_atoms),
        }
        return train(sources, folder, method=self.method, random_state=self.seed, run=run, **settings).folder


def make_model(
    shards: Sequence[Path], work: Path, *, recipe: Recipe | None = None, run: Run = DEFAULT_RUN
) -> ModelFolder:
    """Build the compact model of these shards; `work` also keeps the full models."""
    recipe = recipe or Recipe()
    held = recipe.train(shards[:-1], work / "held", run)
    tune(held, shards[-1:], run=run)
    full = recipe.train(shards, work / "full", run)
    adopt_tuning(full, held)
    made = compact(full, work / ENGLISH.name, force=True)
    shutil.copyfile(LICENCE, made.path / "LICENCE.txt")
    return made


def find_shards(corpus: Path) -> list[Path]:
    """The text files of a folder, sorted by name; at least two, because one is held out."""
    if not corpus.is_dir():
        raise SystemExit(f"{corpus} is not a folder; pass the folder of the text files.")
    shards = sorted(path for path in corpus.iterdir() if path.is_file() and not path.name.startswith("."))
    if len(shards) < 2:
        raise SystemExit(
            f"{corpus} has {len(shards)} files; at least two are needed, because the last one is held out."
        )
    return shards


def install(made: Path) -> None:
    """Replace the bundled model by this one."""
    beside = ENGLISH.with_name(f".{ENGLISH.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(made, beside)
    shutil.rmtree(ENGLISH, ignore_errors=True)
    beside.rename(ENGLISH)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="folder of text files")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the models")
    parser.add_argument("--threads", type=int, help="default: all cores; the result does not depend on it")
    parser.add_argument("--install", action="store_true", help="install the model into the package")
    given = parser.parse_args()
    try:
        made = make_model(
            find_shards(given.corpus), given.output, run=Run(given.threads, progress=Display(quiet=False))
        )
    except WordatomsError as error:
        raise SystemExit(str(error)) from error
    if given.install:
        install(made.path)


if __name__ == "__main__":
    main()
