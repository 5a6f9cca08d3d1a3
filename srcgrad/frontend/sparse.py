"""Refuses what has operators of its own: masked arrays, matrices, ``*`` of sparse matrices."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.frontend.callees import is_library
from srcgrad.frontend.refusals import Refusals
from srcgrad.frontend.remembered import tree_to_read
from srcgrad.ir import gast
from srcgrad.ir.scopes import MISSING, Scope, scope_of
from srcgrad.ir.walk import found_in, walk
from srcgrad.runtime.objects import field_names, is_plain_object
from srcgrad.runtime.own_arithmetic import calculates_otherwise, own_arithmetic
from srcgrad.runtime.products import is_sparse_matrix

_MATRICES: Final = (np.matrix, np.asmatrix, np.bmat)
_OWN: Final = frozenset({"ma", "matrix", "asmatrix", "bmat"})
_TELLING: Final = (
    *(gast.Assign, gast.Attribute, gast.Name, gast.Call, gast.BinOp, gast.AugAssign),
)
_MOST: Final = 10_000  # things that are looked at of those that one from outside holds


def check_sparse(tree: Any, scope: Scope, refusals: Refusals) -> None:
    """Note every ``*`` and ``**`` of a sparse matrix, and what is of a kind of its own."""
    nodes = found_in(tree, *_TELLING)
    local = {
        target.id
        for node in nodes
        if isinstance(node, gast.Assign) and _makes_sparse(node.value, scope)
        for target in node.targets
        if isinstance(target, gast.Name)
    }
    met: set[Any] = set()
    read = {node.attr for node in nodes if isinstance(node, gast.Attribute)}

    @functools.cache
    def kind_of(name: str) -> type | None:
        return next(filter(calculates_otherwise, _kinds_in(scope.lookup(name), read)), None)

    for node in nodes:
        kind = kind_of(node.id) if isinstance(node, gast.Name) else None
        if isinstance(node, gast.Call):
            made = _kinds_made_by(scope.resolve(node.func), met)
            kind = next(filter(calculates_otherwise, made), None)
        if kind is not None:
            refusals.add(node, *own_arithmetic(kind), MissingRuleError)
        operator = getattr(node, "op", None)
        if not isinstance(operator, (gast.Mult, gast.Pow)):
            continue
        sides = (getattr(node, name, None) for name in ("left", "right", "target", "value"))
        if any(_is_sparse(side, scope, local) for side in sides):
            refusals.add(
                node,
                "this product of a sparse matrix is one of matrices",
                "write it with `@`, or make it a sparse array: csr_array instead of csr_matrix",
            )


def _kinds_in(value: Any, read: set[str]) -> Iterator[type]:
    """Yield the type of a value from outside, and of what it holds, in fields that are read."""
    left, met = [value], {id(value): value}
    while left and len(met) <= _MOST:
        value = left.pop()
        yield type(value)
        parts: Iterable[Any] = ()
        if isinstance(value, (list, tuple, dict)) and len(value) <= _MOST:
            parts = value.values() if isinstance(value, dict) else value
        elif is_plain_object(value):
            parts = [getattr(value, name) for name in field_names(value) if name in read]
        for part in parts:
            if id(part) not in met:
                met[id(part)] = part
                left.append(part)


def _kinds_made_by(callee: Any, met: set[Any]) -> Iterator[type]:
    """Yield the types that a call may make, if they are not the usual ones.

    Of a function of the user's those are what classes and functions of NumPy make that it calls,
    itself and in others; those that were `met` in other calls are not looked at again.
    """
    found = [callee]
    while found:
        function = _called(found.pop())
        module = getattr(function, "__module__", None) or ""
        if module == "numpy.ma" or module.startswith("numpy.ma."):
            yield np.ma.MaskedArray
        elif any(function is maker for maker in _MATRICES):
            yield np.matrix
        elif isinstance(function, type):
            yield function
        elif isinstance(function, FunctionType) and function not in met:
            met.add(function)
            found.extend(() if is_library(function) else _reached_from(function))


def _called(callee: Any) -> Any:
    """Return the function that a partial one calls, and the class of a method of a class."""
    while isinstance(callee, functools.partial):
        callee = callee.func
    owner = getattr(callee, "__self__", None)
    return owner if isinstance(owner, type) else callee


def _reached_from(function: FunctionType) -> Iterator[Any]:
    """Yield what a function names: others of the user's, classes, and makers of NumPy."""
    names, outside = function.__code__.co_names, function.__globals__
    values = [outside.get(name) for name in names]
    yield from (value for value in values if isinstance(value, (FunctionType, type)))
    if _OWN.isdisjoint(names) and not any(value is np.ma for value in values):
        return
    tree = tree_to_read(function)
    if tree is None:
        yield from _loaded(function)
        return
    scope, asked = scope_of(function, tree), _asked_for(tree)
    for node in found_in(tree, gast.Attribute, gast.Name):
        if id(node) not in asked:
            yield scope.resolve(node)


def _asked_for(tree: Any) -> set[int]:
    """Return the nodes of classes that a function only asks for: ``isinstance(x, np.matrix)``."""
    calls = [
        node
        for node in found_in(tree, gast.Call)
        if isinstance(node.func, gast.Name) and node.func.id in ("isinstance", "issubclass")
    ]
    return {id(part) for call in calls for item in call.args[1:] for part in walk(item)}


def _loaded(function: FunctionType) -> Iterator[Any]:
    """Yield what the code of a function reads of modules."""
    outside = function.__globals__
    value: Any = None
    for step in dis.get_instructions(function):
        if step.opname == "LOAD_GLOBAL":
            value = outside.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            value = getattr(value, step.argval, None)
        else:
            value = None
        yield value


def _is_sparse(node: Any, scope: Scope, local: set[str]) -> bool:
    while isinstance(node, gast.Attribute) and node.attr in ("T", "H", "real", "imag"):
        node = node.value
    if isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "todense":
        return _is_sparse(node.func.value, scope, local)
    if isinstance(node, gast.Name):
        return node.id in local or is_sparse_matrix(scope.lookup(node.id))
    return _makes_sparse(node, scope)


def _makes_sparse(node: Any, scope: Scope) -> bool:
    """Say whether a call is one of a function of ``scipy.sparse`` that makes a sparse matrix."""
    if not isinstance(node, gast.Call):
        return False
    callee = scope.resolve(node.func)
    module = getattr(callee, "__module__", None) or ""
    if callee is MISSING or not module.startswith("scipy.sparse._"):
        return False
    return not callee.__name__.endswith("_array")
