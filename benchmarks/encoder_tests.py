"""What an encoder adds on SemEval-2010 and SCWS, with the seconds it takes; writes the tables of a page.

    python benchmarks/encoder_tests.py ENCODER --data DATA [--page docs/results/encoder.md] [--json FILE]

ENCODER is a folder with model.onnx and tokenizer.json. The methods are those of `wordatoms evaluate wsi --encoder` and
`wordatoms evaluate scws --encoder`, without the paper's and the competitors, and their figures are the same. With
--page the tables between the marks in the page are replaced. Nothing is chosen here: the settings are those of the
package, which benchmarks/encoder.py settled on other text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import wordatoms as wa
from common import make_parser, show, table_line, write_page
from wordatoms.encoder.cache import StateCache
from wordatoms.encoder.encoder import load_encoder
from wordatoms.paper.tasks import scws
from wordatoms.paper.tasks.scws.evaluate import evaluate_scws, read_scws
from wordatoms.paper.tasks.scws.methods import our_methods as scws_methods
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi, method_name
from wordatoms.paper.tasks.wsi.methods import BOTH, ENCODER_ALONE, MERGED, OURS
from wordatoms.paper.tasks.wsi.methods import our_methods as wsi_methods
from wordatoms.run import Run
from wordatoms.text.spans import Passage

KS = (2, 3, 4, 5, "auto")
NAMES = {OURS: "ours (k-means)", MERGED: "ours, merged", ENCODER_ALONE: "encoder alone, merged", BOTH: BOTH}
SHOWN = (4, 5, "auto")
"""Numbers of clusters of which F and V are shown."""
WAYS, UNITS = ("computed", "from the cache"), ("a second", "a second of processor time")
SCWS_PARTS = ("spearman_all_pairs", "same_word", "different_words")


def measure_speed(path: Path, passages: Sequence[Passage], run: Run) -> dict[str, Any]:
    """Usages a second, computed and from a new cache."""
    encoder = load_encoder(path, cache=False)
    with tempfile.TemporaryDirectory() as folder:
        cache = StateCache(Path(folder) / "states.sqlite", (len(encoder.outputs), encoder.dim))
        cached, found = replace(encoder, cache=cache), {}
        for name in WAYS:
            wall, processor = perf_counter(), process_time()
            cached.states(passages, run=run)
            wall, processor = perf_counter() - wall, process_time() - processor
            speeds = (round(len(passages) / seconds) for seconds in (wall, processor))
            found[name] = dict(zip(UNITS, speeds, strict=True))
    return {"usages": len(passages), "threads": run.n_threads, **found}


def induction(model: wa.SenseModel, words: Sequence[Any]) -> dict[str, dict[str, float]]:
    wanted = {method_name(kind, k) for kind in NAMES for k in KS}
    methods = [method for method in wsi_methods(model) if method.name in wanted]
    found = evaluate_wsi(words, methods, random_ks=())
    return {each.method.name: _rounded(each.row, 1) for each in found.scores}


def similarity(model: wa.SenseModel, data: Path) -> dict[str, dict[str, float]]:
    wanted = (scws.methods.OURS, scws.methods.ENCODER_ALONE, scws.methods.BOTH)
    methods = [method for method in scws_methods(model) if method.name in wanted]
    found = evaluate_scws(read_scws(data, model.tokenizer), methods)
    return {each.method.name: _rounded(each.row, 3) for each in found.scores}


def _rounded(row: Mapping[str, Any], digits: int) -> dict[str, Any]:
    return {name: round(value, digits) if isinstance(value, float) else value for name, value in row.items()}


# --- the page


def tables(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """The lines between the marks of the page, by the name of the mark."""
    wsi_rows, scws_rows, speed = (found[name] for name in ("SemEval-2010", "SCWS", "speed"))
    averages = [
        table_line(NAMES[kind], *(f"{wsi_rows[method_name(kind, k)]['AVG']:.1f}" for k in KS)) for kind in NAMES
    ]
    parts = [
        table_line(kind, k, *(_f_and_v(wsi_rows[method_name(kind, k)], of) for of in ("", "_nouns", "_verbs")),
              f"{wsi_rows[method_name(kind, k)]['clusters']:.1f}")
        for kind in (OURS, ENCODER_ALONE, BOTH)
        for k in SHOWN
    ]  # fmt: skip
    one = wsi_rows["one cluster per word"]
    parts.append(table_line("one cluster per word", "", *(_f_and_v(one, of) for of in ("", "_nouns", "_verbs")), "1.0"))
    return {
        "averages": [table_line("AVG", *(f"k = {k}" if k == 2 else f"k {k}" if k == "auto" else k for k in KS)),
                     "|---" * 6 + "|", *averages],
        "parts": [table_line("F / V", "k", "all", "nouns", "verbs", "clusters"), "|---" * 6 + "|", *parts],
        "speed": [
            table_line(f"{speed['usages']:,} usages, {speed['threads']} threads", *UNITS), "|---" * 3 + "|",
            *(table_line(name, *(f"{speed[name][unit]:,}" for unit in UNITS)) for name in WAYS),
        ],
        "similarity": [
            table_line("method", "all pairs", "same word", "different words"), "|---" * 4 + "|",
            *(table_line(name, *(f"{scws_rows[name][part]:.3f}".lstrip("0") for part in SCWS_PARTS))
              for name in (scws.methods.OURS, ENCODER_ALONE, BOTH)),
        ],
    }  # fmt: skip


def _f_and_v(row: Mapping[str, float], of: str) -> str:
    return f"{row[f'F{of}']:.1f} / {row[f'V{of}']:.1f}"


def main() -> None:
    parser = make_parser(__doc__, threads=2, timed=1500)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder with semeval2010 and scws")
    parser.add_argument("--model", help="model folder (default: the bundled one)")
    parser.add_argument("--page", type=Path, help="page whose tables are replaced")
    given = parser.parse_args()
    run = Run(given.threads)
    model = wa.load(given.model, encoder=given.encoder, run=run)
    assert model.second_eye is not None
    words = read_semeval(given.data, model.tokenizer)
    passages = [usage.passage for word in words for usage in word.usages]
    chosen = np.random.default_rng(0).permutation(len(passages))[: given.timed].tolist()
    speed = measure_speed(given.encoder, [passages[place] for place in chosen], run)
    model.second_eye.encoder.states(passages, run=run)
    found = {
        "encoder": given.encoder.name,
        "speed": speed,
        "SemEval-2010": induction(model, words),
        "SCWS": similarity(model, given.data),
    }
    if given.page:
        write_page(given.page, tables(found))
    show(found, given.json)


if __name__ == "__main__":
    main()
