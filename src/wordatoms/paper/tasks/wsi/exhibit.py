"""Table 7: word sense induction on SemEval-2010 task 14 (Section 6.1). Scores only: no text of the task is kept."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Role, Row, make_table
from wordatoms.paper.exhibits.charts import Bar, BarChart
from wordatoms.paper.exhibits.competing import STANDS_FOR, competitors
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs

KS = (2, 3, 4, 5)
OURS, AS_PAPER, NO_ATOMS = "ours", "u_c, contexts as in the paper", "contexts without atoms"
COLUMNS = ("F", "V", "AVG", "F_nouns", "V_nouns", "F_verbs", "V_verbs", "clusters")


def _run(inputs: Inputs) -> Numbers:
    from wordatoms.paper.tasks.wsi.data import read_semeval
    from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi
    from wordatoms.paper.tasks.wsi.methods import competing_methods, our_methods

    assert inputs.data is not None  # it is needed
    words = read_semeval(inputs.data, inputs.model.tokenizer)
    methods = our_methods(inputs.model, ks=KS, random_state=inputs.seed)
    methods += competing_methods(competitors(inputs, sorted({word.lemma for word in words})))
    with inputs.run.progress.item_bar("methods", n_items=len(methods) * len(words)) as advance:
        result = evaluate_wsi(words, methods, random_state=inputs.seed, report=lambda _method, _word: advance())
    found = result.to_json()
    return {
        "n_words": len(words),
        "n_instances": sum(map(len, words)),
        **{part: found[part] for part in ("scores", "baselines", "paper", "published")},
    }


def _figures(numbers: Numbers) -> list[Figure]:
    scores, paper, random = numbers["scores"], numbers["paper"], numbers["baselines"]

    def figure(what: str, of_paper: str, name: str, measure: str, baseline: str = "", **more: Any) -> Figure:
        more |= {"baseline": random[baseline][measure], "baseline_is": "clusters at random"} if baseline else {}
        return Figure(what, paper[of_paper][measure], scores[name][measure], digits=1, within=1.0, **more)

    ways = {AS_PAPER: "the paper's method", OURS: "this program's own"}
    cells = [
        figure(f"{shown}, k = {k}: {measure}", f"paper, k={k}", f"{name}, k={k}", measure, f"random, k={k}")
        for name, shown in ways.items()
        for k in KS
        for measure in ("F", "V", "AVG")
    ]
    return [*(_mean_figure(numbers, name, shown) for name, shown in ways.items()), *cells] + [
        figure(f"{theirs}, by “{ours}” here: {measure}", theirs, ours, measure)
        for theirs, ours in STANDS_FOR.items()
        if theirs in paper and ours in scores
        for measure in ("F", "V")
    ]


def _mean_figure(numbers: Numbers, name: str, shown: str) -> Figure:
    """AVG over all numbers of clusters, so that none is picked."""
    parts = ((numbers["paper"], "paper"), (numbers["scores"], name), (numbers["baselines"], "random"))
    paper, ours, random = (fmean(part[f"{way}, k={k}"]["AVG"] for k in KS) for part, way in parts)
    what = f"{shown}: AVG, mean of k = 2 to 5"
    return Figure(what, paper, ours, random, "clusters at random", digits=1, within=1.0, is_headline=True)


def _rows(numbers: Numbers) -> list[Row]:
    roles: dict[str, Role] = {"scores": "ours", "baselines": "baseline", "paper": "paper", "published": ""}
    return [
        Row((name, *(each.get(column) for column in COLUMNS)), each.get("role", role))
        for part, role in roles.items()
        for name, each in numbers[part].items()
    ]


def _render(numbers: Numbers) -> list[Block]:
    names = [Column("method"), *(Column(column.replace("_", ", "), 1) for column in COLUMNS)]
    shown = {f"{name}, k={k}" for name in (OURS, AS_PAPER, NO_ATOMS) for k in (2, 5)} | {f"{OURS}, k auto"}
    rows = _rows(numbers)
    bars = [
        Bar(str(row.cells[0]), float(row.cells[3] or 0), row.role)
        for row in rows
        if row.role in ("paper", "competitor") or row.cells[0] in (*shown, "random, k=2", "random, k=5")
    ]
    caption = "All methods, in per cent; AVG = √(F·V). Published figures of others are for orientation."
    return [
        BarChart("AVG = √(F·V), per cent", "AVG", sorted(bars, key=lambda bar: -bar.value), digits=1),
        make_table(names, rows, caption),
    ]


def _why(numbers: Numbers) -> str:
    f_score, v_measure = (_change(numbers, measure) for measure in ("F", "V"))
    return (
        f"Vectors, text and the scale κ, which the paper does not give, differ; its method has {v_measure} V and "
        f"{f_score} F here. This program's own reads contexts wider and keeps some of the context itself; that was "
        "settled on pseudowords, nothing on this test."
    )


def _change(numbers: Numbers, measure: str) -> str:
    """How a measure of the paper's method differs here, over all numbers of clusters."""
    ours = fmean(numbers["scores"][f"{AS_PAPER}, k={k}"][measure] for k in KS)
    return "higher" if ours > fmean(numbers["paper"][f"paper, k={k}"][measure] for k in KS) else "lower"


TABLE_7 = Exhibit(
    "table-7",
    "Table 7: word sense induction",
    "The contexts of each word of SemEval-2010 task 14 are clustered, and clusters compared with the senses that "
    "people gave. F falls and V rises with the number of clusters whatever the method, so both are shown with AVG = "
    "√(F·V), and with clusters drawn at random.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.SEMEVAL, needs.ATOMS, needs.MAP),
    helped_by=(needs.COMPETITORS, needs.OTHERS),
)
