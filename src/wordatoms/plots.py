"""Plots: lines over an axis, the one kind of figure that the evaluations draw.

The format follows the name of the file, `.svg` or `.png`. The same values give the same bytes with one version of
matplotlib: no dates, no random ids, no settings of the user. Needs the extra `plots`; matplotlib's own windows and
global figures are left out, so it works without a screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, cycle, product
from math import isfinite
from pathlib import Path
from typing import Any

from wordatoms.errors import InputError, require_extra
from wordatoms.storage.files import write_atomic

Line = tuple[Sequence[float], Sequence[float]]

# Okabe and Ito's colours, told apart by all common kinds of colour vision; their yellow is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
REFERENCE_COLOUR = "#666666"
REFERENCE_DASHES: tuple[tuple[int, tuple[int, ...]], ...] = ((0, (6, 3)), (0, (2, 2)), (0, (6, 2, 1, 2)), (0, (1, 3)))
LINE_STYLES = ("-", "--", ":", "-.")
"""The next one begins where all colours have been used."""
WIDTH, LEAST_HEIGHT = 8.5, 4.6
"""In inches; a long legend makes a plot higher."""
LEGEND_LINE = 0.25

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 13,
    "axes.labelsize": 12,
    "font.size": 11,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "lines.markersize": 6,
    "svg.hashsalt": "wordatoms",  # ids by content, not by chance
    "text.parse_math": False,  # a label is a word, and a word may hold a dollar sign
}
SHORT_AXIS = 300
"""A logarithmic axis from end to end, below which 2 and 5 are marked between the powers of ten."""
NO_METADATA: dict[str, dict[str, None]] = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}


def draw_lines(
    path: str | Path,
    lines: Mapping[str, Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    references: Mapping[str, float] | None = None,
    points: bool = False,
) -> None:
    """Draw named lines (xs, ys) into a file; `references` are level dashed lines, `points` marks each value."""
    path, references = Path(path), references or {}
    check_plot(path)
    _check(lines, references, log_x=log_x, log_y=log_y)
    from matplotlib import style
    from matplotlib.figure import Figure

    height = max(LEAST_HEIGHT, LEGEND_LINE * (len(lines) + len(references) + 1))
    with style.context(["default", STYLE]):
        figure = Figure(figsize=(WIDTH, height), dpi=150, layout="constrained")
        axes = figure.add_subplot(title=title, xlabel=x_label, ylabel=y_label)
        handles = _draw(axes, lines, references, points=points)
        axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
        _label_ticks(axes.xaxis, log=log_x)
        _label_ticks(axes.yaxis, log=log_y)
        figure.legend(handles, [*lines, *references], loc="outside right upper")
        with write_atomic(path) as file:
            figure.savefig(file, format=path.suffix[1:].lower(), metadata=NO_METADATA[path.suffix.lower()])


def check_plot(path: str | Path) -> None:
    """Refuse what no plot can be written to, before the work that it is to show."""
    path = Path(path)
    if path.suffix.lower() not in NO_METADATA:
        raise InputError(f"{path} is neither .svg nor .png; give the plot a name that ends in one of them.")
    if not path.parent.is_dir():
        raise InputError(f"{path} cannot be written, for there is no folder {path.parent}; make it, or pass another.")
    require_extra("matplotlib", "plots")


def _draw(axes: Any, lines: Mapping[str, Line], references: Mapping[str, float], *, points: bool) -> list[Any]:
    """Put everything on the axes; what the legend shows, in its order."""
    looks = cycle(product(LINE_STYLES, zip(COLOURS, MARKERS, strict=True)))
    curves = [
        axes.plot(xs, ys, linestyle=style, color=colour, marker=marker if points else None)[0]
        for (xs, ys), (style, (colour, marker)) in zip(lines.values(), looks, strict=False)
    ]
    levels = [
        axes.axhline(level, color=REFERENCE_COLOUR, linestyle=dashes, linewidth=1.5)
        for level, dashes in zip(references.values(), cycle(REFERENCE_DASHES), strict=False)
    ]
    return [*curves, *levels]


def _label_ticks(axis: Any, *, log: bool) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    if log:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < SHORT_AXIS * low else (1,)))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _: format_tick(value))


def format_tick(value: float) -> str:
    """A number as short as it can be read: 0.05, 20k, 5M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _check(lines: Mapping[str, Line], references: Mapping[str, float], *, log_x: bool, log_y: bool) -> None:
    if not lines:
        raise InputError("there are no lines to draw; pass at least one.")
    for name, (xs, ys) in lines.items():
        if len(xs) != len(ys) or not len(xs):
            raise InputError(
                f"the line '{name}' has {len(xs)} xs and {len(ys)} ys; pass as many of each, at least one."
            )
    _check_values("x", chain.from_iterable(xs for xs, _ in lines.values()), log=log_x)
    _check_values("y", chain(references.values(), *(ys for _, ys in lines.values())), log=log_y)


def _check_values(axis: str, values: chain[float], *, log: bool) -> None:
    for value in values:
        if not isfinite(value):
            raise InputError(f"a value of {axis} is {value}; leave undefined values out.")
        if log and value <= 0:
            raise InputError(f"a value of {axis} is {value}, which has no logarithm; pass log_{axis}=False.")
