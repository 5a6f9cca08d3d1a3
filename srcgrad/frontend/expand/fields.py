"""Reads the arguments that are differentiated field by field, and entry by entry."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import gast

from srcgrad.frontend.expand.calls import Calls
from srcgrad.frontend.expand.frame import at_key, has_plain_keys
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.expand.short import without_docstring
from srcgrad.frontend.expand.values import Instance, Known, Object, Root, Value
from srcgrad.frontend.source import Entry, Leaves, Path, find_source
from srcgrad.ir.build import clone, load
from srcgrad.ir.scopes import MISSING
from srcgrad.runtime.objects import field_names, holds_objects, is_differentiable, is_plain_object


class Fields(Calls):
    """The part of the expansion that deals with what is held in arguments with derivatives.

    Each field of floats is a variable of its own, which is read before all else. The objects, and
    the lists, tuples and dicts that hold some, are known by what is in them.
    """

    def of_instance(self, owner: Instance, name: str, node: Any) -> Value:
        """Return an attribute of an object that was there before."""
        raise NotImplementedError("defined by `Objects`")

    def property_of(self, owner: Instance, name: str, found: Any, node: Any) -> Value | None:
        """Return the function or the object that a property gives; None where it gives data.

        It is known where the property hands on what is stored, ``return self._encode``, and where
        the property may be asked now.
        """
        getter = found.fget if isinstance(found, property) else None
        if not isinstance(getter, FunctionType) or not self.is_user(getter):
            return None
        stored = _handed_on(find_source(getter).tree)
        if stored is not None:
            item = getattr(owner.value, "__dict__", {}).get(stored, MISSING)
            if item is None:
                root = owner.root
                self.session.assume(lambda given: getattr(root(given), stored), None)
                return gast.Constant(None, None)
            if callable(item) or is_plain_object(item):
                self.session.functions[getter] = None
                return self.of_instance(owner, stored, node)
        return self.told(getter, [owner], {}, node)

    def field_of(self, owner: Instance, name: str, item: Any, node: Any) -> Value:
        """Return a field of an object that is differentiated."""
        assert owner.leaves is not None
        root = owner.root
        expression = gast.Attribute(clone(owner.expression), name, gast.Load())
        path = (*owner.path, name)
        return self.held(
            item, expression, lambda a: getattr(root(a), name), owner.leaves, path, node
        )

    def held(
        self, item: Any, expression: Any, root: Root, leaves: Leaves, path: Path, node: Any
    ) -> Value:
        """Return what is held at the end of a path from an argument that is differentiated."""
        if is_plain_object(item):
            return Instance(item, expression, root, leaves, path)
        if holds_objects(item):
            return self._container(item, expression, root, leaves, path, node)
        varies = _varies(item, path)
        self.session.assume(lambda a: _varies(root(a), path), varies)
        if not varies:
            known = self.outside(item, expression, root)
            if isinstance(known, Known):
                self.session.assume(root, item)
                return Known(item)
            return known
        if path not in leaves.names:
            words = [leaves.parameter] if isinstance(path[0], Entry) else []
            leaves.names[path] = self.variable("_".join([*words, *map(_word, path)]))
        return load(leaves.names[path])

    def _container(
        self, item: Any, expression: Any, root: Root, leaves: Leaves, path: Path, node: Any
    ) -> Value:
        if not has_plain_keys(item):
            self.refuse(node, "a dict of objects by such keys", "use texts for the keys")

        def entry(key: Any) -> Value:
            place = gast.Subscript(clone(expression), gast.Constant(key, None), gast.Load())
            inner = (*path, Entry(key))
            return self.held(item[key], place, at_key(root, key), leaves, inner, node)

        return self.entries(item, root, entry)

    def fields_of(self, instance: Instance) -> Object | None:
        """Return an object that is differentiated by all of its fields; None for others."""
        if instance.leaves is None:
            return None
        attributes = [step for step in instance.path if isinstance(step, str)]
        made = Object(type(instance.value), attributes[-1] if attributes else "self", lent=True)
        for name in field_names(instance.value):
            made.fields[name] = self.of_instance(instance, name, gast.Name(name, gast.Load()))
        return made

    def argument(self, value: Instance, node: Any) -> Any:
        if value.leaves is not None:
            self.refuse(
                node,
                "an object of values with derivatives that is passed on or kept",
                "pass its attributes",
            )
        return clone(value.expression)


def _handed_on(tree: Any) -> str | None:
    """Return the attribute that a getter does nothing but return."""
    body = without_docstring(tree.body)
    value = body[0].value if len(body) == 1 and isinstance(body[0], gast.Return) else None
    names = parameters(tree.args)
    if not isinstance(value, gast.Attribute) or len(names) != 1:
        return None
    return str(value.attr) if getattr(value.value, "id", "") == names[0] else None


def _varies(item: Any, path: Path) -> bool:
    """Say whether there are numbers to differentiate: an int counts in a container, as no field."""
    is_entry = bool(path) and all(isinstance(step, Entry) for step in path)
    return is_differentiable(item) or (is_entry and _has_int(item))


def _has_int(item: Any) -> bool:
    if isinstance(item, (list, tuple, dict)):
        return any(map(_has_int, item.values() if isinstance(item, dict) else item))
    return type(item) is int


def _word(step: str | Entry) -> str:
    """Return a step of a path as a part of a name."""
    text = step if isinstance(step, str) else str(step.key)
    return text if f"_{text}".isidentifier() else "entry"
