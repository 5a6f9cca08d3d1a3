"""Says whether a store may replace a value that carries a derivative.

Only then must the adjoint of that place be set to zero. Loops that fill a fresh array, each trip
its own element, never do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.activity import varied_names
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import blocks_of, names_bound, statements

_LOOPS: Final = (gast.For, gast.While)


@dataclass(frozen=True, slots=True)
class _Place:
    """An index of the form ``variable + offset``; no variable for a constant."""

    variable: str | None
    offset: int


class Overwrites:
    """Says of the stores of a program whether they may write over values with a derivative.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     y = np.zeros(4)
    ...     y[0] = x
    ...     for i in range(1, 4):
    ...         y[i] = y[i - 1] * x
    ...     y[2] = x
    ...     return np.sum(y)
    ... ''')
    >>> stores = [line for line in statements(program.body) if is_store(line)]
    >>> [Overwrites(program).of(store) for store in stores]
    [False, True, True]
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bounds = _lower_bounds(program)
        self._changed: set[str] = set()
        self._makers: dict[str, list[Any]] = defaultdict(list)
        self._places: dict[str, _Places] = defaultdict(_Places)
        for statement in statements(program.body):
            self._visit(statement)
        self._loops: dict[int, list[Any]] = {}
        self._note_loops(program.body, [])

    def of(self, store: Any) -> bool:
        """Say whether a store may write where an earlier value with a derivative stands."""
        name = store_target(store).value.id
        if not self._made_blank(name):
            return True
        inside = [loop for loop in self._loops.get(id(store), []) if not _binds(loop, name)]
        place = _place(store_target(store).slice)
        if place is None or not _distinct(place, inside, self._bounds, self._program):
            return True
        return not self._places[name].are_apart_from(place, self._bounds)

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            self._changed.add(change.name)
        if isinstance(statement, gast.Assign):
            for name in {n for target in statement.targets for n in names_bound(target)}:
                self._makers[name].append(statement)
        if is_store(statement):
            target = store_target(statement)
            for name in names_bound(target.value):
                self._places[name].add(_place(target.slice))

    def _note_loops(self, block: list[Any], loops: list[Any]) -> None:
        for statement in block:
            self._loops[id(statement)] = loops
            for part in blocks_of(statement):
                is_body = isinstance(statement, _LOOPS) and part is statement.body
                self._note_loops(part, [*loops, statement] if is_body else loops)

    def _made_blank(self, name: str) -> bool:
        """Say whether `name` is bound once, to an array or list of constants, and not reshaped."""
        makers = self._makers.get(name, ())
        if name in self._changed or len(makers) != 1:
            return False
        return self._program.operation(makers[0]).kind == "constant" or _is_blank(makers[0].value)


class _Places:
    """The places of one array or list that a program writes."""

    def __init__(self) -> None:
        self._unknown = 0
        self._fixed: Counter[int] = Counter()
        self._moving: Counter[_Place] = Counter()

    def add(self, place: _Place | None) -> None:
        if place is None:
            self._unknown += 1
        elif place.variable is None:
            self._fixed[place.offset] += 1
        else:
            self._moving[place] += 1

    def are_apart_from(self, place: _Place, bounds: dict[str, int]) -> bool:
        """Say whether all places but one, which is this, surely differ from it.

        Indices from the end count as unknown.
        """
        if self._unknown:
            return False
        if place.variable is None:
            here = self._fixed[place.offset] == 1
            return here and all(_is_beyond(moving, place.offset, bounds) for moving in self._moving)
        alone = self._moving.total() == 1
        return alone and (not self._fixed or _is_beyond(place, max(self._fixed), bounds))


def _is_beyond(moving: _Place, fixed: int, bounds: dict[str, int]) -> bool:
    least = bounds.get(moving.variable or "")
    return least is not None and fixed < least + moving.offset


def _is_blank(value: Any) -> bool:
    """Say whether an expression is ``[0.0, 1.0]``, ``[0.0] * n`` or ``{}``."""
    if isinstance(value, gast.BinOp) and isinstance(value.op, gast.Mult):
        value = value.left
    if isinstance(value, gast.Dict):
        return not value.keys
    return isinstance(value, gast.List) and all(isinstance(v, gast.Constant) for v in value.elts)


def _binds(loop: Any, name: str) -> bool:
    return any(
        name in names_bound(target)
        for statement in statements(loop.body)
        if isinstance(statement, gast.Assign)
        for target in statement.targets
    )


def _place(index: Any) -> _Place | None:
    """Read ``i``, ``3``, ``i + 1`` or ``i - 1``."""
    if isinstance(index, gast.Constant) and type(index.value) is int and index.value >= 0:
        return _Place(None, index.value)
    if isinstance(index, gast.Name):
        return _Place(index.id, 0)
    if isinstance(index, gast.BinOp) and isinstance(index.left, gast.Name):
        offset = getattr(index.right, "value", None)
        if type(offset) is int and isinstance(index.op, (gast.Add, gast.Sub)):
            return _Place(index.left.id, offset if isinstance(index.op, gast.Add) else -offset)
    return None


def _distinct(place: _Place, loops: list[Any], bounds: dict[str, int], program: Program) -> bool:
    """Say whether every trip of the loops has its own place, counted from the start."""
    if not loops:
        return True
    if len(loops) > 1 or not isinstance(loops[0], gast.For):
        return False
    loop = loops[0]
    counts = isinstance(loop.iter, gast.Call) and (
        program.reader.scope.resolve(loop.iter.func) is range
    )
    over_keys = isinstance(loop.iter, gast.Name) and loop.iter.id in varied_names(program)
    if names_bound(loop.target) != [place.variable]:
        return False
    return over_keys or (counts and bounds.get(place.variable or "", -1) + place.offset >= 0)


def _lower_bounds(program: Program) -> dict[str, int]:
    """Return the least value of each counter of a `range` loop, where it is known."""
    bounds: dict[str, int] = {}
    for loop in statements(program.body):
        if not (isinstance(loop, gast.For) and isinstance(loop.iter, gast.Call)):
            continue
        if program.reader.scope.resolve(loop.iter.func) is not range:
            continue
        least = _least(loop.iter.args)
        if least is not None and isinstance(loop.target, gast.Name):
            bounds[loop.target.id] = least
    return bounds


def _least(args: list[Any]) -> int | None:
    """Return the least number of a `range` of such arguments."""
    start, stop, step = (_integer(item) for item in _completed(args))
    if step is None or not step:
        return None
    return start if step > 0 else (stop + 1 if stop is not None else None)


def _completed(args: list[Any]) -> list[Any]:
    """Return start, stop and step of a `range`."""
    given = [gast.Constant(0, None), *args] if len(args) == 1 else args
    return [*given, gast.Constant(1, None)][:3]


def _integer(node: Any) -> int | None:
    """Return the value of a literal integer."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = _integer(node.operand)
        return None if value is None else -value
    value = getattr(node, "value", None)
    return value if type(value) is int else None
