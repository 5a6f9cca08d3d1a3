"""Defines what can be read off every derivative: text, explanation, trace, report and export."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import BoundArguments
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.selection import Selection
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.later import later

if TYPE_CHECKING:
    from srcgrad.api import exporting, insights, reports
    from srcgrad.api.exporting import Example, Exported, Target
    from srcgrad.api.insights import Call
    from srcgrad.codegen import highlight
    from srcgrad.compiler import account
    from srcgrad.insight import trace as tracing
    from srcgrad.insight.explanation import Explanation, Subject
    from srcgrad.insight.trace import Trace
    from srcgrad.reporting.page import Report
else:
    exporting = later("srcgrad.api.exporting")
    insights = later("srcgrad.api.insights")
    reports = later("srcgrad.api.reports")
    highlight = later("srcgrad.codegen.highlight")
    account = later("srcgrad.compiler.account")
    tracing = later("srcgrad.insight.trace")


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that is asked about.

    Attributes:
        args, kwargs: The arguments of the function; a bound `self` is among them.
        arguments: All of them by name.
        tangents: What was given beside them, by the names of the arguments.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    arguments: dict[str, Any]
    tangents: Mapping[str, Any] = field(default_factory=dict)


class Reading(ABC):
    """What a derivative says of itself, given how its text is made.

    Attributes:
        primal: The user's function.
    """

    primal: Callable[..., Any]
    _selection: Selection
    _has_aux: bool

    # -- what each kind of derivative says of itself

    @abstractmethod
    def plan(self, asked: Asked | None = None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for a call if one is asked about."""

    @abstractmethod
    def for_export(self, call: BoundArguments | None) -> Exported:
        """Return what is to be exported, for a call like the one given if one is."""

    @abstractmethod
    def _asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        """Return the call that arguments make."""

    @abstractmethod
    def _about(self, asked: Asked | None) -> Subject:
        """Return what an explanation is about."""

    @abstractmethod
    def _call(self, plan: Plan, asked: Asked) -> Call:
        """Return the arguments of the generated function."""

    @abstractmethod
    def _run_primal(self, asked: Asked) -> Any:
        """Call the user's function on copies of the arguments."""

    def _answer(self, result: Any, asked: Asked) -> Any:
        """Return what the generated function returned as a call gives it."""
        del asked
        return result

    def _keeps(self, plan: Plan) -> bool:
        """Say whether a plan keeps values for a backward pass."""
        return isinstance(plan, HalvesPlan)

    # -- what it is of

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that derivatives are taken by."""
        return self._selection.names

    @property
    def single(self) -> bool:
        """Whether one parameter alone was asked for, so that its derivative is not in a tuple."""
        return self._selection.single

    @property
    def has_aux(self) -> bool:
        """Whether the function returns a pair, of which the first is differentiated."""
        return self._has_aux

    # -- text

    @property
    def source(self) -> str:
        """The text of the generated module; of several, the one that the last call used.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        return self.plan().generated.source

    def show(self) -> None:
        """Print the generated source, in colours if the output is a terminal."""
        sys.stdout.write(highlight.highlight(self.source))

    def stages(self) -> dict[str, str]:
        """Return the function's text after each pass of the compiler, by the name of the pass."""
        stages = Stages(wanted=True)
        plan = self.plan(stages=stages)
        return {**stages.texts, "source": plan.generated.source}

    # -- what it does

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Say what is differentiated, recorded and called, and why: print the result, or read it.

        Args:
            args: Arguments of a call, if what is kept is to be measured; the function runs once, on
                copies of them.
            kwargs: The same by name.
        """
        asked = self._asked(args, kwargs) if args or kwargs else None
        try:
            plan = self.plan(asked, Stages(account=account.Account()))
        except UnsupportedError as refusal:
            return insights.refused(self._about(asked), refusal)
        call = self._call(plan, asked) if asked is not None and self._keeps(plan) else None
        return insights.explained(self._about(asked), plan, call)

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """Run once, on copies of the arguments, and return every value and every derivative.

        Tangents that are not given, and the adjoint of a result that is no number, are ones.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        asked = self._asked(args, kwargs)
        plan = self.plan(asked)
        tracer = tracing.Tracer(plan.generated.lines, pushes=not self._keeps(plan))
        result = insights.run_watched(plan, self._call(plan, asked), tracer)
        entry = plan.generated.backward if isinstance(plan, HalvesPlan) else tracer.entry
        return tracing.Trace(tuple(tracer.entries), self._answer(result, asked), entry)

    def report(self, path: str | Path, *args: Any, **kwargs: Any) -> Path:
        """Write a page of HTML that shows the function and its derivative side by side.

        Args:
            path: The file to write.
            args: Arguments of a call, if what each line costs is to be measured; the function and
                the derivative run several times, on copies of them. Seeds not given are ones.
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
            return insights.refused(self._about(None), refusal)._repr_html_()

    def _report(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
        stages = Stages(wanted=True, account=account.Account())
        asked = self._asked(args, kwargs) if args or kwargs else None
        plan = self.plan(asked, stages)
        call = None if asked is None else self._call(plan, asked)

        def primal() -> Any:
            return None if asked is None else self._run_primal(asked)

        return reports.report_on(
            self._about(asked), plan, stages.texts, call, primal, keeps=self._keeps(plan)
        )

    # -- export

    def export(
        self,
        path: str | PathLike[str] | None = None,
        *,
        example: Example | None = None,
        with_check: bool = False,
        target: Target = "numpy",
    ) -> str:
        """Return the derivative as a module that needs no srcgrad, and write it to `path`.

        Args:
            path: The file to write; None to write none.
            example: Arguments of a call (a dict for keywords): the text is the one for arguments
                like these. Without it the text takes nothing for granted, if there is such a one.
            with_check: Let the module, run as a program, compare its derivative at the example with
                differences.
            target: "numba" for a module that Numba compiles, for arguments like those of the
                example; it needs NumPy and Numba.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
            ExportError: The text calls the tape, or reads what cannot be written out.
        """
        return exporting.exported(self, path, example, with_check, target=target)
