"""Gives a function one exit: what it returns is kept under a name, and returned at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.frontend.normalize.exits import Exits
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load
from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import blocks_of

_DIFFERENT: Final = "the function returns tuples of different lengths"


@dataclass(frozen=True, slots=True)
class OneExit:
    """A function with one exit.

    Attributes:
        tree: The function.
        results: The names under which the result is kept.
        flags: The names that say by which jump a block was left.
        returned: Those that say that the result is kept.
    """

    tree: Any
    results: tuple[str, ...]
    flags: frozenset[str] = frozenset()
    returned: frozenset[str] = frozenset()


def single_exit(tree: Any, namer: Namer, refusals: Refusals) -> OneExit:
    """Return `tree` with one `return`, of a name or a tuple of names, as its last statement.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (tree,) = parse('''
    ... def f(x):
    ...     if x > 0:
    ...         return x
    ...     return -x
    ... ''')
    >>> print(text([single_exit(tree, Namer(), None).tree]))
    def f(x):
        if x > 0:
            out = x
        else:
            out = -x
        return out
    """
    body = list(tree.body)
    if any(isinstance(getattr(item, "value", None), gast.Tuple) for item in jumps(body)):
        body = _with_chosen_tuples(body)
    if falls_through(body):
        body.append(at(gast.Return(None), tree))
    returns = [item for item in jumps(body) if isinstance(item, gast.Return)]
    given = [item for item in returns if not _is_nothing(item.value)] or returns
    arities = Counter(_arity(item.value) for item in reversed(given))  # of two, the last wins
    arity = max(arities, key=arities.__getitem__, default=None)
    if any(_arity(item.value) != arity for item in returns):
        for item in returns:
            if _arity(item.value) != arity:
                refusals.add(item, _DIFFERENT, "return the same number of values on every path")
        return OneExit(tree, ())
    names = _result_names(arity, namer)
    exits = Exits(namer, lambda item: _assign_result(item, names, arity is not None))
    tree.body = exits.function(body)
    values = [load(name) for name in names]
    value = gast.Tuple(values, gast.Load()) if arity is not None else values[0]
    tree.body.append(at(gast.Return(value), (tree.body or [tree])[-1]))  # `()` binds nothing
    return OneExit(tree, tuple(names), frozenset(exits.flags), frozenset(exits.returned))


def _with_chosen_tuples(body: list[Any]) -> list[Any]:
    """Return a body with branches in the place of what returns one tuple or another."""
    done: list[Any] = []
    for statement in body:
        for block in blocks_of(statement):
            block[:] = _with_chosen_tuples(block)
        value = statement.value if isinstance(statement, gast.Return) else None
        if not isinstance(value, gast.IfExp) or not _may_be_tuple(value):
            done.append(statement)
            continue
        ends = ([at(gast.Return(part), statement)] for part in (value.body, value.orelse))
        then, other = map(_with_chosen_tuples, ends)
        done.append(at(gast.If(value.test, then, other), statement))
    return done


def _may_be_tuple(value: Any) -> bool:
    if isinstance(value, gast.IfExp):
        return _may_be_tuple(value.body) or _may_be_tuple(value.orelse)
    return isinstance(value, gast.Tuple)


def _is_nothing(value: Any) -> bool:
    """Say whether a function returns None, or False: the other results have derivatives."""
    return value is None or isinstance(value, gast.Constant)


def _arity(value: Any) -> int | None:
    return len(value.elts) if isinstance(value, gast.Tuple) else None


def _result_names(arity: int | None, namer: Namer) -> list[str]:
    if arity is None:
        return [namer.fresh("out")]
    return [namer.fresh(f"out_{i + 1}") for i in range(arity)]


def _assign_result(item: Any, names: list[str], is_tuple: bool) -> list[Any]:
    if is_tuple:
        pairs = zip(names, item.value.elts, strict=True)
        return [assign(name, value, item) for name, value in pairs]
    value = item.value if item.value is not None else gast.Constant(None, None)
    return [assign(names[0], value, item)]
