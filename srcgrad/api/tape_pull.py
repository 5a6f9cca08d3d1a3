"""Pulls adjoints back on the tape, where the compiler refuses a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from srcgrad.api.steep import Steep
from srcgrad.api.structures import refuse_objects
from srcgrad.api.values import as_now, conform
from srcgrad.tape import exact_grad, gradients_like, held_grad, paired, run_plainly
from srcgrad.tape.surgery import OwnEdits
from srcgrad.tape.turning import meeting


def pull_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    arguments: Mapping[str, Any],
    told: Callable[..., tuple[Any, ...]] | None = None,
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Return the value of a function and its pullback.

    A function that writes into its argument does so once, and the pullback is with respect to
    what it held before. `told` makes adjoints right that met equal eigenvalues; of a
    derivative, which has none, nothing is asked of differences either.
    """
    bound = inspect.BoundArguments(signature, dict(arguments))
    before = {name: as_now(arguments[name]) for name in wrt}
    steep = Steep(function, wrt, arguments)
    edits = OwnEdits()
    with edits.noted():
        run = run_plainly(function, bound, wrt, later=True)
    refuse_objects(run.result)
    order = [name for name in run.given if name in wrt]

    def as_given(found: Sequence[Any]) -> tuple[Any, ...]:
        parts = iter(found)
        grads = {name: gradients_like(run.given[name], parts, keep=run.nested) for name in order}
        return tuple(conform(grads[name], before[name]) for name in wrt)

    def pull(adjoint: Any) -> tuple[Any, ...]:
        outputs, seeds = paired(run.result, adjoint)
        if not outputs:
            return as_given([None] * len(run.tracked))
        met: list[str] = []
        with meeting(met), edits.run():
            found = exact_grad(outputs, run.tracked, seeds, create_graph=run.nested)
        done = as_given(found)
        if run.nested or told is None:
            return done
        if met:
            return told(run.value, adjoint, done)

        def held() -> tuple[Any, ...]:
            with edits.run():
                return as_given(held_grad(outputs, run.tracked, seeds))

        return tuple(steep.told(done, adjoint, run.value, held))

    return run.value, pull
