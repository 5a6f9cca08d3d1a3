"""Reads ``obj[i]`` and writes ``obj[i] = v`` as the calls of the object's methods that they are."""

from __future__ import annotations

import inspect
from dataclasses import replace
from types import FunctionType
from typing import Any

from srcgrad.frontend.expand.indices import spelled, with_parts
from srcgrad.frontend.expand.order import is_idle, place
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_classes import classes_of
from srcgrad.frontend.expand.values import (
    Code,
    Items,
    Known,
    Local,
    Method,
    Object,
    Recorded,
    Static,
    Value,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, subscript
from srcgrad.ir.walk import without_docstring


class Indexing(Part):
    """The part of the expansion that deals with indices of objects that have methods for them."""

    def read(self, owner: Value, index: Any, node: Any) -> Value:
        """Return what `__getitem__` returns."""
        method = self.frame.attribute(owner, "__getitem__", node)
        index = spelled(index)
        code = self._with_parts(method, index)
        given = [self._listed(index, node)] if code is None else index.elts
        code = code or self._code(method)
        if code is None or len(without_docstring(code.tree.body)) > 1:
            return self.frame.call(method, [self._listed(index, node)], {}, node)
        whole = Local(code, {}, self._defaults(method))
        return self.frame.call(whole, [method.owner, *given], {}, node)

    def stores(self, target: Any) -> bool:
        """Say whether a target is an entry of an object whose class says how to store there."""
        return self._owner(target) is not None

    def store(self, target: Any, value: Value, node: Any) -> bool:
        """Write a store into an object; False if the target is none."""
        owner = self._owner(target)
        if owner is None:
            return False
        self._run(owner, "__setitem__", target.slice, [value], node)
        return True

    def delete(self, target: Any, node: Any) -> bool:
        """Write ``del obj[i]`` of an object; False of other targets."""
        owner = self._owner(target, "__delitem__")
        if owner is None:
            return False
        self._run(owner, "__delitem__", target.slice, [], node)
        return True

    def refuse_here(self, owner: Value, node: Any) -> None:
        """Refuse a store into what a call returns, or by a loop or `with`, if it is an object."""
        if _has_own(owner, "__setitem__"):
            what = "a store into an object by an index, where it cannot be a call"
            self.frame.refuse(node, what, "give the object, or the value, a name first")

    def _run(self, owner: Value, name: str, index: Any, others: list[Value], node: Any) -> None:
        method = self.frame.attribute(owner, name, node)
        others = [self._settled(value, node) for value in others]  # Python takes them first
        made = self._carried_out(method, self.frame.value(clone(index)), others, node)
        if not isinstance(made, Static) and not is_idle(made):
            self.frame.out.append(at(gast.Expr(made), node))

    def update(self, target: Any, node: Any) -> bool:
        """Write ``obj[i] += v`` as a store of what is read and added; False of other targets."""
        if self._owner(target) is None:
            return False
        target.slice = self._settled(self.frame.value(target.slice), node)
        read = subscript(clone(target.value), clone(target.slice))
        value = self.frame.value(at(gast.BinOp(at(read, node), node.op, node.value), node))
        return self.store(target, value, node)

    def _carried_out(self, method: Value, index: Any, others: list[Value], node: Any) -> Value:
        """Put the method in place, since what it writes is the caller's."""
        code = self._with_parts(method, index)
        given = [index] if code is None else index.elts
        code = code or self._code(method)
        if code is None or any(code.tree is item for item in self.frame.inlined):
            return self.frame.call(method, [spelled(index), *others], {}, node)
        given = [self._listed(spelled(self._settled(item, node)), node) for item in given]
        args = [method.owner, *given, *others]
        self.frame.first = {*self.frame.first, place(node)}  # all else of the statement is done
        bound = self.frame.calls.bound_tree(code.tree, args, {}, self._defaults(method), node)
        return self.frame.placing.call_in_place(code, code.tree.name, bound, {}, node)

    def _listed(self, index: Any, node: Any) -> Value:
        """Return an index of several parts as a tuple that is known by its parts, if it may be."""
        if not isinstance(index, gast.Tuple) or not self.frame.hoistable:
            return index
        return Items("tuple", [self._settled(part, node) for part in index.elts])

    def _settled(self, value: Value, node: Any) -> Value:
        """Return a value, kept in a variable before the method runs unless it is a mere name."""
        if isinstance(value, gast.Tuple):
            return gast.Tuple([self._settled(item, node) for item in value.elts], gast.Load())
        if isinstance(value, gast.Slice):
            ends = (value.lower, value.upper, value.step)
            return gast.Slice(*(end and self._settled(end, node) for end in ends))
        if isinstance(value, (Static, gast.Name, gast.Constant)):
            return value
        return self.frame.keep("value", value, node)

    def _owner(self, target: Any, name: str = "__setitem__") -> Value | None:
        """Return the object that a target is an entry of, if its class has the method for that."""
        if not isinstance(target, gast.Subscript):
            return None
        owner = self.frame.looked_at(target.value)
        return owner if _has_own(owner, name) else None

    def _function(self, method: Value) -> FunctionType | None:
        """Return the function of a method that users wrote."""
        function = method.function if isinstance(method, Method) else None
        held = function.value if isinstance(function, Known) else None
        return held if isinstance(held, FunctionType) and self.session.is_user(held) else None

    def _code(self, method: Value) -> Code | None:
        """Return its definition."""
        function = self._function(method)
        return None if function is None else self.session.code(function)

    def _defaults(self, method: Value) -> dict[str, Value]:
        """Return the values of its parameters that an index does not give."""
        function = self._function(method)
        return {} if function is None else self.frame.calls.defaults_of(function, function.__name__)

    def _with_parts(self, method: Value, index: Any) -> Code | None:
        """Return a method that takes the parts of an index one by one, if it only unpacks them."""
        code, parts = self._code(method), getattr(index, "elts", [])
        if code is None or not parts or any(isinstance(p, gast.Starred) for p in parts):
            return None
        tree = with_parts(code.tree, len(parts))
        if tree is None:
            return None
        return self.session.variant(code, len(parts), lambda: replace(code, tree=tree))


def _has_own(owner: Value, name: str) -> bool:
    """Say whether a value is an object of classes that define a method."""
    if not isinstance(owner, (Object, Recorded)):
        return False
    classes = (owner.cls,) if isinstance(owner, Object) else classes_of(owner.kind)
    found = [inspect.getattr_static(cls, name, None) for cls in classes]
    return bool(found) and all(isinstance(item, FunctionType) for item in found)
