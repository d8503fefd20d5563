"""What is wrong with numba's cache on disk costs a compilation, not the program."""

from __future__ import annotations

import errno
import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from numba.core.caching import IndexDataCacheFile

SOURCE = """
from wordatoms.kernels import jit

@jit
def double(value):
    return 2 * value
"""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], ModuleType]:
    """Load a module with a kernel as a new process would, with the cache in its folder."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", "")
    (tmp_path / "kernel.py").write_text(SOURCE)

    def load() -> ModuleType:
        spec = importlib.util.spec_from_file_location("kernel", tmp_path / "kernel.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert module.double(21) == 42
        return module

    return load


def n_hits(module: ModuleType) -> int:
    return sum(module.double.stats.cache_hits.values())


def files(folder: Path, ending: str) -> list[Path]:
    return sorted((folder / "__pycache__").glob(f"*.{ending}"))


def test_compiled_code_is_found_again(load: Callable[[], ModuleType]) -> None:
    assert n_hits(load()) == 0
    assert n_hits(load()) == 1


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", ["empty", "half", "noise", "flipped"])
def test_damaged_cache_was_called_an_interruption(
    load: Callable[[], ModuleType], tmp_path: Path, ending: str, damage: str
) -> None:
    load()
    for path in files(tmp_path, ending):
        content = path.read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        path.write_bytes({"empty": b"", "half": content[:middle], "noise": b"\x93" * 99, "flipped": flipped}[damage])
    assert n_hits(load()) == 0  # compiled again
    assert n_hits(load()) == 1  # and repaired


def test_full_disk_of_the_cache_was_blamed_on_the_model(
    load: Callable[[], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", full)
    assert n_hits(load()) == 0
    assert n_hits(load()) == 0


def test_folder_in_place_of_the_cache(load: Callable[[], ModuleType], tmp_path: Path) -> None:
    load()
    for path in files(tmp_path, "nbi") + files(tmp_path, "nbc"):
        path.unlink()
        path.mkdir()
    assert n_hits(load()) == 0
