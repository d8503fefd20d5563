"""Build the bundled English model from text; the same text and seed give the same bytes.

    python tools/make_english_model.py CORPUS -o WORK              # about 30 minutes of two cores for 340M words
    python tools/make_english_model.py CORPUS -o WORK --install    # and install it into src/wordatoms/data/english

CORPUS is a folder of text files, read in the order of their names. Those in its folder `held` are held out for tuning:

1. Count, embed, learn the map and the atoms from all other files.
2. Choose the settings for reading contexts on pseudowords in the held-out files.
3. Find the senses of all words by their use, with these settings: those of the English list of senses, and others.
4. Find phrases, and learn their vectors from their contexts; this needs gensim.
5. Write the compact version of the model, with the licence; this is the bundled model.

An interrupted run resumes. What was seen of the tests before the recipe was settled: docs/results/tuning.md.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from wordatoms.errors import WordatomsError
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import embed
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.observe import ObserveSettings, observe
from wordatoms.pipeline.phrases import PhraseSettings, learn_phrases
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.tune import tune
from wordatoms.progress import Display
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.inventory import ENGLISH as ENGLISH_LIST
from wordatoms.senses.inventory import read_inventory
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.folder import ModelFolder

HELD = "held"
LICENCE = Path(__file__).with_name("ENGLISH-LICENCE.txt")
CARD = Path(__file__).with_name("ENGLISH-CARD.json")


@dataclass(frozen=True)
class Recipe:
    """Everything except the text that determines the model; chosen by tuning, see docs/model-card.md."""

    method: str = "pmi"
    dim: int = 300
    max_words: int = 60_000
    n_atoms: int = 2500
    """Atoms of each k-SVD run; about 2000 remain after the runs are merged."""
    inventory: str = ENGLISH_LIST
    """The list of known senses; empty for none."""
    phrases: PhraseSettings = field(default_factory=PhraseSettings)
    seed: int = 0

    def learn(self, sources: Sequence[Path], path: Path, run: Run) -> ModelFolder:
        """Everything up to the atoms."""
        folder = ModelFolder(path, create=True)
        count(sources, folder, CountSettings(max_words=self.max_words), run=run)
        embed(folder, self.method, parameters={"dim": self.dim}, random_state=self.seed, run=run)
        map_contexts(folder, MapSettings(seed=self.seed), sources=sources, run=run)
        atomize(folder, AtomSettings(n_atoms=self.n_atoms), random_state=self.seed, run=run)
        return folder


def make_model(corpus: Corpus, work: Path, *, recipe: Recipe | None = None, run: Run = DEFAULT_RUN) -> ModelFolder:
    """Build the compact model of a corpus; `work` also keeps the full model."""
    recipe = recipe or Recipe()
    full = recipe.learn(corpus.texts, work / "full", run)
    tune(full, corpus.held_out, run=run)
    inventory = read_inventory(recipe.inventory) if recipe.inventory else None
    observe(full, ObserveSettings(seed=recipe.seed), sources=corpus.texts, inventory=inventory, run=run)
    learn_phrases(full, recipe.phrases, sources=corpus.texts, inventory=inventory, run=run)
    made = compact(full, work / ENGLISH.name, force=True)
    shutil.copyfile(LICENCE, made.path / "LICENCE.txt")
    shutil.copyfile(CARD, made.path / "card.json")
    return made


class Corpus(NamedTuple):
    """The files to learn from, and those to tune on."""

    texts: tuple[Path, ...]
    held_out: tuple[Path, ...]


def find_corpus(folder: Path) -> Corpus:
    """The text files of a folder and of its folder `held`, sorted by name."""
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not a folder; pass the folder of the text files.")
    texts, held_out = _files(folder), _files(folder / HELD)
    if not texts or not held_out:
        raise SystemExit(
            f"{folder} has {len(texts)} text files and its folder {HELD} has {len(held_out)}; at least one of each is "
            "needed, because settings are chosen on text that the model has not seen."
        )
    return Corpus(texts, held_out)


def _files(folder: Path) -> tuple[Path, ...]:
    found = folder.iterdir() if folder.is_dir() else []
    return tuple(sorted(path for path in found if path.is_file() and not path.name.startswith(".")))


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
            find_corpus(given.corpus), given.output, run=Run(given.threads, progress=Display(quiet=False))
        )
    except WordatomsError as error:
        raise SystemExit(str(error)) from error
    if given.install:
        install(made.path)


if __name__ == "__main__":
    main()
