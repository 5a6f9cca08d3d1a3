"""Says which names of a function may reach the same memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.analyses.text_calls import makes_new
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.kind import Array, Items, Kind, is_number

_FRESH_CALLS: Final = frozenset(
    "zeros ones empty full zeros_like ones_like empty_like full_like copy copied sum where sin cos "
    "exp log sqrt tanh abs maximum minimum outer dot eye arange sum_along max_along mean_along "
    "min_along power square sign power_slope greater_part order_of part_if_greater "
    "part_if_less".split()
)


_COUNTS: Final = frozenset({"range", "prange"})


class Aliases:
    """The classes of names that may share memory: what is assigned to each other, and parts.

    What is calculated is fresh; whatever else stands on the right of an assignment may be part of
    all names in it. Arguments may share memory with each other.
    """

    def __init__(self, function: Any, kind_of: Callable[[Any], Kind]) -> None:
        self._kind_of = kind_of
        self._parents: dict[str, str] = {}
        parameters = [item.id for item in function.args.args]
        for name in parameters[1:]:
            self._join(parameters[0], name)
        for node in found_in(function, gast.Assign, gast.For, gast.Expr):
            self._note(node)

    def may_meet(self, one: str, other: str) -> bool:
        """Say whether two names may reach the same memory."""
        return self._root(one) == self._root(other)

    def _note(self, node: Any) -> None:
        if isinstance(node, gast.Assign):
            if self.is_fresh(node.value):
                return
            parts, value = node.targets, node.value
        elif isinstance(node, gast.For):
            if getattr(getattr(node.iter, "func", None), "id", "") in _COUNTS:
                return
            parts, value = [node.target], node.iter
        else:
            parts, value = [], node.value
        names = self._reached_by(value).union(*map(_owners, parts))
        first = min(names, default="")
        for name in names:
            self._join(first, name)

    def _reached_by(self, value: Any) -> set[str]:
        """Return the names whose memory a value may reach."""
        if self.is_fresh(value) or _is_of_numbers(self._kind_of(value)):
            return set()
        if isinstance(value, gast.Subscript):
            return self._reached_by(value.value)
        if isinstance(value, gast.Call):
            owner = [value.func.value] if isinstance(value.func, gast.Attribute) else []
            parts = [*owner, *value.args, *(item.value for item in value.keywords)]
            return set().union(*map(self._reached_by, parts))
        if isinstance(value, (gast.Tuple, gast.List)):
            return set().union(*map(self._reached_by, value.elts))
        return {item.id for item in found_in(value, gast.Name)} - {"np", "math"}

    def _root(self, name: str) -> str:
        while self._parents.get(name, name) != name:
            name = self._parents[name]
        return name

    def _join(self, one: str, other: str) -> None:
        self._parents[self._root(other)] = self._root(one)

    def is_fresh(self, value: Any) -> bool:
        """Say whether the memory of a value is that of no name."""
        kind = self._kind_of(value)
        if is_number(kind):
            return True
        if not isinstance(kind, Array):
            return False
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare)):
            return True
        if isinstance(value, gast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if name == "unbroadcast":
                return self.is_fresh(value.args[0])  # or a sum of it
            return name in _FRESH_CALLS or makes_new(value)
        return False


def _owners(target: Any) -> set[str]:
    """Return the names that an assignment binds, or whose memory it writes into."""
    if isinstance(target, gast.Subscript):
        return _owners(target.value)
    return {item.id for item in found_in(target, gast.Name)}


def _is_of_numbers(kind: Kind) -> bool:
    """Say whether a kind is that of numbers, or of tuples of them, as shapes are."""
    return is_number(kind) or (isinstance(kind, Items) and all(map(_is_of_numbers, kind.items)))
