"""A transformer encoder: the states of a word in its text.

An encoder is a local folder with `model.onnx` and `tokenizer.json`, as Hugging Face and Optimum write them. ONNX
Runtime computes the graph, without torch. The folder may come from a stranger: a graph holds no code, custom operators
are never loaded, and what the graph takes and gives is checked before it is used. Nothing is downloaded.

The state of a word is the mean over its subwords, in each layer that the graph gives. A text is cut to `N_AROUND`
subwords on each side of the word. Every passage is computed by itself, on one thread: there is no padding, and its
state has the same bytes whatever is computed beside it, on any number of threads. On processors this costs nothing
against batches of passages.

Left out: what the states are used for (`wordatoms.senses.second_eye`), and how a model is exported.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.encoder.cache import StateCache
from wordatoms.errors import InputError, ModelError, require_extra
from wordatoms.parallel import run_threads
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.untrusted import read_bytes, read_json
from wordatoms.text.spans import Passage

GRAPH, TOKENIZER, CONFIG = "model.onnx", "tokenizer.json", "config.json"
GRAPH_FOLDER = "onnx"
"""Subfolder of the graph in many repositories of Hugging Face."""
EXPORT = "optimum-cli export onnx --task feature-extraction"
N_AROUND = 64
"""Subwords that are read on each side of a word."""
N_CHARACTERS = 1200
"""Characters that are looked at on each side of a word; nearly always more than `N_AROUND` subwords."""
LARGEST_TOKENIZER = 1 << 27
MEMORY_RATIO = 2.0
"""Memory that opening a graph takes at its peak, by the bytes of its files, for weights of 32 bits."""
SHARE_BEYOND, LEAST_BEYOND = 0.25, 1000
"""How many more vectors than subwords a graph may have; some are padded to a round number."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
HIDDEN = re.compile(r"(all_)?hidden_states?[._](\d+)")
LAST = ("last_hidden_state", "token_embeddings", "output_0")
BATCH = 256
"""Passages between two entries in the cache, and two reports of progress."""


class Pieces(NamedTuple):
    """The subwords of a passage with the special ones around them, and which of them are the word."""

    ids: list[int]
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Encoder:
    """A loaded encoder; `load_encoder` opens one."""

    path: Path
    session: Any
    tokenizer: Any
    outputs: tuple[str, ...]
    """The outputs with states of subwords: hidden layers from the first up, or the last one alone."""
    most_subwords: int
    """How many the graph has positions for, special ones included."""
    cache: StateCache | None = None

    def __repr__(self) -> str:
        layers = f", {len(self.outputs)} layers" if len(self.outputs) > 1 else ""
        return f"Encoder({str(self.path)!r}, {self.dim} dimensions{layers})"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the graph and the tokenizer."""
        return _fingerprint(self.path)

    @cached_property
    def dim(self) -> int:
        """Dimensions of a state in each layer."""
        before, after = self._frame
        return int(self._run([*before, 0, *after])[0].shape[-1])  # a tokenizer may have no special subwords

    def states(self, passages: Sequence[Passage], *, run: Run = DEFAULT_RUN) -> NDArray[np.float32]:
        """Return the states of the marked word of each passage, (n, n_layers, dim), rounded to half precision."""
        cut = [_shorten(passage) for passage in passages]
        distinct = list(dict.fromkeys(cut))
        known = self.cache.read(distinct) if self.cache else {}
        missing = [passage for passage in distinct if passage not in known]
        with run.progress.item_bar("encoding", n_items=len(missing)) as advance:
            for start in range(0, len(missing), BATCH):
                batch = missing[start : start + BATCH]
                found = dict(zip(batch, self._compute(batch, run, advance), strict=True))
                known.update(found)
                if self.cache:
                    self.cache.write(found)
        if not cut:
            return np.zeros((0, len(self.outputs), self.dim), np.float32)
        return np.stack([known[passage] for passage in cut]).astype(np.float32)

    def _compute(self, passages: Sequence[Passage], run: Run, advance: Any) -> list[NDArray[np.float16]]:
        pieces = self._pieces(passages)

        def state(each: Pieces) -> NDArray[np.float16]:
            found = [layer[0, each.first : each.last].mean(axis=0, dtype=np.float64) for layer in self._run(each.ids)]
            advance()
            return _half(np.stack(found))

        return run_threads(state, pieces, run.n_threads)

    def _run(self, ids: Sequence[int]) -> list[NDArray[Any]]:
        n = len(ids)
        values = {
            "input_ids": np.array([ids], np.int64),
            "attention_mask": np.ones((1, n), np.int64),
            "token_type_ids": np.zeros((1, n), np.int64),
            "position_ids": np.arange(n, dtype=np.int64)[None],
        }
        given = {each.name: values[each.name] for each in self.session.get_inputs()}
        return list(self.session.run(list(self.outputs), given))

    # --- subwords

    @cached_property
    def _frame(self) -> tuple[list[int], list[int]]:
        """The special subwords before a text and after it."""
        encoded = self.tokenizer.encode("a", add_special_tokens=True)
        inside = [place for place, special in enumerate(encoded.special_tokens_mask) if not special]
        if not inside:
            return [], []
        return list(encoded.ids[: inside[0]]), list(encoded.ids[inside[-1] + 1 :])

    def _pieces(self, passages: Sequence[Passage]) -> list[Pieces]:
        """Cut passages into subwords, with as many on each side of the word as there is room for."""
        encoded = self.tokenizer.encode_batch([passage.text for passage in passages], add_special_tokens=False)
        before, after = self._frame
        room = min(self.most_subwords - len(before) - len(after), 2 * N_AROUND)
        pieces = []
        for passage, each in zip(passages, encoded, strict=True):
            first, last = self._find(passage, each.offsets)
            last = min(last, first + room)
            start = max(min(first - (room - (last - first)) // 2, len(each.ids) - room), 0)
            shift = len(before) - start
            pieces.append(Pieces([*before, *each.ids[start : start + room], *after], first + shift, last + shift))
        return pieces

    def _find(self, passage: Passage, offsets: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return the subwords that a word has a character in, or the next one to it: some letters have none."""
        inside = [
            place for place, (start, end) in enumerate(offsets) if start < passage.end and end > passage.start != end
        ]
        if inside:
            return inside[0], inside[-1] + 1
        if not offsets:
            raise InputError(f"{self.path / TOKENIZER} finds nothing in {passage.text[:40]!r}; pass another encoder.")
        nearest = min(range(len(offsets)), key=lambda place: abs(offsets[place][0] - passage.start))
        return nearest, nearest + 1

    def pieces_per_word(self, words: Iterable[str]) -> float:
        """Return into how many subwords words are cut on average, after a space; an unknown one counts as ten.

        A tokenizer of another language cuts the words of a text into many.
        """
        encoded = self.tokenizer.encode_batch([f" {word}" for word in words], add_special_tokens=False)
        unknown = self._unknown
        counts = [10 if unknown in each.ids else len(each.ids) for each in encoded]
        return float(np.mean(counts)) if counts else 1.0

    @cached_property
    def _unknown(self) -> int | None:
        """The number that stands for an unknown subword, if there is one."""
        for name in ("[UNK]", "<unk>"):
            number = self.tokenizer.token_to_id(name)
            if number is not None:
                return int(number)
        return None


def _half(states: NDArray[np.float64]) -> NDArray[np.float16]:
    most = float(np.finfo(np.float16).max)
    if not np.isfinite(states).all():
        raise ModelError("the encoder gives states that are not finite numbers; export the model again.")
    return np.clip(states, -most, most).astype(np.float16)


def _shorten(passage: Passage) -> Passage:
    """Cut the text far from the word, between words."""
    first, last = max(passage.start - N_CHARACTERS, 0), min(passage.end + N_CHARACTERS, len(passage.text))
    if first:
        first = passage.start - len(passage.text[first : passage.start].partition(" ")[2])
    if last < len(passage.text):
        last = passage.end + len(passage.text[passage.end : last].rpartition(" ")[0])
    return Passage(passage.text[first:last], passage.start - first, passage.end - first)


# --- loading


def load_encoder(path: Path | str, *, cache: bool = True) -> Encoder:
    """Open an encoder: a folder with `model.onnx` and `tokenizer.json`.

    Parameters
    ----------
    path : Path or str
    cache : bool, default True
        Keep states in the user's cache folder, from which they are read next time.

    Returns
    -------
    Encoder

    Raises
    ------
    MissingExtraError
        If ONNX Runtime or tokenizers is not installed.
    ModelError
        If the folder lacks a file, or a file cannot be used.
    """
    folder = Path(path)
    graph = _find_graph(folder)
    _check_memory(graph)
    tokenizer = _load_tokenizer(folder / TOKENIZER)
    session = _open_session(graph)
    _check_inputs(graph, session)
    outputs = _find_outputs(graph, session)
    encoder = Encoder(folder, session, tokenizer, outputs, _most_subwords(folder))
    _try_out(encoder)
    return Encoder(folder, session, tokenizer, outputs, encoder.most_subwords, _cache(encoder) if cache else None)


def _cache(encoder: Encoder) -> StateCache:
    name = f"{encoder.fingerprint[:32]}-{N_AROUND}"
    return StateCache.of_user(name, (len(encoder.outputs), encoder.dim))


def _find_graph(folder: Path) -> Path:
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder; pass the folder of an encoder, with {GRAPH} and {TOKENIZER}.")
    found = [path for path in (folder / GRAPH, folder / GRAPH_FOLDER / GRAPH) if path.is_file()]
    missing = [*([] if found else [GRAPH]), *([] if (folder / TOKENIZER).is_file() else [TOKENIZER])]
    if missing:
        raise ModelError(f"{folder} has no {' and no '.join(missing)}; export an encoder into it: {EXPORT}")
    return found[0]


def _graph_files(graph: Path) -> list[Path]:
    """The graph and the files that some exporters write weights into."""
    return [graph, *sorted(path for path in graph.parent.glob(f"{GRAPH}*data*") if path.is_file())]


def _check_memory(graph: Path) -> None:
    needed = int(MEMORY_RATIO * sum(path.stat().st_size for path in _graph_files(graph)))
    free = _free_memory()
    if free is not None and needed > free:
        raise ModelError(
            f"{graph} needs about {needed / 2**30:,.1f} GB of memory, and {free / 2**30:,.1f} GB are free; "
            "pass a smaller encoder."
        )


def _free_memory() -> int | None:
    """Return the bytes of memory that are free, or None if the system does not say."""
    try:
        found = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def _load_tokenizer(path: Path) -> Any:
    library = require_extra("tokenizers", "encoder")
    try:
        content = read_bytes(path, LARGEST_TOKENIZER).decode("utf-8")
        tokenizer = library.Tokenizer.from_str(content)
    except Exception as error:  # the library raises plain exceptions
        raise ModelError(f"{path} is no tokenizer ({_reason(error)}); export the encoder again: {EXPORT}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _open_session(graph: Path) -> Any:
    library = require_extra("onnxruntime", "encoder")
    options = library.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_mem_pattern = False  # passages have many lengths
    try:
        return library.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's exceptions have no common base
        raise ModelError(
            f"{graph} is no graph that ONNX Runtime can load ({_reason(error)}); export it again."
        ) from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def _check_inputs(graph: Path, session: Any) -> None:
    names = [each.name for each in session.get_inputs()]
    unknown = [name for name in names if name not in INPUTS]
    if unknown or INPUTS[0] not in names:
        raise ModelError(
            f"{graph} takes {', '.join(names) or 'nothing'}, but an encoder takes {INPUTS[0]} and may take "
            f"{', '.join(INPUTS[1:])}; export it again: {EXPORT}"
        )


def _find_outputs(graph: Path, session: Any) -> tuple[str, ...]:
    """Return the outputs with states of subwords: all hidden layers in their order, else the last one."""
    ranks = {each.name: len(each.shape) for each in session.get_outputs()}
    hidden = {int(found[2]): name for name in ranks if (found := HIDDEN.fullmatch(name)) and ranks[name] == 3}
    last = [name for name in LAST if ranks.get(name) == 3]
    if hidden:
        return tuple(hidden[number] for number in sorted(hidden))
    if last:
        return (last[0],)
    raise ModelError(
        f"{graph} gives {', '.join(ranks) or 'nothing'}, but not the states of tokens ({LAST[0]}); "
        f"export it again: {EXPORT}"
    )


def _most_subwords(folder: Path) -> int:
    """Return how many positions the model has, as its configuration says; it may be absent."""
    try:
        config = read_json(folder / CONFIG)
        positions = int(config["max_position_embeddings"])
        # Models like RoBERTa count positions from the one after that of padding.
        offset = int(config.get("pad_token_id") or 0) + 1 if "roberta" in str(config.get("model_type")) else 0
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return 2 * N_AROUND + 8
    return max(positions - offset, 8)


def _try_out(encoder: Encoder) -> None:
    """Check that the graph takes all numbers of the tokenizer and as many subwords as it is going to get."""
    before, after = encoder._frame
    highest = encoder.tokenizer.get_vocab_size(with_added_tokens=True) - 1
    n = min(encoder.most_subwords, 2 * N_AROUND + len(before) + len(after)) - len(before) - len(after)
    ids = [*before, *([max(highest, 0)] * n), *after]
    try:
        found = encoder._run(ids)
    except Exception as error:  # the library's exceptions have no common base
        raise ModelError(
            f"{encoder.path}: {TOKENIZER} and {GRAPH} do not fit together: the graph fails for {len(ids)} subwords "
            f"with the tokenizer's highest number, {highest} ({_reason(error)}); take both from the same model."
        ) from None
    _refuse_larger_vocabulary(encoder, highest)
    shapes = [np.shape(each) for each in found]
    if any(shape[:2] != (1, len(ids)) or shape != shapes[0] or shape[2] < 1 for shape in shapes):
        raise ModelError(
            f"{encoder.path / GRAPH} gives {', '.join(map(str, shapes))} for {len(ids)} subwords, not one state for "
            f"each; export it again: {EXPORT}"
        )
    if any(np.asarray(each).dtype.kind != "f" for each in found):
        raise ModelError(f"{encoder.path / GRAPH} gives states that are no numbers; export it again: {EXPORT}")


def _refuse_larger_vocabulary(encoder: Encoder, highest: int) -> None:
    """Raise if the graph has vectors for many more subwords than the tokenizer knows: it has another one."""
    beyond = highest + max(LEAST_BEYOND, int(SHARE_BEYOND * highest))
    try:
        encoder._run([*encoder._frame[0], beyond, *encoder._frame[1]])
    except Exception:  # the library's exceptions have no common base
        return
    raise ModelError(
        f"{encoder.path}: {TOKENIZER} and {GRAPH} do not fit together: the graph has vectors for more than {beyond:,} "
        f"subwords, the tokenizer knows {highest + 1:,}; take both from the same model."
    )


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in [*_graph_files(_find_graph(folder)), folder / TOKENIZER]:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
