from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from threadpoolctl import threadpool_limits

import naive_vectors as naive
import wordatoms.embeddings.embeddings as module
from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.errors import InputError, ModelError, UnknownWordError

WORDS = ("tie", "shirt", "match", "draw")
VECTORS = np.array([[1, 1], [1, 0], [0, 1], [0, 2]], dtype=np.float32)


@pytest.fixture
def small() -> Embeddings:
    return Embeddings(WORDS, VECTORS, counts=np.array([9, 5, 5, 1]), method="sn", n_tokens=100)


@pytest.fixture(scope="module")
def random() -> Embeddings:
    vectors = np.random.default_rng(0).normal(size=(500, 20))
    vectors[100:120] = vectors[0]  # ties
    vectors[7] = 0
    return Embeddings([f"w{i}" for i in range(500)], vectors)


class TestMapping:
    def test_behaves_like_a_mapping(self, small: Embeddings) -> None:
        assert len(small) == 4
        assert list(small) == list(WORDS) == list(small.keys())
        assert "tie" in small
        assert "Tie" not in small
        assert small["draw"].tolist() == [0, 2]
        assert small.dim == 2
        assert repr(small) == "Embeddings(4 words, 2 dimensions, method 'sn')"

    def test_get_has_a_default(self, small: Embeddings) -> None:
        assert small.get("tie").tolist() == [1, 1]
        assert small.get("bow") is None
        assert small.get("bow", 3) == 3

    def test_equality_is_identity(self, small: Embeddings) -> None:
        assert small == small
        assert small != Embeddings(WORDS, VECTORS)
        assert len({small, small}) == 1

    def test_unknown_word_gives_the_nearest_spellings(self, small: Embeddings) -> None:
        with pytest.raises(UnknownWordError, match=r"'shirts' is not among the 4 words .* shirt\?"):
            small["shirts"]
        with pytest.raises(KeyError):
            small.similarity("tie", "bow")


class TestLookup:
    def test_rows_in_the_order_asked_for(self, small: Embeddings) -> None:
        assert small.lookup(["draw", "tie", "draw"]).tolist() == [[0, 2], [1, 1], [0, 2]]
        assert small.lookup([]).shape == (0, 2)
        assert small.find_rows(["match", "bow"]).tolist() == [2, -1]

    def test_names_all_unknown_words(self, small: Embeddings) -> None:
        with pytest.raises(UnknownWordError, match="'bow', 'arrow' are not among the 4 words") as caught:
            small.lookup(["bow", "tie", "arrow"])
        assert caught.value.word == "bow"

    def test_unknown_words_as_zeros(self, small: Embeddings) -> None:
        assert small.lookup(["bow", "tie"], missing="zero").tolist() == [[0, 0], [1, 1]]
        with pytest.raises(InputError, match="'skip'"):
            small.lookup(["tie"], missing="skip")  # type: ignore[arg-type]


class TestConstruction:
    @pytest.mark.parametrize(
        ("words", "vectors", "message"),
        [
            (["a", "b"], np.ones((3, 2)), "2 words but 3 vectors"),
            (["a", "b", "a"], np.ones((3, 2)), "'a' is in rows 0 and 2"),
            (["a", ""], np.ones((2, 2)), "row 1 has ''"),
            (["a", 5], np.ones((2, 2)), "row 1 has 5"),
            ("ab", np.ones((2, 2)), "one string"),
            ([], np.ones((0, 2)), "no words"),
            (["a"], np.ones(1), r"shape \(1,\)"),
            (["a"], np.ones((1, 0)), r"shape \(1, 0\)"),
            (["a", "b"], np.array([[1, 2], [1, np.nan]]), r"'b' \(row 1\) holds NaN"),
            (["a", "b"], np.array([[1, np.inf], [1, 1]]), r"'a' \(row 0\)"),
            (["a"], np.array([[1e39]]), "too large for float32"),
            (["a"], np.array([["x"]]), "<U1"),
            (["a"], np.array([[1j]]), "complex128"),
        ],
    )
    def test_refuses_what_cannot_be_used(self, words: list[str], vectors: np.ndarray, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Embeddings(words, vectors)

    @pytest.mark.parametrize(
        ("counts", "message"),
        [([1], r"shape \(1,\)"), ([1.5, 2.0], "float64"), ([1, -2], "'b' is -2")],
    )
    def test_refuses_counts_that_do_not_fit(self, counts: list[float], message: str) -> None:
        with pytest.raises(InputError, match=message):
            Embeddings(["a", "b"], np.ones((2, 2)), counts=np.array(counts))

    def test_names_the_row_of_a_late_nan(self) -> None:
        vectors = np.ones((3000, 2), dtype=np.float32)
        vectors[2500, 1] = np.nan
        with pytest.raises(InputError, match=r"'w2500' \(row 2500\)"):
            Embeddings([f"w{i}" for i in range(3000)], vectors)

    def test_does_not_copy_single_precision(self, tmp_path: Path) -> None:
        np.save(tmp_path / "x.npy", VECTORS)
        mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
        for vectors in (VECTORS, mapped):
            assert np.shares_memory(Embeddings(WORDS, vectors).vectors, vectors)

    def test_converts_other_numbers_and_orders(self) -> None:
        for vectors in (
            VECTORS.astype(float),
            VECTORS.astype(np.int8),
            np.asfortranarray(VECTORS),
            VECTORS.tolist(),
        ):
            made = Embeddings(np.array(WORDS), vectors)
            assert made.vectors.dtype == np.float32
            assert made.vectors.flags.c_contiguous
            assert made.vectors.tolist() == VECTORS.tolist()
            assert made.words == WORDS

    def test_vectors_cannot_be_written_through_embeddings(self) -> None:
        own = VECTORS.copy()
        made = Embeddings(WORDS, own)
        with pytest.raises(ValueError, match="read-only"):
            made["tie"][0] = 5
        own[0, 0] = 5  # its owner still can


class TestNearest:
    def test_unit_vectors_of_any_size(self) -> None:
        sizes = np.array([[3e38], [1e-45], [0], [1]], dtype=np.float32)
        units = Embeddings(WORDS, sizes * np.array([1, -1], dtype=np.float32)).unit_vectors
        lengths = np.linalg.norm(units, axis=1)
        assert lengths == pytest.approx([1, 1, 0, 1])

    def test_worked_example(self, small: Embeddings) -> None:
        half = float(np.sqrt(0.5))
        assert small.nearest("tie", 2) == [
            Neighbour("shirt", pytest.approx(half)),
            Neighbour("match", pytest.approx(half)),
        ]
        assert [near.word for near in small.nearest("match")] == ["draw", "tie", "shirt"]
        assert [near.word for near in small.nearest(["shirt", "match"])] == ["tie", "draw"]
        assert [near.word for near in small.nearest(np.array([0.0, -1.0]), 1)] == ["shirt"]
        assert [near.word for near in small.nearest("match", exclude=["draw", "bow"])] == ["tie", "shirt"]
        assert small.similarity("match", "draw") == 1
        assert small.nearest("tie", exclude=WORDS) == []

    def test_agrees_with_the_naive_twin(self, random: Embeddings) -> None:
        for word in ("w0", "w7", "w110", "w300"):
            expected = naive.nearest(random.words, random.vectors, random[word], {word})
            found = random.nearest(word, 499)
            assert [near.word for near in found] == [word for _, word in expected]
            assert [near.similarity for near in found] == pytest.approx([score for score, _ in expected], abs=1e-8)

    @settings(deadline=None, max_examples=30)
    @given(
        vectors=arrays.arrays(np.int8, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-2, 2)),
        n=st.integers(1, 12),
    )
    def test_ties_keep_the_order_of_the_vocabulary(self, vectors: np.ndarray, n: int) -> None:
        embeddings = Embeddings([f"w{i}" for i in range(len(vectors))], vectors)
        for word in embeddings:
            expected = naive.nearest(embeddings.words, vectors, embeddings[word], {word})
            assert [near.word for near in embeddings.nearest(word, n)] == [word for _, word in expected[:n]]

    def test_batch_is_nearest_for_each(self, random: Embeddings, monkeypatch: pytest.MonkeyPatch) -> None:
        words = random.words[:130]
        expected = [random.nearest(word, 5) for word in words]
        assert random.nearest_batch(words, 5) == expected
        monkeypatch.setattr(module, "_BLOCK_SCORES", 7 * len(random))
        assert random.nearest_batch(words, 5) == expected
        by_vector = random.nearest_batch(random.vectors[200:203], 1)
        assert [found[0].word for found in by_vector] == ["w200", "w201", "w202"]
        assert random.nearest_batch([]) == []

    def test_answers_do_not_depend_on_threads(self, random: Embeddings) -> None:
        answers = []
        for threads in (1, 2):
            with threadpool_limits(threads):
                answers.append(random.nearest_batch(random.words[:300]))
        assert answers[0] == answers[1]

    @pytest.mark.parametrize(
        ("query", "n", "message"),
        [
            ("tie", 0, "n is 0"),
            ("tie", "3", "n is '3'"),
            ("tie", 1.5, r"n is 1\.5"),
            (np.ones(3), 1, "2 dimensions"),
            (np.array([1, np.nan]), 1, "NaN"),
            (np.array(["a", "b"]), 1, "<U1"),
            ([], 1, "shape"),
        ],
    )
    def test_refuses_bad_queries(self, small: Embeddings, query: object, n: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            small.nearest(query, n)  # type: ignore[arg-type]


storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1, max_size=6)


class TestFiles:
    @settings(deadline=None, max_examples=30)
    @given(data=st.data())
    def test_load_gives_back_what_was_saved(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
    ) -> None:
        words = data.draw(st.lists(storable, min_size=1, max_size=6, unique=True))
        finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
        vectors = data.draw(arrays.arrays(np.float32, (len(words), 3), elements=finite))
        counted = data.draw(st.booleans())
        counts = data.draw(arrays.arrays(np.int64, len(words), elements=st.integers(0, 2**58))) if counted else None
        saved = Embeddings(words, vectors, counts, {"bias": vectors[:, 0]}, "glove", 12 if counted else None)
        folder = tmp_path_factory.mktemp("model")
        saved.save(folder)
        loaded = Embeddings.load(folder)
        assert loaded.words == saved.words
        assert loaded.vectors.tobytes() == saved.vectors.tobytes()
        assert (loaded.counts is None and counts is None) or loaded.counts.tolist() == saved.counts.tolist()
        assert (loaded.method, loaded.n_tokens) == (saved.method, saved.n_tokens)
        assert loaded.state["bias"].tobytes() == saved.state["bias"].tobytes()

    def test_what_the_folder_holds(self, small: Embeddings, tmp_path: Path) -> None:
        small.save(tmp_path / "model")
        assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
            "embeddings.json",
            "vectors.npy",
            "words.txt",
        ]
        assert (tmp_path / "model/words.txt").read_text() == "tie\t9\nshirt\t5\nmatch\t5\ndraw\t1\n"
        assert json.loads((tmp_path / "model/embeddings.json").read_text()) == {
            "method": "sn",
            "n_words": 4,
            "dim": 2,
            "counts": True,
            "n_tokens": 100,
            "state": [],
        }

    def test_large_vectors_are_memory_mapped(
        self, small: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("wordatoms.storage.files.LARGEST_READ", 1)
        small.save(tmp_path)
        base = Embeddings.load(tmp_path).vectors
        while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)

    def test_a_loaded_model_can_be_saved_over_itself(self, small: Embeddings, tmp_path: Path) -> None:
        Embeddings(WORDS, VECTORS, state={"old": VECTORS, "both": VECTORS}).save(tmp_path)
        loaded = Embeddings.load(tmp_path)
        Embeddings(loaded.words, loaded.vectors, state={"both": loaded.state["both"]}).save(tmp_path)
        again = Embeddings.load(tmp_path)
        assert again.vectors.tolist() == small.vectors.tolist()
        assert sorted(again.state) == ["both"]
        assert not (tmp_path / "state-old.npy").exists()

    def test_scalars_of_the_state_stay_scalars(self, tmp_path: Path) -> None:
        Embeddings(WORDS, VECTORS, state={"C": np.array(2.5)}).save(tmp_path)
        assert Embeddings.load(tmp_path).state["C"].shape == ()

    @pytest.mark.parametrize("word", ["a\tb", "a\nb", "a\r", "\ud800"])
    def test_refuses_words_a_list_cannot_hold(self, word: str, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="rename it"):
            Embeddings([word], np.ones((1, 2))).save(tmp_path / "model")
        assert not (tmp_path / "model").exists()

    def test_refuses_state_names_that_are_no_file_names(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"'\.\./x'"):
            Embeddings(WORDS, VECTORS, state={"../x": VECTORS}).save(tmp_path)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("words.txt", b"tie\t9\n", "1 words but 4 vectors"),
            ("words.txt", b"tie\t9\nshirt\t5\nmatch\ndraw\t1\n", "line 3 is 'match'"),
            ("words.txt", b"tie\nshirt\nmatch\ndraw\n", "is inconsistent"),
            ("words.txt", b"tie\t9\nshirt\t5\nmatch\t5\ndr\xff\t1\n", "line 4 is not UTF-8"),
            ("words.txt", None, "words.txt is missing"),
            ("vectors.npy", b"\x93NUMPY", "not a readable array"),
            ("vectors.npy", None, "vectors.npy is missing"),
            ("embeddings.json", b"{", "not valid JSON"),
            ("embeddings.json", b"{}", "does not describe embeddings"),
            ("embeddings.json", b"[]", "does not describe embeddings"),
            ("embeddings.json", None, "embeddings.json is missing"),
        ],
    )
    def test_names_the_damaged_file(
        self, small: Embeddings, tmp_path: Path, name: str, content: bytes | None, message: str
    ) -> None:
        small.save(tmp_path)
        (tmp_path / name).unlink()
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelError, match=message):
            Embeddings.load(tmp_path)

    @pytest.mark.parametrize(
        ("key", "value", "message"),
        [
            ("n_words", 5, "is inconsistent"),
            ("dim", 3, "is inconsistent"),
            ("state", ["../../etc"], "named"),
            ("state", ["C"], "missing"),
        ],
    )
    def test_refuses_a_description_that_lies(
        self, small: Embeddings, tmp_path: Path, key: str, value: object, message: str
    ) -> None:
        small.save(tmp_path)
        path = tmp_path / "embeddings.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
        with pytest.raises(ModelError, match=message):
            Embeddings.load(tmp_path)

    def test_half_a_save_is_no_model(self, small: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        small.save(tmp_path)
        monkeypatch.setattr(module, "save_array", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            Embeddings(WORDS[:2], VECTORS[:2]).save(tmp_path)
        with pytest.raises(ModelError, match="is missing"):
            Embeddings.load(tmp_path)


class TestGensim:
    def test_there_and_back(self, small: Embeddings) -> None:
        pytest.importorskip("gensim")
        keyed_vectors = small.to_gensim()
        assert keyed_vectors.index_to_key == list(WORDS)
        assert keyed_vectors.get_vecattr("shirt", "count") == 5
        back = Embeddings.from_gensim(keyed_vectors)
        assert back.words == small.words
        assert back.vectors.tolist() == small.vectors.tolist()
        assert back.counts.tolist() == small.counts.tolist()

    def test_needs_no_gensim_to_read_its_objects(self) -> None:
        keyed_vectors = SimpleNamespace(index_to_key=list(WORDS), vectors=VECTORS)
        for source in (keyed_vectors, SimpleNamespace(wv=keyed_vectors)):
            assert Embeddings.from_gensim(source).words == WORDS


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, wordatoms.embeddings.embeddings; print({'scipy', 'numba', 'gensim'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
