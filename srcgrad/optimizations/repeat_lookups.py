"""Looks a value up again where it is read, rather than give it a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.marks import CLOSING
from srcgrad.ir.program import Counts, targets_of
from srcgrad.ir.putting import put
from srcgrad.ir.walk import blocks_of, found_in, names_bound, statements
from srcgrad.optimizations.movement import Movement, Stops
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST

_MOST_READS: Final = 3


class LookupRepetition:
    """Writes ``p["w"]``, ``x[i]`` and ``a.T`` where a temporary holds them.

    Only what costs no more than a name does: an element or slice by numbers, a key, a transpose.
    `is_temporary(name)` says which names the compiler made; `width(node)` is the printed width of
    an expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> body = parse('''
    ... w = p["w"]
    ... first = x[0]
    ... y = w * first
    ... v = w / y
    ... x[0] = v
    ... z = first + v
    ... ''')
    >>> print(text(LookupRepetition(purity, {"w", "first"}.__contains__, width).run(body)))
    first = x[0]
    y = p["w"] * first
    v = p["w"] / y
    x[0] = v
    z = first + v
    """

    def __init__(
        self,
        purity: Purity,
        is_temporary: Callable[[str], bool],
        width: Callable[[Any], int],
    ) -> None:
        self._purity = purity
        self._is_temporary = is_temporary
        self._width = width

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with lookups repeated."""
        self._movement = Movement(body, self._purity)
        self._counts = Counts(body)
        self._indices: set[str] = set()
        for statement in statements(body):
            if isinstance(statement, gast.For) and _is_range(statement.iter):
                self._indices.update(names_bound(statement.target))
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        kept: list[Any] = []
        stops: Stops | None = None
        for place, statement in enumerate(block):
            for part in blocks_of(statement):
                part[:] = self._block(part)
            name = self._looked_up(statement)
            if name and stops is None:
                stops = self._movement.stops_of(block)
            readers = self._readers(block, place, name, stops) if name and stops else []
            if not readers:
                kept.append(statement)
                continue
            for reader in readers:
                put(reader, {name: statement.value})
                self._movement.touched(reader)
        return kept

    def _looked_up(self, statement: Any) -> str:
        """Return the temporary that holds what is looked up, or an empty string."""
        if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
            return ""
        target = statement.targets[0]
        name = target.id if isinstance(target, gast.Name) else ""
        if not self._is_lookup(statement.value) or CLOSING.of(statement):
            return ""
        counts = self._counts
        few = counts.binds[name] == 1 and 1 < counts.reads[name] <= _MOST_READS
        return name if few and self._is_temporary(name) else ""

    def _is_lookup(self, node: Any) -> bool:
        if isinstance(node, gast.Attribute):
            return node.attr == "T" and isinstance(node.value, gast.Name)
        if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
            return False
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        return all(map(self._is_index, parts))

    def _is_index(self, node: Any) -> bool:
        if isinstance(node, gast.Constant):
            return True
        if isinstance(node, gast.Name):
            return node.id in self._indices
        if isinstance(node, gast.UnaryOp):
            return self._is_index(node.operand)
        if isinstance(node, gast.BinOp):
            return self._is_index(node.left) and self._is_index(node.right)
        return False

    def _readers(self, block: list[Any], place: int, name: str, stops: Stops) -> list[Any]:
        """Return the statements that read a name, if each may look it up itself."""
        found: list[Any] = []
        source, asked = block[place], 0
        keys = self._movement.keys_of(name, source)
        stop = stops.next(keys, place)
        for reader in stops.readers(name, place):
            statement = block[reader]
            times = self._movement.effects(statement).reads.count(name)
            changing = isinstance(statement, (gast.While, gast.AugAssign))
            if reader > stop or (changing and _changes(statement, name)):
                return []
            asked += times
            found.append(statement)
            if self._too_wide(statement, name, source, times):
                return []
            if asked == self._counts.reads[name]:
                return found
            if reader == stop and self._enters(statement, name):
                stop = stops.next(keys, reader)  # it is another inside, and still what is there
        return []

    def _enters(self, statement: Any, name: str) -> bool:
        """Say whether a statement does no more than write into what has a name."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return False
        target = targets_of(statement)[0]
        entry = isinstance(target, gast.Subscript) and getattr(target.value, "id", "") == name
        return entry and self._purity.of(statement.value)

    def _too_wide(self, statement: Any, name: str, source: Any, times: int) -> bool:
        value = getattr(statement, "value", None) or getattr(statement, "test", None)
        more = times * (self._width(source.value) - len(name))
        if isinstance(source.value, gast.Attribute):  # a transpose, of which there may be another
            more -= 2 * len(".T") * _transposes(value, name)
        return value is None or (more > 0 and self._width(value) + more > WIDEST)


def _transposes(value: Any, name: str) -> int:
    """Return how many transposes of a name an expression reads."""
    turned = (item for item in found_in(value, gast.Attribute) if item.attr == "T")
    return sum(getattr(item.value, "id", "") == name for item in turned)


def _changes(statement: Any, name: str) -> bool:
    return isinstance(statement, gast.While) or name in names_bound(statement.target)


def _is_range(node: Any) -> bool:
    while isinstance(node, gast.Call) and getattr(node.func, "id", "") in ("reversed", "enumerate"):
        node = node.args[0]
    return isinstance(node, gast.Call) and getattr(node.func, "id", "") == "range"
