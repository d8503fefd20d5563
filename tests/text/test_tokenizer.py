"""The fast tokeniser against the plain one, and both against worked examples."""

from __future__ import annotations

import re
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordatoms.errors import InputError
from wordatoms.text.tokenizer import Lexicon, Tokenizer, pack_words, unpack_words

EXAMPLES = {
    "The Tie wasn't tied in 1990.": ["the", "tie", "wasn't", "tied", "in", "1990"],
    "rock’n’roll 'quoted' dogs'": ["rock'n'roll", "quoted", "dogs"],
    "abc123def 3rd": ["abc", "123", "def", "3", "rd"],
    "well-known under_score": ["well", "known", "under", "score"],
    "cafe\u0301 CAFÉ": ["café", "café"],
    "ΟΔΟΣ Σίσυφος ΑΣ' ΣΑΣ": ["οδος", "σίσυφος", "ας", "σας"],
    "a\u0323\u0301 a\u0301\u0323": ["ạ\u0301", "ạ\u0301"],
    "q\u0323\u0301 q\u0301\u0323": ["q\u0323\u0301", "q\u0323\u0301"],
    "बाज़ार बा\u095bार ऩ": ["बाज़ार", "बाज़ार", "\u0929"],
    "পড়া ক\u09c7\u09be": ["পড়া", "ক\u09cb"],
    "\u1100\u1161\u11a8 가\u11a8": ["각", "각"],
    "İstanbul": ["i̇stanbul"],
    "हिन्दी में": ["हिन्दी", "में"],
    "می‌خواهم": ["می‌خواهم"],
    "co\u00adoperate": ["cooperate"],
    "❤️ love \ufe0f": ["love"],
    "٣٤ ১২": ["٣٤", "১২"],
    "x² ½ Ⅷ": ["x"],
    "": [],
}


def fast_tokens(text: str, tokenizer: Tokenizer) -> list[str]:
    """What the lexicon makes of a text, line ends left out."""
    lexicon = Lexicon(tokenizer=tokenizer)
    ids = lexicon.encode(text.encode(), grow=True).copy()
    words = lexicon.words()
    return [words[number] for number in ids if number >= 0]


@pytest.mark.parametrize("text", EXAMPLES)
def test_worked_examples(text: str) -> None:
    assert Tokenizer().tokens(text) == EXAMPLES[text]
    assert fast_tokens(text, Tokenizer()) == EXAMPLES[text]


text_without_zero = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from("aAbB'’ \n\t1٣éE\u0301\u0307Σσςİıß\u00ad\u200dʼ_-ﬀǅ각\u1100\u1161\u11a8א\u05b0.\u0345"),
        st.sampled_from(
            "aqन\u0928ড\u09c7\u0bc6\uac00\u0323\u0301\u0316\u093c\u094d\u09bc\u09be\u0bbe\u05bc\u0653\u0651"
        ),
    )
)
tokenizers = st.builds(Tokenizer, keep_case=st.booleans(), pretokenized=st.booleans())


@settings(max_examples=400, deadline=None)
@given(text_without_zero, tokenizers)
def test_fast_tokeniser_equals_plain_one(text: str, tokenizer: Tokenizer) -> None:
    assert fast_tokens(text, tokenizer) == tokenizer.tokens(text)


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("keep_case", [False, True])
def test_every_character_is_treated_alike(split: bool, keep_case: bool) -> None:
    """Every assigned character, and some of the million that are private or not assigned."""
    tokenizer = Tokenizer(keep_case=keep_case, pretokenized=split)
    characters = [chr(code) for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    characters = [char for char in characters if unicodedata.category(char) not in ("Cn", "Co") or ord(char) % 61 == 0]
    text = "\n".join(f"A{char}Σ {char}b" for char in characters if char != "\n")
    assert fast_tokens(text, tokenizer) == tokenizer.tokens(text)


def test_plain_pattern_is_the_unicode_categories() -> None:
    assert re.fullmatch(r"[a-z]+", "".join(Tokenizer().tokens("abc")))
    letters = [chr(c) for c in range(0x30000) if unicodedata.category(chr(c)).startswith("L")]
    assert all(len(Tokenizer(keep_case=True).tokens(unicodedata.normalize("NFC", char))) == 1 for char in letters[::37])


def test_line_ends_and_unknown_words() -> None:
    lexicon = Lexicon(["a", "b"])
    assert lexicon.encode(b"a c\n\nb").tolist() == [0, -2, -1, -1, 1, -1]


def test_lexicon_keeps_numbers_while_it_grows() -> None:
    words = [f"word{number}" for number in range(20_000)] + ["x" * 1_000, "é" * 500]
    lexicon = Lexicon()
    numbers = [lexicon.add([word])[0] for word in words]
    assert numbers == list(range(len(words)))
    assert lexicon.words() == words
    assert lexicon.add(words).tolist() == numbers


def test_token_longer_than_the_table_was_made_for() -> None:
    text = "z" * 300_000 + " y"
    assert fast_tokens(text, Tokenizer()) == ["z" * 300_000, "y"]


def test_threads_share_the_words_and_add_none() -> None:
    lexicon = Lexicon(["a", "b"])
    twin = lexicon.for_reading()
    ids = twin.encode(b"b a c")
    assert lexicon.encode(b"a a").tolist() == [0, 0, -1]
    assert ids.tolist() == [1, 0, -2, -1], "each has its own buffers"
    assert twin.n_bytes == lexicon.n_bytes
    with pytest.raises(RuntimeError, match="other threads"):
        twin.encode(b"c", grow=True)
    with pytest.raises(RuntimeError, match="other threads"):
        twin.add(["c"])


def test_a_lexicon_from_another_process_may_be_read_only() -> None:
    lexicon = Lexicon(["a"])
    lexicon._slots.flags.writeable = False
    assert lexicon.for_reading().encode(b"a").tolist() == [0, -1]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)))
def test_packing_is_reversible(words: list[str]) -> None:
    assert unpack_words(*pack_words(words)) == words


PHRASES = Tokenizer(phrases=("new york", "New York City", "ice cream"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love New York.", ["i", "love", "new_york"]),
        ("new york city ice cream", ["new_york_city", "ice_cream"]),
        ("new york new\nyork", ["new_york", "new", "york"]),
        ("new unknown york", ["new", "unknown", "york"]),
    ],
)
def test_phrases_are_joined(text: str, expected: list[str]) -> None:
    assert PHRASES.tokens(text) == expected
    assert fast_tokens(text, PHRASES) == expected


@settings(deadline=None)
@given(st.text("new york city\n", max_size=60))
def test_phrases_equal_plain_ones(text: str) -> None:
    tokenizer = Tokenizer(phrases=("n e", "e w y", "new york", "new york city", "york new"))
    assert fast_tokens(text, tokenizer) == tokenizer.tokens(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=40), st.sets(st.text("abc", min_size=2, max_size=4)))
def test_any_phrases_equal_plain_ones(words: list[str], phrases: set[str]) -> None:
    tokenizer = Tokenizer(phrases=tuple(" ".join(phrase) for phrase in phrases))
    assert fast_tokens(" ".join(words), tokenizer) == tokenizer.tokens(" ".join(words))


def test_phrase_of_a_word_twice() -> None:
    tokenizer = Tokenizer(phrases=("ha ha",))
    assert fast_tokens("ha ha ha\nha", tokenizer) == ["ha_ha", "ha", "ha"]


def test_phrases_work_with_a_closed_vocabulary() -> None:
    lexicon = Lexicon(["new_york", "big"], tokenizer=PHRASES)
    ids = lexicon.encode(b"big new york new")
    assert [number if number < 2 else None for number in ids[:3]] == [1, 0, None]
    assert isinstance(ids, np.ndarray)


def test_phrase_of_one_word_is_refused() -> None:
    with pytest.raises(InputError, match="'york' is not two or more words"):
        Tokenizer(phrases=("york",)).tokens("york")
