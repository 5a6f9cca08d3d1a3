"""Keeps the plans of one function's derivative, and finds the one that holds for a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.plan import Plan
from srcgrad.api.refusal import lists_joined, warn_of
from srcgrad.api.underlying import to_differentiate
from srcgrad.errors import UnsupportedError
from srcgrad.tape import in_another_call

AnyPlan = TypeVar("AnyPlan", bound=Plan)


class Plans(Generic[AnyPlan]):
    """The plans of one function's derivative: one for real numbers, one for complex ones.

    Attributes:
        primal: The user's function.
    """

    def __init__(self, primal: Callable[..., Any], make: Callable[..., AnyPlan]) -> None:
        self.primal = primal
        self._make = make
        self._kept: dict[bool, AnyPlan] = {}
        self._warned = False

    def current(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> AnyPlan:
        """Return the plan for the program as it is now.

        Raises:
            UnsupportedError: The function is not differentiated by source for these arguments.
        """
        if hasattr(self.primal, "refuse_containers"):
            self.primal.refuse_containers(arguments)
        function = to_differentiate(self.primal, keep_complex=keep_complex)
        plan = self._kept.get(keep_complex)
        if plan is None or not plan.is_current(function) or not plan.suits(arguments):
            plan = self._kept[keep_complex] = self._make(function, keep_complex=keep_complex)
        if plan.joins_lists(arguments):
            raise lists_joined(function)
        return plan

    def still(self) -> AnyPlan | None:
        """Return the plan of an earlier call with real arguments, if it holds for any of its kinds.

        The kinds of arguments are those of `srcgrad.api.kinds`.
        """
        plan = self._kept.get(False)
        if plan is None or plan.generated.assumptions or plan.records or in_another_call():
            return None
        try:
            return plan if plan.is_current(to_differentiate(self.primal)) else None
        except UnsupportedError:
            return None

    def or_tape(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> AnyPlan | None:
        """Return the same, or None if the tape takes over, of which the first refusal warns."""
        if in_another_call():
            return None
        try:
            plan = self.current(arguments, keep_complex=keep_complex)
            return None if plan.records or tensors_of(dict(arguments)) else plan
        except UnsupportedError as refusal:
            if not self._warned:
                self._warned = True
                warn_of(refusal, self.primal)
            return None
