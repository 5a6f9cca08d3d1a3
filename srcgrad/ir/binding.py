"""Says which reads may meet a name that no path has bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gast

from srcgrad.ir.jumps import falls_through
from srcgrad.ir.program import bound_names, header_reads, targets_of
from srcgrad.ir.walk import blocks_of, names_bound


def maybe_unbound(
    body: list[Any], parameters: Iterable[str], base: Callable[[str], str]
) -> frozenset[str]:
    """Return the names of a body that are read where not every path has bound them.

    Python raises an UnboundLocalError then, and so must a derivative. Copies between versions of
    one variable, of the same `base`, are no reads of the user's.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... if x > 0:
    ...     y = x
    ... if x > 1:
    ...     z = x
    ... else:
    ...     z = y
    ... out = z
    ... ''')
    >>> sorted(maybe_unbound(body, ["x"], str))
    ['y']
    """
    local = bound_names(body)
    found: set[str] = set()
    _Walk(local, found, base).block(body, set(parameters))
    return frozenset(found)


class _Walk:
    """Goes through a body with the names that are surely bound."""

    def __init__(self, local: set[str], found: set[str], base: Callable[[str], str]) -> None:
        self._local = local
        self._found = found
        self._base = base

    def block(self, block: list[Any], bound: set[str]) -> set[str]:
        """Return the names bound after a block, given those before; note the reads of others."""
        for statement in block:
            if self._joins(statement):
                unbound = statement.value.id in self._local and statement.value.id not in bound
                bound |= set() if unbound else set(_binds(statement))
                continue
            reads = header_reads(statement)
            self._found.update(n for n in reads if n not in bound and n in self._local)
            if isinstance(statement, gast.If):
                bound = self._branch(statement, bound)
            elif isinstance(statement, (gast.For, gast.While)):
                self.block(statement.body, bound | set(_binds(statement)))
            elif isinstance(statement, gast.With):
                bound = self.block(statement.body, bound | set(_binds(statement)))
            elif any(True for _ in blocks_of(statement)):
                return bound | self._local  # a `try` is taken apart with care of its own
            else:
                bound |= set(_binds(statement))
        return bound

    def _branch(self, statement: Any, bound: set[str]) -> set[str]:
        parts = (statement.body, statement.orelse)
        ends = [self.block(part, set(bound)) for part in parts]
        ends = [end for end, part in zip(ends, parts, strict=True) if falls_through(part)]
        return set.intersection(*ends) if ends else bound | self._local

    def _joins(self, statement: Any) -> bool:
        """Say whether a statement copies one version of a variable to another."""
        if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Name):
            return False
        (target,) = statement.targets
        same = isinstance(target, gast.Name) and (
            self._base(target.id) == self._base(statement.value.id)
        )
        return same and target.id != statement.value.id


def _binds(statement: Any) -> list[str]:
    return [name for target in targets_of(statement) for name in names_bound(target)]
