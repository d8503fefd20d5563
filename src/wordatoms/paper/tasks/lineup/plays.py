"""Recorded plays of the police lineup by people: a table that grows by a line per word, and what it adds up to.

The paper gave its test to people but printed only a plot of their results. `wordatoms lineup play --record` collects
such results, and only when asked to; `wordatoms lineup scores` adds them up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from wordatoms.errors import InputError
from wordatoms.paper.tasks.lineup.data import Testbed

COLUMNS = ("player", "word", "shown", "true", "chosen", "right")
ALL = "all players"


class Play(NamedTuple):
    """One lineup that a person has taken: senses shown, of the word, chosen, and chosen rightly."""

    player: str
    word: str
    shown: int
    true: int
    chosen: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.chosen if self.chosen else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.true


def make_play(testbed: Testbed, player: str, word: str, shown: int, chosen: Iterable[int]) -> Play:
    """The play of one word, from the indices of the chosen senses."""
    answers = set(chosen)
    own = {index for index, owner in enumerate(testbed.owners.tolist()) if owner == testbed.number(word)}
    return Play(player, word, shown, len(own), len(answers), len(own & answers))


def check_player(name: str) -> str:
    """A name that fits into the table."""
    if not name.strip() or any(letter in name for letter in "\t\r\n"):
        raise InputError(f"the player is {name!r}; pass a name without tabs and line breaks.")
    return name.strip()


def append_plays(path: Path, plays: Sequence[Play]) -> None:
    """Add plays to a file, which is created if it does not exist; a file of another kind is refused."""
    is_new = not path.exists() or not path.stat().st_size
    if not is_new:
        read_plays(path)
    lines = [COLUMNS] if is_new else []
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines("\t".join(map(str, line)) + "\n" for line in (*lines, *plays))
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); pass a file in an existing folder.") from error


def read_plays(path: Path) -> list[Play]:
    """Read and check the plays in a file."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); pass a file of lineup play --record.") from error
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; pass a file of lineup play --record.") from None
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise InputError(f"{path} is not a table of plays: expected a first line with {', '.join(COLUMNS)}.")
    return [_parse(path, number, line) for number, line in enumerate(lines[1:], 2)]


def _parse(path: Path, number: int, line: str) -> Play:
    fields = line.split("\t")
    if len(fields) == len(COLUMNS) and all(field.isdecimal() and len(field) < 7 for field in fields[2:]):
        play = Play(fields[0], fields[1], *map(int, fields[2:]))
        if 1 <= play.true <= play.shown and play.right <= min(play.true, play.chosen) and play.chosen <= play.shown:
            return play
    raise InputError(f"{path}, line {number}: expected {', '.join(COLUMNS)}, separated by tabs, with possible numbers.")


def add_up(plays: Sequence[Play]) -> list[dict[str, Any]]:
    """Words, precision and recall of each player and of all, as means over the plays."""
    if not plays:
        raise InputError("there are no plays yet; play some with: wordatoms lineup play --record FILE")
    players = sorted({play.player for play in plays})
    found = [_row(player, [play for play in plays if play.player == player]) for player in players]
    return [*found, _row(f"{ALL} ({len(players)})", plays)]


def _row(who: str, plays: Sequence[Play]) -> dict[str, Any]:
    return {
        "player": who,
        "plays": len(plays),
        "words": len({play.word for play in plays}),
        "senses_shown": fmean(play.shown for play in plays),
        "senses_chosen": fmean(play.chosen for play in plays),
        "precision": fmean(play.precision for play in plays),
        "recall": fmean(play.recall for play in plays),
    }
