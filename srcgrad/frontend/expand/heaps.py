"""Writes heaps, and lists that are kept in order, as lists into which entries are inserted.

`heapq` promises which entry comes next, and nothing else of how the others lie. So a heap may be a
sorted list wherever nobody looks at more than its first entry and its length.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Iterator
from typing import Any, Final

from srcgrad.frontend.expand.frame import NeedsInlineError
from srcgrad.frontend.expand.order import place
from srcgrad.frontend.expand.part import Part, function
from srcgrad.frontend.expand.scoping import free_names
from srcgrad.frontend.expand.values import Known, Recorded, Value
from srcgrad.ir import gast
from srcgrad.ir.build import at, call, clone, method
from srcgrad.ir.displays import makes_list
from srcgrad.ir.walk import found_in, is_same

Bound = dict[str, Value]

_OF_HEAPS: Final = ("heappush", "heappop", "heapify", "heappushpop", "heapreplace")
_ASKS: Final = ("len", "bool")


class Heaps(Part):
    """The part of the expansion that deals with `heapq`, and with `bisect.insort`."""

    def ordered(self, callee: Known, args: list[Value], keywords: Bound, node: Any) -> Any:
        """Return what stands for a call of `heapq` or `bisect`; None of another."""
        handler = self.handler("function", id(callee.value))
        return handler(args, keywords, node) if handler is not None and args else None

    @function(heapq.heappush)
    def _push(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if len(args) != 2 or not self._is_hidden(node):
            return None
        return self._inserted(args, bisect.bisect_right, node)

    @function(heapq.heappop)
    def _pop(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return self._first(args, node) if self._is_hidden(node) else None

    @function(heapq.heapify)
    def _heapify(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if not self._is_hidden(node):
            return None
        self.frame.changed = True
        return at(method(self.frame.plain(args[0], node), "sort"), node)

    @function(heapq.heappushpop)
    def _push_and_pop(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        if not self._is_hidden(node) or not self.frame.hoistable or self.frame.disturbs(node):
            return None
        put = self._inserted(args, bisect.bisect_right, node)
        self.frame.out.append(at(gast.Expr(put), node))
        return self._first(args, node)

    @function(bisect.insort_right)
    def _insort(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        plain = len(args) == 2 and not keywords
        return self._inserted(args, bisect.bisect_right, node) if plain else None

    @function(bisect.insort_left)
    def _insort_left(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        plain = len(args) == 2 and not keywords
        return self._inserted(args, bisect.bisect_left, node) if plain else None

    @function(heapq.nsmallest)
    def _smallest(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return self._ends_of(args, keywords, node)

    @function(heapq.nlargest)
    def _largest(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        return self._ends_of(args, {**keywords, "reverse": gast.Constant(True, None)}, node)

    def _ends_of(self, args: list[Value], keywords: Bound, node: Any) -> Value | None:
        """Return the first entries of a sorted list, as many as the first argument says."""
        if len(args) != 2 or not keywords.keys() <= {"key", "reverse"}:
            return None
        count = self.frame.plain(args[0], node)
        if not isinstance(count, gast.Constant):
            count = call("max", count, gast.Constant(0, None))
        rows = self.frame.call(Known(sorted), [args[1]], keywords, node)
        whole = rows.expression if isinstance(rows, Recorded) else self.frame.plain(rows, node)
        self.frame.changed = True
        part = at(gast.Subscript(whole, gast.Slice(None, count, None), gast.Load()), node)
        return Recorded(rows.kind, part) if isinstance(rows, Recorded) else part

    def _inserted(self, args: list[Value], search: Any, node: Any) -> Any:
        """Return the call that inserts a value where it belongs."""
        rows, item = (self.frame.plain(value, node) for value in args)
        if not isinstance(item, (gast.Name, gast.Constant)):
            if not self.frame.hoistable or self.frame.disturbs(node):
                self.frame.refuse_order(node)
            item = self.frame.keep("item", item, node)
        holder = self.frame.constant(bisect, "bisect")
        func = gast.Attribute(holder, search.__name__, gast.Load())
        where = gast.Call(func, [clone(rows), clone(item)], [])
        self.frame.changed = True
        return at(method(rows, "insert", where, item), node)

    def _first(self, args: list[Value], node: Any) -> Any:
        self.frame.changed = True
        rows = self.frame.plain(args[0], node)
        return at(method(rows, "pop", gast.Constant(0, None)), node)

    # -- who looks at a heap

    def _is_hidden(self, node: Any) -> bool:
        """Say whether nobody looks at more of the heap of a call than its length and first entry.

        That is asked of the definition that the call stands in, as its author wrote it.

        Raises:
            NeedsInlineError: The heap is a variable of the function around that definition.
        """
        where = place(node)
        for tree in (self.frame.code.tree, *self.frame.inlined):
            calls = (call for call in found_in(tree, gast.Call) if place(call) == where)
            found = next((call for call in calls if _is_of_heaps(call)), None)
            if found is not None:
                name = getattr(found.args[0], "id", "")
                if not self.frame.begins and name in free_names(tree):
                    raise NeedsInlineError
                return bool(name) and _is_looked_at_little(tree, name)
        return False


def _is_of_heaps(call: Any) -> bool:
    """Say whether a call is one of a function of `heapq`, by its name."""
    func = call.func
    return getattr(func, "attr", getattr(func, "id", "")) in _OF_HEAPS and bool(call.args)


def _is_looked_at_little(tree: Any, name: str) -> bool:
    """Say whether a definition makes a list, and uses it as a heap alone."""
    used = [node for node in found_in(tree, gast.Name) if node.id == name]
    given = [call for call in found_in(tree, gast.Call) if call.args]
    calls = [call for call in given if getattr(call.args[0], "id", "") == name]
    ordered = any(getattr(c.func, "attr", getattr(c.func, "id", "")) == "heapify" for c in calls)
    made = [
        item
        for item in found_in(tree, gast.Assign)
        if len(item.targets) == 1 and getattr(item.targets[0], "id", "") == name
    ]
    heaps = all(_is_heap(item.value, ordered=ordered) for item in made)
    known = {id(node) for node in _known_uses(tree, calls, made)}
    return bool(made) and heaps and all(id(node) in known for node in used)


def _is_heap(value: Any, *, ordered: bool) -> bool:
    """Say whether an expression makes a list that is a heap, or is one once it is `ordered`."""
    short = isinstance(value, gast.List) and len(value.elts) <= 1
    return makes_list(value) and (ordered or short)


def _known_uses(tree: Any, calls: list[Any], made: list[Any]) -> Iterator[Any]:
    """Yield what names a list where it is made, used as a heap, or asked for its length."""
    yield from (item.targets[0] for item in made)
    for item in calls:
        if _is_of_heaps(item) or getattr(item.func, "id", "") in _ASKS:
            yield item.args[0]
    zero = gast.Constant(0, None)
    for item in found_in(tree, gast.Subscript):
        if is_same(item.slice, zero) and isinstance(item.ctx, gast.Load):
            yield item.value
    for item in found_in(tree, gast.While, gast.If, gast.IfExp):
        yield item.test
    for item in found_in(tree, gast.UnaryOp):
        yield item.operand
    for item in found_in(tree, gast.BoolOp):
        yield from item.values
