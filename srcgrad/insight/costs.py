"""Measures what each line of a derivative costs: time, and memory that it makes."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any, Final

from srcgrad.insight.instrument import Site
from srcgrad.insight.meter import memory_of, size_of

_MOST_RUNS: Final = 15
_LONGEST_NS: Final = 400_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """What the lines of a generated text cost in one call.

    Attributes:
        times: Nanoseconds by line; those of a call of another generated function are its own.
        counts: How often each line ran.
        bytes: The bytes of the values that a line made, each piece of memory counted once.
        primal: Nanoseconds of the user's function; 0 if it was not measured.
    """

    times: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    bytes: dict[int, int] = field(default_factory=dict)
    primal: int = 0

    @property
    def total(self) -> int:
        """The nanoseconds of all lines."""
        return sum(self.times.values())


class LineTimer:
    """Times the lines of one file, by Python's own tracing."""

    def __init__(self, file: str) -> None:
        self.times: dict[int, int] = defaultdict(int)
        self.counts: dict[int, int] = defaultdict(int)
        self._file = file
        self._line = 0
        self._since = 0
        self._callers: list[int] = []

    def run(self, call: Callable[[], Any]) -> None:
        """Time the lines of one call; a tracer that is at work is put back afterwards."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(before)

    def _enter(self, frame: Any, event: str, arg: Any) -> Any:
        del event, arg
        if frame.f_code.co_filename != self._file:
            return None
        self._charge()
        self._callers.append(self._line)
        self._line = 0
        self._since = perf_counter_ns()
        return self._step

    def _step(self, frame: Any, event: str, arg: Any) -> Any:
        del arg
        self._charge()
        if event == "line":
            self._line = frame.f_lineno
            self.counts[self._line] += 1
        elif event == "return":
            self._line = self._callers.pop()
        self._since = perf_counter_ns()
        return self._step

    def _charge(self) -> None:
        if self._line:
            self.times[self._line] += perf_counter_ns() - self._since


class LineMemory:
    """Watches a call, and adds up the memory that each generated line makes."""

    def __init__(self) -> None:
        self.bytes: dict[int, int] = defaultdict(int)
        self._seen: dict[int, Any] = {}

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        """Count the arrays and numbers of a value that were not there before."""
        if site.kind == "enter":
            given = variables.values() if not self._seen else ()
            self._seen.update((id(item), item) for item in memory_of(given))
            return
        if site.kind not in ("assign", "return") and not site.done:
            return  # what `+=` adds is gone after it
        for item in memory_of([value]):
            if id(item) not in self._seen:
                self._seen[id(item)] = item  # kept alive, so that its identity stays its own
                self.bytes[site.line] += size_of(item)


def timed_lines(file: str, call: Callable[[], Any]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the nanoseconds of each line, the least of several runs, and how often each ran."""
    call()
    times: dict[int, int] = {}
    counts: dict[int, int] = {}
    spent = 0
    for _ in range(_MOST_RUNS):
        timer = LineTimer(file)
        timer.run(call)
        counts = dict(timer.counts)
        for line, time in timer.times.items():
            times[line] = min(time, times.get(line, time))
        spent += sum(timer.times.values())
        if spent > _LONGEST_NS:
            break
    return times, counts


def timed(call: Callable[[], Any]) -> int:
    """Return the nanoseconds of a call, the least of several."""
    best, spent = 0, 0
    for _ in range(_MOST_RUNS):
        start = perf_counter_ns()
        call()
        time = perf_counter_ns() - start
        best = min(best or time, time)
        spent += time
        if spent > _LONGEST_NS:
            break
    return best
