"""Takes the body of a `try` apart where it may be left half-way, and what it did is read then.

Each piece ends with the first thing that is seen though its rest failed, and is tried by itself:
so a piece that fails has done nothing, and those before it are run backwards as they were run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.normalize.caught import Caught
from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load, twin
from srcgrad.ir.jumps import falls_through, jumps
from srcgrad.ir.marks import ATTEMPT, OF_ERRORS, RESCUED
from srcgrad.ir.walk import statements

_NAMES = (gast.Name, gast.Constant)
_WALKS = ("range", "zip", "enumerate")


class TakenApart:
    """The pieces of one body in normal form.

    Attributes:
        tries: The `try` statements of the pieces.

    >>> from srcgrad.compiler.doctesting import parse, reader_of, text
    >>> start, attempt = parse('''
    ... failed = False
    ... try:
    ...     for i in range(4):
    ...         a = x[i]
    ...         total = total + a
    ... except IndexError:
    ...     failed = True
    ... ''')
    >>> caught = Caught(attempt.handlers, reader_of(), {"a", "total"})
    >>> seen = lambda item: "total" in names_bound(item.targets[0])
    >>> from srcgrad.ir.walk import names_bound
    >>> pieces = TakenApart(attempt.handlers, seen, caught, lambda wish: wish)
    >>> print(text(pieces.block(attempt.body, [], start)))
    failed = False
    for i in range(4):
        raised = False
        try:
            a = x[i]
        except IndexError:
            raised = True
        if raised:
            failed = True
            break
        else:
            total = total + a
    """

    def __init__(
        self,
        handlers: list[Any],
        seen: Callable[[Any], bool],
        caught: Caught,
        name: Callable[[str], str],
    ) -> None:
        self.tries: list[Any] = []
        self._handlers = handlers  # they do nothing but say what was caught
        self._start: Any = None
        self._flag = ""
        self._untried: set[int] = set()
        self._seen = seen
        self._caught = caught
        self._name = name

    def is_possible(self, block: list[Any]) -> bool:
        """Say whether each statement of a block that has to be can be left in the middle."""
        return all(
            self._can_be_joined(item) if RESCUED.of(item) else _can_be_entered(item)
            for item in statements(block)
            if self._is_entered(item) or RESCUED.of(item)
        )

    def block(self, block: list[Any], orelse: list[Any], start: Any) -> list[Any]:
        """Return a block whose pieces are tried one after the other, until something was caught.

        `orelse` is run if nothing was, and not tried. `start` binds the name that says whether
        something was, to what it is as long as nothing was.
        """
        self._start, self._flag = start, start.targets[0].id
        self._untried = {id(item) for item in orelse}
        return [start, *self._block([*block, *orelse])]

    def _block(self, block: list[Any], *, ends_trip: bool = False) -> list[Any]:
        """Return the pieces of a block.

        `ends_trip` says that a trip of a loop ends with the block: once the flag is set, it is
        left.
        """
        done: list[Any] = []
        left = list(block)
        while left and not self._fails(left[0]):
            done.append(left.pop(0))
        if not left:
            return done
        if self._is_entered(left[0]):
            inner, rest = self._entered(left[0], left[1:], ends_trip)
            if rest:
                inner.append(self._goes_on(self._flag, rest, ends_trip, rest[0]))
            return done + inner
        piece, rest = self._piece(left)
        flag = self._name("raised")
        handlers = twin(self._handlers)
        for handler in handlers:
            if falls_through(handler.body):
                handler.body[-1].targets[0].id = flag
        attempt, joined = piece[0], RESCUED.of(piece[0])
        if joined:  # what this catches itself is asked by a branch in the rest
            attempt.handlers += handlers
        else:
            attempt = at(gast.Try(piece, handlers, [], []), piece[0])
        self.tries.append(attempt)
        start = assign(flag, clone(self._start.value), attempt)
        branch = self._goes_on(flag, rest, ends_trip, attempt)
        ATTEMPT.put(branch, None if joined else attempt)
        return [*done, start, attempt, branch]

    def _piece(self, block: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return how a block begins that has nothing to be seen but by its last statement."""
        size = 0
        for size, statement in enumerate(block, 1):
            ends = size < len(block) and (self._is_entered(block[size]) or RESCUED.of(block[size]))
            if ends or self._sees(statement) or RESCUED.of(statement):
                break
        while not self._fails(block[size - 1]):
            size -= 1
        return block[:size], block[size:]

    def _goes_on(self, flag: str, rest: list[Any], ends_trip: bool, like: Any) -> Any:
        """Return the branch that asks for a flag, and goes on with the rest if it is not set."""
        single = self._start.value.value is False
        value = gast.Constant(True, None) if single else load(flag)
        leaves = [assign(self._flag, value, like)] if flag != self._flag else []
        leaves += [at(gast.Break(), like)] if ends_trip else []
        then = self._block(rest, ends_trip=ends_trip)
        nothing = [at(gast.Pass(), like)]
        return at(gast.If(load(flag), leaves or nothing, then or nothing), like)

    # -- statements that hold others

    def _entered(self, node: Any, rest: list[Any], ends_trip: bool) -> tuple[list[Any], list[Any]]:
        """Return a statement whose blocks are taken apart, and what is still to come after it."""
        if isinstance(node, gast.If):
            return self._branch(node, rest, ends_trip)
        if isinstance(node, gast.While):
            return [self._while(node)], rest or _nothing(node, ends_trip)
        if isinstance(node, gast.For):
            return self._for(node, rest, ends_trip)
        node.body = self._block(node.body)
        return [node], rest or _nothing(node, ends_trip)

    def _branch(self, node: Any, rest: list[Any], ends_trip: bool) -> tuple[list[Any], list[Any]]:
        if self._caught.may_come_from(_alone(node)):
            test = self._name("test")
            first = assign(test, node.test, node)
            node.test = load(test)
            return self._block([first, node, *rest], ends_trip=ends_trip), []
        last = ends_trip and not rest
        node.body = self._block(node.body, ends_trip=last)
        node.orelse = self._block(node.orelse, ends_trip=last)
        return [node], rest

    def _while(self, node: Any) -> Any:
        if self._caught.may_come_from(_alone(node)):
            test = self._name("test")
            stops = at(gast.If(load(test), node.body, [at(gast.Break(), node)]), node)
            node.body = [assign(test, node.test, node), stops]
            node.test = at(gast.Constant(True, None), node)
        node.body = self._block(node.body, ends_trip=True)
        return node

    def _for(self, node: Any, rest: list[Any], ends_trip: bool) -> tuple[list[Any], list[Any]]:
        if not _is_plain(node.iter):
            args = node.iter.args
            names = [self._name("n") for _ in args]
            first = [assign(name, value, node) for name, value in zip(names, args, strict=True)]
            node.iter.args = [load(name) for name in names]
            return self._block([*first, node, *rest], ends_trip=ends_trip), []
        node.body = self._block(node.body, ends_trip=True)
        return [node], rest or _nothing(node, ends_trip)

    def _is_entered(self, node: Any) -> bool:
        """Say whether a statement has blocks that cannot be tried as a whole."""
        if not hasattr(node, "body") or not self._fails(node):
            return False
        if ATTEMPT.of(node) is not None:
            return True  # it is run backwards together with its `try`, and stays beside it
        inside = [item for item in statements([node]) if item is not node]
        return not RESCUED.of(node) and (any(map(self._sees, inside)) or any(jumps([node])))

    def _sees(self, node: Any) -> bool:
        return not hasattr(node, "body") and self._seen(node)

    def _can_be_joined(self, node: Any) -> bool:
        """Say whether what a body waits for can be caught by a `try` in it, as well."""
        ends = self._caught.ends(node.body)
        seen = [item for item in statements(node.body) if self._sees(item)]
        rest = [*(item for handler in node.handlers for item in handler.body), *node.finalbody]
        return not any(map(self._fails, rest)) and all(id(item) in ends for item in seen)

    def _fails(self, node: Any) -> bool:
        return id(node) not in self._untried and self._caught.may_come_from(node)


def _can_be_entered(node: Any) -> bool:
    if isinstance(node, gast.With):
        return OF_ERRORS.of(node) and not any(jumps(node.body))
    if isinstance(node, gast.For):
        return _is_plain(node.iter) or _walk_of(node.iter) == "range"
    return isinstance(node, (gast.If, gast.While))


def _is_plain(iterable: Any) -> bool:
    """Say whether a loop over this fails nowhere but in its body."""
    args = iterable.args if _walk_of(iterable) in _WALKS else [iterable]
    return all(isinstance(item, _NAMES) for item in args)


def _walk_of(iterable: Any) -> str:
    return getattr(getattr(iterable, "func", None), "id", "")


def _alone(node: Any) -> Any:
    """Return a statement as its test alone."""
    return at(type(node)(node.test, [at(gast.Pass(), node)], []), node)


def _nothing(node: Any, ends_trip: bool) -> list[Any]:
    """Return what follows a loop at the end of a trip, which is left once the flag is set."""
    return [at(gast.Pass(), node)] if ends_trip else []
