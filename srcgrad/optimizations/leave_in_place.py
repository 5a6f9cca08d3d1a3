"""Leaves an adjoint where it is that is taken out, set to zero and added again.

``u[1:-1] = u[1:-1] + k * y`` reads what it overwrites. So the adjoint of that is taken out as
`grad_t`, set to zero, and gets `grad_t` back beside what else there is to add.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any, Final, TypeAlias

from srcgrad.ir import gast
from srcgrad.ir.program import Counts, bound_by, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_read, root_name, statements
from srcgrad.optimizations.delay_clears import Taken, as_load, clears
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity

_SUMS: Final = (gast.Add, gast.Sub)
_ALL: Final = gast.dump(gast.Slice(None, None, None))
_Term: TypeAlias = tuple[bool, Any]


class LeavingInPlace:
    """Leaves adjoints of one body in place, which are not cleared if they are given back.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset(["copied"]))
    >>> def left(source):
    ...     body = parse(source)
    ...     return text(LeavingInPlace(body, purity).run(body))
    >>> print(left('''
    ... grad_t = copied(grad_u[1:])
    ... grad_u[1:] = 0.0
    ... grad_u[:-1] += grad_t * k
    ... grad_u[1:] += grad_t - grad_t * k
    ... '''))
    grad_t = copied(grad_u[1:])
    grad_u[:-1] += grad_t * k
    grad_u[1:] -= grad_t * k
    >>> print(left('''
    ... grad_t = copied(grad_u[0])
    ... grad_u[0] = 0.0
    ... grad_a = grad_u[i]
    ... grad_u[0] += grad_t
    ... '''))
    grad_t = copied(grad_u[0])
    grad_u[0] = 0.0
    grad_a = grad_u[i]
    grad_u[0] += grad_t
    """

    def __init__(self, body: list[Any], purity: Purity) -> None:
        self._body = body
        self._purity = purity

    @property
    def has_taken(self) -> bool:
        """Whether anything is taken out, set to zero and added to again."""
        blocks = [
            self._body,
            *(part for item in statements(self._body) for part in blocks_of(item)),
        ]
        pairs = [pair for block in blocks for pair in pairwise(block)]
        found = [(self._taken(statement), after) for statement, after in pairs]
        return any(taken is not None and clears(after, taken) for taken, after in found)

    def run(self, body: list[Any]) -> list[Any]:
        """Return the body with adjoints left in place."""
        self._movement = Movement(body, self._purity)
        self._counts = Counts(body)
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part)
        gone: set[int] = set()
        for place, statement in enumerate(block[:-2]):
            taken = self._taken(statement)
            if taken is None or self._counts.binds[taken.name] != 1:
                continue
            given = self._given_back(block[place + 2 :], taken)
            if given is None or not clears(block[place + 1], taken):
                continue
            gone.add(id(block[place + 1]))
            reads = self._counts.reads[taken.name]
            if not _take_off(given, taken.name):
                gone.add(id(given))
            if reads == 1:
                gone.add(id(statement))
        return [item for item in block if id(item) not in gone]

    def _taken(self, statement: Any) -> Taken | None:
        """Return what a statement copies out of an adjoint, if it does nothing else."""
        name = _name_bound(statement)
        copy: Any = statement.value if name else None
        if getattr(getattr(copy, "func", None), "id", "") != "copied":
            return None
        part = copy.args[0]
        base = part.value if isinstance(part, gast.Subscript) else part
        array = root_name(part) or ""
        ours = all(map(self._purity.is_adjoint, (name, array))) and self._purity.of(part)
        return Taken(name, array, part) if ours and isinstance(base, gast.Name) else None

    def _given_back(self, later: list[Any], taken: Taken) -> Any:
        """Return the statement that adds again what was taken out, if nobody asks before."""
        for statement in later:
            if not isinstance(statement, (gast.Assign, gast.AugAssign)):
                return None
            if self._is_sum_to(statement, taken.array):
                if _gives(statement, taken):
                    return statement
            elif not self._passes_by(statement, taken) or not self._purity.of(statement.value):
                return None
            if set(bound_by(statement)) & {*names_read(taken.part)}:
                return None
        return None

    def _is_sum_to(self, statement: Any, array: str) -> bool:
        """Say whether a statement adds to an adjoint, and reads it only for that."""
        if not isinstance(statement, gast.AugAssign) or not isinstance(statement.op, _SUMS):
            return False
        if root_name(statement.target) != array:
            return False
        others = header_reads(statement)
        others.remove(array)
        return not self._movement.shares(others, [array])

    def _passes_by(self, statement: Any, taken: Taken) -> bool:
        """Say whether a statement has nothing to do with the memory of an adjoint."""
        roots = [root_name(target) or "" for target in targets_of(statement)]
        return not self._movement.shares([*roots, *header_reads(statement)], [taken.array])


def _name_bound(statement: Any) -> str:
    """Return the one name that a plain assignment binds, or an empty string."""
    bound = bound_by(statement) if isinstance(statement, gast.Assign) else []
    return bound[0] if len(bound) == 1 and isinstance(statement.targets[0], gast.Name) else ""


def _gives(statement: Any, taken: Taken) -> bool:
    """Say whether an update adds what was taken out where it was."""
    target = _whole(as_load(statement.target))
    same = gast.dump(target) == gast.dump(_whole(taken.part))
    adds = same and isinstance(statement.op, gast.Add)
    return adds and any(_is_given(term, taken.name) for term in _terms(statement.value))


def _whole(part: Any) -> Any:
    """Return an array by its name, where all of it is taken as a slice."""
    whole = isinstance(part, gast.Subscript) and gast.dump(part.slice) == _ALL
    return part.value if whole else part


def _is_given(term: _Term, name: str) -> bool:
    return not term[0] and getattr(term[1], "id", "") == name


def _terms(node: Any, *, negative: bool = False) -> list[_Term]:
    """Return the terms of a sum, each with whether it is subtracted."""
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, _SUMS):
        return [(negative, node)]
    turned = negative != isinstance(node.op, gast.Sub)
    return [*_terms(node.left, negative=negative), *_terms(node.right, negative=turned)]


def _take_off(statement: Any, name: str) -> bool:
    """Take a name off the sum that is added; say whether anything is left."""
    terms = _terms(statement.value)
    terms.remove(next(term for term in terms if _is_given(term, name)))
    if not terms:
        return False
    turned = all(negative for negative, _ in terms)
    terms.sort(key=lambda term: term[0])
    if turned:
        statement.op = gast.Sub()
    statement.value = functools.reduce(
        lambda total, term: gast.BinOp(
            total, gast.Sub() if term[0] and not turned else gast.Add(), term[1]
        ),
        terms[1:],
        terms[0][1],
    )
    return True
