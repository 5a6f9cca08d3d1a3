"""Lets names that hold nothing yet hold a value of the kind that they will hold.

A way there binds to None what only one of its branches binds, since it hands all of it on. A name
that may hold a number or None is slow under Numba, and of no known kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, constant, dotted, store, tuple_of
from srcgrad.ir.walk import found_in, spelled
from srcgrad.targets.loops.exposed import Exposed, loaded_in
from srcgrad.targets.loops.kind import Array, Kind, is_number
from srcgrad.targets.loops.words import NARROW, TYPES

_EQUAL = (gast.Is, gast.IsNot, gast.Eq, gast.NotEq)


class Placeholders:
    """The names of functions that hold nothing at first, and are read only to be handed on.

    They are taken out of the text while kinds are found, and put back then.
    """

    def __init__(self, functions: Mapping[str, Any], entry: str) -> None:
        self._functions = functions
        self._found: dict[str, list[str]] = {}
        for name, function in functions.items():
            if name != entry and (found := _held_by(function)):
                self._found[name] = found
        if _asks(functions, {item for found in self._found.values() for item in found}):
            self._found = {}
        for name, found in self._found.items():
            _take_out(functions[name], set(found))

    def put_back(self, kind_of: Callable[[Any, str], Kind]) -> None:
        """Write first values of the kinds that the names have, or None where those are unknown."""
        for name, found in self._found.items():
            function = self._functions[name]
            place = 1 if gast.get_docstring(function) else 0
            values: dict[str, Any] = {}
            for item in found:
                first = blank(kind_of(gast.Name(item, gast.Load(), None, None), name))
                value = constant(None) if first is None else first
                same: Any = values.setdefault(spelled(value), assign(item, value))
                same.targets += [] if same.targets[0].id == item else [store(item)]
                same.lineno = function.lineno
            function.body[place:place] = values.values()


def blank(kind: Kind) -> Any:
    """Return an expression for some value of a kind; None if there is none."""
    if is_number(kind):
        plain: dict[str, Any] = {"bool": False, "int": 0, "int64": 0, "complex": 0j}
        if kind in NARROW:
            return call(f"np.{TYPES.get(kind, kind)}", constant(0))
        return constant(plain.get(kind, 0j if kind.startswith("complex") else 0.0))
    if isinstance(kind, Array):
        lengths = constant(0) if kind.ndim == 1 else tuple_of([constant(0)] * kind.ndim)
        given = (
            [] if kind.dtype == "float64" else [dotted(f"np.{TYPES.get(kind.dtype, kind.dtype)}")]
        )
        return call("np.empty", lengths, *given)
    return None


def _empties(function: Any) -> list[Any]:
    """Return the statements at the beginning of a function that bind names to None."""
    found = []
    for statement in function.body[1 if gast.get_docstring(function) else 0 :]:
        value = getattr(statement, "value", statement)
        if not isinstance(statement, gast.Assign) or not isinstance(value, gast.Constant):
            break
        if value.value is not None or not all(isinstance(x, gast.Name) for x in statement.targets):
            break
        found.append(statement)
    return found


def _held_by(function: Any) -> list[str]:
    """Return the names that a function binds to None first, and binds anew before it uses them."""
    empties = _empties(function)
    names = [target.id for statement in empties for target in statement.targets]
    if not names:
        return []
    handed = [_handed_on(item) for item in found_in(function, gast.Return)]
    if None in handed:
        return []
    exposed = _exposed(function, [item for item in function.body if item not in empties])
    return [name for name in dict.fromkeys(names) if name not in exposed]


def _exposed(function: Any, body: list[Any]) -> set[str]:
    """Return the names that statements read before they bind them, but for what is handed on."""
    returned = [(item, item.value) for item in found_in(function, gast.Return)]
    for item, value in returned:
        item.value = value.elts[0]
    found = Exposed().take(body).reads
    for item, value in returned:
        item.value = value
    return found


def _handed_on(statement: Any) -> Any:
    """Return the tuple that is returned beside a result, for the way back; None for another."""
    whole = statement.value
    if not isinstance(whole, gast.Tuple) or len(whole.elts) != 2:
        return None
    kept = whole.elts[1]
    is_plain = isinstance(kept, gast.Tuple) and all(isinstance(x, gast.Name) for x in kept.elts)
    return kept if is_plain else None


def _asks(functions: Mapping[str, Any], names: set[str]) -> bool:
    """Say whether functions ask if such names, or what was kept in a tuple, are None."""
    for function in functions.values():
        kept = {
            item.id
            for statement in found_in(function, gast.Assign)
            if isinstance(statement.value, gast.Name)
            for item in found_in(statement.targets[0], gast.Name)
        }
        for node in found_in(function, gast.Compare):
            if any(isinstance(operator, _EQUAL) for operator in node.ops):
                sides = [node.left, *node.comparators]
                is_none = any(getattr(side, "value", 0) is None for side in sides)
                if is_none and loaded_in(sides) & (names | kept):
                    return True
    return False


def _take_out(function: Any, names: set[str]) -> None:
    for statement in _empties(function):
        statement.targets = [item for item in statement.targets if item.id not in names]
    function.body = [
        item for item in function.body if not isinstance(item, gast.Assign) or item.targets
    ]
