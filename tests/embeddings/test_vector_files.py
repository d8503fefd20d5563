from __future__ import annotations

import errno
import os
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import naive_vectors as naive
from samples import COMPRESSORS
from wordatoms.embeddings import vector_rows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import FORMATS, read_vectors, write_vectors
from wordatoms.errors import InputError, VectorFileError
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.storage.files import save_array
from wordatoms.storage.folder import ModelFolder

GLOVE = b"the 0.25 -1 3e-2\ncat 1.5 +2 .5\nsat 0 0. -0\n"
WORD2VEC = b"3 3\n" + GLOVE
BINARY = b"2 3\nthe " + np.float32([1, 2, 3]).tobytes() + b"\ncat " + np.float32([4, 5, 6]).tobytes() + b"\n"


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "vectors"
        path.write_bytes(content)
        return path

    return write


@pytest.fixture(scope="module")
def sample() -> Embeddings:
    vectors = np.random.default_rng(0).normal(size=(300, 7)).astype(np.float32)
    return Embeddings(["at name@domain.com", "a\u00a0b", ". . .", *(f"wörd{i}" for i in range(297))], vectors)


def same(first: Embeddings, second: Embeddings) -> bool:
    return first.words == second.words and first.vectors.tobytes() == second.vectors.tobytes()


class TestText:
    def test_worked_example(self, file: Callable[[bytes], Path]) -> None:
        read = read_vectors(file(GLOVE))
        assert read.words == ("the", "cat", "sat")
        assert read.vectors.tolist() == np.float32([[0.25, -1, 0.03], [1.5, 2, 0.5], [0, 0, 0]]).tolist()
        assert same(read, read_vectors(file(WORD2VEC)))
        assert same(read, read_vectors(file(WORD2VEC), format="fasttext"))

    def test_agrees_with_the_naive_twin(self, file: Callable[[bytes], Path]) -> None:
        vectors = np.random.default_rng(1).normal(size=(200, 12)) * 10.0 ** np.arange(-6, 6)
        text = "".join(f"w{i} {' '.join(f'{x:.6g}' for x in row)}\n" for i, row in enumerate(vectors))
        expected = naive.parse_glove(text)
        read = read_vectors(file(text.encode()))
        assert dict(read).keys() == expected.keys()
        assert all((read[word] == vector).all() for word, vector in expected.items())

    number = st.one_of(
        st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
        st.decimals(-(10**6), 10**6, places=8).map(str),
        st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9])?", fullmatch=True),
    ).filter(lambda text: abs(float(text)) <= float(np.finfo(np.float32).max))

    @settings(deadline=None)
    @given(numbers=st.lists(number, min_size=1, max_size=8))
    @example(numbers=["1e-45", "3.4028235e38", "-1.1754944e-38", "1e-400", "00000000000000000000001.5", "1E+5"])
    def test_any_number_is_read_as_python_reads_it(
        self, tmp_path_factory: pytest.TempPathFactory, numbers: list[str]
    ) -> None:
        path = tmp_path_factory.mktemp("numbers") / "x.txt"
        path.write_text(f"{len(numbers)} 1\n" + "".join(f"w{i} {number}\n" for i, number in enumerate(numbers)))
        expected = np.array([float(number) for number in numbers]).astype(np.float32)
        assert read_vectors(path).vectors[:, 0].tolist() == expected.tolist()

    @pytest.mark.parametrize(
        "content",
        [
            GLOVE.replace(b"\n", b"\r\n"),
            GLOVE.replace(b" ", b"\t"),
            GLOVE.replace(b"\n", b" \n"),
            GLOVE.replace(b" ", b"  "),
            GLOVE.replace(b"\n", b"\n\n") + b"\n",
            GLOVE.removesuffix(b"\n"),
            WORD2VEC.replace(b"\n", b" \r\n"),
        ],
    )
    def test_line_ends_and_spaces_do_not_matter(self, file: Callable[[bytes], Path], content: bytes) -> None:
        assert same(read_vectors(file(content)), read_vectors(file(GLOVE)))

    def test_spaces_within_words(self, file: Callable[[bytes], Path]) -> None:
        words = (". . .", "the", "at name@domain.com", "a\u00a0b", "\u3000", "\u0085", "1,000 km", "12")
        text = "".join(f"{word} 0.1 0.2 {i}.5\n" for i, word in enumerate(words))
        assert read_vectors(file(text.encode()), format="glove").words == words
        assert read_vectors(file(f"{len(words)} 3\n{text}".encode())).words == words

    def test_blocks_of_any_size_give_the_same(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = b"".join(b"w%d %d.5 -%d.25\n" % (i, i, i) for i in range(100))
        (tmp_path / "x.txt").write_bytes(text)
        expected = read_vectors(tmp_path / "x.txt")
        for chunk, block in ((1, 32), (7, 64), (1000, 40)):
            monkeypatch.setattr(vector_rows, "_CHUNK", chunk)
            monkeypatch.setattr(vector_rows, "_BLOCK", block)
            assert same(read_vectors(tmp_path / "x.txt"), expected)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"the 1 2 3\ncat 1 2\nsat 1 2 3\n", "line 2: expected a word and 3 numbers but found 2"),
            (b"the 1 2 3\ncat 1 2 3 4\nsat 1 2 3\n", "line 2: expected a word and 3 numbers but found more"),
            (b"the 1 2 3\ncat 1 x 3\n", "line 2: expected 3 finite numbers but found b'x'"),
            (b"the 1 2 3\ncat 1 nan 3\n", "line 2: expected 3 finite numbers but found b'nan'"),
            (b"the 1 2 3\ncat 1 -inf 3\n", "line 2: .*b'-inf'"),
            (b"the 1 2 3\ncat 1 2 1e39\n", "line 2: 'cat' has NaN, infinity or a number too large"),
            (b"the 1 2 3\ncat 1 2 0x1\n", "line 2: .*b'0x1'"),
            (b"the 1 2 3\ncat 1 2 1_0\n", "line 2: .*b'1_0'"),
            (b"the 1 2 3\n\ncat 1 2 3\nthe 4 5 6\n", r"line 4: 'the' already has a vector \(line 1\)"),
            (b"the 1 2 3\ncaf\xe9 1 2 3\n", r"line 2: the word b'caf\\xe9' is not UTF-8"),
            (b"the 1 2 3\n 1.25 2.25 3.25\n", "line 2: expected a word and 3 numbers but found 2"),
            (b"3 3\nthe 1 2 3\ncat 1 2 3\n", "ends after 2 words, but its header says 3"),
            (b"1 3\nthe 1 2 3\ncat 1 2 3\n", "line 3: the header says 1 words"),
            (b"2 4\nthe 1 2 3\ncat 1 2 3\n", "line 2: expected a word and 4 numbers but found 3"),
            (b"2 2\nthe 1 2 3\ncat 1 2 3\n", "line 2: expected a word and 2 numbers but found more"),
            (b"0 3\n", "says 0 words"),
            (b"3 0\nthe\n", "0 numbers"),
            (b"9 9000000\nthe 1 2 3\n", "1 to 1,000,000 numbers"),
            (b"5 3\n", "ends after 0 words"),
            (b"", "is empty"),
            (b"\n\n", "only blank lines"),
            (b"just\nsome\nwords\n", "line 1: expected a word and its numbers but found b'just'"),
            (b"Some prose, not numbers.\n", "line 1: expected a word and its numbers but found b'Some prose"),
            (bytes(range(128, 256)) * 50, "line 1: expected a word and its numbers"),
            (b"x" * (5 << 20), "byte 0: no line ends within"),
        ],
    )
    def test_names_the_line_of_a_mistake(self, file: Callable[[bytes], Path], content: bytes, message: str) -> None:
        with pytest.raises(VectorFileError, match=message):
            read_vectors(file(content))

    def test_wrong_format_says_which(self, file: Callable[[bytes], Path]) -> None:
        with pytest.raises(VectorFileError, match=r"line 1 is a header, .* pass the format word2vec"):
            read_vectors(file(WORD2VEC), format="glove")
        with pytest.raises(VectorFileError, match=r"line 1: expected a header .* the format glove"):
            read_vectors(file(GLOVE), format="word2vec")

    def test_one_number_per_word(self, file: Callable[[bytes], Path]) -> None:
        assert read_vectors(file(b"5 7\n6 8\n")).words == ("5", "6")
        assert read_vectors(file(b"2 1\n5 7\n6 8\n")).words == ("5", "6")


class TestBinary:
    def test_with_and_without_line_ends(self, file: Callable[[bytes], Path]) -> None:
        read = read_vectors(file(BINARY))
        assert read.words == ("the", "cat")
        assert read.vectors.tolist() == [[1, 2, 3], [4, 5, 6]]
        without = BINARY.replace(b"\ncat", b"cat").removesuffix(b"\n")
        assert same(read, read_vectors(file(without)))

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (BINARY[:-3], r"byte 20: in word 2 of 2, the file ends after 10 of the 12 bytes of 'cat'"),
            (BINARY[:22], "byte 20: in word 2 of 2, no space ends the word"),
            (BINARY.replace(b"2 3\n", b"3 3\n"), "byte 37: in word 3 of 3"),
            (
                BINARY.replace(b"2 3\n", b"1 3\n"),
                "byte 20: the header says 1 words, but the file continues",
            ),
            (
                BINARY.replace(b"2 3\n", b"2 2\n"),
                "byte 33: the header says 2 words, but the file continues",
            ),
            (BINARY.replace(b"cat", b"the"), r"byte 20: 'the' already has a vector \(byte 4\)"),
            (BINARY.replace(b"cat", b"c\xff\xff"), "byte 20: .*not UTF-8"),
            (BINARY.replace(b"\ncat", b"\n"), "byte 20: in word 2 of 2, the word is empty"),
            (b"1 2\nthe " + np.float32([1, np.nan]).tobytes(), "byte 4: 'the' has NaN"),
            (b"1000000000000 3\n" + BINARY[4:], "in word 3 of 1,000,000,000,000"),
            (b"no header", "line 1: expected a header"),
        ],
    )
    def test_names_the_byte_of_a_mistake(self, file: Callable[[bytes], Path], content: bytes, message: str) -> None:
        with pytest.raises(VectorFileError, match=message):
            read_vectors(file(content), format="word2vec-binary")


class TestForeignFiles:
    def test_pickles_are_refused_with_the_way_out(self, file: Callable[[bytes], Path], tmp_path: Path) -> None:
        np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
        for content in (
            *(pickle.dumps({}, protocol=i) for i in range(2, 6)),
            (tmp_path / "objects.npy").read_bytes(),
        ):
            for format in ("auto", *FORMATS):
                with pytest.raises(VectorFileError, match=r"KeyedVectors\.load\('.*'\)\.save_word2vec_format"):
                    read_vectors(file(content), format=format)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"PK\x03\x04glove", "zip archive; unpack"),
            (b"\xba\x16\x4f\x2f\x0c", r"fastText \.bin model; pass the \.vec"),
        ],
    )
    def test_other_files_are_told_apart(self, file: Callable[[bytes], Path], content: bytes, message: str) -> None:
        with pytest.raises(VectorFileError, match=message):
            read_vectors(file(content))

    def test_missing_files_and_folders(self, tmp_path: Path) -> None:
        with pytest.raises(VectorFileError, match="No such file"):
            read_vectors(tmp_path / "none.txt")
        with pytest.raises(VectorFileError, match="directory"):
            read_vectors(tmp_path)

    def test_bad_requests(self, file: Callable[[bytes], Path]) -> None:
        with pytest.raises(InputError, match="format is 'bin'"):
            read_vectors(file(GLOVE), format="bin")
        with pytest.raises(InputError, match="max_words is 0"):
            read_vectors(file(GLOVE), max_words=0)
        with pytest.raises(InputError, match="read as glove and contains its words"):
            read_vectors(file(GLOVE), words=file(GLOVE))


class TestPacked:
    @pytest.mark.parametrize("packer", COMPRESSORS)
    @pytest.mark.parametrize("content", [GLOVE, WORD2VEC, BINARY], ids=["glove", "word2vec", "binary"])
    def test_is_unpacked_by_content(self, file: Callable[[bytes], Path], packer: str, content: bytes) -> None:
        assert same(read_vectors(file(COMPRESSORS[packer](content))), read_vectors(file(content)))

    @pytest.mark.parametrize("packer", COMPRESSORS)
    def test_streams_behind_each_other(self, file: Callable[[bytes], Path], packer: str) -> None:
        pack = COMPRESSORS[packer]
        assert same(read_vectors(file(pack(GLOVE[:20]) + pack(GLOVE[20:]))), read_vectors(file(GLOVE)))

    @pytest.mark.parametrize("packer", COMPRESSORS)
    def test_cut_or_broken_data_is_an_error(self, file: Callable[[bytes], Path], packer: str) -> None:
        packed = COMPRESSORS[packer](GLOVE * 1000)
        with pytest.raises(VectorFileError, match="cannot be read: its compressed data ends too early"):
            read_vectors(file(packed[:-6]))
        with pytest.raises(VectorFileError):
            read_vectors(file(packed[:20] + b"broken" + packed[26:]))

    def test_a_word_that_begins_like_a_packed_file(self, file: Callable[[bytes], Path]) -> None:
        assert read_vectors(file(b"BZh9 1 2\n")).words == ("BZh9",)


class TestLimits:
    def test_max_words_stops_before_later_mistakes(self, file: Callable[[bytes], Path]) -> None:
        for content in (GLOVE + b"broken 1\n", b"900 3\n" + GLOVE, b"900 3" + BINARY[3:]):
            assert len(read_vectors(file(content), max_words=2)) == 2
        assert len(read_vectors(file(GLOVE), max_words=50)) == 3

    @pytest.mark.parametrize("header", [b"1000000000000 3\n", b"3 1000000\n"])
    @pytest.mark.parametrize("rows", [GLOVE * 30_000, BINARY[4:]], ids=["text", "binary"])
    def test_nothing_a_header_claims_is_allocated(
        self, file: Callable[[bytes], Path], header: bytes, rows: bytes
    ) -> None:
        path = file(header + rows)
        tracemalloc.start()
        with pytest.raises(VectorFileError):
            read_vectors(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 50e6

    def test_memory_is_the_array_and_a_buffer(self, tmp_path: Path) -> None:
        path = tmp_path / "x.txt"
        with path.open("w") as text:
            for i in range(20_000):
                text.write(f"w{i}{' -0.12345' * 100}\n")
        read_vectors(path, max_words=1)  # compiled outside the measurement
        tracemalloc.start()
        vectors = read_vectors(path).vectors
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1.3 * vectors.nbytes + 32e6


characters = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\v\f0123456789")
plain_words = st.text(characters, min_size=1, max_size=6)
spaced_words = st.lists(plain_words, min_size=1, max_size=3).map(" ".join)


class TestExport:
    @settings(deadline=None, max_examples=40)
    @given(data=st.data(), format=st.sampled_from(FORMATS))
    def test_import_gives_back_what_was_exported(
        self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, format: str
    ) -> None:
        strategy = plain_words if format == "word2vec-binary" else spaced_words
        if format in ("npy", "safetensors", "parquet"):  # a list of words is plain text, without NUL
            strategy = strategy.filter(lambda word: "\0" not in word)
        words = data.draw(st.lists(strategy, min_size=1, max_size=6, unique=True))
        finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
        vectors = data.draw(arrays.arrays(np.float32, (len(words), data.draw(st.integers(1, 4))), elements=finite))
        path = tmp_path_factory.mktemp("export") / "x.npy"
        exported = Embeddings(words, vectors)
        write_vectors(exported, path, format=format)
        assert same(read_vectors(path, format=format), exported)

    @pytest.mark.parametrize("format", FORMATS)
    def test_is_recognised_again(self, sample: Embeddings, tmp_path: Path, format: str) -> None:
        if format == "word2vec-binary":
            sample = Embeddings([word.replace(" ", "_") for word in sample.words], sample.vectors)
        write_vectors(sample, tmp_path / "x.npy", format=format)
        assert same(read_vectors(tmp_path / "x.npy"), sample)

    def test_numbers_are_as_short_as_can_be(self, tmp_path: Path) -> None:
        write_vectors(Embeddings(["a"], np.float32([[0.1, 1 / 3, 1e-30]])), tmp_path / "x", format="glove")
        assert (tmp_path / "x").read_bytes() == b"a 0.1 0.33333334 1e-30\n"

    @pytest.mark.parametrize(
        ("word", "format"),
        [
            ("route 66", "glove"),
            ("a ", "word2vec"),
            (" ", "glove"),
            ("a\nb", "fasttext"),
            ("\ud800", "glove"),
            ("a b", "word2vec-binary"),
            ("\na", "word2vec-binary"),
            ("\ud800", "word2vec-binary"),
            ("a\tb", "npy"),
        ],
    )
    def test_refuses_words_that_would_not_come_back(self, tmp_path: Path, word: str, format: str) -> None:
        (tmp_path / "x").write_bytes(b"before")
        with pytest.raises(InputError, match="rename it"):
            write_vectors(Embeddings(["fine", word], np.ones((2, 2))), tmp_path / "x", format=format)
        assert [path.name for path in tmp_path.iterdir()] == ["x"]
        assert (tmp_path / "x").read_bytes() == b"before"

    def test_bad_requests(self, sample: Embeddings, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="format is 'auto'"):
            write_vectors(sample, tmp_path / "x", format="auto")
        for path in (tmp_path, tmp_path / "none" / "x"):
            with pytest.raises(InputError, match="in an existing folder"):
                write_vectors(sample, path, format="glove")


class TestNumpy:
    def save(self, folder: Path, words: str, vectors: object = ((1, 2), (3, 4))) -> Path:
        np.save(folder / "x.npy", np.array(vectors, dtype=np.float64))
        (folder / words).write_text("a\nb\n")
        return folder / "x.npy"

    @pytest.mark.parametrize("words", ["x.words", "x.txt", "words.txt"])
    def test_finds_its_words(self, tmp_path: Path, words: str) -> None:
        read = read_vectors(self.save(tmp_path, words))
        assert read.words == ("a", "b")
        assert read.vectors.tolist() == [[1, 2], [3, 4]]

    def test_words_can_be_named(self, tmp_path: Path) -> None:
        path = self.save(tmp_path, "elsewhere")
        assert read_vectors(path, words=tmp_path / "elsewhere", max_words=1).words == ("a",)
        with pytest.raises(VectorFileError, match=r"no x\.words, x\.txt, words\.txt next to it"):
            read_vectors(path)
        with pytest.raises(VectorFileError, match="none does not exist"):
            read_vectors(path, words=tmp_path / "none")

    def test_reads_the_arrays_of_a_model(self, sample: Embeddings, tmp_path: Path) -> None:
        counted = Embeddings(sample.words, sample.vectors, counts=np.arange(300))
        counted.save(tmp_path)
        read = read_vectors(tmp_path / "vectors.npy")
        assert same(read, counted)
        assert read.counts.tolist() == counted.counts.tolist()

    @pytest.mark.parametrize(
        ("vectors", "message"),
        [
            (((1, 2),), "one row per word"),
            ((1, 2), "one row per word"),
            (((1, np.nan), (1, 2)), r"'a' \(row 0\)"),
        ],
    )
    def test_refuses_what_does_not_fit(self, tmp_path: Path, vectors: object, message: str) -> None:
        with pytest.raises(VectorFileError, match=message):
            read_vectors(self.save(tmp_path, "x.words", vectors))

    def test_names_a_broken_array_or_list(self, tmp_path: Path) -> None:
        path = self.save(tmp_path, "x.words")
        (tmp_path / "x.words").write_text("a\n\n")
        with pytest.raises(VectorFileError, match=r"x\.words, line 2 is ''"):
            read_vectors(path)
        (tmp_path / "x.words").write_text("a\nb\n")
        path.write_bytes(path.read_bytes()[:-8])
        with pytest.raises(VectorFileError, match=r"not a valid \.npy array"):
            read_vectors(path)


class TestGensim:
    @pytest.mark.parametrize(("format", "binary"), [("word2vec", False), ("word2vec-binary", True)])
    def test_both_programs_read_both_programs(self, tmp_path: Path, format: str, binary: bool) -> None:
        models = pytest.importorskip("gensim.models")
        vectors = np.random.default_rng(0).normal(size=(50, 5)).astype(np.float32)
        ours = Embeddings([f"w{i}" for i in range(50)], vectors)
        write_vectors(ours, tmp_path / "ours", format=format)
        theirs = models.KeyedVectors.load_word2vec_format(str(tmp_path / "ours"), binary=binary)
        assert same(Embeddings.from_gensim(theirs), ours)
        theirs.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
        assert same(read_vectors(tmp_path / "theirs"), ours)


class TestExportOfTwoFiles:
    """An array and its words are replaced together."""

    OLD = Embeddings(("old", "older"), np.eye(2))
    NEW = Embeddings(("new", "newer"), -np.eye(2))

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
    @pytest.mark.parametrize("n_calls", range(4))
    def test_killed_export_paired_new_words_with_old_vectors(self, tmp_path: Path, n_calls: int) -> None:
        path = tmp_path / "x.npy"
        write_vectors(self.OLD, path, format="npy")
        (tmp_path / "words.txt").write_text("another\nlist\n")  # of the right length, but of another array
        if child := os.fork():
            os.waitpid(child, 0)
        else:
            self.die_after(n_calls)
            write_vectors(self.NEW, path, format="npy")
            os._exit(0)
        if n_calls in (0, 3):
            assert same(read_vectors(path), self.NEW if n_calls else self.OLD)
        else:
            with pytest.raises(VectorFileError, match="did not finish"):
                read_vectors(path)
        write_vectors(self.NEW, path, format="npy")
        assert same(read_vectors(path), self.NEW)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["words.txt", "x.npy", "x.words"]

    def die_after(self, n_calls: int) -> None:
        """Die before one of the changes of names: a removal and two renames."""
        left = iter(range(n_calls))

        def dying(change: Callable[..., object]) -> Callable[..., object]:
            def changed(*arguments: object, **options: object) -> object:
                if next(left, None) is None:
                    os._exit(0)
                return change(*arguments, **options)

            return changed

        Path.unlink, Path.replace = dying(Path.unlink), dying(Path.replace)  # type: ignore[method-assign, assignment]

    def test_full_disk_paired_new_words_with_old_vectors(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "x.npy"
        write_vectors(self.OLD, path, format="npy")

        def full(*_arguments: object, **_options: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("wordatoms.storage.files.np.lib.format.write_array", full)
        with pytest.raises(OSError, match=r"x\.npy"):
            write_vectors(self.NEW, path, format="npy")
        assert same(read_vectors(path), self.OLD)
        assert sorted(each.name for each in tmp_path.iterdir()) == ["x.npy", "x.words"]


def test_import_held_the_vectors_three_times(tmp_path: Path) -> None:
    path, shape = tmp_path / "vectors.bin", (4000, 500)
    vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    write_vectors(Embeddings([f"w{row}" for row in range(len(vectors))], vectors), path, format="word2vec-binary")
    tracemalloc.start()
    import_vectors(path, ModelFolder(tmp_path / "model", create=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * vectors.nbytes, "they go to disk as they are read"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_import_of_an_array_held_it_whole(tmp_path: Path, dtype: type) -> None:
    vectors = np.random.default_rng(0).normal(size=(4000, 500)).astype(dtype)
    np.save(tmp_path / "x.npy", vectors)
    (tmp_path / "x.words").write_text("".join(f"w{row}\n" for row in range(len(vectors))))
    tracemalloc.start()
    embeddings = import_vectors(tmp_path / "x.npy", ModelFolder(tmp_path / "model", create=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert embeddings is not None
    assert (embeddings.vectors == vectors.astype(np.float32)).all()
    assert peak < 3 * vectors[:4096].nbytes // 2


@pytest.mark.parametrize("format", ["glove", "word2vec", "word2vec-binary", "npy"])
def test_streamed_vectors_are_those_read_into_memory(tmp_path: Path, format: str) -> None:
    vectors = np.random.default_rng(0).normal(size=(3000, 7)).astype(np.float32)
    path = tmp_path / "x.npy"
    write_vectors(Embeddings([f"w{row}" for row in range(len(vectors))], vectors), path, format=format)
    streamed = read_vectors(path, to=tmp_path / "streamed.npy")
    assert same(streamed, read_vectors(path))
    save_array(tmp_path / "whole.npy", vectors)
    assert (tmp_path / "streamed.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()
