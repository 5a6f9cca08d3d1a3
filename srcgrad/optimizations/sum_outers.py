"""Sums the outer products of all trips of a loop as one product of matrices after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.build import add_assign, assign, at, call, clone, load, method, store, tuple_of
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import is_store, targets_of
from srcgrad.ir.walk import blocks_of, found_in, names_bound, names_read, root_name, statements
from srcgrad.optimizations.purity import Purity

Pair = tuple[Any, Any]
"""Two vectors of which all products are taken."""


@dataclass(frozen=True, slots=True)
class OuterVectors:
    """What is known of a body.

    Attributes:
        is_vector: Says which names are surely bound to arrays of one axis.
        is_matrix: Says which names are surely bound to arrays of two.
        is_integer: Says which names are surely bound to whole numbers.
        is_number: Says which names are surely bound to numbers.
        purity: Says which expressions write into what.
        fresh: Makes a name that nothing has yet.
    """

    is_vector: Callable[[str], bool]
    is_matrix: Callable[[str], bool]
    is_integer: Callable[[str], bool]
    is_number: Callable[[str], bool]
    purity: Purity
    fresh: Callable[[str], str]


def sum_outers(body: list[Any], known: OuterVectors) -> list[Any]:
    """Return `body` with outer products that trips add to an adjoint summed after their loop.

    A trip keeps the vectors instead of a matrix, and the library of linear algebra writes the
    matrix once. It is done where the trips have kept something already, so that there are no more
    numbers in memory than some times as many; of what is written into later, a copy is kept.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> known = OuterVectors(
    ...     lambda n: n[-1] in "hxyz", "m".__eq__, "i".__eq__, lambda n: False, purity, str
    ... )
    >>> body = parse('''
    ... for h, x in reversed(steps):
    ...     grad_w += np.outer(grad_y, h)
    ...     grad_v -= np.outer(grad_y, grad_z)
    ...     grad_y = grad_y @ w
    ...     grad_z += x
    ... for i in reversed(range(9)):
    ...     grad_w += np.outer(x, y)
    ... ''')
    >>> print(text(sum_outers(body, known)))
    outers = []
    outers = []
    for h, x in reversed(steps):
        outers.append((grad_y, h))
        outers.append((-grad_y, grad_z.copy()))
        grad_y = grad_y @ w
        grad_z += x
    grad_w += np.array([row for row, _ in outers]).T @ np.array([column for _, column in outers])
    grad_v += np.array([row for row, _ in outers]).T @ np.array([column for _, column in outers])
    for i in reversed(range(9)):
        grad_w += np.outer(x, y)
    """
    loops = [item for item in body if isinstance(item, gast.For)]
    sums = [item for loop in loops for item in statements(loop.body) if _may_add(item)]
    return _Summing(body, known).block(body) if any(_has_outers(item) for item in sums) else body


def _has_outers(addition: Any) -> bool:
    return any(_pair(node) is not None for node in found_in(addition.value, gast.Call))


@dataclass(slots=True)
class _Loop:
    """A loop that is being rewritten.

    Attributes:
        written: The names into whose memory its statements may write, with those.
        lists: For each sum, the list of pairs whose products are to be added.
    """

    written: list[tuple[str, Any]]
    lists: dict[str, str] = field(default_factory=dict)


class _Summing:
    def __init__(self, body: list[Any], known: OuterVectors) -> None:
        self._known = known
        self._sharing = Sharing(body, known.purity.of, known.is_number)
        self._copies = _copies(body)

    def block(self, block: list[Any]) -> list[Any]:
        """Return a block with the outermost loops rewritten that keep something for each trip."""
        done: list[Any] = []
        for item in block:
            if isinstance(item, gast.For) and _keeps(item):
                done += self._summed(item)
                continue
            for inner in blocks_of(item):
                inner[:] = self.block(inner)
            done.append(item)
        return done

    def _summed(self, loop: Any) -> list[Any]:
        inside = list(statements(loop.body))
        totals = {item.target.id for item in inside if self._terms(item)[0]}
        fit = {name for name in totals if self._may_wait(name, inside)}
        if not fit:
            return [loop]
        found = _Loop([pair for item in inside for pair in self._writes(item)])
        self._rewrite(loop.body, fit, found)
        made = found.lists
        before = [assign(name, gast.List([], gast.Load()), loop) for name in made.values()]
        after = [at(self._added(total, name), loop) for total, name in made.items()]
        return [*before, loop, *after]

    def _may_wait(self, total: str, inside: list[Any]) -> bool:
        """Say whether a loop does nothing with a sum but to add to it, under this name alone."""
        if not self._known.purity.is_adjoint(total):
            return False
        for item in inside:
            adds = isinstance(item, gast.AugAssign) and isinstance(item.op, (gast.Add, gast.Sub))
            target = item.target if adds else None
            named = _mentions(item, but=target if root_name(target) == total else None)
            if total in named or any(
                self._sharing.may_share(total, name) for name in named if name != total
            ):
                return False
        return True

    def _rewrite(self, block: list[Any], totals: set[str], loop: _Loop) -> None:
        done: list[Any] = []
        for item in block:
            for inner in blocks_of(item):
                self._rewrite(inner, totals if _keeps(item) else set(), loop)
            pairs, rest = self._terms(item)
            if not pairs or item.target.id not in totals:
                done.append(item)
                continue
            total = item.target.id
            if total not in loop.lists:
                loop.lists[total] = self._known.fresh("outers")
            for pair in pairs:
                kept = [self._kept(vector, item, block, loop) for vector in pair]
                added = method(load(loop.lists[total]), "append", tuple_of(kept))
                done.append(at(gast.Expr(added), item))
            if rest is not None:
                item.value = rest
                done.append(item)
        block[:] = done

    def _kept(self, vector: Any, like: Any, block: list[Any], loop: _Loop) -> Any:
        """Return what keeps a vector of each trip: a copy, if it is written into later."""
        root = root_name(vector)
        lasts = root is None
        if isinstance(vector, gast.Name):
            lasts = self._lasts(vector.id, like, block, loop)
        elif root is not None:
            lasts = not any(self._sharing.may_share(written, root) for written, _ in loop.written)
        return clone(vector) if lasts else method(clone(vector), "copy")

    def _added(self, total: str, pairs: str) -> Any:
        """Return what adds the products of all that was kept."""
        matrices = []
        for place, word in enumerate(("row", "column")):
            name = self._known.fresh(word)
            parts = [store("_"), store("_")]
            parts[place] = store(name)
            each = gast.comprehension(gast.Tuple(parts, gast.Store()), load(pairs), [], 0)
            matrices.append(call("np.array", gast.ListComp(load(name), [each])))
        value = gast.BinOp(
            gast.Attribute(matrices[0], "T", gast.Load()), gast.MatMult(), matrices[1]
        )
        return add_assign(store(total), value)

    def _lasts(self, name: str, like: Any, block: list[Any], loop: _Loop) -> bool:
        """Say whether nothing writes into what a name is bound to after a statement.

        It may be written into before, since it was made in the same trip.
        """
        before: set[int] = set()
        for item in block:
            if item is like:
                break
            bound = {n for t in targets_of(item) for n in names_bound(t)}
            if isinstance(item, gast.Assign) and name in bound:
                before.clear()
                if self._sharing.is_apart(item.value):
                    before.add(id(item))
            elif before:
                before.update(map(id, statements([item])))
        return all(
            id(item) in before and written == name
            for written, item in loop.written
            if self._sharing.may_share(written, name)
        )

    def _writes(self, item: Any) -> Iterator[tuple[str, Any]]:
        """Yield the names into whose memory a statement may write, with that."""
        if is_store(item) or isinstance(item, gast.AugAssign):
            name = root_name(item.target if isinstance(item, gast.AugAssign) else item.targets[0])
            if name is not None and not self._known.is_number(name):
                yield name, item
        if change_of(item) is not None:
            return
        for node in found_in(item, gast.Call) if not blocks_of(item) else ():
            if self._known.purity.adds_to_first(node):
                yield root_name(node.args[0]) or "", item
            elif isinstance(item, gast.Expr) or not self._known.purity.of(node):
                yield from ((name, item) for name in names_read(node))

    def _terms(self, statement: Any) -> tuple[list[Pair], Any]:
        """Return the outer products that are added to a name, and the rest of what is."""
        if not _may_add(statement):
            return [], None
        pairs: list[Pair] = []
        rest = _without(statement.value, isinstance(statement.op, gast.Sub), pairs)
        plain = all(self._is_vector(vector) for pair in pairs for vector in pair)
        return (pairs, rest) if plain else ([], None)

    def _is_vector(self, node: Any) -> bool:
        if isinstance(node, gast.Name):
            return self._known.is_vector(self._copies.get(node.id, node.id))
        if isinstance(node, gast.UnaryOp):
            return self._is_vector(node.operand)
        if isinstance(node, gast.Subscript):
            return self._is_line(node)
        if not isinstance(node, gast.BinOp) or isinstance(node.op, gast.MatMult):
            return False
        sides = (node.left, node.right)
        others = [side for side in sides if not self._is_vector(side)]
        return len(others) < 2 and all(self._is_number(side) for side in others)

    def _is_line(self, node: Any) -> bool:
        """Say whether an expression is a row or a column of a matrix."""
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        lines = [part for part in parts if not isinstance(part, gast.Slice)]
        return self._known.is_matrix(getattr(node.value, "id", "")) and (
            len(lines) == 1 and len(parts) <= 2 and self._is_integer(lines[0])
        )

    def _is_integer(self, node: Any) -> bool:
        if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
            return self._is_integer(node.left) and self._is_integer(node.right)
        if isinstance(node, gast.Constant):
            return type(node.value) is int
        return self._known.is_integer(getattr(node, "id", ""))

    def _is_number(self, node: Any) -> bool:
        return isinstance(node, gast.Constant) or self._known.is_number(getattr(node, "id", ""))


def _keeps(loop: Any) -> bool:
    """Say whether a loop reads something that was kept for each of its trips."""
    if not isinstance(loop, gast.For):
        return True  # what it does it does in the trips of others
    over = loop.iter.args if isinstance(loop.iter, gast.Call) else []
    if getattr(getattr(loop.iter, "func", None), "id", "") == "reversed" and isinstance(
        over[0], gast.Name
    ):
        return True
    return any(map(_is_popped, loop.body))


def _copies(body: list[Any]) -> dict[str, str]:
    """Return the names that are bound to copies alone, or to such as were kept, with the originals.

    >>> from srcgrad.compiler.doctesting import parse
    >>> _copies(parse("a = copied(x); b = a_saved.pop(); c = copied(y); a = a_saved.pop(); c = 2"))
    {'a': 'x'}
    """
    found: dict[str, str] = {}
    others: set[str] = set()
    for item in statements(body):
        value = getattr(item, "value", None)
        calls = isinstance(item, gast.Assign) and isinstance(value, gast.Call)
        call: Any = value if calls else None
        source = getattr(call.args[0], "id", "") if call is not None and call.args else ""
        bound = [name for target in targets_of(item) for name in names_bound(target)]
        if source and getattr(call.func, "id", "") == "copied" and len(bound) == 1:
            if found.setdefault(bound[0], source) != source:
                others.add(bound[0])
        elif not (isinstance(item, gast.For) and _keeps(item)) and not _is_popped(item):
            others.update(bound)
    return {name: source for name, source in found.items() if name not in others}


def _is_popped(item: Any) -> bool:
    """Say whether a statement reads what was kept last of a list."""
    call = item.value if isinstance(item, gast.Assign) else None
    return isinstance(call, gast.Call) and getattr(call.func, "attr", "") == "pop" and not call.args


def _may_add(statement: Any) -> bool:
    """Say whether a statement adds to a name, or subtracts from it."""
    adds = isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub))
    return adds and isinstance(statement.target, gast.Name)


def _without(node: Any, minus: bool, pairs: list[Pair]) -> Any:
    """Move the outer products of a sum to others, and return what is left of it, or None."""
    if (pair := _pair(node)) is not None:
        pairs.append((gast.UnaryOp(gast.USub(), pair[0]), pair[1]) if minus else pair)
        return None
    if not isinstance(node, gast.BinOp) or not isinstance(node.op, gast.Add):
        return node
    left, right = _without(node.left, minus, pairs), _without(node.right, minus, pairs)
    if left is None or right is None:
        return right if left is None else left
    same = left is node.left and right is node.right
    return node if same else gast.BinOp(left, gast.Add(), right)


def _pair(node: Any) -> Pair | None:
    of_numpy = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
    if not of_numpy or getattr(node.func.value, "id", "") != "np" or node.keywords:
        return None
    return (node.args[0], node.args[1]) if node.func.attr == "outer" else None


def _mentions(statement: Any, but: Any) -> set[str]:
    """Return the names that a statement itself reads, binds or writes into, but for a target."""
    targets = [item for item in targets_of(statement) if item is not but]
    bound = {root_name(item) or "" for item in targets}
    bound |= {name for item in targets for name in names_bound(item)}
    parts = [statement.value] if getattr(statement, "value", None) is not None else []
    parts += [getattr(statement, field) for field in ("iter", "test") if hasattr(statement, field)]
    if isinstance(but, gast.Subscript):
        parts.append(but.slice)
    return bound | {name for part in parts for name in names_read(part)}
