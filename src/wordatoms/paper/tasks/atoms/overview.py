"""The atoms as a whole (Section 5): their number, whether restarts find them again, how words use them.

All numbers come from the report that the stage `atomize` stores in a model.
"""

from __future__ import annotations

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, make_table
from wordatoms.paper.exhibits.charts import Line, LineChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import N_ATOMS, N_MEANINGLESS


def _run(inputs: Inputs) -> Numbers:
    from wordatoms.pipeline.atomize import read_atom_report

    report = read_atom_report(inputs.model.folder)
    return {"method": inputs.method, **report}


def _figures(numbers: Numbers) -> list[Figure]:
    return [
        Figure(
            "atoms",
            N_ATOMS,
            numbers["n_atoms"],
            digits=0,
            within=0.1 * N_ATOMS,
            is_headline=True,
            says=_how_many(numbers),
        ),
        Figure(
            "share of a run's atoms that another run finds (cosine above .85)",
            "a large fraction",
            numbers["overlap"],
            is_headline=numbers["overlap"] is not None,
            says="a matter of words",
        ),
        Figure(
            "atoms left out as meaningless",
            N_MEANINGLESS,
            numbers["n_overused"] + numbers["n_incoherent"],
            digits=0,
            says="counted otherwise",
        ),
        Figure("coefficients that are positive", "most", numbers["share_nonnegative"], says="a matter of words"),
        Figure("relative error of the sparse codes", None, numbers["error"]),
    ]


def _how_many(numbers: Numbers) -> str:
    """The paper says *about* 2000."""
    if abs(numbers["n_atoms"] - N_ATOMS) <= 0.1 * N_ATOMS:
        return "reproduced"
    return "fewer than the paper" if numbers["n_atoms"] < N_ATOMS else "more than the paper"


def _render(numbers: Numbers) -> list[Block]:
    least, lower, median, upper, most = numbers["words_per_atom"]
    rows = [
        ("runs of k-SVD", f"{numbers['n_runs']} of {numbers['n_atoms_per_run']:,} atoms"),
        ("came back in no other run", f"{numbers['n_unrepeated']:,} of {numbers['n_learned']:,}"),
        ("merged into others", f"{numbers['n_merged']:,}"),
        ("senses per word", f"{numbers['atoms_per_word']:.2f}"),
        (
            "words per atom",
            f"{least:,.0f} to {most:,.0f}, median {median:,.0f}, quartiles {lower:,.0f} and {upper:,.0f}",
        ),
    ]
    blocks: list[Block] = [make_table([Column("on the way to the atoms"), Column("")], [Row(row) for row in rows])]
    curve = numbers["overlap_curve"]
    if curve:
        sizes = [point["n_atoms"] for point in curve]
        lines = {"overlap": Line(sizes, [point["overlap"] for point in curve], "ours")}
        blocks.append(LineChart("Share of recurring atoms by number of atoms", "atoms", "overlap", lines))
    return blocks


def _why(_numbers: Numbers) -> str:
    return (
        "Runs are merged, and atoms that no second run finds are dropped, before atoms are judged meaningless; so "
        "fewer are dropped at that point than in the paper."
    )


ATOMS_EXHIBIT = Exhibit(
    "atoms",
    "Number of atoms, and how many recur",
    "The paper chose about 2000 atoms because restarts of the sparse coding find largely the same ones. These "
    "are the steps that led to the atoms of this model.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS, needs.REPORT),
    is_paper=False,
)
