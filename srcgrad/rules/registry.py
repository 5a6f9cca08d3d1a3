"""Collects the rules of one file and freezes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from srcgrad.rules.base import Function

Primal = Callable[..., Any]
Rule = TypeVar("Rule", bound=type[Function])


class RuleTable:
    """Rules of one module; handed out read-only."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rules: dict[Primal, type[Function]] = {}

    def rule(self, *primals: Primal) -> Callable[[Rule], Rule]:
        """Register the decorated Function for `primals`; twice is an error."""

        def add(cls: Rule) -> Rule:
            for primal in primals:
                if primal in self._rules:
                    raise ValueError(f"{self.name}: {primal!r} already has a rule")
                self._rules[primal] = cls
            return cls

        return add

    def freeze(self) -> Mapping[Primal, type[Function]]:
        """Return a read-only copy for `rules.library`."""
        return MappingProxyType(dict(self._rules))
