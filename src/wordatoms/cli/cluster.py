"""`cluster`: word-sense induction, the occurrences of a word in some texts by sense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json
from wordatoms.cli.texts import marked_places, read_lines, read_names
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.results import UsageClusters

N_TYPICAL, LONGEST = 3, 100
"""Texts shown of each cluster, and their maximum length in characters."""


@click.command()
@click.argument("word")
@options.contexts
@options.context_column
@options.row_names
@click.option("-k", "k", type=options.NUMBER_OR_AUTO, default="auto", help="Number of clusters, or auto.")
@options.mark
@options.model
@options.encoder
@options.seed
@options.threads
@options.as_json
@options.quiet
def cluster(
    word: str, contexts: str, k: Any, mark: str | None, model: str, seed: int, as_json: bool, quiet: bool, **given: Any
) -> None:
    """Cluster the occurrences of WORD in your texts by sense.

    This is word-sense induction. Every occurrence of WORD in any inflected form is a usage. Shows the clusters, the
    senses that are meant in each, and its most typical texts. WORD may be unknown, or several words such as "new york".
    """
    options.check_row_names(given)
    column = given["column"]
    texts = read_lines(contexts, column, blank=True)  # with blank lines, so that the numbers are those of the file
    names = read_names(contexts, column, given["names"]) if given["names"] else None
    opened = load_model(model, given["encoder"], options.local_run({**given, "quiet": quiet, "as_json": as_json}))
    found = _find_clusters(opened, word, texts, k, mark, seed)
    n_without = len(texts) - len(set(found.texts))
    if k != "auto" and len(found) < k:
        remark(f"{len(found.usages):,} usages make {len(found):,} clusters, fewer than {k:,}", quiet=quiet)
    if as_json:
        show_json({"word": found.word, "clusters": list(_clusters(found)), "usages": _usages(found, names)})
    else:
        _show(found, texts, names or [f"{'row' if column else 'line'} {place}" for place in range(1, len(texts) + 1)])
    if n_without:
        missing = f"any form of {word!r}" if mark is None else "a marked word"
        remark(f"{counted(n_without, 'row' if column else 'line')} without {missing}", quiet=quiet)


def _find_clusters(
    opened: SenseModel, word: str, texts: list[str], k: Any, mark: str | None, seed: int
) -> UsageClusters:
    """Cluster the usages, all of them or the marked ones; their texts are the lines of the file."""
    if mark is None:
        return opened.cluster(word, texts, k, random_state=seed)
    places = list(marked_places(texts, mark, opened.tokenizer))
    if not places:
        raise InputError(
            f"no word of the {len(texts):,} lines is marked by {mark!r}; write the marks around the words."
        )
    found = opened.cluster(word, [usage for _, usage in places], k, random_state=seed)
    return replace(found, texts=tuple(places[number][0] for number in found.texts))


def _clusters(found: UsageClusters) -> Iterator[dict[str, Any]]:
    for number in range(len(found)):
        senses = [
            {"atom": each.atom, "probability": each.probability, "label": each.label}
            for each in found.senses(number)[:N_TYPICAL]
        ]
        size = len(found.members(number))
        # A text with several usages is listed once.
        lines = dict.fromkeys(found.texts[usage] + 1 for usage in found.typical(number, size))
        typical = list(lines)[:N_TYPICAL]
        yield {"cluster": number, "size": size, "senses": senses, "typical_lines": typical}


def _usages(found: UsageClusters, names: Sequence[str | None] | None) -> list[dict[str, Any]]:
    rows = zip(found.texts, found.usages, found.labels, strict=True)
    return [
        {
            "line": text + 1,
            **({"id": names[text]} if names else {}),
            "position": usage.position,
            "form": usage.form,
            "cluster": label,
        }
        for text, usage, label in rows
    ]


def _show(found: UsageClusters, texts: Sequence[str], places: Sequence[str | None]) -> None:
    for each in _clusters(found):
        share = each["size"] / len(found.labels)
        click.echo(f"cluster {each['cluster'] + 1}: {counted(each['size'], 'usage')} ({share:.0%})")
        for sense in each["senses"]:
            atom = "" if sense["atom"] < 0 else f"atom {sense['atom']}: "
            click.echo(f"  {sense['probability']:.2f}  {atom}{sense['label']}")
        for line in each["typical_lines"]:
            text = " ".join(texts[line - 1].split())
            shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
            click.echo(f"  {places[line - 1] or f'row {line}'}: {shown}")
