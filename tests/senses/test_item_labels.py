from __future__ import annotations

from pathlib import Path

import numpy as np

from wordatoms.embeddings.items import ItemTexts, save_texts
from wordatoms.senses.item_labels import NO_WORDS, label_by_texts


def labels(folder: Path, texts: list[str], nearest: list[list[int]]) -> tuple[str, ...]:
    save_texts(folder, texts)
    return label_by_texts(ItemTexts.load(folder, len(texts)), np.array(nearest, np.int32))


def test_words_that_examples_share_and_others_do_not(tmp_path: Path) -> None:
    about = ["the boat and the sea", "the sea had a boat", "a sea for the boat", "the tree in the park", "the old park"]
    others = [f"the hill of number {n} and the bread" for n in range(40)]
    first, second = labels(tmp_path, [*about, *others], [[0, 1, 2], [3, 4, 5]])
    assert first == "boat, sea"
    assert second == "park"


def test_a_text_counts_once_however_often_it_is_repeated(tmp_path: Path) -> None:
    texts = [*["click here to subscribe"] * 9, "red roses", "roses bloom", *["plain words"] * 20]
    assert labels(tmp_path, texts, [[*range(9), 9, 10]])[0] == "roses"


def test_examples_that_share_nothing(tmp_path: Path) -> None:
    shown = labels(tmp_path, ["", "alpha beta", "gamma delta", "", "12 34"], [[1, 2, 3], [0, 3, 4]])
    assert shown == ("alpha, beta", NO_WORDS)
