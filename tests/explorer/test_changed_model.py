"""Open models answer from what they opened, or say that the model changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from explorerworld import world_models
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import ModelError
from wordatoms.explorer.app import make_app
from wordatoms.explorer.service import Explorer
from wordatoms.senses.model import load
from wordatoms.storage import files, folder

QUESTIONS = [
    *("/api/model", "/api/word?word=bank", "/api/word?word=boat", "/api/sentence?text=a+boat+near+the+bank"),
    *("/api/atoms", "/api/atom/1", "/api/search?q=river", "/api/compare?word=bank&model=second", "/api/lineup?seed=3"),
]
CHANGED = "was changed by another process since it was opened"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world")
    world_models(path)
    return path


@pytest.fixture
def world(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "world"))


def client_of(world: Path) -> TestClient:
    explorer = Explorer([load(world / "first"), load(world / "second")])
    return TestClient(make_app(explorer), base_url="http://127.0.0.1", raise_server_exceptions=False)


def answers(client: TestClient) -> list[tuple[int, bytes]]:
    replies = [client.get(question) for question in QUESTIONS]
    return [(reply.status_code, reply.content) for reply in replies]


def truncate(path: Path) -> None:
    for each in path.glob("*"):
        os.truncate(each, 10)


def overwrite(path: Path) -> None:
    for each in path.glob("*.npy"):
        each.write_bytes(bytes(each.stat().st_size))


def replace_by_another(path: Path) -> None:
    """As `cp` does, file by file and in place."""
    for each in path.glob("*"):
        if (path.parent / "second" / each.name).exists():
            each.write_bytes((path.parent / "second" / each.name).read_bytes())


@pytest.mark.parametrize("change", [truncate, overwrite, replace_by_another, shutil.rmtree])
def test_model_truncated_under_an_explorer_was_a_bus_error(world: Path, change: object) -> None:
    expected = answers(client_of(world))
    assert {status for status, _ in expected} == {200}
    client = client_of(world)
    client.app.state.explorer.warm()  # type: ignore[attr-defined]
    change(world / "first")  # type: ignore[operator]
    assert answers(client) == expected


@pytest.mark.parametrize("change", [truncate, overwrite, replace_by_another])
def test_mapped_model_truncated_under_an_explorer_was_a_bus_error(
    world: Path, change: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST_READ", 0)
    monkeypatch.setattr(folder, "LARGEST_READ", 0)
    client = client_of(world)
    client.app.state.explorer.warm()  # type: ignore[attr-defined]
    change(world / "first")  # type: ignore[operator]
    for status, content in answers(client):
        assert status >= 400
        assert CHANGED in content.decode()


def test_mapped_model_that_was_deleted_still_answers(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_READ", 0)
    expected = answers(client_of(world))
    client = client_of(world)
    client.app.state.explorer.warm()  # type: ignore[attr-defined]
    shutil.rmtree(world / "first")
    assert answers(client) == expected


def test_replaced_model_mixed_two_vocabularies_in_an_answer(world: Path) -> None:
    """Parts that were not loaded yet are not taken from new files, even if the manifest is the old one."""
    model = load(world / "first")
    before = [near.word for near in model.parts.near_words("bank")]
    embeddings = Embeddings.load(world / "first")
    turned = embeddings.vectors[::-1].tobytes()
    path = world / "first" / "vectors.npy"
    other = load(world / "first")
    path.write_bytes(path.read_bytes()[: -len(turned)] + turned)
    assert [near.word for near in model.parts.near_words("bank")] == before
    with pytest.raises(ModelError, match=CHANGED):
        other.parts.near_words("bank")
