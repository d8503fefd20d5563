"""`lineup`: play the police lineup, add up recorded plays, or build a testbed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import remark, show_json, show_table
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.paper.tasks.lineup.data import Lineups, Testbed
    from wordatoms.paper.tasks.lineup.evaluate import Answers

Say = partial[None]
"""Prints a line for the player."""
MACHINE_T = 4
PERSON, SAME_T, FIXED_T = "you", "the machine, choosing as many", f"the machine, choosing {MACHINE_T}"


@click.group()
def lineup() -> None:
    """Play the police lineup, add up recorded plays, or build a testbed."""


@lineup.command()
@click.option(
    "--wordnet", "wordnet_folder", type=click.Path(), help="Folder of WordNet 3.0.  [default: the usual places]"
)
@click.option(
    "--vocabulary",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Use only words of this list: the words.txt of a model, or one word per line.",
)
@click.option("--words", "n_words", type=click.IntRange(8), default=200, help="Words to draw.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", required=True, help="Text file to write."
)
@options.seed
@options.quiet
def build(
    wordnet_folder: str | None, vocabulary: str | None, n_words: int, output: str, seed: int, quiet: bool
) -> None:
    """Build a testbed from WordNet.

    The rule of the bundled testbed, which was built with the default options.
    """
    from wordatoms.paper.tasks.lineup.building import build_testbed
    from wordatoms.paper.wordnet import WordNet

    _check_output(Path(output))
    known = _read_vocabulary(Path(vocabulary)) if vocabulary else None
    remark("reading WordNet, which takes half a minute", quiet=quiet)
    testbed = build_testbed(WordNet(wordnet_folder), n_words=n_words, vocabulary=known, random_state=seed)
    testbed.save(Path(output))
    remark(f"{output}: {len(testbed)} words, {len(testbed.senses)} senses", quiet=quiet)


def _check_output(path: Path) -> None:
    """Refuse a file that cannot be written, before half a minute of work."""
    if path.exists():
        raise InputError(f"{path} exists already; pass another name, or remove it first.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first.")


def _read_vocabulary(path: Path) -> frozenset[str]:
    from wordatoms.counts.word_lists import parse_words
    from wordatoms.storage.untrusted import LARGEST_WORDS
    from wordatoms.text.files import read_whole

    content = read_whole(path, LARGEST_WORDS)
    try:
        return frozenset(parse_words(content).words)
    except InputError as error:
        raise InputError(f"{path} is not a list of words: {error}") from error


@lineup.command()
@options.model
@click.option("--alone", is_flag=True, help="Play without the machine.")
@click.option(
    "--testbed",
    "testbed_file",
    type=click.Path(dir_okay=False),
    help="A testbed of your own.  [default: the bundled testbed]",
)
@click.option("--rounds", type=click.IntRange(1), default=5, help="Number of words.")
@click.option("-n", "--shown", type=click.IntRange(2), default=20, help="Senses in a lineup.")
@click.option("--seed", type=click.IntRange(0), help="Random seed.  [default: different lineups each time]")
@click.option(
    "--record",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Add a line per word to this table; see `lineup scores`.  [default: nothing is stored]",
)
@click.option("--player", default="anonymous", help="Your name in the table of --record.")
@options.as_json
def play(
    model: str,
    alone: bool,
    testbed_file: str | None,
    rounds: int,
    shown: int,
    seed: int | None,
    record: str | None,
    player: str,
    as_json: bool,
) -> None:
    """Take the test yourself: which of these lists of words are senses of a word?

    The choice of the model is shown after yours. Ctrl-C or the end of the input ends the game with the score so far.
    """
    import numpy as np

    from wordatoms.paper.tasks.lineup.data import draw_lineups, load_testbed
    from wordatoms.paper.tasks.lineup.plays import append_plays, check_player, make_play

    player = check_player(player)
    if record:
        append_plays(Path(record), [])  # a file that cannot be used is refused before the game
    testbed = load_testbed(testbed_file)
    words = [*testbed]
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(words))[:rounds]
    state = int(rng.integers(1 << 32))
    lineups = draw_lineups(testbed, shown, words=[words[number] for number in drawn], random_state=state)
    machine = None if alone else _machine_answers(model, testbed, lineups)
    say = partial(click.echo, err=as_json)
    mean = len(testbed.senses) / len(testbed)
    say(f"Each word has {mean:.1f} senses on average. Write the numbers of those you find, such as: 3 7 12")
    answers = list(_play_rounds(testbed, lineups, machine, say))
    if record:
        played = zip(lineups.words, answers, strict=False)  # as many as were finished
        append_plays(Path(record), [make_play(testbed, player, word, shown, chosen) for word, chosen in played])
    _show_score(testbed, lineups.words, answers, machine, as_json=as_json)


@lineup.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False), metavar="FILE…")
@options.as_json
def scores(files: tuple[str, ...], as_json: bool) -> None:
    """Add up recorded plays: precision and recall of each player and of all, as means over the words played.

    FILE is a table that `lineup play --record` has written.
    """
    from wordatoms.paper.tasks.lineup.evaluate import PAPER
    from wordatoms.paper.tasks.lineup.plays import add_up, read_plays

    rows = add_up([play for file in files for play in read_plays(Path(file))])
    if as_json:
        show_json({"scores": rows, "paper": PAPER})
    else:
        show_table([name.replace("_", " ") for name in rows[0]], [[*row.values()] for row in rows])


def _machine_answers(model: str, testbed: Testbed, lineups: Lineups) -> Answers:
    from wordatoms.paper.tasks.lineup.methods import answer_lineups, atoms_method

    return answer_lineups(atoms_method(load_model(model)).score_all(testbed), testbed, lineups)


def _play_rounds(testbed: Testbed, lineups: Lineups, machine: Answers | None, say: Say) -> Iterator[list[int]]:
    """Yield the senses that a person chose in each round, until the end or until they leave."""
    for place, (word, senses, is_true) in enumerate(zip(*lineups, strict=True)):
        say(f"\n{word}")
        for number, sense in enumerate(senses, 1):
            say(f"{number:4}  {' '.join(testbed.senses[sense].related)}")
        chosen = _ask(len(senses), say)
        if chosen is None:
            return
        numbers = {int(sense): number for number, sense in enumerate(senses, 1)}
        right = [number for number, true in enumerate(is_true, 1) if true]
        say(f"right: {_listed(right)}; you found {len(set(chosen) & set(right))} of {len(right)}")
        if machine is not None:
            ranked = [numbers[sense] for sense in machine[place].tolist() if sense >= 0]
            say(f"the machine: {_listed(ranked[: len(chosen)])}; choosing {MACHINE_T}: {_listed(ranked[:MACHINE_T])}")
        yield [int(senses[number - 1]) for number in chosen]


def _listed(numbers: Sequence[int]) -> str:
    return " ".join(map(str, sorted(numbers))) or "none"


def _ask(n: int, say: Say) -> list[int] | None:
    """Ask for one or more numbers from 1 to n, and drop repeated ones; None at the end of the input."""
    while True:
        try:
            text = click.prompt("senses", default="", show_default=False, err=say.keywords["err"])
        except (click.Abort, RuntimeError):  # a RuntimeError where standard input is closed
            say("")
            return None
        parts = re.split(r"[\s,;]+", text.strip())
        if all(re.fullmatch("[0-9]{1,6}", part) and 1 <= int(part) <= n for part in parts):
            return list(dict.fromkeys(map(int, parts)))
        say(f"write one or more numbers from 1 to {n}, with spaces between them; Ctrl-C ends the game.")


def _show_score(
    testbed: Testbed, words: Sequence[str], answers: Sequence[Sequence[int]], machine: Answers | None, *, as_json: bool
) -> None:
    """Show the precision and recall of the person and of the machine in the rounds that were played."""
    from wordatoms.paper.tasks.lineup.evaluate import PAPER

    rows = [_score(PERSON, testbed, words, answers)]
    if machine is not None:
        ranked = [[sense for sense in row if sense >= 0] for row in machine.tolist()]
        as_many = [row[: len(answer)] for row, answer in zip(ranked, answers, strict=False)]
        rows.append(_score(SAME_T, testbed, words, as_many))
        rows.append(_score(FIXED_T, testbed, words, [row[:MACHINE_T] for row in ranked[: len(answers)]]))
    if as_json:
        show_json({"rounds": len(answers), "words": words[: len(answers)], "scores": rows, "paper": PAPER})
    elif answers:
        click.echo()
        paper = {"who": f"the paper's machine, n = 20, t = {MACHINE_T}", **PAPER}
        show_table(["", "precision", "recall"], [[*row.values()] for row in (*rows, paper)])
    else:
        click.echo("no round was finished.")


def _score(who: str, testbed: Testbed, words: Sequence[str], answers: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return the means over the rounds; None before the first."""
    import numpy as np

    from wordatoms.paper.tasks.lineup.evaluate import mark

    if not answers:
        return {"who": who, "precision": None, "recall": None}
    padded = np.full((len(answers), max(1, *map(len, answers))), -1)
    for row, answer in zip(padded, answers, strict=True):
        row[: len(answer)] = answer
    marks = mark(testbed, words[: len(answers)], padded)
    return {"who": who, "precision": float(marks.precision.mean()), "recall": float(marks.recall.mean())}
