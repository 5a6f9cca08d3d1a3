"""Rewrites objects: attributes, methods, constructors and operators of plain classes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from types import FunctionType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from srcgrad.frontend.expand.assumptions import Attribute, InClasses, Of, Outside, is_set
from srcgrad.frontend.expand.derivatives import derivative_of_method
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.indices import element_parts, spelled
from srcgrad.frontend.expand.namespaces import METHOD, namespace_of
from srcgrad.frontend.expand.operators import taken_from
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.results import ResultObject
from srcgrad.frontend.expand.short import short_number
from srcgrad.frontend.expand.values import (
    ChangingFieldError,
    DictMethod,
    Frozen,
    Instance,
    Items,
    Known,
    Method,
    Object,
    Partial,
    Static,
    Super,
    Value,
    class_of,
    is_literal,
    joined_items,
)
from srcgrad.frontend.long_loops import repeated_of
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.handlers import expression
from srcgrad.ir.scopes import MISSING, Binding, attribute_of
from srcgrad.runtime.interpolators import is_distribution
from srcgrad.runtime.objects import is_plain_class, is_plain_object

_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "MatMult": "matmul",
    "Pow": "pow", "Mod": "mod", "FloorDiv": "floordiv",
}  # fmt: skip
_DICT_METHODS = frozenset(["items", "values", "keys", "get", "pop", "setdefault"])
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
        return node

    def attribute(self, owner: Value, name: str, node: Any) -> Value:
        if isinstance(owner, Object):
            return self._of_object(owner, name, node)
        if isinstance(owner, Instance):
            return self.of_instance(owner, name, node)
        if isinstance(owner, Super):
            return self._of_super(owner, name, node)
        if isinstance(owner, Frozen):
            return self.frame.laws.of_law(owner, name, node)
        if isinstance(owner, Known):
            return self.frame.members.of(owner, name, node) or self._of_known(owner, name, node)
        if isinstance(owner, Items):
            if owner.keys is not None and name in _DICT_METHODS:
                return DictMethod(owner, name)
            if owner.origin is not None:
                return self._of_own(owner.origin, name, node)
            self.frame.refuse(node, f"`{name}` of a list or dict of functions", "make a new one")
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
                return Known(value, expression) if callable(value) else expression
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
            if held is None and found is value and is_plain_object(value):
                return self.frame.lookup.outside(value, expression, Outside(binding))
            return held or (Known(value, expression) if callable(value) else expression)
        self.session.assume(InClasses(holder.__mro__, name), found)
        if isinstance(found, classmethod):
            return Method(Known(function), owner)
        return Known(function, expression)

    def _of_object(self, owner: Object, name: str, node: Any) -> Value:
        if name in owner.fields:
            value = owner.fields[name]
            return value if isinstance(value, Static) else clone(value)
        if name == "_replace" and issubclass(owner.cls, tuple):
            return Method(Known(dataclasses.replace), owner)
        if owner.cls is ResultObject:
            self.frame.results.refuse_attribute(owner, name, node)
        if name == "__class__":
            return Known(owner.cls)
        return self._of_class(owner, owner.cls, owner.cls.__mro__, name, node)

    def _of_super(self, owner: Super, name: str, node: Any) -> Value:
        receiver = owner.receiver
        cls = receiver.cls if isinstance(receiver, Object) else type(receiver.value)
        mro = cls.__mro__[cls.__mro__.index(owner.owner) + 1 :]
        return self._of_class(receiver, cls, mro, name, node)

    def _of_class(self, owner: Value, cls: type, mro: Any, name: str, node: Any) -> Value:
        """Return what an instance finds in its class."""
        found = next((vars(base)[name] for base in mro if name in vars(base)), MISSING)
        if found is MISSING or isinstance(found, MemberDescriptorType):
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
        return self._of_class(owner, cls, cls.__mro__, name, node)

    # -- making objects

    def construct(
        self, cls: type, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        if issubclass(cls, BaseException) or type(cls).__call__ is not type.__call__:
            return None
        plain = cls.__new__ is object.__new__ or hasattr(cls, "_fields")
        if not plain and (cls is not SimpleNamespace or args):
            return None
        made = Object(cls, self.frame.wished or _snake(cls.__name__))
        self.frame.wished = ""
        self.frame.depths[id(made)] = self.frame.depth
        self.session.kept.append(made)
        if hasattr(cls, "_fields") and issubclass(cls, tuple):
            return self._construct_tuple(made, args, keywords, node)
        init = inspect.getattr_static(cls, "__init__")
        self.session.assume(InClasses(cls.__mro__, "__init__"), init)
        if cls is SimpleNamespace:
            for name, value in keywords.items():
                self.set_field(made, name, value, node)
        elif _is_made_by_dataclass(cls, init):
            self._construct_dataclass(made, args, keywords, node)
        elif isinstance(init, FunctionType):
            if not self.frame.hoistable:
                self.frame.refuse(node, "making an object here", "make it in a statement before")
            self.session.functions[init] = None
            code = self.session.code(init)
            bound = self.frame.calls.bound_to(init, [made, *args], keywords, node)
            self.frame.placing.inline(code, bound, {}, node)
        elif args or keywords:
            return None
        self.frame.changed = True
        return made

    def _construct_tuple(
        self, made: Object, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> Value | None:
        names = made.cls._fields  # type: ignore[attr-defined]
        defaults = made.cls._field_defaults  # type: ignore[attr-defined]
        given = {**dict(zip(names, args, strict=False)), **keywords}
        if len(args) > len(names) or not set(given) <= set(names):
            return None
        for name in names:
            if name not in given and name not in defaults:
                return None
            value = given[name] if name in given else self.frame.constant(defaults[name], name)
            self.set_field(made, name, value, node)
        self.frame.changed = True
        return made

    def _construct_dataclass(
        self, made: Object, args: list[Value], keywords: dict[str, Value], node: Any
    ) -> None:
        cls = made.cls
        fields = [item for item in dataclasses.fields(cls) if item.init]
        positional = [item.name for item in fields if not item.kw_only]
        given = {**dict(zip(positional, args, strict=False)), **keywords}
        inits = [v for v in vars(cls)["__dataclass_fields__"].values() if _is_init_only(v)]
        if inits or len(args) > len(positional) or not set(given) <= {f.name for f in fields}:
            self.frame.refuse(
                node, f"this way of making a `{cls.__name__}`", "give its fields by name"
            )
        for item in dataclasses.fields(cls):
            if item.name in given:
                value = given[item.name]
            elif item.default is not dataclasses.MISSING:
                value = self.frame.lookup.outside(
                    item.default, self.frame.constant(item.default, item.name), None
                )
            elif item.default_factory is not dataclasses.MISSING:
                value = self._made_by(item.default_factory, node)
            elif not item.init:
                continue
            else:
                self.frame.refuse(
                    node, f"a `{cls.__name__}` without `{item.name}`", "give the field"
                )
            self.set_field(made, item.name, value, node)
        if hasattr(cls, "__post_init__"):
            post = inspect.getattr_static(cls, "__post_init__")
            self.session.functions[post] = None
            self.frame.placing.inline(
                self.session.code(post), self.frame.calls.bound_to(post, [made], {}, node), {}, node
            )

    def _made_by(self, factory: Any, node: Any) -> Value:
        if factory is list:
            return gast.List([], gast.Load())
        return (
            gast.Dict([], []) if factory is dict else self.frame.call(Known(factory), [], {}, node)
        )

    def set_field(self, made: Object, name: str, value: Value, node: Any) -> None:
        if isinstance(value, Static) or self._is_told(made, name, value):
            made.fields[name] = value
            return
        if isinstance(value, gast.Constant):
            made.fields[name] = self._field_of(made, name)
            self.frame.bind(made.fields[name].id, value, node)
            return
        made.fields[name] = self.frame.keep(f"{made.name}_{name}", value, node)
        self.frame.of_fields.add(made.fields[name].id)

    def _is_told(self, owner: Object, name: str, value: Value) -> bool:
        """Say whether a field is known to be what it is bound to: None, a bool or a text.

        It needs no variable as long as no path or trip binds it, which comes to light on the way.
        """
        return is_literal(value) and (owner.cls, name) not in self.session.changing

    def display_object(self, value: Object, node: Any) -> Any:
        cls = value.cls
        if hasattr(cls, "_fields") and set(value.fields) == set(cls._fields):
            parts = [self.frame.plain(value.fields[name], node) for name in cls._fields]
            return at(gast.Tuple([clone(item) for item in parts], gast.Load()), node)
        return self.frame.refuse(
            node,
            f"a `{cls.__name__}` that is passed on or kept is not differentiated by source",
            "pass its attributes",
        )

    # -- writing attributes

    def write_attribute(self, target: Any, value: Value, node: Any) -> bool:
        """Write into the field of an object; False if the target is no object of ours."""
        owner = self.frame.value(clone(target.value))
        if isinstance(owner, Instance):
            return self.frame.held_fields.write_field(owner, target.attr, value, node)
        if not isinstance(owner, Object):
            return False
        name = target.attr
        self.frame.held_fields.refuse_unusual_write(owner.cls, name, node)
        if owner.lent:
            raise NeedsInlineError
        old = owner.fields.get(name)
        on_some_paths = self.frame.depth > self.frame.depths.get(id(owner), 0)
        if isinstance(old, gast.Constant):
            if on_some_paths:
                raise ChangingFieldError(owner.cls, name)
            old = None
        if isinstance(value, Static) or isinstance(old, Static):
            if on_some_paths:
                self.frame.refuse(
                    node, "an object's function that changes on some paths", "use two names"
                )
            owner.fields[name] = value if isinstance(value, Static) else self._field_of(owner, name)
            if isinstance(value, Static):
                return True
        elif old is None:
            if not on_some_paths and self._is_told(owner, name, value):
                owner.fields[name] = value
                return True
            if hasattr(owner.cls, name) and on_some_paths:
                self.frame.refuse(
                    node,
                    f"`{name}`, which is the class's until some path or trip has set it",
                    "set it in `__init__`",
                )
            owner.fields[name] = self._field_of(owner, name)
        self.frame.bind(owner.fields[name].id, value, node)
        return True

    def _field_of(self, owner: Object, name: str) -> Any:
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
            there = isinstance(owner, (Object, Instance)) and hasattr(class_of(owner), method)
            if (
                there
                and word
                and getattr(tuple, method, None) is not getattr(class_of(owner), method)
            ):
                return self.frame.call(self.attribute(owner, method, node), [other], {}, node)
        joined = joined_items(left, right) if isinstance(node.op, gast.Add) else None
        if joined is not None:
            return joined
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
        if isinstance(operand, (Object, Instance)) and hasattr(class_of(operand), method or "-"):
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
        return self.frame.call(
            self.attribute(owner, "__getitem__", node), [spelled(index)], {}, node
        )

    def object_items(self, value: Object) -> list[Value] | None:
        if not issubclass(value.cls, tuple):
            return None
        found = [value.fields[name] for name in value.cls._fields]  # type: ignore[attr-defined]
        return [item if isinstance(item, Static) else clone(item) for item in found]


def _is_init_only(item: Any) -> bool:
    return "_FIELD_INITVAR" in repr(getattr(item, "_field_type", ""))


def _is_made_by_dataclass(cls: type, init: Any) -> bool:
    options = getattr(cls, "__dataclass_params__", None)
    code = getattr(init, "__code__", None)
    generated = code is not None and code.co_filename.startswith("<")
    return options is not None and options.init and generated


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))
