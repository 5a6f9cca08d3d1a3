"""Makes the adjoint of a list of numbers from how many there are, not from the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.jumps import jumps
from srcgrad.ir.program import bound_by
from srcgrad.ir.walk import names_read, own_nodes, statements

_ARITHMETIC = (gast.Name, gast.Constant, gast.BinOp, gast.Add, gast.Sub, gast.Mult, gast.FloorDiv)
_LEAVING = (gast.Break, gast.Continue, gast.Return)


def zeros_of_numbers(
    body: list[Any],
    is_number: Callable[[Any], bool],
    is_integer: Callable[[Any], bool],
    parameters: Collection[str],
) -> None:
    """Write zeros for the numbers in a list that a loop fills by how many those are.

    Then nothing may need the list any more. `is_number(node)` says what surely is a single number,
    `is_integer(node)` what surely is a whole one.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... values = []
    ... for i in range(n + 1):
    ...     y = x * i
    ...     values.append(y)
    ... grad_values = zeros_like(values)
    ... ''')
    >>> zeros_of_numbers(body, lambda node: True, lambda node: True, "nx")
    >>> print(text(body[-1:]))
    grad_values = [0.0] * (n + 1)
    >>> body = parse('''
    ... values = []
    ... for i in range(n):
    ...     if x > 0:
    ...         values.append(x)
    ... grad_values = zeros_like(values)
    ... ''')
    >>> zeros_of_numbers(body, lambda node: True, lambda node: True, "nx")
    >>> print(text(body[-1:]))
    grad_values = zeros_like(values)
    """
    every = list(statements(body))
    made = {name for item in body if _makes_list(item) for name in bound_by(item)}
    wanted = [item for item in every if _list_of(item) in made]
    if not wanted:
        return
    lists = _Lists(body, set(map(_list_of, wanted)), is_number, is_integer)
    binds = Counter(name for item in every for name in bound_by(item))
    for item in wanted:
        count = lists.count(_list_of(item))
        if count is None or not is_integer(count):
            continue
        if all(binds[name] == (name not in parameters) for name in names_read(count)):
            zero = gast.List([gast.Constant(0.0, None)], gast.Load())
            item.value = gast.BinOp(zero, gast.Mult(), clone(count))


class _Lists:
    """Where some lists are mentioned in a body, and the loops of it that fill them."""

    def __init__(
        self,
        body: list[Any],
        names: set[str],
        is_number: Callable[[Any], bool],
        is_integer: Callable[[Any], bool],
    ) -> None:
        self._is_number = is_number
        self._is_integer = is_integer
        self._places = {id(item): place for place, item in enumerate(body)}
        self._loops = {
            id(item): loop for loop in body if isinstance(loop, gast.For) for item in loop.body
        }
        self._mentions: dict[str, list[Any]] = {name: [] for name in names}
        for item in statements(body):
            read = {node.id for node in own_nodes(item) if isinstance(node, gast.Name)}
            for name in read & names:
                self._mentions[name].append(item)

    def count(self, name: str) -> Any:
        """Return how many numbers a list holds that one loop fills; None if that is not known."""
        mentions = self._mentions[name]
        made = [item for item in mentions if name in bound_by(item)]
        grown = [item for item in mentions if _appended(item, name) is not None]
        if len(made) != 1 or len(grown) != 1 or not self._is_number(_appended(grown[0], name)):
            return None
        loop = self._loops.get(id(grown[0]))
        if loop is None or loop.orelse or not _makes_list(made[0]) or _leaves(loop):
            return None
        if self._places.get(id(made[0]), len(self._places)) > self._places[id(loop)]:
            return None
        others = [item for item in mentions if item is not made[0] and item is not grown[0]]
        kept = all(self._keeps_length(item, name) for item in others)
        return _length(loop.iter) if kept else None

    def _keeps_length(self, statement: Any, name: str) -> bool:
        """Say whether a statement reads or writes single entries alone, or makes zeros like all."""
        if _list_of(statement) == name:
            return True
        nodes = own_nodes(statement)
        whole = sum(isinstance(node, gast.Name) and node.id == name for node in nodes)
        parts = [
            node
            for node in nodes
            if isinstance(node, gast.Subscript) and getattr(node.value, "id", "") == name
        ]
        if len(parts) != whole or not all(self._is_integer(part.slice) for part in parts):
            return False
        stored = [part for part in parts if not isinstance(part.ctx, gast.Load)]
        return not stored or (
            isinstance(statement, gast.Assign) and self._is_number(statement.value)
        )


def _makes_list(statement: Any) -> bool:
    """Say whether a statement makes a list without entries."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    return isinstance(value, gast.List) and not value.elts


def _list_of(statement: Any) -> str:
    """Return the name of what zeros are made like, or an empty string."""
    value: Any = statement.value if isinstance(statement, gast.Assign) else None
    if getattr(getattr(value, "func", None), "id", "") != "zeros_like":
        return ""
    return getattr(value.args[0], "id", "")


def _appended(statement: Any, name: str) -> Any:
    """Return what a statement appends to a list, or None."""
    value: Any = statement.value if isinstance(statement, gast.Expr) else None
    func = getattr(value, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr != "append":
        return None
    return value.args[0] if getattr(func.value, "id", "") == name else None


def _leaves(loop: Any) -> bool:
    """Say whether a loop may end, or a trip of it, before what comes next."""
    return any(isinstance(item, _LEAVING) for item in jumps(loop.body)) or any(
        isinstance(item, gast.Try) for item in statements(loop.body)
    )


def _length(iterable: Any) -> Any:
    """Return how many trips a loop over ``range(n)`` makes, if that is arithmetic of names."""
    is_range = getattr(getattr(iterable, "func", None), "id", "") == "range"
    if not is_range or len(iterable.args) != 1 or iterable.keywords:
        return None
    (count,) = iterable.args
    return count if all(isinstance(node, _ARITHMETIC) for node in _nodes(count)) else None


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    if isinstance(node, gast.BinOp):
        for part in (node.left, node.op, node.right):
            yield from _nodes(part)
