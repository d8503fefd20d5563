"""What shows a reader what a topic is: its words in the documents at hand, and its most typical passages.

Both are gathered while the documents are read, so that they are read once and need not fit into memory.

- The words of a topic: `wordatoms.documents.topic_words`.
- Typical passages: the windows nearest to an atom, one per document; windows of full length come first, because a
  short text is near to something easily. The words that decided are those with the largest shares in the product of
  window and atom.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from wordatoms.documents.passages import PassageCutter
from wordatoms.documents.topic_words import TopicWords
from wordatoms.senses.topics import Group, Part, WindowAtoms
from wordatoms.text.spans import normal_form

N_PASSAGES = 3
KEPT_WHOLE = 4000
"""Characters of a document that is kept as it is until its passage is cut out."""


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
    _n_documents: int = 0

    def add(self, group: Group, part: Part) -> None:
        self.words.add(part)
        self._add_passages(group, part)
        self._n_documents += len(group)

    @cached_property
    def words(self) -> TopicWords:
        return TopicWords(self.windows)

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
