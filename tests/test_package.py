"""The shape of the package: what it exports, and who imports whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import wordatoms

SOURCE = Path(wordatoms.__file__).parent
SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
MOST_LOOSE_MODULES = 8


def test_imports_keep_to_the_layers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)  # it would silence every logger of this process
    broken = lint_imports(str(SETTINGS), no_cache=True)
    assert not broken, capsys.readouterr().out


def test_few_modules_stand_outside_the_rooms() -> None:
    loose = [path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")]
    assert len(loose) <= MOST_LOOSE_MODULES, loose


def test_exports_exist() -> None:
    for name in wordatoms.__all__:
        assert getattr(wordatoms, name) is not None
    assert set(dir(wordatoms)) == set(wordatoms.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = wordatoms.nonsense


def test_package_is_typed() -> None:
    assert (SOURCE / "py.typed").exists()
