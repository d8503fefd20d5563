from __future__ import annotations

import io
import sys

import pytest

from wordatoms.progress import SILENT, Display, TrainingReport


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_steps_are_numbered() -> None:
    display = Display(["words", "pairs", "atoms"])
    assert display.title("pairs") == "[2/3] pairs"
    assert display.title("atoms", "run 2") == "[3/3] atoms, run 2"
    assert display.title("files") == "files", "what is no step has no number"
    assert SILENT.title("pairs") == "pairs"


@pytest.mark.parametrize("quiet", [True, False])
def test_bars_show_at_a_terminal_unless_quiet(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    display = Display(["words", "vectors"], quiet=quiet)
    with display.text_bar("words", n_bytes=100) as on_bytes:
        on_bytes(100, 20)
    with display.training_bar("vectors", detail="sn") as callback:
        callback(TrainingReport(3, 5, 0.25, 1.0))
    shown = terminal.getvalue()
    if quiet:
        assert shown == ""
    else:
        assert "[1/2] words: 100%" in shown
        assert "[2/2] vectors, sn" in shown
        assert "loss 0.25" in shown
        assert "3/5" in shown


def test_nothing_is_shown_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with Display(quiet=False).text_bar("words", n_bytes=10) as on_bytes:
        on_bytes(10, 2)
    assert file.getvalue() == ""
