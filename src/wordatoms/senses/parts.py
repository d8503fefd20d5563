"""The parts of a trained model, each loaded when a question first needs it.

Left out: the questions (`wordatoms.senses.model`), and how the parts were made (`wordatoms.pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.layout import Layout, load_layout
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.contexts.inflection import FILE as FORMS
from wordatoms.contexts.inflection import inflected_forms, parse_forms
from wordatoms.counts.word_lists import WordList
from wordatoms.embeddings.embeddings import Embeddings, Neighbour, load_words
from wordatoms.embeddings.neighbours import FILE as NEIGHBOURS
from wordatoms.embeddings.neighbours import Neighbours
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model_tokens import model_tokenizer
from wordatoms.storage.bundled import bundled_model, notes_folder
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:  # loaded with the first question about a context
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.contexts.reader import ReadingSettings
    from wordatoms.senses.posterior import Posterior


KINDS = {"count": "words", "embed": "vectors", "map": "map", "atomize": "atoms"}
"""What a stage makes."""
Part = TypeVar("Part")


class ModelParts:
    """A model's folder, and what is in it."""

    def __init__(self, path: Path | str | None = None, *, verify: bool = False) -> None:
        self.folder = ModelFolder(bundled_model() if path is None else path)
        self.folder.check(thorough=verify)
        self.path = self.folder.path

    def _part(self, stages: Sequence[str], load: Callable[[Path], Part]) -> Part:
        """What one of these stages made, as it was when the model was opened."""
        if not any(stage in self.folder.stages for stage in stages):
            raise ModelError(f"{self.path} has no {KINDS[stages[0]]} yet; run: wordatoms {stages[0]} {self.path}")
        try:
            return load(self.path)
        finally:  # files of two models may load well, or badly, and say nothing of the reason
            self.folder.check_unchanged()

    @cached_property
    def _word_list(self) -> WordList:
        return self._part(("count", "import"), load_words)

    @property
    def words(self) -> tuple[str, ...]:
        """By falling count wherever the model was trained here."""
        return self._word_list.words

    @cached_property
    def embeddings(self) -> Embeddings:
        return self._part(("embed", "import"), lambda path: Embeddings.load(path, self._word_list))

    @cached_property
    def learned_from(self) -> Embeddings:
        """The vectors that the atoms were learned from: those of the words, or the induced ones."""
        settings = self.folder.stages.get("atomize", {}).get("settings", {})
        vectors = str(settings.get("vectors", "word"))
        return self.embeddings if vectors == "word" else self._part(("map",), lambda path: load_vectors(path, vectors))

    @cached_property
    def neighbours(self) -> Neighbours | None:
        """Of all words, where the model keeps them: those of a stage that is no longer valid are not looked at."""
        kept = self.folder.stages.get("atomize", {}).get("files", {})
        if NEIGHBOURS not in kept:
            return None
        return self._part(("atomize",), lambda path: Neighbours.load(path, len(self.words)))

    def near_words(self, word: str, n: int = 10) -> list[Neighbour]:
        """The words nearest to a word: looked up where the model keeps so many, else by a search over all words."""
        row, kept = self.row(word), self.neighbours
        if kept is not None and 1 <= n <= kept.n_kept:
            return kept.of(row, n, self.embeddings)
        return self.embeddings.nearest(self.words[row], n)

    @cached_property
    def atoms(self) -> Atoms:
        atoms = self._part(("atomize",), Atoms.load)
        if len(atoms.codes) != len(self.words):
            raise ModelError(
                f"{self.path} disagrees with itself: {len(self.words):,} words but codes of {len(atoms.codes):,}; "
                "make the atoms again."
            )
        return atoms

    def _closest(self, word: str, n: int) -> list[tuple[int, float]]:
        vectors = self.learned_from
        if vectors.dim != self.atoms.dim:
            raise ModelError(
                f"{self.path} disagrees with itself: vectors of {vectors.dim} dimensions but atoms of "
                f"{self.atoms.dim}; make the atoms again."
            )
        return self.atoms.closest(vectors[word], n)

    # --- contexts

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """How text is cut into the words of the model."""
        return model_tokenizer(self.folder)

    @cached_property
    def induced_map(self) -> InducedMap:
        from wordatoms.contexts.induced_map import InducedMap

        self.folder.require("map", f"run: wordatoms map {self.path}")
        return self._part(("map",), InducedMap.load)

    @cached_property
    def reading(self) -> ReadingSettings:
        """How contexts are read: as the model was tuned, else by default."""
        from wordatoms.contexts.reader import load_reading

        return load_reading(self.folder)

    @cached_property
    def posterior(self) -> Posterior:
        return self.make_posterior(self.reading)

    def make_posterior(self, settings: ReadingSettings) -> Posterior:
        """A posterior over the atoms with settings of one's own."""
        from wordatoms.senses.posterior import make_posterior

        return make_posterior(self.embeddings, self.induced_map, self.atoms.vectors, settings)

    # --- words

    @cached_property
    def meta_atoms(self) -> MetaAtoms:
        return self._part(("atomize",), lambda path: MetaAtoms.load(path, len(self.atoms)))

    @cached_property
    def layout(self) -> Layout:
        """A place in the plane for each atom, (n_atoms, 2)."""
        return self._part(("atomize",), lambda path: load_layout(path, len(self.atoms)))

    @property
    def notes(self) -> Notes:
        """What a person added: read anew each time, because another process may have changed it."""
        return Notes.load(self.notes_folder, self.atoms.fingerprint, len(self.atoms))

    @cached_property
    def notes_folder(self) -> Path:
        return notes_folder(self.path)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def forms(self, word: str) -> tuple[str, ...]:
        """The word, and its inflected forms that the model knows."""
        if word in self._rows and self._listed_forms is not None:
            return (word, *(form for form in self._listed_forms.get(word, ()) if form in self._rows))
        return inflected_forms(word, self._rows)

    @cached_property
    def _listed_forms(self) -> Mapping[str, tuple[str, ...]] | None:
        """Of all words, where the model has a list of them."""
        path = self.path / FORMS
        try:
            return parse_forms(path.read_bytes()) if path.is_file() else None
        except InputError as error:
            raise ModelError(f"{path} {error}") from error

    def find_spelling(self, word: str) -> str | None:
        """A word as the model spells it: as given, in small letters, or as texts are cut (“tie”, is tie); else None."""
        tokens = self.tokenizer.tokens(word)
        spellings = (word, word.lower(), *(tokens if len(tokens) == 1 else ()))  # new york may be one token
        return next((spelling for spelling in spellings if spelling in self._rows), None)

    def row(self, word: str) -> int:
        """The row of a word; an unknown one raises with the nearest spellings."""
        if word in self._rows:
            return self._rows[word]
        if word.lower() in self._rows:
            return self._rows[word.lower()]
        raise UnknownWordError(word, self.words)


def load_vectors(path: Path, vectors: str) -> Embeddings:
    """The word vectors of a model, or its induced ones."""
    embeddings = Embeddings.load(path)
    if vectors == "word":
        return embeddings
    from wordatoms.contexts.induced_map import load_induced_vectors

    return replace(embeddings, vectors=load_induced_vectors(path), state={})
