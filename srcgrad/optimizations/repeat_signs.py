"""Writes ``-x``, or `x` itself, where an adjoint is no more than that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.lines import take_lines
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import Counts, targets_of
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, root_name, statements
from srcgrad.optimizations.fold_constants import is_fresh
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST


class SignRepetition:
    """Leaves out adjoints ``grad_a = -grad_b`` and ``grad_a = 1.0 * r``, which others read.

    A minus goes into sums that are differences then, so that no more is computed. What is read for
    ``1.0 * r`` has to be an operand of arithmetic, which makes a value of its own. `is_float(name)`
    says which names surely hold floating-point numbers; `width(node)` is the printed width of an
    expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> repetition = SignRepetition(purity, lambda name: True, width)
    >>> def shown(source):
    ...     return text(repetition.run(parse(source)))
    >>> print(shown("grad_a = -grad_s; grad_x[j] += grad_a * b; grad_b = grad_a * x[j]"))
    grad_x[j] += -grad_s * b
    grad_b = -grad_s * x[j]
    >>> print(shown("grad_r = 1.0 * r; grad_a = grad_r * x; grad_b = -grad_r"))
    grad_a = r * x
    grad_b = -r
    >>> print(shown("grad_r = 1.0 * r; grad_a = grad_r * x; grad_b = grad_r"))
    grad_r = 1.0 * r
    grad_a = grad_r * x
    grad_b = grad_r
    """

    def __init__(
        self, purity: Purity, is_float: Callable[[str], bool], width: Callable[[Any], int]
    ) -> None:
        self._purity = purity
        self._is_float = is_float
        self._width = width

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with signs repeated."""
        self._movement = Movement(body, self._purity)
        self._counts = Counts(body)
        self._stored: set[str | None] | None = None
        self._body = body
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        kept: list[Any] = []
        for place, statement in enumerate(block):
            for part in blocks_of(statement):
                part[:] = self._block(part)
            name, value = self._shown(statement)
            readers = self._readers(block[place + 1 :], name, statement) if name else []
            if not readers or not _fit(readers, name, value):
                kept.append(statement)
                continue
            for reader in readers:
                put(reader, {name: value})
                self._movement.touched(reader)
                take_lines(reader, statement)
        return kept

    def _shown(self, statement: Any) -> tuple[str, Any]:
        """Return an adjoint that is another value but for a sign, and what is to be read for it."""
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        name = target.id if isinstance(target, gast.Name) else ""
        if not self._purity.is_adjoint(name) or CLOSING.of(statement):
            return "", None
        value = self._but_for_a_sign(statement.value)
        counts = self._counts
        if value is None or counts.binds[name] != 1 or not counts.reads[name]:
            return "", None
        return ("", None) if self._is_written(name) else (name, value)

    def _but_for_a_sign(self, value: Any) -> Any:
        """Return what is to be read for a value that is another one but for a sign, or None."""
        turned = isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub)
        if turned and isinstance(value.operand, gast.Name):
            return value
        scaled = isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult)
        once = scaled and getattr(value.left, "value", None) == 1.0
        if once and isinstance(value.right, gast.Name) and self._is_float(value.right.id):
            return value.right
        return None

    def _is_written(self, name: str) -> bool:
        """Say whether something is added to what a name is bound to, or stored in it."""
        if self._stored is None:
            self._stored = {
                root_name(target)
                for item in statements(self._body)
                for target in targets_of(item)
                if isinstance(item, gast.AugAssign) or not isinstance(target, gast.Name)
            }
        return name in self._stored

    def _readers(self, rest: list[Any], name: str, source: Any) -> list[Any]:
        """Return the statements that read a name, if each may read what it was made of."""
        found: list[Any] = []
        asked = 0
        self._movement.wait(source, name)
        for statement in rest:
            made = self._movement.effects(statement)
            times = made.reads.count(name)
            if times:
                asked += times
                found.append(statement)
                if not self._may_read(statement, times):
                    return []
            if asked == self._counts.reads[name]:
                return found
            if self._movement.stops(made, name, source):
                return []
        return []

    def _may_read(self, statement: Any, times: int) -> bool:
        if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)):
            return False
        if isinstance(statement, gast.Return):
            return True
        return self._width(statement.value) + times <= WIDEST


def _fit(readers: list[Any], name: str, value: Any) -> bool:
    """Say whether what is read instead costs no more, and is nobody's memory."""
    if isinstance(value, gast.Name):
        return all(_is_operand(item, name) for reader in readers for item in _values(reader))
    return sum(not _takes_minus(reader, name) for reader in readers) <= 1


def _values(statement: Any) -> list[Any]:
    value = statement.value
    return list(value.elts) if isinstance(value, gast.Tuple) else [value]


def _is_operand(node: Any, name: str) -> bool:
    """Say whether a name is read but by what makes a value of its own."""
    if isinstance(node, gast.Name):
        return bool(node.id != name)
    if is_fresh(node):
        parts = _parts(node)
        return all(isinstance(part, gast.Name) or _is_operand(part, name) for part in parts)
    return name not in {item.id for item in gast.walk(node) if isinstance(item, gast.Name)}


def _parts(node: Any) -> list[Any]:
    if isinstance(node, gast.Call):
        return [*node.args, *(item.value for item in node.keywords)]
    if isinstance(node, gast.UnaryOp):
        return [node.operand]
    return [node.left, node.right] if isinstance(node, gast.BinOp) else []


def _takes_minus(statement: Any, name: str) -> bool:
    """Say whether a minus of a name becomes that of a difference."""
    value = getattr(statement, "value", None)
    terms = list(_terms(value, added=isinstance(statement, gast.AugAssign)))
    return any(_leads(term, name) for term in terms)


def _terms(node: Any, *, added: bool) -> Iterator[Any]:
    """Yield the terms of a sum whose sign can be that of an operator."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        yield from _terms(node.left, added=isinstance(node.op, gast.Add))
        yield from _terms(node.right, added=True)
    elif added:
        yield node


def _leads(node: Any, name: str) -> bool:
    """Say whether a product, or the sum of its entries, begins with a name."""
    while isinstance(node, (gast.BinOp, gast.Call)):
        if isinstance(node, gast.Call):
            func = node.func
            if not isinstance(func, gast.Attribute) or func.attr != "sum":
                return False
            module = getattr(func.value, "id", "") == "np"
            node = (node.args or [None])[0] if module else func.value
        else:
            node = node.left
    return isinstance(node, gast.Name) and bool(node.id == name)
