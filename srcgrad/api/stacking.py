"""Runs a derivative once for many seeds, where its text can carry a stack of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.paths import NewBranchError
from srcgrad.api.planning import AnyPlan, Plans
from srcgrad.api.policy import USUAL, Policy
from srcgrad.api.structures import float_leaves, leaves_as_in, mapped
from srcgrad.errors import UnsupportedError
from srcgrad.insight.switch import CHECKS
from srcgrad.runtime.stacks import (
    CannotStackError,
    Stack,
    Units,
    puts_off,
    refusals,
    writes_in_place,
)
from srcgrad.tape import Tensor, in_another_call

_NUMBERS_AT_ONCE: Final = 2**24


class StackedPlans(Plans[AnyPlan]):
    """The plans of one function's derivative that take stacks."""

    def __init__(
        self, primal: Callable[..., Any], make: Callable[..., AnyPlan], policy: Policy = USUAL
    ) -> None:
        super().__init__(primal, self._made, policy)
        self._make_any = make
        self._refused: dict[bool, Any] = {}

    def plan(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> AnyPlan:
        """Return the plan for the program as it is now.

        Raises:
            CannotStackError: The text cannot carry stacks.
        """
        if in_another_call():
            raise CannotStackError("tensors")
        if CHECKS.nans:
            raise CannotStackError("values are looked at seed by seed")
        try:
            plan = self.current(arguments, keep_complex=keep_complex)
        except UnsupportedError as refusal:
            raise CannotStackError(str(refusal)) from refusal
        if plan.records or tensors_of(dict(arguments)):
            raise CannotStackError("tensors")
        return plan

    def _made(
        self, function: FunctionType, *, keep_complex: bool, given: Mapping[str, Any]
    ) -> AnyPlan:
        if self._refused.get(keep_complex) is function.__code__:
            raise CannotStackError("refused before")
        try:
            plan = self._make_any(function, keep_complex=keep_complex, stacks=True, given=given)
        except (UnsupportedError, CannotStackError) as refusal:
            self._refused[keep_complex] = function.__code__
            raise CannotStackError(str(refusal)) from refusal
        plan.in_place = writes_in_place(plan.generated.source)
        return plan

    def run(self, plan: Any, function: Callable[..., Any], *args: Any) -> Any:
        """Call a generated function of a plan with stacks.

        Raises:
            CannotStackError: It cannot go on with stacks, or the program caught that it cannot.
        """
        before, outer = refusals.count, puts_off.on
        puts_off.on = not plan.in_place
        try:
            result = function(*args)
        except (CannotStackError, NewBranchError):
            raise
        except Exception as error:  # what is wrong is said seed by seed
            raise CannotStackError(str(error)) from error
        finally:
            puts_off.on = outer
        if refusals.count != before:
            raise CannotStackError("a refusal was swallowed")
        return result


def count_of(value: Any) -> int:
    """Return how many numbers there are in the float leaves of a value."""
    if type(value) is np.ndarray:
        return value.size if value.dtype.kind in "fc" else 0
    return sum(int(np.size(leaf)) for leaf in float_leaves(value))


def seeds_at_once(wanted: int, numbers: int) -> int:
    """Return how many seeds to carry in one run of a program of about so many numbers."""
    return max(1, min(wanted, max(8, _NUMBERS_AT_ONCE // max(1, numbers))))


def stack_of(value: Any, seeds: Any, *, units: bool = False) -> Any:
    """Return a container like `value` of stacks, from a matrix with a seed in each row.

    `units` says that it is the identity.

    Raises:
        CannotStackError: It is a value of a call on the tape.
    """
    end = 0
    if in_another_call():
        raise CannotStackError("tensors")

    def fill(leaf: Any) -> Any:
        nonlocal end
        start, end = end, end + int(np.size(leaf))
        rows = np.array(seeds[:, start:end], dtype=np.result_type(leaf))
        if units and rows.shape == seeds.shape and np.ndim(leaf) == 1:
            return Units(rows, is_array=True)
        shape = (len(rows), *np.shape(leaf))
        return Stack(rows.reshape(shape), is_array=isinstance(leaf, np.ndarray))

    return mapped(fill, value, still)


def seed_of(value: Any, seed: Any) -> Any:
    """Return a container like `value` with the numbers of a vector."""
    end = 0

    def fill(leaf: Any) -> Any:
        nonlocal end
        start, end = end, end + int(np.size(leaf))
        part = seed[start:end]
        if isinstance(leaf, (np.ndarray, Tensor)):
            return np.array(part, dtype=leaf.dtype).reshape(leaf.shape)
        return type(leaf)(part[0])

    return mapped(fill, value, still)


def still(leaf: Any) -> Any:
    """Return the tangent of what has no seed: zero for numbers and bools, None for the rest."""
    if isinstance(leaf, np.ndarray):
        return np.zeros(leaf.shape) if leaf.dtype.kind in "biu" else None
    return 0.0 if isinstance(leaf, (int, np.integer, np.bool_)) else None


def rows_in(value: Any, derivative: Any, count: int) -> list[Any]:
    """Return, for each float leaf of a value, the rows of its derivatives as one array."""
    done: list[Any] = []
    for leaf, item in zip(float_leaves(value), leaves_as_in(value, derivative), strict=True):
        if isinstance(item, Stack):
            done.append(item.rows)
        else:
            done.append(np.broadcast_to(item, (count, *np.shape(leaf))))
    return done
