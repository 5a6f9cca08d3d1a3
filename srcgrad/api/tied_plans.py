"""Runs plans with watched or turned vectors of equal eigenvalues and singular values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from srcgrad.api.making import made_once
from srcgrad.api.plan import Plan, load_plan
from srcgrad.api.planning import Plans
from srcgrad.api.refusal import describe
from srcgrad.api.surroundings import Surroundings, once_more
from srcgrad.api.tape_push import push_on_tape
from srcgrad.api.ties import Directions, How
from srcgrad.api.underlying import held_for_text, plain, signature
from srcgrad.api.values import conform, is_complex
from srcgrad.codegen.loader import rebound
from srcgrad.compiler import Request, compile_tangents
from srcgrad.errors import UnsupportedError
from srcgrad.runtime import turning
from srcgrad.runtime.choosing import MEETING
from srcgrad.runtime.guessing import GUESSES
from srcgrad.tape.turning import choosing


def _changed(plan: Plan, name: str, swap: Callable[[str, Any], Any]) -> Callable[..., Any]:
    """Return a function of a plan that calls other functions of the runtime."""
    swapped = {
        key: swap(getattr(item, "__name__", ""), item)
        for key, item in vars(plan.module).items()
        if getattr(item, "__module__", "").startswith("srcgrad.runtime")
    }
    function: Callable[..., Any] = rebound(plan.module, swapped)[name]
    return function


def watched(plan: Plan, name: str, met: list[str]) -> Callable[..., Any]:
    """Return a function of a plan that notes in a list where it met equal values.

    What it returns then rests on guesses.
    """

    def swap(known: str, item: Any) -> Any:
        matters = MEETING.get(known)
        if matters is None:
            return item
        guess = GUESSES.get(known)

        @functools.wraps(item)
        def noting(*args: Any) -> Any:
            if not matters(*args):
                return item(*args)
            met.append(known)
            return item(*args, guess(*args)) if guess else item(*args)

        return noting

    return _changed(plan, name, swap)


def turned(plan: Plan, name: str, how: How) -> Callable[..., Any]:
    """Return a tangent function of a plan with vectors as they are, turned to suit, or anyhow."""

    def swap(known: str, item: Any) -> Any:
        return item if how == "plain" else getattr(turning, f"{how}_{known}", item)

    return _changed(plan, name, swap)


def directions_of(
    f: Callable[..., Any],
    names: Sequence[str],
    arguments: dict[str, Any],
    start: Surroundings | None = None,
) -> Directions:
    """Return the exact slopes of a function, by source if that goes, at given arguments.

    Each of its runs is from a start, so that what the function counts is as in the first one.
    """
    plans = _tangent_plans(f, tuple(names))

    def push(how: How, given: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        with once_more(start):
            return run(how, given, tangents)

    def run(how: How, given: dict[str, Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        keep_complex = any(map(is_complex, [*given.values(), *tangents]))
        try:
            plan = plans.current(given, keep_complex=keep_complex)
        except UnsupportedError:
            if hasattr(f, "__srcgrad_taken__"):
                raise
            with choosing(how):
                return push_on_tape(plain(f), signature(f), names, given, tangents)
        value, tangent = turned(plan, plan.generated.entry, how)(*given.values(), *tangents)
        return value, conform(tangent, value)

    return Directions(push, arguments, names, describe(f))


@made_once
def _tangent_plans(f: Callable[..., Any], names: tuple[str, ...]) -> Plans[Plan]:
    """Return the plans of the tangent function of `f`, the same ones at every call."""

    def make(function: FunctionType, *, keep_complex: bool, given: Mapping[str, Any]) -> Plan:
        held = held_for_text(f, given, names)
        request = Request(function, names, keep_complex=keep_complex, assume=False, given=held)
        return load_plan(compile_tangents(request), function)

    return Plans(f, make)
