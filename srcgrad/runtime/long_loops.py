"""Runs long loops so that they can be taken back in bounded memory.

A loop is a function from the state before a trip to the state after it, which writes into nothing
that it is given. `run_steps` keeps some of the states, and `reverse_steps` runs the steps between
them again, last ones first. The states that are kept are copies.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from srcgrad.backends import ARRAYS
from srcgrad.errors import MutationError
from srcgrad.runtime.copies import copied
from srcgrad.runtime.schedules import affordable, next_state, repeats, states_for

T = TypeVar("T")
State = Sequence[Any]
_OBSERVERS: Final[list[list[LoopReport]]] = []
_UNOBSERVED: Final = ContextVar("unobserved", default=False)
_SHORTEST: Final = 4


def checkpointed(iterable: T, budget: Any = None) -> T:  # noqa: ARG001 - the compiler reads it
    """Return `iterable`: a loop over it is differentiated in bounded memory.

    Write ``for i in checkpointed(range(n)):`` or ``while checkpointed(condition):``. The gradient
    keeps copies of some of the loop's states and runs the steps between them again.

    Args:
        iterable: What the loop runs over, or the condition of a `while`.
        budget: How many states to keep at a time, or how much memory they may take, as ``"64MB"``.
            By default about ``sqrt(2 * n)`` states for n trips: no step is run again more than
            twice.

    >>> [i * i for i in checkpointed(range(3), budget=2)]
    [0, 1, 4]
    """
    return iterable


@dataclass(slots=True)
class LoopReport:
    """What one run of a checkpointed loop has taken.

    Attributes:
        name: The name of its step function.
        trips: How many steps it took.
        kept: The states that were allowed at a time; `most_kept` is how many there were.
        state_bytes: The size of one state.
        steps_run: How many steps were run in all, forward and again.
        repeats: How often each step is run again, at most.
    """

    name: str
    trips: int = 0
    kept: int = 0
    most_kept: int = 0
    state_bytes: int = 0
    steps_run: int = 0
    repeats: int = 0


@contextlib.contextmanager
def observed_loops() -> Iterator[list[LoopReport]]:
    """Collect a report of each checkpointed loop that is run inside the block."""
    reports: list[LoopReport] = []
    _OBSERVERS.append(reports)
    try:
        yield reports
    finally:
        _OBSERVERS.remove(reports)


@contextlib.contextmanager
def unobserved() -> Iterator[None]:
    """Let checkpointed loops that are run inside the block, in this context, have no reports."""
    token = _UNOBSERVED.set(True)
    try:
        yield
    finally:
        _UNOBSERVED.reset(token)


@dataclass(slots=True)
class Steps:
    """A loop that was run: its step, what the step reads, and the states that are kept.

    `last` is the state before the last step, which is the first to be taken back; `left` says that
    a step has left the loop.
    """

    step: Callable[..., Any]
    indices: Sequence[Any]
    constants: State
    report: LoopReport
    written: int
    stops: bool
    left: bool = False
    kept: list[tuple[int, State]] = field(default_factory=list)
    last: State | None = None

    @property
    def trips(self) -> int:
        """The number of steps."""
        return self.report.trips

    def keep(self, position: int, state: State) -> None:
        """Keep a copy of the state before a step."""
        self.kept.append((position, copied(state)))
        self.report.most_kept = max(self.report.most_kept, len(self.kept))

    def advance(self, state: State, first: int, last: int) -> State:
        """Return the state after some steps, given that before them."""
        step, constants = self.step, self.constants
        self.report.steps_run += last - first
        if self.stops:
            for i in self.indices[first:last]:
                *state, self.left = step(i, *state, *constants)
                refuse_shared(state, self.written)
        elif len(state) == 1:
            (only,) = state
            for i in self.indices[first:last]:
                only = step(i, only, *constants)
            state = (only,)
        else:
            for i in self.indices[first:last]:
                state = step(i, *state, *constants)
                if self.written:
                    refuse_shared(state, self.written)
        return state

    def sweep(self, state: State) -> State:
        """Run all steps, and keep the states that the best schedule starts from."""
        position, trips = 0, self.trips
        if not trips:
            return state
        self.keep(0, state)
        while trips - position > 1 and len(self.kept) < self.report.kept:
            free = self.report.kept - len(self.kept) + 1
            ahead = position + next_state(trips - position, free)
            state = self.advance(state, position, ahead)
            self.keep(ahead, state)
            position = ahead
        return self.finish(self.advance(state, position, trips - 1))

    def finish(self, state: State) -> State:
        """Run the last step."""
        self.last = copied(state)
        return self.advance(state, self.trips - 1, self.trips)

    def backwards(self) -> Iterator[tuple[Any, State]]:
        """Yield what each step was given, the last first, with the state before it."""
        if not self.trips:
            return
        if self.last is None:  # once more, from the start
            self.sweep(self.kept.pop()[1])
        start, state, self.last = self.kept[0], self.last, None
        for end in range(self.trips, 0, -1):
            yield self.indices[end - 1], self.before(end) if state is None else state
            state = None
            if self.kept[-1][0] == end - 1:
                self.kept.pop()
        self.kept.append(start)

    def before(self, end: int) -> State:
        """Return the state before the last of the steps up to `end`."""
        position, state = self.kept[-1]
        while end - position > 1:
            free = self.report.kept - len(self.kept) + 1
            if free == 1:
                return self.advance(state, position, end - 1)
            ahead = position + next_state(end - position, free)
            state = self.advance(state, position, ahead)
            self.keep(ahead, state)
            position = ahead
        return state


def run_steps(  # noqa: PLR0913 - written in generated text
    step: Callable[..., Any],
    indices: Sequence[Any],
    state: State,
    constants: State = (),
    budget: Any = None,
    *,
    written: int = 0,
    stops: bool = False,
) -> tuple[Any, Steps]:
    """Run ``state = step(i, *state, *constants)`` for each index; return the last state.

    Args:
        step: From an index, the state and the constants to the next state.
        indices: What the loop runs over.
        state: The first state; if it is of one value, `step` returns that value alone.
        constants: What every step reads.
        budget: How many states to keep, or their bytes, as ``"64MB"``.
        written: How many of the state's first values the loop writes into: these may share memory
            with nothing else, since each step works on copies.
        stops: `step` returns one thing more, which says whether the loop was left.

    Returns:
        The last state, and the steps, which `reverse_steps` takes back.
    """
    report = LoopReport(step.__name__, state_bytes=_size(state))
    for reports in () if _UNOBSERVED.get() else _OBSERVERS:
        reports.append(report)
    refuse_shared((*state, *constants), written)
    steps = Steps(step, indices, constants, report, written, stops)
    allowed = None if budget is None else affordable(budget, report.state_bytes)
    if stops:
        state = _run_until(steps, state, allowed)
    else:
        report.trips = len(indices)
        wanted = states_for(report.trips) if allowed is None else allowed
        report.kept = max(1, min(wanted, report.trips))
        report.repeats = repeats(report.trips, report.kept)
        state = steps.sweep(state)
    return (state[0] if len(state) == 1 else state), steps


def _run_until(steps: Steps, state: State, allowed: int | None) -> State:
    """Run steps until one says that the loop is left, and keep every so many states.

    Where there are too many, every other one is dropped. Half of those that are `allowed` are left
    for the way back; if none is said, some ``2 * sqrt(n)`` are kept, and so many steps apart that
    no step is run again more than once.
    """
    stride, position, kept, report = 1, 0, steps.kept, steps.report
    most = None if allowed is None else (allowed + 1) // 2
    while not steps.left and position < len(steps.indices):
        if position % stride == 0:
            if len(kept) >= (max(_SHORTEST, 4 * stride) if most is None else most):
                stride *= 2
                kept[:] = [item for item in kept if item[0] % stride == 0]
            if position % stride == 0:
                steps.keep(position, state)
        steps.last, state = state, steps.advance(state, position, position + 1)
        position += 1
    steps.last = copied(steps.last)
    report.trips = position
    report.kept = len(kept) + stride if allowed is None else allowed
    report.repeats = repeats(min(stride, max(position, 1)), max(1, report.kept - len(kept) + 1))
    return state


def reverse_steps(steps: Steps, back: Callable[..., Any], grads: State, added: State = ()) -> Any:
    """Take adjoints back through a loop.

    Args:
        steps: The loop that was run.
        back: Takes the arguments of the step, the adjoints of its results, and the adjoints of
            what it reads so far; returns the adjoints of the state before it, and those of what it
            reads with its own part added.
        grads: The adjoints of the last state.
        added: The adjoints of what every step reads, to start with.

    Returns:
        The adjoints of the first state and of what every step reads.
    """
    carried: State = (*copied(grads), *added)
    single = len(carried) == 1
    for i, state in steps.backwards():
        grads = back(i, *state, *steps.constants, *carried)
        carried = (grads,) if single else grads
    return carried[0] if single else carried


def refuse_array(value: Any, name: str) -> None:
    """Refuse an array where a checkpointed loop updates a number.

    Raises:
        MutationError: It is an array, and what updates it in place may be reached elsewhere too.
    """
    if isinstance(value, ARRAYS):
        raise MutationError(
            f"a checkpointed loop updates the array `{name}` in place, which may have other names",
            hint=f"write `{name} = {name}.copy()` before the loop, or `y = y + v` for `y += v`",
        )


def refuse_shared(state: State, count: int) -> None:
    """Refuse arrays that share memory if one is among the first `count`, which are written into.

    Raises:
        MutationError: What is written into one would show in the other.
    """
    arrays = [_arrays(item) for item in state] if count else []
    for k, mine in enumerate(arrays[:count]):
        for theirs in arrays[k + 1 :]:
            if any(np.may_share_memory(a, b) for a in mine for b in theirs):
                raise MutationError(
                    "a checkpointed loop writes into arrays that share memory",
                    hint="copy one of them: `previous = u.copy()` for `previous = u`",
                )


def _arrays(value: Any) -> Sequence[Any]:
    if isinstance(value, ARRAYS):
        return (value,)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return ()
    return [array for item in value for array in _arrays(item)]


def _size(state: Any) -> int:
    """Return how many bytes the numbers and arrays of a state take."""
    if isinstance(state, dict):
        state = tuple(state.values())
    if isinstance(state, (list, tuple)):
        return sum(map(_size, state))
    return int(getattr(state, "nbytes", 8))
