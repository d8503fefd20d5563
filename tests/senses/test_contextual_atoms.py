"""Atoms of contextual vectors: on a planted text and a tiny encoder, and the figures against naive twins."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import wordatoms as wa
from invoking import invoke, refused
from observedworld import FORM, WORD, discourse, observed_model
from tinyencoder import make_encoder
from wordatoms.errors import InputError
from wordatoms.run import Run
from wordatoms.senses.contextual_atoms import (
    ContextualAtoms,
    contextual_atoms,
    explained_by,
    most_ambiguous,
    pair_agreement,
    sample,
)

OTHER = "the"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text, a model and an encoder."""
    folder = tmp_path_factory.mktemp("contextual")
    model = observed_model(folder)
    make_encoder(folder / "encoder", model.words)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "home"))


@pytest.fixture
def model(folder: Path) -> wa.SenseModel:
    return wa.load(folder / "model", encoder=folder / "encoder")


@pytest.fixture
def lines(folder: Path) -> list[str]:
    return (folder / "text.txt").read_text().splitlines()


def learn(model: wa.SenseModel, lines: list[str], **given: object) -> ContextualAtoms:
    return contextual_atoms(model, lines, [WORD], **{"n_atoms": 4, **given})  # type: ignore[arg-type]


# --- atoms


def test_atoms_follow_the_discourses_of_a_word(model: wa.SenseModel, lines: list[str]) -> None:
    found = learn(model, lines, n_occurrences=200)
    assert found.words == (WORD,)
    assert found.n_occurrences == 200
    assert sum(atom.n_occurrences for atom in found.atoms) == found.n_occurrences
    together, overall = found.same_word
    assert together is not None
    assert overall is not None
    assert together > overall, "occurrences with one contextual atom have one sense more often"
    assert found.different_words == (None, None), "there is one word"
    first = found.atoms[0]
    assert first.words == ((WORD, first.n_occurrences),)
    assert sum(each.n for each in first.coincides) <= first.n_occurrences


def test_examples_show_the_word_and_its_discourse(model: wa.SenseModel, lines: list[str]) -> None:
    found = learn(model, lines)
    for atom in found.atoms:
        for example in atom.examples:
            assert example.text[example.start : example.end] in {WORD, FORM}
            assert example.weight > 0
            assert any(discourse(word) >= 0 for word in example.text.strip("…").split())
            assert example.text.strip("…") in "\n".join(lines)


def test_the_same_bytes_with_any_number_of_threads(model: wa.SenseModel, lines: list[str]) -> None:
    assert learn(model, lines, run=Run(1)) == learn(model, lines, run=Run(3))


def test_states_with_their_words_have_atoms_of_words(model: wa.SenseModel, lines: list[str]) -> None:
    pair = [WORD, OTHER]
    n_words = [
        np.mean([atom.n_words for atom in contextual_atoms(model, lines, pair, n_atoms=6, keep_words=keep).atoms])
        for keep in (True, False)
    ]
    assert n_words[0] < n_words[1]


# --- the sample


def test_a_sample_takes_the_first_occurrence_of_a_line_once(model: wa.SenseModel) -> None:
    line = f"“{WORD.upper()}”, {WORD} and a {FORM}"
    (usages,) = sample(model, [line, line, f"no {WORD}s’", "nothing"], [WORD], 10).values()
    assert sorted((usage.position, usage.form) for usage in usages) == [(0, WORD), (1, FORM)]


def test_a_sample_does_not_depend_on_the_order_of_the_lines(model: wa.SenseModel, lines: list[str]) -> None:
    def texts(given: list[str], seed: int = 0) -> list[str]:
        return [" ".join(usage.tokens) for usage in sample(model, given, [WORD], 30, seed)[WORD]]

    assert texts(lines) == texts(lines[::-1])
    assert len(set(texts(lines))) == 30
    assert texts(lines) != texts(lines, 1)


def test_a_line_of_many_megabytes_is_cut(model: wa.SenseModel) -> None:
    (usage,) = sample(model, [f"{'of ' * 500_000}{WORD}{' of' * 500_000}"], [WORD], 5)[WORD]
    assert usage.form == WORD
    assert len(usage.tokens) < 2000


def test_the_most_ambiguous_words_have_the_most_even_senses(model: wa.SenseModel) -> None:
    def entropy(word: str) -> float:
        p = np.array([sense.share or 0.0 for sense in english.senses(word, n_nearest=0, n_linked=0) if sense.atom >= 0])
        return float(-(p * np.log(p / p.sum())).sum())

    english = wa.load()
    found = most_ambiguous(english, 30)
    assert not any(set(english.forms(word)) & set(found) - {word} for word in found[:10])
    assert len(set(found)) == 30
    assert entropy(found[0]) > entropy(found[-1]) > 2 * entropy("telephone")
    assert found[:5] == most_ambiguous(english, 5)
    assert most_ambiguous(model) == [], "no word of the planted text has senses of two atoms"


# --- figures


def test_agreement_of_pairs_equals_the_twin() -> None:
    rng = np.random.default_rng(0)
    told = [(int(rng.integers(3)), "ab"[rng.integers(2)], "xyz"[rng.integers(3)]) for _ in range(40)]
    expected = []
    for same_word in (True, False):
        pairs = [(a, b) for a, b in combinations(told, 2) if a[0] == b[0] and (a[1] == b[1]) == same_word]
        expected.append(np.mean([a[2] == b[2] for a, b in pairs]))
    assert pair_agreement(told) == pytest.approx(tuple(expected))
    assert pair_agreement([]) == (None, None)


def test_groups_explain_what_they_explain_and_nothing_by_chance() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(5, size=1000).tolist()
    noise = rng.normal(size=(1000, 8)).astype(np.float32)
    centres = rng.normal(size=(5, 8)).astype(np.float32)
    assert explained_by(noise, groups) == pytest.approx(0, abs=0.01)
    assert explained_by(centres[groups], groups) == pytest.approx(1)
    means = (centres[groups] - centres[groups].mean(axis=0)).var() * 1.0
    assert explained_by(centres[groups] + noise, groups) == pytest.approx(means / (means + 1), abs=0.05)
    assert explained_by(noise[:1], [0]) == 0


# --- the command


def observe(folder: Path, *more: str) -> tuple[str, ...]:
    return (str(folder / "model"), "--encoder", str(folder / "encoder"), "--text", str(folder / "text.txt"), *more)


def test_the_command_prints_atoms_and_writes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (folder / "model").rglob("*")}
    shown = invoke("observe", *observe(folder, "--words", WORD, "--contextual-atoms", "3", "--quiet")).stdout
    assert "contextual atom 0" in shown
    assert f"{WORD} (" in shown
    found = json.loads(invoke("observe", *observe(folder, "--words", WORD, "--json")).stdout)
    assert found["words"] == [WORD]
    assert set(found["atoms"][0]) == {"number", "n_occurrences", "words", "n_words", "coincides", "examples"}
    assert {path: path.stat().st_mtime_ns for path in (folder / "model").rglob("*")} == before


def test_words_come_from_a_file_or_from_the_model(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(f"{WORD}\n\n{OTHER}\n")
    found = json.loads(invoke("observe", *observe(folder, "--words", str(tmp_path / "words.txt"), "--json")).stdout)
    assert found["words"] == [WORD, OTHER]
    assert "no word" in refused("observe", *observe(folder, "--words", "2")), "none has senses of two atoms"


def test_what_cannot_be_done_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    assert "zyzzyva" in refused("observe", *observe(folder, "--words", "zyzzyva"))
    assert "names no word" in refused("observe", *observe(folder, "--words", " , "))
    assert "fewer atoms" in refused("observe", *observe(folder, "--words", WORD, "--contextual-atoms", "5000"))
    (tmp_path / "short.txt").write_text(f"a {WORD} here\n")
    short = ("--encoder", str(folder / "encoder"), "--text", str(tmp_path / "short.txt"), "--words", WORD)
    assert "the text has 1 occurrence" in refused("observe", str(folder / "model"), *short)
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"a \xff tie\n" * 3)
    refused("observe", *short[:0], str(folder / "model"), "--encoder", str(folder / "encoder"), "--text", str(binary))
    with pytest.raises(InputError, match="no encoder"):
        contextual_atoms(wa.load(folder / "model", encoder="none"), ["a tie"], [WORD])


@pytest.mark.parametrize("option", [["--words", "tie"], ["--contextual-atoms", "3"], ["--keep-words"]])
def test_options_of_the_encoder_need_it(folder: Path, option: list[str]) -> None:
    assert "need --encoder" in invoke("observe", str(folder / "model"), *option, code=2).stderr


@pytest.mark.parametrize("option", [["--inventory", "english"], ["--force"], ["--engine", "dask"]])
def test_options_of_the_stage_do_not_go_with_an_encoder(folder: Path, option: list[str]) -> None:
    assert "cannot be used with --encoder" in invoke("observe", *observe(folder, *option), code=2).stderr
    assert "--text" in invoke("observe", str(folder / "model"), "--encoder", str(folder), code=2).stderr
