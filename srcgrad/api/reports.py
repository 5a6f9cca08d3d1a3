"""Gathers what a report shows: explanation, stages, and the cost of each line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.api.insights import Call, explained, run_through, run_watched
from srcgrad.api.plan import Plan
from srcgrad.insight.costs import Costs, LineMemory, timed, timed_lines
from srcgrad.insight.explanation import Subject
from srcgrad.insight.finite import described
from srcgrad.reporting.page import Report
from srcgrad.reporting.sides import sides_of


def report_on(
    subject: Subject,
    plan: Plan,
    stages: dict[str, str],
    call: Call | None,
    primal: Callable[[], Any],
    *,
    keeps: bool = True,
) -> Report:
    """Return the report of a plan that was compiled with an account; costs are those of a call.

    `primal` calls the user's function with the same arguments. `keeps` says whether the plan keeps
    values for a backward pass.
    """
    explanation = explained(subject, plan, call if keeps else None)
    generated = plan.generated
    sides = sides_of(generated.source, generated.lines, explanation.findings, generated.layout)
    if call is None:
        return Report(explanation, sides, stages)
    costs = _costs(plan, call, primal)
    return Report(explanation, sides, stages, costs, _shown(plan, call))


def _costs(plan: Plan, call: Call, primal: Callable[[], Any]) -> Costs:
    """Run a plan's function several times, each time on copies of the arguments."""
    memory = LineMemory()
    run_watched(plan, call, memory)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        times, counts = timed_lines(
            plan.function.__code__.co_filename,
            lambda: run_through(plan, vars(plan.module), call),
        )
        function_time = timed(primal)
    return Costs(times, counts, dict(memory.bytes), function_time)


def _shown(plan: Plan, call: Call) -> str:
    """Return the arguments of a call by name, as the generated function has them."""
    code: Any = plan.function.__code__
    named = dict(zip(code.co_varnames, call[0], strict=False)) | call[1]
    return "; ".join(f"{name}: {described(item)}" for name, item in named.items())
