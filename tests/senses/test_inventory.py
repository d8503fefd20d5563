"""Lists of known senses: what is read, and what is refused by a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from wordatoms.errors import InputError
from wordatoms.senses.inventory import Inventory, ListedSense, parse_inventory, read_inventory

PORT = "port\tharbour\tships dock\nport\twine\tglass bottle\n"


def test_lines_are_senses() -> None:
    listed = parse_inventory("# a comment\n\n" + PORT)
    assert len(listed) == 2
    assert listed.of("port") == [
        ListedSense("port", "harbour", ("ships", "dock")),
        ListedSense("port", "wine", ("glass", "bottle")),
    ]
    assert not listed.of("ports")
    assert repr(listed) == "Inventory(2 senses of 1 words)"


def test_the_digest_depends_on_what_is_listed_alone() -> None:
    assert parse_inventory(PORT).digest == parse_inventory(f"\ufeff# new\r\n{PORT}").digest
    assert parse_inventory(PORT).digest != parse_inventory(PORT.replace("glass", "red")).digest


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it lists no sense"),
        ("port harbour ships\n", "line 1 is 'port harbour ships'; expected word, name and cue words"),
        ("port\tharbour\t \n", "line 1"),
        (PORT + PORT, "it lists a sense of 'port' twice: 'harbour'"),
        (f"port\t{'x' * 101}\tships\n", "line 1: the name has 101 characters"),
        ("".join(f"port\tsense {n}\tships\n" for n in range(51)), "it lists 51 senses of 'port'"),
    ],
)
def test_faults_are_named(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_inventory(text)


def test_files_that_are_no_lists(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_inventory(tmp_path / "binary")
    with pytest.raises(InputError, match="cannot be read as a list of senses"):
        read_inventory(tmp_path / "none.tsv")
    with pytest.raises(InputError, match="cannot be read as a list of senses"):
        read_inventory("/dev/null")
    (tmp_path / "list.tsv").write_text("nothing\n")
    with pytest.raises(InputError, match=r"list\.tsv .*line 1"):
        read_inventory(tmp_path / "list.tsv")


def test_the_list_of_the_package_is_sound() -> None:
    listed = read_inventory("english")
    assert len(listed) > 10_000
    assert {"prison", "biology"} & set(" ".join(sense.name for sense in listed.of("cell")).replace(",", "").split())
    assert all(len(sense.cues) >= 3 for sense in listed.senses)


def test_an_empty_inventory_knows_nothing() -> None:
    assert not Inventory(())
    assert not Inventory(()).of("port")


def test_a_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read as a list of senses: Is a directory"):
        read_inventory(tmp_path)
