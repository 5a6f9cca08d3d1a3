"""Calls derivatives with tensors: what comes back belongs to their graph, or the call is refused.

A generated text is made for arrays. Run on tensors, it would be cut off from their graph wherever
it makes an array and writes into that; so the whole call is recorded on the tape.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, Final, TypeVar, cast

import numpy as np

from srcgrad.api.labels import refuse_labels
from srcgrad.api.structures import mapped
from srcgrad.api.values import is_complex
from srcgrad.runtime.containers import within
from srcgrad.tape import Tensor, call_strictly, in_another_call, is_grad_enabled, tensor, unwrapped
from srcgrad.tape.modes import STATE
from srcgrad.tape.pynumbers import PythonFloat
from srcgrad.tape.userspace import reached_by

F = TypeVar("F", bound=Callable[..., Any])
_NONE_IN_THEM: Final = frozenset((np.ndarray, float, int, bool, str, type(None), np.float64))


def is_plain_call(args: Iterable[Any]) -> bool:
    """Say whether arguments are of kinds that hold no tensors; at once, for the usual calls.

    >>> is_plain_call((np.ones(3), 2.0)), is_plain_call(([1.0],))
    (True, False)
    """
    return _NONE_IN_THEM.issuperset(map(type, args))


def tensors_of(value: Any) -> list[Any]:
    """Return the tensors in nested containers and objects."""
    return [item for item in within(value) if isinstance(item, Tensor)]


def takes_tensors(derivative: F) -> F:
    """Return a function that takes derivatives and may be given tensors, outside of the tape.

    Called with tensors that require a gradient, it gives what belongs to their graph; with others,
    tensors in the place of arrays.
    """

    @functools.wraps(derivative)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if is_plain_call(given) or in_another_call():
            return derivative(*args, **kwargs)
        refuse_labels(given)
        for value in given:
            if type(value) not in _NONE_IN_THEM and not isinstance(value, FunctionType):
                is_complex(value)  # it refuses what calculates otherwise
        if not (found := tensors_of(given)):
            return derivative(*args, **kwargs)
        return called_with(derivative, found, args, kwargs)

    return cast("F", call)


def reads_tensors(f: Callable[..., Any], values: Iterable[Any]) -> bool:
    """Say whether a function may find tensors that require a gradient, in itself or in `values`.

    A derivative of it belongs to their graph then.
    """
    return not in_another_call() and is_grad_enabled() and reached_by(f, *values).records


def called_with(
    derivative: Callable[..., Any], found: list[Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    """Call a function that takes derivatives with arguments in which the tensors `found` are."""
    if is_grad_enabled() and any(item.requires_grad or _is_dual(item) for item in found):
        return _outside(call_strictly(derivative, *args, **kwargs))
    return _with_tensors(derivative(*unwrapped(args), **unwrapped(kwargs)))


def _outside(result: Any) -> Any:
    """Return a result whose numbers divide and fail as tensors do, no more as Python's."""
    if isinstance(result, PythonFloat):
        return result.clone()
    return tuple(map(_outside, result)) if type(result) is tuple else result


def _is_dual(item: Any) -> bool:
    level = STATE.dual_level
    return level is not None and level.tangent_of(item) is not None


def _with_tensors(result: Any) -> Any:
    """Return a result with tensors for its floats; the result of a pullback in it likewise."""
    return mapped(tensor, result, _pulling)


def _pulling(leaf: Any) -> Any:
    if not isinstance(leaf, FunctionType):
        return leaf

    def pulled(adjoint: Any) -> Any:
        return _with_tensors(leaf(unwrapped(adjoint)))

    return pulled
