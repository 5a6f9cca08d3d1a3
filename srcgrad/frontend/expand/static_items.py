"""Changes lists and dicts of functions and objects, which are known, in the places they hold."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.frontend.expand.changing_fields import GrowingFieldError
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.part import Part, callee
from srcgrad.frontend.expand.values import (
    DictMethod,
    Items,
    Known,
    Local,
    Method,
    Object,
    Partial,
    Static,
    Value,
    is_dtype,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in

_CHANGING: Final = ("pop", "setdefault")
_WHOLE: Final = ("keys", "values", "items", "copy")
_SOME_PATHS: Final = ("a list of functions that grows on some paths", "write a display")


class StaticItems(Part):
    """The part of the expansion that changes lists and dicts of functions and objects."""

    def grows(self, call: Any) -> bool:
        """Add a function or an object, or some, to a list of such."""
        if not isinstance(call, gast.Call) or not isinstance(call.func, gast.Attribute):
            return False
        owner = self._list_at(call.func.value, call)
        if not isinstance(owner, Items) or owner.keys is not None or len(call.args) != 1:
            return False
        if call.func.attr == "append":
            self._check(owner, call)
            owner.values.append(self.frame.value(call.args[0]))
            return True
        return call.func.attr == "extend" and self.extended(owner, call.args[0], call)

    def _list_at(self, place: Any, call: Any) -> Value | None:
        """Return what a variable or the field of an object holds, into which something is put.

        Raises:
            GrowingFieldError: It is a function, and the field is not known to hold such.
        """
        if not isinstance(place, gast.Attribute):
            return self.frame.env.get(getattr(place, "id", ""))
        owner = self.frame.looked_at(place.value)
        if not isinstance(owner, Object) or call.func.attr != "append" or len(call.args) != 1:
            return None
        held = owner.fields.get(place.attr)
        self.note_growing(owner, place.attr, call.args[0])
        return held

    def note_growing(self, owner: Object, name: str, put: Any) -> None:
        """Note that something is put into the list or dict that a field holds.

        Raises:
            GrowingFieldError: It is a function, and the field is not known to hold such.
            NeedsInlineError: The object is the caller's.
        """
        held, known = owner.fields.get(name), (owner.cls, name) in self.session.growing
        may_grow = isinstance(held, gast.Name) and not self.frame.depth and not known
        if may_grow and any(map(self._is_function, getattr(put, "elts", [put]))):
            raise GrowingFieldError(owner.cls, name)
        if isinstance(held, Items) and owner.lent:
            raise NeedsInlineError

    def _is_function(self, node: Any) -> bool:
        if isinstance(node, gast.Lambda):
            return True
        return isinstance(self.frame.looked_at(node), (Known, Local, Method, Partial))

    def extended(self, owner: Items | None, more: Any, node: Any) -> bool:
        """Add what is in a list to one of functions or objects, if it is known, for all to see."""
        if owner is None or owner.kind != "list":
            return False
        added = self.frame.expressions.elements(self.frame.value(more))
        if added is None:
            what = "a list of functions that grows by what only the run tells"
            self.frame.refuse(node, what, "write a display")
        self._check(owner, node)
        owner.values.extend(added)
        return True

    def _check(self, owner: Items, node: Any) -> None:
        if owner.lent:
            raise NeedsInlineError
        if self.frame.depth or owner.kind != "list":
            made = [item.func for item in found_in(node, gast.Call)]
            self.session.records.leak(owner, *map(self.frame.looked_at, made))
            self.frame.refuse(node, *_SOME_PATHS)

    @callee(DictMethod)
    def _call_dictmethod(
        self, callee: DictMethod, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value:
        owner = callee.owner
        keys = owner.keys or []
        names: list[Value] = [gast.Constant(key, None) for key in keys]
        if callee.name in _WHOLE:
            return self._whole(callee, names, node)
        key = args[0].value if isinstance(args[0], gast.Constant) else MISSING
        if callee.name in _CHANGING and owner.lent:
            raise NeedsInlineError
        if callee.name in _CHANGING and owner.expression is not None:
            self.frame.refuse(node, "a write into a dict of functions", "make a new one")
        from_outside = key is MISSING and callee.name == "get" and owner.expression is not None
        if from_outside and all(map(is_dtype, [*owner.values, *args[1:]])):
            made = gast.Attribute(clone(owner.expression), "get", gast.Load())
            return at(gast.Call(made, [self.frame.plain(item, node) for item in args], []), node)
        if key is MISSING or (callee.name in _CHANGING and self.frame.depth):
            self.frame.refuse(
                node, "reading options by a key that only the run tells", "name the option"
            )
        if key not in keys:
            if callee.name == "setdefault":
                return self.frame.fields.added(owner, key, args, node)
            if callee.name == "pop" and len(args) < 2:
                self.frame.refuse(node, f"an option `{key}` that is not given", "give a default")
            return args[1] if len(args) > 1 else gast.Constant(None, None)
        found = owner.get(key)
        if callee.name == "pop":
            place = keys.index(key)
            del keys[place], owner.values[place]
        return found if isinstance(found, Static) else clone(found)

    def _whole(self, callee: DictMethod, names: list[Value], node: Any) -> Items:
        """Return all of what a dict holds: its keys, its values, both, or another dict of them."""
        owner = callee.owner
        if callee.name == "copy":
            held = [self.frame.bound_now(item, "part", node) for item in owner.values]
            return Items("dict", held, list(owner.keys or ()))
        if callee.name == "items":
            pairs = zip(names, owner.values, strict=True)
            return Items("list", [Items("tuple", [key, item]) for key, item in pairs])
        return Items("list", names if callee.name == "keys" else list(owner.values))
