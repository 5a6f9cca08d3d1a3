"""Measures what a derivative keeps for its backward pass, in bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.compiler.findings import Findings
from srcgrad.insight.instrument import Site

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Measured:
    """How much one record took: in all, over so many calls or iterations."""

    bytes: int
    count: int


class Meter:
    """Watches one call; each piece of memory is counted once, and that of the arguments not at all.

    A record is known by the generated function and its list, "" for what is kept in variables.
    """

    def __init__(self, findings: Findings, keeping: frozenset[str]) -> None:
        self.found: dict[Key, Measured] = {}
        self.total = 0
        self._keeping = keeping
        self._lists = {r.list_name for f in findings.functions for r in f.records if r.list_name}
        self._kept = {
            name: record.names
            for function in findings.functions
            for record in function.records
            if record.per == "call"
            for name in function.generated
        }
        self._seen: dict[int, Any] = {}
        self._given: dict[int, Any] = {}
        self._started = False

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        if site.kind == "enter" and not self._started:
            self._started = True
            self._given = {id(item): item for item in memory_of(variables.values())}
        elif site.kind == "append" and site.names[0] in self._lists and not site.backward:
            self._add((site.function, site.names[0]), [value])
        elif site.kind == "backward":
            names = self._kept.get(site.function, ())
            self._add((site.function, ""), [variables[n] for n in names if n in variables])
        elif site.kind == "return" and site.function in self._keeping and not site.backward:
            self._add((site.function, ""), [value[1]])

    def _add(self, key: Key, values: Iterable[Any]) -> None:
        count = 0
        for item in memory_of(values):
            if id(item) not in self._seen and id(item) not in self._given:
                self._seen[id(item)] = item  # kept alive, so that its identity stays its own
                count += size_of(item)
        before = self.found.get(key, Measured(0, 0))
        self.found[key] = Measured(before.bytes + count, before.count + 1)
        self.total += count


def memory_of(values: Iterable[Any]) -> list[Any]:
    """Return the arrays that own the memory behind values, and the numbers among them."""
    found: list[Any] = []
    stack = list(values)
    while stack:
        value = stack.pop()
        if isinstance(value, np.ndarray):
            while isinstance(value.base, np.ndarray):
                value = value.base
            found.append(value)
        elif isinstance(value, Mapping):
            stack.extend(value.values())
        elif isinstance(value, (list, tuple)):
            stack.extend(value)
        elif isinstance(value, (float, complex, np.generic)):
            found.append(value)
    return found


def size_of(value: Any) -> int:
    """Return the bytes of an array or a number."""
    return int(getattr(value, "nbytes", 8))
