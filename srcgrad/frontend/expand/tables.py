"""Knows the functions that tables of classes give, and what functions say of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final

import gast

from srcgrad.frontend.expand.frame import Frame
from srcgrad.frontend.expand.values import Choice, Instance, Known, Value
from srcgrad.ir.build import at, call, clone, load

_MOST: Final = 64


class Tables(Frame):
    """The part of the expansion that asks what is there when it is compiled."""

    _starred_twice: Any = None

    def from_table(self, owner: Value, entry: Any) -> Value:
        """Return the function that an entry of a table is, one of those in it; else the entry.

        The table is an object of the module whose class says what its entries are; so the run
        takes the entry, and compares it with the functions that are known.
        """
        if not isinstance(owner, Instance) or owner.leaves is not None:
            return entry
        root, key = owner.root, entry.slice
        if isinstance(key, gast.Constant):
            found = _entry_of(owner.value, key.value)
            if found is None:
                return entry
            self.session.assume(lambda given: _entry_of(root(given), key.value), found)
            return Known(found)
        functions = _functions_in(owner.value)
        if not functions or not self.hoistable:
            return entry
        self.session.assume(lambda given: _functions_in(root(given)), functions)
        name = self.keep("function", entry, entry).id
        known = [Known(function) for function in functions]
        texts = [self.constant(function, function.__name__) for function in functions]
        strange = gast.Compare(
            load(name), [gast.NotIn()], [gast.Tuple(list(map(clone, texts)), gast.Load())]
        )
        raised = at(gast.Raise(call("KeyError", load(name)), None), entry)
        self.out.append(at(gast.If(strange, [raised], []), entry))
        choice: Value = known[-1]
        for text, function in zip(reversed(texts[:-1]), reversed(known[:-1]), strict=True):
            choice = Choice(gast.Compare(load(name), [gast.Is()], [text]), function, choice)
        return choice

    def said_of_functions(self, test: Any, looked_at: Callable[[Any], Value]) -> bool | None:
        """Return whether a function is one of others, where both are known."""
        op, holder = test.ops[0], test.comparators[0]
        others = [looked_at(holder)]
        if isinstance(op, (gast.In, gast.NotIn)):
            display = isinstance(holder, (gast.Tuple, gast.List))
            found = [looked_at(v) for v in holder.elts] if display else self.elements(others[0])
            others = found or []
        said = same_function(op, looked_at(test.left), others)
        return bool(said.value) if isinstance(said, gast.Constant) else None

    def elements(self, items: Value) -> list[Value] | None:
        """Return the elements of a known list or tuple of functions or objects, if it is one."""
        raise NotImplementedError("defined by `Expressions`")

    def given_by_stars(self, node: Any) -> Value:
        """Return what gives the keywords of a call, ``**node``."""
        outer, self._starred_twice = self._starred_twice, node
        found = self.value(node)
        self._starred_twice = outer
        return found


def same_function(op: Any, left: Value, others: list[Value] | None) -> Any:
    """Return whether a function that a test chooses is one of others, by that test; else None."""
    negated = _SAMENESS.get(type(op))
    if negated is None or not others or not isinstance(left, (Choice, Known)):
        return None
    if not _is_function(left) or not all(isinstance(v, Known) and _is_function(v) for v in others):
        return None
    return _answered(left, {item.value for item in others}, negated)


_SAMENESS: Final = {
    gast.Is: False,
    gast.Eq: False,
    gast.In: False,
    gast.IsNot: True,
    gast.NotEq: True,
    gast.NotIn: True,
}
"""Whether a comparison says that functions are others."""


def _answered(value: Value, known: set[Any], negated: bool) -> Any:
    if not isinstance(value, Choice):
        return gast.Constant((value.value in known) is not negated, None)
    then, other = (_answered(item, known, negated) for item in (value.then, value.other))
    said = getattr(then, "value", None), getattr(other, "value", None)
    if said == (True, False):
        return clone(value.test)
    if said[0] is said[1] is not None:
        return then
    return gast.IfExp(clone(value.test), then, other)


def _entry_of(table: Any, key: Any) -> Any:
    """Return the function that is under a key of a table; None if there is no such."""
    try:
        found = table[key] if isinstance(table, Mapping) else None
    except Exception:  # noqa: BLE001 - the run raises it, too, where it comes to the table
        return None
    return found if isinstance(found, (FunctionType, functools.partial)) else None


def _functions_in(table: Any) -> tuple[FunctionType, ...]:
    """Return the functions in a table that holds nothing else, each once."""
    if not isinstance(table, Mapping) or len(table) > _MOST:
        return ()
    entries = list(table.values())
    if not all(isinstance(item, FunctionType) for item in entries):
        return ()
    return tuple(dict.fromkeys(entries))


def _is_function(value: Value) -> bool:
    if isinstance(value, Choice):
        return _is_function(value.then) and _is_function(value.other)
    return isinstance(value, Known) and isinstance(value.value, (FunctionType, functools.partial))
