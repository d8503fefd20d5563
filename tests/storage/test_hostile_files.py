"""Spoilt files of every kind: each is read, or refused in one sentence."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hostilefiles
import hostilemodels
from hostile import TOKENS, Case, attempt, spoil

TARGETS = {
    "vectors": (hostilefiles.vector_cases, 200),
    "text": (hostilefiles.text_cases, 60),
    "documents": (hostilefiles.document_cases, 60),
    "tables": (hostilefiles.table_cases, 100),
    "dump": (hostilefiles.dump_cases, 100),
    "datasets": (hostilefiles.data_cases, 200),
    "parts": (hostilemodels.part_cases, 200),
    "model": (hostilemodels.model_cases, 80),
}
"""The cases of each target, and how many spoilt files the test tries; `tools/fuzz.py` tries as many as it is asked."""
once_each = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[Case], int, Path]:
    if request.param == "tables":
        pytest.importorskip("pyarrow")
    make_cases, n_examples = TARGETS[request.param]
    folder = tmp_path / "target"
    folder.mkdir()
    return make_cases(folder), n_examples, tmp_path


def test_spoilt_files_are_read_or_refused_in_one_sentence(target: tuple[list[Case], int, Path]) -> None:
    cases, n_examples, parent = target
    kinds = st.sampled_from(cases)
    changes = st.lists(st.integers(0, 2**32), min_size=1, max_size=4)

    @settings(once_each, max_examples=n_examples)
    @given(kinds, changes)
    def read_spoilt(case: Case, seeds: list[int]) -> None:
        content = case.example
        for seed in seeds:
            content = spoil(content, random.Random(seed))
        attempt(lambda: case.read(content))

    for case in cases:
        assert attempt(lambda case=case: case.read(case.example)), f"the example of {case.name} is refused"
    read_spoilt()
    assert [path.name for path in parent.iterdir()] == ["target"]


def test_files_of_anything_at_all_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "dump").mkdir()
    cases = [
        *hostilefiles.vector_cases(tmp_path / "vectors"),
        *hostilefiles.data_cases(tmp_path / "data"),
        *hostilefiles.dump_cases(tmp_path / "dump")[:3],
    ]
    pieces = st.lists(st.one_of(st.binary(max_size=20), st.sampled_from(TOKENS)), max_size=12).map(b"".join)

    @settings(once_each, max_examples=200)
    @given(st.sampled_from(cases), pieces)
    def read_anything(case: Case, content: bytes) -> None:
        attempt(lambda: case.read(content))

    read_anything()
