"""The manifest decides what is done; a folder belongs to one process at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wordatoms.errors import ModelError
from wordatoms.storage.folder import ModelFolder


def make_stage(folder: ModelFolder, stage: str = "count", **settings: object) -> None:
    def make(forget: Callable[[], None]) -> list[str]:
        folder.path.mkdir(exist_ok=True)
        forget()
        (folder.path / f"{stage}.txt").write_text("content")
        return [f"{stage}.txt"]

    folder.build(stage, settings, make)


def test_stage_with_the_same_settings_is_done(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "m", create=True)
    assert not folder.is_done("count", {"window": 10})
    make_stage(folder, window=10)
    again = ModelFolder(tmp_path / "m")
    assert again.is_done("count", {"window": 10})
    assert not again.is_done("count", {"window": 10}, force=True)


def test_other_settings_are_refused_with_both_values(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder, window=10, min_count=5)
    with pytest.raises(ModelError, match=r"window 10, you ask for window 5; pass --force"):
        folder.is_done("count", {"window": 5, "min_count": 5})


def test_settings_too_long_to_show_were_named_twice(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder, text="a" * 100)
    with pytest.raises(ModelError, match=r"was made with other text than you ask for; pass --force"):
        folder.is_done("count", {"text": "b" * 100})


def test_stage_whose_file_is_gone_is_not_done(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder)
    (tmp_path / "count.txt").unlink()
    assert not folder.is_done("count", {})


def test_new_counts_take_the_embeddings_away(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder, "count")
    make_stage(folder, "embed")
    (tmp_path / "mine.txt").write_text("my own")
    make_stage(folder, "count", window=3)
    assert list(ModelFolder(tmp_path).stages) == ["count"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["count.txt", "manifest.json", "mine.txt"]


def test_files_of_a_stage_that_was_forgotten_go_even_after_a_kill(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder, "count")
    make_stage(folder, "embed")

    def die(forget: Callable[[], None]) -> list[str]:
        forget()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        folder.build("count", {}, die)
    assert (tmp_path / "embed.txt").exists()
    make_stage(ModelFolder(tmp_path), "count")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["count.txt", "manifest.json"]
    assert "outdated" not in ModelFolder(tmp_path).manifest


def test_progress_is_forgotten_with_the_stage_it_belongs_to(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "m", create=True)
    for name in ("parts/words-1/a.npy", "parts/windows-1/a.npy", "sn.npz", "lines/a.txt", "atoms/20-0.npz"):
        (folder.work / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.work / name).touch()
    left = ["atoms", "lines", "parts", "sn.npz"]
    for stage, others in {"count": left, "embed": ["atoms", "parts"], "map": ["atoms"], "atomize": []}.items():
        with folder.working():
            make_stage(folder, stage)
            assert sorted(path.name for path in folder.work.iterdir()) == sorted([*others, "lock"])
        assert folder.is_done(stage, {})
    assert not folder.work.exists()


def test_folders_that_were_made_for_nothing_go_again(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "deep" / "down" / "model", create=True)
    with pytest.raises(RuntimeError), folder.working():
        (folder.work / "text").mkdir()
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_a_model_that_was_begun_is_no_model_yet(tmp_path: Path) -> None:
    (tmp_path / ".work").mkdir()
    with pytest.raises(ModelError, match="no finished stage; run the same command again"):
        ModelFolder(tmp_path)


def test_failed_stage_is_in_the_manifest_only_while_its_old_files_are_there(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    make_stage(folder)

    def fail_early(_: Callable[[], None]) -> list[str]:
        raise RuntimeError

    def fail_late(forget: Callable[[], None]) -> list[str]:
        forget()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        folder.build("count", {}, fail_early)
    assert list(ModelFolder(tmp_path).stages) == ["count"]
    with pytest.raises(RuntimeError):
        folder.build("count", {}, fail_late)
    assert ModelFolder(tmp_path).stages == {}


def test_two_processes_in_one_folder(tmp_path: Path) -> None:
    first, second = ModelFolder(tmp_path, create=True), ModelFolder(tmp_path, create=True)
    with first.working(), pytest.raises(ModelError, match="another process"), second.working():
        pass
    with second.working():
        pass
    assert not (tmp_path / ".work").exists()


def test_leftovers_of_a_killed_process_are_cleared(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path, create=True)
    (folder.work / ".spill-old").mkdir(parents=True)
    with folder.working():
        assert not list(folder.work.glob(".spill*"))


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ModelError, match="contains other files"):
        ModelFolder(tmp_path, create=True)
    with pytest.raises(ModelError, match="not a model folder"):
        ModelFolder(tmp_path)
    with pytest.raises(ModelError, match="is a file"):
        ModelFolder(tmp_path / "thesis.tex", create=True)


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"format": 1}', '{"format": 1, "stages": {"count": {}}}', '{"format": 99, "stages": {}}'],
)
def test_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ModelError, match=r"manifest\.json"):
        ModelFolder(tmp_path)


def test_shared_stage_is_the_same_files(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "a", create=True)
    make_stage(folder, window=10)
    other = folder.share("count", tmp_path / "b")
    assert other.is_done("count", {"window": 10})
    assert (tmp_path / "b" / "count.txt").read_text() == "content"
    assert json.loads((tmp_path / "b" / "manifest.json").read_text())["stages"] == folder.stages
    make_stage(folder, window=3)
    with pytest.raises(ModelError, match="another model"):
        folder.share("count", tmp_path / "b")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no names of open files here")
def test_power_cut_could_lose_the_new_folder_of_a_finished_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    sync = os.fsync

    def note(number: int) -> None:
        synced.append(Path(f"/proc/self/fd/{number}").readlink())
        sync(number)

    monkeypatch.setattr(os, "fsync", note)
    folder = ModelFolder(tmp_path / "new" / "model", create=True)
    with folder.working():
        make_stage(folder)
    assert {tmp_path, tmp_path / "new", folder.path} <= set(synced)
    assert synced[-1] == folder.path, "last of all, that the manifest is there"
