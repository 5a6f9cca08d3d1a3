"""Writes numbers with a point in lists of whole numbers that other numbers are put into.

Numba gives a list the type of what it is made of, and cuts off what is put into it then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call, constant, load
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Items, Kind, Many
from srcgrad.targets.loops.words import COMPLEX, FLOATS, INTEGERS

_WHOLE: Final = frozenset({*INTEGERS, "bool"})
_OTHERS: Final = FLOATS | COMPLEX
_WHAT: Final = "a list of whole numbers that others are put into"


class Lists:
    """The lists of one function.

    Attributes:
        refused: Those that are not displayed where they are made, with their lines.
    """

    def __init__(
        self, function: Any, kind_of: Callable[[Any], Kind], records: Collection[str]
    ) -> None:
        self._function = function
        self._kind = kind_of
        self._records = records
        self.refused: list[tuple[str, int]] = []

    def write(self, given: Sequence[Kind]) -> None:
        """Let displays hold all that is put into their lists; `given` are kinds of arguments."""
        parameters = zip(self._function.args.args, given, strict=False)
        if any(_is_narrower(kind, self._kind(load(item.id))) for item, kind in parameters):
            self.refused.append((_WHAT, self._function.lineno))
        for statement in found_in(self._function, gast.Assign):
            for target, value in _pairs(statement.targets[0], statement.value):
                kind = self._kind(target)
                if isinstance(kind, (Many, Items)) and not self._fit(value, kind):
                    self.refused.append((_WHAT, statement.lineno))
        for node in found_in(self._function, gast.Call):
            if getattr(node.func, "attr", "") == "append" and len(node.args) == 1:
                kind = self._kind(node.func.value)
                if isinstance(kind, Many):
                    node.args[0] = self._converted(node.args[0], kind.item)

    def _fit(self, node: Any, kind: Kind, *, in_list: bool = False) -> bool:
        """Let a value be of the kind that it shall be; say whether it is."""
        own = self._kind(node)
        if not (_holds_less if in_list else _is_narrower)(own, kind):
            return True
        if isinstance(node, gast.BinOp):
            sides = [item for item in (node.left, node.right) if isinstance(self._kind(item), Many)]
            return all(self._fit(item, kind) for item in sides)
        if isinstance(node, gast.List) and isinstance(kind, Many):
            node.elts = [self._converted(item, kind.item) for item in node.elts]
        elif isinstance(node, gast.Tuple) and isinstance(kind, Items) and in_list:
            node.elts = list(map(self._converted, node.elts, kind.items))
        elif isinstance(node, gast.Tuple) and isinstance(kind, Items):
            return all(map(self._fit, node.elts, kind.items))
        elif isinstance(kind, Items) and getattr(getattr(node, "func", None), "id", "") in (
            self._records
        ):
            return all(map(self._fit, node.args, kind.items))
        else:
            return False
        return True

    def _converted(self, node: Any, kind: Kind) -> Any:
        """Return an entry of a list as it shall be."""
        own = self._kind(node)
        if own in _WHOLE and kind in _OTHERS:
            number = complex if kind in COMPLEX else float
            if isinstance(node, gast.Constant):
                return constant(number(node.value))
            return call(number.__name__, node)
        if isinstance(kind, (Many, Items)) and not self._fit(node, kind, in_list=True):
            self.refused.append((_WHAT, self._function.lineno))
        return node


def _pairs(target: Any, value: Any) -> list[tuple[Any, Any]]:
    """Return what is bound to what, of the parts of tuples if both are."""
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple):
        return [
            pair for parts in zip(target.elts, value.elts, strict=False) for pair in _pairs(*parts)
        ]
    return [(target, value)]


def _is_narrower(own: Kind, kind: Kind) -> bool:
    """Say whether lists of one kind hold whole numbers where those of another hold others."""
    if isinstance(own, Many) and isinstance(kind, Many):
        return _holds_less(own.item, kind.item)
    if isinstance(own, Items) and isinstance(kind, Items):
        return any(map(_is_narrower, own.items, kind.items))
    return False


def _holds_less(own: Kind, kind: Kind) -> bool:
    """Say the same of what the lists hold."""
    if isinstance(own, Items) and isinstance(kind, Items):
        return any(map(_holds_less, own.items, kind.items))
    return (own in _WHOLE and kind in _OTHERS) if isinstance(own, str) else _is_narrower(own, kind)
