"""Knows the objects that expressions of names from outside give: ``Manager.local.get("backend")``.

They are asked for now, and again at each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from srcgrad.frontend.expand.assumptions import Outside
from srcgrad.frontend.expand.values import Instance
from srcgrad.frontend.lasting_answers import leaves
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import spelled, walk
from srcgrad.runtime.objects import is_plain_object

if TYPE_CHECKING:
    from srcgrad.frontend.expand.frame import Frame


class NotToldError(Exception):
    """An expression does more than to look things up."""


class LookedUp:
    """Reads what an expression finds, whose names mean what they do outside.

    It has attributes, literals, and calls of the method `get` of dicts. Equal are those of the same
    text and names.
    """

    __slots__ = ("_key", "_known", "_node")

    def __init__(self, node: Any, known: Mapping[str, Outside]) -> None:
        self._node = node
        self._known = known
        self._key = spelled(node), frozenset(known.items())

    def __call__(self, arguments: Mapping[str, Any]) -> Any:
        """Return what it finds now."""
        return self._of(self._node, arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LookedUp) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def _of(self, node: Any, arguments: Mapping[str, Any]) -> Any:
        if isinstance(node, gast.Constant):
            return node.value
        if isinstance(node, gast.Name) and node.id in self._known:
            return self._known[node.id](arguments)
        if isinstance(node, gast.Attribute):
            return getattr(self._of(node.value, arguments), node.attr)
        func = getattr(node, "func", None)
        if isinstance(func, gast.Attribute) and func.attr == "get" and not node.keywords:
            holder = self._of(func.value, arguments)
            if type(holder) is dict:
                return holder.get(*[self._of(item, arguments) for item in node.args])
        raise NotToldError("this may do more than to look something up")


def told_object(frame: Frame, node: Any) -> Instance | None:
    """Return the object of a class of the user's that an expression finds, and keeps finding."""
    starts = frame.session.starts or frame.session.halved
    if starts is None or not isinstance(node, gast.Call):
        return None
    outside = {name: frame.found_outside(name) for name in _names_in(node)}
    bindings = {name: binding for name, binding in outside.items() if binding is not None}
    read = LookedUp(clone(node), {name: Outside(item) for name, item in bindings.items()})
    try:
        found = read({})
    except (NotToldError, AttributeError, KeyError, TypeError):
        return None
    kinds = [item.value for item in bindings.values() if isinstance(item.value, type)]
    words = {getattr(item, "attr", getattr(item, "value", None)) for item in walk(node)}
    names = {word for word in words if isinstance(word, str)} - {"get"}
    given = frame.session.arguments.values()
    if not is_plain_object(found) or not leaves(names, kinds, starts, given):
        return None
    frame.session.assume(read, found)
    frame.changed = True
    return Instance(found, node, read)


def _names_in(node: Any) -> Iterator[str]:
    return (item.id for item in walk(node) if isinstance(item, gast.Name))
