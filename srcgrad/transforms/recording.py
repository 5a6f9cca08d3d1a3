"""Records what the backward pass must find again of each loop trip, and restores it there.

Outside of loops the local variables themselves are the record. Inside, a value is recomputed if
that is a mere read, and otherwise kept in a list, one entry an iteration.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import (
    add_assign,
    assign,
    at,
    call,
    clone,
    load,
    method,
    names_tuple,
    store,
    subscript,
)
from srcgrad.ir.changes import change_of
from srcgrad.ir.jumps import jumps
from srcgrad.ir.liveness import first_reads
from srcgrad.ir.marks import ATTEMPT, CLOSING, COUNTS, IS_RECORD, LEAVES, RESCUED
from srcgrad.ir.names import Namer
from srcgrad.ir.program import bound_by, bound_names, header_reads
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements, walk
from srcgrad.transforms.order_records import Orders
from srcgrad.transforms.putting_back import insert_behind
from srcgrad.transforms.sweep import Pair

_MOST_OPERATIONS: Final = 4


class Recorder:
    """Inserts the records of one function.

    Attributes:
        recorded: The names whose values went into lists.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for i in range(n):
    ...     a = xs[i]
    ...     y = np.sin(a * y)
    ... for i in reversed(range(n)):
    ...     grad_y = grad_y * a * np.cos(y)
    ... ''')
    >>> pair, asks = Pair(*body, "loop"), (str.islower, frozenset(), callable, callable)
    >>> Recorder(Namer(["y"]), body, *asks).run([pair])
    >>> print(text(body))
    y_saved = []
    for i in range(n):
        a = xs[i]
        y = np.sin(a * y)
        y_saved.append(y)
    for i in reversed(range(n)):
        y = y_saved.pop()
        a = xs[i]
        grad_y = grad_y * a * np.cos(y)
    """

    def __init__(
        self,
        namer: Namer,
        forward: list[Any],
        stable: Callable[[str], bool],
        results: frozenset[str],
        is_number: Callable[[str], bool],
        is_final: Callable[[Any], bool],
    ) -> None:
        self.parameters: Collection[str] = ()
        self.stored: Collection[int] = ()  # statements that write elements for good
        self.copies: Collection[str] = ()  # of sections of lists, which are changed later
        self._is_final = is_final
        self._whole = forward
        self.recorded: set[str] = set()
        self._is_number = is_number
        self._results = results
        self._bound_once: set[str] = set()
        self._namer = namer
        self.orders = Orders(namer, is_number)
        self._stable = stable
        self._block: dict[int, list[Any]] = {}
        self._loop: dict[int, Any] = {}
        self._attempt: dict[int, Any] = {}
        self._map(forward, None, None)

    def _map(self, block: list[Any], loop: Any, attempt: Any) -> None:
        for statement in block:
            self._block[id(statement)] = block
            self._loop[id(statement)] = loop
            self._attempt[id(statement)] = attempt
            inner = statement if isinstance(statement, (gast.For, gast.While)) else loop
            if isinstance(statement, gast.If) and loop is not None:
                self._note_exits(statement, loop)
            inside = attempt if inner is loop else None
            for part in blocks_of(statement):
                self._map(part, inner, statement if RESCUED.of(statement) else inside)

    def _note_exits(self, branch: Any, loop: Any) -> None:
        """What is bound on the way out of all loops keeps its value: there is no other trip."""
        for part in (branch.body, branch.orelse):
            if _leaves_loop(part):
                names = _bound_outside_loops(part)
                returns = any(self._namer.base(name) in self._results for name in names)
                if returns or self._loop[id(loop)] is None:
                    self._bound_once |= names

    def run(self, pairs: list[Pair]) -> None:
        """Insert the records; inner pairs come before the outer ones that hold them."""
        for pair in pairs:
            if pair.kind == "loop":
                self._record_loop(pair.primal, pair.adjoint)
            elif self._loop.get(id(pair.primal)) is not None and not self._may_fail(pair.primal):
                self._record_branch(pair.primal.body, pair.adjoint.body, pair.primal)
                self._record_branch(pair.primal.orelse, pair.adjoint.orelse, pair.primal)

    def _may_fail(self, branch: Any) -> bool:
        """Say whether a branch lies in a `try`, whose records are kept once it is at its end."""
        return self._attempt.get(id(branch)) is not None

    # -- branches inside loops

    def _record_branch(self, primal: list[Any], adjoint: list[Any], branch: Any) -> None:
        closed = [s for s in primal if not CLOSING.of(s)]
        attempt = ATTEMPT.of(branch) if primal is branch.orelse else None
        if attempt is not None:
            closed = [*attempt.body, *closed]
        names = self._wanted(closed, adjoint, [])
        if not names:
            return
        recipes, names = self._recipes(closed, names, set(), [], adjoint)
        names = self.orders.keep(primal, names, adjoint, recipes)
        if names:
            saved = self._list_before(self._loop[id(branch)], names)
            if attempt is not None:
                self._bind_before(attempt, names)
            primal.insert(_end_of(primal), _push(saved, names, branch))
            adjoint[0:0] = [_pop(saved, names, branch), *recipes]
        else:
            adjoint[0:0] = recipes

    # -- loops

    def _record_loop(self, loop: Any, mirror: Any) -> None:
        given = names_bound(mirror.target) if _is_counted(mirror) else []
        names = self._wanted(loop.body, mirror.body, given)
        if isinstance(loop, gast.For) and not given:
            reads = first_reads(mirror.body)
            names += [n for n in names_bound(loop.target) if n in reads and n not in names]
        recipes, names = self._recipes(loop.body, names, set(given), _targets(loop), mirror.body)
        names = self.orders.keep(loop.body, names, mirror.body, recipes)
        if _is_counted(mirror):
            self._restore_counted(loop, mirror, names, recipes)
            return
        insert_behind(recipes, mirror.body)
        if names and not (COUNTS.of(mirror) and names == _targets(loop)):
            mirror.target = names_tuple(names, storing=True)
            mirror.iter = call("reversed", load(self._push_values(loop, names)))
            return
        gone = id(loop) not in self._block and all(map(self._stable, names_read(loop.iter)))
        mirror.iter = clone(loop.iter) if gone else call("range", load(self._count_trips(loop)))
        if names:
            trips = call("list", mirror.iter) if gone else _first_of(loop.iter, mirror.iter)
            mirror.target, mirror.iter = clone(loop.target), call("reversed", trips)

    def _restore_counted(
        self, loop: Any, mirror: Any, names: list[str], recipes: list[Any]
    ) -> None:
        """Restore the values of a loop whose mirror counts its trips backwards."""
        insert_behind(recipes, mirror.body)
        if not names:
            return
        saved = self._push_values(loop, names)
        if first_reads(mirror.body).isdisjoint(_targets(loop)):
            mirror.target = names_tuple(names, storing=True)
            mirror.iter = call("reversed", load(saved))
        else:
            mirror.body.insert(0, _pop(saved, names, loop))

    def _push_values(self, loop: Any, names: list[str]) -> str:
        saved = self._list_before(loop, names)
        push = _push(saved, names, loop)
        heads = {name for s in _closing(loop.body) for name in _bound_by(s)}
        if set(names) <= heads.union(_targets(loop)):
            loop.body.insert(_after_exits(loop.body), push)
        else:
            loop.body.insert(_once_bound(loop.body, names), push)
            self._bind_all(loop, [name for name in names if name not in heads])
        self._bind_carried(loop, [name for name in names if name in heads])
        return saved

    def _bind_carried(self, loop: Any, names: list[str]) -> None:
        """Bind before a loop what only its trips bind, each for the next one."""
        block = self._block[id(loop)]
        near = reversed(block[: block.index(loop)])  # where most are bound
        before = itertools.takewhile(lambda item: item is not loop, statements(self._whole))
        missing = set(names).difference(self.parameters)
        for item in itertools.chain(near, before):
            if not missing:
                return
            missing.difference_update(_bound_by(item))
        for name in [name for name in names if name in missing]:
            start = assign(name, gast.Constant(None, None), loop)
            block.insert(block.index(loop), start)

    def _bind_before(self, attempt: Any, names: list[str]) -> None:
        """Bind what only some paths through a `try` bind, so that it can be recorded."""
        block = self._block[id(attempt)]
        before = first_reads(block[block.index(attempt) :])  # they are bound already
        bound = surely_bound(attempt.body) | before
        for name in [name for name in names if name not in bound]:
            start = assign(name, gast.Constant(None, None), attempt)
            block.insert(block.index(attempt), start)

    def _bind_all(self, loop: Any, names: list[str]) -> None:
        """Bind what only some paths bind, so that it can be recorded."""
        bound = surely_bound(loop.body) | set(_targets(loop))
        for name in reversed([name for name in names if name not in bound]):
            loop.body.insert(0, assign(name, gast.Constant(None, None), loop))

    def _count_trips(self, loop: Any) -> str:
        trips = self._namer.fresh("trips")
        block = self._block[id(loop)]
        block.insert(block.index(loop), assign(trips, gast.Constant(0, None), loop))
        step = add_assign(store(trips), gast.Constant(1, None), loop)
        loop.body.insert(_after_exits(loop.body), step)
        return trips

    def _list_before(self, loop: Any, names: list[str]) -> str:
        wish = f"{self._namer.base(names[0])}_saved" if len(names) == 1 else "steps"
        saved = self._namer.fresh(wish)
        self.recorded.update(names)
        block = self._block[id(loop)]
        made = assign(saved, gast.List([], gast.Load()), loop)
        block.insert(block.index(loop), made)
        return saved

    # -- what to record

    def _wanted(self, primal: list[Any], adjoint: list[Any], given: list[str]) -> list[str]:
        made = bound_names(primal) - self._bound_once
        wanted = first_reads(adjoint) & made
        order = [name for s in statements(primal) for name in _bound_by(s)]
        return [name for name in dict.fromkeys(order) if name in wanted and name not in given]

    def _recipes(
        self,
        body: list[Any],
        names: list[str],
        given: set[str],
        targets: list[str],
        adjoint: list[Any],
    ) -> tuple[list[Any], list[str]]:
        """Split the wanted names into those that are computed again and those that are recorded."""
        made = (bound_names(body) | set(targets)) - given
        binds = Counter(name for statement in statements(body) for name in _changed_by(statement))
        asked = Counter(
            name for statement in statements(adjoint) for name in header_reads(statement)
        )
        there = set(targets).intersection(names)  # what a loop runs over is recorded
        again: dict[str, Any] = {}
        sums: dict[str, Any] = {}
        for statement in body:
            (name,) = _bound_by(statement) if len(_bound_by(statement)) == 1 else ("",)
            if not name or CLOSING.of(statement) or binds[name] > 1 or name in self.copies:
                continue
            reads = set(names_read(getattr(statement, "value", None)))
            if not isinstance(statement, gast.Assign) or not self._lasts(statement, reads):
                continue
            if self._is_arithmetic(statement.value):
                sums[name] = statement.value
            elif self._is_read(statement.value) and not reads & made - again.keys() - there:
                if name in names:
                    again[name] = statement.value
                elif self._is_number(name):
                    sums[name] = statement.value
        for name, element in self._stored_in(body):
            last = binds[name] == 1 and not set(names_read(element)) & made - again.keys()
            if last and name in names:
                again.setdefault(name, element)
        free = {n for n in names if asked[n] == 1 and n in sums and n not in again}
        kept = {name for name in names if name not in again and name not in free}
        for name in [name for name in sums if name in free]:
            value = _Arithmetic(sums, kept).visit(clone(sums[name]))
            steps = sum(isinstance(node, (gast.BinOp, gast.Call)) for node in walk(value))
            few = steps <= _MOST_OPERATIONS
            if few and not set(names_read(value)) & made - again.keys() - kept:
                again[name] = value
            else:
                kept.add(name)
        return self._anew(again, adjoint), [name for name in names if name in kept]

    def _stored_in(self, body: list[Any]) -> Iterator[tuple[str, Any]]:
        """Yield what a block stores where it stays, and how to read it there."""
        for statement in body:
            name = getattr(getattr(statement, "value", None), "id", "")
            if id(statement) in self.stored and (self._is_number(name) or self._stable(name)):
                element = clone(statement.targets[0])
                element.ctx = gast.Load()
                yield name, element

    def _lasts(self, statement: Any, reads: set[str]) -> bool:
        """Say whether what a statement reads is still there when the forward pass has ended."""
        changing = {name for name in reads if not self._stable(name)}
        ours = changing == {root_name(statement.value)}
        return not changing or (ours and self._is_final(statement))

    def _anew(self, values: dict[str, Any], adjoint: list[Any]) -> list[Any]:
        """Return statements that compute values again for `adjoint`, under versions of their own.

        A value that each side reads once can then stand where it is read.
        """
        renamed: dict[str, str] = {}
        for name, value in values.items():  # what is another's value is read under its name
            copied = renamed.get(value.id, value.id) if isinstance(value, gast.Name) else None
            renamed[name] = copied or self._namer.version(name)
        plain = {name: value for name, value in values.items() if not isinstance(value, gast.Name)}
        recipes = [assign(name, clone(value)) for name, value in plain.items()]
        for statement in [*recipes, *adjoint]:
            for node in walk(statement):
                if isinstance(node, gast.Name):
                    node.id = renamed.get(node.id, node.id)
        return recipes

    def _is_arithmetic(self, node: Any) -> bool:
        """Say whether an expression is arithmetic of a few numbers: no dearer than a record."""
        if isinstance(node, (gast.Constant, gast.Attribute, gast.Subscript)):
            is_size = isinstance(getattr(node, "value", None), gast.Attribute)
            return self._is_read(node) and (is_size or not isinstance(node, gast.Subscript))
        if isinstance(node, gast.Name):
            return self._is_number(node.id)
        if isinstance(node, gast.UnaryOp):
            return self._is_arithmetic(node.operand)
        if isinstance(node, gast.Call):
            plain = getattr(getattr(node.func, "value", None), "id", "") == "math"
            return plain and not node.keywords and all(map(self._is_arithmetic, node.args))
        return isinstance(node, gast.BinOp) and all(
            map(self._is_arithmetic, (node.left, node.right))
        )

    def _is_read(self, node: Any) -> bool:
        """Say whether an expression only looks something up or compares numbers."""
        if isinstance(node, (gast.Name, gast.Constant, gast.Slice)) or node is None:
            return True
        if isinstance(node, gast.Subscript):
            return self._is_read(node.value) and self._is_index(node.slice)
        if isinstance(node, gast.Compare):
            return all(self._is_read(item) for item in [node.left, *node.comparators])
        if isinstance(node, gast.Attribute):
            return node.attr in ("shape", "ndim", "size") and self._is_read(node.value)
        return False

    def _is_index(self, node: Any) -> bool:
        if isinstance(node, gast.Tuple):
            return all(self._is_index(item) for item in node.elts)
        if isinstance(node, gast.BinOp):
            return self._is_index(node.left) and self._is_index(node.right)
        if isinstance(node, gast.Slice):
            return all(p is None or self._is_index(p) for p in (node.lower, node.upper, node.step))
        if isinstance(node, gast.UnaryOp):
            return self._is_index(node.operand)
        return isinstance(node, (gast.Name, gast.Constant))


class _Arithmetic(Rewriter):
    """Puts the arithmetic of numbers in the place of names that are not kept."""

    def __init__(self, sums: dict[str, Any], kept: set[str]) -> None:
        self._sums = sums
        self._kept = kept

    def visit_Name(self, node: Any) -> Any:
        """Replace one name."""
        if node.id in self._kept or node.id not in self._sums:
            return node
        return self.visit(clone(self._sums[node.id]))


def _bound_by(statement: Any) -> list[str]:
    return [] if isinstance(statement, gast.AugAssign) else bound_by(statement)


def _changed_by(statement: Any) -> list[str]:
    updated = isinstance(statement, gast.AugAssign)
    return names_bound(statement.target) if updated else _bound_by(statement)


def _targets(loop: Any) -> list[str]:
    return names_bound(loop.target) if isinstance(loop, gast.For) else []


def _is_counted(mirror: Any) -> bool:
    """Say whether the mirrored loop runs over indices (the others wait for their iterable)."""
    return not isinstance(mirror.iter, gast.Constant)


def _leaves_loop(branch: list[Any]) -> bool:
    """Say whether a branch of a loop's body surely leaves the loop."""
    last = branch[-1] if branch else None
    if isinstance(last, gast.If):
        return _leaves_loop(last.body) and _leaves_loop(last.orelse)
    return isinstance(last, gast.Break)


def _bound_outside_loops(block: list[Any]) -> set[str]:
    found: set[str] = set()
    for statement in block:
        if isinstance(statement, gast.If):
            found |= _bound_outside_loops(statement.body) | _bound_outside_loops(statement.orelse)
        elif not CLOSING.of(statement):
            found.update(_bound_by(statement))
    return found


def _closing(block: list[Any]) -> list[Any]:
    """Return the copies that close the trips of a loop with this body, at whichever end."""
    found = [s for s in block if CLOSING.of(s)]
    last = block[-1] if block else None
    ends = (last.body, last.orelse) if isinstance(last, gast.If) else ()
    return found + [s for end in ends for s in _closing(end)]


def _end_of(block: list[Any]) -> int:
    """Return the place before the statements that end a trip or lead out of the loop."""
    for position, item in enumerate(block):
        if LEAVES.of(item):
            continue
        if CLOSING.of(item) or any(isinstance(j, gast.Break) for j in jumps([item])):
            return position
    return len(block)


def _once_bound(block: list[Any], names: list[str]) -> int:
    """Return the first place where all names are bound that the statements of a block bind.

    What is recorded early leaves its name free for the next value. A list is recorded when it is
    full: then it is reached by one name while it grows, which second derivatives ask for.
    """
    end = _end_of(block)
    wanted = set(names)
    binding = [
        place
        for place in range(end)
        if (bound_names([block[place]]) | _grown_in(block[place])) & wanted
    ]
    return max(binding[-1] + 1, _after_exits(block)) if binding else end


def _after_exits(block: list[Any]) -> int:
    """Return the place after the branches of a trip that leave the loop and are not recorded."""
    exits = [place for place, item in enumerate(block) if LEAVES.of(item)]
    return exits[-1] + 1 if exits else 0


def _grown_in(statement: Any) -> set[str]:
    """Return the lists that a statement, or one inside of it, appends to."""
    changes = map(change_of, statements([statement]))
    return {change.name for change in changes if change is not None}


def _first_of(indices: Any, counted: Any) -> Any:
    """Return the part of a `range` that a loop went through before it was left."""
    if len(indices.args) == 1:
        return counted
    return subscript(clone(indices), gast.Slice(None, counted.args[0], None))


def _push(saved: str, names: list[str], like: Any) -> Any:
    push = at(gast.Expr(method(load(saved), "append", names_tuple(names))), like)
    IS_RECORD.put(push, True)
    return push


def _pop(saved: str | None, names: list[str], like: Any) -> Any:
    popped = method(load(saved or ""), "pop")
    return assign(names_tuple(names, storing=True), popped, like)


def surely_bound(block: list[Any]) -> set[str]:
    """Return the names that a block binds on every path."""
    bound: set[str] = set()
    for statement in block:
        if isinstance(statement, gast.If):
            bound |= surely_bound(statement.body) & surely_bound(statement.orelse)
        elif isinstance(statement, gast.Try) and not RESCUED.of(statement):
            bound |= surely_bound(statement.body) | surely_bound(statement.finalbody)
        elif isinstance(statement, gast.With):
            bound |= surely_bound(statement.body) | set(_bound_by(statement))
        elif isinstance(statement, gast.Assign):
            bound.update(_bound_by(statement))
    return bound
