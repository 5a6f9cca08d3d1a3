"""Tells gradients where a generated text does not: at equal eigenvalues, and beside selections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import BoundArguments
from typing import Any

from srcgrad.api.fallback import run_on_tape
from srcgrad.api.plan import Plan
from srcgrad.api.reruns import before as state_before
from srcgrad.api.reruns import leaves_marks
from srcgrad.api.structures import copied
from srcgrad.api.surroundings import once_more
from srcgrad.api.tied_plans import directions_of, watched
from srcgrad.api.traps import has_nan, unless_nan
from srcgrad.api.underlying import bind, owner, plain, signature
from srcgrad.api.values import conform


def told(
    gradient: Any, plan: Plan, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Callable[..., Any]:
    """Return the function of a plan, which asks elsewhere where its text does not tell gradients.

    That is at equal eigenvalues, and where NaN comes from what a selection may have left out.
    """
    primal, names = gradient.primal, gradient.names
    meets = plan.meets and not hasattr(primal, "__srcgrad_taken__")
    if not meets and not plan.traps:
        return plan.runs
    keeps = meets or leaves_marks(plan)
    before = bind(primal, args[len(owner(primal)) :], kwargs)
    before = copied(before) if keeps else before
    start = state_before(plan, primal, args)
    place, paired = int(gradient.gives_value), gradient.gives_value or gradient.has_aux

    def run(*given: Any, **options: Any) -> Any:
        met: list[str] = []
        function = watched(plan, plan.generated.entry, met) if meets else plan.runs
        result = function(*given, **options)
        found = result[place] if paired else result
        values = [before[name] for name in names]
        if met:
            many = found if len(names) > 1 else (found,)
            done = [conform(grad, value) for grad, value in zip(many, values, strict=True)]
            slopes = directions_of(primal, names, before, start)
            exact = tuple(slopes.gradients(done, [1.0], guessed=True))
        elif plan.traps and has_nan(found):
            with once_more(start):
                exact = _on_tape(gradient, before, found, result[0] if place else 0.0)
        else:
            return result
        grads = exact if len(names) > 1 else exact[0]
        return (*result[:place], grads, *result[place + 1 :]) if paired else grads

    return run


def _on_tape(gradient: Any, before: dict[str, Any], found: Any, value: Any) -> tuple[Any, ...]:
    """Return gradients that the tape gives if they are finite, else those that were found."""
    names = gradient.names
    given = found if len(names) > 1 else (found,)

    def again() -> Any:
        primal = gradient.primal
        function = primal if hasattr(primal, "__srcgrad_taken__") else plain(primal)
        bound = BoundArguments(signature(primal), copied(before))
        aux = gradient.has_aux
        return run_on_tape(function, bound.signature, names, bound.args, bound.kwargs, aux=aux)[1]

    return tuple(unless_nan(value, given, again))
