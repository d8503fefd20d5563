"""Our safetensors against the reference library, both ways, and files that lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordatoms.errors import InputError
from wordatoms.storage.safetensors import TYPES, map_safetensors, write_safetensors

KINDS = [np.dtype(kind) for kind in TYPES.values()]
TABLES = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda name: name != "__metadata__"),
    st.sampled_from(KINDS).flatmap(lambda kind: arrays(kind, array_shapes(min_dims=0, min_side=0, max_dims=3))),
    max_size=4,
)


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        first[name].dtype == second[name].dtype
        and first[name].shape == second[name].shape
        and first[name].tobytes() == second[name].tobytes()
        for name in first
    )


@given(TABLES)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("arrays") / "a.safetensors"
    write_safetensors(path, table, {"format": "np"})
    assert same(map_safetensors(path), table)


def test_the_reference_library_reads_and_writes_the_same(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    table = {str(kind): (rng.random((3, 5)) * 2).astype(kind) for kind in KINDS}
    write_safetensors(tmp_path / "ours", table, {"format": "np"})
    assert same(library.load_file(tmp_path / "ours"), table)
    library.save_file(table, tmp_path / "theirs", {"format": "np"})
    assert same(map_safetensors(tmp_path / "theirs"), table)


def write(path: Path, header: Any, content: bytes = bytes(8)) -> Path:
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + content)
    return path


GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"a": {**GOOD, "shape": [3]}}, "does not fill"),
        ({"a": {**GOOD, "shape": [-2]}}, "as numbers"),
        ({"a": {**GOOD, "shape": [2.0]}}, "as numbers"),
        ({"a": {**GOOD, "shape": [True, 2]}}, "as numbers"),
        ({"a": {**GOOD, "dtype": "F8_E4M3"}}, "as numbers"),
        ({"a": {**GOOD, "dtype": []}}, "as numbers"),
        ({"a": {**GOOD, "data_offsets": [0, 8, 9]}}, "as numbers"),
        ({"a": {**GOOD, "data_offsets": [8, 16]}}, "does not begin"),
        ({"a": {**GOOD, "shape": [1 << 62, 1 << 62], "data_offsets": [0, 1 << 126]}}, "has"),
        ({"a": GOOD, "b": GOOD}, "does not begin"),
        ({"a": {**GOOD, "shape": [1], "data_offsets": [0, 4]}}, "its arrays have 4 bytes, the file has 8"),
        ({"a": {"dtype": "BOOL", "shape": [8], "data_offsets": [0, 8]}}, "truth values"),
        ([], "no table"),
        ({"a": 3}, "as numbers"),
        (b"[" * 100_000, "nested"),
        (b"\xff\xfe", "Expecting|decode"),
        (b"", "Expecting value"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, header: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        map_safetensors(write(tmp_path / "bad", header, b"\x02" * 8))


def test_a_length_beyond_the_file_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"\x01", b"\xff" * 8, b"\xff" * 9):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ValueError, match="announces a header"):
            map_safetensors(tmp_path / "bad")


def test_text_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="safetensors cannot hold"):
        write_safetensors(tmp_path / "text", {"a": np.array(["x"])}, {})
