"""Returns what the last line contributes as it is computed, rather than by a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import at, name_adjoint
from srcgrad.ir.lines import take_lines
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import count_reads
from srcgrad.ir.putting import put
from srcgrad.ir.walk import names_read
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST


def return_directly(body: list[Any], purity: Purity, width: Callable[[Any], int]) -> list[Any]:
    """Return `body` with adjoints of the user's last line put into the `return` that reads them.

    They go there as long as the `return` stays on one line; `width(node)` is the printed width of
    an expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> body = parse("grad_a = b * c; grad_b = a * c; grad_a += a; return grad_a, grad_b")
    >>> print(text(return_directly(body, purity, width)))
    return b * c + a, a * c
    >>> body = parse("grad_a = b * c; grad_b[0] += c; return grad_a, grad_b")
    >>> print(text(return_directly(body, purity, width)))
    grad_b[0] += c
    return b * c, grad_b
    >>> body = parse("grad_c = grad_a[:]; grad_c += b; return grad_a + grad_c * d")
    >>> print(text(return_directly(body, purity, width)))
    grad_c = grad_a[:]
    grad_c += b
    return grad_a + grad_c * d
    """
    last = body[-1] if body else None
    if not isinstance(last, gast.Return) or last.value is None or len(body) < 2:
        return body
    line = getattr(body[-2], "lineno", None)
    movement = Movement(body, purity)
    gone: set[int] = set()
    between: list[Any] = []  # what stays between a statement and the last one, backwards
    reads: Counter[str] = Counter()  # of it
    for statement in reversed(body[:-1]):
        if getattr(statement, "lineno", None) != line or isinstance(statement, (Blank, Comment)):
            break
        read_before = reads[_bound_to(statement)] > 0
        if not read_before and _goes_into(last, statement, between, movement, purity, width):
            gone.add(id(statement))
        else:
            between.append(statement)
            reads.update(count_reads([statement]))
    return [item for item in body if id(item) not in gone]


def _goes_into(
    last: Any,
    statement: Any,
    between: list[Any],
    movement: Movement,
    purity: Purity,
    width: Callable[[Any], int],
) -> bool:
    """Put what a statement computes into the `return`, past what is between them, if it may."""
    name = _bound_to(statement)
    if not purity.is_adjoint(name):
        return False
    value, shown = _value_of(statement), names_read(last.value)
    if shown.count(name) != 1 or not purity.of(value):
        return False
    if width(last.value) + width(value) - len(name) > WIDEST:
        return False
    waiting = {name: statement}
    if any(movement.stopped(item, waiting) for item in between):
        return False
    others = {item for item in shown if item != name}
    if isinstance(statement, gast.AugAssign) and movement.shares([name], others):
        return False  # they are read after the update, under which they change
    name_adjoint(value, name)
    last.value = put(last.value, {name: value})
    at(last, statement)
    take_lines(last, statement)
    return True


def _bound_to(statement: Any) -> str:
    """Return the name that a statement binds or adds to, or an empty string."""
    target = None
    if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, gast.AugAssign):
        target = statement.target
    return target.id if isinstance(target, gast.Name) else ""


def _value_of(statement: Any) -> Any:
    if isinstance(statement, gast.Assign):
        return statement.value
    read = gast.Name(statement.target.id, gast.Load(), None, None)
    return gast.BinOp(read, statement.op, statement.value)
