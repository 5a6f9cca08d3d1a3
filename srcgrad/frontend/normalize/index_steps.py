"""Writes loops that read what they run over by an index: lists that grow, and all of an array."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, method, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.scopes import Scope


def growing_loop(node: Any, namer: Namer) -> list[Any]:
    """Return a loop over a list that its own body changes, as Python runs it: by a moving index.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (loop,) = parse('''
    ... for x in xs:
    ...     xs.append(x)
    ... ''')
    >>> print(text(growing_loop(loop, Namer(["x", "xs"]))))
    i = 0
    while i < len(xs):
        x = xs[i]
        i = i + 1
        xs.append(x)
    """
    index = namer.fresh("i")
    one_more = gast.BinOp(load(index), gast.Add(), constant(1))
    read = assign(node.target, entry_of(node.iter, load(index)), node)
    test = gast.Compare(load(index), [gast.Lt()], [length_of(node.iter)])
    body = [read, assign(index, one_more, node), *node.body]
    start = assign(index, constant(0), node)
    return [start, at(gast.While(test, body, []), node)]


def element_loop(node: Any, numpy: Any, array: Any) -> Any | None:
    """Return a loop over the indices of an array for one over ``np.ndenumerate(array)``.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (loop,) = parse("for (i, j), v in np.ndenumerate(a): total += v * i")
    >>> print(text([element_loop(loop, load("np"), load("a"))]))
    for i, j in np.ndindex(np.shape(a)):
        v = a[i, j]
        total += v * i
    """
    if not is_pair(node.target):
        return None
    index, item = node.target.elts
    names = [getattr(part, "id", "") for part in getattr(index, "elts", [index])]
    if "" in names or len({*names}) < len(names):
        return None
    single = isinstance(index, gast.Name)
    place = load(index.id) if single else gast.Tuple([load(n) for n in names], gast.Load())
    shape = method(clone(numpy), "shape", clone(array))
    steps = at(method(clone(numpy), "ndindex", shape), node.iter)
    return bound_loop(index, steps, [(item, entry_of(array, place))], node)


def is_of_columns(node: Any, scope: Scope) -> bool:
    """Say whether an expression is ``zip(*rows)``: of rows that only the run tells."""
    return (
        isinstance(node, gast.Call)
        and len(node.args) == 1
        and isinstance(node.args[0], gast.Starred)
        and not node.keywords
        and scope.resolve(node.func) is zip
    )


def bound_loop(target: Any, iterable: Any, binds: list[tuple[Any, Any]], node: Any) -> Any:
    """Return a loop that binds names to values, and then does what the body of another does."""
    first = [assign(to, value, node) for to, value in binds]
    return at(gast.For(target, iterable, [*first, *node.body], [], None), node)


def is_pair(target: Any) -> bool:
    """Say whether a target takes two values."""
    return isinstance(target, gast.Tuple) and len(target.elts) == 2


def length_of(xs: Any) -> Any:
    """Return the expression of a length."""
    return call("len", clone(xs))


def entry_of(xs: Any, index: Any) -> Any:
    """Return the expression of an entry."""
    return subscript(clone(xs), clone(index))
