"""Takes what runs after an exception out of `try`: what is left says whether its body was run.

The body is run backwards only if it was run to its end. So what it computes on the way to an
exception must not be read afterwards, except for what its last step binds.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

from srcgrad.frontend.normalize.caught import Caught
from srcgrad.frontend.normalize.handlers import (
    can_be_copied,
    can_be_shared,
    carriers,
    is_bare,
    note_questions,
    puts,
    reads_exception,
)
from srcgrad.frontend.normalize.last_steps import without_last_steps
from srcgrad.frontend.normalize.made_inside import MadeInside
from srcgrad.frontend.normalize.taken_apart import TakenApart
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, load, twin
from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.marks import ATTEMPT, CAUGHT, EXPOSED, IN_PLACE, RENEWED, RESCUED, UNSEEN
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_names, is_store, store_target, targets_of
from srcgrad.ir.walk import blocks_of, names_bound, root_name, statements, walk


class Attempts:
    """Rewrites the `try` statements of one function.

    Attributes:
        names: The names made here: flags, and exceptions that are read later.
        carried: More flags, which are bound at several places.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> body = parse('''
    ... try:
    ...     y = 1 / x
    ... except ZeroDivisionError:
    ...     y = 0.0
    ... z = y * x
    ... ''')
    >>> attempts = Attempts(Namer(["x", "y", "z"]), set(), None, reader_of())
    >>> print(text(attempts.function(body)))
    failed = False
    try:
        y = 1 / x
    except ZeroDivisionError:
        failed = True
    if failed:
        y = 0.0
    z = y * x
    """

    def __init__(
        self,
        namer: Namer,
        varies: set[str],
        refusals: Refusals,
        reader: Reader,
        lists: Collection[str] = (),
        *,
        cuts: bool = True,
    ) -> None:
        self.names: set[str] = set()
        self.carried: set[str] = set()
        self._cuts = cuts  # whether a body may be taken apart
        self._namer = namer
        self._varies = varies
        self._refusals = refusals
        self._reader = reader
        self._lists = lists  # names of lists and dicts
        self._after: dict[int, set[str]] = {}
        self._nested: set[int] = set()
        self._raising: set[int] = set()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of a function."""
        if not any(isinstance(item, gast.Try) for item in statements(body)):
            return body
        for handler in (h for item in statements(body) for h in getattr(item, "handlers", ())):
            handler.body = handler.body or [gast.Pass()]  # all that it did was dead
        self._note_live(body)
        if any(getattr(item, "finalbody", ()) for item in statements(body)):
            body = without_last_steps(body, self._name, self._is_seen_after)
            self._note_live(body)
        self._note_raising(body, ())
        return self._block(body)

    def _note_live(self, body: list[Any]) -> None:
        """Note what is live after each `try` and each handler, and which `try` lie in others."""
        ends = {
            id(handler.body[-1]): handler
            for item in statements(body)
            for handler in getattr(item, "handlers", ())
        }
        asking = note_questions(body)

        def visit(statement: Any, live: set[str]) -> None:
            if id(statement) in ends:
                self._after[id(ends[id(statement)])] = set(live)
            if isinstance(statement, gast.Try):
                self._after[id(statement)] = set(live)
                inner = statements(list(itertools.chain(*blocks_of(statement))))
                self._nested |= {id(item) for item in inner if isinstance(item, gast.Try)}

        walk_live(body, set(), visit)
        for branch in asking:  # it does not follow its `try` at once, as those made here do
            ATTEMPT.take_off(branch)

    def _note_raising(self, body: list[Any], around: tuple[Any, ...]) -> None:
        """Note the handlers that raise something else, where a `try` around sees what was done."""
        for statement in body:
            handlers = getattr(statement, "handlers", ())
            goes_on = any(map(self._goes_on, handlers))
            for part in blocks_of(statement):
                within = (*around, statement) if goes_on and part is statement.body else around
                self._note_raising(part, within)
            for handler in handlers:
                done = [*statement.body[:-1], *handler.body[:-1]]
                if any(self._is_seen_after(done, attempt) for attempt in around):
                    self._raising.add(id(handler))

    def _goes_on(self, handler: Any) -> bool:
        """Say whether what a handler does follows its `try`: all that goes on, and some others."""
        return falls_through(handler.body) or id(handler) in self._raising

    def _is_seen_after(self, block: list[Any], attempt: Any) -> bool:
        """Say whether a block binds or writes what carries a derivative and handlers may see."""
        live = set().union(*(self._live_at(h, set()) for h in attempt.handlers if self._goes_on(h)))
        written = {name for item in statements(block) for name in _written(item)}
        return not self._varies.isdisjoint(written | (bound_names(block) & live))

    def _block(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part)
            done += self._try(statement) if isinstance(statement, gast.Try) else [statement]
        return done

    def _try(self, node: Any) -> list[Any]:
        after = walk_live(node.finalbody, set(self._after[id(node)]))
        done = self._in_pieces(node, after)
        exposed: set[str] = set()
        if done is None:
            done, exposed = self._whole(node, after)
        if not node.finalbody:
            return done
        outer = at(gast.Try(done, [], [], node.finalbody), node)
        EXPOSED.put(outer, exposed | (bound_names(done) & set(walk_live(node.finalbody, set()))))
        RENEWED.put(outer, set())
        RESCUED.put(outer, False)
        return [outer]

    def _whole(self, node: Any, after: set[str]) -> tuple[list[Any], set[str]]:
        """Return a `try` without its `finally`, and what is read of its body that has failed.

        The body is tried as a whole, or up to a value that is read after it failed.
        """
        before = [] if node.finalbody else self._harmless(node, after)
        shared, then = self._share(node, after)
        self._cut(node, after)
        inner = gast.Try(node.body, node.handlers, [], [])
        at(inner, node)
        exposed = self._read_after_failure(node, after)
        EXPOSED.put(inner, exposed)
        RENEWED.put(inner, bound_names(node.body) - self._read_from_before(node, after))
        caught = [handler for handler in node.handlers if self._goes_on(handler)]
        RESCUED.put(inner, bool(caught))
        if caught:
            done = self._rescued(node, inner, caught)
        elif node.handlers:
            done = [inner, *node.orelse]
        else:
            done = [*node.body, *node.orelse]
        return [*before, *shared, *done, *then], exposed

    def _rescued(self, node: Any, inner: Any, caught: list[Any]) -> list[Any]:
        """Let handlers only say which of them was run; what they do follows."""
        self._check_writes(node, EXPOSED.of(inner))
        start, branch = self._said(node, caught)
        ATTEMPT.put(branch, inner)  # its other side is what follows a body that was run to its end
        return [start, inner, branch]

    def _said(self, node: Any, caught: list[Any]) -> tuple[Any, Any]:
        """Let handlers only say which of them was run.

        Return the statement that says that none was, and the branch that does what they did.
        """
        single = len(caught) == 1
        flag = self._name("failed" if single else "caught")
        chain: list[Any] = []
        for number, handler in reversed(list(enumerate(caught, 1))):
            body = self._keep_exception(handler)
            if handler is not caught[-1]:
                test = gast.Compare(load(flag), [gast.Eq()], [gast.Constant(number, None)])
                body = [at(gast.If(test, body, chain), handler)]
            chain = body
            value = gast.Constant(True if single else number, None)
            handler.body = [*CAUGHT.of(handler), assign(flag, value, handler)]
        start = assign(flag, gast.Constant(False if single else 0, None), node)
        return start, at(gast.If(load(flag), chain, node.orelse), caught[0])

    # -- a body that may be left half-way

    def _is_left_inside(self, node: Any, seen: set[str]) -> bool:
        """Say whether one of the blocks in a body may be left where what it did is seen then."""
        if not self._cuts:
            return False
        if not any(map(self._goes_on, node.handlers)):
            return False
        is_cut = can_be_copied(node.handlers) or can_be_shared(node.handlers)
        here, ends = {id(item) for item in node.body if is_cut}, self._ends(node)
        inside = self._made_inside(node.body)
        return any(
            _bound_here(item) & seen or self._writes_outside(item, inside)
            for item in statements(node.body)
            if id(item) not in here and id(item) not in ends
        )

    def _in_pieces(self, node: Any, after: set[str]) -> list[Any] | None:
        """Return a `try` whose body is tried piece by piece, or None where it need not or cannot.

        Blocks of the body that do nothing to be seen half-way are not taken apart.
        """
        seen = self._seen_half_way(node, after)
        if not self._is_left_inside(node, seen):
            return None
        found = Caught(node.handlers, self._reader, self._varies)
        going_on = [handler for handler in node.handlers if self._goes_on(handler)]
        apart = TakenApart(
            node.handlers,
            lambda item: bool(_written(item) or _bound_here(item) & seen),
            found,
            self._name,
        )
        if not apart.is_possible(node.body):
            return None
        orelse, node.orelse = node.orelse, []
        start, branch = self._said(node, going_on)
        self.names.remove(start.targets[0].id)
        self.carried.add(start.targets[0].id)  # one piece binds it, or another
        done = [*apart.block(node.body, orelse, start), branch]
        tries = {id(h.body[-1]): item for item in apart.tries for h in item.handlers}
        failing: dict[int, set[str]] = {}

        def visit(statement: Any, live: set[str]) -> None:
            if id(statement) in tries:
                failing.setdefault(id(tries[id(statement)]), set()).update(live)

        walk_live(done, set(after), visit)
        for attempt in apart.tries:
            self._note_piece(attempt, failing[id(attempt)], nested=id(node) in self._nested)
        return done

    def _note_piece(self, attempt: Any, live: set[str], *, nested: bool) -> None:
        """Note on a piece that does nothing to be seen but at its end what is read if it failed.

        `live` are the names that are read after one of its handlers.
        """
        made, ends = bound_names(attempt.body), self._ends(attempt)
        exposed = {name for name in made & live if not _is_bound_last(attempt.body, name, ends)}
        EXPOSED.put(attempt, exposed)
        RENEWED.put(attempt, set() if nested else made - live)
        RESCUED.put(attempt, True)
        self._check_writes(attempt, exposed)
        if nested:
            self._nested.add(id(attempt))

    def _keep_exception(self, handler: Any) -> list[Any]:
        """Return what a handler does, reading the exception under a name that outlives it."""
        body = handler.body
        if CAUGHT.is_on(handler):
            return list(body)
        CAUGHT.put(handler, [])
        name = getattr(handler.name, "id", handler.name)
        if not reads_exception(handler):
            return list(body)
        self._refuse_carried(body, name)
        caught = name or self._namer.fresh("problem")
        handler.name = at(gast.Name(caught, gast.Store(), None, None), handler)
        kept = self._name("error")
        CAUGHT.put(handler, [assign(kept, load(caught), handler)])
        for statement in statements(body):
            if is_bare(statement):
                statement.exc = load(kept)
        for statement in body:
            for item in walk(statement):
                if isinstance(item, gast.Name) and item.id == name:
                    item.id = kept
        return list(body)

    def _refuse_carried(self, body: list[Any], name: str | None) -> None:
        """Refuse values that an exception brings along: they may have derivatives."""
        for statement in statements(body):
            value = getattr(statement, "value", None)
            if value is None or (isinstance(statement, gast.Expr) and not puts(value)):
                continue
            if name in carriers(value):
                self._refusals.add(
                    statement,
                    "a value that an exception carries is not differentiated by source",
                    "return it, or bind it before the exception is raised",
                )
                return

    def _name(self, wish: str) -> str:
        name = self._namer.fresh(wish)
        self.names.add(name)
        return name

    # -- what may be seen of a body that failed

    def _share(self, node: Any, after: set[str]) -> tuple[list[Any], list[Any]]:
        """Take a long handler out of a `try` that is going to be taken apart: it is written once.

        The handler says that it was run. Return what comes before the `try`, and what after it.
        """
        short = can_be_copied(node.handlers) or not can_be_shared(node.handlers)
        if short or self._place_to_cut(node, after) is None:
            return [], []
        (handler,) = [handler for handler in node.handlers if falls_through(handler.body)]
        flag = self._name("caught")
        self._after[id(handler)] = {flag} | walk_live(
            handler.body, self._after_handler(handler, after)
        )
        branch = at(gast.If(load(flag), handler.body, []), handler)
        handler.body = [assign(flag, gast.Constant(True, None), handler)]
        return [assign(flag, gast.Constant(False, None), node)], [branch]

    def _place_to_cut(self, node: Any, after: set[str]) -> int | None:
        """Return where the first thing in a body stands that is seen though the body failed."""
        if not self._cuts or not any(map(self._goes_on, node.handlers)):
            return None
        seen, inside = self._seen_half_way(node, after), self._made_inside(node.body)
        ends = self._ends(node)
        place = next(
            (
                place
                for place, item in enumerate(node.body)
                if bound_names([item]) & seen
                or (id(item) not in ends and self._writes_outside(item, inside))
            ),
            len(node.body),
        )
        place = _with_branch(node.body, place)
        return place if place < len(node.body) - 1 else None

    def _harmless(self, node: Any, after: set[str]) -> list[Any]:
        """Take what raises nothing off the front of a body that is going to be taken apart."""
        found = Caught(node.handlers, self._reader, self._varies)
        before: list[Any] = []
        while self._place_to_cut(node, after) is not None and not found.may_come_from(node.body[0]):
            size = _with_branch(node.body, 0) + 1
            if any(map(found.may_come_from, node.body[:size])):
                break
            before += node.body[:size]
            del node.body[:size]
        return before

    def _cut(self, node: Any, after: set[str]) -> None:
        """Leave in a body what ends with a value that is read after it failed; try the rest next.

        A failure of the rest finds that value whole. What the handlers do is written for both.
        """
        place = self._place_to_cut(node, after) if can_be_copied(node.handlers) else None
        if place is None:
            return
        rest = at(
            gast.Try(
                node.body[place + 1 :], [twin(item) for item in node.handlers], node.orelse, []
            ),
            node,
        )
        self._after[id(rest)] = after
        for old, new in zip(node.handlers, rest.handlers, strict=True):
            self._after[id(new)] = self._after_handler(old, after)
            self._raising |= {id(new)} if id(old) in self._raising else set()
        self._nested.add(id(rest))
        node.body, node.orelse = node.body[: place + 1], self._try(rest)

    def _seen_half_way(self, node: Any, after: set[str]) -> set[str]:
        """Return the active names that are read though the body failed after it had bound them."""
        live = set().union(*(self._live_at(h, after) for h in node.handlers if self._goes_on(h)))
        active = bound_names(node.body) & live & self._varies
        ends = self._ends(node)
        return {name for name in active if not _is_bound_last(node.body, name, ends)}

    def _ends(self, node: Any) -> set[int]:
        """Return the statements of a `try` after which its handlers catch nothing."""
        return Caught(node.handlers, self._reader, self._varies).ends(node.body)

    def _read_after_failure(self, node: Any, after: set[str]) -> set[str]:
        """Return the names of the body whose value is read although it failed; refuse if active."""
        made = bound_names(node.body)
        read: set[str] = set(walk_live(node.finalbody, set()))
        read = read.union(*(self._live_at(handler, after) for handler in node.handlers))
        for name in sorted(self._seen_half_way(node, after)):
            self._refuse(node, f"`{name}` may be read after its `try` failed half-way")
        handlers = [] if node.finalbody else node.handlers  # that is run whatever is raised
        ends = Caught(handlers, self._reader, self._varies).ends(node.body)
        return {name for name in made & read if not _is_bound_last(node.body, name, ends)}

    def _read_from_before(self, node: Any, after: set[str]) -> set[str]:
        """Return the names whose value from before a `try` may be read once it has failed."""
        handled = [item for handler in node.handlers for item in handler.body]
        if id(node) in self._nested or any(jumps(handled)):
            return bound_names(node.body)  # they may be read elsewhere, too
        read: set[str] = set(walk_live(node.finalbody, set()))
        return read.union(*(self._live_at(handler, after) for handler in node.handlers))

    def _live_at(self, handler: Any, after: set[str]) -> set[str]:
        """Return what is live at the start of a handler, given what is live after its `try`."""
        if not self._goes_on(handler):
            return walk_live(handler.body, set())
        left = self._after_handler(handler, after)
        return walk_live(handler.body, left, raises=left if id(handler) in self._raising else ())

    def _after_handler(self, handler: Any, after: set[str]) -> set[str]:
        """Return what is live after a handler, given what is live after its `try`."""
        return set(self._after.get(id(handler), after))

    def _check_writes(self, node: Any, exposed: set[str]) -> None:
        """Refuse writes that an exception may leave done, and the backward pass unaware of them.

        Of the others it is noted that they are into what nobody reads once the body has failed.
        """
        inside, last = self._made_inside(node.body), self._ends(node)
        for statement in statements(node.body):
            if id(statement) not in last and self._writes_outside(statement, inside):
                self._refuse(statement, "a write inside of `try`, which may fail after it")
            names = {name for root in _written(statement) for name in inside.called(root)}
            unseen = not inside.leaves(statement) and exposed.isdisjoint(names)
            unseen = unseen or id(statement) in last  # nothing fails once it is done
            before = UNSEEN.of(statement) or not UNSEEN.is_on(statement)
            UNSEEN.put(statement, unseen and before)  # by each `try` around

    def _made_inside(self, body: list[Any]) -> MadeInside:
        return MadeInside(body, self._reader, self._lists)

    def _writes_outside(self, statement: Any, inside: MadeInside) -> bool:
        """Say whether a statement of a `try` writes into an active value from before it."""
        written = _written(statement)
        if not written or written[0] not in self._varies:
            return False
        return inside.leaves(statement)

    def _refuse(self, node: Any, message: str) -> None:
        self._refusals.add(
            node, f"{message}: not differentiated by source", "do it before or after the `try`"
        )


def _with_branch(body: list[Any], place: int) -> int:
    """Return where a statement ends: a `try` with the branch that asks whether it failed."""
    for later, item in enumerate(body[place + 1 :], place + 1):
        if ATTEMPT.of(item) is body[place]:
            return later
    return place


def _is_bound_last(body: list[Any], name: str, ends: set[int]) -> bool:
    """Say whether nothing in a block can fail once it has bound a name, given what it ends with."""
    return all(id(item) in ends for item in statements(body) if name in _bound_here(item))


def _bound_here(statement: Any) -> set[str]:
    return {name for target in targets_of(statement) for name in names_bound(target)}


def _written(statement: Any) -> list[str]:
    """Return the variable that a statement writes into, if it does."""
    if is_store(statement):
        root = root_name(store_target(statement))
        return [root] if root is not None else ["*"]
    if isinstance(statement, gast.AugAssign) or IN_PLACE.of(statement):
        target = statement.target if isinstance(statement, gast.AugAssign) else statement.targets[0]
        return names_bound(target)[:1]
    if isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Call):
        func = statement.value.func
        root = root_name(func.value) if isinstance(func, gast.Attribute) else None
        return [root] if root is not None else []
    return []
