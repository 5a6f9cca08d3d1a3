"""Reads derivatives that are no gradients, whose texts are made by the same makers as they run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from inspect import BoundArguments
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from srcgrad.api.exporting import Exported
from srcgrad.api.insights import Call, subject_of
from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.reading import Asked, Reading
from srcgrad.api.stacking import count_of, seed_of
from srcgrad.api.structures import copied
from srcgrad.api.underlying import bind, called, mode_of, owner, plain, to_differentiate
from srcgrad.api.values import is_complex
from srcgrad.compiler.stages import Stages
from srcgrad.exporting.request import Kind
from srcgrad.insight.explanation import Subject
from srcgrad.runtime.objects import may_be_static

Arguments = dict[str, Any]


class Maker(Protocol):
    """Makes the text of one derivative."""

    primal: Callable[..., Any]
    names: tuple[str, ...]

    def make_plan(
        self,
        function: FunctionType,
        *,
        keep_complex: bool,
        stages: Stages | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Any:
        """Compile it."""


class Made(Reading):
    """A product of derivatives or a Jacobian, given what makes its text."""

    @abstractmethod
    def maker(self, arguments: Arguments | None = None) -> Maker:
        """Return what makes the text, for the arguments of a call if some are given."""

    @abstractmethod
    def export_kind(self, arguments: Arguments | None) -> Kind:
        """Return as what it is exported."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """Which derivative it is, as the command line calls it."""

    def afresh(self) -> Any:
        """Return the same derivative, as if nothing had been called."""
        return self

    def plan(self, asked: Asked | None = None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for a call if one is asked about."""
        return self.plan_of(None if asked is None else asked.arguments, stages)

    def plan_of(self, arguments: Arguments | None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for arguments if some are given."""
        maker = self.maker(arguments)
        keep_complex = any(map(is_complex, (arguments or {}).values()))
        function = to_differentiate(maker.primal, keep_complex=keep_complex, arguments=arguments)
        given = {name: v for name, v in (arguments or {}).items() if may_be_static(v)}
        made: Plan = maker.make_plan(
            function, keep_complex=keep_complex, stages=stages, given=given
        )
        return made

    def for_export(self, call: BoundArguments | None) -> Exported:
        """Return what is to be exported, for a call like the one given if one is."""
        arguments: Arguments | None = None
        if call is not None:
            call.apply_defaults()
            own = len(owner(self.primal))
            arguments = bind(self.primal, call.args[own:], call.kwargs)
        fresh = self.afresh()
        kind = fresh.export_kind(arguments)
        inner = fresh.maker(arguments).primal
        return Exported(fresh.plan_of(arguments), kind, hasattr(inner, "__srcgrad_taken__"))

    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        own, tangents = self._apart(kwargs)
        return Asked(args, own, bind(self.primal, args, own), tangents)

    def _apart(self, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of a call by name, and the tangents by the names of arguments."""
        return dict(kwargs), {}

    def _about(self, asked: Asked | None) -> Subject:
        is_whole = self.kind in ("hessian", "hvp")  # these say themselves of what they are
        mode = self.kind if is_whole else mode_of(self.kind, self.primal)
        names = self.maker(None if asked is None else asked.arguments).names
        return subject_of(plain(self.primal), mode, names)

    def _call(self, plan: Plan, asked: Asked) -> Call:
        """Return the arguments of the generated function; tangents are ones if not given."""
        given = list(asked.arguments.values())
        if not isinstance(plan, HalvesPlan):
            for name in self.maker(asked.arguments).names:
                value = asked.arguments[name]
                given.append(asked.tangents.get(name, seed_of(value, np.ones(count_of(value)))))
        return tuple(given), {}

    def _run_primal(self, asked: Asked) -> Any:
        return called(self.primal, copied(asked.arguments))
