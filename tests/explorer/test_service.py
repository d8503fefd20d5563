"""What the explorer answers, without the web: words, atoms, texts, the lineup, sentences of a text."""

from __future__ import annotations

import difflib
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wordatoms as wa
from explorerworld import TEXT, world_explorer
from planted import planted_embeddings, planted_model
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.embeddings.neighbours import Neighbours
from wordatoms.errors import WordatomsError
from wordatoms.explorer import lookup, quotations
from wordatoms.explorer.answers import ApiError, json_schema, to_json, to_plain
from wordatoms.explorer.cache import Packed, PackedCache, locked_cached_property, pack, pack_json
from wordatoms.explorer.lookup import NearestWords, PrefixIndex, SpellingIndex, nearest_of_each
from wordatoms.explorer.quotations import Quotations, Search, WordQuotes
from wordatoms.explorer.service import Explorer
from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.explorer.words import WordAnswers
from wordatoms.text.spans import find_spans, normal_form
from wordatoms.text.tokenizer import Tokenizer

MONEY, RIVER, SONG = range(3)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("explorer"))


@pytest.fixture
def explorer(shared: Explorer) -> Iterator[Explorer]:
    yield shared
    (shared.first.model.path / "notes.json").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> WordAnswers:
    return WordAnswers(wa.load(planted_model(tmp_path_factory.mktemp("planted") / "model").path))


# --- words and atoms


def test_word_as_the_library_has_it(planted: WordAnswers) -> None:
    answer, senses = planted.word("both3"), planted.model.senses("both3", n_nearest=12, n_linked=12)
    assert [{**to_plain(sense), "meta": 0, "example": 0, "sentences": 0} for sense in senses] == [
        {**to_plain(sense), "meta": 0, "example": 0, "sentences": 0} for sense in answer.senses
    ]
    assert answer.nearest == planted.model.embeddings.nearest("both3", 12)
    assert answer.rank == planted.model.row("both3") + 1
    assert answer.explained > 0.99


def test_forms_are_pooled_on_request(explorer: Explorer) -> None:
    alone, pooled = explorer.word("bank"), explorer.word("BANK", forms=True)
    assert [form.form for form in alone.forms] == ["bank", "banks"]
    weights = explorer.first.model.sense_weights("bank")
    assert {sense.atom: sense.weight for sense in pooled.senses} == pytest.approx(weights, abs=1e-4)
    assert set(pooled.senses[0].forms) == {"bank", "banks"}
    assert set(alone.senses[0].forms) == {"bank"}


def test_unknown_word_has_suggestions(explorer: Explorer) -> None:
    with pytest.raises(ApiError, match="'rivver' is not among the 18 words") as caught:
        explorer.word("rivver")
    assert caught.value.status == 404
    assert caught.value.suggestions == ["river"]


def test_unknown_model(explorer: Explorer) -> None:
    with pytest.raises(ApiError, match="there are first, second"):
        explorer.word("bank", "third")


def test_atom_as_the_library_has_it(planted: WordAnswers) -> None:
    answer, view = planted.atom(4), planted.model.atom(4, n=10)
    assert (answer.label, answer.n_words, answer.hidden) == (view.label, view.n_words, view.hidden)
    assert (answer.words[:10], answer.nearest[:10]) == (view.words, view.nearest)
    assert (answer.neighbours, answer.meta) == (view.neighbours, view.meta)
    with pytest.raises(WordatomsError, match="there is no atom 999"):
        planted.atom(999)


def test_map_has_a_place_for_every_atom(explorer: Explorer) -> None:
    answer = explorer.first.atoms()
    assert len(answer.atoms) == 3
    assert all(-1 <= x <= 1 and -1 <= y <= 1 for x, y, *_ in answer.atoms)
    assert 0 in {meta for _x, _y, meta, _n, _label in answer.atoms} <= {0, -1}
    assert explorer.of("second").atoms().metas == []


def test_search_is_that_of_the_library(planted: WordAnswers) -> None:
    found = planted.search("both3")
    assert found == planted.model.search("both3")
    assert found[0].why.startswith("a sense of both3")
    assert planted.search("nothing at all") == []


def test_names_and_hidden_atoms_count_at_once(explorer: Explorer) -> None:
    before = explorer.stamp
    explorer.first.model.name(MONEY, "finance")
    assert explorer.stamp != before
    assert explorer.word("bank").senses[0].label == "finance"
    assert explorer.first.search("FINANC")[0].why == "its name is finance"
    os.utime(explorer.first.model.path / "notes.json", ns=(1, 1))
    explorer.first.model.hide(MONEY)
    assert [sense.atom for sense in explorer.word("bank").senses] == [RIVER]
    assert explorer.first.atoms().hidden == [MONEY]


def test_facts(explorer: Explorer) -> None:
    facts = explorer.model()
    assert facts.features == ["server", "words", "contexts", "comparison", "report", "documents", "contextual"]
    assert facts.models == ["first", "second"]
    assert (facts.words, facts.atoms, facts.metas, facts.tuned) == (18, 3, 1, True)
    alone = Explorer([explorer.of("second").model])
    assert alone.features == ["server", "words"]
    with pytest.raises(ApiError, match="only one model"):
        alone.compare("bank")


def test_models_of_one_name_get_different_ones(explorer: Explorer) -> None:
    model = explorer.first.model
    assert list(Explorer([model, model, model]).words) == ["first", "first-2", "first-3"]


def test_comparison(explorer: Explorer) -> None:
    answer = explorer.compare("bank")
    assert answer.models == ("first", "second")
    assert {(pair.first, pair.second) for pair in answer.pairs} == {(MONEY, MONEY), (RIVER, RIVER)}
    assert explorer.compare("owl").known == (False, True)
    assert explorer.compare("owl").nearest[0] == []
    with pytest.raises(ApiError, match="not among"):
        explorer.compare("nothing")


# --- texts


def test_sentence_agrees_with_the_library(explorer: Explorer) -> None:
    text = "The bank gave a loan; a BOAT near the banks of the river."
    tokens = explorer.texts.sentence(text).tokens
    told = explorer.first.model.disambiguate("bank", text)
    found = [token for token in tokens if token.word in ("bank", "banks")]
    for token, answer in zip(found, told, strict=True):
        assert token.best.atom == answer.sense.atom
        assert token.best.probability == pytest.approx(answer.sense.probability, abs=1e-4)
    assert [token.text for token in tokens][:5] == ["The", "bank", "gave", "a", "loan"]
    assert tokens[0] == ("The", 0, 3, None, 0, None)
    assert tokens[6].word == "boat"


def test_meaning_agrees_with_the_library(explorer: Explorer) -> None:
    text = "A boat on the river near the bank, by the water."
    answer, told = explorer.texts.meaning(text, 7), explorer.first.model.disambiguate("bank", text)[0]
    assert [each.atom for each in answer.meanings] == [each.atom for each in told.meanings]
    probabilities = [each.probability for each in answer.meanings]
    assert probabilities == pytest.approx([each.probability for each in told.meanings], abs=1e-4)
    assert sum(each.prior for each in answer.meanings) == pytest.approx(1, abs=1e-3)
    pulls = {each.word: each.pulls[told.sense.atom] for each in answer.pulls}
    for pull in told.deciding:
        assert pulls[pull.word] == pytest.approx(pull.pull, abs=1e-3)
    assert [each.token for each in answer.pulls] == [1, 4, 10]


def test_meaning_of_no_word(explorer: Explorer) -> None:
    with pytest.raises(ApiError, match="the text has 2 words"):
        explorer.texts.meaning("river water", 2)
    with pytest.raises(ApiError, match="'xyz' is not among"):
        explorer.texts.meaning("xyz water", 0)


def test_texts_without_known_words(explorer: Explorer) -> None:
    assert explorer.texts.sentence("…") == ("…", [])
    assert explorer.texts.sentence("xyz").tokens[0].best is None


TOKENIZERS = [
    Tokenizer(),
    Tokenizer(keep_case=True),
    Tokenizer(pretokenized=True),
    Tokenizer(phrases=("new york", "ice cream", "a b c")),
]
LETTERS = st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aB c'’\u00ad\u0301\u200d\n 9𝒳İ"))


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=str)
@given(text=st.text(LETTERS, max_size=60))
def test_spans_are_the_tokens(tokenizer: Tokenizer, text: str) -> None:
    text = normal_form(text)
    spans = find_spans(text, tokenizer)
    assert [span.word for span in spans] == tokenizer.tokens(text)
    ends = [0] + [span.end for span in spans]
    assert all(end <= span.start < span.end for end, span in zip(ends, spans, strict=False))
    for span in spans:
        assert tokenizer.tokens(text[span.start : span.end]) == [span.word]


def test_places_of_phrases() -> None:
    spans = find_spans("In New\u00a0York’s\nNew York", Tokenizer(phrases=("new york",)))
    assert [span.word for span in spans] == ["in", "new", "york's", "new_york"]
    assert spans[-1][:2] == (14, 22)


@given(st.text(max_size=30))
def test_offsets_are_those_of_javascript(text: str) -> None:
    offsets = utf16_offsets(text)
    assert [len(text[:place].encode("utf-16-le", "surrogatepass")) // 2 for place in range(len(text) + 1)] == offsets


# --- JSON


class Pair(NamedTuple):
    left: float
    right: object


def test_results_become_json_objects_with_rounded_numbers() -> None:
    assert to_plain([Pair(1 / 3, (True, None)), {5: Neighbour("a", 0.123456)}]) == [
        {"left": 0.3333, "right": [True, None]},
        {5: {"word": "a", "similarity": 0.1235}},
    ]
    assert to_json({"text": "\ud800", 5: 1.0}) == b'{"text":"?","5":1.0}'


def test_schemas_are_derived_from_result_classes() -> None:
    schema = json_schema(Pair).model_json_schema()
    assert schema["required"] == ["left", "right"]
    assert schema["additionalProperties"] is False
    assert json_schema(dict[int, list[Pair] | None]) == dict[int, list[json_schema(Pair)] | None]  # type: ignore[misc]


# --- what is looked up

WORDS = st.lists(st.text("abcé", min_size=1, max_size=6), min_size=1, max_size=40, unique=True)


@given(WORDS, st.text("abcé", max_size=3), st.integers(1, 10))
def test_completions_are_the_first_of_the_vocabulary(words: list[str], beginning: str, n: int) -> None:
    assert PrefixIndex(words).complete(beginning, n) == [word for word in words if word.startswith(beginning)][:n]


@given(WORDS, st.text("abcdé", min_size=1, max_size=8))
def test_suggestions_are_those_of_difflib(words: list[str], word: str) -> None:
    found, expected = SpellingIndex(words).suggest(word), difflib.get_close_matches(word, words, n=3, cutoff=0.75)
    ratios = [[difflib.SequenceMatcher(None, each, word).ratio() for each in listed] for listed in (found, expected)]
    assert sorted(ratios[0], reverse=True) == pytest.approx(sorted(ratios[1], reverse=True))


def test_long_words_are_not_suggested() -> None:
    spellings = SpellingIndex(["a" * 400, "aa"])
    assert spellings.suggest("a" * 399) == []
    assert spellings.suggest("aa") == ["aa"]


def test_near_words_are_those_of_the_embeddings(planted: WordAnswers) -> None:
    embeddings = planted.model.embeddings
    asked = embeddings.words[::37]
    for n_together in (1, 2, 3, 8):
        found = nearest_of_each(embeddings, asked[:n_together], 7)
        assert found == [embeddings.nearest(word, 7) for word in asked[:n_together]]


def test_near_words_are_looked_up_where_the_model_keeps_them(planted: WordAnswers) -> None:
    embeddings, stored = planted.model.embeddings, planted.model.neighbours
    assert not planted.nearest_words.needs_search
    looked_up, searched = NearestWords(embeddings, stored), NearestWords(embeddings)
    assert searched.needs_search
    for word in embeddings.words[::61]:
        assert looked_up.of(word, 12) == searched.of(word, 12) == embeddings.nearest(word, 12)
    few = Neighbours(stored.rows[:, :5])  # type: ignore[union-attr]
    assert NearestWords(embeddings, few).needs_search


def test_many_ask_for_near_words_at_once() -> None:
    embeddings = planted_embeddings()
    near_words, asked = NearestWords(embeddings), [*embeddings.words[::5], *embeddings.words[::7]]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda word: near_words.of(word, 5), asked))
    assert found == [embeddings.nearest(word, 5) for word in asked]


def test_search_that_fails_tells_whoever_waits_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    near_words = NearestWords(planted_embeddings())
    with monkeypatch.context() as patched:
        patched.setattr(lookup, "nearest_of_each", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            near_words.of("both3", 5)
    assert len(near_words.of("both3", 5)) == 5


def test_locked_cached_property_by_many_threads() -> None:
    class Slow:
        n_made = 0

        @locked_cached_property
        def part(self) -> int:
            """What it is."""
            time.sleep(0.02)
            self.n_made += 1
            return 7

    slow = Slow()
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: slow.part, range(8))) == {7}
    assert slow.n_made == 1
    assert Slow.part.__doc__ == "What it is."


def test_answers_are_kept_up_to_a_size() -> None:
    cache = PackedCache(103)  # three answers, and a byte for the name of each
    for number in range(5):
        cache.put(number, Packed(b"x" * 30, None, "text/plain", str(number)))
    cache.put(4, Packed(b"x" * 40, None, "text/plain", "4"))
    assert [cache.get(number) is not None for number in range(5)] == [False, False, True, True, True]
    cache.put("a long question" * 7, Packed(b"x", None, "text/plain", "5"))
    assert cache.get(4) is None


def test_large_answers_are_compressed() -> None:
    assert pack_json({"a": 1}).compressed is None
    large = pack(b"x" * 20_000, "text/plain")
    assert large.compressed is not None
    assert len(large.compressed) < 1000


# --- the lineup


def test_a_seed_decides_the_lineup(explorer: Explorer) -> None:
    first, again = explorer.lineup.lineup(7, 20), explorer.lineup.lineup(7, 20)
    assert first == again
    assert len(first.senses) == 20
    assert all(len(sense) == 8 for sense in first.senses)
    assert len({explorer.lineup.lineup(seed, 20).word for seed in range(20)}) > 10


def test_right_answers_have_full_marks(explorer: Explorer) -> None:
    true = explorer.lineup.solution(3, 20).true
    answer = explorer.lineup.answer(3, 20, true)
    assert answer.you == (1.0, 1.0)
    assert explorer.lineup.answer(3, 20, [n for n in range(1, 21) if n not in true]).you.recall == 0
    shown, word = explorer.lineup.lineup(3, 20), explorer.lineup.lineup(3, 20).word
    own = {sense.related for sense in explorer.lineup.testbed[word]}
    assert {number for number, sense in enumerate(shown.senses, 1) if tuple(sense) in own} == {*true}


@pytest.mark.parametrize("chosen", [[], [0], [21], [1, 1]])
def test_impossible_choices(explorer: Explorer, chosen: list[int]) -> None:
    with pytest.raises(ApiError, match="different numbers from 1 to 20"):
        explorer.lineup.answer(1, 20, chosen)


def test_the_machine_knows_what_the_task_knows() -> None:
    from wordatoms.paper.tasks.lineup.data import load_testbed
    from wordatoms.paper.tasks.lineup.methods import answer_lineups, atoms_method

    lineup = Explorer([wa.load()]).lineup
    testbed, lineups = load_testbed(), lineup._draw(7, 20)
    ranked = answer_lineups(atoms_method(lineup.model).score_all(testbed), testbed, lineups)[0]
    senses = lineups.senses[0].tolist()
    expected = [senses.index(sense) + 1 for sense in ranked.tolist() if sense >= 0]
    answer = lineup.answer(7, 20, [1, 2])
    assert answer.ranked == expected
    assert (answer.machine, answer.machine4) == (expected[:2], expected[:4])


# --- sentences of a text


def wait_for(quotes: Quotations, word: str, seconds: float = 20) -> WordQuotes:
    ends = time.monotonic() + seconds
    while (answer := quotes.sentences(word)).state == "reading":
        assert time.monotonic() < ends
        time.sleep(0.02)
    return answer


def test_sentences_come_when_they_are_found(explorer: Explorer) -> None:
    assert explorer.word("bank").senses[0].sentences is None
    before = explorer.stamp
    assert explorer.sentences("bank").state in ("reading", "ready")
    answer = wait_for(explorer.quotations["first"], "bank")
    assert answer.state == "ready", answer
    assert explorer.stamp != before
    river = answer.senses[RIVER][0]
    assert river.text in TEXT
    assert river.probability > 0.5
    assert explorer.word("bank").senses[0].sentences == answer.senses[MONEY]
    assert wait_for(explorer.quotations["second"], "bank").senses[RIVER][0].probability is None


def test_text_without_the_word_is_a_sentence(explorer: Explorer) -> None:
    answer = wait_for(explorer.quotations["first"], "geese")
    assert answer.state == "failed"
    assert "none of the words geese" in answer.message


def test_no_text_at_all(explorer: Explorer) -> None:
    assert Quotations(explorer.first.model, []).sentences("bank").state == "none"


def test_the_last_word_asked_for_comes_first(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    quotes, searched, may_go_on = Quotations(explorer.first.model, ["text"]), [], threading.Event()

    def slow(_self: Quotations, asked: Search, _search: object) -> dict[str, list[object]]:
        searched.append(asked.word)
        may_go_on.wait(10)
        return {}

    monkeypatch.setattr(Quotations, "_find", slow)
    quotes.sentences("bank")
    while not searched:
        time.sleep(0.005)
    words = list(explorer.first.model.words[:7])
    for word in words:
        quotes.sentences(word)
    may_go_on.set()
    wait_for(quotes, words[-4])
    assert searched == ["bank", *reversed(words[-quotations.MOST_WAITING :])]


def test_a_search_that_breaks_is_told(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    quotes = Quotations(explorer.first.model, ["text"])
    monkeypatch.setattr(Quotations, "_find", lambda *_: 1 / 0)
    answer = wait_for(quotes, "bank")
    assert (answer.state, answer.message) == ("failed", "The search failed; see the log of the server.")


def test_closing_ends_a_search(explorer: Explorer) -> None:
    quotes = Quotations(explorer.first.model, explorer.quotations["first"].sources)
    quotes.close()
    assert quotes.sentences("bank").state == "reading"
    time.sleep(0.3)
    assert quotes.ready("bank") is None


def test_warming_makes_what_is_slow(explorer: Explorer) -> None:
    explorer.warm()
    assert {"prefixes", "spellings", "layout"} <= {*explorer.first.__dict__}
    assert "posterior" in explorer.first.model.parts.__dict__, "function words alone would not need it"
    assert np.isfinite(explorer.first.layout).all()


def test_importing_the_package_does_not_import_the_web() -> None:
    import subprocess
    import sys

    code = (
        "import sys, wordatoms, wordatoms.cli.explore; print([m for m in ('fastapi', 'uvicorn') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_licence_and_text(explorer: Explorer) -> None:
    assert explorer.model().licence is None
    assert explorer.model().text is None
    assert Explorer([wa.load()]).model().text.startswith("britannica-part-00.txt, ")
