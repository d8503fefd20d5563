"""Feed spoilt files to everything that reads files, and say what was found.

    python tools/fuzz.py                          # every target for a minute
    python tools/fuzz.py vectors dump --runs 200000
    python tools/fuzz.py model --seconds 600 --seed 7 --keep findings

A reader may answer or end in one sentence, a WordatomsError. A finding is any other exception, an input that takes more
than five seconds of processor time, one that takes more than 256 MB of memory, a sentence that quotes a whole file, a
death of the process, and a file that is written or removed outside the folder of the target.

Inputs are made by atheris, which sees what parts of the readers each of them reaches, out of the valid files and the
ways to spoil them in `tests/hostile.py`. Each target runs in a process of its own, and all files in memory where the
system has a folder for that. Left out: what the web server of the explorer is sent.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).parents[1]
TARGETS = {
    "vectors": "hostilefiles:vector_cases",
    "text": "hostilefiles:text_cases",
    "documents": "hostilefiles:document_cases",
    "tables": "hostilefiles:table_cases",
    "dump": "hostilefiles:dump_cases",
    "datasets": "hostilefiles:data_cases",
    "parts": "hostilemodels:part_cases",
    "model": "hostilemodels:model_cases",
}
IN_MEMORY = Path("/dev/shm")
LONGEST_INPUT = 4096
MOST_SECONDS = 5.0
MOST_BYTES = 256 << 20
MOST_ADDRESSES = 16 << 30
REPORT_EVERY = 200
COLUMNS = ("target", "inputs", "seconds", "inputs/s", "slowest ms", "peak MB", "findings")


class HangError(BaseException):
    """An input that took too long; not an Exception, so that no reader takes it for one of its own."""


class OutsideError(BaseException):
    """Something was written where it should not be."""


# In the process of one target


class Watch:
    """Runs one input after the other and remembers what happened."""

    def __init__(self, cases: Sequence[Any], attempt: Callable[[Callable[[], object]], bool], report: Path) -> None:
        self._cases, self._attempt, self._report = cases, attempt, report
        self._started = perf_counter()
        self.n_inputs = self.n_answered = 0
        self.slowest = 0.0
        self.findings: dict[str, dict[str, Any]] = {}

    def __call__(self, data: bytes) -> None:
        self.n_inputs += 1
        case = self._cases[data[0] % len(self._cases) if data else 0]
        before, started = _peak_bytes(), process_time()
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            self.n_answered += self._attempt(lambda: case.read(data[1:]))
        except (Exception, HangError, OutsideError) as error:
            self._note(case.name, _describe(error), data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.slowest = max(self.slowest, process_time() - started)
        if _peak_bytes() - before > MOST_BYTES:
            self._note(case.name, f"took {_peak_bytes() - before:,} bytes", data)
        if self.n_inputs % REPORT_EVERY == 0:
            self.write()

    def _note(self, case: str, what: str, data: bytes) -> None:
        found = self.findings.setdefault(f"{case}: {what}", {"n": 0, "input": data.hex()})
        found["n"] += 1

    def write(self) -> None:
        facts = {
            "inputs": self.n_inputs,
            "answered": self.n_answered,
            "seconds": perf_counter() - self._started,
            "slowest": self.slowest,
            "peak": _peak_bytes(),
            "findings": self.findings,
        }
        part = self._report.with_suffix(".part")
        part.write_text(json.dumps(facts))
        part.replace(self._report)


def _peak_bytes() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _describe(error: BaseException) -> str:
    """The kind of an error and where it came from, which tells one finding from another."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "wordatoms" in frame.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "outside wordatoms"
    return f"{type(error).__name__} at {place} ({str(error)[:100]!r})"


def _raise_hang(*_: object) -> None:
    raise HangError


def forbid_writing_outside(*allowed: Path) -> None:
    """From now on raise where a file outside these folders is written, moved or removed."""
    prefixes = tuple(str(path.resolve()) for path in (*allowed, Path("/dev/null")))

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        for path in _written(event, arguments):
            if not os.path.realpath(os.fsdecode(path)).startswith(prefixes):
                raise OutsideError(f"{event} of {path!r}")

    sys.addaudithook(check)


def _written(event: str, arguments: tuple[Any, ...]) -> list[Any]:
    """The paths that something which Python is about to do will change; files that are open have numbers."""
    if event == "open":
        path, mode, flags = arguments
        writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or any(sign in str(mode) for sign in "wax+")
        changed = [path] if writes else []
    else:
        changed = list(arguments[WRITING[event]]) if event in WRITING else []
    return [path for path in changed if isinstance(path, str | bytes | os.PathLike)]


WRITING = {
    **dict.fromkeys(("os.remove", "os.rmdir", "os.mkdir", "os.truncate", "shutil.rmtree"), slice(1)),
    **dict.fromkeys(("os.link", "os.symlink"), slice(1, 2)),
    "os.rename": slice(2),
}
"""What changes files, and which of its arguments name them."""


def fuzz_here(target: str, folder: Path, runs: int, seconds: int, seed: int) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    sys.path.insert(0, str(ROOT / "tests"))
    for name in ("files", "corpus", "temporary"):
        (folder / name).mkdir()
    tempfile.tempdir = str(folder / "temporary")
    with atheris.instrument_imports(include=["wordatoms"], exclude=_compiled_modules()):
        module, function = TARGETS[target].split(":")
        cases = getattr(__import__(module), function)(folder / "files")
        from hostile import attempt

        for case in cases:  # what is imported late, and compiled
            assert attempt(lambda case=case: case.read(case.example)), f"the example of {case.name} is refused"
    for number, case in enumerate(cases):
        (folder / "corpus" / f"{number}").write_bytes(bytes([number]) + case.example)
    watch = Watch(cases, attempt, folder / "report.json")
    signal.signal(signal.SIGPROF, _raise_hang)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    forbid_writing_outside(folder)
    options = {"runs": runs, "max_total_time": seconds, "seed": seed, "max_len": LONGEST_INPUT, "timeout": 120}
    options |= {"rss_limit_mb": 0, "verbosity": 0, "len_control": 0}
    arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), f"{folder}/corpus"]
    # atheris.Mutate is another function once fuzzing has begun
    mutator = make_mutator(len(cases), lambda content, most: atheris.Mutate(content, most))
    atheris.Setup(arguments, watch, custom_mutator=mutator)
    try:
        atheris.Fuzz()
    finally:
        watch.write()


def _compiled_modules() -> list[str]:
    """Modules that numba compiles, and that therefore have to stay as they are."""
    kernels = ROOT / "src" / "wordatoms" / "kernels"
    return ["wordatoms.kernels", *(f"wordatoms.kernels.{path.stem}" for path in kernels.glob("[!_]*.py"))]


def make_mutator(n_cases: int, mutate: Callable[[bytes, int], bytes]) -> Callable[[bytes, int, int], bytes]:
    """Half of the time a change that knows what files are made of, else one of libFuzzer's."""
    from hostile import spoil

    def change(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        kind, content = data[:1] or b"\0", data[1:]
        if chance.random() < 0.05:
            kind = bytes([chance.randrange(n_cases)])
        if chance.random() < 0.5:
            return kind + mutate(content, most - 1)
        for _ in range(chance.choice((1, 1, 2, 4))):
            content = spoil(content, chance, most - 1)
        return kind + content

    return change


# In the process that was started


def fuzz(target: str, *, runs: int, seconds: int, seed: int) -> dict[str, Any]:
    """What came of fuzzing one target in a process of its own."""
    parent = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="wordatoms-fuzz-", dir=parent) as name:
        folder = Path(name)
        numbers = ["--runs", str(runs), "--seconds", str(seconds), "--seed", str(seed)]
        command = [sys.executable, __file__, target, "--inside", name, *numbers]
        surroundings = {
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(folder / "compiled"),
            "TMPDIR": name,
        }
        done = subprocess.run(command, env=surroundings, cwd=name, capture_output=True, text=True, errors="replace")
        try:
            found: dict[str, Any] = json.loads((folder / "report.json").read_bytes())
        except FileNotFoundError:
            found = {"inputs": 0, "seconds": 0.0, "slowest": 0.0, "peak": 0, "findings": {}}
        if done.returncode:
            crashing = [path.read_bytes() for path in folder.glob("*-*") if path.is_file()]
            last = {"n": 1, "input": crashing[0].hex() if crashing else "", "said": done.stderr[-2000:]}
            found["findings"][f"the process died ({done.returncode})"] = last
    return {"target": target, **found}


def show(results: Sequence[dict[str, Any]]) -> None:
    print(" ".join(name.rjust(11) for name in COLUMNS))
    for found in results:
        rate = found["inputs"] / found["seconds"] if found["seconds"] else 0.0
        numbers = (f"{found['inputs']:,}", f"{found['seconds']:.0f}", f"{rate:,.0f}", f"{1000 * found['slowest']:.0f}")
        row = (found["target"], *numbers, f"{found['peak'] / 1e6:.0f}", str(len(found["findings"])))
        print(" ".join(value.rjust(11) for value in row))
        for what, finding in found["findings"].items():
            print(f"    {finding['n']:,} times: {what}")


def keep(results: Sequence[dict[str, Any]], folder: Path) -> None:
    """The first input of each finding, for a test: its first byte is the number of the case."""
    folder.mkdir(parents=True, exist_ok=True)
    for found in results:
        for number, (what, finding) in enumerate(found["findings"].items()):
            (folder / f"{found['target']}-{number}").write_bytes(bytes.fromhex(finding["input"]))
            (folder / f"{found['target']}-{number}.txt").write_text(f"{what}\n{finding.get('said', '')}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed spoilt files to everything that reads files.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"any of {', '.join(TARGETS)}; all without any")
    parser.add_argument(
        "--runs", type=int, default=-1, help="inputs for each target; as many as time allows by default"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=1, help="1 or more; the same seed gives the same inputs")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write an input of each finding here")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}.")
    try:
        import atheris  # noqa: F401
    except ImportError:
        sys.exit('this needs atheris, which is not installed; run: pip install "wordatoms[fuzz]"')
    if options.inside:
        fuzz_here(options.targets[0], options.inside, options.runs, options.seconds, options.seed)
        return
    limits = {"runs": options.runs, "seconds": options.seconds, "seed": options.seed}
    results = [fuzz(target, **limits) for target in options.targets or TARGETS]
    print(json.dumps(results, indent=2)) if options.json else show(results)
    if options.keep:
        keep(results, options.keep)
    sys.exit(any(found["findings"] for found in results))


if __name__ == "__main__":
    main()
