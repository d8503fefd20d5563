from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from wordatoms import AtomSettings, progress
from wordatoms.pipeline.train import STEPS, expected_seconds
from wordatoms.progress import SILENT, Display, Plan, TrainingReport, format_time, time_left

STAGES = {"count": ("words", "pairs"), "embed": ("vectors",), "atomize": ("atoms",)}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def equal_costs(_n_bytes: int, _n_words: int | None) -> Mapping[str, float]:
    return dict.fromkeys(("words", "pairs", "vectors", "atoms"), 10.0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def plan(clock: Clock) -> Plan:
    return Plan(STAGES, equal_costs, clock=clock)


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal; no fixture, because pytest sets standard error again before a test runs."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "REFRESH", 0.0)
    return shown


def test_steps_have_the_number_of_their_stage(plan: Plan) -> None:
    display = Display(plan)
    assert display.title("pairs") == "[1/3] pairs"
    assert display.title("atoms", "2,000 atoms, run 2 of 5") == "[3/3] atoms, 2,000 atoms, run 2 of 5"
    assert display.title("files") == "[1/3] files", "what no stage names belongs to the one under way"
    plan.finish("count", made=True)
    assert display.title("files") == "[2/3] files"
    assert SILENT.title("pairs") == "pairs"


def test_share_and_time_left_of_the_whole_job(plan: Plan, clock: Clock) -> None:
    assert plan.share == 0
    assert plan.seconds_left is None
    clock.now = 30.0
    plan.reach("words", 1.0)
    plan.reach("pairs", 0.5)
    plan.reach("files", 0.7)  # no step of the plan
    assert plan.share == pytest.approx(15 / 40)
    assert plan.seconds_left == pytest.approx(50)
    plan.reach("pairs", 0.2)
    assert plan.share == pytest.approx(15 / 40), "progress never goes back"
    for stage in STAGES:
        plan.finish(stage, made=True)
    assert (plan.share, plan.seconds_left) == (1, 0)


def test_step_that_is_slower_than_expected_tells_its_own_pace(plan: Plan, clock: Clock) -> None:
    """Three steps took their 10 seconds each; the last one takes 100 instead of 10."""
    for now, step in enumerate(("words", "pairs", "vectors")):
        clock.now = 10.0 * (now + 1)
        plan.reach(step, 1.0)
    errors = []
    for tenths in range(11):
        clock.now = 30.0 + 10 * tenths
        plan.reach("atoms", tenths / 10)
        left = 130.0 - clock.now
        assert plan.seconds_left is not None
        errors.append(abs(plan.seconds_left - left) / 100)
    assert errors[0] == pytest.approx(0.9), "nothing is known of the last step when it begins"
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(errors))
    assert max(errors[5:]) < 0.2
    assert errors[-1] == 0


def test_step_that_is_resumed_counts_only_what_it_has_done_since(plan: Plan, clock: Clock) -> None:
    plan.finish("count", made=False)
    plan.finish("embed", made=False)
    clock.now = 10.0
    plan.reach("atoms", 0.8)  # from an earlier run
    clock.now = 30.0
    plan.reach("atoms", 0.9)
    assert plan.seconds_left == pytest.approx(0.9 * 20 + 0.1 * 30 / 9, rel=1e-6)


def test_skipped_stages_count_neither_as_work_nor_as_done(plan: Plan, clock: Clock) -> None:
    clock.now = 10.0
    plan.finish("count", made=False)
    plan.finish("embed", made=False)
    assert plan.share == 0
    plan.reach("atoms", 0.5)
    assert plan.seconds_left == pytest.approx(10)


def test_costs_follow_what_becomes_known() -> None:
    asked: list[tuple[int, int | None]] = []

    def costs(n_bytes: int, n_words: int | None) -> Mapping[str, float]:
        asked.append((n_bytes, n_words))
        return {}

    plan = Plan(STAGES, costs)
    plan.know(n_bytes=100)
    plan.know(n_bytes=None, n_words=7)
    assert plan.share == 0
    assert asked == [(100, 7)]


def test_expected_seconds_name_every_step_and_grow() -> None:
    steps = {step for steps in STEPS.values() for step in steps}
    common = {"method": "pmi", "settings": None, "atom_settings": AtomSettings(n_atoms=500)}
    small, large = (expected_seconds(n_bytes, None, **common) for n_bytes in (10**6, 10**9))
    assert small.keys() == steps
    assert all(0 < small[step] < large[step] for step in steps)
    assert expected_seconds(0, None, method="sn", settings=None, atom_settings=None).keys() == steps


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "a few seconds"), (12, "10 s"), (57, "55 s"), (58, "1 min"), (200, "3 min"), (7800, "2 h 10 min")],
)
def test_times_are_round(seconds: float, words: str) -> None:
    assert format_time(seconds) == words


def test_it_is_too_early_to_tell() -> None:
    assert time_left(1.0, 0.5) is None
    assert time_left(60.0, 0.001) is None
    assert time_left(60.0, 0.25) == pytest.approx(180)


@pytest.mark.parametrize("quiet", [True, False])
def test_one_line_at_a_terminal_unless_quiet(
    monkeypatch: pytest.MonkeyPatch, plan: Plan, clock: Clock, quiet: bool
) -> None:
    terminal = open_terminal(monkeypatch)
    display = Display(plan, quiet=quiet)
    with display.text_bar("words", n_bytes=100) as on_bytes:
        clock.now = 60.0
        on_bytes(50, 20)
    with display.training_bar("vectors", detail="sn") as callback:
        callback(TrainingReport(3, 5, 0.25, 1.0))
    shown = terminal.getvalue()
    if quiet:
        assert shown == ""
    else:
        assert "\r[1/3] words 50%; 12% of all; 7 min left" in shown
        assert "\r[2/3] vectors, sn 60%; 40% of all; 2 min left" in shown
        assert shown.endswith("\r"), "the line is removed"
        assert "\n" not in shown
        assert "\x1b" not in shown
        assert "step" not in shown


def test_nothing_is_left_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with pytest.raises(KeyError), Display(quiet=False).text_bar("words", n_bytes=10) as on_bytes:
        on_bytes(5, 2)
        raise KeyError
    *_, last_text, blank, after = terminal.getvalue().split("\r")
    assert last_text.startswith("words 50%")
    assert blank.strip() == after == ""
    assert len(blank) >= len(last_text.rstrip())


def test_lines_fit_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    with Display(quiet=False).item_bar("a very long name of a step of a job", n_items=3) as advance:
        advance()
    assert max(map(len, terminal.getvalue().split("\r"))) < 20


def test_a_text_of_unknown_size(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with Display(quiet=False).text_bar("files", n_bytes=None) as on_bytes:
        on_bytes(3_000_000, 0)
    assert "files 3 MB" in terminal.getvalue()


def test_part_of_a_step(plan: Plan) -> None:
    with Display(plan).training_bar("atoms", part=(0.4, 0.6)) as callback:
        callback(TrainingReport(1, 2, 0.25, 1.0))
        assert plan.share == pytest.approx(0.5 / 4)
    assert plan.share == pytest.approx(0.6 / 4)


def test_plain_lines_now_and_then_into_a_file(monkeypatch: pytest.MonkeyPatch, plan: Plan) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with Display(plan, quiet=False).text_bar("words", n_bytes=10) as on_bytes:
        on_bytes(1, 2)
    assert file.getvalue() == "", "short work is not worth a line"
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    with Display(plan, quiet=False).text_bar("pairs", n_bytes=10) as on_bytes:
        for _ in range(10):
            on_bytes(1, 2)
    assert re.fullmatch(r"\[1/3\] pairs 0%; \d+% of all\n", file.getvalue()), "one line a minute"


def test_threads_advance_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with Display(quiet=False).item_bar("senses", n_items=400) as advance, ThreadPoolExecutor(8) as pool:
        for _ in range(400):
            pool.submit(advance)
    assert "senses 100%" in terminal.getvalue()
