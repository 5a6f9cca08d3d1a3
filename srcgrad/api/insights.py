"""Makes explanations of plans: what was found when they were compiled, and what a call keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any

import numpy as np

from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.stacking import count_of, seed_of
from srcgrad.api.structures import copied
from srcgrad.compiler.findings import Findings
from srcgrad.errors import UnsupportedError
from srcgrad.insight.explanation import Explanation, Subject
from srcgrad.insight.instrument import Watcher, instrumented
from srcgrad.insight.meter import Meter
from srcgrad.runtime.long_loops import observed_loops

Call = tuple[tuple[Any, ...], dict[str, Any]]


def subject_of(function: Any, mode: str, inputs: Sequence[str]) -> Subject:
    """Return what an explanation is about."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    if not isinstance(code, CodeType):
        return Subject(name, "", 0, mode, tuple(inputs))
    return Subject(name, code.co_filename, code.co_firstlineno, mode, tuple(inputs))


def refused(subject: Subject, refusal: UnsupportedError, engine: str = "tape") -> Explanation:
    """Return the explanation of a function that runs on the tape, or as a loop over examples."""
    return Explanation(subject, engine, tuple(refusal.diagnostics))


def explained(subject: Subject, plan: Plan, call: Call | None) -> Explanation:
    """Return the explanation of a plan that was compiled with an account of what was found.

    With a call, what is kept is measured: the function runs once on copies of the arguments.
    """
    generated = plan.generated
    findings = generated.findings or Findings(())
    lines = generated.source.count("\n")
    taped, conditions = generated.taped, generated.conditions
    proof = generated.proof
    told: dict[str, Any] = (
        {} if proof is None else {"not_proven": proof.reason, "own_code_unread": proof.unread}
    )
    refused = [item for refusal in generated.left_out.values() for item in refusal.diagnostics]
    told["left_out"] = tuple(dict.fromkeys(refused))
    if call is None:
        return Explanation(subject, "source", taped, conditions, lines, findings, **told)
    meter = Meter(findings, frozenset(generated.layout))
    with observed_loops() as loops:
        run_watched(plan, call, meter)
    found = findings, dict(meter.found), meter.total, tuple(loops)
    return Explanation(subject, "source", taped, conditions, lines, *found, **told)


def run_watched(plan: Plan, call: Call, watcher: Watcher) -> Any:
    """Run a plan on copies of the arguments, and show every value to `watcher`."""
    names = instrumented(plan.generated, plan.module).functions(plan.module, watcher)
    with np.errstate(all="ignore"):
        return run_through(plan, names, call)


def run_through(plan: Plan, names: Mapping[str, Any], call: Call) -> Any:
    """Run functions of a plan, forward and back from an adjoint of ones if it has two halves."""
    args, kwargs = copied(call[0]), copied(call[1])
    result = names[plan.generated.entry](*args, **plan.named(kwargs))
    if not isinstance(plan, HalvesPlan):
        return result
    value, kept = result
    adjoint = seed_of(value, np.ones(count_of(value)))
    given = list(adjoint) if plan.gives_tuple else [adjoint]
    return names[plan.generated.backward](plan.again(kept), *given)
