"""`code`: further vectors as sums of the atoms of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.atoms.sparse_coding import SparseCodes
    from wordatoms.senses.model import SenseModel

FORMATS = (".npz", ".parquet", ".tsv")


class CodedAtom(NamedTuple):
    """An atom in the code of a row."""

    atom: int
    weight: float
    label: str


class CodedRow(NamedTuple):
    """A row, by its number from 0, and its atoms, the largest weight first."""

    row: int
    atoms: list[CodedAtom]


@click.command()
@click.argument("model")
@click.argument("vectors", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the codes: .npz is a sparse matrix of scipy, .parquet and .tsv are tables, a line per atom of a row.",
)
@options.array
@click.option("--sparsity", type=click.IntRange(1), help="Maximum atoms per row.  [default: that of the model]")
@options.threads
@options.force
@options.as_json
@options.quiet
def code(
    model: str,
    vectors: Path,
    output: Path | None,
    array: str | None,
    sparsity: int | None,
    threads: int | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Code new vectors over the atoms of a model.

    VECTORS is an .npy, .safetensors or .parquet file of the same kind of vectors as those of the model. Shows which
    atoms each row has, with their weights and labels; rows are counted from 0.
    """
    from wordatoms.embeddings.matrix_files import open_matrix
    from wordatoms.senses.coding import Coding

    if output is not None:
        _check_output(output, force=force, as_json=as_json)
    opened, matrix = load_model(model, items=True), open_matrix(vectors, array)
    coding = Coding.of_model(opened.parts, sparsity)
    coding.check_dim(vectors, matrix.dim)
    codes = coding.code_blocks(matrix.blocks(), threads=threads)
    if output is not None:
        _write(codes, opened, output)
        remark(f"{output}: {counted(len(codes), 'row')}, {(codes.atoms >= 0).sum():,} weights", quiet=quiet)
    elif as_json:
        show_json(list(_rows(codes, opened)))
    else:
        _show(codes, opened)


def _check_output(output: Path, *, force: bool, as_json: bool) -> None:
    if as_json:
        raise click.UsageError("--json prints the codes; leave out one of --json and --output.")
    if output.suffix.lower() not in FORMATS:
        raise InputError(f"{output} is not named .npz, .parquet or .tsv; the name tells the format.")
    if output.is_dir() or not output.parent.is_dir():
        raise InputError(f"{output} is a folder, or its folder does not exist; pass a file in an existing folder.")
    if output.exists() and not force:
        raise InputError(f"{output} exists already; pass --force to replace it.")


def _rows(codes: SparseCodes, model: SenseModel) -> Iterator[CodedRow]:
    labels = _labels(model)
    for row, (atoms, weights) in enumerate(zip(codes.atoms, codes.weights, strict=True)):
        pairs = zip(atoms.tolist(), weights.tolist(), strict=True)
        yield CodedRow(row, [CodedAtom(atom, weight, labels[atom]) for atom, weight in pairs if atom >= 0])


def _labels(model: SenseModel) -> list[str]:
    notes = model.notes
    return [model.label(atom, notes) for atom in range(len(model.atoms))]


def _show(codes: SparseCodes, model: SenseModel) -> None:
    for row in _rows(codes, model):
        click.echo(f"row {row.row}{'' if row.atoms else ': no atoms'}")
        for each in row.atoms:
            click.echo(f"  {each.weight:6.3f}  atom {each.atom:<5} {each.label}")


def _write(codes: SparseCodes, model: SenseModel, output: Path) -> None:
    from wordatoms.storage.files import write_atomic

    writers = {".npz": _write_npz, ".parquet": _write_parquet, ".tsv": _write_tsv}
    with write_atomic(output) as file:
        writers[output.suffix.lower()](file, codes, model)


def _write_npz(file: Any, codes: SparseCodes, _model: SenseModel) -> None:
    from scipy.sparse import save_npz

    save_npz(file, codes.to_csr())


def _write_parquet(file: Any, codes: SparseCodes, model: SenseModel) -> None:
    import numpy as np

    from wordatoms.errors import require_extra

    arrow, parquet = require_extra("pyarrow", "parquet"), require_extra("pyarrow.parquet", "parquet")
    rows, places = np.nonzero(codes.atoms >= 0)
    atoms = codes.atoms[rows, places]
    labels = arrow.DictionaryArray.from_arrays(arrow.array(atoms), arrow.array(_labels(model)))
    columns = {"row": rows, "atom": atoms, "weight": codes.weights[rows, places], "label": labels}
    parquet.write_table(arrow.table(columns), file)


def _write_tsv(file: Any, codes: SparseCodes, model: SenseModel) -> None:
    file.write(b"row\tatom\tweight\tlabel\n")
    for row in _rows(codes, model):
        for each in row.atoms:
            label = " ".join(each.label.split())
            file.write(f"{row.row}\t{each.atom}\t{each.weight:.6g}\t{label}\n".encode())
