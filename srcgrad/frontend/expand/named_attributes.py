"""Says what `hasattr` and `getattr` give, which ask for attributes by their names."""

from __future__ import annotations

import builtins
import functools
import operator
from keyword import iskeyword
from types import ModuleType
from typing import Any

from srcgrad.frontend.expand.assumptions import Outside
from srcgrad.frontend.expand.literals import text_said
from srcgrad.frontend.expand.making import definition
from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.told_objects import told_object
from srcgrad.frontend.expand.values import (
    Code,
    Instance,
    Known,
    Local,
    Object,
    Recorded,
    Static,
    Value,
    is_negative,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, subscript
from srcgrad.ir.packages import is_library_name

Bound = dict[str, Value]


class NamedAttributes(Part):
    """The part of the expansion that deals with attributes that are asked for by their names."""

    @function(builtins.hasattr)
    def _hasattr(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        there = self._is_there(args[0], self.name_said(args[1]))
        return None if there is None else gast.Constant(there, None)

    def _is_there(self, value: Value, name: Value) -> bool | None:
        """Say whether a value has an attribute; None if that is not known."""
        if not isinstance(name, gast.Constant) or not isinstance(name.value, str):
            return None
        if isinstance(value, Object):
            there = name.value in value.fields or hasattr(value.cls, name.value)
            return there if there or not hasattr(value.cls, "__getattr__") else None
        return hasattr(value.value, name.value) if isinstance(value, gast.Constant) else None

    @function(builtins.getattr)
    def _getattr(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        told = None if isinstance(args[0], Static) else told_object(self.frame, args[0])
        value, name, *default = told or args[0], self.name_said(args[1]), *args[2:]
        if keywords or not isinstance(name, gast.Constant) or not isinstance(name.value, str):
            return None
        if not default:
            return self.frame.attribute(value, name.value, node)
        there = self._is_there(value, name)
        if there is not None and isinstance(value, Object):
            return self.frame.attribute(value, name.value, node) if there else default[0]
        if isinstance(value, Known) and isinstance(value.value, ModuleType):
            if hasattr(value.value, name.value):
                return self.frame.attribute(value, name.value, node)
            # a user's may get it later
            return default[0] if is_library_name(value.value.__name__) else None
        return self._of_an_array([value, name, *default], node)

    def name_said(self, said: Value) -> Value:
        """Return the name of an attribute, if it is known; a variable outside may say it."""
        found = self.frame.found_outside(said.id) if isinstance(said, gast.Name) else None
        if found is None or type(found.value) is not str:
            return text_said(said)
        self.session.assume(Outside(found), found.value)
        return gast.Constant(found.value, None)

    def sets(self, node: Any) -> bool:
        """Write ``setattr(owner, "name", value)`` as the assignment that it is, of an object."""
        call = node.value
        named = isinstance(call, gast.Call) and isinstance(call.func, gast.Name)
        callee = self.frame.looked_at(call.func) if named else None
        given = call.args if isinstance(callee, Known) and not call.keywords else []
        if not isinstance(callee, Known) or callee.value is not setattr or len(given) != 3:
            return False
        owner, said, value = given
        name: Any = self.name_said(self.frame.looked_at(said))
        plain = isinstance(name, gast.Constant) and isinstance(name.value, str)
        if not plain or not isinstance(
            self.frame.value(clone(owner)), (Instance, Object, Recorded)
        ):
            return False
        target = gast.Attribute(owner, name.value, gast.Store())
        self.frame.statement(at(gast.Assign([target], value, None), node))
        return True

    @function(operator.itemgetter)
    def _itemgetter(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what takes entries out under a name of its own: ``first = itemgetter(0)``."""
        told = (isinstance(item, gast.Constant) or is_negative(item) for item in args)
        if not self.frame.wished or not all(told):
            return None
        return self._getter([subscript(load("row"), clone(item)) for item in args], node)

    @function(operator.attrgetter)
    def _attrgetter(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what takes fields out under a name of its own: ``of = attrgetter("rate")``."""
        names = [item.value for item in args if isinstance(item, gast.Constant)]
        told = len(names) == len(args) and all(isinstance(name, str) for name in names)
        if not told or any(map(iskeyword, ".".join(names).split("."))):
            return None
        fields = [functools.reduce(_attribute, name.split("."), load("row")) for name in names]
        return self._getter(fields, node)

    @function(operator.methodcaller)
    def _methodcaller(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what calls a method with literals: ``total = methodcaller("sum", axis=0)``."""
        name, *given = args
        told = isinstance(name, gast.Constant) and isinstance(name.value, str)
        if not told or not all(map(_is_plain, [*given, *keywords.values()])):
            return None
        named = [gast.keyword(key, value) for key, value in keywords.items()]
        return self._getter([gast.Call(_attribute(load("row"), name.value), given, named)], node)

    def _getter(self, found: list[Any], node: Any) -> Value:
        """Return a function that gives an expression of its argument `row`, or a tuple of some."""
        value = found[0] if len(found) == 1 else gast.Tuple(found, gast.Load())
        tree = definition("entry", ["row"], [at(gast.Return(value), node)], node)
        code = Code(tree, self.frame.home, self.frame.code.source, self.frame.code.owner)
        self.session.kept.append(code)
        return Local(code, {})

    def _of_an_array(self, args: list[Value], node: Any) -> Value | None:
        """Return an attribute that arrays have, or the default, as a choice."""
        vocabulary = self.session.vocabulary
        value, name, default = args
        known = {*vocabulary.attributes, *vocabulary.constant_attributes}
        if name.value not in known or isinstance(value, Static):
            return None
        if not isinstance(value, gast.Name):
            if not self.frame.hoistable:
                return None
            value = self.frame.keep("value", value, node)
        asked = at(gast.Call(self.frame.constant(hasattr, "hasattr"), [value, name], []), node)
        there = at(gast.Attribute(clone(value), name.value, gast.Load()), node)
        return at(gast.IfExp(asked, there, self.frame.plain(default, node)), node)


def _attribute(owner: Any, name: str) -> Any:
    return gast.Attribute(owner, name, gast.Load())


def _is_plain(value: Value) -> bool:
    return isinstance(value, gast.Constant) or is_negative(value)
