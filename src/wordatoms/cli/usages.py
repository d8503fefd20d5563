"""`disambiguate` and `cluster`: words in contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json, show_json_line, show_table
from wordatoms.cli.texts import open_lines, read_lines
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.results import Disambiguation, UsageClusters

N_TYPICAL = 3
"""Texts shown of each cluster."""


@click.command()
@click.argument("word")
@click.argument("text", required=False)
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="Read a file with one text per line; - for standard input.",
)
@options.model
@click.option("-n", "--number", type=click.IntRange(1), default=3, show_default=True, help="Number of senses to show.")
@options.as_json
@options.quiet
def disambiguate(
    word: str, text: str | None, path: str | None, model: str, number: int, as_json: bool, quiet: bool
) -> None:
    """Find which sense of WORD is meant in TEXT.

    For every occurrence of WORD, in any inflected form, shows the likeliest senses with their probabilities and the
    words of the text that decided. --file prints one row per occurrence, or one JSON object per line with --json.
    """
    if (text is None) == (path is None):
        raise click.UsageError("pass a TEXT, or --file with one text per line.")
    opened = load_model(model)
    if text is not None:
        _show_answers(opened.disambiguate(word, text), number, as_json=as_json, quiet=quiet)
        return
    _show_lines(opened, word, str(path), number, as_json=as_json, quiet=quiet)


def _show_answers(answers: list[Disambiguation], number: int, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        show_json([_record(answer, number) for answer in answers])
        return
    for place, answer in enumerate(answers):
        if len(answers) > 1:
            click.echo(("\n" if place else "") + f"{answer.form}, word {answer.position + 1}:")
        rows = [
            [meaning.probability, str(meaning.atom), meaning.label, _near(meaning.nearest)]
            for meaning in answer.meanings[:number]
        ]
        show_table(["probability", "atom", "label", "nearest words"], rows)
        if answer.deciding:
            click.echo("decided by: " + ", ".join(f"{pull.word} ({pull.pull:.1f})" for pull in answer.deciding))
        elif not answer.n_known:
            remark(f"no word around {answer.form!r} is known; these are the senses of the word alone.", quiet=quiet)


def _show_lines(opened: SenseModel, word: str, path: str, number: int, *, as_json: bool, quiet: bool) -> None:
    """Print one row per occurrence as soon as it is known."""
    n_with = n_without = 0
    with open_lines(path) as lines:
        for line, answers in enumerate(opened.disambiguate_each(word, lines), 1):
            if answers and not n_with and not as_json:
                click.echo("line\tform\tprobability\tatom\tlabel\tdecided by")
            n_with, n_without = n_with + bool(answers), n_without + (not answers)
            for answer in answers:
                show_json_line({"line": line, **_record(answer, number)}) if as_json else click.echo(_row(line, answer))
    if not n_with:
        raise InputError(f"no line of {path} has a form of {word!r} in it; pass texts with the word, one per line.")
    if n_without:
        remark(f"{counted(n_without, 'line')} without any form of {word!r}", quiet=quiet)


def _row(line: int, answer: Disambiguation) -> str:
    sense, deciding = answer.sense, " ".join(pull.word for pull in answer.deciding)
    return f"{line}\t{answer.form}\t{sense.probability:.3f}\t{sense.atom}\t{sense.label}\t{deciding}"


def _record(answer: Disambiguation, number: int) -> dict[str, Any]:
    return {
        "word": answer.word,
        "form": answer.form,
        "position": answer.position,
        "n_known": answer.n_known,
        "senses": [
            {
                "atom": meaning.atom,
                "probability": meaning.probability,
                "label": meaning.label,
                "nearest": [near.word for near in meaning.nearest],
            }
            for meaning in answer.meanings[:number]
        ],
        "deciding": [pull._asdict() for pull in answer.deciding],
    }


def _near(nearest: tuple[Any, ...]) -> str:
    return " ".join(near.word for near in nearest[:8])


@click.command()
@click.argument("word")
@options.contexts
@click.option(
    "-k", "k", type=options.NumberOrAuto(), default="auto", show_default=True, help="Number of clusters, or auto."
)
@options.model
@options.seed
@options.as_json
@options.quiet
def cluster(word: str, contexts: str, k: Any, model: str, seed: int, as_json: bool, quiet: bool) -> None:
    """Cluster the occurrences of WORD in your texts by sense (word-sense induction).

    Every occurrence of WORD, in any inflected form, is a usage. Shows the clusters with their senses and their most
    typical texts.
    """
    texts = read_lines(contexts, blank=True)  # keep blank lines, because output refers to line numbers
    opened = load_model(model)
    found = opened.cluster(word, texts, k, random_state=seed)
    n_without = len(texts) - len(set(found.texts))
    if k != "auto" and len(found) < k:
        remark(f"{len(found.usages):,} usages make {len(found):,} clusters, fewer than {k:,}", quiet=quiet)
    if as_json:
        show_json({"word": found.word, "clusters": list(_clusters(opened, found)), "usages": _usages(found)})
    else:
        _show_clusters(opened, found, texts)
    if n_without:
        remark(f"{counted(n_without, 'line')} without any form of {word!r}", quiet=quiet)


def _clusters(opened: SenseModel, found: UsageClusters) -> Iterator[dict[str, Any]]:
    for number in range(len(found)):
        senses = [
            {"atom": atom, "probability": p, "label": opened.label(atom)}
            for atom, p in found.senses(number)[:N_TYPICAL]
        ]
        typical = [found.texts[usage] + 1 for usage in found.typical(number, N_TYPICAL)]
        yield {"cluster": number, "size": len(found.members(number)), "senses": senses, "typical_lines": typical}


def _usages(found: UsageClusters) -> list[dict[str, Any]]:
    rows = zip(found.texts, found.usages, found.labels, strict=True)
    return [
        {"line": text + 1, "position": usage.position, "form": usage.form, "cluster": label}
        for text, usage, label in rows
    ]


def _show_clusters(opened: SenseModel, found: UsageClusters, texts: list[str]) -> None:
    for each in _clusters(opened, found):
        share = each["size"] / len(found.labels)
        click.echo(f"cluster {each['cluster'] + 1}: {counted(each['size'], 'usage')} ({share:.0%})")
        for sense in each["senses"]:
            click.echo(f"  {sense['probability']:.2f}  atom {sense['atom']}: {sense['label']}")
        for line in each["typical_lines"]:
            click.echo(f"  line {line}: {_short(texts[line - 1])}")


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:99] + "…"
