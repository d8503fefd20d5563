"""Sentences of a corpus for the senses of a word, found in the background while the page is used.

Without a corpus, senses by use are quoted from the text that the model was trained on, if it is still at its place.
One search reads the whole corpus (`wordatoms.senses.sentences`), which takes from a moment to minutes: a request starts
it, reports its progress, and never waits. The most recently requested word is searched first; the latest results are
cached.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from wordatoms.errors import WordatomsError
from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.parallel import Stopped
from wordatoms.progress import Display, TextCallback
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.quotations import has_quotations
from wordatoms.senses.sentences import SenseSentences, Sentence, representative_sentences

N_SENTENCES = 3
MOST_WAITING = 4
"""Words waiting for a search; older requests are dropped."""
MOST_CACHED = 200
READING = "sentences"
"""The name of the slow step in `wordatoms.senses.sentences`."""

log = logging.getLogger(__name__)


class Quote(NamedTuple):
    """A sentence, how typical it is, where it stands, and the probability of the sense in it if known.

    `start` and `end` are the place of the word in UTF-16 code units.
    """

    text: str
    score: float
    source: str
    line: int
    start: int
    end: int
    probability: float | None


@dataclass
class WordQuotes:
    """The search for one word: its state, the share of the corpus read so far, and the sentences.

    Sentences are listed by the number of the sense by use, or by atom.
    """

    word: str
    state: Literal["none", "reading", "ready", "failed"] = "reading"
    share: float = 0.0
    message: str | None = None
    senses: dict[int, list[Quote]] = field(default_factory=dict)


class Search(NamedTuple):
    """A word, and the kind of its senses."""

    word: str
    method: Literal["uses", "code"]


class Quotations:
    """Sentences for the senses of the words of one model."""

    def __init__(self, model: SenseModel, sources: Sequence[str]) -> None:
        self.model, self.sources = model, tuple(sources)
        self._searches: OrderedDict[Search, WordQuotes] = OrderedDict()
        self._waiting: list[Search] = []
        self.n_ready = 0
        """Number of finished searches."""
        self._lock, self._is_working, self._is_closed = threading.Lock(), False, False
        self.has_text = bool(self.sources) or has_quotations(model)
        """Whether there is anything to quote from."""

    def sentences(self, word: str, method: Literal["uses", "code"] = "code") -> WordQuotes:
        """What is known so far about a word of the model; the first call starts the search."""
        if not self.sources and (method == "code" or not self.has_text):
            return WordQuotes(word, "none", message="No corpus was given; restart with --corpus TEXT.")
        with self._lock:
            asked = Search(word, method)
            search = self._searches.get(asked) or self._start(asked)
            self._searches.move_to_end(asked)
            return replace(search)

    def ready(self, word: str, method: Literal["uses", "code"] = "code") -> Mapping[int, list[Quote]] | None:
        """The sentences of each sense, if they have been found already."""
        search = self._searches.get(Search(word, method))
        return search.senses if search and search.state == "ready" else None

    def close(self) -> None:
        """Stop the running search."""
        self._is_closed = True

    def _start(self, asked: Search) -> WordQuotes:
        self._waiting.append(asked)
        self._searches[asked] = WordQuotes(asked.word)
        for dropped in self._waiting[:-MOST_WAITING]:
            self._searches.pop(dropped, None)
        del self._waiting[:-MOST_WAITING]
        if len(self._searches) > MOST_CACHED:
            self._searches.pop(next(each for each, search in self._searches.items() if search.state != "reading"))
        if not self._is_working:
            self._is_working = True
            threading.Thread(target=self._work, name="sentences", daemon=True).start()
        return self._searches[asked]

    def _work(self) -> None:
        while asked := self._next():
            search = self._searches[asked]
            try:
                search.senses = self._find(asked, search)
                search.state, search.share = "ready", 1.0
                self.n_ready += 1
            except Stopped:
                return
            except (WordatomsError, OSError) as error:
                search.state, search.message = "failed", str(error)
            except Exception:
                log.exception("the search for sentences with %r failed", asked.word)
                search.state, search.message = "failed", "The search failed; see the log of the server."

    def _next(self) -> Search | None:
        with self._lock:
            self._is_working = bool(self._waiting)
            return self._waiting.pop() if self._waiting else None

    def _find(self, asked: Search, search: WordQuotes) -> dict[int, list[Quote]]:
        if not self.sources:
            return self._quote_training_text(asked.word)

        def on_share(share: float) -> None:
            if self._is_closed:
                raise Stopped
            search.share = share

        run = Run(threads=1, progress=ShareDisplay(on_share))
        found = representative_sentences(
            self.model,
            asked.word,
            self.sources,
            n=N_SENTENCES,
            method=asked.method,
            lightest=0.0 if asked.method == "uses" else None,
            run=run,
        )
        chances = iter(self._probabilities(asked.word, found))
        return {
            each.sense.atom if each.sense.sense is None else each.sense.sense: [
                quote(sentence, sentence.probability if asked.method == "uses" else next(chances).get(each.sense.atom))
                for sentence in each.sentences
            ]
            for each in found
        }

    def _quote_training_text(self, word: str) -> dict[int, list[Quote]]:
        found: dict[int, list[Quote]] = {}
        for each in self.model.examples(word, N_SENTENCES, forms=True):
            if each.source:
                place = Sentence(each.text, 0.0, Path(each.source).name, 0, each.start, each.end)
                found.setdefault(each.sense, []).append(quote(place, each.probability))
        return found

    def _probabilities(self, word: str, found: Sequence[SenseSentences]) -> list[dict[int, float]]:
        """The probability of each atom in each sentence; empty if the model has no induced map."""
        texts = [sentence.text for each in found for sentence in each.sentences]
        if "map" not in self.model.folder.stages:
            return [{} for _ in texts]
        return [
            {meaning.atom: meaning.probability for each in answers[:1] for meaning in each.meanings}
            for answers in self.model.disambiguate_each(word, texts, method="code", n_nearest=0)
        ]


def quote(sentence: Sentence, probability: float | None) -> Quote:
    text, score, source, line, start, end, *_ = sentence
    offsets = utf16_offsets(text)
    return Quote(text, score, source, line, offsets[start], offsets[end], probability)


class ShareDisplay(Display):
    """Reports the share of the corpus that has been read to a function."""

    def __init__(self, on_share: Callable[[float], None]) -> None:
        super().__init__(quiet=True)
        self._on_share = on_share

    @contextmanager
    def text_bar(self, step: str, *, n_bytes: int | None) -> Iterator[TextCallback]:
        n_read = 0

        def on_bytes(n_more: int, _n_tokens: int) -> None:
            nonlocal n_read
            n_read += n_more
            self._on_share(min(n_read / n_bytes, 1.0) if n_bytes and step == READING else 0.0)

        yield on_bytes
