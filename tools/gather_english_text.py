"""Gather the text of the English model from its public sources.

    python tools/gather_english_text.py --repositories CLONES --wikipedia FOLDER -o CORPUS

CLONES is a folder with copies of the five repositories that `english_text/sources.py` names (if one is missing, the
command that clones it is shown). FOLDER has running text of Wikipedia, one paragraph per line, as .txt or .txt.xz.
CORPUS gets text files with one paragraph per line, several per source, and a folder `held` with the documents held out;
this is what `make_english_model.py` reads. The same sources give the same bytes. Prints the words of every source.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from english_text.cleaning import Cleaned, clean
from english_text.selection import HELD, Seen, Tally, write_source
from english_text.sources import SOURCES, Source, decode

RawFile = tuple[str, bytes]
BATCH_FILES = 40
AHEAD = 3
"""Batches that wait for each process."""


def gather(repositories: Path, wikipedia: Path, output: Path, processes: int) -> dict[str, Tally]:
    """Write the text of all sources into `output`, which appears when it is complete."""
    making = output.with_name(f".{output.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    (making / HELD).mkdir(parents=True)
    seen, tallies = Seen(), {}
    with ProcessPoolExecutor(processes) as pool:
        for source in SOURCES:
            documents = _documents(source, source.files(repositories, wikipedia), pool, processes * AHEAD)
            tallies[source.name] = write_source(documents, source.name, source.hold_one_of, seen, making)
            sys.stderr.write(f"{source.name}: {tallies[source.name]}\n")
    making.rename(output)
    return tallies


def _documents(source: Source, files: Iterable[RawFile], pool: ProcessPoolExecutor, ahead: int) -> Iterator[Cleaned]:
    """Clean files in other processes, a few batches ahead, and yield their documents in order."""
    waiting: deque[Future[list[Cleaned]]] = deque()
    files = iter(files)
    while batch := list(islice(files, BATCH_FILES)):
        waiting.append(pool.submit(clean_files, source.name, batch))
        if len(waiting) > ahead:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def clean_files(source: str, files: list[RawFile]) -> list[Cleaned]:
    """Clean the documents of some files of a source."""
    parse = next(each.parse for each in SOURCES if each.name == source)
    return [
        clean(f"{path}/{name}" if name else path, paragraphs)
        for path, content in files
        for name, paragraphs in parse(decode(content))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True, help="folder with copies of the repositories")
    parser.add_argument("--wikipedia", type=Path, required=True, help="folder with text of Wikipedia")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the text; must not exist")
    parser.add_argument("--processes", type=int, default=2, help="processes that clean text (default 2)")
    given = parser.parse_args()
    if given.output.exists():
        raise SystemExit(f"{given.output} exists; remove it or pass another folder.")
    tallies = gather(given.repositories, given.wikipedia, given.output, given.processes)
    sys.stdout.write(json.dumps({name: asdict(tally) for name, tally in tallies.items()}, indent=2) + "\n")


if __name__ == "__main__":
    main()
