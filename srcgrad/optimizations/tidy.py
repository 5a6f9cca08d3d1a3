"""Puts the finishing touches on a body: branches the right way round, no empty ones."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.walk import blocks_of
from srcgrad.optimizations.width import width

_WIDEST_TEST: Final = 70

_NEGATED: Final = {
    gast.Eq: gast.NotEq,
    gast.NotEq: gast.Eq,
    gast.Is: gast.IsNot,
    gast.IsNot: gast.Is,
    gast.In: gast.NotIn,
    gast.NotIn: gast.In,
}


def tidy(block: list[Any]) -> list[Any]:
    """Return `block` without empty branches; ``if a: pass else: b`` becomes ``if not a: b``.

    An `if` that holds nothing but another becomes one of both.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... if n == 0:
    ...     pass
    ... else:
    ...     x = 1
    ... if x:
    ...     pass
    ... if x:
    ...     if y:
    ...         z = 1
    ... ''')
    >>> print(text(tidy(body)))
    if n != 0:
        x = 1
    if x and y:
        z = 1
    """
    kept: list[Any] = []
    for statement in block:
        for part in blocks_of(statement):
            part[:] = tidy(part)
        if isinstance(statement, gast.If) and not statement.body:
            if not statement.orelse:
                continue
            statement.test = _negate(statement.test)
            statement.body, statement.orelse = statement.orelse, []
        _join_nested(statement)
        if _tries_nothing(statement):
            kept.extend([*statement.body, *statement.finalbody])
            continue
        if isinstance(statement, (gast.For, gast.While, gast.With)) and not statement.body:
            statement.body = [gast.Pass()]
        if not isinstance(statement, gast.Pass):
            kept.append(statement)
            kept.extend(_after_jump(statement))
    return kept


def _join_nested(statement: Any) -> None:
    """Write ``if a and b:`` for ``if a:`` that holds nothing but ``if b:``."""
    inner = statement.body[0] if isinstance(statement, gast.If) and statement.body else None
    if not isinstance(inner, gast.If) or len(statement.body) > 1:
        return
    tests = [part for test in (statement.test, inner.test) for part in _conjuncts(test)]
    joined = gast.BoolOp(gast.And(), tests)
    if not statement.orelse and not inner.orelse and width(joined) <= _WIDEST_TEST:
        statement.test, statement.body = joined, inner.body


def _conjuncts(test: Any) -> list[Any]:
    is_and = isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And)
    return list(test.values) if is_and else [test]


def _tries_nothing(statement: Any) -> bool:
    """Say whether a `try` has nothing to run, or catches nothing and does nothing at last."""
    if not isinstance(statement, gast.Try):
        return False
    return not statement.body or not (statement.handlers or statement.finalbody)


def _after_jump(statement: Any) -> list[Any]:
    """Take the branch that stays out of an `if` whose other branch leaves."""
    if not isinstance(statement, gast.If) or not statement.orelse:
        return []
    if _leaves(statement.orelse) and not _leaves(statement.body):
        statement.test = _negate(statement.test)
        statement.body, statement.orelse = statement.orelse, statement.body
    if not _leaves(statement.body):
        return []
    rest, statement.orelse = statement.orelse, []
    return list(rest)


def _leaves(block: list[Any]) -> bool:
    return isinstance(block[-1], (gast.Break, gast.Raise))


def _negate(test: Any) -> Any:
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _NEGATED:
        test.ops[0] = _NEGATED[type(test.ops[0])]()
        return test
    return gast.UnaryOp(gast.Not(), test)
