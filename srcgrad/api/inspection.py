"""Defines what can be read off a gradient beside its text: explanations, traces, exports."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from inspect import BoundArguments, Parameter
from os import PathLike
from pathlib import Path
from typing import Any, Generic

from srcgrad.api.exporting import Example, export_gradient
from srcgrad.api.insights import explained, refused, run_watched, subject_of
from srcgrad.api.looks import P, R_co
from srcgrad.api.plan import Plan
from srcgrad.api.refusal import describe
from srcgrad.api.reports import report_on
from srcgrad.api.selection import Selection
from srcgrad.api.structures import copied
from srcgrad.compiler.account import Account
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.insight.explanation import Explanation, Subject
from srcgrad.insight.trace import Trace, Tracer
from srcgrad.reporting.page import Report
from srcgrad.runtime.objects import may_be_static

_Call = tuple[tuple[Any, ...], dict[str, Any]]


class Inspection(ABC, Generic[P, R_co]):
    """What a gradient says of itself, given how it is compiled."""

    primal: Callable[..., Any]
    _function: Callable[..., Any]
    _owner: Any
    _options: tuple[Any, ...]
    _is_method: bool
    _value: bool
    _selection: Selection
    _last: dict[str, Any]
    _make_plan: Callable[..., Plan]
    plan_for: Callable[..., Plan]

    @abstractmethod
    def _strict(self) -> Any:
        """Return the same gradient, with errors for warnings and with plans of its own."""

    @abstractmethod
    def conformed(self, result: Any, arguments: Any) -> Any:
        """Return what the generated function returned in the structure that a call gives."""

    def _explained_as(self) -> Subject:
        mode = "value_and_grad" if self._value else "grad"
        if hasattr(self.primal, "__srcgrad_taken__"):
            mode += " of a derivative"
        return subject_of(self._function, mode, self._selection.names)

    def _own(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        return ((self._owner, *args) if self._is_method else args), kwargs

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Say what is differentiated, recorded and called, and why: print the result, or read it.

        Args:
            args: Arguments of a call, if what is kept is to be measured; the function runs once, on
                copies of them.
            kwargs: The same by name.
        """
        strict, subject, call = self._strict(), self._explained_as(), self._own(args, kwargs)
        asked = bool(args or kwargs)
        try:
            plan: Plan = strict.plan_for(*call) if asked else strict.ready_plan()
            remade = strict.remade(plan, Stages(account=Account()))
            return explained(subject, remade, call if asked else None)
        except UnsupportedError as refusal:
            return refused(subject, refusal)

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """Run once, on copies of the arguments, and return every value and every adjoint.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        call = self._own(args, kwargs)
        plan: Plan = self._strict().plan_for(*call)
        tracer = Tracer(plan.generated.lines)
        result = run_watched(plan, call, tracer)
        result = self.conformed(result, self._selection.bound(*call))
        return Trace(tuple(tracer.entries), result, tracer.entry)

    def report(self, path: str | Path, *args: Any, **kwargs: Any) -> Path:
        """Write a page of HTML that shows the function and its derivative side by side.

        Args:
            path: The file to write.
            args: Arguments of a call, if what each line costs is to be measured; the function and
                the derivative run several times, on copies of them.
            kwargs: The same by name.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        page = self._report(args, kwargs).page()
        Path(path).write_text(page, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        """Return both texts side by side, for a notebook."""
        try:
            return self._report((), {}).fragment()
        except UnsupportedError as refusal:
            return refused(self._explained_as(), refusal)._repr_html_()

    def _report(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
        strict, call = self._strict(), self._own(args, kwargs)
        asked = bool(args or kwargs)
        plan: Plan = strict.plan_for(*call) if asked else strict.ready_plan()
        stages = Stages(wanted=True, account=Account())
        remade = strict.remade(plan, stages)
        return report_on(
            self._explained_as(),
            remade,
            stages.texts,
            call if asked else None,
            lambda: self._function(*copied(call[0]), **copied(call[1])),
        )

    def export(
        self,
        path: str | PathLike[str] | None = None,
        *,
        example: Example | None = None,
        with_check: bool = False,
    ) -> str:
        """Return the gradient as a module that needs no srcgrad, and write it to `path`.

        Args:
            path: The file to write; None to write none.
            example: Arguments of a call (a dict for keywords): the text is the one for arguments
                like these. Without it the text takes nothing for granted, if there is such a one.
            with_check: Let the module, run as a program, compare its gradient at the example with
                differences.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
            ExportError: The text calls the tape, or reads what cannot be written out.
        """
        gradient: Any = self
        return export_gradient(gradient, path, example, with_check)

    def plan_to_export(self, call: BoundArguments | None) -> tuple[Plan, Mapping[str, Any]]:
        """Return a plan made for one call, or for all arguments, and the functions it is made for.

        What was called before has no part in it.
        """
        made: tuple[Plan, Mapping[str, Any]] = self._strict().plan_and_known(call)
        return made

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
