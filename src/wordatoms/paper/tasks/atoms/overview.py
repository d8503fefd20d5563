"""The atoms as a whole (Section 5): their number, whether restarts find them again, how words use them.

Most numbers come from the report that the stage `atomize` stores in a model; rules for dropping meaningless atoms are
compared on its final atoms (`wordatoms.paper.tasks.atoms.rules`).
"""

from __future__ import annotations

import numpy as np

from wordatoms.atoms.learning import count_users, most_users
from wordatoms.drawing.charts import Line, LineChart
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Remark, Row, Verdict, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import N_ATOMS, N_MEANINGLESS
from wordatoms.paper.tasks.atoms.rules import AUTHORS, apply_rules, describe_rule


def _run(inputs: Inputs) -> Numbers:
    from wordatoms.pipeline.atomize import read_atom_report

    model = inputs.model
    report = read_atom_report(model.folder)
    embeddings, atoms = model.learned_from, model.atoms
    n_users = count_users(atoms.codes)
    over = np.flatnonzero(n_users > most_users(n_users)).tolist()
    rules = apply_rules(embeddings, np.asarray(atoms.vectors), atoms.codes, inputs.run.threads)
    return {
        "method": inputs.method,
        **report,
        "rules": [describe_rule(embeddings, rule, len(atoms)) for rule in rules],
        "overused": [{"atom": atom, "users": int(n_users[atom]), "label": model.label(atom)} for atom in over],
    }


def _figures(numbers: Numbers) -> list[Figure]:
    return [
        Figure(
            "atoms",
            N_ATOMS,
            ours=numbers["n_atoms"],
            digits=0,
            is_headline=True,
            says_ours=_is_near(numbers["n_atoms"], N_ATOMS, 0.1 * N_ATOMS),
            note="the paper: about 2000",
        ),
        Figure(
            "share of a run's atoms that another run finds (cosine above .85)",
            "a large fraction",
            ours=numbers["overlap"],
            is_headline=numbers["overlap"] is not None,
        ),
        _left_out(numbers),
        Figure(
            "atoms that more words use than our rule allows, in the final codes",
            None,
            ours=len(numbers["overused"]),
            digits=0,
        ),
        Figure("coefficients that are positive", "most", ours=numbers["share_nonnegative"]),
        Figure("relative error of the sparse codes", None, ours=numbers["error"]),
    ]


def _left_out(numbers: Numbers) -> Figure:
    authors = next(rule["dropped"] for rule in numbers["rules"] if rule["rule"] == AUTHORS)
    ours = numbers["n_overused"] + numbers["n_incoherent"]
    return Figure(
        "atoms left out as meaningless",
        N_MEANINGLESS,
        by_paper=authors,
        ours=ours,
        digits=0,
        says=_is_near(authors, N_MEANINGLESS, 0.5 * N_MEANINGLESS),
        says_ours=_is_near(ours, N_MEANINGLESS, 0.5 * N_MEANINGLESS),
        note="the paper: around 100; the authors' rule is applied to the final atoms",
    )


def _is_near(ours: float, paper: float, within: float) -> Verdict:
    """The verdict on a number that is neither better nor worse for being larger."""
    return "reproduced" if abs(ours - paper) <= within else "failed replication"


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
    blocks += _rules(numbers)
    curve = numbers["overlap_curve"]
    if curve:
        sizes = [point["n_atoms"] for point in curve]
        lines = {"overlap": Line(sizes, [point["overlap"] for point in curve], "ours")}
        blocks.append(LineChart("Share of recurring atoms by number of atoms", "atoms", "overlap", lines))
    return blocks


def _rules(numbers: Numbers) -> list[Block]:
    keys = ("dropped", "left", "most_users", "bound", "error", "positive")
    titles = ("dropped", "left", "most words of an atom", "our bound", "error", "positive coefficients")
    rows = [Row((rule["rule"], *(rule[key] for key in keys))) for rule in numbers["rules"]]
    columns = [
        Column("rule"),
        *(Column(title, 3 if key in keys[4:] else 0) for key, title in zip(keys, titles, strict=True)),
    ]
    blocks: list[Block] = [
        make_table(columns, rows, "Rules for dropping meaningless atoms, on the atoms of this model.")
    ]
    if numbers["overused"]:
        named = "; ".join(f"{each['atom']} ({each['label']}: {each['users']:,} words)" for each in numbers["overused"])
        blocks.append(Remark(f"Atoms of this model above the bound, which would be dropped today: {named}."))
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
