"""Documents as distributions over atoms: what each document is about, and how much of it.

As in the Discourse Atom Topic Model (Arseniev-Koehler et al. 2022), which builds on the atoms of the paper: a window of
2 · window + 1 known words rolls over a document, each window has a SIF vector (Section 2), and the document's
distribution is the mean over its windows. Vectors lose the common direction and go through the map A of Theorem 1 if
the model has one, so that they lie where the atoms do. A model without the map has no stored common direction either;
the direction of Σ p(w)·a/(a+p(w))·v_w takes its place, the mean of all windows if words were independent. By default a
window belongs to its nearest atom; `soft` gives it probabilities p(a|c) ∝ exp(scale · cosine) of its 30 nearest atoms.

Every document with a known word has a distribution; there is no bucket for outliers. A document shorter than a window
is one window. Hidden atoms are left out. Windows run over line ends, which can be anywhere in a document. Sums over
windows are differences of running sums, so a document costs the same for any window.

Left out: reading documents from files (`wordatoms.text.documents`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.window_shapes import check_window
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, require_extra, require_number, require_texts
from wordatoms.kernels.contexts import window_means
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.frames import Shown
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import softmax
from wordatoms.storage.files import write_atomic
from wordatoms.tabular import Tabular
from wordatoms.text.tokenizer import Lexicon

if TYPE_CHECKING:
    from pandas import DataFrame

DEFAULT_WINDOW = 10
DEFAULT_SCALE = 10.0
N_SHARING = 30
"""Atoms that share a window if shares are soft. Both were measured by held-out text: docs/results/topics.md."""
LONGEST_WINDOW, SMALLEST_SCALE = 1_000_000, 1e-9
SMALLEST_SHARE = 1e-4
"""Smaller shares of a soft distribution are left out, and the rest sums to 1 again."""
GROUP_CHARACTERS, GROUP_DOCUMENTS = 1 << 20, 1000
"""Size of the groups in which documents are processed: fixed, so that the number of threads changes nothing."""
PIECE_CHARACTERS = 1 << 20
BLOCK_WINDOWS = 1024
SEPARATORS = {".csv": ",", ".tsv": "\t"}
PARQUET = ".parquet"

Rows = NDArray[np.int32]
Block = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""Windows: the document of each, where it begins, and its vector."""
Document = str | tuple[str, str]
"""A text, or a name and a text."""


class Share(NamedTuple):
    """Share of an atom in a document."""

    atom: int
    label: str
    share: float


class DocumentShare(NamedTuple):
    """A document and the share of an atom in it."""

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
class Topics(Shown, Tabular):
    """Documents and their distributions over atoms; each distribution sums to 1 or is empty."""

    documents: tuple[str, ...]
    labels: tuple[str, ...]
    """Labels of all atoms."""
    shown: NDArray[np.int64]
    """Ids of the atoms that are not hidden."""
    starts: NDArray[np.int64]
    """Where each document begins in `atoms` and `shares`, and where the last one ends, (n_documents + 1,)."""
    atoms: NDArray[np.int64]
    """Ids of atoms, rising within a document."""
    shares: NDArray[np.float64]
    n_words: NDArray[np.int64]
    """Known words of each document, (n_documents,)."""
    n_windows: NDArray[np.int64]
    """Windows of each document, (n_documents,)."""

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"Topics({len(self):,} documents, {len(np.unique(self.atoms)):,} of {len(self.shown):,} atoms)"

    @property
    def empty(self) -> tuple[str, ...]:
        """Documents without a known word, and so without a distribution."""
        return tuple(self.documents[row] for row in np.flatnonzero(self.n_windows == 0))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in reversed(list(enumerate(self.documents)))}

    def row(self, document: int | str) -> int:
        """Return the number of a document, given by that number or by name (the first of that name)."""
        row = self._rows.get(document, -1) if isinstance(document, str) else document
        if not 0 <= row < len(self):
            raise InputError(f"there is no document {document!r} among {len(self):,}; pass a name, or a number from 0.")
        return row

    def distribution(self, document: int | str) -> NDArray[np.float64]:
        """Return the share of each atom in a document, (n_atoms,); zeros if it has no known word."""
        dense = np.zeros(len(self.labels))
        part = self._part(self.row(document))
        dense[self.atoms[part]] = self.shares[part]
        return dense

    def top_atoms(self, document: int | str, n: int = 5) -> list[Share]:
        """Return the atoms with the largest shares in a document, largest first."""
        part = self._part(self.row(document))
        atoms, shares = self.atoms[part], self.shares[part]
        order = np.argsort(-shares, kind="stable")[:n]
        return [Share(int(atoms[k]), self.labels[atoms[k]], float(shares[k])) for k in order]

    def top_documents(self, atom: int, n: int = 10) -> list[DocumentShare]:
        """Return the documents with the largest shares of an atom, largest first."""
        if atom not in self.shown:
            raise InputError(f"there is no atom {atom} among the {len(self.shown):,} that are shown.")
        places = self._by_atom[0][self._by_atom[1][atom] : self._by_atom[1][atom + 1]][:n]
        rows = np.searchsorted(self.starts, places, side="right") - 1
        return [DocumentShare(self.documents[row], float(self.shares[k])) for row, k in zip(rows, places, strict=True)]

    def mean_shares(self) -> NDArray[np.float64]:
        """Return the mean share of each atom over the documents that have a distribution, (n_atoms,)."""
        totals = np.bincount(self.atoms, weights=self.shares, minlength=len(self.labels))
        return np.asarray(totals / max(int(np.count_nonzero(self.n_windows)), 1))

    def rows(self, *, min_share: float = 0.0) -> Iterator[Row]:
        """Yield the long table: a row for each document and atom, largest share first."""
        for row, name in enumerate(self.documents):
            n_words = int(self.n_words[row])
            if not self.n_windows[row]:
                yield Row(name, None, None, None, n_words)
            for atom, label, share in self.top_atoms(row, len(self.labels)):
                if share >= min_share:
                    yield Row(name, atom, label, share, n_words)

    def to_frame(self, *, wide: bool = False, min_share: float = 0.0) -> DataFrame:
        """Return a pandas table: long (document, atom, label, share, n_words), or `wide`, documents by atoms."""
        pandas = require_extra("pandas", "pandas")
        if not wide:
            frame = pandas.DataFrame(list(self.rows(min_share=min_share)), columns=list(Row._fields))
            return frame.astype({"atom": "Int64", "share": "float64"})
        shares = np.stack([self.distribution(row)[self.shown] for row in range(len(self))]) if len(self) else None
        frame = pandas.DataFrame(shares, index=list(self.documents), columns=self.columns())
        frame.insert(0, "n_words", self.n_words)
        return frame.rename_axis("document")

    def columns(self) -> list[str]:
        """Return the names of the columns of the wide table."""
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
    leave_out: Collection[int] = (),
    run: Run = DEFAULT_RUN,
) -> Topics:
    """Return the distribution of each document over the atoms of a model.

    Parameters
    ----------
    model : SenseModel
    documents : iterable of str or (str, str)
        Texts, named by their numbers from 1, or pairs of a name and a text.
    window : int, optional
        Known words on each side of the middle of a window; by default as many as the model was trained with.
    step : int, optional
        Words from the beginning of a window to the next; by default `window`, so that windows overlap by half.
    remove_common : bool, default True
        Remove the common direction from the vectors of windows.
    soft : bool, default False
        Give a window probabilities over atoms instead of its nearest atom.
    scale : float, default 10
        Sharpness of the probabilities if `soft`; they are of the 30 nearest atoms.
    leave_out : collection of int, default none
        Atoms to leave out, as if they were hidden.
    run : Run, optional
        Threads and progress.

    Returns
    -------
    Topics

    Examples
    --------
    >>> import wordatoms as wa
    >>> from wordatoms.senses.topics import document_topics
    >>> topics = document_topics(wa.load(), ["The orchestra played a symphony by Mahler."])
    >>> [share.label for share in topics.top_atoms(0)]
    ['classical music composers']
    """
    documents = require_texts(documents, "the documents")
    windows = WindowAtoms.of_model(
        model, window, step, remove_common=remove_common, scale=scale if soft else None, leave_out=leave_out
    )
    return read_documents(windows, documents, run)


def read_documents(
    windows: WindowAtoms, documents: Iterable[Document], run: Run, on_group: OnGroup | None = None
) -> Topics:
    """Return the distributions of documents; `on_group` is called with each group of them, in order."""
    parts: list[Part] = []
    groups = _groups(documents)
    with one_blas_thread(), run.progress.text_bar("documents", n_bytes=None) as report:
        while some := list(islice(groups, run.n_threads)):
            for group, part in zip(some, run_threads(windows.part, some, len(some)), strict=True):
                if on_group is not None:
                    on_group(group, part)
                parts.append(part._replace(rows=[], windows=NO_WINDOWS))
                report(part.n_characters, int(part.n_words.sum()))
    return _joined(parts, windows)


def _groups(documents: Iterable[Document]) -> Iterator[Group]:
    """Yield documents with their names, in groups that are processed together."""
    group: Group = []
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


# --- windows


class Windows(NamedTuple):
    """Windows of a group of documents, document by document: arrays of one length."""

    documents: NDArray[np.int64]
    """Places of the documents in their group."""
    starts: NDArray[np.int64]
    """The first of the known words of the document."""
    atoms: NDArray[np.int64]
    """The nearest atoms."""
    cosines: NDArray[np.float32]


class Part(NamedTuple):
    """Distributions of a group of documents, end to end."""

    names: list[str]
    sizes: NDArray[np.int64]
    """Number of atoms of each document."""
    atoms: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_words: NDArray[np.int64]
    n_windows: NDArray[np.int64]
    n_characters: int
    rows: list[Rows]
    """The known words of each document, by their rows."""
    windows: Windows


Group = list[tuple[str, str]]
"""Names and texts of documents that are processed together."""
OnGroup = Callable[[Group, Part], None]
NO_WINDOWS = Windows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))


@dataclass(frozen=True, eq=False)
class WindowAtoms:
    """Turns documents into distributions over the atoms of one model."""

    lexicon: Lexicon
    sif: SIF
    learned: InducedMap | None
    atoms: NDArray[np.float32]
    """Vectors of the atoms that are not hidden, (n_shown, dim)."""
    shown: NDArray[np.int64]
    """Their ids."""
    labels: tuple[str, ...]
    """Labels of all atoms."""
    window: int
    step: int
    remove_common: bool
    scale: float | None
    """Scale of soft shares; None for the nearest atom only."""

    @classmethod
    def of_model(
        cls,
        model: SenseModel,
        window: int | None,
        step: int | None,
        *,
        remove_common: bool,
        scale: float | None,
        leave_out: Collection[int] = (),
    ) -> WindowAtoms:
        learned = model.induced_map if "map" in model.folder.stages else None
        notes = model.notes
        hidden = {*notes.hidden, *leave_out}
        shown = np.array([atom for atom in range(len(model.atoms)) if atom not in hidden], np.int64)
        words = window if window is not None else learned.window if learned else DEFAULT_WINDOW
        step = words if step is None else step
        _check_numbers(words, step, scale, len(shown))
        return cls(
            Lexicon(model.words, tokenizer=model.tokenizer),
            learned.sif(model.embeddings) if learned else _plain_sif(model.embeddings),
            learned,
            np.ascontiguousarray(model.atoms.vectors[shown]),
            shown,
            tuple(model.label(atom, notes) for atom in range(len(model.atoms))),
            words,
            step,
            remove_common,
            scale,
        )

    def part(self, group: Sequence[tuple[str, str]]) -> Part:
        """Return the distributions of some documents, given by name and text."""
        lexicon = self.lexicon.for_reading()
        words = [self.known_rows(text, lexicon) for _, text in group]
        totals, n_windows = np.zeros((len(group), len(self.shown))), np.zeros(len(group), np.int64)
        found = [NO_WINDOWS]
        for owners, starts, vectors in self._blocks(words):
            found.append(self._add(owners, starts, vectors, totals))
            n_windows += np.bincount(owners, minlength=len(group))
        shares = _shares(totals, n_windows)
        documents, atoms = np.nonzero(shares)
        return Part(
            [name for name, _ in group],
            np.bincount(documents, minlength=len(group)),
            self.shown[atoms],
            shares[documents, atoms],
            np.array([len(rows) for rows in words], np.int64),
            n_windows,
            sum(len(text) for _, text in group),
            words,
            Windows(*map(np.concatenate, zip(*found, strict=True))),
        )

    def known_rows(self, text: str, lexicon: Lexicon) -> Rows:
        """Return the rows of the known words of a document."""
        found = [np.zeros(0, np.int32)]
        for piece in _pieces(text):
            ids = lexicon.encode(piece.encode("utf-8", "replace"))
            found.append(ids[(ids >= 0) & (ids < len(self.sif.embeddings))])
        return np.concatenate(found)

    def _blocks(self, documents: Sequence[Rows]) -> Iterator[Block]:
        """Yield the windows of all documents in blocks."""
        words = np.concatenate([np.zeros(0, np.int32), *documents])
        n_words = np.array([len(rows) for rows in documents], np.int64)
        owners, starts = window_starts(n_words, 2 * self.window + 1, self.step)
        begins = starts + (np.cumsum(n_words) - n_words)[owners]
        ends = begins + np.minimum(n_words, 2 * self.window + 1)[owners]
        vectors, weights = self.sif.embeddings.vectors, self.sif.weights
        for first in range(0, len(owners), BLOCK_WINDOWS):
            block = slice(first, first + BLOCK_WINDOWS)
            own, means = owners[block], np.empty((len(owners[block]), vectors.shape[1]), np.float32)
            runs = np.flatnonzero(np.diff(own, prepend=-1))
            window_means(words, begins[block], ends[block], runs, weights, vectors, means)
            yield self._with_direction(own, starts[block], means)

    def _with_direction(
        self, owners: NDArray[np.int64], starts: NDArray[np.int64], means: NDArray[np.float32]
    ) -> Block:
        """Take windows to the space of the atoms, at length 1; windows with a zero vector are dropped."""
        vectors = self.to_atoms(means)
        lengths = np.linalg.norm(vectors, axis=1)
        kept = lengths > 0
        return owners[kept], starts[kept], vectors[kept] / lengths[kept, None]

    def to_atoms(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Take SIF vectors, (n, dim), to the space of the atoms."""
        if self.remove_common:
            vectors = self.sif.remove_common(vectors)
        return vectors if self.learned is None else self.learned.apply(vectors)

    def _add(
        self,
        owners: NDArray[np.int64],
        starts: NDArray[np.int64],
        vectors: NDArray[np.float32],
        totals: NDArray[np.float64],
    ) -> Windows:
        """Add the shares of windows to those of their documents, and return their nearest atoms."""
        cosines = vectors @ self.atoms.T
        nearest = cosines.argmax(axis=1)
        if self.scale is None:
            np.add.at(totals, (owners, nearest), 1)
        else:
            n_sharing = min(N_SHARING, cosines.shape[1])
            kept = np.argpartition(-cosines, n_sharing - 1, axis=1)[:, :n_sharing]
            near = np.take_along_axis(cosines, kept, axis=1).astype(np.float64)
            np.add.at(totals, (owners[:, None], kept), softmax(self.scale * near))
        return Windows(owners, starts, self.shown[nearest], cosines[np.arange(len(nearest)), nearest])


def window_starts(n_words: NDArray[np.int64], width: int, step: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the document of each window and where it begins there; the last one of a document ends with it."""
    beyond = np.maximum(n_words - width, 0)
    n_windows = np.where(n_words > 0, -(-beyond // step) + 1, 0)
    owners = np.repeat(np.arange(len(n_words)), n_windows)
    numbers = np.arange(len(owners)) - (np.cumsum(n_windows) - n_windows)[owners]
    return owners, np.minimum(numbers * step, beyond[owners])


def _shares(totals: NDArray[np.float64], n_windows: NDArray[np.int64]) -> NDArray[np.float64]:
    shares = totals / np.maximum(n_windows, 1)[:, None]
    shares[shares < np.minimum(SMALLEST_SHARE, 1 / np.maximum(n_windows, 1))[:, None]] = 0
    sums = shares.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(shares, sums, out=shares, where=sums > 0))


def _pieces(text: str) -> Iterator[str]:
    """Yield a long text in pieces that end at white space if there is any."""
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        end = max(text.rfind(space, start, start + PIECE_CHARACTERS) for space in " \n") + 1
        end = end if end > start else start + PIECE_CHARACTERS
        yield text[start:end]
        start = end
    yield text[start:]


def _plain_sif(embeddings: Embeddings) -> SIF:
    """Return SIF for a model without the stage `map`."""
    sif = SIF(embeddings, p_words(embeddings), DEFAULT_A)
    mean = (sif.p_word * sif.weights) @ embeddings.vectors
    length = float(np.linalg.norm(mean)) or 1.0
    return SIF(embeddings, sif.p_word, DEFAULT_A, np.asarray(mean / length, np.float32))


def _check_numbers(window: int, step: int, scale: float | None, n_shown: int) -> None:
    require_number(window, "window", 1, LONGEST_WINDOW, whole=True)
    check_window(window)
    require_number(step, "step", 1, LONGEST_WINDOW, whole=True)
    if scale is not None:
        require_number(scale, "scale", SMALLEST_SCALE, 1e9)
    if not n_shown:
        raise InputError("all atoms of the model are hidden; unhide some: wordatoms atoms ID --unhide")


# --- tables


def check_table(path: Path, *, force: bool = False) -> None:
    """Raise before any work is done if the table could not be written."""
    suffix = path.suffix.lower()
    if suffix not in (*SEPARATORS, PARQUET):
        raise InputError(f"{path} is not a supported table format; use a name that ends in .csv, .tsv or .parquet.")
    if path.exists() and not force:
        raise InputError(f"{path} is there already; pass --force (in Python force=True) to replace it.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first.")
    if suffix == PARQUET:
        require_extra("pandas", "parquet")
        require_extra("pyarrow", "parquet")


def write_table(
    topics: Topics, path: Path | str, *, wide: bool = False, min_share: float = 0.0, force: bool = False
) -> None:
    """Write the long table (a row for each document and atom) or the `wide` one (documents by atoms) to a file."""
    path = Path(path)
    check_table(path, force=force)
    if not 0 <= min_share <= 1:
        raise InputError(f"min_share is {min_share}; pass a share from 0 to 1.")
    with write_atomic(path) as file:
        if path.suffix.lower() == PARQUET:
            frame = topics.to_frame(wide=wide, min_share=min_share)
            (frame.reset_index() if wide else frame).to_parquet(file, engine="pyarrow", index=False)
            return
        header: Sequence[str] = ["document", "n_words", *topics.columns()] if wide else Row._fields
        rows = _wide_rows(topics) if wide else topics.rows(min_share=min_share)
        write_rows(file, SEPARATORS[path.suffix.lower()], header, rows)


def write_cells(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write any rows to a table of the kind that its name says."""
    with write_atomic(path) as file:
        if path.suffix.lower() == PARQUET:
            frame = require_extra("pandas", "parquet").DataFrame(list(rows), columns=list(header))
            frame.to_parquet(file, engine="pyarrow", index=False)
            return
        write_rows(file, SEPARATORS[path.suffix.lower()], header, rows)


def write_rows(file: IO[bytes], separator: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table of text into an open file; numbers with six digits, None as an empty cell."""
    text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    text.detach()  # flushes, and leaves the closing to the owner


def _wide_rows(topics: Topics) -> Iterator[list[Any]]:
    for row, name in enumerate(topics.documents):
        yield [name, int(topics.n_words[row]), *topics.distribution(row)[topics.shown].tolist()]
