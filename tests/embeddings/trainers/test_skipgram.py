"""Skip-gram and CBOW: order of rows, planted topics, the loss, long lines, and going on after a kill."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gensim", reason='needs the extra: pip install "wordatoms[skipgram]"')

from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import skipgram
from wordatoms.embeddings.trainers.cbow import train_cbow
from wordatoms.embeddings.trainers.skipgram import train_skipgram
from wordatoms.errors import DivergedError, InputError
from wordatoms.progress import TrainingReport
from wordatoms.storage.files import Checkpoint

FRUIT = ("apple", "pear", "plum", "cherry", "quince")
TOOLS = ("hammer", "saw", "chisel", "drill", "file")


def count_words(text: str) -> Vocabulary:
    words, counts = np.unique(text.split(), return_counts=True)
    order = sorted(range(len(words)), key=lambda row: (-counts[row], words[row]))
    return Vocabulary(tuple(str(words[row]) for row in order), counts[order].astype(np.int64), int(counts.sum()))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lines that speak of fruit or of tools, never of both."""
    rng = np.random.default_rng(5)
    lines = [" ".join(rng.choice(FRUIT if rng.random() < 0.5 else TOOLS, size=12)) for _ in range(1500)]
    path = tmp_path_factory.mktemp("text") / "lines.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def vocabulary(text: Path) -> Vocabulary:
    return count_words(text.read_text(encoding="utf-8"))


def train(text: Path, vocabulary: Vocabulary, **settings: object) -> Embeddings:
    return train_skipgram(text, vocabulary, **{"dim": 8, "epochs": 2, "sample": 0.0, **settings})


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skipgram, "WORDS_PER_STEP", 6000)


@pytest.mark.parametrize("train", [train_skipgram, train_cbow])
def test_words_of_one_topic_are_near(train: Callable[..., Embeddings], text: Path, vocabulary: Vocabulary) -> None:
    embeddings = train(text, vocabulary, dim=8, epochs=5, sample=0.0)
    unit = embeddings.vectors / np.linalg.norm(embeddings.vectors, axis=1, keepdims=True)
    fruit, tools = (unit[[vocabulary[word] for word in topic]] for topic in (FRUIT, TOOLS))
    assert (fruit @ fruit.T).min() > (fruit @ tools.T).max()
    assert train.__name__ == f"train_{embeddings.method}"
    assert embeddings.words == vocabulary.words
    assert embeddings.state["context"].shape == embeddings.vectors.shape == (10, 8)


def test_rows_keep_the_order_of_the_vocabulary_where_counts_are_equal() -> None:
    words = tuple("kzabqmx")
    vocabulary = Vocabulary(words, np.full(7, 3), 21)
    assert tuple(skipgram._new_model(vocabulary, vector_size=2).wv.index_to_key) == words


def test_downsampling_follows_the_counts_of_the_vocabulary() -> None:
    vocabulary = Vocabulary(("the", "rare"), np.array([90_000, 10]), 100_000)
    kept = skipgram._new_model(vocabulary, vector_size=2, sample=1e-3).wv.expandos["sample_int"] / 2**32
    ratio = 1e-3 * 90_010 / 90_000
    np.testing.assert_allclose(kept, [np.sqrt(ratio) + ratio, 1.0], rtol=1e-6)


def test_the_learning_rate_falls_on_one_line_over_all_steps() -> None:
    pieces = [skipgram.Piece(0, 0, n_words) for n_words in (30, 10, 60)]
    shares = skipgram._rate_at_bounds(pieces)
    np.testing.assert_allclose(shares, 1 - 0.996 * np.array([0, 0.3, 0.4, 1.0]))


def test_pieces_cover_the_text_once(text: Path) -> None:
    pieces = skipgram._cut_text(text, 5000)
    whole = text.read_bytes()
    cut = [whole[piece.offset : piece.offset + piece.n_bytes] for piece in pieces]
    assert b"".join(cut) == whole
    assert [len(part.split()) for part in cut] == [piece.n_words for piece in pieces]
    assert [piece.n_words >= 5000 for piece in pieces] == [True, True, True, False]


def test_no_word_of_a_long_line_is_lost() -> None:
    line = " ".join(str(number) for number in range(25_000))
    sentences = list(skipgram._sentences(f"{line}\n\na b\n".encode()))
    assert [len(sentence) for sentence in sentences] == [10_000, 10_000, 5_000, 2]
    assert [word for sentence in sentences[:3] for word in sentence] == line.split()


def test_loss_against_the_naive_loss() -> None:
    rng = np.random.default_rng(0)
    vectors, context = rng.normal(size=(2, 6, 3)).astype(np.float32)
    probe = skipgram.Probe(np.array([[0, -1, 3], [4, -1, -1]]), np.array([1, 1]), np.array([[2, 3], [5, 0]]))
    losses = []
    for inputs, word, noise in zip(*probe, strict=True):
        mean = np.mean([vectors[row] for row in inputs if row >= 0], axis=0)
        loss = -np.log(1 / (1 + np.exp(-mean @ context[word])))
        losses.append(loss - sum(np.log(1 / (1 + np.exp(mean @ context[other]))) for other in noise))
    assert probe.loss(vectors, context) == pytest.approx(np.mean(losses), rel=1e-5)


def test_windows_of_the_cbow_probe_hold_all_neighbours_and_not_the_word() -> None:
    line = np.arange(10, 16)
    for around, word in skipgram._draw_windows(line, 2, np.random.default_rng(0)):
        wanted = [word + step if 10 <= word + step < 16 else -1 for step in (-2, -1, 1, 2)]
        assert around == wanted
    assert skipgram._draw_windows(line[:1], 2, np.random.default_rng(0)) == []


@pytest.mark.usefixtures("short_steps")
@pytest.mark.parametrize("train", [train_skipgram, train_cbow])
def test_reports_every_step_with_a_falling_loss(
    train: Callable[..., Embeddings], text: Path, vocabulary: Vocabulary
) -> None:
    reports: list[TrainingReport] = []
    train(text, vocabulary, dim=8, epochs=2, sample=0.0, callback=reports.append)
    assert [report.step for report in reports] == [1, 2, 3, 4, 5, 6]
    assert {report.n_steps for report in reports} == {6}
    assert reports[-1].loss < reports[0].loss < 6 * np.log(2)


@pytest.mark.usefixtures("short_steps")
def test_gensim_finds_nothing_to_warn_of(text: Path, vocabulary: Vocabulary, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        train(text, vocabulary)
    assert not caplog.records


def test_same_seed_same_bytes(text: Path, vocabulary: Vocabulary) -> None:
    first, second = (train(text, vocabulary, threads=threads).vectors for threads in (1, 2))
    other = train(text, vocabulary, random_state=1).vectors
    assert first.tobytes() == second.tobytes() != other.tobytes()


@pytest.mark.usefixtures("short_steps")
def test_several_workers_train_too(text: Path, vocabulary: Vocabulary) -> None:
    assert np.isfinite(train(text, vocabulary, workers=2).vectors).all()


KILLED = """
import json, os, signal, sys
from pathlib import Path
import numpy as np
from wordatoms.storage.files import Checkpoint
from wordatoms.embeddings.trainers import skipgram
from wordatoms.counts.vocabulary import Vocabulary

skipgram.WORDS_PER_STEP = 6000
text, checkpoint, words, counts = Path(sys.argv[1]), Path(sys.argv[2]), *map(json.loads, sys.argv[3:])
vocabulary = Vocabulary(tuple(words), np.array(counts), sum(counts))

def kill(report):
    if report.step == 4:
        os.kill(os.getpid(), signal.SIGKILL)

skipgram.train_skipgram(
    text, vocabulary, dim=8, epochs=2, sample=1e-2, checkpoint=Checkpoint(checkpoint, {}), callback=kill
)
"""


@pytest.mark.usefixtures("short_steps")
def test_a_killed_run_goes_on_to_the_same_bytes(text: Path, vocabulary: Vocabulary, tmp_path: Path) -> None:
    path = tmp_path / "skipgram.npz"
    arguments = [str(text), str(path), json.dumps(vocabulary.words), json.dumps(vocabulary.counts.tolist())]
    done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert done.returncode == -signal.SIGKILL
    reports: list[TrainingReport] = []
    resumed = train(text, vocabulary, sample=1e-2, checkpoint=Checkpoint(path, {}), callback=reports.append)
    whole = train(text, vocabulary, sample=1e-2)
    assert [report.step for report in reports] == [5, 6]
    assert resumed.vectors.tobytes() == whole.vectors.tobytes()
    assert resumed.state["context"].tobytes() == whole.state["context"].tobytes()


def test_a_checkpoint_of_another_size_is_ignored(text: Path, vocabulary: Vocabulary, tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "small.npz", {})
    train(text, vocabulary, dim=4, checkpoint=checkpoint)
    assert train(text, vocabulary, dim=8, checkpoint=checkpoint).vectors.shape == (10, 8)


def test_vectors_that_are_no_numbers_are_refused(
    text: Path, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def diverge(model: skipgram.Model, *_: object) -> None:
        model.wv.vectors[3, 1] = np.nan

    monkeypatch.setattr(skipgram, "_train_piece", diverge)
    with pytest.raises(DivergedError, match=r"at step 1; train again with a learning_rate below 0\.05"):
        train(text, vocabulary)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dim": 0}, "dim is 0; pass 1 or more"),
        ({"epochs": 0}, "epochs is 0"),
        ({"window": -1}, "window is -1"),
        ({"negative": 0}, "negative is 0"),
        ({"workers": 0}, "workers is 0"),
        ({"sample": 1.5}, "sample is 1.5"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
        ({"random_state": -1}, "random_state is -1"),
    ],
)
def test_bad_parameters(text: Path, vocabulary: Vocabulary, settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train(text, vocabulary, **settings)


def test_bad_texts(text: Path, vocabulary: Vocabulary, tmp_path: Path) -> None:
    empty, strange = tmp_path / "empty.txt", tmp_path / "strange.txt"
    empty.write_text("\n\n")
    strange.write_text("nothing known here\n")
    with pytest.raises(InputError, match=r"missing.txt cannot be read"):
        train(tmp_path / "missing.txt", vocabulary)
    with pytest.raises(InputError, match="has no words"):
        train(empty, vocabulary)
    with pytest.raises(InputError, match="two neighbouring words of the vocabulary"):
        train(strange, vocabulary)
    with pytest.raises(InputError, match="the vocabulary has 1 words"):
        train(text, Vocabulary(("apple",), np.array([9]), 9))
