"""Writes `try` around what all examples come through alike, or none of them.

An exception ends the run of all examples. So a body may stand in a `try` as long as what is caught
is raised for all of them or for none: for shapes that do not fit, or keys that are not there. What
values decide is refused: an index of each example, a matrix that may be singular, a quotient of
numbers, which Python refuses to divide by zero and NumPy does not.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.jumps import jumps
from srcgrad.ir.scopes import MISSING
from srcgrad.transforms.batching.facts import UNKNOWN, Fact

if TYPE_CHECKING:
    from srcgrad.transforms.batching.writer import Writer

Errors = tuple[type[BaseException], ...]
_JUMPS = (gast.Break, gast.Continue, gast.Return)


def write_try(writer: Writer, statement: Any) -> None:
    """Write a `try` whose body raises for all examples or for none."""
    _refuse_jumps(writer, statement)
    if statement.handlers and writer.masks:
        writer.refuse(statement, "`try` in a branch that not all examples take", "move it out")
    caught = tuple(itertools.chain(*(_caught(writer, item.type) for item in statement.handlers)))
    before, count = dict(writer.env), len(writer.risks)
    seen: list[dict[str, Fact]] = []
    writer.watched.append(seen)
    body = writer.inner(statement.body)
    writer.watched.pop()
    _refuse_risks(writer, writer.risks[count:], caught)
    orelse = writer.inner(statement.orelse) if statement.orelse else []
    end, block = writer.env, statement.orelse or statement.body
    start = before
    for env in seen:
        start = writer.statements.merged(start, env, statement, ([], []))
    handlers = []
    for item in statement.handlers:
        writer.env = dict(start)
        if item.name is not None:
            writer.bind(item.name.id, UNKNOWN)
        inner = writer.inner(item.body)
        handlers.append(gast.ExceptHandler(clone(item.type), clone(item.name), inner))
        end = writer.statements.merged(end, writer.env, statement, (block, item.body))
        block = block if _leaves(item.body) else []
    writer.env = end
    final = writer.inner(statement.finalbody) if statement.finalbody else []
    writer.emit(gast.Try(body, handlers, orelse, final), statement)


def _leaves(block: list[Any]) -> bool:
    return bool(block) and isinstance(block[-1], (*_JUMPS, gast.Raise))


def _refuse_jumps(writer: Writer, statement: Any) -> None:
    """Refuse jumps that `finally` runs before, or makes: what names are behind them it changes."""
    parts = [*statement.body, *statement.orelse, *statement.finalbody]
    parts += [inner for item in statement.handlers for inner in item.body]
    if statement.finalbody and any(isinstance(item, _JUMPS) for item in jumps(parts)):
        writer.refuse(statement, "a jump out of a `try` with `finally`", "leave it at its end")


def _caught(writer: Writer, node: Any) -> Errors:
    """Return the exceptions that a handler is for."""
    if node is None:
        return (BaseException,)
    if isinstance(node, gast.Tuple):
        return tuple(itertools.chain(*(_caught(writer, item) for item in node.elts)))
    found = writer.resolved(node)
    known = found is not MISSING and isinstance(found, type) and issubclass(found, BaseException)
    return (found,) if known else (BaseException,)


def _refuse_risks(writer: Writer, risks: list[Any], caught: Errors) -> None:
    """Refuse a body that may raise what is caught for some of the examples alone."""
    for origin, raised in risks:
        if any(issubclass(a, b) or issubclass(b, a) for a in raised for b in caught):
            writer.refuse(
                origin,
                "what may raise for some of the examples alone, in a `try`,",
                "move it out of the `try`",
            )


def risks_of_division(op: Any, facts: list[Fact]) -> Errors:
    """Return what an operation raises for numbers of Python that the same of arrays does not."""
    numbers = any(fact.batched for fact in facts) and all(not fact.rank for fact in facts)
    if not numbers or all(fact.kind == "array" for fact in facts):
        return ()
    if isinstance(op, gast.Pow):
        return (ZeroDivisionError, OverflowError, ValueError)
    return (ZeroDivisionError,) if isinstance(op, (gast.Div, gast.FloorDiv, gast.Mod)) else ()


def risks_of_call(function: Any, facts: list[Fact], module: str) -> Errors:
    """Return what a call that is written by a module of ours may raise for some examples.

    Those of modules that only arrange and add up raise for shapes, which all examples share.
    """
    numbers = any(fact.batched and fact.dtype in ("i", "") for fact in facts)
    if isinstance(function, np.ufunc) and function.signature is None:
        return (ValueError,) if numbers and function is np.power else ()
    plain = module.rpartition(".")[2] in ("arranging", "making", "types")
    plain = plain or (module.endswith(".elementwise") and function in vars(np).values())
    is_sum = function in (np.sum, np.mean, np.var, np.std, np.dot, np.matmul, np.outer, sum)
    if (plain or is_sum) and not numbers:
        return ()
    return (Exception,)
