"""Table 8: the similarity of words in context, on SCWS (Section 6.2). Scores only: no pair of the set is stored."""

from __future__ import annotations

from wordatoms.paper.baselines.learning import STANDS_FOR
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Role, Row, make_table
from wordatoms.paper.exhibits.charts import Bar, BarChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.scws import run

OURS, AS_PAPER = "ours", "u_c, contexts as in the paper"
SCORE = "spearman_all_pairs"
COLUMNS = (SCORE, "spearman", "coverage", "same_word", "different_words")
COSINES = {"GloVe cosine": "glove", "skip-gram cosine": "skipgram"}


def _run(inputs: Inputs) -> Numbers:
    found = run(inputs).to_json()
    return {
        "method": inputs.method,
        "n_pairs": found["pairs"],
        **{part: found[part] for part in ("scores", "baselines")},
        "paper": found["paper"]["table_8"],
    }


def _cosine(method: str) -> str:
    return f"cosine of {method}"


def _figures(numbers: Numbers) -> list[Figure]:
    paper, scores, baselines = numbers["paper"], numbers["scores"], numbers["baselines"]
    own = baselines[_cosine(numbers["method"])][SCORE]
    baseline = (own, f"cosine of {shown_method(numbers['method'])}, no context")
    found = [
        Figure("the paper's method", paper["paper"], scores[AS_PAPER][SCORE], *baseline, digits=3, is_headline=True),
        Figure("our method", paper["paper"], scores[OURS][SCORE], *baseline, digits=3, is_headline=True),
    ]
    for theirs, method in COSINES.items():
        found.append(Figure(theirs, paper[theirs], baselines.get(_cosine(method), {}).get(SCORE), digits=3))
    for theirs, ours in STANDS_FOR.items():
        if theirs in paper:
            what = f"{theirs}, by “{ours}” (AvgSimC) here"
            found.append(Figure(what, paper[theirs], scores.get(f"{ours}, AvgSimC", {}).get(SCORE), digits=3))
    return found


def _rows(numbers: Numbers) -> list[Row]:
    roles: dict[str, Role] = {"scores": "ours", "baselines": "baseline"}
    rows = [
        Row((name, *(each[column] for column in COLUMNS)), each.get("role", role))
        for part, role in roles.items()
        for name, each in numbers[part].items()
    ]
    printed = {f"paper: {'its method' if name == 'paper' else name}": value for name, value in numbers["paper"].items()}
    return rows + [Row((name, value, *[None] * 4), "paper") for name, value in printed.items()]


def _render(numbers: Numbers) -> list[Block]:
    shown = ("all pairs", "pairs answered", "answered", "same word", "different words")
    rows = _rows(numbers)
    bars = [Bar(str(row.cells[0]), float(row.cells[1] or 0), row.role) for row in rows]
    bars.sort(key=lambda bar: -bar.value)
    columns = [Column("method"), *(Column(name, 3) for name in shown)]
    return [
        BarChart("Spearman's correlation over all pairs", "correlation", bars, digits=3),
        make_table(columns, rows, f"All methods on {numbers['n_pairs']:,} pairs."),
    ]


def _why(numbers: Numbers) -> str:
    alone, ours = (numbers["scores"][name][SCORE] or 0.0 for name in (AS_PAPER, OURS))
    better = "improves" if ours > alone else "does not improve"
    return (
        "u_c, the paper's vector, captures what a word is about but not which word it is. Adding the word's own vector "
        f"and its context {better} it to {ours:.3f}. Vectors and text differ from the paper's."
    )


TABLE_8 = Exhibit(
    "table-8",
    "Table 8: similarity of words in context",
    "Pairs of words in context, rated by ten people (SCWS). The score is Spearman's correlation with the ratings "
    "over all pairs; a pair that a method cannot answer gets the mean of its other answers.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.SCWS, needs.ATOMS, needs.MAP),
    helped_by=(needs.COMPETITORS, needs.OTHERS),
)
EXHIBITS = (TABLE_8,)
