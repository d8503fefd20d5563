"""The senses of words by their use: what the occurrences of each word in the text showed, and questions about it.

A word and its inflected forms share one list of senses; each has its own shares of them. In a context, p(s|c,w) is
proportional to share · exp(κ ⟨v_s, u⟩) with u the vector of the context. Length is evidence: u is shorter the less a
context says, so that a context of function words leaves the shares as they are. Frequent senses fit many contexts a
little, so the longer u is, the less the shares count on top of it: their logarithm is multiplied by
1 − `yielding` · |u|. "None of these" is a further sense, whose product with a context is `none_cosine` times the length
of u: it wins where no sense fits.

The numbers were fitted on pseudowords in held-out text with contexts of 1 to 40 words, part of them with the right
sense left out of the list.

Left out: how senses are found (`wordatoms.senses.observing`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import ContextReader, ReadingSettings
from wordatoms.contexts.usages import Place
from wordatoms.embeddings.quantized import to_bytes
from wordatoms.errors import ModelError
from wordatoms.senses.posterior import softmax
from wordatoms.storage.files import Array, StoredRows, load_array, save_array, write_atomic, write_json
from wordatoms.storage.untrusted import LARGEST_WORDS, read_bytes, read_json

DESCRIPTION = "uses.json"
ARRAYS: dict[str, type[np.generic]] = {
    "families": np.int32,
    "atoms": np.int32,
    "general": np.bool_,
    "nearest": np.int32,
    "starts": np.int32,
    "senses": np.int32,
    "shares": np.float32,
    "numbers": np.int32,
    "read": np.int32,
    "examples": np.int64,
    "mean": np.float32,
}
"""Arrays of `SenseUses` and their types."""
VECTORS, SCALES, EXAMPLES, NAMES = "uses-vectors.npy", "uses-scales.npy", "uses-examples.npy", "uses-names.txt"
COMPACT_SHARE = 0.03
"""Least share of a use in a compact model; rarer ones are not shown by default."""
COMPACT_NEAREST = 7
"""Nearest words of each sense in a compact model."""
COMPACT_MOST = 4
"""Largest integer of a compact vector: the cosine with the vector itself is about .98, and a number takes 2.5 bits when
compressed."""
NO_CONTEXT = 0.15
"""A context whose u is shorter than this tells nothing; u has length 1 where it says everything."""

NO_ATOM = -1
"""In place of an atom: the sense has none near to it."""
LEAST_PRIOR = 1e-3
"""The share of a sense that only other forms of a word show."""


@dataclass(frozen=True)
class Calibration:
    """How strongly contexts speak for senses."""

    scale: float = 8.5
    """κ."""
    evidence: float = 0.07
    """Length of a context, in units of a typical one, that counts as much as the prior."""
    none_cosine: float = 0.14
    """Product of "none of these" with a context of length 1."""
    none_share: float = 0.025
    """Share of the uses that no known sense explains."""
    yielding: float = 0.4
    """Part of the logarithm of the shares that a context of length 1 takes the place of."""


LISTED_CALIBRATION = Calibration(scale=10.5, evidence=0.07, none_cosine=0.13, none_share=0.022, yielding=0.5)
"""For senses of a list, which are fitted apart: they are cleaner than found ones, so that contexts count more."""


class WordUse(NamedTuple):
    """A sense of a word and its share of the uses."""

    sense: int
    """Number of the sense in the model."""
    atom: int
    """The atom that names it, or `NO_ATOM`."""
    share: float
    n_occurrences: int
    """Sampled occurrences in this sense."""
    is_general: bool
    nearest: tuple[int, ...]
    """Rows of the words nearest to the sense."""
    places: tuple[Place, ...]
    name: str = ""
    """In the list that the sense is from; empty if it was found."""


@dataclass(frozen=True, eq=False, repr=False)
class SenseUses:
    """The senses that the occurrences of all words show."""

    stored: NDArray[Any] | StoredRows
    """v_s at length 1, or in a compact model integers, (n_senses, dim); `vectors` reads them."""
    families: NDArray[np.int32]
    """The family of each word, (n_words,)."""
    atoms: NDArray[np.int32]
    """The atom that names each sense, -1 for none, (n_senses,)."""
    general: NDArray[np.bool_]
    """Whether a sense is general: used about any subject, (n_senses,)."""
    nearest: NDArray[np.int32]
    """Rows of the words nearest to each sense, (n_senses, n)."""
    starts: NDArray[np.int32]
    """The uses of word w are those from starts[w] to starts[w + 1], (n_words + 1,)."""
    senses: NDArray[np.int32]
    """The sense of each use; those of a word by falling share, (n_uses,)."""
    shares: NDArray[np.float32]
    numbers: NDArray[np.int32]
    read: NDArray[np.int32]
    """Sampled occurrences of each word, (n_words,)."""
    examples: NDArray[np.int64]
    """Places of typical occurrences of each use, -1 for none, (n_uses, n, 2); (0, 0, 2) if there are none."""
    mean: NDArray[np.float32]
    """What the average word adds to a context per unit of its weight, (dim,)."""
    typical_length: float
    """Median length of the sum of a random context."""
    reading: ReadingSettings
    """How contexts were read, and have to be."""
    calibration: Calibration
    scales: NDArray[np.float32] | None = None
    """In a compact model: what the integers of each sense are multiplied by, (n_senses,)."""
    names: tuple[str, ...] = ()
    """The name of each sense in the list that it is from, empty if it was found; () if no sense is listed."""

    def __len__(self) -> int:
        """Return the number of senses."""
        return len(self.stored)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of which word has which senses, by which examples recognise the senses they belong to."""
        content = np.ascontiguousarray(self.starts).tobytes() + np.ascontiguousarray(self.senses).tobytes()
        return hashlib.sha256(content).hexdigest()[:16]

    def vectors(self, senses: Sequence[int] | slice = slice(None)) -> NDArray[np.float32]:
        """Return v_s of some senses, or of all, (n, dim)."""
        rows = np.asarray(self.stored[senses], np.float32)
        return rows if self.scales is None else rows * self.scales[senses][:, None]

    def __repr__(self) -> str:
        n_words = int(np.count_nonzero(np.diff(self.starts)))
        return f"SenseUses({len(self):,} senses of {n_words:,} words, {int(self.read.sum()):,} occurrences)"

    def of(self, row: int) -> list[WordUse]:
        """Return the senses of a word by falling share."""
        return [self._use(place) for place in range(int(self.starts[row]), int(self.starts[row + 1]))]

    def _use(self, place: int) -> WordUse:
        sense = int(self.senses[place])
        examples = self.examples[place].tolist() if len(self.examples) else []
        return WordUse(
            sense,
            int(self.atoms[sense]),
            float(self.shares[place]),
            int(self.numbers[place]),
            bool(self.general[sense]),
            tuple(self.nearest[sense].tolist()),
            tuple(Place(*each) for each in examples if each[0] >= 0),
            self.names[sense] if self.names else "",
        )

    # --- senses in contexts

    def evidence(self, reader: ContextReader, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vector u of each context, (n, dim), of length 0 to 1."""
        sums = self._sums(reader, windows)
        return np.asarray(sums / self._divisors(sums), np.float32)

    def _sums(self, reader: ContextReader, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        n_known = (windows >= 0).sum(axis=1, keepdims=True).astype(np.float32)
        weights = reader.word_weights(windows).sum(axis=1, keepdims=True)
        return np.asarray(reader.vectors(windows) * n_known - weights * self.mean, np.float32)

    def _divisors(self, sums: NDArray[np.float32]) -> NDArray[np.float32]:
        least = self.calibration.evidence * self.typical_length
        return np.asarray(np.sqrt((sums**2).sum(axis=1, keepdims=True) + least**2), np.float32)

    def strength(self, reader: ContextReader, window: NDArray[np.int32]) -> float:
        """Return the factor from the sum over the words of one context to log p."""
        return self.calibration.scale / float(self._divisors(self._sums(reader, window[None]))[0, 0])

    def p_senses(
        self, uses: Sequence[WordUse], contexts: NDArray[np.float32], shares: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the probability of each sense in each context, and last that of none, (n, n_senses + 1).

        `contexts` are those of `evidence`; `shares` are by default those of the uses.
        """
        prior = np.array([use.share for use in uses]) if shares is None else shares
        prior = prior / np.maximum(prior.sum(axis=-1, keepdims=True), 1e-12)
        fitted = self.calibration
        logits = np.empty((len(contexts), len(uses) + 1))
        products = contexts @ self.vectors([use.sense for use in uses]).T
        lengths = np.linalg.norm(contexts, axis=1, keepdims=True)
        prior = np.maximum(prior, LEAST_PRIOR) ** (1 - fitted.yielding * lengths)
        prior *= (1 - fitted.none_share) / prior.sum(axis=1, keepdims=True)
        logits[:, :-1] = fitted.scale * products + np.log(prior)
        logits[:, -1:] = fitted.scale * fitted.none_cosine * lengths + np.log(max(fitted.none_share, 1e-12))
        return softmax(logits)

    # --- files

    def save(self, folder: Path, *, compact: bool = False, prefix: str = "") -> None:
        """Write the senses; compact: without rare ones, vectors as small integers, and no places of the text.

        The names of the files begin with `prefix`.
        """
        (folder / f"{prefix}{DESCRIPTION}").unlink(missing_ok=True)
        kept = replace(self._without_rare(), examples=np.zeros((0, 0, 2), np.int64)) if compact else self
        for name, kind in ARRAYS.items():
            save_array(folder / f"{prefix}uses-{name}.npy", np.asarray(getattr(kept, name), kind))
        with write_atomic(folder / f"{prefix}{NAMES}") as file:
            file.write("".join(f"{name}\n" for name in kept.names).encode())
        if compact:
            small = to_bytes(kept.vectors(), COMPACT_MOST)
            save_array(folder / f"{prefix}{VECTORS}", small.numbers)
            save_array(folder / f"{prefix}{SCALES}", small.scales)
        else:
            save_array(folder / f"{prefix}{VECTORS}", kept.vectors().astype(np.float16))
        write_json(folder / f"{prefix}{DESCRIPTION}", kept._description())

    def _without_rare(self) -> SenseUses:
        """Return the uses with a share of `COMPACT_SHARE` or more, and the senses that still have one."""
        words = np.repeat(np.arange(len(self.read)), np.diff(self.starts))
        is_first = np.zeros(len(self.senses), np.bool_)
        is_first[self.starts[:-1][np.diff(self.starts) > 0]] = True  # the most frequent sense of a word stays
        is_listed = np.array([bool(name) for name in self.names] or [False] * len(self), np.bool_)
        kept = (self.shares >= COMPACT_SHARE) | is_first | is_listed[self.senses]
        totals = np.bincount(words[kept], self.shares[kept], len(self.read))
        senses, renumbered = np.unique(self.senses[kept], return_inverse=True)
        return replace(
            self,
            stored=self.stored[senses],
            scales=None if self.scales is None else self.scales[senses],
            atoms=self.atoms[senses],
            general=self.general[senses],
            nearest=self.nearest[senses, :COMPACT_NEAREST],
            starts=np.concatenate([[0], np.cumsum(np.bincount(words[kept], minlength=len(self.read)))]).astype(
                np.int32
            ),
            senses=renumbered.astype(np.int32),
            shares=(self.shares[kept] / np.maximum(totals[words[kept]], 1e-12)).astype(np.float32),
            numbers=self.numbers[kept],
            examples=self.examples[kept] if len(self.examples) else self.examples,
            names=tuple(self.names[sense] for sense in senses.tolist()) if self.names else (),
        )

    def _description(self) -> dict[str, Any]:
        return {
            "n_senses": len(self),
            "n_words": len(self.families),
            "dim": int(self.stored.shape[1]),
            "typical_length": self.typical_length,
            "reading": self.reading.record(),
            "calibration": asdict(self.calibration),
        }

    @classmethod
    def load(cls, folder: Path, *, prefix: str = "", check: Callable[[], None] | None = None) -> SenseUses:
        """Load and check what `save` wrote; a model may come from a stranger.

        With `check`, which raises if the folder has changed, vectors are read when they are asked for.
        """
        try:
            facts = read_json(folder / f"{prefix}{DESCRIPTION}")
            shape = (int(facts["n_senses"]), int(facts["dim"]))
            n_words, typical = int(facts["n_words"]), float(facts["typical_length"])
            reading = ReadingSettings.from_record(facts["reading"])
            known = {each.name for each in fields(Calibration)}
            numbers = {name: float(value) for name, value in facts["calibration"].items() if name in known}
            calibration = Calibration(**numbers)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise _damaged(folder, str(error)) from error
        arrays = {name: _load(folder, f"{prefix}uses-{name}.npy", kind) for name, kind in ARRAYS.items()}
        vectors = folder / f"{prefix}{VECTORS}"
        stored = load_array(vectors) if check is None else StoredRows(vectors, check)
        scales = _load(folder, f"{prefix}{SCALES}", np.float32) if stored.dtype == np.int8 else None
        names = _load_names(folder / f"{prefix}{NAMES}")
        uses = cls(
            stored,
            **arrays,
            typical_length=typical,
            reading=reading,
            calibration=calibration,
            scales=scales,
            names=names,
        )
        uses._check(folder, shape, n_words)
        return uses

    def _check(self, folder: Path, shape: tuple[int, int], n_words: int) -> None:
        n_senses, n_uses = len(self.stored), len(self.senses)
        starts, numbers = self.starts, asdict(self.calibration).values()
        is_sound = (
            self.stored.shape == shape
            and self.stored.dtype in (np.int8, np.float16, np.float32)
            and (self.scales is None or self.scales.shape == (n_senses,))
            and self.mean.shape == shape[1:]
            and self.families.shape == self.read.shape == (n_words,)
            and self.atoms.shape == self.general.shape == (n_senses,)
            and len(self.names) in (0, n_senses)
            and self.nearest.ndim == 2
            and len(self.nearest) == n_senses
            and starts.shape == (n_words + 1,)
            and self.shares.shape == self.numbers.shape == self.senses.shape == (n_uses,)
            and self.examples.ndim == 3
            and self.examples.shape[2] == 2
            and len(self.examples) in (0, n_uses)
            and np.isfinite([self.typical_length, *numbers]).all()
        )
        if not is_sound:
            raise _damaged(folder, "the files do not fit together")
        if (
            starts[0] != 0
            or starts[-1] != n_uses
            or (np.diff(starts) < 0).any()
            or not 0 <= self.senses.min(initial=0) <= self.senses.max(initial=0) < max(n_senses, 1)
            or not 0 <= self.nearest.min(initial=0) <= self.nearest.max(initial=0) < n_words
            or self.atoms.min(initial=-1) < -1
            or not np.isfinite(self.shares).all()
            or not np.isfinite(self.mean).all()
            or (self.scales is not None and not np.isfinite(self.scales).all())
        ):
            raise _damaged(folder, "numbers are out of range")


def _load_names(path: Path) -> tuple[str, ...]:
    """Load the names of senses; a model made by an earlier version has none."""
    try:
        return tuple(read_bytes(path, LARGEST_WORDS).decode().split("\n")[:-1])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise _damaged(path.parent, f"{path.name}: {error}") from error


def _load(folder: Path, name: str, kind: type[np.generic]) -> Array:
    array = load_array(folder / name)
    if array.dtype != kind:
        raise _damaged(folder, f"{name} has the type {array.dtype}, not {np.dtype(kind)}")
    return array


def _damaged(folder: Path, why: str) -> ModelError:
    return ModelError(f"the senses by use in {folder} cannot be read ({why}); run: wordatoms observe {folder} --force")
