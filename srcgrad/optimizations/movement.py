"""Says which values may be computed later than they are, past other statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gast

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir.changes import change_of
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.program import header_reads, is_store, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements, walk
from srcgrad.optimizations.purity import Purity


class Movement:
    """Judges the statements of one body.

    >>> from srcgrad.compiler.doctesting import parse, program_of
    >>> body = parse("a = x * 2; b = y[0]; y[0] = 1.0; x = 3.0")
    >>> movement = Movement(body, Purity(program_of("def f(x): return x").reader, frozenset()))
    >>> waiting = {"a": body[0], "b": body[1]}
    >>> movement.stopped(body[2], waiting), movement.stopped(body[3], waiting)
    (['b'], ['a'])
    >>> movement.stopped(parse("if c: b = 0.0")[0], waiting)
    ['b']

    An update of memory stays where it is if something looks at that under another name.

    >>> body = parse("c = a[:]; a += x; c *= 2")
    >>> movement = Movement(body, Purity(program_of("def f(x): return x").reader, frozenset()))
    >>> movement.stopped(body[2], {"a": body[1]})
    ['a']
    """

    def __init__(self, body: list[Any], purity: Purity) -> None:
        self._purity = purity
        self._sharing = Sharing(body, purity.of)

    def stopped(self, statement: Any, waiting: Mapping[str, Any]) -> list[str]:
        """Return which of the waiting statements, by name, may not move past a statement."""
        if isinstance(statement, (gast.With, gast.Try)):
            return list(waiting)
        if not waiting:
            return []
        changed = self._changed_names(statement)
        inside = _named_inside(statement)
        written = self._written_names(statement)
        calm = self._is_calm(statement)
        impure = _writes(statement) or not calm
        ours = calm and all(map(self._purity.is_adjoint, written))
        found = []
        for name, source in waiting.items():
            reads = names_read(source.value)
            if isinstance(source, gast.AugAssign):  # it reads what it adds to, and others read it
                reads = [*reads, name]
                if self.shares([name], [*header_reads(statement), *inside]):
                    found.append(name)
                    continue
            touches = name in inside or changed.intersection(reads)
            elsewhere = written and self.shares(written, reads)
            # adjoints are written in memory of their own, where no value of the primal lies
            apart = ours and not any(map(self._is_adjoint, _looked_into(source.value)))
            impure_here = impure and not apart
            if touches or elsewhere or (impure_here and _looks_into_memory(source.value)):
                found.append(name)
        return found

    def shares(self, ours: Iterable[str], theirs: Iterable[str]) -> bool:
        """Say whether two names, one of each side, may lie in the same memory."""
        return any(self._sharing.may_share(a, b) for a in ours for b in theirs)

    def _is_adjoint(self, name: str) -> bool:
        return not name or self._purity.is_adjoint(name)

    def _is_calm(self, statement: Any) -> bool:
        if isinstance(statement, (Comment, Blank)) or _is_record(statement):
            return True
        if isinstance(statement, (gast.Assign, gast.AugAssign, gast.Expr, gast.Return)):
            return statement.value is None or self._purity.of(statement.value)
        return isinstance(statement, gast.stmt) and not list(blocks_of(statement))

    def _written_names(self, statement: Any) -> set[str]:
        """Return the names through which a statement may write into memory."""
        written: set[str] = set()
        for item in [statement, *statements([b for part in blocks_of(statement) for b in part])]:
            change = None if _is_record(item) else change_of(item)
            if change is not None:
                written.add(change.name)
            if is_store(item) or isinstance(item, gast.AugAssign):
                written.update(root for t in targets_of(item) if (root := root_name(t)) is not None)
            written.update(self._written_by_call(item))
        return written

    def _changed_names(self, statement: Any) -> set[str]:
        """Return the names that a statement binds or writes into, those in its blocks included."""
        changed: set[str] = set()
        for item in [statement, *statements([b for part in blocks_of(statement) for b in part])]:
            change = change_of(item)
            if change is not None:
                changed.add(change.name)
            for target in targets_of(item):
                changed.update(names_bound(target))
                root = root_name(target)
                if root is not None:
                    changed.add(root)
            changed.update(self._written_by_call(item))
        return changed

    def _written_by_call(self, statement: Any) -> list[str]:
        """Return the names into which a call that is a statement may write: what it is given."""
        calls = isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call)
        if not calls or _is_record(statement):
            return []
        first = root_name(statement.value.args[0]) if statement.value.args else None
        if first is not None and self._purity.adds_to_first(statement.value):
            return [first]
        return names_read(statement.value)


def _is_record(statement: Any) -> bool:
    """Say whether a statement appends to a list that only the backward pass reads."""
    return bool(getattr(statement, "is_record", False))


def _named_inside(statement: Any) -> set[str]:
    """Return the names that are read or bound in the blocks of a statement."""
    inner = list(statements([b for part in blocks_of(statement) for b in part]))
    bound = {n for item in inner for target in targets_of(item) for n in names_bound(target)}
    return bound | {name for item in inner for name in header_reads(item)}


def _writes(statement: Any) -> bool:
    inner = [b for part in blocks_of(statement) for b in part]
    return any(is_store(item) for item in [statement, *statements(inner)])


def _looks_into_memory(node: Any) -> bool:
    return any(isinstance(item, (gast.Subscript, gast.Attribute)) for item in walk(node))


def _looked_into(node: Any) -> list[str]:
    """Return the names of which an expression reads parts; of others an empty name."""
    found = [item for item in walk(node) if isinstance(item, (gast.Subscript, gast.Attribute))]
    return [root_name(item) or "" for item in found]
