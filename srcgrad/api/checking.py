"""Runs derivatives so that the first NaN or infinity in them raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.api.plan import Plan
from srcgrad.autograd import set_detect_anomaly
from srcgrad.errors import NonFiniteError
from srcgrad.insight.switch import CHECKS
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.insight import finite, instrument, nans
else:
    finite = later("srcgrad.insight.finite")
    instrument = later("srcgrad.insight.instrument")
    nans = later("srcgrad.insight.nans")


def checked(plan: Plan, entry: str = "") -> Callable[..., Any]:
    """Return a function of a plan, in the variant that looks at every value."""
    generated, names = plan.generated, vars(plan.module)
    watcher = nans.NanWatcher(generated.lines, generated.source, names)
    function = instrument.instrumented(generated, plan.module).functions(plan.module, watcher)[
        entry or generated.entry
    ]

    def run(*args: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(*args, **kwargs)
        watcher.finish(result)
        return result

    return run


def without_value(run: Callable[..., Any], *, has_aux: bool) -> Callable[..., Any]:
    """Return a function of value and gradients that keeps the value to itself."""

    def rest(*args: Any, **kwargs: Any) -> Any:
        value, grads = run(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return rest


def checked_on_tape(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that differentiates on the tape and refuses a result that is not finite."""

    def checked_run(*args: Any, **kwargs: Any) -> Any:
        try:
            with set_detect_anomaly(True), np.errstate(all="ignore"):
                result = run(*args, **kwargs)
        except RuntimeError as error:
            raise NonFiniteError(
                f"on the tape: {error}", hint="the warning above shows the call that it comes from"
            ) from error
        flaw = finite.flaw_of(result)
        if flaw is not None:
            raise NonFiniteError(
                f"the result of a derivative on the tape is {flaw}",
                hint="the tape does not look at each value: see srcgrad.autograd.detect_anomaly",
            )
        return result

    return checked_run


def runs(plan: Plan, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a plan as it is run now: itself, or what looks at every value."""
    return checked(plan, function.__name__) if CHECKS.nans else function
