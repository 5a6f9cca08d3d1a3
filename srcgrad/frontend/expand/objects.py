"""Rewrites objects: attributes, methods, constructors and operators of plain classes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from srcgrad.frontend.expand.assumptions import Attribute, InClasses, Of, Outside, is_set
from srcgrad.frontend.expand.changing_fields import ChangingFieldError
from srcgrad.frontend.expand.derivatives import derivative_of_method
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.indices import element_parts
from srcgrad.frontend.expand.namespaces import METHOD, namespace_of
from srcgrad.frontend.expand.operators import taken_from
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.results import ResultObject
from srcgrad.frontend.expand.short import short_number
from srcgrad.frontend.expand.values import (
    DictMethod,
    Frozen,
    Instance,
    Items,
    Known,
    Method,
    Object,
    Partial,
    Recorded,
    Static,
    Super,
    Value,
    class_of,
    is_callee,
    is_text,
    joined_items,
)
from srcgrad.frontend.long_loops import repeated_of
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.handlers import expression
from srcgrad.ir.scopes import MISSING, Binding, attribute_of
from srcgrad.runtime.interpolators import is_distribution
from srcgrad.runtime.objects import (
    holds_objects,
    is_named_tuple,
    is_plain_class,
    is_plain_object,
)

_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "MatMult": "matmul",
    "Pow": "pow", "Mod": "mod", "FloorDiv": "floordiv",
}  # fmt: skip
_DICT_METHODS = frozenset(["items", "values", "keys", "get", "pop", "setdefault", "copy"])
_SIGNS = {"USub": "__neg__", "UAdd": "__pos__"}


class Objects(Part):
    """The part of the expansion that deals with objects."""

    # -- attributes

    @expression(gast.Attribute)
    def _attribute_read(self, node: Any) -> Value:
        owner = self.frame.value(node.value)
        if isinstance(owner, Static):
            found = self.attribute(owner, node.attr, node)
            return found if isinstance(found, Static) else at(found, node)
        node.value = owner
        if node.attr == METHOD and self.frame.varies(owner):
            return Partial(Known(namespace_of), [owner], {})
        if self.session.records.may_be_flattened(node.attr):
            what = f"the field `{node.attr}` of a named tuple that was kept as a tuple"
            self.frame.refuse(node, what, "take it apart by its places")
        return node

    def attribute(self, owner: Value, name: str, node: Any) -> Value:
        by_kind: dict[type, Callable[[Any, str, Any], Value]] = {
            Object: self._of_object,
            Recorded: self.frame.records.attribute,
            Instance: self.of_instance,
            Super: self._of_super,
            Frozen: self.frame.laws.of_law,
        }
        if type(owner) in by_kind:
            return by_kind[type(owner)](owner, name, node)
        if isinstance(owner, Known):
            return self.frame.members.of(owner, name, node) or self._of_known(owner, name, node)
        if isinstance(owner, Items):
            if owner.keys is not None and name in _DICT_METHODS:
                return DictMethod(owner, name)
            if owner.origin is not None:
                return self._of_own(owner.origin, name, node)
            self.session.records.leaking |= self.session.records.made
            self.frame.refuse(node, f"`{name}` of a list or dict of functions", "make a new one")
        self.session.records.leak(owner)  # of a choice of objects nothing is known but the class
        return gast.Attribute(self.frame.plain(owner, node), name, gast.Load())

    def _of_own(self, owner: Instance, name: str, node: Any) -> Value:
        """Return an attribute of a list or dict of a class of the user's."""
        found = inspect.getattr_static(type(owner.value), name, MISSING)
        if isinstance(found, (FunctionType, property)):
            return self.of_instance(owner, name, node)
        return gast.Attribute(clone(owner.expression), name, gast.Load())

    def _of_known(self, owner: Known, name: str, node: Any) -> Value:
        expression = gast.Attribute(self.frame.plain(owner, node), name, gast.Load())
        holder = owner.value
        if isinstance(holder, ModuleType):
            value = attribute_of(holder, name)
            if value is MISSING or name not in vars(holder):
                return Known(value, expression) if is_callee(value) else expression
            return self.frame.lookup.meaning_of(Binding(name, value, vars(holder)), expression)
        methods = isinstance(holder, np.ufunc) or is_distribution(holder)
        if methods and callable(getattr(holder, name, None)):
            return Known(getattr(holder, name), expression)
        if not isinstance(holder, type):
            return expression
        found = inspect.getattr_static(holder, name, MISSING)
        function = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        unusual = self.session.vocabulary.is_function_class(holder) or not is_plain_class(holder)
        if not isinstance(function, FunctionType) or unusual:
            value = getattr(holder, name, MISSING)
            binding = Binding(name, value, holder)
            held = self.frame.held_names.held_name(binding, expression)
            if held is None and found is value and _may_hold_functions(value):
                return self.frame.lookup.outside(value, expression, Outside(binding))
            return held or (Known(value, expression) if is_callee(value) else expression)
        self.session.assume(InClasses(holder.__mro__, name), found)
        if isinstance(found, classmethod):
            return Method(Known(function), owner)
        return Known(function, expression)

    def _of_object(self, owner: Object, name: str, node: Any) -> Value:
        if name in owner.fields:
            value = owner.fields[name]
            static = isinstance(value, Static)
            return value if static else self.frame.record_names.looked(clone(value))
        if name == "__dict__" and self.frame.told_names.is_looked_at(node):
            held = self.frame.whole_objects.held_by_names(owner)
            if held is not None:
                return held
        if owner.cls is ResultObject:
            self.frame.results.refuse_attribute(owner, name, node)
        if name == "__class__":
            return Known(owner.cls)
        return self.of_class(owner, owner.cls, owner.cls.__mro__, name, node)

    def _of_super(self, owner: Super, name: str, node: Any) -> Value:
        receiver = owner.receiver
        cls = class_of(receiver)
        mro = cls.__mro__[cls.__mro__.index(owner.owner) + 1 :]
        return self.of_class(receiver, cls, mro, name, node)

    def of_class(self, owner: Value, cls: type, mro: Any, name: str, node: Any) -> Value:
        """Return what an instance finds in its class."""
        if name == "_replace" and issubclass(cls, tuple) and not isinstance(owner, Instance):
            return Method(Known(dataclasses.replace), owner)
        found = next((vars(base)[name] for base in mro if name in vars(base)), MISSING)
        if found is MISSING or isinstance(found, MemberDescriptorType):
            self.session.records.leak(owner)  # a dict of the run says what it has by then
            self.frame.refuse(
                node,
                f"the attribute `{name}` of a `{cls.__name__}`, which is not known to be there",
                "set it in `__init__`",
            )
        self.session.assume(InClasses(tuple(mro), name), found)
        if isinstance(found, FunctionType) or repeated_of(found) is not None:
            return Method(Known(found), owner)
        if taken_from(found) is not None:
            return derivative_of_method(found, owner)
        if isinstance(found, staticmethod):
            return Known(found.__func__)
        if isinstance(found, classmethod):
            return Method(Known(found.__func__), Known(cls))
        if isinstance(found, property):
            return self.frame.call(Known(found.fget), [owner], {}, node)
        if isinstance(found, functools.cached_property):
            return self._cached(owner, found, name, node)
        if mro is not cls.__mro__ or hasattr(type(found), "__get__"):
            what = "super()" if mro is not cls.__mro__ else cls.__name__
            self.frame.refuse(node, f"the attribute `{name}` of `{what}`", "name the class")
        holder = gast.Attribute(self.frame.constant(cls, cls.__name__), name, gast.Load())
        return self.frame.lookup.outside(found, holder, Outside(Binding(name, found, cls)))

    def _cached(self, owner: Value, found: Any, name: str, node: Any) -> Value:
        value = self.frame.call(Known(found.func), [owner], {}, node)
        if isinstance(owner, Object) and not owner.lent and self.frame.depth == 0:
            owner.fields[name] = (
                value
                if isinstance(value, Static)
                else self.frame.keep(f"{owner.name}_{name}", value, node)
            )
            return self._of_object(owner, name, node)
        return value

    # -- objects that were there before

    def of_instance(self, owner: Instance, name: str, node: Any) -> Value:
        value, cls, root = owner.value, type(owner.value), owner.root
        self.session.assume(Of(type, root), cls)
        if not is_plain_object(value):
            return self.frame.fields.answered(owner, name, node)
        written = self.frame.held_fields.held_field(owner, name)
        if written is not None:
            return written
        found = inspect.getattr_static(value, name, MISSING)
        stored = name in getattr(value, "__dict__", {}) or isinstance(found, MemberDescriptorType)
        stored = stored or (isinstance(value, tuple) and name in cls._fields)
        if not stored:
            return self._of_instance_class(owner, name, node)
        self._known_stored(owner, name, node)
        item = getattr(value, name)
        if owner.leaves is not None:
            return self.frame.fields.field_of(owner, name, item, node)
        expression = gast.Attribute(clone(owner.expression), name, gast.Load())
        known = self.frame.lookup.outside(item, expression, Attribute(root, name))
        if isinstance(known, Known):
            self.session.assume(Attribute(root, name), item)
            return Known(item)
        return known

    def _known_stored(self, owner: Instance, name: str, node: Any) -> None:
        if not hasattr(owner.value, name):
            self.frame.refuse(
                node, f"the attribute `{name}`, which is not set", "set it in `__init__`"
            )

    def _of_instance_class(self, owner: Instance, name: str, node: Any) -> Value:
        self.session.assume(Of(is_set, owner.root, (name,)), False)
        cls = type(owner.value)
        found = inspect.getattr_static(cls, name, MISSING)
        data = isinstance(found, (property, functools.cached_property)) or (
            found is not MISSING
            and not callable(found)
            and not isinstance(found, (staticmethod, classmethod))
        )
        if self.session.holding.has_entries(found):
            place = gast.Attribute(clone(owner.expression), name, gast.Load())
            return self.frame.lookup.outside(found, place, Outside(Binding(name, found, cls)))
        constant = owner.leaves is None and self.session.holding.of(owner.value) is None
        if constant and (data or found is MISSING):
            told = self.frame.fields.property_of(owner, name, found, node)
            if told is not None:
                self.session.assume(InClasses(cls.__mro__, name), found)
                return told
            return gast.Attribute(clone(owner.expression), name, gast.Load())
        return self.of_class(owner, cls, cls.__mro__, name, node)

    def plain(self, value: Object | Recorded, node: Any) -> Any:
        """Return a named tuple as a tuple; refuse all else that is passed on or kept."""
        if isinstance(value, Recorded):
            return self.frame.records.plain(value, node)
        cls: Any = value.cls
        if is_named_tuple(cls) and set(value.fields) == set(cls._fields):
            self.session.records.flattened.add(cls)
            self.session.records.leak(value)
            parts = [self.frame.plain(value.fields[name], node) for name in cls._fields]
            return at(gast.Tuple([clone(item) for item in parts], gast.Load()), node)
        self.session.records.leak(value)
        return self.frame.refuse(
            node,
            f"a `{cls.__name__}` that is passed on or kept is not differentiated by source",
            "pass its attributes",
        )

    # -- writing attributes

    def write_attribute(self, target: Any, value: Value, node: Any) -> bool:
        """Write into the field of an object; False if the target is no object of ours."""
        owner = self.frame.value(clone(target.value))
        if isinstance(owner, (Object, Recorded)) and self._sets(owner, target.attr, value, node):
            return True
        if isinstance(owner, Recorded):
            self.frame.records.write_attribute(owner, target.attr, value, node)
            return True
        if isinstance(owner, Instance):
            return self.frame.held_fields.write_field(owner, target.attr, value, node)
        if not isinstance(owner, Object):
            return False
        self._write_field(owner, target.attr, value, node)
        return True

    def _write_field(self, owner: Object, name: str, value: Value, node: Any) -> None:
        self.frame.held_fields.refuse_unusual_write(owner.cls, name, node)
        if owner.lent:
            raise NeedsInlineError
        value = self.frame.constructing.as_bound(owner, name, value)
        old = owner.fields.get(name)
        on_some_paths = self.frame.depth > self.frame.depths.get(id(owner), 0)
        if isinstance(value, Recorded):
            if isinstance(old, gast.Constant) and on_some_paths:
                raise ChangingFieldError(owner.cls, name)
            self.bind_recorded(owner, name, value, node)
            return
        if isinstance(old, gast.Constant):
            if on_some_paths:
                raise ChangingFieldError(owner.cls, name)
            old = None
        if isinstance(value, Static) or isinstance(old, Static):
            if on_some_paths:
                self.session.records.leak(value, old, owner)
                self.frame.refuse(
                    node, "an object's function that changes on some paths", "use two names"
                )
            owner.fields[name] = value if isinstance(value, Static) else self.field_of(owner, name)
            if isinstance(value, Static):
                return
        elif old is None:
            if not on_some_paths and self.frame.constructing.is_told(owner, name, value):
                owner.fields[name] = value
                return
            if hasattr(owner.cls, name) and on_some_paths:
                self.frame.refuse(
                    node,
                    f"`{name}`, which is the class's until some path or trip has set it",
                    "set it in `__init__`",
                )
            owner.fields[name] = self.field_of(owner, name)
        self.frame.bind(owner.fields[name].id, value, node)

    def setter_of(self, owner: Value, name: str) -> Any:
        """Return what sets a property of an object; None of a plain field."""
        found = inspect.getattr_static(class_of(owner), name, None)
        return found.fset if isinstance(found, property) else None

    def _sets(self, owner: Value, name: str, value: Value, node: Any) -> bool:
        """Write a property by what sets it; False of a plain field."""
        setter = self.setter_of(owner, name)
        if setter is None:
            return False
        cls = class_of(owner)
        self.session.assume(InClasses(cls.__mro__, name), inspect.getattr_static(cls, name))
        known = isinstance(value, (Static, gast.Constant))
        kept = value if known else self.frame.keep(name, value, node)
        given = [
            self.frame.named(item) if isinstance(item, Static) else item for item in (owner, kept)
        ]
        call = gast.Call(self.frame.named(Known(setter)), given, [])
        self.frame.statement(at(gast.Expr(at(call, node)), node))
        return True

    def bind_recorded(self, owner: Object, name: str, value: Recorded, node: Any) -> None:
        """Bind the variable of a field to an object that is a dict, or to a list of such."""
        if not isinstance(owner.fields.get(name), gast.Name):
            owner.fields[name] = self.field_of(owner, name)
        self.frame.record_names.bind(owner.fields[name].id, value, node)

    def field_of(self, owner: Object, name: str) -> Any:
        variable = self.frame.variable(f"{owner.name}_{name}")
        self.frame.of_fields.add(variable)
        return load(variable)

    # -- operators

    @expression(gast.BinOp)
    def _binary(self, node: Any) -> Value:
        left, right = self.frame.value(node.left), self.frame.value(node.right)
        word = self.word_of(node.op)
        for owner, other, prefix in ((left, right, ""), (right, left, "r")):
            method = f"__{prefix}{word}__"
            there = isinstance(owner, (Object, Instance, Recorded)) and hasattr(
                class_of(owner), method
            )
            if (
                there
                and word
                and getattr(tuple, method, None) is not getattr(class_of(owner), method)
            ):
                return self.frame.call(self.attribute(owner, method, node), [other], {}, node)
        joined = joined_items(left, right) if isinstance(node.op, gast.Add) else None
        if joined is not None:  # what is shown here may be read when its variables are others
            settled = [side.values if isinstance(side, Items) else [] for side in (left, right)]
            known = {id(item) for values in settled for item in values}
            bound_now = self.frame.bound_now
            joined.values = [
                item if id(item) in known else bound_now(item, "part", node)
                for item in joined.values
            ]
            return joined
        if isinstance(node.op, gast.Add) and is_text(left) and is_text(right):
            return at(gast.Constant(left.value + right.value, None), node)
        named = isinstance(node.left, gast.Name) or isinstance(node.right, gast.Name)
        node.left, node.right = (
            self.frame.plain(left, node.left),
            self.frame.plain(right, node.right),
        )
        return at(short_number(node), node) if named else node

    def word_of(self, op: Any) -> str:
        """Return what the methods for an operator are called by, such as `add`."""
        return _OPERATORS.get(type(op).__name__, "")

    def signed(self, node: Any) -> Value:
        """Return a value with a sign before it, which an object has a method for."""
        operand = self.frame.value(node.operand)
        method = _SIGNS.get(type(node.op).__name__, "")
        if isinstance(operand, (Object, Instance, Recorded)) and hasattr(
            class_of(operand), method or "-"
        ):
            return self.frame.call(self.attribute(operand, method, node), [], {}, node)
        node.operand = self.frame.plain(operand, node.operand)
        return node

    def element(self, owner: Object, node: Any) -> Value:
        index = self.frame.value(node.slice)
        items = self.object_items(owner)
        key = getattr(index, "value", None)
        if items is not None:
            if type(key) is int and key < len(items):
                return items[key]
            node.value, node.slice = self.frame.plain(owner, node), self.frame.plain(index, node)
            return node
        if owner.cls is ResultObject and isinstance(key, str):
            return self.attribute(owner, key, node)
        parts = element_parts(index)
        if parts is not None and hasattr(owner.cls, "element"):
            return self.frame.call(self.attribute(owner, "element", node), parts, {}, node)
        return self.frame.indexing.read(owner, index, node)

    def object_items(self, value: Object) -> list[Value] | None:
        if not issubclass(value.cls, tuple):
            return None
        found = [value.fields[name] for name in value.cls._fields]  # type: ignore[attr-defined]
        return [item if isinstance(item, Static) else clone(item) for item in found]


def _may_hold_functions(value: Any) -> bool:
    """Say whether what a class keeps is an object, or a container with functions or objects."""
    return is_plain_object(value) or holds_objects(value)
