"""The six sources of the English text, each with its way from a raw file to paragraphs."""

from __future__ import annotations

import html
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from english_text.cleaning import join_divided
from english_text.repositories import find_repository, read_files

Parser = Callable[[str], list[tuple[str, list[str]]]]
"""From the text of a file to its documents, each a name and its paragraphs."""


@dataclass(frozen=True)
class Source:
    """Where a source comes from, and how its files are read."""

    name: str
    parse: Parser
    hold_one_of: int
    """One document of so many is held out."""
    repository: str = ""
    commit: str = ""
    folders: tuple[str, ...] = ("",)
    suffix: str = ""

    def files(self, repositories: Path, wikipedia: Path) -> Iterator[tuple[str, bytes]]:
        """Yield name and content of the files, in an order that does not depend on the machine."""
        if not self.repository:
            yield from _runs_of_lines(wikipedia)
            return
        copy = find_repository(repositories, self.repository)
        for folder in self.folders:
            yield from read_files(copy, self.commit, folder, self.suffix)


def decode(content: bytes) -> str:
    """Decode a file of unknown age, with line ends as \\n."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


LINES_PER_RUN = 400


def _runs_of_lines(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Cut files without marks between articles into runs of lines; a run is held out as a whole."""
    paths = (
        sorted(path for path in folder.iterdir() if path.name.endswith((".txt", ".txt.xz"))) if folder.is_dir() else []
    )
    if not paths:
        raise SystemExit(f"{folder} has no text files (.txt or .txt.xz); pass the folder of the Wikipedia text.")
    for path in paths:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as lines:
            number = 0
            while run := b"".join(islice(lines, LINES_PER_RUN)):
                yield f"{path.name}:{number}", run
                number += 1


def parse_lines(text: str) -> list[tuple[str, list[str]]]:
    """One paragraph per line, one document."""
    return [("", text.split("\n"))]


_ARTICLE = re.compile(r'<doc [^>]*title="([^"]*)"[^>]*>\n(.*?)</doc>', re.DOTALL)
_ABOUT_THE_WIKI = re.compile(r"(?:Wikipedia|Template|Help|Category|MediaWiki|Portal|User|File|Module)(?: talk)?:")


def parse_extracted(text: str) -> list[tuple[str, list[str]]]:
    """Articles as WikiExtractor writes them, without their titles and without pages about the wiki."""
    articles = ((found[1], found[2].split("\n")[1:]) for found in _ARTICLE.finditer(text))
    return [(title, lines) for title, lines in articles if not _ABOUT_THE_WIKI.match(title)]


_HEADER_LINE = re.compile(r"^\+=+\+$", re.MULTILINE)
_PAGE_MARK = re.compile(r"-?\[\d+:\d+:\d+\]\s?(?=[a-z])|\[\d+:\d+:\d+\]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")


def parse_encyclopaedia(text: str) -> list[tuple[str, list[str]]]:
    """An article of the Nineteenth-Century Knowledge Project, after its header between two lines."""
    marks = list(_HEADER_LINE.finditer(text, 0, 3000))
    body = text[marks[-1].end() :] if marks else text
    body = _PAGE_MARK.sub(_without_page, body)
    return [("", _BLANK_LINE.split(join_divided(body).strip()))]


def _without_page(found: re.Match[str]) -> str:
    """Nothing if a page ends within a word, otherwise the space that followed."""
    return "" if found[0].startswith("-") or not found[0].endswith((" ", "\n")) else " "


_START = re.compile(
    r"\*\*\*\s?START OF TH(?:E|IS) PROJECT GUTENBERG[^*]{0,300}\*\*\*|\*END\*?\s?THE SMALL PRINT[^\n]*", re.I
)
_END = re.compile(r"^\W{0,6}(?:The )?End of (?:the |this )?(?:Project Gutenberg|EBook of)", re.I | re.M)
_NOT_FREE = re.compile(r"copyrighted Project Gutenberg|personal use|under copyright|is copyrighted", re.I)
_OTHER_LANGUAGE = re.compile(r"^Language:\s*(?!English)\w", re.M)
_BRACKETS = re.compile(
    r"\[(?:Illustration|Sidenote|Music|Decoration)[^\]]{0,600}\]|\[Footnote \w+:?|"
    r"\[(?:Pg|Page|p\.) ?[\divxlc]+\]|\[\d+\]|\{\d+\}|<[a-z/][^<>\n]{0,40}>",
    re.I,
)
_PAGE_NUMBER = re.compile(r"^[ \t]*[\[({]?(?:(?:Pg|Page|p\.) ?)?\d{1,4}[\])}]?[ \t]*$\n?", re.M)
_EMPHASIS = str.maketrans("", "", "_*=|~#")


def parse_gutenberg(text: str) -> list[tuple[str, list[str]]]:
    """A book of Project Gutenberg, without the parts added to it; none if it is not free or not in English."""
    starts = list(_START.finditer(text, 0, 40_000))
    begin = starts[-1].end() if starts else 0
    head = text[: begin or 2000]
    if _NOT_FREE.search(head) or _OTHER_LANGUAGE.search(head):
        return []
    end = _END.search(text, begin)
    body = _without_marks(text[begin : end.start() if end else len(text)]).translate(_EMPHASIS)
    return [("", [block for block in _BLANK_LINE.split(body) if not is_list(block)])]


def _without_marks(text: str) -> str:
    """Remove page numbers, notes in brackets and tags, and join divided words."""
    return join_divided(_BRACKETS.sub(" ", _PAGE_NUMBER.sub("", text)))


_COLUMNS = re.compile(r"\S(?: {4,}|\t|(?: ?\.){4,} ?)\S")


def is_list(block: str) -> bool:
    """Tell tables, contents and title pages by their lines: columns, or short lines that end without a mark."""
    lines = [line for line in block.split("\n") if line.strip()]
    if len(lines) < 2:
        return bool(_COLUMNS.search(block.strip()))
    columns = sum(_COLUMNS.search(line.strip()) is not None for line in lines)
    if 3 * columns >= len(lines):
        return True
    open_ends = sum(line.rstrip()[-1] not in ".!?;:,-'\")”’" for line in lines)
    return len(lines) > 2 and 5 * open_ends >= 4 * len(lines) and sum(map(len, lines)) < 45 * len(lines)


_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def parse_markdown(text: str) -> list[tuple[str, list[str]]]:
    """A book in Markdown, after the first rule; headings are left out."""
    body = text.partition("\n-------\n")[2] or text
    blocks = _BLANK_LINE.split(_without_marks(_LINK.sub(r"\1", body)).strip())
    return [("", [each.lstrip("> ").translate(_EMPHASIS) for each in blocks if each[:1] != "#" and not is_list(each)])]


_TEI_BODY = re.compile(r"<body\b[^>]*>(.*)</body>", re.S)
_TEI_NOTE = re.compile(r"<(note|ref|head)\b[^>]*>.*?</\1>", re.S)
_TEI_PARAGRAPH = re.compile(r"<(p|l|quote)\b[^>]*>(.*?)</\1>", re.S)
_TAG = re.compile(r"<[^>]*>")


def parse_tei(text: str) -> list[tuple[str, list[str]]]:
    """A novel in TEI: the paragraphs of its body, without headings and notes."""
    body = _TEI_BODY.search(text)
    inside = _TEI_NOTE.sub(" ", body[1]) if body else ""
    return [("", [html.unescape(_TAG.sub("", found[2])) for found in _TEI_PARAGRAPH.finditer(inside)])]


SOURCES = (
    Source("wikipedia", parse_lines, 100),
    Source("simple", parse_extracted, 45, "hudsonmiears/Automatic-Text-Selector", "8a97557", ("extracted",)),
    Source("britannica", parse_encyclopaedia, 45, "TU-plogan/kp-editions", "b476dc7", ("eb07/TXT", "eb09/TXT"), ".txt"),
    Source("gutenberg", parse_gutenberg, 45, "rcdm-uga/Gutenberg_Text", "a0b16d3", suffix=".txt"),
    Source("classics", parse_markdown, 45, "mlschmitt/classic-books-markdown", "9448827", suffix=".md"),
    Source("novels", parse_tei, 20, "COST-ELTeC/ELTeC-eng", "3db3b67", ("level1",), ".xml"),
)
"""In this order: a paragraph belongs to the first source that has it."""
