"""Checks what the backward pass runs again: checkpointed functions, and the trips of long loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from srcgrad.checker import field, primal
from srcgrad.checker.arithmetic import pair_of
from srcgrad.checker.built_in import listed
from srcgrad.checker.check import (
    Checker,
    Subject,
    lanes_of,
    outcome,
    state_of,
    whole,
)
from srcgrad.checker.field import ZERO, code_of, hashed
from srcgrad.checker.lanes import Lane
from srcgrad.checker.library import handler
from srcgrad.checker.primal import sweep
from srcgrad.checker.runs import Disagreement, NotCovered, Now
from srcgrad.checker.sharing import copied

# -- long loops


@dataclass(slots=True)
class Steps:
    """A loop that was run: what each of its steps was given."""

    given: list[tuple[Any, ...]]
    moving: int


@handler("srcgrad.runtime.run_steps")
def run_steps(  # noqa: PLR0913 - as it is called
    step: Callable[..., Any],
    indices: Any,
    state: Sequence[Any],
    constants: Sequence[Any] = (),
    budget: Any = None,
    *,
    written: int = 0,
    stops: bool = False,
) -> tuple[Any, Steps]:
    """Run a loop step by step; return its last state, which is nobody else's."""
    del budget, written
    steps = Steps([], len(state))
    for index in listed(indices):
        steps.given.append((index, *state, *constants))
        found = step(index, *state, *constants)
        if stops:
            *state, left = found
            if left:
                break
        else:
            state = [found] if steps.moving == 1 else list(found)
    last = [_own(item) for item in state]
    return (last[0] if steps.moving == 1 else last), steps


@handler("srcgrad.runtime.reverse_steps")
def reverse_steps(
    steps: Steps, back: Callable[..., Any], grads: Sequence[Any], added: Sequence[Any] = ()
) -> Any:
    """Take adjoints back through a loop."""
    carried = [*map(copied, grads), *added]
    for given in reversed(steps.given):
        found = back(*given, *carried)
        carried = [found] if len(carried) == 1 else list(found)
    return carried[0] if len(carried) == 1 else tuple(carried)


def _own(value: Any) -> Any:
    if isinstance(value, Lane) and value.number:
        return Lane(value.pair, value.token, number=True, whole=value.whole, varied=value.varied)
    return copied(value)


# -- functions that run forward and take adjoints back


@dataclass(slots=True)
class PullSubject(Subject):
    """A function that runs forward and takes adjoints back.

    Attributes:
        forward: The function that runs forward alone.
        places: Which results it takes adjoints of.
        added: The inputs to whose adjoints it adds.
    """

    forward: str = ""
    places: list[int] = dataclass_field(default_factory=list)
    added: Sequence[str] = ()


class PullChecker(Checker):
    """The check of one such function; further texts of it may be checked, too."""

    _subject: PullSubject

    def _run(self, seed: int) -> bool:
        """Run along one path; say whether it came to an end."""
        subject = self._subject
        run = self._begin(seed)
        run.tape = []
        names = self._names()
        given = self._arguments()
        expected = outcome(lambda: self._made.run(names, given))
        tape, cut = run.tape, run.cut
        self._begin(seed, run)
        space, args = self._namespace(), self._arguments()
        forward = outcome(lambda: space[subject.forward](*args.values()))
        if expected[0] == "raised" or forward[0] == "raised":
            return self._both_raise(expected, forward)
        if whole(forward[1]) != whole(expected[1]):
            raise NotCovered("what runs forward alone calls what nobody can look into")
        states = {name: state_of(value) for name, value in args.items()}
        grads = self._adjoints(expected[1])
        starts = [_start(name, args[name]) for name in subject.added]
        found = outcome(lambda: space[subject.name](*args.values(), *grads, *starts))
        if found[0] == "raised":
            return self._both_raise(expected, found)
        Now.run, run.tape = run, None
        results = list(expected[1]) if self._is_tuple(expected[1]) else [expected[1]]
        for place, grad in zip(subject.places, self._adjoints(expected[1]), strict=True):
            primal.contribute(results[place], grad)
        sweep(tape)
        for lane in cut:
            if lane.cut and lane.own_adjoint is not None and lane.own_adjoint.pair != ZERO:
                raise Disagreement("an operation on a value with a derivative has no adjoint")
        self._compare_added(given, args, found[1])
        for name, state in states.items():
            if state_of(args[name]) != state:
                raise Disagreement(f"the argument `{name}` is left with other contents")
        return True

    def _is_tuple(self, result: Any) -> bool:
        return self._subject.returns_tuple and isinstance(result, (list, tuple))

    def _adjoints(self, result: Any) -> list[Any]:
        results = list(result) if self._is_tuple(result) else [result]
        return [self._given(place, results[place]) for place in self._subject.places]

    def _compare_added(self, given: dict[str, Any], args: dict[str, Any], result: Any) -> None:
        subject = self._subject
        every = result if len(subject.inputs) != 1 else (result,)
        roots = {id(lane.root): "an argument" for lane in lanes_of(list(args.values()))}
        for name, grad in zip(subject.inputs, every, strict=True):
            value = given[name]
            want = value.adjoint.pair if isinstance(value, Lane) else ZERO
            if name in subject.added:
                want = field.add(want, pair_of(_start(name, value)))
            if field.sub(whole(grad), want) != ZERO:
                raise Disagreement(f"the gradient of `{name}` is another")
            for lane in lanes_of(grad):
                if not lane.number and roots.setdefault(id(lane.root), name) != name:
                    raise Disagreement(f"the gradient of `{name}` shares memory with another")


def _start(name: str, like: Any) -> Any:
    """Return the adjoint that is added to."""
    entry = hashed(code_of(f"adjoint of {name} so far"))
    if not isinstance(like, Lane):
        return Lane((entry, hashed(entry, 1)), entry)
    pair = (entry, entry if like.number else hashed(entry, 1))
    return Lane(pair, like.token, number=like.number, dims=like.dims)
