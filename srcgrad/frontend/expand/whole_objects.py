"""Rewrites what takes an object as a whole: its copies, and its fields and their names."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import inspect
from typing import Any, Final

from srcgrad.frontend.expand.assumptions import InClasses, Of, has_twins
from srcgrad.frontend.expand.constructing import snake
from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.values import (
    Instance,
    Items,
    Known,
    Object,
    Recorded,
    Static,
    Value,
    class_of,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone
from srcgrad.runtime import copied, refuse_twins
from srcgrad.runtime.objects import is_named_tuple, is_plain_class

Bound = dict[str, Value]

_FIELDS: Final = "__dataclass_fields__"


class WholeObjects(Part):
    """The part of the expansion that deals with objects as a whole."""

    @function(dataclasses.replace)
    def _replace(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        value = args[0]
        if not isinstance(value, (Object, Instance, Recorded)):
            return None
        cls = class_of(value)
        kind: Any = cls
        named = kind._fields if is_named_tuple(cls) else None
        names = named or [item.name for item in dataclasses.fields(kind) if item.init]
        given = {name: keywords.get(name) for name in names}
        return self.frame.call(
            Known(cls),
            [],
            {n: self.frame.attribute(value, n, node) if v is None else v for n, v in given.items()},
            node,
        )

    @function(dataclasses.astuple)
    def _astuple(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        values = self._copies_of_fields(args, keywords, node)
        return None if values is None else at(gast.Tuple([*values.values()], gast.Load()), node)

    @function(dataclasses.asdict)
    def _asdict(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        values = self._copies_of_fields(args, keywords, node)
        if values is None:
            return None
        names = [gast.Constant(name, None) for name in values]
        return at(gast.Dict(names, [*values.values()]), node)

    @function(copy.deepcopy)  # noqa: TID251 - it is asked for
    def _deepcopy(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return a copy of a value, or a new object with copies of the fields of another."""
        made = args[0] if len(args) == 1 and not keywords else None
        if made is None or (not isinstance(made, Static) and not self.frame.varies(made)):
            return None
        return self._copy_of(made, node) if self.frame.hoistable else None

    @function(copy.copy)
    def _copy(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return an object with the fields of another; other copies hang on what the value is."""
        made = args[0] if len(args) == 1 and not keywords else None
        if self.frame.asking.method_of(made, "__copy__"):
            return self.frame.asking.ask(made, "__copy__", [], node)
        if isinstance(made, Instance) and self.session.holding.of(made.value) is None:
            made = self.frame.fields.all_fields_of(made)
        if isinstance(made, Object) and self.frame.hoistable and not hasattr(made.cls, "__copy__"):
            return self._new_object(made.cls, made.name, made.fields, node)
        if made is None or isinstance(made, Static) or not self.frame.varies(made):
            return None
        return at(gast.Call(self.frame.constant(copy.copy, "copy"), [made], []), node)

    def _copy_of(self, value: Value, node: Any) -> Value | None:
        if isinstance(value, (gast.Constant, Known)):
            return value
        if not isinstance(value, Static):
            if isinstance(value, gast.Name):
                check = self.frame.constant(refuse_twins, "refuse_twins")
                self.frame.out.append(at(gast.Expr(call(check, clone(value))), node))
            return at(gast.Call(self.frame.constant(copied, "copied"), [value], []), node)
        given = self._as_it_was(value) if isinstance(value, Instance) else None
        if given is None or hasattr(given.cls, "__deepcopy__"):
            return None  # of what the program has made two fields may hold one thing
        parts = {name: self._copy_of(held, node) for name, held in given.fields.items()}
        if any(part is None for part in parts.values()):
            return None
        return self._new_object(given.cls, given.name, parts, node)

    def _new_object(self, cls: type, name: str, parts: dict[str, Any], node: Any) -> Object:
        """Return an object with these fields, of which the constructor is not asked."""
        new = Object(cls, self.frame.wished or name)
        self.frame.wished = ""
        self.frame.depths[id(new)] = self.frame.depth
        self.session.kept.append(new)
        for field, part in parts.items():
            self.frame.constructing.set_field(new, field, part, node)
        self.frame.changed = True
        return new

    def _as_it_was(self, value: Instance) -> Object | None:
        """Return an object that was there before by its fields, if no two of them are one thing."""
        if has_twins(value.value) or self.session.holding.of(value.value) is not None:
            return None
        self.session.assume(Of(has_twins, value.root), False)
        return self.frame.fields.all_fields_of(value)

    def _copies_of_fields(
        self, args: list[Value], keywords: Bound, node: Any
    ) -> dict[str, Any] | None:
        """Return copies of the fields of a dataclass, if these are plain."""
        made = args[0] if len(args) == 1 and not keywords else None
        if not isinstance(made, (Object, Instance)) or not dataclasses.is_dataclass(class_of(made)):
            return None
        names = [item.name for item in dataclasses.fields(class_of(made))]
        values = {name: self.frame.attribute(made, name, node) for name in names}
        if any(isinstance(value, Static) for value in values.values()):
            return None
        copy = self.frame.constant(copied, "copied")
        return {
            n: v if isinstance(v, gast.Constant) else at(gast.Call(clone(copy), [v], []), node)
            for n, v in values.items()
        }

    @function(dataclasses.fields)
    def _fields(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return the fields of a dataclass, of which the names are known."""
        cls = _dataclass_of(args[0]) if len(args) == 1 and not keywords else None
        if cls is None:
            return None
        held = inspect.getattr_static(cls, _FIELDS)
        self.session.assume(InClasses(cls.__mro__, _FIELDS), held)
        names = [gast.Constant(item.name, None) for item in dataclasses.fields(cls)]
        made = [Object(dataclasses.Field, "field", {"name": name}, lent=True) for name in names]
        self.session.kept += made
        return Items("tuple", list(made))

    @function(builtins.vars)
    def _vars(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return the fields of an object by their names, where they are only looked at."""
        plain = len(args) == 1 and not keywords and self.frame.told_names.is_looked_at(node)
        return self.held_by_names(args[0]) if plain else None

    def owner_of_dict(self, node: Any) -> Any:
        """Return what says the object whose dict a node is, ``obj.__dict__`` or ``vars(obj)``.

        None of any other node, or of another object.
        """
        owner = None
        if isinstance(node, gast.Attribute) and node.attr == "__dict__":
            owner = node.value
        elif isinstance(node, gast.Call) and len(node.args) == 1 and not node.keywords:
            callee = self.frame.looked_at(node.func) if isinstance(node.func, gast.Name) else None
            owner = node.args[0] if isinstance(callee, Known) and callee.value is vars else None
        value = None if owner is None else self.frame.looked_at(owner)
        return owner if isinstance(value, Object) and _has_dict(value.cls) else None

    @function(object.__new__)
    def _new(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return an object without fields, ``cls.__new__(cls)``."""
        cls: Any = args[0].value if len(args) == 1 and isinstance(args[0], Known) else None
        if keywords or not isinstance(cls, type) or not self.frame.hoistable:
            return None
        made: Any = cls.__new__
        fits = is_plain_class(cls) and made is object.__new__
        return self._new_object(cls, snake(cls.__name__), {}, node) if fits else None

    def held_by_names(self, value: Value) -> Items | None:
        """Return what ``obj.__dict__`` holds, for it to be looked at; None of anything else."""
        if isinstance(value, Instance) and value.leaves is None:
            untouched = self.session.holding.of(value.value) is None
            fits = untouched and type(getattr(value.value, "__dict__", None)) is dict
            value = self.frame.fields.all_fields_of(value) if fits else value
        if not isinstance(value, Object) or not _has_dict(value.cls):
            return None
        return Items("dict", list(value.fields.values()), list(value.fields), lent=True)


def _has_dict(cls: type) -> bool:
    """Say whether objects of a class keep all of their fields in a dict."""
    slots = any("__slots__" in vars(base) for base in cls.__mro__[:-1])
    return not slots and not issubclass(cls, tuple) and cls is not dataclasses.Field


def _dataclass_of(value: Value) -> Any:
    """Return the dataclass that a value is, or is an object of; None of anything else."""
    held = value.value if isinstance(value, Known) else None
    if isinstance(value, (Object, Instance, Recorded)):
        held = class_of(value)
    return held if isinstance(held, type) and dataclasses.is_dataclass(held) else None
