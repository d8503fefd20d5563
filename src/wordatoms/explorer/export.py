"""The explorer as a folder of static files that any web server can host.

The files have the addresses of the server with `.json` appended, except that words share files (by their first two
letters) and contain numbers only: the labels of their senses are in the files of the atoms. Senses by use have files of
their own, each for some of them by number, because the forms of a word share them. Lineups are solved for a number of
seeds. A collection of documents has a file for each topic and for some documents each, and for the words of a search.
Views that need the model are left out: sentences, comparisons, sentences of a corpus.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.embeddings.neighbours import Neighbours, find_neighbours, n_blocks
from wordatoms.errors import InputError
from wordatoms.explorer.answers import to_json
from wordatoms.explorer.documents import DocumentAnswers
from wordatoms.explorer.lineup import N_SHOWN
from wordatoms.explorer.security import SITE, START_PAGE, site_names
from wordatoms.explorer.service import REPORT_FILES, Explorer, ModelFacts
from wordatoms.explorer.words import N_NEAREST as SHOWN
from wordatoms.explorer.words import SenseExample, WordAnswers, WordPage
from wordatoms.parallel import one_blas_thread
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.by_use import PhraseAnswers, UseAnswers
from wordatoms.senses.model import SenseModel
from wordatoms.storage.files import new_folder

STATIC_FEATURES = frozenset({"report", "documents", "contextual", "words"})
"""Features of an explorer that work without a server."""
N_LINEUPS = 200
N_NEAREST = 10
SHARD_LETTERS = 2
SENSES_PER_FILE = 128
DOCUMENTS_PER_FILE = 50
SHARE_DIGITS = 4
PLAIN_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Written(NamedTuple):
    """The size of an export."""

    n_files: int
    n_bytes: int


@dataclass(frozen=True)
class WordEntry:
    """A word in numbers: atoms with weights, nearest words by rank, and the atoms that a search for it finds.

    A match is an atom and its weight to two digits, or null if the word is only one of its nearest words. A use is the
    number of a sense, its share and its sampled occurrences; null if the senses of the word are atoms only.
    """

    count: int | None
    rank: int
    forms: tuple[str, ...]
    atoms: list[tuple[int, float]]
    nearest: list[tuple[int, float]]
    explained: float
    matches: list[tuple[int, float | None]]
    uses: list[tuple[int, float, int]] | None
    text: str | None


class SearchIndex(NamedTuple):
    """What a search for atoms needs besides the matches of words: names, labels, hidden atoms, the tokenizer."""

    names: Mapping[int, str]
    labels: Sequence[str]
    hidden: list[int]
    tokenizer: Mapping[str, Any]


def export_site(explorer: Explorer, folder: Path, *, n_lineups: int = N_LINEUPS, run: Run = DEFAULT_RUN) -> Written:
    """Write the site for the first model of an explorer into a new or empty folder, completely or not at all."""
    # each answer is a small product, which costs more to share between threads than to compute
    with new_folder(Path(folder), "api/model.json") as work, one_blas_thread():
        _copy_page(work)
        _copy_report(explorer, work)
        neighbours = all_neighbours(explorer.first.model, run)
        for name, answer in chain(_answers(explorer, neighbours, n_lineups), _document_answers(explorer.documents)):
            path = work / "api" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_json(answer))
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Written(len(sizes), sum(sizes))


# Files


def _copy_page(work: Path) -> None:
    names = site_names()
    if START_PAGE not in names:
        raise InputError("this installation has no files of the page; reinstall wordatoms.")
    for name in names:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SITE / name, work / name)
    page = (work / START_PAGE).read_text("utf-8")  # marked, so that it does not look for a server
    (work / START_PAGE).write_text(page.replace("<html ", '<html data-static="true" ', 1), "utf-8")


def _copy_report(explorer: Explorer, work: Path) -> None:
    if explorer.report is not None:
        (work / "report").mkdir()
        for name in REPORT_FILES:
            if (explorer.report / name).is_file():
                shutil.copyfile(explorer.report / name, work / "report" / name)


# Answers


def _answers(explorer: Explorer, neighbours: Neighbours, n_lineups: int) -> Iterator[tuple[str, Any]]:
    """The files under `api/`, by name without the suffix."""
    words, lineup = explorer.first, explorer.lineup
    yield "model", static_facts(explorer, n_lineups)
    yield "atoms", words.atoms()
    yield "search", search_index(words)
    yield from ((f"atom/{atom}", words.atom(atom)) for atom in range(len(words.model.atoms)))
    yield "words", {"words": words.model.words, "phrases": words.phrases}
    yield from ((f"words/{shard}", entries) for shard, entries in word_shards(words, neighbours).items())
    yield from sense_files(words)
    if explorer.contextual is not None:
        yield "contextual", explorer.contextual.page()
    for seed in range(n_lineups) if "words" in explorer.features else ():
        shown, solution = lineup.lineup(seed, N_SHOWN), lineup.solution(seed, N_SHOWN)
        yield f"lineup/{seed}", {**shown._asdict(), **vars(solution)}


def _document_answers(answers: DocumentAnswers | None) -> Iterator[tuple[str, Any]]:
    """The files of the documents: topics with their details, texts, and for each word the steps between documents."""
    if answers is None:
        return
    index = answers.index
    yield "documents", answers.facts()
    yield "documents/atoms", answers.atoms()
    for level in index.levels:
        table = answers.topics(level)
        yield f"documents/topics/{level}", table
        yield from (
            (f"documents/topic/{level}/{place}", answers.topic(level, place)) for place in range(len(table.topics))
        )
    for first in range(0, len(index), DOCUMENTS_PER_FILE):
        numbers = range(first, min(first + DOCUMENTS_PER_FILE, len(index)))
        yield f"documents/texts/{first // DOCUMENTS_PER_FILE}", list(map(answers.document, numbers))
    shards: dict[str, dict[str, list[int]]] = {}
    for word in index.words:
        found = index.documents_with(word)
        shards.setdefault(shard_name(word), {})[word] = [int(found[0]), *np.diff(found).tolist()]
    yield from ((f"documents/words/{shard}", lists) for shard, lists in shards.items())
    groups = index.array("groups").tolist()
    yield "documents/words", {"size": DOCUMENTS_PER_FILE, "shards": sorted(shards), "groups": groups}


def static_facts(explorer: Explorer, n_lineups: int) -> ModelFacts:
    facts = explorer.model()
    features = [feature for feature in facts.features if feature in STATIC_FEATURES]
    return facts._replace(static=True, features=features, models=[explorer.name], corpus=False, lineups=n_lineups)


def all_neighbours(model: SenseModel, run: Run) -> Neighbours:
    """The nearest words of all words; found here, which takes a while, if the model does not store them."""
    stored = model.neighbours
    if stored is not None and stored.n_kept >= N_NEAREST:
        return stored
    with run.progress.item_bar("site", n_items=n_blocks(len(model.words))) as step:
        return find_neighbours(model.embeddings, N_NEAREST, threads=run.threads, callback=step)


def word_shards(words: WordAnswers, neighbours: Neighbours) -> Mapping[str, Mapping[str, WordEntry]]:
    """The entries of all words by the file that they are in."""
    shards: dict[str, dict[str, WordEntry]] = {}
    stamp, embeddings = words.stamp, words.model.embeddings
    for row, word in enumerate(words.model.words):
        near = neighbours.of(row, N_NEAREST, embeddings)
        shards.setdefault(shard_name(word), {})[word] = WordEntry(
            words.count(word),
            row + 1,
            words.forms(word)[1:],
            _shortened(words.weights(word, forms=False, stamp=stamp).items()),
            _shortened((words.model.row(each.word) + 1, each.similarity) for each in near),
            words.explained(word),
            _matches(words.model, row),
            _uses(words, word),
            words.text(word),
        )
    for phrase, near_words in zip(words.phrases, _near_phrases(words), strict=True):
        entry = _phrase_entry(words.phrase(phrase, "code", nearest=near_words), words)
        shards.setdefault(shard_name(phrase), {})[phrase] = entry
    return shards


def _near_phrases(words: WordAnswers) -> list[list[Neighbour]]:
    """The words nearest to each phrase, found together: one after the other reads all vectors each time."""
    vectors = [words.model.parts.vector(phrase) for phrase in words.phrases]
    return words.model.embeddings.nearest_batch(np.array(vectors), N_NEAREST) if vectors else []


def _phrase_entry(page: WordPage, words: WordAnswers) -> WordEntry:
    near = _shortened((words.model.row(each.word) + 1, each.similarity) for each in page.nearest[:N_NEAREST])
    uses = [
        (words.n_word_senses + use.sense, round(use.share, SHARE_DIGITS), use.n_occurrences)
        for use in words.phrase_uses(page.word)
    ]
    return WordEntry(None, 0, (), _shortened(page.forms[0].atoms), near, page.explained, [], uses or None, None)


def _uses(words: WordAnswers, word: str) -> list[tuple[int, float, int]] | None:
    if "uses" not in words.methods(word):
        return None
    return [(use.sense, round(use.share, SHARE_DIGITS), use.n_occurrences) for use in words.uses(word)]


SenseEntry = tuple[int, bool, list[tuple[int, float]], SenseExample | None, str]


def sense_files(words: WordAnswers) -> Iterator[tuple[str, list[SenseEntry]]]:
    """The senses by use, those of words and then those of phrases.

    For each its atom, whether it is general, nearest words by rank, example and name.
    """
    model = words.model
    of_words = UseAnswers(model, model.uses) if model.uses else None
    entries = chain(_sense_entries(words, of_words), _sense_entries(words, words.phrase_answers))
    for number, some in enumerate(iter(lambda: list(islice(entries, SENSES_PER_FILE)), [])):
        yield f"senses/{number}", some


def _sense_entries(words: WordAnswers, answers: UseAnswers | None) -> Iterator[SenseEntry]:
    first = words.n_word_senses if isinstance(answers, PhraseAnswers) else 0
    for number in range(len(answers.uses) if answers else 0):
        assert answers
        uses, cosines = answers.uses, [near.similarity for near in answers.nearest(number, SHOWN)]
        near = zip((uses.nearest[number, :SHOWN] + 1).tolist(), cosines, strict=True)
        name, example = uses.names[number] if uses.names else "", words.written_example(first + number)
        yield int(uses.atoms[number]), bool(uses.general[number]), _shortened(near), example, name


def _matches(model: SenseModel, row: int) -> list[tuple[int, float | None]]:
    weights = model.atoms.codes.positive(row)
    return [(atom, round(weights[atom], 2) if atom in weights else None) for atom in model.atoms.containing(row)]


def search_index(words: WordAnswers) -> SearchIndex:
    notes, tokenizer = words.notes, words.model.tokenizer
    settings = {
        "keep_case": tokenizer.keep_case,
        "pretokenized": tokenizer.pretokenized,
        "phrases": list(tokenizer.phrase_words),
    }
    return SearchIndex(notes.names, words.model.atoms.labels, sorted(notes.hidden), settings)


def _shortened(pairs: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Three digits are enough: there are a million of these numbers."""
    return [(number, round(value, 3)) for number, value in pairs]


def shard_name(word: str) -> str:
    """The file that a word is in, by its first two letters: tie in ti, a in a_, élan in _l."""
    letters = [letter if letter in PLAIN_LETTERS else "_" for letter in word[:SHARD_LETTERS]]
    return "".join(letters).ljust(SHARD_LETTERS, "_")
