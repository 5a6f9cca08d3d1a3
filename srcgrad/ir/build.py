"""Builds small pieces of gast trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.marks import ADJOINT, MARKS, OF_RULE, ORIGIN, SETTLED
from srcgrad.ir.walk import INNER

Node = Any
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_KEPT = frozenset((*_PLACE, *(mark.name for mark in MARKS.values() if mark.copied)))
_LOAD, _STORE = gast.Load(), gast.Store()  # shared, as those of Python's parser are
_NAME, _BINARY, _CALL = gast.Name, gast.BinOp, gast.Call
_ASSIGN, _ATTRIBUTE = gast.Assign, gast.Attribute
_AT_ONCE = frozenset({_NAME, _BINARY, _CALL, _ATTRIBUTE})  # whose fields `clone` knows
_SIGNS = (gast.operator, gast.unaryop, gast.cmpop, gast.boolop)
_new = gast.AST.__new__


class _Copied(dict[type, tuple[tuple[str, ...], tuple[str, ...]]]):
    """Of each kind of node, of ours or of Python's: the fields with nodes, and the others."""

    def __missing__(self, kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
        fields: tuple[str, ...] = getattr(kind, "_fields", ())
        inner = tuple(name for name in INNER[kind] if name != "op")  # which stands for itself
        held = getattr(kind, "__slots__", ())
        slots = tuple(name for name in ("origin", "place") if name in held)
        self[kind] = inner, (*(name for name in fields if name not in inner), *slots)
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


def rebuilt(node: Node, do: Callable[[Any], Any]) -> Node:
    """Return a node like another one, of which `do` has been done to the nodes and lists inside."""
    new = _new(node.__class__)
    given = node.__dict__
    if given:
        new.__dict__ = given.copy()
    return _filled(new, node, do)


def load(name: str) -> Node:
    """Return the expression that reads `name`."""
    node = _new(_NAME)  # which is made more often than all else: without gast's own `__init__`
    node.id, node.ctx = name, _LOAD
    node.annotation = node.type_comment = node.origin = node.place = None
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


def may_be_literal(value: Any) -> bool:
    """Say whether a value may stand in a text as it is: None, a bool, a number or a text.

    Not one of a class derived from these, which has a meaning of its own.

    >>> class Unit(str):
    ...     pass
    >>> may_be_literal("m"), may_be_literal(Unit("m")), may_be_literal(2.0)
    (True, False, True)
    """
    return value is None or type(value) in (bool, str, int, float)


def constant(value: Any) -> Node:
    """Return a literal; negative numbers become a unary minus, as the parser has it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return gast.UnaryOp(gast.USub(), gast.Constant(-value, None))
    return gast.Constant(value, None)


def assign(target: str | Node, value: Node, like: Node = None) -> Node:
    """Return ``target = value``, placed at the user's line of `like`."""
    node = store(target) if isinstance(target, str) else target
    new = _new(_ASSIGN)
    new.targets, new.value = [node], value
    new.type_comment = new.origin = new.place = None
    return at(new, like)


def add_assign(target: Node, value: Node, like: Node = None) -> Node:
    """Return ``target += value``."""
    return at(gast.AugAssign(target, gast.Add(), value), like)


def call(function: str | Node, *args: Node, **keywords: Node) -> Node:
    """Return a call; a dotted string names the function."""
    func = dotted(function) if isinstance(function, str) else function
    return called(func, list(args), [gast.keyword(k, v) for k, v in keywords.items()])


def called(func: Node, args: list[Node], keywords: list[Node]) -> Node:
    """Return the call of a function that is an expression."""
    node = _new(_CALL)
    node.func, node.args, node.keywords = func, args, keywords
    node.origin = node.place = None
    return node


def attribute(value: Node, name: str) -> Node:
    """Return ``value.name``."""
    node = _new(_ATTRIBUTE)
    node.value, node.attr, node.ctx = value, name, _LOAD
    node.origin = node.place = None
    return node


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
        place = gast.place_of(like)
        if place is not None:
            gast.put_place(node, place)
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
    if kind is _NAME:  # every second one
        new: Any = _new(_NAME)
        new.id, new.ctx, new.type_comment = node.id, node.ctx, node.type_comment
        note = node.annotation
        new.annotation = None if note is None else clone(note)
        new.origin, new.place = node.origin, node.place
    elif kind is list:
        return [clone(item) for item in node]
    elif kind is _BINARY:
        new = _new(_BINARY)
        new.left, new.op, new.right = clone(node.left), node.op, clone(node.right)
        new.origin, new.place = node.origin, node.place
    elif kind is _CALL:
        new = _new(_CALL)
        new.func, new.args = clone(node.func), [clone(item) for item in node.args]
        new.keywords = [clone(item) for item in node.keywords]
        new.origin, new.place = node.origin, node.place
    elif kind is _ATTRIBUTE:
        new = _new(_ATTRIBUTE)
        new.value, new.attr, new.ctx = clone(node.value), node.attr, node.ctx
        new.origin, new.place = node.origin, node.place
    elif _STANDS[kind]:
        return node
    else:
        new = _new(kind)
    given = node.__dict__
    if given:
        new.__dict__ = kept = given.copy()
        if not _KEPT.issuperset(given):  # it has marks that are its alone
            for name in given.keys() - _KEPT:
                del kept[name]
    return new if kind in _AT_ONCE else _filled(new, node, clone)


def _filled(new: Node, node: Node, copy: Callable[[Any], Any]) -> Node:
    """Give a node copies of the fields of another one, and return it."""
    inner, others = _COPIED[node.__class__]
    for name in others:
        setattr(new, name, getattr(node, name, None))
    for name in inner:
        part = getattr(node, name, None)
        setattr(new, name, None if part is None else copy(part))
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
    if kind is _NAME and not node.__dict__:  # as most are, of no more than what `clone` knows
        return clone(node)
    return node if _STANDS[kind] else rebuilt(node, twin)


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
