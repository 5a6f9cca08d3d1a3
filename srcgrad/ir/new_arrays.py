"""Says which values are new arrays, in whose memory nothing else lies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader, may_return_operand
from srcgrad.ir.pairs import pairs_up
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import names_bound, walk

_OTHERS: Final = (
    *(gast.For, gast.comprehension, gast.withitem, gast.NamedExpr, gast.AnnAssign),
    *(gast.ExceptHandler, gast.Match, gast.Import, gast.ImportFrom, gast.Global, gast.Nonlocal),
)
"""What may bind a name, but for assignments; nobody asks to what."""
_OF_NUMBERS: Final = (gast.Sub, gast.Div, gast.Pow, gast.MatMult)
"""Arithmetic that makes new arrays: no lists, which hold what they are made of."""


class NewArrays:
    r"""Asks which values are new arrays, by what the names are bound to among some nodes.

    What is `given` under a name, before anything is bound to it, may be anything.

    >>> from srcgrad.compiler.doctesting import parse, reader_of
    >>> body = parse("a = np.zeros(3)\nb = a[1:]\nc = a - 1")
    >>> found = NewArrays(reader_of(), [node for line in body for node in walk(line)])
    >>> [found.is_new(gast.parse(name).body[0].value) for name in ("a", "b", "c")]
    [True, False, True]
    """

    def __init__(self, reader: Reader, nodes: list[Any], given: Iterable[str] = ()) -> None:
        self._reader = reader
        self._bound: dict[str, list[Any]] = {name: [None] for name in given}
        for node in nodes:
            for name, value in _bindings(node):
                self._bound.setdefault(name, []).append(value)
        self._asked: set[str] = set()
        self._numbers: set[str] = set()
        self._others: set[str] = set()
        self._open: set[str] = set()

    def are_apart(self, returned: list[Any]) -> bool:
        """Say whether in each tuple no two values may share memory, nor rows of a new array."""
        return all(
            self._is_apart(value) if isinstance(value, gast.Tuple) else self.is_new(value)
            for value in returned
        )

    def _is_apart(self, value: Any) -> bool:
        names = [item.id for item in value.elts if isinstance(item, gast.Name)]
        return len(names) == len(set(names)) and all(map(self.is_new, value.elts))

    def is_new(self, value: Any) -> bool:
        """Say whether an expression gives a new array, or a number; a name if it means one alone.

        What is bound to a name that means a new array is bound to no other name as well.
        """
        if isinstance(value, gast.Name):
            return value.id in self._asked or self._is_new_name(value.id)
        if isinstance(value, gast.Constant):
            return isinstance(value.value, (bool, int, float, complex))
        if isinstance(value, gast.UnaryOp):
            return isinstance(value.op, (gast.USub, gast.UAdd)) and self.is_new(value.operand)
        if isinstance(value, gast.BinOp):
            parts = value.left, value.right
            return isinstance(value.op, _OF_NUMBERS) or any(map(self._is_of_numbers, parts))
        return isinstance(value, gast.Call) and self._makes_array(value)

    def is_calculated(self, value: Any) -> bool:
        """Say whether an expression gives an array or a number, in whatever memory."""
        return self._is_of_numbers(value)

    def _is_new_name(self, name: str) -> bool:
        values = self._bound.get(name)
        if not values:
            return False
        self._asked.add(name)
        made = (value for value in values if value is not None)
        return None not in values and all(
            not isinstance(value, gast.Name) and self.is_new(value) for value in made
        )

    def _is_of_numbers(self, value: Any) -> bool:
        """Say whether an operand is an array or a broken number, with which no list is joined."""
        if isinstance(value, gast.Constant):
            return isinstance(value.value, (float, complex))
        if isinstance(value, gast.UnaryOp):
            return self._is_of_numbers(value.operand)
        if isinstance(value, gast.BinOp):
            parts = value.left, value.right
            return isinstance(value.op, gast.Div) or any(map(self._is_of_numbers, parts))
        if isinstance(value, gast.Name):
            return self._is_name_of_numbers(value.id)
        if isinstance(value, gast.Subscript):
            outside = self._reader.scope.resolve(value.value) is not MISSING  # as `np.s_`
            named = _names_axes(value.slice) and not outside
            return named or self._is_of_numbers(value.value)
        return isinstance(value, gast.Call) and self._gives_array(value)

    def _is_name_of_numbers(self, name: str) -> bool:
        """Say it of a name; while it is asked of one, that is taken for granted of it."""
        if name in self._open or name in self._numbers:
            return True
        if name in self._others:  # not even with all that was taken for granted
            return False
        self._open.add(name)
        values = self._bound.get(name, [None])
        found = all(value is not None and self._is_of_numbers(value) for value in values)
        self._open.discard(name)
        if found:
            self._numbers.add(name)
        else:
            self._others.add(name)
            self._numbers.clear()  # what was found of others may rest on it
        return found

    def _makes_array(self, call: Any) -> bool:
        operation = self._reader.read(call)
        known = self._reader.vocabulary.primitive(operation.primal)
        fresh = operation.kind == "constant" or not (
            known.may_view or may_return_operand(known, operation)
        )
        return fresh and self._gives_array(call)

    def _gives_array(self, call: Any) -> bool:
        operation = self._reader.read(call)
        if operation.primal is None or operation.kind not in ("primitive", "constant"):
            return False
        if any(self._reader.scope.resolve(node) is object for node in walk(call)):
            return False  # an array of objects holds what others hold
        known = self._reader.vocabulary.primitive(operation.primal)
        return known.name.startswith("numpy.") and known.gives in ("array", "number")


def _names_axes(index: Any) -> bool:
    """Say whether an index says ``...``, or a slice beside others, which arrays alone take."""
    parts = index.elts if isinstance(index, gast.Tuple) else [index]
    several = isinstance(index, gast.Tuple)
    return any(
        getattr(part, "value", None) is Ellipsis or (several and isinstance(part, gast.Slice))
        for part in parts
    )


def _bindings(node: Any) -> list[tuple[str, Any]]:
    """Return the names that a node binds, with what to; None where nobody asks."""
    if isinstance(node, gast.Assign):
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, gast.Name):
            return [(target.id, node.value)]
        if len(node.targets) == 1 and pairs_up(target, node.value):
            pairs = zip(target.elts, node.value.elts, strict=True)
            return [
                (name, value if isinstance(item, gast.Name) else None)
                for item, value in pairs
                for name in names_bound(item)
            ]
        return [(name, None) for item in node.targets for name in names_bound(item)]
    if not isinstance(node, _OTHERS):
        return []
    names = set[str]()
    for part in _places(node):
        names |= {item.id for item in walk(part) if isinstance(item, gast.Name)}
    names |= {item for field in ("name", "names") for item in _texts(getattr(node, field, None))}
    return [(name, None) for name in names]


def _places(node: Any) -> list[Any]:
    """Return the expressions in which a node names what it binds; the whole of a `match`."""
    if isinstance(node, gast.Match):
        return [node]
    fields = (getattr(node, name, None) for name in ("target", "optional_vars"))
    return [item for item in fields if item is not None]


def _texts(value: Any) -> list[str]:
    """Return the names that a node holds as texts."""
    items = value if isinstance(value, list) else [value]
    found = [getattr(item, "asname", None) or getattr(item, "name", item) for item in items]
    return [str(getattr(item, "id", item)).partition(".")[0] for item in found if item is not None]
