"""Says which parameters of a function are containers or vectors, by how it uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from types import FunctionType
from typing import Any

from srcgrad.frontend.callees import is_library
from srcgrad.frontend.remembered import remembered, tree_to_read
from srcgrad.frontend.weak_memory import PerFunction
from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope, scope_of
from srcgrad.ir.walk import found_in, names_bound, root_name, walk


@PerFunction
def container_parameters(function: FunctionType) -> frozenset[str]:
    """Return the parameters that are read by string keys, unpacked, or passed on to be.

    One that is asked what it is may be another thing in another call.
    """
    found: frozenset[str] = _parameters_of(function)
    return found


@remembered(frozenset)
def _parameters_of(function: FunctionType, seen: frozenset[FunctionType]) -> frozenset[str]:
    if is_library(function):
        return frozenset()
    tree = tree_to_read(function)
    if tree is None:
        return frozenset()
    scope = scope_of(function, tree)
    found: set[str] = set()
    for node in walk(tree):
        found.update(_shown_by(node))
        if isinstance(node, gast.Call):
            found.update(_passed_on(node, scope, seen))
    found -= {name for node in walk(tree) for name in _asked_by(node, scope)}
    names = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
    return frozenset(found & {item.id for item in names})


def _asked_by(node: Any, scope: Scope) -> list[str]:
    """Return the name that a node asks what it is, as ``isinstance(v, dict)``."""
    is_call = isinstance(node, gast.Call) and bool(node.args)
    if not is_call or not isinstance(node.args[0], gast.Name):
        return []
    asks = any(scope.resolve(node.func) is known for known in (isinstance, hasattr, type))
    return [node.args[0].id] if asks else []


@PerFunction
def vector_parameters(function: FunctionType) -> frozenset[str]:
    """Return the parameters that are used by elements only: ``x[i]`` with integers, and ``len(x)``.

    One who reads such a function takes them for vectors, unless the elements have elements.
    """
    found: frozenset[str] = _vectors_of(function)
    return found


@remembered(frozenset)
def _vectors_of(function: FunctionType, seen: frozenset[FunctionType]) -> frozenset[str]:
    if is_library(function):
        return frozenset()
    tree = tree_to_read(function)
    if tree is None:
        return frozenset()
    scope = scope_of(function, tree)
    if not _may_take_elements(tree, scope):
        return frozenset()
    names = {item.id for item in [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]}
    counters = _counters(tree, scope)
    rows = _with_axes(tree)
    uses: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    elements: set[str] = set()
    for node in walk(tree):
        if id(node) in rows:
            continue  # it is no number, so what it is read from is no vector
        if (
            isinstance(node, gast.Name)
            and node.id in names
            and not isinstance(node.ctx, gast.Param)
        ):
            uses[node.id] += 1
        for name, is_element in _element_uses(node, scope, counters, seen):
            plain[name] += 1
            if is_element:
                elements.add(name)
    return frozenset(name for name in elements & names if plain[name] == uses[name])


def _may_take_elements(tree: Any, scope: Scope) -> bool:
    """Say whether a function takes elements of anything, or calls one that may."""
    return any(
        isinstance(scope.resolve(node.func), FunctionType)
        if isinstance(node, gast.Call)
        else _may_be_integer(node.slice)
        for node in found_in(tree, gast.Subscript, gast.Call)
    )


def _may_be_integer(index: Any) -> bool:
    """Say whether an index may be made of integers and names that count."""
    if isinstance(index, gast.Constant):
        return type(index.value) is int
    return isinstance(index, (gast.Name, gast.UnaryOp, gast.BinOp))


def _with_axes(tree: Any) -> set[int]:
    """Return what is used as numbers are not, by identity.

    That are the operands of ``@`` and of `dot` and `matmul`, and what has elements.
    """
    found: set[int] = set()
    indexed = {root_name(node) for node in found_in(tree, gast.Subscript)}
    for node in found_in(tree, gast.BinOp, gast.Call, gast.Assign, gast.Subscript):
        if isinstance(node, gast.BinOp) and isinstance(node.op, gast.MatMult):
            found.update((id(node.left), id(node.right)))
        elif isinstance(node, gast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("dot", "matmul"):
                found.update(id(item) for item in [*node.args, getattr(node.func, "value", None)])
        elif _shows_elements(node, indexed):
            found.add(id(node.value))
    return found


def _shows_elements(node: Any, indexed: Collection[str | None]) -> bool:
    """Say whether a node takes an element of a value, or names one of which elements are taken."""
    if isinstance(node, gast.Assign):
        names = [target.id for target in node.targets if isinstance(target, gast.Name)]
        return any(name in indexed for name in names)
    return isinstance(node, gast.Subscript) and isinstance(node.value, gast.Subscript)


def _counters(tree: Any, scope: Scope) -> set[str]:
    """Return the names that only range loops bind."""
    found: set[str] = set()
    others: set[str] = set()
    for node in found_in(tree, gast.For, gast.Assign):
        if isinstance(node, gast.For) and isinstance(node.iter, gast.Call):
            counts = scope.resolve(node.iter.func) is range and isinstance(node.target, gast.Name)
            (found if counts else others).update(names_bound(node.target))
        elif isinstance(node, gast.Assign):
            others.update(name for target in node.targets for name in names_bound(target))
    return found - others


def _element_uses(
    node: Any, scope: Scope, counters: set[str], seen: frozenset[FunctionType]
) -> list[tuple[str, bool]]:
    """Return the names that a node uses as vectors, and whether it reads an element."""
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        return [(node.value.id, True)] if _is_integer(node.slice, counters) else []
    if not isinstance(node, gast.Call):
        return []
    callee = scope.resolve(node.func)
    if callee is len:
        return [(item.id, False) for item in node.args if isinstance(item, gast.Name)]
    if not isinstance(callee, FunctionType):
        return []
    inner = _vectors_of(callee, seen)
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    pairs = [*zip(order, node.args, strict=False), *[(k.arg, k.value) for k in node.keywords]]
    return [(v.id, True) for name, v in pairs if name in inner and isinstance(v, gast.Name)]


def _is_integer(node: Any, counters: set[str]) -> bool:
    if isinstance(node, gast.Constant):
        return type(node.value) is int
    if isinstance(node, gast.Name):
        return node.id in counters
    if isinstance(node, gast.UnaryOp):
        return _is_integer(node.operand, counters)
    if isinstance(node, gast.BinOp):
        return _is_integer(node.left, counters) and _is_integer(node.right, counters)
    return False


def _shown_by(node: Any) -> list[str]:
    if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
        key = getattr(node.slice, "value", None)
        return [node.value.id] if isinstance(key, str) else []
    if isinstance(node, gast.Assign) and isinstance(node.targets[0], (gast.Tuple, gast.List)):
        return [node.value.id] if isinstance(node.value, gast.Name) else []
    if isinstance(node, gast.For) and isinstance(node.target, gast.Tuple):
        return [node.iter.id] if isinstance(node.iter, gast.Name) else []
    return []


def _passed_on(call: Any, scope: Scope, seen: frozenset[FunctionType]) -> list[str]:
    callee = scope.resolve(call.func)
    if not isinstance(callee, FunctionType):
        return []
    inner = _parameters_of(callee, seen)
    order = callee.__code__.co_varnames[: callee.__code__.co_argcount]
    pairs = [*zip(order, call.args, strict=False), *[(k.arg, k.value) for k in call.keywords]]
    return [value.id for name, value in pairs if name in inner and isinstance(value, gast.Name)]
