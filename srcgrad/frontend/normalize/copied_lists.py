"""Lets a copy of a list go by the name of the list, where nobody changes either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import FunctionType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.displays import makes_list, spread_alone
from srcgrad.ir.operations import Reader, operands_read
from srcgrad.ir.walk import blocks_of, found_in, statements

_LOOKING: Final = (len, zip, enumerate, reversed, sum, min, max, sorted, all, any, list, tuple)
_LOOPS: Final = gast.For, gast.comprehension
_DISPLAYS: Final = gast.List, gast.Tuple, gast.Call


def without_copies(body: list[Any], reader: Reader) -> list[Any]:
    """Return a body without the copies of lists that are left as they are, and so are the copies.

    What the lists hold may be changed, as the cells of rows are: both hold the same. Helpers often
    begin with such a copy of what they are given.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse("m = [[x, 0.0], [0.0, x]]; own = list(m); own[0][1] = x; y = own[0][0]")
    >>> print(text(without_copies(body, reader_of())))
    m = [[x, 0.0], [0.0, x]]
    m[0][1] = x
    y = m[0][0]
    """
    copies = dict(_copies(body, reader))
    if not copies:
        return body
    uses = _Uses(body, reader)
    same: dict[str, str] = {}
    for name, copied in copies.items():
        source = same.get(copied, copied)
        if uses.leave_alone(name, escapes=False) and uses.leave_alone(source, escapes=True):
            same[name] = source
    if same:
        _rename(body, same)
    return body


def _copies(body: list[Any], reader: Reader) -> Iterator[tuple[str, str]]:
    """Yield the names of copies of lists that the body makes, in order, each with the list."""
    bound = Counter(
        node.id
        for item in body
        for node in found_in(item, gast.Name)
        if not isinstance(node.ctx, gast.Load)
    )
    made: set[str] = set()
    for statement in statements(body):
        targets = statement.targets if isinstance(statement, gast.Assign) else []
        if len(targets) != 1 or bound[name := getattr(targets[0], "id", "")] != 1:
            continue
        source = _copied(statement.value, reader)
        if source in made:
            yield name, source
            made.add(name)
        elif makes_list(statement.value) or getattr(statement.value, "id", "") in made:
            made.add(name)


def _copied(value: Any, reader: Reader) -> str:
    """Return the name of the list that an expression copies; an empty one of others."""
    source = spread_alone(value) if isinstance(value, gast.List) else None
    if isinstance(value, gast.Call) and len(value.args) == 1 and not value.keywords:
        source = value.args[0] if reader.scope.resolve(value.func) is list else None
    elif isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):
        part = value.slice
        whole = part.lower is part.upper is part.step is None
        source = value.value if whole else None
    name: str = getattr(source, "id", "")
    return name


def _rename(body: list[Any], names: dict[str, str]) -> None:
    """Give names to what had others, and leave out what then binds a name to itself."""
    dropped = []
    for item in statements(body):
        target = item.targets[0] if isinstance(item, gast.Assign) else None
        if isinstance(target, gast.Name) and target.id in names:
            dropped.append(id(item))
    _leave_out(body, dropped)
    for item in body:
        for node in found_in(item, gast.Name):
            node.id = names.get(node.id, node.id)


def _leave_out(block: list[Any], dropped: list[int]) -> None:
    block[:] = [item for item in block if id(item) not in dropped]
    for item in block:
        for inner in blocks_of(item):
            _leave_out(inner, dropped)


class _Uses:
    """The uses of names in a body."""

    def __init__(self, body: list[Any], reader: Reader) -> None:
        self._reader = reader
        self._loads: dict[str, list[tuple[Any, Any]]] = {}
        self._around: dict[int, Any] = {}
        self._asked: set[str] = set()
        for item in body:
            self._visit(item)

    def _visit(self, node: Any) -> None:
        for child in gast.iter_child_nodes(node):
            self._around[id(child)] = node
            if isinstance(child, gast.Name) and isinstance(child.ctx, gast.Load):
                self._loads.setdefault(child.id, []).append((child, node))
            self._visit(child)

    def leave_alone(self, name: str, *, escapes: bool) -> bool:
        """Say whether a list is only looked at; one that `escapes` may be returned."""
        if name in self._asked:
            return True
        self._asked.add(name)
        try:
            uses = self._loads.get(name, ())
            return all(self._looks(node, around, escapes=escapes) for node, around in uses)
        finally:
            self._asked.discard(name)

    def _looks(self, node: Any, around: Any, *, escapes: bool) -> bool:
        if isinstance(around, gast.Subscript):
            return around.value is node and isinstance(around.ctx, gast.Load)
        if isinstance(around, _LOOPS):
            return around.iter is node
        if isinstance(around, gast.Starred):
            return isinstance(self._around[id(around)], _DISPLAYS)
        if isinstance(around, gast.Call):
            return self._only_looks(around, node)
        if isinstance(around, gast.Assign):  # another name of it
            other = getattr(around.targets[0], "id", "")
            return bool(other) and self.leave_alone(other, escapes=escapes)
        if isinstance(around, gast.UnaryOp):
            return isinstance(around.op, gast.Not)
        return escapes and isinstance(around, gast.Return)

    def _only_looks(self, call: Any, node: Any) -> bool:
        """Say whether a call neither changes nor returns a list."""
        if any(self._reader.scope.resolve(call.func) is item for item in _LOOKING):
            return True
        operation = self._reader.read(call)
        vocabulary = self._reader.vocabulary
        if operation.kind == "user" and isinstance(operation.primal, FunctionType):
            read = operands_read(vocabulary, operation.primal, call)
            return any(item is node for item in read)
        if operation.kind != "primitive":
            return False
        known = vocabulary.primitive(operation.primal)
        return known.name.startswith("numpy.") and not known.writes and not known.stores
