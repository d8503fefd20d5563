"""Every table and figure of the paper by one command, ours beside the paper's, and what we added.

An exhibit is a function from models and data to numbers (`exhibits`), one module for each; the `registry` has them all.
`running` runs them and keeps results, `page` makes one self-contained page of them. Rendering never computes: all that
a page shows comes from numbers that are plain JSON.
"""

from __future__ import annotations

from wordatoms.paper.exhibits.inputs import Inputs, open_inputs
from wordatoms.paper.report.files import write_report
from wordatoms.paper.report.registry import EXHIBITS, find_exhibits
from wordatoms.paper.report.runner import Outcome, report_json, run_exhibits

__all__ = [
    "EXHIBITS",
    "Inputs",
    "Outcome",
    "find_exhibits",
    "open_inputs",
    "report_json",
    "run_exhibits",
    "write_report",
]
