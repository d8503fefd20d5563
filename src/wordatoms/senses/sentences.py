"""Representative sentences: for each sense of a word, the sentences of a text that show it best.

With senses by use, a sentence shows the sense that is the likeliest in it, unless none of the senses fits or the
sentence says too little; its score is the product of the sense with the vector of the sentence's words. The first
occurrence of the word in a sentence counts.

With the senses of the code, this follows a commented-out part of Section 5 of the paper, "Outputting relevant
sentences". The senses are the atoms of the word and its inflected forms. A sentence is represented by the best
approximation of rank 3 to the vectors of its words: their first three principal directions, not centred. Its score for
an atom is the length of the atom's projection on these directions. Choices that the paper leaves open:

- The word itself is left out of its sentences, because it leans to all its atoms; `include_target` keeps it.
- Vectors have SIF weights, a / (a + p(w)), so that *the* and *of* do not take one of the three directions; `a=inf`
  gives the paper's plain vectors.
- A sentence is listed only under the atom it has the highest score for. The score says what the sentence is about, not
  what the word means there.

Near-duplicates of listed sentences are left out, and so are very short and very long sentences. The text is read once;
only the best sentences are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.usages import TextTokens, Usage
from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.engine.threads import Batch, ThreadEngine, blocks_with_sizes, make_batches
from wordatoms.errors import InputError, require_several
from wordatoms.parallel import one_blas_thread
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.by_use import UseDisambiguator
from wordatoms.senses.frames import Framed, Results, Row, flat_row
from wordatoms.senses.model import Method, SenseModel
from wordatoms.senses.results import Sense
from wordatoms.text.corpus import Corpus, Shard, open_corpus
from wordatoms.text.sentence_splitter import split_sentences
from wordatoms.text.spans import find_spans, normal_form
from wordatoms.text.tokenizer import Lexicon, Tokenizer
from wordatoms.text.wikiextractor import unescape

ALIKE = 0.6
"""Two sentences are near-duplicates if they share this much of all their words."""
SPARE = 20
"""Candidates held for each requested sentence, because some will be near-duplicates."""
MOST_CHARACTERS = 1000
"""A longer sentence is a table or a list, whatever the number of its known words."""
SCORED_AT_ONCE = 512
LINE_END = -1
"""What a lexicon gives at the end of a line."""
NO_DIRECTION = 1e-10
"""A principal value this small, relative to the largest, is rounding: there are fewer words than directions."""
N_DIGITS = 6
"""Digits of a score by use; further ones depend on which sentences are read at the same time."""

Place = tuple[int, int, int]
"""Shard, line in it and sentence in the line: the order of the text."""
_Rows = Mapping[tuple[str, int], tuple[int, str | None]]
"""The rows and their names for lines of tables that were written as plain text."""


class Sentence(NamedTuple):
    """A sentence of a text, with its score and where it was found."""

    text: str
    """In Unicode normal form C."""
    score: float
    """How typical the sentence is of the sense, up to 1: the product of its vector with the sense by use, or its cosine
    with the atom."""
    source: str
    """The file it comes from."""
    line: int
    """Line number, or the row of a table, from 1."""
    start: int
    """The first character of the word in the text, in whichever form."""
    end: int
    """The character after the last one of the word."""
    probability: float | None = None
    """Probability of the sense in this sentence; None for a sense from the code."""
    row_name: str | None = None
    """The name of the row of a table, if a column for it was given."""


@dataclass(frozen=True, repr=False)
class SenseSentences(Framed):
    """A sense and the sentences that show it best, best first."""

    sense: Sense
    sentences: tuple[Sentence, ...]
    n_sentences: int
    """Sentences of the text that fit this sense better than the others, near-duplicates included."""

    def _table_rows(self) -> list[Row]:
        """Return a row for each sentence."""
        shown = self.sense
        sense = {"word": shown.word, "sense": shown.sense, "atom": shown.atom, "label": shown.label}
        return [flat_row(sentence, **sense) for sentence in self.sentences]


def representative_sentences(
    model: SenseModel,
    word: str,
    corpus_paths: Sequence[str | Path],
    *,
    n: int = 3,
    forms: bool = True,
    method: Method = "auto",
    rank: int = 3,
    a: float = DEFAULT_A,
    include_target: bool = False,
    shortest: int = 5,
    longest: int = 60,
    lightest: float | None = None,
    column: str | None = None,
    names: str | None = None,
    replace_invalid: bool = False,
    run: Run = DEFAULT_RUN,
) -> Results[SenseSentences]:
    """Find the sentences of a text that show each sense of a word best.

    Parameters
    ----------
    model : SenseModel
    word : str
    corpus_paths : sequence of str or Path
        Files, folders, patterns or "-" for standard input, compressed or not.
    n : int, default 3
        Sentences per sense.
    forms : bool, default True
        Include the senses and sentences of inflected forms.
    method : {"auto", "uses", "code"}, default "auto"
        Senses by use, each with sentences in which it is the likeliest, or the paper's senses; see `SenseModel.senses`.
    rank : int, default 3
        Principal directions that represent a sentence; senses of the code only.
    a : float, default 1e-3
        Smoothing of SIF; infinite for plain vectors; senses of the code only.
    include_target : bool, default False
        Count the word itself among the words of its sentences; senses of the code only.
    shortest, longest : int, default 5 and 60
        Range of the number of known words of a sentence, without the target.
    lightest : float, optional
        Minimum share of the uses, or weight, of a sense; by default 0.03, or 0.005.
    column : str, optional
        The column of tables (.csv, .tsv, .jsonl, .ndjson, .parquet) that has the text; all files are then tables.
    names : str, optional
        The column with the names of the rows.
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.
    run : Run, optional
        Threads and progress.

    Returns
    -------
    list of SenseSentences
        The sense with the largest share, or the heaviest one, first.

    Examples
    --------
    >>> import wordatoms as wa
    >>> from wordatoms.senses.sentences import representative_sentences
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "text.txt").write_text("She wore a silk tie with her grey shirt and jacket.")
    ...     found = representative_sentences(wa.load(), "tie", [folder], method="code")
    >>> next(each.sense.label for each in found if each.sentences)
    'cloth and stockings'
    """
    require_several(corpus_paths, "the paths", "files")
    _check_numbers(n, rank, shortest, longest)
    senses = _senses(model, word, forms=forms, method=method, lightest=lightest)
    forms_found = model.forms(senses[0].word) if forms else (senses[0].word,)
    by_use = None if senses[0].sense is None else model.by_use(senses[0].word, method=method)
    judge: _Judge
    if by_use is None:
        judge = SentenceScorer.of_model(model, [sense.atom for sense in senses], a=a, rank=rank)
    else:
        judge = _UseJudge(by_use, tuple(sense.sense for sense in senses), frozenset(forms_found))
        include_target = False
    search = _Search(
        Lexicon(model.words, tokenizer=model.tokenizer),
        judge,
        len(senses),
        len(model.words),
        [*map(model.row, forms_found)],
        SPARE * n,
        include_target,
        range(shortest, longest + 1),
    )
    if names and not column:
        raise InputError("names are a column of a table; pass the column with the text too.")
    found, corpus = _scan(search, corpus_paths, {"column": column, "replace_invalid": replace_invalid}, run)
    _check_found(found, forms_found, search.lengths)
    chosen = found.choose(n)
    located = _Locator(frozenset(forms_found), model.tokenizer, found, corpus)
    rows = located.find_rows(chain.from_iterable(chosen), names)
    return Results(
        SenseSentences(sense, tuple(located.sentence(each, rows) for each in best), int(number))
        for sense, best, number in zip(senses, chosen, found.n_sentences, strict=True)
    )


def _scan(
    search: _Search, sources: Sequence[str | Path], reading: Mapping[str, Any], run: Run
) -> tuple[_Found, Corpus]:
    """Search a text; unpacked files exist only during the search."""
    with TemporaryDirectory(prefix="wordatoms-") as work:
        with run.progress.text_bar("files", n_bytes=None) as report:
            corpus = open_corpus(sources, work=Path(work), threads=run.n_threads, on_bytes=report, **reading)
        with run.progress.text_bar("sentences", n_bytes=corpus.n_bytes) as report:
            return search.run(corpus, run.n_threads, report), corpus


def _check_numbers(n: int, rank: int, shortest: int, longest: int) -> None:
    for name, value in {"n": n, "rank": rank, "shortest": shortest}.items():
        if value < 1:
            raise InputError(f"{name} is {value}; pass 1 or more.")
    if longest < shortest:
        raise InputError(f"sentences of {shortest} to {longest} words are asked for; pass a range that is not empty.")


def _senses(model: SenseModel, word: str, *, forms: bool, method: Method, lightest: float | None) -> list[Sense]:
    found = model.senses(word, forms=forms, method=method)
    if not found:
        raise InputError(f"'{word}' has no senses; pass another word or another method.")
    are_by_use = found[0].sense is not None
    if lightest is None:
        return [sense for sense in found if not sense.is_minor] or found
    senses = [sense for sense in found if sense.picked or (sense.share or sense.weight) >= lightest]
    if not senses:
        what = "share" if are_by_use else "weight"
        raise InputError(f"'{word}' has no sense with a {what} of {lightest:g} or more; pass a smaller one.")
    return senses


def _check_found(found: _Found, forms: Sequence[str], lengths: range) -> None:
    listed = ", ".join(forms)
    if not found.n_with_word:
        n_lines = sum(found.n_lines.values())
        raise InputError(f"the text (lines: {n_lines:,}) has none of the words {listed}; pass another text.")
    if not found.n_usable:
        raise InputError(
            f"the text has {listed} (sentences: {found.n_with_word:,}), but never with {lengths.start} to "
            f"{lengths.stop - 1} other known words in the sentence; pass another text or other lengths."
        )


# --- scores


class _Judged(NamedTuple):
    """What sentences show."""

    senses: NDArray[np.intp]
    """The place of the sense that each sentence shows, -1 for none, (n_sentences,)."""
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64] | None


class _Judge(Protocol):
    """Tells which sense sentences show, and how well."""

    def judge(self, sentences: Sequence[_Located]) -> _Judged:
        """Return what some sentences show, at least one."""
        ...


@dataclass(frozen=True, eq=False)
class _UseJudge:
    """Finds the likeliest sense by use of the first occurrence of the word in each sentence."""

    disambiguator: UseDisambiguator
    numbers: Sequence[int | None]
    """The senses that are listed; the word may have others."""
    targets: frozenset[str]

    def judge(self, sentences: Sequence[_Located]) -> _Judged:
        read = self.disambiguator.read([self._usage(each.text) for each in sentences])
        known = read.p_senses[:, :-1]
        best = known.argmax(axis=1)
        places = {number: place for place, number in enumerate(self.numbers)}
        listed = np.array([places.get(use.sense, -1) for use in self.disambiguator.senses])
        scores = (read.contexts * self.disambiguator.vectors[best]).sum(axis=1)
        return _Judged(
            np.where(read.is_clear, listed[best], -1),
            np.round(scores.astype(np.float64), N_DIGITS),
            np.round(known.max(axis=1), N_DIGITS),
        )

    def _usage(self, text: str) -> Usage:
        tokens = TextTokens(text, self.disambiguator.tokenizer)
        return Usage(tokens, next(place for place, token in enumerate(tokens) if token in self.targets))


@dataclass(frozen=True, eq=False)
class SentenceScorer:
    """Computes the cosine between sentences and atoms: the length of an atom's projection on a sentence's directions.

    The principal directions of a sentence are found from the small matrix of inner products between its words, for all
    sentences of equal length at once.
    """

    embeddings: Embeddings
    """The vectors that the atoms were learned from."""
    weights: NDArray[np.float32]
    """SIF weights, (n_words,)."""
    atoms: NDArray[np.float64]
    """(n_atoms, dim), each of length 1."""
    rank: int

    @classmethod
    def of_model(cls, model: SenseModel, atoms: Sequence[int], *, a: float, rank: int) -> SentenceScorer:
        """Return a scorer for some atoms of a model; `a` is that of SIF."""
        embeddings = model.learned_from
        weights = SIF(embeddings, p_words(embeddings), a).weights
        return cls(embeddings, weights, model.atoms.vectors[list(atoms)].astype(np.float64), rank)

    def judge(self, sentences: Sequence[_Located]) -> _Judged:
        """Return the atom that each sentence fits best."""
        scores = self.scores([each.rows for each in sentences])
        return _Judged(scores.argmax(axis=1), scores.max(axis=1), None)

    def scores(self, sentences: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
        """Return the cosine of each sentence, given as rows of its words, with each atom, (n_sentences, n_atoms)."""
        lengths = np.array([len(rows) for rows in sentences], np.int64)
        scores = np.zeros((len(sentences), len(self.atoms)))
        for length in np.unique(lengths):
            places = np.flatnonzero(lengths == length).tolist()
            scores[places] = self._scores(np.stack([sentences[place] for place in places]))
        return scores

    def _scores(self, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the cosines for sentences of equal length, (n, length).

        If V = U·S·Wᵀ are the vectors of a sentence, the parts of an atom along the directions W are S⁻¹·Uᵀ·(V·atom).
        """
        vectors = self.weights[rows][..., None] * self.embeddings.vectors[rows].astype(np.float64)
        squares, directions = np.linalg.eigh(vectors @ vectors.transpose(0, 2, 1))
        squares, directions = squares[:, -self.rank :], directions[:, :, -self.rank :]
        parts = directions.transpose(0, 2, 1) @ (vectors @ self.atoms.T)
        is_real = squares > NO_DIRECTION * squares[:, -1:]
        inverse = np.divide(1.0, squares, out=np.zeros_like(squares), where=is_real)
        return np.asarray(np.minimum(np.sqrt((parts * parts * inverse[..., None]).sum(axis=1)), 1.0))


# --- candidates


class _Candidate(NamedTuple):
    """A sentence that may be among the best."""

    score: float
    place: Place
    words: bytes
    """Its known words, sorted: what makes two sentences the same."""
    text: str
    probability: float | None = None

    @property
    def order(self) -> tuple[float, Place]:
        return -self.score, self.place


@dataclass(frozen=True)
class _Found:
    """The best sentences of a part of a text; parts can be added in any order."""

    best: tuple[Mapping[bytes, _Candidate], ...]
    """The best `n_most` different sentences of each sense, by their words."""
    n_sentences: NDArray[np.int64]
    """Number of sentences that fit each sense best, (n_senses,)."""
    n_with_word: int
    n_usable: int
    """Sentences with the word and an allowed number of others."""
    n_lines: Mapping[int, int]
    """Lines of each shard."""
    n_most: int

    def __add__(self, other: _Found) -> _Found:
        return _Found(
            tuple(
                _merge([*mine.values(), *theirs.values()], self.n_most)
                for mine, theirs in zip(self.best, other.best, strict=True)
            ),
            self.n_sentences + other.n_sentences,
            self.n_with_word + other.n_with_word,
            self.n_usable + other.n_usable,
            {
                shard: self.n_lines.get(shard, 0) + other.n_lines.get(shard, 0)
                for shard in {*self.n_lines, *other.n_lines}
            },
            self.n_most,
        )

    def choose(self, n: int) -> list[list[_Candidate]]:
        """Return the `n` best sentences for each sense, without near-duplicates."""
        return [_different(sorted(best.values(), key=lambda each: each.order), n) for best in self.best]


def _merge(candidates: Iterable[_Candidate], n_most: int) -> dict[bytes, _Candidate]:
    """Return the best candidates; of those with the same words the best, and of equal ones the first in the text."""
    merged: dict[bytes, _Candidate] = {}
    for each in sorted(candidates, key=lambda each: each.order):
        merged.setdefault(each.words, each)
    return dict(islice(merged.items(), n_most))


def _different(candidates: Iterable[_Candidate], n: int) -> list[_Candidate]:
    chosen: list[_Candidate] = []
    word_sets: list[set[int]] = []
    for each in candidates:
        words = set(np.frombuffer(each.words, np.int32).tolist())
        if not any(len(words & others) >= ALIKE * len(words | others) for others in word_sets):
            chosen.append(each)
            word_sets.append(words)
        if len(chosen) == n:
            break
    return chosen


@dataclass(frozen=True, eq=False)
class _Locator:
    """Finds the place of the word in chosen sentences, and of the sentences in their files."""

    targets: frozenset[str]
    tokenizer: Tokenizer
    found: _Found
    corpus: Corpus

    def sentence(self, best: _Candidate, rows: _Rows) -> Sentence:
        shard, line = self.corpus.shards[best.place[0]], self._line(best)
        text = normal_form(unescape(best.text) if shard.is_extracted else best.text)
        span = next(each for each in find_spans(text, self.tokenizer) if each.word in self.targets)
        number, name = rows.get((shard.path, line), (line, None))
        return Sentence(text, best.score, shard.name, number, span.start, span.end, best.probability, name)

    def find_rows(self, chosen: Iterable[_Candidate], names: str | None) -> _Rows:
        """Find the rows of sentences in tables, which were searched as lines of plain text; tables are read again."""
        lines: dict[str, set[int]] = {}
        for each in chosen:
            lines.setdefault(self.corpus.shards[each.place[0]].path, set()).add(self._line(each))
        return {
            (path, line): row
            for path, column in self.corpus.columns.items()
            if path in lines
            for line, row in column.find_rows(lines[path], names).items()
        }

    def _line(self, best: _Candidate) -> int:
        """The number of the line of a sentence in its file, from 1."""
        shard, line, _ = best.place
        shards, n_lines = self.corpus.shards, self.found.n_lines
        return sum(n_lines[k] for k in range(shard) if shards[k].path == shards[shard].path) + line + 1


# --- the pass over the text


class _Located(NamedTuple):
    """A sentence that contains the word."""

    place: Place
    text: str
    rows: NDArray[np.int32]
    """Rows of its known words, sorted, so that the same words give the same score bit by bit."""


@dataclass(frozen=True, eq=False)
class _Search:
    """Looks for the best sentences in a text."""

    lexicon: Lexicon
    judge: _Judge
    n_senses: int
    n_words: int
    """Words of the model; a lexicon may have more."""
    targets: Sequence[int]
    """Rows of the forms of the word."""
    n_most: int
    include_target: bool
    lengths: range
    """Allowed numbers of known words without the target."""

    def run(self, corpus: Corpus, threads: int, report: TextCallback) -> _Found:
        numbers = {shard: number for number, shard in enumerate(corpus.shards)}
        with one_blas_thread():
            return ThreadEngine(threads).sum(
                lambda batch, progress: self._search(batch, numbers, progress),
                make_batches(corpus.shards, BATCH_BYTES),
                _Found.__add__,
                report,
            )

    def _search(self, batch: Batch, numbers: Mapping[Shard, int], report: TextCallback) -> _Found:
        lexicon, n_lines = self.lexicon.for_reading(), dict.fromkeys((numbers[shard] for shard in batch), 0)
        located = chain.from_iterable(self._located(shard, numbers[shard], n_lines, lexicon, report) for shard in batch)
        found = self._best([])
        while group := list(islice(located, SCORED_AT_ONCE)):
            found += self._best(group)
        return replace(found, n_lines=n_lines)

    def _best(self, group: Sequence[_Located]) -> _Found:
        """Return the best of some sentences, each under the sense it fits best."""
        usable = [each for each in group if len(each.rows) in self.lengths and len(each.text) <= MOST_CHARACTERS]
        candidates: list[list[_Candidate]] = [[] for _ in range(self.n_senses)]
        if usable:
            judged = self.judge.judge(usable)
            chances = [None] * len(usable) if judged.probabilities is None else judged.probabilities.tolist()
            for each, sense, score, chance in zip(
                usable, judged.senses.tolist(), judged.scores.tolist(), chances, strict=True
            ):
                if sense >= 0:
                    candidates[sense].append(_Candidate(score, each.place, each.rows.tobytes(), each.text, chance))
        best = tuple(_merge(listed, self.n_most) for listed in candidates)
        numbers = np.array([len(listed) for listed in candidates], np.int64)
        return _Found(best, numbers, len(group), len(usable), {}, self.n_most)

    def _located(
        self, shard: Shard, number: int, n_lines: dict[int, int], lexicon: Lexicon, report: TextCallback
    ) -> Iterator[_Located]:
        """Yield the sentences of a shard that contain the word, and count its lines."""
        for block, n_read in blocks_with_sizes(shard):
            ids = lexicon.encode(block)
            n_tokens, ends = len(ids), np.flatnonzero(ids == LINE_END)
            lines = np.unique(np.searchsorted(ends, np.flatnonzero(self._is_target[ids])))
            if len(lines):
                texts, places = _sentences_of(block, lines.tolist(), number, n_lines[number])
                yield from self._with_word(texts, places, lexicon)
            n_lines[number] += len(ends)
            report(n_read, n_tokens)

    def _with_word(self, texts: Sequence[str], places: Sequence[Place], lexicon: Lexicon) -> list[_Located]:
        ids = lexicon.encode("\n".join(texts).encode())
        is_target = self._is_target[ids]
        counts = (ids >= 0) & (ids < self.n_words) & (self.include_target | ~is_target)
        ends = np.flatnonzero(ids == LINE_END).tolist()
        return [
            _Located(place, text, np.sort(ids[start:end][counts[start:end]]))
            for place, text, start, end in zip(places, texts, [0, *ends], ends, strict=False)
            if is_target[start:end].any()
        ]

    @cached_property
    def _is_target(self) -> NDArray[np.bool_]:
        """Marks by word number; the last two entries, -2 and -1, stand for unknown words and line ends."""
        marks = np.zeros(len(self.lexicon) + 2, np.bool_)
        marks[list(self.targets)] = True
        return marks


def _sentences_of(block: bytes, lines: Sequence[int], shard: int, n_before: int) -> tuple[list[str], list[Place]]:
    """Return the sentences of some lines of a block and their places; `n_before` lines of the shard precede it."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")).tolist()
    texts: list[str] = []
    places: list[Place] = []
    for line in lines:
        start = ends[line - 1] + 1 if line else 0
        found = split_sentences(block[start : ends[line]].decode())
        texts += found
        places += [(shard, n_before + line, number) for number in range(len(found))]
    return texts, places
