"""Measures what a derivative keeps for its backward pass, in bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
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
        self._entry = ""

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        if site.kind == "enter" and not self._entry:
            self._entry = site.function
            self._given = {id(item): item for item in memory_of(variables.values())}
        elif site.kind == "append" and site.names[0] in self._lists and not site.backward:
            self._add((site.function, site.names[0]), [value])
        elif site.kind == "backward":
            names = self._kept.get(site.function, ())
            kept = [variables[n] for n in names if n in variables]
            self._add((site.function, ""), kept, lasts=site.function == self._entry)
        elif site.kind == "return" and site.function in self._keeping and not site.backward:
            self._add((site.function, ""), [value[1]])

    def _add(self, key: Key, values: Iterable[Any], *, lasts: bool = True) -> None:
        """Count values; those of a function that runs again do not last until the next time."""
        known = {**self._seen, **self._given} if not lasts else self._seen
        count = 0
        for item in memory_of(values):
            if id(item) not in known and id(item) not in self._given:
                known[id(item)] = item  # kept alive, so that its identity stays its own
                count += size_of(item)
        before = self.found.get(key, Measured(0, 0))
        self.found[key] = Measured(before.bytes + count, before.count + 1)
        self.total += count if lasts else 0


def memory_of(values: Iterable[Any]) -> list[Any]:
    """Return the arrays that own the memory behind values, and the numbers; also in objects."""
    found: list[Any] = []
    stack = list(values)
    objects: set[int] = set()
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
        elif id(value) not in objects and not (callable(value) or isinstance(value, ModuleType)):
            objects.add(id(value))
            stack.extend(_fields_of(value))
    return found


def _fields_of(value: Any) -> list[Any]:
    """Return what an object holds, such as the weights of a model or the states of a loop."""
    slots = [n for kind in type(value).__mro__ for n in getattr(kind, "__slots__", ())]
    fields = [getattr(value, name, None) for name in slots if isinstance(name, str)]
    return [*fields, *getattr(value, "__dict__", {}).values()]


def size_of(value: Any) -> int:
    """Return the bytes of an array or a number."""
    return int(getattr(value, "nbytes", 8))
