"""Writes statements over whole arrays as nested loops, one nest for what can share one.

A nest takes for granted that arrays of equal rank have equal shapes, and raises before it begins
where they have not; then a text without nests serves.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, constant, load, store
from srcgrad.ir.names import free_name
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.aliases import Aliases
from srcgrad.targets.loops.buffers import Numbers, drop_parts
from srcgrad.targets.loops.entries import EntryWriter, NotElementwiseError, is_view
from srcgrad.targets.loops.kind import Array, Kind
from srcgrad.targets.loops.movable import is_movable
from srcgrad.targets.loops.nest import (
    Nest,
    call_vectors,
    goes_along,
    set_aside,
    share,
    shown,
    way_to_share,
)
from srcgrad.targets.loops.results import axes_of, parts_of
from srcgrad.targets.loops.sums import summed_by
from srcgrad.targets.loops.words import FLOATS, NARROW

_BLOCKS: Final = ("body", "orelse", "finalbody")
_MADE: Final = frozenset({*FLOATS, "bool"})


class Nests:
    """Writes the nests of one function.

    Attributes:
        mark: What the names of counters and numbers in nests begin with.
        used: The names of ours that the function now calls.
    """

    def __init__(
        self,
        function: Any,
        kind_of: Callable[[Any], Kind],
        known: dict[str, Kind],
        *,
        parallel: bool = False,
        vectors: Collection[str] = (),
    ) -> None:
        self._parallel = parallel
        self._vectors = vectors
        self._function = function
        self._kind = kind_of
        self._known = known
        self._buffers: set[str] = set()
        self._alone: set[str] = set()
        self._views: dict[str, Any] = {}
        self._names = {item.id for item in found_in(function, gast.Name)}
        self._aliases = Aliases(function, kind_of)
        self.mark = "_"
        while any(name.startswith(self.mark) and len(name) > 1 for name in self._names):
            self.mark += "_"
        self.used: set[str] = set()

    def write(self) -> set[str]:
        """Rewrite the function in place; return the names of ours that it now calls."""
        self._function.body = self._block(self._function.body)
        self._drop_buffers()
        return self.used

    # -- blocks

    def _block(self, body: Sequence[Any]) -> list[Any]:
        items: list[Any] = []
        outside, self._alone = self._alone, set()
        self._views = {}
        for statement in body:
            for name in _BLOCKS:
                if getattr(statement, name, None):
                    setattr(statement, name, self._block(getattr(statement, name)))
            for item in self._parts(statement):
                self._put(items, item)
            self._note_alone(statement)
            self._note_view(statement)
        self._alone = outside
        self._views = {}
        done: list[Any] = []
        for item in items:
            if isinstance(item, Nest):
                indices = self._indices(len(item.lengths))
                made, used = shown(item, indices, parallel=self._parallel)
                self.used |= set(used) | call_vectors(item, self._vectors)
                done += made
            else:
                done.append(item)
        return done

    def _note_alone(self, statement: Any) -> None:
        """Note which names have memory that no other name reaches, after a statement."""
        names = {item.id for item in found_in(statement, gast.Name)}
        if isinstance(statement, gast.AugAssign):
            if isinstance(self._kind(_base(statement.target)), (Array, str)):
                return  # numbers are added in place
        elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, gast.Subscript) and isinstance(self._kind(_base(target)), Array):
                return  # numbers are copied there
            if isinstance(target, gast.Name) and self._aliases.is_fresh(statement.value):
                self._alone.add(target.id)
                return
        self._alone -= names

    def _note_view(self, statement: Any) -> None:
        """Note which names are parts of arrays, by the names that these still have."""
        stored = {
            item.id
            for item in found_in(statement, gast.Name)
            if isinstance(item.ctx, (gast.Store, gast.Del))
        }
        self._views = {
            name: view
            for name, view in self._views.items()
            if name not in stored and view.value.id not in stored
        }
        is_plain = isinstance(statement, gast.Assign) and len(statement.targets) == 1
        if is_plain and isinstance(statement.targets[0], gast.Name) and is_view(statement.value):
            name, view = statement.targets[0].id, statement.value
            if isinstance(self._kind(view.value), Array) and name != view.value.id:
                self._views[name] = view

    def _may_meet(self, one: str, other: str) -> bool:
        """Say whether two names may reach the same memory here."""
        if one == other:
            return True
        apart = one in self._alone or other in self._alone
        return not apart and self._aliases.may_meet(one, other)

    def _put(self, items: list[Any], item: Any) -> None:
        """Add a statement or a nest, to the nest before it if it can share that."""
        if isinstance(item, Nest):
            for place in range(len(items) - 1, -1, -1):
                other = items[place]
                if isinstance(other, Nest):
                    between = items[place + 1 :]
                    way = way_to_share(other, item, self._may_meet)
                    parts = way and set_aside(other, item, between, self._may_meet)
                    if not way or not parts:
                        break
                    share(other, item, way)
                    items[place:] = [*parts[0], other, *parts[1]]
                    return
                if not isinstance(other, Comment) and not is_movable(other, self._kind):
                    break
        elif items and isinstance(items[-1], Nest) and _is_zeros(item, items[-1]):
            items.insert(-1, item)
            return
        items.append(item)

    def _parts(self, statement: Any) -> list[Any]:
        """Return a statement as nests and what is left of it."""
        if not isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)):
            return [statement]
        line = getattr(statement, "lineno", None)
        nests: list[Any] = []
        if statement.value is not None:
            statement.value = self._without_sums(statement.value, nests)
        if isinstance(statement, gast.Return) and statement.value is not None:
            statement.value = self._without_arrays(statement.value, nests)
        try:
            nests += self._nests(statement)
        except NotElementwiseError:
            nests.append(statement)
        for nest in nests:
            if isinstance(nest, Nest):
                for item in (*nest.before, *nest.groups[0], *nest.after):
                    item.lineno = line
        return nests

    # -- sums

    def _without_sums(self, node: Any, nests: list[Any]) -> Any:
        """Return an expression with names for its sums of all entries, which nests compute."""
        summed = summed_by(node, self._kind)
        if summed is not None and self._kind(node) in FLOATS:
            kind = self._kind(summed)
            if isinstance(kind, Array) and kind.dtype in FLOATS:
                try:
                    name = free_name("total", self._names)
                    nests.append(self._sum(name, summed, kind))
                except NotElementwiseError:
                    return node
                self._known[name] = kind.dtype
                return load(name)
        if getattr(getattr(node, "func", None), "id", "") == "sum_along":
            with contextlib.suppress(NotElementwiseError):
                nests.append(self._sums(node))
                return load(next(iter(nests[-1].zeros)))
        if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Tuple, gast.Call)):
            for name in node._fields:
                part = getattr(node, name)
                if isinstance(part, list):
                    part[:] = [
                        self._without_sums(item, nests) if isinstance(item, gast.expr) else item
                        for item in part
                    ]
                elif isinstance(part, gast.expr) and name != "func":
                    setattr(node, name, self._without_sums(part, nests))
        return node

    def _without_arrays(self, node: Any, nests: list[Any]) -> Any:
        """Return what is returned with names for the arrays that are calculated there."""
        if isinstance(node, gast.Tuple):
            node.elts = [self._without_arrays(item, nests) for item in node.elts]
            return node
        kind = self._kind(node)
        if isinstance(node, gast.BinOp) and isinstance(kind, Array) and kind.dtype in FLOATS:
            name = free_name("result", self._names)
            with contextlib.suppress(NotElementwiseError):
                nests.append(self._made(name, node, kind))
                self._known[name] = kind
                return load(name)
        return node

    def _sum(self, name: str, summed: Any, kind: Array) -> Nest:
        writer = self._writer(kind)
        step = gast.AugAssign(store(name), gast.Add(), writer.written(summed))
        nest = _nest_of(writer, [step])
        nest.before.append(assign(name, constant(0.0)))
        nest.sums = {name}
        if kind.dtype in NARROW:  # which is added up in 64 bits
            nest.after = [assign(name, call(f"np.{kind.dtype}", load(name)))]
        return nest

    def _sums(self, node: Any) -> Nest:
        """Return the nest of sums along axes, which has loops over all of them.

        Raises:
            NotElementwiseError: There is none.
        """
        summed, axis, keeps = node.args
        kind, whole = self._kind(node), self._kind(summed)
        if not isinstance(whole, Array) or whole.ones or not isinstance(kind, Array):
            raise NotElementwiseError
        axes = axes_of(axis, whole.ndim)
        if axes is None or kind.dtype not in FLOATS or kind.dtype in NARROW:
            raise NotElementwiseError
        writer, indices = self._writer(whole), self._indices(whole.ndim)
        entry = writer.written(summed)
        left: list[int | None] = [
            None if k in axes else k
            for k in range(whole.ndim)
            if k not in axes or getattr(keeps, "value", None) is True
        ]
        name = self._named("sums", kind)
        place = _place(["0" if k is None else indices[k] for k in left])
        target = gast.Subscript(load(name), place, gast.Store())
        nest = _nest_of(writer, [gast.AugAssign(target, gast.Add(), entry)])
        nest.zeros = {name: (kind.dtype, tuple(left))}
        nest.sums = {name}
        nest.writes = nest.adds = {(name, to_source(place))}
        return nest

    # -- statements

    def _nests(self, statement: Any) -> list[Any]:
        """Return a statement as nests.

        Raises:
            NotElementwiseError: It is none.
        """
        if isinstance(statement, gast.AugAssign):
            return self._store_of(statement, statement.target)
        if not isinstance(statement, gast.Assign) or len(statement.targets) != 1:
            raise NotElementwiseError
        target = statement.targets[0]
        if isinstance(target, gast.Subscript):
            return self._store_of(statement, target)
        kind = self._kind(statement.value)
        computes = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Compare)
        if not isinstance(target, gast.Name) or not isinstance(statement.value, computes):
            raise NotElementwiseError
        if not isinstance(kind, Array) or kind.dtype not in _MADE:
            raise NotElementwiseError
        own = self._kind(target)
        if not isinstance(own, Array) or (own.ndim, own.dtype) != (kind.ndim, kind.dtype):
            raise NotElementwiseError
        return [self._made(target.id, statement.value, kind)]

    def _made(self, name: str, value: Any, kind: Array) -> Nest:
        """Return the nest that makes an array, under a name of its own until it is whole."""
        writer = self._writer(kind)
        entry = writer.written(value)
        if not all(writer.entry.lengths):
            raise NotElementwiseError  # an axis of length one, of all of them
        buffer = self._named(f"{name}_new", kind)
        self._buffers.add(buffer)
        place = _place(self._indices(kind.ndim))
        step = gast.Assign([gast.Subscript(load(buffer), place, gast.Store())], entry, None)
        nest = _nest_of(writer, [step])
        nest.buffers = {buffer: kind.dtype}
        nest.writes = {(buffer, to_source(place))}
        nest.after = [assign(name, load(buffer))]
        nest.bound = {name: buffer}
        return nest

    def _writer(self, kind: Array) -> EntryWriter:
        return EntryWriter(self._kind, self._indices(kind.ndim), self._views, self._named)

    def _named(self, wish: str, kind: Kind) -> str:
        """Return a free name for what is of some kind."""
        name = free_name(wish, self._names)
        self._known[name] = kind
        return name

    def _store_of(self, statement: Any, target: Any) -> list[Any]:
        """Return the nests of a store: two if the value reads what is overwritten, elsewhere."""
        try:
            return [self._store(statement, target)]
        except _MeetsItselfError:
            kind = self._kind(statement.value)
            if not isinstance(kind, Array) or kind.dtype not in FLOATS or kind.ones:
                raise
            name = self._named(f"{_base(target).id}_next", kind)
            made = self._made(name, statement.value, kind)
            statement.value = load(name)
            return [made, self._store(statement, target)]

    def _store(self, statement: Any, target: Any) -> Nest:
        """Return the nest that writes into an array, or into a part of it."""
        array = target.value if isinstance(target, gast.Subscript) else target
        kind = self._kind(target)
        if not isinstance(array, gast.Name) or not isinstance(kind, Array):
            raise NotElementwiseError
        if kind.dtype not in FLOATS or kind.ones:
            raise NotElementwiseError
        writer = self._writer(kind)
        whole = [gast.Slice(None, None, None)] * kind.ndim
        parts = parts_of(target.slice) if isinstance(target, gast.Subscript) else whole
        place = writer.place(array, parts, kind)
        writes = set(writer.entry.reads)
        ((_, whole_place),) = writes
        if any(index not in whole_place for index in self._indices(kind.ndim)):
            raise NotElementwiseError
        before, writer.entry.reads = writer.entry.reads, set()
        entry = writer.written(statement.value)
        read_by_value, writer.entry.reads = writer.entry.reads, writer.entry.reads | before
        for name, read in read_by_value - writes:
            along = name == array.id and goes_along(read, whole_place)
            if not along and self._may_meet(name, array.id):
                raise _MeetsItselfError
        place.ctx = gast.Store()
        if isinstance(statement, gast.AugAssign):
            step: Any = gast.AugAssign(place, statement.op, entry)
        else:
            step = gast.Assign([place], entry, None)
        nest = _nest_of(writer, [step])
        nest.writes = writes
        adds = isinstance(statement, gast.AugAssign) and isinstance(step.op, (gast.Add, gast.Sub))
        if adds and array.id not in {name for name, _ in read_by_value}:
            nest.adds = set(writes)
            nest.reads -= writes
        return nest

    # -- text

    def _indices(self, ndim: int) -> list[str]:
        """Return the names of the indices of nests with some number of axes."""
        return [f"{self.mark}{letter}" for letter in "ijklmn"[:ndim]]

    def _drop_buffers(self) -> None:
        """Keep in a number what only the entry that makes it reads again, and no part unread."""
        Numbers(self._function, self._buffers, self.mark).replace()
        read = {
            node.id
            for node in found_in(self._function, gast.Name)
            if isinstance(node.ctx, gast.Load)
        }
        drop_parts(self._function, read)


def _nest_of(writer: EntryWriter, body: list[Any]) -> Nest:
    entry = writer.entry
    if not entry.lengths or not all(entry.lengths):
        raise NotElementwiseError
    return Nest(
        before=list(entry.before),
        lengths=entry.lengths,
        hints=entry.hints,
        groups=[body],
        reads=entry.reads,
        names=entry.names,
        hoisted=entry.hoisted,
        viewed=entry.viewed,
    )


class _MeetsItselfError(NotElementwiseError):
    """A value that reads, at another place, what it is written into."""


def _place(indices: Sequence[str]) -> Any:
    names = [constant(0) if name == "0" else load(name) for name in indices]
    return names[0] if len(names) == 1 else gast.Tuple(names, gast.Load())


def _is_zeros(statement: Any, nest: Nest) -> bool:
    """Say whether a statement makes zeros that a nest before it neither meets nor shapes."""
    if not isinstance(statement, gast.Assign) or not isinstance(statement.value, gast.Call):
        return False
    function = getattr(statement.value.func, "id", "")
    if function != "zeros_like" or not isinstance(statement.targets[0], gast.Name):
        return False
    names = {item.id for item in found_in(statement, gast.Name)}
    made = {statement.targets[0].id, *nest.bound, *nest.sums}
    steps = [*nest.before, *(step for group in nest.groups for step in group)]
    met = {item.id for step in steps for item in found_in(step, gast.Name)}
    return not names & set(nest.bound) and statement.targets[0].id not in (met | (made - names))


def _base(target: Any) -> Any:
    """Return what a store writes into."""
    return target.value if isinstance(target, gast.Subscript) else target
