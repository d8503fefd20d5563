"""Run the notebooks in docs/notebooks, and store what their cells print and show.

    python docs/run_notebooks.py

Cells are run in their order in one namespace, without Jupyter. A cell with the tag "varies" may give other digits on
another machine; of all others the text is tested to be what is stored.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent / "notebooks"
VARIES = "varies"

Cell = dict[str, Any]
Output = dict[str, Any]


def read_cells(path: Path) -> list[Cell]:
    """Return the cells of a notebook."""
    cells: list[Cell] = json.loads(path.read_text("utf-8"))["cells"]
    return cells


def run_cells(cells: list[Cell]) -> list[list[Output]]:
    """Run all cells of code; return the outputs of each."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return [run_cell("".join(cell["source"]), namespace, number) for number, cell in enumerate(code, 1)]


def run_cell(source: str, namespace: dict[str, Any], number: int) -> list[Output]:
    """Run a cell as a notebook does: what it prints, then the value of its last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"<cell {number}>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), namespace)
    outputs: list[Output] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        shown = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            shown = {"text/html": lines(value._repr_html_()), **shown}
        outputs.append({"data": shown, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def lines(text: str) -> list[str]:
    """Return a text as notebooks store it."""
    return text.splitlines(keepends=True)


def text_of(outputs: list[Output]) -> str:
    """Return the plain text of a cell's outputs."""
    parts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return "\n".join("".join(part) for part in parts)


def varies(cell: Cell) -> bool:
    """Tell whether the digits of a cell's outputs depend on the machine."""
    return VARIES in cell["metadata"].get("tags", [])


def main() -> None:
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = json.loads(path.read_text("utf-8"))
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(zip(code, run_cells(notebook["cells"]), strict=True), 1):
            cell |= {"execution_count": number, "outputs": outputs}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
