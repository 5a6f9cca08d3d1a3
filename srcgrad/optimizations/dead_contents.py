"""Tells which writes into memory change something that is read later.

An array or a list that a function has made itself may be filled for nothing: the backward pass
asks for its shape alone, or writes over what it holds. All names that may lie in the same memory
are looked at together. What they hold is live where one of them is read but for its outline, and a
write into it is dead where that is not live. What is appended to a list is dead where the list is
not read at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.sharing import Sharing
from srcgrad.analyses.text_calls import called, outlined
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import makes_list
from srcgrad.ir.looks import Look
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.program import bound_by, header_of, targets_of
from srcgrad.ir.walk import names_read, nodes_in, root_name, statements

_LEFT_ALONE: Final = (gast.Try, gast.With, gast.FunctionDef, gast.Global, gast.Nonlocal)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the names and expressions of a function.

    Attributes:
        is_pure: Says whether an expression changes nothing.
        is_number: Says whether an expression is surely a single number.
        has_axes: Says which names are surely bound to arrays with axes.
    """

    is_pure: Callable[[Any], bool]
    is_number: Callable[[Any], bool]
    has_axes: Callable[[str], bool]


class Contents:
    """What the memory that one function has for itself holds, by the names that lie in it.

    >>> from srcgrad.compiler.doctesting import parse
    >>> body = parse('''
    ... y = np.zeros(n)
    ... y[0] = x
    ... z = np.zeros_like(y)
    ... z[0] = y[0]
    ... return z
    ... ''')
    >>> known = Known(lambda _: True, lambda _: False, lambda _: True)
    >>> contents = Contents(body, known, ["x", "n"])
    >>> [contents.reads(line, names_read(line)) for line in body]
    [[], [], [], ['y[]'], ['z[]']]
    >>> [contents.written(line) for line in body]
    [None, 'y[]', None, 'z[]', None]
    >>> body = parse("ys = []; ys.append(2.0); grad_ys = zeros_like(ys)")
    >>> contents = Contents(body, known, ["x"])
    >>> contents.written(body[1]), contents.reads(body[2], ["ys"])
    ('ys()', ['ys()'])
    """

    def __init__(self, body: list[Any], known: Known, outside: Iterable[str]) -> None:
        self._known = known
        self._keys: dict[str, str] = {}
        self._lists: dict[str, str] = {}
        self._fixed: set[str] = set()
        every = list(statements(body))
        stores = [item for item in every if _store_of(item) is not None]
        grown = {name for item in every if (name := _grown(item))}
        if (stores or grown) and not any(isinstance(item, _LEFT_ALONE) for item in every):
            self._find(body, every, stores, grown, outside)

    def _find(
        self,
        body: list[Any],
        every: list[Any],
        stores: list[Any],
        grown: set[str],
        outside: Iterable[str],
    ) -> None:
        known = self._known
        written = {root_name(_store_of(item)) or "" for item in stores} | grown
        bound = {name for item in every for name in bound_by(item)}
        if written.isdisjoint(bound):
            return
        is_number = lambda name: known.is_number(_name(name))  # noqa: E731
        into = {root_name(t) for i in every for t in targets_of(i) if t.__class__ is gast.Subscript}
        arrays = _arrays(every, known.has_axes, written | into)
        sharing = Sharing(body, known.is_pure, is_number, arrays.__contains__)
        for item in every:
            sharing.join_update(item)
            sharing.join_copy(item, lambda name: name in arrays or known.has_axes(name))
        looks = [(item, Look(header_of(item))) for item in every]
        read = {name for _, look in looks for name in look.reads}
        calling = [item for item, look in looks if look.noted]
        lent = sharing.groups([*outside, *(read - bound), *self._lent(calling)])
        own = {name for name in written & bound if sharing.groups([name]).isdisjoint(lent)}
        groups = sharing.groups(own)
        if not groups:
            return
        lists = sharing.groups(grown)
        for name in bound:
            (group,) = sharing.groups([name])
            if group in groups:
                self._keys[name] = f"{group}[]"
            if group in groups & lists:
                self._lists[name] = f"{group}()"
        fixed = _of_fixed_length(every)
        odd = {
            self._keys[name]
            for item in stores
            if (name := root_name(_store_of(item)) or "") in self._keys
            and name not in arrays
            and not (known.is_number(item.value) and _entry_of(_store_of(item)) in fixed)
        }
        self._fixed = set(self._keys.values()) - odd

    def _lent(self, every: list[Any]) -> Iterator[str]:
        """Yield the names that a statement may hand to somebody who keeps them."""
        for item in every:
            if change_of(item) is not None or is_counted(item):
                continue
            for part in header_of(item):
                if not self._known.is_pure(part):
                    yield from names_read(part)

    def written(self, statement: Any) -> str | None:
        """Return what a statement writes into, if it does no more than that."""
        place = _store_of(statement)
        if not self._keys:
            return None
        if place is None:
            change = change_of(statement)
            key = self._lists.get(_grown(statement))
            return key if change is not None and self._known.is_pure(change.value) else None
        key = self._keys.get(root_name(place) or "")
        parts = header_of(statement)
        return key if key is not None and all(map(self._known.is_pure, parts)) else None

    def reads(self, statement: Any, names: Iterable[str]) -> list[str]:
        """Return the memory whose contents a statement reads, but for what it writes into.

        `names` are those that it reads.
        """
        found: list[str] = []
        if not self._keys.keys().isdisjoint(names):
            place = _store_of(statement)
            into = root_name(place) if place is not None else ""
            found += [self._lists[name] for name in names if name in self._lists and name != into]
            for part in header_of(statement):
                found += self._in_target(part) if part is place else self._in(part)
        return found

    def _in_target(self, node: Any) -> Iterator[str]:
        """Yield what the indices of a place read."""
        if isinstance(node, gast.Subscript):
            yield from self._in_target(node.value)
            yield from self._in(node.slice)
        elif not isinstance(node, gast.Name):
            yield from self._in(node)

    def _in(self, node: Any) -> Iterator[str]:
        if not isinstance(node, gast.AST):
            return
        if isinstance(node, gast.Name):
            if node.id in self._keys and isinstance(node.ctx, gast.Load):
                yield self._keys[node.id]
            return
        only = outlined(node)
        if isinstance(node, gast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype"):
            yield from self._in_outline(node.value)
            return
        for child in nodes_in(node):
            if only and any(child is item for item in only):
                yield from self._in_outline(child)
            else:
                yield from self._in(child)

    def _in_outline(self, node: Any) -> Iterator[str]:
        """Yield what is read of a value whose shape alone is asked for."""
        if isinstance(node, gast.Subscript):
            yield from self._in_outline(node.value)
            yield from self._in(node.slice)
        elif not (isinstance(node, gast.Name) and self._keys.get(node.id, "") in self._fixed):
            yield from self._in(node)


def _grown(statement: Any) -> str:
    """Return the list that a statement appends to, or an empty string."""
    change = change_of(statement)
    return change.name if change is not None and change.method == "append" else ""


def _of_fixed_length(every: list[Any]) -> set[str]:
    """Return the names that surely hold no dicts, which get longer by a store.

    What they are bound to shows that: displays of lists, or what arithmetic gives.
    """
    fixed: set[str] = set()
    other: set[str] = set()
    for item in every:
        value = item.value if isinstance(item, gast.Assign) else None
        computed = isinstance(value, gast.BinOp) and not isinstance(value.op, gast.BitOr)
        (fixed if computed or makes_list(value) else other).update(bound_by(item))
    return fixed - other


def _entry_of(place: Any) -> str:
    """Return the name that a place is an entry of, or an empty string."""
    return getattr(place.value, "id", "") if isinstance(place, gast.Subscript) else ""


def _store_of(statement: Any) -> Any:
    """Return the place that a statement writes into, if it binds no name."""
    kind = statement.__class__
    if kind is gast.AugAssign:
        return statement.target
    if kind is gast.Assign and len(statement.targets) == 1:
        (target,) = statement.targets
        return target if target.__class__ is gast.Subscript else None
    return None


def _arrays(
    every: list[Any], has_axes: Callable[[str], bool], written: Collection[str | None]
) -> set[str]:
    """Return which names that are `written` into surely are arrays, whose shape no write changes.

    Others may be among them, too, that of those depend.
    """
    chained = any(IN_PLACE.of(item) for item in every)
    sure: set[str] = set()
    other: set[str] = set()
    for item in every:
        value = item.value if isinstance(item, gast.Assign) else None
        left = getattr(getattr(value, "left", None), "id", "")
        stays = IN_PLACE.of(item) and left in sure
        for name in [] if isinstance(item, gast.AugAssign) else bound_by(item):
            if not chained and name not in written:
                continue  # as most
            is_array = stays or has_axes(name) or _is_array(value)
            (sure if is_array else other).add(name)
    return sure - other


def _is_array(value: Any) -> bool:
    """Say whether an expression is surely an array: a list has no order to be copied in."""
    if not isinstance(value, gast.Call):
        return False
    copies = isinstance(value.func, gast.Attribute) and value.func.attr == "copy"
    return called(value).gives == "array" or (copies and bool(value.args))


def _name(name: str) -> Any:
    return load(name)


def is_counted(loop: Any) -> bool:
    """Say whether a loop runs over a `range`; others may be mirrored trip by trip, so they stay."""
    if not isinstance(loop, gast.For) or not isinstance(loop.iter, gast.Call):
        return False
    inner = loop.iter.args[0] if names_read(loop.iter.func) == ["reversed"] else loop.iter
    return isinstance(inner, gast.Call) and names_read(inner.func) == ["range"]
