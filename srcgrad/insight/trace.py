"""Keeps every value of one call, primals and adjoints, each with the line that made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal

import numpy as np

from srcgrad.codegen.tracebacks import LineMap, UserLine
from srcgrad.insight.finite import described
from srcgrad.insight.instrument import Site
from srcgrad.insight.styles import Style, columns, is_terminal

_NUMBERS: Final = (bool, int, float, complex, np.ndarray, np.generic)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a call.

    Attributes:
        name: The variable, as the generated text calls it.
        kind: "primal", "tangent" or "adjoint".
        value: A copy of it.
        function: The generated function.
        line: The generated line.
        user: The user's line, if it comes from one.
        trips: The trip of each loop around it, from the outside in; they count from 1.
        is_entry: Whether it was stored into one entry of the variable.
    """

    name: str
    kind: Literal["primal", "tangent", "adjoint"]
    value: Any
    function: str
    line: int
    user: UserLine | None
    trips: tuple[int, ...] = ()
    is_entry: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The values of one call, in the order in which they were computed: print it, or read it.

    Attributes:
        entries: All of them.
        result: What the call returned.
        entry: The generated function that was called.
    """

    entries: tuple[Value, ...]
    result: Any = None
    entry: str = ""

    @property
    def tangents(self) -> dict[str, Any]:
        """The tangent of each variable as it was last in the function itself, without `_dot`."""
        return {
            item.name.removesuffix("_dot"): item.value
            for item in self.entries
            if item.kind == "tangent" and item.function == self.entry and not item.is_entry
        }

    @property
    def adjoints(self) -> dict[str, Any]:
        """The adjoint of each variable as it was last in the function itself, without `grad_`."""
        return {
            item.name.removeprefix("grad_"): item.value
            for item in self.entries
            if item.kind == "adjoint" and item.function == self.entry and not item.is_entry
        }

    def __getitem__(self, name: str) -> list[Any]:
        """Return all values that a variable of the generated text had, such as "grad_u"."""
        found = [item.value for item in self.entries if item.name == name and not item.is_entry]
        if not found:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[Value]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return self.text(colour=is_terminal())

    def text(self, *, colour: bool = False) -> str:
        """Return a table: line of the user, trips of loops, variable, value."""
        style = Style(colour=colour)
        lines: list[str] = []
        for items in _runs(self.entries):
            kinds = sorted({f"{item.kind}s" for item in items})
            lines.append(style.of("heading", f"{items[0].function}, {' and '.join(kinds)}"))
            rows = [(_place(item), _name(item), described(item.value)) for item in items]
            lines += [f"  {line}" for line in columns(rows, ("line", "name", ""), style)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        plain = self.text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<pre>{plain}</pre>"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the entries as dicts; the values are the arrays and numbers themselves."""
        return [
            {
                "name": item.name,
                "kind": item.kind,
                "value": item.value,
                "function": item.function,
                "generated_line": item.line,
                "file": None if item.user is None else item.user.file,
                "line": None if item.user is None else item.user.line,
                "trips": list(item.trips),
                "is_entry": item.is_entry,
            }
            for item in self.entries
        ]


def _runs(entries: Sequence[Value]) -> Iterator[list[Value]]:
    """Group entries that follow each other in one function, and are of one pass."""
    at_once = any(item.kind == "tangent" for item in entries)  # one pass has all kinds
    for _, items in groupby(
        entries, lambda item: (item.function, item.kind == "adjoint" and not at_once)
    ):
        yield list(items)


def _place(item: Value) -> str:
    line = "" if item.user is None else f"L{item.user.line}"
    return line + (f" trip {'.'.join(map(str, item.trips))}" if item.trips else "")


def _name(item: Value) -> str:
    return f"{item.name}[...]" if item.is_entry else item.name


class Tracer:
    """Watches a call, and copies what it computes."""

    def __init__(self, lines: LineMap, *, pushes: bool = False) -> None:
        self.entries: list[Value] = []
        self._pushes = pushes
        self.entry = ""
        self._lines = lines
        self._trips: dict[int, int] = {}

    def watch(self, site: Site, value: Any, variables: dict[str, Any]) -> None:
        """Keep a value that a variable gets."""
        if site.kind == "enter":
            self.entry = self.entry or site.function
        elif site.kind == "loop":
            self._trips[site.number] = 0
        elif site.kind == "trip":
            self._trips[site.loops[-1]] = self._trips.get(site.loops[-1], 0) + 1
        elif isinstance(site.value, ast.Name) and len(site.names) > 1:
            return  # unpacks what was kept, and is listed where it was made
        elif (site.kind == "store" and site.names) or (
            site.kind == "assign" and len(site.names) == 1
        ):
            self._keep(site, site.names[0], value)
        elif site.kind == "assign" and isinstance(value, (tuple, list)):
            if len(value) == len(site.names):
                for name, item in zip(site.names, value, strict=True):
                    self._keep(site, name, item)
        elif site.kind == "update" and site.done:
            self._keep(site, site.names[0], value)
        del variables

    def _keep(self, site: Site, name: str, value: Any) -> None:
        is_adjoint = name.startswith("grad_")
        if not isinstance(value, _NUMBERS) and not (is_adjoint and isinstance(value, (dict, list))):
            return  # what is kept for the backward pass, shapes and so on
        user = self._lines.behind_node(site.value) or self._lines.at(site.line)
        trips = tuple(self._trips.get(loop, 0) for loop in site.loops)
        is_tangent = self._pushes and name.endswith("_dot")
        other: Literal["adjoint", "primal"] = "adjoint" if is_adjoint else "primal"
        kind: Literal["tangent", "adjoint", "primal"] = "tangent" if is_tangent else other
        is_entry = site.kind == "store"
        self.entries.append(
            Value(name, kind, _copied(value), site.function, site.line, user, trips, is_entry)
        )


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
