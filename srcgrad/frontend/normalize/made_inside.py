"""Tells the writes of a block into memory that it has made itself from those into other memory."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType
from typing import Any, Final

from srcgrad.frontend.normalize.freshness import Freshness
from srcgrad.ir import gast
from srcgrad.ir.marks import IN_PLACE
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_names
from srcgrad.ir.walk import names_bound, names_read, root_name

_NEW: Final = (gast.UnaryOp, gast.Compare, gast.Constant, gast.JoinedStr)
_NUMBERS: Final = (len, range, abs, float, int, bool, round, isinstance)
_PARTS: Final = (gast.Subscript, gast.Attribute)
_DISPLAYS: Final = (gast.List, gast.Tuple, gast.Set, gast.Dict)

_State = set[str]


class MadeInside:
    """The writes of a block in normal form.

    A name is followed from where it is bound to where it is written into: to new memory, to a part
    of memory that was made in the block, or to anything else. Lists and the like that were made
    here may hold what was not; then what is taken out of them was not made here, either.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse('''
    ... v = np.zeros(3)
    ... part = v[1:]
    ... part[0] = x
    ... rows = [x]
    ... rows.append(v)
    ... row = rows[0]
    ... row[0] = x
    ... w[0] = x
    ... w = x * 2.0
    ... ''')
    >>> reader = reader_of()
    >>> reader.scope.local |= {"v", "w", "x", "part", "row", "rows"}
    >>> inside = MadeInside(body, reader, {"rows"})
    >>> print(text([item for item in body if inside.leaves(item)]))
    row[0] = x
    w[0] = x
    """

    def __init__(self, body: list[Any], reader: Reader, lists: Collection[str]) -> None:
        self._fresh = Freshness([], [], reader)
        self._reader = reader
        self._holders = set(lists)  # names of what may hold other memory
        self._groups: dict[str, set[str]] = {}  # names of one memory, or of what holds it
        self._mixed: set[str] = set()  # those that hold memory from outside, too
        self._outside: set[int] = set()
        self._breaks: list[list[_State]] = []
        known = -1
        while known != (known := self._size()):
            self._outside = set()
            self._block(body, set())

    def leaves(self, statement: Any) -> bool:
        """Say whether a statement may write into memory that was there before the block."""
        return id(statement) in self._outside

    def _size(self) -> int:
        groups = sum(map(len, self._groups.values()))
        return len(self._mixed) + len(self._holders) + groups

    def called(self, name: str) -> set[str]:
        """Return the names of the list or dict that a name is bound to, and of what holds it."""
        return self._groups.get(name, {name})

    # -- statements, each from the names of what was made here to those after it; None: it jumps

    def _block(self, block: list[Any], made: _State) -> _State | None:
        state: _State | None = made
        for statement in block:
            if state is None:
                return None
            step = getattr(self, f"_of_{type(statement).__name__}", None)
            bound = bound_names([statement]) if step is None else set()
            state = state - bound if step is None else step(statement, state)
        return state

    def _of_Assign(self, node: Any, made: _State) -> _State | None:
        if IN_PLACE.of(node):
            self._write(node, node.targets[0], node.value, made)
            return made
        after = set(made)
        pairs = [pair for whole in node.targets for pair in _pairs(whole, node.value)]
        for target, value in pairs:
            if isinstance(target, gast.Subscript):
                self._write(node, target, value, made)
                continue
            names = names_bound(target)
            after.difference_update(names)
            if self._is_made(value, made):
                after.update(names)
                self._put(names, value, made)
                if self._holds(value):
                    self._holders.update(names)
        return after

    def _of_AugAssign(self, node: Any, made: _State) -> _State | None:
        self._write(node, node.target, node.value, made)
        return made

    def _of_Expr(self, node: Any, made: _State) -> _State | None:
        func = getattr(node.value, "func", None)
        if isinstance(func, gast.Attribute):
            call = node.value
            for value in [*call.args, *[item.value for item in call.keywords]] or [None]:
                self._write(node, func, value, made)
        return made

    def _of_For(self, node: Any, made: _State) -> _State | None:
        names = names_bound(node.target)
        running = set(names) if self._is_made(node.iter, made) else set()
        if running:
            self._put(names, node.iter, made)
            self._holders |= running if self._holds(node.iter) else set()
        return self._loop(node, made, lambda state: (state - set(names)) | running)

    def _of_While(self, node: Any, made: _State) -> _State | None:
        return self._loop(node, made, set)

    def _loop(self, node: Any, made: _State, begin: Any) -> _State | None:
        state = set(made)
        while True:
            self._breaks.append([])
            after = self._block(node.body, begin(state))
            ends = [item for item in (after, *self._breaks.pop()) if item is not None]
            if after is None or state <= after:
                return set.intersection(state, *ends)
            state &= after

    def _of_Break(self, node: Any, made: _State) -> _State | None:
        if self._breaks:
            self._breaks[-1].append(made)
        return None

    def _of_Raise(self, node: Any, made: _State) -> _State | None:
        return None

    _of_Return = _of_Raise

    def _of_If(self, node: Any, made: _State) -> _State | None:
        return _both(self._block(node.body, set(made)), self._block(node.orelse, set(made)))

    def _of_With(self, node: Any, made: _State) -> _State | None:
        bound = [item.optional_vars for item in node.items if item.optional_vars is not None]
        return self._block(node.body, made - {n for item in bound for n in names_bound(item)})

    def _of_Try(self, node: Any, made: _State) -> _State | None:
        half_way = made - bound_names([node])
        done = self._block(node.body, set(made))
        done = None if done is None else self._block(node.orelse, done)
        for handler in node.handlers:
            done = _both(done, self._block(handler.body, set(half_way)))
        self._block(node.finalbody, set(half_way))
        return None if done is None else self._block(node.finalbody, done)

    def _of_Pass(self, node: Any, made: _State) -> _State | None:
        return made

    # -- memory

    def _write(self, node: Any, target: Any, value: Any, made: _State) -> None:
        """Note a write into what a target names, or into what it is a part of."""
        root = root_name(target)
        if root is None:
            self._outside.add(id(node))
            return
        whole = isinstance(target, gast.Name) or (
            isinstance(target.value, gast.Name) and not isinstance(node, gast.AugAssign)
        )
        if root not in made or (not whole and self._holds_other(root)):
            self._outside.add(id(node))
        if value is not None and root in self._holders:
            self._put([root], value, made)

    def _put(self, names: list[str], value: Any, made: _State) -> None:
        """Note that what is called by names lies in the memory of a value, or holds it."""
        if isinstance(value, (*_DISPLAYS, gast.BinOp)):
            for part in self._parts(value):
                self._put(names, part, made)
        elif not self._is_made(value, made):
            self._mixed.update(names)
        elif self._holds(value):
            self._join({*names, *self._memory(value)})

    def _parts(self, value: Any) -> list[Any]:
        """Return what a list holds that is written out, or what lists are joined in a sum."""
        if isinstance(value, gast.BinOp):
            lists = [n for n in (value.left, value.right) if self._holds(n)]
            joins = isinstance(value.op, gast.Add)
            return lists if joins or (isinstance(value.op, gast.Mult) and len(lists) == 1) else []
        return list(value.values if isinstance(value, gast.Dict) else value.elts)

    def _join(self, names: set[str]) -> None:
        together = names.union(*(self._groups.get(name, set()) for name in names))
        for name in together:
            self._groups[name] = together

    def _is_made(self, value: Any, made: _State) -> bool:
        """Say whether a value is a number, or memory that was made here.

        A list that is written out or joined was; what it holds is another question.
        """
        if self._is_new(value) or isinstance(value, (*_DISPLAYS, gast.BinOp)):
            return True
        if isinstance(value, gast.Name):
            return value.id in made
        if isinstance(value, gast.IfExp):
            return self._is_made(value.body, made) and self._is_made(value.orelse, made)
        known = isinstance(value, _PARTS) or (
            isinstance(value, gast.Call)
            and self._reader.read(value).kind in ("primitive", "constant")
        )
        names = self._memory(value)
        return known and all(name in made and not self._holds_other(name) for name in names)

    def _is_new(self, value: Any) -> bool:
        """Say whether a value is a number, or memory that nothing else lies in."""
        if isinstance(value, gast.BinOp):
            return not self._parts(value)
        if isinstance(value, gast.Attribute):
            return self._reader.constant_attribute(value)  # as a shape is
        if not isinstance(value, gast.Call):
            return isinstance(value, _NEW)
        callee = self._reader.scope.resolve(value.func)
        if getattr(callee, "__module__", None) == "builtins":
            return callee in _NUMBERS
        return self._fresh.is_new(value)

    def _holds(self, value: Any) -> bool:
        """Say whether what a made value is may hold other memory, as a list does."""
        if isinstance(value, (gast.Name, gast.IfExp, *_PARTS)) and not self._is_new(value):
            return not self._holders.isdisjoint(names_read(value))
        return not self._is_new(value)

    def _memory(self, value: Any) -> set[str]:
        """Return the names that a value reads, but for those of functions and modules."""
        lookup = self._reader.scope.lookup
        found = {name: lookup(name) for name in names_read(value)}
        return {n for n, v in found.items() if not callable(v) and not isinstance(v, ModuleType)}

    def _holds_other(self, name: str) -> bool:
        return not self._mixed.isdisjoint(self.called(name))


def _pairs(target: Any, value: Any) -> list[tuple[Any, Any]]:
    """Return what is bound to what, part by part where both are written out."""
    tuples = (gast.Tuple, gast.List)
    if isinstance(target, tuples) and isinstance(value, tuples):
        parts = [*target.elts, *value.elts]
        starred = any(isinstance(item, gast.Starred) for item in parts)
        if len(target.elts) == len(value.elts) and not starred:
            both = zip(target.elts, value.elts, strict=True)
            return [pair for item in both for pair in _pairs(*item)]
    return [(target, value)]


def _both(one: _State | None, other: _State | None) -> _State | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
