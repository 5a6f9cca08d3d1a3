"""Finds writes of a text that mean something else where a slice is no view of its array.

In NumPy ``v = y[1:]; v *= 2`` changes `y`, and ``v += w`` what has another name for `v`. In Dask an
array is never changed: a write gives the name a new one. So both mean the same only where memory
that is written has one name, and no view of it was taken before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from srcgrad.analyses.text_calls import called, makes_new
from srcgrad.runtime import adjoints, copies

_SIZES = frozenset(("dtype", "ndim", "shape", "size"))
_NEW = frozenset((adjoints.zeros_like.__name__, copies.copied.__name__))
_PLAIN_KINDS = frozenset(("bool", "bytes", "dict", "list", "set", "str", "tuple"))
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)


@dataclass(frozen=True, slots=True)
class Write:
    """A write that may be seen under another name.

    Attributes:
        name: The name by which it is written.
        line: The line of the text.
    """

    name: str
    line: int


@dataclass(slots=True)
class _Event:
    """A name that is bound or written, and where: its place in the text, and the loops around."""

    name: str
    place: int
    line: int
    loops: tuple[ast.AST, ...]
    shares: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Events:
    bound: list[_Event] = field(default_factory=list)
    written: list[_Event] = field(default_factory=list)


def shared_writes(tree: ast.Module) -> Iterator[Write]:
    r"""Yield the writes of a module's functions that may be seen under another name.

    >>> [item.name for item in shared_writes(ast.parse("def f(y):\n v = y[1:]\n v[0] = 2"))]
    ['v']
    """
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _in_function(function)


def questions(tree: ast.Module) -> Iterator[int]:
    r"""Yield the lines of a text that ask whether a value is a number or an array of NumPy.

    >>> list(questions(ast.parse("a = isinstance(x, float)\nb = isinstance(x, (str, list))")))
    [1]
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = node.args[1:] if node.func.id == "isinstance" else []
            is_question = bool(asked) and not set(_names(asked[0])) <= _PLAIN_KINDS
            if is_question or (node.func.id == "type" and len(node.args) == 1):
                yield node.lineno


def _in_function(function: ast.FunctionDef) -> Iterator[Write]:
    events = _Events()
    arguments = function.args
    for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        events.bound.append(_Event(item.arg, 0, function.lineno, (), frozenset((item.arg,))))
    _look(function.body, events, ())
    for write in events.written:
        if any(_meets(write, bound) for bound in events.bound):
            yield Write(write.name, write.line)


def _meets(write: _Event, bound: _Event) -> bool:
    """Say whether a write may reach memory that something bound has another name for."""
    if bound.name == write.name:
        return bool(bound.shares)
    if write.name not in bound.shares:
        return False
    return bound.place < write.place or not set(bound.loops).isdisjoint(write.loops)


def _look(body: list[ast.stmt], events: _Events, loops: tuple[ast.AST, ...]) -> None:
    for statement in body:
        _statement(statement, events, loops)
        inner = (*loops, statement) if isinstance(statement, (ast.For, ast.While)) else loops
        for name in ("body", "orelse", "finalbody"):
            _look(getattr(statement, name, []), events, inner)
        for handler in getattr(statement, "handlers", []):
            _look(handler.body, events, inner)


def _statement(statement: ast.stmt, events: _Events, loops: tuple[ast.AST, ...]) -> None:
    place = len(events.bound) + len(events.written) + 1

    def event(name: str, shares: frozenset[str] = frozenset()) -> _Event:
        return _Event(name, place, statement.lineno, loops, shares)

    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            for name, value in _pairs(target, statement.value):
                events.bound.append(event(name, _shares(value)))
            events.written += [event(name) for name in _stored(target)]
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
        names = [target.id] if isinstance(target, ast.Name) else _stored(target)
        events.written += [event(name) for name in names]
    elif isinstance(statement, ast.For):
        for name, value in _pairs(statement.target, statement.iter):
            events.bound.append(event(name, _shares(value)))
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        for position in called(_gast(call)).writes:
            if position < len(call.args):
                events.written += [event(name) for name in _names(call.args[position])]
        events.bound.append(event("", _of_all(call.args)))  # a list may keep what it is given


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of a target with what they are bound to."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _pairs(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        alike = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for place, item in enumerate(target.elts):
            yield from _pairs(item, value.elts[place] if alike else value)  # type: ignore[attr-defined]


def _stored(target: ast.expr) -> list[str]:
    """Return the name of the memory that an assignment to an element writes into."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _stored(item)]
    if not isinstance(target, ast.Subscript):
        return []
    if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
        return []  # an entry of a dict gets another value
    found: ast.expr = target
    while isinstance(found, (ast.Subscript, ast.Attribute)):
        found = found.value
    return [found.id] if isinstance(found, ast.Name) else []


def _shares(value: ast.expr) -> frozenset[str]:
    """Return the names with which a value may share memory."""
    if isinstance(value, ast.Name):
        return frozenset((value.id,))
    if isinstance(value, _FRESH):
        return frozenset()
    if isinstance(value, (ast.Subscript, ast.Starred)):
        return _shares(value.value)
    if isinstance(value, ast.Attribute):
        return frozenset() if value.attr in _SIZES else _shares(value.value)
    if isinstance(value, ast.Call):
        return _of_call(value)
    return frozenset(_names(value))


def _of_call(call: ast.Call) -> frozenset[str]:
    """Return the names with which the result of a call may share memory: any, if it is not new."""
    function, given = call.func, [*call.args, *(item.value for item in call.keywords)]
    if isinstance(function, ast.Name) and function.id in _NEW:
        return frozenset()
    if isinstance(function, ast.Attribute) and not _is_np(function.value):  # x.copy() is np.copy(x)
        name = ast.Attribute(ast.Name("np", ast.Load()), function.attr, ast.Load())
        return _of_call(ast.Call(name, [function.value, *call.args], call.keywords))
    return frozenset() if makes_new(_gast(call)) else _of_all(given)


def _is_np(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "np"


def _of_all(values: list[ast.expr]) -> frozenset[str]:
    return frozenset().union(*map(_shares, values))


def _names(value: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]


def _gast(node: ast.expr) -> Any:
    return gast.ast_to_gast(node)
