"""Knows the functions that tables of classes give, and what functions say of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final

from srcgrad.frontend.expand.assumptions import Of, Outside
from srcgrad.frontend.expand.frame import at_key
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Choice, Instance, Items, Known, Root, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, constant, load
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.runtime.objects import is_plain_object

_MOST: Final = 64


class Tables(Part):
    """The part of the expansion that asks what is there when it is compiled."""

    starred_twice: Any = None

    def from_table(self, owner: Value, entry: Any) -> Value:
        """Return the function or object that an entry of a table is; else the entry.

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
            if is_plain_object(found):
                return Instance(found, entry, lambda given: root(given)[key.value])
            self.session.assume(lambda given: _entry_of(root(given), key.value), found)
            return Known(found)
        functions = _functions_in(owner.value)
        if not functions or not self.frame.hoistable:
            return entry
        self.session.assume(lambda given: _functions_in(root(given)), functions)
        name = self.frame.keep("function", entry, entry).id
        known = [Known(function) for function in functions]
        texts = [self.frame.constant(function, function.__name__) for function in functions]
        strange = gast.Compare(
            load(name), [gast.NotIn()], [gast.Tuple(list(map(clone, texts)), gast.Load())]
        )
        raised = at(gast.Raise(call("KeyError", load(name)), None), entry)
        self.frame.out.append(at(gast.If(strange, [raised], []), entry))
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
            found = (
                [looked_at(v) for v in holder.elts]
                if display
                else self.frame.expressions.elements(others[0])
            )
            others = found or []
        said = same_function(op, looked_at(test.left), others)
        return bool(said.value) if isinstance(said, gast.Constant) else None

    def given_by_stars(self, node: Any) -> Value:
        """Return what gives the keywords of a call, ``**node``."""
        outer, self.starred_twice = self.starred_twice, node
        node = self.frame.told_names.as_names(node)
        found = self.opened(node, self.frame.value(node))
        self.starred_twice = outer
        return found

    def opened(self, node: Any, value: Value) -> Value:
        """Return a dict of settings from outside entry by entry, if a name means one; else `value`.

        Its entries are read when the text runs.
        """
        if isinstance(node, gast.Subscript) and isinstance(value, gast.Subscript):
            return self._opened_entry(node, value)
        binding = None if isinstance(value, Static) else self.bound_outside(node)
        held = None if binding is None else binding.value
        if binding is None or type(held) is not dict or not _names_options(held):
            return value
        if self.session.reading(binding, self.frame.code.source) is not None:
            return value
        return self.by_entries(held, Outside(binding), value)

    def by_entries(self, held: dict[Any, Any], found: Root, value: Any) -> Items:
        """Return a dict of settings from outside, which the run reads entry by entry."""

        def entry(key: Any) -> Value:
            place = gast.Subscript(clone(value), gast.Constant(key, None), gast.Load())
            return self.frame.lookup.outside(held[key], place, at_key(found, key))

        items = self.frame.lookup.entries(held, found, entry)
        items.expression = value
        return items

    def _opened_entry(self, node: Any, value: Any) -> Value:
        """Return the settings under a key of a table of such, ``TABLE[kind]``, entry by entry.

        Which key it is only the run may tell if all settings have the same names.
        """
        binding = self.bound_outside(node.value)
        table = None if binding is None else binding.value
        if (
            binding is None
            or type(table) is not dict
            or not all(map(_are_settings, table.values()))
        ):
            return value
        if self.session.reading(binding, self.frame.code.source) is not None:
            return value
        found, key = Outside(binding), _key_in(value.slice)
        if key in table:
            return self.by_entries(table[key], at_key(found, key), value)
        names = names_of_settings(table)
        if key is not MISSING or len(names) != 1:
            return value
        self.session.assume(Of(names_of_settings, found), names)
        (shared,) = names
        reads = [gast.Subscript(clone(value), constant(name), gast.Load()) for name in shared]
        return Items("dict", reads, list(shared), expression=value)

    def bound_outside(self, node: Any) -> Binding | None:
        """Return what binds a name of a module, or of another module, ``settings.DEFAULTS``."""
        if isinstance(node, gast.Name):
            if node.id in self.frame.imports:
                return self.frame.imports[node.id]
            own = node.id in self.frame.env or (
                node.id in self.frame.own and node.id not in self.frame.free
            )
            return None if own else self.frame.found_outside(node.id)
        owner = self.frame.value(clone(node.value)) if isinstance(node, gast.Attribute) else None
        holder = owner.value if isinstance(owner, Known) else None
        if not isinstance(holder, ModuleType) or node.attr not in vars(holder):
            return None
        return Binding(node.attr, vars(holder)[node.attr], vars(holder))


def _names_options(held: dict[Any, Any]) -> bool:
    """Say whether a dict may give the keywords of a call."""
    return len(held) <= _MOST and all(type(key) is str for key in held)


def _are_settings(entry: Any) -> bool:
    """Say whether an entry of a table is a dict of numbers and texts, by names."""
    return type(entry) is dict and _names_options(entry) and all(map(_is_plain, entry.values()))


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, complex, str)


def names_of_settings(table: Mapping[Any, Any]) -> frozenset[tuple[str, ...]]:
    """Return the names of the settings in a table, as each entry has them.

    >>> names_of_settings({"oil": {"a": 1.0, "b": 2.0}, "gas": {"a": 2.0, "b": 0.5}})
    frozenset({('a', 'b')})
    """
    return frozenset(map(tuple, table.values()))


def _key_in(index: Any) -> Any:
    """Return the literal that an index is, or a tuple of such; MISSING of others."""
    if isinstance(index, gast.Constant):
        return index.value
    parts = [_key_in(part) for part in index.elts] if isinstance(index, gast.Tuple) else [MISSING]
    return MISSING if MISSING in parts else tuple(parts)


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
    """Return the function or object that is under a key of a table; None if there is no such."""
    try:
        found = table[key] if isinstance(table, Mapping) else None
    except Exception:  # noqa: BLE001 - the run raises it, too, where it comes to the table
        return None
    known = isinstance(found, (FunctionType, functools.partial)) or is_plain_object(found)
    return found if known else None


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
