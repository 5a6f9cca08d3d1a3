"""Makes the texts of a gradient for the forms that arguments may have: their shapes and kinds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from srcgrad.api.plan import Plan
from srcgrad.api.proofs import Comparing, prove, settle_if_it_keeps_data
from srcgrad.api.seeing import Seen, gains_from_shapes, is_long, seen_of
from srcgrad.api.selection import Selection
from srcgrad.api.sharing import KindsOfArrays, kinds_of_arrays
from srcgrad.api.values import is_complex
from srcgrad.compiler import OneProgram, one_program
from srcgrad.errors import MutationError, NotProvenError, UnsupportedError
from srcgrad.locks import Lock


class Forms:
    """The plans of a gradient, one for each form of arguments that has come."""

    _function: Any
    _selection: Selection
    _plan: Plan | None
    _last: dict[str, Any]
    _twins: dict[tuple[str, Any], Plan]
    _lock: Lock
    _make_plan: Callable[..., Plan]
    _subject: Callable[..., Any]
    _refuse: Callable[[UnsupportedError], None]
    _numbers: Callable[..., Comparing]
    _proven: Callable[..., Plan | None]

    def _plainer(self, kind: str, plan: Plan, *call: Any, **options: Any) -> Plan | None:
        """Return a twin that takes for granted only what is an array, if any is written into."""
        return self._or_refused(lambda: self._made_plainer(kind, plan, *call, **options))

    def _made_plainer(self, kind: str, plan: Plan, *call: Any, **options: Any) -> Plan:
        bound = self._selection.bound(*call)
        if not plan.generated.written:
            try:
                return self._made_twin(kind, assume=False, **options)
            except MutationError:  # what is computed of arrays and written may have to have axes
                pass
        return self._made_of_kinds(kind, kinds_of_arrays(bound), *call, **options)

    def _made_of_kinds(
        self, kind: str, arrays: KindsOfArrays, args: Any, kwargs: Any, **options: Any
    ) -> Plan:
        """Return a twin for arguments of such kinds, and if need be for what they hold, too."""
        try:
            return self._made_twin(kind, assume=False, arrays=arrays, **options)
        except MutationError:
            twin = self._made_twin(f"{kind} held", arrays=arrays, **options)
            if not twin.fits(args, kwargs):
                raise
            return twin

    def _twin(
        self, kind: str, *, problem: MutationError | None = None, **options: Any
    ) -> Plan | None:
        """Return a twin, compiled at its first use; None if it is refused (as `problem`)."""
        return self._or_refused(lambda: self._made_twin(kind, **options), problem)

    def _or_refused(
        self, make: Callable[[], Plan], problem: MutationError | None = None
    ) -> Plan | None:
        try:
            return make()
        except UnsupportedError as refusal:
            self._refuse(problem or refusal)
            return None

    def _made_twin(self, kind: str, **options: Any) -> Plan:
        """Return a twin for the functions, objects and flags of the last compilation."""
        key = (kind, options.get("arrays", frozenset()))
        twin = self._twins.get(key)
        current = twin is not None and twin.is_current(self._subject(options))
        if twin is None or not current or not twin.suits(self._last):
            with self._lock:
                twin = self._twins[key] = self._make_plan(**options)
        return twin

    def _closest(self, plan: Plan | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Return a plan for these arguments: for their shapes, if that makes its text plainer.

        `plan` is the one for all arguments, if it is made already. Nearly all texts are plainer for
        shapes, so that it is not made otherwise until arguments of other shapes come.
        """
        if plan is None and (is_complex((args, kwargs)) or is_long(self._function)):
            plan = self._make_plan()
        if plan is not None and not self._gains(plan, args, kwargs):
            return plan
        try:
            closer = self._make_plan(seen=seen_of(self._selection.bound(args, kwargs)))
        except NotProvenError:
            raise  # the wider text is made by the same steps
        except (UnsupportedError, TypeError):
            return plan or self._make_plan()  # a call that does not bind says so itself
        if not closer.fits(args, kwargs):
            return plan or self._make_plan()
        if plan is not None:
            settle_if_it_keeps_data(plan)
            closer.wider = plan
        return closer

    def _gains(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return gains_from_shapes(plan.generated) and not is_complex((args, kwargs))

    def _of_shapes(self, seen: Seen, program: OneProgram, args: Any, kwargs: Any) -> Plan | None:
        """Return a plan that relies on the shapes of arguments; None if that does not help."""
        with self._lock:
            try:
                with one_program(program):
                    plan = self._make_plan(seen=seen)
            except UnsupportedError:
                return None
            if not plan.fits(args, kwargs):
                return None
            prove(plan, self._numbers(args, kwargs))
            self._plan = plan
            return plan

    def _of_kinds(self, kinds: Any, program: OneProgram, args: Any, kwargs: Any) -> Plan:
        """Return a plan that relies on the kinds of arrays."""
        with one_program(program):
            return self._made_of_kinds("wide", kinds, args, kwargs)

    def _wider(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan | None:
        """Return the plan for arguments that do not fit one."""
        wider = plan.wider
        if wider is None and "seen" in plan.options:
            with suppress(UnsupportedError):  # those of all kinds may not be, for what they hold
                wider = plan.wider = self._make_plan()
        if wider is None or not wider.is_current(self._subject()) or not wider.fits(args, kwargs):
            keep = plan.generated.keep_complex
            wider = self._plainer("wide", plan, args, kwargs, keep_complex=keep)
        return self._proven(wider, args, kwargs)
