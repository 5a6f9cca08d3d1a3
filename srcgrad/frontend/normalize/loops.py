"""Rewrites loops over values with derivatives as loops over their indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcgrad.ir.build import assign, at, call, clone, constant, load, store, subscript
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader


def index_loop(node: Any, reader: Reader, namer: Namer, simple: Callable[[Any], Any]) -> Any | None:
    """Return ``for v in xs`` as ``for i in range(len(xs)): v = xs[i]``; None if it cannot be.

    `xs` may be one sequence, or `enumerate`, `zip` or `reversed` of sequences. `simple` turns an
    expression into a name.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> print(text(program_of('''
    ... def f(xs, n):
    ...     for i, x in enumerate(xs):
    ...         n = n + i * x
    ...     return n
    ... ''').body))
    n_2 = n
    for i_2 in range(len(xs)):
        i_3 = i_2
        x_2 = xs[i_2]
        i_times_x = i_3 * x_2
        n_3 = n_2 + i_times_x
        n_2 = n_3
    out = n_2
    return out
    """
    index = namer.fresh(_index_name(node))
    count, reads, backwards = _parts(node, reader, simple, index)
    if count is None:
        return None
    if backwards:
        last = gast.BinOp(count, gast.Sub(), constant(1))
        iterable = call("range", last, constant(-1), constant(-1))
    else:
        iterable = call("range", count)
    binds = [assign(target, value, node) for target, value in reads]
    return at(gast.For(store(index), iterable, [*binds, *node.body], [], None), node)


def _index_name(node: Any) -> str:
    iterable, target = node.iter, node.target
    if isinstance(target, gast.Tuple) and isinstance(iterable, gast.Call):
        return "i"
    return "i" if isinstance(target, gast.Tuple) or target.id != "i" else "j"


def _parts(
    node: Any, reader: Reader, simple: Callable[[Any], Any], index: str
) -> tuple[Any, list[tuple[Any, Any]], bool]:
    """Return the trip count, the (target, value) pairs read at each index, and the direction."""
    iterable, target = node.iter, node.target
    callee = reader.scope.resolve(iterable.func) if isinstance(iterable, gast.Call) else None
    plain = isinstance(iterable, gast.Call) and not iterable.keywords
    if callee is enumerate and _pair(target) and (start := _start(iterable)) is not None:
        xs = simple(iterable.args[0])
        counter, item = target.elts
        number = load(index)
        if getattr(start, "value", None) != 0:
            number = gast.BinOp(number, gast.Add(), simple(start))
        return _length(xs), [(counter, number), (item, _read(xs, index))], False
    if callee is zip and plain and isinstance(target, gast.Tuple):
        sequences = [simple(item) for item in iterable.args]
        if len(sequences) != len(target.elts):
            return None, [], False
        reads = [(t, _read(xs, index)) for t, xs in zip(target.elts, sequences, strict=True)]
        lengths = [_length(xs) for xs in sequences]
        return (lengths[0] if len(lengths) == 1 else call("min", *lengths)), reads, False
    if callee is reversed and plain:
        xs = simple(iterable.args[0])
        return _length(xs), [(target, _read(xs, index))], True
    if isinstance(iterable, gast.Call) and reader.read(iterable).kind not in ("primitive", "user"):
        return None, [], False
    xs = simple(iterable)
    return _length(xs), [(target, _read(xs, index))], False


def _start(call: Any) -> Any | None:
    """Return where an `enumerate` starts to count, or None if it is called in another way."""
    keywords = {item.arg: item.value for item in call.keywords}
    given = [*call.args[1:], *keywords.values()]
    if len(call.args) not in (1, 2) or set(keywords) - {"start"} or len(given) > 1:
        return None
    return given[0] if given else constant(0)


def _pair(target: Any) -> bool:
    return isinstance(target, gast.Tuple) and len(target.elts) == 2


def _length(xs: Any) -> Any:
    return call("len", clone(xs))


def _read(xs: Any, index: str) -> Any:
    return subscript(clone(xs), load(index))
