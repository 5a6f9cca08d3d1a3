"""Gives blocks one exit: what follows a jump goes into the branch that does not jump.

After this pass there is no `continue`, no `else` of a loop, and no `return` but the last statement.
A `break` is the last thing in its trip: it ends the last statement of the loop's body, or a branch
of that. So a trip runs backwards like any other block, whether it left the loop or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import assign, at, clone, load
from srcgrad.ir.jumps import SCOPES, breaks_out, falls_through, inner_blocks, is_endless, jumps
from srcgrad.ir.marks import KNOWN, NATURAL
from srcgrad.ir.names import Namer
from srcgrad.ir.walk import statements

_MOST_COPIED = 8


@dataclass(frozen=True, slots=True)
class _Level:
    """How the jumps of a block are written: which flags they set, and whether they break.

    Attributes:
        in_loop: The block ends a trip of a loop, which `break` leaves.
        calm: No jump leaves any statement of the block, nor of those inside but of loops.
        returned, broke, stop, skip: The flags that say, after the loop or block, that it was left
            by a `return`, by a `break` that passes over an `else`, by `break`, or by `continue`.
    """

    in_loop: bool = False
    calm: bool = False
    returned: str | None = None
    broke: str | None = None
    stop: str | None = None
    skip: str | None = None


class Exits:
    """Removes the jumps of one function.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... for v in x:
    ...     if v < 0:
    ...         continue
    ...     if v > 9:
    ...         break
    ...     total = total + v
    ... else:
    ...     total = 2 * total
    ... ''')
    >>> print(text(Exits(Namer(["x"]), lambda item: []).function(body)))
    broke = False
    for v in x:
        if v < 0:
            pass
        elif v > 9:
            broke = True
            break
        else:
            total = total + v
    if broke:
        pass
    else:
        total = 2 * total
    """

    def __init__(self, namer: Namer, result: Callable[[Any], list[Any]]) -> None:
        self._namer = namer
        self._result = result  # from a `return` to the statements that keep its value
        self.flags: set[str] = set()
        self.returned: set[str] = set()  # those that say that the result is kept already

    def function(self, body: list[Any]) -> list[Any]:
        """Return the body of a function without jumps."""
        return self._close(body, [], _Level())

    def _close(self, block: list[Any], rest: list[Any], level: _Level) -> list[Any]:
        """Return `block` followed by `rest`, each jump at the end of its branch."""
        done: list[Any] = []
        for position, item in enumerate(block):
            following = block[position + 1 :] + rest
            if isinstance(item, (gast.Return, gast.Break, gast.Continue)):
                return done + self._leave(item, level)
            if isinstance(item, gast.Raise):
                return [*done, item]
            if isinstance(item, SCOPES):
                done.append(item)
                continue
            if isinstance(item, (gast.For, gast.While)):
                lead, checks = self._loop(item, level)
            elif isinstance(item, gast.If) and not level.calm and any(jumps([item])):
                if not self._is_long(item, following):
                    return [*done, self._branch(item, following, level)]
                lead, checks = self._region(item, level)
            elif isinstance(item, gast.Try) and not level.in_loop and _ends_if_caught(item):
                return [*done, self._attempt(item, following, level)]
            else:
                lead, checks = self._region(item, level)
            done.extend(lead)
            if checks:
                return done + self._close([*checks, *following], [], level)
        return done + (self._close(rest, [], level) if rest else [])

    def _branch(self, item: Any, following: list[Any], level: _Level) -> Any:
        """Put what follows an `if` into those of its branches that go on."""
        other: list[Any] = clone(following)
        item.body = self._close(item.body, following, level)
        item.orelse = self._close(item.orelse, other, level)
        return item

    def _attempt(self, item: Any, following: list[Any], level: _Level) -> Any:
        """Put what follows a `try` whose handlers all leave the function into its `else`."""
        item.body = self._close(item.body, [], _Level(calm=True))
        for handler in item.handlers:
            handler.body = self._close(handler.body, [], level)
        item.orelse = self._close(item.orelse, following, level)
        return item

    def _is_long(self, item: Any, following: list[Any]) -> bool:
        """Say whether what follows an `if` is too long to be put into both of its branches."""
        copies = sum(falls_through(part) for part in (item.body, item.orelse))
        return copies > 1 and len(list(statements(following))) > _MOST_COPIED

    # -- jumps

    def _leave(self, jump: Any, level: _Level) -> list[Any]:
        """Return what a jump becomes: flags, and a `break` if that leads out of the block."""
        if isinstance(jump, gast.Return):
            known = KNOWN.of(jump)  # the result is kept already, and the flag set
            done = [] if known else self._result(jump)
            flag = None if known == level.returned else level.returned
            leaves = level.in_loop
        elif isinstance(jump, gast.Break):
            natural = NATURAL.of(jump)  # the loop's own condition has failed
            done, leaves = [], level.in_loop
            flag = level.stop if not leaves else None if natural else level.broke
        else:
            done, leaves, flag = [], False, level.skip
        if flag is not None:
            done = [*done, assign(flag, gast.Constant(True, None), jump)]
        if leaves:
            done = [*done, at(gast.Break(), jump)]
        return done

    def _flag(self, wish: str) -> str:
        name = self._namer.fresh(wish)
        self.flags.add(name)
        if wish == "returned":
            self.returned.add(name)
        return name

    def _lower(self, flag: str, like: Any) -> Any:
        return assign(flag, gast.Constant(False, None), like)

    # -- loops

    def _loop(self, loop: Any, level: _Level) -> tuple[list[Any], list[Any]]:
        """Return a loop with what it needs before, and the jumps to be made after it."""
        found = list(jumps(loop.body))
        returns = any(isinstance(item, gast.Return) for item in found)
        breaks = breaks_out(loop)
        endless = is_endless(loop) and not breaks
        inner = _Level(in_loop=True)
        lead: list[Any] = []
        checks: list[Any] = []
        if returns and not endless:
            flag = level.returned or self._flag("returned")
            inner = replace(inner, returned=flag)
            if level.returned is None:
                lead.append(self._lower(flag, loop))
            checks.append(_when_returned(flag, loop))
        elif returns:
            checks.append(_again(loop, True))
        orelse, loop.orelse = loop.orelse, []
        if orelse and any(not NATURAL.of(b) for b in _breaks(found)):
            flag = self._flag("broke")
            inner = replace(inner, broke=flag)
            lead.append(self._lower(flag, loop))
            checks.append(_when(flag, [], orelse, loop))
        else:
            checks.extend(orelse)
        loop.body = self._close(loop.body, [], inner)
        return [*lead, loop], checks

    # -- blocks that are left only at their end

    def _region(self, item: Any, level: _Level) -> tuple[list[Any], list[Any]]:
        """Let the jumps out of a statement set flags, which are looked at after it."""
        kinds = set() if level.calm else {type(jump) for jump in jumps([item])}
        lead: list[Any] = []
        checks: list[Any] = []
        inner = _Level(calm=not kinds)
        if gast.Return in kinds:
            flag = level.returned or self._flag("returned")
            inner = replace(inner, returned=flag)
            lead += [] if level.returned else [self._lower(flag, item)]
            checks.append(_when_returned(flag, item))
        if gast.Break in kinds:
            flag = self._flag("stop")
            inner = replace(inner, stop=flag)
            lead.append(self._lower(flag, item))
            checks.append(_when(flag, [at(gast.Break(), item)], [], item))
        if gast.Continue in kinds:
            flag = self._flag("skip")
            inner = replace(inner, skip=flag)
            lead.append(self._lower(flag, item))
            checks.append(_when(flag, [at(gast.Continue(), item)], [], item))
        if isinstance(item, gast.Try) and item.orelse:
            for check in checks:  # the `else` is passed over by what leaves the body
                item.orelse = [_when(check.test.id, [], item.orelse, item)]
        for part in inner_blocks(item):
            part[:] = self._close(part, [], inner)
        return [*lead, item], checks


def _ends_if_caught(item: Any) -> bool:
    """Say whether a function goes on after a `try` only if nothing was raised in its body."""
    if item.finalbody or not item.handlers or any(jumps(item.body)):
        return False
    inside = [jump for handler in item.handlers for jump in jumps(handler.body)]
    returns = bool(inside) and all(isinstance(jump, gast.Return) for jump in inside)
    return returns and not any(falls_through(handler.body) for handler in item.handlers)


def _breaks(found: list[Any]) -> list[Any]:
    return [item for item in found if isinstance(item, gast.Break)]


def _when(flag: str, body: list[Any], orelse: list[Any], like: Any) -> Any:
    return at(gast.If(load(flag), body, orelse), like)


def _when_returned(flag: str, like: Any) -> Any:
    return _when(flag, [_again(like, flag)], [], like)


def _again(like: Any, flag: str | bool) -> Any:
    """Return a `return` of what is kept as the result already; `flag` says so, if it is a name."""
    node = at(gast.Return(None), like)
    KNOWN.put(node, flag)
    return node
