"""Documents as distributions over atoms."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import naive_topics
import wordatoms as wa
from lettered import discourse, lettered, lettered_model
from planted import DIM
from samples import slow, write
from wordatoms.cli.topics import topics as command
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF
from wordatoms.errors import InputError
from wordatoms.kernels.contexts import window_means
from wordatoms.run import Run
from wordatoms.senses import topics as module
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import Topics, document_topics, window_starts, write_table


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("topics") / "model")


@pytest.fixture
def model(shared_model: SenseModel) -> SenseModel:
    (shared_model.path / "notes.json").unlink(missing_ok=True)
    return shared_model


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    """The same with a map, one that is far from doing nothing."""
    model = lettered_model(tmp_path_factory.mktemp("mapped") / "model")
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(DIM, DIM)).astype(np.float32)
    common = np.eye(DIM, dtype=np.float32)[3]
    learned = InducedMap(matrix, common, np.zeros((1, 7), np.int32), a=1e-2, window=3)

    def make(_forget: Callable[[], None]) -> list[str]:
        learned.save(model.path)
        return [name for name in InducedMap.FILES if (model.path / name).exists()]

    with model.folder.working():
        model.folder.build("map", {}, make)
    return wa.load(model.path)


def atom_of(model: SenseModel, planted: int) -> int:
    """The learned atom that is one of the planted ones."""
    return model.senses(lettered(f"d{planted}w0"))[0].atom


def test_documents_about_planted_atoms(model: SenseModel) -> None:
    mixed = f"{discourse(3, range(30))}.\n{discourse(3, range(30))} {discourse(9, range(30))}"
    found = document_topics(model, [mixed, discourse(5, range(4)), "nothing known", ""], window=2)
    first, second = found.top_atoms(0, 2)
    assert (first.atom, second.atom) == (atom_of(model, 3), atom_of(model, 9))
    assert first.share == pytest.approx(2 / 3, abs=0.05)
    assert second.share == pytest.approx(1 / 3, abs=0.05)
    (only,) = found.top_atoms("2")
    assert only == (atom_of(model, 5), model.label(atom_of(model, 5)), 1.0)
    assert found.empty == ("3", "4")
    assert found.n_words.tolist() == [90, 4, 0, 0]
    assert found.n_windows.tolist() == [44, 1, 0, 0]
    assert [share.document for share in found.top_documents(atom_of(model, 3))] == ["1"]
    assert repr(found).startswith("Topics(4 documents, ")


words = st.sampled_from([*(lettered(f"d{atom}w{word}") for atom in (3, 4, 9) for word in range(8)), "unknown"])
texts = st.lists(words, max_size=40).map(" ".join)
choices = st.fixed_dictionaries(
    {
        "window": st.integers(1, 6),
        "step": st.integers(1, 5),
        "remove_common": st.booleans(),
        "scale": st.sampled_from([None, 5.0, 50.0]),
    }
)


def expected(model: SenseModel, text: str, options: dict[str, object]) -> np.ndarray:
    with_map = "map" in model.folder.stages
    sif = model.induced_map.sif(model.embeddings) if with_map else module._plain_sif(model.embeddings)
    matrix = model.induced_map.matrix if with_map else None
    return naive_topics.distribution(text, sif, model.atoms.vectors, matrix=matrix, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["model", "mapped"])
@slow
@given(documents=st.lists(texts, min_size=1, max_size=4), options=choices)
def test_against_the_naive_twin(
    request: pytest.FixtureRequest, kind: str, documents: list[str], options: dict[str, object]
) -> None:
    model: SenseModel = request.getfixturevalue(kind)
    hard_or_soft = {"soft": options["scale"] is not None, **({"scale": s} if (s := options["scale"]) else {})}
    rest = {name: value for name, value in options.items() if name != "scale"}
    found = document_topics(model, documents, run=Run(threads=1), **rest, **hard_or_soft)  # type: ignore[arg-type]
    for row, text in enumerate(documents):
        shares = found.distribution(row)
        np.testing.assert_allclose(shares, expected(model, text, options), atol=2e-4)
        assert shares.sum() == pytest.approx(1 if found.n_words[row] else 0)


@slow
@given(
    documents=st.lists(texts, min_size=1, max_size=12),
    soft=st.booleans(),
    characters=st.integers(1, 100),
    piece=st.integers(8, 50),
    windows=st.integers(1, 5),
)
def test_threads_and_sizes_of_parts_change_nothing(
    shared_model: SenseModel, documents: list[str], soft: bool, characters: int, piece: int, windows: int
) -> None:
    whole = document_topics(shared_model, documents, window=2, soft=soft, run=Run(threads=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GROUP_CHARACTERS", characters)
        patch.setattr(module, "PIECE_CHARACTERS", piece)
        patch.setattr(module, "BLOCK_WINDOWS", windows)
        one, many = (
            document_topics(shared_model, iter(documents), window=2, soft=soft, run=Run(threads=threads))
            for threads in (1, 3)
        )
    assert all((getattr(one, name) == getattr(many, name)).all() for name in ("starts", "atoms", "shares", "n_words"))
    for row in range(len(documents)):
        np.testing.assert_allclose(one.distribution(row), whole.distribution(row), atol=1e-5)  # other sums round so


@given(n_words=st.integers(0, 200), width=st.integers(1, 50), step=st.integers(1, 60))
def test_windows_reach_the_end(n_words: int, width: int, step: int) -> None:
    owners, starts = window_starts(np.array([n_words, 0, n_words]), width, step)
    assert (starts[owners == 0] == starts[owners == 2]).all()
    assert not (owners == 1).any()
    starts = starts[owners == 0]
    assert len(starts) == len(set(starts.tolist())) == (0 if not n_words else -(-max(n_words - width, 0) // step) + 1)
    if n_words:
        assert starts[0] == 0
        assert starts[-1] + min(width, n_words) == n_words


@given(
    n_words=st.lists(st.integers(0, 30), min_size=1, max_size=5),
    width=st.integers(1, 12),
    step=st.integers(1, 15),
    seed=st.integers(0, 9),
)
def test_means_of_windows(n_words: list[int], width: int, step: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 6, sum(n_words)).astype(np.int32)
    weights, vectors = rng.random(6).astype(np.float32), rng.standard_normal((6, 3)).astype(np.float32)
    sizes = np.array(n_words)
    owners, starts = window_starts(sizes, width, step)
    begins = starts + (np.cumsum(sizes) - sizes)[owners]
    ends = begins + np.minimum(sizes, width)[owners]
    means = np.full((len(owners), 3), np.nan, np.float32)
    window_means(words, begins, ends, np.flatnonzero(np.diff(owners, prepend=-1)), weights, vectors, means)
    for begin, end, mean in zip(begins, ends, means, strict=True):
        own = words[begin:end]
        np.testing.assert_allclose(mean, (weights[own, None] * vectors[own]).mean(axis=0), atol=1e-5)


def test_the_models_window_is_the_default(mapped: SenseModel) -> None:
    text = discourse(3, range(30))
    assert document_topics(mapped, [text]).n_windows.tolist() == [len(window_starts(np.array([30]), 7, 3)[1])]


def test_common_direction_matters(mapped: SenseModel) -> None:
    text = " ".join(discourse(atom, range(30)) for atom in range(10))
    without, with_it = (document_topics(mapped, [text], remove_common=remove) for remove in (True, False))
    assert (without.distribution(0) != with_it.distribution(0)).any()


def test_hidden_atoms_and_names(model: SenseModel) -> None:
    three, five = atom_of(model, 3), atom_of(model, 5)
    model.hide(three)
    model.name(five, "=named, by hand")
    found = document_topics(model, [discourse(3, range(9)), discourse(5, range(9))])
    assert three not in found.atoms
    assert three not in found.shown
    assert found.top_atoms(1)[0].label == "=named, by hand"
    with pytest.raises(InputError, match=f"no atom {three}"):
        found.top_documents(three)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "window is 0"),
        ({"step": 0}, "step is 0"),
        ({"soft": True, "scale": 0.0}, "scale is 0.0"),
        ({"soft": True, "scale": float("inf")}, "scale is inf"),
        ({"run": Run(threads=0)}, "threads is 0"),
    ],
)
def test_bad_numbers_are_one_sentence(model: SenseModel, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        document_topics(model, ["a"], **options)  # type: ignore[arg-type]


def test_one_string_is_no_list_of_documents(model: SenseModel) -> None:
    with pytest.raises(InputError, match="pass a list of texts"):
        document_topics(model, "a text")


def test_no_documents_and_unknown_documents(model: SenseModel) -> None:
    nothing = document_topics(model, [])
    assert len(nothing) == 0
    assert list(nothing.rows()) == []
    assert not nothing.mean_shares().any()
    with pytest.raises(InputError, match="no document 'x' among 0"):
        nothing.top_atoms("x")


def test_words_with_zero_vectors_make_no_window(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SIF, "weights", np.zeros(len(model.words), np.float32))
    found = document_topics(model, [discourse(3, range(9))])
    assert found.n_words.tolist() == [9]
    assert found.n_windows.tolist() == [0]
    assert not found.top_atoms(0)


# Tables


@pytest.fixture
def found(model: SenseModel) -> Topics:
    both = f"{discourse(3, range(30))} {discourse(9, range(15))}"
    named = [('a, "b"\nc', both), ("=1+1", discourse(5, range(9))), ("empty", "nothing")]
    return document_topics(model, named, window=3)


@pytest.mark.parametrize("separator", [",", "\t"])
def test_long_table(found: Topics, tmp_path: Path, separator: str) -> None:
    path = tmp_path / ("table.csv" if separator == "," else "table.TSV")
    write_table(found, path)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=separator))
    assert list(rows[0]) == ["document", "atom", "label", "share", "n_words"]
    assert [row["document"] for row in rows] == [row.document for row in found.rows()]
    for name in found.documents[:2]:
        assert sum(float(row["share"]) for row in rows if row["document"] == name) == pytest.approx(1, abs=1e-4)
    assert rows[-1] == {"document": "empty", "atom": "", "label": "", "share": "", "n_words": "0"}


def test_small_shares_are_left_out_on_request(found: Topics, tmp_path: Path) -> None:
    write_table(found, tmp_path / "table.csv", min_share=0.5)
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        assert [row["document"] for row in csv.DictReader(file)] == list(found.documents)


def test_wide_table(found: Topics, tmp_path: Path) -> None:
    write_table(found, tmp_path / "table.csv", wide=True)
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["document", "n_words", *found.columns()]
    for row, cells in enumerate(rows):
        np.testing.assert_allclose([float(cell) for cell in cells[2:]], found.distribution(row)[found.shown], atol=1e-5)


def test_frames(found: Topics) -> None:
    pytest.importorskip("pandas")
    long = found.to_frame()
    assert list(long.columns) == ["document", "atom", "label", "share", "n_words"]
    assert long["share"].sum() == pytest.approx(2)
    assert long["atom"].isna().sum() == 1
    wide = found.to_frame(wide=True)
    assert wide.shape == (3, 1 + len(found.shown))
    assert wide.loc["=1+1"].drop("n_words").sum() == pytest.approx(1)


@pytest.mark.parametrize("wide", [False, True])
def test_parquet(found: Topics, tmp_path: Path, wide: bool) -> None:
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    write_table(found, tmp_path / "table.parquet", wide=wide)
    table = pandas.read_parquet(tmp_path / "table.parquet")
    assert set(table["document"]) == set(found.documents)
    assert len(table.columns) == (2 + len(found.shown) if wide else 5)


def test_tables_are_not_overwritten(found: Topics, tmp_path: Path) -> None:
    path = write(tmp_path / "table.csv", b"mine")
    with pytest.raises(InputError, match="is there already"):
        write_table(found, path)
    assert path.read_bytes() == b"mine"
    write_table(found, path, force=True)
    assert path.read_bytes().startswith(b"document,")
    with pytest.raises(InputError, match=r"ends in \.csv"):
        write_table(found, tmp_path / "table.xlsx")
    with pytest.raises(InputError, match="does not exist"):
        write_table(found, tmp_path / "nowhere" / "table.csv")


# The command


def run(*arguments: object, stdin: str = "") -> Result:
    result = CliRunner().invoke(command, [*map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_command_shows_documents_and_atoms(model: SenseModel, tmp_path: Path) -> None:
    write(tmp_path / "docs" / "one.txt", discourse(3, range(9)).encode())
    write(tmp_path / "docs" / "two.txt", b"nothing known")
    shown = run(tmp_path / "docs", "--model", model.path)
    assert f"one.txt  (9 words)\n   1.00  atom {atom_of(model, 3)}" in shown.stdout
    assert "1 document without a word that the model knows, and so without atoms: " in shown.stderr
    quiet = run(tmp_path / "docs", "--model", model.path, "--by-atom", "--quiet")
    assert quiet.stdout.startswith(f"atom {atom_of(model, 3)}: ")
    assert quiet.stderr == ""


def test_command_as_json_and_table(model: SenseModel, tmp_path: Path) -> None:
    asked = ("-", "--lines", "--model", model.path, "--json")
    lines = f"{discourse(3, range(9))}\n\n{discourse(5, range(9))}\n"
    made = run(*asked, "-o", tmp_path / "table.csv", "--soft", "--scale", 40, stdin=lines)
    first, second = json.loads(made.stdout)["documents"]
    assert (first["document"], second["document"]) == ("standard input:1", "standard input:3")
    assert set(first) == {"document", "n_words", "n_windows", "atoms"}
    assert set(first["atoms"][0]) == {"atom", "label", "share"}
    assert (tmp_path / "table.csv").exists()
    by_atom = json.loads(run(*asked, "--by-atom", stdin=lines).stdout)["atoms"]
    assert {atom["atom"] for atom in by_atom} == {atom_of(model, 3), atom_of(model, 5)}


def test_command_reads_a_column(model: SenseModel, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    table = write(tmp_path / "speeches.csv", f'who,text\nA,"{discourse(3, range(9))}"\nB,\n'.encode())
    asked = (table, "--model", model.path, "--json", "--quiet", "--column", "text")
    documents = json.loads(run(*asked, "--id", "who").stdout)["documents"]
    assert [(each["document"], each["n_words"]) for each in documents] == [("A", 9), ("B", 0)]


@pytest.mark.parametrize("content", [b"", b"\n\n \n"])
def test_lines_without_a_document_were_answered_with_nothing(model: SenseModel, tmp_path: Path, content: bytes) -> None:
    text = write(tmp_path / "empty.txt", content)
    with pytest.raises(InputError, match=r"^there are no documents in .*empty\.txt; pass files with text in them\.$"):
        run(text, "--lines", "--model", model.path, "-o", tmp_path / "table.csv")
    assert not (tmp_path / "table.csv").exists()


@pytest.mark.parametrize("min_share", [math.nan, -0.1, 1.5])
def test_a_share_that_is_no_number_left_all_rows_out(model: SenseModel, tmp_path: Path, min_share: float) -> None:
    found = document_topics(model, [("one", discourse(3, range(9)))])
    with pytest.raises(InputError, match="pass a share from 0 to 1"):
        write_table(found, tmp_path / "table.csv", min_share=min_share)
    assert not (tmp_path / "table.csv").exists()


@pytest.mark.parametrize("wrong", [["--lines", "--column", "a"], ["--id", "a"], ["--scale", "3"]])
def test_options_that_exclude_each_other(model: SenseModel, tmp_path: Path, wrong: list[str]) -> None:
    assert run(write(tmp_path / "a.txt"), "--model", model.path, *wrong).exit_code == 2


def test_a_table_that_cannot_be_written_is_said_before_any_work(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is there already"):
        run("missing.txt", "--model", model.path, "-o", write(tmp_path / "table.csv"))


def test_only_the_nearest_atoms_share_a_window(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_SHARING", 3)
    monkeypatch.setattr(naive_topics, "N_SHARING", 3)
    text = f"{discourse(3, range(4))} {discourse(9, range(3))}"
    found = document_topics(model, [text], window=5, soft=True, scale=2.0)
    options = {"window": 5, "step": 5, "remove_common": True, "scale": 2.0}
    assert np.count_nonzero(found.distribution(0)) == 3
    np.testing.assert_allclose(found.distribution(0), expected(model, text, options), atol=1e-5)
