"""The pictures of a study and its report: one page of HTML that loads nothing from elsewhere and needs no scripts.

All text is escaped. The page is readable on a phone, on a screen and on paper, in light and dark mode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wordatoms import __version__
from wordatoms.documents.evidence import Passage
from wordatoms.documents.groups import FEWEST, GroupDifference, GroupShare, Trend
from wordatoms.drawing.charts import STYLE as CHART_STYLE
from wordatoms.drawing.charts import (
    BubbleChart,
    Interval,
    IntervalChart,
    Line,
    LineChart,
    SizedPoint,
    escape,
    legend_key,
)
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.documents.study import DocumentStudy, TopicSummary

STYLE = Path(__file__).with_name("report.css")
N_LARGEST, N_GROUPED, N_DIFFERENT, N_OVER_TIME, N_DESCRIBED = 30, 15, 20, 12, 40
N_REGIONS, N_SAID = 8, 10
"""Topics in each part of the page."""
MOST_SERIES = 8
"""Groups in one picture, the largest ones."""
METHOD = (
    "A share is the mean over documents of the part of a document that is about a topic. Intervals are 95% percentiles "
    "of a bootstrap over documents. A difference or trend stands out if its q is below 0.05: its p by permutation, as "
    "if documents had exchanged their groups or dates, adjusted for the number of tests (Benjamini and Hochberg, "
    "weighted by the documents that have the topic). Groups of fewer than "
    f"{FEWEST} documents have no interval."
)

MAP_REMARK = "Each circle is an atom of the model, near ones are alike; its area is its share of all documents."

Chart = LineChart | IntervalChart | BubbleChart
Tested = GroupDifference | Trend


def check_page(path: Path, *, force: bool = False) -> None:
    """Raise before any work is done if the page could not be written."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path} is not an .html file; pass a name that ends in .html.")
    if path.exists() and not force:
        raise InputError(f"{path} is there already; pass --force (in Python force=True) to replace it.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"the folder {path.absolute().parent} does not exist; make it first.")


# --- pictures


def draw_pictures(study: DocumentStudy) -> dict[str, Chart]:
    """Return the pictures of a study by the names of their files, as far as there is something to show."""
    found: dict[str, Chart | None] = {
        "topics": draw_topics(study),
        "groups": draw_groups(study),
        "differences": draw_differences(study),
        "trends": draw_trends(study),
        "map": draw_map(study),
    }
    pictures = {name: chart for name, chart in found.items() if chart is not None}
    for number, chart in enumerate(draw_times(study), 1):
        pictures[f"over-time-{number:02}"] = chart
    return pictures


def draw_topics(study: DocumentStudy) -> IntervalChart:
    """The largest topics and their shares."""
    rows = {each.name: [Interval(each.share, each.low, each.high)] for each in study.topics[:N_LARGEST]}
    return IntervalChart("The largest topics", "share of all documents", rows, ["all documents"])


def draw_groups(study: DocumentStudy) -> IntervalChart | None:
    """The shares of the largest topics in each group, side by side."""
    groups = _largest_groups(study)
    if len(groups) < 2:
        return None
    by_topic: dict[int, dict[str, GroupShare]] = {}
    for row in study.comparison.shares:
        if row.period is None and row.group is not None:
            by_topic.setdefault(row.topic, {})[row.group] = row
    rows = {
        topic.name: [_interval(by_topic[topic.topic].get(group)) for group in groups]
        for topic in study.topics[:N_GROUPED]
    }
    return IntervalChart(f"Topics by {study.by}", "share", rows, groups)


def draw_differences(study: DocumentStudy) -> IntervalChart | None:
    """The differences that stand out, the largest first; or the largest ones, if none does."""
    found = study.comparison.differences
    shown = [row for row in found if row.stands_out] or list(found)
    rows = {f"{row.name} ({row.group})": [Interval(row.difference, row.low, row.high)] for row in shown[:N_DIFFERENT]}
    if not rows:
        return None
    versus = f"{shown[0].group} less {shown[0].other}" if len(study.comparison.groups) == 2 else "group less all others"
    return IntervalChart(
        f"Differences by {study.by}", f"difference in share, {versus}", rows, ["difference"], diverging=True
    )


def draw_trends(study: DocumentStudy) -> IntervalChart | None:
    """The changes over time that stand out, the largest first; or the largest of all documents, if none does."""
    found = study.comparison.trends
    shown = [row for row in found if row.stands_out] or [row for row in found if row.group is None]
    in_group = {row: f" ({row.group or 'all'})" if study.comparison.groups else "" for row in shown}
    rows = {f"{row.name}{in_group[row]}": [Interval(row.change, row.low, row.high)] for row in shown[:N_DIFFERENT]}
    if not rows:
        return None
    first, last = (study.comparison.periods[place].name for place in (0, -1))
    return IntervalChart("Trends", f"change in share from {first} to {last}", rows, ["change"], diverging=True)


def draw_map(study: DocumentStudy) -> BubbleChart | None:
    """The atoms on the map, by their shares of all documents; named are the regions with the largest shares."""
    if not any(atom.share for atom in study.map):
        return None
    regions: dict[str, list[tuple[float, float, float]]] = {}
    for x, y, share, _, region in study.map:
        if region is not None:
            regions.setdefault(region, []).append((share, share * x, share * y))
    sums = {name: [sum(column) for column in zip(*own, strict=True)] for name, own in regions.items()}
    largest = sorted((name for name in sums if sums[name][0] > 0), key=lambda name: -sums[name][0])[:N_REGIONS]
    labels = [(sums[name][1] / sums[name][0], sums[name][2] / sums[name][0], name) for name in largest]
    points = [SizedPoint(atom.x, atom.y, atom.share, atom.name) for atom in study.map]
    most = sorted(study.map, key=lambda atom: -atom.share)[:N_SAID]
    said = "Atoms by their share of all documents; the largest are " + ", ".join(atom.name for atom in most)
    return BubbleChart("The atoms on the map", said, points, labels)


def draw_times(study: DocumentStudy) -> list[LineChart]:
    """A picture for each of some topics: those whose trends stand out, then the largest ones."""
    periods = study.comparison.periods
    if len(periods) < 2:
        return []
    trends = [row.topic for row in study.comparison.trends if row.stands_out]
    chosen = list(dict.fromkeys([*trends[: N_OVER_TIME // 2], *(topic.topic for topic in study.topics)]))[:N_OVER_TIME]
    names = {topic.topic: topic.name for topic in study.topics}
    groups: list[str | None] = [*_largest_groups(study)]
    groups = groups if 2 <= len(groups) <= 4 else [None]
    numbers = {period.name: float(period.number) for period in periods}
    cells: dict[int, dict[str | None, list[GroupShare]]] = {}
    for row in study.comparison.shares:
        if row.period is not None and row.group in groups:
            cells.setdefault(row.topic, {}).setdefault(row.group, []).append(row)
    return [
        LineChart(
            names[topic],
            study.time,
            "share",
            {group or "all documents": _line(cells[topic].get(group, []), numbers) for group in groups},
            x_names={number: name for name, number in numbers.items()},
            from_zero=True,
            as_percent=True,
        )
        for topic in chosen
    ]


def _line(rows: Sequence[GroupShare], numbers: Mapping[str, float]) -> Line:
    ordered = sorted(rows, key=lambda row: numbers[row.period or ""])
    xs = [numbers[row.period or ""] for row in ordered]
    return Line(xs, [row.share for row in ordered], "", [row.low for row in ordered], [row.high for row in ordered])


def _largest_groups(study: DocumentStudy) -> list[str]:
    """The largest groups, in the order of their names."""
    sizes = {row.group: row.documents for row in study.comparison.shares if row.group and row.period is None}
    kept = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_SERIES]
    return [group for group in study.comparison.groups if group in kept]


def _interval(row: GroupShare | None) -> Interval | None:
    return None if row is None else Interval(row.share, row.low, row.high)


# --- the page


def make_page(study: DocumentStudy) -> str:
    """The report as HTML."""
    pictures = draw_pictures(study)
    over_time = [chart for name, chart in pictures.items() if name.startswith("over-time")]
    body = [_header(study), _section("Topics by size", _figure(pictures["topics"]))]
    if "groups" in pictures:
        sentence = _standing_out(study.comparison.differences, "difference")
        parts = [_remark(sentence), _figure(pictures["differences"]), _figure(pictures["groups"])]
        body.append(_section(f"By {study.by}", *parts))
    if over_time:
        sentence = _standing_out(study.comparison.trends, "trend")
        charts = f'<div class="multiples">{"".join(map(_figure, over_time))}</div>'
        body.append(_section("Over time", _remark(sentence), _figure(pictures["trends"]), charts))
    if "map" in pictures:
        body.append(_section("On the map", _remark(MAP_REMARK), _figure(pictures["map"])))
    body += [_section("What the topics are", *map(_topic(study), study.topics[:N_DESCRIBED])), _footer(study)]
    style = CHART_STYLE.read_text("utf-8") + STYLE.read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(_title(study))}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


def _title(study: DocumentStudy) -> str:
    return f"Topics of {study.source}" if study.source else "Topics of a collection"


def _header(study: DocumentStudy) -> str:
    found = study.comparison
    facts = [("documents", f"{found.n_documents:,}"), ("topics", f"{len(study.topics):,} {study.shares.topics.kind}s")]
    if found.groups:
        listed = ", ".join(found.groups[:12]) + (", …" if len(found.groups) > 12 else "")
        facts.append((study.by, f"{len(found.groups)}: {listed}"))
    if found.periods:
        names = dict.fromkeys((found.periods[0].name, found.periods[-1].name))
        facts.append(("period", f"{' to '.join(names)}, by {study.time}"))
    left_out = [
        (len(study.empty), "without a word that the model knows"),
        (found.n_ungrouped, f"without {study.by}"),
        (found.n_undated, "without a date"),
    ]
    if any(number for number, _ in left_out):
        facts.append(("left out", "; ".join(f"{number:,} {why}" for number, why in left_out if number)))
    facts.append(("diversity", f"{study.diversity:.2f} of the words that describe topics are different"))
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    return (
        f'<header>\n<p class="kicker">wordatoms {escape(__version__)} · documents by topic</p>\n'
        f"<h1>{escape(_title(study))}</h1>\n<p>{escape(METHOD)}</p>\n<dl class='facts'>{rows}</dl>\n</header>"
    )


def _section(title: str, *parts: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"


def _standing_out(rows: Sequence[Tested], what: str) -> str:
    n_shown = sum(row.stands_out for row in rows)
    if not n_shown:
        return f"No {what} stands out among {len(rows):,}; the largest are shown."
    verb = "s stand" if n_shown > 1 else " stands"
    return f"{n_shown:,} {what}{verb} out among {len(rows):,}; the largest come first."


def _remark(text: str) -> str:
    return f'<p class="remark">{escape(text)}</p>'


def _figure(chart: Chart) -> str:
    legend = "".join(
        f'<li><svg class="key" viewBox="0 0 22 10" aria-hidden="true">{legend_key(style)}</svg>{escape(name)}</li>'
        for style, name in chart.legend
    )
    listed = f'<ul class="legend">{legend}</ul>' if len(chart.legend) > 1 else ""
    return f"<figure><figcaption>{escape(chart.title)}</figcaption>{chart.svg()}{listed}</figure>"


def _topic(study: DocumentStudy) -> Callable[[TopicSummary], str]:
    def described(topic: TopicSummary) -> str:
        interval = f", {topic.low:.2%} to {topic.high:.2%}" if topic.low is not None and topic.high is not None else ""
        coherence = f" · coherence {topic.npmi:.2f}" if topic.npmi is not None else ""
        facts = f"{topic.share:.2%} of the text{interval} · in {topic.with_topic:,} documents{coherence}"
        passages = "".join(map(_passage, study.passages.get(topic.topic, ())))
        return (
            f"<article>\n<h3>{escape(topic.name)}</h3>\n<p class='facts-line'>{escape(facts)}</p>\n"
            f"<p class='words'>{escape(', '.join(topic.words))}</p>\n{passages}</article>"
        )

    return described


def _passage(passage: Passage) -> str:
    """A passage with the words that decided marked."""
    parts, at = [], 0
    for start, end in passage.deciding:
        parts += [escape(passage.text[at:start]), f"<mark>{escape(passage.text[start:end])}</mark>"]
        at = end
    parts.append(escape(passage.text[at:]))
    before, after = ("… " if passage.is_cut[0] else "", " …" if passage.is_cut[1] else "")
    return (
        f"<blockquote><p>{before}{''.join(parts)}{after}</p><footer>{escape(passage.document)}</footer></blockquote>\n"
    )


def _footer(study: DocumentStudy) -> str:
    n_left = len(study.topics) - N_DESCRIBED
    more = f" {n_left:,} smaller topics are in the tables." if n_left > 0 else ""
    return (
        "<footer>\n<p>Topics are named by their atoms in the model; the words under a name are those that tell its "
        "passages from others here. Passages are the windows nearest to an atom, one per document; the words that "
        f"decided are marked. Coherence is the mean NPMI of these words in the documents.{more}</p>\n</footer>"
    )
