"""Says which fields of objects outside are only told values, as the history of an optimisation is.

What a program puts into such a field it reads for none of its results: at most to compare it, or to
put it there again. So it may be put there as it is, without a derivative.
"""

from __future__ import annotations

import inspect
import operator
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.errors import SrcgradError
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.expand.values import Instance, Root
from srcgrad.frontend.source import find_generator, find_source
from srcgrad.ir import gast
from srcgrad.ir.reach import reached_functions, read_outside, values_of
from srcgrad.ir.walk import nodes_in, walk
from srcgrad.primitives import RECORDS
from srcgrad.runtime.objects import held_by

METHODS: Final = frozenset({"append", "appendleft", "extend", "insert", "add", "update"})
_ALL_FIELDS: Final = frozenset({"__dict__", "vars", "asdict", "astuple", "attrgetter"})
_ASKED: Final = frozenset({"len", "print", "isinstance"})
_PLAIN: Final = frozenset(name[9:] for name in RECORDS if name.startswith("builtins."))
_NUMBERS: Final = frozenset(
    name for name in _PLAIN if RECORDS[f"builtins.{name}"].shape in ("number", "each")
)
_MAKERS: Final = frozenset(item.__name__ for item in (list, dict, set, tuple, sorted))
_GETTERS: Final = (operator.attrgetter, operator.methodcaller)
_BRANCHES: Final = (gast.If, gast.While, gast.IfExp, gast.Assert)
_REACHING: Final = (gast.Name, gast.Attribute, gast.Subscript, gast.IfExp, gast.Starred)
_NEVER_CHANGED: Final = (str, bytes, int, float, complex, np.generic)
_HELD: Final = (list, dict, set, deque)
_MOST: Final = 20_000
"""Values that are looked through: whoever reaches more may reach anything."""


def is_only_told(session: Session, owner: Instance, name: str, held: Any) -> bool:
    """Say whether nothing that a program reaches reads the fields of a name for its results.

    `held` is what the field of `owner` holds now. If that is a list or the like, nobody knows it
    otherwise; the text relies on that, since it may be bound elsewhere before another call.
    """
    key = name, id(held) if isinstance(held, _HELD) else None
    if key not in session.told:
        session.kept.append(held)
        session.told[key] = _is_only_told(session, owner, name, held)
    return session.told[key]


def _is_only_told(session: Session, owner: Instance, name: str, held: Any) -> bool:
    if session.starts is None:
        return False
    given = list(session.arguments.values())
    reached = reached_functions(session.starts, given)
    if not reached.are_all:
        return False
    told: list[Any] = []
    for function in reached.functions:
        body = _body_that_only_tells(function, name)
        if body is None:
            return False
        told += body
    if not has_one_name(told, name):
        return False
    if isinstance(held, _HELD):
        inner = _changed_depth(told, name) > 0
        read = HasOneName(tuple(reached.functions), owner.root, name, inner)
        if not read(session.arguments):
            return False
        session.assume(read, True)
        session.deep |= inner
    return True


@dataclass(frozen=True, slots=True)
class HasOneName:
    """Says whether a list or the like, which a field holds now, is known by that field alone.

    Attributes:
        functions: The functions that a program may call.
        owner: How to find the object whose field it is.
        name: The name of the field.
        inner: Whether the lists and the like that are in it must be so, too.
    """

    functions: tuple[FunctionType, ...]
    owner: Root
    name: str
    inner: bool

    def __call__(self, arguments: Mapping[str, Any]) -> bool:
        """Look through the arguments, and what the functions read outside."""
        values = [value for _, value in read_outside(self.functions)]
        held = getattr(self.owner(arguments), self.name)
        return _is_held_once([*arguments.values(), *values], held, inner=self.inner)


def _body_that_only_tells(function: FunctionType, name: str) -> list[Any] | None:
    """Return the statements of a function that names the field; None where it may read it."""
    names, texts = set(_names_in(function.__code__)), set(_texts_in(function.__code__))
    getters = any(isinstance(item, _GETTERS) for item in values_of(function).values())
    if getters or name in texts or not _ALL_FIELDS.isdisjoint(names):
        return None
    if name not in names:
        return []
    bound = {*function.__globals__, *_variables_in(function.__code__)}
    if not bound.isdisjoint(_ASKED | _PLAIN | _MAKERS):  # then they are not those of Python
        return None
    try:
        find = find_generator if inspect.isgeneratorfunction(function) else find_source
        body: list[Any] = find(function).tree.body
    except SrcgradError:
        return None
    return body if all(only_told_in(statement, name) for statement in body) else None


def _names_in(code: Any) -> Iterator[str]:
    yield from code.co_names
    for item in code.co_consts:
        if hasattr(item, "co_names"):
            yield from _names_in(item)


def _variables_in(code: Any) -> Iterator[str]:
    yield from (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    for item in code.co_consts:
        if hasattr(item, "co_names"):
            yield from _variables_in(item)


def _texts_in(constant: Any) -> Iterator[str]:
    """Yield the texts in code: by them fields are read, too, as by a pattern of `match`."""
    if isinstance(constant, str):
        yield constant
    elif isinstance(constant, (tuple, frozenset)):
        for item in constant:
            yield from _texts_in(item)
    elif hasattr(constant, "co_consts"):
        yield from _texts_in(constant.co_consts)


def only_told_in(node: Any, name: str, *, asked: bool = False) -> bool:
    """Say whether the fields of a name are written, asked for in tests, and put there again, alone.

    >>> texts = ["s.h = min(s.h, y)", "if y < s.h: n = 1", "s.h.append(y)", "z = s.h[0] * y"]
    >>> texts += ["if keep(s.h): n = 1", "if (z := s.h) > 0: n = 1"]
    >>> [only_told_in(gast.parse(text).body[0], "h") for text in texts]
    [True, True, True, False, False, False]
    """
    if isinstance(node, gast.Attribute) and node.attr == name:
        stored = isinstance(node.ctx, gast.Store)
        return (stored or asked) and only_told_in(node.value, name)
    place = _told_by(node.value) if isinstance(node, gast.Expr) else None
    if place is not None and field_of(place) == name:
        rest = all(only_told_in(item, name, asked=True) for item in nodes_in(node.value)[1:])
        return rest and only_told_in(_owner(place), name)
    if (
        isinstance(node, gast.Assign)
        and len(node.targets) == 1
        and _is_field(node.targets[0], name)
    ):
        return only_told_in(node.targets[0].value, name) and only_told_in(
            node.value, name, asked=True
        )
    if isinstance(node, gast.AugAssign) and _is_field(node.target, name):
        return only_told_in(node.value, name, asked=True)
    if isinstance(node, gast.Call):  # another may keep what it is given, and hand it out
        inside = getattr(node.func, "id", "") in (_ASKED if not asked else _ASKED | _PLAIN)
    else:
        inside = isinstance(node, gast.Compare) or (
            asked and not isinstance(node, (gast.stmt, gast.NamedExpr))
        )
    return all(
        only_told_in(
            part, name, asked=inside or (isinstance(node, _BRANCHES) and part is node.test)
        )
        for part in nodes_in(node)
    )


def has_one_name(body: list[Any], name: str) -> bool:
    """Say whether what a field holds is changed by no other name: all put there is made there.

    >>> texts = ["s.h = [y]; s.h.append(y)", "s.h = old; s.h.append(y)", "s.h = old"]
    >>> texts += ["k = s.h = []; s.h.append(y)", "s.h.append(old); s.h[-1].append(y)"]
    >>> [has_one_name(gast.parse(text).body, "h") for text in texts]
    [True, False, True, False, False]
    """
    depth = _changed_depth(body, name)
    return depth < 0 or all(_is_made(value, below) for value, below in _put(body, name, depth))


def _changed_depth(body: list[Any], name: str) -> int:
    """Return how deep in what a field holds something is changed: 0 itself, -1 nothing at all."""
    deepest = -1
    for node in _nodes(body):
        place = _told_by(node)
        if isinstance(node, gast.AugAssign):
            place = node.target
        elif isinstance(node, gast.Subscript) and not isinstance(node.ctx, gast.Load):
            place = node.value
        if place is not None and field_of(place) == name:
            deepest = max(deepest, _depth(place))
    return deepest


def _put(body: list[Any], name: str, depth: int) -> Iterator[tuple[Any, int]]:
    """Yield what is put into a field, and how deep it is changed there; None for what is unknown.

    That is what a loop or a tuple puts there, or a statement that puts it elsewhere, too.
    """
    alone = set[int]()
    for node in _nodes(body):
        place = _told_by(node)
        if place is not None and field_of(place) == name:
            yield from ((item, depth - 1 - _depth(place)) for item in node.args)
        elif isinstance(node, gast.Assign) and field_of(node.targets[0]) == name:
            alone |= {id(node.targets[0])} if len(node.targets) == 1 else set()
            yield node.value, depth - _depth(node.targets[0])
        elif isinstance(node, gast.AugAssign) and field_of(node.target) == name:
            alone.add(id(node.target))
            yield node.value, depth - 1 - _depth(node.target)
        elif isinstance(node, gast.AnnAssign) and field_of(node.target) == name:
            alone.add(id(node.target))
            yield node.value or gast.Constant(None, None), depth - _depth(node.target)
        elif (
            isinstance(node, (gast.Attribute, gast.Subscript))
            and isinstance(node.ctx, gast.Store)
            and field_of(node) == name
            and id(node) not in alone
        ):
            yield None, depth - _depth(node)


def _is_made(value: Any, depth: int) -> bool:
    """Say whether a value, and what is in it down to a depth, has no other name."""
    if depth < 0:
        return True
    if isinstance(value, (gast.List, gast.Tuple, gast.Set)):
        return all(_is_made(item, depth - 1) for item in value.elts)
    if isinstance(value, gast.Dict):
        return None not in value.keys and all(_is_made(item, depth - 1) for item in value.values)
    if isinstance(value, (gast.ListComp, gast.SetComp)):
        return _is_made(value.elt, depth - 1)
    if isinstance(value, gast.DictComp):
        return _is_made(value.value, depth - 1)
    if isinstance(value, gast.Call):
        called = getattr(value.func, "id", "")
        return called in _NUMBERS or (called in _MAKERS and depth == 0)
    return isinstance(value, (gast.Constant, gast.JoinedStr, gast.Compare, gast.UnaryOp)) or (
        isinstance(value, gast.BinOp) and depth == 0
    )


def _nodes(body: list[Any]) -> Iterator[Any]:
    return (node for statement in body for node in walk(statement))


def _depth(place: Any) -> int:
    """Return how many subscripts lead from a field to a place in it."""
    found = 0
    while isinstance(place, gast.Subscript):
        place, found = place.value, found + 1
    return found


def lies_apart(value: Any, tree: Any) -> bool:
    """Say whether a value that is kept lies in memory that its function writes into no more.

    >>> tree = gast.parse("u[0] = 1.0")
    >>> texts = ["float(y)", "u", "u[1:]", "(1, u * 2)", "u.copy()"]
    >>> [lies_apart(gast.parse(text, mode="eval").body, tree) for text in texts]
    [True, False, False, True, True]
    """
    writes = any(_writes(node) for node in walk(tree))
    return not writes or not any(isinstance(item, _REACHING) for item in _kept_by(value))


def _kept_by(value: Any) -> list[Any]:
    """Return the parts of a value that are kept as they are."""
    if isinstance(value, (gast.Tuple, gast.List)):
        return [part for item in value.elts for part in _kept_by(item)]
    if isinstance(value, gast.Dict):
        return [part for item in value.values for part in _kept_by(item)]
    return [value]


def _writes(node: Any) -> bool:
    if isinstance(node, gast.Subscript):
        return isinstance(node.ctx, gast.Store)
    if isinstance(node, gast.AugAssign):
        return True
    return isinstance(node, gast.keyword) and node.arg == "out"


def _told_by(call: Any) -> Any:
    """Return what a call tells something, as the list of ``s.h.append(y)``; else None."""
    func: Any = getattr(call, "func", None)
    tells = isinstance(call, gast.Call) and isinstance(func, gast.Attribute)
    return func.value if tells and func.attr in METHODS else None


def field_of(place: Any) -> str:
    """Return the name of the field that ``s.h`` or ``s.h["key"]`` is in, or nothing."""
    while isinstance(place, gast.Subscript):
        place = place.value
    return place.attr if isinstance(place, gast.Attribute) else ""


def _owner(place: Any) -> Any:
    while isinstance(place, gast.Subscript):
        place = place.value
    return place.value


def _is_field(target: Any, name: str) -> bool:
    return isinstance(target, gast.Attribute) and target.attr == name


def _is_held_once(values: Iterable[Any], held: Any, *, inner: bool) -> bool:
    """Say whether a list or the like is in no more than one place among values and their parts.

    So must be those that are in it, if `inner` says that they are changed, too. If not, it is not
    looked through: it may have grown long.
    """
    sought = _held_in(held) if inner else {id(held): held}
    waiting, met = list(values), set[int]() if inner else {id(held)}
    found = Counter(key for key in {id(item) for item in waiting} if key in sought)
    while waiting:
        value = waiting.pop()
        if id(value) in met or value is None or isinstance(value, _NEVER_CHANGED):
            continue
        met.add(id(value))
        if len(met) > _MOST:
            return False
        parts = list(held_by(value))
        found.update(id(part) for part in parts if id(part) in sought)
        waiting += parts
    return max(found.values(), default=0) <= 1


def _held_in(held: Any) -> dict[int, Any]:
    """Return a list or the like and all that are in it, by their identities."""
    found, waiting = dict[int, Any](), [held]
    while waiting:
        value = waiting.pop()
        if id(value) in found or value is None or isinstance(value, _NEVER_CHANGED):
            continue
        found[id(value)] = value
        waiting += held_by(value)
    return found
