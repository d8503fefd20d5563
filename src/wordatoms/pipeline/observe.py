"""Text, map and atoms → the senses of all words by their use (`wordatoms.senses.observing`).

One pass over the text samples occurrences of every word; the senses of each family of words are then found one by one.
Finished parts of the pass are kept until the stage is done, so that an interrupted one resumes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.occurrences import Occurrences, sampled_occurrences
from wordatoms.contexts.reader import ContextReader, make_reader
from wordatoms.errors import InputError
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.pipeline.map import model_text
from wordatoms.pipeline.sources import as_input, digest, kept_parts, trusting_record
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.families import FamilySenses, MemberUses, Observer, word_families
from wordatoms.senses.inventory import Inventory
from wordatoms.senses.listed import UNLISTED_SIMILAR, ListReader
from wordatoms.senses.observing import Background, learn_background
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.uses import LISTED_CALIBRATION, Calibration, SenseUses
from wordatoms.storage.folder import ModelFolder

FAMILIES_AT_ONCE = 64
"""Families in one work item of a thread."""
MOST_NEAREST = 30_000
"""Words that are looked at as nearest words of a sense, the most frequent ones."""
N_NEAREST = 10
SENSES_AT_ONCE = 256
"""Senses whose nearest words are looked for by one matrix product."""


@dataclass(frozen=True)
class ObserveSettings:
    """How occurrences are sampled; with text, map and atoms, these settings determine the senses.

    Parameters
    ----------
    n_occurrences : int, default 500
        Maximum number of occurrences read per word.
    seed : int, default 0
        Seed of the sample.

    Examples
    --------
    >>> from wordatoms import ObserveSettings
    >>> ObserveSettings().n_occurrences
    500
    """

    n_occurrences: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_occurrences < 1:
            raise InputError(f"n_occurrences is {self.n_occurrences}; pass 1 or more.")


def observe(
    folder: ModelFolder,
    settings: ObserveSettings | None = None,
    *,
    sources: Sequence[str | Path] = (),
    column: str | None = None,
    inventory: Inventory | None = None,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Find the senses of all words by their use.

    Parameters
    ----------
    folder : ModelFolder
        A model with the stages map and atomize.
    settings : ObserveSettings, optional
        How occurrences are sampled.
    sources : sequence of str or Path, optional
        The text, by default the one that was counted.
    column : str, optional
        The column of `sources` that has the text, if they are tables; by default the one that was counted.
    inventory : Inventory, optional
        The senses that words are known to have; those of other words are found in the text, where fewer are told
        apart than without a list.
    force : bool, default False
        Observe again.
    run : Run, optional
        Threads, memory, engine and progress; none of them changes the result.

    Returns
    -------
    bool
        False if the model already has them.

    Examples
    --------
    >>> from wordatoms.pipeline.observe import observe
    >>> from wordatoms.storage.folder import ModelFolder
    >>> observe(ModelFolder("my.model"))  # doctest: +SKIP
    True
    """
    settings = settings or ObserveSettings()
    folder.require_words()
    with folder.working():
        for stage in ("map", "atomize"):
            folder.require(stage, f"run: wordatoms {stage} {folder.path}")
        parts = ModelParts(folder.path)
        if parts.embeddings.counts is None:
            raise InputError(
                "the vectors come without counts of the words; observe a model that was trained from text."
            )
        if not sources and _is_done(folder, parts, settings, inventory, force=force):
            return False  # without looking for the text
        with model_text(folder, sources, run, column=column) as corpus:
            facts = _facts(folder, parts, settings, inventory, digest(corpus.files))
            if folder.is_done("observe", facts, force=force):
                return False

            def make(forget: Callable[[], None]) -> list[str]:
                common: dict[str, Any] = {"tokenizer": parts.tokenizer, "work": folder.work, "keep": kept_parts(folder)}
                with sampled_occurrences(
                    corpus,
                    parts.words,
                    np.asarray(parts.embeddings.counts),
                    n_most=settings.n_occurrences,
                    window=parts.reading.window,
                    random_state=settings.seed,
                    run=run,
                    **common,
                ) as occurrences:
                    uses = find_uses(parts, occurrences, inventory, random_state=settings.seed, run=run)
                with folder.staging() as staged:
                    uses.save(staged)
                    return folder.install(staged, forget)

            folder.build("observe", facts, make, inputs=[as_input(file) for file in corpus.files])
    return True


def _facts(
    folder: ModelFolder, parts: ModelParts, settings: ObserveSettings, inventory: Inventory | None, text: str
) -> dict[str, Any]:
    with trusting_record():
        atoms = folder.stages["atomize"]["files"]["atoms.npy"]["sha256"]
        matrix = folder.stages["map"]["files"]["map-matrix.npy"]["sha256"]
    listed = {} if inventory is None else {"inventory": inventory.digest}
    return {
        **asdict(settings),
        **listed,
        "reading": parts.reading.record(),
        "atoms": atoms,
        "map": matrix,
        "text": text,
    }


def _is_done(
    folder: ModelFolder, parts: ModelParts, settings: ObserveSettings, inventory: Inventory | None, *, force: bool
) -> bool:
    """Tell whether the stage is done without reading the text; the hash of the counted text is recorded."""
    if "observe" not in folder.stages:
        return False
    with trusting_record():
        text = folder.stages.get("count", folder.stages["observe"])["settings"]["text"]
    return folder.is_done("observe", _facts(folder, parts, settings, inventory, text), force=force)


def find_uses(
    parts: ModelParts,
    occurrences: Occurrences,
    inventory: Inventory | None = None,
    *,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> SenseUses:
    """Find the senses of all words in a sample of their occurrences, those that an inventory lists among them."""
    reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
    atoms = np.asarray(parts.atoms.vectors, np.float32)
    families = word_families(parts.words, parts.forms)
    blocks = [families[start : start + FAMILIES_AT_ONCE] for start in range(0, len(families), FAMILIES_AT_ONCE)]
    with one_blas_thread(), run.progress.item_bar("senses", n_items=len(blocks)) as advance:
        background = learn_background(reader, atoms, occurrences, random_state=random_state)
        observer = Observer(
            reader,
            occurrences,
            background,
            lambda row: parts.atoms.codes.positive(row),
            ListReader(inventory or Inventory(()), parts.words, parts.rows, reader, background.mean),
            UNLISTED_SIMILAR if inventory else None,
        )

        def find(block: list[tuple[int, ...]]) -> list[FamilySenses]:
            found = [observer.observe(family) for family in block]
            advance()
            return found

        senses = list(chain.from_iterable(run_threads(find, blocks, run.n_threads)))
        return collect_uses(senses, families, reader, background, run)


def collect_uses(
    found: Sequence[FamilySenses],
    families: Sequence[tuple[int, ...]],
    reader: ContextReader,
    background: Background,
    run: Run,
    *,
    n_nearest_among: int = MOST_NEAREST,
) -> SenseUses:
    """Number the senses of all families, and gather the uses of each word.

    The nearest words of senses are among the first `n_nearest_among`.
    """
    n_words = len(reader.embeddings)
    family_of = np.zeros(n_words, np.int32)
    members: list[tuple[int, MemberUses]] = []
    first = 0
    for number, (family, senses) in enumerate(zip(families, found, strict=True)):
        family_of[list(family)] = number
        members += [(first, member) for member in senses.members]
        first += len(senses.vectors)
    members.sort(key=lambda each: each[1].row)
    starts = np.cumsum([0, *(len(member.senses) for _, member in members)])
    vectors = np.concatenate([senses.vectors for senses in found])
    owners = [family for family, senses in zip(families, found, strict=True) for _ in range(len(senses.vectors))]
    names = tuple(chain.from_iterable(senses.names for senses in found))
    return SenseUses(
        vectors,
        family_of,
        np.concatenate([senses.atoms for senses in found]),
        np.concatenate([senses.is_general for senses in found]),
        _nearest_words(vectors, owners, reader, background, min(n_nearest_among, MOST_NEAREST), run),
        starts.astype(np.int32),
        np.concatenate([start + member.senses for start, member in members]).astype(np.int32),
        np.concatenate([member.shares for _, member in members]),
        np.concatenate([member.numbers for _, member in members]),
        np.array([member.n_occurrences for _, member in members], np.int32),
        np.concatenate([member.examples for _, member in members]),
        background.mean,
        background.typical_length,
        reader.settings,
        LISTED_CALIBRATION if any(names) else Calibration(),
        names=names if any(names) else (),
    )


def _nearest_words(
    vectors: NDArray[np.float32],
    owners: Sequence[tuple[int, ...]],
    reader: ContextReader,
    background: Background,
    n_words: int,
    run: Run,
) -> NDArray[np.int32]:
    """Return the words nearest to each sense, without the main directions of contexts and the words that have it.

    Only words that readers are likely to know are looked at: the more frequent ones.
    """
    words = background.strip(np.asarray(reader.embeddings.vectors[:n_words], np.float32))
    n_nearest = min(N_NEAREST, len(words))

    def find(start: int) -> NDArray[np.int32]:
        block = slice(start, start + SENSES_AT_ONCE)
        products = background.strip(vectors[block]) @ words.T
        for row, family in zip(products, owners[block], strict=True):
            row[[member for member in family if member < len(words)]] = -np.inf
        best = np.argpartition(-products, n_nearest - 1, axis=1)[:, :n_nearest]
        order = np.argsort(-np.take_along_axis(products, best, axis=1), axis=1, kind="stable")
        return np.take_along_axis(best, order, axis=1).astype(np.int32)

    blocks = run_threads(find, range(0, len(vectors), SENSES_AT_ONCE), run.n_threads)
    return np.concatenate([np.zeros((0, n_nearest), np.int32), *blocks])
