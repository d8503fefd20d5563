"""States from the cache are those that were computed; a cache that fails or lies changes nothing but the time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tinyencoder import make_encoder
from wordatoms.encoder import cache as module
from wordatoms.encoder.cache import StateCache
from wordatoms.encoder.encoder import Encoder, load_encoder
from wordatoms.text.spans import Passage

PASSAGES = [Passage("a silk tie", 7, 10), Passage("a tie game", 2, 5), Passage("a silk tie", 2, 6)]


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Encoder:
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "home"))
    return load_encoder(make_encoder(tmp_path / "encoder", ["tie", "silk"]))


def cache_of(encoder: Encoder) -> StateCache:
    assert encoder.cache is not None
    return encoder.cache


def test_what_was_computed_once_is_read(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = encoder.states(PASSAGES)
    monkeypatch.setattr(Encoder, "_compute", lambda *_: pytest.fail("computed again"))
    assert encoder.states(PASSAGES).tobytes() == computed.tobytes()
    assert encoder.states([*PASSAGES, PASSAGES[0]])[3].tobytes() == computed[0].tobytes()


def test_the_place_of_the_word_counts(encoder: Encoder) -> None:
    first, _, third = encoder.states(PASSAGES)
    assert not np.array_equal(first, third)


def test_other_encoders_have_files_of_their_own(encoder: Encoder, tmp_path: Path) -> None:
    other = load_encoder(make_encoder(tmp_path / "other", ["tie", "silk"], seed=1))
    assert cache_of(other).path != cache_of(encoder).path
    assert not np.array_equal(encoder.states(PASSAGES), other.states(PASSAGES))


def test_the_text_is_not_stored(encoder: Encoder) -> None:
    encoder.states([Passage("a secret tie", 9, 12)])
    assert b"secret" not in cache_of(encoder).path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_made_anew(encoder: Encoder, content: bytes) -> None:
    computed = encoder.states(PASSAGES)
    cache_of(encoder).path.write_bytes(content)
    assert encoder.states(PASSAGES).tobytes() == computed.tobytes()
    encoder.states(PASSAGES)
    assert len(cache_of(encoder).read(PASSAGES)) == len(PASSAGES)


@pytest.mark.parametrize("content", [b"short", b"\xff" * 48, "text", None, 7])
def test_entries_that_cannot_be_right_are_computed_again(encoder: Encoder, content: object) -> None:
    computed = encoder.states(PASSAGES)
    with sqlite3.connect(cache_of(encoder).path) as connection:
        connection.execute("ALTER TABLE states RENAME TO old")
        connection.execute("CREATE TABLE states (passage BLOB PRIMARY KEY, state)")
        connection.execute("INSERT INTO states SELECT passage, ? FROM old", (content,))
    assert cache_of(encoder).read(PASSAGES) == {}
    assert encoder.states(PASSAGES).tobytes() == computed.tobytes()


def test_where_nothing_can_be_written_states_are_computed(
    tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = encoder.states(PASSAGES)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "file"))
    assert load_encoder(encoder.path).states(PASSAGES).tobytes() == computed.tobytes()


def test_a_file_that_grew_too_large_is_emptied(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder.states(PASSAGES[:2])
    monkeypatch.setattr(module, "LARGEST", 10)
    encoder.states(PASSAGES[2:])
    assert set(cache_of(encoder).read(PASSAGES)) == {PASSAGES[2]}


def test_without_a_cache_nothing_is_written(encoder: Encoder) -> None:
    load_encoder(encoder.path, cache=False).states(PASSAGES)
    assert not cache_of(encoder).path.exists()
