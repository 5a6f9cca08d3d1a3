"""Checks at a few examples that a loss is the sum, or the mean, over its examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srcgrad.api.refusal import describe
from srcgrad.api.structures import copied, float_leaves, split
from srcgrad.api.surroundings import Surroundings
from srcgrad.distributed.parts import cut, length_of
from srcgrad.errors import ArgumentError

_EXAMPLES: Final = 3
Values = tuple[float, float, float, float]


def check_additive(
    loss: Callable[..., Any],
    call: Callable[[Mapping[str, Any]], Any],
    arguments: Mapping[str, Any],
    over: Sequence[str],
    *,
    is_mean: bool,
    has_aux: bool,
) -> None:
    """Raise if the loss of a few examples is not put together from those of fewer.

    It is left alone where it cannot be asked: with less than two examples, if it fails at so few,
    or if it draws random numbers, so that two calls differ.

    Args:
        loss: The user's function.
        call: Calls it with arguments by name.
        arguments: Those of a call.
        over: Which of them are split.
        is_mean: Whether it is to be the mean over its examples, not their sum.
        has_aux: Whether it returns something beside the value.

    Raises:
        ArgumentError: It is neither.
    """
    count = min(_EXAMPLES, length_of(arguments[over[0]], over[0]))
    if count < 2:
        return

    def at(start: int, stop: int) -> float:
        given = {
            name: cut(value, start, stop) if name in over else value
            for name, value in arguments.items()
        }
        return float(split(call(copied(given)), has_aux=has_aux)[0])

    with Surroundings(loss).kept():
        try:
            values = at(0, count), at(0, count), at(0, 1), at(1, count)
        except Exception:  # noqa: BLE001 - it may need more examples; the call itself will tell
            return
    if is_mean:
        expected = values[2] / count + values[3] * (count - 1) / count
    else:
        expected = values[2] + values[3]
    if values[0] != values[1] or not np.all(np.isfinite(values)):
        return
    kinds = [np.asarray(leaf).dtype for leaf in float_leaves(arguments)]
    coarsest = max((np.finfo(kind).eps for kind in kinds), default=np.finfo(float).eps)
    if abs(values[0] - expected) <= float(np.cbrt(coarsest)) * (abs(values[2]) + abs(values[3])):
        return
    raise _not_additive(loss, count, values, is_mean=is_mean)


def _not_additive(
    loss: Callable[..., Any], count: int, values: Values, *, is_mean: bool
) -> ArgumentError:
    kind, other = ("mean", "sum") if is_mean else ("sum", "mean")
    return ArgumentError(
        f"`{describe(loss)}` is not the {kind} over its examples: it is {values[0]:.6g} for the "
        f"first {count}, {values[2]:.6g} for the first and {values[3]:.6g} for the rest of them",
        hint=f'for a {other}, say reduction="{other}"; a term that does not belong to the examples '
        "(a penalty on weights) is counted once for each part of a sum: add it outside, or "
        "return a mean; check=False leaves this check out",
    )
