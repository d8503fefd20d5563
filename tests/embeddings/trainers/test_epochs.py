"""What holds for SN and for GloVe: the same bytes for any threads and after a kill, fixed words, starts, bad input."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_factor import counts_of, planted_counts, random_counts
from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import blocks as blocks_module
from wordatoms.embeddings.trainers import epochs
from wordatoms.embeddings.trainers.glove import train_glove
from wordatoms.embeddings.trainers.sn import train_sn
from wordatoms.errors import DivergedError, InputError
from wordatoms.progress import TrainingReport
from wordatoms.storage.files import Checkpoint

Trainer = Callable[..., Embeddings]
both = pytest.mark.parametrize("train", [train_sn, train_glove])


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several groups for the small vocabularies of the tests."""
    monkeypatch.setattr(blocks_module, "WORDS_PER_GROUP", 8)


def bytes_of(embeddings: Embeddings) -> list[bytes]:
    return [embeddings.vectors.tobytes(), *(array.tobytes() for array in embeddings.state.values())]


def without_words(counts: Counts, n_words: int) -> Counts:
    """The counts of the first words alone."""
    full = np.full((len(counts), len(counts)), -np.inf)
    for row in range(len(counts)):
        at = slice(counts.indptr[row], counts.indptr[row + 1])
        full[row, counts.indices[at]] = np.log(counts.values[at] / counts.unit)
    return counts_of(full[:n_words, :n_words], counts.unit)


@both
def test_any_number_of_threads_gives_the_same_bytes(train: Trainer) -> None:
    counts = random_counts(300, density=0.3)
    one, two, three = (bytes_of(train(counts, dim=9, epochs=3, threads=threads)) for threads in (1, 2, 3))
    assert one == two == three
    assert one != bytes_of(train(counts, dim=9, epochs=3, random_state=1))


@both
def test_the_result_is_all_that_others_need(train: Trainer) -> None:
    counts = random_counts(50)
    trained = train(counts, dim=6, epochs=2)
    assert trained.words == counts.vocabulary.words
    assert trained.vectors.shape == (50, 6)
    assert trained.vectors.dtype == np.float32
    assert trained.counts is not None
    assert trained.counts.tolist() == counts.vocabulary.counts.tolist()
    assert trained.n_tokens == counts.vocabulary.n_tokens
    assert f"train_{trained.method}" == train.__name__


@both
def test_reports_tell_of_a_loss_that_falls(train: Trainer) -> None:
    reports: list[TrainingReport] = []
    train(random_counts(300), dim=20, epochs=25, callback=reports.append)
    assert [report.step for report in reports] == list(range(1, 26))
    assert all(later.loss < 1.01 * earlier.loss for earlier, later in pairwise(reports))
    assert reports[-1].loss < reports[0].loss / 2


@both
@settings(max_examples=25, deadline=None)
@given(n_words=st.integers(2, 60), seed=st.integers(0, 99), density=st.sampled_from([0.05, 0.5, 1.0]))
def test_small_counts_train_to_finite_vectors(train: Trainer, n_words: int, seed: int, density: float) -> None:
    counts = random_counts(n_words, seed, density)
    trained = train(counts, dim=5, epochs=4, self_pairs=True)
    assert np.isfinite(trained.vectors).all()


@both
def test_equal_counts_have_nothing_to_learn(train: Trainer) -> None:
    trained = train(counts_of(np.zeros((30, 30))), dim=5, epochs=5)
    assert np.isfinite(trained.vectors).all()


KILLED = """
import os, signal, sys
from pathlib import Path
from naive_factor import random_counts
from wordatoms.storage.files import Checkpoint
from wordatoms.embeddings.trainers import blocks, epochs, train_embeddings

def kill(report):
    if report.step == 4:
        os.kill(os.getpid(), signal.SIGKILL)

epochs.SECONDS_BETWEEN_CHECKPOINTS, blocks.WORDS_PER_GROUP = 0, 8
checkpoint = Checkpoint(Path(sys.argv[2]), {})
train_embeddings(random_counts(80), sys.argv[1], dim=10, epochs=9, checkpoint=checkpoint, callback=kill)
"""


@both
def test_a_killed_run_goes_on_to_the_same_bytes(train: Trainer, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    method = train.__name__.removeprefix("train_")
    done = subprocess.run([sys.executable, "-c", KILLED, method, str(path)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    reports: list[TrainingReport] = []
    counts = random_counts(80)
    resumed = train(counts, dim=10, epochs=9, checkpoint=Checkpoint(path, {}), callback=reports.append)
    assert reports[0].step == 5
    assert bytes_of(resumed) == bytes_of(train(counts, dim=10, epochs=9))


def test_checkpoints_are_not_written_all_the_time(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "checkpoint.npz", {})
    train_sn(random_counts(40), dim=3, epochs=3, checkpoint=checkpoint)
    assert checkpoint.load() is None


def test_a_checkpoint_of_another_shape_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(epochs, "SECONDS_BETWEEN_CHECKPOINTS", 0)
    checkpoint = Checkpoint(tmp_path / "checkpoint.npz", {})
    train_sn(random_counts(40), dim=3, epochs=2, checkpoint=checkpoint)
    other = train_sn(random_counts(50), dim=3, epochs=2, checkpoint=checkpoint)
    assert bytes_of(other) == bytes_of(train_sn(random_counts(50), dim=3, epochs=2))
    assert "training starts over" in caplog.text


@both
def test_fixed_words_keep_every_bit(train: Trainer) -> None:
    counts = random_counts(120)
    first = train(counts, dim=7, epochs=3)
    fixed = counts.vocabulary.words[::2]
    trained = train(counts, dim=7, epochs=3, start=first, fixed=fixed)
    for before, after in [
        (first.vectors, trained.vectors),
        *((first.state[name], trained.state[name]) for name in first.state if name != "constant"),
    ]:
        assert before[::2].tobytes() == after[::2].tobytes()
        assert (before[1::2] != after[1::2]).reshape(60, -1).any(axis=1).all()
    mask = np.arange(120) % 2 == 0
    assert bytes_of(train(counts, dim=7, epochs=3, start=first, fixed=mask)) == bytes_of(trained)


@both
def test_new_words_are_placed_among_fixed_ones(train: Trainer) -> None:
    counts = planted_counts(100)
    old = train(without_words(counts, 95), dim=10, epochs=40)
    whole = train(counts, dim=10, epochs=40)
    placed = train(counts, dim=10, epochs=40, start=old, fixed=old.words, **fix_shared(train))
    assert placed.vectors[:95].tobytes() == old.vectors.tobytes()
    found, expected = (similarity_pattern(embeddings)[95:] for embeddings in (placed, whole))
    assert (found * expected).sum(axis=1).min() > 0.8


def fix_shared(train: Trainer) -> dict[str, bool]:
    return {"fix_constant": True} if train is train_sn else {}


def similarity_pattern(embeddings: Embeddings) -> np.ndarray:
    """The cosines of each word with the first 95, as unit vectors."""
    centred = embeddings.vectors - embeddings.vectors.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    cosines = unit @ unit[:95].T
    return cosines / np.linalg.norm(cosines, axis=1, keepdims=True)


@both
def test_a_start_is_gone_on_from(train: Trainer) -> None:
    counts = planted_counts(100)
    first_losses, more_losses = [], []
    first = train(counts, dim=10, epochs=10, callback=lambda report: first_losses.append(report.loss))
    more = train(counts, dim=10, epochs=10, start=first, callback=lambda report: more_losses.append(report.loss))
    assert more_losses[0] < 1.5 * first_losses[-1] < first_losses[0]
    assert more_losses[-1] < first_losses[-1]
    assert (more.state[squares_of(train)] >= first.state[squares_of(train)]).all()


def squares_of(train: Trainer) -> str:
    return "squares" if train is train_sn else "word_squares"


@both
def test_a_start_matches_words_by_name(train: Trainer) -> None:
    counts = random_counts(40)
    words = counts.vocabulary.words
    vectors = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    start = Embeddings((*words[29::-1][:29], "elsewhere"), vectors)
    trained = train(counts, dim=4, epochs=1, learning_rate=1e-6, start=start)
    for word in words[1:30]:
        np.testing.assert_allclose(trained[word], start[word], atol=1e-4)
    assert np.abs(trained.vectors[[0, *range(30, 40)]]).max() < 0.3  # w and c, each within ±0.1


@both
def test_no_learning_rate_makes_a_bad_model_in_silence(train: Trainer) -> None:
    with pytest.raises(DivergedError, match=r"pass a learning_rate below .*, such as"):
        train(random_counts(100), dim=10, learning_rate=1e4)


@both
@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([float("nan")], "the loss is nan after epoch 1 of 10"),
        ([1e9], r"the loss is 1e\+09 after epoch 1 of 10, where .* is easy to reach"),
        ([0.4] * 10, "the loss is 0.4 after epoch 10 of 10"),
        ([0.01] * 9 + [0.1], "the loss is 0.1 after epoch 10 of 10, where 0.01 is easy to reach"),
    ],
)
def test_a_loss_that_runs_away_is_noticed(
    train: Trainer, losses: list[float], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = iter(losses)
    monkeypatch.setattr(epochs, "_run_epoch", lambda _, blocks, *__: next(means) * blocks.n_pairs)
    with pytest.raises(DivergedError, match=message):
        train(random_counts(100), dim=10, epochs=10)


@both
def test_too_few_epochs_are_told(
    train: Trainer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(epochs, "_run_epoch", lambda _, blocks, *__: 0.5 * blocks.n_pairs)
    train(random_counts(100), dim=10, epochs=1)
    assert "train for more epochs" in caplog.text


@both
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dim": 0}, "dim is 0; pass 1 or more"),
        ({"epochs": 0}, "epochs is 0; pass 1 or more"),
        ({"min_value": -1.0}, "min_value is -1.0; pass 0 or more"),
        ({"min_value": float("nan")}, "min_value is nan; pass 0 or more"),
        ({"min_value": 1e9}, "none of the .* pairs is left"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; pass a positive number"),
        ({"learning_rate": float("inf")}, "learning_rate is inf; pass a positive number"),
        ({"threads": 0}, "threads is 0; pass 1 or more"),
        ({"fixed": ["w000"]}, "'w000' and 0 more words are fixed, but start has no vectors"),
        ({"fixed": ["w000", "nowhere"]}, "1 of the fixed words, such as 'nowhere', are not in the vocabulary"),
        ({"fixed": np.zeros(3, bool)}, r"fixed has type bool and shape \(3,\); pass words, or a bool for each"),
        ({"start": Embeddings(("w000",), np.ones((1, 3)))}, "start has 3 dimensions and dim is 4; pass dim=3"),
        ({"start": Embeddings(("nowhere",), np.ones((1, 4)))}, "start has none of the 30 words"),
    ],
)
def test_bad_input_is_refused(train: Trainer, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train(random_counts(30), **{"dim": 4, "epochs": 2, **parameters})


@both
def test_counts_without_pairs_are_refused(train: Trainer) -> None:
    with pytest.raises(InputError, match="the counts have no pair"):
        train(counts_of(np.full((3, 3), -np.inf)), dim=2)


@both
def test_all_words_fixed_leaves_nothing_to_train(train: Trainer) -> None:
    counts = random_counts(30)
    start = train(counts, dim=4, epochs=1)
    with pytest.raises(InputError, match="30 of 30 words are fixed"):
        train(counts, dim=4, start=start, fixed=start.words)
