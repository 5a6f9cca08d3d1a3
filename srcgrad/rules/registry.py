"""Collects the rules of one file and freezes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from srcgrad.rules.base import Elementwise, Function, Pointwise

Primal = Callable[..., Any]
Rule = TypeVar("Rule", bound=type[Function])
Formula = TypeVar("Formula", bound=Callable[..., Any])


class RuleTable:
    """Rules of one module; handed out read-only.

    Those of a table that is `real` are for real numbers only.
    """

    def __init__(self, name: str, *, real: bool = False) -> None:
        self.name = name
        self._real = real
        self._rules: dict[Primal, type[Function]] = {}

    def rule(self, *primals: Primal) -> Callable[[Rule], Rule]:
        """Register the decorated Function for `primals`; twice is an error."""

        def add(cls: Rule) -> Rule:
            if self._real:
                cls.real, cls.holomorphic = True, False
            for primal in primals:
                if primal in self._rules:
                    raise ValueError(f"{self.name}: {primal!r} already has a rule")
                self._rules[primal] = cls
            return cls

        return add

    def slope(self, *primals: Primal) -> Callable[[Formula], Formula]:
        """Register the decorated function as the `slope` of an `Elementwise` rule for each."""
        return self._formula(Elementwise, "slope", primals)

    def partials(self, *primals: Primal) -> Callable[[Formula], Formula]:
        """Register the decorated function as the `partials` of a `Pointwise` rule for each."""
        return self._formula(Pointwise, "partials", primals)

    def _formula(
        self, kind: type[Function], method: str, primals: tuple[Primal, ...]
    ) -> Callable[[Formula], Formula]:
        def add(formula: Formula) -> Formula:
            for primal in primals:
                members = {
                    "primal": staticmethod(primal),
                    method: staticmethod(formula),
                    "__doc__": formula.__doc__,
                    "__module__": formula.__module__,
                }
                self.rule(primal)(type(formula.__name__.title().replace("_", ""), (kind,), members))
            return formula

        return add

    def freeze(self) -> Mapping[Primal, type[Function]]:
        """Return a read-only copy for `rules.library`."""
        return MappingProxyType(dict(self._rules))
