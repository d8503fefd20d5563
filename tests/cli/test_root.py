"""The command line as a user meets it; in processes of its own where signals, pipes and memory are tested."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from commands import fails, run, run_process
from wordatoms.cli import _write_utf8

TEXT = Path(__file__).parents[1] / "data" / "small.txt"
COMMANDS = [
    *("senses", "atoms", "nearest", "similarity", "info"),
    *("train", "count", "embed", "atomize", "import", "export"),
    "evaluate",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "model"
    result = run_process("train", TEXT, "-o", folder, "--min-count", "2", "--method", "pmi", "--dim", "8")
    assert result.returncode == 0, result.stderr.decode()
    assert result.stdout == b""
    return folder


def test_help_lists_every_command_under_a_heading() -> None:
    text = run_process("--help").stdout.decode()
    for heading in ("Ask a model", "Make a model", "Check a model"):
        assert f"{heading}:" in text
    for command in COMMANDS:
        assert f"\n  {command} " in text
        assert run(command, "--help").returncode == 0


@pytest.mark.parametrize("statement", ["import wordatoms", "import wordatoms.cli"])
def test_imports_stay_light(statement: str) -> None:
    code = f"{statement}; import sys; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.decode().split())
    assert not loaded & {"numba", "sklearn", "gensim", "scipy", "mwparserfromhell"}


def test_windows_could_not_write_other_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(file, "cp1252"))
    monkeypatch.setattr(sys, "stderr", None)  # closed
    _write_utf8()
    print("道", flush=True)
    assert file.getvalue() == "道\n".encode()


def test_version() -> None:
    assert run_process("--version").stdout.startswith(b"wordatoms, version ")


def test_trained_model_answers(model: Path) -> None:
    result = run("nearest", "tie", "spring", "--model", model, "-n", "3", "--json")
    answer = json.loads(result.stdout)
    assert [len(answer[word]) for word in ("tie", "spring")] == [3, 3]
    table = run("nearest", "tie", "--model", model).stdout.decode()
    assert table.splitlines()[0].split() == ["word", "cosine"]
    assert -1 <= float(run("similarity", "tie", "spring", "--model", model).stdout) <= 1
    assert json.loads(run("info", "--model", model, "--json").stdout)["stages"]["count"]["settings"]["window"] == 10
    assert "method: pmi" in run("info", "--model", model).stdout.decode()


def test_second_training_does_nothing(model: Path) -> None:
    before = (model / "manifest.json").read_bytes()
    result = run("train", TEXT, "-o", model, "--min-count", "2", "--method", "pmi", "--dim", "8")
    assert result.stderr.decode().count("exists already") == 5
    *_, ready, following, _, _ = result.stderr.decode().splitlines()
    assert ready.startswith(f"{model} is ready: ")
    assert " senses by use, made in " in ready
    assert following == f"next: wordatoms senses WORD --model {model}"
    assert (model / "manifest.json").read_bytes() == before


def test_other_settings_need_force(model: Path) -> None:
    message = fails(run("train", TEXT, "-o", model, "--min-count", "3", "--method", "pmi", "--dim", "8"))
    assert "min_count 2, you ask for min_count 3; pass --force" in message


def test_vectors_in_a_new_model_share_the_counts(model: Path, tmp_path: Path) -> None:
    result = run("embed", model, "--method", "glove", "--dim", "4", "--epochs", "2", "-o", tmp_path / "other")
    assert result.returncode == 0, result.stderr.decode()
    assert "method: glove" in run("info", "--model", tmp_path / "other").stdout.decode()
    assert "method: pmi" in run("info", "--model", model).stdout.decode()


def test_skipgram_reads_the_text_again(model: Path, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    result = run("embed", model, "--method", "skipgram", "--dim", "4", "--epochs", "1", "-o", tmp_path / "other")
    assert result.returncode == 0, result.stderr.decode()
    assert not (tmp_path / "other" / ".work").exists()


def test_export_and_import_are_inverse(model: Path, tmp_path: Path) -> None:
    assert run("export", model, "-o", tmp_path / "v.txt", "--format", "glove").returncode == 0
    assert run("import", tmp_path / "v.txt", "-o", tmp_path / "m").returncode == 0
    assert (tmp_path / "m" / "vectors.npy").read_bytes() == (model / "vectors.npy").read_bytes()
    assert "exists already" in fails(run("export", model, "-o", tmp_path / "v.txt"))


def test_standard_input(tmp_path: Path) -> None:
    count = ("count", "-", "--min-count", "2", "-o")
    assert run_process(*count, tmp_path / "a", stdin=TEXT.read_bytes()).returncode == 0
    assert run("count", TEXT, "--min-count", "2", "-o", tmp_path / "b").returncode == 0
    for name in ("words.txt", "counts-values.npy", "counts-indices.npy"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_unknown_word_gets_the_nearest_spelling(model: Path) -> None:
    assert "did you mean spring" in fails(run("nearest", "sprng", "--model", model))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "text"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG image"),
        (b"good text\nbroken \xff\xfe here\n", "byte"),
        (b"one", "occurs"),
    ],
)
def test_bad_text_gets_one_sentence_and_leaves_nothing(tmp_path: Path, content: bytes, expected: str) -> None:
    (tmp_path / "text").write_bytes(content)
    message = fails(run("count", tmp_path / "text", "-o", tmp_path / "m"))
    assert expected in message
    assert not [path for path in (tmp_path / "m").rglob("*") if path.is_file()]


def test_missing_things_are_named(tmp_path: Path) -> None:
    assert "nothing.txt" in fails(run("count", tmp_path / "nothing.txt", "-o", tmp_path / "m"))
    assert "not a model folder" in fails(run("embed", tmp_path))
    assert "Missing option" in fails(run("train", TEXT), code=2)
    assert "not a size" in fails(run("count", TEXT, "-o", tmp_path / "m", "--memory", "lots"), code=2)
    assert "no parameter 'speed'" in fails(run("train", TEXT, "-o", tmp_path / "x", "-p", "speed=3"))


def test_output_into_a_closed_pipe_is_quiet(model: Path) -> None:
    command = f"{sys.executable} -m wordatoms nearest the of and to in a --model {model} -n 60 | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert result.stderr == b""


def _listen_to_interrupts() -> None:
    """What a shell starts in the background does not, and its children neither."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


_KEPT_WORDS = [".json", *4 * [".npy"]]
"""What is left of a stage that ended after its first pass over the text."""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_count_leaves_no_temporary_files(tmp_path: Path, stop: signal.Signals) -> None:
    text = tmp_path / "long.txt"
    text.write_bytes(TEXT.read_bytes() * 4_000)
    command = [
        sys.executable,
        "-m",
        "wordatoms",
        "count",
        str(text),
        "-o",
        str(tmp_path / "m"),
        "--threads",
        "1",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=_listen_to_interrupts) as process:
        assert _wait_for(lambda: list((tmp_path / "m").glob(".work/parts/words-*")))
        process.send_signal(stop)
        message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130, message
    assert "interrupted" in message
    assert sorted(path.suffix for path in (tmp_path / "m").rglob("*.*") if path.is_file()) in ([], _KEPT_WORDS)


def _wait_for(condition: object, seconds: float = 60) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_full_disk_is_said_in_one_sentence(model: Path, unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "wordatoms", "info", "--model", str(model)]
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, env=environment)
    assert result.returncode == 1
    assert result.stderr.decode().count("\n") == 1
    assert "disk is full" in result.stderr.decode()


def test_failed_remake_keeps_the_old_model(model: Path, tmp_path: Path) -> None:
    run("embed", model, "--method", "pmi", "--dim", "6", "-o", tmp_path / "m")
    fails(run("embed", tmp_path / "m", "--method", "pmi", "--force", "-p", "iterations=0"))
    assert run("nearest", "tie", "--model", tmp_path / "m").returncode == 0


@pytest.mark.parametrize("parameter", ["iterations=abc", "iterations=2.5", "shift=x", "oversampling=nan", "dim=5.5"])
def test_parameters_of_the_wrong_kind_are_refused(model: Path, parameter: str) -> None:
    name = parameter.partition("=")[0]
    assert f"{name} is" in fails(run("embed", model, "--method", "pmi", "--force", "-p", parameter))


def test_trained_and_imported_models_do_not_mix(model: Path, tmp_path: Path) -> None:
    run("export", model, "-o", tmp_path / "v.txt", "--format", "glove")
    assert run("import", tmp_path / "v.txt", "-o", tmp_path / "m").returncode == 0
    assert "another kind of model" in fails(run("count", TEXT, "-o", tmp_path / "m"))
    assert "another kind of model" in fails(run("import", tmp_path / "v.txt", "-o", model))


def test_failed_import_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("tie 1 2 3\nbank 1 2\n")
    fails(run("import", tmp_path / "v.txt", "-o", tmp_path / "m"))
    assert not (tmp_path / "m").exists()


def test_model_inside_the_folder_of_its_text(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_bytes(TEXT.read_bytes())
    for _ in range(2):
        result = run("count", tmp_path, "-o", tmp_path / "model")
        assert result.returncode == 0, result.stderr.decode()


def test_skipgram_on_a_stream_is_refused_at_once(tmp_path: Path) -> None:
    assert "is a stream" in fails(run("train", "-", "-o", tmp_path / "m", "--method", "skipgram", stdin=b"a b"))


def test_phrase_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "phrases").write_bytes(b"\xff\xfe\0")
    assert "is not plain text" in fails(run("count", TEXT, "-o", tmp_path / "m", "--phrases", tmp_path / "phrases"))


def test_memory_is_kept(tmp_path: Path) -> None:
    """The most that a count may hold is what was allowed plus 300 MB for the interpreter and the compiled code."""
    text = tmp_path / "long.txt"
    text.write_bytes(TEXT.read_bytes() * 3_000)
    run_process("count", text, "-o", tmp_path / "m", "--memory", "64M")
    record = json.loads((tmp_path / "m" / "manifest.json").read_bytes())["stages"]["count"]
    assert record["peak_memory"] < (64 + 300) << 20


def test_embed_killed_with_minus_nine_goes_on_to_the_same_bytes(model: Path, tmp_path: Path) -> None:
    arguments = ["embed", str(model), "--method", "nnse", "--dim", "8", "-p", "iterations=400", "-o"]
    run(*arguments, tmp_path / "whole")
    with subprocess.Popen([sys.executable, "-m", "wordatoms", *arguments, str(tmp_path / "killed")]) as process:
        _wait_for(lambda: (tmp_path / "killed" / ".work" / "nnse.npz").exists() or process.poll() is not None)
        process.kill()
    assert run(*arguments, tmp_path / "killed").returncode == 0
    assert (tmp_path / "killed" / "vectors.npy").read_bytes() == (tmp_path / "whole" / "vectors.npy").read_bytes()


def test_atoms_of_induced_vectors_answer_from_them(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(model, copy)
    done = run("atomize", copy, "--vectors", "induced", "--force")
    assert done.returncode == 0, done.stderr.decode()
    few = json.loads(run("atoms", "0", "--model", copy, "--json", "-n", "30").stdout)[0]["nearest"]
    many = json.loads(run("atoms", "0", "--model", copy, "--json", "-n", "31").stdout)[0]["nearest"]
    assert [near["word"] for near in many[:30]] == [near["word"] for near in few]
    assert run("senses", "tie", "--candidates", "3", "--model", copy).returncode == 0
    assert run("map", copy, "--force").returncode == 0
    assert "has no atoms yet" in fails(run("senses", "tie", "--model", copy)), "they were of the old induced vectors"


def test_end_of_a_file_inside_was_called_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordatoms import cli as program

    def fail(**_options: object) -> None:
        raise click.Abort from EOFError("a damaged file")

    monkeypatch.setattr("wordatoms.cli.root.cli.main", fail)
    with pytest.raises(EOFError, match="damaged"):
        program._run()


@pytest.mark.skipif(sys.platform == "win32", reason="no shell")
def test_output_into_a_closed_stream_was_lost_with_code_0(model: Path) -> None:
    command = f"{sys.executable} -m wordatoms info {model}"
    closed = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, check=False)
    assert closed.returncode == 1
    assert closed.stderr == b"wordatoms: standard output is closed.\n"
    silent = subprocess.run(["sh", "-c", f"{command} --verify >&- 2>&-"], capture_output=True, check=False)
    assert silent.returncode == 1
    nothing_to_say = f"{sys.executable} -m wordatoms export {model} -o {model}.txt --force --quiet >&- <&-"
    assert subprocess.run(["sh", "-c", nothing_to_say], capture_output=True, check=False).returncode == 0


def test_interrupt_inside_a_library_ended_in_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code in C that ignores the exception of a signal handler makes Python raise a SystemError."""
    from wordatoms import cli as program

    def fail(**_options: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    monkeypatch.setattr("wordatoms.cli.root.cli.main", fail)
    with pytest.raises(KeyboardInterrupt):
        program._run()
