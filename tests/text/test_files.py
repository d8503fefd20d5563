from __future__ import annotations

import os
from pathlib import Path

import pytest

from samples import write
from wordatoms.errors import InputError
from wordatoms.text.files import file_errors, find_files, is_regular, printable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    return folder


def found_below(folder: Path, sources: list[str | Path]) -> list[str]:
    return [os.path.relpath(path, folder) for path in find_files(sources)]


def refusal(sources: list[str | Path]) -> str:
    with pytest.raises(InputError) as caught:
        find_files(sources)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


def test_a_folder_is_read_in_order_without_hidden_files(folder: Path) -> None:
    for name in ["b.txt", "a/2.txt", "a/1.txt", ".hidden", ".git/config", "c.txt"]:
        write(folder / name)
    assert found_below(folder, [folder]) == ["a/1.txt", "a/2.txt", "b.txt", "c.txt"]


def test_files_come_in_the_order_given_and_count_once(folder: Path) -> None:
    first, second = write(folder / "a.txt"), write(folder / "b.txt")
    (folder / "link.txt").symlink_to(second)
    sources = [second, str(first), folder, str(folder / "*.txt"), folder / ".." / folder.name / "a.txt"]
    assert found_below(folder, sources) == ["b.txt", "a.txt"]


def test_standard_input_stays_as_it_is(folder: Path) -> None:
    path = write(folder / "text")
    assert find_files(["-", path, "-"]) == ["-", str(path)]


def test_a_pattern_reaches_into_folders(folder: Path) -> None:
    for name in ["x/1.txt", "x/y/2.txt", "3.txt", "4.csv"]:
        write(folder / name)
    assert found_below(folder, [f"{folder}/**/*.txt"]) == ["3.txt", "x/1.txt", "x/y/2.txt"]
    assert found_below(folder, [f"{folder}/?"]) == ["x/1.txt", "x/y/2.txt"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path) -> None:
    path = write(folder / "what[1]*.txt")
    write(folder / "what1.txt", b"another\n")
    assert find_files([path]) == [str(path)]


def test_links_that_go_in_circles_end(folder: Path) -> None:
    write(folder / "deep" / "text")
    (folder / "deep" / "up").symlink_to(folder)
    assert found_below(folder, [folder]) == ["deep/text"]


def test_pipes_are_left_out_of_folders_but_can_be_named(folder: Path) -> None:
    text = write(folder / "text")
    os.mkfifo(folder / "pipe")
    assert found_below(folder, [folder]) == ["text"]
    assert found_below(folder, [folder / "pipe"]) == ["pipe"]
    assert is_regular(str(text))
    assert not is_regular(str(folder / "pipe"))


def test_a_name_that_is_not_utf8_can_be_found_and_shown(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).touch()
    (path,) = find_files([folder])
    assert printable(path).endswith(r"/caf\xe9.txt")


# What cannot be found or read


@pytest.mark.parametrize("source", ["nowhere.txt", "", "no\0where", "x" * 5000])
def test_a_missing_path_is_refused(source: str) -> None:
    refusal([source])


def test_a_missing_path_says_where_it_was_sought() -> None:
    assert f"nowhere.txt does not exist; check the spelling (the current folder is {Path.cwd()})." == refusal(
        ["nowhere.txt"]
    )


def test_no_sources_an_empty_folder_and_an_empty_pattern_are_refused(folder: Path) -> None:
    write(folder / ".hidden")
    assert "no text was given" in refusal([])
    assert f"the folder {folder} contains no files" in refusal([folder])
    assert f"no file matches the pattern {folder}/*.txt" in refusal([f"{folder}/*.txt"])
    assert "nowhere/text does not exist" in refusal([folder / "nowhere/text"])


def test_a_link_to_nothing_is_refused(folder: Path) -> None:
    (folder / "link").symlink_to("nothing")
    assert "link does not exist" in refusal([folder])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_said(folder: Path) -> None:
    write(folder / "closed" / "text")
    (folder / "closed").chmod(0)
    try:
        assert "closed cannot be read: permission denied" in refusal([folder])
    finally:
        (folder / "closed").chmod(0o700)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (PermissionError(13, "Permission denied"), "x cannot be read: permission denied; change its permissions."),
        (IsADirectoryError(21, "Is a directory"), "x is a folder where a file was expected; pass the files in it."),
        (OSError(5, "Input/output error"), "x cannot be read: Input/output error; check the file."),
    ],
)
def test_what_the_system_says_becomes_a_sentence(error: OSError, sentence: str) -> None:
    with pytest.raises(InputError) as caught, file_errors("x"):
        raise error
    assert str(caught.value) == sentence
