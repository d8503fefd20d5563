"""Charts as SVG: lines, horizontal bars, intervals and scatter plots, without a plotting library.

Colours, dashes and fonts come from classes in the style sheet `charts.css`, so that charts work in light and dark mode
and in print; `s0`, `s1`, … are the series. Each chart has a title and a description in words. Time is a number with
names for some of its ticks. There are no second axes or stacked bars.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from wordatoms.errors import InputError
from wordatoms.storage.files import write_atomic

STYLE = Path(__file__).with_name("charts.css")

N_SERIES = 14
"""Number of series styles in the style sheet; further series reuse them."""
WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 14, 44
CHARACTER = 6.4
"""Approximate width of a character of a label."""
WIDE_CHARACTER = 7.1
"""The same in a wide font, for labels that must not be cut off."""
LINE_HEIGHT = 15
"""Of a name in a picture."""
BAR_HEIGHT = 20
MARGIN = 44
"""Margin of scatter plots, with room for labels."""
N_NAMED_TICKS = 6
INTERVAL_WIDTH = 640
TITLE_HEIGHT, LEGEND_LINE = 30, 18
"""Used by charts in their own files."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escape(text: str) -> str:
    """Return a text for XML, without the characters that XML does not have."""
    return html.escape(_FORBIDDEN.sub("\ufffd", text))


class Line(NamedTuple):
    xs: Sequence[float]
    ys: Sequence[float]
    role: str = ""
    """`ours`, `paper` and `baseline` have the same style in all charts; other lines take the next series."""
    lows: Sequence[float | None] = ()
    highs: Sequence[float | None] = ()
    """Bounds of an interval around each point, drawn as a band; None where there is none."""


class Bar(NamedTuple):
    label: str
    value: float
    role: str = ""


class Point(NamedTuple):
    x: float
    y: float
    series: int
    name: str = ""
    """Shown as a tooltip."""


@dataclass(frozen=True)
class LineChart:
    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Line]
    references: Mapping[str, float] = field(default_factory=dict)
    """Horizontal reference lines."""
    log_x: bool = False
    log_y: bool = False
    x_names: Mapping[float, str] = field(default_factory=dict)
    """Names for numbers of the x-axis, such as dates; as many as have room take the place of ticks."""
    from_zero: bool = False
    """Whether the y-axis begins at 0."""
    as_percent: bool = False

    SIZE = (WIDTH, HEIGHT)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The class and the name of each line."""
        styles = line_styles(self.lines)
        return [*((styles[name], name) for name in self.lines), *(("reference", name) for name in self.references)]

    def svg(self) -> str:
        x_axis = Axis.over([x for line in self.lines.values() for x in line.xs], LEFT, WIDTH - RIGHT, log=self.log_x)
        if self.x_names:
            low, high = min(self.x_names), max(self.x_names)
            x_axis = Axis(low, high, LEFT + 10, WIDTH - RIGHT - 10, _some(sorted(self.x_names), N_NAMED_TICKS))
        heights = [y for line in self.lines.values() for y in line.ys] + [*self.references.values()]
        heights += [y for line in self.lines.values() for y in (*line.lows, *line.highs) if y is not None]
        y_axis = Axis.over([*heights, *([0.0] if self.from_zero else [])], HEIGHT - BOTTOM, TOP, log=self.log_y)
        styles = line_styles(self.lines)
        parts = [_grid(x_axis, y_axis, self.x_label, self.y_label, self.x_names, as_percent=self.as_percent)]
        for name, height in self.references.items():
            y = y_axis.place(height)
            parts.append(
                f'<line class="reference" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}">{_hint(name)}</line>'
            )
        parts += [_band(line, styles[name], x_axis, y_axis) for name, line in self.lines.items() if line.lows]
        parts += [_drawn_line(name, line, styles[name], x_axis, y_axis) for name, line in self.lines.items()]
        said = "; ".join(f"{name}: {_said(line, self.x_names)}" for name, line in self.lines.items())
        return _wrapped(WIDTH, HEIGHT, self.title, f"{self.y_label} against {self.x_label}. {said}", parts)


@dataclass(frozen=True)
class BarChart:
    title: str
    x_label: str
    bars: Sequence[Bar]
    digits: int = 2

    @property
    def legend(self) -> list[tuple[str, str]]:
        names = {"ours": "our method", "by-paper": "the paper's method, run here", "paper": "the paper"}
        names |= {"competitor": "competitors, run here", "baseline": "baselines", "": "others"}
        return [(f"bar {role}", name) for role, name in names.items() if any(bar.role == role for bar in self.bars)]

    def svg(self) -> str:
        left = min(CHARACTER * max((len(bar.label) for bar in self.bars), default=1) + 12, WIDTH * 0.5)
        most = max([*(bar.value for bar in self.bars), 1e-9])
        height = BAR_HEIGHT * len(self.bars) + 8
        parts = [self._bar(bar, number, left, (WIDTH - left - 48) / most) for number, bar in enumerate(self.bars)]
        said = "; ".join(f"{bar.label}: {bar.value:.{self.digits}f}" for bar in self.bars)
        return _wrapped(WIDTH, height, self.title, f"{self.x_label}. {said}", parts)

    def _bar(self, bar: Bar, number: int, left: float, scale: float) -> str:
        y, width = BAR_HEIGHT * number + 4, max(bar.value, 0) * scale
        middle = y + BAR_HEIGHT / 2
        label = _shortened(bar.label, int((left - 12) / CHARACTER))
        return (
            f'<text class="label end" x="{left - 6:.1f}" y="{middle:.1f}">{escape(label)}</text>'
            f'<rect class="bar {bar.role}" x="{left:.1f}" y="{y + 3}" width="{width:.1f}" height="{BAR_HEIGHT - 6}">'
            f"{_hint(bar.label)}</rect>"
            f'<text class="label" x="{left + width + 5:.1f}" y="{middle:.1f}">{bar.value:.{self.digits}f}</text>'
        )


class Interval(NamedTuple):
    """A value with the bounds of its interval, if there is one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class IntervalChart:
    """Values with intervals in rows, as dots and whiskers; several series side by side in each row."""

    title: str
    x_label: str
    rows: Mapping[str, Sequence[Interval | None]]
    """One item for each series."""
    series: Sequence[str]
    as_percent: bool = True
    diverging: bool = False
    """Whether values below 0 are on the other side of a line at 0."""

    @property
    def legend(self) -> list[tuple[str, str]]:
        if len(self.series) < 2:
            return []
        return [(f"interval s{number % N_SERIES}", name) for number, name in enumerate(self.series)]

    @property
    def row_height(self) -> float:
        return 10 + 11 * len(self.series)

    @property
    def SIZE(self) -> tuple[float, float]:  # noqa: N802 - as the constants of the other charts
        return INTERVAL_WIDTH, self.row_height * len(self.rows) + BOTTOM

    def svg(self) -> str:
        width, height = self.SIZE
        left = min(WIDE_CHARACTER * max((len(label) for label in self.rows), default=1) + 14, width * 0.45)
        numbers = [
            number for row in self.rows.values() for each in row if each for number in each if number is not None
        ]
        axis = Axis.over([0.0, *numbers], left + 4, width - 16)
        bottom = height - BOTTOM + 4
        parts = []
        for tick in axis.ticks:
            x = axis.place(tick)
            style = "zero" if self.diverging and abs(tick) < 1e-12 else "grid"
            parts.append(f'<line class="{style}" x1="{x}" x2="{x}" y1="0" y2="{bottom:g}"/>')
            parts.append(f'<text class="tick middle" x="{x}" y="{bottom + 13:g}">{_tick(tick, self.as_percent)}</text>')
        parts.append(
            f'<text class="label middle" x="{(left + width) / 2:.1f}" y="{height - 8:g}">{escape(self.x_label)}</text>'
        )
        parts += [self._row(label, number, left, axis) for number, label in enumerate(self.rows)]
        said = "; ".join(f"{label}: {self._said(row)}" for label, row in self.rows.items())
        return _wrapped(width, height, self.title, f"{self.x_label}. {said}", parts)

    def _row(self, label: str, number: int, left: float, axis: Axis) -> str:
        top = number * self.row_height
        shown = _shortened(label, int((left - 14) / WIDE_CHARACTER))
        middle = top + self.row_height / 2
        parts = [f'<text class="label end" x="{left - 6:.1f}" y="{middle:.1f}">{escape(shown)}{_hint(label)}</text>']
        for place, each in enumerate(self.rows[label]):
            if each is None:
                continue
            y, style = top + 10.5 + 11 * place, f"s{place % N_SERIES}" if len(self.series) > 1 else "ours"
            whisker = ""
            if each.low is not None and each.high is not None:
                ends = f'x1="{axis.place(each.low)}" x2="{axis.place(each.high)}" y1="{y:g}" y2="{y:g}"'
                whisker = f'<line class="whisker {style}" {ends}/>'
            hint = _hint(f"{label}, {self.series[place]}: {self._said([each])}")
            dot = f'<circle class="dot {style}" cx="{axis.place(each.value)}" cy="{y:g}" r="3.6"/>'
            parts.append(f"<g>{hint}{whisker}{dot}</g>")
        return "".join(parts)

    def _said(self, row: Sequence[Interval | None]) -> str:
        said = []
        for each in row:
            if each is None:
                said.append("none")
                continue
            bounds = ""
            if each.low is not None and each.high is not None:
                bounds = f" ({_exact(each.low, self.as_percent)} to {_exact(each.high, self.as_percent)})"
            said.append(_exact(each.value, self.as_percent) + bounds)
        return ", ".join(said)


@dataclass(frozen=True)
class ScatterChart:
    title: str
    description: str
    points: Sequence[Point]
    labels: Sequence[tuple[float, float, str]] = ()
    """Centre and text."""
    is_wide: bool = True

    legend: Sequence[tuple[str, str]] = ()
    SIZE = (760, 560)

    def svg(self) -> str:
        width, height = self.SIZE
        xs, ys = [point.x for point in self.points], [point.y for point in self.points]
        x_axis = Axis(min(xs), max(xs), MARGIN, width - MARGIN, ())
        y_axis = Axis(min(ys), max(ys), height - MARGIN / 2, MARGIN / 2, ())
        parts = [
            f'<circle class="dot s{point.series % 8}" r="2.6" '
            f'cx="{x_axis.place(point.x)}" cy="{y_axis.place(point.y)}">{_hint(point.name)}</circle>'
            for point in self.points
        ]
        parts += [
            f'<text class="label middle halo" x="{x_axis.place(x)}" y="{y_axis.place(y)}">{escape(text)}</text>'
            for x, y, text in self.labels
        ]
        return _wrapped(width, height, self.title, self.description, parts)


class SizedPoint(NamedTuple):
    x: float
    y: float
    size: float
    """From 0; the area of the circle is proportional to it."""
    name: str


@dataclass(frozen=True)
class BubbleChart:
    """Points in the plane with circles of different area, and names for some places."""

    title: str
    description: str
    points: Sequence[SizedPoint]
    labels: Sequence[tuple[float, float, str]] = ()
    """Centre and text."""
    legend: Sequence[tuple[str, str]] = ()
    SIZE = (760, 560)

    def svg(self) -> str:
        width, height = self.SIZE
        x_axis = Axis(min(p.x for p in self.points), max(p.x for p in self.points), MARGIN, width - MARGIN, ())
        y_axis = Axis(min(p.y for p in self.points), max(p.y for p in self.points), height - MARGIN, MARGIN, ())
        most = max(point.size for point in self.points) or 1.0
        parts = [
            f'<circle class="bubble{"" if point.size else " none"}" r="{1.4 + 12 * math.sqrt(point.size / most):.1f}" '
            f'cx="{x_axis.place(point.x)}" cy="{y_axis.place(point.y)}">'
            f"{_hint(f'{point.name}: {_exact(point.size, True)}')}</circle>"
            for point in sorted(self.points, key=lambda point: point.size)
        ]
        taken: list[tuple[float, float, float]] = []
        for x, y, text in self.labels:
            room = CHARACTER * len(text) / 2 + 4
            inside = min(max(x_axis.place(x), room), width - room)
            line = _free_line(taken, inside, y_axis.place(y), room, height)
            taken.append((inside, line, room))
            parts.append(f'<text class="label middle halo" x="{inside:.1f}" y="{line:.1f}">{escape(text)}</text>')
        return _wrapped(width, height, self.title, self.description, parts)


def _free_line(taken: Sequence[tuple[float, float, float]], x: float, y: float, room: float, height: float) -> float:
    """Return the height nearest to y at which a text as wide as twice its room overlaps none that is there."""
    near = [other for centre, other, half in taken if abs(centre - x) < room + half]
    steps = [0.0, *(sign * step for step in range(2, int(height), 2) for sign in (-1, 1))]
    lines = (y + step for step in steps if LINE_HEIGHT <= y + step <= height - 4 or not step)
    return next((line for line in lines if all(abs(line - other) >= LINE_HEIGHT for other in near)), y)


Chart = LineChart | BarChart | IntervalChart | ScatterChart | BubbleChart


@dataclass(frozen=True)
class Axis:
    """Maps values to coordinates."""

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]
    log: bool = False

    @classmethod
    def over(cls, values: Sequence[float], start: float, stop: float, *, log: bool = False) -> Axis:
        known = [value for value in values if math.isfinite(value) and (value > 0 or not log)] or [1.0]
        low, high = min(known), max(known)
        if log:
            low, high = 10 ** math.floor(math.log10(low) + 0.15), 10 ** math.ceil(math.log10(high) - 0.15)
            low, high = min(low, min(known)), max(high, max(known), low * 10)
            exponents = range(math.ceil(math.log10(low)), math.floor(math.log10(high) + 1e-9) + 1)
            return cls(low, high, start, stop, tuple(10.0**exponent for exponent in exponents), True)
        step = nice_step((high - low) or abs(high) or 1.0)
        low, high = math.floor(low / step) * step, math.ceil(high / step + 1e-9) * step
        n_ticks = round((high - low) / step) + 1
        return cls(low, high, start, stop, tuple(low + step * number for number in range(n_ticks)))

    def place(self, value: float) -> float:
        low, high, value = (math.log10(each) if self.log else each for each in (self.low, self.high, value))
        return round(self.start + (self.stop - self.start) * (value - low) / ((high - low) or 1.0), 1)


def legend_key(style: str) -> str:
    """The symbol of a series in the legend, 22 by 10."""
    if style.startswith("interval"):
        series = style.split()[1]
        ends = 'x1="1" x2="21" y1="5" y2="5"'
        return f'<line class="whisker {series}" {ends}/><circle class="dot {series}" cx="11" cy="5" r="3.6"/>'
    if style.startswith("bar"):
        return f'<rect class="{style}" x="3" y="0" width="16" height="10"/>'
    if style == "reference":
        return '<line class="reference" x1="0" x2="22" y1="5" y2="5"/>'
    return f'<polyline class="line {style}" points="0,5 22,5"/><circle class="dot {style}" cx="11" cy="5" r="3"/>'


def write_charts(path: Path, charts: Sequence[LineChart]) -> None:
    """Write charts as SVG files: one as `NAME.svg`, several as `NAME-a.svg`, `NAME-b.svg`, …"""
    check_plot(path)
    names = [path] if len(charts) == 1 else [path.with_stem(f"{path.stem}-{letter}") for letter in "abcdef"]
    for name, chart in zip(names, charts, strict=False):
        with write_atomic(name) as file:
            file.write(standalone_svg(chart).encode())


def check_plot(path: Path) -> None:
    """Raise if a plot cannot be written to this path."""
    if path.suffix.lower() != ".svg":
        raise InputError(f"{path} is not an .svg file; plots are written as SVG, so pass a name that ends in .svg.")
    if not path.parent.is_dir():
        raise InputError(
            f"{path} cannot be written: there is no folder {path.parent}; create it, or pass another path."
        )


def standalone_svg(chart: LineChart | IntervalChart | BubbleChart) -> str:
    """A chart with title and legend on a white background, as a complete SVG file.

    The colours of the style sheet are inserted, because many viewers do not support custom properties.
    """
    sheet = STYLE.read_text("utf-8")
    light, rules = sheet.split("@media", 1)[0], sheet.split("\n}\n")[-1]
    colours = dict(re.findall(r"(--[\w-]+): (#\w+)", light))
    rules = re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], rules)
    width, chart_height = chart.SIZE
    height = TITLE_HEIGHT + chart_height + LEGEND_LINE * len(chart.legend) + 8
    parts = [
        f'<text x="{width / 2}" y="{TITLE_HEIGHT / 2}" class="middle" style="font-weight: 600">{escape(chart.title)}'
        "</text>",
        chart.svg().replace("<svg ", f'<svg y="{TITLE_HEIGHT}" width="{width:g}" height="{chart_height:g}" ', 1),
    ]
    for number, (style, name) in enumerate(chart.legend):
        y = TITLE_HEIGHT + chart_height + LEGEND_LINE * number + 6
        parts.append(
            f'<g transform="translate({LEFT} {y:g})">{legend_key(style)}<text x="30" y="5">{escape(name)}</text></g>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}">\n<style>\n{rules}</style>\n<rect width="{width:g}" height="{height:g}" '
        'fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def nice_step(span: float) -> float:
    """The step, 1, 2 or 5 times a power of ten, that divides a span into four to nine parts."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(power * factor for factor in (5, 2, 1) if power * factor <= span / 4 * (1 + 1e-9))


def line_styles(lines: Mapping[str, Line]) -> dict[str, str]:
    """The class of each line: its role or the next series; a second line with the same role is dashed."""
    styles: dict[str, str] = {}
    n_series = 0
    for name, line in lines.items():
        if line.role:
            again = sum(style.split()[0] == line.role for style in styles.values())
            styles[name] = f"{line.role} again{again}" if again else line.role
        else:
            styles[name] = f"s{n_series % N_SERIES}"
            n_series += 1
    return styles


def _drawn_line(name: str, line: Line, style: str, x_axis: Axis, y_axis: Axis) -> str:
    pairs = zip(line.xs, line.ys, strict=True)
    places = [
        (x_axis.place(x), y_axis.place(y)) for x, y in pairs if (x > 0 or not x_axis.log) and (y > 0 or not y_axis.log)
    ]
    points = " ".join(f"{x},{y}" for x, y in places)
    radius = 5 if len(places) == 1 else 2.8
    dots = "".join(f'<circle class="dot {style}" cx="{x}" cy="{y}" r="{radius}"/>' for x, y in places)
    return f'<g>{_hint(name)}<polyline class="line {style}" points="{points}"/>{dots}</g>'


def _band(line: Line, style: str, x_axis: Axis, y_axis: Axis) -> str:
    """The intervals around a line; interrupted where there are none."""
    parts, run = [], []
    for x, low, high in [*zip(line.xs, line.lows, line.highs, strict=True), (0, None, None)]:
        if low is not None and high is not None:
            run.append((x_axis.place(x), y_axis.place(low), y_axis.place(high)))
            continue
        if len(run) > 1:
            corners = [(x, high) for x, _, high in run] + [(x, low) for x, low, _ in reversed(run)]
            parts.append(f'<polygon class="band {style}" points="{" ".join(f"{x},{y}" for x, y in corners)}"/>')
        parts += [
            f'<line class="whisker {style}" x1="{x}" x2="{x}" y1="{low}" y2="{high}"/>'
            for x, low, high in (run if len(run) == 1 else [])
        ]
        run = []
    return "".join(parts)


def _some(ticks: Sequence[float], most: int) -> tuple[float, ...]:
    """Ticks at even distances, the first one among them."""
    return tuple(ticks[:: max(1, math.ceil(len(ticks) / most))])


def _grid(
    x_axis: Axis,
    y_axis: Axis,
    x_label: str,
    y_label: str,
    x_names: Mapping[float, str],
    *,
    as_percent: bool,
) -> str:
    bottom, parts = HEIGHT - BOTTOM, []
    for tick in y_axis.ticks:
        y = y_axis.place(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick end" x="{LEFT - 6}" y="{y}">{_tick(tick, as_percent)}</text>')
    for tick in x_axis.ticks:
        x, name = x_axis.place(tick), escape(x_names[tick]) if tick in x_names else _tick(tick)
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<text class="tick middle" x="{x}" y="{bottom + 14}">{name}</text>')
    middle = (TOP + bottom) / 2
    parts.append(
        f'<text class="label middle" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}">{escape(x_label)}</text>'
    )
    turned = f"translate(13 {middle}) rotate(-90)"
    parts.append(f'<text class="label middle" transform="{turned}" x="0" y="0">{escape(y_label)}</text>')
    return "".join(parts)


def _exact(value: float, as_percent: bool) -> str:
    """A value with three digits."""
    return (f"{100 * value:.3g}%" if as_percent else f"{value:.3g}").replace("-", "−")


def _tick(value: float, as_percent: bool = False) -> str:
    if as_percent:
        return f"{round(100 * value, 6):g}%".replace("-", "−")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):g}{letter}"
    return f"{round(value, 6):g}".replace("-", "−")


def _said(line: Line, names: Mapping[float, str]) -> str:
    return ", ".join(f"{names.get(x, f'{x:g}')}: {y:.3g}" for x, y in zip(line.xs, line.ys, strict=True))


def _hint(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def _shortened(text: str, n: int) -> str:
    return text if len(text) <= n else f"{text[: max(n - 1, 1)]}…"


def _wrapped(width: float, height: float, title: str, description: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" preserveAspectRatio="xMidYMid meet">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(parts)}</svg>"
    )
