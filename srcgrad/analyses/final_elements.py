"""Says which reads of an array that a loop fills meet elements that nothing writes any more.

``y[i] = f(y[i - 1])`` writes each element once, in the order of `i`: what is read at ``y[i - 1]``
is still there when the loop has ended, and the backward pass can read it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from srcgrad.ir.program import bound_by, targets_of
from srcgrad.ir.walk import blocks_of, names_read, root_name, statements


@dataclass(frozen=True, slots=True)
class _Counted:
    """A loop over a `range` that goes up by ones: its index, where it starts, and its end."""

    loop: Any
    index: str
    start: int
    stop: Any


def final_reads(
    body: list[Any],
    may_share: Callable[[str, str], bool],
    is_pure: Callable[[Any], bool],
    is_adjoint: Callable[[str], bool] = lambda _: False,
) -> set[int]:
    """Return the ids of statements ``t = y[...]`` in loops that read elements in their final state.

    `body` is a function in normal form; `may_share(a, b)` says whether two names may lie in the
    same memory, `is_pure(node)` whether an expression changes nothing, and `is_adjoint(name)`
    whether a name is that of an adjoint, which lies elsewhere.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... y = np.zeros(n)
    ... y[0] = x
    ... for i in range(1, n):
    ...     a = y[i - 1]
    ...     b = y[i]
    ...     y[i] = a * b
    ... ''')
    >>> found = final_reads(body, lambda a, b: a == b, lambda node: True)
    >>> [id(statement) in found for statement in body[2].body]
    [True, False, False]
    """
    every = list(statements(body))
    writes = [(item, name) for item in every for name in _written(item, is_pure)]
    binds = Counter(name for item in every for name in bound_by(item))
    found: set[int] = set()
    early: set[int] = set()
    for loop in body:
        counted = _counted(loop)
        if counted is not None and not _is_rebound(counted.index, loop):
            inside = {id(item) for item in statements(loop.body)}
            for name in {name for item, name in writes if id(item) in inside}:
                others = [
                    item
                    for item, other in writes
                    if id(item) not in early
                    and (other == name or (not is_adjoint(other) and may_share(other, name)))
                ]
                made = binds[name] == 1 and name in {n for item in body for n in bound_by(item)}
                if made and all(
                    id(item) in inside and _is_element(item, name, counted) for item in others
                ):
                    found.update(_reads_before(name, counted))
        early.update(id(item) for item in statements([loop]))
    return found


def final_stores(
    body: list[Any],
    may_share: Callable[[str, str], bool],
    is_pure: Callable[[Any], bool],
    rank: Callable[[str], int | None],
    is_adjoint: Callable[[str], bool] = lambda _: False,
) -> set[int]:
    """Return the ids of statements ``y[i] = t`` in loops whose elements nothing writes again.

    `y` holds floating-point numbers and is made once, by NumPy; `rank(name)` is how many axes it
    has. Each loop around goes through one of the indices, so every trip writes another element.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... y = np.zeros(n)
    ... z = np.zeros(n)
    ... for i in range(n):
    ...     t = a * i
    ...     y[i] = t
    ...     z[0] = t
    ... ''')
    >>> found = final_stores(body, lambda a, b: a == b, lambda node: True, lambda name: 1)
    >>> [id(statement) in found for statement in body[2].body]
    [False, True, False]
    """
    every = list(statements(body))
    writes = [(item, name) for item in every for name in _written(item, is_pure)]
    binds = Counter(name for item in every for name in bound_by(item))
    made = {name for item in body for name in bound_by(item) if _makes_floats(item)}
    found: set[int] = set()
    for loops, statement in _with_loops(body, ()):
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if not isinstance(target, gast.Subscript) or not isinstance(target.value, gast.Name):
            continue
        name, indices = target.value.id, [getattr(part, "id", "") for part in _components(target)]
        through = sorted(loop.index for loop in loops) == sorted(indices)
        if not through or binds[name] != 1 or name not in made:
            continue
        others = [
            item
            for item, other in writes
            if other == name or (not is_adjoint(other) and may_share(other, name))
        ]
        once = [*map(id, others)] == [id(statement)]
        if once and rank(name) == len(loops) == _count_around(body, statement):
            found.add(id(statement))
    return found


def _makes_floats(statement: Any) -> bool:
    """Say whether a statement is ``y = np.zeros(n)`` or the like: float64, nobody else's."""
    value: Any = getattr(statement, "value", None)
    func = value.func if isinstance(value, gast.Call) else None
    if not isinstance(func, gast.Attribute) or getattr(func.value, "id", "") != "np":
        return False
    return func.attr in ("zeros", "ones", "empty") and not value.keywords and len(value.args) == 1


def _count_around(block: list[Any], statement: Any) -> int:
    """Return how many loops of any kind there are around a statement."""
    for item in block:
        inner = [p for p in blocks_of(item) if any(s is statement for s in statements(p))]
        if inner:
            is_loop = isinstance(item, (gast.For, gast.While))
            return is_loop + _count_around(inner[0], statement)
    return 0


def _is_element(statement: Any, name: str, counted: _Counted) -> bool:
    """Say whether a statement writes the part of an array that this trip of the loop is at."""
    if not isinstance(statement, (gast.Assign, gast.AugAssign)):
        return False
    target = targets_of(statement)[0]
    if not isinstance(target, gast.Subscript) or getattr(target.value, "id", "") != name:
        return False
    first = _first_component(target)
    return isinstance(first, gast.Name) and first.id == counted.index


def _reads_before(name: str, counted: _Counted) -> Iterator[int]:
    """Yield the reads, within a loop, of parts that earlier trips have written or none does."""
    for outer, statement in _with_loops(counted.loop.body, ()):
        value: Any = getattr(statement, "value", None)
        plain = isinstance(statement, gast.Assign) and isinstance(value, gast.Subscript)
        ours = plain and getattr(value.value, "id", "") == name
        if ours and _is_before(_first_component(value), counted, outer):
            yield id(statement)


def _is_before(index: Any, counted: _Counted, inner: Sequence[_Counted]) -> bool:
    """Say whether an index surely is at least 0, and less than that of the trip."""
    if isinstance(index, gast.Constant):
        return type(index.value) is int and 0 <= index.value < counted.start
    if isinstance(index, gast.Name):
        return any(
            loop.index == index.id and getattr(loop.stop, "id", "") == counted.index
            for loop in inner
        )
    if isinstance(index, gast.BinOp) and isinstance(index.op, gast.Sub):
        back = getattr(index.right, "value", None)
        ours = getattr(index.left, "id", "") == counted.index
        return ours and type(back) is int and 0 < back <= counted.start
    return False


def _counted(loop: Any) -> _Counted | None:
    """Return what is known of a loop over a `range`, if it goes up from a number that is known."""
    if not isinstance(loop, gast.For) or not isinstance(loop.target, gast.Name):
        return None
    call = loop.iter
    if not isinstance(call, gast.Call) or getattr(call.func, "id", "") != "range":
        return None
    if len(call.args) > 2 or call.keywords:
        return None
    start = 0 if len(call.args) == 1 else getattr(call.args[0], "value", None)
    if type(start) is not int or start < 0:
        return None
    return _Counted(loop, loop.target.id, start, call.args[-1])


def _with_loops(
    block: list[Any], outer: tuple[_Counted, ...]
) -> Iterator[tuple[tuple[_Counted, ...], Any]]:
    """Yield the statements of a block, inner ones too, with the counted loops around them."""
    for statement in block:
        yield outer, statement
        counted = _counted(statement)
        own = counted is not None and not _is_rebound(counted.index, statement)
        for part in blocks_of(statement):
            yield from _with_loops(part, (*outer, counted) if own and counted else outer)


def _is_rebound(index: str, loop: Any) -> bool:
    """Say whether something in a loop binds its index anew."""
    return any(index in bound_by(item) for item in statements(loop.body))


def _first_component(node: Any) -> Any:
    """Return the first index of a subscript; that of ``y[()]`` is the empty tuple."""
    return (_components(node) or [node.slice])[0]


def _components(node: Any) -> list[Any]:
    return list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]


def _written(statement: Any, is_pure: Callable[[Any], bool]) -> list[str]:
    """Return the names through which a statement may write into memory."""
    value = getattr(statement, "value", None)
    called = [] if value is None or is_pure(value) else names_read(value)
    updates = isinstance(statement, gast.AugAssign)
    return called + [
        name
        for target in targets_of(statement)
        if (updates or isinstance(target, gast.Subscript))
        and (name := root_name(target)) is not None
    ]
