"""Measure the peak memory of commands on inputs that are large in an unusual way.

    python benchmarks/memory.py words import line bombs vectors [-o docs/results/memory.json]

words     `count --memory 256M` of 4 million tokens over 2 million different words: the default vocabulary, all words,
          and all words from four files with two threads
import    `import` of a word2vec binary file of 605 MB (500,000 words, 300 dimensions)
line      `count` of a text that is a single line of 2 GB
bombs     `count` of gzip and xz files of less than ten megabytes that unpack to 2 GB of text
vectors   `import` of 3 million vectors of 100 dimensions, and a question to the model

Each command is a process of its own. Its peak is `VmHWM` of the kernel, which includes Python and its libraries as well
as pages of memory-mapped files; `anonymous` is the largest `RssAnon` seen every 5 ms, which includes no mapped files.
The inputs are written to a temporary folder first, at most 3 GB of them at a time.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from common import show

MEGABYTE = 1_000_000
COUNT = ("--memory", "256M", "--min-count", "1", "--quiet")
PIECE = b" ".join(bytes([97 + letter]) * 99 for letter in range(26)) * 400 + b" "
"""A megabyte of long words, which are counted quickly."""
Cases = Iterator[tuple[str, dict[str, Any]]]


def peaks(*arguments: str | Path) -> dict[str, Any]:
    """Run `wordatoms` with some arguments and return its peak memory in megabytes, its seconds and its exit code."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "wordatoms", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = {"VmHWM": 0, "RssAnon": 0}
    while process.poll() is None:
        with suppress(OSError):
            for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in found:
                    found[name] = max(found[name], 1024 * int(value.split()[0]))
        time.sleep(0.005)
    assert process.stderr is not None
    result = {
        "peak_mb": round(found["VmHWM"] / MEGABYTE),
        "anonymous_mb": round(found["RssAnon"] / MEGABYTE),
        "seconds": round(time.perf_counter() - began, 1),
        "code": process.returncode,
    }
    return {**result, **({"said": process.stderr.read().strip()[-300:]} if process.returncode else {})}


# --- The cases


def words(work: Path) -> Cases:
    """Every word occurs twice, in random order."""
    n_words = 2_000_000
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    codes = np.arange(n_words) * 7_919 % 26**5  # different, because 7,919 and 26 have no common factor
    spelled = letters[codes[:, None] // 26 ** np.arange(5) % 26]
    lines = np.full((2 * n_words, 6), ord(" "), np.uint8)
    lines[:, :5] = spelled[np.random.default_rng(0).permutation(np.repeat(np.arange(n_words), 2))]
    lines[15::16, 5] = ord("\n")
    text = work / "words.txt"
    text.write_bytes(lines.tobytes())
    for number, part in enumerate(np.split(lines, 4)):
        (work / f"part-{number}.txt").write_bytes(part.tobytes())
    del lines, spelled
    everything = ("--max-words", n_words)
    one = ("--threads", 1)
    yield "50,000 of 2,000,000 words", peaks("count", text, "-o", work / "few", *COUNT, *one)
    yield "2,000,000 words", peaks("count", text, "-o", work / "all", *COUNT, *map(str, (*everything, *one)))
    four = sorted(work.glob("part-*.txt"))
    yield (
        "2,000,000 words, four files, two threads",
        peaks("count", *four, "-o", work / "four", *COUNT, *map(str, (*everything, "--threads", 2))),
    )


def write_binary(path: Path, n_words: int, dim: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(b"%d %d\n" % (n_words, dim))
        for start in range(0, n_words, 10_000):
            rows = rng.standard_normal((10_000, dim), np.float32)
            for number, row in enumerate(rows, start):
                file.write(b"word%07d %b\n" % (number, row.tobytes()))


def import_(work: Path) -> Cases:
    write_binary(work / "vectors.bin", 500_000, 300)
    found = peaks("import", work / "vectors.bin", "-o", work / "model", "--quiet")
    size = sum(path.stat().st_size for path in (work / "model").iterdir()) / MEGABYTE
    yield "import of 500,000 × 300", {**found, "result_mb": round(size), "ratio": round(found["peak_mb"] / size, 2)}


def vectors(work: Path) -> Cases:
    write_binary(work / "many.bin", 3_000_000, 100)
    found = peaks("import", work / "many.bin", "-o", work / "many", "--quiet")
    size = sum(path.stat().st_size for path in (work / "many").iterdir()) / MEGABYTE
    yield "import of 3,000,000 × 100", {**found, "result_mb": round(size), "ratio": round(found["peak_mb"] / size, 2)}
    (work / "many.bin").unlink()
    yield "nearest among 3,000,000", peaks("nearest", "word0000007", "--model", work / "many")
    yield (
        "export of 3,000,000 × 100",
        peaks("export", work / "many", "-o", work / "x.bin", "--format", "word2vec-binary"),
    )


def line(work: Path) -> Cases:
    with (work / "line.txt").open("wb") as file:
        while file.tell() < 2_000 * MEGABYTE:
            file.write(PIECE)
    yield "a line of 2 GB", peaks("count", work / "line.txt", "-o", work / "line", *COUNT)


def bombs(work: Path) -> Cases:
    lines = PIECE + b"\n"
    for name, opener in (("gzip", gzip.open), ("xz", lzma.open)):
        path = work / f"bomb.{name}"
        with opener(path, "wb") as file:
            for _ in range(2_000 * MEGABYTE // len(lines)):
                file.write(lines)
        packed = round(path.stat().st_size / MEGABYTE, 1)
        yield f"{name} bomb of 2 GB", {"packed_mb": packed, **peaks("count", path, "-o", work / name, *COUNT)}


CASES: dict[str, Callable[[Path], Cases]] = {
    "words": words,
    "import": import_,
    "line": line,
    "bombs": bombs,
    "vectors": vectors,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="all by default")
    parser.add_argument("-o", "--output", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for name in given.cases or CASES:
        with TemporaryDirectory(prefix="memory-") as folder:
            for case, numbers in CASES[name](Path(folder)):
                found[case] = numbers
                print(f"{case}: {numbers}", file=sys.stderr, flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            Path(folder).mkdir()
    show(found, given.output)


if __name__ == "__main__":
    main()
