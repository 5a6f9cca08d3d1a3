"""Writes what is added to a part of an adjoint that was just cleared: no zeros in between.

``grad_u[i] = 0.0; grad_u[i] += t * k`` is ``grad_u[i] = t * k``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.build import at
from srcgrad.ir.lines import take_lines
from srcgrad.ir.program import bound_by, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, found_in, names_read, root_name, statements, walk
from srcgrad.optimizations.fold_constants import is_fresh
from srcgrad.optimizations.purity import Purity


def fill_cleared(
    body: list[Any],
    purity: Purity,
    is_number: Callable[[str], bool] = lambda _: False,
    is_array: Callable[[str], bool] = lambda _: False,
) -> list[Any]:
    """Return `body` with additions to what was cleared written as assignments.

    `is_number` says which names are surely those of numbers, or of their adjoints, and `is_array`
    those of arrays.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> def filled(source):
    ...     return text(fill_cleared(parse(source), purity))
    >>> print(filled("grad_u[i] = 0.0; part = u[i] * t; grad_u[i] -= t * k; grad_u[j] += part"))
    part = u[i] * t
    grad_u[i] = -t * k
    grad_u[j] += part
    >>> print(filled("grad_u[i] = 0.0; grad_u[j] += t * k; p = 2 * t; grad_u[i] += p * k"))
    p = 2 * t
    grad_u[i] = p * k
    grad_u[j] += t * k
    >>> print(filled("grad_u[i] = 0.0; grad_u[j] += t * k; t = 3; grad_u[i] += t * k"))
    grad_u[i] = 0.0
    grad_u[j] += t * k
    t = 3
    grad_u[i] += t * k
    """
    if not any(_clears_adjoint(item, purity) for item in statements(body)):
        return body
    views = {name for item in statements(body) if _is_odd(item) for name in bound_by(item)}
    sharing = Sharing(body, purity.of, lambda name: is_number(name) and name not in views)

    def fill(block: list[Any]) -> None:
        for statement in block:
            for part in blocks_of(statement):
                fill(part)
        place = 0
        while place < len(block):
            found, passed = _addition(block, place, sharing, purity, is_number, is_array)
            if found is None:
                place += 1
            else:
                _assign_early(block, place, found, passed)

    fill(body)
    return body


def _assign_early(block: list[Any], place: int, found: int, passed: list[int]) -> None:
    """Assign what is added at `found` to what is cleared at `place`, before what it has passed."""
    assigned, others = as_assignment(block[found]), [block[i] for i in passed]
    if passed:
        gast.copy_location(assigned, block[place])
        take_lines(assigned, block[found])
    between = [block[i] for i in range(place + 1, found) if i not in passed]
    block[place : found + 1] = [*between, assigned, *others]


def _addition(
    block: list[Any],
    place: int,
    sharing: Sharing,
    purity: Purity,
    is_number: Callable[[str], bool],
    is_array: Callable[[str], bool],
) -> tuple[int | None, list[int]]:
    """Return where something is added to what a statement clears, before anything asks for it.

    It may pass additions to other parts of the array, whose places are returned, too.
    """
    if not _clears_adjoint(block[place], purity):
        return None, []
    target = _cleared(block[place])
    array, index = target.value.id, gast.dump(target.slice)

    def may_ask(names: list[str]) -> bool:  # adjoints that are written lie apart from the primal
        return any(purity.is_adjoint(name) and sharing.may_share(name, array) for name in names)

    fixed = {array, *names_read(target.slice)}
    copies = is_array(array) or bool(found_in(target.slice, gast.Slice))  # as no list does
    passed: list[int] = []
    for later in range(place + 1, len(block)):
        statement = block[later]
        if not isinstance(statement, (gast.Assign, gast.AugAssign)) or not purity.of(statement):
            return None, []
        roots = [root_name(item) or "" for item in targets_of(statement)]
        if roots == [array] and _adds_to(statement, array, index):
            alone = is_number(getattr(statement.value, "id", ""))
            fresh = alone or copies or is_fresh(statement.value)
            asks = may_ask(names_read(statement.value))
            return (None, []) if asks or not fresh else (later, passed)
        if roots == [array] and _adds_to(statement, array) and not may_ask(_operands(statement)):
            passed.append(later)
            continue
        read = {name for i in passed for name in _operands(block[i])}
        changed = {*bound_by(statement), *roots} - {""}
        if any(sharing.may_share(name, other) for name in changed for other in read):
            return None, []  # what it has passed reads that afterwards
        touched = may_ask([*roots, *header_reads(statement)])
        if touched or not fixed.isdisjoint(bound_by(statement)):
            return None, []
    return None, []


def _operands(statement: Any) -> list[str]:
    """Return the names that an addition reads, but for that of what it adds to."""
    return names_read(statement.value) + names_read(statement.target.slice)


def _is_odd(statement: Any) -> bool:
    """Say whether a statement may read a number as a view, as ``x[..., 0]`` does."""
    constants = [n for n in walk(statement) if isinstance(n, gast.Constant)]
    empty = [n for n in walk(statement) if isinstance(n, gast.Tuple) and not n.elts]
    return bool(empty) or any(node.value is Ellipsis for node in constants)


def _cleared(statement: Any) -> Any:
    """Return the part of an array that a statement sets to zero, if it does that."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    zero = isinstance(value, gast.Constant) and type(value.value) is float and value.value == 0
    plain = isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
    return target if zero and plain else None


def _clears_adjoint(statement: Any, purity: Purity) -> bool:
    target = _cleared(statement)
    return target is not None and purity.is_adjoint(target.value.id)


def _adds_to(statement: Any, array: str, index: str = "") -> bool:
    """Say whether a statement adds to a part of an array, of some index, or takes away from it."""
    if not isinstance(statement, gast.AugAssign):
        return False
    target = statement.target
    whole = isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
    adds = isinstance(statement.op, (gast.Add, gast.Sub))
    if not adds or not whole or target.value.id != array:
        return False
    return not index or bool(gast.dump(target.slice) == index)


def as_assignment(statement: Any) -> Any:
    """Return the assignment of what a statement adds to a part that holds zeros."""
    value = statement.value
    if isinstance(statement.op, gast.Sub):
        value = _negative(value)
    return at(gast.Assign([statement.target], value, None), statement)


def _negative(value: Any) -> Any:
    """Return an expression with a minus, which of a product or quotient the first factor gets."""
    if isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Mult, gast.Div)):
        return gast.BinOp(_negative(value.left), value.op, value.right)
    taken = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub)
    return value.operand if taken else gast.UnaryOp(gast.USub(), value)
