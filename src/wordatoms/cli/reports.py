"""The report on a model's atoms as text."""

from __future__ import annotations

from typing import Any


def report_lines(report: dict[str, Any]) -> list[str]:
    """Describe how the atoms were learned, line by line."""
    curve = [
        f"{point['n_atoms']:,} atoms: overlap {point['overlap']:.2f} ({point['n_common']:,.0f} atoms), "
        f"error {point['error']:.3f}"
        for point in report["overlap_curve"]
    ]
    least, lower, median, upper, most = report["words_per_atom"]
    return [
        *curve,
        f"runs: {report['n_runs']} of {report['n_atoms_per_run']:,} atoms, relative error {report['run_error']:.3f}",
        *_overlap_lines(report),
        f"left out: {report['n_unrepeated']:,} of {report['n_learned']:,} found in no other run, "
        f"{report['n_merged']:,} merged (relative error then {report['merged_error']:.3f}), "
        f"{report['n_overused']:,} used by more than {report['most_users']:,.0f} words, "
        f"{report['n_incoherent']:,} with no words close to them",
        f"atoms: {report['n_atoms']:,}, relative error {report['error']:.3f}",
        f"coefficients: {report['share_nonnegative']:.1%} are positive; {report['atoms_per_word']:.2f} senses per word",
        f"words per atom: {least:,.0f} to {most:,.0f}, half of them between {lower:,.0f} and {upper:,.0f}, "
        f"median {median:,.0f}",
    ]


def _overlap_lines(report: dict[str, Any]) -> list[str]:
    if report["overlap"] is None:
        return []
    return [f"overlap: {report['overlap']:.1%} of the atoms of one run have a match above 0.85 in another"]
