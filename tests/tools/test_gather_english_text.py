"""The text of the English model, on small made-up sources: what is kept, what is left out, what is held out."""

from __future__ import annotations

import lzma
import subprocess
from pathlib import Path

import gather_english_text as tool
import numpy as np
import pytest
from english_text.cleaning import clean, join_divided, key
from english_text.repositories import find_repository, read_files
from english_text.selection import Seen, Tally, is_held_out
from english_text.sources import (
    SOURCES,
    decode,
    is_list,
    parse_encyclopaedia,
    parse_extracted,
    parse_gutenberg,
    parse_markdown,
    parse_tei,
)

PROSE = "The old man went down to the river and sat there with his dog until it was dark."
OTHER = "She had been in the house for three days when the letter from her brother came at last."


def cleaned(*paragraphs: str) -> list[str]:
    return clean("a book", paragraphs).paragraphs


# --- paragraphs


def test_prose_is_kept_on_one_line_with_plain_marks() -> None:
    assert cleaned(f"  “Well,” said he,\n {PROSE}—and  so on. ") == [f'"Well," said he, {PROSE}--and so on.']


@pytest.mark.parametrize(
    "left_out",
    [
        "CHAPTER THE FIRST, IN WHICH THE HERO OF THE STORY IS BORN AND LEAVES HIS HOME FOR THE SEA.",
        "The Return of the King",
        "Yes, said he.",
        "1801 12,440 13,001 1811 14,502 15,220 1821 17,030 18,900 of the whole 1831 20,114 in all.",
        "Abbot, John; Baker, William; Carter, Henry; Dawson, Charles; " * 4,
        "Der Mann ging zum Fluss hinunter und sass dort mit seinem Hund, bis es ganz dunkel war und kalt wie nie.",
        "Tlie ^^ o£ «the> |i ■■ ti«ie •• {}} ~~ ¬¬ was § it¶ an<l so °° on ¢¢ with [[ ]] the »» rest.",
        "T h e o l d m a n w e n t d o w n t o t h e r i v e r a n d s a t .",
        "This is one of the books of Project Gutenberg, and you may copy it as you like, or give it away.",
        "By the same author, with eight plates, and in a new binding for the young: 12mo. Cloth. Price, $1.50.",
        "",
    ],
)
def test_what_is_no_running_text_is_left_out(left_out: str) -> None:
    assert cleaned(left_out, PROSE) == [PROSE]


def test_paragraphs_with_the_same_letters_have_one_key() -> None:
    assert key("The Cat, it sat!") == key('"the cat -- it sat"')
    assert key("The cat sat.") != key("The cat sits.")
    document = clean("a", [PROSE, PROSE.upper().lower()])
    assert document.keys[0] == document.keys[1]
    assert document.n_words.tolist() == [18, 18]


def test_a_divided_word_is_joined_if_the_text_has_it() -> None:
    assert join_divided("the gover-\nnor and the governor") == "the governor and the governor"
    assert join_divided("half-\npast two") == "half-past two"


# --- sources


def test_a_book_of_gutenberg_loses_what_was_added() -> None:
    text = f"""The Project Gutenberg EBook of A Tale
Language: English
*** START OF THIS PROJECT GUTENBERG EBOOK
A TALE ***
CONTENTS

Chapter I. .......... 1
Chapter II. .......... 9

[Illustration: The man
and his dog]

{PROSE[:39]}
[Pg 12]
{PROSE[39:]}

_{OTHER}_[3]

End of Project Gutenberg's A Tale
You may copy it, give it away and re-use it under the terms of the licence of this book.
"""
    [(_, paragraphs)] = parse_gutenberg(text)
    assert cleaned(*paragraphs) == [" ".join(PROSE.split()), OTHER]


@pytest.mark.parametrize("line", ["Language: French", "** This is a COPYRIGHTED Project Gutenberg eBook **"])
def test_a_book_that_is_not_free_or_not_english_is_left_out(line: str) -> None:
    assert parse_gutenberg(f"{line}\n*** START OF THE PROJECT GUTENBERG EBOOK A ***\n{PROSE}\n") == []


def test_lists_are_told_from_verse_and_prose() -> None:
    assert is_list("The Boy's Own Book\nA Trip to the Sea\nThe Lost Ship\nAt Home Again")
    assert is_list("wheat      12      14\nbarley     10      11")
    assert not is_list("I wandered lonely as a cloud,\nThat floats on high o'er vales and hills,\nWhen all at once;")
    assert not is_list(f"{PROSE}\n{OTHER}\n{PROSE[:60]}\n")


def test_an_article_of_the_encyclopaedia_loses_header_and_page_marks() -> None:
    line = "+====+"
    first, second = f"{PROSE[:30]}-[7:21:340]{PROSE[30:]}", f"{OTHER[:7]}[7:1:2] {OTHER[8:]}"
    assert parse_encyclopaedia(f"{line}\n License\n{line}\n\n{first}\n\n{second}\n") == [("", [PROSE, OTHER])]


def test_articles_of_a_wiki_lose_titles_and_pages_about_the_wiki() -> None:
    text = "".join(
        f'<doc id="1" url="u" title="{title}">\n{title}\n\n{PROSE}\n</doc>\n' for title in ("Dog", "Wikipedia:Rules")
    )
    assert [(title, cleaned(*lines)) for title, lines in parse_extracted(text)] == [("Dog", [PROSE])]


def test_a_book_in_markdown_loses_headings_and_emphasis() -> None:
    text = f"# Title: A\n\n## Year: 1900\n\n-------\n\n## Chapter 1 of the book of the man.\n\n> *{PROSE}*\n"
    assert [cleaned(*paragraphs) for _, paragraphs in parse_markdown(text)] == [[PROSE]]


def test_a_novel_in_tei_loses_notes_and_tags() -> None:
    body = f"<head>One</head><p>The <hi>old</hi> man{PROSE[11:]}</p><note><p>{OTHER}</p></note>"
    text = f"<TEI><front><p>{OTHER}</p></front><body>{body}</body></TEI>"
    assert [cleaned(*paragraphs) for _, paragraphs in parse_tei(text)] == [[PROSE]]
    assert parse_tei("<TEI>broken") == [("", [])]


def test_old_encodings_and_line_ends_are_read() -> None:
    assert decode("café\r\nnoir\r".encode("cp1252")) == "café\nnoir\n"
    assert decode("café".encode()) == "café"


# --- selection


def test_a_document_mostly_seen_before_is_left_out_as_a_whole() -> None:
    seen, tally = Seen(), Tally()
    assert seen.new_paragraphs(clean("a", [PROSE, OTHER, "Yes, it is so, he said."]), tally) == [0, 1, 2]
    new = "There was nobody on the road, and it was so cold that she wished she had stayed at home."
    assert seen.new_paragraphs(clean("b", [PROSE, OTHER, new]), tally) is None
    assert seen.new_paragraphs(clean("c", [PROSE, new, new, f"{new} And so on.", f"{new} It was."]), tally) == [1, 3, 4]
    assert (tally.seen_documents, tally.seen_words, tally.repeated) == (1, 18 + 18 + 19, 18 + 19)
    assert seen.new_paragraphs(clean("d", []), tally) == []


def test_one_document_in_so_many_is_held_out_by_its_name() -> None:
    held = [is_held_out("novels", str(number), 20) for number in range(2000)]
    assert 60 <= sum(held) <= 140
    assert held == [is_held_out("novels", str(number), 20) for number in range(2000)]


# --- the whole


def a_repository(path: Path, files: dict[str, str]) -> str:
    """A repository with one commit; returns its name."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    git = ["git", "-C", str(path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "text"], ["tag", "text"]):
        subprocess.run([*git, *command], check=True)
    return path.name


def test_files_are_read_from_git_and_missing_ones_skipped(tmp_path: Path) -> None:
    a_repository(tmp_path / "books", {"b/two.txt": "2", 'a/one, "Née".txt': "1", "a/not.md": "3", "lost.txt": "4"})
    lost = subprocess.run(["git", "-C", str(tmp_path / "books"), "rev-parse", "text:lost.txt"], capture_output=True)
    digest = lost.stdout.decode().strip()
    (tmp_path / "books" / ".git" / "objects" / digest[:2] / digest[2:]).unlink()
    copy = find_repository(tmp_path, "someone/books")
    assert list(read_files(copy, "text", "", ".txt")) == [('a/one, "Née".txt', b"1"), ("b/two.txt", b"2")]
    assert [path for path, _ in read_files(copy, "text", "b", ".txt")] == ["b/two.txt"]
    with pytest.raises(SystemExit, match="has no commit nothing"):
        list(read_files(copy, "nothing", "", ".txt"))
    with pytest.raises(SystemExit, match=r"git clone .*someone/else"):
        find_repository(tmp_path, "someone/else")


def sentences(topic: str, n: int) -> list[str]:
    return [
        f"In the year of the {topic} number {number} they were all at home and had it to themselves."
        for number in "abcdefghijklmnop"[:n]
    ]


def test_all_sources_are_gathered_the_same_whatever_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wikipedia = tmp_path / "wikipedia"
    wikipedia.mkdir()
    (wikipedia / "part-0.txt").write_text("\n".join(sentences("lion", 5)) + "\n")
    with lzma.open(wikipedia / "part-1.txt.xz", "wb") as file:
        file.write(("\n".join(sentences("tiger", 5)) + "\n").encode())
    books = {f"book-{number}.txt": "\n\n".join(sentences(f"book of {'xvi' * number}", 6)) for number in range(1, 9)}
    books["copy.txt"] = "\n\n".join(sentences("lion", 5))
    a_repository(tmp_path / "books", books)
    wiki, book = SOURCES[0], next(each for each in SOURCES if each.name == "gutenberg")
    few = (wiki, type(book)("gutenberg", book.parse, 4, "someone/books", "text", suffix=".txt"))
    monkeypatch.setattr(tool, "SOURCES", few)
    monkeypatch.setattr(tool, "BATCH_FILES", 2)
    tallies = [tool.gather(tmp_path, wikipedia, tmp_path / f"text-{n}", n) for n in (1, 2)]
    contents = [
        {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*.txt"))}
        for root in (tmp_path / "text-1", tmp_path / "text-2")
    ]
    assert contents[0] == contents[1]
    assert tallies[0] == tallies[1]
    assert set(contents[0]) == {"wikipedia-00.txt", "gutenberg-00.txt", "held/wikipedia.txt", "held/gutenberg.txt"}
    assert contents[0]["wikipedia-00.txt"].split("\n")[:-1] == sentences("lion", 5) + sentences("tiger", 5)
    gutenberg = tallies[0]["gutenberg"]
    assert (gutenberg.documents, gutenberg.seen_documents) == (8, 1)
    assert gutenberg.words == len(contents[0]["gutenberg-00.txt"].split())
    assert gutenberg.held_out == len(contents[0]["held/gutenberg.txt"].split()) > 0
    assert not list(tmp_path.glob(".text-*"))


def test_text_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="has no text files"):
        next(SOURCES[0].files(tmp_path, tmp_path))


def test_keys_are_numbers_of_eight_bytes() -> None:
    document = clean("a", [PROSE])
    assert document.keys.dtype == np.uint64
    assert document.keys.tobytes() == key(PROSE)
