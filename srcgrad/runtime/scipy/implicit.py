"""Calculates derivatives of solutions by what they solve: the theorem of implicit functions.

Where ``func(x, *args) == 0`` says what a solver finds, ``dx = -(df/dx)^-1 df/da da``, whatever way
the solver went (Krantz and Parks, The Implicit Function Theorem, 2013). The tape differentiates
`func`; called with tensors itself, it is differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime import on_tape, zeros_like
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.scipy.boxes import free_part

_MOST_AWAY: Final = 1e-3
"""The longest step of Newton's method that a solution may be away from the exact one."""


class _Linearised(NamedTuple):
    """A function at one point: its value, its slopes in x, and its pullback."""

    value: Any
    slopes: Any
    pullback: Callable[[Any], tuple[Any, ...]]
    rows: list[tuple[Any, ...]]


def root_back(grad: Any, func: Any, x: Any, args: Any, bounds: Any = None) -> Any:
    """Return the gradients of `args` of an x with ``func(x, *args) == 0``.

    What lies at one of its `bounds` is held there.
    """
    if _on_outer_tape(x, grad, args):
        return _adjoint_of_args(grad, func, x, args, bounds)
    return plain_parts(_adjoint_of_args(grad, func, x, args, bounds), args)


def _on_outer_tape(x: Any, grad: Any, args: Any) -> bool:
    return records(x) or records(grad) or _any_records(args)


def _any_records(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_any_records, value.values()))
    return any(map(_any_records, value)) if isinstance(value, (tuple, list)) else records(value)


def _adjoint_of_args(grad: Any, func: Any, x: Any, args: Any, bounds: Any) -> Any:
    handed = handed_on(args)
    value, slopes, pullback, _ = _linearised(func, x, handed)
    free = _checked(x, value, slopes, bounds)
    right = -np.reshape(grad, np.size(x))
    if free is not None:
        slopes = np.where(np.outer(free, free), slopes, np.eye(np.size(x)))
        right = np.where(free, right, 0.0)
    weights = _solved(slopes.T, right)
    parts = pullback(np.reshape(weights, np.shape(value)))[1:]
    return parts if isinstance(args, tuple) else parts[0]


def root_push(func: Any, x: Any, args: Any, tangents: Any, bounds: Any = None) -> Any:
    """Return the tangent of an x with ``func(x, *args) == 0``, given those of `args`."""
    handed, given = handed_on(args), as_tuple(tangents)
    value, slopes, _, rows = _linearised(func, x, handed)
    free = _checked(x, value, slopes, bounds)
    change = np.array([along(row[1:], given) for row in rows])
    if free is not None:
        slopes = np.where(np.outer(free, free), slopes, np.eye(np.size(x)))
        change = np.where(free, change, 0.0)
    found = np.reshape(_solved(np.conj(slopes), -change), np.shape(x))
    return found if isinstance(x, np.ndarray) else found[()]


def along(slopes: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the sum of slopes times tangents, of those that there are."""
    return sum((np.sum(np.conj(s) * t) for s, t in _leaves_of_both(slopes, tangents)), start=0.0)


def _leaves_of_both(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the leaves of two structures that lie at the same places, where both have one."""
    if first is None or second is None:
        return
    if isinstance(second, dict):
        pairs: Any = ((first[key], second[key]) for key in second)
    elif isinstance(second, (tuple, list)):
        pairs = zip(first, second, strict=True)
    else:
        yield first, second
        return
    for one, other in pairs:
        yield from _leaves_of_both(one, other)


def pulled_back(function: Any, seeds: Sequence[Any], *operands: Any) -> Any:
    """Return the adjoints of the operands of a function, given those of its several results."""
    count = len(seeds)

    def contracted(*given: Any) -> Any:
        return along(given[:count], as_tuple(function(*given[count:])))

    active = tuple(is_active(item) for item in operands)
    if all(seed is None for seed in seeds) or not any(active):
        return tuple(None for _ in operands)
    # the seeds are given rather than closed over, so that a tape around this one sees them
    _, pullback = on_tape(contracted, ((False,) * count) + active, *seeds, *operands)
    found = pullback(1.0)
    parts = iter(found if sum(active) > 1 else (found,))
    return tuple(next(parts) if flag else None for flag in active)


def pushedalong(function: Any, tangents: Sequence[Any], *operands: Any) -> Any:
    """Return the tangents of the several results of a function, given those of its operands.

    The adjoints of the operands are linear in those of the results: so differentiating them by
    those gives the tangents (Townsend, A new trick for calculating Jacobian vector products, 2017).
    """
    results = as_tuple(function(*operands))

    def transposed(*seeds: Any) -> Any:
        adjoints = pulled_back(function, seeds, *operands)
        return _paired(adjoints, tangents)

    _, pullback = on_tape(transposed, (True,) * len(results), *map(zeros_like, results))
    found = pullback(1.0)
    return found if len(results) > 1 else (found,)


def _paired(adjoints: Any, tangents: Any) -> Any:
    total: Any = 0.0
    for adjoint, tangent in _leaves_of_both(adjoints, tangents):
        total = total + np.sum(adjoint * tangent)
    return total


def handed_on(args: Any) -> tuple[Any, ...]:
    """Return what SciPy hands on: a tuple, or the one thing that was given instead."""
    return args if isinstance(args, tuple) else (args,)


def refuse_containers(handed: tuple[Any, ...], kinds: tuple[type, ...]) -> None:
    """Refuse containers of floats among what SciPy hands on, whose parts would lie in a vector.

    Raises:
        NotDifferentiableError: There is one.
    """
    for item in handed:
        if isinstance(item, kinds) and is_active(item):
            raise NotDifferentiableError(
                f"a {type(item).__name__} that is handed on to the function has no derivative here",
                hint="hand on its numbers one by one: args=(a, b)",
            )


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return several values, or one alone, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def is_active(value: Any) -> bool:
    """Say whether a number or array is one of floats, or a container holds one."""
    if isinstance(value, dict):
        return any(map(is_active, value.values()))
    if isinstance(value, (tuple, list)):
        return any(map(is_active, value))
    if isinstance(value, (float, complex)):
        return True
    return getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def array_of(func: Any) -> Any:
    """Return a function that returns an array, whatever list or tuple `func` returns."""

    def stacked(*args: Any) -> Any:
        value = func(*args)
        return np.stack(value) if isinstance(value, (list, tuple)) else value

    return stacked


def number_of(func: Any) -> Any:
    """Return a function that may return its gradient too, as with ``jac=True``, without that."""

    def number(*args: Any) -> Any:
        value = func(*args)
        return value[0] if isinstance(value, tuple) else value

    return number


def plain_parts(parts: Any, args: Any) -> Any:
    """Return gradients as plain numbers where the arguments are numbers."""
    if isinstance(parts, (tuple, list)):
        return tuple(_plain_part(p, a) for p, a in zip(parts, as_tuple(args), strict=True))
    return _plain_part(parts, args)


def _plain_part(part: Any, arg: Any) -> Any:
    """Return the gradient of one argument; of what a container holds and nothing uses zeros."""
    if part is None or isinstance(arg, np.ndarray):
        return part
    if isinstance(arg, dict):
        return {key: _part_held(part[key], arg[key]) for key in arg}
    if isinstance(arg, (tuple, list)):
        return [_part_held(p, a) for p, a in zip(part, arg, strict=True)]
    return np.asarray(part)[()]


def _part_held(part: Any, arg: Any) -> Any:
    return zeros_like(arg) if part is None else _plain_part(part, arg)


def _linearised(func: Any, x: Any, args: tuple[Any, ...]) -> _Linearised:
    """Return the value of ``func(x, *args)`` and all of its slopes."""
    active = tuple(is_active(item) for item in args)
    value, pull = on_tape(array_of(func), (True, *active), x, *args)
    size = np.size(x)
    if np.size(value) != size:
        raise NotDifferentiableError(
            f"{np.size(value)} equations for {size} unknowns have no solution that depends on "
            "their arguments smoothly",
            hint="minimise the sum of their squares with scipy.optimize.least_squares",
        )

    def pullback(seed: Any) -> tuple[Any, ...]:
        found = iter(as_tuple(pull(seed)))
        return (next(found), *(next(found) if flag else None for flag in active))

    shape = np.shape(value)
    units = np.eye(size, dtype=np.result_type(_dtype_of(value), np.float32))
    rows = [pullback(np.reshape(unit, shape)) for unit in units]
    slopes = np.reshape(np.stack([row[0] for row in rows]), (size, size))
    return _Linearised(value, slopes, pullback, rows)


def _dtype_of(value: Any) -> Any:
    return getattr(value, "dtype", None) or np.asarray(value).dtype


def _checked(x: Any, value: Any, slopes: Any, bounds: Any) -> Any:
    """Return which unknowns are free, None for all; refuse what solves nothing."""
    if records(value) or records(slopes):  # as the outer call has been
        plain = (getattr(item, "_array", item) for item in (x, value, slopes))
        x, value, slopes = plain
    size = np.size(x)
    value = np.reshape(value, size)
    free = free_part(np.reshape(x, size), value, np.diagonal(slopes), bounds)
    if free is not None:
        slopes, value = slopes[np.ix_(free, free)], value[free]
    if not value.size:
        return free
    step = np.abs(_solved(np.conj(slopes), value))
    if not np.max(step) <= _MOST_AWAY * (1 + np.max(np.abs(x))):
        raise NotDifferentiableError(
            "the solver returned what solves nothing, so nothing tells what that depends on",
            hint="see its message, ask for a smaller tolerance, or start nearer",
        )
    return free


def _solved(matrix: Any, right: Any) -> Any:
    try:
        return np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise NotDifferentiableError(
            "there are other solutions as near as one likes, so that none of them depends on the "
            "arguments smoothly",
            hint="add an equation or a penalty that tells them apart",
        ) from None


def root_back_back(
    grads: Any, grad: Any, func: Any, x: Any, args: Any, bounds: Any
) -> tuple[Any, Any, Any]:
    """Return the adjoints of `grad`, `x` and `args` of `root_back`, given those of its results."""
    operands, function = _of_root_back(func, args, bounds)
    found = pulled_back(function, grads, grad, x, *operands)
    parts = plain_parts(found[2:], operands)
    return found[0], found[1], parts if isinstance(args, tuple) else parts[0]


def root_back_push(tangents: Any, grad: Any, func: Any, x: Any, args: Any, bounds: Any) -> Any:
    """Return the tangents of the results of `root_back`, given those of `grad`, `x`, `args`."""
    operands, function = _of_root_back(func, args, bounds)
    grad_dot, x_dot, args_dot = tangents
    given = tuple(None for _ in operands) if args_dot is None else as_tuple(args_dot)
    found = pushedalong(function, (grad_dot, x_dot, *given), grad, x, *operands)
    parts = plain_parts(found, operands)
    return parts if isinstance(args, tuple) else parts[0]


def _of_root_back(func: Any, args: Any, bounds: Any) -> tuple[tuple[Any, ...], Any]:
    handed = handed_on(args)
    return handed, lambda grad, x, *args: _adjoint_of_args(grad, func, x, args, bounds)


def value_back(grad: Any, func: Any, x: Any, args: Any) -> Any:
    """Return the gradients of `args` of ``func(x, *args)`` at a minimum, where x adds nothing."""
    return called_back(grad, number_of(func), x, args)[1]


def called_back(grad: Any, func: Any, x: Any, args: Any) -> tuple[Any, Any]:
    """Return the gradients of `x` and of `args` of ``func(x, *args)``."""
    grad_x, *parts = _adjoint_of_call(grad, func, x, *handed_on(args))
    if not _on_outer_tape(x, grad, args):
        parts = list(plain_parts(parts, handed_on(args)))
    return grad_x, tuple(parts) if isinstance(args, tuple) else parts[0]


def _adjoint_of_call(grad: Any, func: Any, x: Any, *args: Any) -> tuple[Any, ...]:
    active = tuple(is_active(item) for item in args)
    value, pullback = on_tape(array_of(func), (True, *active), x, *args)
    found = iter(as_tuple(pullback(np.reshape(grad, np.shape(value)))))
    return (next(found), *(next(found) if flag else None for flag in active))


def value_push(func: Any, x: Any, args: Any, tangents: Any) -> Any:
    """Return the tangent of ``func(x, *args)`` at a minimum, given those of `args`."""
    found = _adjoint_of_call(1.0, number_of(func), x, *handed_on(args))
    return along(found[1:], as_tuple(tangents))


def called_push(func: Any, x: Any, args: Any, x_dot: Any, args_dot: Any) -> Any:
    """Return the tangent of ``func(x, *args)``, given those of `x` and `args`."""
    operands = handed_on(args)
    given = tuple(None for _ in operands) if args_dot is None else as_tuple(args_dot)
    (found,) = pushedalong(array_of(func), (x_dot, *given), x, *operands)
    return found


def value_back_back(grads: Any, grad: Any, func: Any, x: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the adjoints of `grad`, `x` and `args` of `value_back`."""
    operands = handed_on(args)
    found = pulled_back(_parts_of_value(func), grads, grad, x, *operands)
    parts = plain_parts(found[2:], operands)
    return found[0], found[1], parts if isinstance(args, tuple) else parts[0]


def value_back_push(tangents: Any, grad: Any, func: Any, x: Any, args: Any) -> Any:
    """Return the tangents of the results of `value_back`."""
    operands = handed_on(args)
    grad_dot, x_dot, args_dot = tangents
    given = tuple(None for _ in operands) if args_dot is None else as_tuple(args_dot)
    found = pushedalong(_parts_of_value(func), (grad_dot, x_dot, *given), grad, x, *operands)
    parts = plain_parts(found, operands)
    return parts if isinstance(args, tuple) else parts[0]


def _parts_of_value(func: Any) -> Any:
    return lambda grad, x, *args: _adjoint_of_call(grad, number_of(func), x, *args)[1:]
