"""Passes over text on a Dask cluster: the same bytes as on threads, whatever dies on the way."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest

import commands
from clusters import Cluster, can_hide, running_cluster
from samples import Reporting
from wordatoms.run import Run

pytest.importorskip("distributed", reason='needs Dask: pip install "wordatoms[dask]"')

from wordatoms.contexts.averages import context_sums
from wordatoms.contexts.windows import sample_windows
from wordatoms.counts.cooccurrence import count_pairs
from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.engine.dask import DaskEngine
from wordatoms.engine.threads import Engine, ThreadEngine
from wordatoms.errors import EngineError, InputError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.train import train
from wordatoms.progress import TextCallback
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus, open_corpus

MEMORY = 1 << 30
SMALL = {"memory": MEMORY, "batch_bytes": 4000, "group_batches": 3}
SETTINGS = CountSettings(min_count=2, window=4)


def some_text(n_lines: int, seed: int) -> str:
    draw = random.Random(seed)
    return "\n".join(" ".join(f"w{int(draw.paretovariate(0.6)) % 300}" for _ in range(12)) for _ in range(n_lines))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("texts")
    paths = [folder / f"part-{number}.txt" for number in range(6)]
    for number, path in enumerate(paths):
        path.write_text(some_text(200, number))
    packed = folder / "part-6.txt.gz"
    packed.write_bytes(gzip.compress(some_text(200, 6).encode()))
    return [*paths, packed]


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A busy machine may take longer to answer than a user would wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordatoms.engine.dask.CONNECT_SECONDS", 120)
        yield


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster"), 2) as running:
        yield running


@pytest.fixture(scope="module")
def engine(cluster: Cluster) -> Iterator[DaskEngine]:
    with DaskEngine(cluster.address, **SMALL) as connected:  # type: ignore[arg-type]
        yield connected


def corpus_of(texts: list[Path], work: Path) -> Corpus:
    return open_corpus(texts, work=work, threads=1, shard_bytes=3000)


def as_bytes(vocabulary: Vocabulary) -> tuple[tuple[str, ...], bytes, int]:
    return vocabulary.words, vocabulary.counts.tobytes(), vocabulary.n_tokens


def passes(corpus: Corpus, engine: Engine, keep: Path | None = None, report: TextCallback | None = None) -> list[Any]:
    """The results of all passes over a text."""
    common: dict[str, Any] = {"keep": keep, "run": Run(engine=engine, memory=MEMORY, progress=Reporting(report))}
    vocabulary = build_vocabulary(corpus, min_count=2, **common)
    counts = count_pairs(corpus, vocabulary, window=4, **common)
    windows = sample_windows(corpus, vocabulary.words, window=3, n_windows=50, **common)
    vectors = np.random.default_rng(0).normal(size=(len(vocabulary), 7))
    sums = context_sums(corpus, vocabulary.words, vectors, window=3, inside=True, **common)
    arrays = (counts.indptr, counts.indices, counts.values, windows, sums.outside, sums.inside, sums.n_contexts)
    return [as_bytes(vocabulary), *(array.tobytes() for array in arrays)]


def n_entries(keep: Path) -> int:
    return len(list(keep.rglob("*.json")))


def test_all_passes_give_the_same_bytes(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    corpus = corpus_of(texts, tmp_path)
    assert passes(corpus, engine) == passes(corpus, ThreadEngine(1))


def test_pieces_that_are_split_add_up_too(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    corpus = corpus_of(texts, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordatoms.counts.vocabulary.SPLIT_BYTES", 60_000)
        patch.setattr("wordatoms.counts.cooccurrence.PAIR_BYTES", MEMORY // 8 // 10_000)
        assert passes(corpus, engine) == passes(corpus, ThreadEngine(2))


def test_progress_is_told(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    seen = []
    vocabulary = build_vocabulary(
        corpus_of(texts, tmp_path),
        min_count=1,
        run=Run(engine=engine, progress=Reporting(lambda *numbers: seen.append(numbers))),
    )
    assert len(seen) > 5
    assert sum(n_tokens for _, n_tokens in seen) >= vocabulary.n_tokens


def test_what_one_engine_has_done_another_goes_on_from(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    some, all_of_them = corpus_of(texts[:4], tmp_path), corpus_of(texts, tmp_path)
    build_vocabulary(some, min_count=2, run=Run(engine=engine), keep=tmp_path / "keep")
    tokens = []
    found = build_vocabulary(
        all_of_them,
        min_count=2,
        run=Run(engine=ThreadEngine(2), progress=Reporting(lambda _, n_tokens: tokens.append(n_tokens))),
        keep=tmp_path / "keep",
    )
    assert as_bytes(found) == as_bytes(build_vocabulary(all_of_them, min_count=2))
    assert sum(tokens) < found.n_tokens / 2


def test_a_model_is_the_same_byte_for_byte(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    options: dict[str, Any] = {"settings": SETTINGS, "parameters": {"dim": 10}}
    here = train(texts, tmp_path / "here", run=Run(memory=MEMORY), **options)
    there = train(texts, tmp_path / "there", run=Run(engine=engine, memory=MEMORY), **options)
    assert model_files(here.path) == model_files(there.path)
    assert not (there.path / ".work").exists()


def model_files(path: Path) -> dict[str, Any]:
    stages = json.loads((path / "manifest.json").read_bytes())["stages"]
    return {stage: [record["settings"], record["files"]] for stage, record in stages.items()}


def test_addresses_are_read_by_the_workers(engine: DaskEngine, texts: list[Path], tmp_path: Path) -> None:
    there, here = ModelFolder(tmp_path / "there", create=True), ModelFolder(tmp_path / "here", create=True)
    count([f"file://{text}" for text in texts], there, SETTINGS, run=Run(engine=engine))
    count(texts, here, SETTINGS)
    assert there.stages["count"]["files"] == here.stages["count"]["files"]
    assert there.stages["count"]["settings"] == here.stages["count"]["settings"]


# --- what dies


def test_a_worker_killed_in_the_middle_changes_nothing(texts: list[Path], tmp_path: Path) -> None:
    corpus = corpus_of(texts, tmp_path)
    with (
        running_cluster(tmp_path / "cluster", 3) as cluster,
        DaskEngine(cluster.address, **SMALL) as engine,  # type: ignore[arg-type]
    ):
        n_reports = 0

        def report(_n_bytes: int, _n_tokens: int) -> None:
            nonlocal n_reports
            n_reports += 1
            if n_reports in (2, 30):  # while words, then pairs are counted
                os.kill(cluster.workers.pop().pid, signal.SIGKILL)

        engine.client.wait_for_workers(3, timeout=60)
        found = passes(corpus, engine, report=report)
        assert len(cluster.workers) == 1
    assert found == passes(corpus, ThreadEngine(1))


def test_a_scheduler_killed_in_the_middle_and_another_one_after_it(
    engine: DaskEngine, texts: list[Path], tmp_path: Path
) -> None:
    corpus, keep = corpus_of(texts, tmp_path), tmp_path / "keep"
    with running_cluster(tmp_path / "cluster", 1) as dying:
        n_reports = 0

        def report(_n_bytes: int, _n_tokens: int) -> None:
            nonlocal n_reports
            n_reports += 1
            if n_reports == 6:
                dying.scheduler.kill()

        with (
            pytest.raises(EngineError, match=r"the scheduler at tcp://.* is gone .* it resumes"),
            DaskEngine(dying.address, **SMALL) as cut_off,  # type: ignore[arg-type]
        ):
            build_vocabulary(corpus, min_count=2, run=Run(engine=cut_off, progress=Reporting(report)), keep=keep)
        assert n_entries(keep) >= 1
    tokens = []
    progress = Reporting(lambda _, n_tokens: tokens.append(n_tokens))
    found = build_vocabulary(corpus, min_count=2, run=Run(engine=engine, progress=progress), keep=keep)
    assert as_bytes(found) == as_bytes(build_vocabulary(corpus, min_count=2))
    assert sum(tokens) < found.n_tokens


def test_all_workers_gone(texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAIT_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(f"wordatoms.engine.dask.{name}", 0.5 if name == "LOOK_SECONDS" else 20)
    corpus, keep = corpus_of(texts, tmp_path), tmp_path / "keep"
    with running_cluster(tmp_path / "cluster", 1) as cluster:

        def report(_n_bytes: int, _n_tokens: int) -> None:
            monkeypatch.setattr("wordatoms.engine.dask.WAIT_SECONDS", 1)
            cluster.workers[0].kill()

        with (
            pytest.raises(EngineError, match=r"all workers of the scheduler at tcp://.* are gone; start some"),
            DaskEngine(cluster.address, **SMALL) as engine,  # type: ignore[arg-type]
        ):
            build_vocabulary(corpus, min_count=2, run=Run(engine=engine, progress=Reporting(report)), keep=keep)


@pytest.mark.parametrize("damage", ["truncated", "broken", "gone"])
def test_a_bad_shard_is_named_and_the_other_work_kept(
    engine: DaskEngine, texts: list[Path], tmp_path: Path, damage: str
) -> None:
    bad = tmp_path / "bad.txt.gz"
    whole = gzip.compress(some_text(12_000, 9).encode())
    bad.write_bytes(whole)
    files = [*texts, bad]
    corpus, keep = corpus_of(files, tmp_path), tmp_path / "keep"
    if damage == "gone":
        bad.unlink()
    else:
        most = whole[:-2000]  # its beginning, by which files are told apart, is as it should be
        bad.write_bytes(most if damage == "truncated" else most + b"\xff" * 50 + whole[-1950:])
        corpus = corpus_of(files, tmp_path)
    with pytest.raises(InputError, match=r"on the worker at tcp://.*bad\.txt\.gz .* everything else is done\.$"):
        build_vocabulary(corpus, min_count=2, run=Run(engine=engine), keep=keep)
    bad.write_bytes(whole)
    tokens = []
    corpus = corpus_of(files, tmp_path)
    found = build_vocabulary(
        corpus,
        min_count=2,
        run=Run(engine=engine, progress=Reporting(lambda _, n_tokens: tokens.append(n_tokens))),
        keep=keep,
    )
    assert as_bytes(found) == as_bytes(build_vocabulary(corpus, min_count=2))
    of_the_bad_file = 12_000 * 12 * 2  # "w7" is two tokens
    assert of_the_bad_file <= sum(tokens) <= of_the_bad_file + 200 * 12 * 2  # and of the file in one batch with it


@pytest.mark.skipif(not can_hide(), reason="files cannot be hidden from one process here")
def test_a_shard_missing_on_one_worker_is_named_and_the_rest_is_done(texts: list[Path], tmp_path: Path) -> None:
    corpus, keep = corpus_of(texts, tmp_path), tmp_path / "keep"
    with running_cluster(tmp_path / "cluster", 1) as cluster:
        cluster.start_workers(1, hidden=texts[0].parent)
        with DaskEngine(cluster.address, **SMALL) as engine:  # type: ignore[arg-type]
            engine.client.wait_for_workers(2, timeout=120)
            with pytest.raises(InputError, match=r"on the worker at tcp://.*part-\d\.txt.* everything else is done\.$"):
                build_vocabulary(corpus, min_count=2, run=Run(engine=engine), keep=keep)
    assert n_entries(keep), "what the other worker has read is kept"
    tokens: list[int] = []
    run = Run(1, progress=Reporting(lambda _, n_tokens: tokens.append(n_tokens)))
    found = build_vocabulary(corpus, min_count=2, run=run, keep=keep)
    assert as_bytes(found) == as_bytes(build_vocabulary(corpus, min_count=2))
    assert sum(tokens) < found.n_tokens, "and not read again"


def test_no_scheduler_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.engine.dask.CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:not-a-port"):
        with (
            pytest.raises(EngineError, match=r"there is no Dask scheduler at .*; start one"),
            DaskEngine(address, memory=MEMORY) as engine,
        ):
            engine.map(str, [1])


def test_a_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.engine.dask.WAIT_SECONDS", 1)
    with (
        running_cluster(tmp_path, 0) as cluster,
        pytest.raises(EngineError, match=r"no worker joined .* dask worker tcp://"),
        DaskEngine(cluster.address, memory=MEMORY) as engine,
    ):
        engine.map(str, [1])


def test_workers_with_another_version(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.__version__", "99")
    with (
        pytest.raises(EngineError, match=r"the worker at tcp://.* has wordatoms .*; install wordatoms 99 there"),
        DaskEngine(cluster.address, memory=MEMORY) as engine,
    ):
        engine.map(str, [1])


# --- the command line


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wordatoms", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_train_with_a_local_cluster_and_with_a_scheduler(cluster: Cluster, texts: list[Path], tmp_path: Path) -> None:
    options = ["--min-count", 2, "--dim", 10, "--iterations", 3, "--restarts", 2, "--threads", 2]
    assert commands.run("train", *texts, "-o", tmp_path / "threads", *options).returncode == 0  # type: ignore[arg-type]
    for name, engine in {"local": ["--engine", "dask"], "far": ["--scheduler", cluster.address]}.items():
        result = run("train", *texts, "-o", tmp_path / name, *options, *engine)
        assert result.returncode == 0, result.stderr
        assert all(line.startswith((str(tmp_path), "  ", "next: ")) for line in result.stderr.splitlines()), (
            result.stderr
        )
        assert model_files(tmp_path / name) == model_files(tmp_path / "threads")


def test_one_sentence_and_nothing_left(texts: list[Path], tmp_path: Path) -> None:
    result = run("count", *texts, "-o", tmp_path / "m", "--scheduler", "nonsense://x")
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "there is no Dask scheduler at nonsense://x" in result.stderr
    assert not (tmp_path / "m").exists()
    result = run("count", *texts, "-o", tmp_path / "m", "--scheduler", "tcp://x:1", "--engine", "local")
    assert result.returncode == 2
    assert "drop --engine local" in result.stderr


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_the_command_stopped_in_the_middle_goes_on(tmp_path: Path) -> None:
    """Ctrl-C is heard by the whole process group, kill -9 by the command alone."""
    text, model = tmp_path / "long.txt", tmp_path / "m"
    text.write_text(some_text(60_000, 1) + "\n")
    count_options = ("count", text, "--min-count", 2, "--threads", 2, "-o")
    command = [sys.executable, "-m", "wordatoms", *map(str, count_options), str(model), "--engine", "dask"]
    for stop, part in ((signal.SIGINT, "words-*"), (signal.SIGKILL, "pairs-*")):
        started = {"stderr": subprocess.PIPE, "start_new_session": True, "preexec_fn": hear_ctrl_c}
        with subprocess.Popen(command, **started) as process:  # type: ignore[call-overload]
            assert wait_for(lambda part=part: any(model.glob(f".work/parts/{part}"))), part
            os.killpg(process.pid, stop) if stop == signal.SIGINT else process.kill()
            message = process.communicate(timeout=60)[1].decode()
        assert wait_for(lambda process=process: not group_members(process.pid)), "a worker is left"
        if stop == signal.SIGINT:
            assert process.returncode == 130
            assert len(message.splitlines()) == 1
    assert run(*count_options, model, "--engine", "dask").returncode == 0
    assert commands.run(*count_options, tmp_path / "threads").returncode == 0  # type: ignore[arg-type]
    assert model_files(model) == model_files(tmp_path / "threads")
    assert not (model / ".work").exists()


def hear_ctrl_c() -> None:
    """What a shell starts in the background does not, and its children neither."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    ends = time.monotonic() + seconds
    while not condition() and time.monotonic() < ends:
        time.sleep(0.02)
    return condition()


def group_members(group: int) -> list[str]:
    """The processes of a group that are still at work."""
    members = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            name, _, rest = path.read_text().rpartition(")")
            state, _parent, its_group = rest.split()[:3]
            members += [name] if int(its_group) == group and state != "Z" else []
    return members


def test_nothing_was_said_while_all_workers_were_stopped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A stopped process stays on the scheduler's list for minutes, but gives no sign of life."""
    monkeypatch.setattr("wordatoms.engine.dask.QUIET_SECONDS", 0.05)
    monkeypatch.setattr("wordatoms.engine.dask.LOOK_SECONDS", 0.01)
    looks = iter(range(40))
    answers: SimpleQueue[str] = SimpleQueue()

    def workers(_engine: DaskEngine) -> dict[str, Any]:
        number = next(looks, None)
        if number is None:
            answers.put("at last")
        return {"one": {"last_seen": 7.0}, "two": {"last_seen": 3.0}}

    monkeypatch.setattr(DaskEngine, "_workers", workers)
    engine = DaskEngine("tcp://127.0.0.1:1", memory=1 << 30)
    assert engine._next(answers) == "at last"
    assert [record.getMessage() for record in caplog.records] == [
        "no worker of the scheduler at tcp://127.0.0.1:1 has answered for 0 seconds; waiting for them."
    ]
