"""The tools are scripts beside the package: their folder is put on the path of these tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools"))
