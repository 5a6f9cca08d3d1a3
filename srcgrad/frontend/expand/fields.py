"""Reads the arguments that are differentiated field by field, and entry by entry."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from srcgrad.frontend.callees import ELSEWHERE
from srcgrad.frontend.effects import written_parameters
from srcgrad.frontend.expand.assumptions import Attribute, InClasses, Of
from srcgrad.frontend.expand.frame import NeedsInlineError, at_key
from srcgrad.frontend.expand.making import make_function
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import free_names, parameters
from srcgrad.frontend.expand.telling_fields import METHODS, is_only_told, lies_apart
from srcgrad.frontend.expand.told_functions import only_keeps
from srcgrad.frontend.expand.values import (
    Instance,
    Items,
    Known,
    Local,
    Object,
    Root,
    Static,
    Value,
    has_plain_keys,
)
from srcgrad.frontend.source import Entry, Leaves, Path, find_source
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.scopes import MISSING
from srcgrad.ir.walk import found_in, without_docstring
from srcgrad.runtime import tell
from srcgrad.runtime.objects import field_names, holds_objects, is_differentiable, is_plain_object


class Fields(Part):
    """The part of the expansion that deals with what is held in arguments with derivatives.

    Each field of floats is a variable of its own, which is read before all else. The objects, and
    the lists, tuples and dicts that hold some, are known by what is in them.
    """

    def added(self, owner: Items, key: Any, args: list[Value], node: Any) -> Value:
        """Put the default of ``options.setdefault(key, default)`` into a dict; return it."""
        made = args[1] if len(args) > 1 else gast.Constant(None, None)
        plain = isinstance(made, (Static, gast.Constant))
        held = made if plain else self.frame.keep(str(key), made, node)
        if owner.keys is not None:
            owner.keys.append(key)
        owner.values.append(held)
        self.frame.changed = True
        return held if isinstance(held, Static) else clone(held)

    def is_field_written(self, owner: Instance, name: str) -> bool:
        """Say whether a field is a variable, since the program writes it."""
        held = self.session.holding.of(owner.value)
        return held is not None and name in held.written

    def property_of(self, owner: Instance, name: str, found: Any, node: Any) -> Value | None:
        """Return the function or the object that a property gives; None where it gives data.

        It is known where the property hands on what is stored, ``return self._encode``, and where
        the property may be asked now.
        """
        getter = found.fget if isinstance(found, property) else None
        if not isinstance(getter, FunctionType) or not self.session.is_user(getter):
            return None
        stored = _handed_on(find_source(getter).tree)
        if stored is not None:
            item = getattr(owner.value, "__dict__", {}).get(stored, MISSING)
            if item is None:
                root = owner.root
                self.session.assume(Attribute(root, stored), None)
                return gast.Constant(None, None)
            if callable(item) or is_plain_object(item):
                self.session.functions[getter] = None
                return self.frame.objects.of_instance(owner, stored, node)
        text = gast.Attribute(clone(owner.expression), name, gast.Load())
        return self.frame.telling.told(getter, [owner], {}, node, text)

    def answered(self, owner: Instance, name: str, node: Any) -> Value:
        """Return an attribute of an object whose class answers names by ``__getattr__``.

        It is known if that, or a property, gives a function or an object, as ``xp.sin`` where `xp`
        hands on to a module what it is asked for.
        """
        cls = type(owner.value)
        text = gast.Attribute(clone(owner.expression), name, gast.Load())
        found = inspect.getattr_static(owner.value, name, MISSING)
        if isinstance(found, property):
            return self.property_of(owner, name, found, node) or text
        answers = inspect.getattr_static(cls, "__getattr__", None)
        own = isinstance(answers, FunctionType) and self.session.is_user(answers)
        if found is not MISSING or not own:
            return text
        self.session.assume(Of(_keeps, owner.root, (name,)), False)
        self.session.assume(InClasses(cls.__mro__, "__getattr__"), answers)
        given: list[Value] = [owner, gast.Constant(name, None)]
        return self.frame.telling.told(answers, given, {}, node, text) or text

    def field_of(self, owner: Instance, name: str, item: Any, node: Any) -> Value:
        """Return a field of an object that is differentiated."""
        assert owner.leaves is not None
        root = owner.root
        expression = gast.Attribute(clone(owner.expression), name, gast.Load())
        path = (*owner.path, name)
        return self.held(item, expression, Attribute(root, name), owner.leaves, path, node)

    def tells(self, node: Any) -> bool:
        """Run ``model.history.append(y)`` as it is, if nobody reads what is kept there."""
        func = getattr(node.value, "func", None)
        told = self._told_function(node.value) if isinstance(func, gast.Name) else None
        if told is None and isinstance(func, gast.Name) and self._run_nested(node.value):
            return True
        if told is not None:
            self.tell(told, list(map(self.frame.expression, node.value.args)), node)
            return True
        if not isinstance(func, gast.Attribute) or func.attr not in METHODS:
            return False
        place = func.value
        while isinstance(place, gast.Subscript):
            place = place.value
        if node.value.keywords or not isinstance(place, gast.Attribute):
            return False
        owner = self.frame.value(clone(place.value))
        if not isinstance(owner, Instance) or owner.leaves is not None:
            return False
        held = getattr(owner.value, place.attr, None)
        told_alone = held is not None and not self.is_field_written(owner, place.attr)
        if not told_alone or not is_only_told(self.session, owner, place.attr, held):
            return False
        if not all(lies_apart(item, self.frame.code.tree) for item in node.value.args):
            return False
        self._note_place(owner, place.attr)
        method = gast.Attribute(self.frame.expression(func.value), func.attr, gast.Load())
        self.tell(method, [self.frame.expression(item) for item in node.value.args], node)
        return True

    def _note_place(self, owner: Instance, name: str) -> None:
        """Note a field that keeps values: the function that the program begins with checks it."""
        if owner.lent:
            raise NeedsInlineError
        begins = self.frame.code.source.function is self.session.starts
        found = clone(owner.expression) if begins else owner.value
        self.session.places.append((found, name))

    def _told_function(self, call: Any) -> Any:
        """Return the function that a call tells what varies, if it only keeps that; else None."""
        callee = self.frame.looked_at(call.func)
        function = callee.value if isinstance(callee, Known) else None
        if (
            not isinstance(function, FunctionType)
            or not self.session.is_user(function)
            or call.keywords
        ):
            return None
        written = written_parameters(function, self.session.vocabulary)
        if written != {ELSEWHERE} or not any(map(self.frame.varies, call.args)):
            return None
        apart = all(lies_apart(item, self.frame.code.tree) for item in call.args)
        if not apart or not only_keeps(self.session, function):
            return None
        told = self.frame.expression(call.func)
        begins = self.frame.code.source.function is self.session.starts
        self.session.places.append((clone(told) if begins else function, ""))
        return told

    def _run_nested(self, call: Any) -> bool:
        """Put a nested function in place that is called for what it writes outside."""
        callee = self.frame.looked_at(call.func)
        if not isinstance(callee, Local) or callee.defaults or not self.frame.hoistable:
            return False
        code = callee.code
        names = free_names(code.tree)
        around = any(callee.captured.get(name) is not None for name in names)
        nested = any(code.tree is item for item in self.frame.inlined)
        if around or nested or found_in(code.tree, gast.Return, gast.Yield, gast.YieldFrom):
            return False
        if id(code.tree) not in self.session.alone:
            self.session.kept.append(code)
            made = make_function(clone(code.tree), code.home, code.source)
            written = written_parameters(made, self.session.vocabulary)
            self.session.alone[id(code.tree)] = written == {ELSEWHERE}
        if not self.session.alone[id(code.tree)]:
            return False
        given = self.frame.given.evaluated(call, callee)
        if given.args is None or given.keywords is None:
            return False
        bound = self.frame.calls.bound_tree(code.tree, given.args, given.keywords, {}, call)
        self.frame.placing.inline(code, bound, callee.captured, call)
        return True

    def tell(self, function: Any, values: list[Any], node: Any) -> None:
        """Call what keeps values for others, as the program does."""
        self.frame.changed = True
        name = self.frame.constant(tell, "tell")
        self.frame.out.append(
            at(gast.Expr(at(gast.Call(name, [function, *values], []), node)), node)
        )

    def held(
        self, item: Any, expression: Any, root: Root, leaves: Leaves, path: Path, node: Any
    ) -> Value:
        """Return what is held at the end of a path from an argument that is differentiated."""
        if is_plain_object(item):
            self.frame.lookup.meet(item, expression, root)
            return Instance(item, expression, root, leaves, path)
        if holds_objects(item) or self.session.holding.has_entries(item):
            return self._container(item, expression, root, leaves, path, node)
        own = varies(item, path)
        self.session.assume(Of(varies, root, (path,)), own)
        if not own:
            known = self.frame.lookup.outside(item, expression, root)
            if isinstance(known, Known):
                self.session.assume(root, item)
                return Known(item)
            return known
        if path not in leaves.names:
            words = [leaves.parameter] if isinstance(path[0], Entry) else []
            leaves.names[path] = self.frame.variable("_".join([*words, *map(_word, path)]))
        return load(leaves.names[path])

    def _container(
        self, item: Any, expression: Any, root: Root, leaves: Leaves, path: Path, node: Any
    ) -> Value:
        if self.session.holding.has_entries(item):
            return self.frame.held_entries.container(item, expression, root, leaves, path)
        if not has_plain_keys(item):
            self.frame.refuse(node, "a dict of objects by such keys", "use texts for the keys")

        def entry(key: Any) -> Value:
            place = gast.Subscript(clone(expression), gast.Constant(key, None), gast.Load())
            inner = (*path, Entry(key))
            return self.held(item[key], place, at_key(root, key), leaves, inner, node)

        return self.frame.lookup.entries(item, root, entry)

    def fields_of(self, instance: Instance) -> Object | None:
        """Return an object that is differentiated by all of its fields; None for others."""
        if instance.leaves is None and self.session.holding.of(instance.value) is None:
            return None
        return self.all_fields_of(instance)

    def all_fields_of(self, instance: Instance) -> Object:
        held = self.session.holding.of(instance.value)
        attributes = [step for step in instance.path if isinstance(step, str)]
        made = Object(type(instance.value), attributes[-1] if attributes else "self", lent=True)
        made.origin = instance
        more = () if held is None else sorted(held.written)
        for name in dict.fromkeys((*field_names(instance.value), *more)):
            made.fields[name] = self.frame.objects.of_instance(instance, name, load(name))
        return made

    def argument(self, value: Instance, node: Any) -> Any:
        if value.leaves is not None or self.session.holding.of(value.value) is not None:
            self.frame.refuse(
                node,
                "an object of values with derivatives that is passed on or kept",
                "pass its attributes",
            )
        return clone(value.expression)


def _keeps(value: Any, name: str) -> bool:
    """Say whether an object or its class keeps a name, so that ``__getattr__`` is not asked."""
    return inspect.getattr_static(value, name, MISSING) is not MISSING


def _handed_on(tree: Any) -> str | None:
    """Return the attribute that a getter does nothing but return."""
    body = without_docstring(tree.body)
    value = body[0].value if len(body) == 1 and isinstance(body[0], gast.Return) else None
    names = parameters(tree.args)
    if not isinstance(value, gast.Attribute) or len(names) != 1:
        return None
    return str(value.attr) if getattr(value.value, "id", "") == names[0] else None


def varies(item: Any, path: Path) -> bool:
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
