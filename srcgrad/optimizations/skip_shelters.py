"""Reads parts of adjoints where they lie, if nothing writes there before they have been read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analyses.text_calls import called_by_text
from srcgrad.ir import gast
from srcgrad.ir.program import Counts, bound_by, header_reads, targets_of
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, names_read, root_name, statements
from srcgrad.optimizations.movement import Movement
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.skip_copies import kept_by

_PARTS = (gast.Name, gast.Subscript)


class ShelterSkipping:
    """Leaves out copies that were to shelter a value from writes that are no more, or come later.

    The last statement that reads it may write there itself: NumPy computes what is stored first.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset(["copied"]))
    >>> def shown(source):
    ...     return text(ShelterSkipping(purity, lambda name: name == "grad_u").run(parse(source)))
    >>> print(shown("grad_t = copied(grad_u[0]); grad_x += grad_t; grad_u[0] = grad_t * k"))
    grad_t = grad_u[0]
    grad_x += grad_t
    grad_u[0] = grad_t * k
    >>> print(shown("grad_t = copied(grad_u); grad_x = grad_t * k; return grad_u, grad_t * x"))
    grad_x = grad_u * k
    return grad_u, grad_u * x

    Here it is written before the last of them, or kept.

    >>> print(shown("grad_t = copied(grad_u[0]); grad_u[0] = k * grad_t; grad_x += grad_t"))
    grad_t = copied(grad_u[0])
    grad_u[0] = k * grad_t
    grad_x += grad_t
    >>> print(shown("grad_t = copied(grad_u[0]); grad_x[0] = grad_t"))
    grad_t = copied(grad_u[0])
    grad_x[0] = grad_t
    """

    def __init__(self, purity: Purity, is_array: Callable[[str], bool]) -> None:
        self._purity = purity
        self._is_array = is_array

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with adjoints read where they lie."""
        if any(_copy_of(item) is not None for item in statements(body)):
            self._movement = Movement(body, self._purity)
            self._counts = Counts(body)
            self._views: set[str] = set()
            return self._block(body)
        return body

    def _block(self, block: list[Any]) -> list[Any]:
        kept: list[Any] = []
        for place, statement in enumerate(block):
            for part in blocks_of(statement):
                part[:] = self._block(part)
            part, rest = _copy_of(statement), block[place + 1 :]
            if part is None or not self._may_lie(statement, part, rest):
                kept.append(statement)
                continue
            name = statement.targets[0].id
            self._views.add(name)
            if isinstance(part, gast.Name):
                self._rename(rest, name, part)
                continue
            statement.value = part
            self._movement.touched(statement)
            kept.append(statement)
        return kept

    def _rename(self, rest: list[Any], name: str, part: Any) -> None:
        """Read what is copied under its own name."""
        for statement in rest:
            if name in header_reads(statement):
                put(statement, {name: part})
                self._movement.touched(statement)

    def _may_lie(self, copy: Any, part: Any, rest: list[Any]) -> bool:
        """Say whether all that reads a copy finds the same where the part lies."""
        name = copy.targets[0].id
        reads = self._counts.reads[name]
        ours = self._is_array(root_name(part) or "") and self._purity.of(part)
        if not ours or not reads or self._counts.binds[name] != 1:
            return False
        if not self._views.isdisjoint(names_read(part)):
            return False  # one that is a part of something only since it was looked at
        for statement in rest:
            times = header_reads(statement).count(name)
            if times and not self._computes(statement, name, times):
                return False
            reads -= times
            if not reads:
                return True
            if self._writes(statement, copy):
                return False
        return False

    def _writes(self, statement: Any, copy: Any) -> bool:
        """Say whether a statement may write into what is copied, or bind what it is looked up by.

        That is an array, so that nothing else lies in its parts.
        """
        made = self._movement.effects(statement)
        if not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return self._movement.stops(made, copy.targets[0].id, copy)
        read = names_read(copy.value)
        if not self._purity.of(statement.value) or not made.changed.isdisjoint(read):
            return True
        return self._movement.shares(made.changed, read)

    def _computes(self, statement: Any, name: str, times: int) -> bool:
        """Say whether a statement reads a name for its numbers alone."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)):
            return False
        value = statement.value
        if names_read(value).count(name) != times or not self._purity.of(value):
            return False
        if isinstance(statement, gast.AugAssign):
            return name not in bound_by(statement)
        if called_by_text(value).acts_on_each_element:
            return True
        (target, *_) = targets_of(statement) or [None]
        stores = isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name)
        return (stores and self._is_array(target.value.id)) or name not in kept_by(value)


def _copy_of(statement: Any) -> Any:
    """Return the part of an array that ``y = copied(part)`` copies, or None."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    if not isinstance(value, gast.Call) or getattr(value.func, "id", "") != "copied":
        return None
    plain = len(statement.targets) == 1 and isinstance(statement.targets[0], gast.Name)
    return value.args[0] if plain and isinstance(value.args[0], _PARTS) else None
