"""Finds writes of a text that mean something else where a slice is no view of its array.

In NumPy ``v = y[1:]; v *= 2`` changes `y`, and ``v += w`` what has another name for `v`. In Dask an
array is never changed: a write gives the name a new one. So both mean the same only where memory
that is written has one name, or no other name of it is read afterwards.

An element (``y[i]``) is a number in NumPy, and a view if it has axes. Where that decides, the text
for Dask asks: see `asked_elements`.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.text_calls import called, makes_new
from srcgrad.ir import gast
from srcgrad.runtime import adjoints, broadcasting, copies, indexing, shadows

_SIZES = frozenset(("dtype", "ndim", "shape", "size"))
_OF_SIZES = frozenset(("shape", "size", "ndim", "len", adjoints.zeros_like.__name__))
_NEW = frozenset(f.__name__ for f in (adjoints.zeros_like, copies.copied, shadows.shadow_of))
_OF_FIRST = frozenset(f.__name__ for f in (broadcasting.unbroadcast, indexing.accumulate))
_ADDING = frozenset(f.__name__ for f in (indexing.add_at, indexing.add_entries))
_WHOLE = frozenset(("range", "len", "int", "float", "slice", "abs"))
_NO_MEMORY = frozenset((*vars(builtins), "np"))
_PLAIN_KINDS = frozenset(("bool", "bytes", "dict", "list", "set", "str", "tuple"))
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)


@dataclass(frozen=True, slots=True)
class Write:
    """A write that may be seen under another name.

    Attributes:
        name: The name by which it is written.
        line: The line of the text.
    """

    name: str
    line: int


Path = tuple[tuple[ast.AST, str], ...]


@dataclass(slots=True)
class _Event:
    """A name that is bound, written or read, and where: its place in the text, the blocks around.

    `shares` are names whose memory it may have, `elements` those that it has if it is a view.
    """

    name: str
    place: int
    line: int
    path: Path
    shares: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    node: Any = None
    binds: bool = True

    def dominates(self, other: _Event) -> bool:
        """Say whether it was done on every way to something that comes later in the text."""
        return self.path == other.path[: len(self.path)]


@dataclass(slots=True)
class _Events:
    bound: list[_Event] = field(default_factory=list)
    written: list[_Event] = field(default_factory=list)
    read: list[_Event] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    place: int = 0


def shared_writes(tree: ast.Module) -> Iterator[Write]:
    r"""Yield the writes of a module's functions that may be seen under another name.

    >>> text = "def f():\n y = np.ones(3)\n v = y[1:]\n v[0] = 2\n return "
    >>> [[item.name for item in shared_writes(ast.parse(text + name))] for name in "yv"]
    [['v'], []]
    """
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            events = _events(function)
            yield from (Write(w.name, w.line) for w in _seen(events, _classes(events)))


def asked_elements(tree: ast.Module) -> Iterator[ast.Subscript]:
    r"""Yield the elements of arrays that must be numbers, or copies, for writes to mean the same.

    >>> text = "def f():\n y = np.ones(3)\n v = y[1]\n y[1] = 2\n return v"
    >>> [ast.unparse(node) for node in asked_elements(ast.parse(text))]
    ['y[1]']
    """
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            events = _events(function)
            classes = _classes(events, with_elements=True)
            meant = {classes[write.name] for write in _seen(events, classes)}
            for bound in events.bound:
                if bound.elements and classes[bound.name] in meant:
                    yield bound.node


def questions(tree: ast.Module) -> Iterator[int]:
    r"""Yield the lines of a text that ask whether a value is a number or an array of NumPy.

    >>> list(questions(ast.parse("a = isinstance(x, float)\nb = isinstance(x, (str, list))")))
    [1]
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            asked = node.args[1:] if node.func.id == "isinstance" else []
            kinds = {n.id for part in asked for n in ast.walk(part) if isinstance(n, ast.Name)}
            is_question = bool(asked) and not kinds <= _PLAIN_KINDS
            if is_question or (node.func.id == "type" and len(node.args) == 1):
                yield node.lineno


def _events(function: ast.FunctionDef) -> _Events:
    events = _Events()
    arguments = function.args
    for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        events.bound.append(_Event(item.arg, 0, function.lineno, ()))
        events.given.add(item.arg)
    _look(function.body, events, ())
    return events


def _classes(events: _Events, *, with_elements: bool = False) -> dict[str, str]:
    """Return for each name one of those with which it may share memory, on some way."""
    found: dict[str, str] = {}

    def root(name: str) -> str:
        while found.setdefault(name, name) != name:
            name = found[name]
        return name

    for event in (*events.bound, *events.written, *events.read):
        root(event.name)
    for event in events.bound:
        for name in (*event.shares, *(event.elements if with_elements else ())):
            found[root(name)] = root(event.name)
    return {name: root(name) for name in list(found)}


def _seen(events: _Events, classes: Mapping[str, str]) -> Iterator[_Event]:
    """Yield the writes that may be seen under another name, after they were made."""
    given = {classes[name] for name in events.given}
    for write in events.written:
        alike = [r for r in events.read if r.name != write.name]
        alike = [r for r in alike if classes[r.name] == classes[write.name]]
        if classes[write.name] in given or any(_reaches(events, write, read) for read in alike):
            yield write


def _reaches(events: _Events, write: _Event, read: _Event) -> bool:
    """Say whether a name is read after a write to its memory without being bound anew before."""
    bound = [b for b in events.bound if b.name == read.name and b.binds]
    if read.place > write.place and not any(
        write.place < b.place < read.place and b.dominates(read) for b in bound
    ):
        return True
    loops = [p for p in write.path if p in read.path and isinstance(p[0], (ast.For, ast.While))]
    if not loops:
        return False
    inner = loops[-1]  # if it is bound anew in every trip of that, it is in those around, too
    return not any(
        inner in b.path and b.place < read.place and b.dominates(read) for b in bound
    ) or any(outer != inner and inner not in read.path for outer in loops)


def _look(body: list[ast.stmt], events: _Events, path: Path) -> None:
    for statement in body:
        _statement(statement, events, path)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(statement, name, [])
            if block:
                _look(block, events, (*path, (statement, name)))
        for handler in getattr(statement, "handlers", []):
            _look(handler.body, events, (*path, (handler, "body")))


def _statement(statement: ast.stmt, events: _Events, path: Path) -> None:
    events.place += 1
    place = events.place
    own = (*path, (statement, "body")) if isinstance(statement, (ast.For, ast.While)) else path
    for name in _read(statement):
        events.read.append(_Event(name, place, statement.lineno, own))
    events.place += 1
    place = events.place

    def bind(name: str, value: ast.expr, *, where: Path = path, binds: bool = True) -> None:
        is_element = isinstance(value, ast.Subscript) and _is_plain(value.slice)
        shares = _shares(value)
        kinds = {"elements" if is_element else "shares": shares - {name}}
        events.bound.append(
            _Event(name, place, statement.lineno, where, **kinds, node=value, binds=binds)
        )

    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            for name, value in _pairs(target, statement.value):
                bind(name, value)
            stored = _stored(target)
            events.written += [_Event(name, place, statement.lineno, path) for name in stored]
            if len(stored) > 1:  # ``a[0], a[1] = a[1], a[0]``: the second is read after a write
                events.read += [_Event(f"{n}'", place + 1, statement.lineno, path) for n in stored]
                events.bound += [
                    _Event(f"{n}'", place, statement.lineno, path, frozenset((n,))) for n in stored
                ]
            for name in _kept(target):
                bind(name, statement.value, binds=False)
    elif isinstance(statement, ast.AugAssign):
        target = statement.target
        names = [target.id] if isinstance(target, ast.Name) else _stored(target)
        events.written += [_Event(name, place, statement.lineno, path) for name in names]
    elif isinstance(statement, ast.For):
        for name, value in _pairs(statement.target, statement.iter):
            bind(name, value, where=own)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        _call(statement.value, events, (place, statement.lineno, path))


def _call(call: ast.Call, events: _Events, where: tuple[int, int, Path]) -> None:
    """Note what a call for its effect writes, and that a list may keep what it is given."""
    place, line, path = where
    adds = isinstance(call.func, ast.Name) and call.func.id in _ADDING
    writes = (0,) if adds else called(_gast(call)).writes
    for position in writes:
        if position < len(call.args):
            names = _names(call.args[position])[:1]
            events.written += [_Event(name, place, line, path) for name in names]
    if writes:
        return  # it adds up, and keeps nothing
    receiver = _names(call.func.value) if isinstance(call.func, ast.Attribute) else []
    held = _of_all(call.args)
    for name in [item for item in receiver if item not in _NO_MEMORY] or sorted(held):
        events.bound.append(_Event(name, place, line, path, held - {name}, binds=False))


def _kept(target: ast.expr) -> list[str]:
    """Return the name of a dict that an entry under a name is stored into."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
        return []
    return _names(target.value)[:1] if isinstance(target.slice.value, str) else []


def _is_plain(index: ast.expr) -> bool:
    """Say whether an index has no slice or new axis in it, as far as the text says."""
    entries = index.elts if isinstance(index, ast.Tuple) else [index]
    return not any(
        isinstance(item, (ast.Slice, ast.Starred))
        or (isinstance(item, ast.Constant) and item.value in (None, Ellipsis))
        for item in entries
    )


def _read(statement: ast.stmt) -> list[str]:
    """Return the names whose elements a statement reads before it binds or writes anything."""
    found: list[str] = []
    for name, part in ast.iter_fields(statement):
        if name in ("body", "orelse", "finalbody", "handlers"):
            continue
        for item in part if isinstance(part, list) else [part]:
            if isinstance(item, ast.AST):
                found += _elements_read(item)
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.append(statement.target.id)
    return found


def _elements_read(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Load) else []
    if isinstance(node, ast.Attribute) and node.attr in _SIZES:
        return [] if isinstance(node.value, ast.Name) else _elements_read(node.value)
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        base = [] if isinstance(node.value, ast.Name) else _elements_read(node.value)
        return base + _elements_read(node.slice)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        first = {"unbroadcast": 1}.get(name, 0 if name in _OF_SIZES else len(node.args))
        parts = [*node.args[:first], *node.keywords]
        parts += [item for item in node.args[first:] if not isinstance(item, ast.Name)]
        return [n for part in (node.func, *parts) for n in _elements_read(part)]
    return [n for part in ast.iter_child_nodes(node) for n in _elements_read(part)]


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of a target with what they are bound to."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _pairs(target.value, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        alike = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
        for place, item in enumerate(target.elts):
            yield from _pairs(item, value.elts[place] if alike else value)  # type: ignore[attr-defined]


def _stored(target: ast.expr) -> list[str]:
    """Return the name of the memory that an assignment to an element writes into."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _stored(item)]
    if not isinstance(target, ast.Subscript):
        return []
    if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
        return []  # an entry of a dict gets another value
    found: ast.expr = target
    while isinstance(found, (ast.Subscript, ast.Attribute)):
        found = found.value
    return [found.id] if isinstance(found, ast.Name) else []


def _shares(value: ast.expr) -> frozenset[str]:
    """Return the names with which a value may share memory."""
    if isinstance(value, ast.Name):
        return frozenset((value.id,)) - _NO_MEMORY
    if isinstance(value, _FRESH):
        return frozenset()
    if isinstance(value, (ast.Subscript, ast.Starred)):
        return _shares(value.value)
    if isinstance(value, ast.Attribute):
        return frozenset() if value.attr in _SIZES else _shares(value.value)
    if isinstance(value, ast.Call):
        return _of_call(value)
    return frozenset(_names(value))


def _of_call(call: ast.Call) -> frozenset[str]:
    """Return the names with which the result of a call may share memory: any, if it is not new."""
    function, given = call.func, [*call.args, *(item.value for item in call.keywords)]
    if isinstance(function, ast.Name) and function.id in _NEW | _WHOLE:
        return frozenset()
    if isinstance(function, ast.Name) and function.id in _OF_FIRST:
        return _shares(given[0])
    if isinstance(function, ast.Attribute) and not _is_np(function.value):  # x.copy() is np.copy(x)
        name = ast.Attribute(ast.Name("np", ast.Load()), function.attr, ast.Load())
        return _of_call(ast.Call(name, [function.value, *call.args], call.keywords))
    return frozenset() if makes_new(_gast(call)) else _of_all(given)


def _is_np(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "np"


def _of_all(values: list[ast.expr]) -> frozenset[str]:
    return frozenset().union(*map(_shares, values))


def _names(value: ast.AST) -> list[str]:
    found = [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
    return [name for name in found if name not in _NO_MEMORY]


def _gast(node: ast.expr) -> Any:
    return gast.ast_to_gast(node)
