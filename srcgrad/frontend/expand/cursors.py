"""Reads iterators that the program advances itself: ``it = iter(xs)``, then ``next(it)``.

How far one has come is known wherever nobody advances it in a branch or a loop. So what it gives
next is an element of what it runs through, and what is left is a part of that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.values import Items, Known, Static, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, load, store, subscript
from srcgrad.ir.walk import found_in, walk
from srcgrad.primitives.methods import WRITING

Bound = dict[str, Value]

_ENDED: Final = -1
_MAKERS: Final = (zip, map, filter, enumerate, reversed)
_COMPREHENSIONS: Final = (gast.ListComp, gast.SetComp, gast.GeneratorExp, gast.DictComp)
_INDEX: Final = "loop over a list, or index it"


@dataclass(slots=True)
class Cursor(Static):
    """An iterator.

    Attributes:
        source: What it runs through, by a name that means nothing else later.
        depth: How many branches and loops are around the place where it was made.
        taken: How many items it has given.
    """

    source: Any
    depth: int
    taken: int = 0


class Cursors(Part):
    """The part of the expansion that deals with `iter`, `next`, `itertools.tee` and `islice`."""

    def read(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return what stands for a call that makes or advances iterators; None of another."""
        if callee.value is zip:
            return None if keywords else self._zipped(callee, args, node)
        handler = self.handler("function", id(callee.value))
        return None if handler is None or not args else handler(args, keywords, node)

    @function(iter)
    def _iter(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if len(args) == 1 and isinstance(args[0], Cursor):
            return args[0]
        return self._made(args[0], node) if len(args) == 1 and not keywords else None

    @function(itertools.tee)
    def _tee(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        count = getattr(args[1], "value", None) if len(args) == 2 else 2
        made = args[0] if isinstance(args[0], Cursor) else self._made(args[0], node)
        if keywords or type(count) is not int or not isinstance(made, Cursor):
            return None
        taken = self._advanced(made, node)
        copies = [Cursor(made.source, self.frame.depth, taken) for _ in range(count)]
        made.taken = _ENDED
        self.frame.changed = True
        return Items("tuple", copies)

    @function(next)
    def _next(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        cursor = args[0]
        if isinstance(cursor, gast.GeneratorExp):
            cursor = self._made(cursor, node)
        if not isinstance(cursor, Cursor) or len(args) > 2 or not self.frame.hoistable:
            return None
        place = gast.Constant(self._advanced(cursor, node), None)
        cursor.taken += 1
        self.frame.changed = True
        count = call("len", clone(cursor.source))
        if len(args) == 2:
            if isinstance(args[1], gast.Constant) and node is self.frame.dropped:
                return gast.Constant(None, None)
            there = gast.Compare(count, [gast.Gt()], [place])
            other = self.frame.plain(args[1], node)
            return at(gast.IfExp(there, subscript(clone(cursor.source), clone(place)), other), node)
        short = gast.Compare(count, [gast.LtE()], [place])
        raised = at(gast.Raise(call("StopIteration"), None), node)
        self.frame.out.append(at(gast.If(short, [raised], []), node))
        return at(subscript(clone(cursor.source), clone(place)), node)

    @function(itertools.islice)
    def _islice(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if keywords or not 2 <= len(args) <= 4 or not self._is_run_through(args[0]):
            return None
        if any(isinstance(item, Static) for item in args[1:]):
            return None
        ends = args[1:] if len(args) > 2 else [gast.Constant(None, None), args[1]]
        parts = [None if _is_none(item) else clone(item) for item in ends]
        lower, upper, step = (*parts, None)[:3]
        return at(subscript(args[0], gast.Slice(lower, upper, step)), node)

    def _zipped(self, callee: Known, args: list[Value], node: Any) -> Value | None:
        """Return a call of `zip` with parts; the same iterator twice gives every second item."""
        if not any(isinstance(item, Cursor) for item in args):
            return None
        given: list[Value] = []
        counts = {id(item): sum(item is other for other in args) for item in args}
        met: dict[int, int] = {}
        for item in args:
            if not isinstance(item, Cursor):
                given.append(item)
                continue
            order = met[id(item)] = met.get(id(item), -1) + 1
            start, step = self._advanced(item, node) + order, counts[id(item)]
            given.append(at(_part(item.source, start, step), node))
        for item in args:
            if isinstance(item, Cursor):
                item.taken = _ENDED
        return self.frame.calls.as_text(self.frame.plain(callee, node), given, {}, node, callee)

    def listed(self, callee: Value, call: Any) -> Value | None:
        """Return the list of ``zip(*rows)``, if that has a name, and is run through once."""
        name, value = self.frame.assigned
        makes = isinstance(callee, Known) and any(callee.value is item for item in _MAKERS)
        if not makes or not name or value is not call or not self.frame.varies(call):
            return None
        tree = self.frame.tree
        if not run_through_once(tree, name):
            return None
        self.frame.changed = True
        return at(gast.Call(self.frame.constant(list, "list"), [call], []), call)

    def looped(self, cursor: Cursor, loop: Any) -> Any:
        """Return what a loop over the rest goes through: places, from which it reads items.

        So it sees what is written there meanwhile, as the iterator does.
        """
        start = self._advanced(cursor, loop)
        if not start:
            return self.rest(cursor, loop)
        if any(_may_resize(node, cursor.source.id) for item in loop.body for node in walk(item)):
            self.frame.refuse(loop, "an iterator over what a loop makes longer or shorter", _INDEX)
        cursor.taken = _ENDED
        self.frame.changed = True
        place = self.frame.variable("i")
        item = gast.Assign([loop.target], subscript(clone(cursor.source), load(place)), None)
        loop.target, loop.body = store(place), [at(item, loop), *loop.body]
        ends = [gast.Constant(start, None), call("len", clone(cursor.source))]
        return at(gast.Call(self.frame.constant(range, "range"), ends, []), loop)

    def rest(self, cursor: Cursor, node: Any) -> Any:
        """Return what an iterator has not given yet, which it gives away with that."""
        start = self._advanced(cursor, node)
        if start and cursor.source.id in self.frame.rewritten:  # of a list, a part is a copy
            self.frame.refuse(node, "what is written while an iterator runs through it", _INDEX)
        cursor.taken = _ENDED
        self.frame.changed = True
        return at(_part(cursor.source, start, 1), node)

    def _made(self, value: Value, node: Any) -> Value | None:
        """Return the iterator of what has elements by their places, as far as is known."""
        if isinstance(value, gast.GeneratorExp) and self.frame.varies(value):
            value = at(gast.ListComp(value.elt, value.generators), node)
        elif not self._is_run_through(value):
            return None
        if not self.frame.hoistable:
            return None
        self.frame.changed = True
        source = self.frame.bound_now(value, "items", node)
        if not isinstance(source, gast.Name):
            source = self.frame.keep("items", value, node)
        return Cursor(source, self.frame.depth)

    def _is_run_through(self, value: Value) -> bool:
        """Say whether a value is a list or an array, if it can be run through."""
        if isinstance(value, gast.Name) and self._is_dict(value.id):
            return False
        if isinstance(value, gast.Call):
            return self._makes_sequence(value) and self.frame.varies(value)
        plain = isinstance(value, (gast.Name, gast.Subscript, gast.List, gast.ListComp, gast.BinOp))
        return plain and self.frame.varies(value)

    def _makes_sequence(self, value: Any) -> bool:
        """Say whether a call makes an array or a list."""
        named = isinstance(value.func, (gast.Name, gast.Attribute))
        callee = self.frame.looked_at(value.func) if named else None
        if not isinstance(callee, Known):
            return False
        home = getattr(callee.value, "__module__", None) or ""
        lists = any(callee.value is item for item in (list, tuple, sorted))
        return lists or home.partition(".")[0] == "numpy"

    def _is_dict(self, name: str) -> bool:
        """Say whether the program binds a name to a dict, which is run through by its keys."""
        bindings = found_in(self.frame.code.tree, gast.Assign)
        made = [item.value for item in bindings if getattr(item.targets[0], "id", "") == name]
        return any(isinstance(item, (gast.Dict, gast.DictComp)) for item in made)

    def _advanced(self, cursor: Cursor, node: Any) -> int:
        """Return how many items an iterator has given.

        Raises:
            UnsupportedSyntaxError: Only the run tells, or it has been handed on.
        """
        if cursor.depth != self.frame.depth or cursor.taken == _ENDED:
            self.frame.refuse(
                node,
                "an iterator that is advanced in a branch or loop, or used again",
                _INDEX,
            )
        return cursor.taken


def _may_resize(node: Any, name: str) -> bool:
    """Say whether a part of a loop may change how long a list is that has a name, or others."""
    if isinstance(node, gast.Call):
        given = name in map(_name, node.args) and _name(node.func) != "len"
        return given or getattr(node.func, "attr", "") in WRITING
    if isinstance(node, gast.AugAssign):
        return _name(node.target) == name
    ends = isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Slice)
    return isinstance(node, gast.Delete) or (ends and isinstance(node.ctx, gast.Store))


def _name(node: Any) -> str:
    return getattr(node, "id", "")


def run_through_once(tree: Any, name: str) -> bool:
    r"""Say whether a function reads a variable in one place alone, to loop over what it holds.

    What it binds the name to may read it, too, as ``xs = zip(*xs)`` does.

    >>> def once(text):
    ...     return run_through_once(gast.parse(f"def f(xs):\n  {text}").body[0], "xs")
    >>> once("xs = zip(*xs); return [sum(x) for x in xs]"), once("for i in n: print(list(xs))")
    (True, False)
    >>> once("xs = zip(*xs); return xs")
    False
    """
    places = list(_reads(tree, name, looping=False))
    return len(places) == 1 and places[0]


def _reads(node: Any, name: str, *, looping: bool) -> Iterator[bool]:
    """Yield for each read of a name whether that is what a loop goes over which runs once."""
    if isinstance(node, gast.Assign) and name in [getattr(t, "id", "") for t in node.targets]:
        return
    over = node.iter if isinstance(node, gast.For) else None
    if isinstance(node, _COMPREHENSIONS):
        over = node.generators[0].iter
    if getattr(over, "id", "") == name:
        yield not looping
    inside = looping or isinstance(node, (gast.For, gast.While, *_COMPREHENSIONS))
    for child in gast.iter_child_nodes(node):
        for part in [child.iter, *child.ifs] if isinstance(child, gast.comprehension) else [child]:
            if part is not over:
                yield from _reads(part, name, looping=inside)
    if isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load):
        yield False


def _part(source: Any, start: int, step: int) -> Any:
    if start == 0 and step == 1:
        return clone(source)
    lower = gast.Constant(start, None) if start else None
    stride = gast.Constant(step, None) if step > 1 else None
    return subscript(clone(source), gast.Slice(lower, None, stride))


def _is_none(value: Any) -> bool:
    return isinstance(value, gast.Constant) and value.value is None
