"""Looks at every value of a call, and stops at the first NaN or infinity that is made there."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Final

from srcgrad.codegen.tracebacks import LineMap, UserLine
from srcgrad.errors import Diagnostic, NonFiniteError
from srcgrad.insight.advice import advice_on
from srcgrad.insight.culprit import Culprit, culprit_of, text_of
from srcgrad.insight.finite import Flaw, described, flaw_of, number_at, shown_index
from srcgrad.insight.instrument import Site
from srcgrad.spans import Span

_LOOKED_AT: Final = ("assign", "update", "store", "append", "return")
_ON_PURPOSE: Final = {"inf", "nan", "empty", "empty_like", "NINF", "PINF", "NaN", "Infinity"}


class NanWatcher:
    """Raises at the first value that is not finite though what it is made of is.

    A NaN or an infinity that was passed in, or that stands in the program as `np.inf`, is let
    through; if it reaches the result, `finish` raises and says where it came in.
    """

    def __init__(self, lines: LineMap, text: str, names: Mapping[str, Any]) -> None:
        self._lines = lines
        self._text = text.splitlines()
        self._names = names
        self._trips: dict[int, int] = {}
        self._entered = False
        self._came_in: Diagnostic | None = None

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        """Look at one value.

        Raises:
            NonFiniteError: It is not finite, and was made so here.
        """
        if site.kind == "enter":
            self._enter(variables)
        elif site.kind == "loop":
            self._trips[site.number] = 0
        elif site.kind == "trip":
            self._trips[site.loops[-1]] = self._trips.get(site.loops[-1], 0) + 1
        elif site.kind in _LOOKED_AT:
            flaw = flaw_of(value)
            if flaw is not None:
                self._judge(site, flaw, variables)

    def finish(self, result: Any) -> None:
        """Look at what the call returns.

        Raises:
            NonFiniteError: It is not finite, because of what was passed in.
        """
        if self._came_in is not None and flaw_of(result) is not None:
            raise NonFiniteError(diagnostics=[self._came_in])

    def _enter(self, variables: dict[str, Any]) -> None:
        if self._entered:
            return
        self._entered = True
        for name, value in variables.items():
            flaw = flaw_of(value)
            if flaw is not None:
                message = f"the result is not finite: the argument `{name}` is {flaw}"
                hint = "look at where the argument comes from"
                self._came_in = Diagnostic(NonFiniteError.code, message, None, hint)
                return

    def _judge(self, site: Site, flaw: Flaw, variables: dict[str, Any]) -> None:
        """Raise, unless the flaw is in what the value is made of too."""
        if site.value is None:
            culprit = Culprit(ast.Name(site.names[0], ast.Load()), {})
            if self._came_in is not None:
                return
        else:
            if self._is_known(site.value) or self._passes_on(site.value, flaw, variables):
                self._note(site, flaw)
                return
            culprit = culprit_of(site.value, variables, self._names)
        raise NonFiniteError(diagnostics=[self._diagnostic(site, flaw, culprit)])

    def _is_known(self, value: ast.expr) -> bool:
        """Say whether a value was looked at before, or is not finite on purpose."""
        if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "pop":
            return True  # what was kept has been looked at
        for node in ast.walk(value):
            name = getattr(node, "attr", None) or getattr(node, "id", None)
            constant = getattr(node, "value", None)
            if name in _ON_PURPOSE or constant in {"inf", "nan"}:
                return True
            if isinstance(constant, float) and flaw_of(constant) is not None:
                return True
        return False

    def _passes_on(self, value: ast.expr, flaw: Flaw, variables: dict[str, Any]) -> bool:
        read = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        known = [variables.get(name, self._names.get(name)) for name in read]
        found = [one.kind for item in known if (one := flaw_of(item)) is not None]
        return "NaN" in found or (bool(found) and flaw.kind == "infinite")

    def _note(self, site: Site, flaw: Flaw) -> None:
        if self._came_in is None:
            shown = site.names[0] if site.names else site.function
            message = f"the result is not finite: `{shown}` is {flaw}"
            self._came_in = self._placed(site, message, (), "it is so on purpose: select it away")

    # -- words

    def _diagnostic(self, site: Site, flaw: Flaw, culprit: Culprit) -> Diagnostic:
        name = site.names[0] if site.names else ""
        shown = f"the value `{name}`" if name else f"the result of `{site.function}`"
        if name.startswith("grad_"):
            shown = f"the adjoint `{name}`"
        elif name.endswith("_dot"):
            shown = f"the tangent `{name}`"
        operation = "" if site.value is None else f", in `{text_of(culprit.part)}`"
        details = [
            f"{text} = {described(value)}{self._there(value, flaw)}"
            for text, value in culprit.operands.items()
            if not isinstance(value, (str, type, tuple)) and text != repr(value)
        ]
        user = self._lines.behind_node(culprit.part) or self._lines.at(site.line)
        hint = advice_on(culprit, flaw, "" if user is None else user.text)
        message = f"{shown} is {flaw}{operation}"
        return self._placed(site, message, details, hint, user)

    def _there(self, value: Any, flaw: Flaw) -> str:
        number = number_at(value, flaw) if flaw.shape and getattr(value, "shape", ()) else None
        return "" if number is None else f"; {number} at {shown_index(flaw.index)}"

    def _placed(
        self,
        site: Site,
        message: str,
        details: Sequence[str],
        hint: str,
        user: UserLine | None = None,
    ) -> Diagnostic:
        """Return a diagnostic with the user's line, the generated one, and the trips of loops."""
        user = user or self._lines.at(site.line)
        span = None if user is None else Span(user.file, user.line, 0, None, user.text.strip())
        text = self._text[site.line - 1].strip() if site.line <= len(self._text) else ""
        part = "backward" if site.backward else "forward"
        lines = [f"generated line {site.line}, {part} in {site.function}: {text}"]
        lines += [
            f"trip {self._trips[loop]} of its loop" for loop in site.loops if loop in self._trips
        ]
        return Diagnostic(NonFiniteError.code, message, span, hint, (*lines, *details))
