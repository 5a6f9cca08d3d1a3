"""Rewrites objects that are kept in lists, chosen or linked as dicts of their fields.

An object is a variable for each field (`objects.py`) as long as every name for it is known. Of one
that lies in a list of any length, or is reached by ``node.next``, only its class is known. So it is
a dict of the run, ``{"x": x, "y": y}``, and what reads its fields or calls its methods knows that.
"""

from __future__ import annotations

import functools
import inspect
from types import MemberDescriptorType
from typing import Any, Final, NoReturn

from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.record_classes import Several, classes_of
from srcgrad.frontend.expand.record_kinds import (
    TAG,
    Holder,
    Kind,
    KindFoundError,
    merged_kinds,
)
from srcgrad.frontend.expand.record_names import form_of, is_empty, is_none
from srcgrad.frontend.expand.values import (
    Choice,
    Items,
    Known,
    Object,
    Recorded,
    RecordMethod,
    Static,
    Value,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load
from srcgrad.ir.walk import found_in

_ORDERS: Final = (gast.Is, gast.IsNot, gast.Eq, gast.NotEq)


class Records(Part):
    """The part of the expansion that deals with objects that are dicts of the run."""

    def text(self, value: Value, node: Any) -> Any:
        """Return a value as an expression, where it may be an object that is kept."""
        if isinstance(value, Recorded):
            return clone(value.expression)
        return self.frame.plain(value, node)

    def plain(self, value: Recorded, node: Any) -> Any:
        """Return a named tuple as a tuple; refuse all else that is passed on or kept."""
        parts = self.parts(value)
        if parts is None or found_in(value.expression, gast.Call):
            self.refuse_leak(value, node)
        texts = [self.frame.plain(part, node) for part in parts]
        return at(gast.Tuple(texts, gast.Load()), node)

    def are_among(self, values: list[Value]) -> bool:
        """Say whether some values are, or may come to hold, objects that are dicts of the run."""
        return self.session.records.on and any(map(self._holds, values))

    def _holds(self, value: Value) -> bool:
        """Say whether a value is an object, or holds some."""
        if isinstance(value, Items):
            return any(map(self._holds, value.values))
        return isinstance(value, Object) or isinstance(
            self.frame.record_names.looked(value), Recorded
        )

    def whole(self, value: Value, node: Any) -> Value:
        """Return a value that is put into a list: a tuple of objects as one that the run makes."""
        if not isinstance(value, Items) or value.kind != "tuple" or not self.are_among([value]):
            return value
        inner = [self.whole(self.frame.record_names.looked(v), node) for v in value.values]
        texts = [self.text(item, node) for item in inner]
        return Recorded(tuple(map(self.kind_of, inner)), at(gast.Tuple(texts, gast.Load()), node))

    def kind_of(self, value: Value) -> Kind:
        """Return the kind of a value; None of anything but objects."""
        return value.kind if isinstance(value, Recorded) else None

    # -- making objects

    def made(self, made: Object, node: Any) -> Value:
        """Return an object that was made, of which the fields are variables, as a dict of those."""
        records = self.session.records
        known = records.stored.setdefault(made.cls, set())
        known.update(made.fields)
        values = [
            self.field_text(made.cls, name, self.frame.record_names.looked(value), node)
            for name, value in made.fields.items()
        ]
        keys = [gast.Constant(name, None) for name in made.fields]
        if made.cls in records.tagged:
            keys.insert(0, gast.Constant(TAG, None))
            values.insert(0, gast.Constant(made.cls.__name__, None))
        shown = gast.Dict(keys, values)
        name = self.frame.variable(made.name)
        self.frame.record_names.note_name(name, made.cls, node)
        self.frame.bind(name, at(shown, node), node)
        return Recorded(made.cls, load(name))

    def field_text(self, cls: type, name: str, value: Value, node: Any) -> Any:
        """Return what a field is bound to; note what it holds."""
        records = self.session.records
        records.note_stored(cls, name, none=is_none(value))
        if isinstance(value, Recorded):
            if not records.note(records.fields, (cls, name), value.kind, late=True):
                self.frame.record_names.refuse_several(f"{cls.__name__}.{name}", node)
            return clone(value.expression)
        if isinstance(value, Static) and not isinstance(value, Items):
            records.excluded.add(cls)
            raise KindFoundError
        known = records.fields.get((cls, name))
        if known is not None and not is_empty(value):
            records.note_absent(known)
        if isinstance(known, Holder) and not known.form and form_of(value):
            records.note(
                records.fields, (cls, name), Holder(known.entry, form_of(value)), late=True
            )
        return clone(self.frame.plain(value, node))

    # -- attributes

    def attribute(self, owner: Recorded, name: str, node: Any) -> Value:
        """Return a field, a method or a property of an object, or a method of what holds some."""
        cls = owner.kind
        if isinstance(cls, Holder):
            return RecordMethod(owner, name)
        if isinstance(cls, Several):
            return self._of_several(owner, cls, name, node)
        if not isinstance(cls, type):
            self.refuse_leak(owner, node)
        if name in self.session.records.stored.get(cls, ()):
            return self._entry(owner, gast.Constant(name, None), node)
        if name == "__class__":
            return Known(cls)
        return self.frame.objects.of_class(owner, cls, cls.__mro__, name, node)

    def _of_several(self, owner: Recorded, kind: Several, name: str, node: Any) -> Value:
        """Return an attribute of an object of one class or another: what its class says."""
        stored = self.session.records.stored
        having = [c for c in kind.classes if name in stored.get(c, ()) or hasattr(c, name)]
        having = having or [*kind.classes]
        first = having[0]
        if all(name in stored.get(cls, ()) for cls in having):
            kinds = {self.session.records.fields.get((cls, name)) for cls in having}
            if len(kinds) == 1:
                alike = Recorded(first, owner.expression)
                return self._entry(alike, gast.Constant(name, None), node)
        found = {id(inspect.getattr_static(cls, name, None)) for cls in having}
        if len(found) == 1 and not any(name in stored.get(cls, ()) for cls in having):
            return self.frame.objects.of_class(owner, first, first.__mro__, name, node)
        *others, last = having
        made = self.attribute(Recorded(last, owner.expression), name, node)
        for cls in reversed(others):
            test = at(self._is_of(owner, cls), node)
            made = Choice(test, self.attribute(Recorded(cls, owner.expression), name, node), made)
        return made

    def _is_of(self, owner: Recorded, cls: type) -> Any:
        """Return the test of whether an object is of a class."""
        tag = gast.Subscript(clone(owner.expression), gast.Constant(TAG, None), gast.Load())
        return gast.Compare(tag, [gast.Eq()], [gast.Constant(cls.__name__, None)])

    def is_of_one(self, value: Recorded, wanted: type, node: Any) -> Any:
        """Return the test of whether an object is of a class, or of one that is derived of it."""
        classes = classes_of(value.kind)
        fits = [cls for cls in classes if issubclass(cls, wanted)]
        if not fits:
            return gast.Constant(False, None)
        if len(fits) == len(classes):
            there = self.session.records.are_there(classes)
            return gast.Constant(True, None) if there else self.truth(value, node)
        tests = [self._is_of(value, cls) for cls in fits]
        return at(tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), tests), node)

    def _entry(self, owner: Recorded, key: Any, node: Any) -> Value:
        read = at(gast.Subscript(clone(owner.expression), key, gast.Load()), node)
        field = owner.kind, getattr(key, "value", "")
        if self.session.records.empty.get(field):
            return at(gast.Constant(None, None), node)
        kind = self.session.records.fields.get(field)
        return read if kind is None else Recorded(kind, read)

    def write_attribute(self, owner: Recorded, name: str, value: Value, node: Any) -> None:
        """Write into a field of an object."""
        place = self._place(owner, name, node)
        made = self.field_text(owner.kind, name, value, node)
        self.frame.out.append(at(gast.Assign([place], made, None), node))

    def update_attribute(self, owner: Recorded, name: str, node: Any) -> None:
        """Write an update of a field, ``body.x += v``."""
        place = self._place(owner, name, node)
        if (owner.kind, name) in self.session.records.fields:
            self.frame.refuse(node, "an update of an object or a list of such", "bind it anew")
        value = self.frame.expression(node.value)
        self.frame.out.append(at(gast.AugAssign(place, node.op, value), node))

    def _place(self, owner: Recorded, name: str, node: Any) -> Any:
        cls = owner.kind
        if not isinstance(cls, type):
            self.refuse_leak(owner, node)
        self.frame.held_fields.refuse_unusual_write(cls, name, node)
        known = self.session.records.stored.setdefault(cls, set())
        if name not in known:
            if hasattr(cls, name) and not isinstance(
                inspect.getattr_static(cls, name), MemberDescriptorType
            ):
                what = f"`{name}`, which is the class's until some path or trip has set it"
                self.frame.refuse(node, what, "set it in `__init__`")
            known.add(name)
            raise KindFoundError
        self.frame.changed = True
        key = gast.Constant(name, None)
        return at(gast.Subscript(clone(owner.expression), key, gast.Store()), node)

    # -- entries of lists and dicts

    def element(self, owner: Recorded, node: Any) -> Value:
        """Return ``rows[i]``, a section of it, or what the object's own method gives."""
        kind = owner.kind
        if classes_of(kind) or isinstance(kind, tuple):
            index = self.frame.value(node.slice)
            parts, key = self.parts(owner), getattr(index, "value", None)
            if parts is not None and type(key) is int and -len(parts) <= key < len(parts):
                return parts[key]
            if not classes_of(kind):
                self.refuse_leak(owner, node)
            return self.frame.indexing.read(owner, index, node)
        if not isinstance(kind, Holder):
            self.refuse_leak(owner, node)
        node.value, node.slice = clone(owner.expression), self.frame.expression(node.slice)
        return Recorded(kind if isinstance(node.slice, gast.Slice) else kind.entry, node)

    def parts(self, value: Recorded) -> list[Value] | None:
        """Return the fields of a named tuple, or the entries of a tuple; None of other objects."""
        cls = value.kind
        if isinstance(cls, tuple):
            reads = [
                gast.Subscript(clone(value.expression), gast.Constant(place, None), gast.Load())
                for place in range(len(cls))
            ]
            return [
                read if kind is None else Recorded(kind, read)
                for kind, read in zip(cls, reads, strict=True)
            ]
        if not isinstance(cls, type) or not issubclass(cls, tuple):
            return None
        names = getattr(cls, "_fields", ())
        read = clone(value.expression)
        return [self._entry(value, gast.Constant(name, None), read) for name in names]

    def store(self, target: Any, value: Value, node: Any) -> bool:
        """Write ``rows[i] = v``, of objects; False where there are none."""
        if not self.session.records.on or not isinstance(target, gast.Subscript):
            return False
        owner = self.frame.value(clone(target.value))
        if not isinstance(owner, Recorded):
            if not isinstance(value, Recorded):
                return False
            self.frame.record_names.note_place(owner, Holder(value.kind), node)
            self.refuse_leak(value, node)
        if not isinstance(owner.kind, Holder) or isinstance(target.slice, gast.Slice):
            self.refuse_leak(owner, node)
        if isinstance(value, Recorded) or classes_of(owner.kind.entry):
            self.must_be(owner.kind.entry, value, node)
        index = self.frame.expression(clone(target.slice))
        place = at(gast.Subscript(clone(owner.expression), index, gast.Store()), target)
        self.frame.out.append(at(gast.Assign([place], self.text(value, node), None), node))
        return True

    def must_be(self, kind: Kind, value: Value, node: Any) -> None:
        """Make sure that what is put into a list is what it holds: an object, or None."""
        none = is_none(value)
        if none:
            self.session.records.note_absent(kind)
        given = self.kind_of(value)
        fits = given == kind or {*classes_of(given)} < {*classes_of(kind)} != set()
        if not none and not fits:
            self.frame.refuse(
                node, "a list or dict of objects with something else in it", "use two"
            )

    def display(self, form: str, values: list[Value], node: Any) -> Value | None:
        """Return a list of objects that the run makes; None of anything else."""
        values = [self.whole(value, node) for value in values] if form == "list" else values
        kind = self._kind_of_all(values)
        if form != "list" or kind is None:
            return None
        for value in values:
            self.must_be(kind, value, node)
        elts = [self.text(value, node) for value in values]
        return Recorded(Holder(kind, "list"), at(gast.List(elts, gast.Load()), node))

    def dict_display(self, node: Any, values: list[Value]) -> Value | None:
        """Return a dict of objects that the run makes; None of anything else."""
        kind = self._kind_of_all(values)
        if kind is None or None in node.keys:
            return None
        for value in values:
            self.must_be(kind, value, node)
        node.keys = [self.frame.expression(key) for key in node.keys]
        node.values = [self.text(value, node) for value in values]
        return Recorded(Holder(kind, "dict"), node)

    def _kind_of_all(self, values: list[Value]) -> Kind:
        """Return the kind that each of some values is, but for None; None if that is no object."""
        kinds = [value.kind for value in values if isinstance(value, Recorded)]
        kind = functools.reduce(merged_kinds, kinds) if kinds else None
        self.session.records.tag(kind)
        return kind

    def either(self, test: Any, then: Value, other: Value, node: Any) -> Value | None:
        """Return one of two objects, or one or None; None where there are no objects."""
        kind = self._kind_of_all([then, other])
        if kind is None:
            return None
        for value in (then, other):
            self.must_be(kind, value, node)
        made = gast.IfExp(test, self.text(then, node), self.text(other, node))
        return Recorded(kind, at(made, node))

    # -- questions

    def compared(self, op: Any, pair: list[Value], node: Any) -> Any:
        """Return a comparison of objects that have no methods for it; None where there are none."""
        if not any(isinstance(value, Recorded) for value in pair):
            return None
        objects = [value for value in pair if classes_of(getattr(value, "kind", None))]
        equal = isinstance(op, (gast.Eq, gast.NotEq))
        own = [cls for value in objects for cls in classes_of(value.kind) if _has_equality(cls)]
        if equal and own:  # written by `dataclass`, which has no source
            self.refuse_leak(objects[0], node)
        if not isinstance(op, _ORDERS) or not objects:
            self.refuse_leak(next(v for v in pair if isinstance(v, Recorded)), node)
        same = gast.Is() if isinstance(op, (gast.Is, gast.Eq)) else gast.IsNot()
        left, right = (self.text(value, node) for value in pair)
        return at(gast.Compare(left, [same], [right]), node)

    def truth(self, value: Recorded, node: Any) -> Any:
        """Return the test of whether there is an object, or of whether a list holds any."""
        if not classes_of(value.kind):
            return clone(value.expression)
        none = gast.Constant(None, None)
        return at(gast.Compare(clone(value.expression), [gast.IsNot()], [none]), node)

    def refuse_unlike(self, value: Recorded, name: str) -> None:
        """Refuse to ask an object by a special method that not all of its classes share."""
        found = {id(inspect.getattr_static(cls, name, None)) for cls in classes_of(value.kind)}
        if len(found) > 1:
            self.refuse_leak(value, value.expression)

    def refuse_leak(self, value: Recorded, node: Any) -> NoReturn:
        """Refuse what is done with an object that nobody knows what it does to a dict."""
        classes = classes_of(value.kind)
        named = classes[0].__name__ if classes else "list of objects"
        self.frame.refuse(
            node,
            f"a `{named}` that is passed on or kept is not differentiated by source",
            "pass its attributes",
        )


def _has_equality(cls: type) -> bool:
    return any(getattr(cls, name) is not getattr(object, name) for name in ("__eq__", "__ne__"))
