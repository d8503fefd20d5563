"""Embeddings: a mapping from words to vectors, with search for near words, stored in a folder.

Rows are words, sorted by decreasing count if the embedding was trained here; similarity is the cosine. The folder holds
`vectors.npy` (expanded when loaded if quantized), `words.txt` (a line `word<TAB>count` per word), a
`state-<name>.npy` for each array that its trainer needs to continue, and `embeddings.json`.

Left out: training (`wordatoms.embeddings.trainers`), the formats of other programs
(`wordatoms.embeddings.vector_files`) and approximate search: a search compares the query with every word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.counts.word_lists import WordList, WordText, format_words, parse_words
from wordatoms.embeddings.quantized import VECTORS, load_rows
from wordatoms.errors import InputError, ModelError, UnknownWordError, require_extra
from wordatoms.storage.files import map_array, release_pages, save_array, write_atomic, write_json
from wordatoms.storage.untrusted import LARGEST_WORDS, read_bytes, read_json

Default = TypeVar("Default")
Words = TypeVar("Words", WordList, WordText)

_BLOCK_ROWS = 1024
"""Rows per block in a pass over all vectors, small enough for its temporary arrays to stay in the cache."""
_RELEASED_ROWS = 64 * _BLOCK_ROWS
"""Rows after whose check the pages of memory-mapped vectors are released."""
_BLOCK_SCORES = 1 << 23
"""Similarities that a search computes at a time (32 MB)."""
_ADVICE = "Run `wordatoms embed --force`, or import the vectors again."
_SCORE_ERROR = 1e-5
"""Well above the rounding error of a cosine in single precision; closer candidates are compared in double."""


class Neighbour(NamedTuple):
    """A word and its cosine with a query.

    Parameters
    ----------
    word : str
    similarity : float
        The cosine, from -1 to 1.

    Examples
    --------
    >>> import wordatoms as wa
    >>> near = wa.load().embeddings.nearest("tie", 1)[0]
    >>> near.word, round(near.similarity, 2)
    ('tied', 0.74)
    """

    word: str
    similarity: float


@dataclass(frozen=True, eq=False, repr=False)
class Embeddings(Mapping[str, NDArray[np.float32]]):
    """Words and their vectors; `embeddings["tie"]` is the vector of *tie*.

    Embeddings are a read-only mapping. Two of them are equal only if they are the same object.

    Parameters
    ----------
    words : sequence of str
        Different, non-empty words; the row of a word is its position.
    vectors : array-like, shape (n_words, dim)
        Finite numbers. An array of float32 is used without a copy, others are converted to it.
    counts : array-like of int, shape (n_words,), optional
        Occurrences of each word.
    state : mapping of str to ndarray, optional
        What the trainer needs to continue: context vectors, biases, the constant C.
    method : str, default "imported"
        The method that the vectors were trained by.
    n_tokens : int, optional
        Number of tokens of the text behind the counts.

    Raises
    ------
    InputError
        If words are missing or repeated, or the arrays do not fit the words.

    Examples
    --------
    >>> import wordatoms as wa
    >>> embeddings = wa.Embeddings(["tie", "suit"], [[1.0, 0.0], [0.6, 0.8]])
    >>> embeddings
    Embeddings(2 words, 2 dimensions, method 'imported')
    >>> embeddings["suit"]
    array([0.6, 0.8], dtype=float32)
    >>> round(embeddings.similarity("tie", "suit"), 6)
    0.6
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    counts: NDArray[np.int64] | None = None
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    method: str = "imported"
    n_tokens: int | None = None

    __eq__ = object.__eq__  # Mapping would compare dicts of arrays, which is ambiguous
    __hash__ = object.__hash__

    def __post_init__(self) -> None:
        words = _checked_words(self.words)
        vectors = _checked_vectors(self.vectors, words)
        checked = {
            "words": words,
            "vectors": vectors,
            "counts": None if self.counts is None else _checked_counts(self.counts, words),
            "state": {name: np.asarray(array) for name, array in self.state.items()},
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    # --- a mapping

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        try:
            vector: NDArray[np.float32] = self.vectors[self._rows[word]]
        except KeyError:
            raise UnknownWordError(word, self.words) from None
        return vector

    @overload
    def get(self, word: str, /) -> NDArray[np.float32] | None: ...
    @overload
    def get(self, word: str, /, default: NDArray[np.float32] | Default) -> NDArray[np.float32] | Default: ...
    def get(self, word: str, /, default: object = None) -> object:
        """Return the vector of a word, or `default`.

        Parameters
        ----------
        word : str
        default : object, default None

        Returns
        -------
        ndarray of float32, shape (dim,), or `default`
            Unlike `[]`, `get` spends no time on finding similar spellings.
        """
        return self.vectors[self._rows[word]] if word in self._rows else default

    def __repr__(self) -> str:
        return f"Embeddings({len(self):,} words, {self.dim} dimensions, method {self.method!r})"

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self.vectors.shape[1])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    # --- many words at once

    def find_rows(self, words: Iterable[str]) -> NDArray[np.intp]:
        """Find the rows of words.

        Parameters
        ----------
        words : iterable of str

        Returns
        -------
        ndarray of int, shape (n,)
            The row of each word, -1 for unknown words.
        """
        return np.array([self._rows.get(word, -1) for word in words], dtype=np.intp)

    def lookup(self, words: Sequence[str], *, missing: Literal["raise", "zero"] = "raise") -> NDArray[np.float32]:
        """Return the vectors of many words.

        Parameters
        ----------
        words : sequence of str
        missing : {"raise", "zero"}, default "raise"
            What to do about unknown words: raise, or give them a vector of zeros.

        Returns
        -------
        ndarray of float32, shape (len(words), dim)

        Raises
        ------
        UnknownWordError
            If a word is unknown and `missing` is "raise".
        """
        if missing not in ("raise", "zero"):
            raise InputError(f"missing is {missing!r}; pass 'raise' or 'zero'.")
        rows = self.find_rows(words)
        known = rows >= 0
        if missing == "raise" and not known.all():
            unknown = [word for word, is_known in zip(words, known, strict=True) if not is_known]
            raise UnknownWordError(unknown, self.words)
        vectors = np.zeros((len(rows), self.dim), dtype=np.float32)
        vectors[known] = self.vectors[rows[known]]
        return vectors

    # --- near words

    @cached_property
    def unit_vectors(self) -> NDArray[np.float32]:
        """The vectors scaled to length 1, shape (n_words, dim); zero vectors stay zero."""
        units = np.empty_like(self.vectors)
        for start in range(0, len(self), _BLOCK_ROWS):
            units[start : start + _BLOCK_ROWS] = to_unit(self.vectors[start : start + _BLOCK_ROWS])
        units.flags.writeable = False
        return units

    def similarity(self, word1: str, word2: str) -> float:
        """Compute the cosine of the vectors of two words.

        Parameters
        ----------
        word1, word2 : str

        Returns
        -------
        float
            The cosine; 0 if one of the vectors is zero.
        """
        return float(cosines(self[word1][None], self[word2])[0])

    def nearest(
        self, query: str | Sequence[str] | NDArray[Any], n: int = 10, *, exclude: Iterable[str] = ()
    ) -> list[Neighbour]:
        """Find the words nearest to a word, to the mean direction of several words, or to a vector.

        Parameters
        ----------
        query : str, sequence of str, or ndarray of shape (dim,)
        n : int, default 10
            Maximum number of words.
        exclude : iterable of str, default ()
            Words to leave out, besides those of the query.

        Returns
        -------
        list of Neighbour
            Nearest first; equally near words in the order of the vocabulary.

        Examples
        --------
        >>> import wordatoms as wa
        >>> embeddings = wa.load().embeddings
        >>> [near.word for near in embeddings.nearest("tie", 3)]
        ['tied', 'tying', 'tight']
        >>> [near.word for near in embeddings.nearest(["tie", "match"], 2)]
        ['matches', 'win']
        """
        words: list[str] = []
        if not isinstance(query, np.ndarray):
            words = [query] if isinstance(query, str) else list(query)
        vector = self._mean_direction(words) if words else np.asarray(query)
        left_out = self.find_rows([*words, *exclude])
        return self._search(self._checked_queries(vector[None]), [left_out[left_out >= 0]], n)[0]

    def nearest_batch(self, queries: Sequence[str] | NDArray[Any], n: int = 10) -> list[list[Neighbour]]:
        """Find the nearest words for many queries, by few large matrix products.

        Parameters
        ----------
        queries : sequence of str, or ndarray of shape (n_queries, dim)
        n : int, default 10
            Maximum number of words for each query.

        Returns
        -------
        list of list of Neighbour
            What `nearest` returns for each query.
        """
        if isinstance(queries, np.ndarray):
            return self._search(self._checked_queries(queries), [self.find_rows(())] * len(queries), n)
        return self._search(self.lookup(queries), list(self.find_rows(queries)[:, None]), n)

    def _mean_direction(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = self.lookup(words)
        mean: NDArray[np.float32] = vectors[0] if len(words) == 1 else to_unit(vectors).mean(axis=0)
        return mean

    def _checked_queries(self, queries: NDArray[Any]) -> NDArray[np.float32]:
        if queries.ndim != 2 or queries.shape[1] != self.dim:
            raise InputError(
                f"the query has the shape {queries.shape}, but the vectors have {self.dim} dimensions; "
                f"pass {self.dim} numbers per query."
            )
        checked = to_single(queries)
        if not np.isfinite(checked).all():
            raise InputError("the query holds NaN or infinity; pass finite numbers.")
        return checked

    def _search(
        self, queries: NDArray[np.float32], left_out: Sequence[NDArray[np.intp]], n: int
    ) -> list[list[Neighbour]]:
        """The nearest words of each query, (n_queries, dim), without the rows in its `left_out`."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InputError(f"n is {n!r}; pass a whole number of 1 or more.")
        n_block = max(1, _BLOCK_SCORES // len(self))
        found = []
        for start in range(0, len(queries), n_block):
            block = queries[start : start + n_block]
            scores = to_unit(block) @ self.unit_vectors.T
            for row, query in enumerate(block):
                found.append(self._best(scores[row], query, left_out[start + row], n))
        return found

    def _best(
        self, scores: NDArray[np.float32], query: NDArray[np.float32], left_out: NDArray[np.intp], n: int
    ) -> list[Neighbour]:
        """The `n` best words by the scores of a matrix product, with the candidates compared in double precision.

        The last bits of a matrix product depend on its shape and on the number of threads; the answer must not.
        """
        scores[left_out] = -np.inf
        n = min(n, len(self) - len(np.unique(left_out)))
        if n == 0:
            return []
        threshold = np.partition(scores, -n)[-n] - _SCORE_ERROR
        candidates = np.flatnonzero(scores >= threshold)
        similarities = cosines(self.vectors[candidates], query)
        # cosines that differ in the last bits only count as equal, and keep the order of the vocabulary
        order = np.argsort(-similarities.round(12), kind="stable")[:n]
        return [Neighbour(self.words[candidates[i]], float(similarities[i])) for i in order]

    # --- files

    def save(self, folder: Path, *, has_vectors: bool = False) -> None:
        """Write the embeddings into a folder, which is created if necessary.

        Parameters
        ----------
        folder : Path
        has_vectors : bool, default False
            The folder's `vectors.npy` already holds these vectors, and is not written again.
        """
        folder = Path(folder)
        words = format_words(self.words, self.counts)
        state = {_state_path(folder, name): array for name, array in self.state.items()}
        folder.mkdir(parents=True, exist_ok=True)
        # the description is removed first and written last: without it an interrupted save is no embedding
        (folder / "embeddings.json").unlink(missing_ok=True)
        with write_atomic(folder / "words.txt") as file:
            file.write(words)
        vectors = {} if has_vectors else {folder / VECTORS: self.vectors}
        for path, array in {**vectors, **state}.items():
            save_array(path, array)
        for path in set(folder.glob("state-*.npy")) - set(state):
            path.unlink()
        write_json(folder / "embeddings.json", self._description())

    def _description(self) -> dict[str, object]:
        return {
            "method": self.method,
            "n_words": len(self),
            "dim": self.dim,
            "counts": self.counts is not None,
            "n_tokens": self.n_tokens,
            "state": sorted(self.state),
        }

    @classmethod
    def load(cls, folder: Path, word_list: WordList | None = None) -> Embeddings:
        """Load embeddings that `save` wrote; vectors of more than 256 MB are memory-mapped.

        Parameters
        ----------
        folder : Path
        word_list : WordList, optional
            The words and counts of the folder, if they have been read already.

        Returns
        -------
        Embeddings

        Raises
        ------
        ModelError
            If the files are missing, damaged or inconsistent.
        """
        folder = Path(folder)
        description = _read_description(folder / "embeddings.json")
        words, counts = word_list or load_words(folder)
        vectors = load_rows(folder)
        try:
            state = {name: map_array(_state_path(folder, name)) for name in description["state"]}
            loaded = cls(words, vectors, counts, state, description["method"], description["n_tokens"])
        except InputError as error:
            raise ModelError(f"{folder} holds no usable embeddings: {error}") from error
        if loaded._description() != description:
            raise ModelError(
                f"{folder} is inconsistent: embeddings.json describes {description}, the other files hold "
                f"{loaded._description()}. {_ADVICE}"
            )
        return loaded

    # --- gensim

    @classmethod
    def from_gensim(cls, keyed_vectors: Any) -> Embeddings:
        """Wrap the words and vectors of gensim, without a copy.

        Parameters
        ----------
        keyed_vectors : gensim.models.KeyedVectors, or a model with one as `wv`

        Returns
        -------
        Embeddings
        """
        keyed_vectors = getattr(keyed_vectors, "wv", keyed_vectors)
        counts = getattr(keyed_vectors, "expandos", {}).get("count")
        return cls(tuple(keyed_vectors.index_to_key), keyed_vectors.vectors, counts)

    def to_gensim(self) -> Any:
        """Convert to the vectors of gensim.

        Returns
        -------
        gensim.models.KeyedVectors
            The same words, vectors and counts.
        """
        keyed_vectors = require_extra("gensim.models", "skipgram").KeyedVectors(self.dim, dtype=np.float32)
        keyed_vectors.add_vectors(list(self.words), self.vectors)
        if self.counts is not None:
            keyed_vectors.expandos["count"] = self.counts.copy()
        return keyed_vectors


# --- checks


def _checked_words(words: Sequence[str]) -> tuple[str, ...]:
    if isinstance(words, str):
        raise InputError(f"the words are one string, {words[:40]!r}; pass a sequence of words.")
    checked = tuple(words.tolist() if isinstance(words, np.ndarray) else words)
    if not checked:
        raise InputError("there are no words; pass at least one.")
    seen: dict[str, int] = {}
    for row, word in enumerate(checked):
        if not isinstance(word, str) or not word:
            raise InputError(f"row {row} has {word!r} for a word; pass a non-empty string.")
        if seen.setdefault(word, row) != row:
            raise InputError(f"'{word[:60]}' is in rows {seen[word]} and {row}; pass each word once.")
    return checked


def _checked_vectors(vectors: ArrayLike, words: Sequence[str]) -> NDArray[np.float32]:
    given = np.asarray(vectors)
    if given.ndim != 2 or given.shape[1] == 0:
        raise InputError(f"the vectors have the shape {given.shape}; pass one row of numbers per word.")
    if len(given) != len(words):
        raise InputError(f"there are {len(words):,} words but {len(given):,} vectors; pass one vector per word.")
    single = to_single(given).view()
    single.flags.writeable = False
    _refuse_infinite(single, words)
    return single


def _refuse_infinite(vectors: NDArray[np.float32], words: Sequence[str]) -> None:
    for start in range(0, len(vectors), _BLOCK_ROWS):
        finite = np.isfinite(vectors[start : start + _BLOCK_ROWS])
        if not finite.all():
            row = start + int(np.flatnonzero(~finite.all(axis=1))[0])
            raise InputError(
                f"the vector of '{words[row][:60]}' (row {row}) holds NaN, infinity or a number too large for "
                "float32; leave the word out or repair its vector."
            )
        if start % _RELEASED_ROWS == 0:
            release_pages(vectors)
    release_pages(vectors)


def to_single(array: NDArray[Any]) -> NDArray[np.float32]:
    """Convert numbers to float32, in C order; those that are too large become infinite."""
    if array.dtype.kind not in "fiub":
        raise InputError(f"the vectors hold {array.dtype}; pass real numbers.")
    with np.errstate(over="ignore"):  # the caller refuses infinity
        return np.asarray(array, dtype=np.float32, order="C")


def _checked_counts(counts: ArrayLike, words: Sequence[str]) -> NDArray[np.int64]:
    given = np.asarray(counts)
    if given.shape != (len(words),) or (given.size and given.dtype.kind not in "iu"):
        raise InputError(
            f"the counts are {given.dtype} of shape {given.shape}; pass one integer for each of the "
            f"{len(words):,} words."
        )
    if (given < 0).any():
        row = int(np.flatnonzero(given < 0)[0])
        raise InputError(f"the count of '{words[row][:60]}' is {given[row]}; pass 0 or more.")
    return given.astype(np.int64, copy=False)


# --- cosines


def to_unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length 1, except zero rows; in double precision, where squares of float32 cannot overflow."""
    double = vectors.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", double, double))
    lengths[lengths == 0] = 1
    units: NDArray[np.float32] = (double / lengths[:, None]).astype(np.float32)
    return units


def cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosine of each row with the query."""
    # row-wise sums instead of a matrix product: equal rows give equal bits whatever their position
    rows, query = vectors.astype(np.float64), query.astype(np.float64)
    products = (rows * query).sum(axis=1)
    lengths = np.sqrt((rows * rows).sum(axis=1)) * np.sqrt((query * query).sum())
    found: NDArray[np.float64] = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return found.clip(-1, 1)


# --- files


def _state_path(folder: Path, name: object) -> Path:
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-]+", name)):
        raise InputError(f"a state array is named {name!r}; use only letters, digits, _ and -.")
    return folder / f"state-{name}.npy"


def _read_description(path: Path) -> dict[str, Any]:
    try:
        description = read_json(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing. {_ADVICE}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} is not valid JSON ({error}). {_ADVICE}") from error
    keys = {"method", "n_words", "dim", "counts", "n_tokens", "state"}
    if not (isinstance(description, dict) and set(description) == keys and isinstance(description["state"], list)):
        raise ModelError(f"{path} does not describe embeddings. {_ADVICE}")
    return description


def load_words(folder: Path) -> WordList:
    """Load the words of the embeddings in a folder, with their counts if known."""
    return _read_words(folder, parse_words)


def open_words(folder: Path) -> WordText:
    """Load the same list to look up single words in it."""
    return _read_words(folder, WordText)


def _read_words(folder: Path, parse: Callable[[bytes], Words]) -> Words:
    path = Path(folder) / "words.txt"
    try:
        return parse(read_bytes(path, LARGEST_WORDS))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing. {_ADVICE}") from None
    except InputError as error:
        raise ModelError(f"{path}: {error}") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({error}). {_ADVICE}") from error
