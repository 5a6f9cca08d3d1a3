"""Computes the values of a loop or branch in the one that mirrors it, where no one else wants them.

The trips of a loop that only adds up terms need nothing of each other. Once the sum itself is not
wanted, the forward loop serves the backward loop alone; then each trip is done at once, its primal
and its adjoint, and nothing has to be recorded. So with a loop that searches, of which only the
last trip is run backwards, and with a branch whose values its mirror alone reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from srcgrad.analyses.sharing import Sharing
from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.changes import change_of
from srcgrad.ir.liveness import first_reads
from srcgrad.ir.marks import CLOSING, IS_PRIMAL
from srcgrad.ir.program import bound_names, header_reads, is_store, store_target
from srcgrad.ir.walk import blocks_of, names_bound, names_read, root_name, statements
from srcgrad.transforms.searches import ending_branch, take_end
from srcgrad.transforms.sweep import Pair


class Fusing:
    """Fuses the loops and branches of one function with their mirrors.

    `is_stable(name)` says whether nothing writes into what a name is bound to, `is_pure(node)`
    whether an expression may be evaluated later, `is_only_filled(name)` whether a name is bound to
    one list, which gets and loses entries and is not written otherwise.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for i in range(n):
    ...     d = x[i] - y
    ...     s = np.sin(d)
    ... for i in reversed(range(n)):
    ...     grad_x[i] += s * np.cos(d)
    ... ''')
    >>> loop, mirror = body
    >>> no = set().__contains__
    >>> fusing = Fusing(body, lambda name: True, lambda node: True, no, no)
    >>> fusing.run([Pair(loop, mirror, "loop")])
    []
    >>> print(text(body))
    for i in reversed(range(n)):
        d = x[i] - y
        s = np.sin(d)
        grad_x[i] += s * np.cos(d)
    """

    def __init__(
        self,
        body: list[Any],
        is_stable: Callable[[str], bool],
        is_pure: Callable[[Any], bool],
        is_only_filled: Callable[[str], bool],
        is_adjoint: Callable[[str], bool],
    ) -> None:
        self._is_adjoint = is_adjoint
        self._is_only_filled = is_only_filled
        self._body = body
        self._is_stable = is_stable
        self._is_pure = is_pure
        self._mates: dict[int, Any] = {}
        self._binds = Counter(name for item in statements(body) for name in _binds(item))

    def run(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Fuse what can be fused; return the pairs that are left."""
        self._mates = {id(pair.primal): pair.adjoint for pair in pairs}
        gone: set[int] = set()
        for pair in reversed(pairs):  # the outer ones first
            loop = pair.primal
            if id(loop) in gone:
                continue
            if pair.kind == "loop" and self._may_fuse(loop, pair.adjoint):
                self._fuse_loop(loop, pair.adjoint)
            elif pair.kind == "if" and self._may_wait(loop, pair.adjoint):
                self._fuse_branch(loop, pair.adjoint)
            else:
                continue
            gone |= {id(statement) for statement in statements([loop])}
            _remove(self._body, loop)
        return [pair for pair in pairs if id(pair.primal) not in gone]

    # -- whether

    def _may_fuse(self, loop: Any, mirror: Any) -> bool:
        inside = list(statements(loop.body))
        search = ending_branch(loop, mirror, self._mates)
        once = _is_counted(loop, mirror) or search is not None
        if not once or not all(self._is_plain(item, search) for item in inside):
            return False
        made = bound_names(loop.body)
        handled = _handled(inside)
        binds = [
            n for statement in inside if id(statement) not in handled for n in _binds(statement)
        ]
        read = {name for statement in [loop, *inside] for name in header_reads(statement)}
        return (
            len(binds) == len(set(binds))
            and not first_reads(loop.body) & made
            and all(self._is_still(name, loop, mirror) for name in read)
            and not (made | set(names_bound(loop.target))) & self._read_outside(loop, mirror)
        )

    def _is_still(self, name: str, loop: Any, mirror: Any) -> bool:
        """Say whether a loop could as well read what a name is bound to where its mirror stands.

        A list may have been filled before, if nothing between the two changes it.
        """
        if self._is_stable(name):
            return True
        places = {id(item): place for place, item in enumerate(self._body)}
        if not self._is_only_filled(name) or id(loop) not in places or id(mirror) not in places:
            return False
        between = self._body[places[id(loop)] : places[id(mirror)]]
        touched = {n for item in statements([*between, mirror]) for n in self._touched(item)}
        sharing = Sharing(self._body, self._is_pure)
        return not any(sharing.may_share(other, name) for other in touched)

    def _touched(self, statement: Any) -> Iterator[str]:
        """Yield the names of lists and of memory that a statement may change; adjoints apart."""
        change = change_of(statement)
        names = [change.name] if change is not None else []
        value = getattr(statement, "value", None)
        if change is None and value is not None and not self._is_pure(value):
            names += names_read(value)
        if is_store(statement):
            names += [root_name(store_target(statement)) or ""]
        return (name for name in names if not self._is_adjoint(name))

    def _may_wait(self, branch: Any, mirror: Any) -> bool:
        """Say whether all that a branch outside of loops computes serves its mirror alone."""
        if branch not in self._body or mirror not in self._body:
            return False
        inside = list(statements([branch]))
        read = {name for statement in inside for name in header_reads(statement)}
        return (
            all(map(self._is_plain, inside))
            and not any(isinstance(item, gast.For) for item in inside)
            and all(map(self._is_stable, read))
            and all(self._binds[name] < 2 for name in read)
            and not bound_names([branch]) & self._read_outside(branch, mirror)
        )

    def _is_plain(self, statement: Any, search: Any = None) -> bool:
        """Say whether a statement only binds names to pure values, or is a loop or branch.

        A loop that is a search may end.
        """
        if isinstance(statement, gast.Break):
            return search is not None
        if CLOSING.of(statement):
            return False
        if isinstance(statement, gast.Assign):
            target = statement.targets[0]
            parts = target.elts if isinstance(target, gast.Tuple) else [target]
            plain = all(isinstance(part, gast.Name) for part in parts)
            return plain and len(statement.targets) == 1 and self._is_pure(statement.value)
        if isinstance(statement, gast.If):
            return self._is_pure(statement.test)
        if isinstance(statement, gast.Try):
            tried = list(statements(statement.body))
            loops = [item for item in tried if id(item) in self._mates and _is_loop(item)]
            return not statement.finalbody and not loops
        if isinstance(statement, gast.For):
            mate = self._mates.get(id(statement))
            counted = mate is None or _is_counted(statement, mate)
            return counted and not statement.orelse and self._is_pure(statement.iter)
        return False

    def _read_outside(self, loop: Any, mirror: Any) -> set[str]:
        """Return the names that something else reads than a loop and its mirror."""
        inside = {id(statement) for statement in statements([loop, mirror])}
        return {
            name
            for statement in statements(self._body)
            if id(statement) not in inside
            for name in header_reads(statement)
        }

    # -- how

    def _fuse_loop(self, loop: Any, mirror: Any) -> None:
        search = ending_branch(loop, mirror, self._mates)
        if search is None:
            self._fuse(loop.body, mirror.body)
            return
        (branch,) = mirror.body
        ends = [take_end(part) for part in (search.body, search.orelse)]
        self._fuse_branch(search, branch)
        for part, end in zip((branch.body, branch.orelse), ends, strict=True):
            part.extend(map(_anew, end))
        IS_PRIMAL.put(branch, True)
        IS_PRIMAL.put(mirror, True)
        mirror.target, mirror.iter = clone(loop.target), clone(loop.iter)
        mirror.body = [branch if item is search else _anew(item) for item in loop.body]

    def _fuse(self, primal: list[Any], adjoint: list[Any]) -> None:
        """Put the statements of a block into the block that mirrors it, inner ones into theirs."""
        lead: list[Any] = []
        for statement in primal:
            mate = self._mates.get(id(statement))
            if mate is not None and self._is_private(statement, mate, primal, adjoint):
                self._fuse_branch(statement, mate)
            else:
                lead.append(_anew(statement))
        adjoint[0:0] = lead

    def _fuse_branch(self, statement: Any, mate: Any) -> None:
        self._fuse(statement.body, mate.body)
        if isinstance(statement, gast.If):
            self._fuse(statement.orelse, mate.orelse)

    def _is_private(self, statement: Any, mate: Any, primal: list[Any], adjoint: list[Any]) -> bool:
        """Say whether only its mirror reads what a branch or loop binds."""
        if not any(item is mate for item in adjoint):
            return False
        others = [
            item for item in (*primal, *adjoint) if item is not statement and item is not mate
        ]
        read = {name for item in statements(others) for name in header_reads(item)}
        return not read & bound_names([statement])


def _is_counted(loop: Any, mirror: Any) -> bool:
    """Say whether a loop and its mirror run over the same indices."""
    if not isinstance(loop, gast.For) or loop.orelse or isinstance(mirror.iter, gast.Constant):
        return False
    return names_bound(loop.target) == names_bound(mirror.target)


def _binds(statement: Any) -> list[str]:
    targets = statement.targets if isinstance(statement, gast.Assign) else []
    if isinstance(statement, gast.For):
        targets = [statement.target]
    return [name for target in targets for name in names_bound(target)]


def _handled(block: list[Any]) -> set[int]:
    """Return the statements of handlers: they only say that something was caught."""
    attempts = [item for item in block if isinstance(item, gast.Try)]
    bodies = [handler.body for attempt in attempts for handler in attempt.handlers]
    return {id(statement) for body in bodies for statement in statements(body)}


def _is_loop(statement: Any) -> bool:
    return isinstance(statement, (gast.For, gast.While))


def _anew(statement: Any) -> Any:
    """Return a copy, whose line needs no comment: it is the user's line itself."""
    copy = clone(statement)
    for item in statements([copy]):
        IS_PRIMAL.put(item, True)
    return copy


def _remove(block: list[Any], statement: Any) -> None:
    for item in block:
        for part in blocks_of(item):
            _remove(part, statement)
    block[:] = [item for item in block if item is not statement]


def still_there(pairs: list[Pair], body: list[Any]) -> list[Pair]:
    """Return the pairs of which both sides are left in a body."""
    left = {id(statement) for statement in statements(body)}
    return [pair for pair in pairs if id(pair.adjoint) in left]
