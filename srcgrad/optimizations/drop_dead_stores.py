"""Removes assignments that nobody reads."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.jumps import is_endless
from srcgrad.ir.liveness import killed, may_raise, walk_live
from srcgrad.ir.marks import ATTEMPT, IN_PLACE
from srcgrad.ir.nodes import is_backward
from srcgrad.ir.program import binds_name, bound_by, header_reads
from srcgrad.ir.walk import names_bound, places_in
from srcgrad.optimizations.dead_contents import Contents, is_counted
from srcgrad.optimizations.purity import Purity
from srcgrad.optimizations.raising import Raising

_SIMPLE: Final = frozenset({gast.Assign, gast.AugAssign, gast.Expr, gast.Return})


class DeadStores:
    """Sweeps a function body backwards with the set of names that are read later.

    >>> from srcgrad.compiler.doctesting import parse, program_of, text
    >>> purity = Purity(program_of("def f(x): return x").reader, frozenset())
    >>> body = parse('''
    ... a = np.sin(x)
    ... b = np.cos(x)
    ... c = np.tan(a)
    ... d = print(a)
    ... return x * a
    ... ''')
    >>> print(text(DeadStores(purity).drop(body)))
    a = np.sin(x)
    d = print(a)
    return x * a
    """

    def __init__(
        self,
        purity: Purity,
        *,
        keep_updates: bool = False,
        unbound: frozenset[str] = frozenset(),
        raising: Raising | None = None,
        contents: Contents | None = None,
    ) -> None:
        self._purity = purity
        self._contents = contents
        self._raising = raising
        self._handlers: list[Any] = []
        self._unbound = unbound  # names whose read may raise
        self._after_loop: frozenset[str] = frozenset()
        self._raises: frozenset[str] = frozenset()
        self._in_try = False
        self._caught = False  # by a caller
        self._keep_updates = keep_updates  # ``y += v`` may write into memory with another name

    def drop(self, body: list[Any], *, caught: bool = False) -> list[Any]:
        """Return `body` without pure assignments to names that nobody reads afterwards.

        `caught` says that a caller may catch what is raised before the backward pass begins, so
        that nothing is dropped there that may raise.
        """
        start = next((i for i, s in enumerate(body) if is_backward(s)), len(body))
        after, live = self._sweep(body[start:], set())
        self._in_try = self._caught = caught
        before, _ = self._sweep(body[:start], live)
        self._in_try = self._caught = False
        return before + after

    def _sweep(self, block: list[Any], live: set[str]) -> tuple[list[Any], set[str]]:
        kept: list[Any] = []
        for statement in reversed(block):
            if statement.__class__ in _SIMPLE:  # most are
                if not self._raises and binds_name(statement) and statement.targets[0].id in live:
                    live.discard(statement.targets[0].id)
                    live.update(self._reads(statement))
                    kept.append(statement)
                elif not self._is_dead(statement, live):
                    live = self._before(statement, live)
                    kept.append(statement)
            elif isinstance(statement, (gast.For, gast.While)):
                live = self._loop(statement, live, kept)
            elif isinstance(statement, gast.If):
                live = self._branch(statement, live, kept)
            elif isinstance(statement, gast.Try):
                live = self._attempt(statement, live)
                kept.append(statement)
            elif isinstance(statement, gast.With):
                statement.body, live = self._sweep(statement.body, live)
                live = self._before(statement, live)
                kept.append(statement)
            elif not self._is_dead(statement, live):
                live = self._before(statement, live)
                kept.append(statement)
        kept.reverse()
        return kept, live

    def _attempt(self, node: Any, live: set[str]) -> set[str]:
        """Keep what may raise in the body: a handler may wait for it."""
        after = set(live)
        node.finalbody, live = self._sweep(node.finalbody, set(live))
        failing = self._raises | walk_live(node.finalbody, set(self._raises))
        for handler in node.handlers:
            handler.body, before = self._sweep(handler.body, set(live))
            failing = failing | before
        outer = self._raises, self._in_try, self._handlers
        self._raises = frozenset(failing | set(header_reads(node)))
        self._in_try = self._in_try or bool(node.handlers)
        self._handlers = [*self._handlers, *node.handlers]
        node.body, live = self._sweep(node.body, set(live))
        self._raises, self._in_try, self._handlers = outer
        return live | failing | (set() if node.body else after)

    def _before(self, statement: Any, live: set[str]) -> set[str]:
        kind = statement.__class__
        if kind is gast.Break:
            return set(self._after_loop)
        if kind is gast.Raise:
            return set(self._reads(statement)) | self._raises
        if self._raises and may_raise(statement):
            live.update(self._raises)
        live.difference_update(killed(statement))
        live.update(self._reads(statement))
        return live

    def _reads(self, statement: Any) -> list[str]:
        """Return the names that a statement reads, and the memory whose contents it reads."""
        reads = header_reads(statement)
        if self._contents is None:
            return reads
        return reads + self._contents.reads(statement, reads)

    def _is_dead(self, statement: Any, live: set[str]) -> bool:
        if self._contents is not None:
            written = self._contents.written(statement)
            if written is not None:
                return written not in live
        if statement.__class__ is not gast.Assign:
            return False
        names = bound_by(statement)
        if not live.isdisjoint(names):
            return False  # as most are
        if self._keep_updates and IN_PLACE.of(statement):
            return False
        if self._in_try and may_raise(statement) and not self._is_spared(statement):
            return False
        if self._unbound and not self._unbound.isdisjoint(header_reads(statement)):
            return False
        places = [place for target in statement.targets for place in places_in(target)]
        plain = all(isinstance(place, gast.Name) for place in places)
        return plain and self._purity.of(statement.value)

    def _is_spared(self, statement: Any) -> bool:
        """Say whether none of the handlers around a statement waits for what it may raise."""
        if self._purity.is_copy(statement.value):
            return True
        if self._raising is None or self._caught:
            return False
        return self._raising.spares(self._handlers, statement)

    def _branch(self, statement: Any, live: set[str], kept: list[Any]) -> set[str]:
        body, before = self._sweep(statement.body, set(live))
        orelse, other = self._sweep(statement.orelse, set(live))
        keeps = ATTEMPT.of(statement) is not None and self._keep_updates
        if not body and not orelse and not keeps and self._purity.of(statement.test):
            return live
        statement.body, statement.orelse = body, orelse
        kept.append(statement)
        return before | other | set(self._reads(statement))

    def _loop(self, statement: Any, live: set[str], kept: list[Any]) -> set[str]:
        """A name is live at the head if it is read after the loop or in a later iteration."""
        bound = set(names_bound(statement.target)) if isinstance(statement, gast.For) else set()
        outer, self._after_loop = self._after_loop, frozenset(live)
        head = set() if is_endless(statement) else set(live)
        head |= set(self._reads(statement))
        size = -1
        while len(head) != size:
            size = len(head)
            head |= self._reads_through(statement.body, set(head)) - bound
        body, _ = self._sweep(statement.body, set(head))
        self._after_loop = outer
        if not body and is_counted(statement) and live.isdisjoint(bound):
            return live
        statement.body = body
        kept.append(statement)
        return head

    def _reads_through(self, block: list[Any], live: set[str]) -> set[str]:
        """Return the names live before a block, counting only statements that stay."""
        for statement in reversed(block):
            if isinstance(statement, gast.If):
                then = self._reads_through(statement.body, set(live))
                live = then | self._reads_through(statement.orelse, set(live))
                live.update(self._reads(statement))
            elif isinstance(statement, (gast.For, gast.While)):
                bound = names_bound(statement.target) if isinstance(statement, gast.For) else ()
                outer, self._after_loop = self._after_loop, frozenset(live)
                live.update(self._reads(statement))
                size = -1
                while len(live) != size:
                    size = len(live)
                    live |= self._reads_through(statement.body, set(live)) - set(bound)
                self._after_loop = outer
            elif isinstance(statement, gast.Try):
                live = live | walk_live([statement], set(live), raises=self._raises)
            elif isinstance(statement, gast.With):
                live = self._before(statement, self._reads_through(statement.body, live))
            elif not self._is_dead(statement, live):
                live = self._before(statement, live)
        return live
