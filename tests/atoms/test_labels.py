from __future__ import annotations

import pytest

from wordatoms.atoms.labels import make_label


@pytest.mark.parametrize(
    ("nearest", "label"),
    [
        (["trousers", "blouse", "waistcoat", "skirt"], "trousers, blouse, waistcoat"),
        (["river", "rivers", "river's", "tributary", "tributaries", "upstream"], "river, tributary, upstream"),
        (["court's", "court", "appeals", "supreme"], "court's, appeals, supreme"),
        (["one"], "one"),
        ([], ""),
    ],
)
def test_label_has_one_word_of_each_stem(nearest: list[str], label: str) -> None:
    assert make_label(nearest) == label
