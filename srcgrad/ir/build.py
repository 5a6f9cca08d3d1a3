"""Builds small pieces of gast trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from srcgrad.ir.walk import INNER

Node = Any
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_KEPT = (*_PLACE, "settled", "adjoint", "origin", "also", "rescued", "of_rule")


def load(name: str) -> Node:
    """Return the expression that reads `name`."""
    return gast.Name(name, gast.Load(), None, None)


def load_for_rule(name: str) -> Node:
    """Return the expression that reads a name of ours, whatever the user's own like it means."""
    found = load(name)
    found.of_rule = True
    return found


def store(name: str) -> Node:
    """Return the target that binds `name`."""
    return gast.Name(name, gast.Store(), None, None)


def constant(value: Any) -> Node:
    """Return a literal; negative numbers become a unary minus, as the parser has it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
    return gast.Constant(value, None)


def assign(target: str | Node, value: Node, like: Node = None) -> Node:
    """Return ``target = value``, placed at the user's line of `like`."""
    node = store(target) if isinstance(target, str) else target
    return at(gast.Assign([node], value, None), like)


def add_assign(target: Node, value: Node, like: Node = None) -> Node:
    """Return ``target += value``."""
    return at(gast.AugAssign(target, gast.Add(), value), like)


def call(function: str | Node, *args: Node, **keywords: Node) -> Node:
    """Return a call; a dotted string names the function."""
    func = dotted(function) if isinstance(function, str) else function
    return gast.Call(func, list(args), [gast.keyword(k, v) for k, v in keywords.items()])


def dotted(path: str) -> Node:
    """Return the expression for a dotted name such as ``np.zeros_like``."""
    first, *rest = path.split(".")
    node = load(first)
    for attribute in rest:
        node = gast.Attribute(node, attribute, gast.Load())
    return node


def method(value: Node, name: str, *args: Node) -> Node:
    """Return ``value.name(*args)``."""
    return gast.Call(gast.Attribute(value, name, gast.Load()), list(args), [])


def subscript(value: Node, index: Node, *, storing: bool = False) -> Node:
    """Return ``value[index]``."""
    return gast.Subscript(value, index, gast.Store() if storing else gast.Load())


def tuple_of(items: Sequence[Node], *, storing: bool = False) -> Node:
    """Return a tuple display."""
    return gast.Tuple(list(items), gast.Store() if storing else gast.Load())


def names_tuple(names: Iterable[str], *, storing: bool = False) -> Node:
    """Return a tuple of names, or the name alone if there is one."""
    make = store if storing else load
    items = [make(name) for name in names]
    return items[0] if len(items) == 1 else tuple_of(items, storing=storing)


def at(node: Node, like: Node) -> Node:
    """Give `node` the user's place of `like`, and its note of it, and return it."""
    if like is not None:
        line = getattr(like, "lineno", None)
        if line is not None:
            node.lineno = line
            node.col_offset = getattr(like, "col_offset", 0)
            node.end_lineno = getattr(like, "end_lineno", line)
            node.end_col_offset = getattr(like, "end_col_offset", 0)
        if "origin" in like.__dict__:
            node.origin = like.origin
    return node


def settled(call: Node) -> Node:
    """Mark a call as one whose result is read by numbers that say themselves what they depend on.

    Calls without the mark, of functions that return an object of results, are refused.
    """
    call.settled = True
    return call


def clone(node: Node) -> Node:
    """Return a deep copy of an expression, without recursion through Python's copy protocol."""
    kind = node.__class__
    if kind is list:
        return [clone(item) for item in node]
    if not isinstance(node, gast.AST):
        return node
    new = kind.__new__(kind)
    values = new.__dict__
    given = node.__dict__
    for name in kind._fields:
        values[name] = given.get(name)
    for name in INNER[kind]:
        part = values[name]
        if part.__class__ is list:
            values[name] = [clone(item) for item in part]
        elif part is not None and isinstance(part, gast.AST):
            values[name] = clone(part)
    for name in _KEPT:
        if name in given:
            values[name] = given[name]
    return new


def index_value(index: Any) -> Any:
    """Return an index as an expression: slices, which only brackets may hold, as `slice(...)`."""
    if isinstance(index, gast.Tuple):
        return gast.Tuple([index_value(item) for item in index.elts], gast.Load())
    if isinstance(index, gast.Slice):
        parts = [index.lower, index.upper, *([] if index.step is None else [index.step])]
        return call(
            "slice", *[clone(p) if p is not None else gast.Constant(None, None) for p in parts]
        )
    return clone(index)


def name_adjoint(node: Node, name: str) -> None:
    """Note that an expression, which stands where it is read, is an adjoint of this name."""
    if name.startswith("grad_"):
        node.adjoint = name
