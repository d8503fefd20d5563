"""A small WordNet of our own, in the files of the real one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

INSTALLED = Path("/usr/share/wordnet")
"""Where Debian puts the real one."""
LICENCE = "  1 This database is ours.  \n  2 Do with it what you like.  \n"


class Entry(NamedTuple):
    lemmas: list[str]
    gloss: str
    pointers: tuple[tuple[str, str, int], ...] = ()
    """Symbol, part of speech and number of the entry there."""
    kind: str = ""
    tail: str = ""


ENTRIES = {
    "noun": [
        Entry(["device"], "a made thing"),
        Entry(["spring"], 'an elastic device; "the spring broke"; "it has a spring"', (("@", "n", 0), ("+", "v", 0))),
        Entry(["spring", "springtime"], "the season of growth", (("!", "n", 3),)),
        Entry(["fall"], "the season of decay", (("!", "n", 2),)),
        Entry(["New_York"], "a city", (("@i", "n", 0),)),
    ],
    "verb": [Entry(["jump", "spring"], 'move off the ground; "jump!"', (("~", "v", 0),), tail=" 01 + 02 00")],
    "adj": [Entry(["elastic"], "returning to shape"), Entry(["springy(p)"], "like a spring", (("&", "a", 0),), "s")],
    "adv": [Entry(["up"], "to a higher place")],
}
EXCEPTIONS = {"noun": "springen spring\n", "verb": "sprang spring\nsprung spring\n", "adj": "", "adv": ""}
PLACES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def write_database(folder: Path) -> Path:
    """Write the entries as WordNet has them: places are known because all numbers have fixed widths."""
    blank = {name: [0] * len(entries) for name, entries in ENTRIES.items()}
    offsets = {name: find_offsets(name, blank) for name in ENTRIES}
    for name in ENTRIES:
        lines = [format_entry(name, number, offsets) for number in range(len(ENTRIES[name]))]
        (folder / f"data.{name}").write_text(LICENCE + "".join(lines), "utf-8")
        (folder / f"index.{name}").write_text(LICENCE + format_index(name, offsets[name]), "utf-8")
        (folder / f"{name}.exc").write_text(EXCEPTIONS[name], "utf-8")
    return folder


def find_offsets(name: str, offsets: dict[str, list[int]]) -> list[int]:
    lengths = [len(format_entry(name, number, offsets).encode()) for number in range(len(ENTRIES[name]))]
    return [len(LICENCE) + sum(lengths[:number]) for number in range(len(lengths))]


def format_entry(name: str, number: int, offsets: dict[str, list[int]]) -> str:
    entry = ENTRIES[name][number]
    words = " ".join(f"{lemma} 0" for lemma in entry.lemmas)
    pointers = "".join(f" {sign} {offsets[PLACES[pos]][to]:08d} {pos} 0000" for sign, pos, to in entry.pointers)
    kind = entry.kind or LETTERS[name]
    head = f"{offsets[name][number]:08d} 03 {kind} {len(entry.lemmas):02x} {words} {len(entry.pointers):03d}"
    return f"{head}{pointers}{entry.tail} | {entry.gloss}  \n"


def format_index(name: str, offsets: list[int]) -> str:
    places: dict[str, list[int]] = {}
    for entry, offset in zip(ENTRIES[name], offsets, strict=True):
        for lemma in entry.lemmas:
            places.setdefault(lemma.lower().removesuffix("(p)"), []).append(offset)
    return "".join(
        f"{lemma} {LETTERS[name]} {len(found)} 1 @ {len(found)} 0 {' '.join(f'{each:08d}' for each in found)}  \n"
        for lemma, found in sorted(places.items())
    )
