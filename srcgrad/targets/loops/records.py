"""Keeps numbers that one loop records for another in arrays that grow, not in lists.

A list of a text is filled to its end before it is read from there. So all lists that a name holds,
one after the other, lie one behind the other in one array, and where a list would be kept in
another one, the place of its end is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, dotted, load, store, subscript
from srcgrad.ir.marks import IS_LOOKED_AT
from srcgrad.ir.names import free_name
from srcgrad.ir.walk import blocks_of, found_in, walk
from srcgrad.targets.loops.kind import Array, Kind, is_number
from srcgrad.targets.loops.reserving import always_run, trips_of
from srcgrad.targets.loops.shapes import shown
from srcgrad.targets.loops.words import TYPES, held

GROWN: Final = "with_room"
_ROOM: Final = 1024  # numbers at first


@dataclass(slots=True)
class _Record:
    """A list: how many things it keeps at each time, and where it is used.

    Attributes:
        name: Its name.
        made: The statements that make it, empty.
        kept: The things that each statement appends.
        taken: The targets of each statement that takes some off its end.
        uses: How often its name is met in these.
        is_inside: Whether it is kept in another one.
        is_gone_through: Whether a loop reads it from its end, and takes nothing off.
        places: The names of the arrays, or of lists whose ends are kept.
        words: The numbers in each.
    """

    name: str
    made: list[Any] = field(default_factory=list)
    kept: list[list[Any]] = field(default_factory=list)
    taken: list[list[Any]] = field(default_factory=list)
    uses: int = 0
    is_inside: bool = False
    is_gone_through: bool = False
    places: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


class Records:
    """Rewrites the lists of one function.

    Attributes:
        used: The names of ours that it calls then.
    """

    def __init__(
        self, function: Any, kind_of: Callable[[Any], Kind], known: dict[str, Kind]
    ) -> None:
        self._function = function
        self._kind = kind_of
        self._known = known
        self._names = {item.id for item in found_in(function, gast.Name)}
        self._found: dict[str, _Record] = {}
        self._reserved: set[int] = set()
        self._grown: set[str] = set()
        self.used: set[str] = set()

    def write(self) -> set[str]:
        """Rewrite the function in place; return the names of ours that it now calls."""
        for node in walk(self._function):
            self._note(node)
        self._settle()
        if self._found:
            self._name()
            self._function.body = self._block(self._function.body)
            place = 1 if gast.get_docstring(self._function) else 0
            self._function.body[place:place] = self._makers()
            self.used.add(GROWN)
        return self.used

    # -- which lists

    def _record(self, name: str) -> _Record:
        return self._found.setdefault(name, _Record(name))

    def _note(self, node: Any) -> None:
        if isinstance(node, gast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, gast.Name) and _is_empty(node.value):
                self._record(target.id).made.append(node)
                self._record(target.id).uses += 1
            elif (name := _popped(node.value)) is not None:
                self._record(name).taken.append(_parts(target))
                self._record(name).uses += 1
        elif isinstance(node, gast.For) and (name := _gone_through(node)) is not None:
            self._record(name).taken.append(_parts(node.body[0].targets[0]))
            self._record(name).uses += 2
            self._record(name).is_gone_through = True
        elif isinstance(node, gast.Expr) and (found := _appended(node.value)) is not None:
            self._record(found[0]).kept.append(_parts(found[1]))
            self._record(found[0]).uses += 1

    def _settle(self) -> None:
        """Leave those lists that are used in these ways alone, and keep numbers and such lists."""
        uses: dict[str, int] = {}
        for node in found_in(self._function, gast.Name):
            uses[node.id] = uses.get(node.id, 0) + 1
        changed = True
        while changed:
            fit = {name: item for name, item in self._found.items() if self._is_fit(item, uses)}
            changed = len(fit) < len(self._found)
            self._found = fit

    def _is_fit(self, record: _Record, uses: dict[str, int]) -> bool:
        if not record.made or not record.kept or not record.taken:
            return False
        sides = [*record.kept, *record.taken]
        count = len(sides[0])
        if count == 0 or any(len(side) != count for side in sides):
            return False
        inside = sum(
            getattr(item, "id", "") == record.name
            for other in self._found.values()
            for side in (*other.kept, *other.taken)
            for item in side
        )
        if uses[record.name] != record.uses + inside:
            return False
        if inside and record.is_gone_through:
            return False
        if inside and not _is_whole_when_kept(self._function, record.name):
            return False
        record.is_inside = inside > 0
        return all(self._is_kept(items) for items in zip(*sides, strict=True))

    def _is_kept(self, items: Sequence[Any]) -> bool:
        """Say whether all things at one place of a record are numbers, or one list's names."""
        names = {getattr(item, "id", "") for item in items}
        if names & self._found.keys():
            return len(names) == 1
        kinds = [self._kind(item) for item in items]
        words = {held(kind) for kind in kinds if is_number(kind)}
        return len(words) == 1 and all(map(is_number, kinds))

    # -- text

    def _name(self) -> None:
        for record in self._found.values():
            for place, item in enumerate(record.kept[0]):
                name = getattr(item, "id", "")
                if name in self._found:
                    record.words.append("int64")
                else:
                    record.words.append(held(self._kind(item)))
                wish = f"{name}_kept" if name else f"{record.name}_{place + 1}"
                one = len(record.kept[0]) == 1 and name not in self._found
                record.places.append(record.name if one else free_name(wish, self._names))
            self._known[_end(record.name)] = "int"
            self._names.add(_end(record.name))
            for name, word in zip(record.places, record.words, strict=True):
                self._known[name] = Array(word, 1)

    def _makers(self) -> list[Any]:
        made: list[Any] = []
        for record in self._found.values():
            for name, word in zip(record.places, record.words, strict=True):
                dtype = dotted(f"np.{TYPES.get(word, word)}")
                room = constant(_ROOM if record.name in self._grown else 0)
                given = [room] if word == "float64" else [room, dtype]
                made.append(assign(name, call("np.empty", *given)))
            made.append(assign(_end(record.name), constant(0)))
        for statement in made:
            statement.lineno = self._function.lineno
        return made

    def _block(self, body: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in body:
            room = self._room_for(statement, done)
            for block in blocks_of(statement):
                block[:] = self._block(block)
            new = [*room, *self._statement(statement)]
            for item in new:
                item.lineno = getattr(statement, "lineno", None)
            done += new
        return done

    def _room_for(self, loop: Any, before: Sequence[Any]) -> list[Any]:
        """Return what makes room for what a loop keeps in each of its trips, if they are known."""
        trips = trips_of(loop, self._kind)
        if trips is None or not trips.terms:
            return []
        kept = [
            (statement, found[0])
            for statement in always_run(loop)
            if isinstance(statement, gast.Expr)
            if (found := _appended(statement.value)) is not None and found[0] in self._found
        ]
        calls = [
            found
            for part in loop.body
            for node in found_in(part, gast.Call)
            if (found := _appended(node))
        ]
        names = [name for name, _ in calls]  # also those of inner loops, which make their own room
        once = [name for _, name in kept if names.count(name) == 1]
        self._reserved |= {id(statement) for statement, name in kept if name in once}
        return [
            assign(place, call(GROWN, load(place), _after(name, shown(trips), before)))
            for name in once
            for place in self._found[name].places
        ]

    def _statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if getattr(target, "id", "") in self._found and _is_empty(statement.value):
                if self._found[target.id].is_inside:
                    return []  # it begins where the one before it ends
                return [assign(_end(target.id), constant(0))]
            name = _popped(statement.value)
            if name in self._found:
                return self._take(self._found[name], _parts(target))
            read = _read_by_index(statement.value)
            if read in self._found:
                record, index = self._found[read], statement.value.slice
                return self._bind(record, _parts(target), index)
        elif isinstance(statement, gast.For):
            name = _length_of(statement.iter)
            if name in self._found:
                statement.iter.args[0] = gast.BinOp(load(_end(name)), gast.Sub(), constant(1))
        elif isinstance(statement, gast.Expr):
            found = _appended(statement.value)
            if found is not None and found[0] in self._found:
                is_full = id(statement) not in self._reserved
                return self._keep(self._found[found[0]], _parts(found[1]), may_be_full=is_full)
        return [statement]

    def _keep(self, record: _Record, items: Sequence[Any], *, may_be_full: bool) -> list[Any]:
        end = _end(record.name)
        first = record.places[0]
        one_more = gast.BinOp(load(end), gast.Add(), constant(1))
        grow = [assign(name, call(GROWN, load(name), clone(one_more))) for name in record.places]
        full = gast.Compare(load(end), [gast.Eq()], [call("len", load(first))])
        stores = [
            gast.Assign([_entry(name, load(end), storing=True)], self._value(item), None)
            for name, item in zip(record.places, items, strict=True)
        ]
        more = gast.AugAssign(store(end), gast.Add(), constant(1))
        look = [gast.If(full, grow, [])] if may_be_full else []
        self._grown |= {record.name} if may_be_full else set()
        return [*look, *stores, more]

    def _take(self, record: _Record, targets: Sequence[Any]) -> list[Any]:
        less = gast.AugAssign(store(_end(record.name)), gast.Sub(), constant(1))
        return [less, *self._bind(record, targets, load(_end(record.name)))]

    def _bind(self, record: _Record, targets: Sequence[Any], index: Any) -> list[Any]:
        """Return what binds names to the numbers that were kept at one time."""
        return [
            gast.Assign([self._target(item)], _entry(name, clone(index)), None)
            for name, item in zip(record.places, targets, strict=True)
        ]

    def _value(self, item: Any) -> Any:
        name = getattr(item, "id", "")
        return load(_end(name)) if name in self._found else item

    def _target(self, item: Any) -> Any:
        name = getattr(item, "id", "")
        return store(_end(name)) if name in self._found else item


def _is_whole_when_kept(owner: Any, name: str) -> bool:
    """Say whether a list is made anew before each time that it is kept, and not changed after."""
    for block in [owner.body] if isinstance(owner, gast.FunctionDef) else blocks_of(owner):
        made = kept = False
        for statement in block:
            found = _appended(statement.value) if isinstance(statement, gast.Expr) else None
            if kept and any(_adds_to(node, name) for node in found_in(statement, gast.Call)):
                return False
            if found is not None and name in {getattr(x, "id", "") for x in _parts(found[1])}:
                if not made:
                    return False
                kept, made = True, False
            if isinstance(statement, gast.Assign) and _is_empty(statement.value):
                made = made or getattr(statement.targets[0], "id", "") == name
                kept = kept and not made
            if not _is_whole_when_kept(statement, name):
                return False
    return True


def _adds_to(node: Any, name: str) -> bool:
    found = _appended(node)
    return found is not None and found[0] == name


def _after(name: str, count: Any, before: Sequence[Any]) -> Any:
    """Return how many numbers there will be in a record, which may just have been emptied."""
    last: Any = before[-1] if before else None
    emptied = last.targets[0] if isinstance(last, gast.Assign) else None
    if getattr(emptied, "id", "") == _end(name) and getattr(last.value, "value", None) == 0:
        return count
    return gast.BinOp(load(_end(name)), gast.Add(), count)


def _end(name: str) -> str:
    return f"{name}_end"


def _entry(name: str, index: Any, *, storing: bool = False) -> Any:
    """Return an entry of an array, at an index of which it is known where it lies."""
    entry = subscript(load(name), index, storing=storing)
    IS_LOOKED_AT.put(entry, True)
    return entry


def _length_of(iterated: Any) -> str | None:
    """Return of what list the entries are numbered from the last one on; None for others."""
    if not isinstance(iterated, gast.Call) or len(iterated.args) != 3:
        return None
    last = iterated.args[0]
    length = last.left if isinstance(last, gast.BinOp) else None
    if not isinstance(length, gast.Call) or getattr(length.func, "id", "") != "len":
        return None
    return getattr(length.args[0], "id", None)


def _read_by_index(node: Any) -> str | None:
    is_name = isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Name)
    return getattr(node.value, "id", None) if is_name else None


def _gone_through(loop: Any) -> str | None:
    """Return what list a loop reads, from its end, at the beginning of each trip; None for none."""
    name, first = _length_of(loop.iter), loop.body[0]
    if name is None or not isinstance(first, gast.Assign) or len(first.targets) != 1:
        return None
    if _read_by_index(first.value) != name or first.value.slice.id != getattr(
        loop.target, "id", ""
    ):
        return None
    adds = any(_adds_to(node, name) for item in loop.body for node in found_in(item, gast.Call))
    return None if adds else name


def _is_empty(node: Any) -> bool:
    return isinstance(node, gast.List) and not node.elts


def _parts(node: Any) -> list[Any]:
    return list(node.elts) if isinstance(node, gast.Tuple) else [node]


def _popped(node: Any) -> str | None:
    """Return the name of the list whose last entry an expression takes; None for others."""
    is_call = isinstance(node, gast.Call) and not node.args and not node.keywords
    if not is_call or getattr(node.func, "attr", "") != "pop":
        return None
    return getattr(node.func.value, "id", None)


def _appended(node: Any) -> tuple[str, Any] | None:
    """Return the name of the list that a call appends to, and what; None for others."""
    if not isinstance(node, gast.Call) or len(node.args) != 1 or node.keywords:
        return None
    if getattr(node.func, "attr", "") != "append":
        return None
    name = getattr(node.func.value, "id", None)
    return None if name is None else (name, node.args[0])
