"""Split a paragraph into sentences for display.

A sentence ends at a full stop, question or exclamation mark (with closing quotes and brackets) before white space and
anything but a lower-case letter; at Chinese and Japanese marks also without white space. A full stop does not end a
sentence after a title (*Dr.*, *St.*) or before the number in *No. 5*. After an initial (*J. R. R. Tolkien*), an
abbreviation with inner stops (*U.S.*) or one that often ends a sentence (*Inc.*, *etc.*), it does so only before a word
that commonly begins sentences. Decimals have no white space after the point. German is known as well: its abbreviations
(*bzw.*, *z. B.*), and ordinals before a month or a century (*am 3. Mai*, *im 19. Jahrhundert*).

Left out: learning from the text, and abbreviations of other languages, where a sentence may be cut short.
"""

from __future__ import annotations

import re

_END = re.compile(
    # The lookbehind and possessive quantifiers keep the time linear for a line of a million full stops.
    r"""(?<![.!?…])(?P<mark>[.!?…]++)["'”’»)\]]*+\s++(?=["'“‘«(\[¿¡„]*+(?P<next>\w++))|[。！？]++[」』”’）]*+"""
)
_INITIALS = re.compile(r"[^\W\d](\.[^\W\d])*")
_LONGEST_ABBREVIATION = 20
_MOST_DIGITS = 2
"""Digits of an ordinal; a number with more is rather a year, after which a sentence may end."""
_OPENING = "\"'“‘«([¿¡„"


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TITLES = _words(
    "mr mrs ms dr prof rev hon gen col maj capt lt sgt cmdr adm gov sen rep pres st ste mt ft fr bros vs cf viz al ca "
    "approx fig figs eq pp vol vols ed eds op cit jan feb mar apr jun jul aug sep sept oct nov dec "
    "bzw evtl ggf hrsg inkl sog vgl zzgl dipl ing"
)
_AFTER_ORDINALS = _words(
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts "
    "jahrhunderten jahrtausend jahrtausends"
)
_NUMBERED = _words("no nos nr")
_OFTEN_LAST = _words("inc ltd co corp jr sr dept univ etc esq ave blvd rd usw")
# No words that are also names, as in "S. Das" or "E. Von Braun".
_STARTERS = _words(
    "a after all also although an and as at both but by despite during each for from he her his however if in it its "
    "many most no on one other she since some such that the their there these they this those though to two under "
    "until we when where while with you i "
    "aber auch damit dann diese dieser dieses doch eine einer es für ich ihr nach nicht nun nur schon sondern und wann "
    "warum weil wenn wir"
)


def split_sentences(text: str) -> list[str]:
    """Split a paragraph into sentences, with white space collapsed to single spaces."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(match, start):
            sentences.append(text[start : match.end()])
            start = match.end()
    sentences.append(text[start:])
    return [" ".join(sentence.split()) for sentence in sentences if sentence.strip()]


def _ends_sentence(match: re.Match[str], start: int) -> bool:
    """Whether a sentence that began at `start` ends at this mark."""
    following = match["next"]
    if following is None:
        return True
    if following[0].islower():
        return False
    if match["mark"] != ".":
        return True
    before = match.string[max(start, match.start() - _LONGEST_ABBREVIATION) : match.start()]
    return _ends_after(before[before.rfind(" ") + 1 :].lstrip(_OPENING), following)


def _ends_after(last: str, following: str) -> bool:
    """Whether a full stop between these two words ends a sentence."""
    name = last.lower()
    if name.isdecimal() and len(name) <= _MOST_DIGITS:
        return following.lower() not in _AFTER_ORDINALS
    if name in _NUMBERED:
        return not following[0].isdigit()
    if name in _TITLES:
        return False
    if name in _OFTEN_LAST or _INITIALS.fullmatch(last):
        return following.lower() in _STARTERS
    return True
