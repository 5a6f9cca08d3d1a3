"""Says what is put into lists and dicts, and which of them may be changed after they are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import makes_table
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.program import Program, header_reads, is_store, store_target
from srcgrad.ir.walk import blocks_of, names_bound, names_read, own_nodes, statements

_LOOPS = (gast.For, gast.While)
_DISPLAYS = (gast.List, gast.Tuple, gast.Dict)
_LOOKS = ("len", "refuse_twins")


def puts(program: Program, own: set[int]) -> dict[str, list[Any]]:
    """Return what statements put into each list and dict; `own` are stores into such."""
    found: dict[str, list[Any]] = defaultdict(list)
    for statement in statements(program.body):
        name, value = _put(statement, own)
        if name is not None and value is not None:
            found[name].append(value)
    return found


def is_filled_first(program: Program, name: str, own: set[int]) -> bool:
    """Say whether a list or dict gets all of its entries before anything else is done with it.

    A loop in which it is filled and read has to make it anew in each trip.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     full, other = [], []
    ...     for i in range(3):
    ...         full.append(x * i)
    ...         other.append(full[0] if other else x)
    ...     return full[0] * other[1]
    ... ''')
    >>> is_filled_first(program, "full", set()), is_filled_first(program, "other", set())
    (False, False)
    >>> program = program_of('''
    ... def f(x):
    ...     full = [x * i for i in range(3)]
    ...     return full[0] * full[1]
    ... ''')
    >>> is_filled_first(program, "full", set())
    True
    """
    return _Uses(program, name, own).is_filled_first()


def is_read_by_entries(program: Program, name: str, own: set[int]) -> bool:
    """Say whether a list or dict gives its entries one by one, until the last was put into it.

    Its entries may be replaced, and others put in, after some were read.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     pair, other = [x * 1, x * 2], [x * 3]
    ...     pair[0], pair[1] = pair[1], pair[0]
    ...     total = np.sum(other)
    ...     other.append(other[0] * total)
    ...     return np.sum(pair) * other[1]
    ... ''')
    >>> own = {id(line) for line in statements(program.body) if is_store(line)}
    >>> is_read_by_entries(program, "pair", own), is_read_by_entries(program, "other", own)
    (True, False)
    """
    return _Uses(program, name, own, by_entries=True).is_filled_first()


def are_read_by_entries(program: Program, names: set[str], own: set[int]) -> bool:
    """Say the same of lists and dicts that have several `names`: all that they may have.

    >>> from srcgrad.compiler.doctesting import program_of
    >>> program = program_of('''
    ... def f(x):
    ...     root = {"v": x, "next": None}
    ...     node = root
    ...     for i in range(3):
    ...         node["next"] = {"v": x, "next": None}
    ...         node = node["next"]
    ...     return node["v"]
    ... ''')
    >>> own = {id(line) for line in statements(program.body) if is_store(line)}
    >>> are_read_by_entries(program, {"root", "node", "node_2", "value"}, own)
    True
    """
    filled: list[tuple[int, list[Any]]] = []
    read: list[tuple[int, list[Any]]] = []
    for place, (statement, _, loops) in enumerate(_placed(program.body, [])):
        name, value = _put(statement, own)
        if name in names:
            filled.append((place, loops))
            parts = [] if isinstance(value, gast.Name) else [value]
            whole = [n for part in [*parts, _index_of(statement)] if part for n in names_read(part)]
            whole = [n for n in whole if n in names]
        else:
            every = set(header_reads(statement)) & names
            named = {n for n in every if header_reads(statement).count(n) > _asked(statement, n)}
            whole = sorted(named)
        if whole:
            read.append((place, loops))
    last = max((place for place, _ in filled), default=-1)
    around = [loop for _, loops in filled for loop in loops]
    return not any(
        place < last or any(loop is other for loop in loops for other in around)
        for place, loops in read
    )


def _asked(statement: Any, name: str) -> int:
    """Count where a statement reads an entry, asks of the whole, or gives it another name."""
    found = _entries_read(statement, name)
    if isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
        found += int(_is_named(statement.value, name))
        if isinstance(statement.value, _DISPLAYS):
            found += sum(_is_named(node, name) for node in own_nodes(statement.value))
    for node in own_nodes(statement):
        if isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.Is, gast.IsNot)):
            found += sum(_is_named(side, name) for side in (node.left, *node.comparators))
    return found


def _put(statement: Any, own: set[int]) -> tuple[str | None, Any]:
    """Return the name that a statement puts an entry into, and the entry."""
    change = change_of(statement)
    if change is not None:
        return change.name, change.value
    if is_store(statement) and id(statement) in own:
        base = store_target(statement).value
        return getattr(base, "id", None), statement.value
    return None, None


class _Uses:
    """Where one list or dict is made, filled and read, as places in the order of the program.

    Reads of single entries do not count if it may give its entries one by one.
    """

    def __init__(
        self, program: Program, name: str, own: set[int], *, by_entries: bool = False
    ) -> None:
        self._name = name
        self._own = own
        self._scope = program.reader.scope
        self._made: list[tuple[int, Any]] = []
        self._filled: list[tuple[int, list[Any]]] = []
        self._read: list[tuple[int, list[Any]]] = []
        self._is_another = False
        self._by_entries = by_entries
        for place, (statement, block, loops) in enumerate(_placed(program.body, [])):
            self._visit(place, statement, block, loops)

    def is_filled_first(self) -> bool:
        if self._is_another or not self._filled:
            return not self._is_another
        last = max(place for place, _ in self._filled)
        if any(place < last for place, _ in self._read):
            return False
        return all(
            self._is_made_in(loop)
            for _, loops in self._filled
            for loop in loops
            if any(loop is other for _, around in self._read for other in around)
        )

    def _is_made_in(self, loop: Any) -> bool:
        """Say whether each trip of a loop makes it anew, before it is filled."""
        first = min(place for place, _ in self._filled)
        return any(block is loop.body and place < first for place, block in self._made)

    def _visit(self, place: int, statement: Any, block: Any, loops: list[Any]) -> None:
        name, value = _put(statement, self._own)
        if name == self._name:
            self._is_another |= value is None and not self._by_entries  # what is taken out
            self._is_another |= "op" in statement._fields or UPDATES_ENTRY.is_on(statement)
            self._filled.append((place, loops))
            parts = [value, _index_of(statement)]
            read = [n for part in parts if part is not None for n in names_read(part)]
        else:
            if self._name in _bound(statement):
                self._made.append((place, block))
                value = getattr(statement, "value", None)
                new = isinstance(value, _DISPLAYS) or makes_table(value, self._scope)
                self._is_another |= not new
            read = header_reads(statement)
        apart = _entries_read(statement, self._name) if self._by_entries else 0
        if read.count(self._name) > apart:
            self._read.append((place, loops))


def _bound(statement: Any) -> list[str]:
    if isinstance(statement, gast.For):
        return names_bound(statement.target)
    targets = statement.targets if isinstance(statement, gast.Assign) else []
    return [name for target in targets for name in names_bound(target)]


def _entries_read(statement: Any, name: str) -> int:
    """Count where a statement reads an entry of a list or dict, or all apart, or asks of them."""
    found = int(_is_named(getattr(statement, "test", None), name))
    found += int(_is_named(getattr(statement, "iter", None), name))  # the keys of a dict
    for node in own_nodes(statement):
        if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Slice):
            found += _is_named(node.value, name)
        elif isinstance(node, gast.Compare) and isinstance(node.ops[0], (gast.In, gast.NotIn)):
            found += _is_named(node.comparators[0], name)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            found += _is_named(node.operand, name)
        elif isinstance(node, gast.Call) and getattr(node.func, "id", "") in _LOOKS and node.args:
            found += _is_named(node.args[0], name)
        elif isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Tuple):
            found += _is_named(node.value, name)
    return found


def _is_named(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name


def _index_of(statement: Any) -> Any:
    change = change_of(statement)
    return change.index if change is not None else store_target(statement).slice


def _placed(block: list[Any], loops: list[Any]) -> Iterator[tuple[Any, Any, list[Any]]]:
    """Yield each statement with its block and the loops around it, in order."""
    for statement in block:
        yield statement, block, loops
        inner = [*loops, statement] if isinstance(statement, _LOOPS) else loops
        for part in blocks_of(statement):
            yield from _placed(part, inner)
