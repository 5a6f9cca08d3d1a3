"""Says which names are bound to tables: lists and dicts of rows, which are such of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.changes import Change, change_of
from srcgrad.ir.displays import copied_from, makes_list, makes_table
from srcgrad.ir.operations import Operation, operands_read
from srcgrad.ir.program import Program, bound_names, is_store, store_target, targets_of
from srcgrad.ir.walk import found_in, names_bound, own_nodes, statements
from srcgrad.primitives import Primitive

_NO_CELLS: Final = (
    *(gast.List, gast.Tuple, gast.Dict, gast.Set, gast.Starred),
    *(gast.ListComp, gast.DictComp, gast.SetComp, gast.GeneratorExp),
)
_COMPREHENSIONS: Final = gast.ListComp, gast.SetComp, gast.GeneratorExp, gast.DictComp


@dataclass(slots=True)
class NumberTables:
    """The tables of a program.

    Attributes:
        tables: The names that are bound to tables.
        rows: The tables whose rows a name may be bound to, by the name.
        shown: The names of those rows that are written out before their table is.
        keyed: The tables whose rows are dicts.
    """

    tables: set[str] = field(default_factory=set)
    rows: dict[str, set[str]] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    keyed: set[str] = field(default_factory=set)

    def is_keyed(self, node: Any) -> bool:
        """Say whether an expression is a row that is a dict: a name of one, or ``table[i]``."""
        if isinstance(node, gast.Name):
            return node.id in self.rows and self.rows[node.id] <= self.keyed
        return isinstance(node, gast.Subscript) and getattr(node.value, "id", "") in self.keyed

    def holds_names(self, value: Any) -> bool:
        """Say whether an expression is a table of rows with names of their own, or an empty one."""
        if not isinstance(value, (gast.List, gast.Dict)):
            return False
        items = value.values if isinstance(value, gast.Dict) else value.elts
        return not items or any(getattr(v, "id", "") in self.shown for v in items)


def number_tables(program: Program) -> NumberTables:
    """Return the tables of a program in normal form, and the names of their rows.

    A table is used for its rows alone, which may be replaced, put in and taken to another one; so
    is a row used for its cells, and may grow. Then no list but tables holds a row. Whether the
    cells are numbers is not asked here.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> found = number_tables(program_of('''
    ... def f(x):
    ...     best = [[0.0] * 4 for _ in range(3)]
    ...     best[1][2] = x[0]
    ...     same = [[0.0] * 4] * 3
    ...     same[1][2] = x[0]
    ...     return best[1][2] * same[0][2]
    ... '''))
    >>> sorted(found.tables), *found.rows.values()
    (['best'], {'best'}, {'best'})
    """
    found = NumberTables(shown=_shown_rows(program))
    size = -1
    while size != (size := len(found.tables)):
        for statement in statements(program.body):
            if isinstance(statement, gast.Assign) and _gives_table(statement, program, found):
                found.tables.update(names_bound(statement.targets[0]))
    for name in program.parameters:
        found.tables.discard(name)
    if found.tables:
        _Uses(program, found).drop_others()
        found.keyed = _keyed(program, found)[0]
    return found


def inline_rows(value: Any) -> list[Any]:
    """Return the rows that a table has without names of their own."""
    items = value.values if isinstance(value, gast.Dict) else getattr(value, "elts", ())
    return [item for item in items if isinstance(item, (gast.List, gast.Dict))]


def _keyed(program: Program, found: NumberTables) -> tuple[set[str], set[str]]:
    """Return the tables that are seen to get rows that are dicts, and those with lists."""
    keyed: set[str] = set()
    listed: set[str] = set()
    for statement in statements(program.body):
        if not isinstance(statement, gast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        name = getattr(target.value if isinstance(target, gast.Subscript) else target, "id", "")
        rows = [value] if isinstance(target, gast.Subscript) or name in found.rows else []
        if name in found.tables and not rows:
            entry = getattr(value, "value" if isinstance(value, gast.DictComp) else "elt", None)
            rows = inline_rows(value) if entry is None else [entry]
        tables = found.rows.get(name, {name} & found.tables)
        for row in rows:
            if isinstance(row, (gast.Dict, gast.DictComp)):
                keyed.update(tables)
            elif makes_list(row):
                listed.update(tables)
    return keyed, listed


def cells_stored(program: Program, names: set[str], own: set[int]) -> list[Any]:
    """Return the stores into rows with some names that are taken for stores into own lists.

    Args:
        program: The program.
        names: Those that have shadows.
        own: The stores into lists and dicts that the program has made, by identity.
    """
    rows = program.once(number_tables).rows.keys() & names
    stores = (s for s in statements(program.body) if rows and is_store(s) and id(s) in own)
    return [s for s in stores if getattr(store_target(s).value, "id", "") in rows]


def row_cells(row: Any) -> list[Any]:
    """Return what a row that is written out holds; nothing of other values."""
    return row.values if isinstance(row, gast.Dict) else getattr(row, "elts", [])


def _shown_rows(program: Program) -> set[str]:
    """Return the names that are bound to nothing but lists which are written out, or copies."""
    shown: set[str] = set()
    others = set(program.parameters)
    for statement in statements(program.body):
        names = {name for target in targets_of(statement) for name in names_bound(target)}
        shows = isinstance(statement, gast.Assign) and (
            is_row(statement.value) or bool(rows_copied(statement.value))
        )
        plain = shows and isinstance(statement.targets[0], gast.Name)
        (shown if plain else others).update(names)
    return shown - others


def rows_copied(value: Any) -> list[Any]:
    """Return the names whose cells an expression puts into a new list, if those mean rows.

    >>> [rows_copied(gast.parse(text).body[0].value)[0].id for text in ("a[:]", "[*b, 1.0]")]
    ['a', 'b']
    """
    source = copied_from(value)
    if source is not None:
        return [source]
    cells = value.elts if isinstance(value, gast.List) else ()
    starred = [cell.value for cell in cells if isinstance(cell, gast.Starred)]
    others = [cell for cell in cells if not isinstance(cell, gast.Starred)]
    plain = all(isinstance(item, gast.Name) for item in starred)
    return starred if plain and not any(isinstance(cell, _NO_CELLS) for cell in others) else []


def is_row(value: Any) -> bool:
    """Say whether an expression is a list of values that are no lists, or an empty one.

    It may be a dict that is empty, or begins with numbers: one of arrays is followed as it is.
    """
    if isinstance(value, gast.Dict):
        numbers = all(type(getattr(cell, "value", None)) in (int, float) for cell in value.values)
        return numbers and None not in value.keys
    if not isinstance(value, gast.List):
        return False
    return not any(isinstance(cell, _NO_CELLS) for cell in value.elts)


def _makes_table(value: Any, program: Program, found: NumberTables) -> bool:
    """Say whether an expression makes a table, of new rows or of those that have names."""
    if makes_table(value, program.reader.scope):
        return True
    if not isinstance(value, (gast.List, gast.Dict)):
        return False
    items = value.values if isinstance(value, gast.Dict) else value.elts
    return all(is_row(item) or getattr(item, "id", "") in found.shown for item in items)


def _gives_table(statement: Any, program: Program, found: NumberTables) -> bool:
    """Say whether an assignment binds its name to a table: a new one, or one with a name."""
    if isinstance(statement.value, gast.Name):
        return isinstance(statement.targets[0], gast.Name) and statement.value.id in found.tables
    return _makes_table(statement.value, program, found)


def _asked_for_keys(iterable: Any) -> Iterator[Any]:
    """Yield what a loop asks for its keys: `p` of ``enumerate(p.keys())``."""
    if isinstance(iterable, gast.Call):
        if getattr(iterable.func, "attr", "") == "keys":
            yield iterable.func.value
        for item in iterable.args:
            yield from _asked_for_keys(item)


class _Uses:
    """Leaves those tables whose names, and whose rows' names, are used as such alone."""

    def __init__(self, program: Program, found: NumberTables) -> None:
        self._program = program
        self._found = found

    def drop_others(self) -> None:
        """Drop tables until all that is left is used as such."""
        while True:
            self._find_rows()
            spoilt = self._spoilt()
            if not spoilt:
                return
            for name in spoilt:
                self._found.tables.discard(name)

    def _find_rows(self) -> None:
        rows: dict[str, set[str]] = {}
        size = -1
        while size != (size := sum(map(len, rows.values()))):
            for statement in statements(self._program.body):
                for name, tables in self._rows_of(statement, rows):
                    rows.setdefault(name, set()).update(tables)
        self._found.rows = {name: tables for name, tables in rows.items() if tables}

    def _rows_of(self, statement: Any, rows: dict[str, set[str]]) -> Iterator[tuple[str, set[str]]]:
        """Yield the names that a statement binds to rows, or puts into tables, with the tables."""
        tables, put = self._found.tables, self._put(statement)
        if put is not None:
            yield put.id, {self._changed(statement)}
        elif isinstance(statement, gast.Assign) and not is_store(statement):
            target, value = statement.targets[0], statement.value
            if isinstance(target, gast.Tuple) and getattr(value, "id", "") in tables:
                yield from ((name, {value.id}) for name in names_bound(target))
            elif isinstance(target, gast.Name):
                yield target.id, self._row_read(value, rows)
            held = value.values if isinstance(value, gast.Dict) else getattr(value, "elts", ())
            if getattr(target, "id", "") in tables:
                yield from ((v.id, {target.id}) for v in held if isinstance(v, gast.Name))

    def _put(self, statement: Any) -> Any:
        """Return the name that a statement puts into a table, or None."""
        if self._changed(statement) not in self._found.tables:
            return None
        change = change_of(statement)
        value = statement.value if change is None else change.value
        return value if isinstance(value, gast.Name) else None

    def _changed(self, statement: Any) -> str:
        """Return the name of the list that a statement puts an entry into."""
        change = change_of(statement)
        if change is not None:
            return change.name
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        return getattr(getattr(target, "value", None), "id", "")

    def _row_read(self, value: Any, rows: dict[str, set[str]]) -> set[str]:
        if isinstance(value, gast.Name):
            return rows.get(value.id, set())
        if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
            name = value.value.id
            return {name} if name in self._found.tables else set()
        return set()

    def _spoilt(self) -> set[str]:
        """Return the tables that are used otherwise, or whose rows' names may mean other things."""
        rows = self._found.rows
        made = bound_names(self._program.body) - set(self._program.parameters)
        keyed, listed = _keyed(self._program, self._found)
        spoilt = (keyed & listed) | {table for name in rows.keys() - made for table in rows[name]}
        for statement in statements(self._program.body):
            allowed = self._allowed(statement)
            for node in own_nodes(statement):
                if not isinstance(node, gast.Name) or id(node) in allowed:
                    continue
                if node.id in self._found.tables:
                    spoilt.add(node.id)
                spoilt |= rows.get(node.id, set())
        return spoilt

    def _allowed(self, statement: Any) -> set[int]:
        """Return the identities of the names that stand in a statement as tables and rows may."""
        allowed: set[int] = set()
        if isinstance(statement, gast.Assign):
            allowed |= self._allowed_binding(statement.targets[0], statement.value)
        for node in own_nodes(statement):
            if isinstance(node, gast.Subscript) and self._reads_place(node):
                allowed.add(id(node.value))
            elif isinstance(node, gast.Call):
                allowed.update(map(id, self._only_read(node)))
            elif isinstance(node, _COMPREHENSIONS):
                allowed.update(map(id, self._gone_through(node)))
            elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.In, gast.NotIn)):
                allowed.add(id(node.comparators[0]))
            elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
                allowed.add(id(node.operand))
        if isinstance(statement, gast.Return):
            parts = getattr(statement.value, "elts", [statement.value])
            allowed.update(id(part) for part in parts if isinstance(part, gast.Name))
        if isinstance(statement, gast.For):
            allowed.update(map(id, (statement.iter, *_asked_for_keys(statement.iter))))
        put, change = self._put(statement), change_of(statement)
        if change is not None and (put is not None or self._grows_row(change)):
            allowed.add(id(statement.value.func.value))
        if put is None:
            return allowed - self._stored_rows(statement)
        return allowed | {id(put)}

    def _reads_place(self, read: Any) -> bool:
        """Say whether an expression reads an entry, or a part of a row, which is a new list."""
        is_row = getattr(read.value, "id", "") not in self._found.tables
        return is_row or not isinstance(read.slice, gast.Slice)

    def _gone_through(self, comprehension: Any) -> list[Any]:
        """Return what a comprehension names, and what it goes through if it keeps no row of it."""
        rows = {n for part in comprehension.generators for n in names_bound(part.target)}
        own = [node for node in found_in(comprehension, gast.Name) if node.id in rows]
        iters = [part.iter for part in comprehension.generators]
        if not any(getattr(item, "id", "") in self._found.tables for item in iters):
            return own
        parts = found_in(comprehension, gast.Subscript, gast.Call)
        fine = {id(part) for node in parts for part in self._parts_read(node, rows)}
        if any(isinstance(node.ctx, gast.Load) and id(node) not in fine for node in own):
            return own
        return [*own, *iters]

    def _parts_read(self, node: Any, own: Collection[str]) -> list[Any]:
        return [node.value] if isinstance(node, gast.Subscript) else self._only_read(node, own)

    def _grows_row(self, change: Change) -> bool:
        tables, rows = self._found.tables, self._found.rows
        return change.method == "append" and change.name in rows and change.name not in tables

    def _allowed_binding(self, target: Any, value: Any) -> set[int]:
        """Return the names that stand in a binding of a table, of a row, or of all rows of one."""
        tables, rows = self._found.tables, self._found.rows
        if isinstance(target, gast.Tuple):
            unpacks = getattr(value, "id", "") in tables and all(
                isinstance(item, gast.Name) for item in target.elts
            )
            return {id(value), *map(id, target.elts)} if unpacks else set()
        if not isinstance(target, gast.Name):
            return set()
        copied = rows_copied(value) if target.id in self._found.shown else []
        if copied:
            known = all(name.id in rows for name in copied)
            return {id(target), *map(id, copied)} if known else set()
        makes = target.id in tables and _makes_table(value, self._program, self._found)
        shows = target.id in self._found.shown and is_row(value)
        if makes or shows:
            held = value.values if isinstance(value, gast.Dict) else getattr(value, "elts", ())
            return {id(target), *(map(id, held) if makes else ())}
        is_other_name = target.id in tables and getattr(value, "id", "") in tables
        if is_other_name or (target.id in rows and self._row_read(value, rows)):
            return {id(target), id(value)}
        return set()

    def _only_read(self, call: Any, own: Collection[str] = ()) -> list[Any]:
        """Return the operands that a call neither writes into nor returns, if any is a table."""
        names = {getattr(item, "id", "") for item in call.args}
        if names.isdisjoint(own) and names.isdisjoint(self._found.tables | self._found.rows.keys()):
            return []  # as most: it costs to find out about a function
        operation = self._program.reader.read(call)
        if operation.kind == "user":
            return self._only_read_by(operation.primal, call)
        return call.args if self._only_reads(operation, call) else []

    def _only_read_by(self, callee: Any, call: Any) -> list[Any]:
        """Return the operands that a user's function only reads; of a row it may return a cell."""
        vocabulary = self._program.reader.vocabulary
        elements = vocabulary.elements_returned(callee, call)
        rows = {id(v) for v in elements if getattr(v, "id", "") in self._found.tables}
        return [v for v in operands_read(vocabulary, callee, call) if id(v) not in rows]

    def _only_reads(self, operation: Operation, call: Any) -> bool:
        """Say whether a call neither writes into its operands nor returns one of them."""
        if operation.kind == "primitive":
            known = self._program.reader.vocabulary.primitive(operation.primal)
            returns_operand = known.may_view and not self._chooses_cell(known, call)
            return not returns_operand and not known.writes and not known.stores
        return getattr(call.func, "id", "") == "len"

    def _chooses_cell(self, known: Primitive, call: Any) -> bool:
        """Say whether a call returns one of the cells of the one row that it is given."""
        given = [getattr(item, "id", "") for item in call.args]
        return known.chooses and len(given) == 1 and given[0] not in self._found.tables

    def _stored_rows(self, statement: Any) -> set[int]:
        """Return the identity of a table whose row a statement replaces, by what is no row."""
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        target = statement.target if isinstance(statement, gast.AugAssign) else target
        base = getattr(target, "value", None) if isinstance(target, gast.Subscript) else None
        puts_row = isinstance(statement, gast.Assign) and is_row(statement.value)
        replaced = getattr(base, "id", "") in self._found.tables and not puts_row
        return {id(base)} if replaced else set()
