"""Answers about a collection of documents, from its index (`wordatoms.documents.index`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.documents.passages import PassageCutter
from wordatoms.explorer.answers import NOT_FOUND, ApiError
from wordatoms.explorer.cache import locked_cached_property
from wordatoms.explorer.text_spans import utf16_offsets

if TYPE_CHECKING:
    from wordatoms.documents.index import DocumentIndex, IndexLevel

N_PASSAGES, N_DOCUMENTS = 12, 50
MOST_TRIED = 60
"""Passages that are looked at for a topic; many collections have texts more than once."""
N_FOUND = 20
"""Documents on a page of those that a search finds."""
LONGEST_TEXT = 200_000
"""Characters of a document that are sent to the page."""
LEAD, TAIL = 80, 160
"""Characters of a snippet before and after the first word found."""


class LevelFacts(NamedTuple):
    """A level, what its topics are called, and how many there are."""

    level: str
    kind: str
    topics: int


class PeriodFacts(NamedTuple):
    """A period: consecutive ones have consecutive numbers."""

    number: int
    name: str


class CellFacts(NamedTuple):
    """Documents of a group and a period, by their places; null for all."""

    group: int | None
    period: int | None
    documents: int


class CollectionFacts(NamedTuple):
    """What the collection is."""

    source: str
    documents: int
    empty: int
    ungrouped: int
    undated: int
    by: str
    time: str
    groups: list[str]
    periods: list[PeriodFacts]
    cells: list[CellFacts]
    levels: list[LevelFacts]


class TopicRow(NamedTuple):
    """A topic in the list; `series` are its shares in the periods, `shares` those in the groups."""

    topic: int
    name: str
    share: float
    low: float | None
    high: float | None
    documents: int
    words: list[str]
    change: float | None
    change_stands_out: bool
    group: int | None
    difference: float | None
    difference_stands_out: bool
    series: list[float | None]
    shares: list[float | None]
    differences: list[float | None]


class TopicTable(NamedTuple):
    """The topics of a level, the largest first."""

    level: str
    kind: str
    topics: list[TopicRow]


class AtomShares(NamedTuple):
    """The share of each atom in all documents, and in each group less all others; its place in the list, or -1."""

    shares: list[float]
    differences: list[list[float]]
    topics: list[int]


class TopicPart(NamedTuple):
    """An atom of a topic, and its share of all documents."""

    atom: int
    label: str
    share: float


class ShownCell(NamedTuple):
    """The share of a topic in the documents of a group and a period, by their places; null for all."""

    group: int | None
    period: int | None
    share: float
    low: float | None
    high: float | None
    with_topic: int
    documents: int


class ShownEffect(NamedTuple):
    """A difference to the other groups or a change over time; `group` is a place, null for all documents."""

    group: int | None
    value: float
    low: float | None
    high: float | None
    stands_out: bool


class ShownPassage(NamedTuple):
    """A typical passage; `marks` are the places of the words that decided, in UTF-16 code units."""

    document: int
    name: str
    group: int | None
    period: int | None
    text: str
    marks: list[tuple[int, int]]
    is_cut: tuple[bool, bool]
    atom: int


class ListedDocument(NamedTuple):
    """A document in a list, and what it is listed for: the share of a topic, or null."""

    document: int
    name: str
    group: int | None
    period: int | None
    words: int
    share: float | None


class TopicDetails(NamedTuple):
    """Everything about a topic."""

    level: str
    kind: str
    row: TopicRow
    npmi: float | None
    cells: list[ShownCell]
    differences: list[ShownEffect]
    trends: list[ShownEffect]
    atoms: list[TopicPart]
    passages: list[ShownPassage]
    documents: list[ListedDocument]


class DocumentWindow(NamedTuple):
    """A window of a document: where it begins and ends in the text, in UTF-16 code units, and its atom."""

    begin: int
    end: int
    atom: int


class DocumentPage(NamedTuple):
    """A document with its windows; `topics` has the place of each window's topic in each level's list, -1 for none."""

    document: int
    name: str
    group: int | None
    period: int | None
    words: int
    text: str
    is_cut: bool
    windows: list[DocumentWindow]
    topics: dict[str, list[int]]
    names: dict[str, dict[int, str]]


class FoundDocument(NamedTuple):
    """A document that a search found, with the text around the first word and the places of the words."""

    document: int
    name: str
    group: int | None
    period: int | None
    words: int
    snippet: str
    marks: list[tuple[int, int]]


class FoundDocuments(NamedTuple):
    """A page of the documents that have all words of a search."""

    words: list[str]
    total: int
    groups: list[int]
    """How many there are in each group."""
    first: int
    documents: list[FoundDocument]


class DocumentAnswers:
    """Answers for the Documents view."""

    def __init__(self, index: DocumentIndex) -> None:
        self.index = index

    # --- topics

    def facts(self) -> CollectionFacts:
        """What the collection is."""
        facts, index = self.index.facts, self.index
        return CollectionFacts(
            str(facts["source"]),
            len(index),
            int(facts["empty"]),
            int(facts["ungrouped"]),
            int(facts["undated"]),
            str(facts["by"]),
            str(facts["time"]),
            index.groups,
            [PeriodFacts(*period) for period in index.periods],
            [CellFacts(*cell[:3]) for cell in index.cells],
            [LevelFacts(name, str(each["kind"]), int(each["topics"])) for name, each in facts["levels"].items()],
        )

    def topics(self, level: str) -> TopicTable:
        """The topics of a level."""
        found = self._level(level)
        return TopicTable(level, found.kind, [self._row(found, place) for place in range(len(found.topics))])

    def atoms(self) -> AtomShares:
        """The share of each atom, for the map."""
        found, n_atoms = self._level("atoms"), len(self.index.model.atoms)
        shares = np.zeros((n_atoms, 1 + len(self.index.groups)))
        known = found.of_atom >= 0
        shares[known, 0] = found.shares[found.of_atom[known], 0, 0]
        shares[known, 1:] = np.nan_to_num(found.differences[found.of_atom[known], :, 0])
        return AtomShares(shares[:, 0].tolist(), shares[:, 1:].T.tolist(), found.of_atom.tolist())

    def topic(self, level: str, topic: int) -> TopicDetails:
        """One topic, by its place in the list."""
        found = self._level(level)
        if not 0 <= topic < len(found.topics):
            raise ApiError(NOT_FOUND, f"there is no topic {topic} here; there are {len(found.topics):,}.")
        row = self._row(found, topic)
        return TopicDetails(
            level,
            found.kind,
            row,
            found.topics[topic].npmi,
            [
                ShownCell(cell.group, cell.period, *_with_bounds(values), int(values[3]), cell.documents)
                for cell, values in zip(self.index.cells, found.shares[topic], strict=True)
            ],
            list(_effects(found.differences[topic], range(len(self.index.groups)))),
            list(_effects(found.trends[topic], [None, *range(len(self.index.groups))])),
            self._parts(found, topic),
            self._passages(found, topic),
            self._documents(found, topic),
        )

    def _level(self, level: str) -> IndexLevel:
        if level not in self.index.levels:
            raise ApiError(NOT_FOUND, f"there is no level '{level}' here; there are {', '.join(self.index.levels)}.")
        return self.index.level(level)

    def _row(self, found: IndexLevel, place: int) -> TopicRow:
        topic = found.topics[place]
        shares = found.shares[place, :, 0]
        series: list[float | None] = [None] * len(self.index.periods)
        by_group: list[float | None] = [None] * len(self.index.groups)
        for cell, share in zip(self.index.cells, shares.tolist(), strict=True):
            if cell.group is None and cell.period is not None:
                series[cell.period] = share
            elif cell.group is not None and cell.period is None:
                by_group[cell.group] = share
        return TopicRow(
            topic.topic,
            topic.name,
            topic.share,
            topic.low,
            topic.high,
            topic.with_topic,
            topic.words,
            topic.change,
            topic.change_stands_out,
            topic.group,
            topic.difference,
            topic.difference_stands_out,
            series,
            by_group,
            [_number(value) for value in found.differences[place, :, 0]],
        )

    def _parts(self, found: IndexLevel, topic: int) -> list[TopicPart]:
        own, model = self.atoms().shares, self.index.model
        atoms = np.flatnonzero(found.of_atom == topic).tolist()
        ordered = sorted(atoms, key=lambda atom: (-own[atom], atom))
        return [TopicPart(atom, model.label(atom, model.notes), own[atom]) for atom in ordered if own[atom] > 0]

    def _windows(self, found: IndexLevel, topic: int) -> NDArray[np.intp]:
        """The windows of a topic."""
        return np.flatnonzero(found.of_atom[self.index.array("windows")[:, 1]] == topic)

    def _passages(self, found: IndexLevel, topic: int) -> list[ShownPassage]:
        """The windows nearest to each atom, beginning with the best of the largest atom, all in different documents.

        Windows of full length come first, and no text is shown twice.
        """
        index, own = self.index, self._windows(found, topic)
        is_short = index.array("n-words")[index.owners[own]] < index.width
        order = np.lexsort((own, -index.array("window-cosines")[own], is_short))
        atoms = index.array("windows")[own[order], 1]
        numbers = {part.atom: place for place, part in enumerate(self._parts(found, topic))}
        rank = _ranks_within(atoms)
        place = np.array([numbers.get(atom, len(numbers)) for atom in atoms.tolist()])
        shown: dict[str, ShownPassage] = {}
        seen: set[int] = set()
        for window in own[order[np.lexsort((place, rank))]].tolist():
            document = int(index.owners[window])
            if document not in seen:
                seen.add(document)
                passage = self._passage(window)
                shown.setdefault(passage.text, passage)
            if len(shown) == N_PASSAGES or len(seen) == MOST_TRIED:
                break
        return list(shown.values())

    def _passage(self, window: int) -> ShownPassage:
        index = self.index
        document = int(index.owners[window])
        start, atom = index.array("windows")[window].tolist()
        text = index.text(document)
        begin, end, deciding = self._cutter.cut(text, start, index.width, atom)
        piece = text[begin:end]
        places = utf16_offsets(piece)
        marks = [(places[one - begin], places[other - begin]) for one, other in deciding]
        is_cut = (bool(text[:begin].strip()), bool(text[end:].strip(" .!?\n")))
        return ShownPassage(document, *self._card(document)[:3], piece, marks, is_cut, atom)

    @locked_cached_property
    def _cutter(self) -> PassageCutter:
        return PassageCutter(self.index.windows)

    def _documents(self, found: IndexLevel, topic: int) -> list[ListedDocument]:
        """The documents with the largest shares."""
        index = self.index
        numbers = np.bincount(index.owners[self._windows(found, topic)], minlength=len(index))
        shares = numbers / np.maximum(np.diff(index.array("window-starts")), 1)
        # of those that are all about the topic, the longest first
        order = np.lexsort((-index.array("n-words"), -shares))[:N_DOCUMENTS]
        return [
            ListedDocument(place, *self._card(place), float(shares[place])) for place in order.tolist() if shares[place]
        ]

    def _card(self, document: int) -> tuple[str, int | None, int | None, int]:
        """Name, group, period and words."""
        group, period = (int(self.index.array(name)[document]) for name in ("groups", "periods"))
        return (
            self.index.name(document),
            group if group >= 0 else None,
            period if period >= 0 else None,
            int(self.index.array("n-words")[document]),
        )

    # --- documents

    def document(self, document: int) -> DocumentPage:
        """One document, its windows and their topics."""
        index = self.index
        if not 0 <= document < len(index):
            raise ApiError(NOT_FOUND, f"there is no document {document} here; there are {len(index):,}.")
        text = index.text(document)
        shown = text[:LONGEST_TEXT]
        own = index.windows_of(document)
        windows = index.array("windows")[own]
        topics = {level: index.level(level).of_atom[windows[:, 1]].tolist() for level in index.levels}
        return DocumentPage(
            document,
            *self._card(document),
            shown,
            len(shown) < len(text),
            self._places(text, len(shown), windows),
            topics,
            {
                level: {place: index.level(level).topics[place].name for place in sorted({*places}) if place >= 0}
                for level, places in topics.items()
            },
        )

    def _places(self, text: str, n_shown: int, windows: NDArray[np.int32]) -> list[DocumentWindow]:
        if not len(windows):
            return []
        begins, ends = self._cutter.places(text)
        lasts = np.minimum(windows[:, 0] + self.index.width, len(ends)) - 1
        units = utf16_offsets(text[:n_shown])
        spans = zip(begins[windows[:, 0]].tolist(), ends[lasts].tolist(), windows[:, 1].tolist(), strict=True)
        return [
            DocumentWindow(units[min(begin, n_shown)], units[min(end, n_shown)], atom) for begin, end, atom in spans
        ]

    def search(self, query: str, first: int = 0, group: int | None = None) -> FoundDocuments:
        """The documents that have all words of a text, in the order of the collection."""
        words = list(dict.fromkeys(self.index.tokenizer.words(query)))
        found = self.index.search(words)
        groups = self.index.array("groups")[found]
        per_group = np.bincount(groups[groups >= 0], minlength=len(self.index.groups)).tolist()
        if group is not None:
            found = found[groups == group]
        shown = found[first : first + N_FOUND].tolist()
        return FoundDocuments(words, len(found), per_group, first, [self._found(each, words) for each in shown])

    def _found(self, document: int, words: Sequence[str]) -> FoundDocument:
        snippet, marks = cut_snippet(self.index.text(document), words)
        return FoundDocument(document, *self._card(document), snippet, marks)


def cut_snippet(text: str, words: Iterable[str]) -> tuple[str, list[tuple[int, int]]]:
    """The text around the first of some words, and the places of all of them in it, in UTF-16 code units.

    Words are looked for by their letters, which finds nearly all that the tokenizer finds.
    """
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words)) or '(?!)'})(?!\w)", re.IGNORECASE)
    first = pattern.search(text)
    begin = max(0, first.start() - LEAD) if first else 0
    begin = text.find(" ", begin) + 1 if begin and " " in text[begin : begin + LEAD // 2] else begin
    end = min(len(text), (first.end() if first else 0) + TAIL)
    end = text.rfind(" ", 0, end) if end < len(text) and " " in text[end - LEAD // 2 : end] else end
    snippet = text[begin:end].replace("\n", " ")
    units = utf16_offsets(snippet)
    shown = ("… " if begin else "") + snippet + (" …" if end < len(text) else "")
    lead = 2 if begin else 0
    return shown, [(lead + units[each.start()], lead + units[each.end()]) for each in pattern.finditer(snippet)]


def _ranks_within(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The number of earlier items with the same label."""
    order = np.argsort(labels, kind="stable")
    first = np.searchsorted(labels[order], labels[order])
    ranks = np.empty(len(labels), np.int64)
    ranks[order] = np.arange(len(labels)) - first
    return ranks


def _with_bounds(values: NDArray[Any]) -> tuple[float, float | None, float | None]:
    return float(values[0]), _number(values[1]), _number(values[2])


def _effects(rows: NDArray[Any], groups: Iterable[int | None]) -> Iterable[ShownEffect]:
    for group, values in zip(groups, rows, strict=True):
        if np.isfinite(values[0]):
            yield ShownEffect(group, *_with_bounds(values), bool(values[3] == 1))


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
