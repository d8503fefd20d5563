"""WordNet: a small database of our own, its senses and pointers, glosses, and files that are missing or broken."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplewordnet import INSTALLED, LICENCE, write_database
from wordatoms.errors import InputError
from wordatoms.paper import wordnet as wordnet_module
from wordatoms.paper.wordnet import KINDS, WordNet, _find_line, split_gloss


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    return WordNet(write_database(tmp_path))


def test_senses_come_in_order(wordnet: WordNet) -> None:
    senses = wordnet.synsets("spring")
    assert [(sense.pos, sense.definition) for sense in senses] == [
        ("n", "an elastic device"),
        ("n", "the season of growth"),
        ("v", "move off the ground"),
    ]
    assert senses[0].examples == ("the spring broke", "it has a spring")
    assert senses[1].lemmas == ("spring", "springtime")
    assert senses[1].examples == ()


@pytest.mark.parametrize(("pos", "n_senses"), [("n", 2), ("noun", 2), ("v", 1), ("a", 0), ("r", 0), (None, 3)])
def test_parts_of_speech(wordnet: WordNet, pos: str | None, n_senses: int) -> None:
    assert len(wordnet.synsets("spring", pos)) == n_senses


@pytest.mark.parametrize("lemma", ["new york", "New York", "new_york", " NEW  YORK "])
def test_phrases_are_found_however_they_are_written(wordnet: WordNet, lemma: str) -> None:
    assert [sense.lemmas for sense in wordnet.synsets(lemma)] == [("New York",)]


@pytest.mark.parametrize("lemma", ["", "springs", "a", "zzz", "1", "ä", "data\nbase"])
def test_unknown_words_have_no_senses(wordnet: WordNet, lemma: str) -> None:
    assert wordnet.synsets(lemma) == []


@pytest.mark.parametrize(
    ("form", "pos", "bases"),
    [
        ("springs", None, ["spring"]),
        ("sprang", None, ["spring"]),
        ("sprang", "n", []),
        ("springen", "n", ["spring"]),
        ("jumping", "v", ["jump"]),
        ("jumped", None, ["jump"]),
        ("spring", None, []),
        ("devices", None, ["device"]),
        ("elasticer", "a", ["elastic"]),
        ("zzz", None, []),
        ("", None, []),
    ],
)
def test_base_forms(wordnet: WordNet, form: str, pos: str | None, bases: list[str]) -> None:
    assert wordnet.base_forms(form, pos) == bases


def test_irregular_forms_come_first(wordnet: WordNet) -> None:
    (wordnet.folder / "noun.exc").write_text("springs fall\njumped spring_jump\n\n")
    assert wordnet.base_forms("springs") == ["fall", "spring"]
    assert wordnet.irregular_bases("springs") == ["fall"]
    assert wordnet.base_forms("jumped") == ["jump"]  # WordNet has no such phrase


def test_pointers(wordnet: WordNet) -> None:
    coil, season, jump = wordnet.synsets("spring")
    assert [each.lemmas[0] for each in coil.pointers("hypernym")] == ["device"]
    assert coil.pointers("@") == coil.pointers("hypernym")
    assert coil.pointers("derivation") == [jump]
    assert coil.pointers("antonym") == []
    assert [each.lemmas[0] for each in coil.pointers()] == ["device", "jump"]
    assert season.pointers("antonym")[0].pointers("antonym") == [season]
    assert jump.pointers("hyponym") == [jump]
    with pytest.raises(InputError, match="the kind of pointer is 'parent'; pass one of antonym"):
        coil.pointers("parent")


def test_satellite_adjectives(wordnet: WordNet) -> None:
    (springy,) = wordnet.synsets("springy")
    assert (springy.pos, springy.lemmas) == ("s", ("springy",))
    assert wordnet.synset("s", springy.offset) == springy
    assert springy.pointers("similar")[0].lemmas == ("elastic",)


def test_a_synset_is_itself_however_it_was_reached(wordnet: WordNet) -> None:
    assert wordnet.synsets("springtime")[0] == wordnet.synsets("spring")[1]
    assert len({*wordnet.synsets("spring"), *wordnet.synsets("springtime")}) == 3


def test_all_lemmas(wordnet: WordNet) -> None:
    assert list(wordnet.lemmas("n")) == ["device", "fall", "new york", "spring", "springtime"]
    assert len(list(wordnet.lemmas())) == 10


@pytest.mark.parametrize(
    ("gloss", "definition", "examples"),
    [
        ("a thing", "a thing", ()),
        (' a thing;  "one";  "two"  ', "a thing", ("one", "two")),
        ('a thing; a matter; "one" - Author; "two"', "a thing; a matter", ("one", "two")),
        ('as in the phrase "make strides"', 'as in the phrase "make strides"', ()),
        (
            'in (the phrase "make strides"); "they made strides"',
            'in (the phrase "make strides")',
            ("they made strides",),
        ),
        ('a notice; "a notice of sale', "a notice", ("a notice of sale",)),
        ('"only an example"', "", ("only an example",)),
        ('a thing: "so"', "a thing", ("so",)),
        ('a thing; ""', "a thing", ()),
        ("", "", ()),
    ],
)
def test_glosses(gloss: str, definition: str, examples: tuple[str, ...]) -> None:
    assert split_gloss(gloss) == (definition, examples)


@given(st.text())
def test_any_gloss_can_be_split(gloss: str) -> None:
    definition, examples = split_gloss(gloss)
    assert definition in gloss
    assert all(example in gloss for example in examples)


@given(st.sets(st.text("ab-_.'", min_size=1, max_size=5)), st.text("ab-_.'", min_size=1, max_size=5))
def test_lines_are_found_by_their_first_field(keys: set[str], wanted: str) -> None:
    lines = LICENCE.encode() + b"".join(f"{key} n 1\n".encode() for key in sorted(keys))
    for key in keys:
        assert _find_line(lines, key.encode()) == f"{key} n 1".encode()
    if wanted not in keys:
        assert _find_line(lines, wanted.encode()) is None


# --- where it is, and what is wrong with it


def test_finds_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.setattr(wordnet_module, "COMMON_FOLDERS", (str(tmp_path / "nowhere"), str(tmp_path / "dict")))
    with pytest.raises(InputError, match=r"WordNet is not in any of the usual places.*apt-get install wordnet-base"):
        WordNet()
    (tmp_path / "dict").mkdir()
    write_database(tmp_path / "dict")
    assert WordNet().folder == WordNet(tmp_path).folder == WordNet(tmp_path / "dict").folder == tmp_path / "dict"
    monkeypatch.setattr(wordnet_module, "COMMON_FOLDERS", ())
    monkeypatch.setenv("WNHOME", str(tmp_path))
    assert WordNet().folder == tmp_path / "dict"
    assert repr(WordNet()) == f"WordNet('{tmp_path}/dict')"


def test_a_folder_without_wordnet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no WordNet \(there is no index.noun\)"):
        WordNet(tmp_path)


def test_unknown_part_of_speech(wordnet: WordNet) -> None:
    with pytest.raises(InputError, match="the part of speech is 'x'; pass one of n, v, a, r"):
        wordnet.synsets("spring", "x")


def test_a_missing_file_is_named(wordnet: WordNet) -> None:
    (wordnet.folder / "data.verb").unlink()
    with pytest.raises(InputError, match=r"data\.verb cannot be read \(No such file"):
        wordnet.synsets("spring")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("index.noun", "spring n 2", "spring n 3", r"index\.noun is broken at the word 'spring'"),
        ("index.noun", "spring n 2", "spring n x", r"index\.noun is broken at the word 'spring'"),
        ("index.noun", "spring n 2 1 @ 2 0", "spring n", r"index\.noun is broken at the word 'spring'"),
        ("data.noun", "  1 This", " 1 This", r"data\.noun is broken at byte [\d,]+, where a synset should begin"),
        ("data.noun", "n 01 spring", "n 0z spring", r"data\.noun is broken in the synset at byte"),
        ("data.noun", "n 01 spring", "n 00 spring", r"data\.noun is broken in the synset at byte"),
        ("data.noun", "n 01 spring 0 002", "n 01 spring 0 902", r"data\.noun is broken in the synset at byte"),
    ],
)
def test_broken_files_are_named(wordnet: WordNet, file: str, old: str, new: str, message: str) -> None:
    path = wordnet.folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=message):
        wordnet.synsets("spring")


def test_a_cut_file_is_broken_and_nothing_worse(wordnet: WordNet) -> None:
    for file in ("data.noun", "index.noun"):
        path = wordnet.folder / file
        whole = path.read_bytes()
        for length in range(0, len(whole), 3):
            path.write_bytes(whole[:length])
            with suppress(InputError):
                assert len(WordNet(wordnet.folder).synsets("spring", "n")) in (0, 2)
        path.write_bytes(whole)


# --- the real one

needs_wordnet = pytest.mark.skipif(
    not (INSTALLED / "index.noun").exists(), reason="WordNet is not installed (apt-get install wordnet-base)"
)


@needs_wordnet
def test_reads_the_published_database() -> None:
    wordnet = WordNet(INSTALLED)
    nouns = wordnet.synsets("spring", "n")
    assert [sense.lemmas[0] for sense in nouns] == ["spring", "spring", "spring", "spring", "give", "leap"]
    assert nouns[0].examples[0] == "the emerging buds were a sure sign of spring"
    assert "elastic device" in nouns[1].pointers("hypernym")[0].lemmas
    lemmas = list(wordnet.lemmas("v"))
    assert len(lemmas) == 11_529
    for lemma in lemmas[::100]:
        for sense in wordnet.synsets(lemma, "v"):
            assert lemma in [each.lower() for each in sense.lemmas]
            assert {pointer.symbol for pointer in sense.all_pointers} <= set(KINDS)
            assert sense.definition


@needs_wordnet
def test_one_word_is_quick_and_imports_little() -> None:
    program = (
        "import sys; from wordatoms.paper.wordnet import WordNet\n"
        "print(len(WordNet('/usr/share/wordnet').synsets('tie')))\n"
        "print({'numba', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=20)
    assert shown.stdout.split() == ["18", "set()"]
