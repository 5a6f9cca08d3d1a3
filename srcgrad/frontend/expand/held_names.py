"""Lets names outside be variables, where the program writes into what they mean, or binds them.

They are held as fields of objects are: a module, a class or a cell has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from srcgrad.frontend.expand.assumptions import Space, stored_in
from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.holding import HeldObject, kind_of, module_of
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import Home, Instance, Known, Static, Value
from srcgrad.frontend.rebinding import may_be_bound
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load
from srcgrad.ir.scopes import MISSING, Binding
from srcgrad.ir.walk import found_in
from srcgrad.runtime.objects import may_be_static


class HeldNames(Part):
    """The part of the expansion that deals with names outside that are written."""

    def held_name(self, binding: Binding, expression: Any) -> Value | None:
        held = self.session.holding.of(binding.holder)
        if held is None or binding.name not in held.written:
            return None
        if not self.frame.begins:
            raise NeedsInlineError
        self.frame.changed = True
        return load(
            self.frame.held_fields.variable_of(_space(binding, expression), held, binding.name)
        )

    def outside_name(self, name: str) -> Binding | None:
        """Return what a name means outside, if it means data there."""
        known = (
            name in self.frame.own - self.frame.free
            or name in self.frame.env
            or name in self.frame.imports
        )
        found = None if known else self.frame.found_outside(name)
        return found if found is not None and _is_filled(found.value) else None

    def name_outside(self, owner: Instance, held: HeldObject, name: str) -> None:
        """Find a variable for a name outside: its own name, if that is one of this module."""
        module, expression = module_of(held), clone(owner.expression)
        if isinstance(expression, gast.Name) and module is not None:
            expression = gast.Attribute(self.holder_of(held, expression), name, gast.Load())
            bound = {
                n.id
                for n in found_in(self.frame.code.tree, gast.Name)
                if not isinstance(n.ctx, gast.Load)
            }
            if name not in bound - self.frame.globals:
                held.variables[name] = name
                self.frame.own.add(name)
                self.frame.varying.add(name)
                self.frame.of_fields.add(name)
        held.expressions[name] = expression

    def refuse_lost_holder(self, held: HeldObject, node: Any) -> None:
        if held.of_names:
            self.holder_of(held, node)

    def holder_of(self, space: HeldObject, node: Any) -> Any:
        if space.expression is not None:
            return space.expression
        module = module_of(space)
        if module is None:
            self.frame.refuse(
                node, "a name that is bound outside, nobody knows in which module", "return it"
            )
        return self.frame.constant(module, module.__name__.rpartition(".")[2])

    def is_variable(self, name: str) -> bool:
        """Say whether a `global` name is a variable, since the program writes it."""
        held = self.session.holding.of(self.frame.home.globals)
        return held is not None and name in held.written

    def is_held(self, name: str) -> bool:
        """Say whether the text does not bind a `global` name itself."""
        found = self.frame.home.globals.get(name)
        return self.is_variable(name) or self.session.holding.has_entries(found)

    def bind_outside(self, name: str, value: Value, node: Any) -> bool:
        """Bind the variable of a `global` name; False if the text may bind that as it is."""
        owner = self._global(name, value)
        if owner is None:
            return False
        self.frame.held_fields.bind_field(owner, name, value, node)
        return True

    def update_outside(self, name: str, node: Any) -> bool:
        """Write ``name += v`` of a `global` name as an update of its variable; False if not."""
        if name not in self.frame.globals:
            return False
        node.value = self.frame.expression(node.value)
        owner = self._global(name, node.value)
        if owner is None:
            return False
        self.frame.held_fields.update_held(owner, name, node)
        return True

    def _global(self, name: str, value: Value) -> Instance | None:
        """Return what holds a `global` name that is bound here, if it is or has to be a variable.

        Raises:
            NeedsInlineError: This is not the function that the program begins with.
        """
        holder = self.frame.home.globals
        if name not in self.frame.globals:
            return None
        before = holder.get(name, MISSING)
        owner = _space(Binding(name, before, holder), load(name))
        if not self.frame.fields.is_field_written(owner, name):
            known = not isinstance(value, Static) and not may_be_static(before)
            holding = self.session.holding
            anew = may_be_bound(holder.get("__name__"), name, self.session.rebound)
            counts = anew or self.frame.varies(value) or holding.of(holder) is not None
            if not (holding.is_open and known and counts):
                return None
        if not self.frame.begins:
            raise NeedsInlineError
        return owner

    def bound_outside(self, name: str, home: Home, node: Any) -> str:
        """Return the variable of a name that is bound by a function that is put in place."""
        holder = home.globals
        fits = name in holder and name not in home.cells and not may_be_static(holder[name])
        if not fits or not self.session.holding.is_open:
            self.frame.refuse(node, f"a function that changes `{name}` outside", "return it")
        expression = self.frame.plain(self.frame.lookup.foreign(name, home, node), node)
        owner = _space(Binding(name, holder[name], holder), expression)
        variable = self.frame.held_fields.written_field(owner, name, node)
        self.frame.held_fields.note_bound(owner, name)
        return variable

    def names_in(self, place: Any) -> list[tuple[Instance, Any]] | None:
        """Return the name outside that a place is in; None if it is in none."""
        if isinstance(place, gast.Name) and place.id not in self.frame.named_fields:
            binding = self.outside_name(place.id)
            return None if binding is None else [(_space(binding, place), binding.name)]
        owner = self.frame.value(clone(place.value)) if isinstance(place, gast.Attribute) else None
        if isinstance(owner, Known) and isinstance(owner.value, (ModuleType, type)):
            return list(_space_of(owner, place))
        return None


def _space(binding: Binding, expression: Any) -> Instance:
    """Return what holds a name outside, as an object is known whose field it is."""
    return Instance(binding.holder, clone(expression), Space(binding.holder))


def _space_of(owner: Known, place: Any) -> Iterator[tuple[Instance, str]]:
    """Yield the data that a module or a class holds under a name."""
    holder = vars(owner.value) if isinstance(owner.value, ModuleType) else owner.value
    found = Binding(place.attr, stored_in(holder, place.attr), holder)
    if _is_filled(found.value):
        yield _space(found, place), place.attr


def _is_filled(value: Any) -> bool:
    """Say whether something is memory in which there is something already, unlike in a log."""
    return bool(kind_of(value)) and (not isinstance(value, list) or bool(value))
