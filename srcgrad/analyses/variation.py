"""Says which names may depend on the inputs, before the program is in normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import tuple_of
from srcgrad.ir.displays import makes_list
from srcgrad.ir.operations import Reader, may_return_operand
from srcgrad.ir.walk import (
    blocks_of,
    found_in,
    names_bound,
    names_read,
    nodes_in,
    places_in,
    root_name,
    statements,
)
from srcgrad.primitives.methods import SHAPERS

_NEW = (gast.BinOp, gast.UnaryOp, gast.Compare, gast.Constant)

_HELD: Final[dict[type, tuple[str, ...]]] = {
    gast.Subscript: ("value",),
    gast.Attribute: ("value",),
    gast.Starred: ("value",),
    gast.IfExp: ("body", "orelse"),
    gast.BoolOp: ("values",),
    gast.Tuple: ("elts",),
    gast.List: ("elts",),
    gast.Set: ("elts",),
    gast.Dict: ("values",),
    gast.ListComp: ("elt", "generators"),
    gast.SetComp: ("elt", "generators"),
    gast.GeneratorExp: ("elt", "generators"),
    gast.DictComp: ("value", "generators"),
    gast.comprehension: ("iter",),
}
"""Where in an expression the memory comes from that its value lies in, or holds."""


@dataclass(slots=True)
class _Row:
    """What one statement says of what varies, whatever does.

    Attributes:
        comprehensions: Those in it, but for those of its blocks.
        binds: The names that it binds as an assignment or a loop.
        written: The places that it writes into.
        puts: What it puts into a list or dict that it writes into.
    """

    statement: Any
    comprehensions: list[Any]
    binds: list[str]
    written: list[Any]
    puts: list[Any]


def _shows_list(statement: Any) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, gast.Assign) and (
        makes_list(value) or isinstance(value, gast.Dict)
    )


class Variation:
    """The names that may carry a derivative, and the test of an expression against them.

    It is a may-analysis without flow: a name that varies anywhere varies everywhere. The precise
    activity follows on the normal form; this one decides which expressions must be taken apart.

    >>> from srcgrad.compiler.doctesting import parse, program_of
    >>> variation = Variation(["x"], program_of("def f(x): return x").reader)
    >>> variation.spread(parse('''
    ... a = x * n
    ... b = n + len(x)
    ... c = a.shape
    ... d[0] = a
    ... '''))
    >>> sorted(variation.names)
    ['a', 'd', 'x']
    """

    def __init__(self, inputs: Iterable[str], reader: Reader) -> None:
        self.names = set(inputs)
        self._varying: dict[int, Any] = {}
        self._lists: set[str] = set()
        self._reader = reader

    def of(self, node: Any) -> bool:
        """Say whether an expression may carry a derivative."""
        kind = node.__class__
        if kind is gast.Name:
            return node.id in self.names
        if kind is gast.BinOp:
            return self._of_arithmetic(node)
        test: Callable[[Any], bool] | None = getattr(self, f"_of_{kind.__name__}", None)
        if test is not None:
            return test(node)
        return any(map(self.of, nodes_in(node)))

    def _of_arithmetic(self, node: Any) -> bool:
        """Of a long sum each part is asked for; what varies goes on to vary."""
        if id(node) in self._varying:
            return True
        found = self.of(node.right) or self.of(node.left)
        if found:
            self._varying[id(node)] = node  # which is kept, so that no other gets its identity
        return found

    def spread(self, body: list[Any]) -> None:
        """Follow the assignments of a function body until nothing changes."""
        every = list(statements(body))
        self._lists = {
            n for s in every if _shows_list(s) for t in _bound(s) for n in names_bound(t)
        }
        rows = list(map(self._row, every))
        self._bound = {name for row in rows for name in row.binds}
        before = -1
        while len(self.names) != before:
            before = len(self.names)
            for row in rows:
                for part in row.comprehensions:
                    self._mark_running(part.target, part.iter)
                self._step(row.statement)
            self._spread_back(rows)

    def _row(self, statement: Any) -> _Row:
        return _Row(
            statement,
            found_in(_header(statement), gast.comprehension),
            [name for target in _bound(statement) for name in names_bound(target)],
            _written(statement) + self._written_by_call(statement),
            _put_by_method(statement) or self._stored(statement),
        )

    def _stored(self, statement: Any) -> list[Any]:
        """Return what ``rows[i] = row`` puts into what is no array."""
        targets = statement.targets if isinstance(statement, gast.Assign) else []
        places = [place for target in targets for place in places_in(target)]
        held = any(_is_word(place) or root_name(place) in self._lists for place in places)
        return [statement.value] if held else []

    def _spread_back(self, rows: list[_Row]) -> None:
        """What varies by a write into it makes vary what it is a view of."""
        roots = {root_name(place) for row in rows for place in row.written}
        written = {root for root in roots if root in self.names}
        before = -1
        while written and len(written) != before:
            before = len(written)
            for row in rows:
                if not written.isdisjoint(row.binds):
                    several = len(_bound(row.statement)) > 1  # ``a = b = ...``
                    written.update(row.binds if several else ())
                    loops = isinstance(row.statement, gast.For)
                    value = row.statement.iter if loops else row.statement.value
                    written |= self._reached(value)
                if row.puts and not written.isdisjoint(map(root_name, row.written)):
                    written.update(name for value in row.puts for name in self._reached(value))
        self.names |= written

    def _written_by_call(self, statement: Any) -> list[Any]:
        """Return the operands that a call for its effect writes into."""
        call = getattr(statement, "value", None)
        if not isinstance(statement, gast.Expr) or not isinstance(call, gast.Call):
            return []
        callee = self._reader.scope.resolve(call.func)
        vocabulary = self._reader.vocabulary
        known = vocabulary.primitive(callee)
        places = known.writes
        if known.tells:
            return []
        if not places and isinstance(callee, FunctionType) and vocabulary.how_written(callee):
            return vocabulary.written_operands(callee, call)[0]
        return [call.args[place] for place in places if place < len(call.args)]

    def _reached(self, value: Any) -> set[str]:
        """Return the local names in whose memory the value of an expression may lie."""
        if isinstance(value, _NEW) or (isinstance(value, gast.Call) and self._is_new(value)):
            return set()
        parts = _HELD.get(type(value))
        if parts is not None:
            held = [part for name in parts for part in _listed(getattr(value, name))]
            return {name for part in held for name in self._reached(part)}
        operation = self._reader.read(value) if isinstance(value, gast.Call) else None
        if operation is not None and operation.kind == "user":
            returned = self._reader.vocabulary.returned_operands(operation.primal, value)
            return {name for part in returned for name in self._reached(part)}
        local = self._reader.scope.local | self._bound
        return {name for name in names_read(value) if name in local}

    def _is_new(self, value: Any) -> bool:
        """Say whether what a call returns lies in memory of its own."""
        if self._reader.constant_callee(value):
            return True
        owner = getattr(getattr(value.func, "value", None), "id", "")
        if owner in self._lists and value.func.attr == "copy":
            return False  # the entries are those of the list
        operation = self._reader.read(value)
        if operation.kind != "primitive" or "out" in operation.keywords:
            return False
        known = self._reader.vocabulary.primitive(operation.primal)
        if known.name.startswith("builtins."):
            return False
        return not known.may_view and not may_return_operand(known, operation)

    def _step(self, statement: Any) -> None:
        if isinstance(statement, gast.Assign):
            if self.of(statement.value):
                for target in statement.targets:
                    self._mark(target)
        elif isinstance(statement, (gast.AugAssign, gast.AnnAssign)):
            if statement.value is not None and self.of(statement.value):
                self._mark(statement.target)
        elif isinstance(statement, gast.For):
            self._mark_running(statement.target, statement.iter)
        elif isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
            self._step_call(statement.value)

    def _step_call(self, call: Any) -> None:
        """A call for its effect may write its active arguments into the others."""
        callee = self._reader.scope.resolve(call.func)
        if not self.of(call) or self._reader.vocabulary.primitive(callee).tells:
            return
        if isinstance(call.func, gast.Attribute) and call.func.attr in SHAPERS:
            if any(map(self.of, [*call.args, *[item.value for item in call.keywords]])):
                root = _holder(call.func)
                local = self._reader.scope.local | self._bound
                inside = {name for name in names_read(call.func) if name in local}
                self.names.update(inside if root is None else [root])
            return
        for part in [call.func, *call.args]:
            name = root_name(part)
            if name is not None and name in self._reader.scope.local:
                self.names.add(name)

    def _mark_running(self, target: Any, iterable: Any) -> None:
        """Mark the targets of what runs over a value; counters and keys carry no derivative."""
        if not self.of(iterable):
            return
        pairs = isinstance(target, (gast.Tuple, gast.List)) and isinstance(iterable, gast.Call)
        callee = self._reader.scope.resolve(iterable.func) if pairs else None
        if callee is zip and len(iterable.args) == len(target.elts):
            for item, inner in zip(target.elts, iterable.args, strict=True):
                self._mark_running(item, inner)
        elif callee is enumerate and len(target.elts) == 2 and iterable.args:
            self._mark_running(target.elts[1], iterable.args[0])
        elif pairs and getattr(iterable.func, "attr", "") == "items" and len(target.elts) == 2:
            self._mark(target.elts[1])
        elif getattr(getattr(iterable, "func", None), "attr", "") != "keys":
            self._mark(target)

    def _mark(self, target: Any) -> None:
        self.names.update(names_bound(target))
        for item in places_in(target):
            root = root_name(item)
            if root is not None:
                self.names.add(root)

    def _of_Constant(self, node: Any) -> bool:
        return False

    _of_Compare = _of_JoinedStr = _of_Constant

    def _of_UnaryOp(self, node: Any) -> bool:
        return not isinstance(node.op, gast.Not) and self.of(node.operand)

    def _of_Attribute(self, node: Any) -> bool:
        return not self._reader.constant_attribute(node) and self.of(node.value)

    def _of_Subscript(self, node: Any) -> bool:
        computes = self._reader.computing_owner(node) is not None
        return self.of(node.value) or (computes and self.of(node.slice))

    def _of_IfExp(self, node: Any) -> bool:
        return self.of(node.body) or self.of(node.orelse)

    def _of_ListComp(self, node: Any) -> bool:
        return self.of(node.elt)

    _of_GeneratorExp = _of_SetComp = _of_ListComp

    def _of_DictComp(self, node: Any) -> bool:
        return self.of(node.value)

    def _of_keyword(self, node: Any) -> bool:
        return self.of(node.value)

    def _of_Call(self, node: Any) -> bool:
        if self._reader.constant_callee(node) or self._reader.makes_whole(node):
            return False
        named = [item.value for item in node.keywords if not self._ranks(node.func, item)]
        return any(self.of(part) for part in [node.func, *node.args, *named])

    def _ranks(self, func: Any, option: Any) -> bool:
        """Say whether an option tells only in what order a result is, or what is chosen for it."""
        if option.arg != "key":
            return False
        return self._reader.vocabulary.primitive(self._reader.scope.resolve(func)).ranks


def _listed(part: Any) -> list[Any]:
    return part if isinstance(part, list) else [part]


def _bound(statement: Any) -> list[Any]:
    if isinstance(statement, gast.For):
        return [statement.target]
    return statement.targets if isinstance(statement, gast.Assign) else []


def _holder(node: Any) -> str | None:
    """Return the variable at the root of ``d.setdefault(k, []).append``, or None."""
    while isinstance(node, (gast.Subscript, gast.Attribute, gast.Call)):
        node = node.func if isinstance(node, gast.Call) else node.value
    return node.id if isinstance(node, gast.Name) else None


def _written(statement: Any) -> list[Any]:
    """Return the places that a statement writes into."""
    func = getattr(getattr(statement, "value", None), "func", None)
    if isinstance(statement, gast.Expr) and getattr(func, "attr", "") in SHAPERS:
        return [func]
    if isinstance(statement, gast.AugAssign):
        return [statement.target]
    targets = getattr(statement, "targets", [])
    places = [place for target in targets for place in places_in(target)]
    return [item for item in places if isinstance(item, (gast.Subscript, gast.Attribute))]


def _is_word(place: Any) -> bool:
    """Say whether a place is an entry of a dict, by a word."""
    key = getattr(getattr(place, "slice", None), "value", None)
    return isinstance(key, str)


def _put_by_method(statement: Any) -> list[Any]:
    """Return what ``rows.append(row)`` and its like put into a list."""
    call: Any = getattr(statement, "value", None)
    func = getattr(call, "func", None)
    attr = getattr(func, "attr", "")
    keyed = attr in ("insert", "setdefault")  # the place comes first
    return list(call.args)[keyed:] if attr in SHAPERS else []


def _header(statement: Any) -> Any:
    """Return a statement without its inner blocks."""
    if not blocks_of(statement):
        return statement
    parts = [
        child
        for field, child in gast.iter_fields(statement)
        if field not in ("body", "orelse", "finalbody", "handlers") and child is not None
    ]
    flat = [c for part in parts for c in (part if isinstance(part, list) else [part])]
    return tuple_of([c for c in flat if isinstance(c, gast.AST)])
