"""A collection of documents by topic: shares, groups, periods, words and passages, and the folder of tables made of it.

`study_documents` reads the documents once. `DocumentStudy.write` makes a folder of CSV tables and pictures, and
`DocumentStudy.report` one page (`wordatoms.documents.report`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.documents.coherence import diversity
from wordatoms.documents.evidence import Evidence, Passage
from wordatoms.documents.groups import CONFIDENCE, N_RESAMPLES, GroupComparison, GroupShare, compare_groups
from wordatoms.documents.levels import Level, TopicMap, TopicShares, find_topics, merge_shares
from wordatoms.documents.periods import find_periods, is_missing
from wordatoms.documents.report import check_page, draw_pictures, make_page
from wordatoms.drawing.charts import standalone_svg
from wordatoms.errors import InputError, WordatomsError, require_texts
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.frames import Results
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import (
    DEFAULT_SCALE,
    Document,
    WindowAtoms,
    check_table,
    read_documents,
    write_cells,
    write_rows,
)
from wordatoms.storage.files import new_folder, write_atomic
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame

MARKER = "topics.csv"
WRITTEN = re.compile(
    r"(topics|shares|documents|passages|differences|trends)\.csv|(topics|groups|differences|trends|map|over-time-\d+)\.svg"
)
"""The table that every folder of a study has."""


class TopicSummary(NamedTuple):
    """A topic of a collection."""

    topic: int
    name: str
    share: float
    low: float | None
    high: float | None
    with_topic: int
    """Documents in which the topic has a share."""
    npmi: float | None
    """Coherence of the words in these documents."""
    held_out_npmi: float | None
    """The same in other documents, if there are any."""
    words: tuple[str, ...]
    """The words that tell its passages from others, the most telling first."""


class MapAtom(NamedTuple):
    """An atom on the map of all atoms, and its share of the documents."""

    x: float
    y: float
    share: float
    name: str
    region: str | None


class DocumentTopic(NamedTuple):
    """A row of the table of documents; a document without known words has one row and no topic."""

    document: str
    group: str | None
    period: str | None
    n_words: int
    topic: int | None
    name: str | None
    share: float | None


class TopicPassage(NamedTuple):
    """A row of the table of passages."""

    topic: int
    name: str
    document: str
    cosine: float
    passage: str
    deciding: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DocumentStudy(Tabular):
    """What a collection of documents is about.

    Parameters
    ----------
    shares : TopicShares
        Documents by topics.
    comparison : GroupComparison
        Topics by group and over time.
    topics : Results of TopicSummary
        The topics that occur, the largest first.
    passages : dict
        Typical passages of each topic, by its number.
    diversity : float
        Share of different words among the words of all topics.
    groups, periods : tuple of str, optional
        The group and the period of each document; None for a missing one.
    by, time : str
        What the groups and the dates are called.
    source : str
        Where the documents come from, for the report.
    map : tuple of MapAtom
        The atoms on the map, with their shares; empty if the model has no map of them.

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["The orchestra played a symphony.", "The striker scored a goal."] * 6
    >>> study = wa.study_documents(wa.load(), texts, groups=["concerts", "sports"] * 6, level="regions")
    >>> study
    DocumentStudy(12 documents, 2 topics, 2 groups, 0 periods)
    >>> study.topics[0].name, study.topics[0].share
    ('Music, film and the arts', 0.5)
    """

    shares: TopicShares
    comparison: GroupComparison
    topics: Results[TopicSummary]
    passages: dict[int, list[Passage]]
    diversity: float
    groups: tuple[str | None, ...] | None = None
    periods: tuple[str | None, ...] | None = None
    by: str = "group"
    time: str = "period"
    source: str = ""
    map: tuple[MapAtom, ...] = ()

    def __repr__(self) -> str:
        found = self.comparison
        return (
            f"DocumentStudy({len(self.shares):,} documents, {len(self.topics):,} topics, {len(found.groups)} groups, "
            f"{len(found.periods)} periods)"
        )

    @property
    def empty(self) -> tuple[str, ...]:
        """Documents without a known word."""
        is_empty = np.diff(self.shares.matrix.indptr) == 0
        return tuple(self.shares.documents[row] for row in np.flatnonzero(is_empty))

    def documents(self) -> Iterator[DocumentTopic]:
        """Yield the documents with their groups, periods and topics, the largest share first.

        Yields
        ------
        DocumentTopic
        """
        matrix, topics = self.shares.matrix, self.shares.topics
        for row, document in enumerate(self.shares.documents):
            group = self.groups[row] if self.groups is not None else None
            period = self.periods[row] if self.periods is not None else None
            leading = (document, group, period, int(self.shares.n_words[row]))
            part = slice(matrix.indptr[row], matrix.indptr[row + 1])
            places, shares = matrix.indices[part], matrix.data[part]
            if not len(places):
                yield DocumentTopic(*leading, None, None, None)
            for at in np.argsort(-shares, kind="stable").tolist():
                place = int(places[at])
                yield DocumentTopic(*leading, int(topics.ids[place]), topics.names[place], float(shares[at]))

    def typical(self) -> Iterator[TopicPassage]:
        """Yield the typical passages of all topics, the largest topic first.

        Yields
        ------
        TopicPassage
        """
        for topic in self.topics:
            for each in self.passages.get(topic.topic, ()):
                yield TopicPassage(topic.topic, topic.name, each.document, each.cosine, each.text, tuple(each.words))

    def to_frame(self) -> DataFrame:
        """Return the topics as a pandas table; `comparison.shares` and others have tables of their own.

        Returns
        -------
        pandas.DataFrame
        """
        return self.topics.to_frame()

    def write(self, folder: Path | str, *, page: str | None = None, force: bool = False) -> list[str]:
        """Write the tables into a new folder, completely or not at all.

        Parameters
        ----------
        folder : path
            A folder that does not exist or is empty.
        page : str, optional
            Also write the report, as a file of this name in the folder.
        force : bool, default False
            Replace the folder of another study.

        Returns
        -------
        list of str
            The names of the files.
        """

        def is_ours(name: str) -> bool:
            return name == page or WRITTEN.fullmatch(name) is not None

        with new_folder(Path(folder), MARKER, force=force, is_ours=is_ours) as work:
            for name, header, rows in self._tables():
                with write_atomic(work / name) as file:
                    write_rows(file, ",", header, rows)
            for name, chart in draw_pictures(self).items():
                (work / f"{name}.svg").write_text(standalone_svg(chart), "utf-8")
            if page is not None:
                self.report(work / page)
            return sorted(path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file())

    def report(self, path: Path | str, *, force: bool = False) -> None:
        """Write one page with all pictures, and the words and typical passages of the largest topics.

        Parameters
        ----------
        path : path
            A file that ends in .html.
        force : bool, default False
            Replace an existing file.
        """
        path = Path(path)
        check_page(path, force=force)
        with write_atomic(path) as file:
            file.write(make_page(self).encode("utf-8", "replace"))

    def write_table(self, path: Path | str, *, wide: bool = False, min_share: float = 0.0, force: bool = False) -> None:
        """Write the table of documents and topics to one file.

        Parameters
        ----------
        path : path
            A file that ends in .csv, .tsv or .parquet.
        wide : bool, default False
            One row per document and one column per topic.
        min_share : float, default 0
            Smallest share in a table that is not wide.
        force : bool, default False
            Replace an existing file.
        """
        path = Path(path)
        check_table(path, force=force)
        if wide:
            header = ["document", "group", "period", "n_words", *self.shares.topics.names]
            rows: Iterable[Sequence[Any]] = self._wide_rows()
        else:
            header = list(DocumentTopic._fields)
            rows = (row for row in self.documents() if row.share is None or row.share >= min_share)
        write_cells(path, header, rows)

    def _wide_rows(self) -> Iterator[list[Any]]:
        for row, document in enumerate(self.shares.documents):
            group = self.groups[row] if self.groups is not None else None
            period = self.periods[row] if self.periods is not None else None
            shares = self.shares.matrix[row].toarray().ravel().tolist()
            yield [document, group, period, int(self.shares.n_words[row]), *shares]

    def _tables(self) -> Iterator[tuple[str, Sequence[str], Iterable[Sequence[Any]]]]:
        """Yield the name, header and rows of each table."""
        found = self.comparison
        yield MARKER, TopicSummary._fields, map(_plain, self.topics)
        yield "shares.csv", GroupShare._fields, found.shares
        yield "documents.csv", DocumentTopic._fields, self.documents()
        yield "passages.csv", TopicPassage._fields, map(_plain, self.typical())
        for name, rows in (("differences.csv", found.differences), ("trends.csv", found.trends)):
            if rows:
                yield name, rows[0]._fields, rows


def check_outputs(folder: Path | None, table: Path | None, page: Path | None, *, force: bool = False) -> None:
    """Raise before any work is done if something could not be written."""
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; pass a new folder, or a name that ends in .csv, .tsv or .parquet.")
        if folder.is_dir() and any(folder.iterdir()) and not (force and (folder / MARKER).is_file()):
            raise InputError(
                f"{folder} exists and is not empty; pass a new folder, or --force for one made by this command."
            )
        if not folder.absolute().parent.is_dir():
            raise InputError(f"the folder {folder.absolute().parent} does not exist; make it first.")
    if table is not None:
        check_table(table, force=force)
    if page is not None and not is_inside(page, folder):
        check_page(page, force=force)
    elif page is not None:
        check_page(Path(page.name), force=True)


def is_inside(page: Path, folder: Path | None) -> bool:
    """Whether a report is to be one of the files of a folder."""
    return folder is not None and page.absolute().parent == folder.absolute()


def _plain(row: tuple[Any, ...]) -> list[Any]:
    """Return the cells of a row; words of a list between spaces."""
    return [" ".join(cell) if isinstance(cell, tuple) else cell for cell in row]


def study_documents(
    model: SenseModel,
    documents: Iterable[Document],
    *,
    level: Level = "atoms",
    groups: Iterable[Any] | None = None,
    times: Iterable[Any] | None = None,
    period: str = "month",
    time_format: str | None = None,
    held_out: Iterable[Document] | None = None,
    window: int | None = None,
    step: int | None = None,
    remove_common: bool = True,
    soft: bool = False,
    scale: float | None = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    by: str = "group",
    time: str = "period",
    source: str = "",
    run: Run = DEFAULT_RUN,
) -> DocumentStudy:
    """Find the topics of documents, by group and over time, with their words and typical passages.

    Parameters
    ----------
    model : SenseModel
    documents : iterable of str or (str, str)
        Texts, named by their numbers from 1, or pairs of a name and a text; consumed lazily.
    level : str, path or mapping, default "atoms"
        What a topic is; see `AtomTopics`.
    groups, times : iterable, optional
        The group and the date of each document; see `compare_groups`. They are read after the documents.
    period : {"day", "week", "month", "quarter", "year", "decade"}, default "month"
        Length of a period.
    time_format : str, optional
        Format of the dates, as in `datetime.strptime`, if they are not written as 2024-03-05.
    held_out : iterable of str or (str, str), optional
        Other documents, on which the coherence of the topics is measured too.
    window, step, remove_common, soft, scale
        How windows are read; see `document_topics`.
    confidence : float, default 0.95
        Of the intervals.
    n_resamples : int, default 1000
        Resamples of the bootstrap.
    seed : int, default 0
        Random seed of the bootstrap.
    by, time : str
        What the groups and the dates are called in the report.
    source : str
        Where the documents come from, for the report.
    run : Run, optional
        Threads and progress.

    Returns
    -------
    DocumentStudy

    Examples
    --------
    >>> import wordatoms as wa
    >>> study = wa.study_documents(wa.load(), ["The orchestra played a symphony by Mahler, slowly."])
    >>> study.topics[0].name, study.passages[study.topics[0].topic][0].words
    ('classical music composers', ['orchestra', 'symphony', 'Mahler'])
    """
    documents = require_texts(documents, "the documents")
    topics = find_topics(model, level)
    sharpness = (DEFAULT_SCALE if scale is None else scale) if soft else None
    windows = WindowAtoms.of_model(
        model, window, step, remove_common=remove_common, scale=sharpness, leave_out=topics.left_out
    )
    evidence = Evidence(windows)
    found = read_documents(windows, documents, run, evidence.add)
    if not len(found):
        raise InputError("there are no documents; pass at least one text.")
    shares = merge_shares(found, topics)
    named = None if groups is None else [None if is_missing(each) else str(each).strip() for each in groups]
    dated = None if times is None else find_periods(times, period, form=time_format)
    comparison = compare_groups(
        shares, groups=named, times=dated, confidence=confidence, n_resamples=n_resamples, seed=seed, run=run
    )
    summaries = summarise(evidence, topics, comparison, held_out)
    place_of = {int(topic): place for place, topic in enumerate(topics.ids)}
    means = found.mean_shares()
    passages = {}
    for each in summaries:
        atoms = sorted(topics.atoms_of(place_of[each.topic]), key=lambda atom: (-means[atom], atom))
        passages[each.topic] = evidence.passages(atoms)
    return DocumentStudy(
        shares,
        comparison,
        summaries,
        passages,
        diversity([list(each.words) for each in summaries]),
        None if named is None else tuple(named),
        None if dated is None else tuple(None if each is None else each.name for each in dated),
        by,
        time,
        source,
        _map_of(model, windows, means),
    )


def _map_of(model: SenseModel, windows: WindowAtoms, shares: NDArray[np.float64]) -> tuple[MapAtom, ...]:
    """Return the atoms that are not hidden, if the model says where they are."""
    try:
        layout, meta_atoms = model.layout, model.meta_atoms
    except WordatomsError:
        return ()
    regions, homes = meta_atoms.regions, meta_atoms.atom_regions
    return tuple(
        MapAtom(
            float(layout[atom, 0]),
            float(layout[atom, 1]),
            float(shares[atom]),
            windows.labels[atom],
            regions[homes[atom]].name if regions and homes[atom] >= 0 else None,
        )
        for atom in windows.shown.tolist()
    )


def summarise(
    evidence: Evidence, topics: TopicMap, comparison: GroupComparison, held_out: Iterable[Document] | None = None
) -> Results[TopicSummary]:
    """Return the topics that occur, the largest first, with their words and how well these fit together."""
    overall = [row for row in comparison.shares if row.group is None and row.period is None]
    words = evidence.words.top(topics)
    place_of = {int(topic): place for place, topic in enumerate(topics.ids)}
    lists = [words[place_of[row.topic]] for row in overall]
    here, there = evidence.words.coherences(lists), _held_out_coherences(evidence, lists, held_out)
    return Results(
        TopicSummary(
            row.topic, row.name, row.share, row.low, row.high, row.with_topic, _number(one), _number(other), tuple(own)
        )
        for row, one, other, own in zip(overall, here, there, lists, strict=True)
    )


def _held_out_coherences(
    evidence: Evidence, lists: Sequence[Sequence[str]], held_out: Iterable[Document] | None
) -> Iterable[float]:
    if held_out is None:
        return [float("nan")] * len(lists)
    windows = evidence.windows
    lexicon = windows.lexicon.for_reading()
    texts = (document if isinstance(document, str) else document[1] for document in held_out)
    return evidence.words.coherences(lists, [np.unique(windows.known_rows(text, lexicon)) for text in texts])


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
