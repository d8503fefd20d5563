"""Table 7: word sense induction on SemEval-2010 task 14 (Section 6.1). Scores only: no text of the task is stored."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from wordatoms.paper.baselines.learning import STANDS_FOR
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Role, Row, make_table
from wordatoms.paper.exhibits.charts import Bar, BarChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.tasks.wsi import run
from wordatoms.paper.tasks.wsi.evaluate import KS, PAPER_METHOD, RANDOM, method_name
from wordatoms.paper.tasks.wsi.methods import AS_PAPER, NO_ATOMS, OURS

COLUMNS = ("F", "V", "AVG", "F_nouns", "V_nouns", "F_verbs", "V_verbs", "clusters")
WAYS = {AS_PAPER: "the paper's method", OURS: "our method"}


def _run(inputs: Inputs) -> Numbers:
    result = run(inputs)
    found = result.to_json()
    return {
        "n_words": len(result.words),
        "n_instances": sum(map(len, result.words)),
        **{part: found[part] for part in ("scores", "baselines", "paper", "published")},
    }


def _score(numbers: Numbers, part: str, kind: str, measure: str, *ks: int) -> float:
    """The mean of a measure of a method over numbers of clusters."""
    return fmean(numbers[part][method_name(kind, k)][measure] for k in ks)


def _figures(numbers: Numbers) -> list[Figure]:
    means = [
        _figure(numbers, f"{shown}: AVG, mean of k = 2 to 5", kind, "AVG", *KS, is_headline=True)
        for kind, shown in WAYS.items()
    ]
    cells = [
        _figure(numbers, f"{shown}, k = {k}: {measure}", kind, measure, k)
        for kind, shown in WAYS.items()
        for k in KS
        for measure in ("F", "V", "AVG")
    ]
    scores, paper = numbers["scores"], numbers["paper"]
    competitors = [
        Figure(
            f"{theirs}, by “{ours}” here: {measure}",
            paper[theirs][measure],
            scores[ours][measure],
            digits=1,
            within=1.0,
        )
        for theirs, ours in STANDS_FOR.items()
        if theirs in paper and ours in scores
        for measure in ("F", "V")
    ]
    return [*means, *cells, *competitors]


def _figure(numbers: Numbers, what: str, kind: str, measure: str, *ks: int, **more: Any) -> Figure:
    paper = _score(numbers, "paper", PAPER_METHOD, measure, *ks)
    ours, random = _score(numbers, "scores", kind, measure, *ks), _score(numbers, "baselines", RANDOM, measure, *ks)
    return Figure(what, paper, ours, random, "random clusters", digits=1, within=1.0, **more)


def _rows(numbers: Numbers) -> list[Row]:
    roles: dict[str, Role] = {"scores": "ours", "baselines": "baseline", "paper": "paper", "published": ""}
    return [
        Row((name, *(each.get(column) for column in COLUMNS)), each.get("role", role))
        for part, role in roles.items()
        for name, each in numbers[part].items()
    ]


def _render(numbers: Numbers) -> list[Block]:
    names = [Column("method"), *(Column(column.replace("_", ", "), 1) for column in COLUMNS)]
    shown = {method_name(kind, k) for kind in (OURS, AS_PAPER, NO_ATOMS, RANDOM) for k in (2, 5)}
    shown.add(method_name(OURS, "auto"))
    rows = _rows(numbers)
    bars = [
        Bar(str(row.cells[0]), float(row.cells[3] or 0), row.role)
        for row in rows
        if row.role in ("paper", "competitor") or row.cells[0] in shown
    ]
    caption = "All methods, in per cent; AVG = √(F·V). Results published by others are for orientation."
    return [
        BarChart("AVG = √(F·V), per cent", "AVG", sorted(bars, key=lambda bar: -bar.value), digits=1),
        make_table(names, rows, caption),
    ]


def _why(numbers: Numbers) -> str:
    f_score, v_measure = (_change(numbers, measure) for measure in ("F", "V"))
    return (
        f"Vectors, text and the scale κ, which the paper does not give, differ; its method has a {v_measure} V and a "
        f"{f_score} F here. Our method reads wider contexts and also compares them as a whole; its settings were "
        "chosen on pseudowords, none on this test."
    )


def _change(numbers: Numbers, measure: str) -> str:
    """Whether the paper's method reaches a higher or lower mean here than in the paper."""
    ours = _score(numbers, "scores", AS_PAPER, measure, *KS)
    return "higher" if ours > _score(numbers, "paper", PAPER_METHOD, measure, *KS) else "lower"


TABLE_7 = Exhibit(
    "table-7",
    "Table 7: word sense induction",
    "The contexts of each word of SemEval-2010 task 14 are clustered, and the clusters compared with the senses chosen "
    "by annotators. F decreases and V increases with the number of clusters for any method, so both are shown with "
    "AVG = √(F·V), next to random clusters.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.SEMEVAL, needs.ATOMS, needs.MAP),
    helped_by=(needs.COMPETITORS, needs.OTHERS),
)
EXHIBITS = (TABLE_7,)
