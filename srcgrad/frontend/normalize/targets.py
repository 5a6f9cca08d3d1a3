"""Binds the targets of assignments: names, elements, tuples of targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MutationError
from srcgrad.frontend.normalize.expressions import Expressions
from srcgrad.frontend.normalize.iterators import LAZY
from srcgrad.frontend.normalize.wording import wording
from srcgrad.frontend.normalize.workspace import Workspace
from srcgrad.frontend.normalize.writes import name_of_numpy
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, call, clone, constant, load, store, subscript
from srcgrad.ir.changes import is_change
from srcgrad.ir.walk import names_bound, names_read, places_in, walk

_OF_ARRAYS = (gast.Slice, gast.Tuple, gast.List, gast.Compare)


class Targets:
    """Makes the statements that bind values to the targets of one function."""

    def __init__(self, work: Workspace, expressions: Expressions) -> None:
        self._work = work
        self._varies = work.varies
        self._reader = work.reader
        self._namer = work.namer
        self._refusals = work.refusals
        self._expressions = expressions

    def bind(self, target: Any, value: Any, node: Any) -> None:
        """Make the statements of ``target = value``."""
        if isinstance(target, gast.Name):
            self._expressions.into(target.id, value, node)
        elif isinstance(target, (gast.Tuple, gast.List)):
            self._unpack(target, value, node)
        elif self._is_label(target, value) or not (
            self._varies.of(_owner(target)) or self._varies.of(value)
        ):
            self._work.emit(assign(target, value, node))
        elif self.is_plain_element(target):
            self._refuse_new_part(target)
            if self._may_act(target.slice):  # the value is computed before the place
                value = self._expressions.atom(value, node)
            target.slice = self._expressions.index(target.slice, node)
            self._work.emit(assign(target, self.stored(value, target, node), node))

    def _is_label(self, target: Any, value: Any) -> bool:
        """Say whether a text is put beside the elements of an array, as in ``y.name = "depth"``.

        Arrays of pandas take one; those of NumPy, and numbers, raise an AttributeError, as they do
        in the function.
        """
        return (
            isinstance(target, gast.Attribute)
            and isinstance(target.value, gast.Name)
            and target.value.id in self._work.counted
            and not hasattr(np.ndarray, target.attr)  # such as its dtype, which may be a text
            and isinstance(value, gast.Constant)
            and isinstance(value.value, str)
        )

    def _refuse_new_part(self, target: Any) -> None:
        """Refuse a new entry of a list of parts: it is a view of the array no more."""
        name = target.value.id
        if name in self._work.parted and not isinstance(target.slice, gast.Tuple):
            self._refusals.add(
                target,
                "a new entry of a list of parts is not differentiated by source",
                f"keep the parts in a list of your own: `{name} = list({name})`",
            )

    def _may_act(self, index: Any) -> bool:
        """Say whether an index calls what may change something."""
        calls = [item for item in walk(index) if isinstance(item, gast.Call)]
        return not all(map(self._reader.constant_callee, calls))

    def stored(self, value: Any, target: Any, node: Any) -> Any:
        """Return the value of a store as a name other than that of the array written into."""
        if self._is_array(target) and self._varies.of(value):
            value = self._numbers(value)
        if _is_empty(value) and not self._is_array(target):
            return self._work.keep("value", value, node)  # what is put into it has a name for it
        stored = self._expressions.atom(value, node)
        if getattr(stored, "id", None) != target.value.id:
            return stored
        return self._work.keep("item", stored, node)

    def _is_array(self, target: Any) -> bool:
        """Say whether an element or a part is surely not one of a list or dict."""
        if any(isinstance(item, _OF_ARRAYS) for item in walk(target.slice)):
            return True
        name = target.value.id
        code = self._reader.scope.function.__code__
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return name not in (*given, *self._work.lists, *self._work.dicts)

    def _numbers(self, value: Any) -> Any:
        """Write a tuple or list of numbers, which are put into an array one by one, as an array."""
        if isinstance(value, gast.Tuple) and not any(
            isinstance(item, gast.Starred) for item in value.elts
        ):
            return at(gast.List(value.elts, gast.Load()), value)
        if isinstance(value, gast.List) or not self._work.is_list(value):
            return value
        numpy = name_of_numpy(self._reader)
        return value if numpy is None else at(call(f"{numpy}.array", value), value)

    def is_plain_element(self, target: Any) -> bool:
        """Say whether a target is ``x[i]`` with a name for `x`; refuse it if not."""
        if isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
            return True
        self._refusals.add(
            target,
            "a write into an attribute or a nested element is not differentiated by source",
            "write into a local array and keep that",
            MutationError,
        )
        return False

    def _unpack(self, target: Any, value: Any, node: Any) -> None:
        value = self._without_list(value)
        plain = all(not isinstance(item, gast.Starred) for item in target.elts)
        if (
            isinstance(value, (gast.Tuple, gast.List))
            and len(value.elts) == len(target.elts)
            and plain
        ):
            self._assign_pairwise(target.elts, value.elts, node)
            return
        names_alone = all(isinstance(item, gast.Name) for item in places_in(target))
        if names_alone and not self._varies.of(value):
            self._work.emit(assign(target, value, node))
            return
        if isinstance(value, gast.IfExp):
            self._unpack_either(target, value, node)
            return
        if self._is_iterator(value):  # all of it runs before a target is bound
            value = self._expressions.containers.as_list(value)
        if not plain:
            self._unpack_starred(target.elts, value, node)
            return
        if self._is_made_before(value) or self._is_one_value(value, len(target.elts)):
            value = self._expressions.atom(value, node)
        names = [self._target_name(item) for item in target.elts]
        targets = gast.Tuple([store(name) for name in names], gast.Store())
        self._work.emit(assign(targets, self._expressions.operands(value, node), node))
        for item, name in zip(target.elts, names, strict=True):
            if not isinstance(item, gast.Name):
                self._varies.names.add(name)
                self.bind(item, load(name), node)

    def _without_list(self, value: Any) -> Any:
        """Return `xs` of ``tuple(xs)`` or ``list(xs)``, whose items are bound at once."""
        while isinstance(value, gast.Call) and len(value.args) == 1 and not value.keywords:
            callee = self._reader.scope.resolve(value.func)
            starred = isinstance(value.args[0], gast.Starred)
            if starred or (callee is not tuple and callee is not list):
                break
            value = value.args[0]
        return value

    def _is_iterator(self, value: Any) -> bool:
        """Say whether a value is a generator, or what `map`, `zip` and their kin make."""
        if not isinstance(value, gast.Call):
            return isinstance(value, gast.GeneratorExp)
        callee = self._reader.scope.resolve(value.func)
        return any(callee is kind for kind in LAZY) and not value.keywords

    def _unpack_either(self, target: Any, value: Any, node: Any) -> None:
        """Write ``a, b = (p, q) if test else (r, s)`` as a statement."""
        test = self._expressions.test(value.test, node)
        branches = []
        for branch in (value.body, value.orelse):
            outer = self._work.begin()
            self.bind(clone(target), branch, node)
            branches.append(self._work.end(outer))
        self._work.emit(at(gast.If(test, *branches), node))

    def _unpack_starred(self, items: list[Any], value: Any, node: Any) -> None:
        """Write ``a, *rest = xs`` as ``a = xs[0]; rest = [*xs[1:]]``."""
        source = self._expressions.atom(value, node)
        if source.id in {name for item in items for name in names_bound(item)}:
            source = self._work.keep("items", source, node)
        star = next(i for i, item in enumerate(items) if isinstance(item, gast.Starred))
        for position, item in enumerate(items):
            index = constant(position if position < star else position - len(items))
            if position != star:
                self.bind(item, subscript(clone(source), index), node)
                continue
            after = len(items) - 1 - star
            upper = constant(-after) if after else None
            middle = subscript(
                clone(source), gast.Slice(constant(star) if star else None, upper, None)
            )
            self.bind(item.value, gast.List([gast.Starred(middle, gast.Load())], gast.Load()), node)

    def _is_one_value(self, value: Any, wanted: int) -> bool:
        """Say whether a primitive returns one value, whose elements are unpacked then."""
        operation = self._reader.read(value)
        results = self._reader.vocabulary.results
        return operation.kind == "primitive" and results(operation.primal, wanted) == 1

    def _is_made_before(self, value: Any) -> bool:
        """Say whether statements make a value, as those of ``d.get(k, (0.0, 0.0))``."""
        if not isinstance(value, gast.Call):
            return isinstance(value, gast.ListComp)
        sorts = self._reader.scope.resolve(value.func) is sorted
        return sorts or is_change(value) or self._reader.read(value).kind == "unknown"

    def _target_name(self, item: Any) -> str:
        return str(item.id) if isinstance(item, gast.Name) else self._namer.fresh("item")

    def _assign_pairwise(self, targets: list[Any], values: list[Any], node: Any) -> None:
        """Assign all values after all are computed, as Python does; swaps stay right."""
        bound = {name for target in targets for name in names_bound(target)}
        simple = not any(bound.intersection(names_read(value)) for value in values[1:])
        if simple and all(isinstance(target, gast.Name) for target in targets):
            for target, value in zip(targets, values, strict=True):
                self.bind(target, value, node)
            return
        kept = []
        for target, value in zip(targets, values, strict=True):
            name = self._namer.version(target.id) if isinstance(target, gast.Name) else None
            name = name or self._namer.fresh(wording(value))
            if self._varies.of(value):
                self._varies.names.add(name)
            used_up = not isinstance(target, gast.Name) and self._is_iterator(value)
            made = self._expressions.containers.as_list(value) if used_up else value
            self._expressions.into(name, made, node)
            kept.append(name)
        for target, name in zip(targets, kept, strict=True):
            self.bind(target, load(name), node)


def _owner(target: Any) -> Any:
    """Return what a target belongs to: `y` of ``y.shape = 2, 2``, which writes into `y`."""
    return target.value if isinstance(target, gast.Attribute) else target


def _is_empty(value: Any) -> bool:
    """Say whether an expression is a new list or dict with nothing in it yet."""
    if isinstance(value, gast.Dict):
        return not value.keys
    return isinstance(value, gast.List) and not value.elts
