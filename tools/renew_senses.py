"""Find the senses of the bundled English model again: with another list of senses, or by another method.

    python tools/renew_senses.py CORPUS -o WORK --sentences docs/results/own-sentences.tsv [--install]

CORPUS is a folder of text files, as for `make_english_model.py`. Vectors, map, atoms and settings of the bundled model
stay as they are, so that the names of its atoms stay right; the senses of its words and phrases are found anew, and its
manifest says of which text. Example sentences belong to senses, so they are added again: those of SENTENCES that the
model reads as they were meant. WORK gets the full senses and the new model, which `--install` puts into
src/wordatoms/data/english. It takes about 10 minutes of two cores for 350M words. Afterwards: `tools/renew_results.py`.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from add_sentences import attach, read_all, read_sentences
from make_english_model import find_corpus, install

from wordatoms.errors import WordatomsError
from wordatoms.pipeline.compact import compact_stage
from wordatoms.pipeline.observe import observe
from wordatoms.pipeline.phrases import PhraseSettings, learn_phrases
from wordatoms.progress import Display
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.inventory import ENGLISH as ENGLISH_LIST
from wordatoms.senses.inventory import Inventory, read_inventory
from wordatoms.senses.model import SenseModel
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.folder import MANIFEST, ModelFolder

STAGES = ("observe", "phrases")


def renew(
    texts: tuple[Path, ...],
    work: Path,
    *,
    model: Path = ENGLISH,
    inventory: Inventory | None = None,
    phrases: PhraseSettings | None = None,
    run: Run = DEFAULT_RUN,
) -> ModelFolder:
    """Return a compact copy of a compact model, with its senses found in `texts`."""
    full, made = work / "observed", work / ENGLISH.name
    shutil.rmtree(full, ignore_errors=True)  # a copy that was interrupted, or of another model
    shutil.copytree(model, full)
    folder = ModelFolder(full)
    observe(folder, sources=texts, inventory=inventory, force=True, run=run)
    learn_phrases(folder, phrases or PhraseSettings(), sources=texts, inventory=inventory, force=True, run=run)
    return write_compact(folder, model, made)


def write_compact(folder: ModelFolder, model: Path, made: Path) -> ModelFolder:
    """Write a copy of a compact model with the senses of another folder, in compact form."""
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(model, made)
    twin = ModelFolder(made)
    with twin.working(), twin.staging() as staged:
        for path in sorted(made.iterdir()):
            if path.is_file() and path.name != MANIFEST:
                shutil.copyfile(path, staged / path.name)
        stages = {**twin.stages, **{name: compact_stage(folder, folder.stages[name], staged) for name in STAGES}}
        twin.install_model(staged, {**twin.manifest, "stages": stages})
    return ModelFolder(made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="folder of text files")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the models")
    parser.add_argument("--threads", type=int, help="default: all cores; the result does not depend on it")
    parser.add_argument("--sentences", type=Path, help="TSV of example sentences, as tools/add_sentences.py reads it")
    parser.add_argument("--install", action="store_true", help="install the model into the package")
    given = parser.parse_args()
    run = Run(given.threads, progress=Display(quiet=False))
    try:
        made = renew(find_corpus(given.corpus).texts, given.output, inventory=read_inventory(ENGLISH_LIST), run=run)
    except WordatomsError as error:
        raise SystemExit(str(error)) from error
    if given.sentences:
        model = SenseModel(made.path)
        attach(model, list(read_all(model, read_sentences(given.sentences))))
    if given.install:
        install(made.path)


if __name__ == "__main__":
    main()
