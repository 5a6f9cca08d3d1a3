"""Says what the lists and dicts that a program makes itself may hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from srcgrad.analyses.elements import ANY
from srcgrad.analyses.number_tables import number_tables, row_cells, rows_copied
from srcgrad.analyses.points_to import PointsTo
from srcgrad.ir import gast
from srcgrad.ir.build import load, subscript
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import is_plain_number, makes_list, makes_row, repeated_entries
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import GIVEN_ARRAYS, Program, bound_names, is_store, store_target
from srcgrad.ir.walk import names_bound, names_read, statements

_SEQUENCES: Final = (gast.List, gast.Tuple)
UNSEEN: Final = gast.Constant(0.0, None)
"""A cell of a table as long as nothing else is seen to be in it: cells are numbers mostly."""


class Entries:
    """The entries of the containers of a program in normal form.

    Attributes:
        sequences: The names that are bound to lists or ranges, which can be run over twice.
        holds_known: Whether all that any of them holds is known.

    >>> from srcgrad.compiler.doctesting import program_of, text
    >>> entries = Entries(program_of('''
    ... def f(x):
    ...     xs = [x]
    ...     for i in range(3):
    ...         y = xs[i] * x
    ...         xs.append(y)
    ...     return xs[3]
    ... '''))
    >>> [text([gast.Expr(value)]) for value in entries.of("xs")]
    ['x', 'y']
    >>> entries.of("x") is None
    True
    >>> program = program_of('''
    ... def f(x):
    ...     kept = {"w": x * x, "b": 2.0}
    ...     b = kept["b"]
    ...     return x * b
    ... ''')
    >>> [text([gast.Expr(value)]) for value in Entries(program).read(program.body[-3])]
    ['2.0']
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._parent: dict[str, str] = {}
        self._values: dict[str, list[tuple[str | None, Any]]] = defaultdict(list)  # with words
        self._unknown: set[str] = set(program.parameters)  # whose entries are not, or not only,
        self._strange: set[str] = {n for n in self._unknown if not self._is_given(n)}  # numbers
        self._dicts: set[str] = set()
        self.sequences: set[str] = set()
        self._getitem = program.reader.vocabulary.getitem
        self._tables = program.once(number_tables)
        self._of_numbers: set[str] = set()  # tables with rows of which nothing is seen but that
        for statement in statements(program.body):
            self._visit(statement)
        self._join_rows()
        bound = bound_names(program.body)  # of other names it is not said what they held before
        outside = [n for n in self._parent if n.isidentifier() and n not in bound]
        self._forget(n for n in outside if n not in program.parameters)
        self._strange = {self._root(name) for name in self._strange}
        roots = {self._root(name) for name in self._unknown}
        self._unknown = {name for name in self._parent if self._root(name) in roots}
        self._unknown.update(roots)
        self.holds_known = not self._parent.keys() <= self._unknown  # in many programs nothing
        self._together: dict[str, list[tuple[str | None, Any]]] = {}
        for name in [*self._parent]:
            self._together.setdefault(self._root(name), []).extend(self._values.get(name, ()))
        self._under: dict[tuple[str, str | None], list[Any]] = {}
        self._points = program.once(PointsTo) if self._values else None
        self._in_any: dict[tuple[frozenset[int], str | None], list[Any]] = {}

    def of(self, name: str) -> list[Any] | None:
        """Return every value that may be put into the container; None if something is unknown."""
        return self._kept(name, None)

    def beside_given(self, name: str) -> list[Any] | None:
        """Return what may be put into a list, which may be a given one of numbers; or None."""
        if name not in self._parent or self._root(name) in self._strange:
            return None
        return [UNSEEN, *(value for _, value in self._together.get(self._root(name), ()))]

    def read(self, statement: Any) -> list[Any] | None:
        """Return every value that a statement may read out of a container; None if unknown.

        It is the same list for all that read the same entries.
        """
        source = self.source(statement) if self.holds_known else None
        if source is None:
            return None
        node = getattr(statement, "value", None)
        if isinstance(node, gast.Subscript):
            return self._kept_at(node, source)
        return self._kept(source, None)

    def at(self, place: Any) -> list[Any] | None:
        """Return every value that may be kept at a place ``xs[k]``; None if unknown."""
        name = _name(place.value)
        return None if name is None else self._kept_at(place, name)

    def _kept_at(self, place: Any, name: str) -> list[Any] | None:
        word = _word(place.slice)
        kept = self._kept(name, word)
        return self._kept_in_any(place, name, word) if kept is None else kept

    def _kept_in_any(self, node: Any, source: str, word: str | None) -> list[Any] | None:
        """Return what is kept in any of the displays that a name, read out of others, may mean."""
        found = self._points
        held = None if found is None else found.read(node)
        if found is None or held is None or any(map(found.is_inner, held)):
            return None
        return self._in_any.setdefault((found.of(source), word), held)

    def _kept(self, name: str, word: str | None) -> list[Any] | None:
        """Return what may be kept in a container, of a dict under one word alone if one is told."""
        if name in self._unknown or name not in self._parent:
            return None
        place = self._root(name), word
        if place not in self._under:
            kept = self._together[place[0]]
            self._under[place] = [v for key, v in kept if word is None or key in (word, None)]
        return self._under[place]

    def row(self, node: Any) -> str | None:
        """Return the name of the list of numbers that an expression is, if it is a row of one."""
        if isinstance(node, gast.Name):
            return node.id if node.id in self._tables.rows else None
        table = getattr(node.value, "id", "") if isinstance(node, gast.Subscript) else ""
        return _rows_of(table) if table in self._tables.tables else None

    def is_keyed(self, row: Any) -> bool:
        """Say whether a row of a table is a dict."""
        return self._tables.is_keyed(row)

    def names(self) -> set[str]:
        """Return the names that stand in what is put into containers."""
        kept = [value for values in self._values.values() for _, value in values]
        return {name for value in kept for name in names_read(value)}

    def is_dict(self, name: str) -> bool:
        """Say whether a name is bound to a dict that the program has made, or surely given."""
        if self._program.given.get(name) == "dict":
            return True
        if self._tables.is_keyed(load(name)):
            return True
        if name not in self._parent:  # of the module, if anything
            return type(self._program.reader.scope.lookup(name)) is dict
        root = self._root(name)
        return any(self._root(other) == root for other in self._dicts)

    def source(self, statement: Any) -> str | None:
        """Return the container of which a statement reads one entry, or None."""
        change = change_of(statement)
        if change is not None:
            return change.name if change.target is not None else None
        if not isinstance(statement, gast.Assign) or is_store(statement):
            return None
        read = statement.value
        row = self.row(read.value) if isinstance(read, gast.Subscript) else None
        if row is not None:
            return None if isinstance(read.slice, gast.Slice) else row
        operation = self._program.operation(statement)
        if operation.primal is not self._getitem:
            return self._chosen_from(operation)
        return None if isinstance(operation.args[1], gast.Slice) else _name(operation.args[0])

    def _chosen_from(self, operation: Operation) -> str | None:
        """Return the container of which a call returns one entry, as ``max(xs)`` does."""
        if len(operation.args) != 1 or operation.keywords or operation.primal is None:
            return None
        known = self._program.reader.vocabulary.primitive(operation.primal)
        return _name(operation.args[0]) if known.chooses else None

    def gives_keys(self, iterable: Any) -> bool:
        """Say whether a loop over an expression gives keys and integers alone."""
        if isinstance(iterable, gast.Name):
            return self.is_dict(iterable.id)
        if self._program.reader.gives_keys(iterable):
            return True
        if not isinstance(iterable, gast.Call):
            return False
        if isinstance(iterable.func, gast.Attribute):
            return iterable.func.attr == "keys" and not iterable.args
        callee = program_callee(self._program, iterable)
        if callee in (enumerate, zip, sorted, reversed, list):
            return bool(iterable.args) and all(map(self.gives_keys, iterable.args))
        return callee is range

    def _visit(self, statement: Any) -> None:
        change = change_of(statement)
        if change is not None:
            if change.value is not None:
                self._values[change.name].append((None, change.value))
            if change.target is not None:
                self._forget([change.target])
        elif is_store(statement):
            target = store_target(statement)
            if isinstance(target.value, gast.Name):
                self._values[target.value.id].append((_word(target.slice), statement.value))
                self._note_rows(target.value.id, [statement.value])
        elif isinstance(statement, gast.Assign):
            self._assign(statement)
        elif isinstance(statement, gast.For):
            self._forget(names_bound(statement.target))

    def _assign(self, statement: Any) -> None:
        target, value = statement.targets[0], statement.value
        if not isinstance(target, gast.Name):
            parts = names_bound(target)
            self._unknown.update(parts) if self._is_given(value, 2) else self._forget(parts)
            return
        name = target.id
        self._root(name)
        callee = program_callee(self._program, value)
        if makes_list(value) or callee in (sorted, list, range):
            self.sequences.add(name)
        if isinstance(value, gast.Name):
            self._join(name, value.id)
        elif isinstance(value, _SEQUENCES):
            self._display(name, [(None, item) for item in value.elts])
            self._note_rows(name, value.elts)
        elif isinstance(value, gast.Dict):
            self._dicts.add(name)
            spread = [
                (_word(k), gast.Starred(v, gast.Load()) if k is None else v)
                for k, v in zip(value.keys, value.values, strict=True)
            ]
            self._display(name, spread)
            self._note_rows(name, value.values)
        elif isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):
            self._join(name, value.value.id) if isinstance(value.value, gast.Name) else self._lose(
                name
            )
        elif (repeated := repeated_entries(value)) is not None:
            self._display(name, [(None, item) for item in repeated])
        elif isinstance(value, (gast.ListComp, gast.DictComp)):
            self._comprehension(name, value)
        elif name in self._tables.rows and rows_copied(value):  # ``row.copy()``
            self._join(name, rows_copied(value)[0].id)
        else:
            self._lose(name)

    def _comprehension(self, name: str, value: Any) -> None:
        """Note the one value that all entries have, if what is looped over does not matter."""
        if isinstance(value, gast.DictComp):
            self._dicts.add(name)
        entry = value.value if isinstance(value, gast.DictComp) else value.elt
        self._note_rows(name, [value])
        bound = {n for part in value.generators for n in names_bound(part.target)}
        scope = self._program.reader.scope
        written = is_plain_number(entry, scope) or makes_row(entry, scope)
        if written or bound.isdisjoint(names_read(entry)):
            self._display(name, [(None, entry)])
        else:
            self._lose(name)

    def _note_rows(self, name: str, rows: list[Any]) -> None:
        """Note the cells of the rows that a table gets without names of their own."""
        for row in rows if name in self._tables.tables else ():
            self._values[_rows_of(name)] += [(None, cell) for cell in row_cells(row)]
            if not isinstance(row, (gast.List, gast.Dict, gast.Name)):
                self._of_numbers.add(name)

    def _join_rows(self) -> None:
        """Hold the rows of a table for one list, since any may be the one that is read."""
        for name, tables in self._tables.rows.items():
            for table in tables:
                self._join(name, _rows_of(table))
        named: dict[str, str] = {}
        for table in self._tables.tables:  # one under two names has the same rows
            other = named.setdefault(self._root(table), table)
            self._join(_rows_of(table), _rows_of(other))
        for table in self._tables.tables:
            number = gast.Constant(0.0, None) if table in self._of_numbers else UNSEEN
            self._values[self._root(_rows_of(table))].append((None, number))

    def _lose(self, name: str) -> None:
        if name not in self._tables.rows:
            self._forget([name])

    def _forget(self, names: Iterable[str]) -> None:
        """Note that names may be bound to what nothing is known of."""
        known = [*names]
        self._unknown.update(known)
        self._strange.update(known)

    def _is_given(self, value: Any, depth: int = 1) -> bool:
        """Say whether a value is a given list of numbers, or of such lists."""
        name = value if isinstance(value, str) else getattr(value, "id", "")
        return self._program.given.get(name + ANY * depth) == "number"

    def _display(self, name: str, items: list[tuple[str | None, Any]]) -> None:
        for word, item in items:
            if not isinstance(item, gast.Starred):
                self._values[name].append((word, item))
            elif self._program.given.get(getattr(item.value, "id", "")) in GIVEN_ARRAYS:
                self._values[name].append((None, subscript(item.value, gast.Constant(0, None))))
            elif isinstance(item.value, gast.Name):
                self._join(name, item.value.id)
            else:
                self._lose(name)

    def _join(self, first: str, second: str) -> None:
        self._parent[self._root(first)] = self._root(second)

    def _root(self, name: str) -> str:
        known = self._parent
        parent = known.setdefault(name, name)
        while parent != known[parent]:
            known[parent] = known[known[parent]]
            parent = known[parent]
        return parent


def copied_list(program: Program, value: Any) -> Any:
    """Return the list or dict that an expression copies, which keeps its entries; or None."""
    func = value.func if isinstance(value, gast.Call) else None
    if not isinstance(func, gast.Attribute) or func.attr != "copy" or value.args:
        return None
    copied = func.value
    if not isinstance(copied, gast.Name):
        return None
    given = program.given.get(copied.id) in ("list", "dict")
    outside = isinstance(program.reader.scope.lookup(copied.id), (list, dict))
    made = program.once(Entries).of(copied.id) is not None
    return copied if given or outside or made else None


def _name(node: Any) -> str | None:
    return node.id if isinstance(node, gast.Name) else None


def _word(key: Any) -> str | None:
    """Return the word that a key of a dict is."""
    word = getattr(key, "value", None) if isinstance(key, gast.Constant) else None
    return word if isinstance(word, str) else None


def _rows_of(table: str) -> str:
    return f"{table}[]"


def program_callee(program: Program, value: Any) -> Any:
    """Return the function that an expression calls, or None."""
    return program.reader.scope.resolve(value.func) if isinstance(value, gast.Call) else None
