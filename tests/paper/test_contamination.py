"""The benchmark that finds contexts of the test sets in a training text, and writes the text without them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sampledata import CONTEXTS, USAGE_KEY, USAGES, write_scws, write_semeval

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "contamination.py"


def test_a_context_in_the_text_is_found_and_left_out(tmp_path: Path) -> None:
    write_scws(tmp_path / "data" / "scws")
    write_semeval(tmp_path / "data" / "semeval2010", USAGES, USAGE_KEY)
    context = max(CONTEXTS.values(), key=len).replace("<b>", "").replace("</b>", "")
    lines = [
        "Nothing of the kind stands here, in a line of its own.",
        f"Before it, {context.upper()} and after.",
        "An end.",
    ]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n", "utf-8")
    asked = [tmp_path / "text.txt", "--data", tmp_path / "data", "-o", tmp_path / "clean", "--tokens", "4"]
    ended = subprocess.run([sys.executable, SCRIPT, *map(str, asked)], check=True, capture_output=True)
    found = json.loads(ended.stdout)
    assert found["paragraphs"] == 3
    assert found["sets"]["SCWS"]["paragraphs"] == 1
    assert 0 < found["sets"]["SCWS"]["occur"] < found["sets"]["SCWS"]["contexts"]
    assert (tmp_path / "clean" / "text.txt").read_text("utf-8").split("\n") == [lines[0], "", lines[2], ""]
