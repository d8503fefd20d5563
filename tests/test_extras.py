"""What the bare installation can do, and what it says where a package of an extra is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from docworld import ROOT
from wordatoms.errors import EXTRAS, missing_extra
from wordatoms.storage.bundled import ENGLISH

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn", "starlette": "fastapi", "pydantic": "fastapi", "joblib": "scikit-learn"}
"""The distribution that brings a package of another name."""
BASE = {re.split("[>=]", line)[0] for line in PROJECT["dependencies"]}
ABSENT = sorted([*EXTRAS, "pandas", "gensim", "spacy", "dask", "distributed", "pyarrow"])
BLOCKED = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""
needs_english = pytest.mark.skipif(not (ENGLISH / "manifest.json").exists(), reason="no English model")


def bare(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a Python that has the base dependencies alone."""
    command = [sys.executable, "-c", BLOCKED + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def bare_command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return bare("from wordatoms.cli import main; main()", *words, cwd=cwd)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    (tmp_path / "lines.txt").write_text("He wore a silk tie.\nThe game ended in a tie.\nA tie of rope.\n")
    return tmp_path


@needs_english
@pytest.mark.parametrize(
    "command",
    [
        "senses tie --forms",
        "disambiguate tie lines.txt --file",
        "atoms 5",
        "atoms --search jazz",
        "atoms --meta",
        "nearest tie",
        "similarity tie rope",
        "cluster tie --contexts lines.txt -k 2",
        "induce covfefe --contexts lines.txt",
        "compare english english tie",
        "info",
        "export english -o hub --format huggingface",
        "export english -o vectors.txt --format glove",
    ],
)
def test_questions_need_the_base_alone(command: str, lines: Path) -> None:
    words = command.split()
    if words[-1] == "--file":
        words = [*words[:2], "--file", words[2]]
    answer = bare_command(*words, cwd=lines)
    assert answer.returncode == 0, answer.stderr[-1000:]


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("train lines.txt -o my.model", "train"),
        ("explore --no-browser", "explore"),
        ("sentences tie --corpus lines.txt", "train"),
        ("topics lines.txt", "train"),
    ],
)
@needs_english
def test_a_missing_extra_is_one_sentence_with_its_command(command: str, extra: str, lines: Path) -> None:
    answer = bare_command(*command.split(), cwd=lines)
    assert answer.returncode == 1, answer.stdout
    assert re.search(
        rf'^wordatoms: this needs \w+, which is not installed; run: .*pip install ".*\[{extra}\]"$', answer.stderr, re.M
    )
    assert "Traceback" not in answer.stderr
    assert sorted(path.name for path in lines.iterdir()) == ["lines.txt"]


def test_in_python_it_is_the_same_sentence(tmp_path: Path) -> None:
    answer = bare("import wordatoms as wa\ntry: wa.KSVD\nexcept wa.WordatomsError as error: print(error)", cwd=tmp_path)
    assert re.fullmatch(r'this needs \w+, which is not installed; run: .*\[train\]"\n', answer.stdout), answer.stderr


@needs_english
def test_questions_do_not_need_the_modules_of_unix(lines: Path) -> None:
    blocked = "import sys\nfor name in ('fcntl', 'resource', 'termios', 'grp', 'pwd'): sys.modules[name] = None\n"
    code = """
import wordatoms as wa
model = wa.from_pretrained(wa.save_pretrained(wa.load(), "hub"), "again.model")
model.name(0, "first")
assert wa.load("again.model").label(0) == "first"
print(model.disambiguate("tie", "She wore a silk tie.")[0].verdict)
"""
    answer = bare(blocked + code, cwd=lines)
    assert answer.returncode == 0, answer.stderr[-1000:]


def test_helps_need_nothing(tmp_path: Path) -> None:
    for command in ("train", "explore", "topics", "reproduce", "evaluate"):
        answer = bare_command(command, "--help", cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("package", EXTRAS)
def test_the_extra_brings_the_package(package: str) -> None:
    names = {re.split("[>=\\[]", line)[0] for line in PROJECT["optional-dependencies"][EXTRAS[package]]}
    assert DISTRIBUTIONS.get(package, package) in names
    assert package not in BASE


def test_the_command_installs_from_the_folder_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    origin = json.dumps({"url": tmp_path.as_uri(), "dir_info": {}})
    for text, expected in ((origin, str(tmp_path)), (None, "wordatoms"), ("{", "wordatoms")):
        found = type("Distribution", (), {"read_text": lambda _self, _name, text=text: text})()
        monkeypatch.setattr("importlib.metadata.distribution", lambda _name, found=found: found)
        assert f'install "{expected}[train]"' in str(missing_extra("numba"))
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    assert "use an older Python" in str(missing_extra("gensim.models"))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert "run: pip install" in str(missing_extra("numba"))
    monkeypatch.delenv("VIRTUAL_ENV")
    assert f"run: {sys.executable} -m pip install" in str(missing_extra("numba"))
