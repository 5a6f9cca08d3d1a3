"""Differentiates a function on the tape, where the compiler refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from srcgrad.api.steep import Steep
from srcgrad.api.tied_plans import directions_of
from srcgrad.api.values import conform
from srcgrad.errors import UnsupportedError
from srcgrad.runtime import scalar_seed
from srcgrad.runtime.own_arithmetic import OTHER_ENGINES
from srcgrad.tape import Tensor, exact_grad, gradients_like, held_grad, run_plainly, unwrapped
from srcgrad.tape.surgery import edited_once
from srcgrad.tape.turning import meeting


@edited_once()
def run_on_tape(
    function: Callable[..., Any],
    signature: inspect.Signature,
    wrt: Sequence[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    aux: bool,
) -> tuple[Any, tuple[Any, ...]]:
    """Return the value of a function and one gradient for each parameter in `wrt`.

    With `aux`, the value is the pair that the function returned. A function that writes into its
    argument does so once, and the gradient is with respect to what it held before.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    steep = Steep(function, wrt, given, has_aux=aux)
    try:
        run = run_plainly(function, bound, wrt)
    except TypeError as error:
        refuse_other_engine(error)
        raise
    output = run.result[0] if aux else run.result
    scalar_seed(unwrapped(output))
    met: list[str] = []
    with meeting(met):
        parts = iter(_gradients(output, run.tracked, run.nested))
    order = [name for name in run.given if name in wrt]

    def as_given(parts: Iterator[Any]) -> tuple[Any, ...]:
        grads = {name: gradients_like(run.given[name], parts, keep=run.nested) for name in order}
        return tuple(grads[name] for name in wrt)

    found = as_given(parts)
    if run.nested or hasattr(function, "__srcgrad_taken__"):
        return run.value, found
    if not met:

        def held() -> tuple[Any, ...]:
            return as_given(iter(held_grad(output, run.tracked)))

        found = tuple(steep.told(found, 1.0, unwrapped(output), held))
    else:
        found = tuple(conform(grad, given[name]) for name, grad in zip(wrt, found, strict=True))
        slopes = directions_of(function, wrt, given)
        found = tuple(slopes.gradients(found, [1.0], run.value))
    return run.value, found


def refuse_other_engine(error: TypeError) -> None:
    """Raise a refusal if a library with an engine of its own was given values of ours.

    Raises:
        UnsupportedError: It was.
    """
    frame = error.__traceback__
    while frame is not None:
        code, own = frame.tb_frame.f_code, frame.tb_frame.f_globals
        read = {**own, **frame.tb_frame.f_locals}
        values = [read.get(name) for name in (*code.co_names, *code.co_freevars)]
        spaces = [own, *(vars(value) for value in values if isinstance(value, ModuleType))]
        found = {str(space.get("__name__")).partition(".")[0] for space in spaces} & OTHER_ENGINES
        if found:
            library = found.pop().removesuffix("lib")
            raise UnsupportedError(
                f"{library} does not take what is differentiated here: {error}",
                hint=f"write the function with NumPy, or differentiate it by {library}",
            ) from error
        frame = frame.tb_next


def _gradients(output: Any, tracked: list[Any], nested: bool) -> Sequence[Any]:
    if not isinstance(output, Tensor) or not output.requires_grad:
        return [None] * len(tracked)
    return exact_grad(output, tracked, create_graph=nested)
