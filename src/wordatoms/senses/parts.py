"""The parts of a trained model, each loaded from the model folder when it is first needed.

Left out: the questions a model answers (`wordatoms.senses.model`), and how the parts are made (`wordatoms.pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.layout import Layout, load_layout
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.atoms.names import AtomNames
from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, ListedForms, WordForms, check_language
from wordatoms.contexts.inflection import FILE as FORMS
from wordatoms.contexts.usages import target_forms, target_tokens
from wordatoms.counts.word_lists import WordList, WordText
from wordatoms.embeddings.embeddings import Embeddings, Neighbour, load_words, open_words
from wordatoms.embeddings.neighbours import FILE as NEIGHBOURS
from wordatoms.embeddings.neighbours import Neighbours
from wordatoms.embeddings.quantized import load_rows
from wordatoms.embeddings.spelling import find_spelling
from wordatoms.errors import InputError, ModelError, UnknownWordError, require_string
from wordatoms.senses.annotations import Notes
from wordatoms.storage.bundled import bundled_model, notes_folder
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:  # loaded with the first question about a context
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.contexts.reader import ContextReader, ReadingSettings
    from wordatoms.embeddings.items import ItemTexts
    from wordatoms.senses.phrases import Phrases
    from wordatoms.senses.posterior import Posterior
    from wordatoms.senses.uses import SenseUses

KINDS = {
    "count": "words",
    "embed": "vectors",
    "map": "map",
    "atomize": "atoms",
    "observe": "senses by use",
    "phrases": "phrases",
}
"""What each stage makes, for error messages."""
N_TELLING_WORDS = 1000
"""A capital letter in one of this many first words of imported vectors means that their text was not lower-cased."""
PHRASE_ADVICE = (
    "it is a phrase: pass texts that contain it (disambiguate, cluster, induce), or learn phrases (wordatoms phrases)."
)
MOST_SEARCHED = 100
"""Words that are searched in the file of words; for more, all words are loaded."""
ITEM_ADVICE = "in this model of items a name is the beginning of a text, as `wordatoms atoms` shows it."
Part = TypeVar("Part")


class ModelParts:
    """A model folder and everything in it; without a path, the bundled English model."""

    def __init__(self, path: Path | str | None = None, *, verify: bool = False) -> None:
        self.folder = ModelFolder(bundled_model() if path is None else path)
        self.folder.check(thorough=verify)
        self.path = self.folder.path

    def _load(self, stages: Sequence[str], load: Callable[[Path], Part]) -> Part:
        """Load what one of these stages made, and check that the folder did not change since it was opened."""
        if not any(stage in self.folder.stages for stage in stages):
            raise ModelError(f"{self.path} has no {KINDS[stages[0]]} yet; run: wordatoms {stages[0]} {self.path}")
        try:
            return load(self.path)
        finally:  # a mix of two models' files may load without an error, or fail with a misleading one
            self.folder.check_unchanged()

    # --- words

    @cached_property
    def word_list(self) -> WordList:
        return self._load(("count", "import"), load_words)

    @property
    def words(self) -> tuple[str, ...]:
        return self.word_list.words

    @cached_property
    def rows(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    @cached_property
    def _word_text(self) -> WordText:
        return self._load(("count", "import"), open_words)

    @property
    def _knows_all(self) -> bool:
        """Whether all words are loaded: not for a query about a few, which would take longer to load than to answer."""
        return "word_list" in self.__dict__ or self._word_text.n_searched > MOST_SEARCHED

    @property
    def n_words(self) -> int:
        return len(self.words) if self._knows_all else len(self._word_text)

    def find_row(self, word: str) -> int | None:
        """Return the row of a word in exactly this spelling; None if the model does not have it."""
        return self.rows.get(word) if self._knows_all else self._word_text.find(word)

    def word(self, row: int) -> str:
        return self.words[row] if self._knows_all else self._word_text.word(row)

    def n_occurrences(self, word: str) -> int:
        """Return how often a word of the model occurs, at least 1; 1 if that is not known."""
        row = self.row(word)
        if not self._knows_all:
            return max(self._word_text.count(row) or 1, 1)
        counts = self.word_list.counts
        return 1 if counts is None else max(int(counts[row]), 1)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return model_tokenizer(self.folder)

    def find_spelling(self, word: str) -> str | None:
        require_string(word, "the word", "pass one word as a string")
        return find_spelling(word, self, lambda text: self.tokenizer.tokens(text))

    def __contains__(self, word: object) -> bool:
        """Whether the model has a word in exactly this spelling."""
        return isinstance(word, str) and self.find_row(word) is not None

    def row(self, word: str) -> int:
        spelling = self.find_spelling(word)
        row = None if spelling is None else self.find_row(spelling)
        if row is None:
            advice = ITEM_ADVICE if self.folder.has_items else PHRASE_ADVICE if len(word.split()) > 1 else ""
            raise UnknownWordError(word, self.words, advice)
        return row

    def forms(self, word: str) -> tuple[str, ...]:
        if word in self and self._listed_forms is not None:
            return (word, *(form for form in self._listed_forms.of(word) if form in self))
        return self.word_forms.of(word)

    def usage_forms(self, word: str) -> Collection[str]:
        tokens = target_tokens(word, self.tokenizer)
        if len(tokens) > 1:
            return frozenset(tokens)
        known = self.forms(tokens[0])
        return target_forms(word, self.tokenizer, known=known, vocabulary=self.rows, language=self.language)

    @cached_property
    def language(self) -> str:
        """Code of the language of the text, such as "en"."""
        return model_language(self.folder)

    @cached_property
    def word_forms(self) -> WordForms:
        """The inflected forms by the dictionary of the language, which takes a second to load."""
        return make_word_forms(*self.word_list, self.language)

    @cached_property
    def _listed_forms(self) -> ListedForms | None:
        """The inflected forms of all words, if the model has a list of them."""
        path = self.path / FORMS
        try:
            return ListedForms(path.read_bytes()) if path.is_file() else None
        except InputError as error:
            raise ModelError(f"{path} {error}") from error

    @cached_property
    def texts(self) -> ItemTexts | None:
        """The whole texts of the items; None for a model of words."""
        if not self.folder.has_items:
            return None
        from wordatoms.embeddings.items import ItemTexts

        return self._load(("import",), lambda path: ItemTexts.load(path, len(self.words)))

    # --- vectors

    @cached_property
    def embeddings(self) -> Embeddings:
        return self._load(("embed", "import"), lambda path: Embeddings.load(path, self.word_list))

    def vectors_of(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """The vectors of some words, without loading all of them."""
        if "embeddings" not in self.__dict__:
            vectors = self._load(("embed", "import"), lambda path: load_rows(path, rows))
            if vectors.dtype == np.float32 and np.isfinite(vectors).all():
                return np.asarray(vectors)
        return np.asarray(self.embeddings.vectors[list(rows)])  # which refuses damaged vectors

    @cached_property
    def learned_from(self) -> Embeddings:
        """The vectors that the atoms were learned from: the word vectors or the induced ones."""
        settings = self.folder.stages.get("atomize", {}).get("settings", {})
        kind = str(settings.get("vectors", "word"))
        vectors = self.embeddings if kind == "word" else self._load(("map",), lambda path: load_vectors(path, kind))
        if vectors.dim != self.atoms.dim:
            self._refuse(f"vectors of {vectors.dim} dimensions but atoms of {self.atoms.dim}")
        return vectors

    @cached_property
    def neighbours(self) -> Neighbours | None:
        """The stored neighbours of all words, if the stage `atomize` kept them."""
        if NEIGHBOURS not in self.folder.stages.get("atomize", {}).get("files", {}):
            return None
        return self._load(("atomize",), lambda path: Neighbours.load(path, len(self.words)))

    @cached_property
    def phrases(self) -> Phrases | None:
        """Phrases with vectors of their own; None if none were learned."""
        if "phrases" not in self.folder.stages:
            return None
        from wordatoms.senses.phrases import Phrases

        return self._load(
            ("phrases",),
            lambda path: Phrases.load(path, n_words=len(self.words), n_atoms=len(self.atoms), dim=self.embeddings.dim),
        )

    def find_phrase(self, text: str) -> int | None:
        """Return the number of a phrase; None if the text is a word of the vocabulary, or no phrase of the model."""
        if self.find_spelling(text) is not None or self.phrases is None:
            return None
        return self.phrases.find(text, self.tokenizer)

    def check_known(self, text: str) -> None:
        """Raise unless the text is a word of the vocabulary or a phrase of the model."""
        if self.find_phrase(text) is None:
            self.row(text)

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a word or a phrase, (dim,)."""
        number = self.find_phrase(text)
        if number is None or self.phrases is None:
            return np.asarray(self.embeddings.vectors[self.row(text)], np.float32)
        return np.asarray(self.phrases.vectors[number])

    def near_words(self, word: str, n: int = 10) -> list[Neighbour]:
        if self.find_phrase(word) is not None:
            return self.embeddings.nearest(self.vector(word), n)
        row, kept = self.row(word), self.neighbours
        if kept is not None and isinstance(n, int) and 1 <= n <= kept.n_kept:
            return kept.of(row, n, self.embeddings)
        return self.embeddings.nearest(self.words[row], n)

    # --- atoms

    @cached_property
    def atoms(self) -> Atoms:
        """The atoms, with the names that come with the model as labels."""
        return self.atom_names.apply(self._unnamed_atoms)

    @cached_property
    def _unnamed_atoms(self) -> Atoms:
        atoms = self._load(("atomize",), Atoms.load)
        if len(atoms.codes) != self.n_words:
            self._refuse(f"{self.n_words:,} words but codes of {len(atoms.codes):,}")
        return atoms

    @cached_property
    def atom_names(self) -> AtomNames:
        return AtomNames.load(self.path, self._unnamed_atoms)

    def _refuse(self, contradiction: str) -> None:
        raise ModelError(f"{self.path} is inconsistent: {contradiction}. Run: wordatoms atomize {self.path} --force")

    @cached_property
    def meta_atoms(self) -> MetaAtoms:
        return self.atom_names.apply_meta(self._load(("atomize",), lambda path: MetaAtoms.load(path, len(self.atoms))))

    @cached_property
    def layout(self) -> Layout:
        return self._load(("atomize",), lambda path: load_layout(path, len(self.atoms)))

    @cached_property
    def notes_folder(self) -> Path:
        return notes_folder(self.path)

    @property
    def notes(self) -> Notes:
        """The user's notes, read each time because another process may have changed them."""
        return Notes.load(self.notes_folder, self.atoms.fingerprint, len(self.atoms))

    # --- contexts

    @cached_property
    def induced_map(self) -> InducedMap:
        from wordatoms.contexts.induced_map import InducedMap

        self.folder.require_words()
        self.folder.require("map", f"run: wordatoms map {self.path}")
        return self._load(("map",), InducedMap.load)

    @cached_property
    def reading(self) -> ReadingSettings:
        from wordatoms.contexts.reader import load_reading

        return load_reading(self.folder)

    @cached_property
    def posterior(self) -> Posterior:
        return self.make_posterior(self.reading)

    @cached_property
    def uses(self) -> SenseUses | None:
        """The senses by use; None if the text of the model was not observed."""
        if "observe" not in self.folder.stages:
            return None
        from wordatoms.senses.uses import SenseUses

        uses = self._load(("observe",), lambda path: SenseUses.load(path, check=self.folder.check_unchanged))
        if len(uses.families) != self.n_words or uses.atoms.max(initial=-1) >= len(self.atoms):
            self._refuse("the senses by use belong to other words or atoms")
        return uses

    @cached_property
    def uses_reader(self) -> ContextReader:
        """Reads contexts as those that the senses by use were found in."""
        from wordatoms.contexts.reader import make_reader

        assert self.uses is not None
        return make_reader(self.embeddings, self.induced_map, self.uses.reading)

    def make_posterior(self, settings: ReadingSettings) -> Posterior:
        from wordatoms.senses.posterior import make_posterior

        return make_posterior(self.embeddings, self.induced_map, self.atoms.vectors, settings)


def load_vectors(path: Path, vectors: str) -> Embeddings:
    """Load the word vectors of a model ("word"), or its induced ones."""
    embeddings = Embeddings.load(path)
    if vectors == "word":
        return embeddings
    from wordatoms.contexts.induced_map import load_induced_vectors

    return replace(embeddings, vectors=load_induced_vectors(path), state={})


def make_word_forms(words: Sequence[str], counts: NDArray[np.int64] | None, language: str) -> WordForms:
    """Return the inflected forms of the words of a model."""
    return WordForms(words, language, None if counts is None else counts.tolist())


def model_language(folder: ModelFolder) -> str:
    """Return the language of a model's text; English if the manifest does not name one."""
    settings = [folder.stages.get(stage, {}).get("settings", {}) for stage in ("count", "import")]
    found = next((each["language"] for each in settings if "language" in each), DEFAULT_LANGUAGE)
    try:
        return check_language(found)
    except InputError as error:
        raise ModelError(f"{folder.path / 'manifest.json'}: {error}") from None


def model_tokenizer(folder: ModelFolder) -> Tokenizer:
    """Return the tokenizer of the counted text; for imported vectors, one that keeps case if the words suggest it."""
    if "count" not in folder.stages:
        words, _ = load_words(folder.path)
        return Tokenizer(keep_case=any(word != word.lower() for word in words[:N_TELLING_WORDS]))
    settings = folder.stages["count"]["settings"]
    keep_case, pretokenized, phrases = (settings.get(name) for name in ("keep_case", "pretokenized", "phrases"))
    are_texts = isinstance(phrases, list) and all(isinstance(phrase, str) for phrase in phrases)
    if not (isinstance(keep_case, bool) and isinstance(pretokenized, bool) and are_texts):
        raise ModelError(
            f"{folder.path / 'manifest.json'} does not say how the text was tokenized; count the text again."
        )
    return Tokenizer(keep_case, pretokenized, tuple(phrases))
