"""Everything the explorer answers, as plain dictionaries; no web in here.

An `Explorer` has a first model, which is meant wherever none is named, perhaps further ones to compare it with, perhaps
a text and a report. Unknown words and impossible wishes raise a `Refusal` or an error of the library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import wordatoms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import ModelError
from wordatoms.explorer.corpuspages import CorpusPages
from wordatoms.explorer.refusals import NOT_FOUND, Refusal
from wordatoms.explorer.testpages import TestPages
from wordatoms.explorer.textpages import TextPages
from wordatoms.explorer.wordpages import Answer, WordPages, as_near, rounded
from wordatoms.pipeline.describing import folder_facts
from wordatoms.senses.comparison import ComparedSense, Comparison, compare_senses
from wordatoms.senses.model import SenseModel

LICENCE = "LICENCE.txt"
LONGEST_LICENCE = 4000
REPORT_PAGE = "index.html"
REPORT_FILES = (REPORT_PAGE, "results.json")
N_FILES_NAMED = 3
N_LEARNED = 2000
"""The most frequent words, four of five in any text, are looked up before the first sentence comes."""
N_SHOWN = 20
"""Senses in a lineup, as in the paper."""


class Explorer:
    """Answers for one page."""

    def __init__(self, models: Sequence[SenseModel], *, corpus: Sequence[str] = (), report: Path | None = None) -> None:
        self.pages: Mapping[str, WordPages] = {
            name: WordPages(model) for name, model in zip(unique_names(models), models, strict=True)
        }
        self.name, self.first = next(iter(self.pages.items()))
        self.texts = TextPages(self.first)
        self.tests = TestPages(self.first.model)
        self.quotes = {name: CorpusPages(each.model, corpus) for name, each in self.pages.items()}
        self.report = report if report and (report / REPORT_PAGE).is_file() else None
        self._has_corpus = bool(corpus)

    def warm(self) -> None:
        """Make what the first questions would have to wait for, what is asked for first coming first."""
        for step in self._slow_parts():
            step()

    def _slow_parts(self) -> Iterable[Callable[[], object]]:
        for pages in self.pages.values():
            yield partial(pages.word, pages.model.words[0])
            yield partial(getattr, pages, "beginnings")
            yield partial(getattr, pages, "spellings")
        if "sentence" in self.views:
            yield partial(getattr, self.first.model, "posterior")
            yield partial(self.texts.sentence, " ".join(self.first.model.words[:2]))
        yield self.tests.make_scores
        yield partial(self.tests.lineup, 0, N_SHOWN)
        if "sentence" in self.views:
            yield from (partial(self.texts.learn, word) for word in self.first.model.words[:N_LEARNED])
        yield self.first.atoms

    def close(self) -> None:
        for quotes in self.quotes.values():
            quotes.close()

    def of(self, model: str | None) -> WordPages:
        """The pages of the model of a name; the first without."""
        if model in (None, ""):
            return self.first
        if model not in self.pages:
            raise Refusal(NOT_FOUND, f"there is no model '{model}' here; there are {', '.join(self.pages)}.")
        return self.pages[str(model)]

    @property
    def needs_searches(self) -> bool:
        """Whether the nearest words of a word have to be looked for in any of the models."""
        return any(pages.near_words.need_a_search for pages in self.pages.values())

    @property
    def stamp(self) -> tuple[int, ...]:
        """Changes whenever an answer may: by a name that a person gave, by sentences found since."""
        return (*(pages.stamp for pages in self.pages.values()), *(each.n_ready for each in self.quotes.values()))

    # --- what there is

    @property
    def views(self) -> list[str]:
        """What the page can show."""
        has = {
            "word": True,
            "sentence": "map" in self.first.model.folder.stages,
            "map": True,
            "lineup": True,
            "compare": len(self.pages) > 1,
            "report": self.report is not None,
        }
        return [view for view, is_there in has.items() if is_there]

    def model(self) -> Answer:
        model = self.first.model
        return {
            "name": self.name,
            "static": False,
            "views": self.views,
            "words": len(model.words),
            "atoms": len(model.atoms),
            "metas": len(self.first.meta_atoms or ()),
            "dim": model.embeddings.dim,
            "method": model.embeddings.method,
            "tokens": _n_tokens(model),
            "text": _describe_text(model),
            "tuned": "tune" in model.folder.stages,
            "licence": _licence(model.path),
            "models": list(self.pages),
            "corpus": self._has_corpus,
            "version": wordatoms.__version__,
        }

    def report_facts(self) -> Answer:
        return {"available": self.report is not None}

    # --- words

    def word(self, word: str, model: str | None = None, *, forms: bool = False) -> Answer:
        answer = self.of(model).word(word, forms=forms)
        quotes = self.quotes[model or self.name].ready(answer["word"]) if self._has_corpus else None
        if quotes is not None:
            answer["senses"] = [
                {**sense, "sentences": quotes.get(str(sense["atom"]), [])} for sense in answer["senses"]
            ]
        return answer

    def sentences(self, word: str, model: str | None = None) -> Answer:
        """Sentences of the given text for the senses of a word; see `CorpusPages`."""
        spelling = self.of(model).spell(word)
        return self.quotes[model or self.name].sentences(spelling)

    def compare(self, word: str, model: str | None = None) -> Answer:
        """The senses of a word in the first model and in another."""
        name, second = self._second(model)
        near = self.find_near_in_both(word, name)
        if not any(near):
            self.first.spell(word)  # refuses it, with suggestions
        return {
            **compare_record(compare_senses(self.first.model, second.model, word)),
            "models": [self.name, name],
            "nearest": [as_near(each) for each in near],
        }

    def find_near_in_both(self, word: str, model: str | None) -> list[list[Neighbour]]:
        """The nearest words of a word in the first model and in another."""
        return [pages.find_near(word) for pages in (self.first, self._second(model)[1])]

    def _second(self, model: str | None) -> tuple[str, WordPages]:
        """The model to compare with: that of a name, else the first further one."""
        if len(self.pages) < 2:
            raise Refusal(NOT_FOUND, "there is only one model here; start with: wordatoms explore --with MODEL.")
        name = model or list(self.pages)[1]
        return name, self.of(name)


def compare_record(comparison: Comparison) -> Answer:
    return {
        "word": comparison.word,
        "known": list(comparison.known),
        "senses": [[_short_sense(sense) for sense in senses] for senses in comparison.senses],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "similarity": None if pair.similarity is None else rounded(pair.similarity),
            }
            for pair in comparison.pairs
        ],
    }


def _short_sense(sense: ComparedSense) -> Answer:
    return {
        "atom": sense.atom,
        "weight": rounded(sense.weight),
        "label": sense.label,
        "named": sense.named,
        "nearest": as_near(sense.nearest),
    }


def unique_names(models: Sequence[SenseModel]) -> list[str]:
    """The names of the models' folders, made different where two are the same."""
    names: list[str] = []
    for model in models:
        name = model.path.resolve().name or "model"
        names.append(next(each for each in _variants(name) if each not in names))
    return names


def _variants(name: str) -> Iterable[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _n_tokens(model: SenseModel) -> int | None:
    """Tokens of the text that a model was counted on, where that is known."""
    try:
        return folder_facts(model.folder).get("tokens")
    except ModelError:  # one that was put together by hand
        return model.embeddings.n_tokens


def _describe_text(model: SenseModel) -> str | None:
    """The files that a model was counted on."""
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
