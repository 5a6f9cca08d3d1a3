"""Writes the sum of a list that is in another one, and of a list, as the list that it is.

``row[:] + [v]`` becomes ``[*row, v]`` if `row` is surely a list: of arrays it would be a sum. And
``sum(rows, [])`` is ``[item for part in rows for item in part]``: to a list only lists are added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import load, store
from srcgrad.ir.pairs import bound_pairs
from srcgrad.ir.rewriting import replace_in
from srcgrad.ir.scopes import MISSING, Scope
from srcgrad.ir.walk import found_in, walk

_LISTS: Final = (gast.List, gast.ListComp)
_KEEPING: Final = frozenset({"pop", "reverse", "sort", "index", "count", "copy"})
"""Methods of lists that put nothing in."""
_LOOKING: Final = (len, zip, enumerate, range, reversed, list, sum, min, max, sorted, print, abs)


def join_rows(body: list[Any], scope: Scope, parameters: Collection[str]) -> None:
    """Write in place what joins lists out of lists, where all that they may be are lists.

    >>> from srcgrad.compiler.doctesting import reader_of, text
    >>> body = gast.parse("a = [[1.0], [2.0]]; b = [row[:] + [3.0] for row in a]").body
    >>> join_rows(body, reader_of().scope, [])
    >>> print(text(body))
    a = [[1.0], [2.0]]
    b = [[*row, 3.0] for row in a]
    >>> body = gast.parse("c = sum(a, [])").body
    >>> join_rows(body, reader_of().scope, [])
    >>> print(text(body))
    c = [item for part in a for item in part]
    """
    for call in [node for item in body for node in found_in(item, gast.Call)]:
        if scope.resolve(call.func) is sum and _starts_empty(call):
            _replace(body, call, _flattened(call.args[0]))
    sums = [node for item in body for node in found_in(item, gast.BinOp)]
    sums = [node for node in sums if isinstance(node.op, gast.Add)]
    if not any(isinstance(side, _LISTS) for node in sums for side in (node.left, node.right)):
        return
    lists = _SureLists(body, scope, parameters)
    inner = {id(part) for node in sums for part in (node.left, node.right)}
    for node in sums:
        if id(node) not in inner and lists.is_list(node) and lists.takes_rows(node):
            _replace(body, node, gast.List(list(_items(node)), gast.Load()))


def _replace(body: list[Any], node: Any, made: Any) -> None:
    for statement in body:
        replace_in(statement, node, gast.copy_location(made, node))


def _starts_empty(call: Any) -> bool:
    """Say whether a sum begins with an empty list."""
    given = [*call.args, *(item.value for item in call.keywords if item.arg == "start")]
    whole = len(given) == len(("parts", "start")) and len(call.keywords) <= 1 and bool(call.args)
    return whole and isinstance(given[1], gast.List) and not given[1].elts


def _flattened(rows: Any) -> Any:
    parts = [(store("part"), rows), (store("item"), load("part"))]
    made = [gast.comprehension(target, run, [], 0) for target, run in parts]
    return gast.ListComp(load("item"), made)


def _items(side: Any) -> Iterator[Any]:
    if isinstance(side, gast.BinOp):
        yield from _items(side.left)
        yield from _items(side.right)
    elif isinstance(side, gast.List):
        yield from side.elts
    else:
        yield gast.Starred(_without_copies(side), gast.Load())


def _without_copies(value: Any) -> Any:
    """Return the list that an expression copies as a whole, which is done again."""
    if isinstance(value, gast.Subscript) and isinstance(value.slice, gast.Slice):
        bounds = (value.slice.lower, value.slice.upper, value.slice.step)
        return value.value if bounds == (None, None, None) else value
    return value


class _SureLists:
    """Knows which names of a body are bound to lists alone, and which to lists of nothing else."""

    def __init__(self, body: list[Any], scope: Scope, parameters: Collection[str]) -> None:
        self._scope = scope
        self._bound: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._put: dict[str, list[Any]] = defaultdict(list)
        self._escaped: set[str] = set()
        for statement in body:
            self._learn(statement)
        self._lists = self._bound.keys() - set(parameters)
        self._holders = self._lists - self._escaped
        size = -1
        while size != (size := len(self._lists) + len(self._holders)):
            self._lists = {name for name in self._lists if self._all_are(name, self.is_list)}
            self._holders = {name for name in self._holders if self._holds(name)}

    def is_list(self, value: Any) -> bool:
        """Say whether an expression is surely a list."""
        if isinstance(value, gast.Name):
            return value.id in self._lists
        if isinstance(value, gast.BinOp):
            joins = isinstance(value.op, gast.Add)
            return joins and self.is_list(value.left) and self.is_list(value.right)
        if isinstance(value, gast.Subscript):
            whole = isinstance(value.slice, gast.Slice)
            return self.is_list(value.value) if whole else self.holds_lists(value.value)
        if isinstance(value, gast.Call):
            return self._makes_list(value)
        return isinstance(value, _LISTS)

    def holds_lists(self, value: Any) -> bool:
        """Say whether an expression surely is a list of which each entry is a list."""
        if isinstance(value, gast.Name):
            return value.id in self._holders
        if isinstance(value, gast.List):
            entries = [self._is_entry(item) for item in value.elts]
            return bool(entries) and all(entries)
        if isinstance(value, gast.ListComp):
            return self.is_list(value.elt)
        if isinstance(value, gast.Subscript):
            return isinstance(value.slice, gast.Slice) and self.holds_lists(value.value)
        return False

    def takes_rows(self, node: Any) -> bool:
        """Say whether one of the lists that are joined is an entry of another."""
        for part in walk(node):
            if isinstance(part, gast.Name) and any(how == "entry" for how, _ in self._of(part.id)):
                return True
            if isinstance(part, gast.Subscript) and not isinstance(part.slice, gast.Slice):
                return self.holds_lists(part.value)
        return False

    def _of(self, name: str) -> list[tuple[str, Any]]:
        return self._bound.get(name, [])

    def _is_entry(self, item: Any) -> bool:
        return (
            self.holds_lists(item.value) if isinstance(item, gast.Starred) else self.is_list(item)
        )

    def _makes_list(self, made: Any) -> bool:
        callee = self._scope.resolve(made.func)
        if callee is MISSING and isinstance(made.func, gast.Attribute):
            return made.func.attr == "copy" and not made.args and self.is_list(made.func.value)
        return callee in (list, sorted)

    def _all_are(self, name: str, are: Any) -> bool:
        return all(
            value is not None and (self.holds_lists(value) if how == "entry" else are(value))
            for how, value in self._bound[name]
        )

    def _holds(self, name: str) -> bool:
        plain = all(how == "value" for how, _ in self._bound[name])
        holds = plain and self._all_are(name, self.holds_lists)
        return holds and all(map(self.is_list, self._put[name]))

    # -- what is bound to names, and put into what they mean

    def _learn(self, statement: Any) -> None:
        seen: set[int] = set()
        for node in walk(statement):
            if isinstance(node, gast.Assign):
                for target in node.targets:
                    for part, value in bound_pairs(target, node.value):
                        self._bind(part, value, seen)
            elif isinstance(node, (gast.For, gast.comprehension)):
                self._run_over(node.target, node.iter, seen)
            elif isinstance(node, gast.Call):
                self._call(node, seen)
            elif isinstance(node, (gast.Subscript, gast.Starred, gast.Return)):
                seen.add(id(node.value))
            elif isinstance(node, gast.BinOp):
                seen.update((id(node.left), id(node.right)))
        for node in found_in(statement, gast.Name):
            if id(node) not in seen and isinstance(node.ctx, gast.Load):
                self._escaped.add(node.id)
            elif id(node) not in seen:
                self._bound[node.id].append(("value", None))

    def _bind(self, target: Any, value: Any, seen: set[int]) -> None:
        if isinstance(target, gast.Name):
            seen.add(id(target))
            self._bound[target.id].append(("value", value))
        elif isinstance(target, gast.Subscript) and isinstance(target.value, gast.Name):
            whole = isinstance(target.slice, gast.Slice)
            self._put[target.value.id].append(None if whole else value)

    def _run_over(self, target: Any, iterable: Any, seen: set[int]) -> None:
        callee = self._scope.resolve(getattr(iterable, "func", iterable))
        args, parts = getattr(iterable, "args", []), getattr(target, "elts", [])
        if callee is zip and len(args) == len(parts):
            for part, item in zip(parts, args, strict=True):
                self._run_over(part, item, seen)
        elif callee is enumerate and len(args) == 1 and len(parts) == len(("count", "item")):
            self._run_over(parts[1], args[0], seen)
        elif isinstance(target, gast.Name):
            seen.update((id(target), id(iterable)))
            self._bound[target.id].append(("entry", iterable))
        else:
            seen.add(id(iterable))

    def _call(self, node: Any, seen: set[int]) -> None:
        callee = self._scope.resolve(node.func)
        if callee is not MISSING and any(callee is known for known in _LOOKING):
            seen.update(map(id, node.args))
        owner = getattr(node.func, "value", None)
        if callee is not MISSING or not isinstance(owner, gast.Name):
            return
        seen.add(id(owner))
        if node.func.attr in ("append", "insert") and node.args:
            self._put[owner.id].append(node.args[-1])
        elif node.func.attr not in _KEEPING:
            self._escaped.add(owner.id)
