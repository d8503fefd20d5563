"""`info`: what a model holds, how it was made, and whether its files are whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.output import describe_atoms, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.storage.folder import ModelFolder


@click.command()
@click.argument("folder", metavar="[MODEL]", required=False)
@options.model
@click.option("--verify", is_flag=True, help="Check the checksums of all files; exit code 1 if one is wrong.")
@options.as_json
def info(folder: str | None, model: str, verify: bool, as_json: bool) -> None:
    """Describe a model and how each of its stages was made."""
    from wordatoms.storage.folder import ModelFolder

    opened = ModelFolder(folder or model)
    if verify:
        _show_files(opened, as_json=as_json)
    else:
        _show_stages(opened, as_json=as_json)


def _show_files(opened: ModelFolder, *, as_json: bool) -> None:
    """Show every file with its state, then fail if one is broken."""
    checked = opened.check_files(thorough=True)
    broken = [file for file in checked if file.fault]
    if as_json:
        show_json({"model": str(opened.path), "whole": not broken, "files": checked})
    else:
        rows = [
            (file.stage, file.name, file.n_bytes, file.fault or ("whole" if file.read else "there")) for file in checked
        ]
        show_table(["stage", "file", "bytes", "state"], rows)
    if broken:
        opened.check(thorough=True)
    if "atomize" in opened.stages:
        from wordatoms.senses.parts import ModelParts

        _ = ModelParts(opened.path).meta_atoms  # with the names that come with them, which no checksum covers


def _show_stages(opened: ModelFolder, *, as_json: bool) -> None:
    from wordatoms.pipeline.atomize import read_atom_report
    from wordatoms.pipeline.info import folder_facts

    facts = folder_facts(opened)
    report = read_atom_report(opened) if "atomize" in opened.stages else None
    if as_json:
        show_json({**opened.manifest, "facts": facts, "atom_report": report})
        return
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else value
        click.echo(f"{name.replace('_', ' ')}: {shown}")
    for stage, record in opened.stages.items():
        click.echo(f"\n{stage}  ({_origin(record)})")
        for name, value in {**record["settings"], **_input_facts(record)}.items():
            text = ", ".join(map(str, value)) if isinstance(value, list | dict) else str(value)
            click.echo(f"  {name}: {text if len(text) <= 80 else text[:77] + '…'}")
        click.echo(f"  files: {', '.join(record['files'])}")
        for line in describe_atoms(report, has_items=opened.has_items) if stage == "atomize" and report else []:
            click.echo(f"  {line}")


def _origin(record: dict[str, Any]) -> str:
    """Say which program made a stage, and when; a compact model keeps no times."""
    seconds = [f"{record['seconds']:,.1f} s"] if "seconds" in record else []
    return ", ".join([record["program"], *([record["made"]] if "made" in record else []), *seconds])


def _input_facts(record: dict[str, Any]) -> dict[str, Any]:
    inputs = record.get("inputs", [])
    return {"inputs": f"{len(inputs)} files, {sum(file['n_bytes'] for file in inputs):,} bytes"} if inputs else {}
