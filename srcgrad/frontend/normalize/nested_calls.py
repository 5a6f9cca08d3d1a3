"""Gives calls inside of expressions statements of their own, and what is evaluated before them.

A comprehension that makes such calls gets one, too, and is then written out as a loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, load
from srcgrad.ir.evaluation import part_at, places_in, put_at
from srcgrad.ir.names import Namer
from srcgrad.ir.program import header_of
from srcgrad.ir.walk import found_in, walk

_PARTS: Final = {
    **dict.fromkeys((gast.Assign, gast.AugAssign, gast.Expr), "value"),
    gast.If: "test",
    gast.For: "iter",
}
"""What a statement evaluates before all else."""
_TAKEN: Final = (gast.Call, gast.ListComp, gast.DictComp)


class NestedCalls:
    """Takes the `wanted` calls out of the expressions of statements.

    What Python evaluates before such a call is bound before it, too, as its writes may change that.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> (line,) = parse("y = x[0] * f(x) + 1.0")
    >>> lift = NestedCalls(Namer(["x", "f", "y"]), lambda call: call.func.id == "f")
    >>> print(text([*lift.before(line), line]))
    item = x[0]
    result_of_f = f(x)
    y = item * result_of_f + 1.0
    """

    def __init__(self, namer: Namer, wanted: Callable[[Any], bool]) -> None:
        self._namer = namer
        self._wanted = wanted
        self._lead: list[Any] = []
        self.made: set[str] = set()

    def before(self, statement: Any) -> list[Any]:
        """Return the statements to run before one, from which its inner calls are taken."""
        self._lead = []
        calls = (item for part in header_of(statement) for item in found_in(part, *_TAKEN))
        if not any(map(self._is_taken, calls)):
            return self._lead
        if isinstance(statement, gast.AugAssign) and not _is_told_late(statement.target):
            base = getattr(statement.target, "value", None)
            if isinstance(base, gast.Call) and self._holds(base):
                statement.target.value = self._visit(base, statement)
            return self._lead  # the old value is read before other calls
        name = _PARTS.get(type(statement), "")
        part = getattr(statement, name, None)
        if self._holds(part):
            whole = may_hold(statement, part)
            setattr(statement, name, self._visit(part, statement, whole=whole))
        return self._lead

    def makes(self, node: Any) -> bool:
        """Say whether a comprehension makes a wanted call, and may be written out as a loop."""
        if not isinstance(node, (gast.ListComp, gast.DictComp)):
            return False
        if isinstance(node, gast.DictComp) and not _is_simple(node.key):
            return False  # a loop would find the key after the value
        parts = list(walk(node))
        own = any(isinstance(part, gast.Lambda) for part in parts)
        calls = (part for part in parts if isinstance(part, gast.Call))
        return not own and any(map(self._wanted, calls))

    def _is_taken(self, node: Any) -> bool:
        return (isinstance(node, gast.Call) and self._wanted(node)) or self.makes(node)

    def _holds(self, node: Any) -> bool:
        return self._is_taken(node) or any(self._holds(part_at(place)) for place in places_in(node))

    def _visit(self, node: Any, like: Any, *, whole: bool = False) -> Any:
        taken = not whole and self._is_taken(node)
        places = list(places_in(node))
        for number, place in enumerate(places):
            if not self._holds(part_at(place)):
                continue
            for earlier in places[:number]:
                before = part_at(earlier)
                dotted = earlier[0] is getattr(node, "func", None) and _is_dotted(before)
                if not _is_simple(before) and not dotted:
                    put_at(earlier, self._bound("item", before, like))
            put_at(place, self._visit(part_at(place), like))
        if taken and not isinstance(node, gast.Call):
            return self._bound("items", node, like)
        if taken:
            name = getattr(node.func, "attr", getattr(node.func, "id", "call"))
            return self._bound(f"result_of_{name.strip('_')}", node, like)
        return node

    def _bound(self, wish: str, value: Any, like: Any) -> Any:
        if isinstance(value, (gast.keyword, gast.Starred)):
            value.value = self._bound(wish, value.value, like)
            return value
        name = self._namer.fresh(wish)
        self.made.add(name)
        self._lead.append(assign(name, value, like))
        return load(name)


def may_hold(statement: Any, value: Any) -> bool:
    """Say whether a statement may have such a value as it is, not as a name that is bound to it.

    Then a call is the first thing that it does, and a comprehension all that it binds.
    """
    if isinstance(value, (gast.ListComp, gast.DictComp)):
        targets = getattr(statement, "targets", [])
        return len(targets) == 1 and isinstance(targets[0], gast.Name)
    if isinstance(statement, gast.AugAssign):
        return isinstance(statement.target, gast.Name)
    return isinstance(statement, (gast.Expr, gast.Assign))


def _is_dotted(node: Any) -> bool:
    """Say whether an expression is a dotted name, as of a module."""
    return isinstance(node, gast.Name) or (
        isinstance(node, gast.Attribute) and _is_dotted(node.value)
    )


def _is_told_late(target: Any) -> bool:
    """Say whether what an update reads of its target may as well be read after its value.

    Names are bound to the same as before, and ``a[:, 0]``, of literal places, is a view.
    """
    if isinstance(target, gast.Name):
        return True
    places = getattr(target, "slice", None)
    return (
        isinstance(places, gast.Tuple)
        and isinstance(target.value, gast.Name)
        and any(isinstance(place, gast.Slice) for place in places.elts)
        and not any(isinstance(node, (gast.Name, gast.Call)) for node in walk(places))
    )


def _is_simple(node: Any) -> bool:
    """Say whether a part means the same after a call: a constant, or the object of a name."""
    if isinstance(node, (gast.keyword, gast.Starred)):
        node = node.value
    if isinstance(node, gast.Slice):
        return all(map(_is_simple, (node.lower, node.upper, node.step)))
    return node is None or isinstance(node, (gast.Constant, gast.Name))
