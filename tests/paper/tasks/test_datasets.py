"""Files of evaluation data: what every reader of them shares."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordatoms.errors import InputError
from wordatoms.paper.tasks.datasets import join_contractions, parse_number, read_fields, read_text, task_folder


@pytest.mark.parametrize(
    ("split", "joined"),
    [
        ("I do n't , you CA N'T", "I don't , you CAN'T"),
        ("they 'll say we’ve , I  'm", "they'll say we’ve , I'm"),
        ("China 's market", "China 's market"),
        ("the 'dear ones' and 'more'", "the 'dear ones' and 'more'"),
    ],
)
def test_contractions_are_whole_again(split: str, joined: str) -> None:
    assert join_contractions(split) == joined


def test_fields_between_white_space_or_tabs(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\tc\r\n \n\td e\t\n")
    assert list(read_fields(path)) == [(1, ["a", "b", "c"]), (3, ["d", "e"])]
    assert list(read_fields(path, "\t")) == [(1, ["a b", "c"]), (3, ["", "d e", ""])]


def test_the_folder_of_a_task(tmp_path: Path) -> None:
    assert task_folder(tmp_path, "scws") == tmp_path
    (tmp_path / "scws").mkdir()
    assert task_folder(tmp_path, "scws") == tmp_path / "scws"


def test_numbers_are_finite() -> None:
    assert [parse_number(text) for text in ("1.5", "-2", "inf", "nan", "x", "")] == [1.5, -2, None, None, None, None]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_text(tmp_path / "none.txt")
    with pytest.raises(InputError, match="is a folder"):
        read_text(tmp_path)
