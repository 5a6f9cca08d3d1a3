"""Finds what names mean outside of the function: functions and objects are known, data is read."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from types import CellType, ModuleType
from typing import TYPE_CHECKING, Any

from srcgrad.frontend.expand.assumptions import Of, Outside
from srcgrad.frontend.expand.frame import NeedsInlineError, at_key
from srcgrad.frontend.expand.holding import path_of
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.values import (
    Frozen,
    Home,
    Instance,
    Items,
    Known,
    Root,
    Static,
    Value,
    has_plain_keys,
    is_callee,
    reads_otherwise,
)
from srcgrad.ir import gast
from srcgrad.ir.build import clone, load
from srcgrad.ir.packages import package_of
from srcgrad.ir.scopes import MISSING, SPACE_OF, Binding
from srcgrad.runtime.interpolators import is_frozen_law, law_of
from srcgrad.runtime.objects import answers_names, hides_class, is_member, is_plain_object

if TYPE_CHECKING:
    from srcgrad.frontend.expand.interpreter import Interpreter

NOT_THERE = "it stands for one that is no longer, or not yet: read it outside of the function"


class Lookup(Part):
    """The part of the expansion that deals with what is outside of the function."""

    def look(self, name: str) -> Value:
        """Return what a name means."""
        if name in self.frame.env:
            found = self.frame.env[name]
            return (
                found if isinstance(found, Static) else self.frame.record_names.looked(clone(found))
            )
        if name in self.frame.own:
            return self.frame.record_names.looked(load(name))
        binding = self.frame.found_outside(name)
        if binding is None:
            return load(name)
        return self.meaning_of(binding, load(name))

    def meaning_of(self, binding: Binding, expression: Any) -> Value:
        """Return what a binding from outside means; data is read when the text runs."""
        held = self.frame.held_names.held_name(binding, expression)
        if held is not None:
            return held
        value = binding.value
        if hides_class(value):
            self.frame.refuse(expression, "an object that does not tell its class", NOT_THERE)
        if isinstance(value, ModuleType) or (is_callee(value) and not is_plain_object(value)):
            self.session.use(binding)
        read = self.session.reading(binding, self.frame.code.source)
        if read is not None and not self.frame.code.repeated:
            self.frame.changed = True
            name = self.frame.cell_name(read.__name__, self.session.cell_of(read))
            return gast.Call(load(name), [], [])
        if self.session.settled and type(value) in (bool, str) and read is None:
            self.session.assume(Outside(binding), value)
            self.frame.changed = True
            return gast.Constant(value, None)
        return self.outside(value, expression, Outside(binding))

    def outside(self, value: Any, expression: Any, root: Callable[[Any], Any] | None) -> Value:
        """Return an object from outside as a static value if that is of use; `root` finds it."""
        if root is not None and (is_plain_object(value) or answers_names(value)):
            self.meet(value, expression, root)
            return Instance(value, expression, root)
        if root is not None and is_member(value):
            self.session.assume(root, value)
            return Known(value, expression)
        if root is not None and self.session.holding.has_entries(value):
            return self.frame.held_entries.container(value, expression, root)
        if root is not None and isinstance(value, (list, tuple, dict)) and _holds_static(value):
            return self._display(value, expression, root)
        if is_callee(value) or isinstance(value, ModuleType):
            return Known(value, expression)
        if root is not None and is_frozen_law(value):
            return self._frozen(value, expression, root)
        return expression

    def meet(self, value: Any, expression: Any, root: Root) -> None:
        """Note how an object is reached whose fields are variables of the function that begins."""
        held = self.session.holding.of(value)
        if held is None:
            return
        if not self.frame.begins:
            raise NeedsInlineError
        if held.root is None:
            if path_of(expression) is None:
                self.frame.refuse(expression, "an object that is reached in this way", "name it")
            held.expression, held.root = clone(expression), root
        else:
            first = held.root
            self.session.assume(lambda a: root(a) is first(a), True)

    def _frozen(self, value: Any, expression: Any, root: Callable[[Any], Any]) -> Value:
        """Return a distribution from outside that holds its parameters."""
        args: list[Value] = []
        for number in range(len(value.args)):
            held = gast.Attribute(clone(expression), "args", gast.Load())
            args.append(gast.Subscript(held, gast.Constant(number, None), gast.Load()))
        named: dict[str, Value] = {}
        for name in value.kwds:
            held = gast.Attribute(clone(expression), "kwds", gast.Load())
            named[name] = gast.Subscript(held, gast.Constant(name, None), gast.Load())
        self.session.assume(lambda a: type(root(a).dist), type(value.dist))
        self.session.assume(lambda a: len(root(a).args), len(value.args))
        self.session.assume(lambda a: tuple(root(a).kwds), tuple(value.kwds))
        law = law_of(value)
        if law is None:
            return expression
        return Frozen(
            Known(law, self.frame.constant(law, value.dist.name)), args, named, expression
        )

    def _display(self, value: Any, expression: Any, root: Callable[[Any], Any]) -> Value:
        if not has_plain_keys(value):
            return expression
        is_own = package_of(type(value)) not in ("builtins", "collections")
        origin = Instance(value, expression, root) if is_own else None
        if reads_otherwise(type(value)):
            return origin or expression

        def entry(key: Any) -> Value:
            place = gast.Subscript(clone(expression), gast.Constant(key, None), gast.Load())
            return self.outside(value[key], place, at_key(root, key))

        found = self.entries(value, root, entry)
        found.expression = expression
        found.origin = origin
        return found

    def entries(
        self, value: Any, root: Callable[[Any], Any], entry: Callable[[Any], Value]
    ) -> Items:
        """Return a list, tuple or dict from outside, with what `entry` finds at each key."""
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        items: list[Value] = []
        for key in keys:
            if is_callee(value[key]) and not is_plain_object(value[key]):
                self.session.assume(at_key(root, key), value[key])
                items.append(Known(value[key]))
                continue
            items.append(entry(key))
        if isinstance(value, dict):
            self.session.assume(Of(tuple, root), tuple(keys))
            return Items("dict", items, keys)
        self.session.assume(Of(len, root), len(value))
        return Items("list" if isinstance(value, list) else "tuple", items)

    def foreign(self, name: str, home: Home, node: Any) -> Value:
        """Return what a free name of a function from elsewhere means, in words of this function."""
        mine = name in self.frame.own - self.frame.free
        hidden = mine or name in self.frame.env or name in self.frame.home.cells
        if name not in home.cells and self._is_at_home(name, home.globals) and not hidden:
            return self.look(name)
        if name in home.cells:
            return self._value_of_cell(name, home.cells[name])
        holder = home.globals if name in home.globals else vars(builtins)
        value = holder.get(name, MISSING)
        if value is MISSING:
            return load(name)
        binding = Binding(name, value, holder)
        if is_callee(value) or isinstance(value, ModuleType):
            return self.meaning_of(binding, self.frame.constant(value, name))
        module = sys.modules.get(home.globals.get("__name__", ""))
        if module is None or vars(module) is not home.globals:
            self.frame.refuse(
                node, f"the global `{name}` of another module", "pass it as an argument"
            )
        short = module.__name__.rpartition(".")[2]
        return self.meaning_of(
            binding, gast.Attribute(self.frame.constant(module, short), name, gast.Load())
        )

    def _is_at_home(self, name: str, names: Mapping[str, Any]) -> bool:
        """Say whether a global of a namespace is one of this function's; modules may share them."""
        own = self.frame.home.globals
        shared = names.get(SPACE_OF, names) is own.get(SPACE_OF, own)
        return names is own or (shared and name in own)

    def _value_of_cell(self, name: str, cell: CellType) -> Value:
        binding = Binding(name, Binding(name, None, cell).current(), cell)
        return self.meaning_of(binding, load(self.frame.cell_name(name, cell)))


def _holds_static(value: Any) -> bool:
    items = list(value.values()) if isinstance(value, dict) else list(value)
    return len(items) <= 32 and any(
        is_callee(item) or isinstance(item, ModuleType) or is_plain_object(item) for item in items
    )


class Live:
    """What the free names of a local function mean in the function that it stands in, right now."""

    def __init__(self, frame: Interpreter) -> None:
        self.frame = frame

    def get(self, name: str) -> Value | None:
        """Return what a name means, or None if it is not the function's."""
        if name in self.frame.env or name in self.frame.own:
            return self.frame.look(name)
        return None


class WithItself:
    """What the free names of a local function mean which calls itself past its decorators."""

    def __init__(self, captured: Any, name: str) -> None:
        self._captured = captured
        self._name = name
        self.itself: Value | None = None

    def get(self, name: str) -> Value | None:
        """Return what a name means, or None if it is not the function's."""
        found: Value | None = self.itself if name == self._name else self._captured.get(name)
        return found
