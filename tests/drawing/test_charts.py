"""Charts and tables of the report: places, looks, and texts that are not trusted."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.cli.evaluate import evaluate
from wordatoms.drawing.charts import (
    Axis,
    Bar,
    BarChart,
    Interval,
    IntervalChart,
    Line,
    LineChart,
    Point,
    ScatterChart,
    check_plot,
    line_styles,
    nice_step,
    standalone_svg,
    write_charts,
)
from wordatoms.errors import InputError
from wordatoms.paper.exhibits.blocks import Figure, compare_table, format_cell
from wordatoms.paper.tasks.atoms.atom_map import N_LABELS, spread_labels

finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(finite, min_size=1, max_size=20))
def test_an_axis_holds_its_values(values: list[float]) -> None:
    axis = Axis.over(values, 0, 100)
    assert all(-0.1 <= axis.place(value) <= 100.1 for value in values)
    assert 2 <= len(axis.ticks) <= 12


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=20))
def test_a_logarithmic_axis_holds_its_values(values: list[float]) -> None:
    axis = Axis.over(values, 0, 100, log=True)
    assert all(-0.1 <= axis.place(value) <= 100.1 for value in values)
    assert axis.ticks


@pytest.mark.parametrize(("span", "step"), [(1, 0.2), (0.8, 0.2), (9, 2), (100, 20), (4.5, 1)])
def test_steps_are_round(span: float, step: float) -> None:
    assert nice_step(span) == pytest.approx(step)


def test_charts_are_xml_and_say_what_they_show() -> None:
    hostile = '<b>&"'
    charts = [
        LineChart(hostile, hostile, "y", {hostile: Line([1, 2], [3, 4]), "one": Line([1], [2], "paper")}, {hostile: 3}),
        LineChart("log", "x", "y", {"a": Line([0, 10, 1000], [0.1, 0, 1])}, log_x=True, log_y=True),
        BarChart(hostile, "x", [Bar(hostile * 20, 0.5, "ours"), Bar("zero", 0.0), Bar("less", -1.0)]),
        BarChart("none", "x", []),
        ScatterChart(hostile, "about", [Point(0, 0, 1, hostile), Point(1, 1, 300)], [(0.5, 0.5, hostile)]),
    ]
    for chart in charts:
        root = ElementTree.fromstring(chart.svg())
        assert root.find("title") is not None
        assert root.find("desc") is not None
        assert root.attrib["role"] == "img"


def test_roles_look_alike_everywhere() -> None:
    lines = {"a": Line([1], [1], "ours"), "b": Line([1], [1]), "c": Line([1], [1], "baseline"), "d": Line([1], [1])}
    lines["e"] = Line([1], [1], "baseline")
    assert line_styles(lines) == {"a": "ours", "b": "s0", "c": "baseline", "d": "s1", "e": "baseline again1"}


def verdicts(paper: float | str | None, here: float | None, **more: Any) -> set[str]:
    """The verdict on a number, which is the same whether the paper's method or ours reached it."""
    found = {
        Figure("x", paper, by_paper=here, **more).verdict_by_paper,
        Figure("x", paper, ours=here, **more).verdict_ours,
    }
    assert Figure("x", paper, ours=here, **more).verdict_by_paper == "not measured", "ours does not stand in"
    assert Figure("x", paper, by_paper=here, **more).verdict_ours == "not measured"
    return found


def test_verdicts() -> None:
    assert verdicts(0.5, 0.52) == {"reproduced"}
    assert verdicts(0.5, 0.53) == {"better than the paper"}
    assert verdicts(0.5, 0.47) == {"below the paper"}
    assert verdicts(0.5, 0.53, less_is_better=True) == {"below the paper"}
    assert verdicts(0.5, None) == {"not measured"}
    assert verdicts("most", 0.9) == verdicts(None, 0.9) == {"no figure in the paper"}


def test_an_effect_that_is_not_seen_was_called_better_than_the_paper() -> None:
    assert verdicts(25.0, 6.8, within=2.0, is_effect=True) == {"failed replication"}
    assert verdicts(25.0, 24.0, within=2.0, is_effect=True) == {"reproduced"}
    assert verdicts(25.0, 30.0, within=2.0, is_effect=True) == {"below the paper"}


def test_both_methods_have_a_difference_and_a_verdict() -> None:
    figure = Figure("x", 0.657, by_paper=0.467, ours=0.672, digits=3)
    assert (figure.verdict_by_paper, figure.verdict_ours) == ("below the paper", "reproduced")
    shown = figure.cells()
    assert (shown["difference"], shown["our difference"]) == ("−0.190", "+0.015")
    written = figure.to_json()
    assert (written["by_paper"], written["ours"], written["counted"]) == (0.467, 0.672, True)
    assert Figure("x", "most", by_paper=0.9, says="reproduced").verdict_by_paper == "reproduced"
    assert Figure("x", "most", says="reproduced").verdict_by_paper == "not measured"


def test_cells() -> None:
    assert format_cell(None) == format_cell("") == "–"
    assert format_cell(-0.125, 2) == "−0.12"
    assert format_cell(0.001, 2, signed=True) == "0.00", "nothing has no sign"
    assert format_cell(0.25, 2, signed=True) == "+0.25"
    assert format_cell(12345) == "12,345"
    assert format_cell(1.5, 0) == "2"


def test_a_table_has_the_columns_that_say_something() -> None:
    def names(*figures: Figure) -> list[str]:
        return [column.name for column in compare_table(figures).columns]

    by_paper = Figure("a", 1, by_paper=2, baseline=0.5, baseline_is="chance")
    both = Figure("b", 1, by_paper=2, ours=3)
    assert names(by_paper) == ["", "paper", "paper's method", "difference", "verdict", "baseline: chance"]
    ours = ["our method", "our difference", "our verdict"]
    assert names(by_paper, both) == [*names(by_paper)[:5], *ours, "baseline: chance"]
    assert names(Figure("c", None, ours=3)) == ["", "our method", "our verdict"]
    several = compare_table([by_paper, Figure("d", 1, by_paper=2, baseline=0.1, baseline_is="spelling")])
    assert several.rows[1].cells[-1] == "spelling"
    assert names(Figure("e", 1, note="as it is"))[-1] == "note"


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.text("abc", min_size=1, max_size=9)), max_size=80))
def test_labels_do_not_overlap(places: list[tuple[float, float, str]]) -> None:
    chosen = spread_labels(places)
    assert len(chosen) <= N_LABELS
    assert bool(chosen) == bool(places)
    for number, (x, y, _) in enumerate(chosen):
        assert all((x, y) != (a, b) for a, b, _ in chosen[:number])


# --- charts in files of their own

CHART = LineChart("a & b", "x", "y", {"<one>": Line([1, 2], [3, 4], "ours"), "two": Line([1, 2], [4, 3])}, {"paper": 3})


def test_a_chart_in_a_file_has_its_title_legend_and_colours(tmp_path: Path) -> None:
    write_charts(tmp_path / "a.svg", [CHART])
    written = (tmp_path / "a.svg").read_text("utf-8")
    texts = [each.text for each in ElementTree.fromstring(written).iter("{http://www.w3.org/2000/svg}text")]
    assert {"a & b", "<one>", "two", "paper"} <= {*texts}
    assert "var(" not in written
    assert "svg .ours { color: #0072b2; }" in written
    write_charts(tmp_path / "b.SVG", [CHART])
    assert (tmp_path / "b.SVG").read_text("utf-8") == written


def test_several_charts_are_several_files(tmp_path: Path) -> None:
    write_charts(tmp_path / "a.svg", [CHART, CHART])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-a.svg", "a-b.svg"]


def test_files_that_cannot_become_plots(tmp_path: Path) -> None:
    for name in ("a.png", "a"):
        with pytest.raises(InputError, match=f"{name} is not an .svg file; plots are written as SVG"):
            check_plot(tmp_path / name)
    with pytest.raises(InputError, match=r"a\.svg cannot be written: there is no folder .*none; create it"):
        check_plot(tmp_path / "none" / "a.svg")


@pytest.mark.parametrize("task", ["centers", "induced", "lineup", "pseudowords", "walk"])
def test_a_plot_was_refused_only_after_the_work(task: str, tmp_path: Path) -> None:
    model = [] if task == "walk" else ["--model", str(tmp_path / "no model")]
    result = CliRunner().invoke(evaluate, [task, *model, "--plot", "x.png"])
    assert "x.png is not an .svg file" in str(result.exception)
    assert not result.output


# --- intervals and time


def test_intervals_are_drawn_where_they_are_known() -> None:
    rows = {"<one>": [Interval(0.2, 0.1, 0.4), None], "two": [Interval(0.3), Interval(-0.1, -0.2, 0.0)]}
    chart = IntervalChart("Shares", "share", rows, ["a", "b"], diverging=True)
    svg = chart.svg()
    ElementTree.fromstring(svg)
    assert svg.count('class="whisker') == 2
    assert svg.count("<circle") == 3
    assert svg.count('class="zero"') == 1
    assert "&lt;one&gt;: 20% (10% to 40%), none" in svg
    assert [name for _, name in chart.legend] == ["a", "b"]
    ElementTree.fromstring(standalone_svg(chart))
    assert IntervalChart("One", "share", {"x": [Interval(1)]}, ["all"]).legend == []


def test_bands_are_interrupted_and_ticks_have_names() -> None:
    line = Line([1, 2, 3, 4], [0.1, 0.2, 0.1, 0.3], "", [0.0, 0.1, None, 0.2], [0.2, 0.3, None, 0.4])
    names = {float(number): f"2024-0{number}" for number in range(1, 5)}
    chart = LineChart("Time", "month", "share", {"a": line}, x_names=names, from_zero=True, as_percent=True)
    svg = chart.svg()
    assert svg.count('class="band') == 1
    assert svg.count('class="whisker') == 1
    assert "2024-04" in svg
    assert ">40%<" in svg
    assert ">0%<" in svg
    many = {float(number): f"day {number}" for number in range(100)}
    days = Line(list(many), [1.0] * 100)
    assert LineChart("Days", "day", "n", {"a": days}, x_names=many).svg().count(">day ") <= 7
