"""What was found in the shards read so far is kept, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import Reporting, as_corpus, slow
from wordatoms.counts.cooccurrence import CountPairs, Counts, PairRun, count_pairs
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.engine.ledger import Ledger, open_ledger
from wordatoms.engine.threads import Batch, ThreadEngine
from wordatoms.errors import InputError
from wordatoms.progress import TextCallback
from wordatoms.run import Run
from wordatoms.storage.files import Array, ArrayFile
from wordatoms.text.corpus import Corpus
from wordatoms.text.shards import Shard
from wordatoms.text.tokenizer import Lexicon


@dataclass(frozen=True)
class Found:
    """A piece with one of each kind of value."""

    numbers: Array | ArrayFile
    table: Array
    n: int


def found(n: int) -> Found:
    return Found(np.arange(n), np.full((2, n), n), n)


def as_lists(pieces: list[Found]) -> list[tuple[list[int], list[list[int]], int]]:
    return [(piece.numbers[:].tolist(), piece.table.tolist(), piece.n) for piece in pieces]


def is_valid(piece: Found) -> bool:
    return len(piece.numbers) == piece.n


def shards(*names: str) -> list[Shard]:
    return [Shard(f"/{name}", stop=10, sha256=name) for name in names]


def test_what_is_entered_is_found_and_the_rest_is_to_do(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enter(shards("a", "b"), [found(3), found(0)])
    ledger.enter(shards("c"), [found(5)])
    pieces, todo = Ledger(tmp_path).find(shards("c", "d", "b", "a"), Found, is_valid)
    assert sorted(as_lists(pieces)) == as_lists([found(0), found(3), found(5)])
    assert todo == shards("d")
    assert all(isinstance(piece.numbers, ArrayFile) for piece in pieces)


def test_an_entry_counts_only_where_all_its_shards_are_wanted(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enter(shards("a", "b"), [found(3)])
    assert ledger.find(shards("a", "c"), Found, is_valid) == ([], shards("a", "c"))


def test_the_same_text_twice_is_wanted_twice(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enter(shards("a"), [found(1)])
    pieces, todo = ledger.find(shards("a", "a"), Found, is_valid)
    assert (len(pieces), todo) == (1, shards("a"))
    ledger.enter(todo, [found(1)])
    assert len(ledger.find(shards("a", "a"), Found, is_valid)[0]) == 2
    assert len(ledger.find(shards("a"), Found, is_valid)[0]) == 1


def test_a_file_may_have_moved_but_not_changed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    (shard,) = shards("a")
    ledger.enter([shard], [found(1)])
    assert not ledger.find([replace(shard, path="/elsewhere", origin="-")], Found, is_valid)[1]
    for other in (replace(shard, sha256="b"), replace(shard, start=1), replace(shard, replace_invalid=True)):
        assert ledger.find([other], Found, is_valid) == ([], [other])


@pytest.mark.parametrize("damage", ["cut", "gone", "no json", "other json", "other fields", "empty"])
def test_a_broken_entry_is_no_entry(tmp_path: Path, damage: str) -> None:
    ledger = Ledger(tmp_path)
    ledger.enter(shards("a"), [found(4)])
    (entry,) = tmp_path.glob("*.json")
    array = max(tmp_path.glob("*.npy"))
    if damage == "cut":
        array.write_bytes(array.read_bytes()[:-1])
    elif damage == "gone":
        array.unlink()
    else:
        text = {"no json": "{", "other json": "[3]", "other fields": '{"shards": {"a": 1}, "pieces": [{"x": 1}]}'}
        entry.write_text(text.get(damage, ""))
    assert ledger.find(shards("a"), Found, is_valid) == ([], shards("a"))


def test_an_entry_names_no_file_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside.npy"
    np.save(outside, np.arange(4))
    ledger = Ledger(tmp_path / "ledger")
    ledger.folder.mkdir()
    ledger.enter(shards("a"), [found(4)])
    (path,) = ledger.folder.glob("*.json")
    entry = json.loads(path.read_bytes())
    entry["pieces"][0]["numbers"]["file"] = str(outside)
    path.write_text(json.dumps(entry))
    assert ledger.find(shards("a"), Found, is_valid)[0] == []


def test_an_entry_that_makes_no_sense_does_not_count(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.enter(shards("a"), [found(4), Found(np.arange(4), np.zeros((1, 1)), 5)])
    assert ledger.find(shards("a"), Found, is_valid) == ([], shards("a"))


def test_leftovers_and_ledgers_of_other_facts_go(tmp_path: Path) -> None:
    with open_ledger("words", ["a", np.arange(3)], keep=tmp_path, work=None) as ledger:
        ledger.enter(shards("a"), [found(2)])
        kept = sorted(ledger.folder.iterdir())
    (ledger.folder / "half-written.npy").write_bytes(b"x")
    (ledger.folder / ".half.json.1.part").write_bytes(b"x")
    with open_ledger("pairs", ["b"], keep=tmp_path, work=None) as other:
        other.enter(shards("a"), [found(2)])
    with open_ledger("words", ["a", np.arange(3)], keep=tmp_path, work=None) as again:
        assert sorted(again.folder.iterdir()) == kept
    with open_ledger("words", ["a", np.arange(4)], keep=tmp_path, work=None):
        assert not ledger.folder.exists()
        assert other.folder.exists()


def test_a_failure_keeps_what_is_entered_and_leaves_no_empty_folder(tmp_path: Path) -> None:
    keep = tmp_path / "parts"
    with pytest.raises(KeyboardInterrupt), open_ledger("words", [], keep=keep, work=None) as ledger:
        (ledger.folder / "half-written.npy").write_bytes(b"x")
        raise KeyboardInterrupt
    assert not keep.exists()
    with pytest.raises(KeyboardInterrupt), open_ledger("words", [], keep=keep, work=None) as ledger:
        ledger.enter(shards("a"), [found(2)])
        raise KeyboardInterrupt
    assert len(list(ledger.folder.glob("*.json"))) == 1


# --- passes that die


class DyingEngine(ThreadEngine):
    """An engine whose power fails after some batches."""

    n_left = 0

    def _each(self, function, batches, report):  # type: ignore[no-untyped-def]
        def until_dead(batch: Batch, progress: TextCallback) -> object:
            if DyingEngine.n_left <= 0:
                raise KeyboardInterrupt
            DyingEngine.n_left -= 1
            return function(batch, progress)

        return super()._each(until_dead, batches, report)


def counted(corpus: Corpus, engine: ThreadEngine, keep: Path | None) -> Counts:
    vocabulary = build_vocabulary(corpus, min_count=1, run=Run(engine=engine), keep=keep)
    return count_pairs(corpus, vocabulary, window=3, run=Run(engine=engine), keep=keep)


def as_bytes(counts: Counts) -> list[bytes]:
    arrays = (counts.vocabulary.counts, counts.indptr, counts.indices, counts.values)
    return ["\n".join(counts.vocabulary.words).encode(), *(array.tobytes() for array in arrays)]


@settings(slow, max_examples=25)
@given(deaths=st.lists(st.integers(0, 4), max_size=6), shard_bytes=st.integers(40, 200))
def test_a_count_that_dies_again_and_again_ends_in_the_same_bytes(
    deaths: list[int], shard_bytes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("text")
    text = "\n".join(f"w{k % 7} w{k % 5} w{k % 11} w{k % 3}" for k in range(40))
    corpus = as_corpus(text, folder, shard_bytes=shard_bytes)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("wordatoms.counts.cooccurrence", "wordatoms.counts.vocabulary"):
            patch.setattr(f"{module}.BATCH_BYTES", 1)
        for n_batches in deaths:
            DyingEngine.n_left = n_batches
            with pytest.raises(KeyboardInterrupt):
                counted(corpus, DyingEngine(1), folder / "keep")
                raise KeyboardInterrupt  # it may have come through
        found = counted(corpus, ThreadEngine(2), folder / "keep")
    assert as_bytes(found) == as_bytes(counted(corpus, ThreadEngine(1), None))


def test_a_broken_file_can_be_replaced(tmp_path: Path) -> None:
    texts = [tmp_path / name for name in ("a.txt", "b.txt")]
    texts[0].write_text("tie bank spring\n" * 9)
    texts[1].write_bytes(b"tie \xff bank\n")
    n_read = []

    def opened() -> Corpus:
        from wordatoms.text.corpus import open_corpus

        return open_corpus(texts, work=tmp_path, threads=1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordatoms.counts.vocabulary.BATCH_BYTES", 1)
        with pytest.raises(InputError, match=r"b\.txt is not valid UTF-8"):
            build_vocabulary(opened(), min_count=1, run=Run(engine=ThreadEngine(1)), keep=tmp_path / "keep")
        texts[1].write_text("tie bank\n")
        vocabulary = build_vocabulary(
            opened(),
            min_count=1,
            run=Run(engine=ThreadEngine(1), progress=Reporting(lambda _n_bytes, n_tokens: n_read.append(n_tokens))),
            keep=tmp_path / "keep",
        )
    assert sum(n_read) == 2  # of the new file alone
    assert vocabulary.counts.tolist() == [10, 10, 9]


def test_a_flipped_bit_is_counted_again(tmp_path: Path) -> None:
    corpus, keep = as_corpus("tie bank spring\n" * 9, tmp_path), tmp_path / "keep"
    expected = as_bytes(counted(corpus, ThreadEngine(1), keep))
    names = sorted(keep.rglob("*.npy"))
    assert len(names) == 4 + 3
    for path in names:
        data = bytearray(path.read_bytes())
        data[-1] ^= 0x40
        path.write_bytes(data)
        assert as_bytes(counted(corpus, ThreadEngine(1), keep)) == expected


def test_numbers_out_of_range_are_not_sound() -> None:
    """Compiled loops would write anywhere."""
    work = CountPairs(Lexicon(["a", "b"]), 2, np.array([1]), 1 << 20, np.ones(2))
    good = PairRun(np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([5, 6]))
    assert work.is_valid(good)
    bad = {
        "indptr": [np.array([0, 3, 2]), np.array([0, 2]), np.array([1, 1, 2]), np.array([0.0, 1, 2])],
        "indices": [np.array([1, 2], np.int32), np.array([-1, 0], np.int32), np.array([1, 0])],
        "values": [np.array([5]), np.array([5.0, 6.0])],
    }
    for name, arrays in bad.items():
        assert not any(work.is_valid(replace(good, **{name: array})) for array in arrays)
