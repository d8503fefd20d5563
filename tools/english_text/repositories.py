"""Files of a git repository, from a clone or a bare copy, at one commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


def find_repository(folder: Path, name: str) -> Path:
    """Find the copy of OWNER/NAME below a folder: NAME, NAME.git, OWNER/NAME, OWNER+NAME or OWNER+NAME/repo."""
    owner, short = name.split("/")
    tried = (folder / short, folder / f"{short}.git", folder / name, folder / f"{owner}+{short}")
    for path in (*tried, tried[-1] / "repo"):
        if (path / ".git").exists() or (path / "HEAD").is_file():
            return path
    raise SystemExit(f"{folder} has no copy of {name}; run: git clone https://github.com/{name} {folder / short}")


def read_files(repository: Path, commit: str, folder: str, suffix: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files below a folder, in the order of their paths; missing ones are skipped."""
    files = _list(repository, commit, folder, suffix)
    git = ["git", "-C", str(repository), "cat-file", "--batch"]
    with subprocess.Popen(git, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reading:
        assert reading.stdin
        assert reading.stdout
        for path, blob in files:
            reading.stdin.write(blob + b"\n")
            reading.stdin.flush()
            content = _content(reading.stdout)
            if content is not None:
                yield path, content
        reading.stdin.close()


def _list(repository: Path, commit: str, folder: str, suffix: str) -> list[tuple[str, bytes]]:
    git = ["git", "-C", str(repository), "ls-tree", "-r", "-z", commit, *([folder] if folder else [])]
    listed = subprocess.run(git, capture_output=True)
    if listed.returncode:
        said = listed.stderr.decode("utf-8", "replace").strip()
        raise SystemExit(f"{repository} has no commit {commit} ({said}); fetch it, or pass another copy.")
    rows = (row.partition(b"\t") for row in listed.stdout.split(b"\0") if row)
    files = [(path.decode("utf-8", "replace"), facts.split()[2]) for facts, _, path in rows]
    return sorted(file for file in files if file[0].endswith(suffix))


def _content(stream: BinaryIO) -> bytes | None:
    """The next answer of `git cat-file --batch`, None if the file is missing from this copy."""
    facts = stream.readline().split()
    if len(facts) != 3:
        return None
    content = stream.read(int(facts[2]))
    stream.read(1)
    return content
