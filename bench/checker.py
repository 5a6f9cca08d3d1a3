"""Times what the checker adds to the differentiation of functions that nobody has seen.

Each is differentiated without and with the checker by turns, in one process.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import srcgrad as sg
from bench.compile_time import TEN_LINES, function_in, statements
from srcgrad.api import known_texts
from srcgrad.checker.witness import VARIABLE
from srcgrad.codegen import loader
from tests.programs.corpus import Program, programs_by, sample
from tools.mutants import anew

LOOPS: Final = """\
def walk(x, rate={number}.0):
    y = x.copy()
    speed = np.zeros_like(x)
    for step in range(len(x)):
        force = np.sin(y) - rate * y**3
        if step % 2:
            force = force * 0.5
        speed += 0.1 * force
        y[1:] += 0.1 * speed[:-1]
    return np.sum(y * y) + np.sum(np.exp(speed))
"""


_ONE_IN: Final = 16
_TURNS: Final = 3


def main() -> None:
    """Print the times without and with the checker, and its share."""
    print("What the checker of derivatives adds to compile time (target: 10 %)")
    before = os.environ.get(VARIABLE)
    try:
        with tempfile.TemporaryDirectory() as folder:
            _three_texts(Path(folder))
        programs = sample(programs_by("source").values(), _ONE_IN)
        for mode, operator in (("reverse", _gradient), ("forward", _pushforward)):
            _sample(mode, operator, programs)
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before


def _three_texts(folder: Path) -> None:
    cases = {
        "10 lines": ("loss", lambda number: TEN_LINES.format(number=number), 15),
        "loop, branch, writes": ("walk", lambda number: LOOPS.format(number=number), 15),
        "100 statements": ("long", lambda number: statements(100, number), 5),
    }
    for label, (name, text, count) in cases.items():
        for mode, operator in (("reverse", sg.grad), ("forward", sg.pushforward)):
            times: dict[str, list[float]] = {"0": [], "1": []}
            for number in range(2 * count + 2):
                os.environ[VARIABLE] = wanted = str(number % 2)
                unique = number + 1000 * (mode == "forward")
                function = function_in(text(unique), name, unique, folder)
                taken = _taken(operator(function, fallback="error"))
                if number > 1:  # the first ones load what all need
                    times[wanted].append(taken)
            _print(f"{label}, {mode}", times)


def _gradient(program: Program) -> Any:
    return sg.grad(anew(program.function), program.argnums, fallback="error")


def _pushforward(program: Program) -> Any:
    return sg.pushforward(anew(program.function), program.argnums, fallback="error")


def _sample(mode: str, operator: Callable[[Program], Any], programs: list[Program]) -> None:
    """Print how the shares of one in so many programs of the corpus lie."""
    without = with_it = 0.0
    shares: list[float] = []
    for program in programs:
        times: dict[str, list[float]] = {"0": [], "1": []}
        try:
            for turn in range(2 * _TURNS + 1):
                os.environ[VARIABLE] = wanted = str(turn % 2)
                known_texts.forget()
                loader.code_of.cache_clear()
                taken = _taken(operator(program))
                if turn:  # the first one reads the file
                    times[wanted].append(taken)
        except sg.UnsupportedError:  # without arguments, or in this mode
            continue
        plain, checked = (min(times[key]) for key in "01")
        without, with_it = without + plain, with_it + checked
        shares.append(checked / plain - 1)
    shares.sort()
    tenths = ", ".join(f"{shares[len(shares) * tenth // 10]:+.0%}" for tenth in (1, 3, 5, 7, 9))
    label = f"{len(shares)} programs, {mode}"
    share = with_it / without - 1
    print(f"  {label:30} {without * 1e3:7.1f} ms, with it {with_it * 1e3:7.1f} ms: {share:+.1%}")
    print(f"  {'':30} of single ones {tenths} (10, 30, 50, 70, 90 %)", flush=True)


def _taken(derivative: Any) -> float:
    """Return the seconds of this process that a text takes until it could be loaded."""
    start = time.process_time()
    generated = derivative.plan().generated
    loader.code_of(generated.source)
    if generated.proof is not None:
        generated.proof.verdict  # noqa: B018 - asked for, it is found out
    return time.process_time() - start


def _print(label: str, times: dict[str, list[float]]) -> None:
    without, with_it = (statistics.median(times[key]) * 1e3 for key in "01")
    share = with_it / without - 1
    print(f"  {label:30} {without:7.1f} ms, with it {with_it:7.1f} ms: {share:+.0%}", flush=True)


if __name__ == "__main__":
    main()
