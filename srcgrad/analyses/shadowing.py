"""Says which names need an adjoint that mirrors their storage, where memory has several names.

A name that is only read, and never after a write into its memory, is as good as a copy. Others, and
all that they are views of, get a shadow: an array of the layout of what owns it, or a view of that.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from srcgrad.analyses.axes import Axes, indexed_names, is_basic, is_position
from srcgrad.analyses.containers import TREES, is_key, kinds
from srcgrad.analyses.dimensions import Dimensions
from srcgrad.analyses.entries import Entries
from srcgrad.analyses.filled import puts
from srcgrad.analyses.index_arrays import copies_out
from srcgrad.analyses.integers import Integers
from srcgrad.analyses.number_tables import (
    inline_rows,
    is_row,
    number_tables,
    row_cells,
    rows_copied,
)
from srcgrad.analyses.other_names import is_own_array
from srcgrad.analyses.points_to import PointsTo
from srcgrad.analyses.shadowed import Maker, NotShadowedError, Shadowed
from srcgrad.analyses.shown_containers import DISPLAYS, ShownContainers
from srcgrad.garbage import weakly
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import makes_list, repeated_entries
from srcgrad.ir.edges import followed
from srcgrad.ir.marks import IN_PLACE, UPDATES_ENTRY
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names, is_store, store_target
from srcgrad.ir.walk import names_bound, statements, walk
from srcgrad.primitives import Primitive

_COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def _repeats(value: Any) -> bool:
    """Say whether an expression makes a list of one list or array, several times."""
    inner = list(walk(value)) if makes_list(value) else []
    repeated = [item for node in inner for item in repeated_entries(node) or ()]
    several = any(isinstance(n, gast.BinOp) and isinstance(n.op, gast.Mult) for n in inner)
    lists = sum(isinstance(n, (gast.List, gast.ListComp)) for n in inner)
    return (several and lists > 1) or any(not isinstance(n, gast.Constant) for n in repeated)


class Shadowing:
    """Decides for groups of names that may share memory.

    `shared(statement)` returns the names whose memory an assignment may share; `own` are the
    changes and stores of lists and dicts of the program, by identity; `is_number(operand)` says
    whether an operand is surely a number.
    """

    def __init__(
        self,
        program: Program,
        dimensions: Dimensions,
        integers: Integers,
        shared: Callable[[Any], list[str]],
        own: set[int],
        is_number: Callable[[Any], bool],
    ) -> None:
        self._program = program
        self._is_number = is_number
        self._dimensions = dimensions
        self._integers = integers
        self._shared = shared
        self._tables = program.once(number_tables)
        self._puts = puts(program, own - self._updates())
        self._points = program.once(PointsTo)
        self._makers: dict[str, list[Any]] = defaultdict(list)
        for statement in statements(program.body):
            for target in _targets(statement):
                self._makers[target].append(statement)
        self._taken: dict[str, None] = {}
        self._stored: set[str] = set()  # by their own names: by views alone, it seems constant
        self._updated: set[str] = set()  # what is updated in place, of the group in question
        self._axes = Axes(program, dimensions, integers, self._makers, self._puts)
        self._indexed = indexed_names(program)
        found = kinds(program)
        self._arrays = found.arrays | found.either
        gives_arrays = weakly(self._gives_arrays)
        self._shown = ShownContainers(program, integers, self._makers, self._puts, gives_arrays)

    def _gives_arrays(self, name: str) -> bool:
        """Say whether what is held by an array, or by a list of the caller's, is no container."""
        return name in self._arrays or bool(self._axes.holders.of(name))

    def shadow(
        self, members: set[str], writes: list[tuple[Any, str]], live: dict[int, frozenset[str]]
    ) -> Shadowed:
        """Return what needs shadows in one group, given the writes into it.

        Raises:
            NotShadowedError: One of the names may be bound to what cannot be mirrored.
        """
        mirror = Shadowed(conditions=self._taken)
        self._stored = {name for _, name in writes}
        self._updated = set()
        wanted: set[str] = set()
        for statement, name in writes:
            self._check_store(statement, name, mirror)
            wanted.add(name)
            if IN_PLACE.of(statement):
                mirror.updates.add(id(statement))
                self._updated.add(name)
                wanted.update(_targets(statement))
                self._must_be_array(name, mirror)
            elif not is_store(statement) and change_of(statement) is None:
                raise NotShadowedError("what its names may be bound to is not known")
            wanted |= live[id(statement)] & members
        waiting = sorted(wanted, reverse=True)  # in an order that is the same in each process
        while waiting:
            name = waiting.pop()
            if name in mirror.names:
                continue
            mirror.names.add(name)
            self._must_be_known(name, mirror)
            for statement in self._makers[name]:
                value = getattr(statement, "value", None)
                known = name in self._tables.tables or self._shown.lists_arrays(value)
                if not known and (isinstance(value, _COMPREHENSIONS) or _repeats(value)):
                    raise NotShadowedError("it may hold lists, and one of them at several places")
                sources = sorted(self._sources(statement, mirror))
                mirror.links += [(name, source) for source in sources]
                waiting += sources
                if sources:  # what is unpacked has shadows for all of its names, or for none
                    waiting += _targets(statement)
            waiting += self._put_into(name, mirror)
            is_row = name in self._tables.rows  # of which the cells are numbers
            if name in self._tables.tables or (not is_row and self._shown.is_shown(name)):
                waiting += sorted(self._read_from(name))
        self._find_numbers(mirror)
        return mirror

    def _put_into(self, name: str, mirror: Shadowed) -> list[str]:
        """Return the names of what is put into a list or dict after it was made."""
        found: list[str] = []
        for value in self._puts.get(name, ()):
            if name in self._tables.rows:
                self._must_be_numbers([value])
                continue
            if name in self._tables.tables and is_row(value):
                self._must_be_numbers(row_cells(value))
                continue
            if not isinstance(value, gast.Name):
                raise NotShadowedError("what a list holds may be numbers, which have no memory")
            mirror.links.append((name, value.id))
            found.append(value.id)
        return found

    def _find_numbers(self, mirror: Shadowed) -> None:
        """Note the names that may be bound to numbers, where that is not settled by their use.

        An update of a number binds anew, and what shares its shadow does not follow.
        """
        linked = {name for link in mirror.links for name in link}
        computed = {name for name in mirror.names & linked if self._may_be_number(name, mirror)}
        if computed or not {"maybe", "number"}.isdisjoint(mirror.makers.values()):
            lists = self._tables.tables | self._tables.rows.keys()
            others = {n for n in mirror.names - lists if not self._has_axes(n, mirror)}
            mirror.numbers = set(itertools.filterfalse(self._axes.holders.of, others))
        sources: dict[str, list[str]] = defaultdict(list)
        for name, source in mirror.links:
            sources[name] += self._under_word(name) or [source]
        if not computed.isdisjoint(followed(self._updated, sources) | self._updated):
            raise NotShadowedError("an update of a number is no write, as one of an array is")

    def _under_word(self, name: str) -> list[str] | None:
        """Return the names of what a dict may hold under a word, if a name is bound to that."""
        makers = self._makers.get(name, [])
        read = getattr(makers[0], "value", None) if len(makers) == 1 else None
        return self._held_at(read) if isinstance(read, gast.Subscript) else None

    def _held_at(self, place: Any) -> list[str] | None:
        """Return the names of what a dict may hold under a word; None if that is not known."""
        held = self._points.read(place) if is_key(place.slice) else None
        return [item.id for item in held] if held and all(map(_is_name, held)) else None

    def _may_be_number(self, name: str, mirror: Shadowed) -> bool:
        """Say whether a name may be bound to a number that the program computes.

        If that hangs on an argument, it is taken for an array, and the call is asked.
        """
        makers = {mirror.makers.get(id(item)) for item in self._makers.get(name, [])}
        if "fresh" not in makers or name in self._indexed or name in self._tables.rows:
            return False
        conditions = self._axes.of(name)
        mirror.conditions.update(dict.fromkeys(conditions or ()))
        return conditions is None

    def _has_axes(self, name: str, mirror: Shadowed) -> bool:
        """Say whether a name is bound to an array with axes, under what is taken for granted."""
        conditions = self._axes.of(name)
        return conditions is not None and mirror.conditions.keys() >= set(conditions)

    def _updates(self) -> set[int]:
        """Return the updates of entries ``xs[i] += v``, which put nothing in; cells are numbers."""
        return {
            id(statement)
            for statement in statements(self._program.body)
            if isinstance(statement, gast.AugAssign)
            and is_store(statement)
            and getattr(statement.target.value, "id", "") not in self._tables.rows
        }

    def _check_store(self, statement: Any, name: str, mirror: Shadowed) -> None:
        if not is_store(statement):
            return
        shown = self._shown.may_be_shown(name)
        inner = self._shown.may_be_inner(name) or (
            not shown and self._points.may_be_container(name)
        )
        inner = inner and name not in self._tables.rows
        if not inner and not shown:
            return
        conditions = None if inner else self._axes.of(name)
        if conditions is None and self._updates_entry(statement, mirror):
            conditions = self._axes.of_entries(name, store_target(statement).slice)
        if conditions is None:
            raise NotShadowedError("an entry is replaced, or may be a number, which has no memory")
        self._taken.update(dict.fromkeys(conditions))

    def _updates_entry(self, statement: Any, mirror: Shadowed) -> bool:
        """Say whether a store updates an entry in place, if that is an array; note how."""
        if isinstance(statement, gast.AugAssign):
            self._updated.update(self._held_at(statement.target) or [statement.target.value.id])
            return True
        makers = self._makers.get(getattr(statement.value, "id", ""), ())
        if not UPDATES_ENTRY.of(statement) or len(makers) != 1:
            return False
        left = getattr(getattr(makers[0], "value", None), "left", None)
        if not isinstance(left, gast.Name):
            return False
        mirror.updates.add(id(makers[0]))
        self._updated.add(left.id)
        mirror.settled[id(statement)] = makers[0]
        return True

    def _read_from(self, name: str) -> set[str]:
        """Return the names of what is read from a tuple or list, or taken out of it."""
        changes = map(change_of, statements(self._program.body))
        taken = {item.target or "" for item in changes if item is not None and item.name == name}
        return taken - {""} | {
            target
            for makers in self._makers.values()
            for statement in makers
            if isinstance(statement, gast.Assign)
            and isinstance(statement.value, (gast.Name, gast.Subscript))
            and getattr(getattr(statement.value, "value", statement.value), "id", "") == name
            for target in _targets(statement)
        }

    def _sources(self, statement: Any, mirror: Shadowed) -> set[str]:
        """Note how a statement makes its name, and return the names whose memory that is."""
        if isinstance(statement, gast.For):
            raise NotShadowedError("what its names may be bound to is not known")
        taken = change_of(statement)
        if taken is not None and self._shown.is_shown(taken.name):
            mirror.makers[id(statement)] = "view"
            return {taken.name}
        maker = self._maker(statement, mirror)
        mirror.makers[id(statement)] = maker
        if maker == "view" and isinstance(statement.targets[0], gast.Name):
            mirror.lists.update(filter(self._shown.holds_views, _targets(statement)))
        if maker in ("fresh", "nothing", "number"):
            return set()
        operation = self._program.operation(statement)
        if maker == "display":
            return {name for arg in operation.args for name in direct_names(arg)}
        if maker == "update":
            return {statement.value.left.id}
        if maker == "either":
            (base,) = {*self._shared(statement)}
            mirror.bases[id(statement)] = base
            return {base}
        return set(direct_names(operation.args[0]))

    def _maker(self, statement: Any, mirror: Shadowed) -> Maker:
        if id(statement) in mirror.updates:
            return "update"
        targets = _targets(statement)
        if not self._tables.shown.isdisjoint(targets) and targets[0] in self._tables.rows:
            if rows_copied(statement.value):
                self._must_be_numbers(self._program.once(Entries).of(targets[0]) or [None])
                return "fresh"
            self._must_be_numbers(row_cells(statement.value))
            return "fresh" if row_cells(statement.value) else "display"
        if self._tables.tables.isdisjoint(targets) or isinstance(statement.value, gast.Name):
            return self.maker(statement)
        for row in inline_rows(statement.value):
            self._must_be_numbers(row_cells(row))
        return "display" if self._tables.holds_names(statement.value) else "fresh"

    def _must_be_numbers(self, cells: list[Any]) -> None:
        if not all(cell is not None and self._is_number(cell) for cell in cells):
            raise NotShadowedError("the cells of a row may be arrays, which have memory")

    def maker(self, statement: Any) -> Maker:
        """Say how an assignment makes its name.

        Raises:
            NotShadowedError: It may share memory in a way that is not understood.
        """
        operation = self._program.operation(statement)
        value = statement.value
        if operation.kind == "copy":
            if self._shown.holds_views(value.id):
                raise NotShadowedError("what its names may be bound to is not known")
            return "copy"
        if isinstance(value, gast.Constant):
            return "nothing" if value.value is None else "number"
        if operation.kind == "unpack":
            return self._unpacks(statement)
        if operation.kind in DISPLAYS and isinstance(statement.targets[0], gast.Name):
            self._must_spread_arrays(value)
            return _displayed(value)
        if operation.kind in ("user", "class", "taped", "unknown"):
            raise NotShadowedError("what a call returns may be a view of something")
        if operation.primal in TREES and not self._is_of_array(operation):
            raise NotShadowedError("it may be a list of adjoints, or a dict of them")
        if operation.whole or not self._shared(statement):
            return "fresh"  # what lies in the memory of ints has no adjoint
        if not operation.args or not isinstance(operation.args[0], gast.Name):
            return self._either(statement, operation)
        if operation.primal is self._program.reader.vocabulary.getitem:
            return self._reads(value)
        if operation.kind == "primitive":
            return self._views(statement, operation)
        raise NotShadowedError("what its names may be bound to is not known")

    def _must_spread_arrays(self, display: Any) -> None:
        """Make sure that what is starred in a display gives arrays: ``[*a]`` the rows of `a`."""
        for item in getattr(display, "elts", ()):
            if not isinstance(item, gast.Starred):
                continue
            conditions = self._axes.of_starred(item)
            if conditions is None:
                raise NotShadowedError("numbers out of an array have no memory")
            self._taken.update(dict.fromkeys(conditions))

    def _unpacks(self, statement: Any) -> Maker:
        """Say what unpacking gives: views, unless what is unpacked may be a vector of numbers."""
        source = statement.value.id
        if self._shown.is_shown(source) or self._shown.holds_views(source):
            return "unpack"
        if self._axes.holders.of(source):
            self._taken.update(dict.fromkeys(self._axes.holders.all_arrays(source)))
            return "unpack"
        for name in _targets(statement):
            conditions = () if name in self._indexed else self._axes.of(name)
            if conditions is None:
                raise NotShadowedError("numbers out of an array have no memory")
            self._taken.update(dict.fromkeys(conditions))
        return "unpack"

    def _is_of_array(self, operation: Operation) -> bool:
        """Say whether adjoints are those of an array, and not of a list or dict."""
        given, shown = operation.args[0], (gast.Dict, gast.List, gast.ListComp, gast.Tuple)
        return not isinstance(given, shown) and self._arrays.issuperset(direct_names(given))

    def _views(self, statement: Any, operation: Operation) -> Maker:
        known = self._program.reader.vocabulary.primitive(operation.primal)
        holds = _targets(statement) if isinstance(statement.targets[0], gast.Name) else []
        if known.is_split and not all(map(self._shown.is_read_by_position, holds)):
            raise NotShadowedError("what its names may be bound to is not known")
        if known.memory == "view" or self._has_views_of_axes(known, operation):
            return "view"
        several = known.viewed == "any" and len(operation.args) > 1
        if known.mirrors and holds and not several and not _reorders(known.name, operation):
            return "maybe"
        return self._either(statement, operation)

    def _either(self, statement: Any, operation: Operation) -> Maker:
        """Say that a call gives new memory, or a view that depends on the layout of one operand."""
        shared = {*self._shared(statement)}
        named = {item.id for item in operation.args if isinstance(item, gast.Name)}
        plain = operation.kind == "primitive" and isinstance(statement.targets[0], gast.Name)
        if plain and len(shared) == 1 and shared <= named and shared <= self._arrays:
            return "either"
        raise NotShadowedError("what its names may be bound to is not known")

    def _has_views_of_axes(self, known: Primitive, operation: Operation) -> bool:
        """Say whether what returns views, but numbers where there are no axes, meets some."""
        numbers = known.memory == "itself" and known.gives == "number"
        return numbers and bool(self._dimensions.rank(operation.args[0]))

    def _reads(self, read: Any) -> Maker:
        """Say what reading ``x[i]`` gives: a view, a number, or what only the run tells."""
        if read.value.id in self._tables.tables:
            return "view"
        if self._axes.holders.of(read.value.id):
            return self._reads_given(read)
        if self._shown.is_shown(read.value.id):
            placed = is_position(read.slice, self._integers) or is_key(read.slice)
            if placed or self._axes.is_dict(read.value.id):
                return "view"
            raise NotShadowedError("what its names may be bound to is not known")
        if self._shown.holds_views(read.value.id) and is_position(read.slice, self._integers):
            return "view"
        if is_key(read.slice) or self._program.once(Entries).is_dict(read.value.id):
            raise NotShadowedError("the memory of an entry of a dict has no shadow of its own")
        parts = read.slice.elts if isinstance(read.slice, gast.Tuple) else [read.slice]
        if not all(is_basic(part, self._integers) for part in parts):
            return "fresh" if copies_out(parts, self._program, self._dimensions.rank) else "maybe"
        if any(not is_position(part, self._integers) for part in parts):
            return "view"
        rank = self._dimensions.rank(read.value)
        conditions = self._axes.assumed.get(id(read))
        if conditions is not None:
            self._taken.update(dict.fromkeys(conditions))
            return "view"
        return "view" if rank is not None and rank > len(parts) else "maybe"

    def _reads_given(self, read: Any) -> Maker:
        """Say what reading from a list, tuple or dict of the caller gives: an array, or nothing."""
        conditions = self._axes.holders.is_array(read)
        if conditions is None:
            raise NotShadowedError("what its names may be bound to is not known")
        self._taken.update(dict.fromkeys(conditions))
        return "view"

    def _must_be_known(self, name: str, mirror: Shadowed) -> None:
        """Make sure that a parameter is an array, or holds some, and others are bound here."""
        if name in self._program.parameters:
            if not self._axes.holders.of(name):
                self._must_be_array(name, mirror)
        elif name not in self._makers:
            if not self._is_outside(name):
                raise NotShadowedError("what its names may be bound to is not known")
            mirror.outside.add(name)

    def _is_outside(self, name: str) -> bool:
        """Say whether a name is an array that is there before, and is written by that name."""
        free = name not in self._makers and name in self._stored
        return free and is_own_array(self._program, name)

    def _must_be_array(self, name: str, mirror: Shadowed) -> None:
        """Make sure that a name is bound to an array, which `+=` writes into."""
        if name in self._program.parameters:
            if self._program.given.get(name) in ("int", "number"):
                raise NotShadowedError("what its names may be bound to is not known")
            if self._program.given.get(name) not in ("vector", "matrix", "array"):
                mirror.conditions[f"isinstance({name}, np.ndarray)"] = None
            return
        conditions = () if self._is_outside(name) else self._axes.of(name)
        if conditions is None and name not in self._indexed:
            raise NotShadowedError("what its names may be bound to is not known")
        mirror.conditions.update(dict.fromkeys(conditions or ()))


def _is_name(value: Any) -> bool:
    return isinstance(value, gast.Name)


def _displayed(value: Any) -> Maker:
    if None in getattr(value, "keys", ()):
        raise NotShadowedError("the entries of another dict are in it, too")
    return "display"


def _reorders(name: str, operation: Operation) -> bool:
    """Say whether elements may be read in another order than that of C, as the memory has them."""
    place = {"numpy.reshape": 2, "numpy.ravel": 1}.get(name)
    if place is None:
        return False
    given = [*operation.args[place : place + 1], operation.keywords.get("order")]
    order = next(iter(item for item in given if item is not None), None)
    return order is not None and getattr(order, "value", None) != "C"


def _targets(statement: Any) -> list[str]:
    if isinstance(statement, gast.For):
        return names_bound(statement.target)
    if isinstance(statement, gast.Assign):
        return [name for target in statement.targets for name in names_bound(target)]
    return []
