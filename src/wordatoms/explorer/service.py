"""Everything the explorer answers, without the web.

An `Explorer` has a first model, used wherever a question names none, and optionally further models to compare it with,
a corpus, a report and a collection of documents. Unknown words and invalid questions raise an `ApiError` or an error of
the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import wordatoms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import ModelError
from wordatoms.explorer.answers import NOT_FOUND, ApiError
from wordatoms.explorer.contextual import ContextualAnswers
from wordatoms.explorer.documents import DocumentAnswers
from wordatoms.explorer.editing import Editor
from wordatoms.explorer.lineup import N_SHOWN, LineupAnswers
from wordatoms.explorer.quotations import Quotations, WordQuotes
from wordatoms.explorer.texts import TextAnswers
from wordatoms.explorer.words import Asked, WordAnswers, WordPage
from wordatoms.pipeline.info import folder_facts
from wordatoms.senses.comparison import Comparison, atom_likeness, compare_senses
from wordatoms.senses.model import SenseModel
from wordatoms.storage.untrusted import read_json

if TYPE_CHECKING:
    from wordatoms.documents.index import DocumentIndex  # with all of scipy
    from wordatoms.senses.contextual_atoms import ContextualAtoms

LICENCE = "LICENCE.txt"
CARD = "card.json"
"""What a model was made of and what it is bad at, written by whoever made it; few models have one."""
LONGEST_LICENCE = 4000
REPORT_PAGE = "index.html"
REPORT_FILES = (REPORT_PAGE, "results.json")
N_FILES_NAMED = 3
N_LEARNED = 2000
"""The most frequent words, four of five in any text, are looked up before the first sentence is read."""


class CardSource(NamedTuple):
    """A part of the text that a model was trained on, its number of words, and its licence."""

    name: str
    words: int
    licence: str


class ModelCard(NamedTuple):
    """The text of a model in one sentence, its licence, the parts of the text, and what the model is bad at."""

    text: str
    licence: str
    sources: list[CardSource]
    limits: list[str]


class ModelFacts(NamedTuple):
    """The first model, and what the page can show; `models` are the names that a question may pass as `model`."""

    name: str
    kind: Literal["words", "items"]
    static: bool
    features: list[str]
    words: int
    atoms: int
    metas: int
    dim: int
    method: str
    tokens: int | None
    text: str | None
    tuned: bool
    licence: str | None
    card: ModelCard | None
    models: list[str]
    corpus: bool
    lineups: int | None
    version: str


@dataclass(frozen=True)
class ComparePage(Comparison):
    """A word in two models, and the names of the models."""

    models: tuple[str, str]


class Counterparts(NamedTuple):
    """For each atom of the first model, the similarity and the label of the most similar atom of another model."""

    similarities: list[float]
    labels: list[str]


class Explorer:
    """Answers for one page."""

    def __init__(
        self,
        models: Sequence[SenseModel],
        *,
        corpus: Sequence[str] = (),
        report: Path | None = None,
        documents: DocumentIndex | None = None,
        contextual: ContextualAtoms | None = None,
        edit: bool = False,
    ) -> None:
        eye = models[0].second_eye
        models = [model.without_encoder() for model in models]  # an encoder is asked about single words alone
        names = unique_names(models)
        self.words = {name: WordAnswers(model) for name, model in zip(names, models, strict=True)}
        self.name, self.first = next(iter(self.words.items()))
        self.texts = TextAnswers(self.first, eye)
        self.lineup = LineupAnswers(self.first.model)
        self.quotations = {name: Quotations(each.model, corpus) for name, each in self.words.items()}
        self.editor = Editor(self.first.model) if edit else None
        self.documents = DocumentAnswers(documents) if documents is not None else None
        self.contextual = ContextualAnswers(self.first, contextual) if contextual is not None else None
        self.report = report if report and (report / REPORT_PAGE).is_file() else None

    def warm(self) -> None:
        """Compute what the first questions would have to wait for, in the order in which it is likely to be needed."""
        for step in self._slow_parts():
            step()

    def _slow_parts(self) -> Iterable[Callable[[], object]]:
        for words in self.words.values():
            yield partial(words.word, words.model.words[0])
            yield partial(getattr, words, "prefixes")
            yield partial(getattr, words, "spellings")
        if "contexts" in self.features:
            yield partial(getattr, self.first.model, "posterior")
            yield partial(self.texts.sentence, " ".join(self.first.model.words[:2]))
        if "words" in self.features:
            yield partial(getattr, self.lineup, "scores")
            yield partial(self.lineup.lineup, 0, N_SHOWN)
        if "contexts" in self.features:
            yield from (partial(self.texts.learn, word) for word in self.first.model.words[:N_LEARNED])
        if self.documents is not None:
            yield self.documents.facts
            yield partial(self.documents.topics, self.documents.index.levels[-1])
            yield partial(getattr, self.documents.index, "windows")
        yield self.first.atoms

    def check(self) -> None:
        """Raise if the files of a model were changed in such a way that it cannot answer any more."""
        for words in self.words.values():
            words.model.parts.folder.check_mapped()

    def close(self) -> None:
        for quotations in self.quotations.values():
            quotations.close()

    def of(self, model: str | None) -> WordAnswers:
        """The answers of the model with this name; of the first model if there is no name."""
        if model in (None, ""):
            return self.first
        if model not in self.words:
            raise ApiError(NOT_FOUND, f"there is no model '{model}' here; there are {', '.join(self.words)}.")
        return self.words[str(model)]

    @property
    def needs_searches(self) -> bool:
        """Whether any of the models has to search for the nearest words of a word."""
        return any(words.nearest_words.needs_search for words in self.words.values())

    @property
    def stamp(self) -> tuple[int, ...]:
        """Changes whenever an answer may: when atoms are named or hidden, when sentences are found."""
        return (*(words.stamp for words in self.words.values()), *(each.n_ready for each in self.quotations.values()))

    # --- what there is

    @property
    def features(self) -> list[str]:
        """What a view of the page may need (see site/views.js) and this explorer has."""
        available = {
            "server": True,
            "words": self.first.model.texts is None,
            "contexts": "map" in self.first.model.folder.stages,
            "comparison": len(self.words) > 1,
            "report": self.report is not None,
            "documents": self.documents is not None,
            "contextual": self.contextual is not None,
            "edit": self.editor is not None,
        }
        return [feature for feature, is_available in available.items() if is_available]

    def model(self) -> ModelFacts:
        model = self.first.model
        return ModelFacts(
            name=self.name,
            kind="words" if model.texts is None else "items",
            static=False,
            features=self.features,
            words=len(model.words),
            atoms=len(model.atoms),
            metas=len(self.first.meta_atoms or ()),
            dim=model.embeddings.dim,
            method=model.embeddings.method,
            tokens=_n_tokens(model),
            text=_describe_text(model),
            tuned="tune" in model.folder.stages,
            licence=_licence(model.path),
            card=read_card(model.path),
            models=list(self.words),
            corpus=self.quotations[self.name].has_text,
            lineups=None,
            version=wordatoms.__version__,
        )

    # --- words

    def word(self, word: str, model: str | None = None, *, forms: bool = False, method: Asked = "auto") -> WordPage:
        words = self.of(model)
        if words.find_phrase(word) is not None:
            return words.word(word)
        spelling = words.spell(word)
        quotes = self.quotations[model or self.name].ready(spelling, words.method(spelling, method))
        return words.word(spelling, forms=forms, method=method, quotes=quotes)

    def sentences(self, word: str, model: str | None = None, *, method: Asked = "auto") -> WordQuotes:
        """Sentences of the corpus for the senses of a word; see `Quotations`."""
        words = self.of(model)
        spelling = words.spell(word)
        return self.quotations[model or self.name].sentences(spelling, words.method(spelling, method))

    def compare(self, word: str, model: str | None = None) -> ComparePage:
        """The senses of a word in the first model and in another."""
        name, second = self._second(model)
        near1, near2 = self.find_nearest_in_both(word, name)
        if not near1 and not near2:
            self.first.spell(word)  # raises, with suggestions
        found = {**vars(compare_senses(self.first.model, second.model, word)), "nearest": (near1, near2)}
        return ComparePage(**found, models=(self.name, name))

    def find_nearest_in_both(self, word: str, model: str | None) -> tuple[list[Neighbour], list[Neighbour]]:
        """The nearest words of a word in the first model and in another."""
        return self.first.find_nearest(word), self._second(model)[1].find_nearest(word)

    def counterparts(self, model: str | None = None) -> Counterparts:
        """The atoms of another model that are most similar to those of the first one."""
        first, second = self.first.model, self._second(model)[1].model
        likeness = atom_likeness(first, range(len(first.atoms)), second, range(len(second.atoms)))
        nearest, notes = likeness.argmax(axis=1).tolist(), second.notes
        return Counterparts(likeness.max(axis=1).tolist(), [second.label(atom, notes) for atom in nearest])

    def _second(self, model: str | None) -> tuple[str, WordAnswers]:
        """The model to compare with: by name, else the first further one."""
        if len(self.words) < 2:
            raise ApiError(NOT_FOUND, "there is only one model here; restart with: wordatoms explore --with MODEL.")
        name = model or list(self.words)[1]
        return name, self.of(name)


def unique_names(models: Sequence[SenseModel]) -> list[str]:
    """The names of the models' folders, with a number where two are the same."""
    names: list[str] = []
    for model in models:
        name = model.path.resolve().name or "model"
        variants = (name if number == 1 else f"{name}-{number}" for number in count(1))
        names.append(next(variant for variant in variants if variant not in names))
    return names


def _n_tokens(model: SenseModel) -> int | None:
    """The size of the text that a model was trained on, if known."""
    try:
        return folder_facts(model.folder).get("tokens")
    except ModelError:  # a folder written by other means
        return model.embeddings.n_tokens


def _describe_text(model: SenseModel) -> str | None:
    """The files that a model was trained on."""
    inputs: list[dict[str, Any]] = model.folder.stages.get("count", {}).get("inputs", [])
    if not inputs:
        return None
    names = [Path(str(file.get("path", "?"))).name for file in inputs]
    more = len(names) - N_FILES_NAMED
    return ", ".join(names[:N_FILES_NAMED]) + (f" and {more} more" if more > 0 else "")


def _licence(folder: Path) -> str | None:
    try:
        return (folder / LICENCE).read_text("utf-8")[:LONGEST_LICENCE]
    except (OSError, UnicodeDecodeError):
        return None


def read_card(folder: Path) -> ModelCard | None:
    """The card of a model; none if it has no readable one."""
    try:
        content = read_json(folder / CARD)
        sources = [CardSource(str(name), int(words), str(licence)) for name, words, licence in content["sources"]]
        return ModelCard(str(content["text"]), str(content["licence"]), sources, list(map(str, content["limits"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
