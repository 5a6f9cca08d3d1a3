"""Reverses reads of and writes into elements, slices and parts of containers."""

from __future__ import annotations

import operator
from typing import Any

from srcgrad.analyses.constants import is_full_slice
from srcgrad.analyses.index_arrays import compared, is_mask, masks, may_lack_axes
from srcgrad.analyses.number_tables import number_tables
from srcgrad.ir import gast
from srcgrad.ir.build import (
    add_assign,
    assign,
    at,
    call,
    clone,
    constant,
    index_value,
    load,
    subscript,
)
from srcgrad.ir.marks import KEEPS_SHAPE, REPEATS
from srcgrad.ir.program import store_target
from srcgrad.ir.scopes import Scope
from srcgrad.ir.walk import names_bound
from srcgrad.transforms.adjoints import Status
from srcgrad.transforms.sure_numbers import is_number, keeps_number
from srcgrad.transforms.sweep import Sweep
from srcgrad.transforms.unbroadcasting import shortened


def _is_whole(index: Any) -> bool:
    """Say whether an index is ``...`` or ``()``, which an array without axes has, too."""
    if isinstance(index, gast.Tuple):
        return not index.elts
    return isinstance(index, gast.Constant) and index.value is Ellipsis


def _adds_axes(index: Any, scope: Scope) -> bool:
    """Say whether an index only puts in axes, as ``[..., np.newaxis]`` does, or takes all."""
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    values = [i.value if isinstance(i, gast.Constant) else scope.resolve(i) for i in items]
    return all(value is None or value is Ellipsis for value in values)


def _without_added_axes(index: Any, scope: Scope) -> Any:
    """Return the index that takes away the axes that another puts in; None if it does more.

    >>> from srcgrad.codegen.printer import to_source
    >>> from srcgrad.compiler.doctesting import program_of
    >>> scope = program_of("def f(x): return x").reader.scope
    >>> texts = ["x[:, None]", "x[None, :, :, np.newaxis]", "x[:, 1:, None]", "x[:]"]
    >>> for text in texts:
    ...     found = _without_added_axes(gast.parse(text, mode="eval").body.slice, scope)
    ...     print(found and to_source(subscript(load("grad"), found)))
    grad[:, 0]
    grad[0, :, :, 0]
    None
    None
    """
    items = index.elts if isinstance(index, gast.Tuple) else [index]
    new = [(i.value if isinstance(i, gast.Constant) else scope.resolve(i)) is None for i in items]
    if not any(new) or not all(map(operator.or_, new, map(is_full_slice, items))):
        return None
    last = len(new) - new[::-1].index(True)
    parts = [constant(0) if added else gast.Slice(None, None, None) for added in new[:last]]
    return parts[0] if len(parts) == 1 else gast.Tuple(parts, gast.Load())


class ElementSteps:
    """The steps of statements that reach into memory."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep = sweep

    def reverse_getitem(self, statement: Any, target: str) -> list[Any]:
        """The adjoint of ``y = x[i]`` adds to the same place of the adjoint of x."""
        source = statement.value.value
        if target in self._sweep.adjoints.parts:  # it is a part of the other's adjoint already
            self._sweep.adjoints.state.pop(target, None)
            return []
        if not isinstance(source, gast.Name):  # data of a module, which does not vary
            self._sweep.adjoints.state.pop(target, None)
            return []
        if source.id in self._sweep.paths:
            cell = self._sweep.paths[source.id][statement.value.slice.value]
            return self._sweep.pass_on(statement, [target], lambda grads: ([], [(cell, grads[0])]))
        moved = self._sweep.moved_away(statement, [target])
        uniform = self._sweep.adjoints.uniform.pop(target, None)
        if not self._sweep.adjoints.exists(target) or not self._sweep.is_active(source):
            self._sweep.adjoints.state.pop(target, None)
            return []
        self._sweep.adjoints.consume(target)
        whole = uniform is None or uniform.vector != ()
        grad = load(self._sweep.adjoints.release(target)) if whole else uniform.args[0]
        done = [] if uniform is None or not whole else [assign(grad.id, uniform, statement)]
        scope = self._sweep.program.reader.scope
        if _adds_axes(statement.value.slice, scope) and not self._has_axes(source):
            # a number of NumPy's has elements, too, but its adjoint is a float
            given = self._reshaped(grad, source) if whole else self._spread(grad, source)
            return [*moved, *done, *self._sweep.adjoints.accumulate(source.id, given, statement)]
        if self._sweep.adjoints.is_plain(source.id) and whole:
            without = _without_added_axes(statement.value.slice, scope)
            if without is not None and self._has_axes(source):
                given = subscript(grad, without)
                return [
                    *moved,
                    *done,
                    *self._sweep.adjoints.accumulate(source.id, given, statement),
                ]
        done += self._sweep.adjoints.need(source.id, statement)
        done += self._as_array(source.id, statement.value.slice, statement)
        return [*moved, *done, self.add_at(source.id, statement.value, grad, statement)]

    def _as_array(self, cell: str, index: Any, like: Any) -> list[Any]:
        """Let an adjoint have elements: that of an array without axes may be a number."""
        number = self._sweep.facts.shapes.is_number(load(cell))
        if _is_whole(index) or not (number or self._may_be_masked(cell, index)):
            return []
        name = self._sweep.adjoints.name(cell)
        self._sweep.externals.use_numpy()
        return [assign(name, call("np.asarray", load(name)), like)]

    def _may_be_masked(self, cell: str, index: Any) -> bool:
        """Say whether an array, perhaps without axes, is reached into by a mask."""
        sweep = self._sweep
        plain = cell not in sweep.adjoints.mirrored and cell not in sweep.containers
        if not plain or self._has_axes(load(cell)) or not sweep.program.once(may_lack_axes):
            return False
        return is_mask(index, sweep.program, sweep.program.once(masks))

    def _has_axes(self, value: Any) -> bool:
        """Say whether a value is surely an array with axes."""
        return bool(self._sweep.facts.dimensions.of(value))

    def _reshaped(self, grad: Any, source: Any) -> Any:
        """Return the adjoint of a value from that of the same with axes of length 1."""
        if self._sweep.facts.shapes.is_number(source):
            return call(self._sweep.externals.use_runtime("unbroadcast"), grad, clone(source))
        self._sweep.externals.use_numpy()
        return call("np.reshape", grad, call("np.shape", clone(source)))

    def _spread(self, number: Any, source: Any) -> Any:
        """Return the adjoint of a value whose entries all have one adjoint."""
        if self._sweep.facts.shapes.is_number(source):
            return number
        self._sweep.externals.use_numpy()
        return call("np.broadcast_to", number, call("np.shape", clone(source)))

    def add_at(self, cell: str, read: Any, grad: Any, like: Any) -> Any:
        place = subscript(load(self._sweep.adjoints.name(cell)), clone(read.slice), storing=True)
        keyed = cell in self._sweep.kinds.keyed and not isinstance(read.slice, gast.Slice)
        keyed = keyed or self._sweep.program.once(number_tables).is_keyed(read.value)
        once = keyed or self._sweep.selects_once(read.slice)
        if self._sweep.of_generated and isinstance(read.slice, gast.Slice):
            once = False  # of a list, ``+=`` would insert
        shadow = cell in self._sweep.adjoints.mirrored and not isinstance(read.slice, gast.Slice)
        shadow = shadow and cell not in self._sweep.facts.storage.mirror.entries
        if once and (shadow or self._is_array(like.targets[0].id) or self._is_array(cell)):
            return add_assign(place, grad, like)
        function = self._sweep.externals.use_runtime("add_at")
        added = call(function, load(self._sweep.adjoints.name(cell)), index_value(read.slice), grad)
        return at(gast.Expr(added), like)

    def _is_array(self, name: str) -> bool:
        """Say whether a name is surely bound to a number or an array, so that ``+=`` adds to it."""
        arrays = self._sweep.kinds.arrays
        known = name in arrays or self._has_axes(load(name))
        return known or self._sweep.facts.shapes.is_number(load(name))

    def reverse_unpack(self, statement: Any, source: str, targets: list[str]) -> list[Any]:
        held = [target in self._sweep.adjoints.state for target in targets]
        if not any(held):
            return []
        done = self._sweep.adjoints.spell_out(statement, targets)
        done += self._sweep.adjoints.need(source, statement)
        for position, target in enumerate(targets):
            is_part = target in self._sweep.adjoints.parts
            if self._sweep.adjoints.state.pop(target, None) is not None and not is_part:
                index = gast.Constant(position, None)
                grad = load(self._sweep.adjoints.release(target))
                done.append(self._add_part(source, index, grad, target, statement))
        return done

    def _add_part(self, source: str, index: Any, grad: Any, target: str, like: Any) -> Any:
        whole = load(self._sweep.adjoints.name(source))
        if self._is_array(target) and not self._sweep.of_generated:  # what is saved may be None
            return add_assign(subscript(whole, index, storing=True), grad, like)
        function = self._sweep.externals.use_runtime("add_at")
        return at(gast.Expr(call(function, whole, index, grad)), like)

    def reverse_store(self, statement: Any) -> list[Any]:
        """The adjoint of ``y[i] = v`` moves the adjoint of that place to v."""
        target = store_target(statement)
        cell = getattr(target.value, "id", "")  # of what does not vary it may be any place
        if not self._sweep.adjoints.exists(cell):
            return []
        adds = isinstance(statement, gast.AugAssign)
        adjoints = self._sweep.adjoints
        mirrored = cell in adjoints.mirrored
        kills = not adds and (mirrored or self._sweep.overwrites.of(statement))
        done = adjoints.need(cell, statement) if kills else adjoints.spell_out(statement, [cell])
        done += self._as_array(cell, target.slice, statement)
        updated = self._sweep.entries_updated.get(id(statement))
        place: Any = load(updated or adjoints.name(cell))
        if updated is None and not _is_whole(target.slice):
            place = subscript(place, clone(target.slice))
        kept: list[Any] = []
        if self._sweep.is_active(statement.value):
            if mirrored and statement.value.id in adjoints.mirrored:
                kept = self._give_overlapping(statement, target, place, done)
            else:
                done.extend(self.give(statement, target, place))
        if not kills:
            return done + kept
        return [*done, self._clear(cell, target.slice, statement, mirrored=mirrored), *kept]

    def _clear(self, cell: str, index: Any, like: Any, *, mirrored: bool) -> Any:
        """Return what sets a place of an adjoint to zero.

        That of an array without axes may be a number, as sums of such arrays are.
        """
        if _is_whole(index) and not mirrored and not self._sweep.facts.dimensions.of(load(cell)):
            return self._sweep.adjoints.zeros(cell, like)
        adjoint = load(self._sweep.adjoints.name(cell))
        return assign(subscript(adjoint, clone(index), storing=True), constant(0.0), like)

    def _give_overlapping(
        self, statement: Any, target: Any, place: Any, before: list[Any]
    ) -> list[Any]:
        """Take the adjoint out of memory that may be that of the value, too, before adding it."""
        sweep = self._sweep
        name = statement.value.id
        repeats = REPEATS.of(statement)
        if not sweep.selects_once(target.slice) and not repeats:
            last = sweep.externals.use_runtime("last_written")
            place = call(last, clone(place.value), index_value(place.slice))
        value = self._summed(place, name, target)
        part = sweep.namer.fresh(f"grad_{sweep.namer.base(name)}_part")
        copy = call(sweep.externals.use_runtime("copied"), value)
        before.append(assign(part, copy, statement))
        given: Any = load(part)
        if isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Sub):
            given = gast.UnaryOp(gast.USub(), given)
        return sweep.adjoints.accumulate(name, given, statement)

    def give(self, statement: Any, target: Any, place: Any) -> list[Any]:
        value: Any = place
        name = statement.value.id
        if isinstance(statement, gast.AugAssign) and isinstance(statement.op, gast.Sub):
            value = gast.UnaryOp(gast.USub(), place)
        one = self._sweep.facts.shapes.element_is_number(target)
        if one or (is_number(self._sweep, load(name)) and keeps_number(self._sweep, target)):
            return self._sweep.adjoints.accumulate(name, value, statement, Status.SHARED)
        repeats = REPEATS.of(statement)  # then each of the values has its effect
        if not self._sweep.selects_once(target.slice) and not repeats:
            place = call(
                self._sweep.externals.use_runtime("last_written"),
                place.value,
                index_value(place.slice),
            )
            value = gast.UnaryOp(gast.USub(), place) if isinstance(value, gast.UnaryOp) else place
        value = self._summed(value, name, target)
        lasts = self._sweep.selects_once(target.slice) and not self._is_new(target)
        if not self._sweep.adjoints.exists(name) and lasts:
            value = call(self._sweep.externals.use_runtime("copied"), value)
        return self._sweep.adjoints.accumulate(name, value, statement, Status.OWNED)

    def _is_new(self, part: Any) -> bool:
        """Say whether a part of an array is surely one by itself, as what a mask selects is."""
        masks = self._sweep.program.once(compared)
        masked = getattr(part.slice, "id", "") in masks
        return masked and isinstance(part.value, gast.Name) and self._has_axes(load(part.value.id))

    def _summed(self, value: Any, name: str, target: Any) -> Any:
        """Sum the adjoint of a place to the shape of what was stored there, unless it has that."""
        summed = call(self._sweep.externals.use_runtime("unbroadcast"), value, load(name))
        # nothing else of what was stored is needed, but a list of adjoints may have no shape
        KEEPS_SHAPE.put(summed, not self._sweep.of_generated or self._is_array(name))
        return shortened(summed, target, self._sweep)

    def stable_read(self, statement: Any, target: str) -> list[Any]:
        """Copy a slice that is read now and written later, for the backward pass to read."""
        storage = self._sweep.facts.storage
        if target in storage.mirror.names or target in storage.written:
            return [statement]  # it may be written after it is read: each use is copied by itself
        base = names_bound(statement.value.value)
        kept = storage.lists | self._sweep.facts.restored
        if not base or base[0] not in storage.mutated or base[0] in kept:
            return [statement]
        if not storage.written_after(base[0], statement):
            return [statement]
        if self._sweep.facts.shapes.element_is_number(statement.value):
            return [statement]
        self._sweep.copies[target] = self._sweep.namer.fresh(
            f"{self._sweep.namer.base(target)}_now"
        )
        copy = call(self._sweep.externals.use_runtime("copied"), load(target))
        return [statement, assign(self._sweep.copies[target], copy, statement)]
