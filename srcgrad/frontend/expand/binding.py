"""Binds the arguments of a call to the parameters of a definition."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from types import FunctionType
from typing import Any

from srcgrad.frontend.expand.values import Items, Value, is_whole
from srcgrad.ir import gast
from srcgrad.ir.axes import axes_of, told_axes
from srcgrad.ir.walk import found_in, walk
from srcgrad.runtime.objects import is_named_tuple, is_plain_class


class BindingError(Exception):
    """The arguments do not fit the parameters."""


def bind(
    args: Any, given: list[Value], named: dict[str, Value], defaults: dict[str, Value]
) -> dict[str, Value]:
    """Return the value of each parameter; starred parameters get a tuple or dict of the rest.

    Raises:
        BindingError: The call is one that Python would refuse.
    """
    positional = [item.id for item in [*args.posonlyargs, *args.args]]
    bound: dict[str, Value] = dict(zip(positional, given, strict=False))
    rest = given[len(positional) :]
    named = dict(named)
    only = {item.id for item in args.posonlyargs}
    for name in [*positional, *[item.id for item in args.kwonlyargs]]:
        if name in named and name not in only:
            if name in bound:
                raise BindingError(f"`{name}` is given twice")
            bound[name] = named.pop(name)
        if name not in bound:
            if name not in defaults:
                raise BindingError(f"`{name}` is missing")
            bound[name] = defaults[name]
    if args.vararg is not None:
        bound[args.vararg.id] = Items("tuple", rest)
    elif rest:
        raise BindingError("there are too many arguments")
    if args.kwarg is not None:
        bound[args.kwarg.id] = Items("dict", list(named.values()), list(named))
    elif named:
        raise BindingError(f"there is no parameter `{min(named)}`")
    return bound


def default_values(function: FunctionType) -> dict[str, Any]:
    """Return the objects that the parameters of a function have by default."""
    code = function.__code__
    plain = code.co_varnames[: code.co_argcount]
    found = dict(zip(reversed(plain), reversed(function.__defaults__ or ()), strict=False))
    return {**found, **(function.__kwdefaults__ or {})}


def count_reads(name: str, nodes: list[Any]) -> int:
    """Count how often a name is read; inside of lambdas and loops it counts twice."""
    found = 0
    for node in nodes:
        for item in walk(node):
            if isinstance(item, (gast.Lambda, gast.comprehension, gast.For, gast.While)):
                found += sum(getattr(inner, "id", "") == name for inner in walk(item))
            elif isinstance(item, gast.Name) and item.id == name:
                found += 1
    return found


def sizes_of_star(tree: Any, given: int, named: Collection[str]) -> range | None:
    """Return how many arguments ``*rest`` may hold beside others; None where that is not said.

    `given` are the positional arguments beside it, `named` those by keyword.

    >>> (tree,) = gast.parse("def f(x, a, b, c=1.0): pass").body
    >>> sizes_of_star(tree, 1, []), sizes_of_star(tree, 1, ["c"]), sizes_of_star(tree, 3, ["b"])
    (range(2, 4), range(2, 3), None)
    """
    if tree is None or tree.args.vararg is not None:
        return None
    names = [item.id for item in (*tree.args.posonlyargs, *tree.args.args)]
    most = next((place for place, name in enumerate(names) if name in named), len(names))
    least = min(most, len(names) - len(tree.args.defaults))
    sizes = range(max(0, least - given), most - given + 1)
    return sizes or None


def required(tree: Any, callee: Any) -> list[str] | None:
    """Return the parameters of a function, or of a class, that must all be given; else None.

    >>> import collections
    >>> required(None, collections.namedtuple("Pair", "first, second"))
    ['first', 'second']
    """
    if tree is not None:
        args = tree.args
        optional = args.vararg or args.kwonlyargs or args.kwarg or args.defaults
        return None if optional else [item.id for item in (*args.posonlyargs, *args.args)]
    kind = getattr(callee, "value", callee)
    if not isinstance(kind, type) or not (is_named_tuple(kind) or is_plain_class(kind)):
        return None
    try:
        found = list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError):
        return None
    plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in found)
    return [p.name for p in found] if plain and found else None


def only_passes_on(tree: Any, name: str) -> bool:
    """Say whether all that a function does with a parameter is to pass it on, ``**options``.

    >>> tree = gast.parse("def f(g, a, b={}, c={}): return g(a, **b) + g(a, **c) + len(c)").body[0]
    >>> only_passes_on(tree, "b"), only_passes_on(tree, "c")
    (True, False)
    """
    passed = {id(item.value) for item in found_in(tree, gast.keyword) if item.arg is None}
    read = [node for node in found_in(tree, gast.Name) if node.id == name]
    return all(id(node) in passed or isinstance(node.ctx, gast.Param) for node in read)


def axes_given(tree: Any, bound: Mapping[str, Value]) -> set[str]:
    r"""Return the parameters that tell calls in a function axes and are given literals.

    A parameter that is bound anew is none of them.

    >>> tree = gast.parse("def f(x, i, j):\n    j = j or 0\n    return x.sum(i) + x.max(j)").body[0]
    >>> one, name = gast.Constant(1, None), gast.Name("k", gast.Load(), None, None)
    >>> axes_given(tree, {"i": one, "j": one}), axes_given(tree, {"i": name})
    ({'i'}, set())
    """
    literal = {name for name, v in bound.items() if isinstance(v, gast.AST) and axes_of(v)}
    if not literal:
        return literal
    return (literal & told_axes(tree)) - _bound_anew(tree)


def numbers_given(tree: Any, bound: Mapping[str, Value]) -> set[str]:
    r"""Return the parameters by whose number a function chooses, and that are given a literal.

    A parameter that is bound anew is none of them, nor is one of a function that calls itself: it
    may count how often.

    >>> tree = gast.parse("def f(x, k, n):\n    return x if k == 1 else x * n").body[0]
    >>> one = gast.Constant(1, None)
    >>> numbers_given(tree, {"k": one, "n": one})
    {'k'}
    """
    literal = {name for name, v in bound.items() if is_whole(v)}
    nodes = list(walk(tree)) if literal else []
    if not literal or any(getattr(node, "id", "") == tree.name for node in nodes):
        return set()
    tests = [node.test for node in nodes if isinstance(node, (gast.If, gast.IfExp))]
    asked = {name for test in tests for node in walk(test) for name in _compared_with(node)}
    return (literal & asked) - _bound_anew(tree)


def _compared_with(node: Any) -> list[str]:
    """Return the name that a node compares with a whole number, or with several."""
    if not isinstance(node, gast.Compare) or len(node.ops) != 1:
        return []
    other = node.comparators[0]
    numbers = other.elts if isinstance(other, (gast.Tuple, gast.List, gast.Set)) else [other]
    named = isinstance(node.left, gast.Name)
    return [node.left.id] if named and numbers and all(map(is_whole, numbers)) else []


def _bound_anew(tree: Any) -> set[str]:
    nodes = found_in(tree, gast.Name)
    return {node.id for node in nodes if isinstance(node.ctx, (gast.Store, gast.Del))}
