"""Says which fields of objects outside are only told values, as the history of an optimisation is.

What a program puts into such a field it reads for none of its results: at most to compare it, or to
put it there again. So it may be put there as it is, without a derivative.
"""

from __future__ import annotations

import inspect
import operator
from collections import deque
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import gast

from srcgrad.errors import SrcgradError
from srcgrad.frontend.expand.session import Session
from srcgrad.frontend.source import find_generator, find_source
from srcgrad.ir.reach import reached_functions, values_of
from srcgrad.ir.walk import nodes_in, walk
from srcgrad.primitives import RECORDS
from srcgrad.runtime.objects import is_plain_object

METHODS: Final = frozenset({"append", "appendleft", "extend", "insert", "add", "update"})
_ALL_FIELDS: Final = frozenset({"__dict__", "vars", "asdict", "astuple", "attrgetter"})
_ASKED: Final = frozenset({"len", "print", "isinstance"})
_PLAIN: Final = frozenset(name[9:] for name in RECORDS if name.startswith("builtins."))
_GETTERS: Final = (operator.attrgetter, operator.methodcaller)
_BRANCHES: Final = (gast.If, gast.While, gast.IfExp, gast.Assert)
_REACHING: Final = (gast.Name, gast.Attribute, gast.Subscript, gast.IfExp, gast.Starred)
_HELD: Final = (list, dict, set, deque)
_MOST: Final = 20_000
"""Values that are looked through: whoever reaches more may reach anything."""


def is_only_told(session: Session, name: str, held: Any) -> bool:
    """Say whether nothing that a program reaches reads the fields of a name for its results.

    `held` is what the field holds now; if that is a list or the like, nobody knows it otherwise.
    """
    key = name, id(held) if isinstance(held, _HELD) else None
    if key not in session.told:
        session.kept.append(held)
        session.told[key] = _is_only_told(session, name, held)
    return session.told[key]


def _is_only_told(session: Session, name: str, held: Any) -> bool:
    if session.starts is None:
        return False
    given = list(session.arguments.values())
    reached = reached_functions(session.starts, given)
    functions = reached.functions
    if not reached.are_all or not all(_only_tells(item, name) for item in functions):
        return False
    if not isinstance(held, _HELD):
        return True
    values = [value for item in functions for value in values_of(item).values()]
    defaults = [value for item in functions for value in item.__defaults__ or ()]
    return _is_held_once([*given, *values, *defaults], held)


def _only_tells(function: FunctionType, name: str) -> bool:
    names, texts = set(_names_in(function.__code__)), set(_texts_in(function.__code__))
    getters = any(isinstance(item, _GETTERS) for item in values_of(function).values())
    if getters or name in texts or not _ALL_FIELDS.isdisjoint(names):
        return False
    if name not in names:
        return True
    bound = {*function.__globals__, *_variables_in(function.__code__)}
    if not bound.isdisjoint(_ASKED | _PLAIN):  # then they are not those of Python
        return False
    try:
        find = find_generator if inspect.isgeneratorfunction(function) else find_source
        tree = find(function).tree
    except SrcgradError:
        return False
    return all(only_told_in(statement, name) for statement in tree.body)


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


def _is_held_once(values: Iterable[Any], held: Any) -> bool:
    """Say whether a list or the like is in no more than one place among values and their parts."""
    waiting, met, found = list(values), set[int](), 0
    found += sum(value is held for value in {id(item): item for item in waiting}.values())
    while waiting:
        value = waiting.pop()
        if id(value) in met or isinstance(value, (str, bytes, int, float, type(None))):
            continue
        met.add(id(value))
        if len(met) > _MOST:
            return False
        parts = list(_parts_of(value))
        found += sum(part is held for part in parts)
        waiting += parts
    return found <= 1


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return value
    if isinstance(value, ModuleType):
        return ()
    if is_plain_object(value) or isinstance(value, type):
        return vars(value).values() if hasattr(value, "__dict__") else ()
    return ()
