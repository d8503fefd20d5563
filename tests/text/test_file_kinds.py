from __future__ import annotations

import gzip

import pytest

from samples import POEM
from wordatoms.errors import InputError
from wordatoms.text.files import is_dump, refuse_binary


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
        (b"PK\x03\x04\x14\0", "a ZIP archive"),
        (b"notes.txt".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
        ("Mond\n".encode("utf-16"), "UTF-16 text; iconv -f UTF-16 -t UTF-8 converts it"),
        ("Mond\n".encode("utf-16-be"), "UTF-16 text"),
        ("月が綺麗".encode("utf-16"), "UTF-16 text"),
        ("Mond\n".encode("utf-32"), "UTF-32 text"),
        (gzip.compress(POEM), "a gzip file inside a compressed file"),
    ],
)
def test_files_that_are_not_text_are_told_by_their_kind(content: bytes, kind: str) -> None:
    with pytest.raises(InputError) as caught:
        refuse_binary(content, "probe")
    assert f"probe is not plain text: it looks like {kind}" in str(caught.value)


def test_a_nul_byte_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match="near is not plain text: it contains a NUL byte at byte 9; pass plain"):
        refuse_binary(b"words and\0more\n", "near")


@pytest.mark.parametrize("content", [b"", POEM, POEM[:-2], b"PAR1S\n", b"caf\xe9\n", b"%PDF- is a mark\n"])
def test_text_and_what_is_only_broken_pass(content: bytes) -> None:
    refuse_binary(content, "probe")


@pytest.mark.parametrize(
    "head",
    [
        b"<mediawiki>",
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- by hand -->\n<mediawiki xml:lang="en">',
        b"<!DOCTYPE mediawiki [<!ENTITY a 'b'>]>\n<mediawiki\n",
    ],
)
def test_a_dump_is_recognised_behind_its_prologue(head: bytes) -> None:
    assert is_dump(head)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        POEM,
        b"<?xml version='1.0'?><tei><mediawiki/></tei>\n",
        b"<mediawikis>",
        b"<!-- -->" * 5000 + b" " * 20_000 + b"<html>\n",  # and is seen through quickly
    ],
)
def test_other_files_are_no_dumps(head: bytes) -> None:
    assert not is_dump(head)
