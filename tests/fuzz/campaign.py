"""Runs many programs in several processes, and keeps what fails."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.modules import Program, draw_program
from tests.fuzz.reference import UnusableError
from tests.fuzz.running import SECONDS, SECONDS_OF_NUMBA, Verdict, judge, modes_of
from tests.fuzz.shrinking import Shrinker
from tests.fuzz.weights import WEIGHTS

CHUNK = 50
SHRUNK_OF_A_KIND = 3
PARTS = 24  # of the corpus, when the lines are noted that it reaches


@dataclass
class Tally:
    """What a run has found."""

    programs: int = 0
    unusable: int = 0
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Add what a chunk has found."""
        self.programs += other.programs
        self.unusable += other.unusable
        self.verdicts += other.verdicts
        self.reasons += other.reasons
        for signature, files in other.failures.items():
            self.failures.setdefault(signature, []).extend(files)
        for path, lines in other.lines.items():
            self.lines.setdefault(path, set()).update(lines)

    def by_source(self) -> float:
        """Return the share of programs whose gradient is right by source."""
        counts: Counter[str] = Counter()
        for (mode, kind), count in self.verdicts.items():
            if mode == "grad":
                counts[kind] += count
        total = sum(counts[kind] for kind in ("source", "tape", "refused"))
        return counts["source"] / total if total else 0.0

    def reach(self) -> str:
        """Say which lines of the compiler ran."""
        from tests.fuzz import reach

        return reach.told(self.lines)


class Campaign:
    """A run: how many processes, how long to shrink, where failures go, which modes alone.

    `only` names the kind of programs to draw (see the table `program` of the weights).
    """

    def __init__(
        self,
        folder: Path,
        jobs: int,
        shrink: float,
        coverage: bool,
        modes: tuple[str, ...] = (),
        only: str = "",
    ) -> None:
        self.modes = modes
        self.only = only
        self.folder = folder
        self.jobs = jobs
        self.shrink = shrink
        self.coverage = coverage

    def run(self, seed: int, programs: int, seconds: float | None) -> Tally:
        """Judge programs in a row, until their number or the time is over."""
        self.folder.mkdir(parents=True, exist_ok=True)
        tally = Tally()
        begin = time.monotonic()
        chunks = self._chunks(seed, programs, begin, seconds)
        if self.jobs == 1:
            for part in range(PARTS if self.coverage else 0):
                tally.add(_corpus_reach(part))
            for chunk in chunks:
                tally.add(run_chunk(chunk))
                _progress(tally, programs, begin, seconds)
            return tally
        context = multiprocessing.get_context("spawn")
        # a process ends after some chunks, since what it compiled stays in its memory
        with context.Pool(self.jobs, maxtasksperchild=8) as pool:
            for reached in pool.imap_unordered(_corpus_reach, range(PARTS * self.coverage)):
                tally.add(reached)
            for found in pool.imap_unordered(run_chunk, chunks):
                tally.add(found)
                _progress(tally, programs, begin, seconds)
        return tally

    def _chunks(
        self, seed: int, programs: int, begin: float, seconds: float | None
    ) -> Iterator[dict[str, Any]]:
        until = None if seconds is None else time.time() + seconds
        for first in range(seed, seed + programs, CHUNK):
            yield {
                "seeds": (first, min(first + CHUNK, seed + programs)),
                "folder": str(self.folder),
                "shrink": self.shrink,
                "until": until,
                "coverage": self.coverage,
                "modes": list(self.modes),
                "only": self.only,
            }


def _progress(tally: Tally, programs: int, begin: float, seconds: float | None) -> None:
    passed = time.monotonic() - begin
    share = tally.programs / programs
    if seconds is not None:
        share = max(share, min(1.0, passed / seconds))
    bar = "#" * round(30 * share)
    failed = sum(map(len, tally.failures.values()))
    rate = tally.programs / max(passed, 1e-9)
    text = f"[{bar:<30}] {tally.programs} programs, {rate:.1f}/s, {failed} failed"
    end = "\r" if sys.stderr.isatty() else "\n"
    print(text, end=end, file=sys.stderr, flush=True)


def run_chunk(task: dict[str, Any]) -> Tally:
    """Judge the programs of some seeds, in this process."""
    tally = Tally()
    scratch = Path(tempfile.mkdtemp(prefix="fuzz-"))
    before = os.environ.get("SRCGRAD_CACHE_DIR")
    os.environ["SRCGRAD_CACHE_DIR"] = str(scratch / ".cache")
    try:
        if task["coverage"]:
            from tests.fuzz import reach

            with reach.noted(tally.lines):
                _judge_all(task, tally, scratch)
        else:
            _judge_all(task, tally, scratch)
    finally:
        if before is None:
            os.environ.pop("SRCGRAD_CACHE_DIR", None)
        else:
            os.environ["SRCGRAD_CACHE_DIR"] = before
        shutil.rmtree(scratch, ignore_errors=True)
    return tally


def _judge_all(task: dict[str, Any], tally: Tally, scratch: Path) -> None:
    weights = {**WEIGHTS, "program": {task["only"]: 1.0}} if task.get("only") else WEIGHTS
    for seed in range(*task["seeds"]):
        if task["until"] is not None and time.time() > task["until"]:
            break
        program = draw_program(seed, weights)
        tally.programs += 1
        try:
            modes = task.get("modes") or modes_of(program, WEIGHTS["mode"])
            seconds = SECONDS_OF_NUMBA if task.get("modes") else SECONDS
            verdicts = judge(program, modes, scratch, seconds)
        except UnusableError:
            tally.unusable += 1
            continue
        for verdict in verdicts:
            tally.verdicts[verdict.mode, verdict.kind] += 1
            asked = verdict.mode == "grad" and verdict.kind in ("tape", "refused")
            if asked or verdict.kind == "numpy":
                tally.reasons[_reason(verdict.message)] += 1
            if verdict.failed:
                keep(program, verdict, task, tally, scratch)


def _reason(message: str) -> str:
    message = message.partition("[SG190] Numba does not compile this: ")[2] or message
    message = message.partition("\n")[0]
    return re.sub(r"`[^`]*`", "`...`", message)[:110]


def keep(
    program: Program, verdict: Verdict, task: dict[str, Any], tally: Tally, scratch: Path
) -> None:
    """Shrink a failure and write it, unless there are enough of its kind."""
    folder = Path(task["folder"])
    signature = f"{verdict.kind} in {verdict.mode}: {verdict.signature}"
    stem = f"{verdict.kind}-{program.seed}-{verdict.mode}.txt"
    files = tally.failures.setdefault(signature, [])
    if verdict.kind == "wrong" or _known(folder, signature) < SHRUNK_OF_A_KIND:
        small = shrunk(program, verdict, scratch, task["shrink"])
    else:
        small = program
    path = folder / stem
    path.write_text(written(small, verdict, signature))
    files.append(str(path))


def _known(folder: Path, signature: str) -> int:
    """Return how many failures with a signature are written."""
    line = f"# signature: {signature}\n"
    return sum(line in path.read_text() for path in folder.glob("*.txt"))


def shrunk(program: Program, verdict: Verdict, scratch: Path, seconds: float) -> Program:
    """Return a smaller program that fails in the same way."""

    def fails(candidate: Program) -> bool:
        try:
            (found,) = judge(candidate, [verdict.mode], scratch, 5.0)
        except Exception:
            return False
        same = ("mode", "kind", "signature", "raises")
        return all(getattr(found, name) == getattr(verdict, name) for name in same)

    if seconds <= 0 or not fails(program):
        return program
    return Shrinker(program, fails, seconds).shrunk()


def written(program: Program, verdict: Verdict, signature: str) -> str:
    """Return a failure as text that `--replay` reads."""
    told = "".join(f"# {line}\n" for line in verdict.message.splitlines())
    head = {"modes": [verdict.mode], "seed": program.seed, "call": verdict.call}
    return f"# signature: {signature}\n# {json.dumps(head)}\n{told}{program.text()}"


def judged_again(path: Path, scratch: Path) -> list[Verdict]:
    """Judge a written program again, in the modes that it names."""
    text = path.read_text()
    head = json.loads(text.splitlines()[1].removeprefix("# "))
    program = Program.read(text)
    program.seed = head["seed"]
    return judge(program, head["modes"], scratch)


def replay(path: Path) -> int:
    """Judge a written program again and print what became of it; return 1 if it fails."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        os.environ["SRCGRAD_CACHE_DIR"] = str(Path(folder) / ".cache")
        try:
            found = judged_again(path, Path(folder))
        except UnusableError as error:
            print(f"{path}: no judgement: {error}")
            return 0
    for verdict in found:
        print(f"{path}: {verdict.mode}: {verdict.kind} {verdict.message}")
    return int(any(verdict.failed for verdict in found))


def _corpus_reach(part: int) -> Tally:
    from tests.fuzz import reach

    tally = Tally()
    with reach.noted(tally.lines):
        reach.run_corpus(part, PARTS)
    return tally
