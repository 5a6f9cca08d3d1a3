"""Rewrites comprehensions: over what is known element by element they are displays."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.expand.keeping import known_elements, makes_function
from srcgrad.frontend.expand.named_loops import names_attributes
from srcgrad.frontend.expand.part import Part
from srcgrad.frontend.expand.scoping import renamed_in
from srcgrad.frontend.expand.values import Items, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, clone
from srcgrad.ir.handlers import expression
from srcgrad.ir.walk import names_bound


class Comprehending(Part):
    """The part of the expansion that deals with comprehensions."""

    @expression(gast.ListComp, gast.SetComp, gast.GeneratorExp, gast.DictComp)
    def _comprehension(self, node: Any) -> Value:
        opened = self.frame.record_loops.opened(node)
        if opened is not None:
            return opened
        with self.frame.record_loops.within(node):
            return self._rewritten(node)

    def _rewritten(self, node: Any) -> Value:
        self.frame.stars.open_targets(node)
        first = node.generators[0]
        first.iter = self.frame.iterating.iterated(first.iter)
        if self.frame.told_names.wants(first, *_values_of(node)):
            first.iter = self.frame.told_names.opened(first.iter)
        items = self.frame.value(first.iter)
        unrolled = self._unrolled(node, items)
        if unrolled is not None:
            return unrolled
        first.iter = self.frame.plain(items, first.iter)
        bound = [name for part in node.generators for name in names_bound(part.target)]
        hidden = {name: self.frame.env.pop(name) for name in bound if name in self.frame.env}
        with self.frame.conditional():
            for part in node.generators:
                if part is not first:
                    part.iter = self.frame.expression(part.iter)
                part.ifs = [self.frame.asking.test(item) for item in part.ifs]
            for field in ("elt", "key", "value"):
                if hasattr(node, field):
                    setattr(node, field, self.frame.expression(getattr(node, field)))
        self.frame.env.update(hidden)
        return node

    def _unrolled(self, node: Any, items: Value) -> Value | None:
        """Return a comprehension over known elements as a display, or what holds functions."""
        first, values = node.generators[0], _values_of(node)
        if len(node.generators) > 1 or isinstance(node, gast.SetComp):
            return None
        elements = self.frame.expressions.elements(items)
        makes = elements is None and makes_function(self.frame, values[-1])
        if makes or (elements is None and names_attributes(first, *values)):
            elements = known_elements(self.frame, items)
        chosen = None if elements is None else self._chosen(node, elements)
        if chosen is None:
            return None
        target = first.target
        if makes:  # the functions read the variables of the comprehension when they are called
            own = {name: self.frame.fresh(name) for name in names_bound(target)}
            values = [renamed_in(value, own) for value in values]
            target = renamed_in(target, own)
        made = []
        before = dict(self.frame.env)
        for element in chosen:
            self.frame.expressions.bind_target(target, element, node)
            made.append([self.frame.value(clone(value)) for value in values])
        if not makes:
            self._restore(target, before)
        return _display_or_items(made, node)

    def _chosen(self, node: Any, elements: list[Value]) -> list[Value] | None:
        """Return the elements that pass the tests; None if that, or a key, is not known."""
        first, chosen, keys = node.generators[0], list[Value](), list[Any]()
        if not first.ifs and not isinstance(node, gast.DictComp):
            return elements
        before = dict(self.frame.env)
        for element in elements:
            self.frame.expressions.bind_target(first.target, element, node)
            said = [self.frame.deciding.decide(test) for test in first.ifs]
            if None in said:
                break
            if all(said):
                chosen.append(element)
                keys.append(
                    self.frame.looked_at(getattr(node, "key", gast.Constant(len(keys), None)))
                )
        else:
            self._restore(first.target, before)
            told = all(isinstance(key, gast.Constant) for key in keys)
            different = told and len({key.value for key in keys}) == len(keys)
            return chosen if different else None
        self._restore(first.target, before)
        return None

    def _restore(self, target: Any, before: dict[str, Value]) -> None:
        for name in names_bound(target):
            self.frame.env.pop(name, None)
            if name in before:
                self.frame.env[name] = before[name]


def _values_of(node: Any) -> list[Any]:
    """Return what a comprehension computes for each element: of a dict, the key and the value."""
    return [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]


def _display_or_items(made: list[list[Value]], node: Any) -> Value:
    """Return a list, or a dict, of what a comprehension has computed."""
    values = [row[-1] for row in made]
    static = any(isinstance(value, Static) for value in values)
    if not isinstance(node, gast.DictComp):
        return Items("list", values) if static else at(gast.List(values, gast.Load()), node)
    keys: list[Any] = [row[0] for row in made]
    if static:
        return Items("dict", values, [key.value for key in keys])
    return at(gast.Dict(keys, values), node)
