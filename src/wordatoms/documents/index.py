"""A collection of documents on disk, ready to be looked at: texts, windows, words to search for, topics at each level.

`build_index` reads the documents once, with progress, and writes a folder completely or not at all; `open_index` opens
it in a moment, because its arrays are mapped into memory. An index is a copy of the documents and holds their text. It
records what it was made of (`key`); whoever opens it compares that and makes it again if something has changed.

Windows belong to their nearest atoms, so the share of a topic in a document is its share of the windows.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.documents.evidence import Evidence
from wordatoms.documents.groups import GroupComparison, compare_groups
from wordatoms.documents.levels import LEVELS, find_topics, merge_shares
from wordatoms.documents.periods import Period
from wordatoms.documents.study import TopicSummary, summarise
from wordatoms.errors import InputError, WordatomsError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import Group, Part, WindowAtoms, read_documents
from wordatoms.storage.files import new_folder, write_json
from wordatoms.storage.folder import MANIFEST
from wordatoms.storage.untrusted import read_json
from wordatoms.text.spans import normal_form
from wordatoms.text.tokenizer import Lexicon, Tokenizer

FACTS = "index.json"
FORMAT = 2
"""Indexes of format 1 have wrong shares of meta-atoms and regions."""
ARRAYS = (
    "text-starts",
    "name-starts",
    "n-words",
    "groups",
    "periods",
    "window-starts",
    "windows",
    "window-cosines",
    "word-starts",
    "postings",
)
TEXTS, NAMES, WORDS = "texts.txt", "names.txt", "words.txt"

Ints = NDArray[np.int64]


class IndexedDocument(NamedTuple):
    """A document as it is given to be indexed."""

    name: str
    text: str
    group: str | None = None
    period: Period | None = None


class Cell(NamedTuple):
    """Documents of a group and a period, by their places; None for all."""

    group: int | None
    period: int | None
    documents: int
    words: int


class LevelTopic(NamedTuple):
    """A topic of a level: its summary, its trend and the group in which it differs most from the others."""

    topic: int
    name: str
    share: float
    low: float | None
    high: float | None
    with_topic: int
    npmi: float | None
    words: list[str]
    change: float | None
    """Of the share from the first to the last period; None without periods."""
    change_stands_out: bool
    group: int | None
    """None without several groups."""
    difference: float | None
    difference_stands_out: bool


class IndexLevel(NamedTuple):
    """The topics of a level, the largest first."""

    kind: str
    topics: list[LevelTopic]
    of_atom: NDArray[np.int64]
    """The place of each atom's topic in the list; -1 for none."""
    shares: NDArray[np.float32]
    """Share, low, high (NaN where there is none) and documents with the topic, (n_topics, n_cells, 4)."""
    differences: NDArray[np.float32]
    """Difference of each group to the others, low, high, whether it stands out, (n_topics, n_groups, 4); NaN: none."""
    trends: NDArray[np.float32]
    """The same of the changes overall (first) and in each group, (n_topics, 1 + n_groups, 4)."""


# --- making


def build_index(
    model: SenseModel,
    documents: Iterable[IndexedDocument],
    folder: Path | str,
    *,
    key: Mapping[str, Any] | None = None,
    by: str = "group",
    time: str = "period",
    source: str = "",
    run: Run = DEFAULT_RUN,
) -> DocumentIndex:
    """Read documents and write their index into a folder, completely or not at all.

    Parameters
    ----------
    model : SenseModel
    documents : iterable of IndexedDocument
        Consumed lazily; only their shares are held in memory.
    folder : path
        A new folder, or that of an older index, which is replaced.
    key : mapping, optional
        What the index is made of, to be compared when it is opened.
    by, time : str
        What the groups and the length of a period are called.
    source : str
        Where the documents come from.
    run : Run, optional
        Threads and progress.

    Returns
    -------
    DocumentIndex
    """
    folder = Path(folder)
    windows = WindowAtoms.of_model(model, None, None, remove_common=True, scale=None)
    with new_folder(folder, FACTS, force=True, is_ours=_is_written_here) as work:
        evidence = Evidence(windows)
        writer = _Writer(work, Lexicon(tokenizer=replace(model.tokenizer, phrases=())))

        def on_group(group: Group, part: Part) -> None:
            evidence.add(group, part)
            writer.add(group, part)

        groups: list[str | None] = []
        periods: list[Period | None] = []
        with writer:
            found = read_documents(windows, _unzipped(documents, groups, periods), run, on_group)
        if not len(found):
            raise InputError("there are no documents; pass at least one text.")
        facts: dict[str, Any] = {}
        levels = [level for level in LEVELS if _has_level(model, level)]
        with run.progress.item_bar("topics", n_items=len(levels)) as step:
            for level in levels:
                topics = find_topics(model, level)
                shares = merge_shares(found, topics)
                comparison = compare_groups(
                    shares,
                    groups=groups if any(groups) else None,
                    times=periods if any(periods) else None,
                    run=run,
                )
                summaries = summarise(evidence, topics, comparison)
                facts[level] = _write_level(work, level, topics.kind, summaries, comparison, topics.ids, topics.of_atom)
                step()
        _save(work, "groups", _places(groups, comparison.groups))
        _save(work, "periods", _places(periods, comparison.periods))
        write_json(
            work / FACTS,
            {
                "format": FORMAT,
                "key": dict(key or {}),
                "source": source,
                "by": by,
                "time": time,
                "documents": len(found),
                "empty": len(found.empty),
                "ungrouped": comparison.n_ungrouped,
                "undated": comparison.n_undated,
                "groups": list(comparison.groups),
                "periods": [list(period) for period in comparison.periods],
                "cells": [list(cell) for cell in _cells(comparison)],
                "window": windows.window,
                "levels": facts,
            },
        )
    return open_index(folder, model)


def _unzipped(
    documents: Iterable[IndexedDocument], groups: list[str | None], periods: list[Period | None]
) -> Iterator[tuple[str, str]]:
    for name, text, group, period in documents:
        groups.append(group.strip() or None if group is not None else None)
        periods.append(period)
        yield name, text


def _has_level(model: SenseModel, level: str) -> bool:
    if level == "atoms":
        return True
    try:
        meta_atoms = model.meta_atoms
    except WordatomsError:
        return False
    return bool(meta_atoms.regions) if level == "regions" else True


def _places(values: Sequence[Any], there: Sequence[Any]) -> NDArray[np.int32]:
    places = {value: place for place, value in enumerate(there)}
    return np.array([places.get(value, -1) for value in values], np.int32)


class _Writer:
    """Writes what grows with the documents: texts and names, windows, and which documents have which words."""

    def __init__(self, work: Path, lexicon: Lexicon) -> None:
        self.work, self.lexicon = work, lexicon
        self._files: dict[str, IO[bytes]] = {}
        self._starts: dict[str, list[int]] = {TEXTS: [0], NAMES: [0]}
        self._numbers: dict[str, list[Any]] = {"n-words": [], "windows": [], "window-cosines": [], "n-windows": []}
        self._postings: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self._n_documents = 0

    def __enter__(self) -> _Writer:
        self._files = {name: (self.work / name).open("wb") for name in (TEXTS, NAMES)}
        return self

    def __exit__(self, *failure: object) -> None:
        for file in self._files.values():
            file.close()
        if failure[0] is None:
            self._finish()

    def add(self, group: Group, part: Part) -> None:
        for name, text in group:
            normal = normal_form(text)
            self._write(NAMES, name)
            self._write(TEXTS, normal)
            ids = np.unique(self.lexicon.encode(normal.encode("utf-8", "replace"), grow=True))
            words: Ints = ids[ids >= 0].astype(np.int64)
            self._postings.append((words, np.full(len(words), self._n_documents)))
            self._n_documents += 1
        found = part.windows
        self._numbers["n-words"].append(part.n_words)
        self._numbers["n-windows"].append(np.bincount(found.documents, minlength=len(group)))
        order = np.argsort(found.documents, kind="stable")
        self._numbers["windows"].append(np.stack([found.starts[order], found.atoms[order]], axis=1).astype(np.int32))
        self._numbers["window-cosines"].append(found.cosines[order])

    def _write(self, name: str, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self._files[name].write(content)
        self._starts[name].append(self._starts[name][-1] + len(content))

    def _finish(self) -> None:
        _save(self.work, "text-starts", self._starts[TEXTS])
        _save(self.work, "name-starts", self._starts[NAMES])
        if not self._n_documents:
            return
        numbers = {name: np.concatenate(parts) for name, parts in self._numbers.items()}
        _save(self.work, "window-starts", np.append(0, np.cumsum(numbers.pop("n-windows"))))
        for name, values in numbers.items():
            _save(self.work, name, values)
        self._save_words()

    def _save_words(self) -> None:
        """Words by code point, each with its documents in order."""
        words = self.lexicon.words()
        numbers, documents = (np.concatenate(each) for each in zip(*self._postings, strict=True))
        order = sorted(range(len(words)), key=words.__getitem__)
        ranks = np.empty(len(words), np.int64)
        ranks[order] = np.arange(len(words))
        ranked = ranks[numbers]
        by_word = np.argsort(ranked, kind="stable")
        _save(self.work, "postings", documents[by_word].astype(np.int32))
        _save(self.work, "word-starts", np.append(0, np.cumsum(np.bincount(ranked, minlength=len(words)))))
        (self.work / WORDS).write_text("\n".join(words[place] for place in order), "utf-8")


def _save(work: Path, name: str, values: Any) -> None:
    np.save(work / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)


def _cells(comparison: GroupComparison) -> list[Cell]:
    """Return the cells in the order of the rows of each topic."""
    groups = {name: place for place, name in enumerate(comparison.groups)}
    periods = {period.name: place for place, period in enumerate(comparison.periods)}
    first = comparison.shares[0].topic
    rows = (row for row in comparison.shares if row.topic == first)
    return [
        Cell(
            None if row.group is None else groups[row.group],
            None if row.period is None else periods[row.period],
            row.documents,
            row.words or 0,
        )
        for row in rows
    ]


def _write_level(
    work: Path,
    level: str,
    kind: str,
    summaries: Sequence[TopicSummary],
    comparison: GroupComparison,
    ids: Ints,
    of_atom: Ints,
) -> dict[str, Any]:
    """Write the topics of a level; return its entry in the facts."""
    places = {summary.topic: place for place, summary in enumerate(summaries)}
    shares = np.array([(row.share, row.low, row.high, row.with_topic) for row in comparison.shares], np.float32)
    _save(work, f"{level}-shares", shares.reshape(len(summaries), -1, 4))
    differences = _effects(comparison, places)
    trends = np.full((len(places), 1 + len(comparison.groups), 4), np.nan, np.float32)
    group_places: dict[str | None, int] = {None: 0, **{name: place for place, name in enumerate(comparison.groups, 1)}}
    for trend in comparison.trends:
        trends[places[trend.topic], group_places[trend.group]] = trend.change, trend.low, trend.high, trend.stands_out
    _save(work, f"{level}-differences", differences)
    _save(work, f"{level}-trends", trends)
    place_of_topic = np.array([places.get(topic, -1) for topic in ids.tolist()], np.int64)
    _save(work, f"{level}-atoms", np.where(of_atom >= 0, place_of_topic[of_atom], -1))
    topics = [
        _level_topic(summary, trend, own)
        for summary, trend, own in zip(summaries, trends[:, 0], differences, strict=True)
    ]
    write_json(work / f"{level}.json", {"kind": kind, "topics": [list(topic) for topic in topics]})
    return {"kind": kind, "topics": len(topics)}


def _effects(comparison: GroupComparison, places: Mapping[int, int]) -> NDArray[np.float32]:
    """Return the differences by topic and group; of two groups the second has the first's with the other sign."""
    found = np.full((len(places), len(comparison.groups), 4), np.nan, np.float32)
    groups = {name: place for place, name in enumerate(comparison.groups)}
    for row in comparison.differences:
        found[places[row.topic], groups[row.group]] = row.difference, row.low, row.high, row.stands_out
        if row.other in groups and len(groups) == 2:
            low, high = (None if bound is None else -bound for bound in (row.high, row.low))
            found[places[row.topic], groups[row.other]] = -row.difference, low, high, row.stands_out
    return found


def _level_topic(summary: TopicSummary, trend: NDArray[Any], differences: NDArray[Any]) -> LevelTopic:
    known = np.isfinite(differences[:, 0])
    most = int(np.argmax(np.where(known, np.abs(differences[:, 0]), -1))) if known.any() else None
    return LevelTopic(
        summary.topic,
        summary.name,
        summary.share,
        summary.low,
        summary.high,
        summary.with_topic,
        summary.npmi,
        list(summary.words),
        float(trend[0]) if np.isfinite(trend[0]) else None,
        bool(trend[3] == 1),
        most,
        None if most is None else float(differences[most, 0]),
        most is not None and bool(differences[most, 3] == 1),
    )


def _is_written_here(name: str) -> bool:
    """Whether a file of this name may come from `build_index`."""
    levels = (f"{level}{suffix}" for level in LEVELS for suffix in LEVEL_FILES)
    return name in {FACTS, TEXTS, NAMES, WORDS, *levels, *(f"{array}.npy" for array in ARRAYS)}


LEVEL_FILES = (".json", "-shares.npy", "-differences.npy", "-trends.npy", "-atoms.npy")


# --- opening


def open_index(folder: Path | str, model: SenseModel, *, key: Mapping[str, Any] | None = None) -> DocumentIndex:
    """Open an index.

    Parameters
    ----------
    folder : path
    model : SenseModel
        The model that it was made with.
    key : mapping, optional
        What it has to be made of.

    Returns
    -------
    DocumentIndex

    Raises
    ------
    InputError
        If the folder has no index, or one made of something else, or its files do not fit together.
    """
    folder = Path(folder)
    stale = InputError(f"{folder} is no index of these documents; make it again.")
    try:
        facts = read_json(folder / FACTS)
        if facts["format"] != FORMAT or (key is not None and facts["key"] != json.loads(json.dumps(dict(key)))):
            raise stale
        index = DocumentIndex(folder, model, facts)
        index.check()
    except (OSError, ValueError, KeyError, TypeError, IndexError, WordatomsError) as error:
        raise stale from error
    return index


def model_key(model: SenseModel) -> str:
    """Return what changes when the model or its notes do."""
    notes = model.notes
    content = [read_json(model.path / MANIFEST), sorted(notes.names.items()), sorted(notes.hidden), FORMAT]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class DocumentIndex:
    """An opened index; see `build_index`."""

    folder: Path
    model: SenseModel
    facts: Mapping[str, Any]
    _levels: dict[str, IndexLevel] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"DocumentIndex({str(self.folder)!r}, {len(self):,} documents)"

    def __len__(self) -> int:
        return int(self.facts["documents"])

    def check(self) -> None:
        """Raise if the files do not fit together."""
        n = len(self)
        sizes = {"text-starts": n + 1, "name-starts": n + 1, "n-words": n, "groups": n, "periods": n}
        sizes |= {"window-starts": n + 1, "windows": len(self.array("window-cosines"))}
        for name, size in sizes.items():
            if len(self.array(name)) != size:
                raise ValueError(name)
        for name, starts in ((TEXTS, "text-starts"), (NAMES, "name-starts")):
            if (self.folder / name).stat().st_size != self.array(starts)[-1]:
                raise ValueError(name)
        if len(self.array("window-cosines")) != self.array("window-starts")[-1]:
            raise ValueError("windows")
        for level in self.levels:
            if not (self.folder / f"{level}.json").is_file():
                raise ValueError(level)

    @property
    def levels(self) -> list[str]:
        """The levels of topics that there are."""
        return [str(level) for level in self.facts["levels"]]

    @property
    def groups(self) -> list[str]:
        return [str(group) for group in self.facts["groups"]]

    @cached_property
    def periods(self) -> list[Period]:
        return [Period(int(number), str(name)) for number, name in self.facts["periods"]]

    @cached_property
    def cells(self) -> list[Cell]:
        return [Cell(*cell) for cell in self.facts["cells"]]

    @cached_property
    def windows(self) -> WindowAtoms:
        """What reads documents; needed to show which words decided."""
        return WindowAtoms.of_model(self.model, int(self.facts["window"]), None, remove_common=True, scale=None)

    @property
    def width(self) -> int:
        """Known words of a whole window."""
        return 2 * int(self.facts["window"]) + 1

    def array(self, name: str) -> NDArray[Any]:
        """Return an array of the index."""
        if name not in self._arrays:
            self._arrays[name] = np.load(self.folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        return self._arrays[name]

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return {}

    def level(self, name: str) -> IndexLevel:
        """Return the topics of a level."""
        if name not in self.levels:
            raise InputError(f"there is no level '{name}' here; there are {', '.join(self.levels)}.")
        if name not in self._levels:
            content = read_json(self.folder / f"{name}.json")
            topics = [LevelTopic(*topic) for topic in content["topics"]]
            arrays = [self.array(f"{name}-{part}") for part in ("atoms", "shares", "differences", "trends")]
            self._levels[name] = IndexLevel(content["kind"], topics, *arrays)
        return self._levels[name]

    # --- documents

    def text(self, document: int) -> str:
        """Return the text of a document, in Unicode normal form C."""
        return self._slice(TEXTS, "text-starts", document)

    def name(self, document: int) -> str:
        """Return the name of a document."""
        return self._slice(NAMES, "name-starts", document)

    def _slice(self, name: str, starts: str, document: int) -> str:
        begin, end = self.array(starts)[document : document + 2].tolist()
        return self._maps[name][begin:end].decode("utf-8", "replace") if end > begin else ""

    @cached_property
    def _maps(self) -> dict[str, Any]:
        return {name: _mapped(self.folder / name) for name in (TEXTS, NAMES)}

    def windows_of(self, document: int) -> slice:
        """Return which windows are those of a document."""
        begin, end = self.array("window-starts")[document : document + 2].tolist()
        return slice(begin, end)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The document of each window."""
        return np.repeat(np.arange(len(self)), np.diff(self.array("window-starts")))

    # --- search

    @cached_property
    def words(self) -> list[str]:
        """The words of all documents, by code point."""
        text = (self.folder / WORDS).read_text("utf-8")
        return text.split("\n") if text else []

    @property
    def tokenizer(self) -> Tokenizer:
        return replace(self.model.tokenizer, phrases=())

    def documents_with(self, word: str) -> NDArray[np.int32]:
        """Return the documents that have a word, spelled as the tokenizer spells it, in their order."""
        place = self._word_places.get(word)
        if place is None:
            return np.zeros(0, np.int32)
        begin, end = self.array("word-starts")[place : place + 2].tolist()
        return np.asarray(self.array("postings")[begin:end])

    @cached_property
    def _word_places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def search(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the documents that have all words, in their order."""
        found: NDArray[np.int32] | None = None
        for word in words:
            own = self.documents_with(word)
            found = own if found is None else np.intersect1d(found, own, assume_unique=True)
        return np.zeros(0, np.int32) if found is None else found


def _mapped(path: Path) -> Any:
    if not path.stat().st_size:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
