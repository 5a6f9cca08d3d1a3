"""Adds to the adjoint of an array directly what comes by a copy of it.

``un = u.copy()`` is read beside `u`, which is written meanwhile, and has an adjoint of its own.
Where nothing asks for that of `u` before this is added to it, both are one: no zeros are made, no
sum is taken, and the copy itself need not be kept for its shape.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.names import Namer
from srcgrad.ir.program import Counts, bound_by, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, root_name, statements, walk
from srcgrad.locks import kept_property

_PASSED = (gast.Assign, gast.AugAssign, gast.For, gast.If)
_SUMS = (gast.Add, gast.Sub)


class OriginalAdjoints:
    """Looks for adjoints in one body that are added to those of originals.

    `is_pure(value)` says which expressions have no effect, and `same(first, second)` which operands
    surely have one shape.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> def directly(source):
    ...     namer = Namer(["u", "un"])
    ...     namer.adjoint("u"), namer.adjoint("un")
    ...     body = parse(source)
    ...     OriginalAdjoints(body, namer, callable, lambda *_: True).run()
    ...     return text(body)
    >>> print(directly('''
    ... un = u.copy()
    ... grad_un = zeros_like(un)
    ... grad_un[1:] += grad_y
    ... grad_u[0] -= grad_z
    ... grad_un[:-1] -= grad_y
    ... grad_u += grad_un
    ... '''))
    un = u.copy()
    grad_u[1:] += grad_y
    grad_u[0] -= grad_z
    grad_u[:-1] -= grad_y
    >>> print(directly('''
    ... un = u.copy()
    ... grad_un = zeros_like(un)
    ... grad_un[1:] += grad_u[1:]
    ... grad_u += grad_un
    ... '''))
    un = u.copy()
    grad_un = zeros_like(un)
    grad_un[1:] += grad_u[1:]
    grad_u += grad_un
    """

    def __init__(
        self,
        body: list[Any],
        namer: Namer,
        is_pure: Callable[[Any], bool],
        same: Callable[[Any, Any], bool],
    ) -> None:
        self._body = body
        self._namer = namer
        self._is_pure = is_pure
        self._same = same
        self._counts = Counts(body)

    def run(self) -> None:
        """Rewrite the body in place."""
        self._block(self._body)

    @kept_property
    def _sharing(self) -> Sharing:
        return Sharing(self._body, self._is_pure)

    @kept_property
    def _made(self) -> dict[str, Any]:
        """What names are bound to that one assignment binds."""
        found = (item for item in statements(self._body) if isinstance(item, gast.Assign))
        return {name: item.value for item in found for name in bound_by(item)}

    def _block(self, block: list[Any]) -> None:
        for statement in block:
            for part in blocks_of(statement):
                self._block(part)
        for end in reversed([item for item in block if self._adds_all(item)]):
            self._join(block, end)

    def _adds_all(self, statement: Any) -> bool:
        """Say whether a statement adds all of one adjoint to another."""
        if not isinstance(statement, gast.AugAssign) or not isinstance(statement.op, gast.Add):
            return False
        pair = (statement.target, statement.value)
        if not all(isinstance(item, gast.Name) for item in pair):
            return False
        return all(self._namer.is_adjoint(item.id) for item in pair)

    def _join(self, block: list[Any], end: Any) -> None:
        """Let what is added at the `end` be added where it is computed, if that is the same."""
        whole, part = end.target.id, end.value.id
        starts = [item for item in block if bound_by(item) == [part]]
        if len(starts) != 1 or self._counts.binds[part] != 1 or whole == part:
            return
        start = starts[0]
        between = block[block.index(start) + 1 : block.index(end)]
        if not self._is_copied(start, whole) or not self._stays(between, whole, part):
            return
        block[:] = [item for item in block if item is not start and item is not end]
        for statement in between:
            for node in walk(statement):
                if isinstance(node, gast.Name) and node.id == part:
                    node.id = whole

    def _is_copied(self, start: Any, whole: str) -> bool:
        """Say whether an adjoint begins as zeros of the shape that another one has."""
        zeros: Any = start.value if isinstance(start, gast.Assign) else None
        if getattr(getattr(zeros, "func", None), "id", "") != "zeros_like":
            return False
        copy = zeros.args[0]
        if not isinstance(copy, gast.Name) or self._counts.binds[copy.id] != 1:
            return False
        value = self._made.get(copy.id)
        names = [node for node in walk(value) if isinstance(node, gast.Name)] if value else []
        return any(self._has_adjoint(node.id, whole) and self._same(copy, node) for node in names)

    def _has_adjoint(self, name: str, adjoint: str) -> bool:
        variables = map(self._namer.variable_of, (name, adjoint))
        return len({*variables}) == 1 and self._namer.adjoint(name) == adjoint

    def _stays(self, between: list[Any], whole: str, part: str) -> bool:
        """Say whether statements do no more to two adjoints than to add to either."""
        inner = list(statements(between))
        if not all(self._is_apart(item, whole, part) for item in inner):
            return False
        met = sum(root_name(target) == part for item in inner for target in targets_of(item))
        return self._counts.reads[part] == met + 1

    def _is_apart(self, statement: Any, whole: str, part: str) -> bool:
        """Say whether one statement asks for neither of two adjoints, and adds to one at most."""
        if not isinstance(statement, _PASSED):
            return False
        roots = [root_name(target) or "" for target in targets_of(statement)]
        bound = {name for target in targets_of(statement) for name in names_bound(target)}
        adds = isinstance(statement, gast.AugAssign) and isinstance(statement.op, _SUMS)
        read = Counter(header_reads(statement))
        if adds and roots[0] in (whole, part):
            read.subtract(roots)
        elif bound & {whole, part} or any(self._shares(root, whole, part) for root in roots):
            return False
        return not any(self._shares(name, whole, part) for name, times in read.items() if times)

    def _shares(self, name: str, whole: str, part: str) -> bool:
        return any(self._sharing.may_share(name, item) for item in (whole, part))
