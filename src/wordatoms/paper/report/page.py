"""The report on disk: `results.json` for programs and `index.html` for people, each written atomically.

The page is self-contained: inline style, inline charts, nothing loaded from elsewhere, all text escaped. It is made
from outcomes and computes nothing. It is readable on a phone, on paper and on a screen, in light and dark mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from wordatoms import __version__
from wordatoms.drawing.charts import STYLE as CHART_STYLE
from wordatoms.drawing.charts import Chart, ScatterChart, legend_key
from wordatoms.errors import InputError
from wordatoms.paper.exhibits.blocks import (
    DASH,
    REACHED,
    Block,
    Column,
    Figure,
    Remark,
    Row,
    Table,
    compare_table,
    format_cell,
)
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.report.bundled import describe_bundled, describe_vectors
from wordatoms.paper.report.outcome import Outcome
from wordatoms.paper.report.runner import describe_model, report_json
from wordatoms.paper.report.tally import RULE, count_figures
from wordatoms.storage.files import json_bytes, write_together

PAGE, EVERYTHING = "index.html", "results.json"
STYLES = (CHART_STYLE, Path(__file__).with_name("page.css"))
PAPER = (
    "S. Arora, Y. Li, Y. Liang, T. Ma, A. Risteski: Linear Algebraic Structure of Word Senses, with Applications to "
    "Polysemy. TACL 6, 2018."
)
INTRODUCTION = (
    "Every table and figure of “Linear Algebraic Structure of Word Senses” (Arora et al., TACL 2018), recomputed and "
    "compared with the paper's own numbers. Each section says what was measured, how it differs from the paper and "
    "from a simpler baseline, and why. The paper's method under the paper's protocol and our own method have "
    "columns of their own; neither stands in for the other."
)
TONES: dict[str, str] = {
    **dict.fromkeys(REACHED, "good"),
    "below the paper": "bad",
    "failed replication": "bad",
    "failed": "bad",
}
"""The colour of a verdict."""
COLUMNS = ("measure", "paper", "paper's method", "our method", "baseline")
"""The columns of the summary after the first."""
UNSAID = (DASH, "no figure in the paper")
"""Verdicts that the summary leaves out."""
LONG_TABLE = 14
"""Longer tables can be folded."""


def prepare_folder(folder: Path) -> None:
    """Create the folder; raise if it cannot hold a report."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; pass a folder for the report.")
    if (folder / "manifest.json").is_file():
        raise InputError(f"{folder} is the folder of a model; pass another folder for the report.")
    folder.mkdir(parents=True, exist_ok=True)


def write_report(folder: Path, outcomes: Sequence[Outcome], inputs: Inputs) -> Path:
    """Write the page and the numbers, and return the path of the page."""
    prepare_folder(folder)
    with write_together(folder / EVERYTHING, folder / PAGE) as (numbers, page):
        numbers.write(json_bytes(report_json(outcomes, inputs)))
        page.write(make_page(outcomes, inputs).encode())
    return folder / PAGE


def make_page(outcomes: Sequence[Outcome], inputs: Inputs) -> str:
    """The page as HTML."""
    body = [
        _header(outcomes, inputs),
        _summary(outcomes),
        *(_section(outcome, inputs) for outcome in outcomes),
        _footer(outcomes),
    ]
    style = "".join(path.read_text("utf-8") for path in STYLES)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<title>Word senses, reproduced</title>\n"
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n" + "\n".join(body) + "\n</main>\n"
        "</body>\n</html>\n"
    )


# --- head and foot


def _header(outcomes: Sequence[Outcome], inputs: Inputs) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in _facts(inputs))
    tally = count_figures(outcomes)
    shown = "".join(f"<p>{escape(sentence)}</p>" for sentence in tally.sentences()) if tally.numbers else ""
    return (
        f'<header>\n<p class="kicker">wordatoms {escape(__version__)} · reproduction report</p>\n'
        f"<h1>Linear algebraic structure of word senses</h1>\n<p class='lead'>{escape(INTRODUCTION)}</p>\n"
        f'<div class="tally">{shown}<p class="remark">{escape(RULE)} {escape(_counts(outcomes))}</p></div>\n'
        f"<dl class='facts'>{rows}</dl>\n</header>"
    )


def _counts(outcomes: Sequence[Outcome]) -> str:
    """How many exhibits were computed, and how many are bundled or missing."""
    names = {"done": "computed here", "bundled": "bundled results", "missing": "missing", "failed": "failed"}
    counts = {name: sum(outcome.status == status for outcome in outcomes) for status, name in names.items()}
    return f"{len(outcomes)} exhibits: {', '.join(f'{n} {name}' for name, n in counts.items() if n)}."


def _facts(inputs: Inputs) -> list[tuple[str, str]]:
    found = describe_model(inputs.model)
    facts = [("model", str(found["name"])), ("vectors", describe_vectors(found))]
    if found["atoms"]:
        made = found["atoms_settings"]
        runs = f"{made['n_restarts']} runs of k-SVD, " if made["n_restarts"] else ""
        facts.append(("atoms", f"{found['atoms']:,} ({runs}at most {made['sparsity']} per word)"))
    if "map_settings" in found:
        made = found["map_settings"]
        target = "included" if made["include_target"] else "excluded"
        facts.append(
            ("map A", f"contexts of {made['window']} words on each side, a = {made['a']:g}, the word {target}")
        )
    if inputs.others:
        facts.append(("other models", ", ".join(shown_method(model.embeddings.method) for model in inputs.others)))
    if inputs.text:
        n_files = len(inputs.text_files)
        source = f", {inputs.source}" if inputs.source else ""
        facts.append(("text", f"{n_files} {'file' if n_files == 1 else 'files'}{source}"))
    return [*facts, ("seed", str(inputs.seed))]


def _footer(outcomes: Sequence[Outcome]) -> str:
    done = [outcome for outcome in outcomes if outcome.status == "done"]
    machines = sorted({outcome.machine for outcome in done if outcome.machine})
    days = sorted({outcome.computed for outcome in done if outcome.computed})
    computed = f"Computed {' to '.join(dict.fromkeys((days[0], days[-1])))} on {'; '.join(machines)}." if days else ""
    total = sum(outcome.seconds or 0 for outcome in done)
    took = f" {total:,.0f} seconds in all." if done else ""
    return (
        f"<footer>\n<p>{escape(PAPER)}</p>\n<p>{escape(computed)}{took} All numbers are in "
        "results.json, next to this page. For SemEval-2010 and SCWS only scores are shown, none of their "
        "text.</p>\n</footer>"
    )


# --- summary


def _summary(outcomes: Sequence[Outcome]) -> str:
    parts = []
    for is_paper, title in ((True, "The paper's tables and figures"), (False, "Our additions")):
        chosen = [outcome for outcome in outcomes if outcome.exhibit.is_paper == is_paper]
        if chosen:
            rows = "".join(_summary_rows(outcome) for outcome in chosen)
            parts.append(f'<tbody><tr class="group"><th colspan="6" scope="rowgroup">{title}</th></tr>{rows}</tbody>')
    head = "".join(f'<th scope="col"{_class("number" if n else "")}>{name}</th>' for n, name in enumerate(COLUMNS))
    return (
        '<section id="summary">\n<h2>At a glance</h2>\n<div class="scroll"><table class="summary">'
        f'<thead><tr><th scope="col">exhibit</th>{head}</tr></thead>{"".join(parts)}</table></div>\n</section>'
    )


def _summary_rows(outcome: Outcome) -> str:
    exhibit = outcome.exhibit
    link = f'<a href="#{exhibit.name}">{escape(exhibit.title)}</a>'
    aside = _aside(_seconds(outcome.seconds) if outcome.status == "done" else f"bundled result of {outcome.computed}")
    if outcome.numbers is None:
        what = {"missing": "needs " + ", ".join(name for name, _ in outcome.missing), "failed": outcome.says}
        said = f'<td colspan="4" class="quiet">{escape(what.get(outcome.status, ""))}</td>'
        return f'<tr><th scope="row">{link}</th>{said}<td>{_badge(outcome.status)}</td></tr>'
    headlines = [figure for figure in outcome.figures if figure.is_headline]
    if not headlines:
        return f'<tr><th scope="row">{link}{aside}</th><td colspan="5" class="quiet">nothing to compare</td></tr>'
    first = f'<th scope="row" rowspan="{len(headlines)}">{link}{aside}</th>'
    return "".join(
        f"<tr>{first if not number else ''}{_headline(figure)}</tr>" for number, figure in enumerate(headlines)
    )


def _headline(figure: Figure) -> str:
    cells = figure.cells()
    beside = {
        "paper's method": _aside(cells["difference"]) + _badge(cells["verdict"]),
        "our method": _aside(cells["our difference"]) + _badge(cells["our verdict"]),
        "baseline": _aside(figure.baseline_is if figure.baseline is not None else ""),
    }
    return f'<td class="what">{escape(figure.what)}{_aside(figure.note)}</td>' + "".join(
        f'<td class="number" data-label="{name}">{escape(cells[name])}{beside.get(name, "")}</td>'
        for name in COLUMNS[1:]
    )


def _aside(text: str) -> str:
    """A smaller line below the text of a cell."""
    return f'<span class="aside">{escape(text)}</span>' if text and text != DASH else ""


def _badge(text: str) -> str:
    return f'<span class="badge {TONES.get(text, "plain")}">{escape(text)}</span>' if text not in UNSAID else ""


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


# --- sections


def _section(outcome: Outcome, inputs: Inputs) -> str:
    exhibit = outcome.exhibit
    items = "".join(f"<li><b>{escape(name)}</b>: {escape(how)}</li>" for name, how in outcome.missing)
    if outcome.numbers is not None:
        content = (_bundled(outcome, items) if outcome.status == "bundled" else "") + _done(outcome)
    elif outcome.status == "missing":
        content = f'<div class="absent"><p>Not computed; it needs</p><ul>{items}</ul></div>'
    else:
        content = f'<div class="absent failed"><p>Failed: {escape(outcome.says)}</p></div>'
    return (
        f'<section id="{exhibit.name}">\n<h2>{escape(exhibit.title)} <a class="anchor" href="#{exhibit.name}" '
        f'aria-label="link to this section">#</a></h2>\n<p>{escape(exhibit.about)}</p>\n{content}\n'
        f'<p class="command"><code>{escape(inputs.command(exhibit.name))}</code></p>\n</section>'
    )


def _bundled(outcome: Outcome, needs: str) -> str:
    """Where a bundled result comes from, and what it takes to compute it here."""
    hint = f"<p>To compute it here:</p><ul>{needs}</ul>" if needs else ""
    return f'<div class="absent"><p><b>Bundled result.</b> {escape(describe_bundled(outcome))}</p>{hint}</div>\n'


def _done(outcome: Outcome) -> str:
    assert outcome.numbers is not None
    exhibit, numbers = outcome.exhibit, outcome.numbers
    figures = outcome.figures
    parts = [_table(compare_table(figures), "compared")] if figures else []
    label = "Why it differs." if exhibit.is_paper else "Note."
    parts.append(f'<p class="why"><b>{label}</b> {escape(exhibit.why(numbers))}</p>')
    parts += [_block(block) for block in exhibit.render(numbers)]
    more = "".join(f"<li>{escape(name)}: {escape(how)}</li>" for name, how in outcome.lacking)
    if more:
        parts.append(f'<details class="more"><summary>More would be shown with</summary><ul>{more}</ul></details>')
    if outcome.status == "done":
        parts.append(f'<p class="took">Computed in {_seconds(outcome.seconds)}.</p>')
    return "\n".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Remark):
        return f'<p class="remark">{escape(block.text)}</p>'
    return _figure(block)


def _figure(chart: Chart) -> str:
    legend = "".join(
        f'<li><svg class="key" viewBox="0 0 22 10" aria-hidden="true">{legend_key(style)}</svg>{escape(name)}</li>'
        for style, name in chart.legend
    )
    listed = f'<ul class="legend">{legend}</ul>' if legend else ""
    wide = ' class="wide"' if isinstance(chart, ScatterChart) else ""
    return f"<figure{wide}><figcaption>{escape(chart.title)}</figcaption>{chart.svg()}{listed}</figure>"


def _table(table: Table, kind: str = "") -> str:
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head = "".join(f'<th scope="col"{_class(_kind(column))}>{escape(column.name)}</th>' for column in table.columns)
    rows = "".join(_row(row, table.columns) for row in table.rows)
    body = f"{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
    markup = f'<div class="scroll"><table{_class(kind)}>{body}</table></div>'
    if len(table.rows) <= LONG_TABLE:
        return markup
    label = f"{len(table.rows)} rows" if not table.caption else f"{table.caption} ({len(table.rows)} rows)"
    return f"<details open><summary>{escape(label)}</summary>{markup.replace(caption, '', 1)}</details>"


def _row(row: Row, columns: Iterable[Column]) -> str:
    empty = "" if row.role == "paper" else DASH
    cells = []
    for value, column in zip(row.cells, columns, strict=True):
        text = format_cell(value, column.digits) if value is not None else empty if column.is_number else ""
        cells.append(f"<td{_class(_kind(column))}>{escape(text)}</td>")
    return f"<tr{_class(row.role)}>{''.join(cells)}</tr>"


def _kind(column: Column) -> str:
    return "number" if column.is_number else "words" if column.is_words else ""


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""
