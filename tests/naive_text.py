"""Obvious twins of the reader: the whole text at once, one line at a time."""

from __future__ import annotations

WHITE_SPACE = b" \t\r\v\f"


def paragraphs(text: bytes, limit: int) -> bytes:
    """All lines, each ended by a line feed, those longer than `limit` cut into pieces."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    pieces = [piece for line in lines for piece in _pieces(line, limit)]
    if pieces[-1] == b"":  # what follows the last line feed, or the last white space, is no line
        pieces.pop()
    return b"".join(piece + b"\n" for piece in pieces)


def _pieces(line: bytes, limit: int) -> list[bytes]:
    pieces = []
    while len(line) + 1 > limit:
        spaces = [place for place in range(limit) if line[place : place + 1] in set(map(bytes, zip(WHITE_SPACE)))]
        if spaces:
            pieces.append(line[: spaces[-1]])
            line = line[spaces[-1] + 1 :]
        else:
            end = limit - 1
            while (line[end] & 0xC0) == 0x80:
                end -= 1
            pieces.append(line[:end])
            line = line[end:]
    return [*pieces, line]
