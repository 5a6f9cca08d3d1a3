"""Takes what runs after an exception out of `try`: what is left says whether its body was run.

The body is run backwards only if it was run to its end. So what it computes on the way to an
exception must not be read afterwards, except for what its last step binds.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any, Final

import gast

from srcgrad.frontend.normalize.caught import Caught
from srcgrad.frontend.normalize.made_inside import MadeInside
from srcgrad.frontend.refusals import Refusals
from srcgrad.ir.build import assign, at, load, twin
from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.liveness import walk_live
from srcgrad.ir.marks import ATTEMPT, CAUGHT, EXPOSED, IN_PLACE, RENEWED, RESCUED, UNSEEN
from srcgrad.ir.names import Namer
from srcgrad.ir.operations import Reader
from srcgrad.ir.program import bound_names, is_store, store_target, targets_of
from srcgrad.ir.walk import (
    blocks_of,
    names_bound,
    names_read,
    nodes_in,
    root_name,
    statements,
    walk,
)
from srcgrad.primitives.methods import SHAPERS

_MOST_COPIED: Final = 8  # statements of handlers, in normal form
_QUESTIONS: Final = ("len", "str", "repr", "isinstance", "type")


class Attempts:
    """Rewrites the `try` statements of one function.

    Attributes:
        names: The names made here: flags, and exceptions that are read later.

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
        self._cuts = cuts  # whether a body may be taken apart
        self._namer = namer
        self._varies = varies
        self._refusals = refusals
        self._reader = reader
        self._lists = lists  # names of lists and dicts
        self._after: dict[int, set[str]] = {}
        self._nested: set[int] = set()

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of a function."""
        if not any(isinstance(item, gast.Try) for item in statements(body)):
            return body

        for handler in (h for item in statements(body) for h in getattr(item, "handlers", ())):
            handler.body = handler.body or [gast.Pass()]  # all that it did was dead
        ends = {
            id(handler.body[-1]): handler
            for item in statements(body)
            for handler in getattr(item, "handlers", ())
        }
        asking = _note_questions(body)

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
        return self._block(body)

    def _block(self, block: list[Any]) -> list[Any]:
        done: list[Any] = []
        for statement in block:
            for part in blocks_of(statement):
                part[:] = self._block(part)
            done += self._try(statement) if isinstance(statement, gast.Try) else [statement]
        return done

    def _try(self, node: Any) -> list[Any]:
        after = walk_live(node.finalbody, set(self._after[id(node)]))
        before, then = self._share(node, after)
        self._cut(node, after)
        inner = gast.Try(node.body, node.handlers, [], [])
        at(inner, node)
        EXPOSED.put(inner, self._read_after_failure(node, after))
        RENEWED.put(inner, bound_names(node.body) - self._read_from_before(node, after))
        caught = [h for h in node.handlers if falls_through(h.body)]
        RESCUED.put(inner, bool(caught))
        if caught:
            done = self._rescued(node, inner, caught)
        elif node.handlers:
            done = [inner, *node.orelse]
        else:
            done = [*node.body, *node.orelse]
        done = [*before, *done, *then]
        if not node.finalbody:
            return done
        outer = at(gast.Try(done, [], [], node.finalbody), node)
        EXPOSED.put(outer, bound_names(done) & set(walk_live(node.finalbody, set())))
        if done[:1] != [inner]:
            EXPOSED.put(outer, EXPOSED.of(outer) | EXPOSED.of(inner))
        RENEWED.put(outer, set())
        RESCUED.put(outer, False)
        return [outer]

    def _rescued(self, node: Any, inner: Any, caught: list[Any]) -> list[Any]:
        """Let handlers only say which of them was run; what they do follows."""
        single = len(caught) == 1
        flag = self._name("failed" if single else "caught")
        self._check_writes(node, EXPOSED.of(inner))
        chain: list[Any] = []
        for number, handler in reversed(list(enumerate(caught, 1))):
            body = self._keep_exception(handler)
            if handler is not caught[-1]:
                test = gast.Compare(load(flag), [gast.Eq()], [gast.Constant(number, None)])
                body = [at(gast.If(test, body, chain), handler)]
            chain = body
            value = gast.Constant(True if single else number, None)
            handler.body = [*CAUGHT.of(handler), assign(flag, value, handler)]
        branch = at(gast.If(load(flag), chain, node.orelse), caught[0])
        ATTEMPT.put(branch, inner)  # its other side is what follows a body that was run to its end
        start = assign(flag, gast.Constant(False if single else 0, None), node)
        return [start, inner, branch]

    def _keep_exception(self, handler: Any) -> list[Any]:
        """Return what a handler does, reading the exception under a name that outlives it."""
        body = handler.body
        CAUGHT.put(handler, [])
        name = getattr(handler.name, "id", handler.name)
        if not _reads_exception(handler):
            return list(body)
        self._refuse_carried(body, name)
        caught = name or self._namer.fresh("problem")
        handler.name = at(gast.Name(caught, gast.Store(), None, None), handler)
        kept = self._name("error")
        CAUGHT.put(handler, [assign(kept, load(caught), handler)])
        for statement in statements(body):
            if _is_bare(statement):
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
            if value is None or (isinstance(statement, gast.Expr) and not _puts(value)):
                continue
            if name in _carriers(value):
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
        going_on = [handler for handler in node.handlers if falls_through(handler.body)]
        short = _can_be_copied(node.handlers) or not _can_be_copied(
            [handler for handler in node.handlers if handler not in going_on]
        )
        if short or len(going_on) != 1 or self._place_to_cut(node, after) is None:
            return [], []
        (handler,) = going_on
        if _reads_exception(handler):
            return [], []
        flag = self._name("caught")
        self._after[id(handler)] = {flag} | walk_live(
            handler.body, self._after_handler(handler, after)
        )
        branch = at(gast.If(load(flag), handler.body, []), handler)
        handler.body = [assign(flag, gast.Constant(True, None), handler)]
        return [assign(flag, gast.Constant(False, None), node)], [branch]

    def _place_to_cut(self, node: Any, after: set[str]) -> int | None:
        """Return where the first thing in a body stands that is seen though the body failed."""
        if not self._cuts or not any(falls_through(handler.body) for handler in node.handlers):
            return None
        seen, inside = self._seen_half_way(node, after), self._made_inside(node.body)
        ends = self._ends(node)
        return next(
            (
                place
                for place, item in enumerate(node.body[:-1])
                if bound_names([item]) & seen
                or (id(item) not in ends and self._writes_outside(item, inside))
            ),
            None,
        )

    def _cut(self, node: Any, after: set[str]) -> None:
        """Leave in a body what ends with a value that is read after it failed; try the rest next.

        A failure of the rest finds that value whole. What the handlers do is written for both.
        """
        place = self._place_to_cut(node, after) if _can_be_copied(node.handlers) else None
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
        self._nested.add(id(rest))
        node.body, node.orelse = node.body[: place + 1], self._try(rest)

    def _seen_half_way(self, node: Any, after: set[str]) -> set[str]:
        """Return the active names that are read though the body failed after it had bound them."""
        going_on = [handler for handler in node.handlers if falls_through(handler.body)]
        live: set[str] = set()
        for handler in going_on:
            live |= walk_live(handler.body, self._after_handler(handler, after))
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
        for handler in node.handlers:
            on = falls_through(handler.body)
            read |= walk_live(handler.body, self._after_handler(handler, after) if on else set())
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
        read = set(walk_live(node.finalbody, set()))
        for handler in node.handlers:
            on = falls_through(handler.body)
            read |= walk_live(handler.body, self._after_handler(handler, after) if on else set())
        return read

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


def _can_be_copied(handlers: list[Any]) -> bool:
    """Say whether handlers are short, and without a `try`, whose parts are told by identity."""
    items = [item for handler in handlers for item in statements(handler.body)]
    return len(items) <= _MOST_COPIED and not any(isinstance(item, gast.Try) for item in items)


def _reads_exception(handler: Any) -> bool:
    """Say whether a handler reads the exception that it has caught, or raises it once more."""
    name = getattr(handler.name, "id", handler.name)
    read = {n for statement in handler.body for n in names_read(statement)}
    return name in read or any(map(_is_bare, statements(handler.body)))


def _is_bare(statement: Any) -> bool:
    return isinstance(statement, gast.Raise) and statement.exc is None


def _note_questions(block: list[Any]) -> list[Any]:
    """Note which branches of a block ask whether a `try` before them has failed; return them.

    They ask for a name that its handler has set. What is live after the handler is then what the
    branch reads, and not what the other side does.
    """
    asking: list[Any] = []
    for position, statement in enumerate(block):
        for part in blocks_of(statement):
            asking += _note_questions(part)
        flag = _flag_of(statement)
        for later in block[position + 1 :] if flag else ():
            if isinstance(later, gast.If) and getattr(later.test, "id", "") == flag:
                ATTEMPT.put(later, statement)
                asking.append(later)
                break
            if flag in bound_names([later]):
                break
    return asking


def _flag_of(statement: Any) -> str:
    """Return the name that is true after the one handler of a `try` that goes on, or ""."""
    handlers = getattr(statement, "handlers", ())
    going_on = [handler for handler in handlers if falls_through(handler.body)]
    last = going_on[0].body[-1] if len(going_on) == 1 else None
    if not isinstance(last, gast.Assign) or getattr(last.value, "value", None) is not True:
        return ""
    flag: str = getattr(last.targets[0], "id", "")
    return "" if flag in bound_names(statement.finalbody) else flag


def _carriers(value: Any) -> list[str]:
    """Return the names that are bound whole or of which an attribute is read, but for questions."""
    if isinstance(value, gast.Name):
        return [value.id]
    if isinstance(value, gast.JoinedStr):
        return []
    if isinstance(value, gast.Call) and getattr(value.func, "id", "") in _QUESTIONS:
        return []
    if isinstance(value, gast.Call) and getattr(value.func, "id", "") == "float":
        return names_read(value)  # from the text of its message
    found = [value.value.id] if _is_attribute(value) else []
    found += [item.id for item in getattr(value, "args", []) if isinstance(item, gast.Name)]
    for child in nodes_in(value):
        found += [] if isinstance(child, gast.Name) else _carriers(child)
    return found


def _puts(value: Any) -> bool:
    """Say whether an expression is ``xs.append(v)`` or the like."""
    return getattr(getattr(value, "func", None), "attr", "") in SHAPERS


def _is_attribute(value: Any) -> bool:
    return isinstance(value, gast.Attribute) and isinstance(value.value, gast.Name)


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
