"""Reads gradients, whose texts are those of the plans that they run."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping
from inspect import BoundArguments, Parameter
from typing import Any, Generic

from srcgrad.api.exporting import Exported
from srcgrad.api.insights import Call, subject_of
from srcgrad.api.looks import P, R_co
from srcgrad.api.plan import Plan
from srcgrad.api.reading import Asked, Reading
from srcgrad.api.refusal import describe
from srcgrad.api.structures import copied
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.insight.explanation import Subject
from srcgrad.runtime.objects import may_be_static


class GradientReading(Reading, Generic[P, R_co]):
    """What a gradient says of itself, given how it is compiled."""

    _function: Callable[..., Any]
    _owner: Any
    _options: tuple[Any, ...]
    _is_method: bool
    _value: bool
    _last: dict[str, Any]
    _make_plan: Callable[..., Plan]

    @abstractmethod
    def plan_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Return the plan that a call would run."""

    @abstractmethod
    def _strict(self) -> Any:
        """Return the same gradient, with errors for warnings and with plans of its own."""

    @abstractmethod
    def conformed(self, result: Any, arguments: Any) -> Any:
        """Return what the generated function returned in the structure that a call gives."""

    @property
    def gives_value(self) -> bool:
        """Whether the value is returned too, before the gradient."""
        return self._value

    def plan(self, asked: Asked | None = None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for a call if one is asked about."""
        made: Plan = self._strict().made(asked, stages)
        return made

    def made(self, asked: Asked | None, stages: Stages | None) -> Plan:
        """Return the plan of a call, which is then that of this gradient."""
        if asked is None:
            return self._make_plan(stages=stages)
        plan = self.plan_for(asked.args, asked.kwargs)
        return plan if stages is None else self._make_plan(stages=stages, **plan.options)

    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        args = (self._owner, *args) if self._is_method else args
        return Asked(args, kwargs, self._selection.bound(args, kwargs))

    def _about(self, asked: Asked | None) -> Subject:
        del asked
        mode = "value_and_grad" if self._value else "grad"
        if hasattr(self.primal, "__srcgrad_taken__"):
            mode += " of a derivative"
        return subject_of(self._function, mode, self.names)

    def _call(self, plan: Plan, asked: Asked) -> Call:
        del plan
        return asked.args, asked.kwargs

    def _run_primal(self, asked: Asked) -> Any:
        return self._function(*copied(asked.args), **copied(asked.kwargs))

    def _answer(self, result: Any, asked: Asked) -> Any:
        return self.conformed(result, asked.arguments)

    def _keeps(self, plan: Plan) -> bool:
        del plan
        return True

    def for_export(self, call: BoundArguments | None) -> Exported:
        """Return a plan made for one call, or for all arguments, and the functions it is made for.

        What was called before has no part in it.
        """
        plan, known = self._strict().plan_and_known(call)
        return Exported(plan, given={name: known[name] for name in plan.given if name in known})

    def plan_and_known(self, call: BoundArguments | None) -> tuple[Plan, Mapping[str, Any]]:
        """Return the plan of one call or of all, which is then that of this gradient."""
        if call is not None:
            return self.plan_for(call.args, call.kwargs), self._last
        parameters = self._selection.signature.parameters
        known = {name: item.default for name, item in parameters.items()}
        known |= dict.fromkeys([*parameters][: self._is_method], self._owner)
        empty = Parameter.empty
        self._last = {k: v for k, v in known.items() if v is not empty and may_be_static(v)}
        try:
            return self._make_plan(assume=False), self._last
        except UnsupportedError:  # it may be differentiated under conditions
            return self._make_plan(), self._last

    def __repr__(self) -> str:
        kind = "value_and_grad" if self._value else "grad"
        return f"<srcgrad.{kind} of {describe(self.primal)}>"

    def __reduce__(self) -> Any:
        """Pickle by name if the gradient stands under the function's own name, else by parts."""
        module = sys.modules.get(getattr(self.primal, "__module__", ""), None)
        found: Any = module
        for part in describe(self.primal).split("."):
            found = getattr(found, part, None)
        if found is self:
            return describe(self.primal)
        return type(self), (self.primal, *self._options)
