"""Knows the functions that tables of classes give, and what functions say of functions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, Final

import gast

from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.frame import Frame
from srcgrad.frontend.expand.values import Choice, Instance, Items, Known, Value
from srcgrad.frontend.repeatable import not_repeatable
from srcgrad.ir.build import at, call, clone, load

_MOST: Final = 64
_UNKNOWN: Final = object()


class Tables(Frame):
    """The part of the expansion that asks what is there when it is compiled."""

    _starred_twice: Any = None

    def from_table(self, owner: Value, entry: Any) -> Value:
        """Return the function that an entry of a table is, one of those in it; else the entry.

        The table is an object of the module whose class says what its entries are; so the run
        takes the entry, and compares it with the functions that are known.
        """
        if not isinstance(owner, Instance) or owner.leaves is not None or not self.hoistable:
            return entry
        root, functions = owner.root, _functions_in(owner.value)
        if not functions:
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

    def given_by_stars(self, node: Any) -> Value:
        """Return what gives the keywords of a call, ``**node``."""
        outer, self._starred_twice = self._starred_twice, node
        found = self.value(node)
        self._starred_twice = outer
        return found

    def told(
        self, function: Any, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        """Return the keywords, if there are none, that a function of functions alone gives a call.

        It is asked now, and again at each call: another answer makes another text.
        """
        if node is not self._starred_twice:
            return None
        if not isinstance(function, FunctionType) or not any(map(_is_function, args)):
            return None
        if not all(map(_is_told, [*args, *keywords.values()])):
            return None
        vocabulary = self.session.vocabulary
        if vocabulary.rule_for(function) or written_parameters(function, vocabulary):
            return None
        if not_repeatable(function, vocabulary) is not None:
            return None
        ways = list(itertools.islice(itertools.product(*map(_ways, args)), _MOST))
        named = {name: item.value for name, item in keywords.items()}

        def answer() -> Any:
            found = [function(*way, **named) for way in ways]
            return found[0] if all(item == found[0] for item in found) else _UNKNOWN

        try:
            first = answer()
        except Exception:  # noqa: BLE001 - the run raises it, too, where it comes to the call
            return None
        if type(first) is not dict or first:
            return None
        self.session.functions[function] = None
        self.session.assume(lambda _: type(answer()) is dict and not answer(), expected=True)
        self.changed = True
        return Items("dict", [], [])


def same_function(op: Any, left: Value, others: list[Value] | None) -> Any:
    """Return whether a function that a test chooses is one of others, by that test; else None."""
    negated = _SAMENESS.get(type(op))
    if negated is None or not others or not isinstance(left, Choice):
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
    return isinstance(value, Known) and isinstance(value.value, FunctionType)


def _is_told(value: Value) -> bool:
    return isinstance(value, gast.Constant) or _is_function(value)


def _ways(value: Value) -> Iterator[Any]:
    """Yield what an argument may be."""
    if isinstance(value, Choice):
        yield from _ways(value.then)
        yield from _ways(value.other)
    else:
        yield value.value
