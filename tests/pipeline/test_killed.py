"""Trainings that are killed with -9 at random moments end in the bytes of a training in one go."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
KILLING = BENCHMARKS / "killing.py"
SMALL = "--dim 8 --atoms 12 --restarts 2 --iterations 3 --min-count 2"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lines about one of twenty things each."""
    rng = random.Random(0)
    words = [f"{first}{second}o" for first in "bdfgklmnprst" for second in "aeiouabcdefghijklmnopqrstuvwxyz"]
    things = [rng.sample(words, 30) for _ in range(20)]
    lines = [" ".join(rng.choices(rng.choice(things), k=12) + rng.choices(words, k=4)) for _ in range(1200)]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 here")
@pytest.mark.parametrize(("method", "n_kills"), [("pmi", 20), ("sn", 8)])
def test_a_training_killed_at_random_moments_ends_in_the_same_bytes(text: Path, method: str, n_kills: int) -> None:
    options = f"{SMALL} -p epochs=4" if method == "sn" else SMALL
    command = [sys.executable, KILLING, text, f"--kills={n_kills}", f"--method={method}", f"--options={options}"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["kills"] >= n_kills
    assert result["verdict"] == "the same bytes after every kill"


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 here")
@pytest.mark.parametrize(
    "names", [["npy", "import", "topics"], ["compact"], ["reproduce"], ["observe"], ["site"]], ids=" ".join
)
def test_commands_killed_before_they_change_a_file_are_finished_by_repeating_them(names: list[str]) -> None:
    command = [sys.executable, BENCHMARKS / "kill_commands.py", *names, "--most", "3"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(json.loads(done.stdout)["kills"].values())
