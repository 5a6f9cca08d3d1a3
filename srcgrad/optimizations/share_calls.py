"""Reads a value that has a name, where the same elementwise call would be made once more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcgrad.analyses.text_calls import called
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.nodes import Blank, Comment
from srcgrad.ir.walk import (
    blocks_of,
    is_same,
    names_bound,
    names_read,
    spelled,
    statements,
    walk,
)
from srcgrad.runtime import slopes

_OURS: Final[dict[str, Any]] = {
    "np": np,
    **{name: item for name, item in vars(slopes).items() if isinstance(item, FunctionType)},
}


def our_names(function: FunctionType) -> frozenset[str]:
    """Return the names of NumPy and of slopes that mean nothing else where a function stands.

    >>> sorted(name for name in our_names(lambda x: x) if len(name) < 7)
    ['np', 'shares', 'within']
    """
    scope, enclosed = function.__globals__, function.__code__.co_freevars
    return frozenset(
        name
        for name, item in _OURS.items()
        if scope.get(name, item) is item and name not in enclosed
    )


def share_calls(body: list[Any], parameters: Sequence[str], ours: Collection[str]) -> None:
    """Let products and sums read what an elementwise call gave, in the place of a call like it.

    The call moves up to where it is needed first. Nothing is done where a body may write into an
    array: what a name means could be another then. A call by itself stays, since its value may be
    handed on as an array of its own. `ours` are the names that mean NumPy and what is known of it.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... y_dot = x_dot * np.cos(x)
    ... cos = np.cos(x)
    ... cos_dot = -x_dot * np.sin(x)
    ... return grad * cos, y_dot + cos_dot * np.cos(x)
    ... ''')
    >>> share_calls(body, ["x", "x_dot", "grad"], ["np"])
    >>> print(text(body))
    cos = np.cos(x)
    y_dot = x_dot * cos
    cos_dot = -x_dot * np.sin(x)
    return grad * cos, y_dot + cos_dot * cos
    """
    if not all(map(binds_alone, statements(body))):
        return
    bound = Counter(parameters)
    for statement in statements(body):
        for target in getattr(statement, "targets", ()):
            bound.update(names_bound(target))
    for block in [body, *(b for statement in statements(body) for b in blocks_of(statement))]:
        _share_in(block, bound, {name for name in ours if not bound[name]})


def binds_alone(statement: Any) -> bool:
    """Say whether a statement writes into nothing, so that a name means the same afterwards."""
    if isinstance(statement, gast.Assign):
        return all(isinstance(item, (gast.Name, gast.Tuple)) for item in statement.targets)
    if isinstance(statement, gast.Expr):
        return isinstance(statement.value, gast.Constant)
    return isinstance(statement, (gast.If, gast.Return, gast.Pass, Comment, Blank))


def _share_in(block: list[Any], bound: Counter[str], ours: set[str]) -> None:
    calls: _Calls | None = None
    for statement in list(block):
        if not isinstance(statement, gast.Assign) or not _is_elementwise(statement.value, ours):
            continue
        name = getattr(statement.targets[0], "id", "")
        if bound[name] != 1 or any(bound[item] > 1 for item in names_read(statement.value)):
            continue
        calls = _Calls(block) if calls is None else calls
        calls.share(statement, name)


@dataclass(frozen=True, slots=True)
class _Operand:
    """A call that is an operand of arithmetic: in which statement of a block, and where there."""

    statement: Any
    holder: Any
    field: str
    call: Any

    def read(self, name: str) -> None:
        """Put a name in its place."""
        setattr(self.holder, self.field, load(name))


class _Calls:
    """The calls in a block that are operands of arithmetic, which names may be read for."""

    def __init__(self, block: list[Any]) -> None:
        self._block = block
        self._places = {id(statement): place for place, statement in enumerate(block)}
        self._starts = _starts(block)
        self._alike: dict[str, list[_Operand]] = defaultdict(list)
        for statement in block:
            for node in walk(statement):
                for field in _operands(node):
                    part = getattr(node, field)
                    if isinstance(part, gast.Call):
                        found = _Operand(statement, node, field, part)
                        self._alike[_kind(part)].append(found)

    def share(self, statement: Any, name: str) -> None:
        """Let a block read the name of a call, from where the call is needed first."""
        found = self._like(statement)
        if not found:
            return
        place = self._places[id(statement)]
        users = self._users(found, place)
        if users:
            self._block.insert(users[0], self._block.pop(place))
            for moved in range(users[0], place + 1):  # all others are where they were
                self._places[id(self._block[moved])] = moved
        start = min([place, *users])
        for operand in found:
            if self._places[id(operand.statement)] >= start:
                operand.read(name)

    def _like(self, statement: Any) -> list[_Operand]:
        """Return the calls in other statements that are like the one that a statement binds."""
        alike = [
            item
            for item in self._alike.get(_kind(statement.value), ())
            if item.statement is not statement and getattr(item.holder, item.field) is item.call
        ]
        return [item for item in alike if is_same(item.call, statement.value)]

    def _users(self, found: list[_Operand], place: int) -> list[int]:
        """Return the places of those before a statement, from which nothing keeps it."""
        places = sorted({self._places[id(item.statement)] for item in found})
        return [item for item in places if self._starts[place] <= item < place]


def _starts(block: list[Any]) -> list[int]:
    """Return for each place of a block how far up nothing but assignments stands before it.

    What moves up no farther than that changes places with assignments alone, so this stays true.

    >>> from srcgrad.compiler.doctesting import parse
    >>> _starts(parse("a = 1; b = 2; print(a); c = 3; d = 4"))
    [0, 0, 0, 3, 3]
    """
    found: list[int] = []
    for place in range(len(block)):
        follows = place > 0 and isinstance(block[place - 1], gast.Assign)
        found.append(found[-1] if follows else place)
    return found


def _kind(call: Any) -> str:
    """Return what calls that are alike have in common, whatever is read in them by name later.

    Names and literals that a call is given stay there.
    """
    plain = all(isinstance(item, (gast.Name, gast.Constant)) for item in call.args)
    return spelled([call.func, *call.args] if plain else call.func)


def _is_elementwise(node: Any, ours: set[str]) -> bool:
    if not isinstance(node, gast.Call) or node.keywords:
        return False
    func = node.func
    if isinstance(func, gast.Name):
        return func.id in ours
    return "np" in ours and called(node).acts_on_each_element


def _operands(node: Any) -> list[str]:
    """Return the fields of an operation that hold its operands."""
    if isinstance(node, gast.BinOp):
        return ["left", "right"]
    return ["operand"] if isinstance(node, gast.UnaryOp) else []
