"""Documents as distributions over atoms: what they are about, and how much of each.

As in the Discourse Atom Topic Model (Arseniev-Koehler et al. 2022), which builds on the atoms of the paper: a window
rolls over a document, each window has a SIF vector (Section 2), the vector goes to its atoms, and the document's
distribution is the mean over its windows. The common direction is removed from the vectors, and where the model has
learned the map A of Theorem 1 they go through it, so that they lie where the atoms do. By default a window belongs to
the nearest atom, as there; `soft` gives it the probabilities p(a|c) ∝ exp(scale · cosine).

Every document with a known word gets a distribution; there is no bucket for outliers. One shorter than a window is one
window. Atoms that a person has hidden are left out. Windows run over line ends, which in documents may be anywhere.

Left out: the windows themselves (`wordatoms.senses.topic_windows`), reading documents from files
(`wordatoms.text.documents`) and
writing tables (`wordatoms.senses.topic_tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topic_windows import DEFAULT_SCALE, Part, WindowAtoms

if TYPE_CHECKING:
    from pandas import DataFrame

GROUP_CHARACTERS, GROUP_DOCUMENTS = 1 << 20, 1000
"""Documents are worked on together until they have or are so many: fixed, so that threads change nothing."""

Document = str | tuple[str, str]
"""A text, or a name and a text."""


class Share(NamedTuple):
    """How much of a document is about an atom."""

    atom: int
    label: str
    share: float


class DocumentShare(NamedTuple):
    """A document and how much of it is about an atom."""

    document: str
    share: float


class Row(NamedTuple):
    """A row of the long table; a document without known words has one row and no atom."""

    document: str
    atom: int | None
    label: str | None
    share: float | None
    n_words: int


@dataclass(frozen=True, eq=False, repr=False)
class Topics:
    """Documents and their distributions over atoms; each distribution is a row that sums to 1, or an empty one."""

    documents: tuple[str, ...]
    labels: tuple[str, ...]
    """Of all atoms."""
    shown: NDArray[np.int64]
    """The atoms that are not hidden."""
    starts: NDArray[np.int64]
    """Where the row of each document begins in `atoms` and `shares`, and where the last one ends."""
    atoms: NDArray[np.int64]
    """Rising within a row."""
    shares: NDArray[np.float64]
    n_words: NDArray[np.int64]
    """Known words of each document."""
    n_windows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"Topics({len(self):,} documents, {len(np.unique(self.atoms)):,} of {len(self.shown):,} atoms)"

    @property
    def empty(self) -> tuple[str, ...]:
        """Documents without a distribution: no word of theirs is known."""
        return tuple(self.documents[row] for row in np.flatnonzero(self.n_windows == 0))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in reversed(list(enumerate(self.documents)))}

    def row(self, document: int | str) -> int:
        """The number of a document given by its name (the first of that name), or by that number."""
        row = self._rows.get(document, -1) if isinstance(document, str) else document
        if not 0 <= row < len(self):
            raise InputError(f"there is no document {document!r} among {len(self):,}; pass a name, or a number from 0.")
        return row

    def distribution(self, document: int | str) -> NDArray[np.float64]:
        """The share of each atom in a document, (n_atoms,); zeros where it has no known word."""
        dense = np.zeros(len(self.labels))
        part = self._part(self.row(document))
        dense[self.atoms[part]] = self.shares[part]
        return dense

    def top_atoms(self, document: int | str, n: int = 5) -> list[Share]:
        """What a document is about, the largest share first."""
        part = self._part(self.row(document))
        atoms, shares = self.atoms[part], self.shares[part]
        order = np.argsort(-shares, kind="stable")[:n]
        return [Share(int(atoms[k]), self.labels[atoms[k]], float(shares[k])) for k in order]

    def top_documents(self, atom: int, n: int = 10) -> list[DocumentShare]:
        """The documents with the largest shares of an atom."""
        if atom not in self.shown:
            raise InputError(f"there is no atom {atom} among the {len(self.shown):,} that are shown.")
        places = self._by_atom[0][self._by_atom[1][atom] : self._by_atom[1][atom + 1]][:n]
        rows = np.searchsorted(self.starts, places, side="right") - 1
        return [DocumentShare(self.documents[row], float(self.shares[k])) for row, k in zip(rows, places, strict=True)]

    def mean_shares(self) -> NDArray[np.float64]:
        """The mean share of each atom over the documents that have a distribution, (n_atoms,)."""
        totals = np.bincount(self.atoms, weights=self.shares, minlength=len(self.labels))
        return np.asarray(totals / max(int(np.count_nonzero(self.n_windows)), 1))

    def rows(self, *, min_share: float = 0.0) -> Iterator[Row]:
        """The long table: a row for each document and atom, atoms by falling share."""
        for row, name in enumerate(self.documents):
            n_words = int(self.n_words[row])
            if not self.n_windows[row]:
                yield Row(name, None, None, None, n_words)
            for atom, label, share in self.top_atoms(row, len(self.labels)):
                if share >= min_share:
                    yield Row(name, atom, label, share, n_words)

    def to_frame(self, *, wide: bool = False, min_share: float = 0.0) -> DataFrame:
        """A pandas table: long (document, atom, label, share, n_words), or `wide`, documents by atoms."""
        pandas = require_extra("pandas", "pandas")
        if not wide:
            frame = pandas.DataFrame(list(self.rows(min_share=min_share)), columns=list(Row._fields))
            return frame.astype({"atom": "Int64", "share": "float64"})
        shares = np.stack([self.distribution(row)[self.shown] for row in range(len(self))]) if len(self) else None
        frame = pandas.DataFrame(shares, index=list(self.documents), columns=self.columns())
        frame.insert(0, "n_words", self.n_words)
        return frame.rename_axis("document")

    def columns(self) -> list[str]:
        """What the columns of the wide table are called."""
        return [f"atom {atom}: {self.labels[atom]}" for atom in self.shown.tolist()]

    def _part(self, row: int) -> slice:
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    @cached_property
    def _by_atom(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Places in `atoms` by atom, the largest share first, and where each atom begins."""
        order = np.lexsort((-self.shares, self.atoms))
        return order, np.searchsorted(self.atoms[order], np.arange(len(self.labels) + 1))


def document_topics(
    model: SenseModel,
    documents: Iterable[Document],
    *,
    window: int | None = None,
    step: int | None = None,
    remove_common: bool = True,
    soft: bool = False,
    scale: float = DEFAULT_SCALE,
    run: Run = DEFAULT_RUN,
) -> Topics:
    """The distribution of each document over the atoms of a model.

    A document is a text, called by its number from 1, or a name and a text. A window has `window` known words on each
    side of its middle (by default as many as the model was made with), and the next one begins `step` words later (by
    default `window`, so that they overlap by half).
    """
    if isinstance(documents, str):
        raise InputError(f"the documents are one string, {documents[:40]!r}; pass a list of texts.")
    windows = WindowAtoms.of_model(model, window, step, remove_common=remove_common, scale=scale if soft else None)
    parts: list[Part] = []
    groups = _groups(documents)
    with one_blas_thread(), run.progress.text_bar("documents", n_bytes=None) as report:
        while some := list(islice(groups, run.n_threads)):
            for part in run_threads(windows.part, some, len(some)):
                parts.append(part)
                report(part.n_characters, int(part.n_words.sum()))
    return _joined(parts, windows)


def _groups(documents: Iterable[Document]) -> Iterator[list[tuple[str, str]]]:
    """Documents with their names, as many at a time as are worked on together."""
    group: list[tuple[str, str]] = []
    n_characters = 0
    for number, document in enumerate(documents, 1):
        name, text = (str(number), document) if isinstance(document, str) else document
        group.append((name, text))
        n_characters += len(text)
        if n_characters >= GROUP_CHARACTERS or len(group) == GROUP_DOCUMENTS:
            yield group
            group, n_characters = [], 0
    if group:
        yield group


def _joined(parts: Sequence[Part], windows: WindowAtoms) -> Topics:
    names = [name for part in parts for name in part.names]
    sizes = np.concatenate([np.zeros(1, np.int64), *(part.sizes for part in parts)])
    nothing = np.zeros(0, np.int64)
    return Topics(
        tuple(names),
        windows.labels,
        windows.shown,
        np.cumsum(sizes),
        np.concatenate([nothing, *(part.atoms for part in parts)]),
        np.concatenate([nothing.astype(np.float64), *(part.shares for part in parts)]),
        np.concatenate([nothing, *(part.n_words for part in parts)]),
        np.concatenate([nothing, *(part.n_windows for part in parts)]),
    )
