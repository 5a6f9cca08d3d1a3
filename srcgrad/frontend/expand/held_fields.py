"""Lets fields of objects that are there before be variables, where the program writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.expand.assumptions import Of, is_own, is_space, stored_in, told_of
from srcgrad.frontend.expand.fields import varies
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.holding import (
    FieldWrittenError,
    HeldObject,
    is_container,
    is_set_plainly,
    kind_of,
    note_kind,
    stored,
)
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.telling_fields import is_only_told, lies_apart
from srcgrad.frontend.expand.values import (
    Instance,
    Known,
    Object,
    Static,
    Value,
    has_plain_keys,
)
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load, store
from srcgrad.ir.walk import names_read, root_name
from srcgrad.primitives.methods import WRITING
from srcgrad.runtime.objects import is_plain_object, may_be_static

_ARRAYS = ("vector", "matrix", "array")


class HeldFields(Part):
    """The part of the expansion that deals with fields that are written."""

    # -- the variables

    def held_field(self, owner: Instance, name: str) -> Value | None:
        """Return the variable of a field that is written; None for others."""
        held = self.session.holding.of(owner.value)
        if held is None or name not in held.written:
            return None
        return load(self.variable_of(owner, held, name))

    def written_field(self, owner: Instance, name: str, node: Any) -> str:
        """Return the variable of a field that the program writes here.

        Raises:
            NeedsInlineError: This is not the function that the program begins with.
            FieldWrittenError: Nobody knew so far that it is written.
        """
        if not self.frame.begins:
            raise NeedsInlineError
        held = self.session.holding.of(owner.value)
        if held is None or name not in held.written:
            self._refuse_unusual_field(owner, name, node)
            raise FieldWrittenError(owner.value, name, of_names=is_space(owner))
        return self.variable_of(owner, held, name)

    def variable_of(self, owner: Instance, held: HeldObject, name: str) -> str:
        if is_space(owner) and name not in held.variables:
            self.frame.held_names.name_outside(owner, held, name)
        root, path = owner.root, (*owner.path, held.step(name))
        item = stored_in(owner.value, name)
        self.session.assume(Of(told_of, root, (name,)), told_of(owner.value, name))
        leaves, wish = owner.leaves, self._word_for(owner, name)
        if leaves is not None and varies(item, path):
            if path not in leaves.names:
                leaves.names[path] = self.frame.variable(wish)
            self.frame.of_fields.add(leaves.names[path])
            note_kind(leaves, leaves.names[path], item)
            return leaves.names[path]
        if name not in held.variables:
            held.variables[name] = self.frame.variable(wish)
            self.frame.of_fields.add(held.variables[name])
        return held.variables[name]

    def _word_for(self, owner: Instance, name: Any) -> str:
        """Return what the variable of a field, or of an entry, is called."""
        return (
            self.frame.held_entries.word_for_entry(owner, name)
            if is_container(owner)
            else str(name)
        )

    def _refuse_unusual_field(self, owner: Instance, name: str, node: Any) -> None:
        if is_space(owner):
            return
        if is_container(owner):
            if not has_plain_keys(owner.value):
                self.frame.refuse(
                    node, "a write into a dict with such keys", "use texts for the keys"
                )
            return
        self.refuse_unusual_write(type(owner.value), name, node)
        if not is_plain_object(owner.value):
            self.frame.refuse(node, f"a write into `{name}` of such an object", "write elsewhere")

    def refuse_unusual_write(self, cls: type, name: str, node: Any) -> None:
        """Refuse to bind what is no plain field of objects of a class."""
        if not is_set_plainly(cls, name):
            self.frame.refuse(
                node, f"a write into `{name}` of a `{cls.__name__}`", "write elsewhere"
            )

    # -- writes

    def writes_field(self, owner: Instance, name: str, value: Value) -> bool:
        """Say whether a field that is bound here is a variable, or has to be one."""
        holding = self.session.holding
        if self.frame.fields.is_field_written(owner, name):
            return True
        old = stored_in(owner.value, name)
        if not holding.is_open or isinstance(value, Static) or may_be_static(old):
            return False
        if owner.leaves is not None or holding.of(owner.value) is not None:
            return True
        if not self.brings(owner, value):
            return False
        return not self._is_told(owner, name, value, old)

    def brings(self, owner: Instance, value: Any) -> bool:
        """Say whether a value may carry a derivative from elsewhere than an object's fields."""
        if is_container(owner) and root_name(owner.expression) in self.frame.varying:
            return True
        read = (
            self.frame.varying.intersection(names_read(value))
            if self.frame.varies(value)
            else set()
        )
        return bool(read - {root_name(owner.expression)})

    def _is_told(self, owner: Instance, name: str, value: Any, old: Any) -> bool:
        """Say whether a field is only told what it is bound to, and the text may tell it."""
        if owner.leaves is not None:
            return False
        told = self.brings(owner, value) and lies_apart(value, self.frame.code.tree)
        return told and is_only_told(self.session, owner, name, old)

    def write_field(self, owner: Instance, name: str, value: Value, node: Any) -> bool:
        """Bind a field of an object that was there before; False if the text may do so as it is."""
        if owner.lent:
            raise NeedsInlineError
        if self.writes_field(owner, name, value):
            self.bind_field(owner, name, value, node)
            return True
        old = stored_in(owner.value, name)
        if owner.leaves is not None or isinstance(value, Static) or may_be_static(old):
            self.frame.refuse(node, "a write into an object's attribute", "work on a copy")
        if not self._is_told(owner, name, value, old):
            return False
        parts = [clone(owner.expression), gast.Constant(name, None), value]
        self.frame.fields.tell(load("setattr"), parts, node)
        return True

    def bind_field(self, owner: Instance, name: str, value: Value, node: Any) -> None:
        """Bind the variable of a field anew."""
        if isinstance(value, Static):
            self.frame.refuse(node, "a write into an object's attribute", "work on a copy")
        variable = self.written_field(owner, name, node)
        self.frame.changed = True
        self.frame.bind(variable, value, node)
        held = self.session.holding.of(owner.value)
        assert held is not None
        if held.is_there(name):
            self.note_bound(owner, name)
        else:  # not every path may bind it
            self.frame.held_names.refuse_lost_holder(held, node)
            function, *parts = stored(held, name, load(variable), self.frame.constant)
            self.frame.fields.tell(function, parts, node)

    def update_field(self, owner: Instance, name: str, node: Any) -> bool:
        """Write ``object.field += v`` as an update of the variable; False if it is none."""
        node.value = self.frame.expression(node.value)
        if not self.writes_field(owner, name, node.value):
            return False
        self.update_held(owner, name, node)
        return True

    def update_held(self, owner: Instance, name: str, node: Any) -> None:
        variable = self.written_field(owner, name, node)
        if kind_of(stored_in(owner.value, name)) in _ARRAYS:
            self._note_updated(owner, name, node)
        else:
            self.note_bound(owner, name)
        self.frame.changed = True
        self.frame.note_bound(variable, gast.BinOp(load(variable), node.op, node.value), node)
        node.target = store(variable)
        self.frame.out.append(node)

    def with_variables(self, target: Any, value: Any) -> Any:
        """Return targets that take a display, with variables for the fields that are such."""
        fits = isinstance(value, gast.Tuple) and len(value.elts) == len(target.elts)
        places = (gast.Attribute, gast.Subscript)
        if not fits or not all(isinstance(item, (gast.Name, *places)) for item in target.elts):
            return target
        fields = [
            next(self._fields_in(item), None) if isinstance(item, places) else None
            for item in target.elts
        ]
        held = [field is not None and self._is_settled(*field) for field in fields]
        if not self.frame.begins or any(
            a is not b for a, b in zip(held, map(bool, fields), strict=True)
        ):
            return target
        named = list(target.elts)
        for place, field in enumerate(fields):
            if field is not None:
                self.note_bound(*field)
                named[place] = store(self.written_field(*field, target))
                self.frame.changed = True
        return gast.Tuple(named, gast.Store())

    def _is_settled(self, owner: Instance, name: Any) -> bool:
        """Say whether a field that is there before is known to be a variable."""
        held = self.session.holding.of(owner.value)
        return held is not None and name in held.written and held.is_there(name)

    def note_bound(self, owner: Instance, name: str) -> None:
        held = self.session.holding.of(owner.value)
        assert held is not None
        held.bound[name] = None
        path = (*owner.path, held.step(name))
        if owner.leaves is not None and path in owner.leaves.names:
            held.differentiated[name] = owner.leaves.names[path]

    def store_into_field(self, place: Any, value: Value | None, node: Any) -> None:
        """Note that what varies is written into an array that a field holds."""
        self.frame.held_entries.written_container(place)
        if value is None or not self.session.holding.is_open:
            return
        for owner, name in self._fields_in(self.memory_of(place)):
            known = owner.leaves is not None or self.session.holding.of(owner.value) is not None
            if is_space(owner):
                known = self.frame.fields.is_field_written(owner, name)
                if self._keeps(owner, name, place):
                    self._leave(owner, name, node)
                    continue
            if known or isinstance(value, Static) or self.brings(owner, value):
                self._note_written(owner, name, node)

    def _keeps(self, owner: Instance, name: str, place: Any) -> bool:
        """Say whether a place is in a dict by a key that is computed, as what a memo keeps is."""
        while isinstance(getattr(place, "value", None), gast.Subscript):
            place = place.value
        if not self._is_dict(owner, name) or not isinstance(place, gast.Subscript):
            return False
        if getattr(place.value, "id", "") in self.frame.named_fields:  # the name of an entry
            return False
        return not isinstance(self.frame.value(clone(place.slice)), gast.Constant)

    def _is_dict(self, owner: Instance, name: str) -> bool:
        return is_space(owner) and isinstance(stored_in(owner.value, name), dict)

    def _grows(self, owner: Instance, name: str, callee: Value) -> bool:
        """Say whether a method of a list or dict is called, as of a log."""
        kept = isinstance(stored_in(owner.value, name), (list, dict))
        return is_space(owner) and kept and not isinstance(callee, Known)

    def _leave(self, owner: Instance, name: str, node: Any) -> None:
        """Refuse to read a list or dict of the module into a variable that is no fixed memory."""
        if self.frame.fields.is_field_written(owner, name):
            what = (
                f"a list or dict of the module that grows, or has keys that are computed, `{name}`"
            )
            self.frame.refuse(node, what, "pass it as an argument")

    def _note_written(self, owner: Instance, name: str, node: Any) -> None:
        if is_container(owner):
            self.frame.held_entries.refuse_unknown_write(owner, name, node)
        if owner.lent or not (self.frame.begins or self.frame.fields.is_field_written(owner, name)):
            raise NeedsInlineError
        if may_be_static(stored_in(owner.value, name)):
            return
        if self.frame.begins:
            self.written_field(owner, name, node)
        self._note_updated(owner, name, node)

    def _note_updated(self, owner: Instance, name: str, node: Any) -> None:
        held = self.session.holding.of(owner.value)
        assert held is not None
        if held.is_there(name) and not is_own(owner.value, name):
            what = f"a write into `{name}`, which a class holds for all of its objects"
            self.frame.refuse(node, what, "work on a copy")
        held.updated.add(name)

    def _fields_in(self, place: Any) -> Iterator[tuple[Instance, Any]]:
        """Yield the entry, the name outside or the field that a place is in."""
        found = self.frame.held_entries.entries_in(place)
        if found is None:
            found = self.frame.held_names.names_in(place)
        yield from self._named_fields_in(place) if found is None else found

    def _named_fields_in(self, place: Any) -> Iterator[tuple[Instance, Any]]:
        """Yield the field that a place is in: one that is named, or has another name."""
        if isinstance(place, gast.Name):
            if place.id in self.frame.named_fields:
                yield self.frame.named_fields[place.id]
            elif isinstance(stands_for := self.frame.env.get(place.id), gast.Attribute):
                yield from self._fields_in(stands_for)
        elif isinstance(place, gast.Attribute):
            owner = self.frame.value(clone(place.value))
            if isinstance(owner, Instance):
                yield owner, place.attr
            elif isinstance(owner, Object) and owner.origin is not None:
                yield owner.origin, place.attr

    def memory_of(self, value: Any) -> Any:
        """Return the expression of the array that a value is a part or a view of, or itself."""
        vocabulary = self.session.vocabulary
        while True:
            method = getattr(value.func, "attr", "") if isinstance(value, gast.Call) else ""
            if isinstance(value, gast.Subscript):
                if self.frame.held_entries.is_entry(value):
                    return value
                value = value.value
            elif method in vocabulary.methods and not self._is_module(value.func.value):
                if not vocabulary.primitive(vocabulary.methods[method]).may_view:
                    return value
                value = value.func.value
            elif isinstance(value, gast.Call) and value.args:
                callee = self.frame.looked_at(value.func)
                plain = isinstance(callee, Known) and not self.session.is_user(callee.value)
                if not plain or not vocabulary.primitive(callee.value).may_view:
                    return value
                value = value.args[0]
            elif isinstance(value, gast.Attribute) and value.attr == "T":
                value = value.value
            else:
                return value

    def _is_module(self, owner: Any) -> bool:
        return isinstance(self.frame.value(clone(owner)), Known)

    def name_field(self, target: Any, value: Any) -> None:
        """Note that a variable is another name of an array that a field holds."""
        several = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)
        pairs = zip(target.elts, value.elts, strict=False) if several else [(target, value)]
        for name, named in pairs:
            read = self.memory_of(named)
            places = (gast.Attribute, gast.Name, gast.Subscript)
            if isinstance(name, gast.Name) and isinstance(read, places):
                for owner, attribute in self._fields_in(read):
                    if attribute is None:
                        self.frame.named_fields[name.id] = (owner, None)
                        continue
                    whole = read is named and self._is_dict(owner, attribute)
                    computed = whole or self._keeps(owner, attribute, named)
                    if kind_of(stored_in(owner.value, attribute)) and not computed:
                        self.frame.named_fields[name.id] = (owner, attribute)

    def note_call_writes(self, call: Any, callee: Value) -> None:
        """Note the fields whose arrays a call writes what varies into."""
        given = [*call.args, *(item.value for item in call.keywords)]
        if self.session.holding.is_open and any(map(self.frame.varies, given)):
            for place in self._written_by(call, callee):
                for owner, name in self._fields_in(self.memory_of(place)):
                    if place is self.memory_of(place) and self._grows(owner, name, callee):
                        self._leave(owner, name, call)
                    else:
                        self._note_written(owner, name, call)

    def _written_by(self, call: Any, callee: Value) -> Iterator[Any]:
        """Yield the operands that a call writes into."""
        yield from (item.value for item in call.keywords if item.arg == "out")
        if isinstance(call.func, gast.Attribute) and call.func.attr in WRITING:
            yield call.func.value
        function: Any = callee.value if isinstance(callee, Known) else None
        if self.session.is_user(function):
            yield from self.session.vocabulary.written_operands(function, call)[0]
        elif function is not None:
            places = self.session.vocabulary.primitive(function).writes
            yield from (call.args[place] for place in places if place < len(call.args))
