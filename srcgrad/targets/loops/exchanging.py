"""Exchanges two loops of which the inner one goes down the columns of arrays.

A row lies in one piece of memory, and its entries can be computed several at a time; a sum down a
column can not. So ``for j: for k: total += a[k] * b[k, j]`` becomes ``for k: for j:``, with a total
for each `j`. Each entry and each sum still meets the same numbers in the same order (but for sums
over `j` where that counts down). What stands in the outer loop before the inner one, and behind it,
is a loop of its own then (loop distribution and interchange; R. Allen and K. Kennedy, "Optimizing
Compilers for Modern Architectures", 2001, chapters 5 and 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, dotted, load, store, subscript
from srcgrad.ir.marks import IS_LOOKED_AT
from srcgrad.ir.names import free_name
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import blocks_of, found_in
from srcgrad.targets.loops.aliases import Aliases
from srcgrad.targets.loops.exposed import Exposed, loaded_in, stored_in
from srcgrad.targets.loops.kind import Array, Kind, is_number
from srcgrad.targets.loops.pairs import BEFORE, INNER, Access, Pair, items_of, pair_of
from srcgrad.targets.loops.reserving import counts
from srcgrad.targets.loops.shapes import shown
from srcgrad.targets.loops.words import TYPES, held


class Exchange:
    """Exchanges the loops of one function that are better the other way round."""

    def __init__(
        self, function: Any, kind_of: Callable[[Any], Kind], known: dict[str, Kind]
    ) -> None:
        self._function = function
        self._kind = kind_of
        self._known = known
        self._names = {item.id for item in found_in(function, gast.Name)}
        for node in found_in(function, gast.For, gast.Assign):
            self._note(node)
        self._aliases = Aliases(function, kind_of)

    def _note(self, node: Any) -> None:
        """Note the kind of a number that a nest has given a name."""
        is_loop = isinstance(node, gast.For)
        target = node.target if is_loop else node.targets[0]
        if isinstance(target, gast.Name) and self._kind(target) is None:
            kind = self._kind(node.value) if not is_loop else "int" if counts(node) else None
            if is_number(kind):
                self._known[target.id] = kind

    def write(self) -> None:
        """Rewrite the function in place."""
        self._block(self._function.body, [])

    def _block(self, body: list[Any], around: Sequence[Any]) -> None:
        """Go through a block; `around` stands beside what the block is in."""
        for statement in list(body):
            beside = [*around, *(item for item in body if item is not statement)]
            for block in blocks_of(statement):
                self._block(block, beside)
            if isinstance(statement, gast.For):
                made = self._exchanged(statement, beside)
                if made:
                    place = next(k for k, item in enumerate(body) if item is statement)
                    body[place : place + 1] = made

    def _exchanged(self, loop: Any, beside: Sequence[Any]) -> list[Any]:
        """Return what stands for a loop, with the one in it outside; nothing if that may not be."""
        pair = pair_of(loop, self._kind)
        if pair is None:
            return []
        accesses = list(pair.accesses())
        spread, moved = self._numbers(pair)
        if spread is None or not (self._is_free(pair, accesses) and _pays(pair, accesses, spread)):
            return []
        names = {*spread, *moved, *pair.views, pair.counter, pair.inner.target.id}
        if any(Exposed().take([item]).reads & names for item in beside):
            return []
        return self._written(pair, accesses, spread)

    # -- whether it may be

    def _numbers(self, pair: Pair) -> tuple[list[str] | None, set[str]]:
        """Return the numbers that need an entry for each trip, and those of the inner loop alone.

        There is none of the first, but None, where a number goes from trip to trip.
        """
        stored = {name for _, item in pair.statements() for name in stored_in([item])}
        parts: dict[str, set[int]] = {name: set() for name in stored}
        begun: dict[str, Any] = {}
        for place, statement in pair.statements():
            for name in (loaded_in([statement]) | stored_in([statement])) & stored:
                parts[name].add(place)
                is_begun = isinstance(statement, gast.Assign) and name not in loaded_in([statement])
                begun.setdefault(name, place if is_begun else None)
        spread: list[str] = []
        for name, places in parts.items():
            if len(places) == 1 and places != {INNER}:
                continue
            if begun[name] is None or (len(places) > 1 and begun[name] != BEFORE):
                return None, set()
            if len(places) > 1:
                spread.append(name)
        if not all(is_number(self._kind(load(name))) for name in spread):
            return None, set()
        return sorted(spread), {name for name, places in parts.items() if places == {INNER}}

    def _is_free(self, pair: Pair, accesses: Sequence[Access]) -> bool:
        """Say whether no trip of the outer loop meets what another one has written.

        Sums in the inner loop have the same order afterwards, one after the other.
        """
        arrays = {item.array for item in accesses}
        for array in {item.array for item in accesses if item.is_written}:
            if any(self._aliases.may_meet(array, other) for other in arrays - {array}):
                return False
            own = [item for item in accesses if item.array == array]
            axes = [
                {axis for axis, x in enumerate(item.index) if getattr(x, "id", "") == pair.counter}
                for item in own
            ]
            parts = {item.part for item in own}
            if set.intersection(*axes) or (len(parts) == 1 and parts != {INNER}):
                continue
            is_sum = len(own) == 1 and own[0].adder is not None
            if parts != {INNER} or not is_sum or pair.counter in loaded_in(own[0].index):
                return False
        return True

    # -- text

    def _written(self, pair: Pair, accesses: Sequence[Access], spread: Sequence[str]) -> list[Any]:
        counter, count = pair.counter, shown(pair.trips)
        entries: dict[str, str] = {}
        made: list[Any] = []
        for name in spread:
            word, entries[name] = (
                held(self._kind(load(name))),
                free_name(f"{name}_for_{counter}", self._names),
            )
            dtype = [] if word == "float64" else [dotted(f"np.{TYPES.get(word, word)}")]
            made.append(assign(entries[name], call("np.empty", clone(count), *dtype)))
            self._known[entries[name]] = Array(word, 1)
        wide = {name: self._widened(name, view, counter) for name, view in pair.views.items()}
        made += [assign(names[0], names[1]) for names in wide.values()]
        made += pair.guards
        sums = [
            item.adder
            for item in accesses
            if item.adder is not None
            and item.part == INNER
            and counter not in loaded_in(item.index)
        ]
        before, inner, behind = pair.parts
        before, notes = _without_last_notes(before)
        loops = [*notes, self._inner(pair, inner, sums, count)]
        loops = [*_loop(pair.outer, before), *loops, *_loop(pair.outer, behind)]
        rewriter = _Rewriter(counter, entries, {name: wide[name][0] for name in wide}, pair.views)
        made = [rewriter.visit(item) for item in (*made, *loops)]
        for item in made:
            item.lineno = getattr(pair.outer, "lineno", None)
        return made

    def _widened(self, name: str, view: Any, counter: str) -> tuple[str, Any]:
        """Return a name for a part of an array for all trips at once, and the part."""
        items = items_of(view.slice)
        if not any(getattr(item, "id", "") == counter for item in items):
            return name, view
        whole = [
            gast.Slice(None, None, None) if getattr(item, "id", "") == counter else item
            for item in items
        ]
        while len(whole) > 1 and _is_all(whole[-1]):
            whole.pop()
        wide = free_name(f"{view.value.id}_parts", self._names)
        kind = self._kind(load(name))
        self._known[wide] = Array(kind.dtype, kind.ndim + 1)
        index = whole[0] if len(whole) == 1 else gast.Tuple(whole, gast.Load())
        return wide, subscript(view.value, index)

    def _inner(self, pair: Pair, body: Sequence[Any], sums: Sequence[Any], count: Any) -> Any:
        """Return the inner loop with the outer one in it; sums over that are numbers meanwhile."""
        first: list[Any] = []
        last: list[Any] = []
        done: list[Any] = []
        for statement in body:
            if any(statement is item for item in sums):
                array = statement.target.value.id
                name = free_name(
                    f"{pair.views[array].value.id if array in pair.views else array}_sum",
                    self._names,
                )
                entry = clone(statement.target)
                entry.ctx = gast.Load()
                self._known[name] = self._kind(entry)
                first.append(assign(name, entry))
                last.append(gast.Assign([clone(statement.target)], load(name), None))
                done.append(gast.AugAssign(store(name), statement.op, statement.value))
            else:
                done.append(statement)
        upward = gast.For(clone(pair.outer.target), call("range", clone(count)), done, [], None)
        inner = pair.inner
        return gast.For(inner.target, inner.iter, [*first, upward, *last], [], None)


def _loop(outer: Any, body: Sequence[Any]) -> list[Any]:
    """Return the outer loop with some of its statements, if there are any."""
    runs = any(not isinstance(item, Comment) for item in body)
    return [gast.For(outer.target, outer.iter, list(body), [], None)] if runs else list(body)


def _without_last_notes(body: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return statements up to the last one, and the comments behind that."""
    count = len(body)
    while count and isinstance(body[count - 1], Comment):
        count -= 1
    return list(body[:count]), list(body[count:])


def _is_all(item: Any) -> bool:
    return isinstance(item, gast.Slice) and item.lower is item.upper is item.step is None


def _pays(pair: Pair, accesses: Sequence[Access], spread: Sequence[str]) -> bool:
    """Say whether more of what the inner loop meets lies along rows for the outer counter."""
    inner = [item for item in accesses if item.part == INNER]
    down = pair.inner.target.id
    if not any(down in loaded_in(item.index[:-1]) for item in inner):
        return False
    statements = [item for place, item in pair.statements() if place == INNER]
    names = [node.id for item in statements for node in found_in(item, gast.Name)]
    along = sum(pair.counter in loaded_in(item.index[-1:]) for item in inner)
    along += sum(name in spread for name in names)
    return along > sum(down in loaded_in(item.index[-1:]) for item in inner)


class _Rewriter(gast.NodeTransformer):
    """Puts entries for each trip in the place of numbers, and of the parts of one trip."""

    def __init__(
        self,
        counter: str,
        entries: Mapping[str, str],
        wide: Mapping[str, str],
        views: Mapping[str, Any],
    ) -> None:
        self._counter = counter
        self._entries = entries
        self._wide = {name: new for name, new in wide.items() if new != name}
        self._views = views

    def visit_Name(self, node: Any) -> Any:
        entry = self._entries.get(node.id)
        if entry is None:
            return node
        storing = isinstance(node.ctx, gast.Store)
        found = subscript(load(entry), load(self._counter), storing=storing)
        IS_LOOKED_AT.put(found, True)
        return found

    def visit_Subscript(self, node: Any) -> Any:
        array = node.value
        if isinstance(array, gast.Attribute) and getattr(array.value, "id", "") in self._wide:
            axes = self._axes(array.value.id)
            shape = gast.Attribute(load(self._wide[array.value.id]), "shape", gast.Load())
            return subscript(shape, constant(axes[node.slice.value]))
        if getattr(array, "id", "") not in self._wide:
            return self.generic_visit(node)
        index = [self.visit(item) for item in items_of(node.slice)]
        whole = []
        for item in items_of(self._views[array.id].slice):
            if isinstance(item, gast.Slice):
                whole.append(index.pop(0))
            elif getattr(item, "id", "") == self._counter:
                whole.append(load(self._counter))
        made = gast.Tuple([*whole, *index], gast.Load())
        storing = isinstance(node.ctx, gast.Store)
        return subscript(load(self._wide[array.id]), made, storing=storing)

    def _axes(self, name: str) -> list[int]:
        """Return which axes of a part for all trips those of the part of one trip are."""
        axes: list[int] = []
        count = 0
        for item in items_of(self._views[name].slice):
            if isinstance(item, gast.Slice):
                axes.append(count)
            if isinstance(item, gast.Slice) or getattr(item, "id", "") == self._counter:
                count += 1
        return [*axes, *range(count, count + 8)]
