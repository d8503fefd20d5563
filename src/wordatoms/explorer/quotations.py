"""Sentences of a corpus for the senses of a word, found in the background while the page is used.

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
from typing import Literal, NamedTuple

from wordatoms.errors import WordatomsError
from wordatoms.parallel import Stopped
from wordatoms.progress import Display, TextCallback
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.sentences import SenseSentences, representative_sentences

N_SENTENCES = 3
MOST_WAITING = 4
"""Words waiting for a search; older requests are dropped."""
MOST_CACHED = 200
READING = "sentences"
"""The name of the slow step in `wordatoms.senses.sentences`."""

log = logging.getLogger(__name__)


class Quote(NamedTuple):
    """A sentence, its cosine with the atom, where it stands, and the probability of the sense in it if known."""

    text: str
    score: float
    source: str
    line: int
    probability: float | None


@dataclass
class WordQuotes:
    """The search for one word: its state, the share of the corpus read so far, and the sentences by atom."""

    word: str
    state: Literal["none", "reading", "ready", "failed"] = "reading"
    share: float = 0.0
    message: str | None = None
    senses: dict[int, list[Quote]] = field(default_factory=dict)


class Quotations:
    """Sentences for the senses of the words of one model."""

    def __init__(self, model: SenseModel, sources: Sequence[str]) -> None:
        self.model, self.sources = model, tuple(sources)
        self._searches: OrderedDict[str, WordQuotes] = OrderedDict()
        self._waiting: list[str] = []
        self.n_ready = 0
        """Number of finished searches."""
        self._lock, self._is_working, self._is_closed = threading.Lock(), False, False

    def sentences(self, word: str) -> WordQuotes:
        """What is known so far about a word of the model; the first call starts the search."""
        if not self.sources:
            return WordQuotes(word, "none", message="No corpus was given; restart with --corpus TEXT.")
        with self._lock:
            search = self._searches.get(word) or self._start(word)
            self._searches.move_to_end(word)
            return replace(search)

    def ready(self, word: str) -> Mapping[int, list[Quote]] | None:
        """The sentences of each atom, if they have been found already."""
        search = self._searches.get(word)
        return search.senses if search and search.state == "ready" else None

    def close(self) -> None:
        """Stop the running search."""
        self._is_closed = True

    def _start(self, word: str) -> WordQuotes:
        self._waiting.append(word)
        self._searches[word] = WordQuotes(word)
        for dropped in self._waiting[:-MOST_WAITING]:
            self._searches.pop(dropped, None)
        del self._waiting[:-MOST_WAITING]
        if len(self._searches) > MOST_CACHED:
            self._searches.pop(next(each for each, search in self._searches.items() if search.state != "reading"))
        if not self._is_working:
            self._is_working = True
            threading.Thread(target=self._work, name="sentences", daemon=True).start()
        return self._searches[word]

    def _work(self) -> None:
        while word := self._next():
            search = self._searches[word]
            try:
                search.senses = self._find(word, search)
                search.state, search.share = "ready", 1.0
                self.n_ready += 1
            except Stopped:
                return
            except (WordatomsError, OSError) as error:
                search.state, search.message = "failed", str(error)
            except Exception:
                log.exception("the search for sentences with %r failed", word)
                search.state, search.message = "failed", "The search failed; see the log of the server."

    def _next(self) -> str | None:
        with self._lock:
            self._is_working = bool(self._waiting)
            return self._waiting.pop() if self._waiting else None

    def _find(self, word: str, search: WordQuotes) -> dict[int, list[Quote]]:
        def on_share(share: float) -> None:
            if self._is_closed:
                raise Stopped
            search.share = share

        run = Run(threads=1, progress=ShareDisplay(on_share))
        return self._quotes(word, representative_sentences(self.model, word, self.sources, n=N_SENTENCES, run=run))

    def _quotes(self, word: str, found: Sequence[SenseSentences]) -> dict[int, list[Quote]]:
        texts = [sentence.text for each in found for sentence in each.sentences]
        chances = iter(self._probabilities(word, texts))
        return {
            each.sense.atom: [Quote(*sentence, next(chances).get(each.sense.atom)) for sentence in each.sentences]
            for each in found
        }

    def _probabilities(self, word: str, texts: Sequence[str]) -> list[dict[int, float]]:
        """The probability of each atom in each sentence; empty if the model has no induced map."""
        if "map" not in self.model.folder.stages:
            return [{} for _ in texts]
        return [
            {meaning.atom: meaning.probability for each in answers[:1] for meaning in each.meanings}
            for answers in self.model.disambiguate_each(word, texts, method="code")
        ]


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
