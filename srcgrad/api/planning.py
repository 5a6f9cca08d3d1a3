"""Keeps the plans of one function's derivative, and finds the one that holds for a call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

from srcgrad.api.elsewhere import library_for, placed, refuse_elsewhere
from srcgrad.api.fitting import whole_or_in_part
from srcgrad.api.flags import (
    containers_of,
    flags_of,
    made_for,
    settings_of,
)
from srcgrad.api.on_tensors import tensors_of
from srcgrad.api.plan import Plan
from srcgrad.api.policy import USUAL, Fall, Policy
from srcgrad.api.proofs import is_refuted, needs_look
from srcgrad.api.refusal import lists_joined, update_of_array
from srcgrad.api.sharing import KindsOfArrays, kinds_of_arrays, refuse_shared
from srcgrad.api.underlying import to_differentiate
from srcgrad.api.values import is_writable_array
from srcgrad.backends import NUMPY
from srcgrad.compiler import one_program
from srcgrad.errors import MutationError, UnsupportedError
from srcgrad.insight.switch import verifies
from srcgrad.ir.depth import deeply
from srcgrad.runtime.objects import may_be_static
from srcgrad.tape import in_another_call

_VERIFY_THERE: Final = "verify with arrays of NumPy: the text is the same"
_MOST_FLAGGED: Final = 8
"""Texts for flags beside the one for all, as many as options that a function may have."""
AnyPlan = TypeVar("AnyPlan", bound=Plan)


class Plans(Generic[AnyPlan]):
    """The plans of one function's derivative: one for real numbers, one for complex ones.

    Attributes:
        primal: The user's function.
        policy: How the derivative is taken.
    """

    def __init__(
        self,
        primal: Callable[..., Any],
        make: Callable[..., AnyPlan],
        policy: Policy = USUAL,
        *,
        writes: bool = False,
    ) -> None:
        self._writes = writes  # whether to ask `make` for texts that write into given arrays
        self.primal = primal
        self.policy = policy
        self._fall = Fall(policy, primal)
        self._make = deeply(make)
        self._kept: dict[bool, AnyPlan] = {}
        self._of_arrays: dict[tuple[bool, KindsOfArrays], AnyPlan] = {}
        self._of_flags: dict[tuple[bool, str], AnyPlan | None] = {}
        self.chosen: AnyPlan | None = None  # at the last call, whoever made it

    def current(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> AnyPlan:
        """Return the plan for the program as it is now.

        Raises:
            UnsupportedError: The function is not differentiated by source for these arguments.
        """
        self.chosen = None
        self.policy.refuse_text(self.primal)
        if hasattr(self.primal, "refuse_containers"):
            self.primal.refuse_containers(arguments)
        if hasattr(self.primal, "take_for_granted"):
            self.primal.take_for_granted(arguments)
        function = to_differentiate(self.primal, keep_complex=keep_complex, arguments=arguments)
        library_for(self.policy, lambda: arguments)  # arrays of several are refused first
        plan = self._kept.get(keep_complex)
        if (key := (keep_complex, _spelled(arguments))) in self._of_flags:
            plan = self._for_flags(key, function, arguments)
        elif plan is None or not plan.is_current(function) or not plan.suits(arguments):
            with one_program():  # its functions are looked into once for all that is tried
                plan = whole_or_in_part(
                    lambda: self._made_for(function, arguments, keep_complex=keep_complex)
                )
        if plan.generated.scalars and (arrays := plan.arrays(arguments)):
            of_arrays = self._for_arrays(function, arguments, keep_complex=keep_complex)
            if of_arrays is None or of_arrays.generated.scalars:
                raise update_of_array(min(arrays), function)
            plan = of_arrays
        if plan.written:
            refuse_shared(plan.generated, function, arguments)
        if plan.joins_lists(arguments):
            raise lists_joined(function)
        library = library_for(self.policy, lambda: {**plan.latest, **arguments})
        if library is not NUMPY and verifies(self.policy.verify):
            refuse_elsewhere("verify= compares derivatives", arguments.values(), _VERIFY_THERE)
        self.chosen = plan
        return placed(plan, library)

    def _made_for(
        self, function: FunctionType, arguments: Mapping[str, Any], *, keep_complex: bool
    ) -> AnyPlan:
        """Return a new plan for the program as it is now, and remember it."""

        def make(given: dict[str, Any]) -> AnyPlan:
            plan = self._make(function, keep_complex=keep_complex, given=given)
            if not all(is_writable_array(arguments[name]) for name in plan.arrays(arguments)):
                raise update_of_array(min(plan.generated.scalars), function)
            return plan

        given = {name: v for name, v in arguments.items() if may_be_static(v)}
        flags, containers = settings_of(function, arguments, given), containers_of(arguments)
        try:
            plan = self._kept[keep_complex] = made_for(make, function, given, flags, containers)
        except MutationError:  # what is written into may have to be an array
            found = self._for_arrays(function, arguments, keep_complex=keep_complex)
            if found is None:
                raise
            return found
        return plan

    def begin_for_flags(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> bool:
        """Let a text of its own be made for the flags of a call that has reached a part left out.

        False if there are no flags, or too many such calls, or if that text has stopped, too.
        """
        key = keep_complex, _spelled(arguments)
        if not key[1] or key in self._of_flags or len(self._of_flags) >= _MOST_FLAGGED:
            return False
        self._of_flags[key] = None
        return True

    def _for_flags(
        self, key: tuple[bool, str], function: FunctionType, arguments: Mapping[str, Any]
    ) -> AnyPlan:
        """Return the plan for the flags of a call, which settle the branches that ask for them."""
        plan = self._of_flags[key]
        if plan is None or not plan.is_current(function) or not plan.suits(arguments):
            given = {name: v for name, v in arguments.items() if may_be_static(v)}
            given = {**settings_of(function, arguments, given), **given}
            with one_program():
                plan = whole_or_in_part(
                    lambda: self._make(function, keep_complex=key[0], given=given)
                )
            self._of_flags[key] = plan
        return plan

    def _for_arrays(
        self, function: FunctionType, arguments: Mapping[str, Any], *, keep_complex: bool
    ) -> AnyPlan | None:
        """Return the plan that relies on which arguments are arrays; None if there are none."""
        arrays = kinds_of_arrays(arguments) if self._writes else frozenset()
        if not arrays:
            return None
        plan = self._of_arrays.get((keep_complex, arrays))
        if plan is None or not plan.is_current(function) or not plan.suits(arguments):
            make = functools.partial(self._make, function, keep_complex=keep_complex, arrays=arrays)
            given = {name: v for name, v in arguments.items() if may_be_static(v)}
            flags = settings_of(function, arguments, given)
            plan = made_for(lambda given: make(given=given), function, given, flags, {})
            self._of_arrays[keep_complex, arrays] = plan
        return plan

    def still(self) -> AnyPlan | None:
        """Return the plan of an earlier call with real arguments, if it holds for any of its kinds.

        The kinds of arguments are those of `srcgrad.api.kinds`.
        """
        plan = self._kept.get(False)
        if plan is None or in_another_call():
            return None
        if plan.generated.assumptions or plan.records or plan.generated.scalars or plan.written:
            return None
        if is_refuted(plan) or needs_look(plan):
            return None
        try:
            return plan if plan.is_current(to_differentiate(self.primal)) else None
        except UnsupportedError:
            return None

    def latest(self) -> AnyPlan | None:
        """Return the plan that ran last at real arguments, if there is one."""
        return self._kept.get(False)

    def or_tape(self, arguments: Mapping[str, Any], *, keep_complex: bool) -> AnyPlan | None:
        """Return the same, or None if the tape takes over, of which the first refusal may warn.

        Raises:
            UnsupportedError: It is refused, and the policy is to say so.
        """
        if in_another_call():
            return None
        try:
            plan = self.current(arguments, keep_complex=keep_complex)
            return None if plan.records or tensors_of(dict(arguments)) else plan
        except UnsupportedError as refusal:
            self._fall.back(refusal)
            return None

    def fall_back(self, refusal: UnsupportedError) -> None:
        """Raise a refusal, or warn of it once, as the policy says.

        Raises:
            UnsupportedError: The policy is to raise it.
        """
        self._fall.back(refusal)

    def to_numpy(self, refusal: UnsupportedError) -> None:
        """Say once that a text is not compiled, so that NumPy runs it, or raise that.

        Raises:
            UnsupportedError: The policy is to raise it.
        """
        self._fall.to_numpy(refusal)


def _spelled(arguments: Mapping[str, Any]) -> str:
    """Return the flags of a call as a text."""
    return ", ".join(f"{name}={value!r}" for name, value in sorted(flags_of(arguments, ()).items()))
