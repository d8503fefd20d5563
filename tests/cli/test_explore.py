"""`explore` as a user meets it: an address, an end by Ctrl-C, and one sentence where it cannot start."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result

from explorerworld import TEXT, world_contextual, world_models
from wordatoms.cli.explore import explore
from wordatoms.errors import InputError, ModelError
from wordatoms.explorer import export as exporting
from wordatoms.explorer import server
from wordatoms.explorer.answers import to_plain
from wordatoms.explorer.security import is_local
from wordatoms.explorer.server import address_of, host_of, open_socket
from wordatoms.senses.model import load

START = "from wordatoms.cli.explore import explore; explore()"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [model.path for model in world_models(tmp_path_factory.mktemp("models"))]


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(explore, [*map(str, arguments)], catch_exceptions=False)


@contextmanager
def started(arguments: Sequence[object], folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", START, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait(20)


def test_it_answers_and_ends_with_ctrl_c(models: list[Path], tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "index.html").write_text("the report")
    arguments = ["--no-browser", "--model", models[0], "--with", models[1], "--corpus", text]
    with started(arguments, tmp_path) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with urlopen(f"{address}api/model", timeout=20) as response:
            facts = json.load(response)
        assert facts["models"] == ["first", "second"]
        assert facts["corpus"]
        assert "report" in facts["features"]
        with urlopen(f"{address}report/index.html", timeout=20) as response:
            assert response.read() == b"the report"
        process.send_signal(signal.SIGINT)
        rest, remarks = process.communicate(timeout=20)
    assert process.returncode == 0, remarks
    assert (rest, remarks) == ("", "Press Ctrl-C to stop.\n")


def test_browser_is_opened_when_the_server_answers(models: list[Path], tmp_path: Path) -> None:
    code = (
        "import webbrowser, urllib.request\n"
        "get = lambda address: urllib.request.urlopen(address + 'api/complete?q=ba&n=1').read()\n"
        "webbrowser.open = lambda address: print(get(address), flush=True)\n"
    )
    command = [sys.executable, "-c", code + START, "--model", str(models[0]), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
    assert lines[1] == "b'[\"bank\"]'\n"
    assert process.returncode == 0


def test_export(models: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = invoke("--model", models[0], "--export", tmp_path / "site").stdout
    assert shown.startswith(f"{tmp_path / 'site'}: ")
    assert shown.endswith(" MB\n")
    assert json.loads((tmp_path / "site" / "api" / "model.json").read_bytes())["static"]


def test_an_interrupted_export_says_that_there_is_none(
    models: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(exporting, "word_shards", interrupted)
    ended = invoke("--model", models[0], "--export", tmp_path / "site")
    assert (ended.exit_code, ended.stderr) == (130, "wordatoms: interrupted; nothing was written.\n")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    "given",
    [("--with", 1), ("--corpus", "x.txt"), ("--port", 8765), ("--host", "127.0.0.1"), ("--encoder", "minilm")],
)
def test_options_of_the_server_are_refused_beside_export(
    models: list[Path], tmp_path: Path, given: tuple[str, object]
) -> None:
    name, value = given[0], models[1] if given[1] == 1 else given[1]
    ended = invoke("--model", models[0], "--export", tmp_path / "site", name, value)
    assert ended.exit_code == 2
    assert f"{name} has no effect with --export" in ended.stderr
    assert not (tmp_path / "site").exists()


def test_contextual_atoms_are_shown_and_exported(models: list[Path], tmp_path: Path) -> None:
    states = tmp_path / "states.json"
    states.write_text(json.dumps(to_plain(world_contextual(load(models[0])))))
    assert invoke("--model", models[0], "--contextual", states, "--export", tmp_path / "site").exit_code == 0
    assert json.loads((tmp_path / "site" / "api" / "contextual.json").read_bytes())["encoder"] == "minilm"
    with (
        started(["--no-browser", "--model", models[0], "--contextual", states], tmp_path) as (_, address),
        urlopen(f"{address}api/contextual", timeout=20) as response,
    ):
        assert json.load(response)["words"] == ["bank", "boat"]
    states.write_text("{}")
    with pytest.raises(InputError, match="has no contextual atoms"):
        invoke("--model", models[0], "--contextual", states)


# --- where it cannot start


def test_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="is in use by another program; pass another --port"):
            open_socket("127.0.0.1", taken.getsockname()[1])


def test_next_free_port(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(server, "FIRST_PORT", port)
        with open_socket("127.0.0.1", None) as opened:
            assert opened.getsockname()[1] > port
        monkeypatch.setattr(server, "N_TRIED", 1)
        with pytest.raises(InputError, match="are all in use"):
            open_socket("127.0.0.1", None)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "203.0.113.7"])
def test_host_that_is_not_ours(host: str) -> None:
    with pytest.raises(InputError, match="pass another"):
        open_socket(host, 8765)


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False)]
)
def test_local_hosts(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_addresses_to_open() -> None:
    with open_socket("0.0.0.0", None) as opened:
        port = opened.getsockname()[1]
        assert address_of(opened, "0.0.0.0") == f"http://127.0.0.1:{port}/"
        assert address_of(opened, "::1") == f"http://[::1]:{port}/"
        assert address_of(opened, "localhost") == f"http://localhost:{port}/"


@pytest.mark.parametrize(
    ("given", "host", "shown"),
    [("0", "0.0.0.0", "127.0.0.1"), ("127.1", "127.0.0.1", "127.0.0.1"), ("localhost", "localhost", "localhost")],
)
def test_hosts_in_other_spellings(given: str, host: str, shown: str) -> None:
    with open_socket(given, None) as opened:
        assert host_of(opened, given) == host
        assert address_of(opened, host) == f"http://{shown}:{opened.getsockname()[1]}/"


def test_exposing_it_says_what_that_means(models: list[Path], tmp_path: Path) -> None:
    arguments = ["--no-browser", "--model", models[0], "--host", "0.0.0.0"]
    with started(arguments, tmp_path) as (process, _):
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, remarks = process.communicate(timeout=20)
    assert "anyone who can reach this machine can read the model" in remarks
    assert process.returncode == 0


def test_what_is_not_there_is_told_at_once(models: list[Path], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a model folder"):
        invoke("--model", tmp_path)
    with pytest.raises(ModelError, match="not a model folder"):
        invoke("--model", models[0], "--with", tmp_path)
    with pytest.raises(InputError, match=r"nothing\.txt"):
        invoke("--model", models[0], "--corpus", tmp_path / "nothing.txt")
    with pytest.raises(InputError, match=r"has no index\.html"):
        invoke("--model", models[0], "--report", tmp_path)
    assert invoke("--model", models[0], "--corpus", "-").exit_code == 2
    assert invoke("--port", "0").exit_code == 2
