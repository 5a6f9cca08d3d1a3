"""Opens ``f(x, **given)`` where only the run tells what `given` holds, as the callee says it."""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Known, Local, Method, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, may_be_literal
from srcgrad.ir.walk import found_in
from srcgrad.runtime.objects import is_named_tuple, is_plain_class

if TYPE_CHECKING:
    from srcgrad.frontend.expand.given import Evaluated

Bound = dict[str, Value]
_FEW: Final = 12


class Unpacking(Part):
    """The part of the expansion that deals with dicts of unknown names behind stars."""

    def by_names(self, callee: Value, given: Evaluated, node: Any) -> Bound | None:
        """Return the keywords that a dict of the run gives a function; None if that is not known.

        A parameter with a default is given it where the dict has no such key. That it has others,
        for which Python raises an error, must not matter.
        """
        tree = self.frame.tree
        own = self.frame.begins and tree.args.kwarg is not None  # which a call tells
        takes = None if own or found_in(tree, gast.Try) else self._takes(callee)
        if takes is None or len(given.unnamed) > 1 or not self.frame.hoistable:
            return None
        held = given.unnamed[0]
        left = [name for name in list(takes)[len(given.values) :] if name not in given.named]
        static = any(isinstance(value, Static) for value in (held, *map(takes.get, left)))
        if static or not 0 < len(left) <= _FEW:
            return None
        if not isinstance(held, gast.Name):
            if self.frame.disturbs(node) or not all(map(_is_simple, given.values)):
                return None  # it would be read before its time
            held = self.frame.keep("given", held, node)
        self.frame.changed = True
        return {**given.named, **{name: _entry(held, name, takes[name], node) for name in left}}

    def _takes(self, callee: Value) -> dict[str, Value] | None:
        """Return the parameters of a function with their defaults, None where there is none.

        None of a function that takes any name, or of which that is not known.
        """
        if isinstance(callee, Method):
            found = self._takes(callee.function)
            return None if found is None else dict(list(found.items())[1:])
        if isinstance(callee, Local):
            return _of_tree(callee.code.tree, dict(callee.defaults))
        kind = callee.value if isinstance(callee, Known) else None
        if isinstance(kind, type):
            return self._taken_by_class(kind)
        if not isinstance(kind, FunctionType) or not self.session.is_user(kind):
            return None
        tree = self.frame.stars.tree_of(callee)
        return _of_tree(tree, self.frame.calls.defaults_of(kind, kind.__name__))

    def _taken_by_class(self, kind: type) -> dict[str, Value] | None:
        init = inspect.getattr_static(kind, "__init__")
        if is_named_tuple(kind) or (is_plain_class(kind) and dataclasses.is_dataclass(kind)):
            return _of_signature(kind)
        if not is_plain_class(kind) or not self.session.is_user(init):
            return None
        found = self._takes(Known(init))
        return None if found is None else dict(list(found.items())[1:])


def _of_tree(tree: Any, defaults: Bound) -> dict[str, Value] | None:
    args = tree.args
    if args.vararg is not None or args.kwarg is not None or args.posonlyargs:
        return None
    return {item.id: defaults.get(item.id) for item in (*args.args, *args.kwonlyargs)}


def _of_signature(kind: type) -> dict[str, Value] | None:
    found: dict[str, Value] = {}
    for name, taken in inspect.signature(kind).parameters.items():
        plain = taken.default is taken.empty or may_be_literal(taken.default)
        if taken.kind is not taken.POSITIONAL_OR_KEYWORD or not plain:
            return None
        has_default = taken.default is not taken.empty
        found[name] = gast.Constant(taken.default, None) if has_default else None
    return found


def _entry(held: Any, name: str, default: Any, node: Any) -> Any:
    """Return ``held["name"]``, or the default where there is no such key."""
    key = gast.Constant(name, None)
    entry = at(gast.Subscript(clone(held), key, gast.Load()), node)
    if default is None:
        return entry
    there = gast.Compare(clone(key), [gast.In()], [clone(held)])
    return at(gast.IfExp(there, entry, clone(default)), node)


def _is_simple(value: Value) -> bool:
    return isinstance(value, (gast.Name, gast.Constant, Static))
