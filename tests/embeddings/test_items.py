from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.embeddings.items import FILE, NAME_LENGTH, ItemTexts, read_texts, save_texts, shorten
from wordatoms.errors import InputError, ModelError

TEXTS = [
    "A spring day",
    "",
    "A spring day",
    "tab\there\nand\r\na line",
    "   \n\t",
    "word " * 200_000,
    "x" * 1_000_000,
    "bell\x07 and \x1b[31mred\x1b[0m \u202e reversed",
    "日本語の文" * 30,
    "A spring day (row 2)",
]


def test_texts_come_back_and_names_are_short_and_different(tmp_path: Path) -> None:
    names = save_texts(tmp_path, TEXTS)
    stored = ItemTexts.load(tmp_path, len(TEXTS))
    assert list(stored) == TEXTS
    assert stored[1:3] == TEXTS[1:3]
    assert stored[-1] == TEXTS[-1]
    assert names[:5] == ("A spring day", "(row 1)", "A spring day (row 2)", "tab here and a line", "(row 4)")
    assert names[9] == "A spring day (row 2) (row 9)"
    assert len(set(names)) == len(names)
    assert all(name.isprintable() and name and len(name) < NAME_LENGTH + 20 for name in names)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)))))
def test_any_texts(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("items")
    names = save_texts(folder, texts)
    assert list(ItemTexts.load(folder, len(texts))) == texts
    assert len(set(names)) == len(texts)
    assert all(name.isprintable() for name in names)


@given(st.text(), st.integers(2, 50))
def test_shortened_texts_are_one_line_of_at_most_the_length(text: str, length: int) -> None:
    line = shorten(text, length)
    assert len(line) <= length
    assert line.isprintable()
    assert shorten(line, length) == line


def test_lines_and_columns(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfone\r\n\r\ntwo\twith a tab\nthree")
    assert list(read_texts(tmp_path / "t.txt")) == ["one", "", "two\twith a tab", "three"]
    (tmp_path / "t.csv").write_text('n,text\n1,"two\nlines"\n2,\n')
    assert list(read_texts(tmp_path / "t.csv", "text")) == ["two\nlines", ""]
    with pytest.raises(InputError, match="is a table; say with --column"):
        list(read_texts(tmp_path / "t.csv"))
    (tmp_path / "bad.txt").write_bytes(b"good\nb\xe4d\n")
    with pytest.raises(InputError, match=r"line 2 .* is not valid UTF-8"):
        list(read_texts(tmp_path / "bad.txt"))


def test_damaged_texts_are_refused(tmp_path: Path) -> None:
    save_texts(tmp_path, ["one", "two"])
    with pytest.raises(ModelError, match="does not hold the texts of 3 items"):
        ItemTexts.load(tmp_path, 3)
    opened, content = ItemTexts.load(tmp_path, 2), (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(content.replace(b"two", b'"wo'))
    with pytest.raises(ModelError, match="is damaged"):
        opened[1]
    (tmp_path / FILE).write_bytes(content[:-3])
    with pytest.raises(ModelError, match="does not hold the texts of 2 items"):
        ItemTexts.load(tmp_path, 2)
