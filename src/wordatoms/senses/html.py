"""Results as HTML, for notebooks and reports.

Small tables without scripts and without colours of their own: text and bars take the colour of the page, light or dark.
Pages are built of elements, and whatever is not an element is escaped, so a word such as `<script>` is shown and not
run.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any

from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError
from wordatoms.senses.comparison import Comparison
from wordatoms.senses.examples import Example
from wordatoms.senses.frames import is_result, rows_of
from wordatoms.senses.model import SenseModel
from wordatoms.senses.naming import model_title
from wordatoms.senses.reading import TextWord
from wordatoms.senses.results import (
    NONE_OF_THESE,
    AtomView,
    Disambiguation,
    Link,
    Meaning,
    Pull,
    Sense,
    UsageClusters,
)
from wordatoms.senses.sentences import SenseSentences
from wordatoms.senses.topics import Topics
from wordatoms.text.spans import find_spans, normal_form

N_ROWS = 20
"""Rows of a table; the number of the others is given below it."""
N_WORDS = 8
"""Words of a list."""
N_TYPICAL = 2
"""Usages shown of each cluster."""
N_AROUND = 8
"""Words shown on each side of a usage."""
LEAST_LIKELY = 0.01
"""Less likely senses of a disambiguation are only counted."""
N_TOP_ATOMS = 5
"""Atoms shown of each document."""
FAINT = "opacity:.7"
CELL = "text-align:left;vertical-align:top;padding:.15em .8em .15em 0"
BAR = "display:inline-block;width:4em;height:.55em;margin-right:.5em;border:1px solid currentColor;opacity:.7"


class Html(str):
    """HTML that a notebook shows; elsewhere it is a string.

    Parameters
    ----------
    text : str, default ""
        The HTML.

    Examples
    --------
    >>> from wordatoms.senses.html import Html
    >>> Html("<b>tie</b>")
    Html that a notebook shows
    >>> str(Html("<b>tie</b>"))
    '<b>tie</b>'
    """

    __slots__ = ()

    def __new__(cls, text: str = "") -> Html:
        return super().__new__(cls, text)

    def __repr__(self) -> str:
        return "Html that a notebook shows"

    def _repr_html_(self) -> str:
        return str(self)


def to_html(results: Any) -> Html:
    """Return results as HTML: a model, one of its answers, or a list of them.

    Parameters
    ----------
    results : object or iterable of objects
        A model, or anything that it answers: senses, atoms, disambiguations, clusters, comparisons, topics, sentences.

    Returns
    -------
    Html
        A string that notebooks show; it has no scripts, and everything in it is escaped.

    Examples
    --------
    >>> import wordatoms as wa
    >>> "necktie" in wa.to_html(wa.load().senses("tie"))
    True
    """
    return element("div", _render(results))


def show_word(model: SenseModel, word: str) -> Html:
    """Return the card of a word: its forms, its senses with examples, and the words nearest to it."""
    senses, spelling = model.senses(word), model.words[model.row(word)]
    examples: dict[int | None, Example] = {example.sense: example for example in model.examples(spelling)}
    forms = [form for form in model.forms(spelling) if form != spelling]
    return element(
        "div",
        _heading(spelling, ", ".join(forms)),
        _senses_table(senses, examples),
        _line("near words", _words(model.near_words(spelling, N_WORDS))),
    )


def show_usage(model: SenseModel, word: str, text: str | Usage) -> Html:
    """Return the text with the word marked in it, and the senses that are meant."""
    found = model.disambiguate(word, text)
    return element("div", *(part for each in found for part in (_quoted(model, text, each), _disambiguation(each))))


# --- elements


def element(name: str, *children: object, style: str = "") -> Html:
    """Return an element; children that are no elements are escaped."""
    inner = "".join(child if isinstance(child, Html) else html.escape(str(child)) for child in children)
    styled = f' style="{html.escape(style)}"' if style else ""
    return Html(f"<{name}{styled}>{inner}</{name}>")


def _joined(parts: Iterable[object], between: str) -> Html:
    return Html(html.escape(between).join(part if isinstance(part, Html) else html.escape(str(part)) for part in parts))


def _heading(title: object, remark: str = "") -> Html:
    return element("div", element("b", title), element("span", f" {remark}", style=FAINT) if remark else "")


def _line(name: str, content: object) -> Html:
    return element("div", element("span", f"{name}: ", style=FAINT), content) if content else Html()


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    head = element("tr", *(element("th", name, style=f"{CELL};{FAINT};font-weight:normal") for name in header))
    body = [element("tr", *(element("td", value, style=CELL) for value in row)) for row in rows[:N_ROWS]]
    return _joined(
        [
            element(
                "table", element("thead", head), element("tbody", *body), style="border-collapse:collapse;color:inherit"
            ),
            *_more(len(rows) - N_ROWS),
        ],
        "",
    )


def _more(n_left: int) -> list[Html]:
    return [element("div", f"and {n_left:,} more", style=FAINT)] if n_left > 0 else []


def _bar(share: float) -> Html:
    """Return a share from 0 to 1 as a bar and a percentage."""
    width = f"{min(max(share, 0.0), 1.0):.0%}"
    filled = element("span", style=f"display:block;height:100%;background:currentColor;width:{width}")
    return element("span", element("span", filled, style=BAR), f"{share:.0%}", style="white-space:nowrap")


def _words(words: Iterable[Neighbour | Link | Pull]) -> str:
    return " ".join(each.word for each in list(words)[:N_WORDS])


def _marked(text: str, start: int, end: int) -> Html:
    return _joined([text[:start], element("b", text[start:end]), text[end:]], "")


def _number(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "–" if value is None else value


# --- results


@singledispatch
def _render(results: Any) -> Html:
    """Return the inside of the element; anything without a layout of its own is a table of its rows."""
    if isinstance(results, str | bytes | Mapping) or not (is_result(results) or isinstance(results, Iterable)):
        raise InputError(f"there is no HTML of a {type(results).__name__}; pass a model, or what it answered.")
    return _render_list([results] if is_result(results) else list(results))


@_render.register(list)
def _render_list(results: Sequence[Any]) -> Html:
    if not results:
        return element("span", "nothing found", style=FAINT)
    if all(isinstance(each, Sense) for each in results):
        return _senses_table(results)
    if all(isinstance(each, TextWord) for each in results):
        return _table(["word", "probability", "sense"], [_read_row(each) for each in results])
    if any(_render.dispatch(type(each)) is not _RENDER_ANY for each in results):
        return _joined([*(_render(each) for each in results[:N_ROWS]), *_more(len(results) - N_ROWS)], "")
    rows = [row for each in results for row in rows_of(each)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return _table(
        [name.replace("_", " ") for name in names], [[_number(row.get(name)) for name in names] for row in rows]
    )


_RENDER_ANY = _render.dispatch(object)


@_render.register
def _model(model: SenseModel) -> Html:
    facts = {
        "words": f"{len(model.words):,}",
        "atoms": f"{len(model.atoms):,}" if "atomize" in model.folder.stages else "none",
        "senses by use": "none" if model.uses is None else f"{len(model.uses):,}",
        "language": model.language,
    }
    return _joined([_heading(model_title(model)), *(_line(key, value) for key, value in facts.items())], "")


@_render.register
def _sense(sense: Sense) -> Html:
    return _senses_table([sense])


def _senses_table(senses: Sequence[Sense], examples: Mapping[int | None, Example] | None = None) -> Html:
    """Return the senses that are worth showing, and how many are left out."""
    shown = [sense for sense in senses if not sense.is_minor] or senses
    header = ["share" if any(sense.share is not None for sense in senses) else "weight", "sense", "near words"]
    rows = [[*_named(sense), _words(sense.nearest)] for sense in shown]
    for row, sense in zip(rows, shown, strict=True):
        if example := (examples or {}).get(sense.sense):
            quoted = _marked(example.text, example.start, example.end)
            row[2] = _joined([row[2], element("div", quoted, style="font-style:italic")], "")
    smaller = len(senses) - len(shown)
    below = element("div", f"and {smaller:,} smaller ones", style=FAINT) if smaller else Html()
    return _joined([_table(header, rows), below], "") if senses else element("span", "no senses", style=FAINT)


def _named(sense: Sense) -> list[object]:
    """Return the share or weight of a sense, and its label with the atom."""
    size = f"{sense.weight:.2f}" if sense.share is None else _bar(sense.share)
    return [size, _label(sense.label, sense.atom)]


def _label(label: str, atom: int) -> Html:
    number = element("span", f" atom {atom}" if atom >= 0 else " no atom", style=FAINT)
    return _joined([label, number], "")


@_render.register
def _atom(view: AtomView) -> Html:
    example = element("i", view.example.sentence) if view.example else ""
    return _joined(
        [
            _heading(view.label, f"atom {view.atom}{', hidden' if view.hidden else ''}"),
            _line("near words", _words(view.nearest)),
            _line(f"a sense of {view.n_words:,} words", _words(view.words)),
            _line("near atoms", "; ".join(label for *_, label in view.neighbours[:N_WORDS])),
            _line("part of", "; ".join(label for *_, label in view.meta)),
            _line("example", example),
            _line("named after an atom of", view.named_after),
        ],
        "",
    )


@_render.register
def _disambiguation(found: Disambiguation) -> Html:
    likely = [meaning for meaning in found.meanings if meaning.probability >= LEAST_LIKELY] or found.meanings[:1]
    rows = [_meaning_row(meaning) for meaning in likely]
    none: list[list[object]] = [[_bar(found.p_none), "none of these", ""]] if found.p_none >= LEAST_LIKELY else []
    smaller, header = len(found.meanings) - len(likely), ["probability", "sense", "near words"]
    return _joined(
        [
            _heading(f"{found.form}: {found.verdict}"),
            _table(header, [*none, *rows] if found.p_none > found.sense.probability else [*rows, *none]),
            element("div", f"and {smaller:,} less likely ones", style=FAINT) if smaller else "",
            _line("decided by", _words(found.deciding)),
        ],
        "",
    )


def _meaning_row(meaning: Meaning) -> list[object]:
    return [_bar(meaning.probability), _label(meaning.label, meaning.atom), _words(meaning.nearest)]


def _read_row(word: TextWord) -> list[object]:
    if word.sense is None:
        return [word.text, "", ""]
    if word.verdict == NONE_OF_THESE:
        return [word.text, _bar(word.p_none), word.verdict]
    return [word.text, _bar(word.sense.probability), _label(word.verdict, word.sense.atom)]


@_render.register
def _clusters(found: UsageClusters) -> Html:
    rows: list[list[object]] = []
    for cluster in range(len(found)):
        likeliest = found.senses(cluster)[:N_TYPICAL]
        senses = element("div", *(element("div", f"{each.label} {each.probability:.0%}") for each in likeliest))
        usages = [element("div", _around(found.usages[number])) for number in found.typical(cluster, N_TYPICAL)]
        rows.append([cluster, _bar(len(found.members(cluster)) / len(found.labels)), senses, element("div", *usages)])
    title = _heading(found.word, f"{len(found.usages):,} usages")
    return _joined([title, _table(["cluster", "usages", "senses", "typical usages"], rows)], "")


def _around(usage: Usage) -> Html:
    """Return the words around a usage, with the word itself marked."""
    end = usage.position + usage.length
    before, after = usage.tokens[max(usage.position - N_AROUND, 0) : usage.position], usage.tokens[end : end + N_AROUND]
    return _joined([" ".join(before), element("b", usage.form), " ".join(after)], " ")


@_render.register
def _comparison(found: Comparison) -> Html:
    first, second = ({sense.key: sense for sense in senses} for senses in found.senses)
    rows: list[list[object]] = []
    for pair in found.pairs:
        sides = [(first, pair.first), (second, pair.second)]
        cells = [
            [senses[key].label, _words(senses[key].nearest)] if key is not None else ["–", ""] for senses, key in sides
        ]
        rows.append(["–" if pair.similarity is None else f"{pair.similarity:.2f}", *cells[0], *cells[1]])
    unknown = [f"model {number} does not have the word" for number, known in enumerate(found.known, 1) if not known]
    header = ["similarity", "in model 1", "near words", "in model 2", "near words"]
    return _joined([_heading(found.word, "; ".join(unknown)), _table(header, rows)], "")


@_render.register
def _example(example: Example) -> Html:
    return element("div", _marked(example.text, example.start, example.end), style="font-style:italic")


@_render.register
def _sentences(found: SenseSentences) -> Html:
    title = _heading(found.sense.label, f"{found.n_sentences:,} sentences")
    quoted = [element("li", _marked(each.text, each.start, each.end)) for each in found.sentences[:N_ROWS]]
    return _joined([title, element("ul", *quoted, style="margin:.2em 0"), *_more(len(found.sentences) - N_ROWS)], "")


@_render.register
def _topics(found: Topics) -> Html:
    rows: list[list[object]] = []
    for number, document in enumerate(found.documents[:N_ROWS]):
        atoms = [f"{label} {share:.0%}" for _, label, share in found.top_atoms(number, N_TOP_ATOMS)]
        rows.append([document, "; ".join(atoms) or "no known words"])
    title = _heading("topics", f"{len(found):,} documents")
    return _joined([title, _table(["document", "largest atoms"], rows), *_more(len(found) - N_ROWS)], "")


def _quoted(model: SenseModel, text: str | Usage, found: Disambiguation) -> Html:
    """Return the text of a disambiguation with the word marked."""
    if isinstance(text, Usage):
        return element("div", _around(text), style="font-style:italic")
    written, n_tokens = normal_form(text), len(found.form.split())
    spans = find_spans(written, model.tokenizer)[found.position : found.position + n_tokens]
    return element("div", _marked(written, spans[0].start, spans[-1].end), style="font-style:italic")
