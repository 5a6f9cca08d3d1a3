"""Builds small pieces of gast trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gast

from srcgrad.ir.marks import ADJOINT, MARKS, OF_RULE, ORIGIN, SETTLED
from srcgrad.ir.walk import INNER

Node = Any
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_KEPT = (*_PLACE, *(mark.name for mark in MARKS.values() if mark.copied))
_LOAD, _STORE = gast.Load(), gast.Store()  # shared, as those of Python's parser are
_NAME, _BINARY = gast.Name, gast.BinOp
_SIGNS = (gast.operator, gast.unaryop, gast.cmpop, gast.boolop)
_new = gast.AST.__new__


class _Copied(dict[type, tuple[frozenset[str], frozenset[str], tuple[str, ...]]]):
    """Of each kind of node: the fields and notes of a copy, the fields, and those with nodes."""

    def __missing__(self, kind: type) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
        fields = frozenset(getattr(kind, "_fields", ()))
        inner = tuple(name for name in INNER[kind] if name != "op")  # which stands for itself
        self[kind] = fields.union(_KEPT), fields, inner
        return self[kind]


class _Stands(dict[type, bool]):
    """Whether what is of a kind stands for itself: no node, or a sign."""

    def __missing__(self, kind: type) -> bool:
        # signs say all that there is to say: nobody writes into them
        self[kind] = not issubclass(kind, gast.AST) or issubclass(kind, _SIGNS)
        return self[kind]


_COPIED, _STANDS = _Copied(), _Stands()


def stands_alone(node: Any) -> bool:
    """Say whether something is no node, or a sign, of which no copy is ever needed."""
    return _STANDS[node.__class__]


def made(kind: type, fields: dict[str, Any]) -> Node:
    """Return a node of a kind that holds its fields, without gast's own slow `__init__`."""
    node = _new(kind)
    node.__dict__ = fields
    return node


def load(name: str) -> Node:
    """Return the expression that reads `name`."""
    node = _new(_NAME)  # which is made more often than all else: without gast's own `__init__`
    given = node.__dict__
    given["id"], given["ctx"] = name, _LOAD
    given["annotation"] = given["type_comment"] = None
    return node


def load_for_rule(name: str) -> Node:
    """Return the expression that reads a name of ours, whatever the user's own like it means."""
    found = load(name)
    OF_RULE.put(found, True)
    return found


def store(name: str) -> Node:
    """Return the target that binds `name`."""
    node = load(name)
    node.ctx = _STORE
    return node


def constant(value: Any) -> Node:
    """Return a literal; negative numbers become a unary minus, as the parser has it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
    return gast.Constant(value, None)


def assign(target: str | Node, value: Node, like: Node = None) -> Node:
    """Return ``target = value``, placed at the user's line of `like`."""
    node = store(target) if isinstance(target, str) else target
    return at(made(gast.Assign, {"targets": [node], "value": value, "type_comment": None}), like)


def add_assign(target: Node, value: Node, like: Node = None) -> Node:
    """Return ``target += value``."""
    return at(gast.AugAssign(target, gast.Add(), value), like)


def call(function: str | Node, *args: Node, **keywords: Node) -> Node:
    """Return a call; a dotted string names the function."""
    func = dotted(function) if isinstance(function, str) else function
    return called(func, list(args), [gast.keyword(k, v) for k, v in keywords.items()])


def called(func: Node, args: list[Node], keywords: list[Node]) -> Node:
    """Return the call of a function that is an expression."""
    return made(gast.Call, {"func": func, "args": args, "keywords": keywords})


def attribute(value: Node, name: str) -> Node:
    """Return ``value.name``."""
    return made(gast.Attribute, {"value": value, "attr": name, "ctx": _LOAD})


def dotted(path: str) -> Node:
    """Return the expression for a dotted name such as ``np.zeros_like``."""
    first, *rest = path.split(".")
    node = load(first)
    for name in rest:
        node = attribute(node, name)
    return node


def dotted_path(node: Node) -> str:
    """Return what `dotted` makes such an expression of; an empty string of any other one.

    >>> dotted_path(dotted("np.linalg.solve")), dotted_path(call("np.zeros"))
    ('np.linalg.solve', '')
    """
    path = ""
    while node.__class__ is gast.Attribute:
        path = f".{node.attr}{path}"
        node = node.value
    return node.id + path if node.__class__ is gast.Name else ""


def method(value: Node, name: str, *args: Node) -> Node:
    """Return ``value.name(*args)``."""
    return called(attribute(value, name), list(args), [])


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
    """Give `node` the user's place of `like`, and its note of it, and return it.

    A note of another function, in which it stood before, it keeps: `like` may be the call of that.
    """
    if like is not None:
        line = getattr(like, "lineno", None)
        if line is not None:
            given = node.__dict__
            given["lineno"], given["col_offset"] = line, getattr(like, "col_offset", 0)
            given["end_lineno"] = getattr(like, "end_lineno", line)
            given["end_col_offset"] = getattr(like, "end_col_offset", 0)
        if ORIGIN.is_on(like) and not (ORIGIN.is_on(node) and ORIGIN.of(node).file):
            ORIGIN.put(node, ORIGIN.of(like))
    return node


def settled(call: Node) -> Node:
    """Mark a call as one whose result has no derivative, such as keys of a dict of what varies.

    Of an object of results, that is read by numbers that say themselves what they depend on; calls
    without the mark, of functions that return such, are refused.
    """
    SETTLED.put(call, True)
    return call


def clone(node: Node) -> Node:
    """Return a deep copy of an expression, without recursion through Python's copy protocol."""
    kind = node.__class__
    if kind is list:
        return [clone(item) for item in node]
    if _STANDS[kind]:
        return node
    new = _new(kind)
    new.__dict__ = values = node.__dict__.copy()
    copied, fields, inner = _COPIED[kind]
    if not copied.issuperset(values):  # it has marks that are its alone
        for name in values.keys() - copied:
            del values[name]
    if kind is _NAME and values.get("annotation", _NAME) is None:  # as with nearly all of them
        return new
    if kind is _BINARY:
        values["left"], values["right"] = clone(values["left"]), clone(values["right"])
        return new
    if not fields <= values.keys():
        for name in kind._fields:
            values.setdefault(name, None)
    for name in inner:
        part = values[name]
        if part is not None:
            if part.__class__ is list:
                values[name] = [clone(item) for item in part] if part else []
            else:
                values[name] = clone(part)
    return new


def twin(node: Node) -> Node:
    """Return a deep copy that has the marks of each node, too: it does the same at another place.

    >>> from srcgrad.ir.marks import IN_PLACE
    >>> update = gast.parse("x = x * 2").body[0]
    >>> IN_PLACE.put(update, True)
    >>> IN_PLACE.of(twin(update))
    True
    """
    kind = node.__class__
    if kind is list:
        return [twin(item) for item in node]
    if _STANDS[kind]:
        return node
    new = _new(kind)
    new.__dict__ = values = node.__dict__.copy()
    for name in _COPIED[kind][2]:
        part = values.get(name)
        if part is not None:
            values[name] = twin(part)
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
        ADJOINT.put(node, name)
