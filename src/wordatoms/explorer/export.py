"""The explorer as a folder of plain files that any web server can host.

The addresses of the server with `.json` behind them, except that words are many to a file (by their first two letters)
and hold numbers only: what their senses are called is in the files of the atoms. Lineups are solved for some seeds.
Left out, because they need the model: sentences of one's own, comparisons, sentences of a text.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordatoms.embeddings.neighbours import Neighbours, find_neighbours, n_blocks
from wordatoms.errors import InputError
from wordatoms.explorer.packing import to_json
from wordatoms.explorer.service import N_SHOWN, REPORT_FILES, Explorer
from wordatoms.explorer.sitefiles import SITE, START, site_names
from wordatoms.explorer.wordpages import Answer, WordPages, rounded
from wordatoms.progress import SILENT, Display
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import LIGHTEST
from wordatoms.storage.files import staging_folder

VIEWS = ("word", "map", "lineup", "report")
"""What works without a server."""
N_LINEUPS = 200
N_NEAREST = 10
SHARD_LETTERS = 2
PLAIN_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Written(NamedTuple):
    """What an export came to."""

    n_files: int
    n_bytes: int


def export_site(
    explorer: Explorer,
    folder: Path,
    *,
    n_lineups: int = N_LINEUPS,
    threads: int | None = None,
    display: Display = SILENT,
) -> Written:
    """Write the site on the first model of an explorer into a new or empty folder, whole or not at all."""
    with _new_folder(Path(folder)) as work:
        _copy_page(work)
        _copy_report(explorer, work)
        neighbours = all_neighbours(explorer.first.model, threads, display)
        for name, answer in _answers(explorer, neighbours, n_lineups):
            path = work / "api" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_json(answer))
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Written(len(sizes), sum(sizes))


# Files


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder beside the wanted one, which takes its name at the end."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already and not empty; pass a new folder, or remove it first.")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"the folder {folder.absolute().parent} does not exist; make it first.")
    with staging_folder(folder) as work:
        work.chmod(0o755)  # others are to read it
        yield work
        if folder.exists():
            folder.rmdir()
        work.rename(folder.absolute())


def _copy_page(work: Path) -> None:
    names = site_names()
    if START not in names:
        raise InputError("this installation has no page inside; install wordatoms again.")
    for name in names:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SITE / name, work / name)
    page = (work / START).read_text("utf-8")  # it need not find out what it is
    (work / START).write_text(page.replace("<html ", '<html data-static="true" ', 1), "utf-8")


def _copy_report(explorer: Explorer, work: Path) -> None:
    if explorer.report is not None:
        (work / "report").mkdir()
        for name in REPORT_FILES:
            if (explorer.report / name).is_file():
                shutil.copyfile(explorer.report / name, work / "report" / name)


# Answers


def _answers(explorer: Explorer, neighbours: Neighbours, n_lineups: int) -> Iterator[tuple[str, Any]]:
    """The files under `api/`, by their names without the ending."""
    pages, tests = explorer.first, explorer.tests
    yield "model", _model_facts(explorer, n_lineups)
    yield "report", {"available": explorer.report is not None}
    yield "atoms", pages.atoms()
    yield from ((f"atom/{atom}", pages.atom(atom)) for atom in range(len(pages.model.atoms)))
    yield "words", {"words": pages.model.words}
    yield from ((f"words/{shard}", words) for shard, words in word_shards(pages, neighbours).items())
    for seed in range(n_lineups):
        yield f"lineup/{seed}", {**tests.lineup(seed, N_SHOWN), **tests.solution(seed, N_SHOWN)}


def _model_facts(explorer: Explorer, n_lineups: int) -> Answer:
    return {
        **explorer.model(),
        "static": True,
        "views": [view for view in VIEWS if view in explorer.views],
        "models": [explorer.name],
        "corpus": False,
        "lineups": n_lineups,
    }


def all_neighbours(model: SenseModel, threads: int | None, display: Display) -> Neighbours:
    """Those that the model keeps; else they are found here, which takes a while."""
    kept = model.neighbours
    if kept is not None and kept.n_kept >= N_NEAREST:
        return kept
    with display.item_bar("site", n_items=n_blocks(len(model.words))) as step:
        return find_neighbours(model.embeddings, N_NEAREST, threads=threads, callback=step)


def word_shards(pages: WordPages, neighbours: Neighbours) -> Mapping[str, Mapping[str, Answer]]:
    """All words by the file that they are in."""
    shards: dict[str, dict[str, Answer]] = {}
    explained, notes = _explained(pages), pages.notes
    for row, word in enumerate(pages.model.words):
        near = neighbours.of(row, N_NEAREST, pages.model.embeddings)
        shards.setdefault(shard_name(word), {})[word] = {
            "count": pages.count(word),
            "rank": row + 1,
            "forms": list(pages.forms(word)[1:]),
            "atoms": _shortened(_weights(pages, word, notes).items()),
            "nearest": _shortened((pages.model.row(each.word) + 1, each.similarity) for each in near),
            "explained": explained[row],
        }
    return shards


def _weights(pages: WordPages, word: str, notes: Notes) -> Mapping[int, float]:
    """The atoms of a word; asked one by one, 50,000 words would each look for what a person has added."""
    if word in notes.picks:
        return pages.weights(word, forms=False)
    found = pages.model.atoms.codes.positive(pages.model.row(word))
    shown = {atom: weight for atom, weight in found.items() if atom not in notes.hidden}
    return {atom: weight for atom, weight in shown.items() if weight >= LIGHTEST} or shown


def _explained(pages: WordPages) -> list[float]:
    """What `WordPages.explained` gives, for all words at once."""
    vectors = pages.model.learned_from.unit_vectors
    sums = pages.model.atoms.codes.decode(pages.model.atoms.vectors)
    lengths = np.linalg.norm(sums, axis=1)
    cosines = np.einsum("ij,ij->i", sums, vectors) / np.where(lengths > 0, lengths, 1)
    return [rounded(cosine) for cosine in cosines.tolist()]


def _shortened(pairs: Iterable[tuple[int, float]]) -> list[list[float]]:
    """Numbers with three digits: there are a million of them."""
    return [[number, round(value, 3)] for number, value in pairs]


def shard_name(word: str) -> str:
    """The file that a word is in, by its first two letters: tie in ti, a in a_, élan in _l."""
    letters = [letter if letter in PLAIN_LETTERS else "_" for letter in word[:SHARD_LETTERS]]
    return "".join(letters).ljust(SHARD_LETTERS, "_")
