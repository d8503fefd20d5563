"""What shows a reader what a topic is: its words in the documents at hand, and its most typical passages.

Both are gathered while the documents are read, so that they are read once and need not fit into memory.

- The words of a topic: those in the windows whose nearest atom belongs to it, by n(w, t) √(log p(w|t)/p(w)), which
  ranks words that are frequent there and rarer elsewhere. n(w, t) counts documents: a name that one document repeats
  says little about a topic. Words more frequent than one in a thousand, and words in fewer than one in a thousand
  documents, are left out. The root and the second limit were chosen on other documents: docs/results/topics.md.
- Typical passages: the windows nearest to an atom, one per document; windows of full length come first, because a
  short text is near to something easily. The words that decided are those with the largest shares in the product of
  window and atom.
- The words of documents, for coherence: of all documents up to `MOST_SETS`, then of every second, fourth, … one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from wordatoms.documents.coherence import coherences
from wordatoms.documents.levels import TopicMap
from wordatoms.documents.passages import PassageCutter
from wordatoms.senses.topics import Group, Part, Rows, WindowAtoms
from wordatoms.text.spans import normal_form

N_PASSAGES, N_WORDS = 3, 10
MOST_FREQUENT, TIMES_MEAN = 1e-3, 10
"""Words more frequent than this, and than so many times the mean of all words, are not words of a topic."""
SELDOM = 1e-3
"""Words in a smaller share of the documents are not words of a topic."""
MOST_SETS = 1 << 16
KEPT_WHOLE = 4000
"""Characters of a document that is kept as it is until its passage is cut out."""
MOST_PAIRS = 1 << 23
"""Pairs of atom and word that are gathered before they are added up."""


class Passage(NamedTuple):
    """A passage that is typical of a topic."""

    document: str
    text: str
    deciding: tuple[tuple[int, int], ...]
    """Where the words that decided begin and end in the text, in its order."""
    cosine: float
    """Of the window and its atom."""
    is_cut: tuple[bool, bool]
    """Whether the document has words before and after the passage."""

    @property
    def words(self) -> list[str]:
        """The words that decided, in the order of the text."""
        return [self.text[start:end] for start, end in self.deciding]


class _Candidate(NamedTuple):
    """A window that may be typical; the first two decide, then documents that came earlier."""

    is_full: bool
    cosine: float
    order: int
    """Falls with every window."""
    document: str
    text: str
    start: int
    """The first of the known words of `text` that belongs to the window."""
    width: int
    is_cut: tuple[bool, bool]


@dataclass(eq=False)
class Evidence:
    """Gathers words and passages of atoms; `add` is called with each group of documents."""

    windows: WindowAtoms
    n_passages: int = N_PASSAGES
    _typical: dict[int, list[_Candidate]] = field(default_factory=dict)
    _pairs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=list)
    _n_pairs: int = 0
    _sets: list[Rows] = field(default_factory=list)
    _every: int = 1
    _n_documents: int = 0

    def add(self, group: Group, part: Part) -> None:
        self._add_words(part)
        self._add_passages(group, part)
        for rows in part.rows:
            different = np.unique(rows)
            self._n_with[different] += 1
            if self._n_documents % self._every == 0:
                self._sets.append(different)
                if len(self._sets) == MOST_SETS:
                    self._sets, self._every = self._sets[::2], 2 * self._every
            self._n_documents += 1

    # --- words

    def _add_words(self, part: Part) -> None:
        words, found = np.concatenate([np.zeros(0, np.int32), *part.rows]), part.windows
        firsts = np.cumsum([0, *map(len, part.rows)])
        widths = np.minimum(2 * self.windows.window + 1, part.n_words[found.documents])
        ends = np.cumsum(widths)
        inside = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - widths, widths)
        rows = words[np.repeat(firsts[found.documents] + found.starts, widths) + inside]
        telling = self._is_telling[rows]
        n_words = len(self.windows.sif.embeddings)
        keys = np.repeat(found.atoms, widths)[telling] * n_words + rows[telling]
        owners = np.repeat(found.documents, widths)[telling]
        n_keys = n_words * (int(self.windows.shown.max()) + 1)
        once = np.unique(owners * n_keys + keys) % n_keys  # however often a document repeats a word
        self._pairs.append(np.unique(once, return_counts=True))
        self._n_pairs += len(self._pairs[-1][0])
        if self._n_pairs > MOST_PAIRS:
            self._add_up()

    @cached_property
    def _n_with(self) -> NDArray[np.int64]:
        """The number of documents with each word so far."""
        return np.zeros(len(self.windows.sif.embeddings), np.int64)

    @cached_property
    def _is_telling(self) -> NDArray[np.bool_]:
        p_word = self.windows.sif.p_word
        return np.asarray(p_word <= max(MOST_FREQUENT, TIMES_MEAN / len(p_word)))

    def _add_up(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in self._pairs)])
        numbers = np.concatenate([np.zeros(0, np.int64), *(numbers for _, numbers in self._pairs)])
        different, places = np.unique(keys, return_inverse=True)
        added = np.bincount(places, weights=numbers, minlength=len(different)).astype(np.int64)
        self._pairs, self._n_pairs = [(different, added)], 0
        return different, added

    def top_words(self, topics: TopicMap, n: int = N_WORDS) -> list[list[str]]:
        """Return the words of each topic, the most telling first; none for a topic that is in no document."""
        keys, numbers = self._add_up()
        words, size = self.windows.sif.embeddings.words, len(self.windows.sif.embeddings)
        of_topic = topics.of_atom[keys // size]
        known = (of_topic >= 0) & (self._n_with[keys % size] >= SELDOM * self._n_documents)
        shape = (len(topics), size)
        counts = csr_matrix((numbers[known], (of_topic[known], keys[known] % size)), shape=shape, dtype=np.float64)
        counts.sum_duplicates()
        per_topic, per_word = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
        scores = counts.copy()
        expected = np.repeat(per_topic, np.diff(counts.indptr)) * per_word[counts.indices] / max(counts.sum(), 1)
        scores.data = counts.data * np.sqrt(np.maximum(np.log(counts.data / expected), 0))
        found = []
        for topic in range(len(topics)):
            part = slice(scores.indptr[topic], scores.indptr[topic + 1])
            rows, own = scores.indices[part], scores.data[part]
            if not (own > 0).any():  # the only topic
                own = counts.data[part]
            order = np.lexsort((rows, -own))[:n]
            found.append([words[row] for row, score in zip(rows[order], own[order], strict=True) if score > 0])
        return found

    def coherences(self, lists: Sequence[Sequence[str]], held_out: Sequence[Rows] | None = None) -> NDArray[np.float64]:
        """Return the coherence of lists of words in the documents, or in others."""
        vocabulary = sorted({word for words in lists for word in words})
        places = np.full(len(self.windows.sif.embeddings) + 1, -1, np.int64)
        places[self.windows.sif.embeddings.find_rows(vocabulary)] = np.arange(len(vocabulary))
        sets = [places[rows] for rows in (self._sets if held_out is None else held_out)]
        sets = [own[own >= 0] for own in sets]
        starts = np.cumsum([0, *map(len, sets)])
        columns = np.concatenate([np.zeros(0, np.int64), *sets])
        counts = csr_array((np.ones(len(columns), np.int32), columns, starts), shape=(len(sets), len(vocabulary)))
        return coherences([list(words) for words in lists], counts, vocabulary)

    # --- passages

    def _add_passages(self, group: Group, part: Part) -> None:
        """Keep the windows that are nearest to each atom, the best one of each document."""
        found = part.windows
        full = 2 * self.windows.window + 1
        widths = np.minimum(full, part.n_words[found.documents])
        first = -(self._n_documents + found.documents)
        order = np.lexsort((-first, -found.cosines, widths < full, found.atoms))
        atoms = found.atoms[order]
        begins = np.flatnonzero(np.diff(atoms, prepend=-1, append=-1))
        for begin, end in pairwise(begins.tolist()):
            kept = self._typical.setdefault(int(atoms[begin]), [])
            seen: set[int] = set()
            for place in order[begin:end].tolist():
                document = int(found.documents[place])
                if document in seen:
                    continue
                rank = (bool(widths[place] == full), float(found.cosines[place]), int(first[place]))
                if len(kept) == self.n_passages and rank <= kept[-1][:3]:
                    break
                seen.add(document)
                kept.append(self._candidate(rank, group[document], int(found.starts[place]), int(widths[place])))
                kept.sort(reverse=True)
                del kept[self.n_passages :]
                if len(seen) == self.n_passages:
                    break

    def _candidate(
        self, rank: tuple[bool, float, int], document: tuple[str, str], start: int, width: int
    ) -> _Candidate:
        name, text = document
        if len(text) <= KEPT_WHOLE:
            return _Candidate(*rank, name, text, start, width, (False, False))
        lexicon, pieces = self.windows.lexicon.for_reading(), []
        at = n_seen = n_before = 0
        while at < len(text) and n_seen < start + width:  # only the pieces of a long document that the window is in
            piece = text[at : _piece_end(text, at)]
            at += len(piece)
            ids = lexicon.encode(piece.encode("utf-8", "replace"))
            n_seen += int(np.count_nonzero((ids >= 0) & (ids < len(self.windows.sif.embeddings))))
            if n_seen > start:
                pieces.append(piece)
            else:
                n_before = n_seen
        is_cut = (at > sum(map(len, pieces)), at < len(text))
        return _Candidate(*rank, name, "".join(pieces), start - n_before, width, is_cut)

    def passages(self, atoms: Sequence[int], n: int = N_PASSAGES) -> list[Passage]:
        """Return typical passages of a topic that is made up of atoms: the best of the first atom, of the second, …"""
        found: list[Passage] = []
        for number in range(self.n_passages):
            for atom in atoms:
                for candidate in self._typical.get(atom, [])[number : number + 1]:
                    if len(found) < n and candidate.document not in (each.document for each in found):
                        found.append(self._cut_out(candidate, atom))
        return found

    def _cut_out(self, candidate: _Candidate, atom: int) -> Passage:
        text = normal_form(candidate.text)
        begin, end, deciding = self._cutter.cut(text, candidate.start, candidate.width, atom)
        return Passage(
            candidate.document,
            text[begin:end].replace("\n", " "),
            tuple((start - begin, stop - begin) for start, stop in deciding),
            candidate.cosine,
            (
                candidate.is_cut[0] or bool(text[:begin].strip()),
                candidate.is_cut[1] or bool(text[end:].strip(" .!?\n")),
            ),
        )

    @cached_property
    def _cutter(self) -> PassageCutter:
        return PassageCutter(self.windows)


def _piece_end(text: str, at: int) -> int:
    """Return where a piece of a long text ends: after white space if there is any."""
    if len(text) - at <= KEPT_WHOLE:
        return len(text)
    end = max(text.rfind(space, at, at + KEPT_WHOLE) for space in " \n") + 1
    return end if end > at else at + KEPT_WHOLE
