"""`compare`: the senses of one word in two models, or the words that differ most between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordatoms.cli import options
from wordatoms.cli.models import find_model, load_model
from wordatoms.cli.output import counted, list_words, remark, show_json, show_table
from wordatoms.cli.texts import GivenDocuments

if TYPE_CHECKING:
    from wordatoms.documents.word_uses import UseComparison
    from wordatoms.senses.comparison import ComparedSense, Comparison
    from wordatoms.senses.differences import ModelComparison
    from wordatoms.senses.model import Method, SenseModel

N_SHOWN = 6
"""Nearest words in a column."""
OF_ALL = {"min_count": "--min-count", "floor": "--floor", "quantile": "--quantile", "output": "-o", "force": "--force"}
"""Options that need no WORD."""
OF_GROUPS = {"column": "--column", "time_format": "--time-format", "model": "--model", "seed": "--seed"}
"""Options that need --by."""


@click.command()
@click.argument("inputs", metavar="MODEL1 MODEL2 [WORD] | DOCS…", nargs=-1, required=True)
@click.option("--all", "all_words", is_flag=True, help="Compare all words; the same as leaving out WORD.")
@click.option("--forms", is_flag=True, help="With WORD: pool the inflected forms: tie, ties, tied, tying.")
@options.method
@click.option(
    "--floor", metavar="MODEL3", help="A model of text like that of MODEL1, to measure what noise alone does."
)
@click.option(
    "--quantile",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="With --floor: a word stands out above this quantile of the floor.",
)
@click.option(
    "--min-count",
    type=click.IntRange(0),
    help="Without WORD: leave out words rarer than this in a model, or a group.  [default: 100, or 20 with --by]",
)
@click.option(
    "--by",
    metavar="NAME[:PERIOD]",
    help="Compare the groups of documents: a column of a table, or one with dates and day, …, year or decade.",
)
@click.option("--column", metavar="NAME", help="With --by: each row is a document, with the text in this column.")
@click.option("--time-format", metavar="FORMAT", help="Format of the dates, such as %d/%m/%Y.  [default: 2024-03-05]")
@options.model
@options.seed
@options.replace_invalid
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Table to write (.csv, .tsv or .parquet)."
)
@click.option("-n", "--number", type=click.IntRange(1), help="Items to show.  [default: 10, or 50 words without WORD]")
@options.as_json
@options.force
def compare(
    inputs: tuple[str, ...],
    all_words: bool,
    forms: bool,
    method: Method,
    number: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare the senses of WORD in two models, or find the words that differ most between models or groups.

    MODEL1 and MODEL2 are folders; "english" is the bundled English model, unless a folder has this name. Matching
    senses are shown in one row with their similarity, followed by the senses that only one model has. Senses by use
    have their share of the uses, senses from the code their weight.

    Without WORD, the vectors of MODEL2 are turned onto those of MODEL1, and the difference of a word is 1 minus the
    cosine of its two vectors. With --floor, a word stands out if its difference is above that of most words of its
    frequency between MODEL1 and MODEL3, and above its own.

    With --by, the words that the groups of a table of documents use most differently are found: a word's vector in a
    group is made from its contexts there by one model, and compared with that from all other groups. A word stands out
    above what random groups of the same sizes do.
    """
    if given["by"]:
        _compare_groups(inputs, number=number or 50, as_json=as_json, given=given)
        return
    models, word = _two_models(inputs)
    _check_usage(word, all_words, forms)
    given["min_count"] = 100 if given["min_count"] is None else given["min_count"]
    first, second = (load_model(find_model(model)) for model in models)
    if word is None:
        _compare_all(first, second, models, method=method, number=number or 50, as_json=as_json, given=given)
    else:
        _compare_word(first, second, models, word, forms=forms, method=method, number=number or 10, as_json=as_json)


def _two_models(inputs: tuple[str, ...]) -> tuple[tuple[str, str], str | None]:
    """Return the models and the word, if there is one."""
    if len(inputs) < 2:
        raise click.UsageError("Missing argument 'MODEL2'; pass two models, or --by for groups of documents.")
    if len(inputs) > 3:
        raise click.UsageError(f"Got unexpected extra argument ({inputs[3]})")
    source = click.get_current_context().get_parameter_source
    for name, option in OF_GROUPS.items():
        if source(name) not in (None, ParameterSource.DEFAULT):
            raise click.UsageError(f"{option} is for groups of documents; say with --by what the groups are.")
    return (inputs[0], inputs[1]), inputs[2] if len(inputs) == 3 else None


def _check_usage(word: str | None, all_words: bool, forms: bool) -> None:
    if word is None:
        if forms:
            raise click.UsageError("--forms pools the forms of one word; pass a WORD.")
        return
    if all_words:
        raise click.UsageError(f"--all compares all words; leave out the word '{word}'.")
    source = click.get_current_context().get_parameter_source
    for name, option in OF_ALL.items():
        if source(name) not in (None, ParameterSource.DEFAULT):
            raise click.UsageError(f"{option} is for comparing all words; leave out the word '{word}'.")


# --- one word


def _compare_word(
    first: SenseModel,
    second: SenseModel,
    models: tuple[str, str],
    word: str,
    *,
    forms: bool,
    method: Method,
    number: int,
    as_json: bool,
) -> None:
    from wordatoms.senses.comparison import compare_senses
    from wordatoms.senses.results import to_json

    found = compare_senses(first, second, word, forms=forms, method=method, n_nearest=number, n_near_words=number)
    if as_json:
        show_json({"models": models, **to_json(found)})
    else:
        _show(found, models)


def _show(found: Comparison, models: tuple[str, str]) -> None:
    first, second = ({sense.key: sense for sense in senses} for senses in found.senses)
    rows = [[pair.similarity, *_cells(first, pair.first), *_cells(second, pair.second)] for pair in found.pairs]
    names = [
        model if known else f"{model} (does not know it)" for model, known in zip(models, found.known, strict=True)
    ]
    click.echo(found.word)
    numbers = ["share" if any(sense.sense is not None for sense in senses) else "weight" for senses in found.senses]
    show_table(["alike", numbers[0], names[0], numbers[1], names[1]], rows)
    for model, near in zip(models, found.nearest, strict=True):
        if near:
            click.echo(f"nearest in {model}: {list_words(near)}")


def _cells(senses: Mapping[int, ComparedSense], key: int | None) -> list[Any]:
    if key is None:
        return [None, ""]
    sense = senses[key]
    words = list_words(sense.nearest[:N_SHOWN], name=sense.label if sense.named else "")
    atom = f"{sense.atom}: " if sense.atom >= 0 else ""
    return [sense.weight if sense.share is None else sense.share, f"{atom}{words}"]


# --- all words


def _compare_all(
    first: SenseModel,
    second: SenseModel,
    models: tuple[str, str],
    *,
    method: Method,
    number: int,
    as_json: bool,
    given: Mapping[str, Any],
) -> None:
    from wordatoms.senses.differences import compare_models
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.topics import check_table

    output, floor = given["output"], given["floor"]
    if output:
        check_table(output, force=given["force"])
    found = compare_models(
        first,
        second,
        SenseModel(find_model(floor)) if floor else None,
        n=number,
        min_count=given["min_count"],
        quantile=given["quantile"],
        method=method,
    )
    if output:
        _write(found, output)
    if as_json:
        counts = {"n_compared": found.n_compared, "n_standing_out": found.n_standing_out}
        show_json({"models": models, "floor": floor, **counts, "words": list(found)})
    elif not output:
        _show_all(found, models)
    remark(_summary(found, given["quantile"]))


def _write(found: ModelComparison | UseComparison, output: Path) -> None:
    from wordatoms.senses.frames import rows_of
    from wordatoms.senses.topics import write_cells

    rows = [row for each in found for row in rows_of(each)]
    write_cells(output, list(rows[0]), [list(row.values()) for row in rows])
    remark(f"{output}: {counted(len(rows), 'word')}")


def _show_all(found: ModelComparison, models: tuple[str, str]) -> None:
    has_floor = found.n_standing_out is not None
    rows = [
        [
            each.rank,
            each.word,
            each.difference,
            *([each.limit, "yes" if each.stands_out else "no"] if has_floor else []),
            *(list_words(near[:N_SHOWN]) for near in each.nearest),
            *(" | ".join(labels) for labels in each.only),
        ]
        for each in found
    ]
    header = ["rank", "word", "difference", *(["limit", "stands out"] if has_floor else [])]
    show_table([*header, *models, *(f"senses only in {model}" for model in models)], rows)


def _summary(found: ModelComparison, quantile: float) -> str:
    compared = counted(found.n_compared, "word")
    if found.n_standing_out is None:
        return f"{compared} compared without a floor (--floor): differences of rare words are mostly noise"
    return (
        f"{found.n_standing_out:,} of {compared} stand out; of words that do not differ, "
        f"about {1 - quantile:.1%} would by chance"
    )


# --- groups of documents


def _compare_groups(sources: tuple[str, ...], *, number: int, as_json: bool, given: Mapping[str, Any]) -> None:
    from wordatoms.documents.word_uses import MIN_USES, compare_uses
    from wordatoms.senses.topics import check_table

    if not given["column"]:
        raise click.UsageError("--by names a column of a table; say with --column where the text is.")
    if given["floor"]:
        raise click.UsageError("--floor is for models; with --by, random groups are the floor.")
    column, _, period = given["by"].rpartition(":")
    is_dated = bool(column) and period in options.PERIODS
    if given["time_format"] and not is_dated:
        raise click.UsageError("--time-format needs dates: --by COLUMN:PERIOD.")
    output = given["output"]
    if output:
        check_table(output, force=given["force"])
    asked = {"by": None, "time": (column, period)} if is_dated else {"by": given["by"], "time": None}
    documents = GivenDocuments(sources, {**given, **asked, "names": None, "lines": False})
    found = compare_uses(
        load_model(given["model"]),
        documents,
        groups=documents.periods if is_dated else documents.groups,
        n=number,
        min_uses=MIN_USES if given["min_count"] is None else max(given["min_count"], 1),
        quantile=given["quantile"],
        seed=given["seed"],
    )
    if output:
        _write(found, output)
    if as_json:
        facts = {name: getattr(found, name) for name in ("groups", "n_compared", "n_standing_out", "n_by_chance")}
        show_json({**facts, "words": list(found)})
    elif not output:
        _show_uses(found)
    remark(
        f"{found.n_standing_out:,} of {counted(found.n_compared, 'comparison')} stand out; "
        f"of random groups of the same sizes, {found.n_by_chance:,.0f} would"
    )


def _show_uses(found: UseComparison) -> None:
    rows = [
        [
            each.rank,
            each.word,
            each.group,
            each.difference,
            each.limit,
            "yes" if each.stands_out else "no",
            list_words(each.nearest[:N_SHOWN]),
            list_words(each.other_nearest[:N_SHOWN]),
            " | ".join(each.more[:2]),
        ]
        for each in found
    ]
    header = ["rank", "word", "group", "difference", "limit", "stands out", "nearest in it", "in the others", "more"]
    show_table(header, rows)
