"""Defines what can be read off the derivatives that are no gradients: text, explanation, export."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from srcgrad.api.exporting import Example, export_other
from srcgrad.api.insights import Call, explained, refused, run_watched, subject_of
from srcgrad.api.plan import HalvesPlan, Plan
from srcgrad.api.reports import report_on
from srcgrad.api.selection import Selection
from srcgrad.api.stacking import count_of, seed_of
from srcgrad.api.structures import copied
from srcgrad.api.underlying import bind, called, mode_of, plain, to_differentiate
from srcgrad.api.values import is_complex
from srcgrad.codegen.highlight import highlight
from srcgrad.compiler.account import Account
from srcgrad.compiler.stages import Stages
from srcgrad.errors import UnsupportedError
from srcgrad.exporting.request import Kind
from srcgrad.insight.explanation import Explanation, Subject
from srcgrad.insight.trace import Trace, Tracer
from srcgrad.reporting.page import Report

Arguments = dict[str, Any]


class Maker(Protocol):
    """Makes the text of one derivative."""

    primal: Callable[..., Any]
    names: tuple[str, ...]

    def make_plan(
        self, function: FunctionType, *, keep_complex: bool, stages: Stages | None = None
    ) -> Any:
        """Compile it."""


class Reading(ABC):
    """What a derivative says of itself, given what makes its text.

    Attributes:
        primal: The user's function.
    """

    primal: Callable[..., Any]
    _selection: Selection
    _has_aux: bool

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
        """The text of the generated module.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        text: str = self.plan().generated.source
        return text

    def show(self) -> None:
        """Print the generated source, in colours if the output is a terminal."""
        sys.stdout.write(highlight(self.source))

    def stages(self) -> dict[str, str]:
        """Return the function's text after each pass of the compiler, by the name of the pass."""
        stages = Stages(wanted=True)
        plan = self.plan(stages=stages)
        return {**stages.texts, "source": plan.generated.source}

    def plan(self, arguments: Arguments | None = None, stages: Stages | None = None) -> Plan:
        """Return the compiled derivative, in the text for a call if its arguments are given."""
        maker = self.maker(arguments)
        keep_complex = any(map(is_complex, (arguments or {}).values()))
        function = to_differentiate(maker.primal, keep_complex=keep_complex)
        made: Plan = maker.make_plan(function, keep_complex=keep_complex, stages=stages)
        return made

    # -- what it does

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Say what is differentiated, recorded and called, and why: print the result, or read it.

        Args:
            args: Arguments of a call, if what is kept is to be measured; the function runs once, on
                copies of them.
            kwargs: The same by name.
        """
        arguments = self._given(args, kwargs)[0] if args or kwargs else None
        try:
            plan = self.plan(arguments, Stages(account=Account()))
        except UnsupportedError as refusal:
            return refused(self._subject(arguments), refusal)
        keeps = isinstance(plan, HalvesPlan) and arguments is not None
        call: Call | None = (tuple((arguments or {}).values()), {}) if keeps else None
        return explained(self._subject(arguments), plan, call)

    def trace(self, *args: Any, **kwargs: Any) -> Trace:
        """Run once, on copies of the arguments, and return every value and every derivative.

        Tangents that are not given, and the adjoint of the result, are ones.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
        """
        arguments, tangents = self._given(args, kwargs)
        plan = self.plan(arguments)
        tracer = Tracer(plan.generated.lines, pushes=not isinstance(plan, HalvesPlan))
        result = run_watched(plan, self._call(plan, arguments, tangents), tracer)
        entry = plan.generated.backward if isinstance(plan, HalvesPlan) else tracer.entry
        return Trace(tuple(tracer.entries), result, entry)

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
            return refused(self._subject(None), refusal)._repr_html_()

    def _report(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
        stages = Stages(wanted=True, account=Account())
        if not (args or kwargs):
            plan = self.plan(None, stages)
            return report_on(self._subject(None), plan, stages.texts, None, lambda: None)
        arguments, tangents = self._given(args, kwargs)
        plan = self.plan(arguments, stages)
        return report_on(
            self._subject(arguments),
            plan,
            stages.texts,
            self._call(plan, arguments, tangents),
            lambda: called(self.primal, copied(arguments)),
            keeps=isinstance(plan, HalvesPlan),
        )

    def _subject(self, arguments: Arguments | None) -> Subject:
        is_whole = self.kind in ("hessian", "hvp")  # these say themselves of what they are
        mode = self.kind if is_whole else mode_of(self.kind, self.primal)
        return subject_of(plain(self.primal), mode, self.maker(arguments).names)

    def _given(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Arguments, dict[str, Any]]:
        """Return the function's arguments by name, and the tangents that were given with them."""
        own, tangents = self._apart(kwargs)
        return bind(self.primal, args, own), tangents

    def _call(self, plan: Plan, arguments: Arguments, tangents: Mapping[str, Any]) -> Call:
        """Return the arguments of the generated function; tangents are ones if not given."""
        given = list(arguments.values())
        if not isinstance(plan, HalvesPlan):
            for name in self.maker(arguments).names:
                ones = seed_of(arguments[name], np.ones(count_of(arguments[name])))
                given.append(tangents.get(name, ones))
        return tuple(given), {}

    def _apart(self, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of a call by name, and the tangents by the names of arguments."""
        return dict(kwargs), {}

    # -- export

    def export(
        self,
        path: str | PathLike[str] | None = None,
        *,
        example: Example | None = None,
        with_check: bool = False,
    ) -> str:
        """Return the derivative as a module that needs no srcgrad, and write it to `path`.

        Args:
            path: The file to write; None to write none.
            example: Arguments of the function (a dict for keywords), such as complex ones, for
                which another text is needed.
            with_check: Let the module, run as a program, compare its derivative at the example with
                differences.

        Raises:
            UnsupportedError: The function is not differentiated by source; the error says where.
            ExportError: The text calls the tape, or reads what cannot be written out.
        """
        return export_other(self, path, example, with_check)
