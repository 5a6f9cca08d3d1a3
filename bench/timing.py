"""Times several functions in turns, so that a busy machine is unfair to all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

SAMPLE = 0.004  # seconds; long enough for the clock, short enough that turns interleave


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds a call, one figure for each turn."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """The typical turn."""
        return statistics.median(self.samples)

    @property
    def best(self) -> float:
        """The least disturbed turn."""
        return min(self.samples)


Clock = Callable[[], float]


def measure(
    functions: dict[str, Callable[[], object]], turns: int = 60, clock: Clock = time.perf_counter
) -> dict[str, Timing]:
    """Time each function `turns` times, one after the other in every turn.

    The clock of the process (`time.process_time`) does not count what others do meanwhile.
    """
    counts = {name: _calls_in_a_sample(function, clock) for name, function in functions.items()}
    samples: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(turns):
        for name, function in functions.items():
            samples[name].append(_seconds_a_call(function, counts[name], clock))
    return {name: Timing(tuple(values)) for name, values in samples.items()}


def _calls_in_a_sample(function: Callable[[], object], clock: Clock) -> int:
    """Return how many calls take about SAMPLE; the first calls, which may compile, do not count."""
    for _ in range(3):
        function()
    return max(1, round(SAMPLE / max(_seconds_a_call(function, 3, clock), 1e-8)))


def _seconds_a_call(function: Callable[[], object], count: int, clock: Clock) -> float:
    """Return the mean of `count` calls."""
    start = clock()
    for _ in range(count):
        function()
    return (clock() - start) / count


def print_table(timings: dict[str, Timing], reference: str, skipped: dict[str, str]) -> None:
    """Print one line for each function, as a multiple of the reference, and who is absent.

    On a busy machine the minima, of the least disturbed turns, say more than the medians.
    """
    base = timings[reference]
    print(f"  {'':28}{'median':>12}{'ratio':>9}{'minimum':>12}{'ratio':>9}")
    for name, timing in timings.items():
        middle, least = timing.median / base.median, timing.best / base.best
        shown = f"{in_words(timing.median):>12}{middle:9.2f}"
        print(f"  {name:28}{shown}{in_words(timing.best):>12}{least:9.2f}")
    for name, reason in skipped.items():
        print(f"  {name:28}{'skipped: ' + reason}")
    print(flush=True)


def in_words(seconds: float) -> str:
    """Write a time with the unit that suits it.

    >>> in_words(0.0123), in_words(4.56e-6), in_words(7.8e-8)
    ('12.3 ms', '4.56 µs', '78 ns')
    """
    for scale, unit in [(1, "s"), (1e-3, "ms"), (1e-6, "µs")]:
        if abs(seconds) >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
