from __future__ import annotations

import re
import sys
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click import Command
from click.testing import CliRunner

from wordatoms.cli.evaluate import centers, induced, pseudowords, walk
from wordatoms.errors import InputError, MissingExtraError
from wordatoms.plots import COLOURS, check_plot, draw_lines, format_tick

pytest.importorskip("matplotlib", reason="plots need the extra `plots`")

LINES = {"ours": ([1, 10, 100], [0.5, 0.2, 0.1]), "no A": ([1, 10, 100], [0.6, 0.55, 0.5])}
LABELS = {"title": "Error", "x_label": "tokens", "y_label": "relative error"}


def draw(path: Path, lines: Any = LINES, **options: Any) -> bytes:
    draw_lines(path, lines, **{**LABELS, **options})
    return path.read_bytes()


@pytest.mark.parametrize("name", ["a.svg", "a.png", "a.SVG"])
def test_the_same_values_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    options = {"log_x": True, "log_y": True, "references": {"paper": 0.3}, "points": True}
    first = draw(tmp_path / name, **options)
    assert draw(tmp_path / f"again-{name}", **options) == first
    assert draw(tmp_path / f"other-{name}") != first


def test_settings_of_the_user_do_not_matter_and_stay(tmp_path: Path) -> None:
    import matplotlib

    plain = draw(tmp_path / "a.svg")
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.hashsalt": None, "axes.facecolor": "red"}):
        assert draw(tmp_path / "b.svg") == plain
        assert matplotlib.rcParams["lines.linewidth"] == 9


def test_a_picture_of_the_format_that_the_name_asks_for(tmp_path: Path) -> None:
    assert draw(tmp_path / "a.png").startswith(b"\x89PNG")
    svg = draw(tmp_path / "a.svg", references={"paper": 0.3})
    assert ET.fromstring(svg).tag.endswith("svg")
    assert all(colour.lower().encode() in svg.lower() for colour in COLOURS[:2])
    assert COLOURS[2].lower().encode() not in svg.lower()
    assert b"<dc:date>" not in svg
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a.svg"]


def test_labels_are_words_and_not_formulas(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw(tmp_path / "a.svg", {"$x_{$": ([1], [2]), "_hidden": ([1], [3])}, title="cash $ and $ again", points=True)
    assert b"cash $ and $ again" in (tmp_path / "a.svg").read_bytes()


@pytest.mark.parametrize(
    ("value", "text"), [(0.05, "0.05"), (0, "0"), (999, "999"), (20_000, "20k"), (-5e6, "-5M"), (0.1 + 0.2, "0.3")]
)
def test_ticks_are_short(value: float, text: str) -> None:
    assert format_tick(value) == text


def test_more_lines_than_colours_look_different(tmp_path: Path) -> None:
    lines = {f"line {k}": (np.arange(3), np.arange(3) + k) for k in range(3 * len(COLOURS) + 1)}
    svg = draw(tmp_path / "a.svg", lines).decode()
    looks = re.findall(r'clip-path="[^"]*" style="fill: none;([^"]*)stroke-width: 2;? ?([^"]*)"', svg)
    assert len(looks) >= len(lines)
    assert len(set(looks)) == len(looks)
    assert all(f">{name}<" in svg or f"<!-- {name} -->" in svg for name in lines)


def test_a_long_legend_makes_the_plot_higher(tmp_path: Path) -> None:
    few, many = (
        draw(tmp_path / f"{n}.svg", {f"line {k}": ([1], [k]) for k in range(n)}, references={"paper": 1.0}).decode()
        for n in (5, 26)
    )
    heights = [float(re.search(r'height="([\d.]+)pt"', svg)[1]) for svg in (few, many)]  # type: ignore[index]
    assert heights == [4.6 * 72, 7 * 72]


@pytest.mark.parametrize(
    ("name", "lines", "options", "message"),
    [
        ("a.gif", LINES, {}, "neither .svg nor .png"),
        ("a", LINES, {}, "neither .svg nor .png"),
        ("a.svg", {}, {}, "no lines to draw"),
        ("a.svg", {"ours": ([1, 2], [1])}, {}, "'ours' has 2 xs and 1 ys"),
        ("a.svg", {"ours": ([], [])}, {}, "0 xs and 0 ys"),
        ("a.svg", {"ours": ([1], [float("nan")])}, {}, "a value of y is nan"),
        ("a.svg", {"ours": ([0], [1])}, {"log_x": True}, "a value of x is 0, which has no logarithm"),
        ("a.svg", LINES, {"log_y": True, "references": {"zero": 0.0}}, "a value of y is 0.0"),
    ],
)
def test_bad_input(tmp_path: Path, name: str, lines: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw(tmp_path / name, lines, **options)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_command_that_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'pip install "wordatoms\[plots\]"'):
        draw(tmp_path / "a.svg")
    with pytest.raises(MissingExtraError):
        check_plot(tmp_path / "a.svg")


def test_a_missing_folder_was_told_as_a_hidden_file(tmp_path: Path) -> None:
    for use in (check_plot, draw):
        with pytest.raises(InputError, match=r"a\.svg cannot be written, for there is no folder .*none; make it"):
            use(tmp_path / "none" / "a.svg")


def test_a_plot_that_can_be_drawn_is_let_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("a.svg", Path("a.PNG"), tmp_path / "a.svg"):
        check_plot(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [centers, induced, pseudowords, walk], ids=lambda command: command.name)
def test_a_plot_was_refused_only_after_the_work(command: Command, tmp_path: Path) -> None:
    model = [] if command is walk else ["--model", str(tmp_path / "no model")]
    result = CliRunner().invoke(command, [*model, "--plot", "x.pdf"])
    assert "x.pdf is neither .svg nor .png" in str(result.exception)
    assert not result.output
