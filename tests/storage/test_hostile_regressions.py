"""What fuzzing and reading with suspicion found in the readers of files, each kept as the input that showed it."""

from __future__ import annotations

import io
import json
import os
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from hostilemodels import make_model
from samplewiki import page, paragraphs_of, wiki
from samplewordnet import write_database
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.word_lists import parse_words
from wordatoms.embeddings.vector_files import read_vectors
from wordatoms.errors import InputError, ModelError, WordatomsError
from wordatoms.paper.tasks.datasets import join_contractions
from wordatoms.paper.tasks.lineup.profiles import Lexicon
from wordatoms.paper.tasks.scws.evaluate import read_scws
from wordatoms.paper.tasks.similarity.analogy import read_questions
from wordatoms.paper.tasks.similarity.evaluate import read_pairs
from wordatoms.paper.wordnet import WordNet
from wordatoms.senses.annotations import FILE as NOTES
from wordatoms.senses.model import load
from wordatoms.storage.files import load_array, save_array
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.documents import read_column
from wordatoms.text.mediawiki import iter_pages, strip_markup

TEXT = "The bank gave a loan of cash."


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if the processor needs longer, however busy it is with others."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"it takes longer than {seconds} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# Time that grows with the square of a line


@pytest.mark.parametrize("format", ["auto", "glove", "word2vec"])
def test_many_digits_and_a_letter(format: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.txt", b"1 2\nspring 1 " + b"1" * 60_000 + b"x\n")
    with within(3), pytest.raises(InputError):
        read_vectors(path, format=format)


def test_a_million_spaces_before_nothing() -> None:
    with within(3):
        assert join_contractions("do" + " " * 1_000_000 + "not do  n't") == "do" + " " * 1_000_000 + "not don't"


def test_many_marks_that_never_close(tmp_path: Path) -> None:
    fields = ["1", "bank", "n", "bank", "n", "<b>" * 300_000, "a <b>bank</b>", "1.0", *["5.0"] * 10]
    path = write(tmp_path / "ratings.txt", "\t".join(fields).encode())
    with within(3), pytest.raises(InputError, match="found none"):
        read_scws(path)


def test_many_names_for_files_and_categories() -> None:
    names = "".join(f'<namespace key="6">{number}</namespace>' for number in range(100_000))
    with within(3), pytest.raises(InputError, match="more than 1,000 names for files"):
        list(paragraphs_of(wiki(page("Tie", "A tie"), site=f"<siteinfo>{names}</siteinfo>")))


@pytest.mark.parametrize("tangle", ["<x " * 2500, ("[[" + "{{a|" * 1000 + "]]\n") * 200])
def test_a_short_page_in_which_nothing_closes(tangle: str) -> None:
    with within(3), pytest.raises(InputError, match="never close"):
        strip_markup(tangle)


# Sentences that quote a whole file


def test_errors_quote_the_beginning_of_what_is_wrong(tmp_path: Path) -> None:
    line = b"x" * 100_000
    attempts = [
        lambda: parse_words(b"a\n" + line + b"\t\n"),
        lambda: read_pairs(write(tmp_path / "pairs.txt", line)),
        lambda: read_questions(write(tmp_path / "analogy.txt", line)),
        lambda: read_vectors(write(tmp_path / "glove.txt", 2 * (line + b" 1 2 3\n")), format="glove"),
        lambda: read_vectors(write(tmp_path / "v.bin", b"2 4\n" + line[:60_000] + b" 12"), format="word2vec-binary"),
    ]
    for attempt in attempts:
        with pytest.raises(InputError) as caught:
            attempt()
        assert len(str(caught.value)) < 1000


# Exceptions that were no sentence


@pytest.mark.parametrize("encoding", ["klingon", "utf-7", "hex", "gb18030", "idna"])
def test_a_dump_in_an_encoding_that_is_none(encoding: str) -> None:
    content = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + wiki(page("Tie", "A tie"))
    with pytest.raises(InputError, match="an encoding that cannot be read"):
        list(iter_pages(io.BytesIO(content)))


def test_a_namespace_without_a_name() -> None:
    site = '<siteinfo><namespace key="0"><title key="6">x</title></namespace></siteinfo>'
    assert paragraphs_of(wiki(page("Tie", "A tie"), site=site)) == [["A tie"]]


def test_a_database_of_synsets_without_numbers(tmp_path: Path) -> None:
    write_database(tmp_path)
    write(tmp_path / "data.verb", "00000000 x3 v 01 spring 0 000 | to jump\n²\n".encode())
    with pytest.raises(InputError, match=r"data\.verb is broken"):
        Lexicon(WordNet(tmp_path))


def test_an_archive_in_the_place_of_an_array(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros(3))
    with pytest.raises(ModelError, match="is not a readable array"):
        load_array((tmp_path / "x.npz").rename(tmp_path / "x.npy"))


def test_text_of_a_parquet_table_that_is_no_unicode(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"text": ["A tie"]}), path, compression="none")
    write(path, path.read_bytes().replace(b"A tie", b"A \xf4ie"))
    with pytest.raises(InputError, match="cannot be read as a table"):
        list(read_column([path], "text"))


def test_a_parquet_table_over_which_pyarrow_ends_the_process(tmp_path: Path) -> None:
    """Its description of a column contradicts itself, which pyarrow notices where nobody catches it."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    table = pa.table({"who": [7, 8, 9], "text": ["The spring ran dry", None, "A tie"]})
    parquet.write_table(table, path, compression="none")
    content = path.read_bytes()
    for place in range(len(content) - 250, len(content) - 8):
        write(path, content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with suppress(InputError):
            list(read_column([path], "text", names="who"))


def test_a_page_of_a_parquet_table_that_announces_gigabytes(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    table = pa.table({"who": [7, 8, 9], "text": ["The spring ran dry", None, "A tie"]})
    parquet.write_table(table, path, compression="none")
    header, announcing = b"\x15\x04\x15\x3e\x15\x3e", b"\x15\x04\x15\x3e\x15\xc2\xb3\xea\xfb\x0a"
    content = path.read_bytes()
    assert header in content
    write(path, content.replace(header, announcing))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with within(2), pytest.raises(InputError, match="cannot be read"):
        list(read_column([path], "text", names="who"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


# Models


@pytest.fixture(scope="module")
def first_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("hostile") / "model")


@pytest.fixture
def model(first_model: Path, tmp_path: Path) -> Path:
    """A copy that may be spoilt."""
    return Path(shutil.copytree(first_model, tmp_path / "model"))


def ask(model: Path) -> None:
    """Questions that look at everything."""
    found = load(model)
    found.disambiguate("bank", TEXT)
    found.atom(0)
    found.senses("bank", forms=True)


JSON_FILES = ("manifest.json", "embeddings.json", "atoms.json", "meta.json", "map.json", "tuning.json", NOTES)


@pytest.mark.parametrize("name", JSON_FILES)
@pytest.mark.parametrize(
    "content", [b"[" * 50_000, b'{"a":' * 50_000, b"9" * 5000, b"1e999", b'{"hidden": [Infinity]}']
)
def test_json_that_no_model_has(model: Path, name: str, content: bytes) -> None:
    write(model / name, content)
    with pytest.raises(ModelError):
        ask(model)


def test_notes_about_an_infinite_atom(model: Path) -> None:
    notes = json.loads((model / NOTES).read_bytes())
    write(model / NOTES, json.dumps({**notes, "hidden": [1e400]}).encode())
    with pytest.raises(ModelError, match="is damaged"):
        ask(model)


def change_count(model: Path, **settings: object) -> None:
    manifest = json.loads((model / "manifest.json").read_bytes())
    manifest["stages"]["count"]["settings"] = settings
    write(model / "manifest.json", json.dumps(manifest).encode())


@pytest.mark.parametrize("phrases", [None, 5, "new york", [3], {"a": 1}])
def test_a_manifest_that_does_not_say_what_words_are(model: Path, phrases: object) -> None:
    change_count(model, keep_case=False, pretokenized=False, phrases=phrases)
    with pytest.raises(ModelError, match="how the text was tokenized"):
        ask(model)
    change_count(model)
    with pytest.raises(ModelError, match="how the text was tokenized"):
        ask(model)


@pytest.mark.parametrize(("cross", "gram"), [(1.0, 0.0), (3e38, 1e-30)])
def test_moments_of_no_contexts(model: Path, cross: float, gram: float) -> None:
    dim = load(model).embeddings.dim
    scales = np.array([cross, gram, gram], np.float32)[:, None, None]
    save_array(model / "map-moments.npy", np.eye(dim, dtype=np.float32) * scales)
    with pytest.raises(ModelError, match="the moments of the map"):
        InducedMap.load(model).for_one_context(0.5)


SPOILT_COUNTS = {
    "indices": [[2**31 - 1], [-1], [1 << 20]],
    "indptr": [[0, 1 << 40], [5], [-(2**63)]],
}


@pytest.mark.parametrize(
    ("name", "start"), [(name, start) for name, starts in SPOILT_COUNTS.items() for start in starts]
)
def test_counts_of_words_that_are_not_there(model: Path, name: str, start: list[int]) -> None:
    """A compiled loop would have written wherever these numbers say."""
    path = model / f"counts-{name}.npy"
    array = np.array(load_array(path))
    array[: len(start)] = start
    save_array(path, array)
    with pytest.raises(ModelError, match="are inconsistent"):
        Counts.load(model)


# Files outside the model


OUTSIDE = ("../precious.txt", "/precious.txt", "..", ".", "", "a/b", "a\0b", "\ud800", "manifest.json")


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_manifest_that_names_files_elsewhere(model: Path, name: str) -> None:
    """Building a stage anew removes the old files of the stage, and sharing one links them."""
    precious = write(model.parent / "precious.txt", b"precious")
    manifest = json.loads((model / "manifest.json").read_bytes())
    manifest["stages"]["count"]["files"] = {name: {"n_bytes": 8, "sha256": "x"}}
    write(model / "manifest.json", json.dumps(manifest).encode())
    with pytest.raises(ModelError):
        ModelFolder(model)
    assert precious.read_bytes() == b"precious"


@pytest.mark.parametrize("name", [NOTES, f".{NOTES}.lock"])
def test_notes_that_lead_elsewhere_are_not_written(model: Path, name: str) -> None:
    precious = write(model.parent / "precious.txt", b'{"precious": 1}')
    found = load(model)
    (model / name).unlink(missing_ok=True)
    (model / name).symlink_to(precious)
    with pytest.raises(WordatomsError):
        found.name(0, "money")
    assert precious.read_bytes() == b'{"precious": 1}'


@pytest.mark.parametrize("name", ["vectors.npy", "manifest.json", ".work", ".work/lock", ".work/deep/x.npz"])
def test_a_model_that_leads_elsewhere_is_not_worked_in(model: Path, name: str) -> None:
    elsewhere = model.parent / "elsewhere"
    elsewhere.mkdir()
    target = elsewhere if name == ".work" else write(elsewhere / "precious", (model / "manifest.json").read_bytes())
    (model / name).unlink(missing_ok=True)
    (model / name).parent.mkdir(parents=True, exist_ok=True)
    (model / name).symlink_to(target)
    before = sorted(elsewhere.iterdir())
    with pytest.raises(ModelError, match="is a link"), ModelFolder(model).working():
        raise AssertionError("it works there")
    assert sorted(elsewhere.iterdir()) == before


@pytest.mark.parametrize("name", ["words.txt", "vectors.npy", "embeddings.json", "forms.txt", NOTES])
def test_a_pipe_in_a_model_does_not_keep_it_waiting(model: Path, name: str) -> None:
    manifest = json.loads((model / "manifest.json").read_bytes())
    for record in manifest["stages"].values():
        record["files"].pop(name, None)
    write(model / "manifest.json", json.dumps(manifest).encode())
    (model / name).unlink()
    os.mkfifo(model / name)
    signal.alarm(10)  # a pipe that waits takes no processor time
    try:
        with pytest.raises(ModelError):
            ask(model)
            load(model).embeddings.nearest("bank", 3)
            raise ModelError("a model may do without its forms")
    finally:
        signal.alarm(0)
