"""Quotations that show senses by use, from the text that a model was trained on.

A model stores where typical occurrences stand, not the text itself. The files are looked for where the manifest says
they were; if one is missing, has another size or cannot be read at a place, there is no quotation. A place is a line,
so the word is looked for in it, and the occurrence counts in which the sense is the likeliest.

Left out: texts that were unpacked for training and are gone since, such as MediaWiki dumps and standard input.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wordatoms.contexts.usages import Place, Usage
from wordatoms.errors import WordatomsError
from wordatoms.senses.examples import Example
from wordatoms.text.compression import recognise_compression
from wordatoms.text.files import HEAD_BYTES, is_address, is_dump, is_regular
from wordatoms.text.shards import ChunkStream, Shard, open_text, read_head
from wordatoms.text.spans import find_spans, normal_form
from wordatoms.text.tables import TextColumn, find_text_column
from wordatoms.text.wikiextractor import is_extracted, unescape

if TYPE_CHECKING:
    from wordatoms.senses.by_use import UseAnswers, UseDisambiguator
    from wordatoms.senses.model import SenseModel

N_AROUND = 60
"""Characters of the line shown on each side of the word."""
MOST_LINE_BYTES = 1 << 20
"""A longer line is read up to here."""
MOST_INFLATED_BYTES = 64 << 20
"""In a compressed file or a table, places further on are not looked up: all text before them has to be read."""
SKIPPED_BYTES = 1 << 20
"""Read at once on the way to a place in a compressed file."""
ELLIPSIS = "…"


def has_quotations(model: SenseModel) -> bool:
    """Tell whether senses can be quoted from the text of a model: it knows places, and some file is still there."""
    if model.uses is None or not len(model.uses.examples):
        return False
    inputs = model.folder.stages.get("observe", {}).get("inputs")
    return any(file.text() is not None for file in recorded_files(inputs))


def find_quotations(answers: UseAnswers, word: str, *, n: int, forms: bool) -> Iterator[Example]:
    """Yield at most `n` quotations for each sense of a known word, in the order of its senses."""
    found = answers.forms(word, pooled=forms)
    places = {
        sense: [
            (form, place) for form, uses in found.items() for use in uses if use.sense == sense for place in use.places
        ]
        for sense in answers.pool(found, word)
    }
    files = recorded_files(answers.model.folder.stages.get("observe", {}).get("inputs"))
    if not files or not any(places.values()):
        return
    disambiguator = answers.disambiguator(word, answers.model.usage_forms(word), 0)
    atoms = {use.sense: use.atom for uses in found.values() for use in uses}
    lines = _read_lines(files, {place for each in places.values() for _, place in each})
    for sense, listed in places.items():
        texts: set[str] = set()
        for form, place in listed:
            if len(texts) == n or place not in lines:
                continue
            quoted = _quote(disambiguator, sense, form, lines[place])
            if quoted and quoted.text not in texts:
                texts.add(quoted.text)
                text, start, end, p = quoted
                yield Example(word, sense, atoms[sense], text, start, end, files[place.file].path, place.offset, p)


# --- the word in its line


class _Quoted(NamedTuple):
    """A quotation, the place of the word in it, and the probability of the sense."""

    text: str
    start: int
    end: int
    probability: float


def _quote(disambiguator: UseDisambiguator, sense: int, form: str, line: str) -> _Quoted | None:
    """Return a quotation from a line, or None if the line does not show the sense."""
    line = normal_form(line)
    spans = find_spans(line, disambiguator.tokenizer)
    tokens = [span.word for span in spans]
    usages = [Usage(tokens, place) for place, token in enumerate(tokens) if token == form]
    if not usages:
        return None
    read = disambiguator.read(usages)
    column = next(place for place, use in enumerate(disambiguator.senses) if use.sense == sense)
    chances = read.p_senses[:, column]
    best = int(chances.argmax())
    if not read.is_clear[best] or read.p_senses[best, :-1].argmax() != column:
        return None
    span = spans[usages[best].position]
    text, start = shorten(line, span.start, span.end)
    return _Quoted(text, start, start + span.end - span.start, float(chances[best]))


def shorten(line: str, start: int, end: int, n_around: int = N_AROUND) -> tuple[str, int]:
    """Return the characters around a part of a line, cut at spaces, and where the part begins in them."""
    first, last = max(start - n_around, 0), min(end + n_around, len(line))
    if first:
        first = start - len(line[first:start].partition(" ")[2].lstrip())
    if last < len(line):
        last = end + len(line[end:last].rpartition(" ")[0].rstrip())
    before = ELLIPSIS if line[:first].strip() else ""
    after = ELLIPSIS if line[last:].strip() else ""
    text = line[first:last]
    n_blank = len(text) - len(text.lstrip()) if first == 0 else 0
    return f"{before}{text[n_blank:].rstrip()}{after}", len(before) + start - first - n_blank


# --- the files


@dataclass(frozen=True)
class TextFile:
    """A file of the text as the manifest describes it."""

    path: str
    n_bytes: int
    column: str = ""

    def text(self) -> Shard | TextColumn | None:
        """Return the text of the file, or None if it is not what was read in training."""
        if self.path == "-" or is_address(self.path):
            return None
        try:
            if not is_regular(self.path) or Path(self.path).stat().st_size != self.n_bytes:
                return None
            head = read_head(Shard(self.path), HEAD_BYTES)
            compression = recognise_compression(head)
            if compression:
                head = read_head(Shard(self.path, compression), HEAD_BYTES)
            # Invalid bytes would have been refused in training unless they were replaced.
            table = find_text_column(self.path, self.column or None, head=head, replace_invalid=True)
        except (OSError, ValueError, WordatomsError):  # a path in a manifest may be anything
            return None
        return table or (None if is_dump(head) else Shard(self.path, compression, is_extracted=is_extracted(head)))


def recorded_files(inputs: Any) -> list[TextFile]:
    """Return the files that places refer to, those with any text in the order in which they were read.

    `inputs` are the records of a manifest, which may come from a stranger.
    """
    try:
        files = [
            TextFile(str(each["path"]), int(each["n_bytes"]), str(each.get("column") or "")) for each in inputs or ()
        ]
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        return []
    return [file for file in files if file.n_bytes > 0]


def _read_lines(files: Sequence[TextFile], places: set[Place]) -> Mapping[Place, str]:
    """Return the lines at some places, as far as they can be read."""
    found: dict[Place, str] = {}
    for number in {place.file for place in places}:
        text = files[number].text() if 0 <= number < len(files) else None
        if text is None:
            continue
        wanted = sorted(place for place in places if place.file == number and place.offset >= 0)
        try:
            found.update(_lines_of(text, wanted))
        except (OSError, WordatomsError):  # removed or damaged in the meantime
            continue
    return found


def _lines_of(text: Shard | TextColumn, places: Sequence[Place]) -> Iterator[tuple[Place, str]]:
    """Yield the line at each place of a file; places rise."""
    if isinstance(text, Shard) and not text.compression:
        with Path(text.path).open("rb") as file:
            for place in places:
                file.seek(place.offset)
                yield place, _decode(file.readline(MOST_LINE_BYTES), text)
        return
    position = 0
    with io.BufferedReader(open_text(text) if isinstance(text, Shard) else ChunkStream(text.plain_text())) as stream:
        for place in places:
            if not position <= place.offset <= MOST_INFLATED_BYTES:
                continue
            while position < place.offset and (chunk := stream.read(min(place.offset - position, SKIPPED_BYTES))):
                position += len(chunk)
            line = stream.readline(MOST_LINE_BYTES)
            position += len(line)
            yield place, _decode(line, text)


def _decode(line: bytes, text: Shard | TextColumn) -> str:
    decoded = line.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r\n")
    return unescape(decoded) if isinstance(text, Shard) and text.is_extracted else decoded
