"""Rewrites updates, of which some bind anew: of names that mean objects, of fields, of entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.expand.changing_fields import ChangingFieldError
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import (
    Instance,
    Items,
    Object,
    Recorded,
)
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone, load, store
from srcgrad.ir.handlers import statement


class Updates(Part):
    """The part of the expansion that deals with updates such as ``x += v``."""

    @statement(gast.AugAssign)
    def _augmented(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Attribute) and self._updates_attribute(target, node):
            return
        if isinstance(target, gast.Subscript) and self.frame.held_entries.update_entry(
            target, node
        ):
            return
        if self.frame.indexing.update(target, node) or self.frame.registers.update(target, node):
            return
        if isinstance(target, gast.Name) and self.frame.held_names.update_outside(target.id, node):
            return
        held = self.frame.env.get(getattr(target, "id", ""))
        if self._calls(held, node):
            return
        listed = held if isinstance(held, Items) and held.keys is None else None
        adds = listed is not None and isinstance(node.op, gast.Add)
        if adds and self.frame.static_items.extended(listed, node.value, node):
            return
        if isinstance(held, (Object, Items)):
            binary = at(gast.BinOp(load(target.id), node.op, node.value), node)
            self._assign_updated(target, binary, node)
            return
        node.value = self.frame.expression(node.value)
        if not isinstance(target, gast.Name):
            self.frame.statements.written(target, node.value)
        elif held is not None:
            value = at(gast.BinOp(self.frame.plain(held, node), node.op, node.value), node)
            self.frame.statements.assign_name(target.id, value, node)
            return
        else:
            self.frame.note_bound(target.id, gast.BinOp(load(target.id), node.op, node.value), node)
            if target.id in self.frame.named_fields:
                self.frame.held_fields.store_into_field(target, node.value, node)
        self.frame.out.append(node)

    def _calls(self, held: Any, node: Any) -> bool:
        """Write an update of an object by its own method; False if it has none."""
        called = self.frame.asking.updating_call(held, node)
        if called is not None:
            self.frame.statement(called)
        return called is not None

    def _updates_attribute(self, target: Any, node: Any) -> bool:
        """Write an update of an attribute; False if it is one as any other."""
        owner = self.frame.value(clone(target.value))
        if isinstance(owner, Object) and self._calls(owner.fields.get(target.attr), node):
            return True
        known = isinstance(owner, (Object, Recorded))
        if known and self.frame.objects.setter_of(owner, target.attr) is not None:
            value = gast.BinOp(self._read(target), node.op, node.value)
            self.frame.statement(at(gast.Assign([target], at(value, node), None), node))
            return True
        if isinstance(owner, Recorded):
            self.frame.records.update_attribute(owner, target.attr, node)
            return True
        if isinstance(owner, Instance) and self._counts(owner, target.attr):
            value = gast.BinOp(self._read(target), node.op, node.value)
            self.frame.statement(at(gast.Assign([target], at(value, node), None), node))
            return True
        if isinstance(owner, Instance) and owner.lent:
            raise NeedsInlineError
        if isinstance(owner, Instance) and self.frame.held_fields.update_field(
            owner, target.attr, node
        ):
            return True
        if isinstance(owner, Instance) and self.frame.inlined:
            self.frame.refuse(node, "an update of an object's attribute", "work on a copy")
        if not isinstance(owner, Object) or target.attr not in owner.fields:
            return False
        self._refuse_lent(owner)
        self.frame.changed = True
        field = owner.fields[target.attr]
        if isinstance(field, gast.Constant):
            raise ChangingFieldError(owner.cls, target.attr)
        if not isinstance(field, gast.Name):
            self.frame.refuse(node, "an update of a function", "assign it anew")
        node.target = store(field.id)
        node.value = self.frame.expression(node.value)
        self.frame.out.append(node)
        return True

    def _counts(self, owner: Instance, name: str) -> bool:
        """Say whether an attribute is a number, which an update binds anew, as of a counter."""
        held, root = getattr(owner.value, "__dict__", {}).get(name), owner.root
        if owner.leaves is not None or not isinstance(held, (int, float, np.number)):
            return False
        self.session.assume(lambda a: type(vars(root(a)).get(name)), type(held))
        return True

    def _read(self, target: Any) -> Any:
        """Return the expression that reads what a target binds."""
        read = clone(target)
        read.ctx = gast.Load()
        return read

    def _assign_updated(self, target: Any, value: Any, node: Any) -> None:
        self.frame.wished = target.id
        found = self.frame.value(value)
        self.frame.wished = ""
        self.frame.statements.assign_name(target.id, found, node)

    def _refuse_lent(self, owner: Object) -> None:
        if owner.lent:
            raise NeedsInlineError
