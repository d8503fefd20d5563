"""Sentences of a text for the senses of a word, found in the background while the page is used.

One search reads the whole text (`wordatoms.senses.sentences`), which takes from a moment to minutes: a request starts
it, says
how far it is, and never waits. The word that was asked for last is searched first; the last answers are kept.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain

from wordatoms.errors import WordatomsError
from wordatoms.explorer.wordpages import Answer, rounded
from wordatoms.parallel import Stopped
from wordatoms.progress import Display, TextCallback
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.sentences import SenseSentences, representative_sentences

N_SENTENCES = 3
MOST_WAITING = 4
"""Words beyond these, asked for and left again, are forgotten."""
MOST_KEPT = 200
READING = "sentences"
"""What `wordatoms.senses.sentences` calls the part that takes long."""

log = logging.getLogger(__name__)


@dataclass
class Search:
    """How far the search for one word is."""

    state: str = "reading"
    share: float = 0.0
    message: str | None = None
    senses: dict[str, list[Answer]] = field(default_factory=dict)

    def record(self) -> Answer:
        return {"state": self.state, "share": rounded(self.share), "message": self.message, "senses": self.senses}


class CorpusPages:
    """Sentences for the senses of the words of one model."""

    def __init__(self, model: SenseModel, sources: Sequence[str]) -> None:
        self.model, self.sources = model, tuple(sources)
        self._searches: OrderedDict[str, Search] = OrderedDict()
        self._waiting: list[str] = []
        self.n_ready = 0
        """Searches that have come to their end."""
        self._lock, self._is_working, self._is_closed = threading.Lock(), False, False

    def sentences(self, word: str) -> Answer:
        """What is known so far about a word of the model; the first question starts the search."""
        if not self.sources:
            return {"word": word, **Search("none", message="No text was given: --corpus TEXT.").record()}
        with self._lock:
            search = self._searches.get(word) or self._start(word)
            self._searches.move_to_end(word)
            return {"word": word, **search.record()}

    def ready(self, word: str) -> dict[str, list[Answer]] | None:
        """The sentences of each atom, if they have been found already."""
        search = self._searches.get(word)
        return search.senses if search and search.state == "ready" else None

    def close(self) -> None:
        """End the search that is going on."""
        self._is_closed = True

    def _start(self, word: str) -> Search:
        self._waiting.append(word)
        self._searches[word] = Search()
        for left in self._waiting[:-MOST_WAITING]:
            self._searches.pop(left, None)
        del self._waiting[:-MOST_WAITING]
        if len(self._searches) > MOST_KEPT:
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
                search.state, search.message = "failed", "The search failed; the window of the server says why."

    def _next(self) -> str | None:
        with self._lock:
            self._is_working = bool(self._waiting)
            return self._waiting.pop() if self._waiting else None

    def _find(self, word: str, search: Search) -> dict[str, list[Answer]]:
        def on_share(share: float) -> None:
            if self._is_closed:
                raise Stopped
            search.share = share

        run = Run(threads=1, progress=ShareDisplay(on_share))
        found = representative_sentences(self.model, word, self.sources, n=N_SENTENCES, run=run)
        return self._records(word, found)

    def _records(self, word: str, found: Sequence[SenseSentences]) -> dict[str, list[Answer]]:
        texts = [sentence.text for each in found for sentence in each.sentences]
        chances = iter(self._chances(word, texts))
        return {
            str(each.sense.atom): [
                {
                    "text": sentence.text,
                    "source": sentence.source,
                    "line": sentence.line,
                    "score": rounded(sentence.score),
                    "probability": next(chances).get(each.sense.atom),
                }
                for sentence in each.sentences
            ]
            for each in found
        }

    def _chances(self, word: str, texts: Sequence[str]) -> list[dict[int, float]]:
        """The probability of each atom in each sentence; none where the model reads no contexts."""
        if "map" not in self.model.folder.stages:
            return [{} for _ in texts]
        return [
            {meaning.atom: rounded(meaning.probability) for meaning in chain(*(each.meanings for each in answers[:1]))}
            for answers in self.model.disambiguate_each(word, texts)
        ]


class ShareDisplay(Display):
    """Tells a function which share of the text has been read."""

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
