"""Puts a value that is used once where it is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import name_adjoint
from srcgrad.ir.changes import change_of
from srcgrad.ir.lines import take_lines
from srcgrad.ir.liveness import may_raise
from srcgrad.ir.marks import CLOSING, IS_PRIMAL, TAKES_LINE
from srcgrad.ir.program import binds_name, count_binds, header_reads
from srcgrad.ir.walk import INNER, blocks_of, found_in, names_read, root_name
from srcgrad.optimizations.kept_axes import without_kept_axes
from srcgrad.optimizations.movement import Movement, Waiting
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.width import WIDEST

_SIMPLE: Final = frozenset({gast.Assign, gast.AugAssign, gast.Expr, gast.Return})
_WIDEST_OF_LINES: Final = 52
"""How wide a value may get that stands for several lines of the user's."""


class ForwardSubstitution:
    """Moves the values of temporaries and adjoints into the one statement that reads them.

    `is_temporary(name)` says which names the compiler made. Those of the user stay, their
    adjoints move, into other lines of the user's while those are short. `width(node)` is the
    printed width of an expression.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> from srcgrad.optimizations.width import width
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> body = parse('''
    ... double = x * 2
    ... first = y[0]
    ... y[0] = double
    ... z = first + 1
    ... ''')
    >>> print(text(ForwardSubstitution(purity, {"double", "first"}.__contains__, width).run(body)))
    first = y[0]
    y[0] = x * 2
    z = first + 1
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
        self._in_try = False
        self._reads: Counter[str] = Counter()
        self._binds: Counter[str] = Counter()

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with temporaries substituted."""
        self._movement = Movement(body, self._purity)
        self._reads, self._binds = self._movement.count_reads(), count_binds(body)
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        """Go through a block with the temporaries that wait to be put into their one reader."""
        waiting = Waiting()
        gone: set[int] = set()
        before: Any = None
        for statement in block:
            if statement.__class__ not in _SIMPLE:
                outer = self._in_try
                self._in_try = outer or bool(getattr(statement, "handlers", ()))
                for part in blocks_of(statement):
                    part[:] = self._block(part)
                self._in_try = outer
            if before.__class__ is gast.Assign and before.value.__class__ is gast.Call:
                self._take_entry(before, statement, gone)
            before = statement
            if waiting:
                self._fill(statement, waiting, gone)
                self._settle(statement, waiting)
            if binds_name(statement) and self._may_wait(statement):
                self._movement.wait(statement, statement.targets[0].id, waiting)
        return [statement for statement in block if id(statement) not in gone]

    def _take_entry(self, before: Any, statement: Any, gone: set[int]) -> None:
        """Write ``y += xs.pop()`` for ``t = xs.pop(); y += t``, next to each other."""
        change = change_of(before) if binds_name(before) else None
        if change is None or change.method != "pop" or id(before) in gone:
            return
        name, reads = change.target or "", header_reads(statement)
        once = self._reads[name] == 1 and self._binds[name] == 1 and self._is_temporary(name)
        plain = isinstance(statement, (gast.Assign, gast.AugAssign))
        if not once or not plain or name not in reads or change.name in reads:
            return
        if not self._purity.of(statement.value):
            return
        roots = {root_name(part) or "" for part in found_in(statement, gast.Subscript)}
        if self._movement.shares([change.name], roots - {name}):
            return  # an entry of what gets shorter, which is read before
        place = _places_in(statement, {name}).get(name)
        if place is not None and names_read(statement.value).count(name) == 1:
            _set(place.holder, place.key, before.value)
            self._movement.touched(statement)
            gone.add(id(before))

    def _may_wait(self, statement: Any) -> bool:
        target = statement.targets[0]
        if not self._is_ours(target.id):
            return False
        if isinstance(statement.value, gast.Name) and not self._is_temporary(target.id):
            return False  # a copy of one adjoint as another, which may change places with it
        single = self._reads[target.id] == 1 and self._binds[target.id] == 1
        return single and not CLOSING.of(statement) and self._movement.is_pure(statement)

    def _is_ours(self, name: str) -> bool:
        return self._purity.is_adjoint(name) or self._is_temporary(name)

    def _fill(self, statement: Any, waiting: Waiting, gone: set[int]) -> None:
        """Substitute the waiting values that the statement reads, if it does not get too wide."""
        reads = set(self._movement.look(statement).reads)
        names = [name for name in reads if name in waiting]
        if not names:
            return
        if len(names) > 1:
            names = [name for name in waiting if name in reads]  # in their order
        places, room = _places_in(statement, names), _Room(statement, self._width)
        for name in names:
            source = waiting.pop(name)
            if isinstance(statement, gast.While) or _returns_alone(statement):
                continue
            if name not in places:
                continue
            place = places[name]
            if self._purity.is_adjoint(name) and _is_looked_into(place, source.value):
                continue
            if room.takes(place, source.value, self._most(name, source, statement)):
                _set(place.holder, place.key, source.value)
                name_adjoint(source.value, name)
                self._movement.touched(statement)
                gone.add(id(source))
                _take_line(statement, source)
                if self._purity.is_adjoint(name):
                    take_lines(statement, source)

    def _most(self, name: str, source: Any, statement: Any) -> int:
        """Return how wide a statement may get: adjoints of the user's are short in other lines."""
        own = self._is_temporary(name) or _of_one_line(source, statement)
        return WIDEST if own else _WIDEST_OF_LINES

    def _settle(self, statement: Any, waiting: Waiting) -> None:
        """Let go of the waiting values that may not move past the statement."""
        if self._in_try and may_raise(statement):
            waiting.clear()
        for name in self._movement.stopped(statement, waiting):
            del waiting[name]


@dataclass(slots=True)
class _Place:
    """Where a statement reads a name: the holder, its field (or position), and the part it is in.

    The parts are the fields of the statement; of what is returned, its items.
    """

    name: str
    holder: Any
    key: Any
    part: Any


def _parts_of(statement: Any) -> list[tuple[Any, Any, Any]]:
    """Return the parts of a statement that may read names: holder, field or position, and part."""
    value = getattr(statement, "value", None)
    if isinstance(statement, gast.Return) and isinstance(value, (gast.Tuple, gast.Dict)):
        items = value.elts if isinstance(value, gast.Tuple) else value.values
        keys = value.keys if isinstance(value, gast.Dict) else []
        shown = [(keys, place, None) for place in range(len(keys))]
        return [*shown, *((items, place, place) for place in range(len(items)))]
    return [
        (statement, field, field)
        for field in ("value", "test", "iter", "target", "targets")
        if getattr(statement, field, None) is not None
    ]


def _places_in(statement: Any, names: Collection[str]) -> dict[str, _Place]:
    """Find where a statement reads each of some names."""
    found: dict[str, _Place] = {}
    stack = _parts_of(statement)
    while stack and len(found) < len(names):
        holder, key, part = stack.pop()
        node: Any = holder[key] if holder.__class__ is list else getattr(holder, key, None)
        kind = node.__class__
        if kind is gast.Name:
            if node.id in names and isinstance(node.ctx, gast.Load):
                found.setdefault(node.id, _Place(node.id, holder, key, part))
        elif kind is gast.BinOp:
            stack += (node, "left", part), (node, "right", part)
        elif kind is list:
            stack += [(node, position, part) for position in range(len(node))]
        elif isinstance(node, gast.AST):
            stack += [(node, field, part) for field in INNER[node.__class__]]
    return found


class _Room:
    """Knows how wide the parts of a statement are while values are put into it.

    What is returned and too long takes a line for each item.
    """

    def __init__(self, statement: Any, width: Callable[[Any], int]) -> None:
        self._width = width
        parts = _parts_of(statement)
        if isinstance(statement, gast.Return):
            counted = [item for item in parts if item[2] is not None]
        else:
            counted = [item for item in parts if item[2] in ("value", "test")][:1]
        self._widths = {
            part: width(holder[key] if isinstance(holder, list) else getattr(holder, key))
            for holder, key, part in counted
        }

    def takes(self, place: _Place, value: Any, most: int) -> bool:
        """Say whether a value fits where a name is, and take it then."""
        before = self._widths.get(place.part)
        if before is not None:
            inner = isinstance(place.holder, gast.BinOp) and isinstance(value, gast.BinOp)
            self._widths[place.part] = before - len(place.name) + self._width(value) + 2 * inner
        fits = all(width <= most for width in self._widths.values())
        if not fits and before is not None:
            self._widths[place.part] = before
        return fits


def _is_looked_into(place: _Place, value: Any) -> bool:
    """Say whether parts are taken of what stands at a place, and that is computed."""
    inside = isinstance(place.holder, gast.Subscript) and place.key == "value"
    if inside and without_kept_axes(value, place.holder.slice) is not None:
        return False
    of_numpy = isinstance(getattr(value, "func", None), gast.Attribute)
    return inside and (of_numpy or isinstance(value, (gast.BinOp, gast.UnaryOp)))


def _set(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, list):
        holder[key] = value
    else:
        setattr(holder, key, value)


def _take_line(statement: Any, source: Any) -> None:
    """Let a `return`, or what is to become one, be of the line that it computes the value of.

    An adjoint comes before a value, which needs no comment.
    """
    if not isinstance(statement, (gast.Return, gast.Expr)) or not hasattr(source, "lineno"):
        return
    takes = TAKES_LINE.of(statement) or not getattr(statement, "lineno", None)
    if takes or IS_PRIMAL.of(statement):
        earlier = gast.copy_location(gast.Pass(), statement)
        gast.copy_location(statement, source)
        IS_PRIMAL.put(statement, IS_PRIMAL.of(source))
        TAKES_LINE.put(statement, True)  # of the last one
        take_lines(statement, earlier)


def _of_one_line(first: Any, second: Any) -> bool:
    """Say whether two statements come from one line of the user."""
    line = getattr(first, "lineno", 0)
    return bool(line) and line == getattr(second, "lineno", 0)


def _returns_alone(statement: Any) -> bool:
    """Say whether a statement returns one name: the value keeps its line and that name."""
    return isinstance(statement, gast.Return) and isinstance(statement.value, gast.Name)
